//! The part of a session that all targets share: what comes in is parted where it can be, and each piece is read once, as
//! soon as it is complete.

mod release;

use super::SessionOptions;
use super::guard::Guard;
use super::live::{Live, Settled, Told};
use super::ruler::Ruler;
use super::step::{Event, Place, Step};
use super::utf8::Split;
use crate::error::{Error, ErrorCode};
use crate::evidence::Candidate;
use crate::evidence::pending::Front;
use crate::evidence::readings;
use crate::evidence::search::{Search, at_desk};
use crate::instrument::Instrument;
use crate::interaction::{Interaction, MAX_CONTENT_BYTES, Turn, compose};
use crate::mask::{Cover, Names, OpenLetter};
use crate::matcher::{Disguise, Piece};
use crate::measure::SenseOptions;
use crate::measure::conclude::conclude;
use crate::measure::fidelity::{self, SoFar};
use crate::parting::{Classes, Cut, Frontier, Rules, Watch};
use crate::protocol::Modality;
use crate::sensor::{Plan, Sensor};
use crate::text::compose::{Composer, Way};
use crate::unit::Unit;
use std::ops::Range;

/// A place over which a regular expression may still reach is asked about again after this many bytes more: not with each chunk,
/// which may be a single byte, as each asking follows the open match from where it begins.
const ASK_AGAIN: usize = 64;
/// At most this many places wait; the oldest gives way to a new one. Later ones settle more text at once, and all are asked about
/// each time.
const MOST_WAITING: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct Stream {
    instrument: Instrument,
    options: SessionOptions,
    rules: Rules,
    watches: Vec<Watch>,
    searches: Vec<Search>,
    lives: Vec<Live>,
    fidelities: Vec<SoFar>,
    /// Text or transcript, once the first call has decided.
    modality: Option<Modality>,
    /// The turns that are complete.
    turns: Vec<Turn>,
    /// The ways back from their composed form, in which they were read. All places within turns are in composed text, but those that
    /// are reported.
    ways: Vec<Way>,
    /// The rulers of all turns.
    rulers: Vec<Ruler>,
    open: Option<OpenTurn>,
    bytes: usize,
    has_ended: bool,
    settled_to: Place,
    released_to: Place,
    /// Up to where everything has been reported: turn and byte.
    told: (u32, u32),
    /// The letter at the edge of what has settled, which may still get marks.
    letter: OpenLetter,
    /// Up to where masks have been reported and text released: turn and byte as it came in. Never behind `told`.
    released: (u32, usize),
    /// Releases text before it has settled; `None` unless asked for, and where masks are known with their sentences only.
    guard: Option<Guard>,
    /// What is evidence if its marker still triggers, in the order of the text.
    held: Vec<Held>,
    /// The names given to masked values so far, which later ones of the same value get too.
    names: Names,
    was_sufficient: Option<bool>,
}

/// An event that waits for its marker to trigger.
#[derive(Clone, Debug)]
struct Held {
    sensor: usize,
    marker: u32,
    event: Event,
}

/// The turn that comes in.
#[derive(Clone, Debug, Default)]
struct OpenTurn {
    role: Option<Box<str>>,
    timestamp: Option<Unit>,
    text: String,
    composer: Composer,
    split: Split,
    frontier: Frontier,
    /// Where what has not been read for the patterns begins.
    rest: Cut,
    /// By protocol: which of them classes leave alone.
    classes: Vec<Classes>,
    /// The end of a sentence that was found last.
    last: Cut,
    /// Places where it could be parted, as soon as no regular expression reaches over them.
    waiting: Vec<Cut>,
    /// The length of the text when that was asked last.
    asked_at: usize,
}

impl Stream {
    pub(super) fn new(instrument: Instrument, options: SessionOptions) -> Self {
        let plans = || instrument.sensors().iter().map(Sensor::plan);
        Self {
            rules: Rules::of(plans()),
            watches: plans().map(Watch::new).collect(),
            searches: plans().map(|_| Search::default()).collect(),
            lives: plans().map(|_| Live::default()).collect(),
            fidelities: plans().map(|_| SoFar::default()).collect(),
            guard: if options.release { Guard::of(instrument.sensors()) } else { None },
            instrument,
            options,
            modality: None,
            turns: Vec::new(),
            ways: Vec::new(),
            rulers: Vec::new(),
            open: None,
            bytes: 0,
            has_ended: false,
            settled_to: Place::default(),
            released_to: Place::default(),
            told: (0, 0),
            letter: OpenLetter::default(),
            released: (0, 0),
            held: Vec::new(),
            names: Names::default(),
            was_sufficient: None,
        }
    }

