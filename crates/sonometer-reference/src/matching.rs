//! Section 2: the matches of a pattern line in one turn.

use crate::compose::Composed;
use crate::gap::GapKind;
use crate::language::Language;
use crate::occurrence::{Occurrence, occurrences};
use crate::turn::Turn;
use sonometer::protocol::phrase::{Class, ExactWord, Pattern, Regex, WordKind, WordTest};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A match of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    /// Its tokens `[s, e)`.
    pub(crate) tokens: Range<usize>,
    /// All that it covers of the original text, in bytes.
    pub(crate) extent: Range<usize>,
    /// Its place: what the braces of the line hold, or all that it covers.
    pub(crate) place: Range<usize>,
}

impl Match {
    /// A match of a line that names no place.
    pub(crate) fn plain(tokens: Range<usize>, extent: Range<usize>) -> Self {
        Self { tokens, place: extent.clone(), extent }
    }
}

/// The matches of a line that gives evidence: leftmost, longest, not overlapping.
pub(crate) fn matches(turn: &Turn, pattern: &Pattern, language: &Language) -> Vec<Match> {
    match pattern {
        Pattern::Question => question_matches(turn),
        Pattern::Regex(regex) => regex_matches(turn, regex),
        _ => {
            let mut free = 0;
            let mut kept = Vec::new();
            for found in longest_matches(turn, pattern, language) {
                if found.tokens.start >= free {
                    free = found.tokens.end;
                    kept.push(found);
                }
            }
            kept
        }
    }
}

/// The matches of a line that takes evidence away: for every start the longest.
pub(crate) fn exclusions(turn: &Turn, pattern: &Pattern, language: &Language) -> Vec<Match> {
    match pattern {
        Pattern::Question => question_matches(turn),
        Pattern::Regex(regex) => regex_matches(turn, regex),
        _ => longest_matches(turn, pattern, language),
    }
}

/// `<question>` alone matches each question sentence as a whole.
fn question_matches(turn: &Turn) -> Vec<Match> {
    let questions = turn.questions().into_iter();
    questions.map(|tokens| Match::plain(tokens.clone(), place(turn, &tokens, &[]))).collect()
}

/// A line that is a single `/re/` matches wherever the regular expression does; its place is the group `place`, unless that took
/// no part or is empty.
fn regex_matches(turn: &Turn, regex: &Regex) -> Vec<Match> {
    let found = expression(regex);
    let all = found.captures_iter(&turn.original).map(|groups| {
        let extent = groups.get_match().range();
        let place = groups.name("place").map(|group| group.range()).filter(|group| !group.is_empty());
        Match { tokens: overlapped(turn, &extent), place: place.unwrap_or_else(|| extent.clone()), extent }
    });
    all.filter(|found| !found.extent.is_empty()).collect()
}

/// Leftmost-first, not overlapping, empty matches left out.
fn regex_places(turn: &Turn, regex: &Regex) -> Vec<Range<usize>> {
    let found = expression(regex);
    found.find_iter(&turn.original).map(|m| m.range()).filter(|range| !range.is_empty()).collect()
}

fn expression(regex: &Regex) -> regex::Regex {
    regex::RegexBuilder::new(&Composed::new(&regex.source).text)
        .case_insensitive(regex.ignore_case)
        .build()
        .expect("checked")
}

/// `s` is the first token that ends after its start, `e` the first that begins at or after its end (at least `s`).
pub(crate) fn overlapped(turn: &Turn, place: &Range<usize>) -> Range<usize> {
    let count = turn.tokens.len();
    let s = turn.tokens.iter().position(|token| token.place.end > place.start).unwrap_or(count);
    let e = turn.tokens.iter().position(|token| token.place.start >= place.end).unwrap_or(count);
    s..e.max(s)
}

