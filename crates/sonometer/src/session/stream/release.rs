//! What a session lets out: text as far as it may be shown, masks, and evidence that is certain.

use super::{Held, OpenTurn, Stream};
use crate::evidence::Candidate;
use crate::mask::{By, Cover, Masked, Masker, Names, edge_before};
use crate::measure::SenseOptions;
use crate::session::live::Told;
use crate::session::step::{Event, Released, Span, Step};
use std::ops::Range;

impl Stream {
    /// The last place up to one where no letter goes on.
    pub(super) fn before_open_letter(&mut self, (turn, byte): (u32, u32)) -> (u32, u32) {
        let mut letter = std::mem::take(&mut self.letter);
        let (content, at) = (self.content(turn as usize), self.point((turn, byte)));
        let may_grow = turn as usize >= self.turns.len() && !self.has_ended;
        let start = letter.edge_before(turn, content, at, may_grow);
        let byte = if start < at { self.way(turn as usize).forth(start) as u32 } else { byte };
        self.letter = letter;
        (turn, byte)
    }

    /// The masks of what has been read and has not settled.
    pub(super) fn waiting_masks(&self) -> Vec<(By, Candidate)> {
        let lives = self.lives.iter().zip(self.instrument.sensors()).enumerate();
        let masks = lives.flat_map(|(at, (live, sensor))| live.masks(sensor.plan(), at));
        masks.filter(|(_, c)| (c.turn, self.range(c).end) > self.released).collect()
    }

    /// The stretches of a cover that have not been reported.
    pub(super) fn spans_to_tell(&self, cover: &Cover) -> Vec<(u32, Range<usize>)> {
        let told = cover.spans().partition_point(|(turn, span)| (*turn, span.start) < self.released);
        cover.spans()[told..].to_vec()
    }

    /// Adds to a step what the guard lets go of the turn that comes in, with the masks in it.
    pub(super) fn let_go(&mut self, step: &mut Step) {
        let (Some(guard), Some(open)) = (&mut self.guard, &self.open) else { return };
        let turn = self.turns.len() as u32;
        let OpenTurn { text: original, composer, .. } = open;
        let hold = guard.advance(self.instrument.sensors(), turn, composer.text(original));
        let way = composer.way();
        let mut to = edge_before(original, way.point(way.floor(hold)));
        if (turn, to) <= self.released {
            return;
        }
        let mut masks =
            self.guard.as_ref().map(|guard| guard.masks(self.instrument.sensors())).unwrap_or_default();
        // Tried with a copy of the names: what turns out to lie behind `to` must not use up a number.
        let cover = self.cover(&masks, &mut self.names.clone());
        // A mask over the place takes it back: text is released with all that hides it. Spans of a cover are apart, so no other one
        // reaches over the new place.
        if let Some((_, over)) = cover.spans().iter().find(|(_, span)| span.start < to && to < span.end) {
            to = over.start;
        }
        if (turn, to) <= self.released {
            return;
        }
        // Values get their names in the order of the text, so what comes behind has none yet.
        masks.retain(|(_, candidate)| self.range(candidate).start < to);
        let mut names = std::mem::take(&mut self.names);
        let cover = self.cover(&masks, &mut names);
        self.names = names;
        let spans = self.spans_to_tell(&cover);
        if let Some(open) = &self.open {
            self.rulers[turn as usize].advance(&open.text, to, self.options.unit);
        }
        let text = cover.show(turn, self.content(turn as usize), self.released.1..to).into_owned();
        self.released = (turn, to);
        self.released_to = self.place(turn, to);
        step.released_to = self.released_to;
        // Masks come before the resonances and the fidelity of the step, as `Step::events` promises.
        let is_last = |event: &Event| matches!(event, Event::Resonance { .. } | Event::Fidelity(_));
        let at = step.events.iter().position(is_last).unwrap_or(step.events.len());
        step.events.splice(at..at, spans.iter().map(|span| self.mask_event(&cover, span)));
        match step.released.last_mut().filter(|last| last.segment == turn as usize) {
            Some(last) => last.text.push_str(&text),
            None => step.released.push(Released { segment: turn as usize, text }),
        }
        if let (Some(guard), Some(open)) = (&mut self.guard, &self.open) {
            let way = open.composer.way();
            guard.forget_masks(|candidate| way.point(candidate.start as usize) < to);
        }
    }

