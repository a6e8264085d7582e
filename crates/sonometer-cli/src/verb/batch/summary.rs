//! What a whole batch came to: for people, programs and browsers.

use crate::failure::counted;
use crate::json::{self, Target, number};
use serde::Serialize;
use sonometer::protocol::Better;
use sonometer::{ErrorCode, Instrument, Reading, Unit};
use sonometer_report::{
    Bar, Case, Cases, Cell, Hidden, Line, Names, Part, Row, Sheet, Subject, Table, Talk, Text, Tone, columns,
};
use std::collections::BTreeMap;

/// Scores are counted in tenths; 1 belongs to the last.
const BINS: usize = 10;
/// The interactions that are shown, those with the worst scores.
const SHOWN: usize = 5;

/// Sums over the lines of a batch. Merged in the order of the lines, so that the number of threads changes nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    items: u64,
    measured: u64,
    errors: BTreeMap<&'static str, u64>,
    ics: u64,
    /// The sum of all scores, in millionths.
    scores: i128,
    bins: [u64; BINS],
    /// By the place of the marker: how often it triggered, and the sum of its activations in millionths.
    markers: Vec<(u64, i128)>,
    /// The worst readings with line and id, the worst first; of equal ones the first of the data.
    worst: Vec<Kept>,
    /// Whether the name of the input holds what some line masks.
    source_hidden: bool,
    /// Ids among the worst that are not shown.
    withheld: usize,
}

#[derive(Clone, Debug)]
struct Kept {
    line: u64,
    id: Option<String>,
    /// The distance from the best score.
    lack: Unit,
    reading: Reading,
}

impl Summary {
    /// Counts a line that could not be sensed.
    pub(super) fn error(&mut self, code: ErrorCode) {
        self.items += 1;
        *self.errors.entry(code.as_str()).or_default() += 1;
    }

    /// Counts a line that was sensed.
    pub(super) fn reading(
        &mut self,
        line: u64,
        id: Option<&str>,
        source: &str,
        better: Better,
        reading: Reading,
    ) {
        self.items += 1;
        self.source_hidden = self.source_hidden || Hidden::of(&reading).is_in(source);
        self.ics += reading.ics().consumed;
        let Some(score) = reading.score() else { return };
        self.measured += 1;
        self.scores += i128::from(score.0);
        let bin = usize::try_from(score.clamp_to_one().0 * BINS as i64 / 1_000_000).unwrap_or(0);
        self.bins[bin.min(BINS - 1)] += 1;
        for (at, (_, found)) in reading.resonance().enumerate() {
            if at == self.markers.len() {
                self.markers.push((0, 0));
            }
            self.markers[at].0 += u64::from(found.triggered);
            self.markers[at].1 += i128::from(found.activation.0);
        }
        let lack = if better == Better::Lower { score } else { Unit::ONE - score };
        self.keep(Kept { line, id: id.map(str::to_owned), lack, reading });
    }

    fn keep(&mut self, kept: Kept) {
        let at = self.worst.partition_point(|other| other.lack >= kept.lack);
        if at < SHOWN {
            self.worst.insert(at, kept);
            self.worst.truncate(SHOWN);
        }
    }

    /// Adds the lines that come after these.
    pub(super) fn add(&mut self, later: Self) {
        self.items += later.items;
        self.measured += later.measured;
        self.ics += later.ics;
        self.source_hidden |= later.source_hidden;
        self.scores += later.scores;
        for (code, count) in later.errors {
            *self.errors.entry(code).or_default() += count;
        }
        self.bins.iter_mut().zip(later.bins).for_each(|(bin, count)| *bin += count);
        self.markers.resize(self.markers.len().max(later.markers.len()), (0, 0));
        for (own, (triggered, activation)) in self.markers.iter_mut().zip(later.markers) {
            own.0 += triggered;
            own.1 += activation;
        }
        later.worst.into_iter().for_each(|kept| self.keep(kept));
    }

    fn mean(&self) -> Option<Unit> {
        (self.measured > 0).then(|| Unit::ratio(self.scores, 1_000_000 * i128::from(self.measured)))
    }

    /// Leaves out the ids of the worst that hold what the protocol masks, as `report` does.
    pub(super) fn withhold(&mut self, instrument: &Instrument) {
        let mut names = Names::of(instrument);
        for kept in &mut self.worst {
            let hidden = Hidden::of(&kept.reading);
            if kept.id.take_if(|id| !names.allows_beside(id, &hidden)).is_some() {
                self.withheld += 1;
            }
        }
    }

