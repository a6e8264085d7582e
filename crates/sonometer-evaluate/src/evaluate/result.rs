//! Everything an evaluation found, and its JSON: one object, its keys always in the same order.

use super::alarms::Alarms;
use super::breakdown::Part;
use super::errors::{Errors, Wrong};
use super::interval::RESAMPLES;
use super::markers::MarkerFigures;
use super::measure::{Estimate, FIGURES, Figures, Point};
use super::question::{Decision, Question, Scope};
use super::shown::{By, Quoted, ledgers};
use super::thresholds::Proposal;
use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};
use sonometer::protocol::Protocol;
use sonometer::{Fidelity, Sensor, Unit};
use sonometer_report::json::{Target, number};

/// What was evaluated on what.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Data {
    /// The path of the file, or `items`.
    pub file: String,
    /// The label, as a path.
    pub label: String,
    /// The classes as the caller wrote them; none for places.
    pub positive: Option<String>,
    /// The negative class; without one, the rest.
    pub negative: Option<String>,
    /// The conditions on other labels.
    pub r#where: Vec<String>,
    /// The parts of the items.
    pub fold: Option<String>,
    /// The label that names groups.
    pub group: Option<String>,
    /// Items that passed `where` and `fold`.
    pub items: usize,
    /// Items (or segments) without a label in either class.
    pub left_out: usize,
}

/// An evaluation of items or segments.
#[derive(Clone, Debug)]
pub(crate) struct Evaluation {
    pub(crate) sensor: Sensor,
    pub(crate) data: Data,
    pub(crate) question: Question,
    /// On all cases; what is insufficient counts as predicted negative.
    pub(crate) figures: Figures,
    /// On the cases that held enough to be measured.
    pub(crate) covered: Figures,
    pub(crate) markers: Vec<MarkerFigures>,
    /// The label of `--by`, and the cases by its values.
    pub(crate) by: Option<(String, Vec<Part>)>,
    /// What each threshold would give, from the highest to the lowest.
    pub(crate) points: Vec<Point>,
    /// Alarms on ordinary talk, if there is some.
    pub(crate) alarms: Option<Alarms>,
    /// Thresholds that labels and ordinary talk support.
    pub(crate) proposals: Vec<Proposal>,
    /// False positives, false negatives.
    pub(crate) errors: [Errors; 2],
    pub(crate) notes: Vec<String>,
}

/// The most thresholds that are listed.
const CURVE: usize = 101;

impl Evaluation {
    /// The protocol that was evaluated.
    pub(crate) fn protocol(&self) -> &Protocol {
        self.sensor.protocol()
    }

    /// From where on the rule in use finds something; nothing where several markers have triggers of their own.
    pub(crate) fn used_from(&self) -> String {
        let mut asked = self.protocol().markers.iter().zip(&self.question.asked).filter(|(_, asked)| **asked);
        match (self.question.decision, asked.next(), asked.next()) {
            (Decision::From(from), ..) => from.to_string(),
            (Decision::Triggered, Some((marker, _)), None) => marker.trigger.to_string(),
            (Decision::Triggered, ..) => String::new(),
        }
    }

    /// The points of the curves: all, or evenly chosen ones with the first and the last.
    pub(crate) fn curve(&self) -> Vec<Point> {
        let points = &self.points;
        if points.len() <= CURVE {
            return points.clone();
        }
        (0..CURVE).map(|nth| points[nth * (points.len() - 1) / (CURVE - 1)]).collect()
    }

    /// The share of the cases that held enough to be measured.
    pub(crate) fn coverage(&self) -> Option<Unit> {
        super::measure::share(self.covered.counts.cases(), self.figures.counts.cases())
    }
}

impl Serialize for Evaluation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("target", &Target::of(self.protocol()))?;
        map.serialize_entry("data", &self.data)?;
        map.serialize_entry("rule", &Rule::of(&self.question, self.protocol()))?;
        map.serialize_entry("coverage", &self.coverage().map(Number))?;
        map.serialize_entry("intervals", &Intervals::of(self.figures.independent))?;
        map.serialize_entry("figures", &self.figures)?;
        map.serialize_entry("covered", &self.covered)?;
        map.serialize_entry("alarms", &self.alarms)?;
        map.serialize_entry("thresholds", &self.proposals)?;
        map.serialize_entry("markers", &self.markers)?;
        if let Some((label, parts)) = &self.by {
            map.serialize_entry("by", &By { label, parts: parts.iter().collect() })?;
        }
        map.serialize_entry("curve", &self.curve().iter().map(CurvePoint::of).collect::<Vec<_>>())?;
        map.serialize_entry("false_positives", &self.errors[0])?;
        map.serialize_entry("false_negatives", &self.errors[1])?;
        map.serialize_entry("notes", &self.notes)?;
        map.end()
    }
}

