//! The readers, by name: how each is called, what it begins with, whose words it knows.

use crate::wrapped;
use sonometer_ingest::audio::{Request, Words};
use sonometer_ingest::{
    Hints, Ingested, Kind, Limits, Quoted, ReadError, apart, audio, fuzzing, read_within,
};

/// What a reader made of bytes; `None` where it makes something else than an interaction.
pub(crate) type Outcome = Result<Option<Ingested>, ReadError>;

/// One way to read bytes.
#[derive(Debug)]
pub struct Reader {
    /// What `cargo xtask fuzz` calls it.
    pub name: &'static str,
    way: fn(&[u8], &Limits) -> Outcome,
    /// Source files whose literals are words of the format, from `sonometer-ingest/src`.
    pub(crate) sources: &'static [&'static str],
    /// Files of `fixtures` to begin with.
    pub(crate) fixtures: &'static [&'static str],
    /// The most bytes of an input.
    pub longest: usize,
    /// Packages that may panic: whoever calls them catches it. Of other panics none is meant to be caught.
    pub tolerates: &'static [&'static str],
    /// Whether what is read always holds text.
    pub(crate) tells_all: bool,
}

impl Reader {
    /// Reads within [`limits`].
    pub(crate) fn read(&self, bytes: &[u8]) -> Outcome {
        (self.way)(bytes, &limits())
    }

    /// Reads as whoever sets no limits does.
    pub(crate) fn read_widely(&self, bytes: &[u8]) -> Outcome {
        (self.way)(bytes, &Limits::default())
    }
}

/// The reader of that name.
pub fn named(name: &str) -> Option<&'static Reader> {
    READERS.iter().find(|reader| reader.name == name)
}

/// Small, so that what is beyond them can be met.
pub fn limits() -> Limits {
    Limits {
        file_bytes: 1 << 20,
        unpacked_bytes: 4 << 20,
        ratio: 100,
        entries: 50,
        depth: 64,
        cells: 400,
        pages: 5,
        paragraphs: 400,
        text_bytes: 6 << 10,
        audio_bytes: 1 << 20,
        audio_seconds: 20,
        channels: 4,
    }
}

fn by(bytes: &[u8], hints: Hints, limits: &Limits) -> Outcome {
    read_within(bytes, &hints, limits).map(Some)
}

fn of(kind: Kind) -> Hints {
    Hints { kind: Some(kind), builtin_pdf: true, ..Hints::default() }
}

/// The rest of the bytes, and the name that the first one picks, for what only a name tells apart.
fn with_name(bytes: &[u8], limits: &Limits) -> Outcome {
    const NAMES: [&str; 10] =
        ["", "a.txt", "a.md", "a.csv", "a.tsv", "a.json", "a.jsonl", "a.html", "a.eml", "a.vtt"];
    let Some((first, rest)) = bytes.split_first() else { return Ok(None) };
    let name = NAMES[usize::from(*first) % NAMES.len()];
    // Programs of others are readers of their own below. Not that of old workbooks: it takes whatever memory a file asks for.
    let kind = sonometer_ingest::sniff(rest, Some(name))?;
    let is_old_workbook = matches!(kind, Kind::Sheet) && !rest.starts_with(b"PK");
    if matches!(kind, Kind::Pdf) || is_old_workbook {
        return Ok(None);
    }
    by(rest, Hints { name: Some(name.to_owned()), ..Hints::default() }, limits)
}

/// A column is asked for where the first byte is odd.
fn table(bytes: &[u8], limits: &Limits) -> Outcome {
    let Some((first, rest)) = bytes.split_first() else { return Ok(None) };
    let mut hints = of(Kind::Csv);
    if first % 2 == 1 {
        hints.column = Some("said".to_owned());
        hints.role_column = (first % 4 == 3).then(|| "A".to_owned());
    }
    by(rest, hints, limits)
}

fn mail(bytes: &[u8], limits: &Limits) -> Outcome {
    let Some((first, rest)) = bytes.split_first() else { return Ok(None) };
    let quoted = if first % 2 == 1 { Quoted::Keep } else { Quoted::Cut };
    by(rest, Hints { quoted, ..of(Kind::Mail) }, limits)
}

fn pdf_lines(bytes: &[u8], limits: &Limits) -> Outcome {
    let Some((first, rest)) = bytes.split_first() else { return Ok(None) };
    let hints = Hints { turns: first % 2 == 1, ..of(Kind::Pdf) };
    fuzzing::pdf_lines(rest, &hints, limits).map(Some)
}