    pub(super) fn settled_to(&self) -> Place {
        self.settled_to
    }

    pub(super) fn released_to(&self) -> Place {
        self.released_to
    }

    pub(super) fn instrument(&self) -> &Instrument {
        &self.instrument
    }

    pub(super) fn options(&self) -> SessionOptions {
        self.options
    }

    /// About the bytes it holds beside the text that came in and the evidence found in it.
    pub(super) fn working_bytes(&self) -> usize {
        let lives = self.lives.iter().map(Live::heap_bytes).sum::<usize>();
        let watches = self.watches.iter().map(Watch::heap_bytes).sum::<usize>();
        size_of::<Self>() + size_of::<OpenTurn>() + lives + watches
    }

    pub(super) fn push(&mut self, chunk: &[u8]) -> Result<Step, Error> {
        self.check_open()?;
        if self.modality.is_none() {
            self.check_modality(Modality::Text)?;
            self.begin(Modality::Text, None, None);
        }
        let Some(open) = &mut self.open else {
            let message = "no segment is open; begin a segment before you push its text";
            return Err(Error::invalid("segments", message));
        };
        // Everything that can refuse the chunk comes before anything is kept: a refused chunk leaves the session unchanged.
        let known = open.text.len() + open.split.len();
        let decoded = open.split.decode(chunk).map_err(|at| {
            let message = format!("byte {} of the content is not UTF-8", known + at);
            Error::invalid(place_of_content(self.modality, self.turns.len()), message)
        })?;
        let more = decoded.first.map_or(0, char::len_utf8) + decoded.rest.len();
        check_size(self.bytes + more)?;
        self.bytes += more;
        open.split = decoded.split;
        if let Some(first) = decoded.first {
            open.text.push(first);
        }
        open.text.push_str(decoded.rest);
        // Verdicts are looked at only when a sentence has been read: between cuts nothing can have settled, and a chunk costs its
        // own length.
        let is_cut = self.part();
        let mut step = if is_cut { self.tell() } else { self.nothing_new() };
        self.let_go(&mut step);
        Ok(step)
    }

