//! Lines as phrases: what a pattern matches that is nothing but words in a row goes into one tree for all lines, and only the rest is run.

use crate::protocol::phrase::{Pattern, WordKind, WordTest};
use std::borrow::Cow;

/// A pattern that becomes more plain phrases than this stays whole. Phrases multiply: ten `(a|b)` in a row are 2^10 = 1,024 phrases,
/// eleven would be 2,048, and each costs nodes of the tree, where a program costs a few instructions.
const MAX_VARIANTS: usize = 1_024;
/// The most words of the phrases that lines with several are written out to, all lines of a sensor together: each takes about a hundred bytes
/// of the tree, so 25 MiB. 100,000 lines of ten `(a|b)` would be a thousand million. The lines behind stay whole, which moves work and
/// never a match. What ships needs at most an eighth of it (`affect`).
const MOST_WORDS: usize = 1 << 18;

/// A pattern as the plain phrases among what it matches, and a pattern of the rest.
pub(super) struct Parted<'p> {
    pub(super) phrases: Vec<Vec<&'p str>>,
    pub(super) rest: Option<Cow<'p, Pattern>>,
}

impl<'p> Parted<'p> {
    /// A pattern without plain phrases.
    pub(super) fn whole(pattern: &'p Pattern) -> Self {
        Self { phrases: Vec::new(), rest: Some(Cow::Borrowed(pattern)) }
    }
}

/// How much may still be written out.
#[derive(Debug)]
pub(super) struct Room {
    /// Words of phrases.
    words: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { words: MOST_WORDS }
    }
}

impl Room {
    /// Parts a pattern, as far as there is room. A line that is one phrase always has it: it is not longer than it is written.
    pub(super) fn part<'p>(&mut self, pattern: &'p Pattern) -> Parted<'p> {
        if self.words == 0 && !is_one_phrase(pattern) {
            return Parted::whole(pattern);
        }
        let parted = parted(pattern);
        let words = || parted.phrases.iter().map(Vec::len).sum::<usize>();
        if parted.phrases.len() <= 1 {
            return parted;
        }
        match self.words.checked_sub(words()) {
            Some(left) => {
                self.words = left;
                parted
            }
            None => {
                // No later line is written out only to be thrown away.
                self.words = 0;
                Parted::whole(pattern)
            }
        }
    }
}

fn is_one_phrase(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Word(test) => test.kind == WordKind::Equal,
        Pattern::Sequence(items) => items.iter().all(is_one_phrase),
        _ => false,
    }
}

/// Parts a pattern: a list with a hundred words and one `thank~` is a hundred phrases in the tree, which costs next to nothing, and a
/// program of one instruction. A part that would become too many phrases stays whole, and so does one in which two things in a row
/// are more than phrases.
fn parted(pattern: &Pattern) -> Parted<'_> {
    let parted = match pattern {
        Pattern::Word(WordTest { kind: WordKind::Equal, folded }) => {
            Some(Parted { phrases: vec![vec![folded]], rest: None })
        }
        Pattern::Optional(inner) => {
            let mut inner = self::parted(inner);
            inner.phrases.push(Vec::new());
            Some(inner)
        }
        Pattern::Either(items) => Some(either(items)),
        Pattern::Sequence(items) => in_a_row(items),
        _ => None,
    };
    parted.unwrap_or_else(|| Parted::whole(pattern))
}

fn either(items: &[Pattern]) -> Parted<'_> {
    let (mut phrases, mut rest) = (Vec::new(), Vec::new());
    for item in items {
        let item = parted(item);
        phrases.extend(item.phrases);
        rest.extend(item.rest);
    }
    let rest = match rest.len() {
        0 => None,
        1 => rest.pop(),
        _ => Some(Cow::Owned(Pattern::Either(rest.into_iter().map(Cow::into_owned).collect()))),
    };
    Parted { phrases, rest }
}

fn in_a_row(items: &[Pattern]) -> Option<Parted<'_>> {
    let mut phrases: Vec<Vec<&str>> = vec![Vec::new()];
    let mut open = None;
    for (at, item) in items.iter().enumerate() {
        let item = parted(item);
        if let Some(rest) = item.rest
            && open.replace((at, rest)).is_some()
        {
            return None;
        }
        let (heads, tails) = (phrases.len(), item.phrases.len());
        // One behind a list, or before it, multiplies nothing.
        if tails == 0 || heads * tails > MAX_VARIANTS.max(heads).max(tails) {
            return None;
        }
        let tails = &item.phrases;
        let longer =
            phrases.iter().flat_map(|head| tails.iter().map(move |tail| [head.as_slice(), tail].concat()));
        phrases = longer.collect();
    }
    let rest = open.map(|(at, rest)| {
        let mut items = items.to_vec();
        items[at] = rest.into_owned();
        Cow::Owned(Pattern::Sequence(items.into()))
    });
    Some(Parted { phrases, rest })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Protocol;

    /// The pattern of a line.
    fn pattern(line: &str) -> Pattern {
        let text = format!(
            "sonometer: 1\nid: x\nversion: \"1.0\"\ntaxonomy: Signal\nlanguage: en\nmarkers:\n  - label: a\n    strong: |\n      {line}\n"
        );
        let (protocol, _) = Protocol::read(&text).expect("is sound");
        protocol.markers[0].lines[0].pattern().into_owned()
    }

    fn phrases(line: &str) -> (Vec<String>, bool) {
        let pattern = pattern(line);
        let Parted { phrases, rest } = parted(&pattern);
        (phrases.iter().map(|phrase| phrase.join(" ")).collect(), rest.is_some())
    }

    #[test]
    fn what_is_plain_is_parted_from_the_rest() {
        let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(phrases("(many|all) thanks"), (texts(&["many thanks", "all thanks"]), false));
        assert_eq!(phrases("(many|thank~) thanks?"), (texts(&["many thanks", "many"]), true));
        assert_eq!(phrases("(a|b~) (c|d~)"), (Vec::new(), true));
        assert_eq!(phrases("a ..2.. b"), (Vec::new(), true));
        let long = ["(a|b)"; 11].join(" ");
        assert_eq!(phrases(&long), (Vec::new(), true));
    }

    #[test]
    fn a_row_of_lines_uses_up_the_room() {
        let many = pattern(&["(a|b)"; 10].join(" "));
        let mut room = Room::default();
        let parted: Vec<bool> = (0..30).map(|_| room.part(&many).rest.is_none()).collect();
        let fit = MOST_WORDS / (1_024 * 10);
        assert_eq!(parted.iter().position(|fits| !fits), Some(fit));
        let one = pattern("a b c");
        assert!(room.part(&one).rest.is_none() && room.part(&pattern("(a|b) c")).rest.is_some());
    }
}
