//! What a file holds as one text, for whoever keeps it or hands it to another process of its own.

use crate::error::{ReadError, Reason};
use crate::wire::{Answer, Read};
use crate::{Ingested, Limits, audio};
use serde::{Deserialize, Serialize};
use sonometer::Unit;

#[derive(Serialize, Deserialize)]
struct Kept {
    read: Read,
    label: Option<String>,
    sound: Option<KeptSound>,
}

#[derive(Serialize, Deserialize)]
struct KeptSound {
    shown: String,
    seconds: i64,
    heard_by: String,
    transcript: String,
}

impl Ingested {
    /// All of it as one line of JSON, which [`Ingested::from_json`] of the same version takes back. It is no format for others.
    pub fn to_json(&self) -> String {
        let kept = Kept {
            read: Read::of(self),
            label: self.interaction.label().map(str::to_owned),
            sound: self.sound.as_ref().map(|sound| KeptSound {
                shown: sound.shown.clone(),
                seconds: sound.seconds.0,
                heard_by: sound.heard_by.clone(),
                transcript: sound.transcript.to_json(),
            }),
        };
        // Texts and numbers: nothing in it has no form in JSON.
        serde_json::to_string(&kept).unwrap_or_default()
    }

    /// What [`Ingested::to_json`] gave. The map must fit the text; that they came from a file is not proven.
    ///
    /// # Errors
    /// [`Reason::Broken`] for anything else.
    pub fn from_json(json: &str) -> Result<Self, ReadError> {
        let broken = || ReadError::new(Reason::Broken, "", "not a saved extract; extract the file again");
        let kept: Kept = serde_json::from_str(json).map_err(|_| broken())?;
        let mut read = Answer::Read(kept.read).check().map_err(|_| broken())?;
        if let Some(label) = kept.label {
            read.interaction = read.interaction.with_label(&label);
        }
        if let Some(KeptSound { shown, seconds, heard_by, transcript }) = kept.sound {
            let transcript = audio::kept(transcript.as_bytes(), &Limits::default())?;
            let (seconds, sha256) = (Unit(seconds), transcript.sha256());
            read.sound = Some(Box::new(audio::Sound { shown, seconds, heard_by, transcript, sha256 }));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Kind, read};

    #[test]
    fn what_is_kept_comes_back_whole() {
        let talk = b"WEBVTT\n\n00:01.500 --> 00:02.000\n<v Ann>Good morning. \xf0\x9f\x98\x80\n";
        let labelled = br#"{"content": "Hi.", "label": "before"}"#;
        for file in [&talk[..], labelled, b"one\ntwo\n"] {
            let read = read(file, &Hints::default()).expect("is sound");
            assert_eq!(Ingested::from_json(&read.to_json()).expect("comes back"), read);
        }
        let json = read(talk, &Hints::default()).expect("is sound").to_json();
        for (from, to) in
            [("\"end\":18", "\"end\":17"), ("\"end\":18", "\"end\":99"), ("vtt", "vtx"), ("{", "")]
        {
            assert!(json.contains(from), "{json}");
            let failure = Ingested::from_json(&json.replacen(from, to, 1)).expect_err(to);
            assert_eq!(failure.reason, Reason::Broken);
        }
    }

    #[cfg(feature = "audio")]
    #[test]
    fn so_does_a_recording() {
        let call = include_bytes!("../../../fixtures/audio/sentence.opus");
        let words = br#"[{"start": 0.5, "end": 2, "text": "Thank you so much!", "confidence": 0.75}]"#;
        let request = audio::Request::new(audio::Words::Given(words));
        let hints = Hints { kind: Some(Kind::Audio), ..Hints::default() };
        let read = audio::read(call, &hints, &request).expect("is sound");
        assert!(read.sound.is_some() && read.interaction.confidence(0).is_some());
        assert_eq!(Ingested::from_json(&read.to_json()).expect("comes back"), read);
    }
}
