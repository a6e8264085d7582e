//! A protocol as data: what its author wrote, typed and complete with defaults.

mod relation;
mod tree;

pub use relation::*;
pub(crate) use tree::{Around, whole};

use super::files::ListFile;
use super::mask::Mask;
use super::phrase::{self, Pattern};
use crate::diagnostic::Span;
use crate::keys::fields::count_of;
use crate::names::named;
pub use crate::text::unfold::Unfold;
use crate::unit::Unit;
use std::borrow::Cow;
use std::sync::Arc;
use tree::Tree;

/// A protocol: one version of one sensor, as its author wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protocol {
    /// Identifier: lower-case letters, digits, `-` and `_`, at most 64 bytes.
    pub id: String,
    /// The name shown to people; the id where the file has none.
    pub name: String,
    /// The version, any text without spaces (`1.0`, `2.1.0`).
    pub version: String,
    /// The model iteration that reads it.
    pub sgm: Sgm,
    /// Draft, published or archived.
    pub status: Status,
    /// The family of the protocol.
    pub taxonomy: Taxonomy,
    /// What it measures, for people.
    pub description: String,
    /// The language of its patterns (`de`, `en`, `es`, `zh`), if they have one.
    pub language: Option<String>,
    /// What it can be used on.
    pub modalities: Vec<Modality>,
    /// Who takes part.
    pub actants: Actants,
    /// How much content it needs.
    pub fidelity: FidelityNeeds,
    /// How the markers become one score.
    pub score: ScoreKind,
    /// Whether a higher score is the better one (`compare`).
    pub better: Better,
    /// What `strong`, `clear` and `weak` are worth.
    pub strengths: Strengths,
    /// Cue words of negation beyond the language's own, and the reach of a cue.
    pub negation: NegationRules,
    /// What is undone before a text is read a second time; sorted, each once; empty: no second reading.
    pub unfold: Vec<Unfold>,
    /// How the interaction is cut for the temporal analysis of SGM 1.5.
    pub temporal: Windows,
    /// The named lists as written (one entry or several a line); patterns hold them written out.
    pub lists: Vec<(String, Vec<String>)>,
    /// The named lists whose phrases stand in files.
    pub list_files: Vec<ListFile>,
    /// The metamarkers, in the order of the file.
    pub markers: Vec<Marker>,
    /// Self tests of the protocol as a whole.
    pub tests: Vec<Dialogue>,
}

impl Actants {
    /// Every role that is declared, and its other names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        let aliased = self.aliases.iter().flat_map(|(role, names)| std::iter::once(role).chain(names));
        self.primary.iter().chain(&self.secondary).chain(&self.others).chain(aliased)
    }
}

impl Protocol {
    /// The different `join`s of the markers, sorted.
    pub(crate) fn joins(&self) -> Vec<u32> {
        let mut joins: Vec<u32> = self.markers.iter().filter_map(|marker| marker.join).collect();
        joins.sort_unstable();
        joins.dedup();
        joins
    }
}

