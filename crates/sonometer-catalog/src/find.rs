//! Finding what ships by what people write: `courtesy`, `courtesy@1.0`.

use crate::{Entry, Shelf, entries, stages, versions_in};
use sonometer::diagnostic::excerpt;
use sonometer::document::suggest;
use sonometer::protocol::Status;
use sonometer::stage::Stage;
use sonometer::{Diagnostics, Document, Error, ErrorCode, Instrument, TargetKind};
use std::fmt;

/// The protocol, metric or blueprint that ships as `id` or `id@version`, made ready: without a version, the latest that is published
/// (of metrics and blueprints, active).
///
/// ```
/// use sonometer::Interaction;
///
/// let courtesy = sonometer_catalog::shipped("courtesy")?;
/// let reading = courtesy.sense(&Interaction::text("Thank you so much for your help.")?)?;
/// assert!(reading.score().is_some());
/// # Ok::<(), sonometer::Error>(())
/// ```
///
/// # Errors
/// `target_not_found` with what there is instead.
pub fn shipped(name: &str) -> Result<Instrument, Error> {
    let (_, document, _) = find_document(name, &TargetKind::ALL)?;
    Instrument::new(document, &Shelf::default())
}

/// What [`find_any`] finds, read, with the warnings about it.
///
/// # Errors
/// What there is instead.
pub fn find_document<'n>(
    name: &'n str,
    kinds: &[TargetKind],
) -> Result<(&'static Entry, Document, Diagnostics), NotFound<'n>> {
    let (id, version) = split(name);
    let found = kinds.iter().find_map(|kind| read_of(*kind, id, version));
    found.ok_or_else(|| NotFound::of(kinds, name))
}

/// Id and version of `id` or `id@version`.
pub fn split(name: &str) -> (&str, Option<&str>) {
    name.split_once('@').map_or((name, None), |(id, version)| (id, Some(version)))
}

/// What ships as `id` or `id@version` and is of one of `kinds` ([`TargetKind::ALL`] for any): without a version, the latest
/// that is published (of metrics and blueprints, active).
///
/// # Errors
/// What there is instead.
pub fn find_any<'n>(name: &'n str, kinds: &[TargetKind]) -> Result<&'static Entry, NotFound<'n>> {
    let (id, version) = split(name);
    let found = kinds.iter().find_map(|kind| find_of(*kind, id, version));
    found.ok_or_else(|| NotFound::of(kinds, name))
}

/// The version of a protocol asked for; without one, the latest that is published.
pub fn find(id: &str, version: Option<&str>) -> Option<&'static Entry> {
    find_of(TargetKind::Protocol, id, version)
}

/// The version of a metric asked for; without one, the latest that is active.
pub fn find_metric(id: &str, version: Option<&str>) -> Option<&'static Entry> {
    find_of(TargetKind::Metric, id, version)
}

/// The version of a blueprint asked for; without one, the latest that is active.
pub fn find_blueprint(id: &str, version: Option<&str>) -> Option<&'static Entry> {
    find_of(TargetKind::Blueprint, id, version)
}

/// The version of a stage asked for; without one, the latest that is published, or else the latest: whoever plays one by name
/// wants to play.
pub fn find_stage(id: &str, version: Option<&str>) -> Option<&'static Entry> {
    let is_published =
        |entry: &&Entry| Stage::read(entry.source).is_ok_and(|(stage, _)| stage.status == Status::Published);
    let mut newest_first = versions_in(stages(), id).iter().rev();
    match version {
        Some(version) => newest_first.find(|entry| entry.version == version),
        None => newest_first.clone().find(is_published).or_else(|| newest_first.next()),
    }
}

/// The stage that ships as `id` or `id@version`, as [`find_stage`].
///
/// # Errors
/// What there is instead.
pub fn stage_named(name: &str) -> Result<&'static Entry, NotFound<'_>> {
    let (id, version) = split(name);
    find_stage(id, version).ok_or_else(|| NotFound::among(vec![stages()], "stage".to_owned(), name))
}

fn find_of(kind: TargetKind, id: &str, version: Option<&str>) -> Option<&'static Entry> {
    let mut newest_first = versions_in(entries(kind), id).iter().rev();
    newest_first.find(|entry| match version {
        Some(version) => entry.version == version,
        None => says_current(entry.source),
    })
}

/// Whether a file that ships says that it is in use. Looked up and not read, which costs milliseconds a file; a test compares both.
fn says_current(source: &str) -> bool {
    let status = source.lines().find_map(|line| line.strip_prefix("status:"));
    status.is_some_and(|status| matches!(status.trim(), "published" | "active"))
}

/// A version that ships, read; without one, the newest that is current.
fn read_of(
    kind: TargetKind,
    id: &str,
    version: Option<&str>,
) -> Option<(&'static Entry, Document, Diagnostics)> {
    let entry = find_of(kind, id, version)?;
    let (document, warnings) = entry.document().ok()?;
    Some((entry, document, warnings))
}

/// That nothing ships under a name. As text it says what does: the versions of that id, the id that was probably meant,
/// or all ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFound<'n> {
    /// The id that was asked for.
    pub id: &'n str,
    /// The version that was asked for.
    pub version: Option<&'n str>,
    /// What was looked for, such as `metric or blueprint`.
    pub what: String,
    /// What was looked through.
    pub among: Vec<&'static [Entry]>,
    /// The versions there are of that id, from the oldest to the newest.
    pub versions: Vec<&'static Entry>,
}

impl<'n> NotFound<'n> {
    fn of(kinds: &[TargetKind], name: &'n str) -> Self {
        let among = kinds.iter().map(|kind| entries(*kind)).collect();
        Self::among(among, one_of(kinds.iter().map(|kind| kind.as_str())), name)
    }

