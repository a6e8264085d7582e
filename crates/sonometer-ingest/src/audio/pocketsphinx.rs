//! PocketSphinx by its program, with the English model that Debian packages. It runs anywhere and hears badly: good enough to
//! try things out.

use super::run::{find, run};
use super::transcriber::{Sound, Transcriber};
use super::transcript::{Segment, Transcript, Word, seconds, share};
use crate::Limits;
use crate::error::{ReadError, Reason};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const PROGRAM: &str = "pocketsphinx_continuous";
const MODEL: &str = "/usr/share/pocketsphinx/model/en-us";

/// The program `pocketsphinx_continuous` with a model of English (Debian: `pocketsphinx`, `pocketsphinx-en-us`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PocketSphinx {
    model: PathBuf,
    seconds: Option<u64>,
}

impl PocketSphinx {
    /// With the model in this folder (`en-us`, `en-us.lm.bin`, `cmudict-en-us.dict`); `None`: where Debian puts it.
    pub fn new(model: Option<&Path>) -> Self {
        Self { model: model.map_or_else(|| MODEL.into(), Path::to_owned), seconds: None }
    }

    /// The same with a limit for each channel, in seconds. Without one it is 60 seconds and ten times the length of the sound.
    #[must_use]
    pub fn within(self, seconds: u64) -> Self {
        Self { seconds: Some(seconds.max(1)), ..self }
    }

    fn has_model(&self) -> Result<(), ReadError> {
        if self.model.join("en-us").is_dir() {
            return Ok(());
        }
        let message =
            format!("no pocketsphinx model in {}; install `pocketsphinx-en-us`", self.model.display());
        Err(ReadError::new(Reason::Transcriber, "", message))
    }
}

impl Transcriber for PocketSphinx {
    fn name(&self) -> String {
        "pocketsphinx".to_owned()
    }

    fn ready(&self) -> Result<(), ReadError> {
        find(PROGRAM)?;
        self.has_model()
    }

    fn transcribe(&self, sound: &Sound<'_>, limits: &Limits) -> Result<Transcript, ReadError> {
        if let Some(language) = sound.language.filter(|language| !language.starts_with("en")) {
            let message =
                format!("pocketsphinx supports English only, not `{language}`; use another recogniser");
            return Err(ReadError::new(Reason::Hint, "language", message));
        }
        self.has_model()?;
        let mut command = Command::new(PROGRAM);
        command.arg("-hmm").arg(self.model.join("en-us"));
        command.arg("-lm").arg(self.model.join("en-us.lm.bin"));
        command.arg("-dict").arg(self.model.join("cmudict-en-us.dict"));
        command.arg("-infile").arg(sound.wav).args(["-time", "yes", "-logfn", "/dev/null"]);
        let length = u64::try_from(sound.seconds.0 / 1_000_000).unwrap_or(0);
        let limit = Duration::from_secs(self.seconds.unwrap_or(60 + 10 * length));
        let printed = run(command, limit, limits.text_bytes, sound.stop)?;
        Transcript { segments: read(&String::from_utf8_lossy(&printed))? }.tidied(limits.paragraphs)
    }
}

/// Utterances: a line of text, then a line for each word with its times and how sure it is.
fn read(printed: &str) -> Result<Vec<Segment>, ReadError> {
    let mut segments = Vec::new();
    let mut words: Vec<Word> = Vec::new();
    for line in printed.lines().map(Some).chain([None]) {
        let word = line.and_then(timed).transpose()?;
        match word {
            Some(Some(word)) => words.push(word),
            // Silence and noise within an utterance.
            Some(None) => {}
            // The text of the next one, or the end. It is what its words say.
            None => segments.extend(utterance(std::mem::take(&mut words))),
        }
    }
    Ok(segments)
}

/// A line `word start end share`; inner `None` for what is no word.
fn timed(line: &str) -> Option<Result<Option<Word>, ReadError>> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [text, start, end, sure] = fields[..] else { return None };
    let (Ok(start), Ok(end), Ok(sure)) = (start.parse::<f64>(), end.parse::<f64>(), sure.parse::<f64>())
    else {
        return None;
    };
    if text.starts_with(['<', '[', '+']) {
        return Some(Ok(None));
    }
    let word = || {
        // `the(2)` is another way to speak `the`.
        let text = text.split_once('(').map_or(text, |(text, _)| text).to_owned();
        Ok(Some(Word { text, start: seconds(start, "")?, end: seconds(end, "")?, confidence: share(sure) }))
    };
    Some(word())
}

fn utterance(words: Vec<Word>) -> Option<Segment> {
    let (start, end) = (words.first()?.start, words.last()?.end);
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    Some(Segment { start, end: Some(end), text: texts.join(" "), words, ..Segment::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::Unit;

    #[test]
    fn utterances_with_their_words() {
        let printed = "good morning\n<s> 0.500 0.610 1.000000\ngood 0.620 0.900 0.550000\nmorning(2) 0.910 1.400 0.000013\n\
                       <sil> 1.41 1.6 1.0002\n</s> 1.61 1.7 1.0\n\n<s> 3.0 3.1 1.0\n</s> 3.1 3.2 1.0\nbye\nbye 4.0 4.5 1.0002\n";
        let segments = read(printed).expect("is sound");
        let told: Vec<(&str, i64)> = segments.iter().map(|s| (s.text.as_str(), s.start.0)).collect();
        assert_eq!(told, [("good morning", 620_000), ("bye", 4_000_000)]);
        assert_eq!(segments[0].words[1].confidence, Some(Unit(13)));
        assert_eq!(segments[1].words[0].confidence, Some(Unit::ONE));
        assert!(read("").expect("is sound").is_empty());
    }
}
