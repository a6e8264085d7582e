//! What one protocol holds back of the turn that comes in: text from where something may have begun that decides about masks
//! and that what follows can still change.

use crate::class::{ClassSet, find_from, first_open, gives_way_to};
use crate::evidence::readings::{self, Manner};
use crate::evidence::search::at_desk;
use crate::evidence::{Candidate, Findings, Scene, Setting};
use crate::expression::Characters;
use crate::matcher::open::{Horizon, begins};
use crate::matcher::{Held, Hit, Matcher, TurnText, extent, place};
use crate::parting::{Blind, Known, LOOK_BACK, Ways};
use crate::sensor::{Owner, Plan};
use crate::session::live::is_masked;
use std::ops::Range;

/// The text before what is held back is forgotten when it is longer than this, in bytes: it is read again with each chunk, so
/// it must not grow with the turn.
const FORGET: usize = 72;
/// Text longer than this, in bytes, is read again only when it has grown by an eighth, so that all reading together costs at most about
/// nine times the text, however long a match stays open. Shorter text is read again with each chunk: that is what a guard is for.
const LONG: usize = 4_096;

/// The state of one turn. All places are bytes of it, composed.
#[derive(Clone, Debug, Default)]
pub(super) struct Holding {
    ways: Ways,
    /// The matches that are certain, each with the number of its expression. Those of one expression do not overlap, and come in the order of
    /// the text. What is no longer needed is removed, so there is mostly none.
    matches: Vec<(usize, Range<usize>)>,
    /// Where the text begins that is read again and again.
    from: usize,
    /// Where matches begin in it: none from before goes on there, nor does an occurrence of a class.
    base: usize,
    /// Where the first thing begins that what follows can still change.
    open: usize,
    /// Up to where the text may be shown, as far as this protocol is concerned.
    hold: usize,
    /// What is masked, begins before `hold` and has not been reported.
    masks: Vec<Candidate>,
    /// Shorter text is not worth another look.
    again: usize,
    /// Nothing can be said before the sentence ends.
    is_blind: bool,
    /// Something has changed but for the text.
    is_stale: bool,
}

impl Holding {
    pub(super) fn hold(&self) -> usize {
        self.hold
    }

    pub(super) fn masks(&self) -> &[Candidate] {
        &self.masks
    }

    /// Forgets the masks that have been reported.
    pub(super) fn forget_masks(&mut self, is_told: impl Fn(&Candidate) -> bool) {
        self.masks.retain(|candidate| !is_told(candidate));
    }

    /// The sentences of the turn before byte `at` have been read; the gap that parts them from the rest begins at `gap`.
    pub(super) fn restart(&mut self, gap: usize, at: usize) {
        if at > self.base {
            (self.from, self.base) = (gap, at);
            self.ways.restart(at);
            self.forget(at);
        }
        self.open = self.open.max(at);
        self.hold = self.hold.max(at);
        (self.again, self.is_blind, self.is_stale) = (0, false, true);
    }

    /// Reads on in the turn as far as it is known.
    pub(super) fn advance(&mut self, plan: &Plan, turn: u32, known: &str) {
        if self.is_blind || known.len() < self.again {
            return;
        }
        // Expressions first: they look at the whole turn and may be open from far before what is read again.
        let Self { ways, matches, .. } = self;
        let text = Known { text: known, base: 0 };
        let alive = match ways
            .follow(plan.reaches(), text, known.len(), &mut |at, found| matches.push((at, found)))
        {
            Ok(alive) => alive,
            Err(Blind) => {
                self.is_blind = true;
                return;
            }
        };
        let held = self.held(plan, known);
        at_desk(|desk| {
            readings::held(plan, held, desk, |text, matcher| {
                let open = self.from + first_uncertain(plan, text, alive - self.from, self.open - self.from);
                // As long as the first open thing stays where it is, nothing before it can be new.
                if open > self.open || self.is_stale {
                    self.is_stale = false;
                    self.open = open.max(self.open);
                    self.look(plan, turn, text, matcher);
                }
            });
        });
        let length = known.len() - self.from;
        self.again = if length > LONG { known.len() + length / 8 } else { 0 };
    }

