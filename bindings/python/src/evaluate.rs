//! Labelled rows of Python against a target, and protocols fitted to them; the library does both.

use crate::failure::{Failure, Outcome};
use crate::interaction::interaction;
use crate::source::Source;
use crate::target::Target;
use crate::value;
use crate::view::offset_unit;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use sonometer::protocol::{self, Repeat, Taxonomy};
use sonometer::{TargetKind, Unit};
use sonometer_evaluate::{
    Aim, Background, Columns, DataFile, Error, Filter, Fitted, Item, Kind, Labelled, MapEntry, Options,
    Progress, ProtocolFile, Scope, Selector, Settings, StopList, Tuning, Way, respelled,
};
use sonometer_report::Paint;
use std::fmt::Display;
use std::ops::ControlFlow;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// The label, its classes, and which items are meant.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Selection {
    label: Option<String>,
    positive: Option<String>,
    negative: Option<String>,
    /// Path and class; with an empty path the whole condition.
    filters: Vec<(String, String)>,
    fold: Option<String>,
    group: Option<String>,
}

/// The other options of `evaluate`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    unit: Option<String>,
    markers: Vec<String>,
    threshold: Option<String>,
    lower: Option<bool>,
    /// Types and markers.
    map: Vec<(Vec<String>, Vec<String>)>,
    offsets: String,
    by: Option<String>,
    errors: usize,
    graded: bool,
    choice: Option<String>,
    explain: bool,
    alarms: Option<String>,
}

/// The other options of `fit`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    marker: Option<String>,
    /// The label of which each value gets a marker.
    choice: Option<String>,
    weigh: bool,
    id: Option<String>,
    version: Option<String>,
    taxonomy: Option<String>,
    language: Option<String>,
    sufficient: Option<String>,
    by: Option<String>,
    turns: bool,
    scope: Option<String>,
    words: u8,
    prefix: u8,
    support: usize,
    size: usize,
    repeat: String,
    regularisation: Option<Vec<f64>>,
    balanced: bool,
    folds: u16,
    aim: String,
    /// `function-words`, or the words.
    stop_list: Option<String>,
    patterns: Option<String>,
    names: bool,
    digits: bool,
    features: Option<Vec<String>>,
    likeness: bool,
    alarms: Option<String>,
}

/// A note of a report with options as they are written in Python.
#[pyfunction]
pub(crate) fn _spelt(note: &str) -> String {
    respelled(note, spelt)
}

/// JSON, text and page of an evaluation.
#[pyfunction]
pub(crate) fn _evaluate(
    py: Python<'_>,
    target: &Bound<'_, Target>,
    items: &Bound<'_, PyAny>,
    selection: Selection,
    asked: Asked,
    background: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String, String)> {
    let labelled = labelled(items)?;
    let background = background.map(|own| ordinary(&own)).transpose()?;
    let options = Options { background, ..asked.options(selection.selector()?)? };
    let instrument = target.get().instrument.clone();
    let mut watch = Watch::new(progress);
    let forms = py.detach(|| {
        let report =
            sonometer_evaluate::evaluate(&instrument, &labelled, &options, &mut |now| watch.see(now))?;
        let text = respelled(&report.to_text(&Paint::default()), spelt);
        Ok((report.to_json(), text, respelled(&report.to_html(), spelt)))
    });
    Ok(watch.end(forms)?)
}

/// JSON, text, page and protocol.
type Forms = (String, String, String, String);

