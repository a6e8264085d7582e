//! Several markers of which one holds: a weighted list a value of the label, all weights learned together.
//!
//! The engine compares no markers with each other. So that a reader can, the markers share one scale: of a sufficient reading the marker with
//! the highest activation is the choice, just as the model would choose (where two stand at 0 or at 1, the first of the file). The trigger of
//! each marker is chosen by itself, to be right about its own class as often as possible; none or several of them may trigger.

use super::choice_report::{Chance, ChoiceFigures, ChoiceReport, ClassReport};
use super::data::{Choices, read_choices};
use super::folds::{Chosen, part_by};
use super::form::Form;
use super::learn::{Fitted, Parts, narrow};
use super::likeness::Clusters;
use super::matrix::{Matrix, sensor};
use super::measure::{Aim, auc, best_cut, mean};
use super::scale::{self, Weighted};
use super::settings::{Settings, costs};
use super::solver::Linear;
use super::write::unweighted;
use super::{is_heard, multi};
use crate::error::{Error, Place};
use crate::evaluate::measure::Counts;
use crate::evaluate::sensed::in_steps;
use crate::labels::{Labelled, Selector};
use crate::watch::{Steps, Watch};
use sonometer::{Interaction, Protocol, SenseOptions, Turn, Unit};

/// Gradients of a finished model differ by at most this.
const TOLERANCE: f64 = 1e-3;

/// Makes a protocol with one marker for each value of the label of `selector`.
///
/// # Errors
/// As [`fit`](super::fit); a value of fewer than ten items.
pub fn fit_choice(
    labelled: &Labelled,
    selector: &Selector,
    settings: &Settings,
    watch: Watch<'_>,
) -> Result<ChoiceReport, Error> {
    settings.expect_choice()?;
    let choices = read_choices(labelled, selector, settings.turns)?;
    let costs = costs(&settings.regularisation)?;
    let forms = Forms::of(settings, &choices)?;
    let interactions: Vec<&Interaction> =
        choices.data.examples.iter().map(|example| &example.interaction).collect();
    let first = &forms.each[0];
    let heard = first.heard(settings.by.as_ref(), &interactions)?;
    let is_heard = |turn: &Turn| is_heard(heard.as_ref(), turn);
    let clusters = choices.data.clusters(settings.likeness, &is_heard, &mut *watch)?;
    let patterns = settings.patterns(first, heard.as_ref(), &interactions)?;
    let skeleton = first.protocol(&unweighted(patterns))?;
    let steps = &mut Steps::new(&mut *watch, "counting", interactions.len());
    let at = skeleton.markers.iter().position(|marker| marker.label == forms.labels[0]).unwrap_or_default();
    let matrix = Matrix::count(&skeleton, at, &interactions, steps)?;

    let task =
        Task { choices: &choices, matrix: &matrix, settings, parts: parts(&choices, &clusters, settings) };
    let steps = &mut Steps::new(&mut *watch, "fitting", (costs.len() + 1) * task.parts.count);
    let crossed = task.cross(&costs, steps)?;
    let nothing = || {
        let message = format!(
            "no pattern separates the values; lower --support (now {}), or give more items",
            settings.support
        );
        Error::at(Place::of(&labelled.name), message)
    };
    let steps = &mut Steps::new(watch, "measuring", 2 * interactions.len());
    let mut held_out = Vec::new();
    for fold in 0..task.parts.count {
        let chosen = task.choose(&crossed, Some(fold)).ok_or_else(nothing)?;
        let lists = task.lists(&crossed.models[chosen.cost][fold], &chosen);
        let protocol = forms.protocol(&lists)?;
        held_out.push(task.outcomes(&protocol, &forms.labels, &task.parts.inside(fold), steps)?);
    }
    let chosen = task.choose(&crossed, None).ok_or_else(nothing)?;
    let all: Vec<usize> = (0..interactions.len()).collect();
    let models = task.learn(&all, costs[chosen.cost], steps)?;
    let lists = task.lists(&models, &chosen);
    if lists.iter().any(|list| list.weighted.lines.is_empty()) {
        return Err(nothing());
    }
    let protocol = forms.protocol(&lists)?;
    let training = task.outcomes(&protocol, &forms.labels, &all, steps)?;
    let sizes = choices.sizes();
    let classes = (0..sizes.len()).map(|class| ClassReport {
        value: choices.classes[class].clone(),
        marker: forms.labels[class].clone(),
        items: sizes[class],
        lines: lists[class].weighted.lines.len(),
        trigger: lists[class].trigger,
        strongest: lists[class].weighted.lines.iter().take(4).cloned().collect(),
        chance: Chance::of(&held_out, &choices.of, class),
    });
    let mut report = ChoiceReport {
        classes: classes.collect(),
        alike: clusters.alike,
        candidates: matrix.patterns.len(),
        cost: costs[chosen.cost],
        folds: task.parts.count,
        aim: settings.aim,
        held_out: ChoiceFigures::of(&held_out.concat(), &choices.of, sizes.len()),
        training: ChoiceFigures::of(&training, &choices.of, sizes.len()),
        settings: settings.to_string(),
        protocol: String::new(),
        data: choices.data.clone(),
    };
    report.protocol = forms.render(&protocol, &lists, &report.notes())?;
    Ok(report)
}

