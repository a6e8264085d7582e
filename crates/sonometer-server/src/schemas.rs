//! The schemas of answers, for the OpenAPI document. Contract tests hold every answer against them.

mod dives;

use crate::parts::{capitalized, part};
use serde_json::{Map, Value, json};
use sonometer::protocol::{Modality, Taxonomy};
use sonometer::{Profile, TargetKind};
use sonometer_service::cause::Kind;
use sonometer_service::request::{MAX_CHARACTERS, MAX_SEGMENTS};
use sonometer_service::text::{NOT_BLANK, TEXT};

pub(crate) fn text() -> Value {
    json!({"type": "string"})
}

/// A text that is sent to the service.
fn sent() -> Value {
    json!({"type": "string", "pattern": TEXT})
}

fn word(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}

pub(crate) fn whole() -> Value {
    json!({"type": "integer", "minimum": 0})
}

fn share() -> Value {
    json!({"type": "number", "minimum": 0, "maximum": 1})
}

fn change() -> Value {
    json!({"type": "number", "minimum": -1, "maximum": 1})
}

fn amount() -> Value {
    json!({"type": "number", "minimum": 0})
}

pub(crate) fn truth() -> Value {
    json!({"type": "boolean"})
}

pub(crate) fn moment() -> Value {
    json!({"type": "string", "format": "date-time"})
}

pub(crate) fn list(of: Value) -> Value {
    json!({"type": "array", "items": of})
}

fn map(of: Value) -> Value {
    json!({"type": "object", "additionalProperties": of})
}

fn named(schema: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{schema}")})
}

