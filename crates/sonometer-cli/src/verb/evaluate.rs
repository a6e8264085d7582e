//! `sonometer evaluate`: how well a protocol agrees with what people labelled.

use crate::evaluate::measure::{self, Case, Figures, Ranking};
use crate::evaluate::question::{Decision, Question, Scope};
use crate::evaluate::result::{Data, Evaluation};
use crate::evaluate::sensed::{Outcome, sense_all};
use crate::evaluate::{errors, markers, text};
use crate::failure::{Exit, Failure};
use crate::json;
use crate::labels::{Item, Path, Selector, Source as Labels};
use crate::screen::Screen;
use crate::target::Source;
use sonometer::{Sensor, Unit};
use std::collections::BTreeMap;

/// Arguments of `evaluate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A protocol that ships (`id` or `id@version`), or a protocol file
    target: String,
    /// Labelled interactions: .jsonl, {"id", "interaction", "labels"} a line; `-` for standard input
    data: String,
    #[command(flatten)]
    selector: Selector,
    /// What is judged [default: by the shape of the label]
    #[arg(long, value_enum)]
    unit: Option<Scope>,
    /// Positive if one of these markers is triggered, ranked by their largest resonance
    #[arg(long = "marker", value_name = "LABEL,…", value_delimiter = ',')]
    markers: Vec<String>,
    /// Positive from this ranking value on; `best`: from where macro-F1 is highest
    #[arg(long, value_name = "NUMBER|best", value_parser = Threshold::parse)]
    threshold: Option<Threshold>,
    /// Low scores are positive [default where a text in which nothing is found scores 1]
    #[arg(long, conflicts_with = "higher")]
    lower: bool,
    /// High scores are positive [default otherwise]
    #[arg(long)]
    higher: bool,
    /// How many errors of each sign are shown
    #[arg(long, value_name = "N", default_value_t = 5)]
    errors: usize,
    /// JSON: one object
    #[arg(long)]
    pub(crate) json: bool,
}

/// The wish for a threshold.
#[derive(Clone, Copy, Debug)]
enum Threshold {
    At(Unit),
    Best,
}

impl Threshold {
    fn parse(text: &str) -> Result<Self, String> {
        match (text, Unit::parse(text)) {
            ("best", _) => Ok(Self::Best),
            (_, Some(value)) if (Unit::ZERO..=Unit::ONE).contains(&value) => Ok(Self::At(value)),
            _ => Err("write a number from 0 to 1, or `best`".into()),
        }
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let sensor = Source::find(&arguments.target)?.sensor()?;
    let labels = Labels::open(&arguments.data)?;
    let items = labels.select(&arguments.selector)?;
    let path = labels.label(&arguments.selector, &items)?;
    let evaluation = judged(arguments, &sensor, &labels, &path, &items)?;
    if arguments.json {
        screen.print_bytes(&json::line(&evaluation))?;
    } else {
        screen.print(&text::render(&screen.paint, &evaluation))?;
    }
    Ok(Exit::Done)
}

/// Judges items or segments.
fn judged<'a>(
    arguments: &Arguments,
    sensor: &'a Sensor,
    labels: &Labels,
    path: &Path,
    items: &'a [Item],
) -> Result<Evaluation<'a>, Failure> {
    let protocol = sensor.protocol();
    let low = (arguments.lower || arguments.higher).then_some(arguments.lower);
    let from = match arguments.threshold {
        Some(Threshold::At(from)) => Some(from),
        _ => None,
    };
    let mut question = Question::of(protocol, Scope::Whole, &arguments.markers, low, from)?;
    let truths = labels.truths(&arguments.selector, path, items)?;
    let outcomes = sense_all(sensor, &labels.name, items)?;
    let mut cases = whole(&question, items, &truths, &outcomes);
    let left_out = truths.iter().filter(|truth| truth.is_none()).count();
    cluster(&arguments.selector, items, &mut cases);

    let mut notes = Vec::new();
    notes.extend(labels.unseen(&arguments.selector, path, items));
    let points = Ranking::of(&cases).points();
    if let Some(Threshold::Best) = arguments.threshold
        && let Some(best) = measure::best(&points)
    {
        question.decide(best, &mut cases);
        notes.push(format!(
            "the threshold {best} was chosen on this very data; measure it on other data (--fold) before you trust it"
        ));
    }
    let figures = Figures::of(&cases);
    for (count, which) in [(figures.counts.positives(), "positive"), (figures.counts.negatives(), "negative")]
    {
        if count == 0 {
            notes.push(format!("no case is {which}: figures that need one are not defined"));
        }
    }
    if arguments.markers.len() > 1 && matches!(question.decision, Decision::From(_)) {
        notes.push(
            "resonances of different markers are compared with one threshold; each has its own trigger"
                .into(),
        );
    }
    let mut covered: Vec<Case> = cases.iter().filter(|case| case.sufficient).copied().collect();
    renumber(&mut covered);
    Ok(Evaluation {
        protocol,
        data: data(arguments, labels, path, items.len(), left_out),
        covered: Figures::of(&covered),
        markers: markers::figures(protocol, &question, &outcomes, &cases),
        errors: errors::worst(sensor, &question, &labels.name, items, &cases, arguments.errors)?,
        figures,
        points,
        question,
        notes,
    })
}

fn whole(question: &Question, items: &[Item], truths: &[Option<bool>], outcomes: &[Outcome]) -> Vec<Case> {
    let labelled = (0..items.len()).zip(truths).zip(outcomes);
    let case = |((item, truth), outcome): ((usize, &Option<bool>), &Outcome)| {
        let (value, predicted) = question.whole(outcome);
        let sufficient = outcome.sufficient;
        truth.map(|truth| Case { truth, predicted, value, sufficient, item, segment: None, cluster: item })
    };
    labelled.filter_map(case).collect()
}

/// Puts the cases of one group, else of one item, into one cluster.
fn cluster(selector: &Selector, items: &[Item], cases: &mut [Case]) {
    if let Some(group) = selector.group.as_deref().map(Path::from) {
        let mut numbers = BTreeMap::new();
        for case in &mut *cases {
            let next = numbers.len();
            case.cluster = *numbers.entry(group.key(&items[case.item])).or_insert(next);
        }
    }
    renumber(cases);
}

/// Numbers the clusters from 0, without gaps, in the order of the cases.
fn renumber(cases: &mut [Case]) {
    let mut numbers = BTreeMap::new();
    for case in cases {
        let next = numbers.len();
        case.cluster = *numbers.entry(case.cluster).or_insert(next);
    }
}

fn data(arguments: &Arguments, labels: &Labels, path: &Path, items: usize, left_out: usize) -> Data {
    let selector = &arguments.selector;
    Data {
        file: labels.name.clone(),
        label: path.to_string(),
        positive: selector.positive.as_ref().map_or_else(|| "true or 1".into(), ToString::to_string),
        negative: selector.negative.as_ref().map(ToString::to_string),
        r#where: selector.filters.iter().map(ToString::to_string).collect(),
        fold: selector.fold.as_ref().map(ToString::to_string),
        group: selector.group.clone(),
        items,
        left_out,
    }
}
