//! Where to look for a pattern: the rarest thing that every match must hold.

use super::program::{Anchor, Key};

/// An anchor that can stand further than this behind the start of a match is not taken: every occurrence of it would make as
/// many starts to try. A pattern covers at most 128 tokens (`protocol/phrase/check.rs`), with its gap widened 128 + 12 + 2, a class or
/// an expression counting as one. So this refuses only what stands behind one of these, which may cover any number.
const MAX_REACH: u32 = 256;

/// How the parts of a pattern are seen by the search for an anchor.
#[derive(Debug)]
pub(crate) enum Part {
    /// Consumes one thing that can be looked up by this key, and how often that is expected to occur ([`Anchor::cost`]).
    Key(Key, u64),
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
            Self::Key(Key::Class(_) | Key::Regex(_), _) => (1, u32::MAX),
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
            Self::Key(key, cost) => Some(Anchor { keys: vec![*key], min: 0, max: 0, cost: *cost }),
            Self::Blank(..) => None,
            Self::All(parts) => {
                let (mut min, mut max) = (0u32, 0u32);
                let mut best: Option<Anchor> = None;
                for part in parts {
                    if let Some(mut anchor) = part.anchor() {
                        anchor.min = anchor.min.saturating_add(min);
                        anchor.max = anchor.max.saturating_add(max);
                        // Of equally cheap ones the first: `<` and not `<=`. It changes the work, never a match.
                        if anchor.max <= MAX_REACH && best.as_ref().is_none_or(|b| price(&anchor) < price(b))
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
            Self::One(parts) => {
                let mut union: Option<Anchor> = None;
                // A match holds one of them, and which is not known: all must have an anchor, and all are looked for.
                for part in parts {
                    let all = union.get_or_insert_with(|| Anchor {
                        keys: Vec::with_capacity(parts.len()),
                        min: u32::MAX,
                        max: 0,
                        cost: 0,
                    });
                    // Words without a list of one each: of most alternatives there are hundreds.
                    if let Self::Key(key, cost) = part {
                        all.keys.push(*key);
                        (all.min, all.cost) = (0, all.cost + cost);
                        continue;
                    }
                    let anchor = part.anchor()?;
                    all.keys.extend(anchor.keys);
                    all.min = all.min.min(anchor.min);
                    all.max = all.max.max(anchor.max);
                    all.cost += anchor.cost;
                }
                if let Some(all) = &mut union {
                    all.keys.sort_unstable();
                    all.keys.dedup();
                }
                union
            }
        }
    }
}

/// The expected work: how often the anchor occurs times the number of starts that are tried.
fn price(anchor: &Anchor) -> u64 {
    anchor.cost.saturating_mul(u64::from(anchor.max - anchor.min) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(number: u32, cost: u64) -> Part {
        Part::Key(Key::Word(number), cost)
    }

    #[test]
    fn takes_the_rarest_required_word() {
        let part = Part::All(vec![
            word(1, 1000),
            Part::Blank(0, 3),
            word(2, 10),
            Part::One(vec![word(3, 1), Part::Blank(0, 0)]),
        ]);
        let anchor = part.anchor().expect("a required word");
        assert_eq!((anchor.keys, anchor.min, anchor.max), (vec![Key::Word(2)], 1, 4));
    }

    #[test]
    fn prefers_a_near_anchor_to_many_starts() {
        let part = Part::All(vec![word(1, 20), Part::Blank(0, 12), word(2, 10)]);
        assert_eq!(part.anchor().expect("an anchor").keys, vec![Key::Word(1)]);
    }

    #[test]
    fn alternatives_are_anchored_together_or_not_at_all() {
        let both = Part::One(vec![word(1, 5), Part::All(vec![word(2, 100), word(3, 7)])]);
        let anchor = both.anchor().expect("an anchor");
        assert_eq!(
            (anchor.keys, anchor.min, anchor.max, anchor.cost),
            (vec![Key::Word(1), Key::Word(3)], 0, 1, 12)
        );
        assert!(Part::One(vec![word(1, 5), Part::Blank(1, 1)]).anchor().is_none());
    }

    #[test]
    fn never_counts_tokens_behind_something_of_any_length() {
        let url = Part::Key(Key::class(crate::protocol::phrase::Class::Shout), 900);
        let part = Part::All(vec![url, word(1, 1)]);
        assert_eq!(part.anchor().expect("the class").max, 0);
    }
}