/// An object with these keys, and these others that may be missing.
fn object<const N: usize>(
    keys: [(&'static str, Value); N],
    more: impl IntoIterator<Item = (&'static str, Value)>,
) -> Value {
    let required = keys.each_ref().map(|(key, _)| *key).to_vec();
    let all = keys.into_iter().chain(more).map(|(key, schema)| (key.to_owned(), schema));
    let properties: Map<String, Value> = all.collect();
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if N > 0 {
        schema["required"] = json!(required);
    }
    schema
}

/// An object with these keys.
pub(crate) fn all<const N: usize>(keys: [(&'static str, Value); N]) -> Value {
    object(keys, [])
}

fn target() -> Value {
    part("Target", all([("type", target_type()), ("id", text()), ("version", text())]))
}

fn target_type() -> Value {
    part("TargetType", word(TargetKind::NAMES))
}

fn profile() -> Value {
    part("Profile", word(Profile::NAMES))
}

fn modality() -> Value {
    part("Modality", word(Modality::NAMES))
}

fn taxonomy() -> Value {
    part("Taxonomy", word(Taxonomy::NAMES))
}

fn price() -> Value {
    part("Price", all([("consumed", whole()), ("cost_usd", amount())]))
}

fn fidelity() -> Value {
    let fidelity = object(
        [("index", share()), ("sufficient", truth())],
        [
            ("density", share()),
            ("clarity", share()),
            ("roles_asked", list(text())),
            ("roles_seen", list(text())),
        ],
    );
    part("FidelityScore", fidelity)
}

fn page<const N: usize>(key: &'static str, name: &str, item: [(&'static str, Value); N]) -> Value {
    all([(key, list(part(name, all(item)))), ("total", whole()), ("limit", whole()), ("offset", whole())])
}

/// What is measured; in a batch under an id of its own.
fn interaction(in_batch: bool) -> Value {
    let content = json!({"type": "string", "maxLength": MAX_CHARACTERS, "pattern": TEXT});
    let segment = object(
        [("role", json!({"type": "string", "pattern": NOT_BLANK})), ("content", content.clone())],
        [("timestamp", json!({"type": ["number", "null"], "minimum": -9e12, "maximum": 9e12}))],
    );
    let segment = part("Segment", segment);
    let segments = json!({"type": "array", "minItems": 1, "maxItems": MAX_SEGMENTS, "items": segment});
    let address = json!({"type": "string", "format": "uri"});
    let of = |kinds: &[&str], key: &'static str, schema: Value, about: &str| {
        let mut shape = object(
            [(key, schema)],
            [("type", word(kinds)), ("language", sent()), ("id", sent()), ("label", sent())],
        );
        shape["description"] = json!(about);
        if in_batch {
            shape["required"] = json!([key, "id"]);
            shape["properties"]["id"] =
                json!({"type": "string", "minLength": 1, "maxLength": 256, "pattern": TEXT});
        }
        shape
    };
    let mut file = of(
        &["audio", "document"],
        "url",
        address,
        "A file: a document, mail, table, chat, captions or a recording. It is fetched from a public address; a \
         deployment without files or without speech recognition answers 400.",
    );
    file["properties"]["channels"] = json!({
        "type": "array", "minItems": 1, "maxItems": 8, "items": {"type": "string", "minLength": 1, "maxLength": 256, "pattern": NOT_BLANK},
        "description": "The roles of the channels of a recording, in their order.",
    });
    let named = |name: &str, schema| {
        part(&format!("{name}{}", if in_batch { "Item" } else { "Interaction" }), schema)
    };
    json!({"description": "What is measured. Its modality follows from its form.", "oneOf": [
        named("Text", of(&["text"], "content", content, "A text.")),
        named("Transcript", of(&["transcript"], "segments", segments, "A conversation.")),
        named("File", file),
    ]})
}

fn reading() -> Value {
    let reconstruction = all([("segment_text", text()), ("attribution", text()), ("actant", text())]);
    let reconstruction = part("Reconstruction", reconstruction);
    let stretch = part("Stretch", all([("segment", whole()), ("start", whole()), ("end", whole())]));
    let place = || {
        let stretches = list(stretch.clone());
        [
            ("actant", text()),
            ("segment", whole()),
            ("start", whole()),
            ("end", whole()),
            ("joined", stretches),
        ]
    };
    let evidence = object(
        [("metamarker", text()), ("score", share()), ("source", text())],
        place().into_iter().chain([("reconstruction", reconstruction)]),
    );
    let weight = json!({"type": "number", "exclusiveMaximum": 0, "description": "What it takes away."});
    let against = object([("metamarker", text()), ("weight", weight), ("source", text())], place());
    let weak = object(
        [("metamarker", text()), ("proximity", share()), ("hint", text())],
        [("score", share()), ("source", text())].into_iter().chain(place()),
    );
    let unheard = all([("metamarker", text()), ("roles", list(text()))]);
    let mode = json!({"type": ["string", "null"], "description": "The strongest metamarker; null if none triggered."});
    let signal = all([("spread", share()), ("coherence", share()), ("dominant_mode", mode)]);
    let flow = all([
        ("primary_driven", list(text())),
        ("secondary_driven", list(text())),
        ("direction", word(&["primary_to_secondary", "secondary_to_primary", "mutual", "none"])),
        ("balance", share()),
    ]);
    let trends = &["rising", "falling", "stable", "volatile", "insufficient"];
    let temporal = all([("trend", word(trends)), ("phase_shifts", whole())]);
    let ics = object(
        [("consumed", whole()), ("cost_usd", amount()), ("sgm_version", word(&["1.0", "1.5"]))],
        [("markers", list(text()))],
    );
    let component = all([
        ("protocol_id", text()),
        ("version", text()),
        ("weight", amount()),
        ("score", share()),
        ("fidelity", fidelity()),
    ]);
    let member = part("MemberScore", all([("id", text()), ("version", text()), ("score", share())]));
    object(
        [
            ("target", target()),
            ("score", share()),
            ("resonance", map(share())),
            ("evidence", list(part("Evidence", evidence))),
            ("fidelity", fidelity()),
            ("ics", part("SenseIcs", ics)),
        ],
        [
            ("profile", profile()),
            ("against", list(part("CounterEvidence", against))),
            ("weak_signals", list(part("WeakSignal", weak))),
            ("unheard", list(part("Unheard", unheard))),
            ("signal", part("Signal", signal)),
            ("actant_flow", part("ActantFlow", flow)),
            ("temporal", part("Temporal", temporal)),
            ("origin", origin()),
            ("components", list(part("ComponentScore", component))),
            ("protocols", list(member.clone())),
            ("metrics", list(member)),
        ],
    )
}

/// Facts about a file, where `options.origin` asks for it.
fn origin() -> Value {
    let place = object(
        [("shown", text())],
        [
            ("page", whole()),
            ("paragraph", whole()),
            ("table", whole()),
            ("sheet", text()),
            ("cell", text()),
            ("line", whole()),
            ("message", whole()),
            ("time", json!({"type": "number", "description": "Seconds."})),
            ("part", text()),
            ("path", text()),
        ],
    );
    let places = json!({
        "type": "array", "items": {"anyOf": [part("Place", place), {"type": "null"}]},
        "description": "Where in the file each piece of evidence begins, in the order of `evidence`.",
    });
    let digest = json!({"type": "string", "pattern": "^[0-9a-f]{64}$"});
    let mut origin = all([
        ("kind", text()),
        ("modality", modality()),
        ("bytes", whole()),
        ("sha256", digest.clone()),
        ("text_sha256", digest.clone()),
        ("reader", text()),
        ("notes", list(text())),
        ("places", places),
    ]);
    let seconds = json!({"type": "number", "minimum": 0});
    let mut sound = object(
        [("shown", text()), ("seconds", seconds), ("heard_by", text()), ("transcript_sha256", digest)],
        [("confidence", share())],
    );
    sound["description"] = json!("For a recording: its form, the recogniser, and the transcript used.");
    origin["properties"]["sound"] = part("Sound", sound);
    part("Origin", origin)
}

fn comparison() -> Value {
    let side = all([
        ("label", text()),
        ("score", share()),
        ("resonance", map(share())),
        ("metamarkers_triggered", whole()),
    ]);
    let side = part("ComparedSide", side);
    let shift = part("ResonanceShift", all([("a", share()), ("b", share()), ("change", change())]));
    let delta = all([
        ("score_change", change()),
        ("direction", word(&["improvement", "decline", "unchanged"])),
        ("resonance_shifts", map(shift)),
        ("metamarker_change", json!({"type": "integer"})),
    ]);
    all([
        ("target", target()),
        ("interaction_a", side.clone()),
        ("interaction_b", side),
        ("delta", part("Delta", delta)),
        ("ics", price()),
    ])
}

fn batch() -> Value {
    let result = all([("id", text()), ("score", share()), ("metamarkers", whole()), ("fidelity", share())]);
    let summary = all([("total", whole()), ("average_score", share()), ("total_metamarkers", whole())]);
    let ics = all([("total_consumed", whole()), ("total_cost_usd", amount())]);
    all([
        ("results", list(part("BatchResult", result))),
        ("summary", part("BatchSummary", summary)),
        ("ics", part("BatchIcs", ics)),
    ])
}

fn usage() -> Value {
    let overage = all([("rate_usd", amount()), ("used", whole()), ("cost_usd", amount())]);
    all([
        ("tier", text()),
        ("quota", whole()),
        ("used", whole()),
        ("remaining", whole()),
        ("period", text()),
        ("reset", moment()),
        ("overage", part("Overage", overage)),
    ])
}

fn history() -> Value {
    let entry = all([
        ("timestamp", moment()),
        ("target", target()),
        ("ics_consumed", whole()),
        ("metamarkers_triggered", whole()),
        ("cost_usd", amount()),
    ]);
    let totals = all([("ics", whole()), ("cost_usd", amount()), ("analyses", whole())]);
    all([
        ("period", text()),
        ("entries", list(part("HistoryEntry", entry))),
        ("totals", part("HistoryTotals", totals)),
        ("total_entries", whole()),
        ("limit", whole()),
        ("offset", whole()),
    ])
}

fn charges() -> Value {
    let or_null = |about: &str| json!({"type": ["string", "null"], "description": about});
    let unknown = "Null in what an older version charged.";
    let digest = ("digest", or_null(unknown));
    let target = all([("type", target_type()), ("id", text()), ("version", text()), digest]);
    let kind = json!({"anyOf": [part("ChargeKind", word(&Kind::NAMES)), {"type": "null"}]});
    let markers = json!({"type": ["array", "null"], "items": text(), "description": "The metamarkers that were charged."});
    let charge = all([
        ("timestamp", moment()),
        ("period", text()),
        ("request_id", or_null(unknown)),
        ("charge_id", text()),
        ("line", whole()),
        ("token_id", text()),
        ("mode", part("Mode", word(&["test", "live"]))),
        ("kind", kind),
        ("target", part("ChargedTarget", target)),
        ("ics_consumed", whole()),
        ("metamarkers", markers),
        ("overage_ics", whole()),
        ("cost_usd", amount()),
        ("idempotency_key", or_null("Null where the request had none.")),
    ]);
    let mut totals =
        all([("ics", whole()), ("overage_ics", whole()), ("cost_usd", amount()), ("analyses", whole())]);
    totals["description"] = json!("Of all pages together; on the first page only.");
    object(
        [
            ("charges", list(part("Charge", charge))),
            ("limit", whole()),
            ("next_cursor", or_null("Null on the last page.")),
        ],
        [("totals", part("ChargeTotals", totals))],
    )
}

fn capabilities() -> Value {
    let iteration = all([("status", word(&["stable", "preview"])), ("capabilities", list(text()))]);
    let tool = all([
        ("name", text()),
        ("description", text()),
        ("endpoint", text()),
        ("required_params", list(text())),
        ("optional_params", list(text())),
        ("cost", text()),
    ]);
    all([
        ("api_version", text()),
        ("sgm_versions", map(part("SgmVersion", iteration))),
        ("tools", list(part("Tool", tool))),
        ("profiles", list(profile())),
        ("supported_modalities", list(modality())),
        ("billing_unit", word(&["ICS"])),
        ("billing_model", word(&["outcome-based"])),
    ])
}

fn error() -> Value {
    let details = object(
        [],
        [
            ("place", text()),
            ("index", whole()),
            ("which", word(&["interaction_a", "interaction_b"])),
            ("reason", text()),
            ("limit", whole()),
            ("fidelity", fidelity()),
            ("quota", whole()),
            ("used", whole()),
            ("reset", moment()),
            ("needed", whole()),
            ("max", whole()),
            ("window", whole()),
            ("resets", moment()),
            ("turn", whole()),
        ],
    );
    let codes: Vec<&str> = sonometer_service::Code::ALL.iter().map(|code| code.as_str()).collect();
    let more = [("details", part("ErrorDetails", details)), ("request_id", text())];
    let body = object([("code", part("ErrorCode", word(&codes))), ("message", text())], more);
    all([("error", part("ErrorBody", body))])
}

/// One Server-Sent Event.
fn event() -> Value {
    let told = |about: &str, name: &str, data: Value| {
        let kind = capitalized(name);
        // Those of `error` have a name already.
        let data = if data["$ref"].is_null() { part(&format!("{kind}Data"), data) } else { data };
        let data = json!({"type": "string", "contentMediaType": "application/json", "contentSchema": data});
        // The last one says so, since a client sends it back as `Last-Event-ID` and must not be told everything again.
        let last = if name == "complete" { "-complete" } else { "" };
        let id = json!({
            "type": "string",
            "pattern": format!("^str_[0-9A-Za-z]+-[0-9]+{last}$"),
            "description": "The name of the stream, and the number of the event from 0.",
        });
        let mut event = all([("event", word(&[name])), ("id", id), ("data", data)]);
        event["description"] = json!(about);
        part(&format!("{kind}Event"), event)
    };
    let sufficiency = all([("index", share()), ("sufficient", truth())]);
    let complete = all([("score", share()), ("ics_consumed", whole())]);
    json!({
        "description": "Any number of `resonance`, then `fidelity`, and `complete` last; or, last, `error`.",
        "oneOf": [
            told("The score of a metamarker so far.", "resonance", all([("metamarker", text()), ("score", share())])),
            told("The fidelity of the content.", "fidelity", sufficiency),
            told("The end: everything is measured and charged.", "complete", complete),
            told("The end: nothing is charged.", "error", named("Error")),
        ],
    })
}

/// What the address of a callback is sent.
fn notification() -> Value {
    let data = |status: &[&str], key: &'static str, schema: Value| {
        all([("job_id", text()), ("status", word(status)), (key, schema)])
    };
    let of = |kind: &str, name: &str, data: Value| {
        let data = part(&format!("{name}Data"), data);
        part(name, all([("type", word(&[kind])), ("timestamp", moment()), ("data", data)]))
    };
    let inner = error()["properties"]["error"].clone();
    json!({"oneOf": [
        of("sense.complete", "SenseCompleted", data(&["completed"], "result", named("Sense"))),
        of("sense.error", "SenseFailed", data(&["failed"], "error", inner)),
    ]})
}

/// Every schema that endpoints name.
pub(crate) fn components() -> Value {
    let three = part("Range", all([("min", amount()), ("max", amount()), ("typical", amount())]));
    let estimate = all([
        ("estimated_ics", three.clone()),
        ("estimated_cost_usd", three),
        ("remaining_quota", whole()),
        ("will_exceed_quota", truth()),
    ]);
    let status = all([
        ("status", word(&["healthy"])),
        ("version", text()),
        ("authenticated", truth()),
        ("sgm_versions", map(word(&["stable", "preview"]))),
        ("profiles", list(profile())),
        ("supported_modalities", list(modality())),
        ("ics", part("StatusIcs", all([("remaining", whole()), ("period", text())]))),
    ]);
    let protocols = page(
        "protocols",
        "ProtocolSummary",
        [
            ("id", text()),
            ("name", text()),
            ("versions", list(text())),
            ("taxonomy", taxonomy()),
            ("status", word(&["published", "draft"])),
            ("metamarker_count", whole()),
            ("supported_modalities", list(modality())),
        ],
    );
    let importance = word(&["critical", "high", "medium", "low"]);
    let metamarker = all([("label", text()), ("description", text()), ("importance", importance)]);
    let protocol = all([
        ("id", text()),
        ("name", text()),
        ("version", text()),
        ("versions_available", list(text())),
        ("taxonomy", taxonomy()),
        ("status", word(&["published", "draft", "archived"])),
        ("description", text()),
        ("metamarkers", list(part("Metamarker", metamarker))),
        ("supported_modalities", list(modality())),
        ("sgm_version", word(&["1.0", "1.5"])),
    ]);
    let standing = || word(&["active", "archived"]);
    let aggregation = || word(&["weighted_average"]);
    let metrics = page(
        "metrics",
        "MetricSummary",
        [
            ("id", text()),
            ("name", text()),
            ("status", standing()),
            ("protocol_count", whole()),
            ("aggregation", aggregation()),
        ],
    );
    let metric = all([
        ("id", text()),
        ("name", text()),
        ("status", standing()),
        ("components", list(part("MetricComponent", all([("protocol_id", text()), ("weight", amount())])))),
        ("aggregation", aggregation()),
    ]);
    let blueprints = page(
        "blueprints",
        "BlueprintSummary",
        [
            ("id", text()),
            ("name", text()),
            ("status", standing()),
            ("protocol_count", whole()),
            ("metric_count", whole()),
        ],
    );
    let protocol_of_blueprint = all([("id", text()), ("version", text()), ("metamarker_count", whole())]);
    let metric_of_blueprint = all([("id", text()), ("aggregation", aggregation())]);
    let blueprint = all([
        ("id", text()),
        ("name", text()),
        ("description", text()),
        ("status", standing()),
        ("protocols", list(part("BlueprintProtocol", protocol_of_blueprint))),
        ("metrics", list(part("BlueprintMetric", metric_of_blueprint))),
        ("supported_modalities", list(modality())),
    ]);
    let check = all([("target", target()), ("fidelity", fidelity()), ("ics", price())]);
    let accepted = all([
        ("job_id", text()),
        ("status", word(&["processing"])),
        ("estimated_seconds", amount()),
        ("poll_url", text()),
        ("callback_registered", truth()),
    ]);
    let queued = all([
        ("job_id", text()),
        ("status", word(&["processing"])),
        ("items_queued", whole()),
        ("estimated_seconds", amount()),
        ("poll_url", text()),
    ]);
    let job = object(
        [
            ("job_id", text()),
            ("status", word(&["processing", "completed", "failed", "cancelled"])),
            ("progress", share()),
            ("created_at", moment()),
            ("estimated_remaining_seconds", amount()),
        ],
        [
            ("completed_at", moment()),
            ("result", json!({"oneOf": [named("Sense"), named("Batch")]})),
            ("error", error()["properties"]["error"].clone()),
        ],
    );
    json!({
        "Interaction": interaction(false),
        "BatchInteraction": interaction(true),
        "Accepted": accepted,
        "Queued": queued,
        "Job": job,
        "Jobs": all([("jobs", list(named("Job"))), ("total", whole()), ("limit", whole()), ("offset", whole())]),
        "DiveOpen": dives::opened(),
        "DiveStep": dives::step(),
        "StageCard": dives::card(),
        "Dive": dives::dive(),
        "DiveStatus": dives::status(),
        "Keys": dives::keys(),
        "Event": event(),
        "Notification": notification(),
        "Sense": reading(),
        "Compare": comparison(),
        "Batch": batch(),
        "FidelityCheck": check,
        "Usage": usage(),
        "Estimate": estimate,
        "History": history(),
        "Charges": charges(),
        "Status": status,
        "Capabilities": capabilities(),
        "Protocols": protocols,
        "Protocol": protocol,
        "Metrics": metrics,
        "Metric": metric,
        "Blueprints": blueprints,
        "Blueprint": blueprint,
        "Health": all([("status", word(&["ok", "ready"]))]),
        "Error": error(),
    })
}

/// The schema of an answer.
pub(crate) fn reference(name: &str) -> Value {
    named(name)
}
