//! The part of a session that all targets share: what comes in is parted where it can be, and each piece is read once, as
//! soon as it is complete.

use super::crossing::Watch;
use super::frontier::{Cut, Frontier, Rules};
use super::live::{Live, Settled, Told};
use super::ruler::Ruler;
use super::step::{Event, Place, Released, Span, Step};
use super::utf8::Split;
use super::{Labels, SessionOptions};
use crate::error::{Error, ErrorCode};
use crate::evidence::pending::Front;
use crate::evidence::readings;
use crate::interaction::{Interaction, MAX_CONTENT_BYTES, Turn};
use crate::mask::{self, Masked};
use crate::matcher::Piece;
use crate::protocol::Modality;
use crate::sense::{Search, SenseOptions, at_desk, check_modality, conclude_together};
use crate::sensor::{Plan, Sensor};
use crate::unit::Unit;
use std::ops::Range;

/// A place that the regular expressions did not free is asked about again when so many bytes more have come in.
const ASK_AGAIN: usize = 64;
/// So many places wait at most; older ones are forgotten for newer ones.
const MOST_WAITING: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct Stream {
    sensors: Vec<Sensor>,
    labels: Labels,
    options: SessionOptions,
    rules: Rules,
    watches: Vec<Watch>,
    searches: Vec<Search>,
    lives: Vec<Live>,
    /// Text or transcript, once the first call has decided.
    modality: Option<Modality>,
    /// The turns that are complete.
    turns: Vec<Turn>,
    /// The rulers of all turns.
    rulers: Vec<Ruler>,
    open: Option<OpenTurn>,
    bytes: usize,
    has_ended: bool,
    settled_to: Place,
    /// Up to where everything has been told: turn and byte.
    told: (u32, u32),
    was_sufficient: Option<bool>,
}

/// The turn that comes in.
#[derive(Clone, Debug, Default)]
struct OpenTurn {
    role: Option<Box<str>>,
    timestamp: Option<Unit>,
    text: String,
    split: Split,
    frontier: Frontier,
    /// Where what has not been read for the patterns begins.
    rest: Cut,
    /// Places where it could be parted, as soon as no regular expression reaches over them.
    waiting: Vec<Cut>,
    /// The length of the text when that was asked last.
    asked_at: usize,
}

impl Stream {
    pub(super) fn new(sensors: Vec<Sensor>, labels: Labels, options: SessionOptions) -> Self {
        let plans = || sensors.iter().map(Sensor::plan);
        Self {
            rules: Rules::of(plans()),
            watches: plans().map(Watch::new).collect(),
            searches: plans().map(|_| Search::default()).collect(),
            lives: plans().map(|_| Live::default()).collect(),
            sensors,
            labels,
            options,
            modality: None,
            turns: Vec::new(),
            rulers: Vec::new(),
            open: None,
            bytes: 0,
            has_ended: false,
            settled_to: Place::default(),
            told: (0, 0),
            was_sufficient: None,
        }
    }

    pub(super) fn settled_to(&self) -> Place {
        self.settled_to
    }

    pub(super) fn sensors(&self) -> &[Sensor] {
        &self.sensors
    }

    pub(super) fn options(&self) -> SessionOptions {
        self.options
    }

    /// About the bytes it holds beside the text that came in and the evidence found in it.
    pub(super) fn working_bytes(&self) -> usize {
        let lives = self.lives.iter().map(Live::heap_bytes).sum::<usize>();
        size_of::<Self>() + size_of::<OpenTurn>() + lives
    }

    pub(super) fn push(&mut self, chunk: &[u8]) -> Result<Step, Error> {
        self.check_open()?;
        if self.modality.is_none() {
            self.check_modality(Modality::Text)?;
            self.begin(Modality::Text, None, None);
        }
        let Some(open) = &mut self.open else {
            let message = "no segment is open: begin one before its text";
            return Err(Error::invalid("segments", message));
        };
        let known = open.text.len() + open.split.len();
        let decoded = open.split.decode(chunk).map_err(|at| {
            let message = format!("byte {} of the content is not UTF-8", known + at);
            Error::invalid(place_of_content(self.modality, self.turns.len()), message)
        })?;
        let more = decoded.first.map_or(0, char::len_utf8) + decoded.rest.len();
        check_size(self.bytes + more)?;
        self.bytes += more;
        open.split = decoded.split;
        open.text.extend(decoded.first);
        open.text.push_str(decoded.rest);
        let is_cut = self.part();
        Ok(if is_cut { self.tell() } else { self.nothing_new() })
    }

