//! Request bodies: their shapes, and what they say.

use crate::guard::MAX_URL;
use crate::ports::FileRequest;
use crate::refusal::{Refusal, shown};
use crate::shape::{Field, Shape, integer, join, read};
use sonometer::document::{Node, Scalar, Style, Value};
use sonometer::protocol::Modality;
use sonometer::{
    FlowOptions, Interaction, OffsetUnit, Profile, TargetKind, TemporalOptions, Unit, View, protocol,
};
use std::time::Duration;

/// The most characters that an interaction may hold.
pub const MAX_CHARACTERS: usize = 200_000;
/// The most segments that a transcript may have.
pub const MAX_SEGMENTS: usize = 2_000;
/// The most interactions of one batch.
pub const MAX_BATCH: usize = 1_000;
/// A batch of so many interactions is no longer answered at once.
pub const BATCH_JOB: usize = 50;
/// The most interactions of one batch that are files.
pub const MAX_BATCH_FILES: usize = 100;
/// A batch of more files is not answered at once.
pub(crate) const BATCH_FILES_NOW: usize = 8;
/// What can be asked for in an id.
const MAX_ID: usize = 64;
/// The most channels of a recording that can be named, as many as are decoded.
const MAX_CHANNELS: usize = 8;
/// The longest role, in characters.
const MAX_ROLE: usize = 256;

/// What a callback can be told of.
pub(crate) const EVENTS: &[&str] = &["complete", "error"];

fn target_field() -> Field {
    Field::required(
        "target",
        Shape::Object(vec![
            Field::required("type", Shape::Word(TargetKind::NAMES), "`protocol`, `metric` or `blueprint`"),
            Field::required("id", Shape::Text(1, MAX_ID), "the id of the protocol, metric or blueprint"),
            Field::optional(
                "version",
                Shape::Text(1, MAX_ID),
                "the version; by default the latest published one",
            ),
        ]),
        "what to measure with",
    )
}

/// The body of `POST /api/v1/sense`.
pub fn sense_shape() -> Shape {
    Shape::Object(vec![
        target_field(),
        Field::required("interaction", Shape::Interaction, "what to measure"),
        Field::optional(
            "options",
            Shape::Object(vec![
                Field::optional(
                    "profile",
                    Shape::Word(Profile::NAMES),
                    "how much is shown; by default `raw`",
                ),
                Field::optional("offsets", Shape::Bool, "adds the places of evidence, in code points"),
                Field::optional(
                    "origin",
                    Shape::Bool,
                    "adds the places of evidence in the file; only for a `url`",
                ),
            ]),
            "how much is shown",
        ),
        Field::optional(
            "v1_5",
            Shape::Object(vec![
                Field::optional(
                    "actant",
                    Shape::Object(vec![
                        Field::optional("primary", Shape::Text(1, 256), "the role that is the primary side"),
                        Field::optional("analyze_flow", Shape::Bool, "asks which side drives each marker"),
                    ]),
                    "actant analysis",
                ),
                Field::optional(
                    "temporal",
                    Shape::Object(vec![
                        Field::optional(
                            "analyze_dynamics",
                            Shape::Bool,
                            "asks how the score develops over time",
                        ),
                        Field::optional("window_seconds", Shape::Positive, "the length of a window"),
                    ]),
                    "temporal analysis",
                ),
            ]),
            "the analyses of protocols with SGM 1.5",
        ),
        Field::optional(
            "callback",
            Shape::Object(vec![
                Field::required(
                    "url",
                    Shape::Address(MAX_URL),
                    "the address that is notified when the job has ended",
                ),
                Field::optional("events", Shape::Words(EVENTS), "the events to send; by default both"),
            ]),
            "turns the request into a job",
        ),
    ])
}

/// The body of `POST /api/v1/sense/compare`.
pub fn compare_shape() -> Shape {
    Shape::Object(vec![
        target_field(),
        Field::required(
            "interaction_a",
            Shape::Interaction,
            "the first interaction, for example the one before a change",
        ),
        Field::required(
            "interaction_b",
            Shape::Interaction,
            "the second interaction, for example the one after a change",
        ),
    ])
}

/// The body of `POST /api/v1/sense/stream`.
pub fn stream_shape() -> Shape {
    Shape::Object(vec![
        target_field(),
        Field::required("interaction", Shape::Interaction, "what to measure"),
        Field::optional(
            "stream",
            Shape::Object(vec![
                Field::optional(
                    "emit_partial",
                    Shape::Bool,
                    "whether resonances are sent while they still change; by default `true`",
                ),
                Field::optional(
                    "interval_ms",
                    Shape::Integer(0, 60_000),
                    "the least milliseconds between partial results; by default 250",
                ),
            ]),
            "how results are sent; the final result does not depend on it",
        ),
    ])
}

