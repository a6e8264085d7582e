//! Why talks were not measured, each reason with how often it occurred and one example.

use crate::names::Names;
use crate::paint::one_line;
use sonometer::Fidelity;

/// Reasons of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reasons(pub(crate) Vec<Reason>);

#[derive(Clone, Debug)]
pub(crate) struct Reason {
    pub(crate) name: &'static str,
    pub(crate) count: u64,
    /// Of the first talk; empty where it may not be shown.
    pub(crate) example: String,
}

/// Characters of an example.
const LONGEST: usize = 200;

impl Reasons {
    pub(crate) fn add(&mut self, name: &'static str, example: &str, names: &mut Names) {
        if let Some(own) = self.0.iter_mut().find(|own| own.name == name) {
            own.count += 1;
            return;
        }
        let mut example = if names.allows(example) { one_line(example) } else { String::new() };
        if let Some((end, _)) = example.char_indices().nth(LONGEST) {
            example.truncate(end);
            example.push('…');
        }
        self.0.push(Reason { name, count: 1, example });
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.iter().map(|own| own.count).sum()
    }
}

/// What was missing: roles, words, or readable ones; with the figures of this one talk.
pub(crate) fn insufficient(fidelity: &Fidelity) -> (&'static str, String) {
    let Fidelity { index, density, clarity, unheard, .. } = fidelity;
    let figures = format!("fidelity {index} (density {density}, clarity {clarity})");
    match unheard {
        Some(roles) => {
            let there =
                if roles.seen.is_empty() { "no turn has a role" } else { "the turns have other roles" };
            ("no turn by a role that is measured", format!("asked for {}; {there}", roles.asked.join(", ")))
        }
        None if density <= clarity => ("too few words or turns", figures),
        None => ("not readable, or in another language", figures),
    }
}