/// The forms of a fit, whether the protocol is another than before, and the forms of each language.
type Told = (Forms, bool, Vec<(&'static str, Forms)>);

/// JSON, text, page and protocol of a fit, and whether it is another protocol than before; where languages are recognised, the same
/// of each.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "each is an argument of the half in Python")]
pub(crate) fn _fit(
    py: Python<'_>,
    items: &Bound<'_, PyAny>,
    selection: Selection,
    wanted: Wanted,
    tune: Option<(String, Bound<'_, PyAny>)>,
    patterns: Option<(String, Bound<'_, PyAny>)>,
    background: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Told> {
    let labelled = labelled(items)?;
    let selector = selection.selector()?;
    let background = background.map(|own| ordinary(&own)).transpose()?;
    let mut watch = Watch::new(progress);
    let Some(source) = tune else {
        let protocol = patterns.map(|own| protocol_file(own)).transpose()?;
        let choice = wanted.choice.clone();
        let way = if choice.is_some() { Way::Choice } else { Way::of(&labelled) };
        let selector = Selector { label: choice.or(selector.label.clone()), ..selector };
        let settings = Settings { background, protocol, ..wanted.settings()? };
        let told = py.detach(|| {
            let watch = &mut |now| watch.see(now);
            if settings.language.as_deref() != Some("auto") {
                return Ok((forms(&way.fit(&labelled, &selector, &settings, watch)?), true, Vec::new()));
            }
            let report = sonometer_evaluate::fit_languages(&labelled, &selector, &settings, way, watch)?;
            let each: Vec<(&'static str, Forms)> =
                report.fitted().map(|(code, fitted)| (code, forms(fitted))).collect();
            let (json, protocol) = match (report.only(), &each[..]) {
                (Some(_), [(_, (json, _, _, protocol)), ..]) => (json.clone(), protocol.clone()),
                _ => (report.to_json(None), String::new()),
            };
            let text = respelled(&report.to_text(&Paint::default(), None), spelt);
            Ok(((json, text, respelled(&report.to_html(None), spelt), protocol), true, each))
        });
        return Ok(watch.end(told)?);
    };
    if background.is_some() {
        let fix = "remove it, and count alarms with `evaluate(background=…)`";
        return Err(Failure::invalid("background", "`background` does not apply to `tune`", fix).into());
    }
    let file = protocol_file(source)?;
    let tuning = wanted.tuning()?;
    let told = py.detach(|| {
        let change =
            sonometer_evaluate::tune(&file, &labelled, &selector, &tuning, &mut |now| watch.see(now))?;
        let text = respelled(&change.to_text(&Paint::default(), None), spelt);
        let page = respelled(&change.to_html(None), spelt);
        Ok(((change.to_json(None), text, page, change.protocol()), change.is_better(), Vec::new()))
    });
    Ok(watch.end(told)?)
}

fn forms(fitted: &Fitted) -> Forms {
    let text = respelled(&fitted.to_text(&Paint::default(), None), spelt);
    let page = respelled(&fitted.to_html(None), spelt);
    (fitted.to_json(None), text, page, fitted.protocol().to_owned())
}

/// A protocol with the name it is shown by.
fn protocol_file((name, source): (String, Bound<'_, PyAny>)) -> Outcome<ProtocolFile> {
    let source = Source::find(&source, Some(TargetKind::Protocol))?;
    let list_files = source.list_files()?;
    Ok(ProtocolFile { name, text: source.text, list_files })
}

/// A file: its name and bytes, the columns of what is said, and that of ids.
type File<'py> = (String, Bound<'py, PyBytes>, Vec<String>, Option<String>);
/// Files of ordinary interactions, names and bytes, and the column of what is said.
type Files<'py> = (Vec<(String, Bound<'py, PyBytes>)>, Option<String>);

/// Labelled items: a file, or rows of id, interaction, second interaction and labels.
fn labelled(items: &Bound<'_, PyAny>) -> Outcome<Labelled> {
    if let Ok((name, bytes, text, id)) = items.extract::<File<'_>>() {
        let mut text = text.into_iter();
        let columns = Columns { text: text.next(), second: text.next(), id };
        return Ok(Labelled::of(DataFile::lines(&name, bytes.as_bytes()), &columns)?);
    }
    let rows = items.cast::<PyList>().map_err(PyErr::from)?;
    let all = rows.iter().enumerate().map(|(at, row)| item(&row, &format!("items[{at}]")));
    Ok(Labelled::new(all.collect::<Outcome<Vec<Item>>>()?)?)
}

/// Ordinary interactions: files, or interactions in any form.
fn ordinary(items: &Bound<'_, PyAny>) -> Outcome<Background> {
    if let Ok((files, text)) = items.extract::<Files<'_>>() {
        let columns = Columns { text, ..Columns::default() };
        let lines = files.iter().map(|(name, bytes)| DataFile::lines(name, bytes.as_bytes()));
        return Ok(Background::of(lines, &columns)?);
    }
    let rows = items.cast::<PyList>().map_err(PyErr::from)?;
    let all = rows
        .iter()
        .enumerate()
        .map(|(at, row)| interaction(&row).map_err(|failure| failure.within(&format!("background[{at}]"))));
    Ok(Background::new(all.collect::<Outcome<Vec<_>>>()?)?)
}

/// `alarms` as a share.
fn alarms(given: Option<&str>) -> Outcome<Option<Unit>> {
    let share = |own: &str| {
        let unit = Unit::parse(own).filter(|unit| unit.clamp_to_one() == *unit);
        unit.ok_or_else(|| unknown("alarms", own, "a share from 0 to 1, such as 0.005"))
    };
    given.map(share).transpose()
}

/// A value and the column in which it stands.
type Cell<'py> = (String, Bound<'py, PyAny>);
type Row<'py> = (Option<String>, Cell<'py>, Option<Cell<'py>>, Bound<'py, PyAny>);

