//! `sonometer fit`: a weighted list made from labelled interactions, or a protocol tuned to them.

use crate::failure::{Exit, Failure};
use crate::fit::candidates::{self, Choice, MOST_WORDS};
use crate::fit::change::Change;
use crate::fit::data::{self, Data};
use crate::fit::folds::{self, Crossed};
use crate::fit::learn::{Bounds, learn};
use crate::fit::matrix::Matrix;
use crate::fit::measure::{self, Aim, Outcome};
use crate::fit::report::Report;
use crate::fit::tune::{self, Task};
use crate::fit::write::{Frame, unweighted};
use crate::fit::{Example, scale};
use crate::labels::Selector;
use crate::progress::Progress;
use crate::screen::Screen;
use crate::target::Source;
use crate::{file, fit};
use sonometer::language::Language;
use sonometer::protocol::{Repeat, Taxonomy, phrase};
use sonometer::text::fold::fold_to_lower;
use sonometer::{Interaction, Unit, language};
use std::collections::BTreeSet;

/// Arguments of `fit`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Labelled interactions: a .jsonl file with one {"id", "interaction", "labels"} a line
    pub(crate) data: String,
    #[command(flatten)]
    pub(crate) selector: Selector,
    /// The label is a list, one value a turn (null: not labelled): every labelled turn is an example of its own
    #[arg(long)]
    pub(crate) turns: bool,
    /// Tunes a protocol file instead: its patterns stay, the strengths and the trigger of one marker are chosen by the data
    #[arg(long, value_name = "PROTOCOL")]
    tune: Option<String>,
    /// With --tune: gives every pattern line a weight of its own
    #[arg(long, requires = "tune")]
    weigh: bool,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: String,
    /// The label of the marker [default with --tune: the only marker]
    #[arg(long, value_name = "LABEL", required_unless_present = "tune")]
    pub(crate) marker: Option<String>,
    /// The id of the protocol [default: the marker's label]
    #[arg(long)]
    id: Option<String>,
    /// The version of the protocol
    #[arg(long, default_value = "0.1")]
    version: String,
    /// The family of the protocol
    #[arg(long, default_value = "Signal", value_parser = clap::builder::PossibleValuesParser::new(Taxonomy::NAMES))]
    taxonomy: String,
    /// The language of the texts, where the engine knows it (`en`)
    #[arg(long, value_name = "CODE")]
    language: Option<String>,
    /// The fidelity from which content is measured [default: that of protocols, 0.5]
    #[arg(long, value_name = "0..1", value_parser = fraction)]
    sufficient: Option<Unit>,
    /// The role whose turns count [default: every turn]
    #[arg(long, value_name = "ROLE")]
    by: Option<String>,
    /// The most words of a pattern
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=MOST_WORDS as i64))]
    words: u8,
    /// The fewest letters of a pattern that is the beginning of a word (`guarante*`); 0: no such patterns
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(0..=8))]
    prefix: u8,
    /// In how many items of one class a pattern must occur
    #[arg(long, value_name = "N", default_value_t = 3)]
    support: usize,
    /// The most lines
    #[arg(long, value_name = "N", default_value_t = 2000)]
    size: usize,
    /// What later matches of a line add: `once` counts presence
    #[arg(long, default_value = "once", value_parser = clap::builder::PossibleValuesParser::new(Repeat::NAMES))]
    repeat: String,
    /// The cost of errors, against which large weights are held; several are chosen among by folds
    #[arg(long, value_name = "C", value_delimiter = ',', default_values_t = [0.003, 0.01, 0.03, 0.1, 0.3, 1.0])]
    regularisation: Vec<f64>,
    /// Lets both classes weigh the same, however rare one is
    #[arg(long)]
    balanced: bool,
    /// How many parts the items are divided into, to choose settings and to measure on what was not seen
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=100))]
    pub(crate) folds: u16,
    /// What the threshold is chosen for
    #[arg(long, value_enum, default_value_t)]
    pub(crate) aim: Aim,
    /// Words that are no pattern alone or among themselves: a file of words, or `function-words` for those of the language
    #[arg(long, value_name = "FILE")]
    stop_list: Option<String>,
    /// Further pattern lines to choose from, one a line
    #[arg(long, value_name = "FILE")]
    patterns: Option<String>,
    /// Takes names too: English words that are mostly written with a capital inside sentences
    #[arg(long)]
    names: bool,
    /// Takes digits as they are, not as `<number>`
    #[arg(long)]
    digits: bool,
    /// Writes what the model is fitted to: a file for scikit-learn's `load_svmlight_file`
    #[arg(long, value_name = "FILE")]
    export_features: Option<String>,
    /// JSON, one line
    #[arg(long)]
    pub(crate) json: bool,
}

