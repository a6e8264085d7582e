//! A protocol of an organization, on both model iterations, whose counts can be told by looking.

use serde_json::{Value, json};

/// Three metamarkers: `thanks`, `greeting`, `sorry`; each phrase triggers its own.
pub(crate) fn desk(version: &str, sgm: &str, status: &str) -> String {
    format!(
        r#"sonometer: 1
id: desk
name: Desk
version: "{version}"
sgm: "{sgm}"
status: {status}
taxonomy: Signal
description: What is said at a desk.
language: en
modalities: [text, transcript]
actants: {{primary: agent, secondary: customer}}
fidelity: {{words: 4, turns: 1, sufficient: 0.5}}
markers:
  - label: thanks
    description: Somebody says thanks.
    importance: high
    strong: thank you
    weak: thankful
  - label: greeting
    description: Somebody says good morning.
    importance: medium
    strong: good morning
  - label: sorry
    description: Somebody is sorry.
    importance: low
    strong: (so|very) sorry
"#
    )
}

pub(crate) fn target(id: &str) -> Value {
    json!({"type": "protocol", "id": id})
}

pub(crate) fn text(content: &str) -> Value {
    json!({"content": content})
}

/// A request to sense a text.
pub(crate) fn sense(id: &str, content: &str) -> Value {
    json!({"target": target(id), "interaction": text(content)})
}

/// One ICS with the desk.
pub(crate) const ONE: &str = "thank you for the ticket to the city";
/// Two ICS.
pub(crate) const TWO: &str = "good morning and thank you for the ticket";
/// None.
pub(crate) const NONE: &str = "the train to the city leaves at nine";
/// Too little for the desk.
pub(crate) const LITTLE: &str = "hm";
