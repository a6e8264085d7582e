//! What a report holds, whatever it is about. The renderers know these parts and nothing of readings or evaluations; who builds a
//! sheet knows nothing of columns, colours and markup.

use crate::paint::Tone;
use crate::plot::Plot;
use crate::subject::Subject;
use crate::talk::Talk;
use sonometer::{Ledger, Unit};

/// A report: [`Sheet::to_text`] for a terminal, [`Sheet::to_html`] for a browser.
#[derive(Debug, Default)]
pub struct Sheet<'r> {
    /// What kind of report it is, above the title of a page: `evaluation`.
    pub kind: &'static str,
    /// What measured.
    pub subject: Subject,
    /// What was measured: a file, or empty.
    pub on: String,
    /// Rows of a name and a value, under the title.
    pub facts: Vec<(&'static str, String)>,
    /// What was found, in the order in which it is shown.
    pub parts: Vec<Part<'r>>,
    /// What the reader should know before trusting it.
    pub notes: Vec<String>,
    /// The last line, such as the price.
    pub foot: Line,
    /// The figures as JSON, which a page holds for programs; empty: none. Nothing in it may be masked.
    pub data: String,
}

/// One part of a report.
#[derive(Debug)]
pub enum Part<'r> {
    /// Numbers from 0 to 1 as bars, a row each.
    Gauges(Gauges),
    /// A table.
    Table(Table),
    /// Curves and clouds of points.
    Plots(Plots),
    /// How often the answer and the label agree; on a terminal a row of facts says it.
    Confusion(Confusion),
    /// Single texts, each with what was found in it.
    Cases(Cases<'r>),
    /// A whole text or conversation with its evidence.
    Talk(Talk<'r>),
    /// How the numbers of one reading were computed.
    Ledger(Box<Ledger<'r>>),
    /// The accuracy card of a protocol.
    Card(Card),
    /// Lines below a title.
    Lines {
        /// Empty: none.
        title: String,
        /// The lines.
        lines: Vec<Line>,
    },
}

/// An accuracy card: what a protocol was measured on, and how well it did.
#[derive(Clone, Debug, Default)]
pub struct Card {
    /// `Accuracy card: courtesy 2.0`
    pub title: String,
    /// The rest of it, in Markdown.
    pub markdown: String,
}

/// A line of text in several tones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line(pub Vec<Span>);

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// What it is to the reader.
    pub tone: Tone,
    /// Foreign text may stand here: renderers make it safe to show.
    pub text: String,
}

impl Line {
    /// A line in one tone.
    pub fn of(tone: Tone, text: impl Into<String>) -> Self {
        Self::default().and(tone, text)
    }

    /// With a further piece.
    #[must_use]
    pub fn and(mut self, tone: Tone, text: impl Into<String>) -> Self {
        let text = text.into();
        if !text.is_empty() {
            self.0.push(Span { tone, text });
        }
        self
    }

    /// Whether it has no text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Into<String>> From<T> for Line {
    fn from(text: T) -> Self {
        Self::of(Tone::Plain, text)
    }
}

/// Rows of bars below a title.
#[derive(Clone, Debug, Default)]
pub struct Gauges {
    /// Empty: none.
    pub title: String,
    /// The rows.
    pub rows: Vec<Gauge>,
    /// Names without a row: `12 markers silent`, and which.
    pub silent: Option<(String, Vec<String>)>,
}

/// A number from 0 to 1.
#[derive(Clone, Debug)]
pub struct Gauge {
    /// A sign before the name: `●`.
    pub sign: Option<char>,
    /// What the number is of.
    pub name: String,
    /// The tone of sign and bar.
    pub tone: Tone,
    /// Whether the name is stressed.
    pub strong: bool,
    /// The number.
    pub value: Unit,
    /// What stands after it.
    pub rest: Line,
    /// An explanation below.
    pub below: String,
}

impl Gauge {
    /// A number that matters, with its name.
    pub fn of(name: impl Into<String>, value: Unit) -> Self {
        Self {
            sign: None,
            name: name.into(),
            tone: Tone::Strong,
            strong: false,
            value,
            rest: Line::default(),
            below: String::new(),
        }
    }
}

/// A number from 0 to 1 with the interval that holds it, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// The number.
    pub value: Unit,
    /// Where it lies with the confidence that the report states.
    pub interval: Option<(Unit, Unit)>,
}