/// Fewer examples of a class tell nothing that would hold elsewhere.
const FEWEST: usize = 10;

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    expect_outputs(arguments)?;
    let data = data::read(&arguments.data, &arguments.selector, arguments.turns)?;
    data.expect(FEWEST)?;
    if let Some(target) = &arguments.tune {
        return tune(arguments, target, &data, screen);
    }
    let frame = frame(arguments)?;
    let examples = &data.examples;
    let interactions: Vec<&Interaction> = examples.iter().map(|example| &example.interaction).collect();

    let patterns = patterns(arguments, &interactions)?;
    let skeleton = frame.protocol(&unweighted(patterns))?;
    let counting = Progress::new("counting", examples.len());
    let matrix = Matrix::count(&skeleton, 0, &interactions, || {
        counting.advance(1);
    })?;

    let positive: Vec<bool> = examples.iter().map(|example| example.positive).collect();
    let parts = folds::part(examples, usize::from(arguments.folds));
    if let Some(path) = &arguments.export_features {
        write_file(path, &fit::export::svmlight(&matrix, &positive, &parts))?;
    }
    let bounds = Bounds { size: arguments.size, support: arguments.support, balanced: arguments.balanced };
    let costs = costs(&arguments.regularisation)?;
    let fitting = Progress::new("fitting", costs.len() * parts.count);
    let crossed = Crossed::new(&matrix, positive.clone(), parts, costs, bounds, || fitting.advance(1));

    let nothing = || {
        Failure::unusable(format!(
            "{}: no pattern tells the classes apart; lower --support (now {}), or give more items",
            arguments.data, arguments.support
        ))
    };
    let measuring = Progress::new("measuring", crossed.parts.count);
    let mut held_out: Vec<Vec<Outcome>> = Vec::new();
    for fold in 0..crossed.parts.count {
        measuring.advance(1);
        let chosen = crossed.choose(Some(fold), arguments.aim).ok_or_else(nothing)?;
        let weighted = scale::weighted(crossed.model(chosen.cost, fold), &matrix.patterns, &chosen);
        if weighted.lines.is_empty() {
            return Err(nothing());
        }
        let own = crossed.parts.inside(fold).into_iter().map(|at| &examples[at]);
        held_out.push(outcomes(&frame, &weighted, own)?);
    }
    let chosen = crossed.choose(None, arguments.aim).ok_or_else(nothing)?;
    let cost = crossed.costs[chosen.cost];
    let all: Vec<usize> = (0..examples.len()).collect();
    let fitted = learn(&matrix, &positive, &all, cost, bounds);
    let weighted = scale::weighted(&fitted, &matrix.patterns, &chosen);
    if weighted.lines.is_empty() {
        return Err(nothing());
    }
    drop(measuring);

    let report = Report {
        data: &data,
        aim: arguments.aim,
        candidates: matrix.patterns.len(),
        lines: weighted.lines.len(),
        cost,
        held_out: measure::Figures::of_folds(&held_out),
        training: measure::Figures::of_folds(&[outcomes(&frame, &weighted, examples)?]),
        settings: settings(arguments),
    };
    let protocol = frame.protocol(&weighted)?;
    let text = frame.render(&weighted, &frame.self_test(&protocol, &weighted)?, &report.notes());
    write_file(&arguments.out, &text)?;
    if arguments.json {
        screen.print_bytes(&report.json(&arguments.out, text.len()))?;
    } else {
        screen.print(&report.told(&screen.paint, &weighted, &arguments.out, text.len()))?;
    }
    Ok(Exit::Done)
}

