//! `evaluate`: how well a target agrees with labels of people, on a few items.

use super::{Call, Used};
use crate::answer::{Answer, Refusal, decimal};
use crate::content::{Content, Target};
use crate::limits::{ITEMS, ITEMS_CHARACTERS, too_large, work};
use crate::schema::anything;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sonometer_evaluate::{Class, Error, Item, Labelled, Options, Report, Selector, Threshold, respelled};
use sonometer_report::{Names, Paint};
use std::ops::ControlFlow;

/// Arguments of `evaluate`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Evaluate {
    #[serde(flatten)]
    target: Target,
    /// Labelled texts or conversations; at most 500, with 1,000,000 characters in all.
    items: Vec<Labelling>,
    /// The values of labels that are positive, such as `rude` or `rude,abusive` or `>=0.5`. Without it, true and 1.
    positive: Option<String>,
    /// From which value on an item is found positive: a number from 0 to 1, or `best`. Without it, where the protocol finds anything.
    threshold: Option<String>,
    /// An item is found positive if one of these markers is triggered.
    markers: Option<Vec<String>>,
    /// The labels are grades (numbers): rank correlation in place of classes.
    graded: Option<bool>,
    /// Also return the whole report as JSON in a second content block: what `sonometer evaluate --json` prints.
    #[serde(default)]
    canonical: Option<bool>,
}

/// A labelled item.
#[derive(Debug, Deserialize, JsonSchema)]
struct Labelling {
    #[serde(flatten)]
    content: Content,
    /// What people say of it: true or false, a name, or a number.
    #[schemars(schema_with = "anything")]
    label: Value,
    /// Your name for it, by which errors are listed.
    id: Option<String>,
}

/// What `evaluate` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Evaluated {
    target: Used,
    items: usize,
    /// What was judged: whole, segments, spans, choice, graded or pairs.
    kind: &'static str,
    figures: Vec<Figure>,
    /// What to know before trusting the figures.
    notes: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Figure {
    /// precision, recall, f1, macro_f1, auc, average_precision, or spearman.
    name: &'static str,
    value: f64,
    /// Where its interval of 95 % begins; absent where the data says too little.
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
}

/// The figures of classes and of grades.
const FIGURES: [&str; 7] = ["precision", "recall", "f1", "macro_f1", "auc", "average_precision", "spearman"];
/// The name of the label of items.
const LABEL: &str = "label";

pub(crate) fn evaluate(call: &Call, arguments: Evaluate) -> Result<Answer, Refusal> {
    let instrument =
        call.bench.instrument(arguments.target.target.as_deref(), arguments.target.source.as_deref())?;
    let options = options(&arguments)?;
    let (count, canonical) = (arguments.items.len(), arguments.canonical == Some(true));
    if count > ITEMS {
        let fix = "send fewer, or use `sonometer evaluate` with a file";
        return Err(too_large("items", count, ITEMS, "items", fix));
    }
    let mut items = Vec::with_capacity(count);
    // Names that come with data are not shown where a text in them would be masked.
    let mut names = Names::of(&instrument);
    let (mut characters, mut bytes) = (0, 0);
    for (at, Labelling { content, label, id }) in arguments.items.into_iter().enumerate() {
        let read = content.read(&format!("items[{at}]"))?;
        characters += read.characters();
        bytes += read.bytes();
        let item = Item::new(read.interaction, Map::from_iter([(LABEL.to_owned(), label)]));
        items.push(match id.filter(|id| names.allows(id)) {
            Some(id) => item.with_id(id),
            None => item,
        });
    }
    if characters > ITEMS_CHARACTERS {
        let fix = "send fewer or shorter items, or use `sonometer evaluate` with a file";
        return Err(too_large("items", characters, ITEMS_CHARACTERS, "characters", fix));
    }
    work("items", &instrument, bytes)?;
    let mut watch = |_| match (call.stopped)() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let report = Labelled::new(items)
        .and_then(|labelled| sonometer_evaluate::evaluate(&instrument, &labelled, &options, &mut watch))
        .map_err(refused)?;
    let evaluated = Evaluated {
        target: Used::of(&instrument),
        items: count,
        kind: report.kind(),
        figures: FIGURES.iter().filter_map(|name| figure(&report, name)).collect(),
        notes: report.notes().iter().map(|note| spelled(note)).collect(),
    };
    let text = spelled(&report.to_text(&Paint::default()));
    Answer::new(text.trim_end().to_owned(), &evaluated)
        .with_exact("canonical", canonical, || report.to_json())
}

fn figure(report: &Report, name: &'static str) -> Option<Figure> {
    let estimate = report.figure(name)?;
    Some(Figure {
        name,
        value: decimal(estimate.value),
        low: estimate.interval.map(|interval| decimal(interval.low)),
        high: estimate.interval.map(|interval| decimal(interval.high)),
    })
}

fn options(arguments: &Evaluate) -> Result<Options, Refusal> {
    let positive = match arguments.positive.as_deref().map(str::parse::<Class>) {
        None => None,
        Some(Ok(class)) => Some(class),
        Some(Err(fix)) => return Err(Refusal::invalid("positive", fix)),
    };
    let threshold = match arguments.threshold.as_deref().map(str::parse::<Threshold>) {
        None => None,
        Some(Ok(threshold)) => Some(threshold),
        Some(Err(fix)) => return Err(Refusal::invalid("threshold", fix)),
    };
    Ok(Options {
        selector: Selector { label: Some(LABEL.to_owned()), positive, ..Selector::default() },
        threshold,
        markers: arguments.markers.clone().unwrap_or_default(),
        graded: arguments.graded == Some(true),
        ..Options::default()
    })
}

/// Options as the arguments here are called.
fn spelled(message: &str) -> String {
    respelled(message, |option| match option {
        "marker" => "`markers`".to_owned(),
        option => format!("`{option}`"),
    })
}

fn refused(error: Error) -> Refusal {
    match error {
        Error::Stopped => Refusal::new("cancelled", "", "the call was cancelled"),
        Error::Failed(failure) => {
            Refusal::new(failure.code.as_str(), failure.place.to_string(), spelled(&failure.message))
        }
    }
}