fn parts(choices: &Choices, clusters: &Clusters, settings: &Settings) -> Parts {
    let classes = choices.classes.len();
    part_by(&choices.data.examples, &choices.rarest(), classes, clusters, usize::from(settings.folds))
}

/// What the engine read of an example: of each class its activation and whether it triggered; nothing of insufficient content.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) at: usize,
    pub(crate) read: Option<Vec<(Unit, bool)>>,
}

impl Outcome {
    /// The class with the highest activation, the first of equals.
    pub(crate) fn choice(&self) -> Option<usize> {
        let read = self.read.as_ref()?;
        (0..read.len()).reduce(|best, own| if read[own].0 > read[best].0 { own } else { best })
    }
}

/// The list of a class, and from which activation on it triggers.
struct List {
    weighted: Weighted,
    trigger: Unit,
}

/// Models of all costs without each fold, and what they say of the examples in it.
struct Crossed {
    /// By cost, fold and class.
    models: Vec<Vec<Vec<Fitted>>>,
    /// By cost, example and class.
    decisions: Vec<Vec<Vec<f64>>>,
}

/// The scale that all classes share, and the threshold of each.
struct Scale {
    cost: usize,
    shared: Chosen,
    thresholds: Vec<f64>,
}

struct Task<'t> {
    choices: &'t Choices,
    matrix: &'t Matrix,
    settings: &'t Settings,
    parts: Parts,
}

