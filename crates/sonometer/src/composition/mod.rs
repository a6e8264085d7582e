//! Composing: metrics average the scores of protocols, blueprints put protocols and metrics together.
//!
//! Both are files as protocols are, read by the same strict reader. They name protocols by id, and may pin a version
//! (`courtesy@1.0`); a [`Catalog`] has the protocols, so that nothing here reads files.

mod canonical;
pub(crate) mod catalog;
pub(crate) mod keys;
pub(crate) mod schema;

pub use catalog::{Catalog, compare_versions};

use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::document::{self, Node};
use crate::error::Error;
use crate::names::named;
use crate::protocol::{ListFiles, Protocol, Status, is_checked, no_list_files, schema as protocol_schema};
use crate::unit::Unit;
use std::fmt;

/// What can be sensed, in the words of the interface (`target.type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TargetKind {
    /// A protocol.
    Protocol,
    /// A weighted average of protocols.
    Metric,
    /// Several protocols and metrics.
    Blueprint,
}

impl TargetKind {
    /// All kinds, in the order in which a name is looked for among them.
    pub const ALL: [Self; 3] = [Self::Protocol, Self::Metric, Self::Blueprint];
}

named!(TargetKind { Protocol = "protocol", Metric = "metric", Blueprint = "blueprint" });

/// The state of a version of a metric or a blueprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// In use.
    Active,
    /// Callable by exact version only.
    Archived,
}

named!(Standing { Active = "active", Archived = "archived" });

/// The id of a protocol or metric, with the version if one is pinned: `courtesy`, `courtesy@1.0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// The id of the protocol or metric, without a version.
    pub id: String,
    /// The pinned version; `None`: the latest that is published (of a metric, active).
    pub version: Option<String>,
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.version {
            Some(version) => write!(f, "{}@{version}", self.id),
            None => f.write_str(&self.id),
        }
    }
}

/// One component of a metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The protocol.
    pub protocol: Reference,
    /// What its score weighs, above 0, at most 1000; 1 where the file says nothing.
    pub weight: Unit,
    /// Whether what the score lacks to 1 is averaged: for protocols whose low scores are the good ones.
    pub complement: bool,
}

/// A weighted average of protocol scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// 1 to 64 lower-case letters, digits, `-` and `_`.
    pub id: String,
    /// The name for people; the id where the file has none.
    pub name: String,
    /// The version of the metric.
    pub version: String,
    /// Whether it is in use.
    pub status: Standing,
    /// What it measures, for people.
    pub description: String,
    /// What is averaged, in the order of the file; at least one, no protocol twice.
    pub components: Vec<Component>,
}

/// Several protocols and metrics that are sensed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blueprint {
    /// 1 to 64 lower-case letters, digits, `-` and `_`.
    pub id: String,
    /// The name for people; the id where the file has none.
    pub name: String,
    /// The version of the blueprint.
    pub version: String,
    /// Whether it is in use.
    pub status: Standing,
    /// What it is for, for people.
    pub description: String,
    /// Its protocols, in the order of the file.
    pub protocols: Vec<Reference>,
    /// Its metrics, in the order of the file. There is at least one protocol or metric.
    pub metrics: Vec<Reference>,
}

/// A file of any kind.
#[derive(Clone, Debug)]
pub enum Document {
    /// `sonometer: 1`
    Protocol(Box<Protocol>),
    /// `sonometer_metric: 1`
    Metric(Metric),
    /// `sonometer_blueprint: 1`
    Blueprint(Blueprint),
}

/// Does the same with a file of any kind.
macro_rules! each {
    ($document:expr, $file:ident => $work:expr) => {
        match $document {
            Self::Protocol($file) => $work,
            Self::Metric($file) => $work,
            Self::Blueprint($file) => $work,
        }
    };
}

impl Document {
    /// Reads a protocol, metric or blueprint file, told apart by their first key. The warnings come with it.
    ///
    /// # Errors
    /// `invalid_protocol` with every finding.
    pub fn read(text: &str) -> Result<(Self, Diagnostics), Error> {
        Self::read_with(text, &no_list_files)
    }

