//! The protocols, metrics, blueprints and stages that ship with Sonometer, as the files their authors wrote.
//!
//! The tables below are written out by hand: what ships is a decision, not whatever lies in a folder.

mod beside;
#[cfg(feature = "all")]
mod cards;
#[cfg(any(test, not(feature = "all")))]
mod comments;
mod find;
#[cfg(feature = "all")]
mod known;
mod rates;
mod shelf;

pub use beside::list_file;
#[cfg(feature = "all")]
pub use cards::card;
pub use find::{
    NotFound, find, find_any, find_blueprint, find_document, find_metric, find_stage, shipped, split,
    stage_named,
};
#[cfg(feature = "all")]
pub use known::work_out as work_out_known;
pub use rates::{rates, rates_of};
pub use shelf::{Shelf, is_named_like_one};
pub use sonometer::composition::compare_versions;

use sonometer::protocol::NoFile;
use sonometer::{Blueprint, Catalog, Diagnostics, Document, Error, Metric, Protocol, TargetKind};
use std::borrow::Cow;

/// One version of one shipped protocol, metric or blueprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its id, different from all others of any kind.
    pub id: &'static str,
    /// The version.
    pub version: &'static str,
    /// The file.
    pub source: &'static str,
    /// The list files that a protocol names, by their paths.
    pub list_files: &'static [(&'static str, &'static str)],
}

impl Entry {
    /// The text of one of its list files.
    ///
    /// # Errors
    /// If it has none with that path.
    pub fn list_file(&self, path: &str) -> Result<Cow<'static, str>, NoFile> {
        let file = self.list_files.iter().find(|(known, _)| *known == path);
        file.map(|(_, text)| (*text).into())
            .ok_or_else(|| NoFile::missing("add it to the entry of the catalogue"))
    }

    /// The protocol that it is, with its list files and the warnings.
    ///
    /// # Errors
    /// `invalid_protocol` with every finding.
    pub fn protocol(&self) -> Result<(Protocol, Diagnostics), Error> {
        Protocol::read_with(self.source, &|path| self.list_file(path))
    }

    /// The protocol, metric or blueprint that it is, in the same way.
    ///
    /// # Errors
    /// `invalid_protocol` with every finding.
    pub fn document(&self) -> Result<(Document, Diagnostics), Error> {
        Document::read_with(self.source, &|path| self.list_file(path))
    }
}

/// The text of a file of the catalogue.
#[cfg(feature = "all")]
macro_rules! source {
    ($path:expr) => {
        include_str!($path)
    };
}

/// The same without comments.
#[cfg(not(feature = "all"))]
macro_rules! source {
    ($path:expr) => {{
        const WHOLE: &[u8] = include_bytes!($path);
        const KEPT: [u8; comments::kept(WHOLE)] = comments::without(WHOLE);
        match str::from_utf8(&KEPT) {
            Ok(text) => text,
            Err(_) => panic!("a file of the catalogue is not UTF-8"),
        }
    }};
}

/// An entry, from the file that is named for it: one file a version, and a published one is never changed.
/// Its list files stand below the same folder.
macro_rules! entry {
    ($folder:literal, $id:literal @ $version:literal $(, $file:literal)*) => {
        Entry {
            id: $id,
            version: $version,
            source: source!(concat!("../", $folder, "/", $id, "@", $version, ".yaml")),
            list_files: &[$(($file, include_str!(concat!("../", $folder, "/", $file)))),*],
        }
    };
}

