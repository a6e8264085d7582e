//! How far the matches that begin at a place could still reach. An expression can match anything, over sentences too, so this
//! is not known from the text alone: every way of matching from the place on is followed until it has died.
//!
//! Unicode's `\b` and its kin are left out here: an automaton stops at them beside a byte beyond ASCII. So some ways are followed that
//! are none, which may delay what is settled; which of them match is asked of the expression itself ([`Way::found`]).

#[cfg(feature = "perf")]
use super::living::{Lengths, Living};
use super::{Characters, Expression, Kept};
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{Compiler, Config};
use regex_automata::{Anchored, Input, MatchKind, PatternID};
use regex_syntax::hir::{Capture, Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Regular expressions of a protocol, all at once, shared by its sessions.
#[derive(Debug)]
pub(crate) struct Reaches {
    pub(crate) expressions: Vec<Arc<Expression>>,
    #[cfg(feature = "perf")]
    lengths: Lengths,
    /// By byte: whether a match may begin with it.
    begins: [bool; 256],
    automaton: DFA,
    /// What sessions have worked out of the automaton so far.
    caches: Kept<Numbered>,
    /// How many caches have been made.
    made: AtomicUsize,
}

/// A cache, and which one it is: states mean nothing to another.
#[derive(Debug)]
struct Numbered {
    number: usize,
    cache: Cache,
}

/// What one cache holds at most, in bytes; up to four are kept for a protocol ([`Kept`]), so 32 MiB. A full one is begun anew, which
/// costs time and changes nothing.
const CACHE: usize = 8 << 20;

/// The most bytes of the automaton. Each expression may take [`super::MAX_BYTES`], and a protocol may have thousands: followed all at once, they could
/// fill the memory of a service.
const MOST_BYTES: usize = 32 << 20;

impl Reaches {
    /// `None` where nothing can be said before a turn ends.
    pub(crate) fn of(expressions: Vec<Arc<Expression>>) -> Option<Self> {
        let parsed = expressions.iter().map(|expression| super::parse(expression.as_str()).ok().map(relaxed));
        let parsed: Vec<Hir> = parsed.collect::<Option<_>>()?;
        let nfa = Compiler::new()
            .configure(Config::new().nfa_size_limit(Some(MOST_BYTES)))
            .build_many_from_hir(&parsed)
            .ok()?;
        // All matches and not the first: a way that is still open matters though a shorter match has been found. Beside all of them
        // together, each can be followed by itself.
        let config = DFA::config()
            .match_kind(MatchKind::All)
            .starts_for_each_pattern(true)
            .cache_capacity(CACHE)
            .skip_cache_capacity_check(true);
        let automaton = DFA::builder().configure(config).build_from_nfa(nfa).ok()?;
        let may_begin =
            |byte: u8| expressions.iter().any(|expression| expression.facts.edges.may_begin(byte));
        let begins = std::array::from_fn(|byte| may_begin(byte as u8));
        Some(Self {
            expressions,
            #[cfg(feature = "perf")]
            lengths: Lengths::of(&parsed),
            begins,
            automaton,
            caches: Kept::default(),
            made: AtomicUsize::new(0),
        })
    }

    /// The first place from byte `from` of a text on, before byte `to`, where a match may begin; `to` if there is none.
    pub(crate) fn next_start(&self, text: &str, from: usize, to: usize) -> usize {
        let mut bytes = text.as_bytes()[from..to.min(text.len())].iter();
        bytes.position(|byte| self.begins[usize::from(*byte)]).map_or(to, |at| from + at)
    }

    /// How long matches can be.
    #[cfg(feature = "perf")]
    pub(crate) fn lengths(&self) -> &Lengths {
        &self.lengths
    }

    /// What tells which ways live of the expressions without a greatest length, wherever they began.
    #[cfg(feature = "perf")]
    pub(crate) fn living(&self) -> Living<'_> {
        Living::of(self.automaton.get_nfa(), &self.lengths.endless)
    }

    /// Lends what follows ways.
    pub(crate) fn lend<T>(&self, work: impl FnOnce(&mut Follower<'_>) -> T) -> T {
        let make = || Numbered {
            number: self.made.fetch_add(1, Ordering::Relaxed),
            cache: self.automaton.create_cache(),
        };
        self.caches.lend(make, |Numbered { number, cache }| {
            work(&mut Follower { automaton: &self.automaton, number: *number, cache })
        })
    }
}

/// Follows ways by one cache.
pub(crate) struct Follower<'r> {
    automaton: &'r DFA,
    number: usize,
    cache: &'r mut Cache,
}

