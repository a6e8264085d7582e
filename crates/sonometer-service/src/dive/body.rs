//! The bodies of requests about dives.

use crate::refusal::Refusal;
use crate::shape::{Field, Shape, integer, read};
use sonometer::document::Node;
use sonometer::stage::{Agent, MAX_SEED};

/// The most characters of a closing note.
const MAX_SUMMARY: usize = 4_000;
/// The most characters of a password.
const MAX_PASSWORD: usize = 1_024;
/// More than any stage takes: a stage reports what is too long for it in its own words.
const MAX_ACTION: usize = 1 << 20;
/// More than any stage has.
const MAX_TURN: u64 = 1_000_000;

/// The body of `POST /api/v1/dive/open`.
pub fn open_shape() -> Shape {
    Shape::Object(vec![
        Field::required(
            "stage_id",
            Shape::Text(1, 130),
            "the stage: `id@version` for a version, `id` for the latest published one",
        ),
        Field::optional("session_id", Shape::Text(1, 128), "the session, for a stage that needs one"),
        Field::optional("password", Shape::Text(0, MAX_PASSWORD), "the password, for a stage that needs one"),
        Field::optional(
            "agent",
            Shape::Object(vec![
                Field::required("id", Shape::Text(1, 128), "the caller's name for its agent"),
                Field::optional("version", Shape::Text(1, 128), "the version of the agent"),
            ]),
            "a tag for the card; attempts are counted by it",
        ),
        Field::optional(
            "seed",
            Shape::Integer(0, MAX_SEED),
            "the seed of the variations of the world; by default chosen by the service",
        ),
    ])
}

/// The body of `POST /api/v1/dive/{dive_id}/act`.
pub fn act_shape() -> Shape {
    Shape::Object(vec![
        Field::required("action", Shape::Text(0, MAX_ACTION), "what the agent says"),
        Field::optional(
            "turn",
            Shape::Integer(1, MAX_TURN),
            "the number of the action, from 1; a repetition gets the same answer and costs nothing",
        ),
    ])
}

/// The body of `POST /api/v1/dive/{dive_id}/close`.
pub fn close_shape() -> Shape {
    Shape::Object(vec![Field::optional(
        "summary",
        Shape::Text(1, MAX_SUMMARY),
        "a closing note, for the card",
    )])
}

pub(super) struct Open {
    pub(super) stage: String,
    pub(super) session: Option<String>,
    pub(super) password: Option<String>,
    pub(super) agent: Option<Agent>,
    pub(super) seed: Option<u64>,
}

impl Open {
    /// What is asked for, but for the password: no hash that is kept may be a quick way to guess it.
    pub(super) fn told(&self) -> String {
        let Self { stage, session, agent, seed, .. } = self;
        format!("{stage:?} {session:?} {agent:?} {seed:?}")
    }
}

pub(super) fn open(body: &str) -> Result<Open, Refusal> {
    let root = read(body, &open_shape())?;
    let text = |key| root.get(key).and_then(Node::text).map(str::to_owned);
    let agent = root.get("agent").map(|agent| {
        let text = |key| agent.get(key).and_then(Node::text).map(str::to_owned);
        Agent { id: text("id").unwrap_or_default(), version: text("version") }
    });
    Ok(Open {
        stage: text("stage_id").unwrap_or_default(),
        session: text("session_id"),
        password: text("password"),
        agent,
        seed: root.get("seed").and_then(Node::text).and_then(integer),
    })
}

pub(super) struct Act {
    pub(super) action: String,
    pub(super) turn: Option<u64>,
}

pub(super) fn act(body: &str) -> Result<Act, Refusal> {
    let root = read(body, &act_shape())?;
    Ok(Act {
        action: root.get("action").and_then(Node::text).unwrap_or_default().to_owned(),
        turn: root.get("turn").and_then(Node::text).and_then(integer),
    })
}

/// The closing note, if there is one.
pub(super) fn close(body: &str) -> Result<Option<String>, Refusal> {
    let root = read(body, &close_shape())?;
    Ok(root.get("summary").and_then(Node::text).map(str::to_owned))
}
