//! `verify_card`.

use super::Call;
use crate::answer::{Answer, Refusal};
use crate::limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sonometer::stage::{Action, Card, Mismatch, replay};
use sonometer_card::Keys;

/// Arguments of `verify_card`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Verify {
    /// The card: the JSON text that `dive_close`, `sonometer dive` or the service gave.
    #[schemars(schema_with = "text_or_object")]
    card: Value,
    /// The log of the dive, one line of JSON an action: the dive is played again, and every byte of the card compared.
    actions: Option<String>,
    /// The public keys that may have signed it, one a line, or what a service answers to `GET /api/v1/keys`.
    keys: Option<String>,
    /// The text of the stage, where it does not ship; only with `actions`.
    stage_source: Option<String>,
}

fn text_or_object(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"description": "The card: the JSON text that `dive_close`, `sonometer dive` or the service gave."})
}

/// What `verify_card` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Verified {
    /// Whether everything that was checked holds.
    holds: bool,
    /// What was checked and holds.
    checked: Vec<&'static str>,
    /// What does not hold, by its key in the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

pub(crate) fn verify(call: &Call, arguments: Verify) -> Result<Answer, Refusal> {
    let Verify { card, actions, keys, stage_source } = arguments;
    let card = match card {
        Value::String(text) => text,
        Value::Object(object) => Value::Object(object).to_string(),
        _ => return Err(Refusal::invalid("card", "this is no card; give its JSON")),
    };
    for (place, text) in [("card", Some(&card)), ("actions", actions.as_ref()), ("keys", keys.as_ref())] {
        text.map_or(Ok(()), |text| limits::source(place, text))?;
    }
    if stage_source.is_some() && actions.is_none() {
        let message =
            "the stage is used to play the dive again; give `actions`, too, or leave out `stage_source`";
        return Err(Refusal::invalid("stage_source", message));
    }
    let mut checked = Vec::new();
    let outcome =
        checks(call, &card, actions.as_deref(), keys.as_deref(), stage_source.as_deref(), &mut checked)?;
    let mut text = String::from(match outcome {
        // Its form and its sums anybody can write.
        Ok(()) if keys.is_none() && actions.is_none() => {
            "the card is well formed; whether it is genuine was not checked"
        }
        Ok(()) => "the card is valid",
        Err(_) => "the card is NOT valid",
    });
    checked.iter().for_each(|what| text.push_str(&format!("\nholds: {what}")));
    let (place, message) = match outcome {
        Ok(()) => (None, None),
        Err(wrong) => {
            text.push_str(&format!("\nwrong: {wrong}"));
            (Some(wrong.place), Some(wrong.message))
        }
    };
    let is_signed = Card::read(&card).is_ok_and(|card| card.signature.is_some());
    if keys.is_none() && is_signed && message.is_none() {
        text.push_str("\nnot checked: who signed it; give `keys`");
    }
    if actions.is_none() && message.is_none() {
        text.push_str("\nnot checked: whether the grade follows from the actions; give `actions`");
    }
    let verified = Verified { holds: message.is_none(), checked, place, message };
    Ok(Answer::new(text, &verified))
}

/// What holds is added to `held`; the first thing that does not is the outcome.
fn checks(
    call: &Call,
    card: &str,
    actions: Option<&str>,
    keys: Option<&str>,
    stage: Option<&str>,
    held: &mut Vec<&'static str>,
) -> Result<Result<(), Mismatch>, Refusal> {
    let card = match Card::read(card) {
        Ok(card) => card,
        Err(wrong) => return Ok(Err(wrong)),
    };
    held.push("format and sums");
    if let Some(keys) = keys {
        let keys = Keys::read(keys).map_err(|wrong| Refusal::invalid("keys", wrong.to_string()))?;
        if let Err(wrong) = sonometer_card::check(&card, &keys) {
            return Ok(Err(wrong));
        }
        held.push("signature");
    }
    let Some(actions) = actions else { return Ok(Ok(())) };
    let log = match Action::read_log(actions) {
        Ok(log) => log,
        Err(wrong) => return Ok(Err(wrong)),
    };
    let named = format!("{}@{}", card.stage.id, card.stage.version);
    let world = match stage {
        Some(source) => {
            let made = call.bench.world(None, Some(source));
            made.map_err(|refusal| refusal.renamed("source", "stage_source"))?
        }
        None => {
            let made = call.bench.world(Some(&named), None);
            made.map_err(|refusal| refusal.at("card").and("give its text as `stage_source`"))?
        }
    };
    limits::work("actions", world.instrument(), actions.len())?;
    if let Err(wrong) = replay(&world, &card, &log) {
        return Ok(Err(wrong));
    }
    held.push("every byte, recomputed from the actions");
    Ok(Ok(()))
}
