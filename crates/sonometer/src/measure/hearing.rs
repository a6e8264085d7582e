//! Who is listened to: a marker that asks for roles which no turn has could hear nobody.

use crate::evidence::Setting;
use crate::json::Json;
use crate::measure::Measured;
use crate::sensor::Plan;
use std::collections::BTreeSet;
use std::fmt;

/// The most roles of an interaction that are named where none of them was asked for.
const MOST_SEEN: usize = 10;

/// Whom the markers ask for and who speaks, where these are different people: nothing was listened to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles {
    /// The roles that markers ask for, as the protocol writes them, each once.
    pub asked: Vec<String>,
    /// The roles of the turns in the order of the text, each once, the first ten; empty for a text, which has no roles.
    pub seen: Vec<String>,
}

impl fmt::Display for Roles {
    /// For people, with what to do about it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |roles: &[String]| {
            let quoted: Vec<String> = roles.iter().map(|role| format!("`{}`", short(role))).collect();
            quoted.join(", ")
        };
        write!(f, "the metamarkers need {}, ", quoted(&self.asked))?;
        match self.seen.is_empty() {
            true => write!(f, "but no turn has a role; give a transcript with roles"),
            false => write!(
                f,
                "but the turns are by {}; use the same names, or add them to `aliases`",
                quoted(&self.seen)
            ),
        }
    }
}

/// The beginning of a name, which callers choose and which may be of any length, for a message.
fn short(name: &str) -> String {
    const MOST_CHARACTERS: usize = 40;
    match name.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// A marker that could hear nobody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unheard<'r> {
    /// The metamarker, by its key in the reading.
    pub metamarker: &'r str,
    /// The roles that it asks for and that no turn has.
    pub roles: Vec<&'r str>,
}

impl Unheard<'_> {
    pub(crate) fn write(&self, json: &mut Json) {
        json.object(|json| {
            json.key("metamarker").string(self.metamarker);
            json.key("roles").list(|json| self.roles.iter().for_each(|role| json.string(role)));
        });
    }
}

/// The roles that a marker asks for in vain; empty if it could hear somebody.
///
/// A pair and an echo change what a match is worth; without them there is still something to hear.
fn in_vain<'p>(plan: &'p Plan, marker: u32, speaks: &BTreeSet<&str>) -> Vec<&'p str> {
    let marker_plan = &plan.markers[marker as usize];
    let companions = [marker_plan.after, marker_plan.before].into_iter().flatten();
    let companions = companions.map(|companion| &plan.companions[companion as usize].by);
    let own = [&marker_plan.by, &marker_plan.share_by, &marker_plan.side_by].into_iter().chain(companions);
    let mut roles: Vec<&str> = Vec::new();
    for asked in own.filter(|asked| !asked.is_empty()) {
        if !asked.iter().any(|role| speaks.contains(role.as_str())) {
            roles.extend(asked.iter().map(String::as_str));
        }
    }
    // A ratio hears by the markers that it counts, which are no ratios themselves.
    for counted in [marker_plan.ratio_of, marker_plan.ratio_to].into_iter().flatten() {
        roles.extend(in_vain(plan, counted, speaks));
    }
    each_once(roles)
}

fn each_once<T: Ord + Clone>(mut all: Vec<T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    all.retain(|one| seen.insert(one.clone()));
    all
}

/// Whom a protocol asks for and who speaks, if no marker could hear anybody.
pub(crate) fn nobody(plan: &Plan, setting: &Setting) -> Option<Roles> {
    if !plan.all_ask {
        return None;
    }
    let seen: Vec<&str> = setting.turns.iter().filter_map(|turn| turn.role.as_deref()).collect();
    let speaks: BTreeSet<&str> = seen.iter().copied().collect();
    let mut asked: Vec<&str> = Vec::new();
    for marker in 0..plan.markers.len() as u32 {
        let roles = in_vain(plan, marker, &speaks);
        if roles.is_empty() {
            return None;
        }
        asked.extend(roles);
    }
    let owned =
        |roles: Vec<&str>| -> Vec<String> { each_once(roles).into_iter().map(str::to_owned).collect() };
    let mut roles = Roles { asked: owned(asked), seen: owned(seen) };
    roles.seen.truncate(MOST_SEEN);
    Some(roles)
}

impl Measured {
    /// The markers that could hear nobody, by number, with the roles that they ask for.
    pub(crate) fn markers_in_vain(&self) -> Vec<(u32, Vec<&str>)> {
        let plan = self.sensor.plan();
        if !self.measured {
            return Vec::new();
        }
        let roles = self.interaction.turns().iter().filter_map(|turn| turn.role.as_deref());
        let speaks: BTreeSet<String> = roles.map(|role| plan.role_name(role)).collect();
        let speaks: BTreeSet<&str> = speaks.iter().map(String::as_str).collect();
        let all = (0..plan.markers.len() as u32).map(|marker| (marker, in_vain(plan, marker, &speaks)));
        all.filter(|(_, roles)| !roles.is_empty()).collect()
    }
}
