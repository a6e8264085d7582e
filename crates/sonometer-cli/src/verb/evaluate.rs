//! `sonometer evaluate`: how well a protocol, metric or blueprint agrees with what people labelled.

use crate::failure::{Exit, Failure};
use crate::labelled::{Ordinary, Selection};
use crate::page::PageArgument;
use crate::progress::Bar;
use crate::screen::Screen;
use crate::target::Source;
use sonometer::OffsetUnit;
use sonometer_evaluate::{Choice, MapEntry, Options, Scope, Threshold, evaluate};

/// Arguments of `evaluate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A protocol, metric or blueprint that ships (`id` or `id@version`), or a file of one
    target: String,
    /// Labelled interactions: .jsonl, {"id", "interaction", "labels"} or {"text", "label"} a line, or pairs of them, {"id",
    /// "interaction_a", "interaction_b", "labels"}; .csv and .tsv with a column of texts; `-` for JSON lines of standard input
    data: String,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    ordinary: Ordinary,
    /// What is judged [default: by the shape of the label]
    #[arg(long, value_enum)]
    unit: Option<Judged>,
    /// Positive if one of these markers is triggered, ranked by their largest resonance; of pairs, the text in which
    /// that is larger
    #[arg(long = "marker", value_name = "LABEL,…", value_delimiter = ',')]
    markers: Vec<String>,
    /// Positive from this ranking value on; `best`: from where macro-F1 is highest
    #[arg(long, value_name = "NUMBER|best")]
    threshold: Option<Threshold>,
    /// Low scores are positive [default: if a text without findings scores 1]
    #[arg(long, conflicts_with = "higher")]
    lower: bool,
    /// High scores are positive [default: otherwise]
    #[arg(long)]
    higher: bool,
    /// For labels of places: which markers may find which types; for choices: which choose which values; may be repeated
    /// [default: those of the same name]
    #[arg(long, value_name = "TYPE,…=LABEL,…")]
    map: Vec<MapEntry>,
    /// For labels of places: what start and end count: chars, bytes or utf16
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = super::sense::unit)]
    offsets: OffsetUnit,
    /// Also show the figures for each value of another label
    #[arg(long, value_name = "PATH")]
    by: Option<String>,
    /// How many false positives and how many false negatives are shown
    #[arg(long, value_name = "N", default_value_t = 5)]
    errors: usize,
    /// The label is a number: rank correlation instead of classes
    #[arg(long, conflicts_with_all = ["positive", "negative", "unit", "threshold", "map"])]
    graded: bool,
    /// The label names which of several markers holds: choose the one with the highest activation, or the `first` that triggers;
    /// a value without a marker holds where none triggers
    #[arg(long, value_name = "RULE", num_args = 0..=1, require_equals = true, default_missing_value = "highest",
        conflicts_with_all = ["graded", "positive", "negative", "unit", "threshold", "markers", "lower", "higher"])]
    choice: Option<Choice>,
    /// Show the computation behind each error
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    page: PageArgument,
    /// JSON: one object
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Judged {
    /// The interaction as a whole
    Whole,
    /// Each segment: the label is a list parallel to the segments
    Segments,
    /// Places: the label is a list of {type, start, end}
    Spans,
}

impl From<Judged> for Scope {
    fn from(judged: Judged) -> Self {
        match judged {
            Judged::Whole => Self::Whole,
            Judged::Segments => Self::Segments,
            Judged::Spans => Self::Spans,
        }
    }
}

impl Arguments {
    fn options(&self) -> Result<Options, Failure> {
        Ok(Options {
            selector: self.selection.selector(),
            unit: self.unit.map(Scope::from),
            markers: self.markers.clone(),
            threshold: self.threshold,
            lower: (self.lower || self.higher).then_some(self.lower),
            map: self.map.clone(),
            offsets: self.offsets,
            by: self.by.clone(),
            errors: self.errors,
            graded: self.graded,
            choice: self.choice,
            explain: self.explain,
            background: self.selection.background(&self.ordinary)?,
            alarms: self.ordinary.alarms(),
        })
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let instrument = Source::find(&arguments.target)?.instrument()?;
    let labelled = arguments.selection.read(&arguments.data, screen)?;
    let options = arguments.options()?;
    let mut bar = Bar::new();
    let report = evaluate(&instrument, &labelled, &options, &mut |now| bar.see(now));
    drop(bar);
    let report = report.map_err(Failure::evaluation)?;
    arguments.page.write(&[report.sheet()])?;
    match arguments.json {
        true => screen.print_bytes(&(report.to_json() + "\n"))?,
        false => screen.print(&report.to_text(&screen.paint.report()))?,
    }
    Ok(Exit::Done)
}
