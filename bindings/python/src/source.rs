//! Where a protocol, metric or blueprint comes from: the catalogue, a file, its text, a dict; and what it may name.

use crate::argument;
use crate::failure::{Failure, Finding, Outcome, findings};
use crate::number::kind_of;
use crate::stage::Stage;
use crate::target::Target;
use crate::value::{self, text};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyString};
use sonometer::diagnostic::excerpt;
use sonometer::document::MAX_SOURCE_BYTES;
use sonometer::protocol::NoFile;
use sonometer::{Document, Error, ErrorCode, Protocol, TargetKind};
use sonometer_catalog::{Entry, Shelf, find_any, is_named_like_one, list_file, stage_named};
use std::borrow::Cow;
use std::path::Path;

/// A text that should be a protocol, metric or blueprint.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) text: Cow<'static, str>,
    /// The folder of the file it stood in, if it did.
    folder: Option<String>,
    /// The texts of the list files that it names, by their paths; what is not there is looked for in the folder.
    files: Vec<(String, String)>,
    /// The sources of what it names, of a target or a stage that is ready.
    parts: Vec<String>,
}

impl Source {
    /// From the text itself.
    pub(crate) fn of_text(text: String) -> Self {
        Self { text: text.into(), folder: None, files: Vec::new(), parts: Vec::new() }
    }

    /// The same with the texts of its list files.
    pub(crate) fn with_files(self, files: Vec<(String, String)>) -> Self {
        Self { files, ..self }
    }

    /// The same with the sources of what it names.
    pub(crate) fn with_parts(self, parts: Vec<String>) -> Self {
        Self { parts, ..self }
    }

    /// A version that ships.
    pub(crate) fn of_entry(entry: &Entry) -> Self {
        let files = entry.list_files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        Self { text: entry.source.into(), folder: None, files: files.collect(), parts: Vec::new() }
    }

