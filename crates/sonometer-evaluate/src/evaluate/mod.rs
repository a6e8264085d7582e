//! Measuring a protocol, metric or blueprint on labelled interactions, in the order in which data passes:
//! what is asked, sensing, cases and their figures, markers, errors; then the JSON of the report.

pub(crate) mod gauge;
pub(crate) mod question;
pub(crate) mod sensed;

pub(crate) mod alarms;
pub(crate) mod breakdown;
pub(crate) mod cases;
pub(crate) mod errors;
pub(crate) mod interval;
pub(crate) mod markers;
pub(crate) mod measure;

pub(crate) mod choice;
pub(crate) mod choices;
pub(crate) mod graded;
pub(crate) mod pairs;
pub(crate) mod spans;
mod spearman;
pub(crate) mod thresholds;

mod choices_result;
mod graded_result;
mod pair_result;
pub(crate) mod result;
mod shown;
mod span_result;

use crate::Error;
use crate::fit::Example;
use crate::fit::folds;
use crate::fit::likeness::Clusters;
use crate::labels::{Background, Item, Labelled, Path, Selector};
use crate::report::{Found, Report, places as places_of};
use crate::watch::{Steps, Watch};
use alarms::{Alarms, Heard, Rate, hundredths};
use cases::Truths;
use choice::Choice;
use choices::ChoiceEvaluation;
use gauge::Gauge;
use measure::{Case, Figures, Ranking};
use question::{Question, Scope};
use result::{Data, Evaluation};
use sonometer::{Instrument, OffsetUnit, Sensor, Unit};
use spans::MapEntry;
use std::str::FromStr;
use thresholds::{Changed, Proposal, Scored};

/// What is asked of labelled data. The kind of evaluation follows from the data and from these: pairs where items are pairs, grades
/// where [`graded`](Options::graded) says so, one of several values where [`choice`](Options::choice) does, else places, segments or whole items by the shape of the label.
#[derive(Clone, Debug)]
pub struct Options {
    /// The label, its classes, and which items are meant.
    pub selector: Selector,
    /// What is judged; without it, by the shape of the label.
    pub unit: Option<Scope>,
    /// Positive if one of these markers is triggered, ranked by their largest resonance.
    pub markers: Vec<String>,
    /// From which ranking value on an item is positive.
    pub threshold: Option<Threshold>,
    /// Whether low scores are positive; without it, where a text in which nothing is found scores 1.
    pub lower: Option<bool>,
    /// Of labels of places, which markers may find which types; of choices, which choose which values. Empty: those of the same name.
    pub map: Vec<MapEntry>,
    /// For labels of places: what start and end count.
    pub offsets: OffsetUnit,
    /// Another label, for each of whose values there are figures too.
    pub by: Option<String>,
    /// How many errors of each sign are shown.
    pub errors: usize,
    /// Whether the label is a grade, a number: rank correlation in the place of classes.
    pub graded: bool,
    /// The label names which of several markers holds: how one is chosen.
    pub choice: Option<Choice>,
    /// Whether errors come with the computation of their readings.
    pub explain: bool,
    /// Ordinary interactions, to count false alarms on; of classes, segments and places.
    pub background: Option<Background>,
    /// The share of alarms that proposed thresholds may cost; without it, 0.005.
    pub alarms: Option<Unit>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            selector: Selector::default(),
            unit: None,
            markers: Vec::new(),
            threshold: None,
            lower: None,
            map: Vec::new(),
            offsets: OffsetUnit::Chars,
            by: None,
            errors: 5,
            graded: false,
            choice: None,
            explain: false,
            background: None,
            alarms: None,
        }
    }
}

impl Options {
    /// The threshold that is a number.
    fn least(&self) -> Option<Unit> {
        match self.threshold {
            Some(Threshold::At(from)) => Some(from),
            _ => None,
        }
    }
}

/// The wish for a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// From this value on, 0 to 1.
    At(Unit),
    /// From where macro-F1 is highest on this very data.
    Best,
}

impl FromStr for Threshold {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, Unit::parse(text)) {
            ("best", _) => Ok(Self::Best),
            (_, Some(value)) if (Unit::ZERO..=Unit::ONE).contains(&value) => Ok(Self::At(value)),
            _ => Err("write a number from 0 to 1, or `best`".into()),
        }
    }
}