/// The body of `POST /api/v1/sense/batch`.
pub fn batch_shape() -> Shape {
    let about = "what to measure, each with its own `id`";
    Shape::Object(vec![
        target_field(),
        Field::required("interactions", Shape::Interactions(MAX_BATCH), about),
    ])
}

/// The body of `POST /api/v1/fidelity/check`.
pub fn fidelity_shape() -> Shape {
    Shape::Object(vec![target_field(), Field::required("interaction", Shape::Interaction, "what to check")])
}

/// The body of `POST /api/v1/usage/estimate`.
pub fn estimate_shape() -> Shape {
    Shape::Object(vec![
        target_field(),
        Field::required(
            "content_length",
            Shape::Integer(0, 1 << 53),
            "the length of the content in characters",
        ),
        Field::required("modality", Shape::Word(protocol::Modality::NAMES), "what the content is"),
    ])
}

/// A target as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Protocol, metric or blueprint.
    pub kind: TargetKind,
    /// Its id.
    pub id: String,
    /// The version; `None`: the latest published one.
    pub version: Option<String>,
}

/// An interaction as it is asked for.
#[derive(Debug)]
pub(crate) struct Asked<'n> {
    node: &'n Node,
    place: String,
}

/// How much of a reading is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    profile: Profile,
    offsets: bool,
    /// Whether the answer says where in a file evidence stands.
    pub(crate) origin: bool,
    /// Whether there is a `v1_5` block at all.
    pub(crate) v1_5: bool,
    primary: Option<String>,
    flow: bool,
    temporal: bool,
    window: Option<Unit>,
}

impl Look {
    pub(crate) fn view(&self) -> View<'_> {
        View {
            profile: self.profile,
            offsets: self.offsets.then_some(OffsetUnit::Chars),
            flow: self.flow.then_some(FlowOptions { primary: self.primary.as_deref() }),
            temporal: self.temporal.then_some(TemporalOptions { window: self.window }),
        }
    }
}

/// Who is called when a job has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Callback {
    pub(crate) url: String,
    /// `complete`, `error`, or both.
    pub(crate) events: Vec<String>,
}

pub(crate) struct Sense {
    pub(crate) callback: Option<Callback>,
    pub(crate) root: Node,
    pub(crate) target: Target,
    pub(crate) look: Look,
}

pub(crate) fn sense(body: &str) -> Result<Sense, Refusal> {
    let root = read(body, &sense_shape())?;
    let options = root.get("options");
    let v1_5 = root.get("v1_5");
    let within = |block: &str, key: &str| v1_5.and_then(|v| v.get(block)).and_then(|block| block.get(key));
    let is_true = |node: Option<&Node>| node.and_then(Node::text) == Some("true");
    let look = Look {
        profile: options
            .and_then(|options| options.get("profile"))
            .and_then(Node::text)
            .and_then(Profile::from_name)
            .unwrap_or_default(),
        offsets: is_true(options.and_then(|options| options.get("offsets"))),
        origin: is_true(options.and_then(|options| options.get("origin"))),
        v1_5: v1_5.is_some(),
        primary: within("actant", "primary").and_then(Node::text).map(str::to_owned),
        flow: is_true(within("actant", "analyze_flow")),
        temporal: is_true(within("temporal", "analyze_dynamics")),
        window: within("temporal", "window_seconds").and_then(Node::text).and_then(Unit::parse),
    };
    let callback = root.get("callback").map(|callback| {
        let events = match callback.get("events").map(|events| &events.value) {
            Some(Value::List(events)) => events.iter().filter_map(Node::text).map(str::to_owned).collect(),
            _ => EVENTS.iter().map(|event| (*event).to_owned()).collect(),
        };
        Callback { url: callback.get("url").and_then(Node::text).unwrap_or_default().to_owned(), events }
    });
    Ok(Sense { callback, target: target(&root), root, look })
}

pub(crate) struct Compare {
    pub(crate) root: Node,
    pub(crate) target: Target,
}

pub(crate) fn compare(body: &str) -> Result<Compare, Refusal> {
    let root = read(body, &compare_shape())?;
    Ok(Compare { target: target(&root), root })
}

pub(crate) fn fidelity(body: &str) -> Result<Compare, Refusal> {
    let root = read(body, &fidelity_shape())?;
    Ok(Compare { target: target(&root), root })
}

