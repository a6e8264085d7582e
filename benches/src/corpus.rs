//! The text that is measured on.

use crate::grammar;
use serde_json::Value;
use sonometer::protocol::Modality;
use sonometer::{Instrument, Interaction, Turn};
use std::path::{Path, PathBuf};

/// Files of dialogue, one JSON object a line, that are mixed item by item.
const FILES: [&str; 6] = ["casino", "adhominem", "uptake", "politeness", "convarg", "goemotions"];
/// Names the folder of these files where it is not beside the repository.
const FOLDER_VARIABLE: &str = "SONOMETER_BENCH_DATA";
/// What generated text is called.
const GENERATED: &str = "generated dialogues (no data folder at hand)";
/// Content bytes of the corpus that benchmarks run on.
pub const BYTES: usize = 4 << 20;

/// Interactions of natural size and where they come from.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// What the text is, in a few words.
    pub source: &'static str,
    /// The interactions, each with at least one turn.
    pub interactions: Vec<Interaction>,
}

impl Corpus {
    /// About `bytes` bytes of the dialogue files, repeated as needed; of the grammar where they are not at hand.
    pub fn load(bytes: usize) -> Self {
        match read_files(&folder()) {
            Some(items) if !items.is_empty() => {
                let mut missing = bytes as i64;
                let enough = items.iter().cycle().take_while(|item| {
                    let more = missing > 0;
                    missing -= size(item) as i64;
                    more
                });
                Self {
                    source: "real dialogues from the data folder",
                    interactions: enough.cloned().collect(),
                }
            }
            _ => Self::generated(bytes),
        }
    }

    /// About `bytes` bytes of the grammar, the same everywhere.
    pub fn generated(bytes: usize) -> Self {
        Self { source: GENERATED, interactions: grammar::conversations(bytes, 1) }
    }

    /// Whether it is no talk of people: other figures come out of it, so they are not to be held against those of real talk.
    pub fn is_generated(&self) -> bool {
        self.source == GENERATED
    }

    /// The content of every turn.
    pub fn turns(&self) -> impl Iterator<Item = &str> {
        self.interactions.iter().flat_map(|interaction| interaction.turns()).map(|turn| &*turn.content)
    }

    /// Bytes of content.
    pub fn bytes(&self) -> usize {
        self.turns().map(str::len).sum()
    }

    /// At most `count` messages of about `bytes` bytes, cut out of the corpus at white space.
    pub fn messages(&self, bytes: usize, count: usize) -> Vec<Interaction> {
        let mut messages = Vec::new();
        let mut open = String::new();
        for word in self.turns().flat_map(str::split_whitespace) {
            if !open.is_empty() && open.len() + 1 + word.len() > bytes {
                messages.push(Interaction::text(&open).expect("far below the largest content"));
                open.clear();
                if messages.len() == count {
                    break;
                }
            }
            if !open.is_empty() {
                open.push(' ');
            }
            open.push_str(word);
        }
        messages
    }
}

/// Bytes of content of one interaction.
pub fn size(interaction: &Interaction) -> usize {
    interaction.turns().iter().map(|turn| turn.content.len()).sum()
}

/// The bytes of a turn of [`for_instrument`], about: a few sentences.
const TURN: usize = 256;

/// Texts as an instrument reads them: as they are, or, by one that reads transcripts only, as turns of two sides.
pub fn for_instrument(instrument: &Instrument, texts: &[Interaction]) -> Vec<Interaction> {
    match instrument.modalities().contains(&Modality::Text) {
        true => texts.to_vec(),
        false => texts.iter().map(talk).collect(),
    }
}

fn talk(text: &Interaction) -> Interaction {
    let mut turns: Vec<Turn> = Vec::new();
    let mut rest: &str = &text.turns()[0].content;
    while !rest.is_empty() {
        let from =
            (TURN.min(rest.len())..rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
        let to = rest[from..].find(char::is_whitespace).map_or(rest.len(), |white| from + white + 1);
        let (content, later) = rest.split_at_checked(to).unwrap_or((rest, ""));
        let role = if turns.len().is_multiple_of(2) { "agent" } else { "customer" };
        turns.push(Turn { role: Some(role.into()), content: content.into(), timestamp: None });
        rest = later;
    }
    Interaction::transcript(turns).expect("each turn has a role")
}

fn folder() -> PathBuf {
    match std::env::var_os(FOLDER_VARIABLE) {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
    }
}

/// The items of all files in turns: the first of each, the second of each.
fn read_files(folder: &Path) -> Option<Vec<Interaction>> {
    let mut files = Vec::new();
    for name in FILES {
        let text = std::fs::read_to_string(folder.join(name).with_extension("jsonl")).ok()?;
        let items: Vec<Interaction> = text.lines().flat_map(interactions).collect();
        files.push(items.into_iter());
    }
    let mut mixed = Vec::new();
    loop {
        let before = mixed.len();
        mixed.extend(files.iter_mut().filter_map(Iterator::next));
        if mixed.len() == before {
            return Some(mixed);
        }
    }
}

fn interactions(line: &str) -> Vec<Interaction> {
    let Ok(item) = serde_json::from_str::<Value>(line) else { return Vec::new() };
    let keys = ["interaction", "interaction_a", "interaction_b"];
    keys.iter().filter_map(|key| interaction(item.get(key)?)).collect()
}

fn interaction(value: &Value) -> Option<Interaction> {
    if let Some(content) = value.get("content") {
        return Interaction::text(content.as_str()?).ok();
    }
    let turns = value.get("segments")?.as_array()?.iter().map(|segment| {
        let text = |key: &str| segment.get(key).and_then(Value::as_str);
        Some(Turn { role: text("role").map(Into::into), content: text("content")?.into(), timestamp: None })
    });
    Interaction::transcript(turns.collect::<Option<_>>()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_texts_pairs_and_transcripts() {
        let text = r#"{"interaction_a": {"content": "one"}, "interaction_b": {"content": "two"}}"#;
        assert_eq!(interactions(text).len(), 2);
        let talk = r#"{"interaction": {"segments": [{"role": "a", "content": "one"}, {"role": "b", "content": "two"}]}}"#;
        assert_eq!(interactions(talk)[0].turns()[1].role.as_deref(), Some("b"));
        assert!(interactions("no JSON").is_empty());
    }

    #[test]
    fn messages_are_nearly_as_long_as_asked_for() {
        let corpus = Corpus::generated(50_000);
        let messages = corpus.messages(1024, 20);
        assert_eq!(messages.len(), 20);
        assert!(messages.iter().all(|m| (900..=1024).contains(&size(m))));
    }
}
