//! Files that are measured: what came out of one, and where in it evidence stands.
//!
//! What is known of a file goes into the answer of the request that named it, where that asks for it, and nowhere else: nothing is
//! kept for a second request, of whomever.

use crate::json::{number, optional_number};
use crate::ports::{FileRequest, Waits};
use crate::refusal::Refusal;
use crate::request::{Asked, MAX_CHARACTERS, MAX_SEGMENTS};
use crate::{Service, token};
use serde::Serialize;
use sonometer::protocol::Modality;
use sonometer::{Instrument, Interaction, Reading, Unit};
use sonometer_ingest::{Ingested, Place};

/// A larger file is work for a job, in bytes.
pub const FILE_NOW: usize = 1 << 20;
/// The largest file that is read, in bytes.
pub const FILE_MOST: usize = 25 << 20;
/// The largest recording that is heard, in bytes, where the request says that it is one.
pub const AUDIO_MOST: usize = 200 << 20;
/// The most characters of text that a file may hold.
pub const MAX_FILE_CHARACTERS: usize = 4_000_000;
/// The most turns of a conversation in a file.
pub const MAX_FILE_SEGMENTS: usize = 50_000;

/// A file that was fetched and read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRead {
    read: Ingested,
    bytes: usize,
    sha256: String,
    reader: String,
}

impl FileRead {
    /// What `reader` (a name and a version) made of these bytes.
    pub fn new(bytes: &[u8], read: Ingested, reader: impl Into<String>) -> Self {
        Self { read, bytes: bytes.len(), sha256: token::sha256(bytes), reader: reader.into() }
    }
}

/// What is measured, once it is there.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) interaction: Interaction,
    /// The file that it comes from.
    pub(crate) file: Option<Box<FileRead>>,
}

impl Subject {
    /// Bytes of its content.
    pub(crate) fn bytes(&self) -> usize {
        self.interaction.turns().iter().map(|turn| turn.content.len()).sum()
    }
}

/// Facts about a file (`origin`).
#[derive(Serialize)]
struct Origin<'a> {
    kind: &'static str,
    modality: &'static str,
    bytes: usize,
    sha256: &'a str,
    text_sha256: String,
    reader: &'a str,
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    sound: Option<Heard<'a>>,
    places: Vec<Option<Found<'a>>>,
}

/// Facts about a recording.
#[derive(Serialize)]
struct Heard<'a> {
    /// What the file holds, such as `mp3, 44100 Hz, 2 channels`.
    shown: &'a str,
    #[serde(serialize_with = "number")]
    seconds: Unit,
    heard_by: &'a str,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_number")]
    confidence: Option<Unit>,
    transcript_sha256: &'a str,
}

/// Where in a file a piece of evidence begins; what a kind of file does not know is left out.
#[derive(Serialize)]
struct Found<'a> {
    shown: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    paragraph: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sheet: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<u32>,
    /// Seconds.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_number")]
    time: Option<Unit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
}

impl<'a> From<&'a Place> for Found<'a> {
    fn from(place: &'a Place) -> Self {
        Self {
            shown: place.to_string(),
            page: place.page,
            paragraph: place.paragraph,
            table: place.table,
            sheet: place.sheet.as_deref(),
            cell: place.cell.as_deref(),
            line: place.line,
            message: place.message,
            time: place.time.map(Unit),
            part: place.part.as_deref(),
            path: place.path.as_deref(),
        }
    }
}

/// The bytes of a reading, with `origin` behind its last key.
pub(crate) fn with_origin(reading: &str, found: &Reading, file: &FileRead) -> String {
    let FileRead { read, bytes, sha256, reader, .. } = file;
    let map = read.places();
    let places: Vec<Option<Place>> =
        found.evidence().map(|evidence| map.at(evidence.turn, evidence.range.start)).collect();
    let contents: Vec<&str> = read.interaction.turns().iter().map(|turn| &*turn.content).collect();
    let origin = crate::json::text(&Origin {
        kind: read.kind.as_str(),
        modality: read.interaction.modality().as_str(),
        bytes: *bytes,
        sha256,
        text_sha256: token::sha256(contents.join("\n").as_bytes()),
        reader,
        notes: &read.notes,
        sound: read.sound.as_deref().map(|sound| Heard {
            shown: &sound.shown,
            seconds: sound.seconds,
            heard_by: &sound.heard_by,
            confidence: sound.transcript.confidence(),
            transcript_sha256: &sound.sha256,
        }),
        places: places.iter().map(|place| place.as_ref().map(Found::from)).collect(),
    });
    format!("{},\"origin\":{origin}}}", reading.strip_suffix('}').unwrap_or(reading))
}

