//! The schemas of dives.

use super::{all, amount, list, named, object, share, text, truth, whole, word};
use crate::parts::part;
use serde_json::{Value, json};
use sonometer::TargetKind;
use sonometer::stage::{Access, Mode};

fn observation() -> Value {
    part("Observation", all([("turn", whole()), ("world", text()), ("done", truth())]))
}

fn reading() -> Value {
    let reading = all([("score", share()), ("on_target", truth()), ("fidelity", share()), ("ics", whole())]);
    part("TurnReading", reading)
}

pub(super) fn opened() -> Value {
    let envelope = all([
        ("access_mode", part("AccessMode", word(Access::NAMES))),
        ("share_scorecard", truth()),
        ("max_turns", whole()),
        ("ics_budget", whole()),
    ]);
    let rules = all([("checkpoints", list(text())), ("flags", list(text())), ("max_turns", whole())]);
    all([
        ("dive_id", text()),
        ("seed", whole()),
        ("mode", part("DiveMode", word(Mode::NAMES))),
        ("stage_version", text()),
        ("blueprint_version", text()),
        ("envelope", part("DiveEnvelope", envelope)),
        ("objective", text()),
        ("rules", part("DiveRules", rules)),
        ("observation", observation()),
    ])
}

pub(super) fn step() -> Value {
    let totals = object([("turns", whole()), ("ics", whole())], [("score", share()), ("on_target", share())]);
    object([("observation", observation()), ("totals", part("DiveTotals", totals))], [("reading", reading())])
}

pub(super) fn dive() -> Value {
    object(
        [
            ("dive_id", text()),
            ("stage_id", text()),
            ("status", part("DiveState", word(&["open", "closed"]))),
            ("turns", whole()),
            ("observation", observation()),
        ],
        [("stagecard", named("StageCard"))],
    )
}

pub(super) fn status() -> Value {
    all([("dive_id", text()), ("status", part("DiveState", word(&["open", "closed"]))), ("turns", whole())])
}

pub(super) fn card() -> Value {
    let digest = || json!({"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"});
    let stamp = || part("Stamp", all([("id", text()), ("version", text()), ("digest", digest())]));
    let blueprint = all([
        ("type", part("TargetType", word(TargetKind::NAMES))),
        ("id", text()),
        ("version", text()),
        ("digest", digest()),
        ("protocols", list(stamp())),
    ]);
    let envelope = all([
        ("access_mode", part("AccessMode", word(Access::NAMES))),
        ("share_scorecard", truth()),
        ("max_turns", whole()),
        ("ics_budget", whole()),
        ("max_action_chars", whole()),
    ]);
    let reasons =
        &["passed", "checkpoint_missing", "flag_tripped", "max_turns", "ics_budget", "closed_early"];
    let verdict = all([
        ("passed", truth()),
        ("reason", word(reasons)),
        ("checkpoints_hit", list(text())),
        ("flags_tripped", list(text())),
    ]);
    let totals = all([("turns", whole()), ("score", share()), ("on_target", share()), ("ics", amount())]);
    let attempt = all([
        ("number", whole()),
        ("graded_so_far", whole()),
        ("record", word(&["first", "best", "last", "mean"])),
    ]);
    let signature = json!({
        "type": "string", "pattern": "^ed25519:[0-9a-f]{16}:[A-Za-z0-9_-]{86}$",
        "description": "Over the card without this key, in canonical JSON (RFC 8785), which is how it is written.",
    });
    let mut card = object(
        [
            ("dive_id", text()),
            ("stage_id", text()),
            ("status", word(&["closed"])),
            ("verdict", part("Verdict", verdict)),
            ("totals", part("CardTotals", totals)),
            ("signature", signature),
            ("blueprint", part("CardBlueprint", blueprint)),
            ("chain", digest()),
            ("engine", text()),
            ("envelope", part("CardEnvelope", envelope)),
            ("mode", part("DiveMode", word(Mode::NAMES))),
            ("seed", whole()),
            ("seed_source", word(&["server", "caller"])),
            ("sonometer_stagecard", json!({"type": "integer", "const": 1})),
            ("stage", stamp()),
        ],
        [
            ("readings", list(reading())),
            ("agent", part("CardAgent", object([("id", text())], [("version", text())]))),
            ("attempt", part("Attempt", attempt)),
            ("summary", text()),
        ],
    );
    card["description"] = json!("`readings` is there only if `share_scorecard` is true.");
    card
}

pub(super) fn keys() -> Value {
    let key = all([
        ("key_id", json!({"type": "string", "pattern": "^[0-9a-f]{16}$"})),
        ("algorithm", word(&["Ed25519"])),
        (
            "public_key",
            json!({"type": "string", "pattern": "^[A-Za-z0-9_-]{43}$", "description": "32 bytes, base64url."}),
        ),
        ("status", word(&["current", "retired"])),
    ]);
    all([("keys", list(part("SigningKey", key)))])
}
