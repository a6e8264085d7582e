//! Chats as other programs write them, in the place of interactions.

use serde_json::Value;
use sonometer::{Error, Interaction, MessageForm, Messages};

/// An interaction, and of a chat which message each turn is.
pub(super) struct Talk {
    pub(super) interaction: Interaction,
    messages: Option<Numbered>,
}

/// The messages of a chat: some are no turns, and what the model is told may be a turn and no message.
struct Numbered {
    count: usize,
    /// By turn.
    numbers: Vec<Option<usize>>,
}

impl From<Interaction> for Talk {
    fn from(interaction: Interaction) -> Self {
        Self { interaction, messages: None }
    }
}

/// An interaction as it is written here, a text, or what is said in a chat as other programs write it.
pub(super) fn talk(json: &str) -> Result<Talk, Error> {
    if let Ok(text) = serde_json::from_str::<String>(json) {
        return Interaction::text(&text).map(Talk::from);
    }
    let own = Interaction::from_json(json).map(Talk::from);
    own.or_else(|error| {
        if MessageForm::of_others(json).is_none() {
            return Err(error);
        }
        let Messages { interaction, places, .. } = Messages::read(json, None)?;
        Ok(Talk { interaction, messages: numbered(json, &places) })
    })
}

impl Talk {
    /// Labels with a value for each turn, where they have one for each message.
    pub(super) fn align(&self, labels: &mut Value) {
        let Some(Numbered { count, numbers }) = &self.messages else { return };
        match labels {
            Value::Array(values) if values.len() == *count => {
                let of_turn = |number: &Option<usize>| number.map_or(Value::Null, |at| values[at].clone());
                *labels = numbers.iter().map(of_turn).collect();
            }
            Value::Object(members) => members.values_mut().for_each(|inner| self.align(inner)),
            _ => {}
        }
    }
}

/// Which message each turn is, by places such as `messages[2].content`.
fn numbered(json: &str, places: &[String]) -> Option<Numbered> {
    let root: Value = serde_json::from_str(json).ok()?;
    let number = |place: &String| place.split_once('[')?.1.split_once(']')?.0.parse::<usize>().ok();
    let key = places.iter().find_map(|place| place.split_once('[')).map(|(key, _)| key)?;
    let list = root.get(key).unwrap_or(&root).as_array()?;
    let numbers: Vec<Option<usize>> = places.iter().map(number).collect();
    let are_there = numbers.iter().flatten().all(|number| *number < list.len());
    are_there.then_some(Numbered { count: list.len(), numbers })
}

#[cfg(test)]
mod tests {
    use super::super::{Background, Labelled};
    use serde_json::{Value, json};

    fn said(line: &str) -> Vec<String> {
        let labelled = Labelled::read("items.jsonl", line.as_bytes()).expect("reads");
        let [item] = labelled.items() else { panic!("{line}") };
        assert_eq!(item.id, "a", "{line}");
        assert_eq!(item.labels["kind"], true, "{line}");
        item.interaction.turns().iter().map(|turn| turn.content.to_string()).collect()
    }

    #[test]
    fn a_labelled_line_may_be_a_chat_or_hold_one() {
        let chat = r#"[{"role": "user", "content": "hi"}, {"role": "assistant", "content": null, "tool_calls": []}]"#;
        let gemini = r#"[{"role": "user", "parts": [{"text": "hi"}]}]"#;
        let around = r#""id": "a", "labels": {"kind": true}"#;
        for line in [
            format!(r#"{{{around}, "interaction": "hi"}}"#),
            format!(r#"{{{around}, "messages": {chat}}}"#),
            format!(r#"{{{around}, "contents": {gemini}}}"#),
            format!(r#"{{{around}, "conversations": [{{"from": "human", "value": "hi"}}]}}"#),
            format!(r#"{{{around}, "interaction": {chat}}}"#),
            format!(r#"{{{around}, "interaction": {{"messages": {chat}}}}}"#),
        ] {
            assert_eq!(said(&line), ["hi"]);
        }
        let background = format!("{{\"messages\": {chat}}}\n{{\"interaction\": {chat}}}\n");
        assert!(Background::read([("f.jsonl", background.as_bytes())]).is_ok());
        let pair = format!(
            r#"{{{around}, "interaction_a": {{"messages": {chat}}}, "interaction_b": {{"content": "b"}}}}"#
        );
        assert!(Labelled::read("pairs.jsonl", pair.as_bytes()).is_ok());
    }

    #[test]
    fn labels_of_messages_are_those_of_their_turns() {
        let chat = r#"[{"role": "user", "content": "a"}, {"role": "tool", "tool_call_id": "1", "content": "t"}, {"role": "user", "content": "b"}]"#;
        let labels = r#"{"kind": [1, 2, 3], "deep": {"kind": [1, null, 3]}, "set": ["x", "y"]}"#;
        for (line, kind) in [
            (format!(r#"{{"messages": {chat}, "labels": {labels}}}"#), json!([1, 3])),
            (format!(r#"{{"interaction": {chat}, "labels": {labels}}}"#), json!([1, 3])),
            (format!(r#"{{"system": "s", "messages": {chat}, "labels": {labels}}}"#), json!([null, 1, 3])),
        ] {
            let labelled = Labelled::read("items.jsonl", line.as_bytes()).expect("reads");
            let labels = &labelled.items()[0].labels;
            assert_eq!((&labels["kind"], &labels["deep"]["kind"]), (&kind, &kind), "{line}");
            assert_eq!(labels["set"], json!(["x", "y"]), "{line}");
        }
    }

    #[test]
    fn a_single_label_needs_no_list_of_labels() {
        let line = r#"{"messages": [{"role": "user", "content": "hi"}], "label": "kind"}
{"interaction": {"content": "hi"}, "label": {"tone": "kind"}}
{"interaction": {"content": "hi"}, "label": "kind", "labels": {"tone": "rude"}}"#;
        let labelled = Labelled::read("items.jsonl", line.as_bytes()).expect("reads");
        let labels: Vec<&Value> = labelled.items().iter().map(|item| &item.labels).collect();
        assert_eq!(labels, [&json!({"label": "kind"}), &json!({"tone": "kind"}), &json!({"tone": "rude"})]);
    }

    #[test]
    fn what_is_meant_as_an_interaction_is_told_as_one() {
        for (line, wrong) in [
            (r#"{"labels": {}, "messages": [{"role": "user"}]}"#, "`content` is missing"),
            (r#"{"segments": [{"role": "user", "content": "hi"}]}"#, "without labels"),
            (r#"{"labels": {}, "interaction": {"content": 7}}"#, "not a text in quotes"),
            (
                r#"{"labels": {}, "texts": "hi"}"#,
                "name the column of the texts with --text-column; the columns are labels, texts",
            ),
        ] {
            let told = Labelled::read("items.jsonl", line.as_bytes()).expect_err(line).to_string();
            assert!(told.contains(wrong), "{line}: {told}");
        }
    }
}
