//! What can be chosen of a fit.

use super::candidates::{self, Choice};
use super::data::file_name;
use super::form::Form;
use super::kinds::Kind;
use super::measure::Aim;
use super::protocol_file::ProtocolFile;
use super::write::Frame;
use crate::error::{Error, Place};
use crate::evaluate::thresholds::ALARMS;
use crate::labels::{Background, Ordinary, Voice, usual_turns};
use sonometer::language::Language;
use sonometer::protocol::{Repeat, Scope, Taxonomy, phrase};
use sonometer::text::fold::fold_to_lower;
use sonometer::{Interaction, Unit, language};
use std::collections::BTreeSet;
use std::fmt;

/// The costs of errors that are tried where none are named.
const COSTS: [f64; 6] = [0.003, 0.01, 0.03, 0.1, 0.3, 1.0];

/// What can be chosen of a fit; the default is that of the command.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The label of the marker.
    pub marker: String,
    /// The id of the protocol; without it, the marker's label.
    pub id: Option<String>,
    /// The version of the protocol; without it, `0.1`.
    pub version: Option<String>,
    /// The family of the protocol; without it, `Signal`.
    pub taxonomy: Option<Taxonomy>,
    /// The language of the texts, where the engine knows it (`en`); for [`fit_languages`](super::fit_languages) it does not matter.
    pub language: Option<String>,
    /// The language of all texts, where items in others were left out; only the head of the file says it.
    pub texts_in: Option<String>,
    /// The fidelity from which content is measured; without it, that of protocols, 0.5.
    pub sufficient: Option<Unit>,
    /// The role whose turns count; without it, every turn.
    pub by: Option<String>,
    /// Whether the label is a list, one value a turn: every labelled turn is an example of its own.
    pub turns: bool,
    /// The turns that the list is asked of at a time, `Some(None)` for the whole interaction; without it, one with `turns`, else the
    /// whole.
    pub scope: Option<Option<Scope>>,
    /// The most words of a pattern, 1 to [`MOST_WORDS`](super::MOST_WORDS).
    pub words: u8,
    /// The fewest letters of a pattern that is the beginning of a word (`guarante*`), at most 8; 0: no such patterns.
    pub prefix: u8,
    /// In how many items of one class a pattern must occur.
    pub support: usize,
    /// The most lines.
    pub size: usize,
    /// What later matches of a line add.
    pub repeat: Repeat,
    /// The costs of errors, against which large weights are held, that are chosen among by folds.
    pub regularisation: Vec<f64>,
    /// Whether both classes weigh the same, however rare one is.
    pub balanced: bool,
    /// How many parts the items are divided into, 2 to 100.
    pub folds: u16,
    /// Whether near-duplicates and texts of one template stay in one part, whatever their groups.
    pub likeness: bool,
    /// What the threshold is chosen for.
    pub aim: Aim,
    /// Ordinary interactions, learnt as negatives of little weight, and to count alarms on.
    pub background: Option<Background>,
    /// The share of pieces of the background that may be alarms; without it, 0.005.
    pub alarms: Option<Unit>,
    /// Words that are no pattern alone or among themselves.
    pub stop_list: Option<StopList>,
    /// Further pattern lines to choose from: the name of the file, and its text, one a line.
    pub patterns: Option<(String, String)>,
    /// A protocol whose lines and lists are candidates too, and into which the marker is written: the one of its label, or a new one.
    pub protocol: Option<ProtocolFile>,
    /// Whether names are patterns too: English words that are mostly written with a capital inside sentences.
    pub names: bool,
    /// Whether digits are taken as they are, not as `<number>`.
    pub digits: bool,
    /// Kinds of lines to choose from beside words, beginnings of words, and runs of words.
    pub kinds: Vec<Kind>,
    /// Whether the report holds what the model is fitted to.
    pub features: bool,
}

/// What can be chosen of tuning; the default is that of the command.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// The label of the marker; may be left away where there is one only.
    pub marker: Option<String>,
    /// Whether every pattern line gets a weight of its own.
    pub weigh: bool,
    /// As [`Settings::turns`].
    pub turns: bool,
    /// As [`Settings::regularisation`]; only for weights.
    pub regularisation: Vec<f64>,
    /// As [`Settings::balanced`]; only for weights.
    pub balanced: bool,
    /// As [`Settings::folds`].
    pub folds: u16,
    /// As [`Settings::likeness`].
    pub likeness: bool,
    /// As [`Settings::aim`].
    pub aim: Aim,
}