/// For each `s`, the longest `e`.
fn longest_matches(turn: &Turn, pattern: &Pattern, language: &Language) -> Vec<Match> {
    let mut matcher = Matcher::new(turn, pattern, language);
    let named: Vec<Occurrence> = matcher.classes.values().flatten().cloned().collect();
    (0..turn.tokens.len())
        .filter_map(|s| {
            let start = State { at: s, begun: false, over_break: false, opened: None, closed: None };
            let ends: States = matcher.after(pattern, start).into_iter().filter(|end| end.begun).collect();
            let e = ends.iter().map(|end| end.at).max()?;
            let extent = place(turn, &(s..e), &named);
            let place = match held(&ends, e) {
                Some(tokens) => place(turn, &tokens, &named),
                None => extent.clone(),
            };
            Some(Match { tokens: s..e, extent, place })
        })
        .collect()
}

/// What the braces hold, of the ways that end at `e`: those tokens that begin first, then the longest.
fn held(ends: &States, e: usize) -> Option<Range<usize>> {
    let all = ends.iter().filter(|end| end.at == e).filter_map(|end| Some(end.opened?..end.closed?));
    all.min_by_key(|tokens| (tokens.start, std::cmp::Reverse(tokens.end)))
}

/// From the first token to the last, widened to the edges of the occurrences, of classes named in the line, that begin
/// with the first token or end with the last.
pub(crate) fn place(turn: &Turn, tokens: &Range<usize>, named: &[Occurrence]) -> Range<usize> {
    let mut start = turn.tokens[tokens.start].place.start;
    let mut end = turn.tokens[tokens.end - 1].place.end;
    for occurrence in named {
        if occurrence.tokens.start == tokens.start && occurrence.tokens.end <= tokens.end {
            start = start.min(occurrence.place.start);
        }
        if occurrence.tokens.end == tokens.end && occurrence.tokens.start >= tokens.start {
            end = end.max(occurrence.place.end);
        }
    }
    start..end
}

/// How far a way through a pattern has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// The next token.
    at: usize,
    /// Whether a token has been consumed.
    begun: bool,
    /// Whether a `..n..` or a punctuation mark stands between the last consumed token and here.
    over_break: bool,
    /// Where the braces opened, and where they closed.
    opened: Option<usize>,
    closed: Option<usize>,
}

type States = BTreeSet<State>;

struct Matcher<'a> {
    turn: &'a Turn,
    language: &'a Language,
    /// The occurrences of each class the pattern names.
    classes: BTreeMap<Class, Vec<Occurrence>>,
    /// The token ranges of each regular expression in the pattern whose edges are edges of tokens.
    regexes: BTreeMap<Regex, Vec<Range<usize>>>,
    /// What was worked out before, by the address of the part of the pattern: keeps nested choices polynomial.
    known: BTreeMap<(usize, State), States>,
}

impl<'a> Matcher<'a> {
    fn new(turn: &'a Turn, pattern: &Pattern, language: &'a Language) -> Self {
        let mut matcher = Self {
            turn,
            language,
            classes: BTreeMap::new(),
            regexes: BTreeMap::new(),
            known: BTreeMap::new(),
        };
        matcher.look_up(pattern);
        matcher
    }

    /// Finds the occurrences of every class and regular expression of the pattern.
    fn look_up(&mut self, pattern: &Pattern) {
        for part in parts(pattern) {
            match part {
                Pattern::Class(class) => {
                    self.classes.insert(*class, occurrences(self.turn, *class, self.language));
                }
                Pattern::Regex(regex) => {
                    let ranges = regex_places(self.turn, regex);
                    let ranges = ranges.iter().flat_map(|range| with_token_edges(self.turn, range)).collect();
                    self.regexes.insert(regex.clone(), ranges);
                }
                _ => {}
            }
        }
    }

