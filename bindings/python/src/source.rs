//! Where a protocol, metric or blueprint comes from: the catalogue, a file, its text, a dict; and what it may name.

use crate::failure::{Failure, Finding, Outcome, findings};
use crate::number::kind_of;
use crate::target::Target;
use crate::value::{self, text};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyString};
use sonometer::composition::compare_versions;
use sonometer::{Catalog, Document, Error, ErrorCode, Metric, Protocol, TargetKind};
use sonometer_catalog::{Entry, Shipped};
use std::borrow::Cow;

/// A text that should be a protocol, metric or blueprint.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) text: Cow<'static, str>,
    /// The folder of the file it stood in, if it did.
    folder: Option<String>,
}

impl Source {
    /// From the text itself.
    pub(crate) fn of_text(text: String) -> Self {
        Self { text: text.into(), folder: None }
    }

    /// From whatever names or is one; of the catalogue only what is of that `kind`, if one is asked for.
    pub(crate) fn find(value: &Bound<'_, PyAny>, kind: Option<TargetKind>) -> Outcome<Self> {
        if let Ok(name) = value.cast::<PyString>() {
            let name = text(name, "target")?;
            if is_text(name) {
                return Ok(Self::of_text(name.to_owned()));
            }
            if !is_path(name) {
                return Ok(Self { text: shipped(name, kind)?.source.into(), folder: None });
            }
            return Self::of_file(value);
        }
        if let Ok(target) = value.cast::<Target>() {
            return Ok(Self::of_text(target.get().document.clone()));
        }
        if value.is_instance_of::<PyDict>() || value.cast::<PyMapping>().is_ok() {
            return Ok(Self::of_text(value::json(value, "")?));
        }
        if value.hasattr("__fspath__")? {
            return Self::of_file(value);
        }
        let fix = "give the id of the catalogue, a path, the source text, or a dict";
        Err(Failure::wrong_type("target", format!("{} is no protocol", kind_of(value)), fix))
    }

    /// From a file, by Python's own `open`, so that what goes wrong is the `OSError` that people know.
    pub(crate) fn of_file(path: &Bound<'_, PyAny>) -> Outcome<Self> {
        let py = path.py();
        let file = py.import("io")?.call_method1("open", (path, "rb"))?;
        let bytes = file.call_method0("read");
        file.call_method0("close")?;
        let bytes = bytes?;
        let bytes = bytes.cast::<PyBytes>().map_err(PyErr::from)?;
        let text = std::str::from_utf8(bytes.as_bytes()).map_err(|error| {
            let message = format!("byte {} of the file is not UTF-8", error.valid_up_to());
            Failure::invalid(shown(path), message, "save it as UTF-8")
        })?;
        let os = py.import("os.path")?;
        let folder = os.call_method1("dirname", (os.call_method1("abspath", (path,))?,))?;
        Ok(Self { text: text.to_owned().into(), folder: folder.extract().ok() })
    }

    /// Reads it, whatever it is, with its warnings.
    pub(crate) fn document(&self) -> Outcome<(Document, Vec<Finding>)> {
        let read = Document::read(&self.text).map_err(|error| Failure::of_source(&self.text, error))?;
        Ok((read.0, findings(&self.text, &read.1)))
    }
}

fn shown(path: &Bound<'_, PyAny>) -> String {
    path.str().map_or_else(|_| String::new(), |path| path.to_string_lossy().into_owned())
}

/// Whether a str is a source rather than a name: it has more than one line, or is JSON.
fn is_text(name: &str) -> bool {
    name.contains('\n') || name.trim_start_matches(['\u{feff}', ' ', '\t']).starts_with('{')
}

fn is_path(name: &str) -> bool {
    let ends = |end: &&str| name.len() > end.len() && name.to_ascii_lowercase().ends_with(*end);
    name.contains(['/', '\\']) || [".yaml", ".yml", ".json"].iter().any(ends)
}

/// The entry of the catalogue for `id` or `id@version`.
pub(crate) fn shipped(name: &str, kind: Option<TargetKind>) -> Outcome<&'static Entry> {
    let (id, version) = match name.split_once('@') {
        Some((id, version)) => (id, Some(version)),
        None => (name, None),
    };
    let kinds = [TargetKind::Protocol, TargetKind::Metric, TargetKind::Blueprint];
    let asked = |of: &TargetKind| kind.is_none_or(|kind| kind == *of);
    let find = |of: TargetKind| match of {
        TargetKind::Protocol => sonometer_catalog::find(id, version),
        TargetKind::Metric => sonometer_catalog::find_metric(id, version),
        TargetKind::Blueprint => sonometer_catalog::find_blueprint(id, version),
    };
    if let Some(entry) = kinds.into_iter().filter(asked).find_map(find) {
        return Ok(entry);
    }
    let what = kind.map_or("protocol, metric or blueprint", TargetKind::as_str);
    let fix = match kinds.into_iter().find(|of| find(*of).is_some()) {
        Some(other) => format!("it is a {}; use sonometer.{}", other.as_str(), class_of(other)),
        None => {
            let all = kinds.into_iter().filter(asked).flat_map(entries);
            let same: Vec<&Entry> = all.clone().filter(|entry| entry.id == id).collect();
            let there = if same.is_empty() { all.collect() } else { same };
            let there: Vec<String> =
                there.iter().map(|entry| format!("{}@{}", entry.id, entry.version)).collect();
            format!("there is {}; a path ends in .yaml, .yml or .json", there.join(", "))
        }
    };
    Err(Error::new(
        ErrorCode::TargetNotFound,
        "target",
        format!("the catalogue has no {what} `{name}`; {fix}"),
    )
    .into())
}