    /// The same of a file that may be a protocol with list files, whose texts are given by their paths ([`Protocol::read_with`]).
    ///
    /// # Errors
    /// `invalid_protocol` with every finding.
    pub fn read_with(text: &str, files: &ListFiles<'_>) -> Result<(Self, Diagnostics), Error> {
        read(text, |root, found| {
            if let Some(stage) = root.get("sonometer_stage") {
                let message = "this is a stage, not a protocol, metric or blueprint";
                let fix = "play it with `sonometer dive`, or check it with `sonometer check`";
                found.push(Diagnostic::error("SM0614", stage.span, message, fix));
                None
            } else if root.get("sonometer_metric").is_some() {
                schema::metric(root, found).map(Self::Metric)
            } else if root.get("sonometer_blueprint").is_some() {
                schema::blueprint(root, found).map(Self::Blueprint)
            } else {
                protocol_schema::protocol(root, files, is_checked(text), found)
                    .map(Box::new)
                    .map(Self::Protocol)
            }
        })
    }

    /// What it is.
    pub fn kind(&self) -> TargetKind {
        match self {
            Self::Protocol(_) => TargetKind::Protocol,
            Self::Metric(_) => TargetKind::Metric,
            Self::Blueprint(_) => TargetKind::Blueprint,
        }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        each!(self, file => &file.id)
    }

    /// Its version.
    pub fn version(&self) -> &str {
        each!(self, file => &file.version)
    }

    /// Its name for people.
    pub fn name(&self) -> &str {
        each!(self, file => &file.name)
    }

    /// What it is for, for people.
    pub fn description(&self) -> &str {
        each!(self, file => &file.description)
    }

    /// The name of its state: `draft`, `published` or `archived`; of metrics and blueprints `active` or `archived`.
    pub fn status(&self) -> &'static str {
        each!(self, file => file.status.as_str())
    }

    /// Whether an id without a version may mean it: it is published or active.
    pub fn is_current(&self) -> bool {
        match self {
            Self::Protocol(protocol) => protocol.status == Status::Published,
            Self::Metric(Metric { status, .. }) | Self::Blueprint(Blueprint { status, .. }) => {
                *status == Standing::Active
            }
        }
    }

    /// The one JSON text of it: the same for all ways to write the same file.
    pub fn to_canonical_json(&self) -> String {
        each!(self, file => file.to_canonical_json())
    }

    /// The identity of this version: `sha256:` and the SHA-256 of its canonical JSON.
    pub fn digest(&self) -> String {
        each!(self, file => file.digest())
    }
}

impl Metric {
    /// The keys of a metric file.
    pub const KEYS: &'static crate::keys::Map = &keys::METRIC;

    /// Reads a metric file: YAML (feature `yaml`) or JSON. The warnings come with the metric.
    ///
    /// # Errors
    /// `invalid_protocol` with every finding.
    pub fn read(text: &str) -> Result<(Self, Diagnostics), Error> {
        read(text, schema::metric)
    }
}

impl Blueprint {
    /// The keys of a blueprint file.
    pub const KEYS: &'static crate::keys::Map = &keys::BLUEPRINT;

    /// Reads a blueprint file: YAML (feature `yaml`) or JSON. The warnings come with the blueprint.
    ///
    /// # Errors
    /// `invalid_protocol` with every finding.
    pub fn read(text: &str) -> Result<(Self, Diagnostics), Error> {
        read(text, schema::blueprint)
    }
}

pub(crate) fn read<T>(
    text: &str,
    schema: impl FnOnce(&Node, &mut Diagnostics) -> Option<T>,
) -> Result<(T, Diagnostics), Error> {
    let (root, mut found) = document::read(text).map_err(|first| {
        let mut found = Diagnostics::new();
        found.push(first);
        Error::protocol(text, found)
    })?;
    let read = schema(&root, &mut found);
    found.sort();
    found.keep_first(document::MAX_FINDINGS);
    match read {
        Some(document) if !found.has_errors() => Ok((document, found)),
        _ => Err(Error::protocol(text, found)),
    }
}

/// A reference in a file.
type Placed = (Reference, Span);
