//! Finding: all matches of all rules in one turn, sorted by rule and place, so that judging needs no order of its own.

mod alike;
mod capture;
mod known;
mod memo;
pub(crate) mod open;
mod passed;
mod piece;
mod reader;
mod run;
mod shout;
mod step;
mod tally;
#[cfg(test)]
mod tests;
mod tries;
pub(crate) mod turn;

#[cfg(feature = "perf")]
use crate::order;
use crate::protocol::phrase::Class;
use crate::sensor::compile::{Anchored, Body};
use crate::sensor::program::{Key, Program};
use crate::sensor::{Owner, Plan, Taking};
use crate::text::gap::GapKind;
use crate::text::vocabulary::role;
pub(crate) use alike::reads_alike;
use memo::Memo;
pub(crate) use piece::{Disguise, Piece};
use run::{Run, Runner};
use std::ops::Range;
use step::{Point, each_of_lists};
pub(crate) use tally::Count;
use tries::Tries;
pub(crate) use turn::{Held, Spare, TurnText, count_all};

/// A match of one rule over tokens of a turn.
//
// Everything is `u32`. An interaction holds at most 2^26 bytes (`MAX_CONTENT_BYTES`). Composing makes at most three bytes of one
// (UAX #15), folding at most eleven (U+FDFA, 3 bytes, folds to 33), so folded text has fewer than 2^26 * 33 < 2^32 bytes, and
// a token at least one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hit {
    pub(crate) rule: u32,
    /// First token.
    pub(crate) first: u32,
    /// One past the last token. Equal to `first` only for a regular expression that matched between tokens.
    pub(crate) last: u32,
    /// The bytes of the folded text that these tokens cover; 0 and 0 of a regular expression, which has bytes of its own. Noted when it is
    /// found, beside its tokens: once hits are sorted by rule, each look at a token of a long text is a wait for memory.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Of a rule that is a regular expression: the place of the match in [`TurnText::regex_matches`]; else 0. Several such
    /// matches can lie on the same tokens.
    pub(crate) regex_match: u32,
}

impl Hit {
    /// A match over tokens, not none.
    #[inline]
    fn over(turn: &TurnText<'_>, rule: u32, first: u32, last: u32) -> Self {
        let (start, end) = (turn.tokens[first as usize].start, turn.tokens[last as usize - 1].end);
        Self { rule, first, last, start, end, regex_match: 0 }
    }

    /// Tokens and nothing else, for those who ask what stands around them.
    pub(crate) fn of_tokens(tokens: Range<usize>) -> Self {
        let (first, last) = (tokens.start as u32, tokens.end as u32);
        Self { rule: 0, first, last, start: 0, end: 0, regex_match: 0 }
    }
}

/// Working memory of [`Matcher::find`], kept from turn to turn.
#[derive(Default)]
pub(crate) struct Matcher {
    runner: Runner,
    tries: Tries,
    memo: Memo,
    /// (rule, start) of what `runner` gave up, for `memo`.
    long: Vec<(u32, u32)>,
    hits: Vec<Hit>,
    #[cfg(feature = "perf")]
    spare: order::Spare,
}