/// How a stream is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pace {
    /// Whether what still changes is reported.
    pub(crate) partial: bool,
    /// How long it is silent in between, at least.
    pub(crate) interval: Duration,
}

pub(crate) struct Stream {
    pub(crate) root: Node,
    pub(crate) target: Target,
    pub(crate) pace: Pace,
}

pub(crate) fn stream(body: &str) -> Result<Stream, Refusal> {
    let root = read(body, &stream_shape())?;
    let said = |key| root.get("stream").and_then(|stream| stream.get(key)).and_then(Node::text);
    let interval = said("interval_ms").and_then(integer).unwrap_or(250);
    let pace =
        Pace { partial: said("emit_partial") != Some("false"), interval: Duration::from_millis(interval) };
    Ok(Stream { target: target(&root), root, pace })
}

/// The interactions of a batch, with their ids.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) root: Node,
    pub(crate) target: Target,
    pub(crate) ids: Vec<String>,
    /// How many of them are files.
    pub(crate) files: usize,
}

pub(crate) fn batch(body: &str) -> Result<Batch, Refusal> {
    let root = read(body, &batch_shape())?;
    let items = items(&root);
    let mut ids: Vec<String> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let place = format!("interactions[{index}]");
        let at = |refusal: Refusal| of_item(refusal, index);
        if !matches!(item.value, Value::Map(_)) {
            return Err(at(Refusal::invalid(
                place,
                "an interaction is an object; write `{\"id\": …, \"content\": …}`",
            )));
        }
        let place = format!("{place}.id");
        let id = match item.get("id") {
            None => {
                return Err(at(Refusal::invalid(
                    place,
                    "`id` is missing; give each item an `id`, which is returned with its result",
                )));
            }
            Some(node) => quoted(node)
                .filter(|id| !id.is_empty() && id.chars().count() <= 256)
                .ok_or_else(|| at(Refusal::invalid(&*place, "`id` must be a text of 1 to 256 characters")))?,
        };
        ids.push(id.to_owned());
    }
    let mut sorted: Vec<usize> = (0..ids.len()).collect();
    sorted.sort_by(|a, b| ids[*a].cmp(&ids[*b]).then(a.cmp(b)));
    if let Some(pair) =
        sorted.windows(2).filter(|pair| ids[pair[0]] == ids[pair[1]]).min_by_key(|pair| pair[1])
    {
        let message = format!("the same `id` as interactions[{}]; give each item its own", pair[0]);
        return Err(of_item(Refusal::invalid(format!("interactions[{}].id", pair[1]), message), pair[1]));
    }
    let files = items.iter().filter(|item| item.get("url").is_some()).count();
    if files > MAX_BATCH_FILES {
        let message = format!("{files} files; the limit for one batch is {MAX_BATCH_FILES}");
        return Err(Refusal::too_large("interactions", MAX_BATCH_FILES, message));
    }
    Ok(Batch { target: target(&root), root, ids, files })
}

/// The items of a batch whose shape was checked.
pub(crate) fn items(root: &Node) -> &[Node] {
    match root.get("interactions").map(|node| &node.value) {
        Some(Value::List(items)) => items,
        _ => &[],
    }
}

/// With the index of an item in the details.
pub(crate) fn of_item(mut refusal: Refusal, index: usize) -> Refusal {
    refusal.details.index = Some(index);
    refusal
}

pub(crate) struct Estimate {
    pub(crate) target: Target,
    pub(crate) content_length: u64,
    pub(crate) modality: Modality,
}

pub(crate) fn estimate(body: &str) -> Result<Estimate, Refusal> {
    let root = read(body, &estimate_shape())?;
    let text = |key| root.get(key).and_then(Node::text).unwrap_or_default();
    Ok(Estimate {
        target: target(&root),
        content_length: integer(text("content_length")).unwrap_or(0),
        modality: Modality::from_name(text("modality")).unwrap_or(Modality::Text),
    })
}

/// The target of a body whose shape was checked.
fn target(root: &Node) -> Target {
    let text = |key| root.get("target").and_then(|target| target.get(key)).and_then(Node::text);
    Target {
        kind: text("type").and_then(TargetKind::from_name).unwrap_or(TargetKind::Protocol),
        id: text("id").unwrap_or_default().to_owned(),
        version: text("version").map(str::to_owned),
    }
}

fn quoted(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Scalar(Scalar { text, style: Style::Quoted, .. }) => Some(text),
        _ => None,
    }
}