/// A number as the engine prints it.
#[derive(Clone, Copy, Debug, serde::Serialize)]
#[serde(transparent)]
pub(crate) struct Number(#[serde(serialize_with = "number")] pub(crate) Unit);

#[derive(serde::Serialize)]
struct Rule {
    unit: Scope,
    ranked_by: &'static str,
    positive_if: String,
}

impl Rule {
    fn of(question: &Question, protocol: &Protocol) -> Self {
        Self { unit: question.scope, ranked_by: question.ranked_by(), positive_if: question.rule(protocol) }
    }
}

/// How the intervals were worked out.
#[derive(serde::Serialize)]
pub(crate) struct Intervals {
    level: Number,
    precision_recall: &'static str,
    others: &'static str,
    resamples: usize,
}

impl Intervals {
    pub(crate) fn of(independent: bool) -> Self {
        Self {
            level: Number(Unit(950_000)),
            precision_recall: if independent { "wilson" } else { "bootstrap" },
            others: "bootstrap",
            resamples: RESAMPLES,
        }
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("cases", &self.counts.cases())?;
        map.serialize_entry("counts", &self.counts)?;
        for (name, estimate) in FIGURES.iter().zip(&self.estimates) {
            map.serialize_entry(name, estimate)?;
        }
        map.end()
    }
}

impl Serialize for Estimate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("value", &Number(self.value))?;
        map.serialize_entry("low", &self.interval.map(|interval| Number(interval.low)))?;
        map.serialize_entry("high", &self.interval.map(|interval| Number(interval.high)))?;
        map.end()
    }
}

impl Serialize for MarkerFigures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = &self.counts;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("metamarker", &self.label)?;
        map.serialize_entry("pole", self.pole.as_str())?;
        map.serialize_entry("asked", &self.asked)?;
        map.serialize_entry("triggered", &counts.predicted())?;
        map.serialize_entry("right", &counts.true_positives)?;
        map.serialize_entry("precision", &counts.precision().map(Number))?;
        map.serialize_entry("recall", &counts.recall().map(Number))?;
        map.serialize_entry("f1", &counts.f1().map(Number))?;
        map.serialize_entry("lift", &counts.lift().map(Number))?;
        map.serialize_entry("hurts", &self.hurts())?;
        map.serialize_entry("alone_right", &self.alone_right)?;
        map.serialize_entry("alone_wrong", &self.alone_wrong)?;
        map.end()
    }
}

/// A threshold and what it would give.
#[derive(serde::Serialize)]
struct CurvePoint {
    threshold: Number,
    true_positives: u64,
    false_positives: u64,
    precision: Option<Number>,
    recall: Option<Number>,
    macro_f1: Option<Number>,
}

impl CurvePoint {
    fn of(point: &Point) -> Self {
        let counts = &point.counts;
        Self {
            threshold: Number(point.value),
            true_positives: counts.true_positives,
            false_positives: counts.false_positives,
            precision: counts.precision().map(Number),
            recall: counts.recall().map(Number),
            macro_f1: counts.macro_f1().map(Number),
        }
    }
}

impl Serialize for Errors {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("count", &self.count)?;
        map.serialize_entry("worst", &self.worst)?;
        map.end()
    }
}

#[derive(serde::Serialize)]
struct Nearest<'r> {
    metamarker: &'r str,
    proximity: Number,
    hint: &'r str,
}

impl Serialize for Wrong {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Fidelity { index, sufficient, .. } = self.reading.fidelity();
        let evidence = self.evidence();
        let quoted = evidence.iter().map(|found| Quoted::of(found.metamarker, found));
        let nearest = self.nearest();
        let nearest = nearest.iter().map(|weak| Nearest {
            metamarker: weak.metamarker,
            proximity: Number(weak.proximity),
            hint: &weak.hint,
        });
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.item.id)?;
        map.serialize_entry("line", &self.item.line)?;
        map.serialize_entry("segment", &self.case.segment)?;
        map.serialize_entry("value", &Number(self.case.value))?;
        map.serialize_entry("fidelity", &Number(index))?;
        map.serialize_entry("sufficient", &sufficient)?;
        map.serialize_entry("evidence", &quoted.collect::<Vec<_>>())?;
        map.serialize_entry("weak_signals", &nearest.collect::<Vec<_>>())?;
        if self.explained {
            map.serialize_entry("ledgers", &ledgers(&self.reading).map_err(S::Error::custom)?)?;
        }
        map.end()
    }
}
