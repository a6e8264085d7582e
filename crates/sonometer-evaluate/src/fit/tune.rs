//! Tuning of a marker that somebody wrote: its patterns stay, what they are worth is chosen by labelled items.

use super::edit::Editor;
use super::folds::{Beside, Crossed, seen};
use super::hand::{alone, expect_weighable, passed_tests};
use super::learn::{Bounds, Parts, Training, learn};
use super::matrix::Matrix;
use super::measure::{Aim, Figures, Outcome, best_cut, counts, outcomes};
use super::protocol_file::ProtocolFile;
use super::{Example, matrix, scale};
use crate::error::{Error, Place};
use crate::evaluate::thresholds::between;
use crate::watch::{Steps, Watch};
use sonometer::protocol::{LineList, Marker, Strengths};
use sonometer::{Interaction, Protocol, SenseOptions, Unit};

/// What tuning works on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task<'t> {
    pub(crate) file: &'t ProtocolFile,
    /// The marker's number in the protocol.
    pub(crate) marker: usize,
    pub(crate) protocol: &'t Protocol,
    pub(crate) examples: &'t [Example],
    pub(crate) parts: &'t Parts,
    pub(crate) aim: Aim,
}

/// What tuning came to.
#[derive(Clone, Debug)]
pub(crate) struct Tuned {
    /// The file: that of the author, where nothing did better on items that tuning had not seen.
    pub(crate) text: String,
    /// Name, before, after.
    pub(crate) changes: Vec<(&'static str, String, String)>,
    pub(crate) before: Figures,
    pub(crate) held_out: Figures,
    pub(crate) training: Figures,
    /// Whether the figures got better on held-out items, and the text is a new one.
    pub(crate) is_better: bool,
    /// Self tests of the marker that passed before and fail now.
    pub(crate) broken: usize,
}

/// Strengths of the lists, and the trigger: the best of a grid.
pub(crate) fn strengths(task: Task<'_>, watch: Watch<'_>) -> Result<Tuned, Error> {
    let grid = Grid::of(task, &mut Steps::new(&mut *watch, "counting", 0))?;
    let everything: Vec<usize> = (0..task.examples.len()).collect();
    let text = |at: &[usize]| {
        let setting = grid.best(at, task);
        setting.write(task).map(|text| (setting, text))
    };
    let mut texts = Vec::new();
    let mut steps = Steps::new(&mut *watch, "fitting", task.parts.count);
    for fold in 0..task.parts.count {
        texts.push(text(&task.parts.outside(fold))?.1);
        steps.advance(1)?;
    }
    let (setting, text) = text(&everything)?;
    let own = Setting::of(task.marker());
    let rows = [
        ("strong", own.strengths.strong, setting.strengths.strong),
        ("clear", own.strengths.clear, setting.strengths.clear),
        ("weak", own.strengths.weak, setting.strengths.weak),
        ("trigger", own.trigger, setting.trigger),
    ];
    let changes = rows.into_iter().filter(|(_, before, after)| before != after);
    let changes =
        changes.map(|(name, before, after)| (name, before.to_string(), after.to_string())).collect();
    task.finish(text, &texts, changes, watch)
}

/// A weight for every line, as for lists that are made by data.
pub(crate) fn weights(
    task: Task<'_>,
    costs: Vec<f64>,
    bounds: Bounds,
    watch: Watch<'_>,
) -> Result<Tuned, Error> {
    let marker = task.marker();
    expect_weighable(task.file, marker)?;
    let interactions: Vec<&Interaction> = task.examples.iter().map(|example| &example.interaction).collect();
    let steps = &mut Steps::new(&mut *watch, "counting", interactions.len());
    let matrix = Matrix::count(task.protocol, task.marker, &interactions, steps)?;
    let positive: Vec<bool> = task.examples.iter().map(|example| example.positive).collect();
    let steps = &mut Steps::new(&mut *watch, "fitting", costs.len() * task.parts.count);
    let training = Training { matrix: &matrix, positive: &positive, ordinary: &[] };
    let crossed = Crossed::new(training, Beside::default(), task.parts.clone(), costs, bounds, steps)?;
    let nothing = || {
        let message = format!(
            "no line of `{}` separates the classes; write patterns that occur in the items",
            marker.label
        );
        Error::at(Place::of(&task.file.name), message)
    };
    let write = |model: &super::learn::Fitted, chosen: &super::folds::Chosen| {
        let (weights, bias) = scale::all_weights(model, matrix.patterns.len(), chosen);
        if weights.iter().all(|weight| *weight == Unit::ZERO) {
            return Err(nothing());
        }
        let mut editor = Editor::open(task.file, &marker.label)?;
        editor.weigh(marker, &weights, &[])?;
        editor.set("bias", &bias.to_string());
        editor.set("half", &scale::HALF.to_string());
        editor.set("trigger", &scale::TRIGGER.to_string());
        Ok(editor.finish())
    };
    let mut texts = Vec::new();
    for fold in 0..task.parts.count {
        let chosen = crossed.choose(Some(fold), task.aim).ok_or_else(nothing)?;
        texts.push(write(crossed.model(chosen.cost, fold), &chosen)?);
    }
    let chosen = crossed.choose(None, task.aim).ok_or_else(nothing)?;
    let all = seen(&crossed.parts, &crossed.beside, None);
    let model = learn(training, &all, crossed.costs[chosen.cost], bounds, steps)?;
    let lists = marker.lines.iter().map(|line| line.list.as_str());
    let mut before: Vec<&str> = lists.collect();
    before.dedup();
    let changes = vec![("lists", before.join(", "), format!("weigh, C {}", crossed.costs[chosen.cost]))];
    task.finish(write(&model, &chosen)?, &texts, changes, watch)
}

impl<'t> Task<'t> {
    fn marker(self) -> &'t Marker {
        &self.protocol.markers[self.marker]
    }

