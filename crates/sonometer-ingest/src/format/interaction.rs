//! Interactions in JSON, bare or wrapped, one or one in each line.

use crate::error::ReadError;
use crate::map::{Map, Piece, Place};
use crate::{Ingested, Kind};
use serde::Deserialize;
use serde_json::value::RawValue;
use sonometer::protocol::Modality;
use sonometer::{Error, Interaction};

/// The wrapping that lists of labelled interactions have.
#[derive(Deserialize)]
struct Wrapping<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    interaction: Option<&'a RawValue>,
}

/// An interaction with its own id, bare or under `interaction`.
pub fn unwrap(text: &str) -> (Option<String>, Result<Interaction, Error>) {
    let (id, inner) = match serde_json::from_str::<Wrapping<'_>>(text) {
        Ok(Wrapping { id, interaction }) => (id.map(plain), interaction.map(RawValue::get)),
        Err(_) => (None, None),
    };
    (id, Interaction::from_json(inner.unwrap_or(text)))
}

/// The id of an interaction, as [`unwrap`] gives it.
pub fn id(text: &str) -> Option<String> {
    serde_json::from_str::<Wrapping<'_>>(text).ok()?.id.map(plain)
}

/// A JSON string without its quotes; anything else as it is written.
fn plain(value: &RawValue) -> String {
    serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned())
}

/// One interaction.
pub(crate) fn read(text: &str) -> Result<Ingested, ReadError> {
    let interaction = unwrap(text.strip_prefix('\u{feff}').unwrap_or(text)).1?;
    let is_transcript = interaction.modality() == Modality::Transcript;
    let piece = |(turn, content): (usize, &str)| {
        let path = if is_transcript { format!("segments[{turn}].content") } else { "content".to_owned() };
        let place = Place { path: Some(path.into()), ..Place::default() };
        Piece {
            turn,
            range: 0..content.len(),
            place,
            counts_lines: false,
            confidence: None,
            words: Vec::new(),
        }
    };
    let contents = interaction.turns().iter().map(|turn| &*turn.content).enumerate();
    let map = Map::new(contents.map(piece).collect());
    Ok(Ingested { map, interaction, kind: Kind::Json, notes: Vec::new(), sound: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwraps_labelled_items() {
        let (id, interaction) = unwrap(r#"{"id": 7, "labels": [], "interaction": {"content": "hi"}}"#);
        assert_eq!(id.as_deref(), Some("7"));
        assert_eq!(&*interaction.expect("reads").turns()[0].content, "hi");
    }
}