    /// Moves on to `to`, unless more has been released already: the text up to there as it may be shown, where it is asked for.
    pub(super) fn release(&mut self, to: (u32, u32), cover: &Cover) -> Vec<Released> {
        let (turn, byte) = self.released;
        let to = (to.0, self.point(to)).max(self.released);
        self.released = to;
        let mut released = Vec::new();
        if !self.options.release {
            return released;
        }
        for segment in turn..=to.0.min((self.rulers.len() as u32).saturating_sub(1)) {
            let content = self.content(segment as usize);
            let from = if segment == turn { byte } else { 0 };
            let to = if segment == to.0 { to.1 } else { content.len() };
            if from < to {
                let text = cover.show(segment, content, from..to).into_owned();
                released.push(Released { segment: segment as usize, text });
            }
        }
        released
    }

    /// What masks hide, with the names that values have got; new ones get theirs. They lie in one turn: with `join`, transcripts
    /// settle at the end.
    pub(super) fn cover(&self, all: &[(By, Candidate)], names: &mut Names) -> Cover {
        if all.is_empty() {
            // Most sentences.
            return Cover::default();
        }
        let SenseOptions { mask_key, .. } = self.options.sense;
        let mut masker = Masker::new(|turn: u32| self.content(turn as usize));
        let put = |(by, candidate): &(By, Candidate)| {
            let by = By { mask: self.options.sense.mask_of(by.mask), ..*by };
            masker.put(by, std::iter::once((candidate.turn, self.range(candidate))))
        };
        let masks: Vec<Masked> = all.iter().flat_map(put).collect();
        let key = |sensor: usize, marker: u32| self.instrument.key(sensor, marker as usize);
        Cover::of(masks, mask_key.as_ref(), names, key)
    }

    /// Evidence, as `cover` shows it, and masked stretches of another cover in the order of the text; what is no evidence yet is
    /// held back.
    pub(super) fn events(
        &mut self,
        evidence: Vec<Told>,
        cover: &Cover,
        (masks, spans): (&Cover, &[(u32, Range<usize>)]),
    ) -> Vec<Event> {
        let mut events = self.release_held();
        let mut left = spans;
        for Told { sensor, candidate, whole } in evidence {
            let range = self.range(&candidate);
            let place = (candidate.turn, range.start);
            let before = left.iter().take_while(|(turn, span)| (*turn, span.start) <= place).count();
            let (now, later) = left.split_at(before);
            events.extend(now.iter().map(|span| self.mask_event(masks, span)));
            left = later;
            let turn = candidate.turn as usize;
            let is_whole = whole.is_some();
            let (joined, source) = whole.unwrap_or_else(|| {
                let source = cover.show(candidate.turn, self.content(turn), range.clone());
                (Vec::new(), source.into_owned())
            });
            let Span { segment, start, end } = self.span(turn, range);
            let event = Event::Evidence {
                metamarker: self.instrument.key(sensor, candidate.marker as usize).to_owned(),
                score: candidate.contribution.clamp_to_one(),
                source,
                segment,
                start,
                end,
                joined: joined.into_iter().map(|stretch| self.span(stretch.turn, stretch.range)).collect(),
            };
            if is_whole || self.lives[sensor].is_certain(candidate.marker) {
                events.push(event);
            } else {
                self.held.push(Held { sensor, marker: candidate.marker, event });
            }
        }
        events.extend(left.iter().map(|span| self.mask_event(masks, span)));
        events
    }

    /// What was held back and is evidence now.
    fn release_held(&mut self) -> Vec<Event> {
        let mut released = Vec::new();
        for held in std::mem::take(&mut self.held) {
            match self.lives[held.sensor].is_certain(held.marker) {
                true => released.push(held.event),
                false => self.held.push(held),
            }
        }
        released
    }

    fn mask_event(&self, cover: &Cover, (turn, range): &(u32, Range<usize>)) -> Event {
        let content = self.content(*turn as usize);
        let shown = cover.show(*turn, content, range.clone()).into_owned();
        let Span { segment, start, end } = self.span(*turn as usize, range.clone());
        Event::Mask { segment, start, end, shown }
    }

    fn span(&self, turn: usize, range: Range<usize>) -> Span {
        let (start, end) = (self.offset(turn, range.start), self.offset(turn, range.end));
        Span { segment: turn, start, end }
    }
}