    /// The text of a list file that it names.
    fn list_file(&self, path: &str) -> Result<Cow<'_, str>, NoFile> {
        if let Some((_, text)) = self.files.iter().find(|(known, _)| known == path) {
            return Ok(text.into());
        }
        match &self.folder {
            Some(folder) => list_file(Path::new(folder), path),
            None => Err(NoFile::missing(format!(
                "pass its text: `files={{\"{path}\": …}}`, or use `Sensor.from_file`"
            ))),
        }
    }

    /// From whatever names or is one; of the catalogue only what is of that `kind`, if one is asked for.
    pub(crate) fn find(value: &Bound<'_, PyAny>, kind: Option<TargetKind>) -> Outcome<Self> {
        if let Ok(name) = value.cast::<PyString>() {
            let name = text(name, "target")?;
            if is_text(name) {
                return Ok(Self::of_text(name.to_owned()));
            }
            if !is_path(name) {
                return Ok(Self::of_entry(shipped(name, kind)?));
            }
            return Self::of_file(value);
        }
        if let Ok(target) = value.cast::<Target>() {
            let target = target.get();
            let source = Self::of_text(target.document.clone()).with_files(target.files());
            return Ok(source.with_parts(target.shelf.clone()));
        }
        if value.is_instance_of::<PyDict>() || value.cast::<PyMapping>().is_ok() {
            return Ok(Self::of_text(value::json(value, "")?));
        }
        if value.hasattr("__fspath__")? {
            return Self::of_file(value);
        }
        let what = kind.map_or("protocol, metric or blueprint", TargetKind::as_str);
        let message = format!("{} is not a {what}", kind_of(value));
        Err(Failure::wrong_type(
            "target",
            message,
            "give the id of the catalogue, a path, the source text, or a dict",
        ))
    }

    /// The source of a stage, from whatever names or is one.
    pub(crate) fn of_stage(value: &Bound<'_, PyAny>) -> Outcome<Self> {
        if let Ok(name) = value.cast::<PyString>() {
            let name = text(name, "stage")?;
            if !is_text(name) && !is_path(name) {
                return Ok(Self::of_text(stage_named(name).map_err(Error::from)?.source.to_owned()));
            }
        } else if let Ok(stage) = value.cast::<Stage>() {
            let stage = stage.get();
            let source = Self::of_text(stage.canonical()).with_files(stage.files());
            return Ok(source.with_parts(stage.shelf.clone()));
        }
        Self::find(value, None).map_err(|failure| match failure {
            // It is found in the same ways; what is said of it names a stage.
            Failure::Told(told) if told.wrong_type && told.error.place == "target" => {
                let fix = "give the id of the catalogue, a path, the source text, or a dict";
                Failure::wrong_type("stage", format!("{} is not a stage", kind_of(value)), fix)
            }
            other => other,
        })
    }

    /// From a file, by Python's own `open`, so that what goes wrong is the `OSError` that people know.
    pub(crate) fn of_file(path: &Bound<'_, PyAny>) -> Outcome<Self> {
        let py = path.py();
        // A number would be the file of that descriptor.
        if !(path.is_instance_of::<PyString>()
            || path.is_instance_of::<PyBytes>()
            || path.hasattr("__fspath__")?)
        {
            return Err(Failure::wrong_type("path", format!("`path` is {}", kind_of(path)), "give a path"));
        }
        let file = py.import("io")?.call_method1("open", (path, "rb"))?;
        // One byte more than allowed, to notice a file that is too large: some have no end.
        let bytes = file.call_method1("read", (MAX_SOURCE_BYTES + 1,));
        file.call_method0("close")?;
        let bytes = bytes?;
        let bytes = bytes.cast::<PyBytes>().map_err(PyErr::from)?;
        if bytes.as_bytes().len() > MAX_SOURCE_BYTES {
            let message = format!("the file is larger than {} MiB, the limit", MAX_SOURCE_BYTES >> 20);
            return Err(Error::new(ErrorCode::PayloadTooLarge, shown(path), message).into());
        }
        let text = std::str::from_utf8(bytes.as_bytes()).map_err(|error| {
            let message = format!("byte {} of the file is not UTF-8", error.valid_up_to());
            Failure::invalid(shown(path), message, "save it as UTF-8")
        })?;
        let os = py.import("os.path")?;
        let folder = os.call_method1("dirname", (os.call_method1("abspath", (path,))?,))?;
        Ok(Self { folder: folder.extract().ok(), ..Self::of_text(text.to_owned()) })
    }

    /// Adds what it names to a shelf, where it is a target or a stage that is ready.
    pub(crate) fn put_parts_on(&self, shelf: &mut Shelf) -> Outcome<()> {
        for part in &self.parts {
            shelf.add(Self::of_text(part.clone()).with_files(self.files.clone()).document()?.0);
        }
        Ok(())
    }

    /// The list files of the protocol that it is, by their paths.
    pub(crate) fn list_files(&self) -> Outcome<Vec<(String, String)>> {
        Ok(match self.document()?.0 {
            Document::Protocol(protocol) => files_of(&protocol).collect(),
            Document::Metric(_) | Document::Blueprint(_) => Vec::new(),
        })
    }

    /// Reads it, whatever it is, with its warnings.
    pub(crate) fn document(&self) -> Outcome<(Document, Vec<Finding>)> {
        let read = Document::read_with(&self.text, &|path| self.list_file(path))
            .map_err(|error| Failure::of_source(&self.text, error))?;
        Ok((read.0, findings(&self.text, &read.1)))
    }
}

/// The list files of a protocol, by their paths.
pub(crate) fn files_of(protocol: &Protocol) -> impl Iterator<Item = (String, String)> {
    protocol.list_files.iter().map(|file| (file.path.clone(), file.phrases.text().to_owned()))
}

