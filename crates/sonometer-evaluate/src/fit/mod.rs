//! Weighted lists from labelled interactions, and the tuning of protocols that people wrote.
//!
//! The modules stand in the order in which data passes: candidate patterns, how often the engine finds each in every
//! interaction, a linear model fitted to that, the folds on which its settings are chosen and its figures measured, the
//! marker in millionths, the file.
//!
//! The same data and settings give the same file: orders are fixed, and models are made of additions, subtractions,
//! multiplications and divisions of IEEE 754 doubles only, which are the same on every machine.

pub(crate) mod data;
mod settings;

pub(crate) mod candidates;
mod export;
mod kinds;
mod matrix;

mod learn;
mod multi;
mod solver;

pub(crate) mod folds;
mod held_out;
pub(crate) mod likeness;
pub(crate) mod measure;

pub(crate) mod scale;
mod write;

mod choice;
pub(crate) mod choice_report;
mod edit;
mod form;
mod hand;
pub(crate) mod languages;
mod pair;
pub(crate) mod pair_report;
mod protocol_file;
mod tongue;
pub(crate) mod tune;

pub(crate) mod change;
pub(crate) mod report;

pub use candidates::MOST_WORDS;
pub use change::Change;
pub use choice::fit_choice;
pub use choice_report::ChoiceReport;
pub use kinds::Kind;
pub use languages::{Fitted, LanguageReport, LanguagesReport, Way, fit_languages};
pub use measure::Aim;
pub use pair::fit_pairs;
pub use pair_report::PairReport;
pub use protocol_file::ProtocolFile;
pub use report::FitReport;
pub use settings::{Settings, StopList, Tuning};

use crate::error::{Error, Place};
use crate::labels::{Labelled, Ordinary, Selector};
use crate::watch::{Steps, Watch};
use folds::{Beside, Crossed};
use held_out::HeldOut;
use learn::{Bounds, Training, learn};
use matrix::Matrix;
use sonometer::text::fold::fold_to_lower;
use sonometer::{Interaction, Turn};
use std::collections::BTreeSet;
use write::unweighted;

/// One labelled interaction.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    /// What is kept together on one side of every fold.
    pub(crate) group: String,
    pub(crate) interaction: Interaction,
    pub(crate) positive: bool,
}

/// Fewer examples of a class tell nothing that would hold elsewhere.
const FEWEST_EXAMPLES: usize = 10;

/// Whether what is said in a turn counts.
fn is_heard(heard: Option<&BTreeSet<String>>, turn: &Turn) -> bool {
    match (heard, &turn.role) {
        (None, _) => true,
        (Some(heard), Some(role)) => heard.contains(fold_to_lower(role).trim()),
        (Some(_), None) => false,
    }
}

