//! Relations: what stands before and after a candidate, what it echoes, and for whom it counts when it is negated.

use super::companions::Companions;
use super::layout::Layouts;
use super::window::Joined;
use super::{Candidate, Findings, Said, Setting, condition, lack};
use crate::names;
use crate::protocol::{Echo, Reach};
use crate::sensor::Plan;
use crate::unit::Unit;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Judges the relations of all candidates and adds those that flip.
pub(super) fn settle(plan: &Plan, setting: &Setting, findings: &mut Findings) {
    let Findings { candidates, joined, said, layouts, .. } = findings;
    let mut companions = Companions::default();
    companions.add(plan, setting, said);
    Scene::new(plan, setting, joined, layouts, Cow::Owned(companions)).judge(candidates);
}

/// The interaction with everything that relations look at.
pub(super) struct Scene<'s> {
    plan: &'s Plan,
    setting: &'s Setting,
    joined: &'s Joined,
    layouts: &'s Layouts,
    /// What companions matched, said by those who can say it.
    companions: Cow<'s, Companions>,
    /// (marker, turn) -> the words that can be echoed there, the content words of the other side, sorted. Worked out once for all
    /// candidates of the turn.
    heard: BTreeMap<(u32, u32), Vec<&'s str>>,
    /// By companion: by turn, whether it stands in another turn before it, and after it, within its seconds. `None`: not asked yet.
    seconds: Vec<Option<(Vec<bool>, Vec<bool>)>>,
}

/// On which side of a candidate its companion must stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    Behind,
}

impl<'s> Scene<'s> {
    pub(super) fn new(
        plan: &'s Plan,
        setting: &'s Setting,
        joined: &'s Joined,
        layouts: &'s Layouts,
        companions: Cow<'s, Companions>,
    ) -> Self {
        let (heard, seconds) = Default::default();
        Self { plan, setting, joined, layouts, companions, heard, seconds }
    }

    /// Judges the relations of candidates and adds those that flip.
    pub(super) fn judge(&mut self, candidates: &mut Vec<Candidate>) {
        // Without relations that name markers no verdict depends on another one, and candidates can be taken in any order.
        if self.plan.order.is_empty() {
            let mut flipped = Vec::new();
            for candidate in candidates.iter_mut() {
                candidate.failed |= self.companions_missing(candidate.marker, candidate);
                flipped.extend(self.flip(candidate));
            }
            candidates.append(&mut flipped);
        } else {
            self.judge_in_order(candidates);
        }
        for candidate in candidates.iter_mut().filter(|c| c.failed == 0 && c.strength > Unit::ZERO) {
            self.set_strength(candidate);
        }
    }

    /// The same where relations name markers: each is judged when all that decide about its matches are.
    fn judge_in_order(&mut self, candidates: &mut Vec<Candidate>) {
        let plan = self.plan;
        // Of each marker its own candidates, then those that are flipped to it.
        let mut of: Vec<Vec<Candidate>> = vec![Vec::new(); plan.markers.len()];
        candidates.drain(..).for_each(|candidate| of[candidate.marker as usize].push(candidate));
        let mut is_judged = vec![false; plan.markers.len()];
        for &marker in &plan.order {
            let sources = plan.flips_from(marker);
            for &own in std::iter::once(&marker).chain(&sources) {
                if !std::mem::replace(&mut is_judged[own as usize], true) {
                    for candidate in &mut of[own as usize] {
                        candidate.failed |= self.companions_missing(own, candidate);
                    }
                }
            }
            for from in sources {
                // Flipped ones of that marker are not flipped again.
                let own = of[from as usize].iter().filter(|candidate| plan.is_own(candidate));
                let flipped: Vec<Candidate> = own.filter_map(|candidate| self.flip(candidate)).collect();
                of[marker as usize].extend(flipped);
            }
            let companions = self.companions.to_mut();
            tell(plan, self.setting, self.joined, companions, marker, of[marker as usize].iter());
        }
        // Last, since clocks are started by what counts, and nothing counts by a clock.
        for marker in 0..plan.markers.len() {
            let started = self.start_clock(marker as u32, &of);
            of[marker].extend(started);
        }
        candidates.extend(of.into_iter().flatten());
    }

    /// The candidates of an absent marker that the counted matches of the markers of its `when` are.
    fn start_clock(&self, marker: u32, of: &[Vec<Candidate>]) -> Vec<Candidate> {
        let plan = self.plan;
        let own = &plan.protocol.markers[marker as usize];
        let marker_plan = &plan.markers[marker as usize];
        let line = (own.lines.len() + own.side_lines().len()) as u32;
        let counted = marker_plan.started_by.iter().flat_map(|by| &of[*by as usize]);
        let counted = counted.filter(|candidate| plan.counts(candidate)).map(|candidate| {
            let heard = self.setting.is_by(candidate.turn as usize, &marker_plan.side_by);
            let failed = if heard { 0 } else { condition::ROLE };
            Candidate { marker, line, failed, strength: Unit::ZERO, lacks: 0, fails_flipped: 0, ..*candidate }
        });
        counted.collect()
    }

