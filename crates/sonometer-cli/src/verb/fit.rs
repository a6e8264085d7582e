//! `sonometer fit`: a weighted list made from labelled interactions, or a protocol tuned to them.

use crate::failure::{Exit, Failure};
use crate::file;
use crate::labelled::{Ordinary, Selection};
use crate::page::PageArgument;
use crate::progress::Bar;
use crate::screen::Screen;
use crate::target::Source;
use sonometer::Unit;
use sonometer::protocol::{Repeat, Scope, Taxonomy};
use sonometer_evaluate::{
    Aim, Kind, Labelled, MOST_WORDS, Selector, Settings, StopList, Tuning, Way, fit_languages,
};
use sonometer_report::Sheet;
use std::slice;

/// Arguments of `fit`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Labelled interactions: a .jsonl file with one {"id", "interaction", "labels"} or {"text", "label"} a line, or a .csv or .tsv file
    /// with a column of texts; or pairs of them, {"id", "interaction_a", "interaction_b", "labels"}, of which the label says which is
    /// more: the list is fitted to their differences, for `compare`
    data: String,
    #[command(flatten)]
    choice: Selection,
    #[command(flatten)]
    ordinary: Ordinary,
    /// The label is a list, one value a turn (null: not labelled): every labelled turn is an example of its own
    #[arg(long)]
    turns: bool,
    /// The turns that the list is asked of at a time; the strongest count: `turn`, `last turn`, `3 turns`, `last 3 turns`,
    /// or `interaction` [default: `turn` with --turns, else `interaction`]
    #[arg(long, value_name = "SCOPE", value_parser = scope, conflicts_with = "tune")]
    scope: Option<Asked>,
    /// Fit several markers of which one holds, one for each value of this label, their weights learned together; the marker with the highest
    /// activation is the choice (--marker: the first part of their labels)
    #[arg(long = "choice", value_name = "LABEL", conflicts_with_all = ["label", "tune"])]
    choose: Option<String>,
    /// Tune a protocol file instead: its patterns stay; the strengths and the trigger of one marker are chosen from
    /// the data
    #[arg(long, value_name = "PROTOCOL")]
    tune: Option<String>,
    /// With --tune: give every pattern line its own weight
    #[arg(long, requires = "tune")]
    weigh: bool,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: String,
    /// The label of the marker [default with --tune: the only marker]
    #[arg(long, value_name = "LABEL", required_unless_present_any = ["tune", "choose"])]
    marker: Option<String>,
    /// The id of the protocol [default: the marker's label]
    #[arg(long)]
    id: Option<String>,
    /// The version of the protocol [default: 0.1]
    #[arg(long)]
    version: Option<String>,
    /// The family of the protocol [default: Signal]
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(Taxonomy::NAMES))]
    taxonomy: Option<String>,
    /// The language of the texts, if the engine supports it (`en`). `auto` recognises the language of each text. If nearly all are in one,
    /// the protocol has that one; otherwise one file is fitted for each language (`--out dark.yaml` writes `dark.de.yaml` and others)
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
    /// The cost of errors against the size of weights; of several values, folds choose the best
    #[arg(long, value_name = "C", value_delimiter = ',', default_values_t = [0.003, 0.01, 0.03, 0.1, 0.3, 1.0])]
    regularisation: Vec<f64>,
    /// Give both classes the same weight, even if one is rare
    #[arg(long)]
    balanced: bool,
    /// Number of folds, to choose settings and to measure on items that were not used for fitting
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=100))]
    folds: u16,
    /// Put near-duplicates and texts of one template into different folds, as if they were strangers
    #[arg(long)]
    no_likeness: bool,
    /// What the threshold is chosen for
    #[arg(long, value_enum, default_value_t)]
    aim: Wanted,
    /// Words that make no pattern by themselves: a file of words, or `function-words` for those of the language
    #[arg(long, value_name = "FILE")]
    stop_list: Option<String>,
    /// Further pattern lines to choose from, one a line; or a protocol (.yaml, or one of the catalogue): its lines and lists are chosen from,
    /// and the marker is written into it, in the place of the one of this label or as a new one
    #[arg(long, value_name = "FILE")]
    patterns: Option<String>,
    /// Also use names: English words that are mostly capitalised inside sentences
    #[arg(long)]
    names: bool,
    /// Use digits as written, not as `<number>`
    #[arg(long)]
    digits: bool,
    /// Kinds of lines to choose from beside words: negation (words after a negation), gaps (words with others between), edges (first and
    /// last words of sentences and turns), questions (words of questions), quotes, stems (inflections), insides (letters inside words); or none
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = kinds,
        default_values = Kind::DEFAULT.map(Kind::as_str))]
    features: Vec<Option<Kind>>,
    /// Write the features that the model is fitted to, for scikit-learn's `load_svmlight_file`
    #[arg(long, value_name = "FILE")]
    export_features: Option<String>,
    #[command(flatten)]
    page: PageArgument,
    /// JSON, one line
    #[arg(long)]
    pub(crate) json: bool,
}

