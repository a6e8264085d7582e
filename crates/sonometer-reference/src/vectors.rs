//! Test vectors: files of protocols, interactions and the exact bytes that every door must answer.
//!
//! The format is described in `fixtures/vectors/README.md`.

use crate::composition::{self, Shelf};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sonometer::protocol::Modality;
use sonometer::{
    Catalog, Document, Error, FlowOptions, Instrument, Interaction, Metric, OffsetUnit, Profile, Protocol,
    SenseOptions, TemporalOptions, Unit, View,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The folders of vector files, seen from the root of the repository.
pub const FOLDERS: [&str; 2] = ["fixtures/vectors", "fixtures/regressions"];

/// One line of a vector file, its keys in the order in which they are written.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The line names a protocol for the vectors below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub define: Option<String>,
    /// The line is a vector of that name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The protocol, the name of one defined above, or (in a definition) its source as a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Box<RawValue>>,
    /// In the place of a protocol: a metric, or its source as a text. What it names stands in definitions above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<Box<RawValue>>,
    /// In the place of a protocol: a blueprint, or its source as a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blueprint: Option<Box<RawValue>>,
    /// The interaction, or its JSON as a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interaction: Option<Box<RawValue>>,
    /// What the interaction is compared with, or its JSON as a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interaction_b: Option<Box<RawValue>>,
    /// What is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<ViewLine>,
    /// The reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// The error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorLine>,
}

/// The view of a vector as it is written.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ViewLine {
    /// `raw`, `detailed` or `discovery`; `raw` where it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// `bytes`, `chars` or `utf16`; no offsets where it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offsets: Option<String>,
    /// Asks for actant flow: `true`, or the primary role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<FlowLine>,
    /// Asks for temporal analysis: `true`, or the seconds of a window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temporal: Option<TemporalLine>,
}

/// How a vector asks for actant flow.
#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum FlowLine {
    /// `true`; `false` is as if nothing was written.
    Asked(bool),
    /// The primary role.
    Primary(String),
}

/// How a vector asks for temporal analysis.
#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum TemporalLine {
    /// `true`; `false` is as if nothing was written.
    Asked(bool),
    /// The seconds of a window.
    Window(serde_json::Number),
}

/// What a vector shows; as [`View`], with texts of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shown {
    /// How much is shown.
    pub profile: Profile,
    /// The unit of offsets.
    pub offsets: Option<&'static str>,
    /// Whether flow is asked for, and with which primary role.
    pub flow: Option<Option<String>>,
    /// Whether temporal analysis is asked for, and with which window.
    pub temporal: Option<Option<Unit>>,
}

impl Shown {
    /// As options of the command `sonometer sense`, for interactions in files of this format.
    pub fn options(&self, format: &str) -> Vec<String> {
        let mut options = vec!["--json", "--format", format, "--profile", self.profile.as_str()];
        if let Some(unit) = self.offsets {
            options.extend(["--offsets", unit]);
        }
        if let Some(primary) = &self.flow {
            options.push("--flow");
            options.extend(primary.iter().flat_map(|role| ["--primary", role.as_str()]));
        }
        let window = self.temporal.flatten().map(|window| window.to_string());
        if self.temporal.is_some() {
            options.push("--temporal");
            options.extend(window.iter().flat_map(|seconds| ["--window", seconds.as_str()]));
        }
        options.into_iter().map(str::to_owned).collect()
    }

    /// As the engine takes it.
    pub fn view(&self) -> View<'_> {
        View {
            profile: self.profile,
            offsets: self.offsets.and_then(OffsetUnit::from_name),
            flow: self.flow.as_ref().map(|primary| FlowOptions { primary: primary.as_deref() }),
            temporal: self.temporal.map(|window| TemporalOptions { window }),
        }
    }
}

/// The error that a vector expects.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorLine {
    /// The code of the interface.
    pub code: String,
    /// The place in the input.
    pub place: String,
}

