//! `protocols`: what can be measured with and played. Patterns, weights and thresholds are a protocol's own business and not shown.

use super::Call;
use crate::answer::{Answer, Refusal, cut};
use crate::bench::Bench;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sonometer::protocol::Modality;
use sonometer::stage::{Stage, World};
use sonometer::{Document, Instrument, TargetKind};
use sonometer_catalog::{ForStages, NotFound, card, find_any, stage_named, stages};
use sonometer_report::one_line;
use std::fmt::Write;
use std::sync::OnceLock;

/// Arguments of `protocols`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Protocols {
    /// Describe this one: an id such as `courtesy`, or `courtesy@2.0`. Without it, all are listed.
    id: Option<String>,
    /// List only this kind.
    kind: Option<Kind>,
    /// List only those that are for this language, such as en, de, es or zh, and those that name none.
    language: Option<String>,
}

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Protocol,
    Metric,
    Blueprint,
    Stage,
}

/// What `protocols` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Listed {
    /// Of one that was asked for, or all.
    entries: Vec<Entry>,
}

/// Something to measure with, or to play.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Entry {
    kind: Kind,
    id: String,
    version: String,
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    /// The language whose words it takes apart; absent: it names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// Where one is described: what its score is made of and which way is good.
    #[serde(skip_serializing_if = "Option::is_none")]
    score_meaning: Option<String>,
    /// Where one is described: what it reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reads: Vec<&'static str>,
    /// Where one is described: its markers, or the checkpoints of a stage.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    markers: Vec<Marker>,
    /// Where one is described: the resource of its accuracy card.
    #[serde(skip_serializing_if = "Option::is_none")]
    card: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Marker {
    label: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    /// low, medium, high or critical.
    #[serde(skip_serializing_if = "str::is_empty")]
    importance: &'static str,
    /// The roles it listens to; absent: all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by: Vec<String>,
    /// Whether what it finds is masked.
    masked: bool,
}

pub(crate) fn protocols(call: &Call, arguments: Protocols) -> Result<Answer, Refusal> {
    let Protocols { id, kind, language } = arguments;
    if let Some(id) = id {
        let entry = described(&call.bench, &id, "id")?;
        return Ok(Answer::new(entry.page(), &Listed { entries: vec![entry] }));
    }
    let language = language.map(|wanted| primary(&wanted)).transpose()?;
    let fits = |entry: &Entry| {
        kind.is_none_or(|kind| entry.kind == kind)
            && language.as_ref().is_none_or(|wanted| entry.language.as_ref().is_none_or(|own| own == wanted))
    };
    let entries: Vec<Entry> =
        own(&call.bench).into_iter().chain(shipped().iter().cloned()).filter(fits).collect();
    let mut text = String::new();
    for entry in &entries {
        let about = if entry.description.is_empty() { &entry.name } else { &entry.description };
        let language = entry.language.as_ref().map_or(String::new(), |language| format!(" [{language}]"));
        let _ = writeln!(
            text,
            "{} {}@{}{language}: {}",
            entry.kind.as_str(),
            entry.id,
            entry.version,
            first(about)
        );
    }
    if entries.is_empty() {
        text.push_str("nothing of this kind and language; leave out `kind` and `language` to list all");
    }
    Ok(Answer::new(text.trim_end().to_owned(), &Listed { entries }))
}

/// The language of a code: `en` of `en-US`.
fn primary(code: &str) -> Result<String, Refusal> {
    let language = code.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    let is_code = matches!(language.len(), 2 | 3) && language.bytes().all(|byte| byte.is_ascii_lowercase());
    match is_code {
        true => Ok(language),
        false => Err(Refusal::invalid(
            "language",
            "this is no code of a language; give one such as en, de, es or zh",
        )),
    }
}

/// The first sentence.
fn first(text: &str) -> String {
    let text = one_line(text);
    cut(text.split_inclusive(". ").next().unwrap_or(&text).trim(), 200)
}

/// One by its name, in full; `place` is the argument that names it.
pub(crate) fn described(bench: &Bench, name: &str, place: &str) -> Result<Entry, Refusal> {
    if let Some((document, own)) = bench.own_target(name) {
        return Ok(Entry::of(document, own));
    }
    if let Some(own) = bench.own_world(name) {
        return Ok(Entry::of_world(own));
    }
    if stage_named(name).is_ok() {
        return bench.world(Some(name), None).map(|world| Entry::of_world(&world));
    }
    let refused = |error| Refusal::engine(place, error);
    let entry = find_any(name, &TargetKind::ALL).map_err(|none| not_found(none, place))?;
    let (document, _) = entry.document().map_err(refused)?;
    let whole = bench.instrument(Some(&format!("{}@{}", entry.id, entry.version)), None)?;
    Ok(Entry::of(&document, &whole))
}

/// What was not found where stages are looked for, too.
pub(crate) fn not_found(mut none: NotFound<'_>, place: &str) -> Refusal {
    none.versions.extend(stages().iter().filter(|entry| entry.id == none.id));
    none.among.push(stages());
    none.what = "protocol, metric, blueprint or stage".to_owned();
    Refusal::engine("", none.into()).at(place)
}

/// What is served beside the catalogue.
fn own(bench: &Bench) -> Vec<Entry> {
    let targets = bench.own.targets.iter().map(|(document, own)| Entry::of(document, own).short());
    targets.chain(bench.own.worlds.iter().map(|world| Entry::of_world(world).short())).collect()
}