    pub(super) fn begin_segment(&mut self, role: &str, timestamp: Option<Unit>) -> Result<Step, Error> {
        self.check_open()?;
        if self.modality == Some(Modality::Text) {
            let message = "a plain text has come in already: a session takes a text or segments, not both";
            return Err(Error::invalid("segments", message));
        }
        self.check_modality(Modality::Transcript)?;
        if role.trim().is_empty() {
            let next = self.turns.len() + usize::from(self.open.is_some());
            return Err(Error::invalid(format!("segments[{next}].role"), "every segment needs a role"));
        }
        self.check_complete()?;
        let had_turn = self.open.is_some();
        self.complete();
        self.begin(Modality::Transcript, Some(role.into()), timestamp);
        Ok(if had_turn { self.tell() } else { self.nothing_new() })
    }

    pub(super) fn push_segment(&mut self, segment: Turn) -> Result<Step, Error> {
        let Turn { role, content, timestamp } = segment;
        check_size(self.bytes + content.len())?;
        let mut step = self.begin_segment(role.as_deref().unwrap_or_default(), timestamp)?;
        if let Some(open) = &mut self.open {
            self.bytes += content.len();
            open.text = content.into_string();
        }
        self.complete();
        let Step { settled_to, events, released } = self.tell();
        step.settled_to = settled_to;
        step.events.extend(events);
        step.released.extend(released);
        Ok(step)
    }

    pub(super) fn end(&mut self) -> Result<Step, Error> {
        self.check_open()?;
        self.close()?;
        self.has_ended = true;
        let mut events = Vec::new();
        let ended = self.clone();
        let (sensors, searches, interaction) = ended.finish()?;
        // Whoever shows the text needs its masks whatever the fidelity is.
        let options = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
        let readings = conclude_together(&sensors, searches, &interaction, options);
        let mut all = Settled::default();
        for (at, reading) in readings.iter().enumerate() {
            let left = reading.evidence.iter().filter(|c| (c.turn, c.start) >= self.told);
            all.evidence.extend(left.map(|candidate| {
                let whole = (reading.joined_to(candidate), reading.source(candidate).into_owned());
                Told { sensor: at, candidate: *candidate, whole: Some(whole) }
            }));
            all.masks.extend(reading.masks.iter().filter(|m| self.is_left(m)).cloned());
        }
        all.put_in_order();
        let edge = (self.turns.len() as u32, 0);
        let released = self.released(edge, &all.masks);
        self.told = edge;
        self.settled_to = match self.modality {
            Some(Modality::Transcript) => Place { segment: self.turns.len(), offset: 0 },
            _ => Place { segment: 0, offset: self.offset(0, self.content(0).len()) },
        };
        events.extend(self.events(all));
        for (at, (live, reading)) in self.lives.iter_mut().zip(&readings).enumerate() {
            for (marker, score) in live.changes_at_end(&reading.resonances) {
                let metamarker = self.labels.key(&self.sensors, at, marker as usize).to_owned();
                events.push(Event::Resonance { metamarker, score });
            }
        }
        self.tell_fidelity(&mut events);
        Ok(Step { settled_to: self.settled_to, events, released })
    }

    /// Whether a mask has not been told.
    fn is_left(&self, masked: &Masked) -> bool {
        (masked.turn, masked.range.start as u32) >= self.told
    }

    /// Everything that came in, with all of it searched.
    pub(super) fn finish(mut self) -> Result<(Vec<Sensor>, Vec<Search>, Interaction), Error> {
        self.close()?;
        let interaction = match self.modality {
            Some(Modality::Transcript) => Interaction::transcript(self.turns)?,
            _ => Interaction::text_of(self.turns)?,
        };
        at_desk(|desk| {
            for (search, sensor) in self.searches.iter_mut().zip(&self.sensors) {
                search.finish(sensor.plan(), &interaction, desk);
            }
        });
        Ok((self.sensors, self.searches, interaction))
    }

    /// Reads what is left.
    fn close(&mut self) -> Result<(), Error> {
        if self.modality.is_none() {
            // Nothing is an empty text.
            self.check_modality(Modality::Text)?;
            self.begin(Modality::Text, None, None);
        }
        self.check_complete()?;
        self.complete();
        Ok(())
    }

    fn check_open(&self) -> Result<(), Error> {
        if self.has_ended {
            return Err(Error::invalid("", "the session has ended; begin another one"));
        }
        Ok(())
    }

    fn check_modality(&self, modality: Modality) -> Result<(), Error> {
        self.sensors.iter().try_for_each(|sensor| check_modality(sensor.plan(), modality))
    }

