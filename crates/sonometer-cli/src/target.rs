//! What to measure: a protocol, metric or blueprint of the catalogue, or a file.

use crate::failure::Failure;
use crate::file;
use sonometer::protocol::NoFile;
use sonometer::{Diagnostics, Document, Error, ErrorCode, Instrument, Protocol, Sensor, TargetKind};
use sonometer_catalog::{Entry, NotFound, Shelf, find_any, is_named_like_one, list_file};
use sonometer_evaluate::ProtocolFile;
pub(crate) use sonometer_report::reference;
use std::borrow::Cow;
use std::path::Path;

/// The text of a protocol, with the name it is shown by.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The path of the file, or `id@version` of the catalogue.
    pub(crate) name: String,
    /// The protocol file.
    pub(crate) text: Cow<'static, str>,
}

impl Source {
    /// Finds a target: a file if it is named like one, else a protocol, metric or blueprint of the catalogue.
    pub(crate) fn find(target: &str) -> Result<Self, Failure> {
        if !is_path(target) {
            return find_any(target, &TargetKind::ALL).map(Self::of).map_err(not_found);
        }
        let bytes = file::bytes(target, file::PROTOCOL)?;
        let text = file::utf8(target, &bytes, 0)?.to_owned();
        Ok(Self { name: target.to_owned(), text: text.into() })
    }

    /// Whether a name is that of a protocol file, or of something in the catalogue.
    pub(crate) fn is_protocol(name: &str) -> bool {
        is_named_like_one(Path::new(name))
            || !Path::new(name).exists() && find_any(name, &TargetKind::ALL).is_ok()
    }

    pub(crate) fn of(entry: &Entry) -> Self {
        Self { name: format!("{}@{}", entry.id, entry.version), text: entry.source.into() }
    }

    /// The protocol, with the warnings about it.
    pub(crate) fn read(&self) -> Result<(Protocol, Diagnostics), Failure> {
        Protocol::read_with(&self.text, &|path| self.list_file(path))
            .map_err(|error| Failure::protocol(self.clone(), error.diagnostics))
    }

    /// The protocol, metric or blueprint, with the warnings about it.
    pub(crate) fn document(&self) -> Result<(Document, Diagnostics), Failure> {
        Document::read_with(&self.text, &|path| self.list_file(path))
            .map_err(|error| Failure::protocol(self.clone(), error.diagnostics))
    }

    /// The text of a list file that it names: beside the file, or of the catalogue.
    pub(crate) fn list_file(&self, path: &str) -> Result<Cow<'static, str>, NoFile> {
        match Path::new(&self.name).parent().filter(|_| is_path(&self.name)) {
            Some(folder) => list_file(folder, path),
            None => match find_any(&self.name, &TargetKind::ALL) {
                Ok(entry) => entry.list_file(path),
                Err(_) => Err(NoFile::missing("give the protocol as a file, with it in the same folder")),
            },
        }
    }

    /// Whatever it is, made ready. What a file names is looked for beside it, then in the catalogue.
    pub(crate) fn instrument(&self) -> Result<Instrument, Failure> {
        let document = self.document()?.0;
        self.compose(document).map_err(|error| Failure::engine(&self.name, &error))
    }

    /// Makes ready what was read from this source. Of the files beside it those are read that it names, so for a protocol none.
    pub(crate) fn compose(&self, document: Document) -> Result<Instrument, Error> {
        Instrument::new(document, &self.beside())
    }

    /// The files beside it, then what ships: where a metric or blueprint finds what it names.
    pub(crate) fn beside(&self) -> Shelf {
        let mut shelf = Shelf::default();
        match Path::new(&self.name).parent().filter(|_| is_path(&self.name)) {
            Some(here) if here.as_os_str().is_empty() => shelf.add_folder(Path::new(".")),
            Some(folder) => shelf.add_folder(folder),
            None => {}
        }
        shelf
    }

    /// The instrument of a protocol, for a verb that measures by nothing else.
    pub(crate) fn sensor(&self, fix: &str) -> Result<Sensor, Failure> {
        match self.document()?.0 {
            Document::Protocol(protocol) => {
                Sensor::new(*protocol).map_err(|error| Failure::engine(&self.name, &error))
            }
            other => {
                let kind = other.kind().as_str();
                Err(Failure::unusable(format!("{}: a {kind} is no protocol; {fix}", self.name)))
            }
        }
    }
}

/// The entry of the catalogue for a protocol, as `id` or `id@version`.
pub(crate) fn shipped(target: &str) -> Result<&'static Entry, Failure> {
    if is_path(target) {
        let fix = "`sonometer check` and `sonometer test` read files";
        let message = format!("`{target}` is a file, and the catalogue has what ships; {fix}");
        return Err(Failure::told(ErrorCode::TargetNotFound, message));
    }
    find_any(target, &[TargetKind::Protocol]).map_err(not_found)
}

fn not_found(none: NotFound<'_>) -> Failure {
    let path = Path::new(none.id);
    let message = if path.is_dir() {
        format!("unknown protocol `{0}`; `{0}` is a folder, name a protocol file in it", none.id)
    } else if path.is_file() {
        let fix = "its name must end in .yaml, .yml or .json";
        format!("unknown protocol `{0}`; if the file `{0}` is meant, {fix}", none.id)
    } else if none.versions.is_empty() && none.suggestion().is_none() {
        let fix = "`sonometer protocols` lists the built-in ones; the name of a protocol file ends in .yaml, .yml or .json";
        format!("unknown protocol `{}`; {fix}", none.id)
    } else {
        none.to_string()
    };
    Failure::told(ErrorCode::TargetNotFound, message)
}

pub(crate) fn is_path(target: &str) -> bool {
    is_named_like_one(Path::new(target)) || target.contains(['/', '\\']) || [".", ".."].contains(&target)
}

impl From<ProtocolFile> for Source {
    fn from(file: ProtocolFile) -> Self {
        Self { name: file.name, text: file.text }
    }
}

impl From<Source> for ProtocolFile {
    fn from(source: Source) -> Self {
        let protocol = source.read().ok().map(|(protocol, _)| protocol);
        let files = protocol.iter().flat_map(|protocol| &protocol.list_files);
        let list_files = files.map(|file| (file.path.clone(), file.phrases.text().to_owned())).collect();
        Self { name: source.name, text: source.text, list_files }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_files_from_ids() {
        for path in ["a.yaml", "a.YML", "a.json", "./a", "b/a.yaml"] {
            assert!(is_path(path), "{path}");
        }
        for id in ["courtesy", "courtesy@1.0", "a.txt"] {
            assert!(!is_path(id), "{id}");
        }
    }
}