    pub(super) fn begin_segment(&mut self, role: &str, timestamp: Option<Unit>) -> Result<Step, Error> {
        self.check_open()?;
        if self.modality == Some(Modality::Text) {
            let message =
                "this session has already received plain text; a session takes a text or segments, not both";
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
        // The segment is complete at once, so it is read in one piece and never looked at for cuts.
        if let Some(open) = &mut self.open {
            self.bytes += content.len();
            open.text = content.into_string();
        }
        self.complete();
        let Step { settled_to, released_to, events, released } = self.tell();
        // Two steps in one: what the end of the segment before settled, then this segment.
        (step.settled_to, step.released_to) = (settled_to, released_to);
        step.events.extend(events);
        step.released.extend(released);
        Ok(step)
    }

    pub(super) fn skip(&self) -> Result<Step, Error> {
        self.check_open()?;
        Ok(self.nothing_new())
    }

    pub(super) fn end(&mut self) -> Result<Step, Error> {
        self.check_open()?;
        self.close()?;
        self.has_ended = true;
        let mut events = Vec::new();
        // `finish` takes the stream, and the session can still be asked for its reading.
        let ended = self.clone();
        let (instrument, searches, interaction) = ended.finish()?;
        // Masks are needed to show the text, regardless of the fidelity.
        let options = SenseOptions { ignore_fidelity: true, ..self.options.sense };
        let key = |sensor: usize, marker: u32| self.instrument.key(sensor, marker as usize);
        let readings = conclude(instrument.sensors(), searches, &interaction, options, key);
        // What was reported as certain is not reported again; all other evidence of the reading is what is left.
        let mut all = Settled::default();
        for (at, reading) in readings.iter().enumerate() {
            let is_told =
                |c: &Candidate| (c.turn, c.start) < self.told && self.lives[at].is_certain(c.marker);
            let left = reading.evidence.iter().filter(|c| !is_told(c));
            all.evidence.extend(left.map(|candidate| {
                let whole = (reading.joined_to(candidate), reading.source(candidate).into_owned());
                Told { sensor: at, candidate: *candidate, whole: Some(whole) }
            }));
        }
        all.put_in_order();
        self.held.clear();
        let cover = readings.first().map_or_else(Cover::default, |reading| reading.cover().clone());
        let edge = (self.turns.len() as u32, 0);
        let spans = self.spans_to_tell(&cover);
        let released = self.release(edge, &cover);
        self.told = edge;
        self.settled_to = match self.modality {
            Some(Modality::Transcript) => Place { segment: self.turns.len(), offset: 0 },
            _ => Place { segment: 0, offset: self.offset(0, self.content(0).len()) },
        };
        self.released_to = self.settled_to;
        let (own, masks) = (&cover, (&cover, &spans[..]));
        events.extend(self.events(all.evidence, own, masks));
        for (at, (live, reading)) in self.lives.iter_mut().zip(&readings).enumerate() {
            for (marker, score) in live.changes_at_end(&reading.resonances) {
                let metamarker = self.instrument.key(at, marker as usize).to_owned();
                events.push(Event::Resonance { metamarker, score });
            }
        }
        self.tell_fidelity(&mut events);
        Ok(Step { settled_to: self.settled_to, released_to: self.released_to, events, released })
    }

    /// Everything that came in, with all of it searched.
    pub(super) fn finish(mut self) -> Result<(Instrument, Vec<Search>, Interaction), Error> {
        self.close()?;
        let interaction = match self.modality {
            Some(Modality::Transcript) => Interaction::transcript(self.turns)?,
            _ => Interaction::text_of(self.turns)?,
        };
        let composed = compose(&interaction);
        let read = composed.as_ref().map_or(&interaction, |(composed, _)| composed);
        at_desk(|desk| {
            for (search, sensor) in self.searches.iter_mut().zip(self.instrument.sensors()) {
                search.finish(sensor.plan(), read, desk);
            }
        });
        if let Some((_, ways)) = composed {
            self.searches.iter_mut().for_each(|search| search.ways = ways.clone());
        }
        Ok((self.instrument, self.searches, interaction))
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
            return Err(Error::invalid("", "the session has ended; start a new one"));
        }
        Ok(())
    }

    fn check_modality(&self, modality: Modality) -> Result<(), Error> {
        let options = self.options.sense;
        self.instrument.sensors().iter().try_for_each(|sensor| options.check(sensor.plan(), modality))
    }