/// A metamarker: a pattern of interaction with its evidence rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// The label, unique in its protocol: lower-case letters, digits, `-` and `_`, at most 64 bytes.
    pub label: String,
    /// What it means, for people.
    pub description: String,
    /// Its weight in the score.
    pub importance: Importance,
    /// Whether it speaks for or against.
    pub pole: Pole,
    /// The roles whose turns count; empty: every turn.
    pub by: Vec<String>,
    /// What its `strong`, `clear` and `weak` lines are worth.
    pub strengths: Strengths,
    /// The patterns that give evidence, in the order `strong`, `clear`, `weak`, `weigh`, then of the file; of an absent
    /// marker those of `absent`; of a ratio none.
    pub lines: Vec<Line>,
    /// The patterns that take evidence away.
    pub except: Vec<Line>,
    /// What a negated match is worth.
    pub negation: NegationMode,
    /// The part of the interaction that counts, if not all of it.
    pub place: Option<Place>,
    /// What must have been said before a match.
    pub after: Option<Companion>,
    /// What must be said after it.
    pub before: Option<Companion>,
    /// What completes a match, and what it is worth without.
    pub pair: Option<Pair>,
    /// Reuse of the other side's words.
    pub echo: Option<Echo>,
    /// Over how many turns of one speaker a match may reach, 2 to 10; `None`: one.
    pub join: Option<u32>,
    /// What makes it a marker of something not said, in time.
    pub absence: Option<Absence>,
    /// What makes it a marker of how often one thing is said for another.
    pub ratio: Option<Ratio>,
    /// What the second and later matches of one line add.
    pub repeat: Repeat,
    /// Evidence per so many words (1 to 100,000); `None`: evidence as it is.
    pub per: Option<u32>,
    /// The rate measure for long talks, in the place of saturation.
    pub share: Option<Share>,
    /// The turns that a weighted list is asked of at a time; `None`: the whole interaction.
    pub scope: Option<Scope>,
    /// Added to the sum of a weighted list.
    pub bias: Unit,
    /// How fast activation saturates, 0 to 1000: 0 is a step, large is linear.
    pub half: Unit,
    /// The activation from which the marker counts as triggered, above 0, at most 1.
    pub trigger: Unit,
    /// How matched text is hidden wherever it would be shown.
    pub mask: Option<Mask>,
    /// The author's words for weak signals, by reason.
    pub hints: Vec<(HintKind, String)>,
    /// Self tests that must trigger the marker.
    pub hit: Vec<TestLine>,
    /// Self tests that must not.
    pub miss: Vec<TestLine>,
}

impl Marker {
    /// Every pattern line of the marker, in all its lists.
    pub fn all_lines(&self) -> impl Iterator<Item = &Line> {
        let related = self.companions().flat_map(|companion| &companion.lines);
        self.lines.iter().chain(&self.except).chain(related).chain(self.side_lines())
    }

    /// Its companions: of `after`, of `before`, of `pair`.
    pub(crate) fn companions(&self) -> impl Iterator<Item = &Companion> {
        let then = self.pair.as_ref().map(|pair| &pair.then);
        [self.after.as_ref(), self.before.as_ref(), then].into_iter().flatten()
    }

    /// The labels of the markers that its relations name, with the key that names them.
    pub fn named_markers(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let when = self.absence.as_ref().and_then(|absence| absence.when.as_ref());
        let named = [
            ("after", self.after.as_ref().map(|after| &after.markers)),
            ("before", self.before.as_ref().map(|before| &before.markers)),
            ("pair", self.pair.as_ref().map(|pair| &pair.then.markers)),
            ("echo", self.echo.as_ref().map(|echo| &echo.markers)),
            ("when", when.map(|when| &when.markers)),
        ];
        named
            .into_iter()
            .flat_map(|(key, labels)| labels.into_iter().flatten().map(move |label| (key, label)))
    }

    /// The lines that give candidates without evidence: of `when`, of `to`.
    pub(crate) fn side_lines(&self) -> &[Line] {
        let when =
            self.absence.as_ref().and_then(|absence| absence.when.as_ref()).map(|when| &when.lines[..]);
        let to = self.ratio.as_ref().and_then(|ratio| match &ratio.to {
            RatioTo::Lines(lines) => Some(&lines[..]),
            RatioTo::Marker(_) => None,
        });
        when.or(to).unwrap_or_default()
    }

    /// The roles it names, in the order of its keys.
    pub(crate) fn named_roles(&self) -> impl Iterator<Item = &String> {
        let share = self.share.iter().flat_map(|share| &share.by);
        let companions = self.companions().flat_map(|companion| &companion.by);
        let echo = self.echo.iter().flat_map(|echo| &echo.of);
        let when = self.absence.iter().filter_map(|absence| absence.when.as_ref()).flat_map(|when| &when.by);
        let ratio = self.ratio.iter().flat_map(|ratio| &ratio.by);
        self.by.iter().chain(share).chain(companions).chain(echo).chain(when).chain(ratio)
    }

    /// Whether it can have an activation without any match.
    pub(crate) fn can_stand_alone(&self) -> bool {
        self.bias.0 > 0
            || self.ratio.is_some()
            || self.absence.as_ref().is_some_and(|absence| absence.when.is_none())
    }

    /// Whether negation is looked at.
    pub fn heeds_negation(&self) -> bool {
        self.negation != NegationMode::Keep
    }
}