    /// An error if the turn that comes in ends within a character.
    fn check_complete(&self) -> Result<(), Error> {
        match &self.open {
            Some(open) if !open.split.is_empty() => {
                let message = format!(
                    "the content ends within a character: byte {} begins one that is not complete",
                    open.text.len()
                );
                Err(Error::invalid(place_of_content(self.modality, self.turns.len()), message))
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, modality: Modality, role: Option<Box<str>>, timestamp: Option<Unit>) {
        self.modality = Some(modality);
        for (search, sensor) in self.searches.iter_mut().zip(&self.sensors) {
            search.setting.begin_turn(sensor.plan(), role.as_deref(), timestamp);
        }
        self.watches.iter_mut().for_each(Watch::reset);
        self.rulers.push(Ruler::default());
        self.open = Some(OpenTurn { role, timestamp, ..OpenTurn::default() });
    }

    /// Reads the turn that comes in up to the last place where it can be parted. Whether there is a new one.
    fn part(&mut self) -> bool {
        let Some(open) = &mut self.open else { return false };
        let OpenTurn { text, frontier, rest, waiting, asked_at, .. } = open;
        let before = waiting.last().copied();
        frontier.advance(&self.rules, text, |cut| {
            if waiting.len() == MOST_WAITING {
                waiting.remove(0);
            }
            waiting.push(cut);
        });
        let is_new = waiting.last().copied() != before;
        if waiting.is_empty() || !is_new && text.len() < *asked_at + ASK_AGAIN {
            return false;
        }
        *asked_at = text.len();
        let known = &text[rest.gap..];
        let watches = &mut self.watches;
        let free = |cut: &&Cut| {
            let mut each = watches.iter_mut().zip(&self.sensors);
            each.all(|(watch, sensor)| watch.allows(sensor.plan(), known, rest.gap, cut.at))
        };
        let Some(cut) = waiting.iter().rev().find(free).copied() else { return false };
        waiting.retain(|other| other.at > cut.at);
        let piece = Piece {
            text: &text[rest.gap..cut.next],
            base: rest.gap,
            from: rest.at - rest.gap,
            to: cut.at - rest.gap,
            ahead: known,
            starts: rest.at == 0,
            ends: false,
        };
        self.rulers[self.turns.len()].advance(text, cut.at, self.options.unit);
        read(&self.sensors, &mut self.searches, self.turns.len(), piece);
        *rest = cut;
        true
    }

    /// Reads what is left of the turn that comes in.
    fn complete(&mut self) {
        let Some(OpenTurn { role, timestamp, text, rest, .. }) = self.open.take() else { return };
        let known = &text[rest.gap..];
        let piece = Piece {
            text: known,
            base: rest.gap,
            from: rest.at - rest.gap,
            to: known.len(),
            ahead: known,
            starts: rest.at == 0,
            ends: true,
        };
        self.rulers[self.turns.len()].advance(&text, text.len(), self.options.unit);
        read(&self.sensors, &mut self.searches, self.turns.len(), piece);
        self.turns.push(Turn { role, content: text.into(), timestamp });
    }

    /// The text of a turn as far as it came in.
    fn content(&self, turn: usize) -> &str {
        match self.turns.get(turn) {
            Some(turn) => &turn.content,
            None => self.open.as_ref().map_or("", |open| &open.text),
        }
    }

    fn nothing_new(&self) -> Step {
        Step { settled_to: self.settled_to, ..Step::default() }
    }

    /// Tells what can no longer change.
    fn tell(&mut self) -> Step {
        let front = Front {
            turn: self.turns.len() as u32,
            turns_follow: self.modality == Some(Modality::Transcript),
        };
        let mut edge = (front.turn, self.open.as_ref().map_or(0, |open| open.rest.at as u32));
        for ((live, search), sensor) in self.lives.iter_mut().zip(&self.searches).zip(&self.sensors) {
            edge = edge.min(live.take_in(sensor.plan(), search, front));
        }
        // What reaches over the edge takes it back: text before it is told with all that hides it.
        while let Some(earlier) = self.lives.iter().filter_map(|live| live.reaches_over(edge)).min() {
            edge = earlier;
        }
        let edge = edge.max(self.told);
        let mut all = Settled::default();
        for (at, (live, sensor)) in self.lives.iter_mut().zip(&self.sensors).enumerate() {
            live.settle(sensor.plan(), at, edge, &mut all);
        }
        all.put_in_order();
        let released = self.released(edge, &all.masks);
        self.told = edge;
        let (turn, byte) = (edge.0 as usize, edge.1 as usize);
        self.settled_to = Place { segment: turn, offset: self.offset(turn, byte) };
        let mut events = self.events(all);
        self.tell_resonances(&mut events);
        self.tell_fidelity(&mut events);
        Step { settled_to: self.settled_to, events, released }
    }

    /// The text from what has been told up to `edge`, as it may be shown.
    fn released(&self, edge: (u32, u32), masks: &[Masked]) -> Vec<Released> {
        let mut released = Vec::new();
        if !self.options.release {
            return released;
        }
        for turn in self.told.0..=edge.0.min((self.rulers.len() as u32).saturating_sub(1)) {
            let content = self.content(turn as usize);
            let from = if turn == self.told.0 { self.told.1 as usize } else { 0 };
            let to = if turn == edge.0 { edge.1 as usize } else { content.len() };
            if from < to {
                let own: Vec<Masked> = masks.iter().filter(|masked| masked.turn == turn).cloned().collect();
                let text = mask::show(content, from..to, &own).into_owned();
                released.push(Released { segment: turn as usize, text });
            }
        }
        released
    }

    fn offset(&self, turn: usize, byte: usize) -> usize {
        let ruler = self.rulers.get(turn);
        ruler.map_or(byte, |ruler| ruler.offset(self.content(turn), byte, self.options.unit))
    }

    /// Evidence and masks in the order of the text.
    fn events(&self, all: Settled) -> Vec<Event> {
        let Settled { evidence, masks } = all;
        let mut events = Vec::with_capacity(evidence.len() + masks.len());
        let mut left = masks.as_slice();
        for Told { sensor, candidate, whole } in evidence {
            let place = (candidate.turn, candidate.range().start);
            let before = left.iter().take_while(|m| (m.turn, m.range.start) <= place).count();
            let (now, later) = left.split_at(before);
            events.extend(now.iter().map(|masked| self.mask_event(masked)));
            left = later;
            let turn = candidate.turn as usize;
            let (joined, source) = whole.unwrap_or_else(|| {
                let own: Vec<Masked> = masks.iter().filter(|m| m.turn == candidate.turn).cloned().collect();
                let source = mask::show(self.content(turn), candidate.range(), &own);
                (Vec::new(), source.into_owned())
            });
            let Span { segment, start, end } = self.span(turn, candidate.range());
            events.push(Event::Evidence {
                metamarker: self.labels.key(&self.sensors, sensor, candidate.marker as usize).to_owned(),
                score: candidate.contribution.clamp_to_one(),
                source,
                segment,
                start,
                end,
                joined: joined.into_iter().map(|stretch| self.span(stretch.turn, stretch.range)).collect(),
            });
        }
        events.extend(left.iter().map(|masked| self.mask_event(masked)));
        events
    }

    fn mask_event(&self, masked: &Masked) -> Event {
        let turn = masked.turn as usize;
        let range = masked.range.clone();
        let shown = mask::show(self.content(turn), range.clone(), std::slice::from_ref(masked)).into_owned();
        let Span { segment, start, end } = self.span(turn, range);
        Event::Mask { segment, start, end, shown }
    }

    fn span(&self, turn: usize, range: Range<usize>) -> Span {
        let (start, end) = (self.offset(turn, range.start), self.offset(turn, range.end));
        Span { segment: turn, start, end }
    }

    fn tell_resonances(&mut self, events: &mut Vec<Event>) {
        for (at, (live, search)) in self.lives.iter_mut().zip(&self.searches).enumerate() {
            for (marker, score) in live.changed_resonances(self.sensors[at].plan(), &search.setting) {
                let metamarker = self.labels.key(&self.sensors, at, marker as usize).to_owned();
                events.push(Event::Resonance { metamarker, score });
            }
        }
    }

    fn tell_fidelity(&mut self, events: &mut Vec<Event>) {
        let parts = self.searches.iter().zip(&self.sensors);
        let parts = parts.map(|(search, sensor)| crate::fidelity::measure(sensor.plan(), &search.setting));
        let fidelity = crate::composition::together(parts);
        if self.was_sufficient != Some(fidelity.sufficient) {
            self.was_sufficient = Some(fidelity.sufficient);
            events.push(Event::Fidelity(fidelity));
        }
    }
}

/// Reads a piece for all patterns.
fn read(sensors: &[Sensor], searches: &mut [Search], turn: usize, piece: Piece<'_>) {
    let plans: Vec<&Plan> = sensors.iter().map(Sensor::plan).collect();
    at_desk(|desk| {
        readings::each_of(&plans, piece, desk, |at, manner, text, hits| {
            searches[at].take(plans[at], turn, manner, text, hits);
        });
    });
}

fn check_size(bytes: usize) -> Result<(), Error> {
    if bytes <= MAX_CONTENT_BYTES {
        return Ok(());
    }
    let message =
        format!("more than {MAX_CONTENT_BYTES} bytes of content; finish here and begin a new session");
    Err(Error::new(ErrorCode::PayloadTooLarge, "content", message))
}

/// Where the content stands in an interaction.
fn place_of_content(modality: Option<Modality>, turn: usize) -> String {
    match modality {
        Some(Modality::Transcript) => format!("segments[{turn}].content"),
        _ => "content".into(),
    }
}
