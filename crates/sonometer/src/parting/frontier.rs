//! Where a turn that is still being written can be parted: behind the end of a sentence that is certain whatever follows, at the
//! white space there (or directly behind an ideographic full stop). No phrase, negation or disguise reaches over such a place; the classes
//! and the regular expressions are asked apart ([`super::classes`], [`super::watch`]).
//!
//! Every character is looked at once. Some ends of sentences are missed, but nothing else is taken for one: a full stop
//! behind what may be an abbreviation, or a line that goes on in lower case, parts nothing. A missed end only delays what is
//! settled; a false one would change the reading.

use crate::language::Language;
use crate::sensor::Plan;
use crate::text::chars::{self, Class};
use crate::text::fold::{each_folded, floor_char_boundary, fold_to_lower};
use std::ops::Range;

/// A place where a turn can be parted. All offsets are bytes of the turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Where the gap begins: behind the last token of the left part.
    pub(crate) gap: usize,
    /// Where the right part begins: behind the white space that follows the end of the sentence. What a pattern may begin
    /// with before its first token (`$`, `(`) stands behind it.
    pub(crate) at: usize,
    /// Where the first token of the right part begins.
    pub(crate) next: usize,
}

/// What the protocols that read the turn ask of a cut.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    /// Full stops behind the abbreviations of these languages end no sentence. Every session has rules, and copies of the words would be
    /// most of what it begins with.
    languages: Vec<&'static Language>,
    /// Some protocol undoes disguises, after which a full stop may follow another word.
    unfolds: bool,
}

impl Rules {
    pub(crate) fn of<'p>(plans: impl Iterator<Item = &'p Plan>) -> Self {
        let mut rules = Self { languages: Vec::new(), unfolds: false };
        for plan in plans {
            // Of all protocols together: a stop that is none for one of them parts the turn for none, as all read the same pieces.
            if let Some(language) = plan.language
                && !rules.languages.iter().any(|known| known.code == language.code)
            {
                rules.languages.push(language);
            }
            rules.unfolds |= plan.unfolding.is_some();
        }
        rules
    }

    /// The first end of a sentence behind the first space from byte `from` on of a turn that is known. It is among those that reading from the beginning
    /// gives, of which none asks for more than the last token before it and what stands between two white spaces.
    pub(super) fn next_cut(&self, turn: &str, from: usize) -> Option<Cut> {
        let mut known = from + turn.as_bytes().get(from..)?.iter().position(|byte| *byte == b' ')?;
        let mut frontier = Frontier { read: known, ..Frontier::default() };
        let mut found = None;
        while known < turn.len() && found.is_none() {
            known = floor_char_boundary(turn, known + STRIDE);
            frontier.advance(self, &turn[..known], &mut |cut| found = found.or(Some(cut)));
        }
        found
    }

    /// Whether a full stop directly behind these words (from white space on) ends a sentence in every reading of them.
    fn ends_at_full_stop(&self, run: &str, token: &str) -> bool {
        let token = fold_to_lower(token);
        let mut letters = token.chars();
        if letters.next().is_none() || letters.next().is_none() || token.len() > MOST_CHECKED {
            // One letter may be an initial.
            return false;
        }
        let is_abbreviation =
            |l: &&Language| l.abbreviations.contains(&token) || l.number_abbreviations.contains(&token);
        if self.languages.iter().any(is_abbreviation) {
            return false;
        }
        let is_plain = || {
            let bytes = run.as_bytes();
            let alike = |three: &[u8]| three.iter().all(|b| b.eq_ignore_ascii_case(&three[0]));
            run.len() >= 2 && bytes.iter().all(u8::is_ascii_alphabetic) && !bytes.windows(3).any(alike)
        };
        !self.unfolds || is_plain()
    }
}

/// So many bytes are read at a time where one end of a sentence is looked for: few more than most sentences have.
const STRIDE: usize = 256;

/// Longer words, in bytes, end no sentence here: no abbreviation is as long, but what stands before a full stop is looked at again,
/// and hostile text must not make that long.
const MOST_CHECKED: usize = 64;

/// Reads a turn as it comes in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frontier {
    /// How far it has read.
    read: usize,
    /// The token that was read last, as far as the full stop behind it asks.
    token: Range<usize>,
    last: Last,
    gap: Gap,
}

/// What was read last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Last {
    #[default]
    Gap,
    /// An apostrophe behind a letter: another letter directly behind it makes it part of the word.
    Apostrophe,
    /// A letter of a word.
    Letter,
    /// A digit or a mark of a word.
    Word,
    Ideograph,
    /// An emoji, or a character that folds to tokens and gaps at once.
    Symbol,
    Mixed,
}

