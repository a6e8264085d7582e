//! From what was found to what it comes to: contributions, activations, score, evidence, near misses, and what is masked.

use super::fidelity::{self, Fidelity};
use super::options::SenseOptions;
use super::resonance::{self, Sums};
use super::{Measured, score, weak};
use crate::evidence::search::Search;
use crate::evidence::window::Joined;
use crate::evidence::{Candidate, condition};
use crate::interaction::Interaction;
use crate::mask::{By, Cover, Masked, Masker, Names};
use crate::protocol::Sgm;
use crate::sensor::{Plan, Sensor};
use crate::text::compose::Ways;
use crate::unit::Unit;
use std::sync::Arc;

/// What each of several protocols measures, by its finished search of one interaction; `key` is what a marker of a protocol is
/// called. Nothing is measured unless the content is sufficient for each of them, and what one of them masks is masked in all.
pub(crate) fn conclude<'k>(
    sensors: &[Sensor],
    searches: Vec<Search>,
    interaction: &Interaction,
    options: SenseOptions,
    key: impl Fn(usize, u32) -> &'k str,
) -> Vec<Measured> {
    let cover = cover(sensors, &searches, interaction, options, key);
    let silent = |(sensor, search): (&Sensor, &Search)| {
        let fidelity = fidelity::measure(sensor.plan(), &search.setting);
        Measured::silent(sensor, interaction, fidelity, cover.clone())
    };
    let mut all: Vec<Measured> = sensors.iter().zip(&searches).map(silent).collect();
    if options.ignore_fidelity || all.iter().all(|measured| measured.fidelity.sufficient) {
        for ((sensor, search), measured) in sensors.iter().zip(searches).zip(&mut all) {
            measure(sensor.plan(), search, measured);
        }
    }
    all
}

impl Measured {
    /// What reports nothing.
    fn silent(
        sensor: &Sensor,
        interaction: &Interaction,
        fidelity: Fidelity,
        cover: Option<Arc<Cover>>,
    ) -> Self {
        Self {
            sensor: sensor.clone(),
            interaction: interaction.clone(),
            score: Unit::ZERO,
            resonances: Vec::new(),
            candidates: Vec::new(),
            joined: Joined::default(),
            ways: Ways::default(),
            evidence: Vec::new(),
            near_misses: Vec::new(),
            asked: Vec::new(),
            bases: Vec::new(),
            cover,
            fidelity,
            measured: false,
            turn_words: Vec::new(),
            rests: Vec::new(),
        }
    }
}

fn measure(plan: &Plan, search: Search, part: &mut Measured) {
    let Search { setting, findings, ways, .. } = search;
    part.candidates = findings.candidates;
    part.joined = findings.joined;
    part.ways = ways;
    part.measured = true;
    if plan.protocol.sgm >= Sgm::V1_5 {
        part.turn_words = setting.turns.iter().map(|turn| turn.count.words).collect();
    }
    // Markers without a candidate are silent unless they can stand alone; only the others are worked on. Both lists are in the order
    // of markers and are merged: a protocol has up to 2,000 markers, and most texts are about few of them.
    let mut rest = part.candidates.as_mut_slice();
    let mut biased = plan.always.iter().copied().peekable();
    let mut all_sums: Vec<Sums> = Vec::new();
    loop {
        let next = rest.first().map(|c| c.marker);
        let marker = match (next, biased.peek().copied()) {
            (None, None) => break,
            (Some(a), Some(b)) => a.min(b),
            (Some(only), None) | (None, Some(only)) => only,
        };
        biased.next_if_eq(&marker);
        // In a turn by itself nothing is ever due.
        if setting.only.is_some() && plan.protocol.markers[marker as usize].absence.is_some() {
            continue;
        }
        let count = rest.iter().take_while(|c| c.marker == marker).count();
        let (own, others) = rest.split_at_mut(count);
        let (resonance, sums) = match plan.protocol.markers[marker as usize].scope {
            None => resonance::measure(plan, &setting, marker as usize, own),
            Some(scope) => {
                let (resonance, sums, asked) =
                    resonance::measure_scoped(plan, &setting, marker as usize, scope, own);
                part.asked.push((marker, asked));
                (resonance, sums)
            }
        };
        let own = &plan.protocol.markers[marker as usize];
        if own.per.is_some() || own.share.is_some() {
            part.bases.push((marker, sums.basis()));
        }
        part.resonances.push((marker, resonance));
        all_sums.push(sums);
        rest = others;
    }
    if plan.protocol.sgm >= Sgm::V1_5 {
        let markers = part.resonances.iter().map(|(number, _)| &plan.protocol.markers[*number as usize]);
        part.rests = markers.zip(&all_sums).map(|(marker, sums)| sums.at_rest(marker)).collect();
    }
    for (marker, resonance) in &mut part.resonances {
        let number = *marker as usize;
        if let Some(ratio) = &plan.protocol.markers[number].ratio {
            let (own, basis) =
                resonance::measure_ratio(plan, &setting, number, ratio, (&part.candidates, &part.joined));
            *resonance = own;
            part.bases.push((*marker, basis));
        }
    }
    part.score = score::score(plan, &part.resonances);
    part.evidence = evidence(part);
    part.near_misses = near_misses(plan, part, &all_sums);
}