/// Measures how well `target` agrees with the labels of `labelled`, on all cores. The same input gives the same report, however
/// many there are.
///
/// # Errors
/// Options that do not go together, labels that are not there or of another shape, with their place; items that cannot be
/// sensed; [`Error::Stopped`] when `watch` says so.
pub fn evaluate(
    target: &Instrument,
    labelled: &Labelled,
    options: &Options,
    watch: Watch<'_>,
) -> Result<Report, Error> {
    if labelled.holds_pairs() {
        return in_pairs(target, labelled, options, watch).map(Found::Pairs).map(Report);
    }
    if options.graded {
        return by_grade(target, labelled, options, watch).map(Found::Grades).map(Report);
    }
    let sensor = one_protocol(target)?;
    if let Some(choice) = options.choice {
        return by_choice(sensor, labelled, options, choice, watch).map(Found::Choices).map(Report);
    }
    let items = labelled.select(&options.selector)?;
    let path = labelled.label(&options.selector, &items)?;
    let scope = options.unit.unwrap_or_else(|| cases::scope(&path, &items));
    // What is wrong with labels and options is reported before anything is sensed.
    if scope == Scope::Spans {
        return places(sensor, labelled, options, &path, &items, watch).map(Found::Places).map(Report);
    }
    if !options.map.is_empty() {
        return Err(Error::unusable(
            "--map works with labels of places and with choices only; add --unit spans or --choice, or remove it",
        ));
    }
    judge(sensor, labelled, options, scope, &path, &items, watch).map(Found::Classes).map(Report)
}

/// The protocol, where the question is about the markers of one.
fn one_protocol(target: &Instrument) -> Result<&Sensor, Error> {
    match target.sensor() {
        Some(sensor) => Ok(sensor),
        None => {
            let ids: Vec<&str> =
                target.sensors().iter().map(|sensor| sensor.protocol().id.as_str()).collect();
            Err(Error::unusable(format!(
                "classes, segments and places need one protocol, but `{}` is a {}; give one of {}",
                target.id(),
                target.kind().as_str(),
                ids.join(", ")
            )))
        }
    }
}

/// Refuses options that have no meaning here.
fn refuse(given: &[(&str, bool)], why: &str) -> Result<(), Error> {
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Error::unusable(format!("{option} does not apply to {why}"))),
        None => Ok(()),
    }
}

/// Judges pairs.
fn in_pairs(
    target: &Instrument,
    labelled: &Labelled,
    options: &Options,
    watch: Watch<'_>,
) -> Result<pairs::PairEvaluation, Error> {
    let refused = [
        ("--unit", options.unit.is_some()),
        ("--threshold", options.threshold.is_some()),
        ("--map", !options.map.is_empty()),
        ("--graded", options.graded),
        ("--choice", options.choice.is_some()),
        ("--background", options.background.is_some()),
    ];
    refuse(&refused, "pairs, where the text with the higher value is chosen; remove it")?;
    let selector = &options.selector;
    let items = labelled.select(selector)?;
    let path = labelled.label(selector, &items)?;
    let gauge = Gauge::of(target, &options.markers, options.lower)?;
    let truths = pairs::truths(labelled, selector, &path, &items)?;
    let by = options.by.as_deref().map(|by| labelled.path(by, &items)).transpose()?;
    let left_out = truths.iter().filter(|truth| truth.is_none()).count();
    let mut data = data(labelled, selector, &path, items.len(), left_out);
    data.positive = Some(selector.positive.as_ref().map_or_else(|| "a".into(), ToString::to_string));
    data.negative = Some(selector.negative.as_ref().map_or_else(|| "b".into(), ToString::to_string));
    let (errors, explain) = (options.errors, options.explain);
    let wish = gauge::Wish { selector, gauge, by: by.as_ref(), errors, explain };
    let mut evaluation = pairs::evaluate(target, labelled, &truths, &items, wish, data, watch)?;
    evaluation.notes.extend(labelled.unseen(selector, &path, &items));
    Ok(evaluation)
}

