//! Sessions: an interaction that comes in bit by bit, chunk by chunk or segment by segment.
//!
//! A session reads each character once. As soon as a sentence is complete and nothing that follows can change what was found
//! in it, [`Step::settled_to`] moves on, and the evidence and the masks before it are reported. What a session gives
//! at its end is the reading of the whole, byte for byte, however the interaction was cut.
//!
//! ```
//! use sonometer::{Interaction, Protocol, Sensor, SessionOptions, View};
//!
//! let (protocol, _) = Protocol::read(r#"{
//!     "sonometer": 1, "id": "thanks", "version": "1.0", "taxonomy": "Signal", "language": "en",
//!     "markers": [{"label": "gratitude", "negation": "drop", "clear": "(thanks|thank you)",
//!         "hit": "Thanks!", "miss": "No thanks."}]
//! }"#)?;
//! let sensor = Sensor::new(protocol)?;
//! let text = "It works again, thank you! And good-bye.";
//!
//! let mut session = sensor.session(SessionOptions::default());
//! let mut released = 0;
//! for chunk in text.as_bytes().chunks(4) {
//!     released = session.push(chunk)?.settled_to.offset;
//! }
//! // The second sentence could still go on.
//! assert_eq!(&text[..released], "It works again, thank you! ");
//!
//! let whole = sensor.sense(&Interaction::text(text)?)?;
//! assert_eq!(session.finish()?.to_json(View::default()), whole.to_json(View::default()));
//! # Ok::<(), sonometer::Error>(())
//! ```
//!
//! What settles when:
//! - Text settles up to the end of a sentence that is certain: white space behind `.`, `!` or `?`, an empty line, a line break
//!   before a capital, an ideographic full stop. A full stop behind an abbreviation is not certain, and neither is one behind a number. No class
//!   begins before such a place and depends on what stands behind it: `$` in the gap behind a sentence belongs to the amount.
//! - A regular expression may reach over sentences; the text waits as long as one could, but not for what begins within a match of the
//!   same expression, which is none. A turn in which following expressions takes more than 1,024 steps a byte settles when it is complete.
//!   With `unfold` beside a regular expression, `"Exact"` or `<shout>`, a disguise anywhere makes the whole turn be read by its fold
//!   too: before the first one, a sentence that says something else there waits.
//! - A match with `before` or `pair` waits until what it looks for has come or cannot come any more; one with `where: last …`,
//!   or with times, and the start of a deadline wait likewise, the most patient of them for the end. With `join`, transcripts settle at the end.
//!
//! Masks need not wait for that: they depend on nothing but the places of masked markers and their exclusions. With
//! [`SessionOptions::release`], [`Step::released_to`] runs ahead of what has settled, word by word; [`Sensor::guard_bound`] says how far it
//! stays behind the text at most, or why it waits for sentences.

mod guard;
mod live;
mod ruler;
mod sense;
mod step;
mod stream;
mod utf8;

use crate::error::Error;
use crate::instrument::Instrument;
use crate::interaction::Turn;
use crate::measure::SenseOptions;
use crate::measure::conclude::conclude;
use crate::reading::{OffsetUnit, Reading};
use crate::sensor::Sensor;
use crate::unit::Unit;
pub use step::{Event, Place, Released, Span, Step};
use stream::Stream;

/// How a session senses, and how it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionOptions {
    /// Options of sensing that a deployment sets.
    pub sense: SenseOptions,
    /// The unit of all offsets in steps.
    pub unit: OffsetUnit,
    /// Whether steps carry masked text that may be shown, as guards need it. Text is then released by word, as soon as no
    /// masked pattern can reach it ([`Step::released_to`], [`Sensor::guard_bound`]). Each chunk costs a search of its last
    /// words for this. Without it, masks are reported as text settles, at no extra cost.
    pub release: bool,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self { sense: SenseOptions::default(), unit: OffsetUnit::Bytes, release: false }
    }
}