/// Words that are no pattern alone or among themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopList {
    /// The function words of the language.
    FunctionWords,
    /// Those of a file: its name, and its text, one or several a line.
    Words(String, String),
}

impl Settings {
    /// The settings of the command for a marker.
    pub fn of(marker: impl Into<String>) -> Self {
        Self {
            marker: marker.into(),
            id: None,
            version: None,
            taxonomy: None,
            language: None,
            texts_in: None,
            sufficient: None,
            by: None,
            turns: false,
            scope: None,
            words: 2,
            prefix: 4,
            support: 3,
            size: 2_000,
            repeat: Repeat::Once,
            regularisation: COSTS.to_vec(),
            balanced: false,
            folds: 5,
            likeness: true,
            aim: Aim::default(),
            background: None,
            alarms: None,
            stop_list: None,
            patterns: None,
            protocol: None,
            names: false,
            digits: false,
            kinds: Kind::DEFAULT.to_vec(),
            features: false,
        }
    }

    pub(super) fn frame(&self) -> Result<Frame, Error> {
        let label = self.marker.clone();
        let id = self.id.clone().unwrap_or_else(|| label.clone());
        for (option, value) in [("--marker", &label), ("--id", &id)] {
            let is_identifier = (1..=64).contains(&value.len())
                && value
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_'));
            if !is_identifier {
                return Err(Error::unusable(format!(
                    "{option}: `{value}` is not an identifier; use 1 to 64 lower-case letters, digits, `-` and `_`"
                )));
            }
        }
        if let Some(code) = self.language.as_deref().filter(|code| language::find(code).is_none()) {
            let known: Vec<&str> = language::LANGUAGES.iter().map(|language| language.code).collect();
            return Err(Error::unusable(format!(
                "--language: unsupported language `{code}`; use one of {}, or leave it out",
                known.join(", ")
            )));
        }
        for (option, value, least, most) in [
            ("--words", self.words.into(), 1, candidates::MOST_WORDS),
            ("--prefix", self.prefix.into(), 0, candidates::LONGEST_PREFIX),
            ("--folds", self.folds.into(), 2, MOST_FOLDS),
        ] {
            expect_between(option, value, least, most)?;
        }
        if self.size == 0 {
            return Err(Error::unusable("--size: 0 lines are no list; write 1 or more"));
        }
        if self.alarms.is_some() && self.background.is_none() {
            return Err(Error::unusable(
                "--alarms needs --background, ordinary interactions to count them on",
            ));
        }
        Ok(Frame {
            id,
            version: self.version.clone().unwrap_or_else(|| "0.1".to_owned()),
            taxonomy: self.taxonomy.unwrap_or(Taxonomy::Signal).as_str(),
            language: self.language.clone(),
            label,
            by: self.by.clone(),
            sufficient: self.sufficient,
            repeat: self.repeat,
            scope: self.asked_of(),
        })
    }

    /// The turns that the list is asked of at a time.
    fn asked_of(&self) -> Option<Scope> {
        self.scope.unwrap_or(self.turns.then_some(Scope { turns: 1, is_last: false }))
    }