    /// Every state in which `pattern` can be left when it is entered in `state`.
    fn after(&mut self, pattern: &Pattern, state: State) -> States {
        let key = (std::ptr::from_ref(pattern).addr(), state);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let states = match pattern {
            Pattern::Word(test) => self.consume(state, |m| {
                m.one_if(state, |m, at| passes(test, &m.turn.tokens[at].lower, m.language))
            }),
            Pattern::Exact(word) => self.consume(state, |m| m.one_if(state, |m, at| m.is_exactly(word, at))),
            Pattern::Any => self.consume(state, |m| m.one_if(state, |_, _| true)),
            Pattern::Class(class) => self.consume(state, |m| {
                let all = m.classes[class].iter().map(|occurrence| &occurrence.tokens);
                all.filter(|tokens| tokens.start == state.at).map(|tokens| tokens.end).collect()
            }),
            Pattern::Regex(regex) => self.consume(state, |m| {
                let all = m.regexes[regex].iter();
                all.filter(|tokens| tokens.start == state.at).map(|tokens| tokens.end).collect()
            }),
            Pattern::Phrases(phrases) => self
                .consume(state, |m| phrases.iter().filter_map(|phrase| m.end_of(phrase, state.at)).collect()),
            Pattern::Gap { max } => self.skip(state, *max),
            Pattern::Sequence(parts) => self.sequence(&parts.iter().collect::<Vec<_>>(), state),
            Pattern::Either(choices) => choices.iter().flat_map(|choice| self.after(choice, state)).collect(),
            Pattern::Optional(inner) => {
                let mut states = self.after(inner, state);
                states.insert(state);
                states
            }
            Pattern::Near { left, right, within } => self.near(left, right, *within, state),
            Pattern::Capture(inner) => {
                let inside = self.after(inner, State { opened: Some(state.at), ..state });
                inside.into_iter().map(|end| State { closed: Some(end.at), ..end }).collect()
            }
            Pattern::SentenceStart => {
                stay_if(state, !state.begun && (state.at == 0 || self.sentence_ends_before(state.at)))
            }
            Pattern::SentenceEnd => {
                let last = state.at == self.turn.tokens.len();
                stay_if(state, state.begun && (last || self.sentence_ends_before(state.at)))
            }
            Pattern::TurnStart => stay_if(state, state.at == 0),
            Pattern::TurnEnd => stay_if(state, state.at == self.turn.tokens.len()),
            Pattern::Mark(mark) => {
                let holds = self.turn.gaps[state.at].contains(mark);
                stay_if(State { over_break: true, ..state }, holds)
            }
            Pattern::Question => stay_if(state, state.begun && self.in_question(state.at - 1)),
        };
        self.known.insert(key, states.clone());
        states
    }

    fn sequence(&mut self, parts: &[&Pattern], state: State) -> States {
        let mut states = States::from([state]);
        for part in parts {
            states = states.into_iter().flat_map(|state| self.after(part, state)).collect();
        }
        states
    }

    /// `a &n b` is `(a ..n.. b | b ..n.. a)`.
    fn near(&mut self, left: &Pattern, right: &Pattern, within: u8, state: State) -> States {
        let mut states = States::new();
        for (first, second) in [(left, right), (right, left)] {
            for between in self.after(first, state) {
                for reached in self.skip(between, within) {
                    states.extend(self.after(second, reached));
                }
            }
        }
        states
    }

    /// A token may follow another only over a *join* gap, or over a *break* gap where the pattern allows it.
    fn may_go_on(&self, state: State) -> bool {
        let over_break = state.over_break;
        !state.begun
            || match self.turn.kinds[state.at] {
                GapKind::Join => true,
                GapKind::Break => over_break,
                GapKind::End => false,
            }
    }

    /// The states after consuming up to one of the ends, if the gap before lets us.
    fn consume(&self, state: State, ends: impl Fn(&Self) -> BTreeSet<usize>) -> States {
        if state.at >= self.turn.tokens.len() || !self.may_go_on(state) {
            return States::new();
        }
        ends(self).into_iter().map(|at| State { at, begun: true, over_break: false, ..state }).collect()
    }

