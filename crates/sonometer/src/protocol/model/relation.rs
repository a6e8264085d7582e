//! What sets a match in relation to the rest of the interaction: what was said before and after it, by whom, and what was not.

use super::Line;
use crate::unit::Unit;

/// Something said near a match: `{any: …, by: client, within: 2 turns}`, `{marker: promise, within: 6 turns}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Companion {
    /// Its patterns; at least one, or a marker.
    pub lines: Vec<Line>,
    /// Labels of markers whose counted matches it is too.
    pub markers: Vec<String>,
    /// The roles who can say it; empty: anybody.
    pub by: Vec<String>,
    /// How far away it may stand.
    pub within: Reach,
}

/// How far two places may stand apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// In turns, 0 (the same turn) to 100,000.
    Turns(u32),
    /// In sentences of the same turn, 0 to 100,000.
    Sentences(u32),
    /// In tokens between them, in the same turn, 0 to 100,000.
    Words(u32),
    /// In seconds (in millionths) between their turns.
    Seconds(Unit),
}

/// `pair: {then: …, by: agent, within: 2 sentences, else: 0.5}`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// What must follow.
    pub then: Companion,
    /// What the strength of a match without it is multiplied with, 0 to 1.
    pub otherwise: Unit,
}

/// `echo: {of: client, within: 2 turns, words: 1, boost: 0.3}`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Echo {
    /// Labels of markers: only words of sentences in which they count can be echoed. Empty: every word.
    pub markers: Vec<String>,
    /// Whose words count, at least one role.
    pub of: Vec<String>,
    /// Among how many turns before the match, 1 to 100.
    pub within: u32,
    /// How many different content words, 1 to 100.
    pub words: u32,
    /// What is added to the strength, above 0, at most 1.
    pub boost: Unit,
    /// What the strength of a match that echoes nothing is multiplied with, 0 to 1; 0: only what echoes is evidence.
    pub otherwise: Unit,
}

/// `absent: …`, `when: {any: …, by: agent}`, `until: 6 turns after when`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absence {
    /// What starts the clock; `None`: the beginning.
    pub when: Option<When>,
    /// By when it must have been said.
    pub until: Deadline,
}

/// What starts the clock of an absent marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct When {
    /// Its patterns; at least one, or a marker.
    pub lines: Vec<Line>,
    /// Labels of markers whose counted matches start it too.
    pub markers: Vec<String>,
    /// The roles who can say it; empty: anybody.
    pub by: Vec<String>,
}

/// The deadline of an absent marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// The end of the interaction.
    End,
    /// So many turns after the clock started, 1 to 100,000.
    Turns(u32),
    /// So many seconds (in millionths) after it, above 0.
    Seconds(Unit),
}

/// `ratio: {of: reflection, to: <question>, by: counselor, floor: 0.5, full: 2, at_least: 3}`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// The label of the marker that is counted.
    pub of: String,
    /// For what it is counted.
    pub to: RatioTo,
    /// The roles whose turns count; empty: every turn.
    pub by: Vec<String>,
    /// The ratio that is worth 0, at least 0.
    pub floor: Unit,
    /// The ratio that is worth 1, above `floor`, at most 1000.
    pub full: Unit,
    /// How many of both together make a ratio, 1 to 100,000.
    pub at_least: u32,
}

/// The other side of a ratio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RatioTo {
    /// A marker, by its label.
    Marker(String),
    /// Matches of these patterns.
    Lines(Vec<Line>),
}
