//! Section 6, who is heard: markers that ask for roles which no turn has.

use crate::candidate::Scene;
use crate::result::actant;
use sonometer::protocol::{Marker, RatioTo};

/// The markers that could hear nobody, with the roles that they ask for in vain.
pub(crate) fn unheard(scene: &Scene<'_>) -> Vec<(usize, Vec<String>)> {
    let markers = scene.protocol.markers.iter().enumerate();
    let all = markers.map(|(index, marker)| (index, in_vain(scene, marker)));
    all.filter(|(_, roles)| !roles.is_empty()).collect()
}

/// The roles asked for, and the first ten of those seen, if no marker could hear anybody.
pub(crate) fn nobody(scene: &Scene<'_>) -> Option<(Vec<String>, Vec<String>)> {
    let unheard = unheard(scene);
    if unheard.len() < scene.protocol.markers.len() {
        return None;
    }
    let asked = unheard.into_iter().flat_map(|(_, roles)| roles).collect();
    let spoken = scene.turns.iter().filter_map(|turn| turn.role.as_deref());
    let mut seen = each_once(spoken.map(|role| actant(scene.protocol, role)).collect());
    seen.truncate(10);
    Some((each_once(asked), seen))
}

/// The roles of each list of roles that no turn's role is in: `by`, and those of `share`, `after`, `before`, `when` and `ratio`;
/// of a ratio also those of the markers that it counts.
fn in_vain(scene: &Scene<'_>, marker: &Marker) -> Vec<String> {
    let share = marker.share.as_ref().map(|share| &share.by);
    let when = marker.absence.as_ref().and_then(|absence| absence.when.as_ref()).map(|when| &when.by);
    let ratio = marker.ratio.as_ref().map(|ratio| &ratio.by);
    let companions = [&marker.after, &marker.before].map(|companion| companion.as_ref().map(|c| &c.by));
    let [after, before] = companions;
    let lists = [Some(&marker.by), share, when, ratio, after, before];
    let mut roles = Vec::new();
    for list in lists.into_iter().flatten().filter(|list| !list.is_empty()) {
        if !scene.turns.iter().any(|turn| scene.passes_role(list, turn)) {
            roles.extend(list.iter().map(|role| actant(scene.protocol, role)));
        }
    }
    if let Some(ratio) = &marker.ratio {
        let mut counted = vec![&ratio.of];
        if let RatioTo::Marker(label) = &ratio.to {
            counted.push(label);
        }
        for label in counted {
            let markers = scene.protocol.markers.iter().filter(|other| other.label == *label);
            markers.for_each(|other| roles.extend(in_vain(scene, other)));
        }
    }
    each_once(roles)
}

/// Without repetitions, in order.
fn each_once(roles: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for role in roles {
        if !kept.contains(&role) {
            kept.push(role);
        }
    }
    kept
}