/// One vector, ready to be run.
#[derive(Clone, Debug)]
pub struct Vector {
    /// File and line, for messages.
    pub place: String,
    /// What it shows.
    pub name: String,
    /// The source of the protocol, metric or blueprint.
    pub target: String,
    /// The sources of the protocols and metrics that a metric or blueprint may name; empty for a protocol.
    pub shelf: Vec<String>,
    /// The JSON of the interaction.
    pub interaction: String,
    /// The JSON of what it is compared with.
    pub interaction_b: Option<String>,
    /// What is shown.
    pub view: Shown,
    /// What must come out; `None` as long as nobody has filled it in.
    pub expect: Option<Outcome>,
}

/// What comes out of a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The JSON text of a reading.
    Reading(String),
    /// No reading.
    Error(ErrorLine),
}

impl From<Error> for Outcome {
    fn from(error: Error) -> Self {
        Self::Error(ErrorLine { code: error.code.as_str().to_owned(), place: error.place })
    }
}

impl Vector {
    /// The target with what it may name, compiled by the fast engine.
    ///
    /// # Errors
    /// Those of reading the sources and of [`Instrument::new`].
    pub fn instrument(&self) -> Result<Instrument, Error> {
        let (target, shelf) = self.read()?;
        Instrument::new(target, &shelf)
    }

    /// The bytes of the fast engine.
    ///
    /// # Errors
    /// Those of [`Vector::instrument`], of reading the interactions, of the view and of sensing.
    pub fn sensed(&self) -> Result<String, Error> {
        let instrument = self.instrument()?;
        let view = self.view.view();
        match self.interactions()? {
            (a, Some(b)) => Ok(instrument.compare(&a, &b, SenseOptions::default())?.to_json()),
            (interaction, None) => {
                instrument.check(view)?;
                Ok(instrument.sense(&interaction)?.to_json(view))
            }
        }
    }

    /// What the fast engine says.
    pub fn by_engine(&self) -> Outcome {
        self.sensed().map_or_else(Outcome::from, Outcome::Reading)
    }

    /// What the reference engine says. Both engines read protocols and interactions with the same code,
    /// and both refuse a view that asks of SGM 1.0 what it has not.
    pub fn by_reference(&self) -> Outcome {
        let read = || -> Result<String, Error> {
            let (target, shelf) = self.read()?;
            let (interaction, other) = self.interactions()?;
            let view = self.view.view();
            match (&target, &other) {
                (Document::Protocol(protocol), None) => view.check(protocol)?,
                (_, None) => view.check_composed()?,
                (_, Some(_)) => {}
            }
            match other {
                Some(other) => composition::compare(&shelf, &target, &interaction, &other),
                None => composition::sense(&shelf, &target, &interaction, view),
            }
        };
        read().map_or_else(Outcome::from, Outcome::Reading)
    }

    fn read(&self) -> Result<(Document, Shelf), Error> {
        let target = Document::read(&self.target)?.0;
        let mut shelf = Shelf::default();
        for source in &self.shelf {
            match Document::read(source)?.0 {
                Document::Protocol(protocol) => shelf.protocols.push(*protocol),
                Document::Metric(metric) => shelf.metrics.push(metric),
                Document::Blueprint(_) => {}
            }
        }
        Ok((target, shelf))
    }

    fn interactions(&self) -> Result<(Interaction, Option<Interaction>), Error> {
        let other = self.interaction_b.as_deref().map(Interaction::from_json).transpose()?;
        Ok((Interaction::from_json(&self.interaction)?, other))
    }
}

impl Catalog for Shelf {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        Ok(self.protocols.iter().filter(|protocol| protocol.id == id).cloned().collect())
    }

    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error> {
        Ok(self.metrics.iter().filter(|metric| metric.id == id).cloned().collect())
    }
}