/// Compares grades with values.
fn by_grade(
    target: &Instrument,
    labelled: &Labelled,
    options: &Options,
    watch: Watch<'_>,
) -> Result<graded::GradedEvaluation, Error> {
    let selector = &options.selector;
    let refused = [
        ("--positive", selector.positive.is_some()),
        ("--negative", selector.negative.is_some()),
        ("--unit", options.unit.is_some()),
        ("--threshold", options.threshold.is_some()),
        ("--map", !options.map.is_empty()),
        ("--background", options.background.is_some()),
    ];
    refuse(&refused, "grades, which have no classes; remove it")?;
    let items = labelled.select(selector)?;
    let path = labelled.label(selector, &items)?;
    let gauge = Gauge::of(target, &options.markers, options.lower)?;
    let grades = graded::grades(labelled, &path, &items)?;
    let by = options.by.as_deref().map(|by| labelled.path(by, &items)).transpose()?;
    let left_out = grades.iter().filter(|grade| grade.is_none()).count();
    let mut data = data(labelled, selector, &path, items.len(), left_out);
    data.positive = None;
    let (errors, explain) = (options.errors, options.explain);
    let wish = gauge::Wish { selector, gauge, by: by.as_ref(), errors, explain };
    graded::evaluate(target, labelled, &grades, &items, wish, data, watch)
}

/// Compares the marker that holds with the value of the label.
fn by_choice(
    sensor: &Sensor,
    labelled: &Labelled,
    options: &Options,
    choice: Choice,
    watch: Watch<'_>,
) -> Result<ChoiceEvaluation, Error> {
    let selector = &options.selector;
    let refused = [
        ("--positive", selector.positive.is_some()),
        ("--negative", selector.negative.is_some()),
        ("--unit", options.unit.is_some()),
        ("--marker", !options.markers.is_empty()),
        ("--threshold", options.threshold.is_some()),
        ("--lower", options.lower == Some(true)),
        ("--higher", options.lower == Some(false)),
        ("--background", options.background.is_some()),
    ];
    refuse(&refused, "--choice, where one of the markers holds; say which with --map VALUE=marker")?;
    let items = labelled.select(selector)?;
    let path = labelled.label(selector, &items)?;
    let asked = choices::Asked {
        choice,
        map: &options.map,
        by: options.by.as_deref(),
        errors: options.errors,
        explain: options.explain,
    };
    choices::evaluate(sensor, labelled, (selector, &path), &items, &asked, watch)
}

/// Judges items or segments.
fn judge(
    sensor: &Sensor,
    labelled: &Labelled,
    options: &Options,
    scope: Scope,
    path: &Path,
    items: &[Item],
    watch: Watch<'_>,
) -> Result<Evaluation, Error> {
    let (protocol, selector) = (sensor.protocol(), &options.selector);
    let mut question = Question::of(protocol, scope, &options.markers, options.lower, options.least())?;
    let truths = Truths::read(labelled, selector, path, items, scope)?;
    labelled.expect_classes(selector, path)?;
    let by = options.by.as_deref().map(|by| labelled.path(by, items)).transpose()?;
    let outcomes = sensed::sense_all(sensor, labelled, items, &mut *watch)?;
    let clusters = cases::clusters(selector, items);
    let mut cases = truths.cases(&question, &outcomes);
    cases.iter_mut().for_each(|case| case.cluster = clusters[case.item]);
    cases::renumber(&mut cases);

    let mut notes: Vec<String> = sensed::unheard(&outcomes).into_iter().collect();
    notes.extend(labelled.unseen(selector, path, items));
    notes.extend(labelled.otherwise_written(selector, path, items));
    let points = Ranking::of(&cases).points();
    if let Some(Threshold::Best) = options.threshold
        && let Some(best) = measure::best(&points)
    {
        question.decide(best, &mut cases);
        notes.push(format!(
            "the threshold {best} was chosen on the same data; check it on other data (--fold) before you rely on it"
        ));
    }
    let by_turn = scope == Scope::Segments;
    let judge = |outcome: &sensed::Outcome, turn: Option<usize>| match turn {
        Some(turn) => question.segment(outcome, turn),
        None => question.whole(outcome),
    };
    let heard = match &options.background {
        Some(background) => Some(Heard::of(sensor, background, items, by_turn, &judge, &mut *watch)?),
        None => None,
    };
    let limit = options.alarms.unwrap_or(thresholds::ALARMS);
    let alarms = heard.as_ref().zip(options.background.as_ref());
    let alarms = alarms.map(|(heard, background)| heard.alarms(background, Some(limit)));
    if alarms.is_none() {
        notes.push(NO_BACKGROUND.to_owned());
    }
    let (scored, pieces) = folded(items, &cases, &outcomes, heard.as_ref(), &mut *watch)?;
    let steps = &mut Steps::new(watch, "measuring", MEASURES);
    let proposals = thresholds::proposals(&scored, &pieces, limit, FOLDS, &|counts| counts.macro_f1());
    steps.advance(1)?;
    let figures = Figures::of(&cases);
    steps.advance(1)?;
    notes.extend(advice(&question, &figures, alarms.as_ref(), &proposals, limit));
    notes.extend(thresholds::too_few(figures.counts.positives(), figures.counts.negatives()));
    for (count, which) in [(figures.counts.positives(), "positive"), (figures.counts.negatives(), "negative")]
    {
        if count == 0 {
            notes.push(format!("no case is {which}, so some figures are undefined (n/a) or say little"));
        }
    }
    if options.markers.len() > 1 {
        notes.push(
            "the ranking compares resonances of different markers, but resonances are comparable only within one marker"
                .into(),
        );
    }
    let mut covered: Vec<Case> = cases.iter().filter(|case| case.sufficient).copied().collect();
    cases::renumber(&mut covered);
    let on_covered = if covered.len() == cases.len() { figures.clone() } else { Figures::of(&covered) };
    steps.advance(1)?;
    let markers = markers::figures(protocol, &question, &outcomes, &cases);
    steps.advance(1)?;
    let by = by.map(|path| (path.to_string(), breakdown::parts(&path, items, &cases)));
    let shown = (options.errors, options.explain);
    Ok(Evaluation {
        sensor: sensor.clone(),
        data: data(labelled, selector, path, items.len(), truths.left_out()),
        covered: on_covered,
        markers,
        by,
        errors: errors::worst(sensor, &question, labelled, items, &cases, shown)?,
        figures,
        points,
        question,
        alarms,
        proposals,
        notes,
    })
}

