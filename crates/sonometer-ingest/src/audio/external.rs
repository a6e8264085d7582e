//! A recogniser that is a program of the caller's choice.

use super::run::{find, run};
use super::transcriber::{Sound, Transcriber};
use super::transcript::Transcript;
use crate::Limits;
use crate::error::{ReadError, Reason};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A program that takes a WAV file and prints a transcript: JSON of ours, of whisper, whisper.cpp or vosk, WebVTT or SubRip.
///
/// ```
/// use sonometer_ingest::audio::External;
///
/// assert!(External::new("recognise --language {language} {wav}").is_ok());
/// assert!(External::new("whisper {wav} --output_format json --output_dir {folder}").is_ok());
/// assert!(External::new("recognise").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    words: Vec<String>,
    seconds: Option<u64>,
}

const PLACES: &str = "`{wav}` (the sound), `{folder}` (an empty folder; what is written there is read in place of the output), \
                      `{out}` (the beginning of a name in it), `{language}`, `{channel}`";

impl External {
    /// A command line. It is parted at white space, as a shell does it with quotes and backslashes, and nothing else of a shell
    /// is done. `{wav}` stands for the sound; there may be `{folder}`, `{out}`, `{language}` and `{channel}`.
    ///
    /// # Errors
    /// `hint` for a command without `{wav}`, an unknown place in braces, or an open quote.
    pub fn new(line: &str) -> Result<Self, ReadError> {
        let hint = |message: String| ReadError::new(Reason::Hint, "transcriber", message);
        let Some(words) = parted(line) else {
            return Err(hint(format!("a quote is not closed in `{line}`; close it")));
        };
        if words.is_empty() {
            return Err(hint("the command is empty; write for example `recognise {wav}`".to_owned()));
        }
        if !words.iter().any(|word| word.contains("{wav}")) {
            return Err(hint(format!(
                "`{line}` has no `{{wav}}` placeholder; write `{{wav}}` for the file of the sound"
            )));
        }
        for word in &words {
            for (at, _) in word.match_indices('{') {
                let name = word[at..].find('}').map(|end| &word[at..=at + end]);
                let is_known = name.is_none_or(|name| {
                    ["{wav}", "{folder}", "{out}", "{language}", "{channel}"].contains(&name)
                });
                // Braces of other uses stay as they are, as long as they hold no bare word.
                let is_word =
                    name.is_some_and(|name| name[1..name.len() - 1].bytes().all(|b| b.is_ascii_lowercase()));
                if !is_known && is_word {
                    return Err(hint(format!(
                        "unknown placeholder `{}`; placeholders: {PLACES}",
                        name.unwrap_or_default()
                    )));
                }
            }
        }
        Ok(Self { words, seconds: None })
    }

    /// The same with a limit for each channel, in seconds. Without one it is 60 seconds and four times the length of the sound.
    #[must_use]
    pub fn within(self, seconds: u64) -> Self {
        Self { seconds: Some(seconds.max(1)), ..self }
    }
}

impl Transcriber for External {
    fn name(&self) -> String {
        let program = Path::new(&self.words[0]).file_name();
        program.map_or_else(|| self.words[0].clone(), |name| name.to_string_lossy().into_owned())
    }

    fn ready(&self) -> Result<(), ReadError> {
        match self.words.first() {
            Some(program) if !program.contains('{') => find(program),
            _ => Ok(()),
        }
    }