impl<'n> Asked<'n> {
    /// The interaction under a key of a body.
    pub(crate) fn under(root: &'n Node, key: &str) -> Result<Self, Refusal> {
        let node = root.get(key).ok_or_else(|| Refusal::invalid(key, format!("`{key}` is missing")))?;
        Ok(Self { node, place: key.to_owned() })
    }

    /// An item of a batch.
    pub(crate) fn item(node: &'n Node, index: usize) -> Self {
        Self { node, place: format!("interactions[{index}]") }
    }

    /// The file that it names, if it names one.
    pub(crate) fn file(&self) -> Result<Option<FileRequest<'n>>, Refusal> {
        let Some(url) = self.node.get("url") else { return Ok(None) };
        let Some(url) = quoted(url) else {
            return Err(Refusal::invalid(format!("{}.url", self.place), "`url` is not a text in quotes"));
        };
        let both = ["content", "segments"].into_iter().find(|key| self.node.get(key).is_some());
        if let Some(key) = both {
            let message = format!("give `{key}` or `url`, not both");
            return Err(Refusal::invalid(format!("{}.url", self.place), message));
        }
        if let Value::Map(entries) = &self.node.value {
            const KEYS: [&str; 6] = ["channels", "id", "label", "language", "type", "url"];
            for (key, value) in entries {
                let place = join(&self.place, &shown(&key.text));
                if !KEYS.contains(&key.text.as_str()) {
                    let message = format!(
                        "unknown key `{}`; the known keys with `url` are {}",
                        shown(&key.text),
                        KEYS.join(", ")
                    );
                    return Err(Refusal::invalid(place, message));
                }
                if key.text != "channels" && quoted(value).is_none() {
                    return Err(Refusal::invalid(place, format!("`{}` is not a text in quotes", key.text)));
                }
            }
        }
        let text = |key| self.node.get(key).and_then(quoted);
        let is_audio = match text("type") {
            None => None,
            Some("audio") => Some(true),
            Some("document") => Some(false),
            Some(other) => {
                let message = format!(
                    "`type` is {}, but a `url` is a file; write `document` or `audio`, or remove it",
                    shown(other)
                );
                return Err(Refusal::invalid(join(&self.place, "type"), message));
            }
        };
        // Whose it is, is not in the body.
        Ok(Some(FileRequest {
            org: "",
            url,
            is_audio,
            language: text("language"),
            channels: self.channels()?,
        }))
    }

    /// The roles of the channels of a recording.
    fn channels(&self) -> Result<Vec<&'n str>, Refusal> {
        let Some(node) = self.node.get("channels") else { return Ok(Vec::new()) };
        let roles: Option<Vec<&str>> = match &node.value {
            Value::List(roles) => roles.iter().map(quoted).collect(),
            _ => None,
        };
        let is_role = |role: &&str| !role.trim().is_empty() && role.chars().count() <= MAX_ROLE;
        let fits = |roles: &Vec<&str>| (1..=MAX_CHANNELS).contains(&roles.len()) && roles.iter().all(is_role);
        roles.filter(fits).ok_or_else(|| {
            let message = format!(
                "`channels` is not a list of 1 to {MAX_CHANNELS} roles, each a text in quotes of at most {MAX_ROLE} characters"
            );
            Refusal::invalid(format!("{}.channels", self.place), message)
        })
    }

    /// Whether it names a file.
    pub(crate) fn is_file(&self) -> bool {
        self.node.get("url").is_some()
    }

    /// The caller's label.
    pub(crate) fn label(&self) -> Option<&'n str> {
        self.node.get("label").and_then(quoted)
    }

    /// Where it stands in the body.
    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    /// Reads it, if it is no file.
    pub(crate) fn read(&self) -> Result<Interaction, Refusal> {
        let at = |key: &str| format!("{}.{key}", self.place);
        if let Some(Value::List(segments)) = self.node.get("segments").map(|node| &node.value)
            && segments.len() > MAX_SEGMENTS
        {
            let message = format!("{} segments; the limit is {MAX_SEGMENTS}", segments.len());
            return Err(Refusal::too_large(at("segments"), MAX_SEGMENTS, message));
        }
        let interaction =
            Interaction::from_node(self.node).map_err(|error| Refusal::from(error).inside(&self.place))?;
        let characters: usize = interaction.turns().iter().map(|turn| turn.content.chars().count()).sum();
        if characters > MAX_CHARACTERS {
            let key = if interaction.modality() == Modality::Transcript { "segments" } else { "content" };
            let message = format!("{characters} characters; the limit is {MAX_CHARACTERS}");
            return Err(Refusal::too_large(at(key), MAX_CHARACTERS, message));
        }
        Ok(interaction)
    }
}
