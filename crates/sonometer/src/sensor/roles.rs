//! The names of those who speak.

use crate::numbers::Numbered;
use crate::protocol::{Marker, Protocol};

/// A role as it is compared: folded, in lower case, without outer white space.
pub(crate) fn fold_role(role: &str) -> String {
    crate::text::fold::fold_to_lower(role).trim().to_owned()
}

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
    let alias_heads = actants.aliases.iter().map(|(role, _)| role);
    let by = protocol.markers.iter().flat_map(Marker::named_roles);
    let needs = protocol.fidelity.roles.iter().map(|(role, _)| role);
    for role in alias_heads.chain(&actants.primary).chain(&actants.secondary).chain(needs).chain(by) {
        add(role, role);
    }
    names
}
