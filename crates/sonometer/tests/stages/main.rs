//! Stages and dives: what a step does, what is refused, and that the same stage, seed and actions give the same bytes.
#![cfg(feature = "yaml")]

mod cards;
mod dives;
mod files;
mod properties;

use sonometer::stage::{Stage, World};
use sonometer::{Blueprint, Catalog, Error, Metric, Protocol};

/// Protocols that the stages of the tests are sensed by.
pub(crate) struct Shelf;

const MANNERS: &str = r#"
sonometer: 1
id: manners
version: "1.0"
status: published
taxonomy: Good_Practice
language: en
actants: {primary: agent, secondary: customer}
fidelity: {words: 5, sufficient: 0.4}
markers:
  - label: thanks
    negation: drop
    clear: |
      thank you
    hit: Thank you.
  - label: apology
    by: agent
    strong: |
      (i am|i'm) sorry
    hit: "agent: I am sorry."
  - label: echo
    by: agent
    weak: |
      it sounds like
    echo: {of: customer, within: 2 turns, words: 1, boost: 0.5}
    trigger: 0.6
    hit: "agent: It sounds like it."
  - label: shout
    pole: against
    strong: |
      go away
    hit: Go away.
"#;

const CARDS: &str = r#"
sonometer: 1
id: cards
version: "1.0"
status: published
taxonomy: Policy
language: en
actants: {primary: agent, secondary: customer}
fidelity: {words: 1, sufficient: 0.001}
score: risk
markers:
  - label: card
    importance: critical
    join: 3 turns
    strong: |
      <pan>
    mask: last4
    hit: It is 4111 1111 1111 1111.
  - label: never_greeted
    importance: low
    when: {any: "so", by: agent}
    absent: |
      hello
    until: 2 turns after when
"#;

impl Catalog for Shelf {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        match id {
            "manners" => Ok(vec![Protocol::read(MANNERS)?.0]),
            "cards" => Ok(vec![Protocol::read(CARDS)?.0]),
            _ => Ok(Vec::new()),
        }
    }

    fn metrics(&self, _: &str) -> Result<Vec<Metric>, Error> {
        Ok(Vec::new())
    }

    fn blueprints(&self, id: &str) -> Result<Vec<Blueprint>, Error> {
        let text =
            "sonometer_blueprint: 1\nid: both\nversion: \"1.0\"\nprotocols: [manners@1.0, cards@1.0]\n";
        if id == "both" { Ok(vec![Blueprint::read(text)?.0]) } else { Ok(Vec::new()) }
    }
}

/// Two scenes, a trap, variables, lists, and every kind of guard.
pub(crate) const COUNTER: &str = r#"
sonometer_stage: 1
id: counter
version: "1.0"
blueprint: both
objective: Send the customer home content.
roles: {agent: agent, world: customer}
envelope: {max_turns: 6, ics_budget: 9, max_action_chars: 200}
vars: {trust: 1 in 0..3}
lists: {mood: [tired, angry, curt], product: [router, modem]}
start: arrival
scenes:
  arrival:
    world:
      - "A {mood} customer: my {product} is broken."
      - "Your {product} broke, says the {mood} customer."
    do:
      - when: fired(apology) and not fired(shout)
        set: trust + 1
        go: counter
        world: "Fine. (trust {trust})"
      - when: turns_here >= 3
        go: gone
      - otherwise: stay
        set: trust - 1
        world: [Well?, Hello?, Anybody?]
  counter:
    world: Shall I read you my card?
    do:
      - when: fired(thanks) and score >= 0.1
        go: home
      - otherwise: stay
  home: {end: true, world: Goodbye.}
  gone: {end: true}
checkpoints: {heard: reached(counter), home: reached(home) and trust >= 2}
flags:
  card: {when: fired(card), end: true}
  loud: {when: count(shout) >= 2 or times(shout) >= 2}
on_target: score > 0 and fidelity >= 0.4
pass: all(checkpoints) and none(flags)
walkthroughs:
  good: {seed: 7, expect: pass, reason: passed, say: [I am sorry that it is broken., "Thank you so much, you are very kind."]}
  silence: {expect: fail, say: [., ., .]}
  parrot: {expect: fail, say: ["apology thanks apology thanks"]}
"#;

pub(crate) fn world(text: &str) -> World {
    let (stage, warnings) =
        Stage::read(text).unwrap_or_else(|error| panic!("{error}: {:?}", error.diagnostics));
    assert!(warnings.is_empty(), "{warnings:?}");
    World::new(stage, &Shelf).unwrap_or_else(|error| panic!("{error}"))
}

/// That world, compiled once.
pub(crate) fn counter() -> World {
    static COUNTER_WORLD: std::sync::LazyLock<World> = std::sync::LazyLock::new(|| world(COUNTER));
    COUNTER_WORLD.clone()
}

#[expect(clippy::disallowed_methods, reason = "a wish of the person at the keyboard, not of a reading")]
pub(crate) fn blessed() -> bool {
    std::env::var_os("BLESS").is_some()
}