/// A gap as far as it was read.
#[derive(Clone, Copy, Debug, Default)]
struct Gap {
    start: usize,
    /// Behind the first white space that stands behind the end of a sentence, or behind the first ideographic full stop.
    parted: Option<usize>,
    /// Nothing but white space has followed there.
    grows: bool,
    /// Whether where it begins is not known, within one character.
    is_mixed: bool,
    /// It has a sign that ends a sentence by itself, and no disguise of a letter.
    ends: bool,
    /// It has a `!`, and whether that is the end of a run of `!` and `|`: beside `$` or `@` it may stand for a letter.
    exclaims: bool,
    exclaims_last: bool,
    newlines: u32,
    stop: Stop,
    /// White space stands behind one full stop that begins the gap, one that does not, an ellipsis.
    first_stop: bool,
    later_stop: bool,
    ellipsis: bool,
    /// Whether the gap is empty so far.
    is_empty: bool,
}

/// A run of full stops with the closing signs behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stop {
    #[default]
    None,
    Dots {
        count: u32,
        first: bool,
    },
    Closing {
        single: bool,
        first: bool,
    },
}

impl Frontier {
    /// Reads on in `turn` to its end as it is known, and gives every place where it can be parted.
    pub(crate) fn advance(&mut self, rules: &Rules, turn: &str, found: &mut dyn FnMut(Cut)) {
        let bytes = turn.as_bytes();
        let mut at = self.read;
        while let Some(byte) = bytes.get(at) {
            // Nearly all of most texts: words, and the spaces between them.
            let in_word = matches!(self.last, Last::Letter | Last::Word);
            if byte.is_ascii_alphanumeric()
                && (in_word || self.last == Last::Gap && self.gap.parted.is_none())
            {
                if !in_word {
                    self.token.start = at;
                }
                at += bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                self.token.end = at;
                self.last = if bytes[at - 1].is_ascii_digit() { Last::Word } else { Last::Letter };
                continue;
            }
            if *byte == b' ' && in_word {
                self.gap = Gap { start: at, ..Gap::default() };
                self.last = Last::Gap;
                at += 1;
                continue;
            }
            let Some(c) = turn[at..].chars().next() else { break };
            let place = at..at + c.len_utf8();
            at = place.end;
            if c.is_ascii() {
                self.take(rules, turn, place, c, c, found);
            } else if is_mixed(c) {
                // Where its gap begins has no place of its own in the turn, so nothing is parted beside it.
                self.token = place;
                self.last = Last::Mixed;
            } else {
                each_folded(c, |folded| self.take(rules, turn, place.clone(), c, folded, found));
            }
        }
        self.read = turn.len();
    }

    /// Takes one character of the fold of the character `c` at `place`.
    #[inline]
    fn take(
        &mut self,
        rules: &Rules,
        turn: &str,
        place: Range<usize>,
        c: char,
        folded: char,
        found: &mut dyn FnMut(Cut),
    ) {
        let is_word = folded.is_ascii_alphanumeric();
        let class = match folded.is_ascii() {
            true if is_word => Class::Word,
            true => Class::Separator,
            false => chars::class(folded),
        };
        match class {
            Class::Word | Class::Mark | Class::Ideograph | Class::Symbol | Class::Modifier => {
                self.take_token(rules, turn, place, folded, class, found);
            }
            Class::Ignorable | Class::Space | Class::Separator => self.take_gap(place, c, folded),
        }
    }

    fn take_token(
        &mut self,
        rules: &Rules,
        turn: &str,
        place: Range<usize>,
        folded: char,
        class: Class,
        found: &mut dyn FnMut(Cut),
    ) {
        let in_token = match self.last {
            Last::Letter | Last::Word => matches!(class, Class::Word | Class::Mark),
            Last::Apostrophe => is_letter(folded, class),
            Last::Ideograph | Last::Symbol | Last::Mixed | Last::Gap => false,
        };
        if !in_token {
            if matches!(self.last, Last::Gap | Last::Apostrophe)
                && let Some(at) = self.parted(rules, turn, &place, folded)
            {
                found(Cut { gap: self.gap.start, at, next: place.start });
            }
            self.token.start = place.start;
        }
        self.token.end = place.end;
        self.last = match class {
            Class::Ideograph => Last::Ideograph,
            Class::Symbol | Class::Modifier => Last::Symbol,
            _ if is_letter(folded, class) => Last::Letter,
            _ => Last::Word,
        };
    }