impl Matcher {
    /// About the bytes held on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        #[cfg(feature = "perf")]
        let spare = self.spare.heap_bytes();
        #[cfg(not(feature = "perf"))]
        let spare = 0;
        self.hits.capacity() * size_of::<Hit>()
            + spare
            + self.tries.heap_bytes()
            + self.memo.heap_bytes()
            + self.long.capacity() * size_of::<(u32, u32)>()
    }

    /// All matches in a turn, sorted by rule, then place; those of one rule as its [`Taking`] says.
    #[cfg_attr(small_build, optimize(speed))]
    pub(crate) fn find(&mut self, plan: &Plan, turn: &TurnText<'_>) -> &[Hit] {
        let mut hits = std::mem::take(&mut self.hits);
        hits.clear();
        self.tries.begin_pass();
        let leads = &turn.leads[turn.leads.partition_point(|at| (*at as usize) < turn.from)..];
        for &at in leads {
            walk_phrases(plan, turn, at as usize, &mut hits);
            let word = turn.tokens[at as usize].word();
            let roles = plan.vocabulary.roles(word);
            if roles & role::ANCHOR != 0 {
                self.anchor(plan, turn, plan.anchors.at(Key::Word(word)), at);
            }
            if roles & role::LIST != 0 {
                each_of_lists(plan, turn, at as usize, |lists, _| {
                    for list in lists {
                        self.anchor(plan, turn, plan.anchors.at(Key::List(*list)), at);
                    }
                });
            }
        }
        if plan.has_programs {
            self.find_programs(plan, turn, &mut hits);
        }
        find_whole_lines(plan, turn, &mut hits);
        #[cfg(feature = "perf")]
        order::by_number(
            &mut hits,
            &mut self.spare,
            plan.rules.len(),
            |hit| hit.rule as usize,
            |hit| (hit.first, std::cmp::Reverse(hit.last), hit.regex_match),
        );
        take(plan, &mut hits);
        self.hits = hits;
        &self.hits
    }

    #[cfg_attr(small_build, optimize(speed))]
    fn find_programs(&mut self, plan: &Plan, turn: &TurnText<'_>, hits: &mut Vec<Hit>) {
        // Tests, classes and expressions have anchors of their own, each sorted by token: `Tries::not_before` relies on that, and
        // a pass may hold only anchors that come from left to right.
        self.tries.begin_pass();
        for &(at, test) in turn.passed.all() {
            self.anchor(plan, turn, plan.anchors.at(Key::Test(test)), at);
        }
        let mut class = None;
        for occurrence in &turn.occurrences {
            // Sorted by class before place, so each class begins at the left again.
            if class.replace(occurrence.class) != Some(occurrence.class) {
                self.tries.begin_pass();
            }
            self.anchor(plan, turn, plan.anchors.at(Key::class(occurrence.class)), occurrence.first);
        }
        let matched = turn.regex_matches.iter().enumerate().filter(|(_, matches)| !matches.is_empty());
        for (regex, matches) in matched {
            let anchored = plan.anchors.at(Key::Regex(regex as u32));
            if !anchored.is_empty() {
                self.tries.begin_pass();
                for found in matches {
                    self.anchor(plan, turn, anchored, turn.tokens_over_own(found).start as u32);
                }
            }
        }
        for &rule in &plan.everywhere {
            self.tries.note(rule, 0..turn.tokens.len() as u32);
        }
        let Self { runner, tries, long, .. } = self;
        tries.visit(plan.rules.len(), turn.tokens.len(), |rule, at| {
            let rule_at = &plan.rules[rule as usize];
            let Body::Program(program) = &rule_at.body else { return };
            // An anchor behind `from` can have starts before it, which a guard has looked at already.
            if (at as usize) < turn.from {
                return;
            }
            match runner.run(plan, turn, program, at as usize) {
                Run::Match(last) => note(plan, turn, rule, false, at..last as u32, hits),
                Run::Wide(last) => note(plan, turn, rule, true, at..last as u32, hits),
                Run::Unknown => long.push((rule, at)),
                Run::Nothing => {}
            }
        });
        if !self.long.is_empty() {
            self.find_long(plan, turn, hits);
        }
    }

    /// Finds what takes many steps, rule by rule, so that each point of a program is worked on once for all its starts.
    #[inline(never)]
    fn find_long(&mut self, plan: &Plan, turn: &TurnText<'_>, hits: &mut Vec<Hit>) {
        let Self { memo, long, .. } = self;
        // By rule, as the memory serves one program at a time. No two are equal (`Tries` visits each once), so that an unstable
        // sort gives one order.
        long.sort_unstable();
        for of_rule in long.chunk_by(|a, b| a.0 == b.0) {
            let rule = of_rule[0].0;
            let Body::Program(program) = &plan.rules[rule as usize].body else { continue };
            let mut find = |starts: &[(u32, u32)], wide: bool| -> Vec<(u32, u32)> {
                memo.clear();
                let mut left = Vec::new();
                for &(_, first) in starts {
                    match memo.longest(plan, turn, program, wide, Point::first(program, first as usize)) {
                        Some(last) => note(plan, turn, rule, wide, first..last as u32, hits),
                        None => left.push((rule, first)),
                    }
                }
                left
            };
            // Only where the line itself does not match from a start can it be nearly missed there.
            let left = find(of_rule, false);
            if plan.rules[rule as usize].wide.is_some() {
                find(&left, true);
            }
        }
        long.clear();
    }

    /// Notes the starts from which a rule could reach its anchor at token `at`.
    #[cfg_attr(small_build, optimize(speed))]
    fn anchor(&mut self, plan: &Plan, turn: &TurnText<'_>, anchored: &[Anchored], at: u32) {
        for rule in anchored {
            let Some(nearest) = at.checked_sub(rule.min) else { continue };
            let mut first = at.saturating_sub(rule.max);
            // With one start for each anchor, starts differ as anchors do; only with several can they repeat.
            if rule.max > rule.min {
                first = self.tries.not_before(rule.rule, first, nearest + 1);
            }
            let starts = first..=nearest;
            let Body::Program(program) = &plan.rules[rule.rule as usize].body else { continue };
            // A regular expression can match behind the last token, where no match begins.
            let begins =
                |start: &u32| turn.tokens.get(*start as usize).is_some_and(|t| program.may_begin(t.word()));
            self.tries.note(rule.rule, starts.filter(begins));
        }
    }
}

