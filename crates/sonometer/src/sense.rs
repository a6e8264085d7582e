//! Sensing: interaction in, reading out.

use crate::error::Error;
use crate::evidence::readings::{self, Desk, Manner};
use crate::evidence::window::{self, Joined};
use crate::evidence::{Candidate, Findings, Scene, Setting, condition};
use crate::fidelity;
use crate::ics::Ics;
use crate::interaction::{Interaction, Turn};
use crate::mask::{self, Masked};
use crate::matcher::{Count, Hit, Piece, TurnText};
use crate::protocol::{Modality, Sgm};
use crate::reading::Reading;
use crate::resonance::{self, Sums};
use crate::score;
use crate::sensor::{Plan, Sensor};
use crate::unit::Unit;
use crate::weak;
use std::cell::Cell;
use std::ops::Range;

/// What a deployment sets around sensing; nothing here changes what is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenseOptions {
    /// The price of one ICS in US dollars.
    pub usd_per_ics: Unit,
    /// Senses whatever the fidelity is (self tests of single lines).
    pub ignore_fidelity: bool,
}

impl Sensor {
    /// Measures an interaction. Content that is insufficient gives a reading too: one that says so and reports nothing
    /// else (see [`crate::Fidelity`]).
    ///
    /// # Errors
    /// `invalid_request` if the protocol does not support the modality.
    pub fn sense(&self, interaction: &Interaction) -> Result<Reading, Error> {
        self.sense_with(interaction, SenseOptions::default())
    }

    /// As [`Sensor::sense`], with options.
    ///
    /// # Errors
    /// As [`Sensor::sense`].
    pub fn sense_with(&self, interaction: &Interaction, options: SenseOptions) -> Result<Reading, Error> {
        let plan = self.plan();
        check_modality(plan, interaction.modality())?;
        let mut search = Search::new(plan, interaction);
        at_desk(|desk| {
            for (turn, Turn { content, .. }) in interaction.turns().iter().enumerate() {
                readings::each(plan, Piece::whole(content), desk, |manner, text, hits| {
                    search.take(plan, turn, manner, text, hits);
                });
            }
            search.finish(plan, interaction, desk);
        });
        Ok(conclude(self, search, interaction, options))
    }

    /// Whether the content holds enough for a reliable reading; costs no ICS.
    ///
    /// # Errors
    /// As [`Sensor::sense`].
    pub fn fidelity(&self, interaction: &Interaction) -> Result<fidelity::Fidelity, Error> {
        check_modality(self.plan(), interaction.modality())?;
        Ok(fidelity_of(std::slice::from_ref(self), interaction)[0])
    }
}

/// The readings of several protocols of one interaction, whose turns are folded and cut into words once for all. Nothing is
/// measured unless the content is sufficient for each of them, and what one of them masks is masked in all.
pub(crate) fn sense_together(
    sensors: &[Sensor],
    interaction: &Interaction,
    options: SenseOptions,
) -> Vec<Reading> {
    let plans: Vec<&Plan> = sensors.iter().map(Sensor::plan).collect();
    let mut searches: Vec<Search> = plans.iter().map(|plan| Search::new(plan, interaction)).collect();
    at_desk(|desk| {
        for (turn, Turn { content, .. }) in interaction.turns().iter().enumerate() {
            readings::each_of(&plans, Piece::whole(content), desk, |at, manner, text, hits| {
                searches[at].take(plans[at], turn, manner, text, hits);
            });
        }
        for (search, plan) in searches.iter_mut().zip(&plans) {
            search.finish(plan, interaction, desk);
        }
    });
    conclude_together(sensors, searches, interaction, options)
}

