//! Ordinary interactions: what is said where nothing is to be found. Nobody labelled them; a few may hold what is looked for.

use super::{Columns, DataFile, hexadecimal, read};
use crate::error::{Error, Place};
use sha2::{Digest, Sha256};
use sonometer::protocol::Modality;
use sonometer::text::fold::fold_to_lower;
use sonometer::{Interaction, Turn};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Ordinary interactions, to count false alarms on and to fit against.
#[derive(Clone, Debug)]
pub struct Background {
    /// The names of the files without their folders, or `background`.
    pub(crate) name: String,
    /// SHA-256 of the files one after the other; of interactions that are at hand, of a line of JSON for each.
    pub(crate) digest: String,
    pub(crate) talks: Arc<[Interaction]>,
}

/// A background as it is read for one question.
#[derive(Clone, Debug)]
pub(crate) struct Ordinary {
    /// How many turns a piece has.
    pub(crate) turns: usize,
    /// The pieces, each with the number of its talk, in order.
    pub(crate) pieces: Vec<(usize, Interaction)>,
    /// Every talk as a whole.
    pub(crate) talks: Vec<Interaction>,
}

/// Who is listened to, where not everybody is.
#[derive(Clone, Debug)]
pub(crate) struct Voice {
    /// The roles that are listened to, folded.
    pub(crate) by: BTreeSet<String>,
    /// Roles that mean somebody. A turn of any other role counts as one of the first of `by`: the other files name their sides
    /// otherwise, and an alarm too many is better than one that is missed.
    pub(crate) known: BTreeSet<String>,
}

impl Background {
    /// Interactions that are at hand.
    ///
    /// # Errors
    /// If there are none.
    pub fn new(interactions: impl IntoIterator<Item = Interaction>) -> Result<Self, Error> {
        let talks: Arc<[Interaction]> = interactions.into_iter().collect();
        let mut digest = Sha256::new();
        for talk in talks.iter() {
            let turns: Vec<_> =
                talk.turns().iter().map(|turn| (turn.role.as_deref(), &*turn.content)).collect();
            digest.update(format!("{}\n", serde_json::json!(turns)));
        }
        Self { name: "background".to_owned(), digest: hexadecimal(&digest.finalize()), talks }.expect()
    }

    /// Reads files, names and bytes: one JSON object a line, an interaction (`{"content": …}`) or one under `interaction`, as labelled
    /// items have it. Labels are of no concern.
    ///
    /// # Errors
    /// With line and column of the first line that is no interaction; if there are none.
    pub fn read<'b>(files: impl IntoIterator<Item = (&'b str, &'b [u8])>) -> Result<Self, Error> {
        Self::of(files.into_iter().map(|(name, bytes)| DataFile::lines(name, bytes)), &Columns::default())
    }

    /// Reads files of lines and tables, whose rows may have what is said in the column of the items or in a usual one.
    ///
    /// # Errors
    /// As [`Background::read`].
    pub fn of<'b>(files: impl IntoIterator<Item = DataFile<'b>>, columns: &Columns) -> Result<Self, Error> {
        let (mut names, mut talks, mut digest) = (Vec::new(), Vec::new(), Sha256::new());
        for file in files {
            digest.update(file.bytes);
            names.push(crate::fit::data::file_name(file.name).to_owned());
            talks.extend(read::interactions(file, columns)?);
        }
        Self { name: names.join(", "), digest: hexadecimal(&digest.finalize()), talks: talks.into() }.expect()
    }

    /// The same, each interaction made anew.
    pub fn map(self, remake: impl Fn(&Interaction) -> Interaction) -> Self {
        Self { talks: self.talks.iter().map(remake).collect(), ..self }
    }

    fn expect(self) -> Result<Self, Error> {
        match self.talks.is_empty() {
            true => Err(Error::at(Place::of("background"), "holds no interaction; give at least one")),
            false => Ok(self),
        }
    }

    /// Pieces of so many neighbouring turns, of which `voice` says something if it is given, and the talks.
    pub(crate) fn cut(&self, turns: usize, voice: Option<&Voice>) -> Result<Ordinary, Error> {
        let wrong = |error: sonometer::Error| Error::engine(Place::of(&self.name), &error);
        let mut ordinary =
            Ordinary { turns, pieces: Vec::new(), talks: Vec::with_capacity(self.talks.len()) };
        for (number, talk) in self.talks.iter().enumerate() {
            if talk.modality() != Modality::Transcript {
                ordinary.pieces.push((number, talk.clone()));
                ordinary.talks.push(talk.clone());
                continue;
            }
            let said: Vec<Turn> = talk.turns().iter().map(|turn| Voice::renamed(voice, turn)).collect();
            for piece in said.chunks(turns.max(1)) {
                if piece.iter().any(|turn| voice.is_none_or(|voice| voice.hears(turn))) {
                    let piece = Interaction::transcript(piece.to_vec()).map_err(wrong)?;
                    ordinary.pieces.push((number, piece));
                }
            }
            ordinary.talks.push(Interaction::transcript(said).map_err(wrong)?);
        }
        Ok(ordinary)
    }
}