    /// What the marker of a changed text reads in some examples.
    fn outcomes(self, text: &str, at: &[usize], steps: &mut Steps<'_>) -> Result<Vec<Outcome>, Error> {
        let protocol = self.read(text)?;
        let examples: Vec<&Example> = at.iter().map(|at| &self.examples[*at]).collect();
        outcomes(&protocol, &self.marker().label, &examples, steps)
    }

    /// A changed text, with the one marker and what that needs.
    fn read(self, text: &str) -> Result<Protocol, Error> {
        let name = format!("{} (as it would be written)", self.file.name);
        let (protocol, _) =
            ProtocolFile { name, text: text.to_owned().into(), ..self.file.clone() }.read()?;
        Ok(alone(&protocol, self.marker).0)
    }

    /// Measures the text tuned to all items, those tuned without each fold, and the author's.
    fn finish(
        self,
        text: String,
        texts: &[String],
        changes: Vec<(&'static str, String, String)>,
        watch: Watch<'_>,
    ) -> Result<Tuned, Error> {
        let (mut before, mut held_out) = (Vec::new(), Vec::new());
        // Every example three times: before, held out, and with the text that is written.
        let steps = &mut Steps::new(watch, "measuring", 3 * self.examples.len());
        for (fold, tuned) in texts.iter().enumerate() {
            let own = self.parts.inside(fold);
            before.push(self.outcomes(&self.file.text, &own, steps)?);
            held_out.push(self.outcomes(tuned, &own, steps)?);
        }
        let (before, held_out) = (Figures::of_folds(&before), Figures::of_folds(&held_out));
        let is_better = self.aim.of(&held_out.counts) > self.aim.of(&before.counts) && !changes.is_empty();
        let text = if is_better { text } else { self.file.text.to_string() };
        let all: Vec<usize> = (0..self.examples.len()).collect();
        let training = Figures::of_folds(&[self.outcomes(&text, &all, steps)?]);
        let label = &self.marker().label;
        let passed = |text: &str| -> Result<usize, Error> { passed_tests(self.read(text)?, label) };
        let broken = passed(&self.file.text)?.saturating_sub(passed(&text)?);
        Ok(Tuned { text, changes, before, held_out, training, is_better, broken })
    }
}

/// Strengths and trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Setting {
    strengths: Strengths,
    trigger: Unit,
}

impl Setting {
    fn of(marker: &Marker) -> Self {
        Self { strengths: marker.strengths, trigger: marker.trigger }
    }

    /// How far it is from another, in millionths.
    fn distance(self, other: Self) -> i64 {
        let (a, b) = (self.strengths, other.strengths);
        let pairs =
            [(a.strong, b.strong), (a.clear, b.clear), (a.weak, b.weak), (self.trigger, other.trigger)];
        pairs.into_iter().map(|(a, b)| (a - b).0.abs()).sum()
    }

    fn write(self, task: Task<'_>) -> Result<String, Error> {
        let own = Self::of(task.marker());
        let mut editor = Editor::open(task.file, &task.marker().label)?;
        if self.trigger != own.trigger {
            editor.set("trigger", &self.trigger.to_string());
        }
        if self.strengths != own.strengths {
            editor.set_strengths(self.strengths);
        }
        Ok(editor.finish())
    }
}

