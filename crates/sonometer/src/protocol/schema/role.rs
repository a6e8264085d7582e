//! Roles that a protocol declares, and every place that names one.
//!
//! A marker that listens to a role which nobody has is silent for ever, and looks as if it had found nothing. So once `actants`
//! says who takes part, a role that it does not say is a mistake.

use super::relation;
use crate::diagnostic::{Diagnostic, Diagnostics, Span, excerpt, some_of};
use crate::document::{Node, Value, suggest};
use crate::keys::fields::{in_brackets, texts_of};
use crate::protocol::model::Actants;
use crate::text::fold::fold_role;

/// The roles and other names of `actants`.
pub(super) struct Declared {
    /// As written.
    names: Vec<String>,
    folded: Vec<String>,
}

impl Declared {
    /// `None` for a protocol that declares no role.
    pub(super) fn of(actants: &Actants) -> Option<Self> {
        let mut declared = Self { names: Vec::new(), folded: Vec::new() };
        for name in actants.names() {
            if !declared.contains(name) {
                declared.folded.push(fold_role(name));
                declared.names.push(name.clone());
            }
        }
        (!declared.names.is_empty()).then_some(declared)
    }

    pub(super) fn contains(&self, role: &str) -> bool {
        self.folded.contains(&fold_role(role))
    }

    /// What to write in the place of a role that is not declared.
    pub(super) fn instead_of(&self, role: &str) -> String {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        match suggest(role, &names) {
            Some(near) => format!("did you mean `{}`", excerpt(near)),
            None => {
                format!(
                    "the roles are {}; declare another one in `actants`: `others: [{}]`",
                    some_of(&names),
                    excerpt(role)
                )
            }
        }
    }
}

/// Reports roles of markers and of `fidelity` that are not declared; where none is, those that look like several.
pub(super) fn check(
    declared: Option<&Declared>,
    root: &Node,
    markers: Option<&Node>,
    found: &mut Diagnostics,
) {
    if let Some(Value::Map(needs)) =
        root.get("fidelity").and_then(|node| node.get("roles")).map(|node| &node.value)
    {
        for (role, _) in needs {
            one(declared, "roles", &role.text, role.span, found);
        }
    }
    let Some(Value::List(items)) = markers.map(|node| &node.value) else { return };
    for (key, roles) in items.iter().flat_map(relation::written_roles) {
        // Findings about the form of these values are reported where they are read.
        for (role, span) in texts_of(roles, key, &mut Diagnostics::new()) {
            one(declared, key, &role, span, found);
        }
    }
}

fn one(declared: Option<&Declared>, key: &str, role: &str, span: Span, found: &mut Diagnostics) {
    let name = excerpt(role);
    match (declared, in_brackets(role)) {
        (Some(declared), _) if declared.contains(role) => {}
        (Some(declared), several) => {
            let message = format!("`{key}` names `{name}`, which `actants` does not declare");
            let fix = several.unwrap_or_else(|| declared.instead_of(role));
            found.push(Diagnostic::error("SM0361", span, message, fix));
        }
        (None, Some(several)) => {
            let message = format!("`{key}` names one role, `{name}`");
            found.push(Diagnostic::warning("SM0361", span, message, several));
        }
        (None, None) => {}
    }
}