/// Those without the feature `all` are what the module for browsers holds: four protocols in their newest editions that have room in it, and what
/// its metrics, blueprints and stages name. Its package has the others as files.
static PROTOCOLS: &[Entry] = &[
    #[cfg(feature = "all")]
    entry!("protocols", "abuse" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "abuse-de" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "abuse-es" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "abuse-fr" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "abuse-it" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "abuse-pt" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "abuse-zh" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "affect" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "affect" @ "1.5"),
    entry!("protocols", "affect" @ "2.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "argument" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "argument" @ "1.1"),
    #[cfg(feature = "all")]
    entry!("protocols", "counselling" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "counselling" @ "1.1"),
    entry!("protocols", "courtesy" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "courtesy" @ "1.5"),
    entry!("protocols", "courtesy" @ "2.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "disclosure" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "disclosure" @ "1.1"),
    #[cfg(feature = "all")]
    entry!("protocols", "disclosure" @ "1.2"),
    #[cfg(feature = "all")]
    entry!("protocols", "escalation" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "escalation" @ "1.1"),
    #[cfg(feature = "all")]
    entry!("protocols", "friction" @ "1.0"),
    #[cfg(feature = "all")]
    entry!(
        "protocols",
        "names-and-places" @ "1.0",
        "names-and-places/given.txt",
        "names-and-places/doubtful.txt",
        "names-and-places/family.txt",
        "names-and-places/cities.txt",
        "names-and-places/countries.txt"
    ),
    #[cfg(feature = "all")]
    entry!(
        "protocols",
        "names-and-places" @ "1.1",
        "names-and-places/given.txt",
        "names-and-places/given-more.txt",
        "names-and-places/doubtful.txt",
        "names-and-places/doubtful-more.txt",
        "names-and-places/family.txt",
        "names-and-places/family-more.txt",
        "names-and-places/cities.txt",
        "names-and-places/countries.txt"
    ),
    #[cfg(feature = "all")]
    entry!("protocols", "negotiation" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "next-steps" @ "0.1"),
    #[cfg(feature = "all")]
    entry!("protocols", "personal-attack" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "personal-attack" @ "1.1"),
    entry!("protocols", "personal-data" @ "1.0"),
    entry!("protocols", "personal-data" @ "1.5"),
    #[cfg(feature = "all")]
    entry!("protocols", "personal-data" @ "1.6"),
    entry!("protocols", "personal-data" @ "2.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "personal-data" @ "2.1"),
    #[cfg(feature = "all")]
    entry!("protocols", "personal-data" @ "2.2"),
    entry!("protocols", "pressure-tactics" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "pressure-tactics" @ "1.5"),
    #[cfg(feature = "all")]
    entry!("protocols", "pressure-tactics" @ "1.6"),
    entry!("protocols", "pressure-tactics" @ "2.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "promise" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "promise" @ "1.1"),
    #[cfg(feature = "all")]
    entry!("protocols", "prompt-attack" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "prompt-attack" @ "1.1"),
    #[cfg(feature = "all")]
    entry!("protocols", "prompt-attack" @ "1.2"),
    #[cfg(feature = "all")]
    entry!("protocols", "prompt-attack" @ "1.3"),
    #[cfg(feature = "all")]
    entry!("protocols", "refusal" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("protocols", "refusal" @ "1.1"),
    #[cfg(feature = "all")]
    entry!("protocols", "refusal" @ "1.2"),
    #[cfg(feature = "all")]
    entry!("protocols", "uptake" @ "1.0"),
];

static METRICS: &[Entry] =
    &[entry!("metrics", "reply-quality" @ "1.0"), entry!("metrics", "safe-handling" @ "1.0")];

static BLUEPRINTS: &[Entry] = &[
    #[cfg(feature = "all")]
    entry!("blueprints", "agent-quality" @ "1.0"),
    entry!("blueprints", "assistant-reply" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("blueprints", "assistant-safety" @ "1.0"),
    #[cfg(feature = "all")]
    entry!("blueprints", "respectful-debate" @ "1.0"),
    entry!("blueprints", "service-call" @ "1.0"),
];

/// What the stages are sensed by and nothing else is; it is listed nowhere.
static STAGE_PROTOCOLS: &[Entry] = &[
    entry!("stages", "agent-guard" @ "1.0"),
    entry!("stages", "client-led-talk" @ "1.0"),
    entry!("stages", "service-conduct" @ "1.0"),
];

static STAGE_BLUEPRINTS: &[Entry] = &[entry!("stages", "billing-desk" @ "1.0")];

static STAGES: &[Entry] = &[
    entry!("stages", "agent-phishing" @ "1.0"),
    entry!("stages", "billing-dispute" @ "1.0"),
    entry!("stages", "drinking-less" @ "1.0"),
];

/// Every shipped version of a kind, by id and then from the oldest version to the newest.
pub fn entries(kind: TargetKind) -> &'static [Entry] {
    match kind {
        TargetKind::Protocol => protocols(),
        TargetKind::Metric => METRICS,
        TargetKind::Blueprint => BLUEPRINTS,
    }
}

/// Every shipped version of a protocol, in the order of [`entries`].
pub fn protocols() -> &'static [Entry] {
    #[cfg(feature = "all")]
    known::use_known();
    PROTOCOLS
}

/// Every shipped version of a metric, in the same order.
pub fn metrics() -> &'static [Entry] {
    METRICS
}

/// Every shipped version of a blueprint, in the same order.
pub fn blueprints() -> &'static [Entry] {
    BLUEPRINTS
}

/// Every shipped version of a stage, in the same order.
pub fn stages() -> &'static [Entry] {
    STAGES
}

/// Every version of one protocol, from the oldest to the newest; empty if none ships.
pub fn versions(id: &str) -> &'static [Entry] {
    versions_in(protocols(), id)
}