    /// Where the list is written. A protocol of an author keeps what it says of itself.
    pub(super) fn form(&self) -> Result<Form, Error> {
        let frame = self.frame()?;
        let Some(file) = &self.protocol else { return Ok(Form::New(frame)) };
        let given = [
            ("--taxonomy", self.taxonomy.is_some()),
            ("--language", self.language.is_some()),
            ("--sufficient", self.sufficient.is_some()),
        ];
        if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
            return Err(Self::of_protocol(option, file));
        }
        let id = self.id.iter().map(|id| ("id", id.clone()));
        let version =
            self.version.iter().map(|own| ("version", serde_json::Value::from(own.as_str()).to_string()));
        Form::of(frame, Some(file), &id.chain(version).collect::<Vec<_>>())
    }

    /// What is said where a protocol says itself what an option would.
    pub(super) fn of_protocol(option: &str, file: &ProtocolFile) -> Error {
        let name = &file.name;
        Error::unusable(format!(
            "{option} is that of the protocol {name}, into which the marker is written; change it there, and remove {option}"
        ))
    }

    /// The settings of one marker of a choice.
    pub(super) fn of_class(&self, class: &str, label: &str) -> Self {
        let marker = match self.marker.as_str() {
            "" => identifier(class),
            prefix => format!("{prefix}-{}", identifier(class)),
        };
        // The label as asked for, without what is said of the choice of items.
        let label = label.split(", ").next().unwrap_or_default();
        let name = if self.marker.is_empty() { identifier(label) } else { self.marker.clone() };
        let id =
            if self.protocol.is_some() { self.id.clone() } else { Some(self.id.clone().unwrap_or(name)) };
        Self { marker, id, ..self.clone() }
    }

    /// Fails on what means nothing where one of several classes holds.
    pub(super) fn expect_choice(&self) -> Result<(), Error> {
        if self.background.is_some() {
            let fix = "one of the values always holds, so ordinary talk is none of them; remove it, or fit one value with --positive";
            return Err(Error::unusable(format!("--background does not apply to --choice: {fix}")));
        }
        match self.features {
            true => Err(Error::unusable(
                "--export-features does not apply to --choice; remove it, or fit one value with --positive",
            )),
            false => Ok(()),
        }
    }

    /// Fails on what means nothing where pairs are ranked.
    pub(super) fn expect_pairs(&self) -> Result<(), Error> {
        let given = [
            ("--background", self.background.is_some()),
            ("--turns", self.turns),
            ("--balanced", self.balanced),
            ("--export-features", self.features),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(Error::unusable(format!("{option} does not apply to pairs; remove it"))),
            None => Ok(()),
        }
    }

    /// The share of alarms that is allowed.
    pub(super) fn limit(&self) -> Unit {
        self.alarms.unwrap_or(ALARMS)
    }

    /// The background in pieces that are as long as most items.
    pub(super) fn ordinary(
        &self,
        interactions: &[&Interaction],
        heard: Option<&BTreeSet<String>>,
    ) -> Result<Option<Ordinary>, Error> {
        let own = || interactions.iter().copied();
        let by: Vec<String> = heard.into_iter().flatten().cloned().collect();
        let voice = Voice::of(&by, own());
        let background = self.background.as_ref();
        background.map(|background| background.cut(usual_turns(own()), voice.as_ref())).transpose()
    }

    /// Fails on kinds of lines that the file cannot hold.
    fn expect_kinds(&self, form: &Form, language: Option<&'static Language>) -> Result<(), Error> {
        if !self.kinds.contains(&Kind::Negation) {
            return Ok(());
        }
        let problem = match (form, language) {
            (Form::New(_), Some(_)) => return Ok(()),
            (Form::New(_), None) => "needs --language, which says what negates; give it, or remove negation",
            (Form::Written(_), _) => {
                "does not apply to the protocol of --patterns; write `negation: drop` into its marker, or remove negation"
            }
        };
        Err(Error::unusable(format!("--features negation {problem}")))
    }

    /// The candidates: those of the texts, and those that the author gives.
    pub(super) fn patterns(
        &self,
        form: &Form,
        heard: Option<&BTreeSet<String>>,
        interactions: &[&Interaction],
    ) -> Result<Vec<String>, Error> {
        let language = form.language().and_then(language::find);
        self.expect_kinds(form, language)?;
        let stop_list = match (&self.stop_list, language) {
            (None, _) => BTreeSet::new(),
            (Some(StopList::FunctionWords), Some(language)) => {
                language.function_words.iter().map(str::to_owned).collect()
            }
            (Some(StopList::FunctionWords), None) => {
                return Err(Error::unusable("--stop-list function-words needs --language"));
            }
            (Some(StopList::Words(_, text)), _) => candidates::stop_words(text),
        };
        let choice = Choice {
            words: usize::from(self.words),
            prefix: usize::from(self.prefix),
            support: self.support.max(1),
            by: heard.cloned(),
            language,
            names: self.names,
            digits: self.digits,
            kinds: self.kinds.clone(),
            stop_list,
        };
        let mut patterns = candidates::find(interactions, &choice);
        if let Some((name, text)) = &self.patterns {
            let known: BTreeSet<String> = patterns.iter().cloned().collect();
            let own = own_patterns(name, text, language)?.into_iter();
            patterns.splice(0..0, own.filter(|pattern| !known.contains(pattern)));
        }
        let by_hand = form.patterns();
        let known: BTreeSet<String> = by_hand.iter().map(|pattern| fold_to_lower(pattern)).collect();
        // What a person wrote stands as that person wrote it; a word of the data that says the same adds nothing.
        patterns.retain(|pattern| !known.contains(&fold_to_lower(pattern)) && !form.excludes(pattern));
        patterns.splice(0..0, by_hand);
        Ok(patterns)
    }
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            marker: None,
            weigh: false,
            turns: false,
            regularisation: COSTS.to_vec(),
            balanced: false,
            folds: 5,
            likeness: true,
            aim: Aim::default(),
        }
    }
}