    fn transcribe(&self, sound: &Sound<'_>, limits: &Limits) -> Result<Transcript, ReadError> {
        let uses = |place: &str| self.words.iter().any(|word| word.contains(place));
        if uses("{language}") && sound.language.is_none() {
            let message = "the command uses `{language}`, but no language is given; give one, such as `en`";
            return Err(ReadError::new(Reason::Hint, "transcriber", message));
        }
        let is_plain = |language: &str| language.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if let Some(language) = sound.language.filter(|language| !is_plain(language)) {
            let message = format!("`{language}` is not a language code; write for example `en` or `pt-BR`");
            return Err(ReadError::new(Reason::Hint, "language", message));
        }
        let out = sound.folder.join("transcript");
        let channel = sound.channel.unwrap_or(1).to_string();
        let mut words = self.words.iter().map(|word| {
            word.replace("{wav}", &sound.wav.to_string_lossy())
                .replace("{folder}", &sound.folder.to_string_lossy())
                .replace("{out}", &out.to_string_lossy())
                .replace("{language}", sound.language.unwrap_or_default())
                .replace("{channel}", &channel)
        });
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        let length = u64::try_from(sound.seconds.0 / 1_000_000).unwrap_or(0);
        let limit = Duration::from_secs(self.seconds.unwrap_or(60 + 4 * length));
        let printed = run(command, limit, limits.text_bytes, sound.stop)?;
        let (text, from) = if uses("{folder}") || uses("{out}") {
            (written(sound.folder, limits)?, "wrote")
        } else {
            (printed, "printed")
        };
        Transcript::of_recogniser(&text, &format!("what `{}` {from}", self.name()), limits)
    }
}

/// The transcript in the folder: JSON first, since it says the most.
fn written(folder: &Path, limits: &Limits) -> Result<Vec<u8>, ReadError> {
    let failed = |why: String| ReadError::new(Reason::Transcriber, "", why);
    let entries =
        std::fs::read_dir(folder).map_err(|error| failed(format!("its folder was removed ({error})")))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    for wanted in ["json", "vtt", "srt"] {
        let is_wanted =
            |path: &&PathBuf| path.extension().is_some_and(|end| end.eq_ignore_ascii_case(wanted));
        if let Some(path) = files.iter().find(is_wanted) {
            let size = std::fs::metadata(path).map_or(0, |data| data.len());
            if size > limits.text_bytes as u64 {
                return Err(ReadError::too_large(
                    "",
                    "the recogniser wrote too many bytes",
                    limits.text_bytes,
                ));
            }
            return std::fs::read(path)
                .map_err(|error| failed(format!("the output of the recogniser cannot be read ({error})")));
        }
    }
    Err(failed(
        "the recogniser wrote no .json, .vtt or .srt file into its folder; check the command".to_owned(),
    ))
}

/// The words of a command line; `None` where a quote is open.
fn parted(line: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => {
                let next = letters.next()?;
                word.get_or_insert_default().push(next);
            }
            (_, Some(open)) if letter == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (_, None) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_parted_like_those_of_a_shell() {
        let parted = |line: &str| parted(line).unwrap_or_else(|| vec!["open".into()]);
        assert_eq!(parted(r#"a "b c" 'd "e"' f\ g "" "#), ["a", "b c", "d \"e\"", "f g", ""]);
        assert_eq!(parted("a 'b"), ["open"]);
        assert_eq!(parted("  "), Vec::<String>::new());
    }

    #[test]
    fn commands_are_looked_at_before_they_run() {
        let refusal = |line: &str| External::new(line).expect_err(line).to_string();
        assert!(refusal("asr").contains("{wav}"));
        assert!(refusal("asr {wav} {file}").contains("{folder}"));
        assert!(refusal("asr {wav} 'x").contains("quote"));
        assert!(External::new(r#"asr {wav} --prompt '{"a": 1}'"#).is_ok());
        let ready = |line: &str| External::new(line).expect("is sound").ready();
        assert!(ready("sh -c true {wav}").is_ok() && ready("{wav}").is_ok());
        for line in ["no-such-recogniser {wav}", "./no-such-recogniser {wav}", "/ {wav}"] {
            let told = ready(line).map_err(|error| error.error.message);
            assert_eq!(told.is_err(), cfg!(unix), "{line}");
        }
        assert_eq!(External::new("/opt/asr/bin/asr {wav}").expect("is sound").name(), "asr");
    }
}
