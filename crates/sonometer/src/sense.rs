//! Sensing: interaction in, reading out.

use crate::counts::Counts;
use crate::error::Error;
use crate::evidence::readings::{self, Desk, Manner};
use crate::evidence::window::{self, Joined};
use crate::evidence::{Candidate, Findings, Scene, Setting, condition};
use crate::fidelity;
use crate::ics::Ics;
use crate::interaction::{Interaction, Turn};
use crate::mask::{By, Cover, MaskKey, Masked, Masker, Names};
use crate::matcher::{Count, Hit, Piece, TurnText};
use crate::protocol::{Mask, Modality, Protocol, Sgm};
use crate::reading::Reading;
use crate::resonance::{self, Sums};
use crate::score;
use crate::sensor::{Plan, Sensor};
use crate::text::compose::{Ways, compose};
use crate::unit::Unit;
use crate::weak;
use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

/// What a deployment sets around sensing; nothing here changes what is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenseOptions {
    /// The price of one ICS in US dollars.
    pub usd_per_ics: Unit,
    /// Senses whatever the fidelity is (self tests of single lines).
    pub ignore_fidelity: bool,
    /// How masked places are shown, in the place of what their markers say. What has no mask stays as it is.
    pub mask: Option<Mask>,
    /// The key of `keyed` masks.
    pub mask_key: Option<MaskKey>,
}

impl SenseOptions {
    /// The same for tools that have no key: where a marker asks for one, every mask shows the label.
    #[must_use]
    pub fn without_key(self, sensors: &[Sensor]) -> Self {
        let asks = sensors.iter().any(|sensor| self.keyed_marker(sensor.protocol()).is_some());
        Self { mask: if asks { Some(Mask::Label) } else { self.mask }, ..self }
    }

    /// How a marker with this mask is hidden.
    pub(crate) fn mask_of(&self, mask: Mask) -> Mask {
        self.mask.unwrap_or(mask)
    }

    /// An error if a mask asks for a key that is not there.
    pub(crate) fn check(&self, protocol: &Protocol) -> Result<(), Error> {
        let by = match (self.mask_key, self.mask, self.keyed_marker(protocol)) {
            (None, Some(Mask::Keyed), _) => "the mask `keyed`".to_owned(),
            (None, None, Some(label)) => format!("the mask `keyed` of `{label}` in `{}`", protocol.id),
            _ => return Ok(()),
        };
        let message = format!(
            "{by} needs a key; give one of 16 bytes or more, or ask for another mask, such as `label`"
        );
        Err(Error::invalid("mask_key", message))
    }

    /// A marker whose mask asks for a key that is not there.
    fn keyed_marker<'p>(&self, protocol: &'p Protocol) -> Option<&'p str> {
        let asks = |mask| self.mask_key.is_none() && self.mask_of(mask) == Mask::Keyed;
        let marker = protocol.markers.iter().find(|marker| marker.mask.is_some_and(asks));
        marker.map(|marker| marker.label.as_str())
    }
}

impl Sensor {
    /// Measures an interaction. Content that is insufficient gives a reading too: one that says so and reports nothing
    /// else (see [`crate::Fidelity`]).
    ///
    /// # Errors
    /// `invalid_request` if the protocol does not support the modality, or at `mask_key` if a mask asks for a key that is not there.
    pub fn sense(&self, interaction: &Interaction) -> Result<Reading, Error> {
        self.sense_with(interaction, SenseOptions::default())
    }

    /// As [`Sensor::sense`], with options.
    ///
    /// # Errors
    /// As [`Sensor::sense`].
    pub fn sense_with(&self, interaction: &Interaction, options: SenseOptions) -> Result<Reading, Error> {
        let plan = self.plan();
        check(plan, interaction.modality(), options)?;
        let search = search_all(&[plan], interaction).swap_remove(0);
        Ok(conclude(self, search, interaction, options))
    }