/// What the markers of all sensors with a mask hide, whatever the fidelity is: every candidate and near miss that is not
/// excepted. What somebody else said, or said negated, is no evidence and no less private. `None` if nothing is hidden.
fn cover<'k>(
    sensors: &[Sensor],
    searches: &[Search],
    interaction: &Interaction,
    options: SenseOptions,
    key: impl Fn(usize, u32) -> &'k str,
) -> Option<Arc<Cover>> {
    let mut masker = Masker::new(|turn| &*interaction.turns()[turn as usize].content);
    let mut masks: Vec<Masked> = Vec::new();
    let found = sensors.iter().zip(searches).enumerate().filter(|(_, (sensor, _))| sensor.plan().has_masks);
    for (at, (sensor, Search { findings, ways, .. })) in found {
        for candidate in findings.candidates.iter().filter(|c| c.failed & condition::EXCEPT == 0) {
            // What is private in a match that another marker lends is for that marker to say.
            if let Some(mask) = sensor.protocol().markers[candidate.marker as usize].mask
                && !sensor.plan().is_borrowed(candidate)
            {
                let by = By { mask: options.mask_of(mask), sensor: at, marker: candidate.marker };
                let place = findings.joined.place(candidate).map(|s| (s.turn, ways.back(s.turn, s.range())));
                masks.extend(masker.put(by, place));
            }
        }
    }
    if masks.is_empty() {
        return None;
    }
    Some(Arc::new(Cover::of(masks, options.mask_key.as_ref(), &mut Names::default(), key)))
}

/// What triggered markers have found, in the order of the text.
fn evidence(part: &Measured) -> Vec<Candidate> {
    // Mostly all of them.
    let mut evidence = Vec::with_capacity(part.candidates.len());
    let mut triggered = part.resonances.iter().filter(|(_, found)| found.triggered).peekable();
    for candidate in &part.candidates {
        while triggered.next_if(|(marker, _)| *marker < candidate.marker).is_some() {}
        let is_triggered = triggered.peek().is_some_and(|(marker, _)| *marker == candidate.marker);
        if is_triggered && candidate.contribution > Unit::ZERO {
            evidence.push(*candidate);
        }
    }
    // Stable, as the candidates are in order: of two at the same place the one with the earlier token stays first.
    evidence.sort_by_key(Candidate::in_text);
    evidence
}

/// What each marker that did not trigger missed most narrowly.
fn near_misses(plan: &Plan, part: &Measured, sums: &[Sums]) -> Vec<weak::Near> {
    let mut found = Vec::new();
    let mut first = 0;
    for ((marker, resonance), sums) in part.resonances.iter().zip(sums) {
        let own = &part.candidates[first..];
        let own = &own[..own.iter().take_while(|c| c.marker == *marker).count()];
        if !resonance.triggered {
            let asked = part.asked.iter().find(|(asked, _)| asked == marker).map(|(_, asked)| asked);
            found.extend(weak::near_miss(plan, *marker, (sums, asked), own, first));
        }
        first += own.len();
    }
    found
}
