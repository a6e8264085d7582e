//! What is measured, as arguments give it.

use crate::answer::Refusal;
use crate::limits::{CHARACTERS, TURNS, too_large};
use crate::schema::anything;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sonometer::{Interaction, Messages};

/// What to measure with.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Target {
    /// A protocol, metric or blueprint by its id, such as `courtesy` or `courtesy@2.0`; the tool `protocols` lists them.
    pub(crate) target: Option<String>,
    /// The text of a protocol, metric or blueprint (YAML or JSON) in place of `target`, to try one that is being written.
    pub(crate) source: Option<String>,
}

/// A text or a conversation. Exactly one of the three.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Content {
    /// A text. Of `text`, `turns` and `messages` give exactly one.
    pub(crate) text: Option<String>,
    /// A conversation, turn by turn.
    pub(crate) turns: Option<Vec<Turn>>,
    /// A chat as other programs write it: a list of messages of OpenAI or Anthropic, or the JSON of Gemini, LangChain, ShareGPT, Vercel's AI SDK,
    /// vCon, Contact Lens or Twilio. Tool calls and reasoning are not measured.
    #[serde(default)]
    #[schemars(schema_with = "anything")]
    pub(crate) messages: Option<Value>,
}

/// A turn of a conversation.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Turn {
    /// Who speaks, such as agent, customer, user or assistant.
    role: String,
    /// What is said.
    content: String,
    /// When, in seconds from any origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "number")]
    timestamp: Option<serde_json::Number>,
}

fn number(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "number", "description": "When, in seconds from any origin."})
}

/// An interaction with what is worth telling of how it was read.
pub(crate) struct Read {
    pub(crate) interaction: Interaction,
    /// What was skipped in a chat of another program, and what was not measured.
    pub(crate) notices: Vec<String>,
}

impl Read {
    /// Bytes of all its content.
    pub(crate) fn bytes(&self) -> usize {
        self.interaction.turns().iter().map(|turn| turn.content.len()).sum()
    }

    /// Code points of all its content.
    pub(crate) fn characters(&self) -> usize {
        self.interaction.turns().iter().map(|turn| turn.content.chars().count()).sum()
    }
}