/// One pattern line of a marker.
#[derive(Clone, Debug)]
pub struct Line {
    /// What the line means, unless it is plain words: then `text` says it, and a tree would be most of the memory of a long set of phrases.
    tree: Option<Arc<Tree>>,
    /// The line as written, comments and outer spaces removed.
    pub text: Box<str>,
    /// The list it is in.
    pub list: LineList,
    /// What one match is worth; 0 for `except` lines, any sign for `weigh` lines.
    pub strength: Unit,
    /// Its place in the source.
    pub span: Span,
}

impl Line {
    /// A line that means a pattern, which is what its text says.
    pub fn new(
        pattern: Pattern,
        text: impl Into<Box<str>>,
        list: LineList,
        strength: Unit,
        span: Span,
    ) -> Self {
        Self::read(pattern, &text.into(), (list, strength, span), None)
    }

    /// A line whose text was read among these lists.
    pub(crate) fn read(
        pattern: Pattern,
        text: &str,
        (list, strength, span): (LineList, Unit, Span),
        around: Option<&Arc<Around>>,
    ) -> Self {
        let is_plain = phrase::is_plain(text) && phrase::plain(text) == pattern;
        let tree = (!is_plain).then(|| Arc::new(Tree::Kept { pattern, around: around.cloned() }));
        Self { tree, text: text.into(), list, strength, span }
    }

    /// A line of plain words ([`phrase::is_plain`]).
    pub(crate) fn plain(text: &str, list: LineList, strength: Unit, span: Span) -> Self {
        Self { tree: None, text: text.into(), list, strength, span }
    }

    /// What the line means. Of the protocol of a sensor it is read once more from the text.
    pub fn pattern(&self) -> Cow<'_, Pattern> {
        self.tree().unwrap_or_else(|| Cow::Owned(phrase::plain(&self.text)))
    }

    /// What the line means, unless it is plain words, which are its text.
    pub(crate) fn tree(&self) -> Option<Cow<'_, Pattern>> {
        self.tree.as_ref().map(|tree| tree.pattern(&self.text))
    }

    /// How many `..n..` and `&n` it has, lists written out.
    pub(crate) fn gaps(&self) -> usize {
        self.tree().map_or(0, |tree| phrase::gaps_in(&tree))
    }

    /// The fewest tokens it can match, an occurrence of a class counting as one.
    pub(crate) fn least_tokens(&self) -> u32 {
        let words = || self.text.split(' ').count() as u32;
        self.tree().map_or_else(words, |tree| phrase::least_tokens(&tree))
    }
}

impl PartialEq for Line {
    /// Whether one has forgotten what it means is no difference.
    fn eq(&self, other: &Self) -> bool {
        let said = |line: &Self| (line.list, line.strength, line.span);
        said(self) == said(other) && self.text == other.text && self.pattern() == other.pattern()
    }
}

impl Eq for Line {}

/// The list of a marker that contains a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineList {
    /// `strong`
    Strong,
    /// `clear`
    Clear,
    /// `weak`
    Weak,
    /// `weigh`: `pattern = 0.41`
    Weigh,
    /// `except`
    Except,
    /// `absent`
    Absent,
    /// `any` of `after`
    After,
    /// `any` of `before`
    Before,
    /// `then` of `pair`
    Then,
    /// `any` of `when`
    When,
    /// `to` of `ratio`
    To,
}

impl LineList {
    /// Whether a match of its lines has a place that is shown or masked.
    pub fn has_places(self) -> bool {
        match self {
            Self::Strong | Self::Clear | Self::Weak | Self::Weigh | Self::Absent | Self::When => true,
            Self::Except | Self::After | Self::Before | Self::Then | Self::To => false,
        }
    }
}

/// A self test of a protocol as a whole: a talk, and what must be found in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialogue {
    /// What it shows.
    pub name: String,
    /// Its turns, at least one.
    pub talk: Vec<TestLine>,
    /// Labels of markers that must trigger.
    pub fires: Vec<String>,
    /// Labels of markers that must not.
    pub silent: Vec<String>,
    /// Whether it must be sufficient; `None`: the test runs regardless of fidelity.
    pub sufficient: Option<bool>,
    /// The least and the largest score it may have.
    pub score: (Unit, Unit),
    /// Labels of markers with the role whose side must drive them (SGM 1.5).
    pub driven: Vec<(String, String)>,
    /// Its place in the source.
    pub span: Span,
}