/// The readings of the last turn of a conversation by itself, with the turns before it as what it is said in reply to.
///
/// Everything is found and judged in the whole conversation, so that an echo, a companion or a number dictated over several
/// turns is seen. Then only what *ends* in the last turn is kept, and that is measured as if nothing else had been said:
/// words, turns, uses of a line, shares and fidelity are those of the last turn. What is not said has no place in any
/// turn, so absent markers stay silent. What is found counts whatever the fidelity is; the fidelity says how far to trust it.
pub(crate) fn sense_last(sensors: &[Sensor], interaction: &Interaction) -> Vec<Reading> {
    let plans: Vec<&Plan> = sensors.iter().map(Sensor::plan).collect();
    let mut searches: Vec<Search> = plans.iter().map(|plan| Search::new(plan, interaction)).collect();
    at_desk(|desk| {
        for (turn, Turn { content, .. }) in interaction.turns().iter().enumerate() {
            readings::each_of(&plans, Piece::whole(content), desk, |at, manner, text, hits| {
                searches[at].take(plans[at], turn, manner, text, hits);
            });
        }
        for (search, plan) in searches.iter_mut().zip(&plans) {
            search.finish(plan, interaction, desk);
            search.keep_last(plan);
        }
    });
    let options = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
    conclude_together(sensors, searches, interaction, options)
}

/// The reading of a finished search.
pub(crate) fn conclude(
    sensor: &Sensor,
    search: Search,
    interaction: &Interaction,
    options: SenseOptions,
) -> Reading {
    let fidelity = fidelity::measure(sensor.plan(), &search.setting);
    let mut reading = Reading::silent(sensor, interaction, fidelity, options);
    if fidelity.sufficient || options.ignore_fidelity {
        measure(search, &mut reading, options);
    }
    reading
}

/// The readings of several finished searches of one interaction.
pub(crate) fn conclude_together(
    sensors: &[Sensor],
    searches: Vec<Search>,
    interaction: &Interaction,
    options: SenseOptions,
) -> Vec<Reading> {
    let silent = |(sensor, search): (&Sensor, &Search)| {
        let fidelity = fidelity::measure(sensor.plan(), &search.setting);
        Reading::silent(sensor, interaction, fidelity, options)
    };
    let mut readings: Vec<Reading> = sensors.iter().zip(&searches).map(silent).collect();
    if options.ignore_fidelity || readings.iter().all(|reading| reading.fidelity.sufficient) {
        for (search, reading) in searches.into_iter().zip(&mut readings) {
            measure(search, reading, options);
        }
        let mut masks: Vec<Masked> = readings.iter().flat_map(|reading| reading.masks.clone()).collect();
        in_order(&mut masks);
        readings.iter_mut().for_each(|reading| reading.masks.clone_from(&masks));
    }
    readings
}

/// How much an interaction holds for each of several protocols.
pub(crate) fn fidelity_of(sensors: &[Sensor], interaction: &Interaction) -> Vec<fidelity::Fidelity> {
    let plans: Vec<&Plan> = sensors.iter().map(Sensor::plan).collect();
    let mut settings: Vec<Setting> = plans.iter().map(|plan| Setting::of(plan, interaction)).collect();
    at_desk(|desk| {
        for (turn, Turn { content, .. }) in interaction.turns().iter().enumerate() {
            readings::count(&plans, content, desk, |at, count| settings[at].turns[turn].count = count);
        }
    });
    plans.iter().zip(&settings).map(|(plan, setting)| fidelity::measure(plan, setting)).collect()
}

pub(crate) fn check_modality(plan: &Plan, modality: Modality) -> Result<(), Error> {
    if plan.protocol.modalities.contains(&modality) {
        return Ok(());
    }
    let names: Vec<&str> = plan.protocol.modalities.iter().map(|m| m.as_str()).collect();
    let message = format!(
        "the protocol `{}` reads {}, not {}",
        plan.protocol.id,
        names.join(" or "),
        modality.as_str()
    );
    Err(Error::invalid("interaction", message))
}

thread_local! {
    static DESK: Cell<Option<Box<Desk>>> = const { Cell::new(None) };
}

/// A thread keeps no more working memory than this, in bytes.
const MOST_KEPT: usize = 2 << 20;