    fn among(among: Vec<&'static [Entry]>, what: String, name: &'n str) -> Self {
        let (id, version) = split(name);
        let versions = among.iter().flat_map(|entries| versions_in(entries, id)).collect();
        Self { id, version, what, among, versions }
    }
    /// The id that was probably meant; `None` if none is like it, or the id is right and the version is not.
    pub fn suggestion(&self) -> Option<&'static str> {
        if self.versions.is_empty() { suggest(self.id, &self.ids()) } else { None }
    }

    /// The ids that there are.
    fn ids(&self) -> Vec<&'static str> {
        let mut ids: Vec<&str> = self.among.iter().copied().flatten().map(|entry| entry.id).collect();
        ids.dedup();
        ids
    }
}

impl From<NotFound<'_>> for Error {
    fn from(none: NotFound<'_>) -> Self {
        let place = if none.what == "stage" { "stage" } else { "target" };
        Self::new(ErrorCode::TargetNotFound, place, none.to_string())
    }
}

impl fmt::Display for NotFound<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (id, what) = (excerpt(self.id), &self.what);
        match (self.versions.last(), self.version) {
            (None, _) => match self.suggestion() {
                Some(near) => write!(f, "the catalogue has no {what} `{id}`; did you mean `{near}`?"),
                None => write!(f, "the catalogue has no {what} `{id}`; there is {}", self.ids().join(", ")),
            },
            (Some(_), Some(version)) => {
                let there: Vec<&str> = self.versions.iter().map(|entry| entry.version).collect();
                write!(f, "`{id}` has no version `{}`; there is {}", excerpt(version), there.join(", "))
            }
            (Some(Entry { version, .. }), None) => {
                write!(f, "`{id}` has no published version; ask for a draft by name, as `{id}@{version}`")
            }
        }
    }
}

/// `a`, `a or b`, `a, b or c`
fn one_of<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut names: Vec<&str> = names.collect();
    match (names.pop(), names.is_empty()) {
        (Some(last), false) => format!("{} or {last}", names.join(", ")),
        (last, _) => last.unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_latest_published_version_or_the_one_asked_for() {
        assert_eq!(find("courtesy", None).map(|entry| entry.version), Some("2.0"));
        assert_eq!(find("courtesy", Some("2.0")), find("courtesy", None));
        assert_eq!(find("courtesy", Some("1.0")).map(|entry| entry.version), Some("1.0"));
        assert_eq!(find("courtesy", Some("9.9")), None);
        assert_eq!(find("cour", None), None);
    }

    #[test]
    fn what_is_current_is_what_the_files_say_when_they_are_read() {
        for entry in TargetKind::ALL.iter().flat_map(|kind| entries(*kind)) {
            let (document, _) = entry.document().expect(entry.id);
            assert_eq!(says_current(entry.source), document.is_current(), "{} {}", entry.id, entry.version);
        }
    }

    #[test]
    fn a_draft_is_found_by_its_version_only() {
        assert_eq!(find("next-steps", None), None);
        assert_eq!(find("next-steps", Some("0.1")).map(|entry| entry.id), Some("next-steps"));
    }

    #[test]
    fn a_stage_that_does_not_ship_is_told_with_the_one_that_was_meant() {
        for (name, message) in [
            (
                "billing-disput",
                "the catalogue has no stage `billing-disput`; did you mean `billing-dispute`?",
            ),
            ("billing-dispute@9", "`billing-dispute` has no version `9`; there is 1.0"),
            (
                "door",
                "the catalogue has no stage `door`; there is agent-phishing, billing-dispute, drinking-less",
            ),
        ] {
            let error = Error::from(stage_named(name).expect_err(name));
            assert_eq!((error.place.as_str(), error.message.as_str()), ("stage", message));
        }
    }

    #[test]
    fn what_does_not_ship_is_told_with_what_does() {
        let told = |name, kinds: &[TargetKind]| find_any(name, kinds).expect_err(name).to_string();
        for (name, message) in [
            ("courtesy@9", "`courtesy` has no version `9`; there is 1.0, 1.5, 2.0"),
            (
                "next-steps",
                "`next-steps` has no published version; ask for a draft by name, as `next-steps@0.1`",
            ),
            ("reply-quality@2", "`reply-quality` has no version `2`; there is 1.0"),
        ] {
            assert_eq!(told(name, &TargetKind::ALL), message);
        }
        let meant = "the catalogue has no protocol, metric or blueprint `curtesy`; did you mean `courtesy`?";
        assert_eq!(told("curtesy", &TargetKind::ALL), meant);
        let none = told("zebra", &TargetKind::ALL);
        let start = "the catalogue has no protocol, metric or blueprint `zebra`; there is abuse, abuse-de, ";
        assert!(none.starts_with(start) && none.ends_with(", respectful-debate, service-call"), "{none}");
        assert_eq!(
            told("courtesy", &[TargetKind::Metric, TargetKind::Blueprint]),
            "the catalogue has no metric or blueprint `courtesy`; there is reply-quality, safe-handling, \
             agent-quality, assistant-reply, assistant-safety, respectful-debate, service-call"
        );
        for name in ["courtesy", "courtesy@1.0", "next-steps@0.1", "reply-quality", "service-call"] {
            let found = find_any(name, &TargetKind::ALL);
            assert_eq!(found, find_document(name, &TargetKind::ALL).map(|(entry, ..)| entry), "{name}");
            assert_eq!(Ok(shipped(name).expect(name).version()), found.map(|entry| entry.version));
        }
        assert_eq!(shipped("curtesy").expect_err("no such id").message, meant);
    }
}