pub(crate) fn entries(kind: TargetKind) -> &'static [Entry] {
    match kind {
        TargetKind::Protocol => sonometer_catalog::protocols(),
        TargetKind::Metric => sonometer_catalog::metrics(),
        TargetKind::Blueprint => sonometer_catalog::blueprints(),
    }
}

/// The name of the Python class for a kind.
pub(crate) fn class_of(kind: TargetKind) -> &'static str {
    match kind {
        TargetKind::Protocol => "Sensor",
        TargetKind::Metric => "Metric",
        TargetKind::Blueprint => "Blueprint",
    }
}

/// What a metric or blueprint may name: what was given or stands beside its file, then what ships.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    protocols: Vec<Protocol>,
    metrics: Vec<Metric>,
    /// Whether what ships is on it too.
    shipped: bool,
}

impl Shelf {
    /// `given`: an iterable of anything that [`Source::find`] takes, or of folders; without it, the folder of the file.
    pub(crate) fn of(given: Option<&Bound<'_, PyAny>>, source: &Source, shipped: bool) -> Outcome<Self> {
        let mut shelf = Self { shipped, ..Self::default() };
        let Some(given) = given else {
            if let Some(folder) = &source.folder {
                shelf.add_folder(folder);
            }
            return Ok(shelf);
        };
        if given.is_instance_of::<PyString>() || given.cast::<PyMapping>().is_ok() {
            let message = format!("the shelf is {}", kind_of(given));
            return Err(Failure::wrong_type("shelf", message, "give a list of what the file may name"));
        }
        let is_folder = given.py().import("os.path")?.getattr("isdir")?;
        for (at, item) in given.try_iter()?.enumerate() {
            let item = item?;
            let place = format!("shelf[{at}]");
            let is_name = item.cast::<PyString>().is_ok_and(|name| name.to_str().is_ok_and(is_path));
            if (is_name || item.hasattr("__fspath__")?) && is_folder.call1((&item,))?.is_truthy()? {
                let folder = item.py().import("os")?.call_method1("fspath", (&item,))?;
                shelf.add_folder(&folder.extract::<String>()?);
                continue;
            }
            if let Ok(target) = item.cast::<Target>() {
                for source in &target.get().shelf {
                    shelf.add(Source::of_text(source.clone()).document()?.0);
                }
            }
            let read = Source::find(&item, None).and_then(|source| source.document());
            shelf.add(read.map_err(|failure| failure.within(&place))?.0);
        }
        Ok(shelf)
    }

    fn add(&mut self, document: Document) {
        match document {
            Document::Protocol(protocol) => self.protocols.push(*protocol),
            Document::Metric(metric) => self.metrics.push(metric),
            // Nothing names a blueprint.
            Document::Blueprint(_) => {}
        }
    }

    /// The protocols and metrics of a folder. Other files that happen to lie there are none of its business.
    fn add_folder(&mut self, folder: &str) {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
        files.retain(|file| {
            file.to_str().is_some_and(is_path) && file.extension().is_some() && file.is_file()
        });
        files.sort();
        for file in files {
            let Ok(text) = std::fs::read_to_string(file) else { continue };
            if let Ok((document, _)) = Document::read(&text) {
                self.add(document);
            }
        }
    }
}

impl Catalog for Shelf {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        let own = self.protocols.iter().filter(|protocol| protocol.id == id).cloned().collect();
        let shipped = if self.shipped { Shipped.protocols(id)? } else { Vec::new() };
        Ok(beside(own, shipped, |protocol| &protocol.version))
    }

    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error> {
        let own = self.metrics.iter().filter(|metric| metric.id == id).cloned().collect();
        let shipped = if self.shipped { Shipped.metrics(id)? } else { Vec::new() };
        Ok(beside(own, shipped, |metric| &metric.version))
    }
}

/// One's own, and of what ships the versions that one has not.
fn beside<T>(mut own: Vec<T>, shipped: Vec<T>, version: impl Fn(&T) -> &String) -> Vec<T> {
    for other in shipped {
        if own.iter().all(|own| version(own) != version(&other)) {
            own.push(other);
        }
    }
    own.sort_by(|a, b| compare_versions(version(a), version(b)));
    own
}