    /// What text and page show; `kept` of the lines were in the file before.
    pub(super) fn sheet(&self, instrument: &Instrument, on: &str, kept: u64) -> Sheet<'_> {
        let failed: u64 = self.errors.values().sum();
        let insufficient = self.items - self.measured - failed;
        let codes: Vec<String> = self.errors.iter().map(|(code, count)| format!("{count} {code}")).collect();
        let mut facts = vec![(
            "items",
            format!("{}: {} measured, {insufficient} insufficient", self.items, self.measured),
        )];
        if failed > 0 {
            facts.push(("errors", codes.join(", ")));
        }
        if let Some(mean) = self.mean() {
            facts.extend([("mean", format!("score {mean}")), ("meaning", instrument.score_meaning())]);
        }
        let mut notes = Vec::new();
        if kept > 0 {
            notes.push(format!("{kept} of the items were in the file before this run."));
        }
        if self.withheld > 0 {
            let ids = counted(self.withheld, "id");
            notes.push(format!("Not shown: {ids} among the worst, because of what the protocol masks."));
        }
        let is_shown = !self.source_hidden && Names::of(instrument).allows(on);
        let on = if is_shown { on } else { "data whose name is not shown" };
        let mut parts = vec![Part::Table(self.distribution()), Part::Table(self.markers(instrument))];
        if !self.worst.is_empty() {
            parts.push(Part::Cases(self.cases()));
        }
        Sheet {
            kind: "batch",
            subject: Subject::from(instrument),
            on: on.to_owned(),
            facts,
            parts,
            notes,
            foot: format!("{} ICS", self.ics).into(),
            data: String::new(),
        }
    }

    /// How many scores there are in each tenth.
    fn distribution(&self) -> Table {
        let row = |(at, count): (usize, &u64)| {
            let at = at as i64 * 1_000_000 / BINS as i64;
            let (from, to) = (Unit(at), Unit(at + 1_000_000 / BINS as i64));
            Row::of(vec![format!("{from} to {to}").into(), count.to_string().into(), self.share(*count)])
        };
        Table {
            title: "Scores".into(),
            columns: columns(&["<score", "items", "="]),
            rows: self.bins.iter().enumerate().map(row).collect(),
            ..Table::default()
        }
    }

    /// A share of what was measured.
    fn share(&self, count: u64) -> Cell {
        let value = Unit::ratio(count.into(), i128::from(self.measured.max(1)));
        Cell::Bar(Some(Bar { value, interval: None }))
    }

    fn markers(&self, instrument: &Instrument) -> Table {
        let mut silent = Vec::new();
        let rows = instrument.markers().enumerate().map(|(at, (label, _))| {
            let (triggered, activation) = self.markers.get(at).copied().unwrap_or_default();
            if triggered == 0 {
                silent.push(label.to_owned());
            }
            let mean = Unit::ratio(activation, 1_000_000 * i128::from(self.measured.max(1)));
            let cells: Vec<Cell> = vec![
                Line::of(Tone::Strong, label).into(),
                triggered.to_string().into(),
                self.share(triggered),
                mean.to_string().into(),
            ];
            Row { page_only: triggered == 0, ..Row::of(cells) }
        });
        let rows = rows.collect();
        Table {
            title: "Markers".into(),
            about: "In how many items each marker triggered, and the mean of its activation over all that was measured.".into(),
            columns: columns(&["<marker", "triggered", "=", "mean activation"]),
            rows,
            silent: Some(("never triggered", silent)),
            ..Table::default()
        }
    }

    /// The worst items with their evidence.
    fn cases(&self) -> Cases<'_> {
        Cases {
            title: "Worst scores".into(),
            about: format!("{} of {}, the worst first", self.worst.len(), self.measured),
            cases: self.worst.iter().map(Kept::case).collect(),
        }
    }

    /// For programs: one line.
    pub(super) fn json(&self, instrument: &Instrument, kept: u64) -> String {
        let markers = instrument.markers().enumerate().map(|(at, (label, _))| {
            let (triggered, activation) = self.markers.get(at).copied().unwrap_or_default();
            let mean = Unit::ratio(activation, 1_000_000 * i128::from(self.measured.max(1)));
            MarkerSums { label, triggered, mean_activation: Number(mean) }
        });
        json::line(&Sums {
            target: Target::of_any(instrument),
            items: self.items,
            measured: self.measured,
            errors: &self.errors,
            kept,
            mean_score: self.mean().map(Number),
            scores: self.bins,
            markers: markers.collect(),
            worst: self.worst.iter().map(Kept::json).collect(),
            ics: self.ics,
        })
    }
}

impl Kept {
    fn case(&self) -> Case<'_> {
        let score = self.reading.score().unwrap_or(Unit::ZERO);
        let line = format!("line {}", self.line);
        let (name, about) = match &self.id {
            Some(id) => (id.clone(), format!("{line}, score {score}")),
            None => (line, format!("score {score}")),
        };
        Case { name, about, texts: vec![Text::from(Talk::of(&self.reading))], ..Case::default() }
    }

    fn json(&self) -> Worst<'_> {
        let score = Number(self.reading.score().unwrap_or(Unit::ZERO));
        Worst { line: self.line, id: self.id.as_deref(), score }
    }
}

/// A number as the engine prints it.
#[derive(Serialize)]
#[serde(transparent)]
struct Number(#[serde(serialize_with = "number")] Unit);

#[derive(Serialize)]
struct Sums<'s> {
    target: Target<'s>,
    items: u64,
    measured: u64,
    errors: &'s BTreeMap<&'static str, u64>,
    /// How many of them the file had before this run.
    kept: u64,
    mean_score: Option<Number>,
    /// How many scores there are in each tenth.
    scores: [u64; BINS],
    markers: Vec<MarkerSums<'s>>,
    worst: Vec<Worst<'s>>,
    ics: u64,
}

#[derive(Serialize)]
struct MarkerSums<'s> {
    label: &'s str,
    triggered: u64,
    mean_activation: Number,
}

#[derive(Serialize)]
struct Worst<'s> {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'s str>,
    score: Number,
}