/// A text as an identifier: what cannot stand in one becomes `_`.
pub(super) fn identifier(text: &str) -> String {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    text.chars().flat_map(char::to_lowercase).map(|c| if allowed(c) { c } else { '_' }).collect()
}

/// More parts than this would leave few items in each.
const MOST_FOLDS: usize = 100;

impl Tuning {
    pub(super) fn expect(&self) -> Result<(), Error> {
        expect_between("--folds", self.folds.into(), 2, MOST_FOLDS)
    }
}

fn expect_between(option: &str, value: usize, least: usize, most: usize) -> Result<(), Error> {
    match (least..=most).contains(&value) {
        true => Ok(()),
        false => Err(Error::unusable(format!("{option}: {value} is not between {least} and {most}"))),
    }
}

/// The pattern lines of a file, each once.
fn own_patterns(name: &str, text: &str, language: Option<&'static Language>) -> Result<Vec<String>, Error> {
    let context =
        phrase::Context { list: &|_| None, names: &[], stem: language.and_then(|language| language.stem) };
    let mut patterns: Vec<String> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let (pattern, _) = phrase::strip_comment(line);
        if pattern.is_empty() || patterns.iter().any(|known| known == pattern) {
            continue;
        }
        phrase::parse(pattern, &context).map_err(|error| {
            let place = Place { line: Some(number), ..Place::of(name) };
            Error::at(place, format!("`{pattern}`: {}; {}", error.message, error.fix))
        })?;
        patterns.push(pattern.to_owned());
    }
    Ok(patterns)
}

/// Costs that can be meant, ascending, each once.
pub(super) fn costs(given: &[f64]) -> Result<Vec<f64>, Error> {
    let mut costs = given.to_vec();
    if let Some(bad) = costs.iter().find(|cost| !(1e-6..=1e6).contains(*cost)) {
        return Err(Error::unusable(format!(
            "--regularisation: `{bad}` is not between 0.000001 and 1000000"
        )));
    }
    if costs.is_empty() {
        return Err(Error::unusable("--regularisation: no value given; write at least one number"));
    }
    costs.sort_by(f64::total_cmp);
    costs.dedup();
    Ok(costs)
}

/// What was asked for, in one order and without the names of folders.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "words {}, prefix {}, support {}, size {}, repeat {}",
            self.words,
            self.prefix,
            self.support,
            self.size,
            self.repeat.as_str()
        )?;
        if !self.kinds.is_empty() {
            let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.as_str()).collect();
            write!(f, ", features {}", kinds.join(" "))?;
        }
        let spoken = [("by", &self.by), ("language", &self.language), ("texts in", &self.texts_in)];
        for (name, value) in spoken {
            if let Some(value) = value {
                write!(f, ", {name} {value}")?;
            }
        }
        if let Some(scope) = self.asked_of() {
            write!(f, ", scope {scope}")?;
        }
        if let Some(sufficient) = self.sufficient {
            write!(f, ", sufficient {sufficient}")?;
        }
        match &self.stop_list {
            None => {}
            Some(StopList::FunctionWords) => f.write_str(", stop list function-words")?,
            Some(StopList::Words(name, _)) => write!(f, ", stop list {}", file_name(name))?,
        }
        if let Some((name, _)) = &self.patterns {
            write!(f, ", patterns of {}", file_name(name))?;
        }
        if let Some(file) = &self.protocol {
            write!(f, ", protocol {}", file_name(&file.name))?;
        }
        let flags = [
            ("balanced", self.balanced),
            ("names", self.names),
            ("digits", self.digits),
            ("no likeness", !self.likeness),
        ];
        for (name, given) in flags {
            if given {
                write!(f, ", {name}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_turns_is_asked_of_turns() {
        let scope =
            |settings: Settings| settings.frame().expect("is sound").scope.map(|scope| scope.to_string());
        assert_eq!(scope(Settings::of("m")), None);
        let turns = Settings { turns: true, ..Settings::of("m") };
        assert_eq!(scope(turns.clone()).as_deref(), Some("turn"));
        assert!(turns.to_string().contains(", scope turn"), "the head of the file says so: {turns}");
        assert_eq!(scope(Settings { scope: Some(None), ..turns.clone() }), None);
        let last = "last  3 turns".parse().ok();
        assert_eq!(scope(Settings { scope: Some(last), ..turns }).as_deref(), Some("last 3 turns"));
        for wrong in ["", "last", "0 turns", "21 turns", "turns", "last turn turn", "3", "+3 turns"] {
            assert!(wrong.parse::<Scope>().is_err(), "{wrong}");
        }
    }
}
