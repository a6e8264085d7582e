//! What to measure: a protocol of the catalogue, or a file.

use crate::failure::Failure;
use crate::{file, near};
use sonometer::{Diagnostics, ErrorCode, Protocol, Sensor};
use sonometer_catalog::Entry;
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
    /// Finds a target: a file if it is named like one, else a protocol of the catalogue.
    pub(crate) fn find(target: &str) -> Result<Self, Failure> {
        if !is_path(target) {
            return shipped(target).map(Self::of);
        }
        let bytes = file::bytes(target)?;
        let text = file::utf8(target, &bytes, 0)?.to_owned();
        if text.trim().is_empty() {
            return Err(Failure::unusable(format!("{target}: the file is empty; write a protocol into it")));
        }
        Ok(Self { name: target.to_owned(), text: text.into() })
    }

    fn of(entry: &Entry) -> Self {
        Self { name: format!("{}@{}", entry.id, entry.version), text: entry.source.into() }
    }

    /// The protocol, with the warnings about it.
    pub(crate) fn read(&self) -> Result<(Protocol, Diagnostics), Failure> {
        Protocol::read(&self.text).map_err(|error| Failure::protocol(self.clone(), error.diagnostics))
    }

    /// The instrument.
    pub(crate) fn sensor(&self) -> Result<Sensor, Failure> {
        let (protocol, _) = self.read()?;
        Sensor::new(protocol).map_err(|error| Failure::engine(&self.name, &error))
    }
}

/// The entry of the catalogue for `id` or `id@version`.
pub(crate) fn shipped(target: &str) -> Result<&'static Entry, Failure> {
    let (id, version) = match target.split_once('@') {
        Some((id, version)) => (id, Some(version)),
        None => (target, None),
    };
    sonometer_catalog::find(id, version).ok_or_else(|| not_found(id, version))
}

fn not_found(id: &str, version: Option<&str>) -> Failure {
    let there: Vec<&str> = sonometer_catalog::versions(id).iter().map(|entry| entry.version).collect();
    let message = match (version, there.is_empty()) {
        (Some(version), false) => {
            format!("`{id}` has no version `{version}`; there is {}", there.join(", "))
        }
        (None, false) => {
            format!("`{id}` has no published version; ask for a draft by name, as `{id}@{}`", there[0])
        }
        (_, true) => {
            let ids = sonometer_catalog::protocols().iter().map(|entry| entry.id);
            let fix = match near::near(id, ids)[..] {
                [] => "`sonometer protocols` lists those that ship; a protocol file ends in .yaml, .yml or .json".into(),
                ref near => format!("did you mean `{}`?", near.join("` or `")),
            };
            format!("no protocol `{id}`; {fix}")
        }
    };
    Failure::told(ErrorCode::TargetNotFound, message)
}

fn is_path(target: &str) -> bool {
    let extension = Path::new(target).extension().and_then(|extension| extension.to_str());
    let known = extension.is_some_and(|e| ["yaml", "yml", "json"].iter().any(|k| e.eq_ignore_ascii_case(k)));
    known || target.contains(['/', '\\'])
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