/// Notes a match of a program for its rule and for every twin; `wide`: it is one with the gap widened.
fn note(plan: &Plan, turn: &TurnText<'_>, rule: u32, wide: bool, tokens: Range<u32>, hits: &mut Vec<Hit>) {
    let found = &plan.rules[rule as usize];
    for rule in std::iter::once(rule).chain(found.twins.iter().copied()) {
        let rule = if wide { plan.rules[rule as usize].wide } else { Some(rule) };
        hits.extend(rule.map(|rule| Hit::over(turn, rule, tokens.start, tokens.end)));
    }
}

/// The phrases that begin at token `first`, the shorter ones too: they may be of other rules.
#[inline]
fn walk_phrases(plan: &Plan, turn: &TurnText<'_>, first: usize, hits: &mut Vec<Hit>) {
    let mut push = |node: u32, last: usize| {
        for &rule in plan.phrases.rules_at(node) {
            hits.push(Hit::over(turn, rule, first as u32, last as u32));
        }
    };
    let mut node = plan.phrases.root(turn.tokens[first].word());
    if node == 0 {
        return;
    }
    push(node, first + 1);
    for (at, token) in turn.tokens.iter().enumerate().skip(first + 1) {
        if token.gap() != GapKind::Join || token.word() == 0 {
            return;
        }
        node = plan.phrases.step(node, token.word());
        if node == 0 {
            return;
        }
        push(node, at + 1);
    }
}

/// Rules that are a `<question>` or a `/re/` and nothing else.
fn find_whole_lines(plan: &Plan, turn: &TurnText<'_>, hits: &mut Vec<Hit>) {
    for &rule in &plan.question_lines {
        let mut first = 0;
        while first < turn.tokens.len() {
            let last = turn.sentence(first).end;
            if turn.is_question(first) {
                hits.push(Hit::over(turn, rule, first as u32, last as u32));
            }
            first = last;
        }
    }
    if turn.regex_matches.is_empty() {
        return;
    }
    for &(rule, regex) in &plan.regex_lines {
        for (at, found) in (0..).zip(turn.matches_of(regex)) {
            let tokens = turn.tokens_over_own(found);
            let (first, last) = (tokens.start as u32, tokens.end as u32);
            hits.push(Hit { rule, first, last, start: 0, end: 0, regex_match: at });
        }
    }
}