impl Task<'_> {
    fn classes(&self) -> usize {
        self.choices.classes.len()
    }

    fn cross(&self, costs: &[f64], steps: &mut Steps<'_>) -> Result<Crossed, Error> {
        let mut crossed = Crossed { models: Vec::new(), decisions: Vec::new() };
        for cost in costs {
            let mut own = Vec::new();
            let mut decisions = vec![Vec::new(); self.choices.of.len()];
            for fold in 0..self.parts.count {
                let models = self.learn(&self.parts.outside(fold), *cost, steps)?;
                steps.advance(1)?;
                for row in self.parts.inside(fold) {
                    decisions[row] =
                        models.iter().map(|model| model.decide(&self.matrix.rows[row])).collect();
                }
                own.push(models);
            }
            crossed.models.push(own);
            crossed.decisions.push(decisions);
        }
        Ok(crossed)
    }

    /// Models of all classes over the columns with enough support in some class; of too many those that matter most, as for one list, by
    /// what they explain in all classes together.
    fn learn(&self, seen: &[usize], cost: f64, steps: &mut Steps<'_>) -> Result<Vec<Fitted>, Error> {
        let classes = self.classes();
        let mut support = vec![0_usize; self.matrix.patterns.len() * classes];
        let mut shares = vec![0_usize; self.matrix.patterns.len()];
        for &row in seen {
            for (column, _) in &self.matrix.rows[row] {
                shares[*column as usize] += 1;
                for class in &self.choices.of[row] {
                    support[*column as usize * classes + class] += 1;
                }
            }
        }
        let is_supported = |column: &u32| {
            let from = *column as usize * classes;
            support[from..from + classes].iter().max() >= Some(&self.settings.support)
        };
        let columns: Vec<u32> = (0..).take(shares.len()).filter(is_supported).collect();
        let models = self.fit(seen, cost, &columns, steps)?;
        if columns.len() <= self.settings.size {
            return Ok(of_columns(models, &columns));
        }
        let importance = |place: usize, column: u32| {
            let share = shares[column as usize] as f64 / seen.len() as f64;
            models.iter().map(|model| model.weights[place] * model.weights[place]).sum::<f64>()
                * share
                * (1.0 - share)
        };
        let mut ranked: Vec<(f64, u32)> =
            columns.iter().enumerate().map(|(place, column)| (importance(place, *column), *column)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.truncate(self.settings.size);
        let mut kept: Vec<u32> = ranked.into_iter().map(|(_, column)| column).collect();
        kept.sort_unstable();
        Ok(of_columns(self.fit(seen, cost, &kept, steps)?, &kept))
    }

    /// An example with several classes is one row for each of them, which share its cost.
    fn fit(
        &self,
        seen: &[usize],
        cost: f64,
        columns: &[u32],
        steps: &mut Steps<'_>,
    ) -> Result<Vec<Linear>, Error> {
        let classes = self.classes();
        let mut sizes = vec![0.0_f64; classes];
        seen.iter().flat_map(|row| &self.choices.of[*row]).for_each(|class| sizes[*class] += 1.0);
        let narrowed: Vec<_> = seen.iter().map(|row| narrow(&self.matrix.rows[*row], columns)).collect();
        let (mut rows, mut class, mut costs) = (Vec::new(), Vec::new(), Vec::new());
        for (place, row) in seen.iter().enumerate() {
            let of = &self.choices.of[*row];
            for own in of {
                let by_class = match self.settings.balanced {
                    // As `class_weight="balanced"` of scikit-learn: n ÷ (k nₖ).
                    true => seen.len() as f64 / (classes as f64 * sizes[*own].max(1.0)),
                    false => 1.0,
                };
                rows.push(&narrowed[place]);
                class.push(*own);
                costs.push(cost * by_class / of.len() as f64);
            }
        }
        multi::fit(&rows, &class, classes, columns.len(), &costs, TOLERANCE, steps)
    }

    /// The best cost over the folds, by the macro-F1 of the choice, without looking at the fold `hidden`; and with it the scale and the
    /// threshold of each class. `None` where all decision values are equal.
    fn choose(&self, crossed: &Crossed, hidden: Option<usize>) -> Option<Scale> {
        let rows: Vec<usize> =
            (0..self.choices.of.len()).filter(|row| Some(self.parts.of[*row]) != hidden).collect();
        let quality = |cost: usize| {
            let mut counts = vec![Counts::default(); self.classes()];
            for row in &rows {
                let choice = highest(&crossed.decisions[cost][*row]);
                add(&mut counts, &self.choices.of[*row], choice);
            }
            macro_f1(&counts)
        };
        let mut best = (0, quality(0));
        for cost in 1..crossed.decisions.len() {
            let found = quality(cost);
            if found > best.1 {
                best = (cost, found);
            }
        }
        let decisions = &crossed.decisions[best.0];
        let values = || rows.iter().flat_map(|row| decisions[*row].iter().copied());
        let range = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        let threshold = range.0 + (range.1 - range.0) / 2.0;
        let cut = |class: usize| {
            let scored: Vec<(f64, bool)> = rows
                .iter()
                .map(|row| (decisions[*row][class], self.choices.of[*row].contains(&class)))
                .collect();
            best_cut(&scored, self.settings.aim, None).map(|cut| cut.middle())
        };
        let thresholds = (0..self.classes()).map(cut).collect::<Option<Vec<f64>>>()?;
        Some(Scale { cost: best.0, shared: Chosen { cost: best.0, threshold, range }, thresholds })
    }

    fn lists(&self, models: &[Fitted], scale: &Scale) -> Vec<List> {
        let list = |(model, threshold): (&Fitted, &f64)| {
            let (weights, bias) = scale::plain_weights(model, self.matrix.patterns.len(), &scale.shared);
            List {
                weighted: scale::listed(&self.matrix.patterns, weights, bias),
                trigger: scale::activation(*threshold, &scale.shared),
            }
        };
        models.iter().zip(&scale.thresholds).map(list).collect()
    }

    /// What the engine reads of some examples.
    fn outcomes(
        &self,
        protocol: &Protocol,
        labels: &[String],
        at: &[usize],
        steps: &mut Steps<'_>,
    ) -> Result<Vec<Outcome>, Error> {
        let sensor = sensor(protocol.clone())?;
        let options = SenseOptions::default().without_key(std::slice::from_ref(&sensor));
        in_steps(at, steps, |at| {
            let reading = sensor
                .sense_with(&self.choices.data.examples[*at].interaction, options)
                .map_err(|error| Error::engine(Place::of(&protocol.id), &error))?;
            let read = |label: &String| {
                let own = reading.resonance().find(|(own, _)| own == label).map(|(_, resonance)| resonance);
                own.map_or((Unit::ZERO, false), |own| (own.activation, own.triggered))
            };
            let sufficient = reading.fidelity().sufficient;
            Ok(Outcome { at: *at, read: sufficient.then(|| labels.iter().map(read).collect()) })
        })
    }
}

