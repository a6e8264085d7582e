//! The names of those who speak.

use crate::names::Numbered;
use crate::protocol::{Marker, Protocol};
use crate::text::fold::fold_role;

/// Usual words for the two sides of a conversation. A protocol that names one of a group means the others too, unless it says
/// itself what else that one is called.
const USUAL: [&[&str]; 2] = [&["agent", "assistant", "ai", "bot"], &["customer", "client", "user", "human"]];

/// Every role name that the protocol knows, folded, with the name it stands for: the first of aliases, actants,
/// fidelity needs and markers that gives it one.
pub(super) fn role_names(protocol: &Protocol) -> Numbered<String> {
    let actants = &protocol.actants;
    let mut names = Numbered::default();
    let mut add = |name: &str, role: &str| {
        names.number(&fold_role(name), || role.to_owned());
    };
    for (role, others) in &actants.aliases {
        others.iter().for_each(|name| add(name, role));
    }
    named(protocol).for_each(|role| add(role, role));
    for group in USUAL {
        let has_aliases = |role: &str| {
            let is_in = |(head, others): &(String, Vec<String>)| {
                fold_role(head) == role || others.iter().any(|other| fold_role(other) == role)
            };
            actants.aliases.iter().any(is_in)
        };
        let stands_for = named(protocol).find(|role| {
            let role = fold_role(role);
            group.contains(&role.as_str()) && !has_aliases(&role)
        });
        if let Some(role) = stands_for {
            // What the protocol names itself keeps its name.
            group.iter().for_each(|word| add(word, role));
        }
    }
    names
}

/// The roles that a protocol names, in the order in which the first gives a speaker its name.
fn named(protocol: &Protocol) -> impl Iterator<Item = &String> {
    let actants = &protocol.actants;
    let alias_heads = actants.aliases.iter().map(|(role, _)| role);
    let needs = protocol.fidelity.roles.iter().map(|(role, _)| role);
    let by = protocol.markers.iter().flat_map(Marker::named_roles);
    alias_heads
        .chain(&actants.primary)
        .chain(&actants.secondary)
        .chain(&actants.others)
        .chain(needs)
        .chain(by)
}