    /// An error if the turn that comes in ends within a character.
    fn check_complete(&self) -> Result<(), Error> {
        match &self.open {
            Some(open) if !open.split.is_empty() => {
                let message = format!(
                    "the content ends in the middle of a character: the one at byte {} is incomplete",
                    open.text.len()
                );
                Err(Error::invalid(place_of_content(self.modality, self.turns.len()), message))
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, modality: Modality, role: Option<Box<str>>, timestamp: Option<Unit>) {
        self.modality = Some(modality);
        for (search, sensor) in self.searches.iter_mut().zip(self.instrument.sensors()) {
            search.setting.begin_turn(sensor.plan(), role.as_deref(), timestamp);
        }
        self.watches.iter_mut().for_each(Watch::reset);
        if let Some(guard) = &mut self.guard {
            guard.begin_turn(self.instrument.sensors());
        }
        self.rulers.push(Ruler::default());
        let classes = vec![Classes::default(); self.instrument.sensors().len()];
        self.open = Some(OpenTurn { role, timestamp, classes, ..OpenTurn::default() });
    }

    /// Reads the turn that comes in up to the last place where it can be parted. Whether there is a new one.
    fn part(&mut self) -> bool {
        let Some(open) = &mut self.open else { return false };
        let OpenTurn { text: original, composer, frontier, rest, classes, last, waiting, asked_at, .. } =
            open;
        composer.advance(original, false);
        if self.watches.iter().any(Watch::has_given_up) {
            // It is read when it is complete, so nobody needs to know where it could be parted.
            return false;
        }
        let text = composer.text(original);
        let before = waiting.last().copied();
        let watches = &mut self.watches;
        frontier.advance(&self.rules, text, &mut |cut| {
            *last = cut;
            for (watch, sensor) in watches.iter_mut().zip(self.instrument.sensors()) {
                watch.note(sensor.plan(), text, cut);
            }
            // All protocols share the pieces, so each must allow the cut. `all` stops at the first that does not: the others are asked
            // about later places, which is enough.
            let mut each = classes.iter_mut().zip(self.instrument.sensors());
            if !each.all(|(classes, sensor)| classes.allow(sensor.plan(), text, rest.gap, cut.at)) {
                return;
            }
            if waiting.len() == MOST_WAITING {
                waiting.remove(0);
            }
            waiting.push(cut);
        });
        // Asked about: a new place at once, older ones after some more text.
        let is_new = waiting.last().copied() != before;
        if waiting.is_empty() || !is_new && text.len() < *asked_at + ASK_AGAIN {
            return false;
        }
        *asked_at = text.len();
        let known = &text[rest.gap..];
        let disguises: Vec<Disguise> = watches.iter().map(Watch::disguise).collect();
        let has_twin = watches.iter().any(Watch::has_twin);
        let piece = |cut: Cut| Piece {
            text: &text[rest.gap..cut.next],
            base: rest.gap,
            from: rest.at - rest.gap,
            to: cut.at - rest.gap,
            ahead: known,
            sure: &text[rest.gap..if has_twin { last.next } else { cut.next }],
            disguises: &disguises,
            starts: rest.at == 0,
            ends: false,
        };
        let free = |cut: &&Cut| {
            let mut each = watches.iter_mut().zip(self.instrument.sensors());
            each.all(|(watch, sensor)| watch.allows(sensor.plan(), piece(**cut), **cut))
        };
        // The last one that is free settles the most.
        let Some(cut) = waiting.iter().rev().find(free).copied() else { return false };
        waiting.retain(|other| other.at > cut.at);
        let piece = piece(cut);
        let read_to = composer.way().point(cut.at);
        self.rulers[self.turns.len()].advance(original, read_to, self.options.unit);
        read(self.instrument.sensors(), &mut self.searches, self.turns.len(), piece);
        watches.iter_mut().for_each(|watch| watch.parted(cut));
        *rest = cut;
        if let Some(guard) = &mut self.guard {
            guard.restart(self.instrument.sensors(), cut.gap, cut.at);
        }
        true
    }

    /// Reads what is left of the turn that comes in.
    fn complete(&mut self) {
        let Some(OpenTurn { role, timestamp, text, mut composer, rest, .. }) = self.open.take() else {
            return;
        };
        composer.advance(&text, true);
        let whole = composer.text(&text);
        let known = &whole[rest.gap..];
        let each = self.watches.iter().zip(self.instrument.sensors());
        let disguises: Vec<Disguise> =
            each.map(|(watch, sensor)| watch.disguise_at_end(sensor.plan(), whole, rest.gap)).collect();
        let piece = Piece {
            base: rest.gap,
            from: rest.at - rest.gap,
            disguises: &disguises,
            starts: rest.at == 0,
            ..Piece::whole(known)
        };
        self.rulers[self.turns.len()].advance(&text, text.len(), self.options.unit);
        read(self.instrument.sensors(), &mut self.searches, self.turns.len(), piece);
        self.ways.push(composer.into_way());
        self.turns.push(Turn { role, content: text.into(), timestamp });
    }

    /// The text of a turn as far as it came in.
    fn content(&self, turn: usize) -> &str {
        match self.turns.get(turn) {
            Some(turn) => &turn.content,
            None => self.open.as_ref().map_or("", |open| &open.text),
        }
    }

    /// The way back to the text of a turn from what was read.
    fn way(&self, turn: usize) -> &Way {
        const NONE: &Way = &Way::none();
        match self.ways.get(turn) {
            Some(way) => way,
            None => self.open.as_ref().map_or(NONE, |open| open.composer.way()),
        }
    }

    /// The byte of a turn that a place is in what was read.
    fn point(&self, (turn, byte): (u32, u32)) -> usize {
        self.way(turn as usize).point(byte as usize)
    }

    /// The bytes of its turn where a match was read.
    fn range(&self, candidate: &Candidate) -> Range<usize> {
        self.way(candidate.turn as usize).back(candidate.range())
    }

    fn nothing_new(&self) -> Step {
        Step { settled_to: self.settled_to, released_to: self.released_to, ..Step::default() }
    }

    /// Reports what can no longer change.
    fn tell(&mut self) -> Step {
        let front = Front {
            turn: self.turns.len() as u32,
            turns_follow: self.modality == Some(Modality::Transcript),
        };
        let read_to = (front.turn, self.open.as_ref().map_or(0, |open| open.rest.at as u32));
        let (mut edge, lets_go) = (read_to, self.guard.is_some());
        for ((live, search), sensor) in
            self.lives.iter_mut().zip(&self.searches).zip(self.instrument.sensors())
        {
            edge = edge.min(live.take_in(sensor.plan(), search, front, read_to, lets_go));
        }
        // A match over the edge takes it back to its start, where another one may reach over it, and so on: text is settled with all
        // that hides it. Each round moves the edge back, so this ends.
        // A mask hides whole letters: a letter settles with all its marks, of which a match that waits may have one.
        while edge > self.told {
            let over = self.lives.iter().filter_map(|live| live.reaches_over(edge)).min();
            let earlier = over.unwrap_or_else(|| self.before_open_letter(edge));
            if earlier == edge {
                break;
            }
            edge = earlier;
        }
        let edge = edge.max(self.told);
        // All masks of what has been read are known, though evidence in it may still wait for what follows.
        let read_to = self.before_open_letter(read_to);
        // Taken out while `self` is asked for text; put back below.
        let mut names = std::mem::take(&mut self.names);
        let waiting = self.guard.as_ref().map(|_| self.cover(&self.waiting_masks(), &mut names));
        let mut all = Settled::default();
        // Nothing stands before a place that was told before, and many may wait: each turn would look at all of them.
        if edge > self.told {
            for (at, (live, sensor)) in self.lives.iter_mut().zip(self.instrument.sensors()).enumerate() {
                live.settle(sensor.plan(), at, edge, &mut all);
            }
        }
        all.put_in_order();
        let cover = self.cover(&all.masks, &mut names);
        self.names = names;
        let (masks, to) = waiting.as_ref().map_or((&cover, edge), |waiting| (waiting, read_to));
        let spans = self.spans_to_tell(masks);
        let released = self.release(to, masks);
        self.told = edge;
        self.settled_to = self.place(edge.0, self.point(edge));
        self.released_to = self.place(self.released.0, self.released.1);
        let mut events = self.events(all.evidence, &cover, (masks, &spans));
        self.tell_resonances(&mut events);
        self.tell_fidelity(&mut events);
        Step { settled_to: self.settled_to, released_to: self.released_to, events, released }
    }

    fn place(&self, turn: u32, byte: usize) -> Place {
        Place { segment: turn as usize, offset: self.offset(turn as usize, byte) }
    }

    fn offset(&self, turn: usize, byte: usize) -> usize {
        let ruler = self.rulers.get(turn);
        ruler.map_or(byte, |ruler| ruler.offset(self.content(turn), byte, self.options.unit))
    }

    fn tell_resonances(&mut self, events: &mut Vec<Event>) {
        for (at, (live, search)) in self.lives.iter_mut().zip(&self.searches).enumerate() {
            for (marker, score) in
                live.changed_resonances(self.instrument.sensors()[at].plan(), &search.setting)
            {
                let metamarker = self.instrument.key(at, marker as usize).to_owned();
                events.push(Event::Resonance { metamarker, score });
            }
        }
    }

    fn tell_fidelity(&mut self, events: &mut Vec<Event>) {
        let parts = self.fidelities.iter_mut().zip(&self.searches).zip(self.instrument.sensors());
        let parts = parts.map(|((so_far, search), sensor)| so_far.measure(sensor.plan(), &search.setting));
        let fidelity = fidelity::together(parts);
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
    let message = format!(
        "the content has more than {MAX_CONTENT_BYTES} bytes; finish this session and start a new one"
    );
    Err(Error::new(ErrorCode::PayloadTooLarge, "content", message))
}

/// The place of the content in an interaction.
fn place_of_content(modality: Option<Modality>, turn: usize) -> String {
    match modality {
        Some(Modality::Transcript) => format!("segments[{turn}].content"),
        _ => "content".into(),
    }
}