/// One line of a marker's self test: `text`, or `role: text` where the role is one the protocol names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestLine {
    /// The speaker, if named.
    pub role: Option<String>,
    /// What is said.
    pub text: String,
    /// Its place in the source.
    pub span: Span,
}

/// The model iteration that reads a protocol version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sgm {
    /// Sensing, fidelity and evidence.
    V1_0,
    /// Adds signal, actants, actant flow, temporal analysis, density and clarity.
    V1_5,
}

/// `temporal: {window: 60s, else: 2 turns}`: the windows of the temporal analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// The length of a window in seconds (held in millionths), above 0, where every turn has a timestamp.
    pub seconds: Unit,
    /// The turns of a window elsewhere, 1 to 100,000.
    pub turns: u32,
}

impl Default for Windows {
    /// A minute. An exchange of two turns, so that both sides speak as often in each window.
    fn default() -> Self {
        Self { seconds: Unit(60_000_000), turns: 2 }
    }
}

/// The state of a protocol version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Can change; sensed only when asked for by version.
    Draft,
    /// Frozen by its digest.
    Published,
    /// Callable by exact version only.
    Archived,
}

/// The family of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taxonomy {
    /// Rules that must hold.
    Policy,
    /// Quality of reasoning.
    CriticalThinking,
    /// Quality of conduct.
    GoodPractice,
    /// Presence of a signal.
    Signal,
}

/// What an interaction is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Modality {
    /// Free text.
    Text,
    /// Turns with roles.
    Transcript,
    /// A sound file (through its transcript).
    Audio,
    /// A document file (through its text).
    Document,
}

/// Who takes part, and by which other names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actants {
    /// The side the protocol is about.
    pub primary: Option<String>,
    /// The other side.
    pub secondary: Option<String>,
    /// Further roles: who takes part on neither side, or only now and then.
    pub others: Vec<String>,
    /// Role name -> its other names.
    pub aliases: Vec<(String, Vec<String>)>,
}

/// How much content a reading needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FidelityNeeds {
    /// Words, at least 1.
    pub words: u32,
    /// Turns, at least 1.
    pub turns: u32,
    /// Words of one role.
    pub roles: Vec<(String, u32)>,
    /// The index from which the content is sufficient, 0 to 1.
    pub sufficient: Unit,
}

/// How activations become the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreKind {
    /// The weighted mean of the markers for, damped by that of the markers against.
    Mean,
    /// 1 minus the noisy-or of the markers against: 1 is clean.
    Risk,
    /// The noisy-or of the markers.
    Any,
}

/// Which direction of the score is an improvement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// What the three kinds of line are worth, above 0, at most 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strengths {
    /// `strong`, 1 by default.
    pub strong: Unit,
    /// `clear`, 0.6 by default.
    pub clear: Unit,
    /// `weak`, 0.3 by default.
    pub weak: Unit,
}

impl Default for Strengths {
    fn default() -> Self {
        Self { strong: Unit(1_000_000), clear: Unit(600_000), weak: Unit(300_000) }
    }
}

/// The protocol's own rules of negation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NegationRules {
    /// How many tokens a cue reaches forward, 1 to 40; 6 by default.
    pub reach: u8,
    /// Cues beyond those of the language: plain words.
    pub cues: Vec<Vec<String>>,
    /// Phrases in which a cue does not negate, beyond those of the language.
    pub not_cues: Vec<Vec<String>>,
    /// Words that end the reach of a cue, beyond those of the language.
    pub stops: Vec<Vec<String>>,
}

impl Default for NegationRules {
    fn default() -> Self {
        Self { reach: 6, cues: Vec::new(), not_cues: Vec::new(), stops: Vec::new() }
    }
}

/// What a marker makes of a negated match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NegationMode {
    /// Negation is not looked at.
    Keep,
    /// A negated match is no evidence.
    Drop,
    /// A negated match is evidence for another marker: its label.
    Flip(String),
}

/// The weight of a marker: each step outvotes one of the step below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Importance {
    /// Weight 1.
    Low,
    /// Weight 2.
    Medium,
    /// Weight 4.
    High,
    /// Weight 8.
    Critical,
}

impl Importance {
    /// The weight in the score: 1, 2, 4 or 8.
    pub fn weight(self) -> i64 {
        1 << self as u8
    }
}

