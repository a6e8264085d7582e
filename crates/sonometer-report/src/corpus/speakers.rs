//! Who speaks in a corpus, and what is found in the turns of each role.

use crate::names::{Hidden, Names};
use sonometer::Reading;
use std::collections::{BTreeMap, BTreeSet};

/// Roles that are told apart; the turns of others are counted together.
const MOST: usize = 40;

#[derive(Clone, Debug, Default)]
pub(crate) struct Speakers {
    roles: BTreeMap<String, Speaker>,
    others: Speaker,
    has_others: bool,
}

/// What one role came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Speaker {
    /// The place among all roles, from 1, in the order in which they came.
    pub(crate) number: usize,
    pub(crate) talks: u64,
    pub(crate) turns: u64,
    /// Pieces of evidence that improve the score, and that worsen it.
    pub(crate) evidence: [u64; 2],
    /// Whether its name may not be shown.
    is_hidden: bool,
}

impl Speakers {
    /// Counts the turns of a talk that was measured.
    pub(crate) fn talk(&mut self, reading: &Reading, names: &mut Names, hidden: &Hidden) {
        let mut seen = BTreeSet::new();
        for role in reading.interaction().turns().iter().filter_map(|turn| turn.role.as_deref()) {
            let is_new = seen.insert(role);
            if !self.roles.contains_key(role) {
                if self.roles.len() >= MOST {
                    self.has_others = true;
                } else {
                    let number = self.roles.len() + 1;
                    self.roles.insert(role.to_owned(), Speaker { number, ..Speaker::default() });
                }
            }
            let own = self.roles.get_mut(role).unwrap_or(&mut self.others);
            own.turns += 1;
            if is_new {
                own.talks += 1;
                own.is_hidden = own.is_hidden || !names.allows_beside(role, hidden);
            }
        }
    }

    /// Counts a piece of evidence.
    pub(crate) fn evidence(&mut self, role: Option<&str>, worsens: usize) {
        if let Some(role) = role {
            self.roles.get_mut(role).unwrap_or(&mut self.others).evidence[worsens] += 1;
        }
    }

    /// The roles with most turns first, those that are counted together last.
    pub(crate) fn shown(&self) -> Vec<(String, &Speaker)> {
        let name = |(role, own): (&String, &Speaker)| match own.is_hidden {
            true => format!("role {}", own.number),
            false => role.clone(),
        };
        let mut all: Vec<(String, &Speaker)> =
            self.roles.iter().map(|(role, own)| (name((role, own)), own)).collect();
        all.sort_by(|(_, a), (_, b)| b.turns.cmp(&a.turns).then(a.number.cmp(&b.number)));
        if self.has_others {
            all.push(("other roles".to_owned(), &self.others));
        }
        all
    }

    /// Whether the name of some role is not shown.
    pub(crate) fn hides(&self) -> bool {
        self.roles.values().any(|own| own.is_hidden)
    }
}