    fn take_gap(&mut self, place: Range<usize>, c: char, folded: char) {
        if !matches!(self.last, Last::Gap | Last::Apostrophe) {
            self.gap = Gap {
                start: place.start,
                is_empty: true,
                is_mixed: self.last == Last::Mixed,
                ..Gap::default()
            };
        }
        let apostrophe = folded == '\'' && self.last == Last::Letter;
        self.last = if apostrophe { Last::Apostrophe } else { Last::Gap };
        let is_white = matches!(folded, ' ' | '\t' | '\n' | '\r');
        let gap = &mut self.gap;
        gap.stop = match (gap.stop, folded) {
            (Stop::Dots { count, first }, '.') => Stop::Dots { count: count + 1, first },
            (_, '.') => Stop::Dots { count: 1, first: gap.is_empty },
            (Stop::Dots { count, first }, _) if is_closer(folded) => {
                Stop::Closing { single: count == 1, first }
            }
            (closing @ Stop::Closing { .. }, _) if is_closer(folded) => closing,
            (stop, _) => {
                let (single, first) = match stop {
                    Stop::Dots { count, first } => (count == 1, first),
                    Stop::Closing { single, first } => (single, first),
                    Stop::None => (false, false),
                };
                if is_white && stop != Stop::None {
                    gap.first_stop |= single && first;
                    gap.later_stop |= single && !first;
                    gap.ellipsis |= !single;
                }
                Stop::None
            }
        };
        gap.is_empty = false;
        // Only now is it certain that the run of `!` and `|` stands for no letter: leet reads `!` and `|` within a run of
        // letters and signs (semantics, Unfolding).
        if gap.exclaims_last && !matches!(folded, '!' | '|' | '$' | '@') {
            gap.ends = true;
        }
        gap.exclaims_last = folded == '!' || gap.exclaims_last && folded == '|';
        match folded {
            '!' => gap.exclaims = true,
            '?' | '。' | '؟' | '।' | '॥' | '۔' => gap.ends = true,
            '\n' => gap.newlines += 1,
            _ => {}
        }
        let is_behind = gap.ends || gap.exclaims || gap.newlines > 0 || gap.has_stop();
        let parts = is_white && c.is_ascii() && is_behind || c == '。';
        if parts && (gap.grows || gap.parted.is_none()) {
            gap.parted = Some(place.end);
        }
        gap.grows = parts;
    }

    /// Where the gap before the token that begins at `place` parts the turn, if it does.
    fn parted(&self, rules: &Rules, turn: &str, place: &Range<usize>, folded: char) -> Option<usize> {
        let gap = &self.gap;
        let at = gap.parted?;
        if gap.is_mixed || self.token.is_empty() {
            // Where no token stands before it, no sentence ends; within one character no turn can be parted.
            return None;
        }
        if gap.ends
            || (gap.exclaims && !rules.unfolds)
            || gap.newlines >= 2
            || (gap.later_stop && !rules.unfolds)
        {
            return Some(at);
        }
        if gap.first_stop {
            let run_start = turn[..gap.start].rfind([' ', '\t', '\n', '\r']).map_or(0, |white| white + 1);
            let run = &turn[run_start..gap.start];
            // Of a run of words and signs without white space, twice as much.
            let is_end = run.len() <= 2 * MOST_CHECKED
                && rules.ends_at_full_stop(run, &turn[self.token.start..gap.start]);
            return is_end.then_some(at);
        }
        if gap.ellipsis || gap.newlines == 1 {
            let goes_on = folded.is_ascii_lowercase();
            let disguised = rules.unfolds && !(folded.is_ascii_uppercase() && at == place.start);
            return (!goes_on && !disguised).then_some(at);
        }
        None
    }
}

impl Gap {
    /// Whether white space stands behind a full stop in it.
    fn has_stop(&self) -> bool {
        self.first_stop || self.later_stop || self.ellipsis
    }
}

/// Whether an apostrophe beside this character of the fold can be part of a word.
fn is_letter(folded: char, class: Class) -> bool {
    class == Class::Word && !folded.is_ascii_digit()
}

fn is_closer(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | ']' | '}' | '*' | '_' | '~')
}

