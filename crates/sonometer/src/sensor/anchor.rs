//! Where to look for a pattern: the rarest thing that every match must hold.

use super::program::Key;

/// A set of keys of which every match holds one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Anchor(Vec<Keyed>);

/// A key that stands from `min` to `max` tokens behind the start of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Keyed {
    pub(crate) key: Key,
    pub(crate) min: u32,
    pub(crate) max: u32,
    /// How often it is expected to occur, the smaller the better.
    cost: u64,
}

/// An anchor that can stand further than this behind the start of a match is not taken: every occurrence of it would make as
/// many starts to try. A pattern covers at most 128 tokens (`protocol/phrase/check.rs`), with its gap widened 128 + 12 + 2, a class or
/// an expression counting as one. So this refuses only what stands behind one of these, which may cover any number.
const MAX_REACH: u32 = 256;

/// How the parts of a pattern are seen by the search for an anchor.
#[derive(Debug)]
pub(crate) enum Part {
    /// Consumes one thing that can be looked up by this key, and how often that is expected to occur ([`Keyed::cost`]).
    Key(Key, u64),
    /// The same of the phrases of a list file, and the fewest and the most words of one.
    List(Key, u64, (u32, u32)),
    /// Consumes or skips from the first to the second number of tokens that cannot be looked up; `u32::MAX`: any number.
    Blank(u32, u32),
    /// One after the other.
    All(Vec<Part>),
    /// One of them.
    One(Vec<Part>),
}

impl Part {
    /// The least and the greatest number of tokens it covers.
    fn reach(&self) -> (u32, u32) {
        match self {
            Self::Key(Key::Word(_) | Key::Test(_), _) => (1, 1),
            Self::Key(Key::Class(_) | Key::Regex(_) | Key::List(_), _) => (1, u32::MAX),
            Self::List(.., words) => *words,
            Self::Blank(min, max) => (*min, *max),
            Self::All(parts) => {
                parts.iter().map(Self::reach).fold((0, 0), |a, b| (a.0 + b.0, a.1.saturating_add(b.1)))
            }
            Self::One(parts) => {
                let reaches = parts.iter().map(Self::reach);
                reaches.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0, 0))
            }
        }
    }

    /// The cheapest anchor, if there is one within reach.
    pub(crate) fn anchor(&self) -> Option<Anchor> {
        match self {
            Self::Key(key, cost) | Self::List(key, cost, _) => {
                Some(Anchor(vec![Keyed { key: *key, min: 0, max: 0, cost: *cost }]))
            }
            Self::Blank(..) => None,
            Self::All(parts) => {
                let (mut min, mut max) = (0u32, 0u32);
                let mut best: Option<Anchor> = None;
                for part in parts {
                    if let Some(anchor) = part.anchor() {
                        let anchor = anchor.behind(min, max);
                        // Of equally cheap ones the first: `<` and not `<=`. It changes the work, never a match.
                        if anchor.is_near() && best.as_ref().is_none_or(|best| anchor.price() < best.price())
                        {
                            best = Some(anchor);
                        }
                    }
                    let reach = part.reach();
                    min = min.saturating_add(reach.0);
                    max = max.saturating_add(reach.1);
                }
                best
            }
            // A match holds one of them, and which is not known: all must have an anchor, and all are looked for.
            Self::One(parts) => {
                let mut all = Vec::with_capacity(parts.len());
                for part in parts {
                    match part {
                        // Words without a list of one each: of most alternatives there are hundreds.
                        Self::Key(key, cost) => all.push(Keyed { key: *key, min: 0, max: 0, cost: *cost }),
                        _ => all.extend(part.anchor()?.0),
                    }
                }
                (!all.is_empty()).then_some(Anchor(all))
            }
        }
    }
}

impl Anchor {
    /// The same behind something that covers from `min` to `max` tokens.
    fn behind(mut self, min: u32, max: u32) -> Self {
        for keyed in &mut self.0 {
            keyed.min = keyed.min.saturating_add(min);
            keyed.max = keyed.max.saturating_add(max);
        }
        self
    }

    fn is_near(&self) -> bool {
        self.0.iter().all(|keyed| keyed.max <= MAX_REACH)
    }

    /// The expected work: how often each key occurs times the number of starts that are tried then.
    fn price(&self) -> u64 {
        let each = |keyed: &Keyed| keyed.cost.saturating_mul(u64::from(keyed.max - keyed.min) + 1);
        self.0.iter().map(each).fold(0, u64::saturating_add)
    }

    /// Each key once with the places where it can stand. Keys that can stand in several places share one reach, that of all of them:
    /// which starts have been noted is remembered by rule (`Tries::not_before`), and holds only where all look back equally far.
    pub(crate) fn keys(mut self) -> Vec<Keyed> {
        let loose = || self.0.iter().filter(|keyed| keyed.max > keyed.min);
        let min = loose().map(|keyed| keyed.min).min();
        let max = loose().map(|keyed| keyed.max).max();
        if let (Some(min), Some(max)) = (min, max) {
            for keyed in self.0.iter_mut().filter(|keyed| keyed.max > keyed.min) {
                (keyed.min, keyed.max) = (min, max);
            }
        }
        self.0.sort_unstable();
        self.0.dedup();
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(number: u32, cost: u64) -> Part {
        Part::Key(Key::Word(number), cost)
    }

    /// The keys of an anchor with their places.
    fn places(part: &Part) -> Vec<(Key, u32, u32)> {
        let anchor = part.anchor().expect("an anchor");
        anchor.keys().into_iter().map(|Keyed { key, min, max, .. }| (key, min, max)).collect()
    }

    #[test]
    fn takes_the_rarest_required_word() {
        let part = Part::All(vec![
            word(1, 1000),
            Part::Blank(0, 3),
            word(2, 10),
            Part::One(vec![word(3, 1), Part::Blank(0, 0)]),
        ]);
        assert_eq!(places(&part), [(Key::Word(2), 1, 4)]);
    }

    #[test]
    fn prefers_a_near_anchor_to_many_starts() {
        let part = Part::All(vec![word(1, 20), Part::Blank(0, 12), word(2, 10)]);
        assert_eq!(places(&part), [(Key::Word(1), 0, 0)]);
    }

    #[test]
    fn alternatives_are_anchored_each_or_not_at_all() {
        let both = Part::One(vec![word(1, 5), Part::All(vec![word(2, 100), word(3, 7)])]);
        assert_eq!(places(&both), [(Key::Word(1), 0, 0), (Key::Word(3), 1, 1)]);
        assert!(Part::One(vec![word(1, 5), Part::Blank(1, 1)]).anchor().is_none());
    }

    #[test]
    fn keys_with_several_places_share_one_reach() {
        let behind = |gap, number| Part::All(vec![Part::Blank(0, gap), word(number, 1)]);
        let part =
            Part::One(vec![behind(2, 1), word(2, 1), Part::All(vec![Part::Blank(1, 1), behind(4, 3)])]);
        assert_eq!(places(&part), [(Key::Word(1), 0, 5), (Key::Word(2), 0, 0), (Key::Word(3), 0, 5)]);
    }

    #[test]
    fn never_counts_tokens_behind_something_of_any_length() {
        let url = Part::Key(Key::class(crate::protocol::phrase::Class::Shout), 900);
        let part = Part::All(vec![url, word(1, 1)]);
        assert_eq!(places(&part), [(Key::class(crate::protocol::phrase::Class::Shout), 0, 0)]);
    }
}