/// Columns and rows. A terminal shows the title if no column has a name.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The title.
    pub title: String,
    /// What the columns mean; for pages.
    pub about: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Row>,
    /// Names that have no row on a terminal, and why: `never triggered`.
    pub silent: Option<(&'static str, Vec<String>)>,
    /// A line below, in small print.
    pub below: String,
    /// Only for pages, closed at first.
    pub folded: bool,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub head: String,
    /// How its cells are set.
    pub set: Set,
    /// Whether a terminal, where columns are few, leaves it out.
    pub page_only: bool,
}

/// How cells are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// As bars.
    Bars,
}

/// A row.
#[derive(Clone, Debug)]
pub struct Row {
    /// A cell for each column.
    pub cells: Vec<Cell>,
    /// `Strong` for the one that stands out, `Dim` for what does not count.
    pub tone: Tone,
    /// Whether a terminal leaves it out, because it is among [`Table::silent`].
    pub page_only: bool,
}

/// What stands in a row of a table.
#[derive(Clone, Debug)]
pub enum Cell {
    /// Text.
    Text(Line),
    /// A bar; `None`: not defined.
    Bar(Option<Bar>),
}

impl<T: Into<Line>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}

impl Row {
    /// A row like the others.
    pub fn of(cells: Vec<Cell>) -> Self {
        Self { cells, tone: Tone::Plain, page_only: false }
    }
}

/// `a, b, c` as columns: a name alone is set to the right, `<a` to the left, `=a` as bars, and with `*` before it only pages have it.
pub fn columns(heads: &[&str]) -> Vec<Column> {
    let column = |head: &&str| {
        let (page_only, head) = head.strip_prefix('*').map_or((false, *head), |rest| (true, rest));
        let (set, head) = match head.split_at_checked(1) {
            Some(("<", rest)) => (Set::Left, rest),
            Some(("=", rest)) => (Set::Bars, rest),
            _ => (Set::Right, head),
        };
        Column { head: head.to_owned(), set, page_only }
    };
    heads.iter().map(column).collect()
}

/// Drawings side by side, with a table of their points.
#[derive(Clone, Debug, Default)]
pub struct Plots {
    /// The title.
    pub title: String,
    /// What is drawn.
    pub about: String,
    /// The drawings.
    pub plots: Vec<Plot>,
    /// What a script needs to try other thresholds: for each a JSON array of numbers. Empty: no slider.
    pub slider: Vec<String>,
    /// One curve as blocks from 0 to 7, with its name and what they mean; for terminals.
    pub spark: Option<(&'static str, Vec<usize>, &'static str)>,
    /// The points in numbers, beside the drawing or below it if it is folded.
    pub table: Option<Table>,
}

/// How many cases of each class got which answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confusion {
    /// Labelled positive, answered positive.
    pub true_positives: u64,
    /// Labelled negative, answered positive.
    pub false_positives: u64,
    /// Labelled positive, answered negative.
    pub false_negatives: u64,
    /// Labelled negative, answered negative.
    pub true_negatives: u64,
}

/// Single texts below a title.
#[derive(Debug, Default)]
pub struct Cases<'r> {
    /// The title, as a sentence begins.
    pub title: String,
    /// How many of how many there are and in which order: `5 of 12, the highest scores first`. Empty: there are none at all.
    pub about: String,
    /// The texts.
    pub cases: Vec<Case<'r>>,
}

/// A text, or two side by side, with what was found.
#[derive(Debug, Default)]
pub struct Case<'r> {
    /// Its id.
    pub name: String,
    /// Where it stands, and its value.
    pub about: String,
    /// What is wrong with it, such as `insufficient`.
    pub warning: String,
    /// Lines on what changed.
    pub lines: Vec<Line>,
    /// One or two texts.
    pub texts: Vec<Text<'r>>,
}

/// One text of a case.
#[derive(Debug)]
pub struct Text<'r> {
    /// `a`; empty where there is one text alone.
    pub name: String,
    /// Its value.
    pub about: String,
    /// What is wrong with it.
    pub warning: String,
    /// The text itself.
    pub talk: Talk<'r>,
    /// Whether the computation is shown, too.
    pub explained: bool,
}

impl<'r> From<Talk<'r>> for Text<'r> {
    fn from(talk: Talk<'r>) -> Self {
        Self { name: String::new(), about: String::new(), warning: String::new(), talk, explained: false }
    }
}

/// `5 of 12, the highest scores first`; `12, none shown`; empty of none.
pub fn shown_of(shown: usize, count: u64, order: &str) -> String {
    match (count, shown) {
        (0, _) => String::new(),
        (count, 0) => format!("{count}, none shown"),
        (count, shown) => format!("{shown} of {count}, {order}"),
    }
}
