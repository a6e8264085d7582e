//! A session that is looked at after every byte.

use super::cases::TURN;
use sonometer::interaction::Turn;
use sonometer::{
    Event, Interaction, OffsetUnit, Place, Profile, Reading, SenseOptions, Sensor, SessionOptions, Step, View,
};

/// The evidence of a reading, or what a session has told of it.
type Found = Vec<(Place, usize, String, i64, String)>;

/// What has come out of a session so far.
#[derive(Default)]
struct Told {
    settled_to: Place,
    released_to: Place,
    evidence: Found,
    released: Vec<String>,
    /// Every mask event: segment, start, end, what is shown.
    masks: Vec<(usize, usize, usize, String)>,
}

fn interaction(text: &str, is_dialogue: bool) -> Interaction {
    if !is_dialogue {
        return Interaction::text(text).expect("is short");
    }
    let turns = text.split(TURN).zip(["a", "b"].into_iter().cycle());
    let turns = turns.map(|(content, role)| Turn {
        role: Some(role.into()),
        content: content.into(),
        timestamp: None,
    });
    Interaction::transcript(turns.collect()).expect("is a transcript")
}

/// Compares a session, byte by byte, with the whole.
pub(crate) fn check(sensor: &Sensor, text: &str, is_dialogue: bool) -> Result<(), String> {
    let interaction = interaction(text, is_dialogue);
    let sense = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
    let reading = sensor.sense_with(&interaction, sense).map_err(|error| error.to_string())?;
    let whole = Whole::of(&reading);
    let mut session = sensor.session(SessionOptions { sense, unit: OffsetUnit::Bytes, release: true });
    let mut told = Told { released: vec![String::new(); interaction.turns().len()], ..Told::default() };
    for turn in interaction.turns() {
        if let Some(role) = &turn.role {
            let step = session.begin_segment(role, turn.timestamp).map_err(|error| error.to_string())?;
            told.take(step, &whole)?;
        }
        for byte in turn.content.as_bytes() {
            let step = session.push(std::slice::from_ref(byte)).map_err(|error| error.to_string())?;
            told.take(step, &whole)?;
        }
    }
    told.take(session.end().map_err(|error| error.to_string())?, &whole)?;
    if told.released != whole.shown {
        return Err(format!("released {:?} of {:?}", told.released, whole.shown));
    }
    let end = session.finish().map_err(|error| error.to_string())?;
    let view = View { profile: Profile::Discovery, offsets: Some(OffsetUnit::Bytes), ..View::default() };
    let (end, once) = (end.to_json(view), reading.to_json(view));
    if end != once { Err(format!("ends as {end}, and is {once}")) } else { Ok(()) }
}

/// What the whole comes to.
struct Whole {
    evidence: Found,
    shown: Vec<String>,
}

impl Whole {
    fn of(reading: &Reading) -> Self {
        let evidence = reading.evidence().map(|e| {
            let place = Place { segment: e.turn, offset: e.range.start };
            (place, e.range.end, e.metamarker.to_owned(), e.score.0, e.source.into_owned())
        });
        let turns = 0..reading.interaction().turns().len();
        let mut evidence: Found = evidence.collect();
        evidence.sort();
        Self { evidence, shown: turns.map(|turn| reading.masked_turn(turn).into_owned()).collect() }
    }
}

impl Told {
    fn take(&mut self, step: Step, whole: &Whole) -> Result<(), String> {
        let Step { settled_to, released_to, events, released } = step;
        if released_to < self.released_to.max(settled_to) {
            return Err(format!("released to {released_to:?}, and before to {:?}", self.released_to));
        }
        self.released_to = released_to;
        if settled_to < self.settled_to {
            return Err(format!("settled to {settled_to:?}, and before to {:?}", self.settled_to));
        }
        let has_moved = settled_to > self.settled_to || !events.is_empty();
        self.settled_to = settled_to;
        for part in &released {
            let all = &mut self.released[part.segment];
            all.push_str(&part.text);
            if !whole.shown[part.segment].starts_with(all.as_str()) {
                return Err(format!("let {all:?} pass of {:?}", whole.shown[part.segment]));
            }
        }
        for event in events {
            match event {
                Event::Evidence { metamarker, score, source, segment, start, end, .. } => {
                    let place = Place { segment, offset: start };
                    self.evidence.push((place, end, metamarker, score.0, source));
                }
                Event::Mask { segment, start, end, shown } => self.masks.push((segment, start, end, shown)),
                Event::Resonance { .. } | Event::Fidelity(_) => {}
            }
        }
        let all = self.released.get(released_to.segment).map_or(0, |shown| {
            // What masks hide of a letter's bytes is counted by the mask.
            let hidden = self.masks.iter().filter(|mask| mask.0 == released_to.segment);
            let longer: usize = hidden.clone().map(|mask| mask.2 - mask.1).sum();
            let shorter: usize = hidden.map(|mask| mask.3.len()).sum();
            shown.len() + longer - shorter
        });
        if all != released_to.offset {
            return Err(format!("released to {released_to:?}, and {all} bytes of text with its masks"));
        }
        if !has_moved {
            return Ok(());
        }
        self.evidence.sort();
        let settled = whole.evidence.iter().filter(|(place, ..)| *place < settled_to);
        if !self.evidence.iter().eq(settled.clone()) {
            let settled: Vec<_> = settled.collect();
            return Err(format!("told {:?}, and up to {settled_to:?} there is {settled:?}", self.evidence));
        }
        let over = |(place, end, ..): &&(Place, usize, String, i64, String)| {
            place.segment == settled_to.segment && *end > settled_to.offset
        };
        if let Some(over) = settled.clone().find(over) {
            return Err(format!("settled to {settled_to:?}, over which {over:?} reaches"));
        }
        Ok(())
    }
}