/// What is said where nothing tells how often ordinary talk is positive.
const NO_BACKGROUND: &str = "alarms on ordinary talk are not known: give some with --background, since labelled data holds more positives than talk does";

/// Folds on which thresholds are chosen and judged.
const FOLDS: usize = 5;

/// What is measured when all is sensed and compared: thresholds, the figures, those of what is covered, those of each marker.
const MEASURES: usize = 4;

/// Cases and ordinary talk, parted into folds.
fn folded(
    items: &[Item],
    cases: &[Case],
    outcomes: &[sensed::Outcome],
    heard: Option<&Heard>,
    watch: Watch<'_>,
) -> Result<(Vec<Scored>, Vec<thresholds::Piece>), Error> {
    // Items that are alike are in one fold, and so are those of a cluster.
    let mut examples: Vec<Example> = Vec::new();
    let mut of_item = vec![None; outcomes.len()];
    for case in cases {
        if of_item[case.item].is_none() {
            of_item[case.item] = Some(examples.len());
            let interaction = items[case.item].interaction.clone();
            examples.push(Example { group: case.cluster.to_string(), interaction, positive: case.truth });
        }
    }
    let clusters = Clusters::of(&examples, true, &|_| true, watch)?;
    let parts = folds::part(&examples, &clusters, FOLDS);
    let scored: Vec<Scored> = cases
        .iter()
        .map(|case| Scored {
            value: case.value,
            truth: case.truth,
            now: Some(case.predicted),
            fold: of_item[case.item].map_or(0, |at| parts.of[at]),
        })
        .collect();
    let talks = heard.map_or(0, |heard| heard.pieces.last().map_or(0, |(talk, ..)| talk + 1));
    let of_talk = folds::part_talks(talks, FOLDS);
    let pieces = heard.into_iter().flat_map(|heard| &heard.pieces);
    let pieces: Vec<thresholds::Piece> = pieces
        .map(|(talk, value, _)| thresholds::Piece { value: *value, talk: *talk, fold: of_talk[*talk] })
        .collect();
    Ok((scored, pieces))
}

/// How much better the macro-F1 of another threshold must be to be worth a word.
const WORTH: Unit = Unit(5_000);