fn item(row: &Bound<'_, PyAny>, place: &str) -> Outcome<Item> {
    let (id, first, second, labels): Row<'_> = row.extract()?;
    let sensed = |(column, value): Cell<'_>| {
        interaction(&value).map_err(|failure| failure.within(&format!("{place}.{column}")))
    };
    let first = sensed(first)?;
    let second = second.map(sensed);
    let json = value::json(&labels, &format!("{place}.labels"))?;
    // What was written just now is read again.
    let labels =
        serde_json::from_str(&json).map_err(|error| Failure::invalid(place, error.to_string(), LABELS))?;
    let item = match second.transpose()? {
        Some(second) => Item::pair(first, second, labels),
        None => Item::new(first, labels),
    };
    Ok(match id {
        Some(id) => item.with_id(id),
        None => item,
    })
}

const LABELS: &str = "give labels as str, numbers, bools, None, or lists and dicts of them";

impl Selection {
    fn selector(&self) -> Outcome<Selector> {
        let filter = |(path, class): &(String, String)| -> Outcome<Filter> {
            Ok(match path.is_empty() {
                true => read("where", class)?,
                false => Filter::new(path, read("where", class)?),
            })
        };
        Ok(Selector {
            label: self.label.clone(),
            positive: self.positive.as_deref().map(|class| read("positive", class)).transpose()?,
            negative: self.negative.as_deref().map(|class| read("negative", class)).transpose()?,
            filters: self.filters.iter().map(filter).collect::<Outcome<_>>()?,
            fold: self.fold.as_deref().map(|fold| read("fold", fold)).transpose()?,
            group: self.group.clone(),
        })
    }
}

impl Asked {
    fn options(self, selector: Selector) -> Outcome<Options> {
        let unit = match self.unit.as_deref() {
            None => None,
            Some("whole") => Some(Scope::Whole),
            Some("segments") => Some(Scope::Segments),
            Some("spans") => Some(Scope::Spans),
            Some(other) => return Err(unknown("unit", other, "whole, segments or spans")),
        };
        Ok(Options {
            selector,
            unit,
            markers: self.markers,
            threshold: self.threshold.as_deref().map(|own| read("threshold", own)).transpose()?,
            lower: self.lower,
            map: self.map.into_iter().map(|(types, markers)| MapEntry::new(types, markers)).collect(),
            offsets: offset_unit(&self.offsets)?,
            by: self.by,
            errors: self.errors,
            graded: self.graded,
            choice: self.choice.as_deref().map(|own| read("choice", own)).transpose()?,
            explain: self.explain,
            background: None,
            alarms: alarms(self.alarms.as_deref())?,
        })
    }
}

impl Wanted {
    fn aim(&self) -> Outcome<Aim> {
        match self.aim.as_str() {
            "macro-f1" => Ok(Aim::MacroF1),
            "f1" => Ok(Aim::F1),
            other => Err(unknown("aim", other, "macro-f1 or f1")),
        }
    }

    fn settings(self) -> Outcome<Settings> {
        let aim = self.aim()?;
        let taxonomy = |own: &String| {
            Taxonomy::from_name(own).ok_or_else(|| unknown("taxonomy", own, &Taxonomy::NAMES.join(", ")))
        };
        let taxonomy = self.taxonomy.as_ref().map(taxonomy).transpose()?;
        let repeat = Repeat::from_name(&self.repeat)
            .ok_or_else(|| unknown("repeat", &self.repeat, &Repeat::NAMES.join(", ")))?;
        let sufficient = |own: &str| {
            let unit = Unit::parse(own).filter(|unit| unit.clamp_to_one() == *unit);
            unit.ok_or_else(|| unknown("sufficient", own, "a number from 0 to 1"))
        };
        let stop_list = self.stop_list.map(|own| match own.as_str() {
            "function-words" => StopList::FunctionWords,
            _ => StopList::Words("of the caller".to_owned(), own),
        });
        let settings = Settings::of(self.marker.unwrap_or_default());
        let kinds = match self.features {
            None => settings.kinds.clone(),
            Some(names) => {
                let known = Kind::ALL.map(Kind::as_str).join(", ");
                let kind =
                    |name: &String| Kind::from_name(name).ok_or_else(|| unknown("features", name, &known));
                names.iter().map(kind).collect::<Outcome<_>>()?
            }
        };
        Ok(Settings {
            id: self.id,
            version: self.version,
            taxonomy,
            language: self.language,
            sufficient: self.sufficient.as_deref().map(sufficient).transpose()?,
            by: self.by,
            turns: self.turns,
            scope: self.scope.as_deref().map(scope).transpose()?,
            words: self.words,
            prefix: self.prefix,
            support: self.support,
            size: self.size,
            repeat,
            regularisation: self.regularisation.unwrap_or_else(|| settings.regularisation.clone()),
            balanced: self.balanced,
            folds: self.folds,
            likeness: self.likeness,
            aim,
            alarms: alarms(self.alarms.as_deref())?,
            stop_list,
            patterns: self.patterns.map(|own| ("patterns".to_owned(), own)),
            names: self.names,
            digits: self.digits,
            kinds,
            ..settings
        })
    }