/// Lends working memory. Each thread keeps its own from one interaction to the next, since short messages cost less than
/// the memory they need; what was there before shows in no reading.
pub(crate) fn at_desk<T>(work: impl FnOnce(&mut Desk) -> T) -> T {
    // A thread that ends has no desk any more: it works on a new one.
    let mut desk = DESK.try_with(Cell::take).ok().flatten().unwrap_or_default();
    let result = work(&mut desk);
    if desk.heap_bytes() <= MOST_KEPT {
        let _ = DESK.try_with(|kept| kept.set(Some(desk)));
    }
    result
}

/// What one protocol finds in an interaction, turn by turn, piece by piece.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    pub(crate) setting: Setting,
    pub(crate) findings: Findings,
    /// Where the tokens of each turn begin and end, for windows.
    spans: Vec<Range<usize>>,
}

impl Search {
    fn new(plan: &Plan, interaction: &Interaction) -> Self {
        Self { setting: Setting::of(plan, interaction), ..Self::default() }
    }

    /// Takes what was found in one reading of a turn or of the next piece of it.
    #[inline]
    pub(crate) fn take(
        &mut self,
        plan: &Plan,
        turn: usize,
        manner: Manner,
        text: &TurnText<'_>,
        hits: &[Hit],
    ) {
        if manner == Manner::Written {
            self.setting.turns[turn].count += text.count;
            if !plan.joins.is_empty() {
                self.note_span(turn, text);
            }
        }
        let scene = Scene { turn, window: None, manner };
        self.findings.judge(plan, &self.setting, scene, text, hits);
    }

    fn note_span(&mut self, turn: usize, text: &TurnText<'_>) {
        self.spans.resize(self.spans.len().max(turn + 1), 0..0);
        let (all, own) = (&mut self.spans[turn], text.span());
        if !own.is_empty() {
            let start = if all.start == all.end { text.base + own.start } else { all.start };
            *all = start..text.base + own.end;
        }
    }

    /// Looks at what goes over several turns; then all candidates stand by marker, line and place.
    pub(crate) fn finish(&mut self, plan: &Plan, interaction: &Interaction, desk: &mut Desk) {
        let Self { setting, findings, spans } = self;
        window::each(plan, interaction, setting, spans, |window, setting| {
            readings::each(plan, Piece::whole(&window.text), desk, |manner, text, hits| {
                let scene = Scene { turn: window.turn(), window: Some(window), manner };
                findings.judge(plan, setting, scene, text, hits);
            });
        });
        findings.settle(plan, setting);
    }

    /// Keeps what belongs to the last turn of a finished search; see [`sense_last`].
    fn keep_last(&mut self, plan: &Plan) {
        let Self { setting, findings, .. } = self;
        let last = setting.turns.len().saturating_sub(1);
        let Findings { candidates, joined, .. } = findings;
        candidates.retain(|candidate| {
            let ends = joined.further(candidate).last().map_or(candidate.turn, |stretch| stretch.turn);
            let is_absence = plan.protocol.markers[candidate.marker as usize].absence.is_some();
            ends as usize == last && !is_absence
        });
        setting.turns[..last].iter_mut().for_each(|turn| turn.count = Count::default());
        setting.only = Some(last);
    }
}

impl Reading {
    /// A reading that reports nothing.
    fn silent(
        sensor: &Sensor,
        interaction: &Interaction,
        fidelity: fidelity::Fidelity,
        options: SenseOptions,
    ) -> Self {
        Self {
            sensor: sensor.clone(),
            interaction: interaction.clone(),
            score: Unit::ZERO,
            resonances: Vec::new(),
            candidates: Vec::new(),
            joined: Joined::default(),
            evidence: Vec::new(),
            weak_signals: Vec::new(),
            masks: Vec::new(),
            fidelity,
            measured: false,
            turn_words: Vec::new(),
            rests: Vec::new(),
            ics: Ics::of(0, options.usd_per_ics),
        }
    }
}