impl Content {
    /// Reads it; `place` is where it stands among the arguments, empty for the arguments themselves.
    ///
    /// # Errors
    /// None or several of the three, what the engine does not read, what is too large.
    pub(crate) fn read(&self, place: &str) -> Result<Read, Refusal> {
        let within = |key: &str| if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
        let read = match (&self.text, &self.turns, &self.messages) {
            (Some(text), None, None) => {
                let interaction = Interaction::text(text);
                let interaction = interaction.map_err(|error| Refusal::engine(&within("text"), error))?;
                Read { interaction, notices: Vec::new() }
            }
            (None, Some(turns), None) => {
                if turns.len() > TURNS {
                    let fix = "send the conversation in parts, or join short turns of one speaker";
                    return Err(too_large(&within("turns"), turns.len(), TURNS, "turns", fix));
                }
                // The engine's own reader, so that numbers and errors are those of every door.
                let json = serde_json::json!({ "segments": turns }).to_string();
                let interaction = Interaction::from_json(&json).map_err(|mut error| {
                    error.place = error.place.replacen("segments", "turns", 1);
                    Refusal::engine(place, error)
                })?;
                Read { interaction, notices: Vec::new() }
            }
            (None, None, Some(messages)) => {
                let json = match messages {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                let read = Messages::read(&json, None);
                let Messages { interaction, apart, mut notices, .. } = read.map_err(|mut error| {
                    // A list without a key is called `segments` by the engine.
                    match error.place.strip_prefix("segments") {
                        Some(rest) => {
                            error.place = within(&format!("messages{rest}"));
                            Refusal::engine("", error)
                        }
                        None => Refusal::engine(&within("messages"), error),
                    }
                })?;
                if !apart.is_empty() {
                    let parts = sonometer_report::counted(apart.len(), "part");
                    notices.push(format!("not measured, since nobody said them: {parts} (tool calls, results, reasoning, media)"));
                }
                Read { interaction, notices }
            }
            (None, None, None) => {
                let message = "there is nothing to measure; give `text`, `turns` or `messages`";
                return Err(Refusal::invalid(place, message));
            }
            _ => {
                let message = "give only one of `text`, `turns` and `messages`";
                return Err(Refusal::invalid(place, message));
            }
        };
        let turns = read.interaction.turns().len();
        if turns > TURNS {
            let fix = "send the conversation in parts";
            return Err(too_large(&within("messages"), turns, TURNS, "turns", fix));
        }
        let characters = read.characters();
        if characters > CHARACTERS {
            let key = match (&self.text, &self.turns) {
                (Some(_), _) => "text",
                (_, Some(_)) => "turns",
                _ => "messages",
            };
            let fix = "send it in parts, or use `sonometer sense` with a file";
            return Err(too_large(&within(key), characters, CHARACTERS, "characters", fix));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> Result<Read, String> {
        let content: Content = serde_json::from_value(value).expect("has the shape");
        content.read("a").map_err(|refusal| format!("{refusal:?}"))
    }

    #[test]
    fn a_conversation_is_the_one_of_the_interface() {
        let turns = json!([{"role": "agent", "content": "Hello.", "timestamp": 1.25}, {"role": "customer", "content": "Hi."}]);
        let own = read(json!({ "turns": turns })).expect("reads").interaction;
        let json = r#"{"segments": [{"role": "agent", "content": "Hello.", "timestamp": 1.25}, {"role": "customer", "content": "Hi."}]}"#;
        assert_eq!(own, Interaction::from_json(json).expect("reads"));
        let messages =
            json!([{"role": "agent", "content": "Hello."}, {"role": "customer", "content": "Hi."}]);
        let read_of =
            |messages| read(json!({ "messages": messages })).expect("reads").interaction.turns().len();
        assert_eq!(read_of(messages.clone()), 2);
        assert_eq!(read_of(messages.to_string().into()), 2, "models send JSON as a text, too");
    }

    #[test]
    fn what_nobody_said_is_told() {
        let messages = json!([
            {"role": "assistant", "content": "One moment.", "tool_calls":
                [{"id": "1", "type": "function", "function": {"name": "find", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "1", "content": "nothing"}
        ]);
        let notices = read(json!({ "messages": messages })).expect("reads").notices;
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(notices[0].contains("2 parts"), "{notices:?}");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (value, part) in [
            (json!({}), r#"place: "a", message: "there is nothing to measure"#),
            (json!({"text": "x", "turns": []}), "give only one of"),
            (json!({"turns": []}), "a transcript needs at least one segment"),
            (json!({"turns": [{"role": " ", "content": "x"}]}), r#"place: "a, turns[0].role""#),
            (json!({"messages": 5}), r#"place: "a.messages", message: "expected a list"#),
            (json!({"messages": []}), r#"place: "a.messages", message: "a transcript needs"#),
            (json!({"messages": [{"role": "user", "content": 5}]}), r#"place: "a.messages[0].content""#),
            (
                json!({"text": "ä".repeat(CHARACTERS + 1)}),
                "200,001 characters; the limit is 200,000; send it in parts",
            ),
            (
                json!({"turns": vec![json!({"role": "a", "content": "x"}); TURNS + 1]}),
                "2,001 turns; the limit is 2,000",
            ),
            (
                json!({"messages": vec![json!({"role": "user", "content": "x"}); TURNS + 1]}),
                "2,001 turns; the limit is 2,000",
            ),
        ] {
            let Err(told) = read(value) else { panic!("{part}: is refused") };
            assert!(told.contains(part), "{part}: {told}");
        }
    }
}
