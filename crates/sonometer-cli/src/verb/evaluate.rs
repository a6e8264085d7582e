//! `sonometer evaluate`: how well a protocol, metric or blueprint agrees with what people labelled.

use crate::evaluate::cases::{self, Truths};
use crate::evaluate::gauge::Gauge;
use crate::evaluate::measure::{self, Case, Figures, Ranking};
use crate::evaluate::question::{Question, Scope};
use crate::evaluate::result::{Data, Evaluation};
use crate::evaluate::sensed::sense_all;
use crate::evaluate::spans::{self, MapEntry};
use crate::evaluate::{
    breakdown, errors, graded, graded_html, graded_text, html, markers, pair_html, pair_text, pairs,
    span_html, span_text, text,
};
use crate::failure::{Exit, Failure};
use crate::json;
use crate::labels::{Item, Path, Selector, Source as Labels};
use crate::paint::Paint;
use crate::screen::Screen;
use crate::target::Source;
use sonometer::{Instrument, OffsetUnit, Sensor, Unit};

/// Arguments of `evaluate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A protocol, metric or blueprint that ships (`id` or `id@version`), or a file of one
    target: String,
    /// Labelled interactions: .jsonl, {"id", "interaction", "labels"} a line, or pairs of them, {"id", "interaction_a",
    /// "interaction_b", "labels"}; `-` for standard input
    data: String,
    #[command(flatten)]
    selector: Selector,
    /// What is judged [default: by the shape of the label]
    #[arg(long, value_enum)]
    unit: Option<Scope>,
    /// Positive if one of these markers is triggered, ranked by their largest resonance; of pairs, the text in which that is larger
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
    /// For labels of places: which markers may find which types; may be repeated [default: those of the same name]
    #[arg(long, value_name = "TYPE,…=LABEL,…", value_parser = MapEntry::parse)]
    map: Vec<MapEntry>,
    /// For labels of places: what start and end count: chars, bytes or utf16
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = super::sense::unit)]
    offsets: OffsetUnit,
    /// The figures for each value of another label too
    #[arg(long, value_name = "PATH")]
    by: Option<String>,
    /// How many errors of each sign are shown
    #[arg(long, value_name = "N", default_value_t = 5)]
    errors: usize,
    /// The label is a grade, a number: rank correlation in the place of classes
    #[arg(long, conflicts_with_all = ["positive", "negative", "unit", "threshold", "map"])]
    graded: bool,
    /// With each error, the computation of its readings
    #[arg(long)]
    explain: bool,
    /// Writes a page with curves, tables and the errors with their evidence; it needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<String>,
    /// JSON: one object
    #[arg(long)]
    pub(crate) json: bool,
}

impl Arguments {
    /// Whether low scores are positive, where that is said.
    fn low(&self) -> Option<bool> {
        (self.lower || self.higher).then_some(self.lower)
    }

    /// The threshold that is a number.
    fn least(&self) -> Option<Unit> {
        match self.threshold {
            Some(Threshold::At(from)) => Some(from),
            _ => None,
        }
    }
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
    let instrument = Source::find(&arguments.target)?.instrument()?;
    let labels = Labels::open(&arguments.data)?.with_pairs();
    if labels.holds_pairs() {
        return in_pairs(arguments, screen, &instrument, &labels);
    }
    if arguments.graded {
        return by_grade(arguments, screen, &instrument, &labels);
    }
    let sensor = one_protocol(&instrument)?;
    let items = labels.select(&arguments.selector)?;
    let path = labels.label(&arguments.selector, &items)?;
    let scope = arguments.unit.unwrap_or_else(|| cases::scope(&path, &items));
    // What is wrong with labels and options is told before anything is sensed.
    if scope == Scope::Spans {
        return places(arguments, screen, sensor, &labels, &path, &items);
    }
    if !arguments.map.is_empty() {
        return Err(Failure::unusable("--map is for labels of places (--unit spans)"));
    }
    let evaluation = judge(arguments, scope, sensor, &labels, &path, &items)?;
    let page = || html::page(&evaluation);
    tell(arguments, screen, &evaluation, page, |paint| text::render(paint, &evaluation))
}

