//! Section 9: actant flow.

use crate::candidate::same_role;
use crate::number::{Number, divide};
use crate::part::Parts;

/// What flow comes to.
pub(crate) struct Flow {
    /// Labels of markers driven by the primary side.
    pub(crate) primary_driven: Vec<String>,
    /// And by the secondary side.
    pub(crate) secondary_driven: Vec<String>,
    /// The name of the direction.
    pub(crate) direction: &'static str,
    /// The poorer side by the richer.
    pub(crate) balance: Number,
}

/// The two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Primary,
    Secondary,
}

/// The flow, with this role as the primary side if it is asked for.
pub(crate) fn flow(parts: &Parts<'_>, asked: Option<&str>) -> Flow {
    let sides = sides(parts, asked);
    let words = |side: Side| -> Number {
        let own = parts.scene.turns.iter().filter(|turn| sides[turn.index] == Some(side));
        (own.map(|turn| turn.words()).sum::<usize>() as Number).max(1)
    };
    let (w_p, w_s) = (words(Side::Primary), words(Side::Secondary));
    let runs = runs(&sides);
    let mut flow =
        Flow { primary_driven: Vec::new(), secondary_driven: Vec::new(), direction: "none", balance: 0 };
    let (mut a_p, mut a_s) = (0, 0);
    let (mut votes_p, mut votes_s) = (0, 0);
    let (mut led_p, mut led_s) = (false, false);
    let chances = |side: Side| (0..runs.len()).filter(|r| runs[*r].0 == side && r + 1 < runs.len()).count();
    let (c_p, c_s) = (chances(Side::Primary), chances(Side::Secondary));
    for (marker, reading) in parts.markers() {
        let of = |side: Side| parts.evidence(marker, reading, &|turn| sides[turn] == Some(side));
        let (e_p, e_s) = (of(Side::Primary), of(Side::Secondary));
        let weight = Number::from(marker.importance.weight());
        a_p += weight * e_p;
        a_s += weight * e_s;
        if e_p > 0 && e_p * w_s >= 2 * e_s * w_p {
            flow.primary_driven.push(marker.label.clone());
        }
        if e_s > 0 && e_s * w_p >= 2 * e_p * w_s {
            flow.secondary_driven.push(marker.label.clone());
        }
        if e_p == 0 && e_s == 0 {
            continue;
        }
        let in_run: Vec<bool> = runs
            .iter()
            .map(|(_, turns)| parts.evidence(marker, reading, &|turn| turns.contains(&turn)) > 0)
            .collect();
        let leads = |side: Side| {
            (0..runs.len())
                .filter(|r| runs[*r].0 == side && in_run[*r])
                .filter(|r| in_run.get(r + 1) == Some(&true))
                .count()
        };
        let (l_p, l_s) = (leads(Side::Primary), leads(Side::Secondary));
        led_p |= l_p > 0;
        led_s |= l_s > 0;
        votes_p += usize::from(l_p >= l_s + 2 && l_p * c_s >= 2 * l_s * c_p);
        votes_s += usize::from(l_s >= l_p + 2 && l_s * c_p >= 2 * l_p * c_s);
    }
    flow.direction = match (votes_p, votes_s) {
        (p, s) if p > s => "primary_to_secondary",
        (p, s) if s > p => "secondary_to_primary",
        _ if led_p && led_s => "mutual",
        _ => "none",
    };
    let (p, s) = (a_p * w_s, a_s * w_p);
    if p.max(s) > 0 {
        flow.balance = divide(p.min(s), p.max(s));
    }
    flow
}

/// The side of each turn.
fn sides(parts: &Parts<'_>, asked: Option<&str>) -> Vec<Option<Side>> {
    let actants = &parts.scene.protocol.actants;
    let same = |role: &str| same_role(parts.scene.protocol, role);
    let spoken: Vec<Option<String>> =
        parts.scene.turns.iter().map(|turn| turn.role.as_deref().map(same)).collect();
    let given = |role: &Option<String>| {
        let role = same(role.as_deref()?);
        spoken.iter().any(|other| *other == Some(role.clone())).then_some(role)
    };
    let (named_primary, named_secondary) = (given(&actants.primary), given(&actants.secondary));
    let primary = match (asked, &named_primary) {
        (Some(asked), _) => Some(same(asked)),
        (None, Some(named)) => Some(named.clone()),
        (None, None) => spoken.iter().flatten().find(|role| Some(*role) != named_secondary.as_ref()).cloned(),
    };
    let secondary = if named_secondary.is_some() && named_secondary == primary {
        named_primary.filter(|named| Some(named) != primary.as_ref())
    } else {
        named_secondary
    };
    let side = |role: Option<String>| {
        let role = Some(role?);
        if role == primary {
            Some(Side::Primary)
        } else if secondary.is_none() || role == secondary {
            Some(Side::Secondary)
        } else {
            None
        }
    };
    spoken.into_iter().map(side).collect()
}

/// Maximal rows of turns of one side.
fn runs(sides: &[Option<Side>]) -> Vec<(Side, Vec<usize>)> {
    let mut runs: Vec<(Side, Vec<usize>)> = Vec::new();
    for (turn, side) in sides.iter().enumerate() {
        let Some(side) = side else { continue };
        match runs.last_mut() {
            Some((last, turns)) if last == side => turns.push(turn),
            _ => runs.push((*side, vec![turn])),
        }
    }
    runs
}