fn versions_in(entries: &'static [Entry], id: &str) -> &'static [Entry] {
    let from = entries.partition_point(|entry| entry.id < id);
    let to = entries.partition_point(|entry| entry.id <= id);
    &entries[from..to]
}

/// What ships, for metrics, blueprints and stages that name it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shipped;

impl Catalog for Shipped {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        versions(id).iter().map(|entry| entry.protocol().map(|(protocol, _)| protocol)).collect()
    }

    fn protocol(&self, id: &str, version: &str) -> Result<Option<Protocol>, Error> {
        let entry = versions(id).iter().find(|entry| entry.version == version);
        entry.map(|entry| entry.protocol().map(|(protocol, _)| protocol)).transpose()
    }

    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error> {
        versions_in(METRICS, id)
            .iter()
            .map(|entry| Metric::read(entry.source).map(|(metric, _)| metric))
            .collect()
    }
}

/// What ships, and what the stages that ship are sensed by: the catalogue for dives.
#[derive(Clone, Copy, Debug, Default)]
pub struct ForStages;

impl Catalog for ForStages {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        let shipped = Shipped.protocols(id)?;
        let own = versions_in(STAGE_PROTOCOLS, id).iter();
        let own: Result<Vec<_>, Error> = own.map(|entry| Ok(entry.protocol()?.0)).collect();
        Ok([shipped, own?].concat())
    }

    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error> {
        Shipped.metrics(id)
    }

    fn blueprints(&self, id: &str) -> Result<Vec<Blueprint>, Error> {
        let all = versions_in(BLUEPRINTS, id).iter().chain(versions_in(STAGE_BLUEPRINTS, id));
        all.map(|entry| Blueprint::read(entry.source).map(|(blueprint, _)| blueprint)).collect()
    }
}

