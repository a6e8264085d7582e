//! What is measured: a text, the text of a document, or the turns of a conversation, written or recorded.

mod chat;
mod composed;
pub mod moment;
mod request;

pub use chat::{Apart, ApartKind, MAX_NOTICES, MessageForm, Messages};
pub(crate) use composed::compose;

use crate::document::Node;
use crate::error::{Error, ErrorCode};
use crate::protocol::Modality;
use crate::unit::Unit;
use std::sync::Arc;

/// The most bytes of content an interaction may hold.
pub const MAX_CONTENT_BYTES: usize = 64 << 20;

/// One interaction, cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interaction {
    turns: Arc<[Turn]>,
    modality: Modality,
    label: Option<Arc<str>>,
    confidence: Option<Arc<[Option<Unit>]>>,
}

/// One turn: the segment of a transcript, or the whole of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// Who speaks; `None` for a plain text.
    pub role: Option<Box<str>>,
    /// What is said.
    pub content: Box<str>,
    /// When, in seconds (held in millionths) from any origin.
    pub timestamp: Option<Unit>,
}

impl Interaction {
    /// A plain text of one turn and no role.
    ///
    /// # Errors
    /// `payload_too_large` beyond [`MAX_CONTENT_BYTES`].
    pub fn text(content: &str) -> Result<Self, Error> {
        let turn = Turn { role: None, content: content.into(), timestamp: None };
        Self::new(Modality::Text, vec![turn])
    }

    /// A plain text from its only turn.
    pub(crate) fn text_of(turns: Vec<Turn>) -> Result<Self, Error> {
        Self::new(Modality::Text, turns)
    }

    /// The text of a document file: one turn and no role.
    ///
    /// # Errors
    /// `payload_too_large` beyond [`MAX_CONTENT_BYTES`].
    pub fn document(content: &str) -> Result<Self, Error> {
        let turn = Turn { role: None, content: content.into(), timestamp: None };
        Self::new(Modality::Document, vec![turn])
    }

    /// A conversation.
    ///
    /// # Errors
    /// `invalid_request` if there are no turns or a turn has no role; `payload_too_large` beyond [`MAX_CONTENT_BYTES`].
    pub fn transcript(turns: Vec<Turn>) -> Result<Self, Error> {
        Self::conversation(Modality::Transcript, turns)
    }

    /// What was said in a recording: as [`Interaction::transcript`], for protocols that read audio.
    ///
    /// # Errors
    /// As there.
    pub fn audio(turns: Vec<Turn>) -> Result<Self, Error> {
        Self::conversation(Modality::Audio, turns)
    }

    fn conversation(modality: Modality, turns: Vec<Turn>) -> Result<Self, Error> {
        if turns.is_empty() {
            return Err(Error::invalid("segments", "a transcript needs at least one segment"));
        }
        if let Some(at) = turns.iter().position(|t| t.role.as_deref().is_none_or(|r| r.trim().is_empty())) {
            return Err(Error::invalid(format!("segments[{at}].role"), "every segment needs a role"));
        }
        Self::new(modality, turns)
    }

    /// Reads an interaction as the interface document writes it: `content` (a text) or `segments` (a transcript), with
    /// `type`, `language`, `id` and `label` allowed beside them.
    ///
    /// # Errors
    /// `invalid_request` with the place of the first thing that is wrong.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        crate::interaction::request::interaction(text)
    }

    /// As [`Interaction::from_json`], for an interaction inside a larger JSON text that is read already.
    ///
    /// # Errors
    /// As there; places are those within the interaction (`segments[0].role`).
    pub fn from_node(node: &Node) -> Result<Self, Error> {
        crate::interaction::request::from_node(node)
    }

    fn new(modality: Modality, turns: Vec<Turn>) -> Result<Self, Error> {
        let bytes: usize = turns.iter().map(|t| t.content.len()).sum();
        if bytes > MAX_CONTENT_BYTES {
            let message =
                format!("the content has {bytes} bytes; the limit is {MAX_CONTENT_BYTES}; split it");
            return Err(Error::new(ErrorCode::PayloadTooLarge, "content", message));
        }
        Ok(Self { turns: turns.into(), modality, label: None, confidence: None })
    }

    /// The same interaction with as many turns of other content.
    pub(crate) fn with_turns(&self, turns: Vec<Turn>) -> Self {
        Self { turns: turns.into(), ..self.clone() }
    }

    /// The turns, in their order. Never empty.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// Text, transcript, audio or document.
    pub fn modality(&self) -> Modality {
        self.modality
    }

    /// Whether it has turns with roles, as transcripts and recordings have.
    pub fn is_conversation(&self) -> bool {
        matches!(self.modality, Modality::Transcript | Modality::Audio)
    }

    /// The caller's label, by which comparisons call it.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// The same interaction with a label.
    #[must_use]
    pub fn with_label(self, label: &str) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    /// The same interaction, with how sure the recogniser of a recording is of each turn (0 to 1; `None`: it is as written).
    /// It weighs the readable words in clarity, and nothing else. It is no part of the JSON of an interaction.
    ///
    /// # Errors
    /// `invalid_request` if these are not as many as the turns, or one is no share of 1.
    pub fn with_confidence(self, confidence: Vec<Option<Unit>>) -> Result<Self, Error> {
        if confidence.len() != self.turns.len() {
            let message = format!(
                "{} confidence values for {} turns; give one for each turn",
                confidence.len(),
                self.turns.len()
            );
            return Err(Error::invalid("confidence", message));
        }
        if let Some(at) = confidence.iter().flatten().position(|share| *share != share.clamp_to_one()) {
            return Err(Error::invalid(format!("confidence[{at}]"), "not a number from 0 to 1"));
        }
        let confidence = confidence.iter().any(Option::is_some).then(|| confidence.into());
        Ok(Self { confidence, ..self })
    }

    /// How sure the recogniser of a recording is of a turn, 0 to 1; `None` where nobody said so.
    pub fn confidence(&self, turn: usize) -> Option<Unit> {
        self.confidence.as_ref()?.get(turn).copied().flatten()
    }
}