impl Service {
    /// What an interaction of a request is, fetched and read if it is a file; `None`: it is work for a job.
    pub(crate) async fn subject(
        &self,
        org: &str,
        asked: &Asked<'_>,
        instrument: &Instrument,
        waits: Waits,
    ) -> Result<Option<Subject>, Refusal> {
        let Some(request) = asked.file()?.map(|request| FileRequest { org, ..request }) else {
            return Ok(Some(Subject { interaction: asked.read()?, file: None }));
        };
        let place = format!("{}.url", asked.place());
        let at = |refusal: Refusal| refusal.inside(&place);
        self.inner.files.check(&request).map_err(at)?;
        let reads = instrument.modalities();
        // Nothing is heard for nothing.
        if request.is_audio == Some(true) && !reads.contains(&Modality::Audio) {
            return Err(at(unread(instrument, &reads, Modality::Audio)));
        }
        let Some(mut file) = self.inner.files.read(request, waits).await.map_err(at)? else {
            return Ok(None);
        };
        let turns = file.read.interaction.turns();
        let characters: usize = turns.iter().map(|turn| turn.content.chars().count()).sum();
        if waits == Waits::Caller && (characters > MAX_CHARACTERS || turns.len() > MAX_SEGMENTS) {
            return Ok(None);
        }
        for (count, most, what) in
            [(characters, MAX_FILE_CHARACTERS, "characters"), (turns.len(), MAX_FILE_SEGMENTS, "turns")]
        {
            if count > most {
                let message = format!("the file has {count} {what}; the limit is {most}; give a part of it");
                return Err(Refusal::too_large(place, most, message));
            }
        }
        // A text in a file is a document for targets that read documents.
        if file.read.interaction.modality() == Modality::Text && reads.contains(&Modality::Document) {
            file.read.interaction = Interaction::document(&turns[0].content)?;
        }
        let modality = file.read.interaction.modality();
        if !reads.contains(&modality) {
            return Err(at(unread(instrument, &reads, modality)));
        }
        let mut interaction = file.read.interaction.clone();
        if let Some(label) = asked.label() {
            interaction = interaction.with_label(label);
        }
        Ok(Some(Subject { interaction, file: Some(Box::new(file)) }))
    }

    /// As [`Service::subject`], for requests that make no job.
    pub(crate) async fn subject_now(
        &self,
        org: &str,
        asked: &Asked<'_>,
        instrument: &Instrument,
    ) -> Result<Subject, Refusal> {
        self.subject(org, asked, instrument, Waits::Caller).await?.ok_or_else(|| {
            let message = format!(
                "the file is larger than {FILE_NOW} bytes, has more than {MAX_CHARACTERS} characters, is slow to fetch \
                 or is a recording; send it to `POST /api/v1/sense` or `/api/v1/sense/batch`, which make a job of it"
            );
            let place = format!("{}.url", asked.place());
            Refusal::too_large(place, FILE_NOW, message).because("file_needs_job")
        })
    }

    /// Whether a file may be fetched, as far as the request can tell.
    pub(crate) fn check_file(&self, asked: &Asked<'_>) -> Result<(), Refusal> {
        match asked.file()? {
            Some(request) => {
                let place = format!("{}.url", asked.place());
                self.inner.files.check(&request).map_err(|refusal| refusal.inside(&place))
            }
            None => Ok(()),
        }
    }

    /// The modalities that the service takes in.
    pub(crate) fn modalities(&self) -> Vec<&'static str> {
        let files = self.inner.files.modalities().iter().map(|modality| modality.as_str());
        ["text", "transcript"].into_iter().chain(files).collect()
    }
}

/// A file of a modality that the target does not read.
fn unread(instrument: &Instrument, reads: &[Modality], modality: Modality) -> Refusal {
    let names: Vec<&str> = reads.iter().map(|modality| modality.as_str()).collect();
    let fix = match modality {
        Modality::Document if reads.contains(&Modality::Text) => {
            "give its text as `content`, or use another target"
        }
        _ => "take another target",
    };
    let message = format!(
        "the {} `{}` reads {}, but the modality of the file is {}; {fix}",
        instrument.kind().as_str(),
        instrument.id(),
        names.join(" or "),
        modality.as_str()
    );
    Refusal::invalid("", message).because("modality_not_supported")
}