    /// The conditions `after` and `before` of a marker that a candidate fails.
    fn companions_missing(&mut self, marker: u32, candidate: &Candidate) -> u8 {
        let (after, before) = {
            let marker_plan = &self.plan.markers[marker as usize];
            (marker_plan.after, marker_plan.before)
        };
        let mut missing = 0;
        if after.is_some_and(|companion| !self.is_near(companion, candidate, Side::Before)) {
            missing |= condition::AFTER;
        }
        if before.is_some_and(|companion| !self.is_near(companion, candidate, Side::Behind)) {
            missing |= condition::BEFORE;
        }
        missing
    }

    /// The candidate of another marker that a negated one is, if nothing but negation speaks against it.
    fn flip(&mut self, candidate: &Candidate) -> Option<Candidate> {
        let (marker, first_line) = self.plan.markers[candidate.marker as usize].flips_to?;
        if candidate.failed != condition::NEGATED {
            return None;
        }
        let line = first_line + candidate.line;
        let mut flipped =
            Candidate { marker, line, failed: candidate.fails_flipped, fails_flipped: 0, ..*candidate };
        flipped.failed |= self.companions_missing(marker, &flipped);
        Some(flipped)
    }

    /// What `echo` and `pair` make of the strength.
    fn set_strength(&mut self, candidate: &mut Candidate) {
        let plan = self.plan;
        let marker = &plan.protocol.markers[candidate.marker as usize];
        if let Some(echo) = &marker.echo
            && !self.echoes(echo, candidate)
        {
            candidate.lacks |= lack::ECHO;
        }
        let pair = plan.markers[candidate.marker as usize].pair;
        if pair.is_some_and(|companion| !self.is_near(companion, candidate, Side::Behind)) {
            candidate.lacks |= lack::PAIR;
        }
        candidate.strength = strength(plan, candidate, candidate.lacks);
    }

    /// Whether the companion stands on that side of a candidate, within reach.
    fn is_near(&mut self, companion: u32, candidate: &Candidate, side: Side) -> bool {
        let within = self.plan.companions[companion as usize].within;
        // Of a match over several turns, the first stretch has something before it and the last something behind it.
        let last = self.joined.further(candidate).last().filter(|_| side == Side::Behind);
        let (turn, start, end) = match last {
            Some(last) => (last.turn, last.start, last.end),
            None => (candidate.turn, candidate.start, candidate.end),
        };
        let own = self.companions.of(companion);
        // The nearest in the same turn; bytes decide there which comes first. `own` is sorted by start, `by_end` by end.
        let nearest_here = match side {
            Side::Before => {
                let by_end = self.companions.of_by_end(companion);
                let behind = by_end.partition_point(|said| (said.turn, said.end) <= (turn, start));
                behind.checked_sub(1).map(|at| &by_end[at])
            }
            Side::Behind => own.get(own.partition_point(|said| (said.turn, said.start) < (turn, end))),
        };
        let nearest_here = nearest_here.filter(|said| said.turn == turn);
        match within {
            Reach::Turns(most) => {
                let distance = match side {
                    Side::Before => {
                        let before = own[..own.partition_point(|said| said.turn < turn)].last();
                        nearest_here.or(before).map(|said| turn - said.turn)
                    }
                    Side::Behind => {
                        let behind = own.get(own.partition_point(|said| said.turn <= turn));
                        nearest_here.or(behind).map(|said| said.turn - turn)
                    }
                };
                distance.is_some_and(|turns| turns <= most)
            }
            Reach::Seconds(most) => {
                let timed = self.setting.turns[turn as usize].timestamp.is_some();
                timed && (nearest_here.is_some() || self.is_within_seconds(companion, most, turn, side))
            }
            // The nearest by bytes is the nearest by words and sentences, too.
            Reach::Words(most) | Reach::Sentences(most) => nearest_here.is_some_and(|said| {
                let own_spot = self.layouts.spot(turn, start, end);
                let its_spot = self.layouts.spot(turn, said.start, said.end);
                let (first, second) = match side {
                    Side::Before => (its_spot, own_spot),
                    Side::Behind => (own_spot, its_spot),
                };
                let distance = match within {
                    Reach::Words(_) => first.words_before(&second),
                    _ => first.sentences_before(&second),
                };
                distance <= most as usize
            }),
        }
    }