    fn one_if(&self, state: State, test: impl Fn(&Self, usize) -> bool) -> BTreeSet<usize> {
        if test(self, state.at) { BTreeSet::from([state.at + 1]) } else { BTreeSet::new() }
    }

    /// The end of a phrase of a list file that begins at a token: its words one after the other, over *join* gaps.
    fn end_of(&self, phrase: &str, from: usize) -> Option<usize> {
        let mut at = from;
        for word in phrase.split(' ') {
            let joins = at == from || matches!(self.turn.kinds[at], GapKind::Join);
            if !joins || self.turn.tokens.get(at)?.lower != word {
                return None;
            }
            at += 1;
        }
        Some(at)
    }

    /// `..n..` skips 0 to n tokens.
    fn skip(&self, state: State, max: u8) -> States {
        let mut now = State { over_break: true, ..state };
        let mut states = States::from([now]);
        for _ in 0..max {
            if now.at >= self.turn.tokens.len() || !self.may_go_on(now) {
                break;
            }
            now.at += 1;
            states.insert(now);
        }
        states
    }

    fn sentence_ends_before(&self, token: usize) -> bool {
        self.turn.kinds[token] == GapKind::End
    }

    fn in_question(&self, token: usize) -> bool {
        self.turn.questions().iter().any(|sentence| sentence.contains(&token))
    }

    fn is_exactly(&self, word: &ExactWord, at: usize) -> bool {
        let token = &self.turn.tokens[at];
        *token.lower == *word.folded
            && Composed::new(&word.original).text == self.turn.original[token.place.clone()]
    }
}

fn stay_if(state: State, holds: bool) -> States {
    if holds { States::from([state]) } else { States::new() }
}

/// The tokens of a match whose edges are edges of tokens.
fn with_token_edges(turn: &Turn, place: &Range<usize>) -> Option<Range<usize>> {
    let s = turn.tokens.iter().position(|token| token.place.start == place.start)?;
    let e = turn.tokens.iter().rposition(|token| token.place.end == place.end)? + 1;
    Some(s..e)
}

/// Whether a folded, lower-case word passes a test, whatever its original form.
pub(crate) fn passes(test: &WordTest, lower: &str, language: &Language) -> bool {
    match test.kind {
        WordKind::Equal => *lower == *test.folded,
        WordKind::Prefix => lower.starts_with(&*test.folded),
        WordKind::Inflection => *language.stem(lower) == *test.folded,
        WordKind::Misspelt => one_edit_at_most(lower, &test.folded),
    }
}

/// Whether the words are equal, or one is the other with a character left out, replaced, or swapped with its neighbour.
fn one_edit_at_most(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let without = |word: &[char], at: usize| [&word[..at], &word[at + 1..]].concat();
    let swapped =
        |word: &[char], at: usize| [&word[..at], &[word[at + 1], word[at]], &word[at + 2..]].concat();
    let left_out = |long: &[char], short: &[char]| (0..long.len()).any(|at| without(long, at) == short);
    let replaced = a.len() == b.len() && (0..a.len()).any(|at| without(&a, at) == without(&b, at));
    a == b
        || left_out(&a, &b)
        || left_out(&b, &a)
        || replaced
        || (1..a.len()).any(|at| swapped(&a, at - 1) == b)
}

/// The pattern and everything inside it.
pub(crate) fn parts(pattern: &Pattern) -> Vec<&Pattern> {
    let mut all = vec![pattern];
    match pattern {
        Pattern::Sequence(inner) | Pattern::Either(inner) => all.extend(inner.iter().flat_map(parts)),
        Pattern::Optional(inner) | Pattern::Capture(inner) => all.extend(parts(inner)),
        Pattern::Near { left, right, .. } => {
            all.extend(parts(left));
            all.extend(parts(right));
        }
        _ => {}
    }
    all
}
