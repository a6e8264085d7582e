//! Where in a file evidence stands: page, paragraph, cell, line, time.

use sonometer::protocol::Modality;
use sonometer_ingest::{Ingested, Kind};

/// Longer documents are shown by their evidence alone, in bytes.
const SHORT: usize = 2_000;

/// Whether the whole text is shown.
pub(crate) fn shows_text(origin: &Ingested) -> bool {
    origin.interaction.modality() != Modality::Document
        || origin.interaction.turns()[0].content.len() <= SHORT
}

/// Whether places say anything: not in a text of one line.
pub(crate) fn shows_places(origin: &Ingested) -> bool {
    origin.kind != Kind::Text
        || origin.interaction.turns().iter().any(|turn| turn.content.trim().contains('\n'))
}