/// Each text is of the language that is recognised in it.
const AUTO: &str = "auto";

/// The turns that a list is asked of at a time; `None`: the whole interaction.
#[derive(Clone, Copy, Debug)]
struct Asked(Option<Scope>);

/// What a threshold is chosen for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Wanted {
    /// The mean F1 of both classes
    #[default]
    MacroF1,
    /// The F1 of the positive class
    F1,
}

impl From<Wanted> for Aim {
    fn from(wanted: Wanted) -> Self {
        match wanted {
            Wanted::MacroF1 => Self::MacroF1,
            Wanted::F1 => Self::F1,
        }
    }
}

impl Arguments {
    fn settings(&self) -> Result<Settings, Failure> {
        let stop_list = match self.stop_list.as_deref() {
            None => None,
            Some("function-words") => Some(StopList::FunctionWords),
            Some(path) => Some(StopList::Words(path.to_owned(), read_file(path)?)),
        };
        let (patterns, protocol) = match self.patterns.as_deref() {
            None => (None, None),
            Some(path) if Source::is_protocol(path) => (None, Some(Source::find(path)?.into())),
            Some(path) => (Some((path.to_owned(), read_file(path)?)), None),
        };
        Ok(Settings {
            id: self.id.clone(),
            version: self.version.clone(),
            taxonomy: self.taxonomy.as_deref().and_then(Taxonomy::from_name),
            language: self.language.clone(),
            sufficient: self.sufficient,
            by: self.by.clone(),
            turns: self.turns,
            scope: self.scope.map(|Asked(scope)| scope),
            words: self.words,
            prefix: self.prefix,
            support: self.support,
            size: self.size,
            repeat: Repeat::from_name(&self.repeat).unwrap_or(Repeat::Once),
            regularisation: self.regularisation.clone(),
            balanced: self.balanced,
            folds: self.folds,
            likeness: !self.no_likeness,
            aim: self.aim.into(),
            background: self.choice.background(&self.ordinary)?,
            alarms: self.ordinary.alarms(),
            stop_list,
            patterns,
            protocol,
            names: self.names,
            digits: self.digits,
            kinds: self.kinds(),
            features: self.export_features.is_some(),
            ..Settings::of(self.marker.clone().unwrap_or_default())
        })
    }

    /// Which items are meant, and their label.
    fn selector(&self) -> Selector {
        let selector = self.choice.selector();
        Selector { label: self.choose.clone().or(selector.label), ..selector }
    }

    /// The kinds of lines, each once, in their order.
    fn kinds(&self) -> Vec<Kind> {
        Kind::ALL.into_iter().filter(|kind| self.features.contains(&Some(*kind))).collect()
    }