    fn tuning(self) -> Outcome<Tuning> {
        let aim = self.aim()?;
        let tuning = Tuning::default();
        Ok(Tuning {
            marker: self.marker,
            weigh: self.weigh,
            turns: self.turns,
            regularisation: self.regularisation.unwrap_or_else(|| tuning.regularisation.clone()),
            balanced: self.balanced,
            folds: self.folds,
            likeness: self.likeness,
            aim,
        })
    }
}

/// An option as the library reads it.
fn read<T: FromStr<Err = String>>(option: &str, text: &str) -> Outcome<T> {
    text.parse().map_err(|wrong| sonometer::Error::invalid(option, wrong).into())
}

/// The turns that a list is asked of at a time; `None`: the whole interaction.
fn scope(own: &str) -> Outcome<Option<protocol::Scope>> {
    let known = "`turn`, `last turn`, `2 turns` to `20 turns`, `last 3 turns` or `interaction`";
    match own {
        "interaction" => Ok(None),
        own => own.parse().map(Some).map_err(|()| unknown("scope", own, known)),
    }
}

fn unknown(option: &str, given: impl Display, known: &str) -> Failure {
    Failure::invalid(option, format!("`{option}` is `{given}`"), &format!("give {known}"))
}

/// The name of an option in messages.
fn spelt(option: &str) -> String {
    match option {
        "text-column" => "`text`".to_owned(),
        "lower" => "`lower=True`".to_owned(),
        "higher" => "`lower=False`".to_owned(),
        "no-likeness" => "`likeness=False`".to_owned(),
        other => format!("`{}`", other.replace('-', "_")),
    }
}

/// Looks after signals, and calls the caller's `progress`.
struct Watch {
    progress: Option<Py<PyAny>>,
    last: Instant,
    /// What Python raised meanwhile.
    raised: Option<PyErr>,
}

/// Between two looks: soon enough for Ctrl-C, and seldom enough to cost nothing.
const PAUSE: Duration = Duration::from_millis(50);

impl Watch {
    fn new(progress: Option<Py<PyAny>>) -> Self {
        Self { progress, last: Instant::now(), raised: None }
    }

    fn see(&mut self, now: Progress) -> ControlFlow<()> {
        let ended = now.done == now.of && now.of > 0;
        if self.last.elapsed() < PAUSE && !ended {
            return ControlFlow::Continue(());
        }
        self.last = Instant::now();
        let seen = Python::attach(|py| {
            py.check_signals()?;
            match &self.progress {
                Some(progress) => progress.call1(py, (now.done, now.of)).map(drop),
                None => Ok(()),
            }
        });
        match seen {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.raised = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn end<T>(self, outcome: Result<T, Error>) -> Outcome<T> {
        match (outcome, self.raised) {
            (_, Some(raised)) => Err(Failure::Python(raised)),
            (outcome, None) => Ok(outcome?),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let Error::Failed(failure) = error else {
            return sonometer::Error::new(sonometer::ErrorCode::Internal, "", "the work was cancelled")
                .into();
        };
        let message = respelled(&failure.message, spelt);
        let place = match (failure.place.to_string(), &failure.place.field) {
            (place, None) => place,
            (place, Some(field)) if failure.place.line.is_some() => format!("{place}: {field}"),
            (place, Some(field)) => format!("{place}.{field}"),
        };
        let error = sonometer::Error::new(failure.code, place, message);
        match failure.findings {
            Some((file, diagnostics)) => {
                Self::of_source(&file.text, sonometer::Error { diagnostics, ..error })
            }
            None => error.into(),
        }
    }
}
