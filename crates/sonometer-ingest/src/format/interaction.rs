//! Interactions in JSON, bare or wrapped, one or one in each line.

use crate::error::ReadError;
use crate::map::{Map, Piece, Place};
use crate::{Hints, Ingested, Kind, Limits};
use serde::Deserialize;
use serde_json::value::RawValue;
use sonometer::protocol::Modality;
use sonometer::{Error, Interaction, MessageForm, Messages};

/// The wrapping that lists of labelled interactions have.
#[derive(Deserialize)]
struct Wrapping<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    /// The name that the caller gave a line of a batch; `id` is the name that the provider gave it.
    #[serde(borrow, alias = "recordId")]
    custom_id: Option<&'a RawValue>,
    #[serde(borrow)]
    interaction: Option<&'a RawValue>,
}

impl Wrapping<'_> {
    fn id(&self) -> Option<String> {
        self.custom_id.or(self.id).map(plain)
    }
}

/// An interaction as a line of JSON holds it.
#[derive(Debug)]
pub struct Line {
    /// Its own id, if it has one.
    pub id: Option<String>,
    /// The interaction, or why there is none.
    pub interaction: Result<Interaction, Error>,
    /// What was left out of a chat as other programs write it.
    pub left_out: LeftOut,
}

/// What was left out of a chat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// How many parts nobody said: tool calls, tool results, reasoning, images, sound or files.
    pub parts: usize,
    /// What else was skipped, one sentence each.
    pub notices: Vec<String>,
}

impl LeftOut {
    /// All of it, one sentence each, as readers of files tell it.
    pub fn notes(&self) -> Vec<String> {
        let parts = (self.parts > 0).then(|| super::chat::left_out(self.parts));
        parts.into_iter().chain(self.notices.iter().cloned()).collect()
    }
}

/// An interaction with its own id, bare or under `interaction`. Where a chat as other programs write it stands in its place, what was said there.
pub fn unwrap(text: &str) -> (Option<String>, Result<Interaction, Error>) {
    let Line { id, interaction, .. } = line(text);
    (id, interaction)
}

/// The same, with what was left out of a chat.
pub fn line(text: &str) -> Line {
    let (id, inner) = match wrapping(text) {
        Some(wrapping) => (wrapping.id(), wrapping.interaction.map(RawValue::get)),
        None => (None, None),
    };
    let text = inner.unwrap_or(text);
    let mut left_out = LeftOut::default();
    let interaction = Interaction::from_json(text).or_else(|error| {
        // With its form named, unknown keys are skipped with a notice.
        let Some(form) = MessageForm::of_others(text) else { return spoken(text).unwrap_or(Err(error)) };
        let Messages { interaction, apart, notices, .. } = Messages::read(text, Some(form))?;
        left_out = LeftOut { parts: apart.len(), notices };
        Ok(interaction)
    });
    Line { id, interaction, left_out }
}

/// What a recogniser of speech wrote; `None` for anything else.
fn spoken(text: &str) -> Option<Result<Interaction, Error>> {
    let value = serde_json::from_str(text).ok()?;
    let read = || crate::audio::alone(text, &Hints::default(), &Limits::default());
    crate::audio::forms::is_one(&value).then(|| Ok(read()?.interaction))
}

/// The id of an interaction, as [`unwrap`] gives it.
pub fn id(text: &str) -> Option<String> {
    wrapping(text)?.id()
}

/// What wraps an interaction. A list would be taken for it, value by value.
fn wrapping(text: &str) -> Option<Wrapping<'_>> {
    text.trim_start().starts_with('{').then(|| serde_json::from_str(text).ok())?
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

    #[test]
    fn what_recognisers_wrote_is_read_in_the_place_of_interactions() {
        let spoken = r#"{"id": "a", "audio_duration": 4, "words": [], "utterances": [{"speaker": "A", "start": 500, "text": "hi"}]}"#;
        for (text, own) in
            [(spoken.to_owned(), "a"), (format!(r#"{{"id": "b", "interaction": {spoken}}}"#), "b")]
        {
            let (id, interaction) = unwrap(&text);
            assert_eq!(id.as_deref(), Some(own));
            let interaction = interaction.expect("reads");
            let turn = &interaction.turns()[0];
            assert_eq!((turn.role.as_deref(), &*turn.content), (Some("A"), "hi"));
        }
        let (_, interaction) = unwrap(r#"{"phrases": [{"offsetMilliseconds": 1e300, "text": "hi"}]}"#);
        assert!(interaction.expect_err("is no time").to_string().contains("is not a valid time"));
    }

    #[test]
    fn chats_of_others_are_read_in_the_place_of_interactions() {
        let hi = r#"{"role": "user", "content": "hi"}"#;
        for (text, own) in [
            (format!(r#"{{"id": "a", "messages": [{hi}]}}"#), Some("a")),
            (format!("[{hi}]"), None),
            (
                r#"{"id": "a", "contents": [{"role": "user", "parts": [{"text": "hi"}]}]}"#.to_owned(),
                Some("a"),
            ),
            (format!(r#"{{"id": "a", "labels": {{}}, "interaction": {{"messages": [{hi}]}}}}"#), Some("a")),
            (format!(r#"{{"id": "batch_1", "custom_id": "a", "body": {{"messages": [{hi}]}}}}"#), Some("a")),
            (format!(r#"{{"recordId": "a", "modelInput": {{"messages": [{hi}]}}}}"#), Some("a")),
        ] {
            let (id, interaction) = unwrap(&text);
            assert_eq!(id.as_deref(), own, "{text}");
            assert_eq!(&*interaction.expect("reads").turns()[0].content, "hi", "{text}");
        }
        let read = line(
            r#"{"id": "a", "labels": {}, "conversations": [{"from": "human", "mood": 1, "value": "hi"}, {"from": "tool", "value": "1"}]}"#,
        );
        let notices = vec!["the unknown key `mood` was skipped in conversations[0]".to_owned()];
        assert_eq!(read.left_out, LeftOut { parts: 1, notices });
        let read = line(r#"{"messages": [{"role": "user", "foo": "bar", "content": "hi"}]}"#);
        let notices = vec!["the unknown key `foo` was skipped in messages[0]".to_owned()];
        assert_eq!((read.interaction.map(drop), read.left_out), (Ok(()), LeftOut { parts: 0, notices }));
        for (text, wrong) in [
            (r#"{"messages": [{"role": "user"}]}"#, "`content` is missing"),
            (r#"{"segments": [{"role": "user"}], "messages": []}"#, "unknown key `messages`"),
            (r#"["a", {"content": "hi"}]"#, "found a list"),
            (r#"[{"a": 1}]"#, "found a list"),
        ] {
            let (id, interaction) = unwrap(text);
            let told = interaction.expect_err("is none").to_string();
            assert!(id.is_none() && told.contains(wrong), "{text}: {told}");
        }
    }
}
