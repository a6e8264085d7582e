//! A protocol of an organization, on both model iterations, whose counts can be told by looking.

use crate::bench::Bench;
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

/// A server on which it is published.
pub(crate) fn bench() -> Bench {
    let bench = Bench::start();
    bench.publish("acme", &desk("1.0", "1.0", "published"));
    bench
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

/// A stage that the desk senses: the world ends well once `when` holds, which `say` reaches. `more` is further keys.
pub(crate) fn stage(id: &str, version: &str, when: &str, say: &str, more: &str) -> String {
    format!(
        r#"sonometer_stage: 1
id: {id}
name: A place with a porter
version: "{version}"
status: published
description: A porter and a door.
protocol: desk
objective: Get out.
{more}
start: hall
scenes:
  hall:
    world: ["A porter holds the door.", "A porter stands at the door."]
    do:
      - when: {when}
        go: out
        world: He nods.
      - otherwise: stay
        world: He waits.
  out:
    end: true
    world: You are out.
checkpoints:
  out: reached(out)
flags:
  sorry: {{when: fired(sorry) and not fired(thanks)}}
walkthroughs:
  polite: {{expect: pass, say: ["{say}"]}}
  rude: {{expect: fail, say: [let me out of here at once]}}
  silence: {{expect: fail, say: ["."]}}
  parrot: {{expect: fail, say: [thanks, greeting, out]}}
"#
    )
}

/// A door that opens for thanks and a greeting in one breath.
pub(crate) fn door(more: &str) -> String {
    stage("door", "1.0", "fired(thanks) and fired(greeting)", TWO, more)
}

/// A room that thanks and greetings do not end.
pub(crate) fn room(more: &str) -> String {
    let all = "good morning and thank you, I am very sorry for the noise";
    stage("room", "1.0", "fired(thanks) and fired(greeting) and fired(sorry)", all, more)
}