/// Makes a protocol of one weighted list from labelled items.
///
/// # Errors
/// Settings that cannot be meant, labels that are not there or of another shape, fewer than ten items of a class, no pattern that
/// tells the classes apart; [`Error::Stopped`] when `watch` says so.
pub fn fit(
    labelled: &Labelled,
    selector: &Selector,
    settings: &Settings,
    watch: Watch<'_>,
) -> Result<FitReport, Error> {
    let data = data::read(labelled, selector, settings.turns)?;
    data.expect(FEWEST_EXAMPLES)?;
    let form = settings.form()?;
    let costs = settings::costs(&settings.regularisation)?;
    let interactions: Vec<&Interaction> = data.examples.iter().map(|example| &example.interaction).collect();
    let heard = form.heard(settings.by.as_ref(), &interactions)?;
    let clusters = data.clusters(settings.likeness, &|turn| is_heard(heard.as_ref(), turn), &mut *watch)?;
    let ordinary = settings.ordinary(&interactions, heard.as_ref())?;
    let pieces: Vec<&Interaction> = ordinary.iter().flat_map(Ordinary::pieces).collect();
    let patterns = settings.patterns(&form, heard.as_ref(), &interactions)?;
    let skeleton = form.protocol(&unweighted(patterns))?;
    let label = &settings.marker;
    let at = skeleton.markers.iter().position(|marker| marker.label == *label).unwrap_or_default();
    let steps = &mut Steps::new(&mut *watch, "counting", interactions.len() + pieces.len());
    let matrix = Matrix::count(&skeleton, at, &interactions, steps)?;
    let talk = Matrix::count(&skeleton, at, &pieces, steps)?;

    let positive: Vec<bool> = data.examples.iter().map(|example| example.positive).collect();
    let parts = folds::part(&data.examples, &clusters, usize::from(settings.folds));
    let features = settings.features.then(|| export::svmlight(&matrix, &positive, &parts));
    let bounds = Bounds { size: settings.size, support: settings.support, balanced: settings.balanced };
    let beside = Beside::of(talk.clone(), ordinary.as_ref(), parts.count, settings.limit());
    let training = Training { matrix: &matrix, positive: &positive, ordinary: &talk.rows };
    let steps = &mut Steps::new(&mut *watch, "fitting", costs.len() * parts.count);
    let crossed = Crossed::new(training, beside, parts, costs, bounds, steps)?;

    let nothing = || {
        let support = settings.support;
        let message =
            format!("no pattern separates the classes; lower --support (now {support}), or give more items");
        Error::at(Place::of(&labelled.name), message)
    };
    let talks = ordinary.as_ref().map_or(0, |ordinary| ordinary.talks.len());
    // Every example twice, held out and as training; ordinary talk in pieces and as talks.
    let steps = &mut Steps::new(watch, "measuring", 2 * interactions.len() + pieces.len() + talks);
    let mut held_out = HeldOut::default();
    for fold in 0..crossed.parts.count {
        let chosen = crossed.choose(Some(fold), settings.aim).ok_or_else(nothing)?;
        let weighted = scale::weighted(crossed.model(chosen.cost, fold), &matrix.patterns, &chosen);
        if weighted.lines.is_empty() {
            return Err(nothing());
        }
        let own: Vec<&Example> =
            crossed.parts.inside(fold).into_iter().map(|at| &data.examples[at]).collect();
        let protocol = form.protocol(&weighted)?;
        held_out.measure(&protocol, label, fold, &own, ordinary.as_ref(), &crossed, steps)?;
    }
    let chosen = crossed.choose(None, settings.aim).ok_or_else(nothing)?;
    let cost = crossed.costs[chosen.cost];
    let fitted = learn(training, &folds::seen(&crossed.parts, &crossed.beside, None), cost, bounds, steps)?;
    let weighted = scale::weighted(&fitted, &matrix.patterns, &chosen);
    if weighted.lines.is_empty() {
        return Err(nothing());
    }
    let protocol = form.protocol(&weighted)?;
    let all: Vec<&Example> = data.examples.iter().collect();
    let training = measure::outcomes(&protocol, label, &all, steps)?;
    let mut report = FitReport {
        aim: settings.aim,
        alike: clusters.alike,
        candidates: matrix.patterns.len(),
        by_hand: form.by_hand(&weighted),
        broken: form.broken(&protocol)?,
        weighted,
        cost,
        alarms: settings
            .background
            .as_ref()
            .zip(ordinary.as_ref())
            .map(|(background, ordinary)| held_out.alarms(background, ordinary, settings.limit())),
        proposals: held_out.proposals(settings.limit(), settings.aim),
        held_out: measure::Figures::of_folds(&held_out.examples),
        training: measure::Figures::of_folds(&[training]),
        settings: settings.to_string(),
        protocol: String::new(),
        features,
        data,
    };
    report.protocol = form.render(&protocol, &report.weighted, &report.notes())?;
    Ok(report)
}

/// Tunes a marker of a protocol that somebody wrote: its patterns stay, what they are worth is chosen by the items.
///
/// # Errors
/// A protocol with errors or without the marker; else as [`fit`].
pub fn tune(
    file: &ProtocolFile,
    labelled: &Labelled,
    selector: &Selector,
    tuning: &Tuning,
    watch: Watch<'_>,
) -> Result<Change, Error> {
    let data = data::read(labelled, selector, tuning.turns)?;
    data.expect(FEWEST_EXAMPLES)?;
    let (protocol, _) = file.read()?;
    let labels: Vec<&str> = protocol.markers.iter().map(|marker| marker.label.as_str()).collect();
    let marker = match (&tuning.marker, &labels[..]) {
        (None, [_]) => Some(0),
        (None, _) => None,
        (Some(wanted), _) => labels.iter().position(|label| label == wanted),
    };
    let marker = marker.ok_or_else(|| {
        let problem = match &tuning.marker {
            Some(wanted) => format!("unknown marker `{wanted}`"),
            None => "the protocol has several markers".to_owned(),
        };
        let message = format!("{problem}; choose one with --marker: {}", labels.join(", "));
        Error::at(Place::of(&file.name), message)
    })?;
    tuning.expect()?;
    let clusters = data.clusters(tuning.likeness, &|_| true, &mut *watch)?;
    let parts = folds::part(&data.examples, &clusters, usize::from(tuning.folds));
    let task = tune::Task {
        file,
        marker,
        protocol: &protocol,
        examples: &data.examples,
        parts: &parts,
        aim: tuning.aim,
    };
    let tuned = match tuning.weigh {
        true => {
            let bounds = Bounds { size: usize::MAX, support: 1, balanced: tuning.balanced };
            tune::weights(task, settings::costs(&tuning.regularisation)?, bounds, watch)?
        }
        false => tune::strengths(task, watch)?,
    };
    let label = labels[marker].to_owned();
    Ok(Change { data, target: file.name.clone(), label, aim: tuning.aim, alike: clusters.alike, tuned })
}