impl Instrument {
    /// Begins to sense an interaction that comes in bit by bit.
    pub fn session(&self, options: SessionOptions) -> Session {
        Session { stream: Stream::new(self.clone(), options) }
    }
}

impl Sensor {
    /// Begins to sense an interaction that comes in bit by bit.
    pub fn session(&self, options: SessionOptions) -> Session {
        Instrument::from(self.clone()).session(options)
    }
}

/// One interaction that comes in. A clone goes its own way.
#[derive(Clone, Debug)]
pub struct Session {
    stream: Stream,
}

impl Session {
    /// Takes the next bytes of the text, or of the segment that was begun last. They may be cut anywhere, within a character
    /// too. An empty chunk is no mistake.
    ///
    /// # Errors
    /// `invalid_request` with the byte that is not UTF-8, if no segment is open in a transcript, or if a protocol does not read
    /// texts; `payload_too_large` beyond [`crate::interaction::MAX_CONTENT_BYTES`]. The chunk is not taken then, and the session goes on as if it
    /// had not come.
    pub fn push(&mut self, chunk: &[u8]) -> Result<Step, Error> {
        self.stream.push(chunk)
    }

    /// Ends the segment that came in, if there is one, and begins another. `timestamp` is in seconds.
    ///
    /// # Errors
    /// `invalid_request` if the role is empty, if a plain text came in before, if the segment before ends within a character, or
    /// if a protocol does not read transcripts.
    pub fn begin_segment(&mut self, role: &str, timestamp: Option<Unit>) -> Result<Step, Error> {
        self.stream.begin_segment(role, timestamp)
    }

    /// Takes a whole segment.
    ///
    /// # Errors
    /// As [`Self::begin_segment`] and [`Self::push`].
    pub fn push_segment(&mut self, segment: Turn) -> Result<Step, Error> {
        self.stream.push_segment(segment)
    }

    /// The step of input without content, such as a message that calls a tool: no events.
    ///
    /// # Errors
    /// `invalid_request` after the end.
    pub fn skip(&self) -> Result<Step, Error> {
        self.stream.skip()
    }

    /// Ends the input and returns the remaining events. [`Self::finish`] gives the reading, with or without this before it.
    ///
    /// # Errors
    /// `invalid_request` if the content ends within a character, or if a protocol does not read what came in. Every push after
    /// the end is an error.
    pub fn end(&mut self) -> Result<Step, Error> {
        self.stream.end()
    }

    /// Everything before this place is settled, see [`Step::settled_to`].
    pub fn settled_to(&self) -> Place {
        self.stream.settled_to()
    }

    /// The text before this place may be shown with the masks reported so far, see [`Step::released_to`].
    pub fn released_to(&self) -> Place {
        self.stream.released_to()
    }

    /// About the bytes that the session holds beside the text that came in and the evidence in it: what waits, and the states of
    /// regular expressions that are followed.
    pub fn working_bytes(&self) -> usize {
        self.stream.working_bytes()
    }

    /// The reading as if the interaction ended here. The session goes on.
    ///
    /// # Errors
    /// As [`Session::finish`].
    pub fn so_far(&self) -> Result<Reading, Error> {
        self.clone().finish()
    }

    /// Ends the interaction: the reading that [`Instrument::sense`] gives for all of it.
    ///
    /// # Errors
    /// `invalid_request` if it ends within a character, or if a protocol does not read what came in.
    pub fn finish(self) -> Result<Reading, Error> {
        let options = self.stream.options().sense;
        let (instrument, searches, interaction) = self.stream.finish()?;
        let key = |sensor: usize, marker: u32| instrument.key(sensor, marker as usize);
        let parts = conclude(instrument.sensors(), searches, &interaction, options, key);
        Ok(Reading::new(instrument, parts, options))
    }

    /// The instrument that it was begun with.
    pub fn instrument(&self) -> &Instrument {
        self.stream.instrument()
    }
}