    /// Whether a companion stands in another turn on that side, at most so many seconds away. Times need not be in
    /// order, so this is worked out once for all turns.
    fn is_within_seconds(&mut self, companion: u32, most: Unit, turn: u32, side: Side) -> bool {
        let (setting, own) = (self.setting, self.companions.of(companion));
        let (before, behind) = names::at(&mut self.seconds, companion).get_or_insert_with(|| {
            let mut has = vec![false; setting.turns.len()];
            own.iter().for_each(|said| has[said.turn as usize] = true);
            let order: Vec<usize> = (0..has.len()).collect();
            let backwards: Vec<usize> = order.iter().rev().copied().collect();
            (near_in_time(setting, &has, most, &order), near_in_time(setting, &has, most, &backwards))
        });
        match side {
            Side::Before => before[turn as usize],
            Side::Behind => behind[turn as usize],
        }
    }

    /// Whether the sentence of a candidate reuses enough of what the other side has said.
    fn echoes(&mut self, echo: &Echo, candidate: &Candidate) -> bool {
        let (plan, setting, layouts) = (self.plan, self.setting, self.layouts);
        let companions = &self.companions;
        let heard = self.heard.entry((candidate.marker, candidate.turn)).or_insert_with(|| {
            let of = &plan.markers[candidate.marker as usize].echo_of;
            let turns = candidate.turn.saturating_sub(echo.within)..candidate.turn;
            let mut words: Vec<&str> = match plan.markers[candidate.marker as usize].echo {
                None => {
                    let theirs = turns.filter(|turn| setting.is_by(*turn as usize, of));
                    theirs.flat_map(|turn| layouts.words_of_turn(turn)).collect()
                }
                Some(companion) => {
                    let said = companions.of(companion).iter().filter(|said| turns.contains(&said.turn));
                    said.flat_map(|said| {
                        let sentence = layouts.spot(said.turn, said.start, said.end).sentence();
                        layouts.words_of_sentence(said.turn, sentence)
                    })
                    .collect()
                }
            };
            words.sort_unstable();
            words.dedup();
            words
        });
        // Most sentences need not be looked at: too little was said before them.
        if heard.len() < echo.words as usize {
            return false;
        }
        let sentence = layouts.spot(candidate.turn, candidate.start, candidate.end).sentence();
        let own = layouts.words_of_sentence(candidate.turn, sentence);
        own.iter().filter(|word| heard.binary_search(word).is_ok()).count() >= echo.words as usize
    }
}

/// Adds those of a marker's candidates that count to the companions that name the marker.
pub(super) fn tell<'c>(
    plan: &Plan,
    setting: &Setting,
    joined: &Joined,
    companions: &mut Companions,
    marker: u32,
    candidates: impl Iterator<Item = &'c Candidate> + Clone,
) {
    for (number, companion) in (0..).zip(&plan.companions) {
        if !companion.markers.contains(&marker) {
            continue;
        }
        let counted = candidates.clone().filter(|candidate| plan.counts(candidate));
        let said = counted.map(|candidate| {
            // Of a match over several turns, the last stretch ends before something, and the first begins behind it.
            let last = joined.further(candidate).last().filter(|_| companion.is_before);
            let (turn, start, end) = match last {
                Some(last) => (last.turn, last.start, last.end),
                None => (candidate.turn, candidate.start, candidate.end),
            };
            Said { companion: number, turn, start, end }
        });
        companions.add_marker(number, said.filter(|said| setting.is_by(said.turn as usize, &companion.by)));
    }
}

/// By turn: whether one of the turns that come earlier in `order` and have it, is at most so many seconds away.
fn near_in_time(setting: &Setting, has: &[bool], most: Unit, order: &[usize]) -> Vec<bool> {
    // Times need not follow the turns, so the turns gone through so far are kept by time: one search for each turn.
    let mut times: BTreeSet<i64> = BTreeSet::new();
    let mut near = vec![false; has.len()];
    for &turn in order {
        let Some(time) = setting.turns[turn].timestamp else { continue };
        let within = time.0.saturating_sub(most.0)..=time.0.saturating_add(most.0);
        near[turn] = times.range(within).next().is_some();
        if has[turn] {
            times.insert(time.0);
        }
    }
    near
}

/// The strength of a candidate of an echoing or paired marker that lacks these things.
pub(crate) fn strength(plan: &Plan, candidate: &Candidate, lacks: u8) -> Unit {
    let marker = &plan.protocol.markers[candidate.marker as usize];
    let mut strength = plan.line(candidate.marker, candidate.line).strength;
    if let Some(echo) = &marker.echo {
        strength = match lacks & lack::ECHO {
            0 => (strength + echo.boost).clamp_to_one(),
            _ => strength.times(echo.otherwise),
        };
    }
    match marker.pair.as_ref().filter(|_| lacks & lack::PAIR != 0) {
        Some(pair) => strength.times(pair.otherwise),
        None => strength,
    }
}