/// A vector line without `expect`, for a case that a machine came upon.
///
/// # Panics
/// Never: a protocol, an interaction and a view can be written.
pub fn line(name: &str, protocol: &Protocol, interaction: &Interaction, view: View<'_>) -> String {
    written(&Line {
        name: Some(name.to_owned()),
        protocol: Some(raw(protocol.to_canonical_json())),
        interaction: Some(interaction_json(interaction)),
        view: Some(view_line(view)),
        ..Line::default()
    })
}

/// The same of a metric or blueprint: what it may name is defined in the lines before. With `other`, a comparison.
///
/// # Panics
/// Never: all of it can be written.
pub fn lines_of_composition(
    name: &str,
    shelf: &Shelf,
    target: &Document,
    [interaction, other]: [Option<&Interaction>; 2],
    view: View<'_>,
) -> String {
    let mut text = String::new();
    for protocol in &shelf.protocols {
        let define = Some(format!("{name}: {}@{}", protocol.id, protocol.version));
        let protocol = Some(raw(protocol.to_canonical_json()));
        text += &(written(&Line { define, protocol, ..Line::default() }) + "\n");
    }
    for metric in &shelf.metrics {
        let define = Some(format!("{name}: {}@{}", metric.id, metric.version));
        let metric = Some(raw(metric.to_canonical_json()));
        text += &(written(&Line { define, metric, ..Line::default() }) + "\n");
    }
    let mut line = Line {
        name: Some(name.to_owned()),
        interaction: interaction.map(interaction_json),
        interaction_b: other.map(interaction_json),
        view: Some(view_line(view)),
        ..Line::default()
    };
    match target {
        Document::Protocol(protocol) => line.protocol = Some(raw(protocol.to_canonical_json())),
        Document::Metric(metric) => line.metric = Some(raw(metric.to_canonical_json())),
        Document::Blueprint(blueprint) => line.blueprint = Some(raw(blueprint.to_canonical_json())),
    }
    text + &written(&line)
}

fn written(line: &Line) -> String {
    serde_json::to_string(line).expect("a line can be written")
}

fn raw(json: String) -> Box<RawValue> {
    RawValue::from_string(json).expect("JSON")
}

fn interaction_json(interaction: &Interaction) -> Box<RawValue> {
    let turns = interaction.turns().iter().map(|turn| {
        let role = turn.role.iter().map(|role| ("role", serde_json::Value::from(&**role)));
        let content = std::iter::once(("content", serde_json::Value::from(&*turn.content)));
        let number = |time: &Unit| serde_json::from_str(&time.to_string()).expect("a number");
        let time = turn.timestamp.iter().map(|time| ("timestamp", number(time)));
        role.chain(content).chain(time).collect::<BTreeMap<_, _>>()
    });
    let turns: Vec<BTreeMap<&str, serde_json::Value>> = turns.collect();
    let json = match interaction.modality() {
        Modality::Transcript => serde_json::to_string(&BTreeMap::from([("segments", turns)])),
        _ => serde_json::to_string(&turns[0]),
    };
    raw(json.expect("an interaction can be written"))
}

fn view_line(view: View<'_>) -> ViewLine {
    ViewLine {
        profile: Some(view.profile.as_str().to_owned()),
        offsets: view.offsets.map(|unit| unit.as_str().to_owned()),
        flow: view.flow.map(|flow| match flow.primary {
            None => FlowLine::Asked(true),
            Some(role) => FlowLine::Primary(role.to_owned()),
        }),
        temporal: view.temporal.map(|temporal| match temporal.window {
            None => TemporalLine::Asked(true),
            Some(window) => {
                TemporalLine::Window(serde_json::from_str(&window.to_string()).expect("a number"))
            }
        }),
    }
}