/// The code of the crate's own README runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::protocol::{Sgm, Status};
    use sonometer::stage::{Stage, World};
    use sonometer::{Instrument, Interaction, Unit};
    use std::cmp::Ordering;
    use std::collections::BTreeSet;

    #[test]
    fn an_entry_gives_its_own_list_files_and_no_others() {
        let source = r#"{"sonometer": 1, "id": "met", "version": "1", "taxonomy": "Signal", "list_files": {"name": "names.txt"},
            "markers": [{"label": "met", "strong": "i met @name", "hit": "I met Anna."}]}"#;
        let entry = Entry { id: "met", version: "1", source, list_files: &[("names.txt", "Anna\n")] };
        let (protocol, _) = entry.protocol().expect("reads");
        assert_eq!(protocol.list_files[0].phrases.iter().collect::<Vec<_>>(), ["anna"]);
        assert_eq!(entry.document().expect("reads").0.digest(), protocol.digest());
        assert!(Entry { list_files: &[], ..entry }.protocol().is_err());
    }

    #[test]
    fn stands_in_order_without_repetition() {
        for pair in PROTOCOLS.windows(2) {
            let order = pair[0].id.cmp(pair[1].id);
            assert_eq!(
                order.then(compare_versions(pair[0].version, pair[1].version)),
                Ordering::Less,
                "{pair:?}"
            );
        }
    }

    #[test]
    fn every_file_is_sound_and_says_what_the_table_says() {
        for entry in PROTOCOLS {
            let (protocol, warnings) = entry.protocol().expect(entry.id);
            assert_eq!((protocol.id.as_str(), protocol.version.as_str()), (entry.id, entry.version));
            assert!(warnings.is_empty(), "{}: {warnings:?}", entry.id);
        }
    }

    /// What is published stays as it is, to the byte.
    #[test]
    fn published_versions_do_not_change() {
        let digests = include_str!("../published.txt").lines().filter(|line| !line.starts_with('#'));
        let known: Vec<String> = digests.map(str::to_owned).collect();
        let now = [PROTOCOLS, METRICS, BLUEPRINTS, STAGE_PROTOCOLS, STAGE_BLUEPRINTS, STAGES].concat();
        let now = now
            .iter()
            .filter(|entry| !entry.protocol().is_ok_and(|(protocol, _)| protocol.status == Status::Draft));
        let now: Vec<String> = now
            .map(|entry| {
                // FNV-1a: against slips, not against malice.
                let digest = entry.source.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |digest, byte| {
                    (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                });
                format!("{}@{} {digest:016x}", entry.id, entry.version)
            })
            .collect();
        assert_eq!(now, known, "a published file changed, or published.txt lacks a new one");
    }

    /// The versions on SGM 1.5 tell more of the same: what 1.0 measured on labelled data holds for them, too.
    #[test]
    fn versions_on_sgm_1_5_measure_what_1_0_measures() {
        for id in ["affect", "courtesy", "personal-data", "pressure-tactics"] {
            let read = |version| {
                let mut protocol = find(id, Some(version)).expect(id).protocol().expect(id).0;
                // Tests measure nothing; some are worded anew, since roles are named now.
                protocol.markers.iter_mut().for_each(|marker| (marker.hit, marker.miss) = (vec![], vec![]));
                protocol
            };
            let (old, new) = (read("1.0"), read("1.5"));
            assert_eq!((old.sgm, new.sgm), (Sgm::V1_0, Sgm::V1_5));
            let heads = Protocol {
                version: old.version.clone(),
                sgm: old.sgm,
                description: old.description.clone(),
                actants: old.actants.clone(),
                ..new
            };
            // As text: where a line stands in its file does not matter.
            assert!(heads.to_canonical_json() == old.to_canonical_json(), "{id}");
        }
    }

    #[test]
    fn metrics_and_blueprints_are_sound_and_stand_on_what_ships() {
        for entry in METRICS {
            let (metric, warnings) = Metric::read(entry.source).expect(entry.id);
            assert_eq!((metric.id.as_str(), metric.version.as_str()), (entry.id, entry.version));
            assert!(warnings.is_empty() && find_metric(entry.id, None).is_some());
            let whole = Instrument::metric(&metric, &Shipped).expect(entry.id);
            assert_eq!(whole.better(), sonometer::protocol::Better::Higher, "{}", entry.id);
            // What ships must not change when a protocol is published.
            assert!(metric.components.iter().all(|component| component.protocol.version.is_some()));
        }
        for entry in BLUEPRINTS {
            let (blueprint, warnings) = Blueprint::read(entry.source).expect(entry.id);
            assert_eq!((blueprint.id.as_str(), blueprint.version.as_str()), (entry.id, entry.version));
            assert!(warnings.is_empty() && find_blueprint(entry.id, None).is_some());
            let whole = Instrument::blueprint(&blueprint, &Shipped).expect(entry.id);
            assert!(!whole.modalities().is_empty(), "{}", entry.id);
            let named = blueprint.protocols.iter().chain(&blueprint.metrics);
            assert!(named.into_iter().all(|reference| reference.version.is_some()));
        }
        let ids = [PROTOCOLS, METRICS, BLUEPRINTS]
            .map(|entries| entries.iter().map(|entry| entry.id).collect::<BTreeSet<&str>>());
        let all: BTreeSet<&str> = ids.iter().flatten().copied().collect();
        let count: usize = ids.iter().map(BTreeSet::len).sum();
        assert_eq!(all.len(), count, "every id names one thing");
    }

    #[test]
    fn what_stages_are_sensed_by_is_sound() {
        for entry in STAGE_PROTOCOLS {
            let (protocol, warnings) = entry.protocol().expect(entry.id);
            assert_eq!((protocol.id.as_str(), protocol.version.as_str()), (entry.id, entry.version));
            assert!(
                warnings.is_empty() && protocol.status == Status::Published,
                "{}: {warnings:?}",
                entry.id
            );
            assert!(versions(entry.id).is_empty(), "{} is listed", entry.id);
        }
    }

    #[test]
    fn stages_are_sound_and_pass_their_own_tests() {
        for entry in STAGES {
            let (stage, warnings) = Stage::read(entry.source).expect(entry.id);
            assert_eq!((stage.id.as_str(), stage.version.as_str()), (entry.id, entry.version));
            assert!(stage.walkthroughs.len() >= 5 && stage.target.1.version.is_some(), "{}", entry.id);
            let world = World::new(stage, &ForStages).expect(entry.id);
            for found in [warnings, world.lint(), world.lint_walkthroughs()] {
                assert!(found.is_empty(), "{}: {found:?}", entry.id);
            }
            assert_eq!(world.degenerate().0, Vec::<String>::new(), "{}", entry.id);
            assert!(find_stage(entry.id, None).is_some());
        }
    }

    #[test]
    fn a_rude_reply_is_a_worse_reply() {
        let (metric, _) =
            Metric::read(find_metric("reply-quality", None).expect("ships").source).expect("reads");
        let whole = Instrument::metric(&metric, &Shipped).expect("stands");
        let kind = "Thank you so much for your patience. Could you please tell me which version you use?";
        let rude = "Hurry, only 2 left, act now! What the hell is your problem, are you even reading this?";
        let text = |content| Interaction::text(content).expect("is short");
        let comparison = whole.compare(&text(kind), &text(rude), Default::default()).expect("is enough");
        assert!(comparison.delta.score_change < Unit::ZERO, "{}", comparison.to_json());
    }
}
