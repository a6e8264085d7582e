//! What one protocol can tell of an interaction that still comes in.

use crate::evidence::pending::{Front, Judged, Pending};
use crate::evidence::search::Search;
use crate::evidence::{Candidate, Setting, condition};
use crate::mask::By;
use crate::measure::Stretch;
use crate::measure::resonance::{self, Counted, Resonance, Sums};
use crate::names;
use crate::sensor::Plan;
use crate::unit::Unit;
use std::collections::BTreeMap;

/// Up to this many waiting candidates are judged again with each sentence. More of them are judged again when candidates and turns have
/// grown by an eighth, so each costs about nine verdicts, however many wait. Judged with each turn, 25,000 candidates that wait for the end would
/// cost 25,000² / 2 = 312 million.
const EACH_TIME: usize = 1_024;

#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    pending: Pending,
    /// The candidates that wait, with their verdicts of the last look: where many wait, it is some turns ago.
    judged: Vec<Judged>,
    /// How many candidates and turns there were at the last look.
    seen: usize,
    /// The place that it gave.
    edge: (u32, u32),
    /// How often each line of each marker has counted.
    uses: BTreeMap<(u32, u32), u32>,
    /// By marker.
    meters: Vec<Meter>,
}

/// The evidence of one marker so far.
#[derive(Clone, Copy, Debug, Default)]
struct Meter {
    contributions: Unit,
    /// How many turns have a positive contribution, and the last of them: contributions come in the order of turns, so comparing
    /// with the last counts each turn once.
    turns_with: u64,
    last_turn: Option<u32>,
    counted: Counted,
    has_changed: bool,
    told: Unit,
    /// Whether what it adds to its marker is certain to be evidence: the marker has triggered, and can only rise.
    is_certain: bool,
}

/// A contribution that is evidence if its marker triggers.
#[derive(Debug)]
pub(super) struct Told {
    /// The number of its sensor.
    pub(super) sensor: usize,
    pub(super) candidate: Candidate,
    /// The places where it goes on and its text, where the whole is known.
    pub(super) whole: Option<(Vec<Stretch>, String)>,
}

/// What can no longer change.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// Contributions in the order of the text.
    pub(super) evidence: Vec<Told>,
    /// Masks, and the places that they are put over.
    pub(super) masks: Vec<(By, Candidate)>,
}

impl Settled {
    /// Puts evidence in the order of the text; of that at the same place, that of the first protocol first.
    pub(super) fn put_in_order(&mut self) {
        // Stable, and filled protocol by protocol.
        self.evidence.sort_by_key(|Told { candidate: c, .. }| (c.turn, c.start, c.end));
    }
}

