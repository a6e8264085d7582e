//! The schemas of dives.

use super::{all, amount, list, named, object, share, text, truth, whole, word};
use serde_json::{Value, json};
use sonometer::TargetKind;
use sonometer::stage::{Access, Mode};

fn observation() -> Value {
    all([("turn", whole()), ("world", text()), ("done", truth())])
}

fn reading() -> Value {
    all([("score", share()), ("on_target", truth()), ("fidelity", share()), ("ics", whole())])
}

pub(super) fn opened() -> Value {
    let envelope = all([
        ("access_mode", word(Access::NAMES)),
        ("share_scorecard", truth()),
        ("max_turns", whole()),
        ("ics_budget", whole()),
    ]);
    let rules = all([("checkpoints", list(text())), ("flags", list(text())), ("max_turns", whole())]);
    all([
        ("dive_id", text()),
        ("seed", whole()),
        ("mode", word(Mode::NAMES)),
        ("stage_version", text()),
        ("blueprint_version", text()),
        ("envelope", envelope),
        ("objective", text()),
        ("rules", rules),
        ("observation", observation()),
    ])
}

pub(super) fn step() -> Value {
    let totals = object([("turns", whole()), ("ics", whole())], [("score", share()), ("on_target", share())]);
    object([("observation", observation()), ("totals", totals)], [("reading", reading())])
}

pub(super) fn dive() -> Value {
    object(
        [
            ("dive_id", text()),
            ("stage_id", text()),
            ("status", word(&["open", "closed"])),
            ("turns", whole()),
            ("observation", observation()),
        ],
        [("stagecard", named("StageCard"))],
    )
}

pub(super) fn status() -> Value {
    all([("dive_id", text()), ("status", word(&["open", "closed"])), ("turns", whole())])
}

pub(super) fn card() -> Value {
    let digest = || json!({"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"});
    let stamp = || all([("id", text()), ("version", text()), ("digest", digest())]);
    let blueprint = all([
        ("type", word(TargetKind::NAMES)),
        ("id", text()),
        ("version", text()),
        ("digest", digest()),
        ("protocols", list(stamp())),
    ]);
    let envelope = all([
        ("access_mode", word(Access::NAMES)),
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
            ("verdict", verdict),
            ("totals", totals),
            ("signature", signature),
            ("blueprint", blueprint),
            ("chain", digest()),
            ("engine", text()),
            ("envelope", envelope),
            ("mode", word(Mode::NAMES)),
            ("seed", whole()),
            ("seed_source", word(&["server", "caller"])),
            ("sonometer_stagecard", json!({"type": "integer", "const": 1})),
            ("stage", stamp()),
        ],
        [
            ("readings", list(reading())),
            ("agent", object([("id", text())], [("version", text())])),
            ("attempt", attempt),
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
    all([("keys", list(key))])
}