    /// Whether the content holds enough for a reliable reading; costs no ICS.
    ///
    /// # Errors
    /// As [`Sensor::sense`].
    pub fn fidelity(&self, interaction: &Interaction) -> Result<fidelity::Fidelity, Error> {
        check_modality(self.plan(), interaction.modality())?;
        let mut all = fidelity_of(std::slice::from_ref(self), interaction);
        // One for each sensor.
        Ok(all.remove(0))
    }
}

/// What several protocols find in an interaction, in its turns as they are when they are composed.
fn search_all(plans: &[&Plan], interaction: &Interaction) -> Vec<Search> {
    let composed = compose(interaction);
    let read = composed.as_ref().map_or(interaction, |(composed, _)| composed);
    let mut searches: Vec<Search> = plans.iter().map(|plan| Search::new(plan, read)).collect();
    at_desk(|desk| {
        for (turn, Turn { content, .. }) in read.turns().iter().enumerate() {
            readings::each_of(plans, Piece::whole(content), desk, |at, manner, text, hits| {
                searches[at].take(plans[at], turn, manner, text, hits);
            });
        }
        searches.iter_mut().zip(plans).for_each(|(search, plan)| search.finish(plan, read, desk));
    });
    if let Some((_, ways)) = composed {
        searches.iter_mut().for_each(|search| search.ways = ways.clone());
    }
    searches
}

/// The readings of several protocols of one interaction, whose turns are folded and cut into words once for all. Nothing is
/// measured unless the content is sufficient for each of them, and what one of them masks is masked in all.
pub(crate) fn sense_together<'k>(
    sensors: &[Sensor],
    interaction: &Interaction,
    options: SenseOptions,
    key: impl Fn(usize, u32) -> &'k str,
) -> Vec<Reading> {
    let plans: Vec<&Plan> = sensors.iter().map(Sensor::plan).collect();
    let searches = search_all(&plans, interaction);
    conclude_together(sensors, searches, interaction, options, key)
}

/// The readings of the last turn of a conversation by itself, with the turns before it as what it is said in reply to.
///
/// Everything is found and judged in the whole conversation, so that an echo, a companion or a number dictated over several
/// turns is seen. Then only what *ends* in the last turn is kept, and that is measured as if nothing else had been said:
/// words, turns, uses of a line, shares and fidelity are those of the last turn. What is not said has no place in any
/// turn, so absent markers stay silent. What is found counts whatever the fidelity is; the fidelity says how far to trust it.
pub(crate) fn sense_last(sensors: &[Sensor], interaction: &Interaction) -> Vec<Reading> {
    let plans: Vec<&Plan> = sensors.iter().map(Sensor::plan).collect();
    let mut searches = search_all(&plans, interaction);
    searches.iter_mut().zip(&plans).for_each(|(search, plan)| search.keep_last(plan));
    let options = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
    conclude_together(sensors, searches, interaction, options, |sensor, marker| {
        label(sensors, sensor, marker)
    })
}

fn label(sensors: &[Sensor], sensor: usize, marker: u32) -> &str {
    &sensors[sensor].protocol().markers[marker as usize].label
}

/// The reading of a finished search.
pub(crate) fn conclude(
    sensor: &Sensor,
    search: Search,
    interaction: &Interaction,
    options: SenseOptions,
) -> Reading {
    let fidelity = fidelity::measure(sensor.plan(), &search.setting);
    let is_measured = fidelity.sufficient || options.ignore_fidelity;
    let sensors = std::slice::from_ref(sensor);
    let searches = std::slice::from_ref(&search);
    let cover = cover(sensors, searches, interaction, options, |at, marker| label(sensors, at, marker));
    let mut reading = Reading::silent(sensor, interaction, fidelity, cover, options);
    if is_measured {
        measure(search, &mut reading, options);
    }
    reading
}