/// Fails where an output has a name that the command could not read again, or would take the place of the data.
fn expect_outputs(arguments: &Arguments) -> Result<(), Failure> {
    let out = &arguments.out;
    if ![".yaml", ".yml"].iter().any(|ending| out.to_ascii_lowercase().ends_with(ending)) {
        return Err(Failure::unusable(format!("--out: `{out}` is no name of a protocol; end it with .yaml")));
    }
    if arguments.export_features.as_deref() == Some(arguments.data.as_str()) {
        let fix = "choose another name";
        return Err(Failure::unusable(format!(
            "--export-features would overwrite {}; {fix}",
            arguments.data
        )));
    }
    Ok(())
}

/// Tunes a marker of a protocol that somebody wrote.
fn tune(arguments: &Arguments, target: &str, data: &Data, screen: &mut Screen) -> Result<Exit, Failure> {
    let source = Source::find(target)?;
    let (protocol, _) = source.read()?;
    let labels: Vec<&str> = protocol.markers.iter().map(|marker| marker.label.as_str()).collect();
    let marker = match (&arguments.marker, &labels[..]) {
        (None, [_]) => Some(0),
        (None, _) => None,
        (Some(wanted), _) => labels.iter().position(|label| label == wanted),
    };
    let marker = marker.ok_or_else(|| {
        let problem = match &arguments.marker {
            Some(wanted) => format!("there is no marker `{wanted}`"),
            None => "there are several markers".to_owned(),
        };
        let fix = format!("choose one with --marker: {}", labels.join(", "));
        Failure::unusable(format!("{}: {problem}; {fix}", source.name))
    })?;
    let parts = folds::part(&data.examples, usize::from(arguments.folds));
    let task = Task {
        source: &source,
        marker,
        protocol: &protocol,
        examples: &data.examples,
        parts: &parts,
        aim: arguments.aim,
    };
    let tuned = match arguments.weigh {
        true => {
            let bounds = Bounds { size: usize::MAX, support: 1, balanced: arguments.balanced };
            tune::weights(task, costs(&arguments.regularisation)?, bounds)?
        }
        false => tune::strengths(task)?,
    };
    let report =
        Change { data, target: &source.name, label: labels[marker], aim: arguments.aim, tuned: &tuned };
    let text = report.file();
    write_file(&arguments.out, &text)?;
    if arguments.json {
        screen.print_bytes(&report.json(&arguments.out))?;
    } else {
        screen.print(&report.told(&screen.paint, &arguments.out))?;
    }
    Ok(Exit::Done)
}

fn outcomes<'e>(
    frame: &Frame,
    weighted: &scale::Weighted,
    examples: impl IntoIterator<Item = &'e Example>,
) -> Result<Vec<Outcome>, Failure> {
    measure::outcomes(&frame.protocol(weighted)?, &frame.label, examples)
}

fn frame(arguments: &Arguments) -> Result<Frame, Failure> {
    let label = arguments.marker.clone().unwrap_or_default();
    let id = arguments.id.clone().unwrap_or_else(|| label.clone());
    for (option, value) in [("--marker", &label), ("--id", &id)] {
        let is_identifier = (1..=64).contains(&value.len())
            && value
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_'));
        if !is_identifier {
            return Err(Failure::unusable(format!(
                "{option}: `{value}` is no identifier; write 1 to 64 lower-case letters, digits, `-` and `_`"
            )));
        }
    }
    if let Some(code) = arguments.language.as_deref().filter(|code| language::find(code).is_none()) {
        let known: Vec<&str> = language::LANGUAGES.iter().map(|language| language.code).collect();
        return Err(Failure::unusable(format!(
            "--language: `{code}` is not known; there is {}, and for others leave it away",
            known.join(", ")
        )));
    }
    let named = Taxonomy::from_name(&arguments.taxonomy).unwrap_or(Taxonomy::Signal);
    Ok(Frame {
        id,
        version: arguments.version.clone(),
        taxonomy: named.as_str(),
        language: arguments.language.clone(),
        label,
        by: arguments.by.clone(),
        sufficient: arguments.sufficient,
        repeat: Repeat::from_name(&arguments.repeat).unwrap_or(Repeat::Once),
    })
}

