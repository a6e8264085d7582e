//! Examples of request bodies, for the OpenAPI document and its page. Contract tests send each of them.

use crate::routes::Act;
use serde_json::{Value, json};

const KIND: &str = "Good morning! Thank you so much for your patience today, I really appreciate it.";
const RUDE: &str = "What do you want this time? Just read the manual, everybody else can.";

const SORRY: &str =
    "I am so sorry about that. I understand how frustrating it is to call for the third time.";

fn courtesy() -> Value {
    json!({"type": "protocol", "id": "courtesy"})
}

fn talk() -> Value {
    json!({"segments": [
        {"role": "agent", "content": "Good morning! How may I help you today?", "timestamp": 0},
        {"role": "customer", "content": "Thank you, that is very kind. My parcel is late.", "timestamp": 6.5},
        {"role": "agent", "content": "I am so sorry about that. Could you please tell me its number?", "timestamp": 14},
    ]})
}

/// Examples with their names; none for what has no body.
pub(crate) fn of(act: Act) -> Vec<(&'static str, Value)> {
    let text = json!({"target": courtesy(), "interaction": {"content": KIND}});
    let conversation = json!({
        "target": {"type": "protocol", "id": "courtesy", "version": "1.5"}, "interaction": talk(),
        "options": {"profile": "detailed", "offsets": true},
        "v1_5": {"actant": {"primary": "agent", "analyze_flow": true}, "temporal": {"analyze_dynamics": true, "window_seconds": 10}},
    });
    match act {
        Act::Sense => vec![("text", text), ("conversation", conversation)],
        Act::Compare => vec![(
            "before and after",
            json!({"target": courtesy(),
                "interaction_a": {"label": "before", "content": RUDE}, "interaction_b": {"label": "after", "content": KIND}}),
        )],
        Act::SenseStream => vec![(
            "text",
            json!({"target": courtesy(), "interaction": {"content": KIND}, "stream": {"emit_partial": true, "interval_ms": 0}}),
        )],
        Act::SenseBatch => vec![(
            "two texts",
            json!({"target": courtesy(), "interactions": [{"id": "1", "content": KIND}, {"id": "2", "content": RUDE}]}),
        )],
        Act::CheckFidelity => {
            vec![("text", text), ("conversation", json!({"target": courtesy(), "interaction": talk()}))]
        }
        Act::EstimateUsage => vec![(
            "blueprint",
            json!({"target": {"type": "blueprint", "id": "service-call"}, "content_length": 2000, "modality": "transcript"}),
        )],
        Act::OpenDive => vec![(
            "practice",
            json!({"stage_id": "billing-dispute", "agent": {"id": "desk", "version": "1.2"}, "seed": 7}),
        )],
        Act::StepInDive => vec![("first turn", json!({"action": SORRY, "turn": 1}))],
        Act::CloseDive => vec![("note", json!({"summary": "Agreed on a refund within three days."}))],
        _ => Vec::new(),
    }
}