/// A recording with a transcript of no matter, then its samples through the frames between processes.
fn sound(bytes: &[u8], limits: &Limits) -> Outcome {
    let frames = fuzzing::decoded(bytes, limits);
    match fuzzing::sound(&frames, limits) {
        Ok((channels, count)) => {
            assert!((1..=limits.channels).contains(&channels), "channels beyond the limit: {channels}");
            let seconds = count * channels as u64 / 16_000;
            // What the resampler holds back comes on top.
            assert!(seconds <= limits.audio_seconds + 1, "seconds beyond the limit: {seconds}");
            Ok(None)
        }
        Err(failure) => {
            assert!(
                failure.reason != sonometer_ingest::Reason::Internal,
                "frames that make no sense: {failure}"
            );
            Err(failure)
        }
    }
}

/// Half a second of nothing, since every transcript needs a recording.
fn silence() -> Vec<u8> {
    let mut file =
        b"RIFF\x64\x1f\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\x40\x1f\0\0"
            .to_vec();
    file.resize(44 + 8_000, 0);
    file
}

/// A transcript, and behind `0xff` the speakers, if there are any.
fn transcript(bytes: &[u8], limits: &Limits) -> Outcome {
    let mut parts = bytes.splitn(2, |byte| *byte == 0xff);
    let (words, speakers) = (parts.next().unwrap_or_default(), parts.next());
    let budget = apart::Budget { limits: *limits, ..apart::Budget::default() };
    let request = Request { speakers, budget, ..Request::new(Words::Given(words)) };
    audio::read(&silence(), &of(Kind::Audio), &request).map(Some)
}

/// What a recogniser printed: it becomes the same again from its canonical form.
fn recognised(bytes: &[u8], limits: &Limits) -> Outcome {
    let read = audio::Transcript::of_recogniser(bytes, "it", limits)?;
    let json = read.to_json();
    if json.len() <= limits.text_bytes && !read.segments.is_empty() {
        let again = audio::Transcript::of_recogniser(json.as_bytes(), "it", limits);
        assert!(
            again.as_ref().is_ok_and(|again| again.to_json() == json),
            "another canonical form: {json} {again:?}"
        );
    }
    Ok(None)
}

fn kept(bytes: &[u8], _: &Limits) -> Outcome {
    Ingested::from_json(&String::from_utf8_lossy(bytes)).map(Some)
}

fn frames(bytes: &[u8], limits: &Limits) -> Outcome {
    fuzzing::sound(bytes, limits).map(|_| None)
}

const PDF: &[&str] =
    &["pdf-extract", "lopdf", "adobe-cmap-parser", "type1-encoding-parser", "cff-parser", "postscript"];
const SOUND: &[&str] = &["symphonia", "opus-decoder"];

macro_rules! readers {
    ($($name:literal: $way:expr, [$($source:literal),*], [$($fixture:literal),*], $longest:expr, $tolerates:expr, $tells_all:literal;)*) => {
        /// All of them.
        pub const READERS: &[Reader] = &[$(Reader {
            name: $name,
            way: $way,
            sources: &[$($source),*],
            fixtures: &[$($fixture),*],
            longest: $longest,
            tolerates: $tolerates,
            tells_all: $tells_all,
        }),*];
    };
}