/// Keeps of each rule what it takes: the longest at each start, and unless it takes all of these, from left to right
/// those that do not overlap one taken before.
#[cfg_attr(small_build, optimize(speed))]
fn take(plan: &Plan, hits: &mut Vec<Hit>) {
    // The longest first of those at one start, as it is the one that counts. The key is all of a hit, so an unstable sort
    // gives one order.
    hits.sort_unstable_by_key(|h| (h.rule, h.first, std::cmp::Reverse(h.last), h.regex_match));
    let mut before: Option<Hit> = None;
    hits.retain(|hit| {
        let keep = match before {
            Some(b) if b.rule == hit.rule => match plan.rules[hit.rule as usize].taking {
                // `b` is the last one kept, so this is leftmost, longest, not overlapping.
                Taking::Apart => hit.first >= b.last,
                Taking::EveryStart => hit.first != b.first,
                Taking::All => true,
            },
            _ => true,
        };
        if keep {
            before = Some(*hit);
        }
        keep
    });
}

/// The program that found a match, and whether it was that of the pattern with its gap widened.
fn program_of<'p>(plan: &'p Plan, hit: &Hit) -> Option<(&'p Program, bool)> {
    let body = |rule: u32| plan.rules.get(rule as usize).map(|rule| &rule.body);
    let program = |rule: u32| {
        let first = match body(rule)? {
            Body::Twin(first) => body(*first)?,
            own => own,
        };
        if let Body::Program(program) = first { Some(&**program) } else { None }
    };
    match plan.rules[hit.rule as usize].owner {
        // The rule of a line stands directly before that of the line widened.
        Owner::Wide { .. } => Some((program(hit.rule.checked_sub(1)?)?, true)),
        _ => Some((program(hit.rule)?, false)),
    }
}

/// The bytes of the original turn that a match covers.
pub(crate) fn extent(plan: &Plan, turn: &TurnText<'_>, hit: &Hit) -> Range<usize> {
    match &plan.rules[hit.rule as usize].body {
        Body::Regex(regex) => turn.original_of(turn.matches_of(*regex)[hit.regex_match as usize].clone()),
        _ => {
            let classes = program_of(plan, hit).map_or(&[][..], |(program, _)| &program.classes);
            over(turn, classes, hit)
        }
    }
}

/// The place of a match, in bytes of the original turn: what its braces hold, or its group `place`; `extent`, all that it
/// covers, where it has none.
pub(crate) fn place(plan: &Plan, turn: &TurnText<'_>, hit: &Hit, extent: &Range<usize>) -> Range<usize> {
    if let Body::Regex(regex) = &plan.rules[hit.rule as usize].body {
        let places = turn.regex_places.get(*regex as usize);
        let place = places.and_then(|places| places.get(hit.regex_match as usize));
        return place.map_or_else(|| extent.clone(), |place| turn.original_of(place.clone()));
    }
    match program_of(plan, hit) {
        Some((program, wide)) if program.captures => {
            let tokens = capture::captured(plan, turn, program, hit, wide);
            over(turn, &program.classes, &Hit::over(turn, hit.rule, tokens.start, tokens.end))
        }
        _ => extent.clone(),
    }
}

/// The bytes of the original turn that the tokens of a hit cover, widened to the edges of the occurrences of these classes that begin with
/// the first or end with the last. No regular expression comes here.
fn over(turn: &TurnText<'_>, classes: &[Class], hit: &Hit) -> Range<usize> {
    let Hit { first, last, mut start, mut end, .. } = *hit;
    for class in classes {
        for o in turn.occurrences_within(*class, first, last) {
            if o.first == first {
                start = start.min(o.start);
            }
            if o.last == last {
                end = end.max(o.end);
            }
        }
    }
    turn.original_range(start as usize, end as usize)
}