/// Strengths to choose from, in hundredths: few, so that they stay readable and do not follow every item.
const STEPS: [i64; 12] = [100, 90, 80, 70, 60, 50, 40, 30, 20, 15, 10, 5];

/// What the marker's activation is made of, so that other strengths can be tried without sensing again.
struct Grid {
    author: Setting,
    half: Unit,
    /// For every example: the evidence of each list if its strength were 1.
    evidence: Vec<[Unit; 3]>,
    /// For every example: the activation as the author wrote it.
    activation: Vec<Unit>,
    /// Whether a list has lines and its strength matters.
    tuned: [bool; 3],
}

impl Grid {
    fn of(task: Task<'_>, steps: &mut Steps<'_>) -> Result<Self, Error> {
        let marker = task.marker();
        let lists = [LineList::Strong, LineList::Clear, LineList::Weak];
        // A weighted list has its own numbers, and a share counts turns: there only the trigger is left.
        let fixed = marker.share.is_some() || marker.lines.iter().any(|line| line.list == LineList::Weigh);
        let tuned = lists.map(|list| !fixed && marker.lines.iter().any(|line| line.list == list));
        let mut evidence = vec![[Unit::ZERO; 3]; task.examples.len()];
        for (place, list) in lists.into_iter().enumerate().filter(|(place, _)| tuned[*place]) {
            let mut alone = marker.clone();
            for line in &mut alone.lines {
                line.strength = if line.list == list { Unit::ONE } else { Unit::ZERO };
            }
            for (own, resonance) in evidence.iter_mut().zip(resonances(task, alone, steps)?) {
                own[place] = resonance.evidence;
            }
        }
        let activation = resonances(task, marker.clone(), steps)?.into_iter().map(|r| r.activation).collect();
        Ok(Self { author: Setting::of(marker), half: marker.half, evidence, activation, tuned })
    }

    /// The best setting for some examples; of equally good ones, that nearest to the author's.
    fn best(&self, at: &[usize], task: Task<'_>) -> Setting {
        let author = self.author;
        let mut best = (self.quality(at, author, task), 0, author);
        for strengths in self.strengths() {
            let activations = at.iter().map(|at| self.activation(*at, strengths));
            let scored: Vec<(f64, bool)> =
                activations.zip(at).map(|(a, at)| (a.0 as f64, task.examples[*at].positive)).collect();
            let Some(cut) = best_cut(&scored, task.aim, None) else { continue };
            let setting =
                Setting { strengths, trigger: between(Unit(cut.low as i64), Unit(cut.high as i64)) };
            let distance = setting.distance(author);
            if (cut.quality, -distance) > (best.0, -best.1) {
                best = (cut.quality, distance, setting);
            }
        }
        best.2
    }

    fn quality(&self, at: &[usize], setting: Setting, task: Task<'_>) -> Unit {
        let outcomes = at.iter().map(|at| {
            let activation = self.activation[*at];
            let positive = task.examples[*at].positive;
            Outcome { activation, triggered: activation >= setting.trigger, sufficient: true, positive }
        });
        task.aim.of(&counts(&outcomes.collect::<Vec<_>>()))
    }

    /// All strengths of the grid that fall from strong to weak, and the author's.
    fn strengths(&self) -> Vec<Strengths> {
        let steps = |place: usize, own: Unit| -> Vec<Unit> {
            if self.tuned[place] { STEPS.map(|step| Unit(step * 10_000)).to_vec() } else { vec![own] }
        };
        let own = self.author.strengths;
        let mut all = vec![own];
        for strong in steps(0, own.strong) {
            for clear in steps(1, own.clear) {
                for weak in steps(2, own.weak) {
                    let falls = |a: usize, b: usize, high: Unit, low: Unit| {
                        !(self.tuned[a] && self.tuned[b]) || high >= low
                    };
                    if falls(0, 1, strong, clear) && falls(1, 2, clear, weak) && falls(0, 2, strong, weak) {
                        all.push(Strengths { strong, clear, weak });
                    }
                }
            }
        }
        all
    }