/// The readings of several finished searches of one interaction; `key` is what a marker of a protocol is called in them.
pub(crate) fn conclude_together<'k>(
    sensors: &[Sensor],
    searches: Vec<Search>,
    interaction: &Interaction,
    options: SenseOptions,
    key: impl Fn(usize, u32) -> &'k str,
) -> Vec<Reading> {
    let cover = cover(sensors, &searches, interaction, options, key);
    let silent = |(sensor, search): (&Sensor, &Search)| {
        let fidelity = fidelity::measure(sensor.plan(), &search.setting);
        Reading::silent(sensor, interaction, fidelity, cover.clone(), options)
    };
    let mut readings: Vec<Reading> = sensors.iter().zip(&searches).map(silent).collect();
    if options.ignore_fidelity || readings.iter().all(|reading| reading.fidelity.sufficient) {
        for (search, reading) in searches.into_iter().zip(&mut readings) {
            measure(search, reading, options);
        }
    }
    readings
}

/// How much an interaction holds for each of several protocols.
pub(crate) fn fidelity_of(sensors: &[Sensor], interaction: &Interaction) -> Vec<fidelity::Fidelity> {
    let plans: Vec<&Plan> = sensors.iter().map(Sensor::plan).collect();
    let settings = counted(&plans, interaction);
    plans.iter().zip(&settings).map(|(plan, setting)| fidelity::measure(plan, setting)).collect()
}

/// What the fidelity of an interaction is made of. Counted anew: a ledger is asked for rarely, and a reading stays small.
pub(crate) fn counts_of(sensor: &Sensor, interaction: &Interaction) -> Counts {
    let settings = counted(&[sensor.plan()], interaction);
    Counts::of(sensor.plan(), &settings[0])
}

/// The words of every turn, for each of several protocols.
fn counted(plans: &[&Plan], interaction: &Interaction) -> Vec<Setting> {
    let mut settings: Vec<Setting> = plans.iter().map(|plan| Setting::of(plan, interaction)).collect();
    let composed = compose(interaction);
    let read = composed.as_ref().map_or(interaction, |(composed, _)| composed);
    at_desk(|desk| {
        for (turn, Turn { content, .. }) in read.turns().iter().enumerate() {
            readings::count(plans, content, desk, |at, count| settings[at].turns[turn].count = count);
        }
    });
    settings
}

/// Whether an interaction can be sensed so.
pub(crate) fn check(plan: &Plan, modality: Modality, options: SenseOptions) -> Result<(), Error> {
    check_modality(plan, modality)?;
    // Most protocols mask nothing, and are not looked through for each message.
    if plan.has_masks || options.mask.is_some() { options.check(&plan.protocol) } else { Ok(()) }
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
    /// All places are in composed turns; these lead back.
    pub(crate) ways: Ways,
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
        let Self { setting, findings, spans, .. } = self;
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
        cover: Option<Arc<Cover>>,
        options: SenseOptions,
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
            cover,
            fidelity,
            measured: false,
            turn_words: Vec::new(),
            rests: Vec::new(),
            ics: Ics::of(0, options.usd_per_ics),
        }
    }
}

fn measure(search: Search, reading: &mut Reading, options: SenseOptions) {
    let Search { setting, findings, ways, .. } = search;
    let sensor = reading.sensor.clone();
    let plan = sensor.plan();
    reading.candidates = findings.candidates;
    reading.joined = findings.joined;
    reading.ways = ways;
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
    reading.evidence = evidence(reading);
    reading.near_misses = near_misses(plan, reading, &all_sums);
    let triggered = reading.resonances.iter().filter(|(_, r)| r.triggered).count();
    reading.ics = Ics::of(triggered, options.usd_per_ics);
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
fn evidence(reading: &Reading) -> Vec<Candidate> {
    // Mostly all of them.
    let mut evidence = Vec::with_capacity(reading.candidates.len());
    let mut triggered = reading.resonances.iter().filter(|(_, found)| found.triggered).peekable();
    for candidate in &reading.candidates {
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
fn near_misses(plan: &Plan, reading: &Reading, sums: &[Sums]) -> Vec<weak::Near> {
    let mut found = Vec::new();
    let mut first = 0;
    for ((marker, resonance), sums) in reading.resonances.iter().zip(sums) {
        let own = &reading.candidates[first..];
        let own = &own[..own.iter().take_while(|c| c.marker == *marker).count()];
        if !resonance.triggered {
            found.extend(weak::near_miss(plan, *marker, sums, own, first));
        }
        first += own.len();
    }
    found
}