fn shown(path: &Bound<'_, PyAny>) -> String {
    path.str().map_or_else(|_| String::new(), |path| path.to_string_lossy().into_owned())
}

/// Whether a str is a source rather than a name: it has more than one line, or is JSON.
fn is_text(name: &str) -> bool {
    name.contains('\n') || name.trim_start_matches(['\u{feff}', ' ', '\t']).starts_with('{')
}

fn is_path(name: &str) -> bool {
    name.contains(['/', '\\']) || is_named_like_one(Path::new(name))
}

/// The entry of the catalogue for `id` or `id@version`.
fn shipped(name: &str, kind: Option<TargetKind>) -> Outcome<&'static Entry> {
    let kinds = kind.as_ref().map_or(TargetKind::ALL.as_slice(), std::slice::from_ref);
    let none = match find_any(name, kinds) {
        Ok(entry) => return Ok(entry),
        Err(none) => none,
    };
    let is_of = |kind: &TargetKind| find_any(name, std::slice::from_ref(kind)).is_ok();
    let elsewhere = match TargetKind::ALL.into_iter().find(is_of) {
        Some(other) => Some(format!("it is a {}; use sonometer.{}", other.as_str(), class_of(other))),
        None => stage_named(name).is_ok().then(|| "it is a stage; use sonometer.Stage".to_owned()),
    };
    let message = match elsewhere {
        Some(other_class) => format!("the catalogue has no {} `{}`; {other_class}", none.what, excerpt(name)),
        None if none.versions.is_empty() && none.suggestion().is_none() => {
            format!("{none}; a path ends in .yaml, .yml or .json")
        }
        None => none.to_string(),
    };
    Err(Error::new(ErrorCode::TargetNotFound, "target", message).into())
}

/// The name of the Python class for a kind.
pub(crate) fn class_of(kind: TargetKind) -> &'static str {
    match kind {
        TargetKind::Protocol => "Sensor",
        TargetKind::Metric => "Metric",
        TargetKind::Blueprint => "Blueprint",
    }
}

/// What a metric or blueprint may name: what was given, or is in the folder of its file, then what ships. `given`: an iterable of
/// anything that [`Source::find`] takes, or of folders; without it, the folder of the file.
pub(crate) fn shelf(given: Option<&Bound<'_, PyAny>>, source: &Source, ships: bool) -> Outcome<Shelf> {
    let mut shelf = if ships { Shelf::default() } else { Shelf::alone() };
    let Some(given) = given else {
        if let Some(folder) = &source.folder {
            shelf.add_folder(Path::new(folder));
        }
        source.put_parts_on(&mut shelf)?;
        return Ok(shelf);
    };
    if given.is_instance_of::<PyString>() || given.cast::<PyMapping>().is_ok() {
        let message = format!("the shelf is {}", kind_of(given));
        return Err(Failure::wrong_type(
            "shelf",
            message,
            "give a list of the sources that the file may name",
        ));
    }
    let is_folder = given.py().import("os.path")?.getattr("isdir")?;
    let fix = "give a list of the sources that the file may name";
    for (at, item) in argument::items(given, "shelf", fix)?.enumerate() {
        let item = item?;
        let place = format!("shelf[{at}]");
        let is_name = item.cast::<PyString>().is_ok_and(|name| name.to_str().is_ok_and(is_path));
        if (is_name || item.hasattr("__fspath__")?) && is_folder.call1((&item,))?.is_truthy()? {
            let folder = item.py().import("os")?.call_method1("fspath", (&item,))?;
            shelf.add_folder(Path::new(&folder.extract::<String>()?));
            continue;
        }
        let read = Source::find(&item, None).and_then(|found| {
            found.put_parts_on(&mut shelf)?;
            match found.files.is_empty() {
                true => found.with_files(source.files.clone()).document(),
                false => found.document(),
            }
        });
        shelf.add(read.map_err(|failure| failure.instead_of("target", &place))?.0);
    }
    Ok(shelf)
}