    fn tuning(&self) -> Tuning {
        Tuning {
            marker: self.marker.clone(),
            weigh: self.weigh,
            turns: self.turns,
            regularisation: self.regularisation.clone(),
            balanced: self.balanced,
            folds: self.folds,
            likeness: !self.no_likeness,
            aim: self.aim.into(),
        }
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    expect_outputs(arguments)?;
    if arguments.data == "-" {
        let fix = "give a file, because its name and digest are written into the protocol";
        return Err(Failure::unusable(format!("`fit` cannot read standard input; {fix}")));
    }
    // Pairs are ranked; the other ways of fitting say that they are of no use.
    let labelled = match arguments.tune.is_some() || arguments.choose.is_some() {
        true => arguments.choice.read_single(&arguments.data, screen)?,
        false => arguments.choice.read(&arguments.data, screen)?,
    };
    if let Some(target) = &arguments.tune {
        if arguments.ordinary.is_given() {
            let fix = "remove it, and count alarms with `sonometer evaluate --background`";
            return Err(Failure::unusable(format!("--background does not apply to --tune; {fix}")));
        }
        return tune(arguments, target, &labelled, screen);
    }
    let way = if arguments.choose.is_some() { Way::Choice } else { Way::of(&labelled) };
    if arguments.language.as_deref() == Some(AUTO) {
        return by_language(arguments, way, &labelled, screen);
    }
    let (selector, settings) = (arguments.selector(), arguments.settings()?);
    let mut bar = Bar::new();
    let report = way.fit(&labelled, &selector, &settings, &mut |now| bar.see(now));
    drop(bar);
    let report = report.map_err(Failure::evaluation)?;
    if let (Some(path), Some(features)) = (&arguments.export_features, report.features()) {
        write_file(path, features)?;
    }
    let out = Some(&*arguments.out);
    give(arguments, screen, report.protocol(), &report.sheet(out), || report.to_json(out))
}

/// Writes the protocol, and tells what fitting came to.
fn give(
    arguments: &Arguments,
    screen: &mut Screen,
    protocol: &str,
    sheet: &Sheet<'_>,
    to_json: impl FnOnce() -> String,
) -> Result<Exit, Failure> {
    write_file(&arguments.out, protocol)?;
    arguments.page.write(slice::from_ref(sheet))?;
    match arguments.json {
        true => screen.print_bytes(&(to_json() + "\n"))?,
        false => screen.print(&sheet.to_text(&screen.paint.report()))?,
    }
    Ok(Exit::Done)
}

/// Fits to texts whose languages are recognised: one file, or one for each language.
fn by_language(
    arguments: &Arguments,
    way: Way,
    labelled: &Labelled,
    screen: &mut Screen,
) -> Result<Exit, Failure> {
    let (selector, settings) = (arguments.selector(), arguments.settings()?);
    let mut bar = Bar::new();
    let report = fit_languages(labelled, &selector, &settings, way, &mut |now| bar.see(now));
    drop(bar);
    let report = report.map_err(Failure::evaluation)?;
    let out = &*arguments.out;
    for (code, fitted) in report.fitted() {
        if let (Some(path), Some(features)) = (&arguments.export_features, fitted.features()) {
            write_file(&report.named(path, code), features)?;
        }
        write_file(&report.named(out, code), fitted.protocol())?;
    }
    arguments.page.write(&report.sheets(Some(out)))?;
    match arguments.json {
        true => screen.print_bytes(&(report.to_json(Some(out)) + "\n"))?,
        false => screen.print(&report.to_text(&screen.paint.report(), Some(out)))?,
    }
    Ok(Exit::Done)
}

/// Tunes a marker of a protocol that somebody wrote.
fn tune(
    arguments: &Arguments,
    target: &str,
    labelled: &Labelled,
    screen: &mut Screen,
) -> Result<Exit, Failure> {
    let file = Source::find(target)?.into();
    let (selector, tuning) = (arguments.choice.selector(), arguments.tuning());
    let mut bar = Bar::new();
    let change = sonometer_evaluate::tune(&file, labelled, &selector, &tuning, &mut |now| bar.see(now));
    drop(bar);
    let change = change.map_err(Failure::evaluation)?;
    let out = Some(&*arguments.out);
    give(arguments, screen, &change.protocol(), &change.sheet(out), || change.to_json(out))
}

/// Fails where an output has a name that the command could not read again, or would take the place of the data.
fn expect_outputs(arguments: &Arguments) -> Result<(), Failure> {
    let out = &arguments.out;
    if ![".yaml", ".yml"].iter().any(|ending| out.to_ascii_lowercase().ends_with(ending)) {
        return Err(Failure::unusable(format!("--out: `{out}` must end in .yaml")));
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

fn scope(text: &str) -> Result<Asked, String> {
    match text {
        "interaction" => Ok(Asked(None)),
        _ => text.parse().map(|scope| Asked(Some(scope))).map_err(|()| {
            "write `turn`, `last turn`, `2 turns` to `20 turns`, `last 3 turns`, or `interaction`".into()
        }),
    }
}

/// What stands for no kind.
const NO_KIND: &str = "none";

fn kinds(text: &str) -> Result<Option<Kind>, String> {
    if text == NO_KIND {
        return Ok(None);
    }
    let names = || Kind::ALL.map(Kind::as_str).join(", ");
    Kind::from_name(text).map(Some).ok_or_else(|| format!("use some of {}, or {NO_KIND}", names()))
}

fn fraction(text: &str) -> Result<Unit, String> {
    let unit = Unit::parse(text).filter(|unit| unit.clamp_to_one() == *unit);
    unit.ok_or_else(|| "write a number from 0 to 1".into())
}

fn read_file(path: &str) -> Result<String, Failure> {
    let bytes = file::bytes(path, file::PROTOCOL)?;
    Ok(file::utf8(path, &bytes, 0)?.to_owned())
}

fn write_file(path: &str, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| file::unwritable(path, &error))
}