/// Whether a character folds to a token and a gap (`⒈`, `½`).
fn is_mixed(c: char) -> bool {
    let is_gap = |c| matches!(chars::class(c), Class::Ignorable | Class::Space | Class::Separator);
    let mut found = (false, false);
    each_folded(c, |folded| if is_gap(folded) { found.0 = true } else { found.1 = true });
    found == (true, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::{Piece, Spare, TurnText};
    use crate::text::gap::GapKind;
    use crate::{Protocol, Sensor};
    use proptest::prelude::*;

    fn sensor(language: &str) -> Sensor {
        let source = format!(
            r#"{{"sonometer": 1, "id": "x", "version": "1", "taxonomy": "Signal", "language": "{language}",
            "markers": [{{"label": "x", "strong": "x <date>", "hit": "x 5 May"}}]}}"#
        );
        Sensor::new(Protocol::read(&source).expect("reads").0).expect("compiles")
    }

    fn cuts(sensor: &Sensor, text: &str, chunk: usize) -> Vec<Cut> {
        let rules = Rules::of(std::iter::once(sensor.plan()));
        let mut frontier = Frontier::default();
        let mut found = Vec::new();
        let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
        for end in ends.enumerate().filter(|(nth, _)| nth % chunk == chunk - 1).map(|(_, end)| end) {
            frontier.advance(&rules, &text[..end], &mut |cut| found.push(cut));
        }
        frontier.advance(&rules, text, &mut |cut| found.push(cut));
        found
    }

    #[test]
    fn ordinary_sentences_are_parted() {
        let sensor = sensor("en");
        let parts = |text: &str| -> Vec<String> {
            let mut ends: Vec<usize> = cuts(&sensor, text, 1).iter().map(|cut| cut.at).collect();
            ends.push(text.len());
            let starts = std::iter::once(0).chain(ends.clone());
            starts.zip(ends.clone()).map(|(start, end)| text[start..end].to_owned()).collect()
        };
        assert_eq!(
            parts(
                "I can't. Dr. No said \"Stop!\" Then (yes).) it went on... and on... But 3.5 is more.\nNew line\n\nend"
            ),
            [
                "I can't. ",
                "Dr. No said \"Stop!\" ",
                "Then (yes).) ",
                "it went on... and on... ",
                "But 3.5 is more.\n",
                "New line\n\n",
                "end"
            ]
        );
        assert_eq!(parts("On 5. May it came, on Jan. 5 too"), ["On 5. May it came, on Jan. 5 too"]);
        assert_eq!(parts("我不喜欢。你好！再见。 x"), ["我不喜欢。", "你好！再见。 ", "x"]);
        assert_eq!(parts("Paid. $ 5! ( yes"), ["Paid. ", "$ 5! ", "( yes"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// Every cut parts two tokens over the end of a sentence, and says where they stand.
        #[test]
        fn every_cut_is_the_end_of_a_sentence(
            parts in prop::collection::vec(
                "[A-Za-z]{1,6}|mr|No|Jan|[ ]|[ ]|[.]|[.,;:!?\n-]{1,3}|[\"')]{1,2}|[0-9]{1,2}|[éä中文👩'’。！“”…½⒈㈠\u{301}\u{200d}\u{200b}\u{a0}\u{1f3fb}]",
                0..40
            ),
            chunk in 1..9_usize,
            language in prop::sample::select(vec!["en", "de", "zh"]),
        ) {
            let text = parts.concat();
            let sensor = sensor(language);
            let found = cuts(&sensor, &text, chunk);
            prop_assert_eq!(&found, &cuts(&sensor, &text, 1));
            let turn = TurnText::read(sensor.plan(), Piece::whole(&text), &mut Spare::default());
            let place = |token: &crate::text::token::Token| {
                turn.original_range(token.start as usize, token.end as usize)
            };
            for from in 0..text.len() {
                let next = Rules::of(std::iter::once(sensor.plan())).next_cut(&text, from);
                prop_assert!(next.is_none_or(|next| next.at > from && found.contains(&next)), "{:?} from {}", text, from);
            }
            for cut in found {
                let next = turn.tokens.iter().position(|token| place(token).start == cut.next);
                prop_assert!(next.is_some_and(|next| next > 0), "{cut:?} of {text:?}");
                let next = next.unwrap_or_default();
                prop_assert_eq!(turn.tokens[next].gap(), GapKind::End, "{:?} of {:?}", cut, text);
                // What is dropped between a token and its gap belongs to neither.
                let between = &text[place(&turn.tokens[next - 1]).end..cut.gap];
                prop_assert_eq!(fold_to_lower(between), "", "{:?} of {:?}", cut, text);
                prop_assert!(cut.gap < cut.at && cut.at <= cut.next);
            }
        }
    }
}