readers! {
    "any": with_name, ["sniff.rs", "text.rs"], ["documents"], 16 << 10, &[], true;
    "text": |bytes, limits| by(bytes, of(Kind::Text), limits), ["text.rs"], ["documents/sources"], 4 << 10, &[], true;
    "turns": |bytes, limits| by(bytes, of(Kind::Turns), limits), ["format/turns.rs", "format/captions.rs", "draft.rs"], ["documents/sources"], 4 << 10, &[], true;
    "timed": |bytes, limits| by(bytes, of(Kind::Timed), limits), ["format/timed.rs"], ["documents/talk-timed.txt"], 4 << 10, &[], true;
    "vtt": |bytes, limits| by(bytes, of(Kind::Vtt), limits), ["format/captions.rs"], ["documents/talk.vtt", "audio/call.vtt"], 4 << 10, &[], true;
    "srt": |bytes, limits| by(bytes, of(Kind::Srt), limits), ["format/captions.rs"], ["documents/talk.vtt"], 4 << 10, &[], true;
    "whatsapp": |bytes, limits| by(bytes, of(Kind::WhatsApp), limits), ["format/whatsapp.rs", "moment.rs"], ["documents/talk-whatsapp.txt"], 4 << 10, &[], true;
    "chat": |bytes, limits| by(bytes, of(Kind::Chat), limits), ["format/chat.rs", "moment.rs"], ["documents/talk-messages.json"], 8 << 10, &[], true;
    "speech": |bytes, limits| by(bytes, of(Kind::Speech), limits), ["audio/services.rs", "audio/forms.rs"], ["documents/talk-speech.json"], 8 << 10, &[], true;
    "json": |bytes, limits| by(bytes, of(Kind::Json), limits), ["format/interaction.rs"], ["documents/talk.json", "interactions"], 8 << 10, &[], false;
    "html": |bytes, limits| by(bytes, of(Kind::Html), limits), ["format/html.rs"], [], 8 << 10, &[], true;
    "markdown": |bytes, limits| by(bytes, of(Kind::Markdown), limits), ["format/markdown.rs", "format/html.rs"], ["literate"], 8 << 10, &[], true;
    "rtf": |bytes, limits| by(bytes, of(Kind::Rtf), limits), ["format/rtf.rs"], ["documents/report.rtf"], 16 << 10, &[], true;
    "mail": mail, ["format/mail.rs"], ["documents/talk.mbox"], 8 << 10, &[], true;
    "csv": table, ["format/csv.rs", "format/table.rs"], ["documents/sources/visits.csv"], 8 << 10, &[], true;
    "docx": |bytes, limits| by(bytes, of(Kind::Docx), limits), ["format/archive.rs"], ["documents/report.docx", "documents/talk.docx"], 16 << 10, &[], true;
    "docx-parts": |bytes, limits| by(&wrapped::docx(bytes), of(Kind::Docx), limits), ["format/docx.rs"], ["documents/report.docx", "documents/talk.docx"], 32 << 10, &[], true;
    "odt": |bytes, limits| by(bytes, of(Kind::Odt), limits), ["format/archive.rs"], ["documents/report.odt"], 32 << 10, &[], true;
    "odt-parts": |bytes, limits| by(&wrapped::odt(bytes), of(Kind::Odt), limits), ["format/odt.rs"], ["documents/report.odt"], 32 << 10, &[], true;
    "sheet": |bytes, limits| by(bytes, of(Kind::Sheet), limits), ["format/sheet.rs"], ["documents/visits.xlsx"], 16 << 10, &[], true;
    "sheet-parts": |bytes, limits| by(&wrapped::xlsx(bytes), of(Kind::Sheet), limits), ["format/sheet.rs"], ["documents/visits.xlsx"], 16 << 10, &[], true;
    "ods-parts": |bytes, limits| by(&wrapped::ods(bytes), of(Kind::Sheet), limits), ["format/odt.rs", "format/sheet.rs"], [], 16 << 10, &[], true;
    "pdf": |bytes, limits| by(bytes, of(Kind::Pdf), limits), [], ["documents/talk.pdf"], 32 << 10, PDF, true;
    "pdf-lines": pdf_lines, ["format/pdf/poppler.rs", "format/pdf/layout.rs", "format/pdf/tidy.rs"], [], 16 << 10, &[], true;
    "wav": sound, [], ["audio/sentence-mulaw.wav", "audio/sentence.wav"], 8 << 10, SOUND, true;
    "mp3": sound, [], ["audio/sentence.mp3"], 8 << 10, SOUND, true;
    "flac": sound, [], ["audio/sentence.flac"], 16 << 10, SOUND, true;
    "ogg": sound, [], ["audio/sentence.ogg"], 10 << 10, SOUND, true;
    "opus": sound, [], ["audio/sentence.opus"], 8 << 10, SOUND, true;
    "m4a": sound, [], ["audio/sentence.m4a"], 10 << 10, SOUND, true;
    "aac": sound, [], ["audio/sentence.aac"], 8 << 10, SOUND, true;
    "webm": sound, [], ["audio/sentence.webm"], 16 << 10, SOUND, true;
    "aiff": sound, [], ["audio/sentence.aiff"], 40 << 10, SOUND, true;
    "transcript": transcript, ["audio/forms.rs", "audio/rttm.rs", "format/captions.rs"], ["audio/call.vtt"], 8 << 10, &[], true;
    "recognised": recognised, ["audio/forms.rs", "format/captions.rs"], ["audio/call.vtt"], 8 << 10, &[], true;
    "answer": |bytes, _| fuzzing::answer(bytes).map(Some), ["wire.rs", "map.rs"], [], 4 << 10, &[], false;
    "kept": kept, ["kept.rs", "wire.rs", "map.rs"], [], 4 << 10, &[], false;
    "frames": frames, ["audio/stream.rs"], [], 4 << 10, &[], true;
}