/// The protocol, where the question is about the markers of one.
fn one_protocol(instrument: &Instrument) -> Result<&Sensor, Failure> {
    match instrument.sensor() {
        Some(sensor) => Ok(sensor),
        None => {
            let ids: Vec<&str> =
                instrument.sensors().iter().map(|sensor| sensor.protocol().id.as_str()).collect();
            Err(Failure::unusable(format!(
                "classes, segments and places are about the markers of one protocol, and `{}` is a {}; give one of {}",
                instrument.id(),
                instrument.kind().as_str(),
                ids.join(", ")
            )))
        }
    }
}

/// Refuses options that have no meaning here.
fn refuse(given: &[(&str, bool)], why: &str) -> Result<(), Failure> {
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::unusable(format!("{option} has no meaning for {why}"))),
        None => Ok(()),
    }
}

/// Judges pairs.
fn in_pairs(
    arguments: &Arguments,
    screen: &mut Screen,
    instrument: &Instrument,
    labels: &Labels,
) -> Result<Exit, Failure> {
    let refused = [
        ("--unit", arguments.unit.is_some()),
        ("--threshold", arguments.threshold.is_some()),
        ("--map", !arguments.map.is_empty()),
        ("--graded", arguments.graded),
    ];
    refuse(&refused, "pairs; the text with the higher value is the one that is chosen")?;
    let selector = &arguments.selector;
    let items = labels.select(selector)?;
    let path = labels.label(selector, &items)?;
    let gauge = Gauge::of(instrument, &arguments.markers, arguments.low())?;
    let truths = pairs::truths(labels, selector, &path, &items)?;
    let by = arguments.by.as_deref().map(|by| labels.path(by, &items)).transpose()?;
    let left_out = truths.iter().filter(|truth| truth.is_none()).count();
    let mut data = data(arguments, labels, &path, items.len(), left_out);
    data.positive = Some(selector.positive.as_ref().map_or_else(|| "a".into(), ToString::to_string));
    data.negative = Some(selector.negative.as_ref().map_or_else(|| "b".into(), ToString::to_string));
    let (errors, explain) = (arguments.errors, arguments.explain);
    let wish = pairs::Wish { selector, gauge, by: by.as_ref(), errors, explain };
    let mut evaluation = pairs::evaluate(instrument, labels, &truths, &items, wish, data)?;
    evaluation.notes.extend(labels.unseen(selector, &path, &items));
    let page = || pair_html::page(&evaluation);
    tell(arguments, screen, &evaluation, page, |paint| pair_text::render(paint, &evaluation))
}

/// Compares grades with values.
fn by_grade(
    arguments: &Arguments,
    screen: &mut Screen,
    instrument: &Instrument,
    labels: &Labels,
) -> Result<Exit, Failure> {
    let selector = &arguments.selector;
    let items = labels.select(selector)?;
    let path = labels.label(selector, &items)?;
    let gauge = Gauge::of(instrument, &arguments.markers, arguments.low())?;
    let grades = graded::grades(labels, &path, &items)?;
    let by = arguments.by.as_deref().map(|by| labels.path(by, &items)).transpose()?;
    let left_out = grades.iter().filter(|grade| grade.is_none()).count();
    let mut data = data(arguments, labels, &path, items.len(), left_out);
    data.positive = None;
    let (errors, explain) = (arguments.errors, arguments.explain);
    let wish = graded::Wish { selector, gauge, by: by.as_ref(), errors, explain };
    let evaluation = graded::evaluate(instrument, labels, &grades, &items, wish, data)?;
    let page = || graded_html::page(&evaluation);
    tell(arguments, screen, &evaluation, page, |paint| graded_text::render(paint, &evaluation))
}

/// Writes the page that is asked for, and prints the text or the JSON.
fn tell(
    arguments: &Arguments,
    screen: &mut Screen,
    evaluation: &impl serde::Serialize,
    page: impl FnOnce() -> String,
    text: impl FnOnce(&Paint) -> String,
) -> Result<Exit, Failure> {
    if let Some(file) = &arguments.html {
        write_page(file, &page())?;
    }
    if arguments.json {
        screen.print_bytes(&json::line(evaluation))?;
    } else {
        let text = text(&screen.paint);
        screen.print(&text)?;
    }
    Ok(Exit::Done)
}