/// The latest version in use of everything that ships. Reading all takes a fifth of a second, so it is done once.
pub(crate) fn shipped() -> &'static [Entry] {
    static SHIPPED: OnceLock<Vec<Entry>> = OnceLock::new();
    SHIPPED.get_or_init(|| {
        let mut entries = Vec::new();
        for kind in TargetKind::ALL {
            let mut ids: Vec<&str> = sonometer_catalog::entries(kind).iter().map(|entry| entry.id).collect();
            ids.dedup();
            let latest = ids.into_iter().filter_map(|id| find_any(id, &[kind]).ok());
            entries.extend(latest.filter_map(|entry| Some(Entry::listed(&entry.document().ok()?.0))));
        }
        let worlds = stages().iter().filter_map(|entry| Some(World::read(entry.source, &ForStages).ok()?.0));
        entries.extend(worlds.map(|world| Entry::of_world(&world).short()));
        entries
    })
}

impl Kind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Protocol => "protocol",
            Self::Metric => "metric",
            Self::Blueprint => "blueprint",
            Self::Stage => "stage",
        }
    }
}

impl From<TargetKind> for Kind {
    fn from(kind: TargetKind) -> Self {
        match kind {
            TargetKind::Protocol => Self::Protocol,
            TargetKind::Metric => Self::Metric,
            TargetKind::Blueprint => Self::Blueprint,
        }
    }
}

impl Entry {
    /// As it stands in a list.
    fn listed(document: &Document) -> Self {
        let (name, description, language) = match document {
            Document::Protocol(protocol) => {
                (&protocol.name, &protocol.description, protocol.language.clone())
            }
            Document::Metric(metric) => (&metric.name, &metric.description, None),
            Document::Blueprint(blueprint) => (&blueprint.name, &blueprint.description, None),
        };
        Self {
            kind: document.kind().into(),
            id: document.id().to_owned(),
            version: document.version().to_owned(),
            name: name.clone(),
            description: description.clone(),
            language: language.map(|language| language.to_string()),
            score_meaning: None,
            reads: Vec::new(),
            markers: Vec::new(),
            card: None,
        }
    }

    /// In full.
    fn of(document: &Document, whole: &Instrument) -> Self {
        let markers = whole.markers().map(|(key, marker)| Marker {
            label: key.to_owned(),
            description: marker.description.clone(),
            importance: marker.importance.as_str(),
            by: marker.by.clone(),
            masked: marker.mask.is_some(),
        });
        let has_card = card(whole.id(), whole.version()).is_some();
        Self {
            score_meaning: Some(whole.score_meaning()),
            reads: whole.modalities().into_iter().map(Modality::as_str).collect(),
            markers: markers.collect(),
            card: has_card.then(|| format!("sonometer://cards/{}", whole.id())),
            ..Self::listed(document)
        }
    }

    fn of_world(world: &World) -> Self {
        let Stage { id, version, name, description, objective, checkpoints, .. } = world.stage();
        let checkpoints = checkpoints.iter().map(|(label, _)| Marker {
            label: label.clone(),
            description: String::new(),
            importance: "",
            by: Vec::new(),
            masked: false,
        });
        Self {
            kind: Kind::Stage,
            id: id.clone(),
            version: version.clone(),
            name: name.clone(),
            description: if description.is_empty() { objective.clone() } else { description.clone() },
            language: None,
            score_meaning: None,
            reads: Vec::new(),
            markers: checkpoints.collect(),
            card: None,
        }
    }

    fn short(self) -> Self {
        Self { score_meaning: None, reads: Vec::new(), markers: Vec::new(), card: None, ..self }
    }

    /// `courtesy@2.0`
    pub(crate) fn reference(&self) -> String {
        format!("{}@{}", self.id, self.version)
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What a resource is said to hold.
    pub(crate) fn about(&self) -> String {
        first(if self.description.is_empty() { &self.name } else { &self.description })
    }

    /// A page in Markdown.
    pub(crate) fn page(&self) -> String {
        let mut text = format!("# {} ({} {})\n", self.name, self.kind.as_str(), self.reference());
        if !self.description.is_empty() {
            let _ = writeln!(text, "\n{}", self.description);
        }
        if let Some(meaning) = &self.score_meaning {
            let _ = writeln!(text, "\n{meaning}");
        }
        if let Some(language) = &self.language {
            text.push_str(&format!("language: {language}\n"));
        }
        if !self.reads.is_empty() {
            let _ = writeln!(text, "reads: {}", self.reads.join(", "));
        }
        if let Some(card) = &self.card {
            let _ = writeln!(text, "accuracy: resource {card}");
        }
        if !self.markers.is_empty() {
            text.push_str(if self.kind == Kind::Stage { "\nCheckpoints:\n" } else { "\nMarkers:\n" });
        }
        for Marker { label, description, importance, by, masked } in &self.markers {
            let mut notes = Vec::new();
            notes.extend((!importance.is_empty()).then(|| (*importance).to_owned()));
            notes.extend((!by.is_empty()).then(|| format!("by {}", by.join(" or "))));
            notes.extend(masked.then(|| "masked".to_owned()));
            let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
            let about = if description.is_empty() { String::new() } else { format!(": {description}") };
            let _ = writeln!(text, "- {label}{notes}{about}");
        }
        text
    }
}