    /// What is read again.
    fn held<'t>(&self, plan: &Plan, known: &'t str) -> Held<'t> {
        let none = || vec![Vec::new(); if self.matches.is_empty() { 0 } else { plan.regexes.len() }];
        let (mut regex_matches, mut regex_places) = (none(), none());
        let local = |range: &Range<usize>| range.start - self.from..range.end - self.from;
        for (at, whole) in &self.matches {
            regex_matches[*at].push(local(whole));
            let expression = &plan.regexes[*at];
            if expression.has_place() {
                let characters = Characters::seen_from(known, whole.start);
                let group = expression.place(known, whole, characters).filter(|group| !group.is_empty());
                regex_places[*at].push(group.as_ref().map_or_else(|| local(whole), local));
            }
        }
        Held {
            text: &known[self.from..],
            base: self.from,
            from: self.base - self.from,
            regex_matches,
            regex_places,
        }
    }

    /// Forgets the matches of expressions that end before a byte.
    fn forget(&mut self, before: usize) {
        self.matches.retain(|(_, found)| found.end > before);
    }

    /// Takes what is found before `open`, and moves on.
    fn look(&mut self, plan: &Plan, turn: u32, text: &TurnText<'_>, matcher: &mut Matcher) {
        let hits = matcher.find(plan, text);
        let candidates = candidates(plan, turn, text, hits);

        self.hold = self.open;
        // An exclusion may still come over what reaches beyond, and a longer match, or another mask over the same text.
        let open = self.open - self.from;
        for (extent, place) in hits.iter().filter_map(|hit| masked(plan, text, hit)) {
            if extent.start < open && open < extent.end {
                self.hold = self.hold.min(self.from + place.start);
            }
        }
        for candidate in &candidates {
            let Range { start, end } = candidate.range();
            if start < self.open && self.open < end {
                self.hold = self.hold.min(start);
            }
        }
        // What begins at the base or behind it has just been found again.
        self.masks.retain(|candidate| (candidate.start as usize) < self.base);
        let certain = candidates.iter().filter(|candidate| (candidate.start as usize) < self.hold);
        self.masks.extend(certain.filter(|candidate| is_masked(plan, candidate)).copied());
        self.move_on(plan, text, hits, &candidates);
    }

    /// Moves the base to where nothing that was found goes on, and forgets what stands far before it.
    fn move_on(&mut self, plan: &Plan, text: &TurnText<'_>, hits: &[Hit], candidates: &[Candidate]) {
        let mut found: Vec<Range<usize>> = hits.iter().map(|hit| extent(plan, text, hit)).collect();
        let from = self.from;
        found.extend(candidates.iter().map(|c| c.start as usize - from..c.end as usize - from));
        found.extend(occurrences(plan, text));
        found.extend(text.regex_matches.iter().flatten().cloned());
        // From right to left: where one takes the base back, those that begin behind it no longer matter, and those before it
        // are asked about the new base.
        found.sort_unstable_by_key(|range| std::cmp::Reverse(range.start));
        let mut base = self.open - from;
        for range in found {
            if range.start < base && base < range.end {
                base = range.start;
            }
        }
        self.base = self.base.max(from + base);
        self.forget(self.base);
        if base > FORGET {
            let start = |at: &usize| own_start(text, *at);
            let first = text.tokens.partition_point(|token| {
                text.own_range(token.start as usize, token.end as usize).start < base
            });
            // At a token, and far enough back for the scanners of classes.
            let kept = (0..first).rev().map(|at| start(&at)).find(|start| start + LOOK_BACK <= base);
            self.from += kept.unwrap_or(0);
        }
    }
}

/// What the hits of a turn come to; there are some without a hit too: numbers with a wrong check digit.
fn candidates(plan: &Plan, turn: u32, text: &TurnText<'_>, hits: &[Hit]) -> Vec<Candidate> {
    let mut setting = Setting::default();
    // Without a role and a time: the guard's plan has no condition that asks for them.
    setting.begin_turn(plan, None, None);
    let mut findings = Findings::default();
    let scene = Scene { turn: 0, window: None, manner: Manner::Written };
    findings.judge(plan, &setting, scene, text, hits);
    readings::settle(plan, &mut findings);
    let mut candidates = findings.candidates;
    candidates.iter_mut().for_each(|candidate| candidate.turn = turn);
    candidates
}

/// The extent and the place of a match that may be masked.
fn masked(plan: &Plan, text: &TurnText<'_>, hit: &Hit) -> Option<(Range<usize>, Range<usize>)> {
    match plan.rules[hit.rule as usize].owner {
        Owner::Line { .. } | Owner::Wide { .. } => {
            let extent = extent(plan, text, hit);
            let place = place(plan, text, hit, &extent);
            Some((extent, place))
        }
        _ => None,
    }
}

/// Where the first thing begins in a text that what follows can still change. Ways that begin in a token before byte `ruled_out`
/// have been followed to their end.
fn first_uncertain(plan: &Plan, text: &TurnText<'_>, alive: usize, ruled_out: usize) -> usize {
    let folded = text.folded.text();
    let mut horizon = Horizon::of(plan, text);
    let mut open = match text.tokens.get(horizon.tokens) {
        Some(_) => own_start(text, horizon.tokens),
        None => text.own.len(),
    };
    open = open.min(alive);
    let behind = |byte: usize| {
        text.tokens
            .partition_point(|token| text.own_range(token.start as usize, token.end as usize).end <= byte)
    };
    horizon.regexes = horizon.tokens.min(behind(alive));
    if !plan.classes.is_empty() || !plan.checked.is_empty() {
        let class = first_open(folded, text.from_byte, plan.classes, plan.checked, plan.class_words);
        if let Some(at) = class.map(|at| text.own_start(at)) {
            open = open.min(at);
            horizon.classes = horizon.tokens.min(behind(at));
        }
        // What a place begins with may stand in the gap before its first token (`$ 5`).
        let late = text.occurrences.iter().filter(|o| o.first as usize >= horizon.tokens);
        open = late.map(|o| text.own_range(o.start as usize, o.end as usize).start).fold(open, usize::min);
    }
    for first in text.from..horizon.tokens {
        let start = own_start(text, first);
        if start >= open {
            break;
        }
        // Where an earlier look has followed every way to its end, more text changes nothing.
        if start >= ruled_out && begins(plan, text, &horizon, first) {
            let own = text.occurrences.iter().filter(|o| o.first as usize == first);
            let own = own.map(|o| text.own_range(o.start as usize, o.end as usize).start);
            return own.fold(start, usize::min);
        }
    }
    open
}

/// What the classes that matter cover, those too that others give way to.
fn occurrences(plan: &Plan, text: &TurnText<'_>) -> Vec<Range<usize>> {
    let read =
        plan.classes.iter().fold(plan.classes, |read: ClassSet, class| read.union(gives_way_to(class)));
    let mut found = Vec::new();
    find_from(text.folded.text(), text.from_byte, read, plan.class_words, &mut found);
    found.iter().map(|o| text.own_range(o.start as usize, o.end as usize)).collect()
}

fn own_start(text: &TurnText<'_>, at: usize) -> usize {
    let token = text.tokens[at];
    text.own_range(token.start as usize, token.end as usize).start
}