    fn activation(&self, at: usize, strengths: Strengths) -> Unit {
        if strengths == self.author.strengths {
            return self.activation[at];
        }
        let [strong, clear, weak] = self.evidence[at];
        let sum = strengths.strong.times(strong) + strengths.clear.times(clear) + strengths.weak.times(weak);
        let (evidence, half) = (i128::from(sum.0), i128::from(self.half.0));
        if evidence == 0 {
            return Unit::ZERO;
        }
        // As the engine's page says, rounded half up.
        let (over, under) = (evidence * (1_000_000 + half), evidence + half);
        Unit(i64::try_from((2 * over + under) / (2 * under)).unwrap_or(i64::MAX).min(1_000_000))
    }
}

fn resonances(
    task: Task<'_>,
    marker: Marker,
    steps: &mut Steps<'_>,
) -> Result<Vec<sonometer::Resonance>, Error> {
    let mut protocol = task.protocol.clone();
    protocol.markers[task.marker] = marker;
    let (protocol, own) = alone(&protocol, task.marker);
    let sensor = matrix::sensor(protocol)?;
    let options = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
    let options = options.without_key(std::slice::from_ref(&sensor));
    let resonance = |example: &Example| {
        steps.advance(0)?;
        let reading = sensor
            .sense_with(&example.interaction, options)
            .map_err(|error| Error::engine(Place::of(&task.file.name), &error))?;
        Ok(reading.resonance().nth(own).map(|(_, resonance)| resonance).unwrap_or_default())
    };
    task.examples.iter().map(resonance).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unwatched;

    fn examples() -> Vec<Example> {
        let texts = ["fine words", "nice", "nice and fine words", "nothing", "nice here", "fine words again"];
        let example = |at: usize| Example {
            group: at.to_string(),
            interaction: Interaction::text(texts[at % texts.len()]).expect("is short"),
            // Only the weak line tells.
            positive: texts[at % texts.len()].contains("nice"),
        };
        (0..60).map(example).collect()
    }

    const TEXT: &str = "sonometer: 1\nid: x\nversion: \"1\"\ntaxonomy: Signal\nmarkers:\n  - label: x\n    clear: |\n      \
                        fine words # said\n    weak: |\n      nice\n    hit: |\n      fine words\n";

    fn task<T>(work: impl FnOnce(Task<'_>) -> T) -> T {
        let file = ProtocolFile { name: "x.yaml".into(), text: TEXT.into(), list_files: Vec::new() };
        let (protocol, _) = file.read().expect("reads");
        let examples = examples();
        let clusters =
            super::super::likeness::Clusters::of(&examples, false, &|_| true, &mut unwatched).expect("ends");
        let parts = super::super::folds::part(&examples, &clusters, 3);
        work(Task {
            file: &file,
            marker: 0,
            protocol: &protocol,
            examples: &examples,
            parts: &parts,
            aim: Aim::MacroF1,
        })
    }

    #[test]
    fn a_grid_gives_what_the_engine_reads() {
        task(|task| {
            let mut watch = unwatched;
            let steps = &mut Steps::new(&mut watch, "counting", 0);
            let grid = Grid::of(task, steps).expect("senses");
            let strengths = Strengths { clear: Unit(400_000), weak: Unit(250_000), ..Strengths::default() };
            let mut marker = task.marker().clone();
            (marker.lines[0].strength, marker.lines[1].strength) = (strengths.clear, strengths.weak);
            for (at, resonance) in resonances(task, marker, steps).expect("senses").into_iter().enumerate() {
                assert_eq!(grid.activation(at, strengths), resonance.activation);
            }
        });
    }

    #[test]
    fn weights_turn_a_list_round_where_strengths_cannot() {
        task(|task| {
            let bounds = Bounds { size: 10, support: 1, balanced: false };
            let tuned = weights(task, vec![1.0], bounds, &mut unwatched).expect("fits");
            assert!(tuned.is_better, "{tuned:?}");
            assert_eq!(tuned.held_out.counts.macro_f1(), Some(Unit::ONE));
            assert!(tuned.before.counts.macro_f1() < Some(Unit(600_000)));
            assert_eq!(tuned.broken, 1, "the author's test asks for what the items deny");
            assert!(tuned.text.contains("# said"), "{}", tuned.text);
        });
    }

    #[test]
    fn strengths_stay_where_nothing_is_better() {
        task(|task| {
            let tuned = strengths(task, &mut unwatched).expect("senses");
            // The clear line can at best be worth as little as the weak one: all but `nothing` is then positive.
            let expected = [tuned.held_out.counts.macro_f1(), tuned.before.counts.macro_f1()];
            assert_eq!(tuned.is_better, expected[0] > expected[1], "{expected:?}");
            Protocol::read(&tuned.text).expect("still reads");
        });
    }
}