/// Which threshold to take instead, if the one in use costs macro-F1 or alarms that need not be.
fn advice(
    question: &Question,
    figures: &Figures,
    alarms: Option<&Alarms>,
    proposals: &[Proposal],
    limit: Unit,
) -> Option<String> {
    let wanted = alarms.map(|_| limit);
    let best = proposals.iter().find(|proposal| proposal.limit == wanted)?;
    let [own, other] = [&figures.counts, &best.counts].map(|counts| counts.macro_f1().unwrap_or_default());
    let rate = alarms.and_then(|alarms| alarms.pieces.share());
    let too_many = rate.is_some_and(|rate| rate > limit);
    if other <= own + WORTH && !too_many {
        return None;
    }
    let told = |alarms: Option<Rate>| {
        alarms
            .and_then(Rate::share)
            .map_or_else(String::new, |rate| format!(", alarms {} %", hundredths(rate)))
    };
    let [recall, recall_other] =
        [&figures.counts, &best.counts].map(|counts| places_of(counts.recall().unwrap_or_default()));
    let Changed { right, wrong } = best.changed.unwrap_or_default();
    let clear = best.changed.is_some_and(Changed::is_clear);
    let next = match clear || too_many {
        true => {
            let written = if question.named { ", or write it as `trigger`" } else { "" };
            format!("try --threshold {}{written}", best.from)
        }
        false => "too few to tell the two apart".to_owned(),
    };
    Some(format!(
        "from {} on instead of as it is: macro-F1 {} for {}, recall {recall_other} for {recall}{}{}; \
         {} right and {wrong} wrong; {next}",
        best.from,
        places_of(other),
        places_of(own),
        told(best.alarms),
        rate.map_or_else(String::new, |rate| format!(" for {} %", hundredths(rate))),
        if right == 1 { "1 case becomes".to_owned() } else { format!("{right} cases become") },
    ))
}

/// Compares labelled places with evidence.
fn places(
    sensor: &Sensor,
    labelled: &Labelled,
    options: &Options,
    path: &Path,
    items: &[Item],
    watch: Watch<'_>,
) -> Result<spans::SpanEvaluation, Error> {
    let selector = &options.selector;
    let refused = [
        ("--positive", selector.positive.is_some()),
        ("--negative", selector.negative.is_some()),
        ("--marker", !options.markers.is_empty()),
        ("--by", options.by.is_some()),
        ("--lower", options.lower == Some(true)),
        ("--higher", options.lower == Some(false)),
        ("--explain", options.explain),
        ("--threshold best", matches!(options.threshold, Some(Threshold::Best))),
    ];
    refuse(&refused, "labels of places; choose types and markers with --map TYPE=marker")?;
    let outcomes = sensed::sense_all(sensor, labelled, items, &mut *watch)?;
    let unlabelled = items.iter().filter(|item| path.find(&item.labels).is_none_or(|value| value.is_null()));
    let mut data = data(labelled, selector, path, items.len(), unlabelled.count());
    data.positive = None;
    let wish = spans::Wish {
        entries: &options.map,
        unit: options.offsets,
        least: options.least().unwrap_or_default(),
        errors: options.errors,
    };
    let clusters = cases::clusters(selector, items);
    let mut evaluation = spans::evaluate(sensor, labelled, path, items, &outcomes, &clusters, &wish, data)?;
    evaluation.notes.extend(sensed::unheard(&outcomes));
    let Some(background) = &options.background else {
        evaluation.notes.push(NO_BACKGROUND.to_owned());
        return Ok(evaluation);
    };
    let asked: Vec<&str> = evaluation.markers.iter().map(|(label, _)| label.as_str()).collect();
    let is_asked = |found: &sensed::Found| {
        found.score >= wish.least && asked.contains(&sensor.protocol().markers[found.marker].label.as_str())
    };
    let judge = |outcome: &sensed::Outcome, _| {
        let found = outcome.evidence.iter().filter(|found| is_asked(found));
        let most = found.map(|found| found.score).max();
        (most.unwrap_or_default(), most.is_some())
    };
    let heard = Heard::of(sensor, background, items, false, &judge, watch)?;
    evaluation.alarms = Some(heard.alarms(background, None));
    Ok(evaluation)
}

fn data(labelled: &Labelled, selector: &Selector, path: &Path, items: usize, left_out: usize) -> Data {
    Data {
        file: labelled.name().to_owned(),
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