/// Every way of matching from one place on: of all expressions, or of one.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    of: Option<PatternID>,
    /// Where it begins, and up to where it was followed, in bytes of the turn.
    pub(crate) start: usize,
    at: usize,
    /// The expressions that seem to match.
    pub(crate) matched: Vec<usize>,
    state: Option<State>,
}

/// Where a way stands in the automaton.
#[derive(Clone, Copy, Debug)]
struct State {
    state: LazyStateID,
    /// The cache that the state is of, and how often that had been begun anew.
    cache: usize,
    cleared: usize,
}

/// What became of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Nothing that follows can add to it.
    Dead,
    /// It could go on where the known text ends.
    Alive,
}

impl Way {
    /// The ways of all expressions from a byte of the turn on.
    pub(crate) fn of_all(start: usize) -> Self {
        Self { of: None, start, at: start, matched: Vec::new(), state: None }
    }

    /// The ways of one expression.
    pub(crate) fn of_one(expression: usize, start: usize) -> Self {
        Self { of: Some(PatternID::new_unchecked(expression)), ..Self::of_all(start) }
    }

    /// Whether it is of all expressions.
    pub(crate) fn is_of_all(&self) -> bool {
        self.of.is_none()
    }

    /// Up to where it was followed.
    #[cfg(feature = "perf")]
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The match of an expression that begins where this way did, which is dead; `known` is the turn from byte `base` on.
    pub(crate) fn found(&self, expression: &Expression, known: &str, base: usize) -> Option<Range<usize>> {
        let start = self.start - base;
        // No way went beyond the byte at which the last of them died. The character there is left for what looks ahead.
        let end = (self.at - base + 1..known.len()).find(|end| known.is_char_boundary(*end));
        let known = &known[..end.unwrap_or(known.len())];
        let found = expression.find_at(known, start, Characters::seen_from(known, start))?;
        if found.start != start || found.is_empty() {
            return None;
        }
        Some(self.start..found.end + base)
    }
}

impl Follower<'_> {
    /// Follows a way over what is known, the turn from byte `base` on: what became of it, and over how many bytes it was followed. `None`
    /// if the automaton cannot tell.
    pub(crate) fn follow(&mut self, known: &str, base: usize, way: &mut Way) -> Option<(Fate, usize)> {
        let mut state = match way.state.take() {
            Some(State { state, cache, cleared })
                if cache == self.number && cleared == self.cache.clear_count() =>
            {
                state
            }
            _ => {
                way.at = way.start;
                way.matched.clear();
                let anchored = way.of.map_or(Anchored::Yes, Anchored::Pattern);
                let input = Input::new(known).anchored(anchored).range(way.start - base..);
                self.automaton.start_state_forward(self.cache, &input).ok()?
            }
        };
        let from = way.at - base;
        for (at, &byte) in (from..).zip(&known.as_bytes()[from..]) {
            state = self.automaton.next_state(self.cache, state, byte).ok()?;
            if state.is_tagged() {
                if state.is_match() {
                    self.note(state, &mut way.matched);
                } else if state.is_dead() {
                    way.at = base + at;
                    return Some((Fate::Dead, at + 1 - from));
                }
            }
        }
        way.at = base + known.len();
        way.state = Some(State { state, cache: self.number, cleared: self.cache.clear_count() });
        Some((Fate::Alive, known.len() - from))
    }

    /// Notes which expressions match in a state.
    fn note(&self, state: LazyStateID, matched: &mut Vec<usize>) {
        for at in 0..self.automaton.match_len(self.cache, state) {
            let expression = self.automaton.match_pattern(self.cache, state, at).as_usize();
            if !matched.contains(&expression) {
                matched.push(expression);
            }
        }
    }
}

