//! Text that may be shown, kept until it has settled: people read a sentence with what was found in it, not words that run ahead.

use sonometer::{Event, Place, Released, Step};
use std::collections::VecDeque;

/// What has been released and not shown. Places are in characters.
#[derive(Default)]
pub(super) struct Sentences {
    /// Where each piece ends, and its text: what a mask shows as a whole, other text character by character.
    waiting: VecDeque<(Place, String)>,
    /// Up to where text has been released.
    released_to: Place,
}

impl Sentences {
    /// Takes what a step has released.
    pub(super) fn take(&mut self, step: &Step) {
        for Released { segment, text } in &step.released {
            if self.released_to.segment != *segment {
                self.released_to = Place { segment: *segment, offset: 0 };
            }
            self.take_part(step, *segment, text);
        }
    }

    fn take_part(&mut self, step: &Step, segment: usize, mut text: &str) {
        let masks = step.events.iter().filter_map(|event| match event {
            Event::Mask { segment: own, start, end, shown } if *own == segment => Some((*start, *end, shown)),
            _ => None,
        });
        let from = self.released_to.offset;
        let mut masks = masks.skip_while(|mask| mask.0 < from).peekable();
        while !text.is_empty() {
            let at = self.released_to.offset;
            let (length, end) = match masks.next_if(|mask| mask.0 == at) {
                Some((_, end, shown)) => (shown.len().min(text.len()), end),
                None => (text.chars().next().map_or(0, char::len_utf8), at + 1),
            };
            let (piece, rest) = text.split_at(length);
            self.released_to.offset = end;
            self.waiting.push_back((self.released_to, piece.to_owned()));
            text = rest;
        }
    }

    /// Gives out what stands before a place.
    pub(super) fn up_to(&mut self, place: Place) -> Vec<Released> {
        let mut parts: Vec<Released> = Vec::new();
        while let Some((end, _)) = self.waiting.front()
            && *end <= place
            && let Some((Place { segment, .. }, piece)) = self.waiting.pop_front()
        {
            match parts.last_mut().filter(|last| last.segment == segment) {
                Some(last) => last.text.push_str(&piece),
                None => parts.push(Released { segment, text: piece }),
            }
        }
        parts
    }
}