/// The candidates: those of the texts, and those that the author gives.
fn patterns(arguments: &Arguments, interactions: &[&Interaction]) -> Result<Vec<String>, Failure> {
    let language = arguments.language.as_deref().and_then(language::find);
    let stop_list = match (arguments.stop_list.as_deref(), language) {
        (None, _) => BTreeSet::new(),
        (Some("function-words"), Some(language)) => {
            language.function_words.iter().map(|word| (*word).to_owned()).collect()
        }
        (Some("function-words"), None) => {
            return Err(Failure::unusable("--stop-list function-words needs --language"));
        }
        (Some(path), _) => candidates::stop_words(&read_file(path)?),
    };
    let choice = Choice {
        words: usize::from(arguments.words),
        prefix: usize::from(arguments.prefix),
        support: arguments.support.max(1),
        by: arguments.by.as_deref().map(|by| fold_to_lower(by).trim().to_owned()),
        language,
        names: arguments.names,
        digits: arguments.digits,
        stop_list,
    };
    let mut patterns = candidates::find(interactions, &choice);
    if let Some(path) = &arguments.patterns {
        let known: BTreeSet<String> = patterns.iter().cloned().collect();
        let own = own_patterns(path, language)?.into_iter().filter(|pattern| !known.contains(pattern));
        patterns.splice(0..0, own);
    }
    Ok(patterns)
}

/// The pattern lines of a file, each once.
fn own_patterns(path: &str, language: Option<&'static Language>) -> Result<Vec<String>, Failure> {
    let context =
        phrase::Context { list: &|_| None, names: &[], stem: language.and_then(|language| language.stem) };
    let mut patterns: Vec<String> = Vec::new();
    for (line, number) in read_file(path)?.lines().zip(1..) {
        let (pattern, _) = phrase::strip_comment(line);
        if pattern.is_empty() || patterns.iter().any(|known| known == pattern) {
            continue;
        }
        phrase::parse(pattern, &context).map_err(|error| {
            Failure::unusable(format!("{path}:{number}: `{pattern}`: {}; {}", error.message, error.fix))
        })?;
        patterns.push(pattern.to_owned());
    }
    Ok(patterns)
}

fn fraction(text: &str) -> Result<Unit, String> {
    let unit = Unit::parse(text).filter(|unit| unit.clamp_to_one() == *unit);
    unit.ok_or_else(|| "write a number from 0 to 1".into())
}

fn costs(given: &[f64]) -> Result<Vec<f64>, Failure> {
    let mut costs = given.to_vec();
    if let Some(bad) = costs.iter().find(|cost| !(1e-6..=1e6).contains(*cost)) {
        return Err(Failure::unusable(format!(
            "--regularisation: `{bad}` is not between 0.000001 and 1000000"
        )));
    }
    costs.sort_by(f64::total_cmp);
    costs.dedup();
    Ok(costs)
}

/// What was asked for, in one order and without the names of folders.
fn settings(arguments: &Arguments) -> String {
    let mut text = format!(
        "words {}, prefix {}, support {}, size {}, repeat {}",
        arguments.words, arguments.prefix, arguments.support, arguments.size, arguments.repeat
    );
    for (name, value) in [("by", &arguments.by), ("language", &arguments.language)] {
        if let Some(value) = value {
            text.push_str(&format!(", {name} {value}"));
        }
    }
    if let Some(sufficient) = arguments.sufficient {
        text.push_str(&format!(", sufficient {sufficient}"));
    }
    for (name, path) in [("stop list", &arguments.stop_list), ("patterns of", &arguments.patterns)] {
        if let Some(path) = path {
            text.push_str(&format!(", {name} {}", data::file_name(path)));
        }
    }
    for (name, given) in
        [("balanced", arguments.balanced), ("names", arguments.names), ("digits", arguments.digits)]
    {
        if given {
            text.push_str(&format!(", {name}"));
        }
    }
    text
}

fn read_file(path: &str) -> Result<String, Failure> {
    let bytes = file::bytes(path, file::PROTOCOL)?;
    Ok(file::utf8(path, &bytes, 0)?.to_owned())
}

pub(super) fn write_file(path: &str, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text)
        .map_err(|error| Failure::unusable(format!("{path}: cannot be written: {error}")))
}