fn of_columns(models: Vec<Linear>, columns: &[u32]) -> Vec<Fitted> {
    models.into_iter().map(|linear| Fitted { columns: columns.to_vec(), linear }).collect()
}

/// The class with the highest decision value, the first of equals.
fn highest(decisions: &[f64]) -> Option<usize> {
    (0..decisions.len()).reduce(|best, own| if decisions[own] > decisions[best] { own } else { best })
}

/// Counts a choice for each class.
pub(crate) fn add(counts: &mut [Counts], truth: &std::collections::BTreeSet<usize>, choice: Option<usize>) {
    for (class, counts) in counts.iter_mut().enumerate() {
        counts.add(truth.contains(&class), choice == Some(class), 1);
    }
}

/// The mean of the F1 of all classes, 0 where one is not defined.
pub(crate) fn macro_f1(counts: &[Counts]) -> Unit {
    let sum: i64 = counts.iter().map(|counts| counts.f1().unwrap_or(Unit::ZERO).0).sum();
    Unit(sum / counts.len().max(1) as i64)
}

impl Chance {
    fn of(folds: &[Vec<Outcome>], truth: &[std::collections::BTreeSet<usize>], class: usize) -> Self {
        let (mut choice, mut trigger) = (Counts::default(), Counts::default());
        let mut areas = Vec::new();
        for fold in folds {
            let mut scored = Vec::new();
            for outcome in fold {
                let own = outcome.read.as_ref().map_or((Unit::ZERO, false), |read| read[class]);
                let is_of = truth[outcome.at].contains(&class);
                choice.add(is_of, outcome.choice() == Some(class), 1);
                trigger.add(is_of, own.1, 1);
                scored.push((own.0.0 as f64, is_of));
            }
            areas.extend(auc(&scored));
        }
        let area = mean(areas.into_iter()).unwrap_or(0.5);
        Self { choice, trigger, auc: Unit((area * 1e6).round() as i64) }
    }
}

/// The markers, and where they are written.
struct Forms {
    labels: Vec<String>,
    /// Of each class, the form of its marker alone.
    each: Vec<Form>,
}

impl Forms {
    fn of(settings: &Settings, choices: &Choices) -> Result<Self, Error> {
        let mut labels: Vec<String> = Vec::new();
        let mut each = Vec::new();
        for class in &choices.classes {
            let own = settings.of_class(class, &choices.data.label);
            let label = own.marker.clone();
            if labels.contains(&label) {
                return Err(Error::at(
                    Place::of(&choices.data.name),
                    format!(
                        "two values give the marker `{label}`, one of them `{class}`; spell them differently"
                    ),
                ));
            }
            let form = own.form()?;
            form.expect_new(&label)?;
            labels.push(label);
            each.push(form);
        }
        Ok(Self { labels, each })
    }

    fn protocol(&self, lists: &[List]) -> Result<Protocol, Error> {
        let tests = vec![Default::default(); lists.len()];
        self.each[0].read_text(self.text(lists, &tests, &[])?)
    }

    fn render(&self, protocol: &Protocol, lists: &[List], notes: &[String]) -> Result<String, Error> {
        let mut tests = Vec::new();
        for ((label, form), list) in self.labels.iter().zip(&self.each).zip(lists) {
            let own = protocol.markers.iter().filter(|marker| marker.label == *label).cloned().collect();
            tests.push(form.self_test(&Protocol { markers: own, ..protocol.clone() }, &list.weighted)?);
        }
        self.text(lists, &tests, notes)
    }

    /// All markers one after the other, in the order of the classes.
    fn text(
        &self,
        lists: &[List],
        tests: &[super::write::SelfTest],
        notes: &[String],
    ) -> Result<String, Error> {
        let mut block = String::new();
        for ((form, list), tests) in self.each.iter().zip(lists).zip(tests) {
            block.push_str(&form.block(&list.weighted, tests, list.trigger));
        }
        self.each[0].with_markers(&block, notes)
    }
}

impl Aim {
    /// Its name as a part of a sentence about one class.
    pub(crate) fn of_class(self) -> &'static str {
        match self {
            Self::MacroF1 => "macro-F1 of each class against the rest",
            Self::F1 => "F1 of each class",
        }
    }
}