/// Which way a marker moves the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pole {
    /// Towards 1.
    For,
    /// Away from it.
    Against,
}

/// `where: first 3 turns`: the part of the interaction in which a marker counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// From which end it is counted.
    pub from: End,
    /// How far.
    pub extent: Extent,
}

/// An end of the interaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Its beginning.
    First,
    /// Its end.
    Last,
}

/// A length of interaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// So many turns, at least 1.
    Turns(u32),
    /// So many seconds (in millionths); turns without a timestamp are outside.
    Seconds(Unit),
}

/// What repeated matches of one line add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// The k-th counts half of the one before.
    Halve,
    /// Only the first counts.
    Once,
    /// Each counts in full.
    All,
}

/// `share: {of: turns, by: counselor, full: 0.3}`: turns with evidence ÷ turns of that side, `full` counting as 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The side whose turns are counted; empty: the marker's `by`, or every turn.
    pub by: Vec<String>,
    /// The share that counts as 1, above 0, at most 1.
    pub full: Unit,
}

/// `scope: turn`, `3 turns`, `last turn`, `last 3 turns`: a weighted list is asked of so many turns at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// How many turns in a row, of those that the marker listens to: 1 to 20, since a match is counted once for each stretch that it is in.
    pub turns: u32,
    /// Only the last of them.
    pub is_last: bool,
}

impl std::str::FromStr for Scope {
    type Err = ();

    /// Reads what [`Scope`] displays, and `1 turn`, `1 turns`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (is_last, words) = match &words[..] {
            ["last", words @ ..] => (true, words),
            words => (false, words),
        };
        let turns = match words {
            ["turn"] => Some(1),
            [count, "turn" | "turns"] => count_of(count, 1, 20),
            _ => None,
        };
        Ok(Self { turns: turns.ok_or(())?, is_last })
    }
}

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let last = if self.is_last { "last " } else { "" };
        match self.turns {
            1 => write!(f, "{last}turn"),
            turns => write!(f, "{last}{turns} turns"),
        }
    }
}

/// The reasons a weak signal can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HintKind {
    /// `more`: there is evidence, but not enough of it.
    More,
    /// `role`: another role said it.
    Role,
    /// `where`: it is outside the part that counts.
    Where,
    /// `except`: an exclusion took it away.
    Except,
    /// `negated`: it is negated.
    Negated,
    /// `after`: what must come before it was not said, or too early.
    After,
    /// `before`: what must follow was not said, or too late.
    Before,
    /// `pair`: what completes it was not said.
    Pair,
    /// `echo`: it uses too few of the other side's words.
    Echo,
    /// `gap`: its parts are too far apart.
    Gap,
    /// `deadline`: it has not been said yet, and is not due yet.
    Deadline,
    /// `checksum`: it has the right shape but fails its check digits.
    Checksum,
}

named!(Sgm { V1_0 = "1.0", V1_5 = "1.5" });
named!(Status { Draft = "draft", Published = "published", Archived = "archived" });
named!(Taxonomy {
    Policy = "Policy",
    CriticalThinking = "Critical_Thinking",
    GoodPractice = "Good_Practice",
    Signal = "Signal",
});
named!(Modality { Text = "text", Transcript = "transcript", Audio = "audio", Document = "document" });
named!(ScoreKind { Mean = "mean", Risk = "risk", Any = "any" });
named!(Better { Higher = "higher", Lower = "lower" });
named!(Importance { Low = "low", Medium = "medium", High = "high", Critical = "critical" });
named!(Pole { For = "for", Against = "against" });
named!(Repeat { Halve = "halve", Once = "once", All = "all" });
named!(LineList {
    Strong = "strong",
    Clear = "clear",
    Weak = "weak",
    Weigh = "weigh",
    Except = "except",
    Absent = "absent",
    After = "after",
    Before = "before",
    Then = "then",
    When = "when",
    To = "to",
});
named!(HintKind {
    More = "more",
    Role = "role",
    Where = "where",
    Except = "except",
    Negated = "negated",
    After = "after",
    Before = "before",
    Pair = "pair",
    Echo = "echo",
    Gap = "gap",
    Deadline = "deadline",
    Checksum = "checksum",
});