/// The vector files below the root of the repository, in the order of their names.
///
/// # Errors
/// Those of reading folders.
pub fn files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in FOLDERS {
        for entry in fs::read_dir(root.join(folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "jsonl") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// All vectors below the root of the repository.
///
/// # Errors
/// File, line and reason of the first thing that is no vector.
pub fn all(root: &Path) -> Result<Vec<Vector>, String> {
    let files = files(root).map_err(|error| error.to_string())?;
    let mut vectors = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        vectors.extend(read(&name, &text)?);
    }
    Ok(vectors)
}

/// The vectors of one file.
///
/// # Errors
/// As [`all`].
pub fn read(file: &str, text: &str) -> Result<Vec<Vector>, String> {
    let mut defined: BTreeMap<String, String> = BTreeMap::new();
    let mut shelf: Vec<String> = Vec::new();
    let mut vectors: Vec<Vector> = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = format!("{file}:{}", at + 1);
        let fail = |reason: String| format!("{place}: {reason}");
        let line: Line = serde_json::from_str(line).map_err(|error| fail(error.to_string()))?;
        let (written, is_protocol) = match (&line.protocol, &line.metric, &line.blueprint) {
            (Some(protocol), None, None) => (protocol, true),
            (None, Some(other), None) | (None, None, Some(other)) => (other, false),
            _ => return Err(fail("not one of `protocol`, `metric`, `blueprint`".into())),
        };
        let target = source(written);
        match (line.define, line.name, line.interaction) {
            (Some(name), None, None) => {
                shelf.push(target.clone());
                if defined.insert(name.clone(), target).is_some() {
                    return Err(fail(format!("`{name}` is defined twice")));
                }
            }
            (None, Some(name), Some(interaction)) => {
                if vectors.iter().any(|vector| vector.name == name) {
                    return Err(fail(format!("two vectors are called `{name}`")));
                }
                let target = match is_protocol && written.get().starts_with('"') {
                    true => defined
                        .get(&target)
                        .cloned()
                        .ok_or_else(|| fail(format!("no protocol `{target}` above")))?,
                    false => target,
                };
                let expect = match (line.expect, line.error) {
                    (None, None) => None,
                    (Some(reading), None) => Some(Outcome::Reading(reading)),
                    (None, Some(error)) => Some(Outcome::Error(error)),
                    _ => return Err(fail("both `expect` and `error`".into())),
                };
                let view = view(&line.view.unwrap_or_default()).map_err(fail)?;
                let interaction = source(&interaction);
                let interaction_b = line.interaction_b.as_deref().map(source);
                let shelf = if is_protocol { Vec::new() } else { shelf.clone() };
                vectors.push(Vector { place, name, target, shelf, interaction, interaction_b, view, expect });
            }
            _ => return Err(fail("neither `define` nor `name` with `interaction`".into())),
        }
    }
    Ok(vectors)
}

/// The text within a JSON string; any other value as it is written.
fn source(value: &RawValue) -> String {
    serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned())
}

fn view(line: &ViewLine) -> Result<Shown, String> {
    let profile = match &line.profile {
        None => Profile::Raw,
        Some(name) => Profile::from_name(name).ok_or_else(|| format!("no profile `{name}`"))?,
    };
    let offsets = match line.offsets.as_deref() {
        None => None,
        Some(name) => Some(OffsetUnit::from_name(name).ok_or_else(|| format!("no unit `{name}`"))?.as_str()),
    };
    let flow = match &line.flow {
        None | Some(FlowLine::Asked(false)) => None,
        Some(FlowLine::Asked(true)) => Some(None),
        Some(FlowLine::Primary(role)) => Some(Some(role.clone())),
    };
    let temporal = match &line.temporal {
        None | Some(TemporalLine::Asked(false)) => None,
        Some(TemporalLine::Asked(true)) => Some(None),
        Some(TemporalLine::Window(seconds)) => {
            let seconds = seconds.to_string();
            Some(Some(Unit::parse(&seconds).ok_or_else(|| format!("no window of `{seconds}`"))?))
        }
    };
    Ok(Shown { profile, offsets, flow, temporal })
}