impl Live {
    /// About the bytes held on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        self.pending.heap_bytes()
            + self.judged.capacity() * size_of::<Judged>()
            + self.uses.len() * size_of::<((u32, u32), u32)>()
            + self.meters.capacity() * size_of::<Meter>()
    }

    /// Judges what was found since the last time, up to a place (turn, byte), with what still waits. Gives the place from which on a verdict
    /// can still change. `lets_go`: a guard releases text before it has settled.
    pub(super) fn take_in(
        &mut self,
        plan: &Plan,
        search: &Search,
        front: Front,
        read_to: (u32, u32),
        lets_go: bool,
    ) -> (u32, u32) {
        let Search { setting, findings, .. } = search;
        let (seen, waiting) = (findings.candidates.len() + setting.turns.len(), self.judged.len());
        let is_soon = waiting > EACH_TIME && seen < self.seen + waiting / 8;
        // What has been read since stands behind the edge. A guard lets text go before that, so it needs the masks in it at once.
        if is_soon && !(lets_go && plan.has_masks) {
            return self.edge;
        }
        self.seen = seen;
        self.pending.take_in(plan, setting, findings);
        self.judged = self.pending.judge(plan, setting, findings, front);
        let open = self.judged.iter().filter(|judged| judged.is_open);
        let first = open.map(|judged| (judged.candidate.turn, judged.candidate.start)).min();
        // Windows are read when the interaction has ended (`Search::finish`), and what is found in them can stand in any turn.
        let waits_for_end = front.turns_follow && !plan.joins.is_empty();
        self.edge = if waits_for_end { (0, 0) } else { first.map_or(read_to, |first| first.min(read_to)) };
        self.edge
    }

    /// Where the first match begins that reaches over a place.
    pub(super) fn reaches_over(&self, (turn, byte): (u32, u32)) -> Option<(u32, u32)> {
        let over = |c: &Candidate| c.turn == turn && c.start < byte && byte < c.end;
        let starts = self.judged.iter().map(|judged| &judged.candidate).filter(|c| over(c));
        starts.map(|c| (c.turn, c.start)).min()
    }

    /// The masks of what waits for its verdict. They depend on no verdict but that on exclusions, which is known.
    pub(super) fn masks<'l>(
        &'l self,
        plan: &'l Plan,
        sensor: usize,
    ) -> impl Iterator<Item = (By, Candidate)> + 'l {
        let judged = if plan.has_masks { &*self.judged } else { &[] };
        let candidates = judged.iter().map(|judged| &judged.candidate);
        candidates.filter_map(move |candidate| Some((mask_of(plan, sensor, candidate)?, *candidate)))
    }

    /// Passes on what stands before a place, as the verdicts are.
    pub(super) fn settle(&mut self, plan: &Plan, sensor: usize, edge: (u32, u32), all: &mut Settled) {
        let mut done: Vec<Judged> = Vec::new();
        self.judged.retain(|judged| {
            let stays = (judged.candidate.turn, judged.candidate.start) >= edge;
            if !stays {
                done.push(*judged);
            }
            stays
        });
        self.pending.release(edge);
        // In the order of the text, as uses of a line are counted: what settled before stands before.
        done.sort_by_key(|j| {
            let c = &j.candidate;
            (c.turn, c.start, c.end, c.marker, c.line)
        });
        for Judged { mut candidate, is_overdue, .. } in done {
            let marker = &plan.protocol.markers[candidate.marker as usize];
            if let Some(by) = mask_of(plan, sensor, &candidate) {
                all.masks.push((by, candidate));
            }
            if candidate.failed != 0 {
                continue;
            }
            candidate.contribution = match marker.absence {
                Some(_) if is_overdue => Unit::ONE,
                Some(_) => Unit::ZERO,
                None => {
                    let uses = self.uses.entry((candidate.marker, candidate.line)).or_default();
                    *uses += 1;
                    let repeat = plan.markers[candidate.marker as usize].repeat;
                    resonance::contribution(repeat, candidate.strength, *uses - 1)
                }
            };
            self.measure(plan, &candidate);
            // More text can take back the evidence of any other marker, so nothing of it is reported before the end.
            if candidate.contribution > Unit::ZERO && plan.markers[candidate.marker as usize].only_rises {
                all.evidence.push(Told { sensor, candidate, whole: None });
            }
        }
    }

    fn measure(&mut self, plan: &Plan, candidate: &Candidate) {
        let meter = names::at(&mut self.meters, candidate.marker);
        meter.contributions = meter.contributions + candidate.contribution;
        meter.has_changed = true;
        if candidate.contribution > Unit::ZERO && meter.last_turn != Some(candidate.turn) {
            meter.last_turn = Some(candidate.turn);
            meter.turns_with += 1;
        }
        let marker = &plan.protocol.markers[candidate.marker as usize];
        if !meter.is_certain && plan.markers[candidate.marker as usize].only_rises {
            // What is overdue has triggered its marker; nothing else of an absent marker adds anything.
            meter.is_certain = match marker.absence {
                Some(_) => candidate.contribution > Unit::ZERO,
                // `only_rises` excludes `per` and `share`, so contributions alone decide.
                None => Sums::of(meter.contributions).resonance(marker, Unit::ZERO).triggered,
            };
        }
    }

    /// Whether the contributions to a marker are evidence, whatever follows.
    pub(super) fn is_certain(&self, marker: u32) -> bool {
        self.meters.get(marker as usize).is_some_and(|meter| meter.is_certain)
    }

    /// The markers (by number) whose resonance by the evidence so far has changed. Ratios, and markers with `scope`, are
    /// reported at the end.
    pub(super) fn changed_resonances(&mut self, plan: &Plan, setting: &Setting) -> Vec<(u32, Unit)> {
        let mut changed = Vec::new();
        for (number, meter) in (0..).zip(&mut self.meters) {
            let marker = &plan.protocol.markers[number as usize];
            if !std::mem::take(&mut meter.has_changed) || marker.ratio.is_some() || marker.scope.is_some() {
                continue;
            }
            let score = match marker.absence {
                Some(_) => meter.contributions.clamp_to_one(),
                None => {
                    let Meter { contributions, turns_with, counted, .. } = meter;
                    let sums =
                        Sums::so_far(plan, setting, number as usize, *contributions, *turns_with, counted);
                    sums.resonance(marker, Unit::ZERO).activation
                }
            };
            if score != meter.told {
                meter.told = score;
                changed.push((number, score));
            }
        }
        changed
    }

    /// The markers whose resonance at the end differs from the one reported last.
    pub(super) fn changes_at_end(&mut self, resonances: &[(u32, Resonance)]) -> Vec<(u32, Unit)> {
        let told = |marker: &u32| self.meters.get(*marker as usize).map_or(Unit::ZERO, |meter| meter.told);
        let now = resonances.iter().map(|(marker, resonance)| (*marker, resonance.activation));
        now.filter(|(marker, score)| told(marker) != *score).collect()
    }
}

/// Whether a mask lies over a candidate.
pub(super) fn is_masked(plan: &Plan, candidate: &Candidate) -> bool {
    let has_mask = plan.protocol.markers[candidate.marker as usize].mask.is_some();
    has_mask && candidate.failed & condition::EXCEPT == 0 && !plan.is_borrowed(candidate)
}

/// The mask over a candidate of the protocol with that number.
pub(super) fn mask_of(plan: &Plan, sensor: usize, candidate: &Candidate) -> Option<By> {
    let mask = plan.protocol.markers[candidate.marker as usize].mask?;
    is_masked(plan, candidate).then_some(By { mask, sensor, marker: candidate.marker })
}