fn measure(search: Search, reading: &mut Reading, options: SenseOptions) {
    let Search { setting, findings, .. } = search;
    let sensor = reading.sensor.clone();
    let plan = sensor.plan();
    reading.candidates = findings.candidates;
    reading.joined = findings.joined;
    reading.measured = true;
    if plan.protocol.sgm >= Sgm::V1_5 {
        reading.turn_words = setting.turns.iter().map(|turn| turn.count.words).collect();
    }
    // Markers without a candidate are silent unless their bias speaks; only the others are worked on.
    let mut rest = reading.candidates.as_mut_slice();
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
        let (resonance, sums) = resonance::measure(plan, &setting, marker as usize, own);
        reading.resonances.push((marker, resonance));
        all_sums.push(sums);
        rest = others;
    }
    if plan.protocol.sgm >= Sgm::V1_5 {
        let markers = reading.resonances.iter().map(|(number, _)| &plan.protocol.markers[*number as usize]);
        reading.rests = markers.zip(&all_sums).map(|(marker, sums)| sums.at_rest(marker)).collect();
    }
    for (marker, resonance) in &mut reading.resonances {
        let number = *marker as usize;
        if let Some(ratio) = &plan.protocol.markers[number].ratio {
            *resonance = resonance::measure_ratio(
                plan,
                &setting,
                number,
                ratio,
                (&reading.candidates, &reading.joined),
            );
        }
    }
    reading.score = score::score(plan, &reading.resonances);
    // Mostly all of them.
    reading.evidence.reserve_exact(reading.candidates.len());
    reading.evidence.extend(reading.candidates.iter().filter(|c| c.contribution > Unit::ZERO));
    reading.evidence.sort_by_key(|c| (c.turn, c.start, c.end, c.marker, c.line));
    reading.masks = masks(plan, reading);
    reading.weak_signals = weak_signals(plan, reading, &all_sums);
    let triggered = reading.resonances.iter().filter(|(_, r)| r.triggered).count();
    reading.ics = Ics::of(triggered, options.usd_per_ics);
}

/// What markers with a mask hide: every candidate and checksum near miss that is not excepted; by turn and place. What
/// somebody else said, or said negated, is no evidence and no less private.
fn masks(plan: &Plan, reading: &Reading) -> Vec<Masked> {
    if !plan.has_masks {
        return Vec::new();
    }
    let private = reading.candidates.iter().filter(|c| c.failed & condition::EXCEPT == 0);
    let mut masks: Vec<Masked> = Vec::new();
    for candidate in private {
        let Some(mask) = plan.protocol.markers[candidate.marker as usize].mask else { continue };
        let place = reading.joined.place(candidate).map(|stretch| (stretch.turn, stretch.range()));
        masks.extend(mask::over(mask, reading.interaction.turns(), place));
    }
    in_order(&mut masks);
    masks
}

/// By turn and place, each once.
fn in_order(masks: &mut Vec<Masked>) {
    masks.sort_by_key(|m| (m.turn, m.range.start, m.range.end));
    masks.dedup();
}

fn weak_signals(plan: &Plan, reading: &Reading, sums: &[Sums]) -> Vec<weak::WeakSignal> {
    let mut found = Vec::new();
    let mut rest = reading.candidates.as_slice();
    for ((marker, resonance), sums) in reading.resonances.iter().zip(sums) {
        let (own, others) = rest.split_at(rest.iter().take_while(|c| c.marker == *marker).count());
        rest = others;
        if !resonance.triggered {
            let said_by = |c: &Candidate| {
                reading.interaction.turns()[c.turn as usize].role.as_deref().map(str::to_owned)
            };
            found.extend(weak::of_marker(plan, *marker as usize, resonance, sums, own, said_by));
        }
    }
    found.sort_by_key(|weak| (std::cmp::Reverse(weak.proximity), weak.marker));
    found
}