impl Ordinary {
    /// The pieces without their talks.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Interaction> {
        self.pieces.iter().map(|(_, piece)| piece)
    }
}

impl Voice {
    /// Who says `by` among the roles of some interactions.
    pub(crate) fn of<'i>(
        by: &[String],
        interactions: impl IntoIterator<Item = &'i Interaction>,
    ) -> Option<Self> {
        let folded = |role: &str| fold_to_lower(role).trim().to_owned();
        let by: BTreeSet<String> = by.iter().map(|role| folded(role)).collect();
        let turns = interactions.into_iter().flat_map(Interaction::turns);
        let known = turns.filter_map(|turn| turn.role.as_deref().map(folded)).chain(by.clone()).collect();
        (!by.is_empty()).then_some(Self { by, known })
    }

    fn hears(&self, turn: &Turn) -> bool {
        turn.role.as_deref().is_some_and(|role| self.by.contains(fold_to_lower(role).trim()))
    }

    fn renamed(voice: Option<&Self>, turn: &Turn) -> Turn {
        let mut turn = turn.clone();
        if let Some(voice) = voice {
            let is_known =
                turn.role.as_deref().is_some_and(|role| voice.known.contains(fold_to_lower(role).trim()));
            if !is_known {
                turn.role = voice.by.first().map(|role| role.as_str().into());
            }
        }
        turn
    }
}

/// How many turns most interactions have: the median, the lower of two.
pub(crate) fn usual_turns<'i>(interactions: impl IntoIterator<Item = &'i Interaction>) -> usize {
    let mut turns: Vec<usize> =
        interactions.into_iter().map(|interaction| interaction.turns().len()).collect();
    turns.sort_unstable();
    turns.get(turns.len().saturating_sub(1) / 2).copied().unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TALKS: &str = r#"{"segments": [{"role": "user", "content": "a"}, {"role": "system", "content": "b"}, {"role": "user", "content": "c"}]}
{"id": 7, "interaction": {"content": "d"}, "labels": {"x": 1}}
"#;

    fn texts(ordinary: &Ordinary) -> Vec<(usize, String)> {
        let text =
            |talk: &Interaction| talk.turns().iter().map(|turn| &*turn.content).collect::<Vec<_>>().join("|");
        ordinary.pieces.iter().map(|(talk, piece)| (*talk, text(piece))).collect()
    }

    #[test]
    fn talks_are_cut_into_pieces() {
        let background = Background::read([("f/one.jsonl", TALKS.as_bytes())]).expect("reads");
        assert_eq!((background.name.as_str(), background.talks.len()), ("one.jsonl", 2));
        let cut = background.cut(2, None).expect("cuts");
        assert_eq!(texts(&cut), [(0, "a|b".into()), (0, "c".into()), (1, "d".into())]);
    }

    #[test]
    fn roles_that_nobody_knows_count_as_heard() {
        let background = Background::read([("one.jsonl", TALKS.as_bytes())]).expect("reads");
        let turn = |role: &str| Turn { role: Some(role.into()), content: "x".into(), timestamp: None };
        let item = Interaction::transcript(vec![turn("User"), turn("Assistant")]).expect("has roles");
        let voice = Voice::of(&["assistant".to_owned()], [&item]).expect("listens to somebody");
        let cut = background.cut(1, Some(&voice)).expect("cuts");
        assert_eq!(texts(&cut), [(0, "b".into()), (1, "d".into())]);
        assert_eq!(cut.pieces[0].1.turns()[0].role.as_deref(), Some("assistant"));
        assert_eq!(usual_turns([&item, &item]), 2);
    }

    #[test]
    fn errors_name_their_lines() {
        let error = Background::read([("b.jsonl", "{\"content\": \"x\"}\n{\"contant\": 1}".as_bytes())]);
        let message = error.expect_err("is no interaction").to_string();
        assert!(message.starts_with("b.jsonl:2"), "{message}");
        assert!(Background::new([]).is_err());
    }
}