/// An expression without what looks for the edges of Unicode's words, and with coarser classes: it matches at least what the expression
/// does.
fn relaxed(parsed: Hir) -> Hir {
    match parsed.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(Class::Unicode(class)) => Hir::class(Class::Unicode(coarser(&class))),
        HirKind::Class(class) => Hir::class(class),
        HirKind::Look(look) if is_of_unicode(look) => Hir::empty(),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(repetition) => {
            let sub = Box::new(relaxed(*repetition.sub));
            Hir::repetition(Repetition { sub, ..repetition })
        }
        HirKind::Capture(Capture { sub, .. }) => relaxed(*sub),
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(relaxed).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.into_iter().map(relaxed).collect()),
    }
}

/// A class whose gaps are closed where that delays little: an automaton has a third fewer states for it, and each thread that follows
/// ways has lists of all states. Latin, Greek and Cyrillic stay as they are, and so do all blocks with signs that end sentences.
fn coarser(class: &ClassUnicode) -> ClassUnicode {
    const EXACT: [RangeInclusive<char>; 3] =
        ['\0'..='\u{52f}', '\u{1e00}'..='\u{303f}', '\u{fe30}'..='\u{ffff}'];
    /// Digits of neighbouring scripts are closer than this, capitals of neighbouring scripts are not.
    const MOST: u32 = 1 << 10;
    let mut ranges: Vec<ClassUnicodeRange> = Vec::new();
    for &range in class.ranges() {
        let (last, next) = (ranges.last().map_or('\0', |last| last.end()), range.start());
        let is_exact = EXACT.iter().any(|exact| last < *exact.end() && next > *exact.start());
        match ranges.last_mut() {
            Some(last) if !is_exact && u32::from(next) - u32::from(last.end()) <= MOST => {
                *last = ClassUnicodeRange::new(last.start(), range.end());
            }
            _ => ranges.push(range),
        }
    }
    ClassUnicode::new(ranges)
}

fn is_of_unicode(look: Look) -> bool {
    match look {
        Look::WordUnicode
        | Look::WordUnicodeNegate
        | Look::WordStartUnicode
        | Look::WordEndUnicode
        | Look::WordStartHalfUnicode
        | Look::WordEndHalfUnicode => true,
        Look::Start
        | Look::End
        | Look::StartLF
        | Look::EndLF
        | Look::StartCRLF
        | Look::EndCRLF
        | Look::WordAscii
        | Look::WordAsciiNegate
        | Look::WordStartAscii
        | Look::WordEndAscii
        | Look::WordStartHalfAscii
        | Look::WordEndHalfAscii => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarser_classes_hold_the_class_and_add_nothing_where_sentences_end() {
        for class in ["\\d", "\\w", "\\s", "\\S", "\\p{L}", "\\p{Lu}", "[a-zà-ỿ’]"] {
            let parsed = super::super::parse(class).expect("is sound");
            let HirKind::Class(Class::Unicode(exact)) = parsed.kind() else { panic!("{class} is one") };
            let coarser = coarser(exact);
            let holds = |class: &ClassUnicode, char: char| {
                class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&char))
            };
            for char in '\0'..='\u{20000}' {
                let is_kept =
                    matches!(char, '\0'..='\u{52f}' | '\u{1e00}'..='\u{303f}' | '\u{fe30}'..='\u{ffff}');
                let (was, is) = (holds(exact, char), holds(&coarser, char));
                assert!(is == was || is && !is_kept, "{class}: {char:?}");
            }
        }
    }

    #[test]
    fn what_is_too_large_is_not_followed() {
        let large = Arc::new(Expression::new("\\p{L}{20}x").expect("is sound"));
        assert!(Reaches::of(vec![Arc::clone(&large)]).is_some());
        assert!(Reaches::of(vec![large; 1_000]).is_none());
    }
}