/// Judges items or segments.
fn judge<'a>(
    arguments: &Arguments,
    scope: Scope,
    sensor: &'a Sensor,
    labels: &Labels,
    path: &Path,
    items: &'a [Item],
) -> Result<Evaluation<'a>, Failure> {
    let protocol = sensor.protocol();
    let mut question = Question::of(protocol, scope, &arguments.markers, arguments.low(), arguments.least())?;
    let truths = Truths::read(labels, &arguments.selector, path, items, scope)?;
    let by = arguments.by.as_deref().map(|by| labels.path(by, items)).transpose()?;
    let outcomes = sense_all(sensor, &labels.name, items)?;
    let clusters = cases::clusters(&arguments.selector, items);
    let mut cases = truths.cases(&question, &outcomes);
    cases.iter_mut().for_each(|case| case.cluster = clusters[case.item]);
    cases::renumber(&mut cases);

    let mut notes: Vec<String> = labels.unseen(&arguments.selector, path, items).into_iter().collect();
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
            notes.push(format!(
                "no case is {which}: figures that need one are not defined (n/a) or say little"
            ));
        }
    }
    if arguments.markers.len() > 1 {
        notes.push(
            "the ranking compares resonances of different markers; beyond its trigger, a resonance means \
             something only within one marker"
                .into(),
        );
    }
    let mut covered: Vec<Case> = cases.iter().filter(|case| case.sufficient).copied().collect();
    cases::renumber(&mut covered);
    let on_covered = if covered.len() == cases.len() { figures.clone() } else { Figures::of(&covered) };
    Ok(Evaluation {
        protocol,
        data: data(arguments, labels, path, items.len(), truths.left_out()),
        covered: on_covered,
        markers: markers::figures(protocol, &question, &outcomes, &cases),
        by: by.map(|path| (path.to_string(), breakdown::parts(&path, items, &cases))),
        errors: errors::worst(
            sensor,
            &question,
            &labels.name,
            items,
            &cases,
            (arguments.errors, arguments.explain),
        )?,
        figures,
        points,
        question,
        notes,
    })
}

/// Compares labelled places with evidence.
fn places(
    arguments: &Arguments,
    screen: &mut Screen,
    sensor: &Sensor,
    labels: &Labels,
    path: &Path,
    items: &[Item],
) -> Result<Exit, Failure> {
    let selector = &arguments.selector;
    let refused = [
        ("--positive", selector.positive.is_some()),
        ("--negative", selector.negative.is_some()),
        ("--marker", !arguments.markers.is_empty()),
        ("--by", arguments.by.is_some()),
        ("--lower", arguments.lower),
        ("--higher", arguments.higher),
        ("--explain", arguments.explain),
        ("--threshold best", matches!(arguments.threshold, Some(Threshold::Best))),
    ];
    refuse(&refused, "labels of places; --map TYPE=marker chooses types and markers")?;
    let outcomes = sense_all(sensor, &labels.name, items)?;
    let unlabelled = items.iter().filter(|item| path.find(&item.labels).is_none_or(|value| value.is_null()));
    let mut data = data(arguments, labels, path, items.len(), unlabelled.count());
    data.positive = None;
    let wish = spans::Wish {
        entries: &arguments.map,
        unit: arguments.offsets,
        least: arguments.least().unwrap_or_default(),
        errors: arguments.errors,
    };
    let clusters = cases::clusters(selector, items);
    let evaluation = spans::evaluate(sensor, labels, path, items, &outcomes, &clusters, &wish, data)?;
    let page = || span_html::page(&evaluation);
    tell(arguments, screen, &evaluation, page, |paint| span_text::render(paint, &evaluation))
}

fn write_page(file: &str, page: &str) -> Result<(), Failure> {
    std::fs::write(file, page).map_err(|error| {
        Failure::unusable(format!(
            "{file}: the page cannot be written: {error}; name a file in a folder that exists"
        ))
    })
}

fn data(arguments: &Arguments, labels: &Labels, path: &Path, items: usize, left_out: usize) -> Data {
    let selector = &arguments.selector;
    Data {
        file: labels.name.clone(),
        label: path.to_string(),
        positive: Some(selector.positive.as_ref().map_or_else(|| "true or 1".into(), ToString::to_string)),
        negative: selector.negative.as_ref().map(ToString::to_string),
        r#where: selector.filters.iter().map(ToString::to_string).collect(),
        fold: selector.fold.as_ref().map(ToString::to_string),
        group: selector.group.clone(),
        items,
        left_out,
    }
}
