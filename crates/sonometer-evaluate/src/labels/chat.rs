//! Chats as other programs write them, in the place of interactions.

use serde_json::value::RawValue;
use sonometer::{Error, Interaction, MessageForm};
use std::collections::BTreeMap;

/// An interaction as it is written here, or what is said in a chat as other programs write it.
pub(super) fn interaction(json: &str) -> Result<Interaction, Error> {
    Interaction::from_json(json)
        .or_else(|error| if is_chat(json) { Interaction::from_messages(json) } else { Err(error) })
}

/// Whether JSON that is no interaction is meant as a chat.
pub(super) fn is_chat(json: &str) -> bool {
    match MessageForm::of(json) {
        None => false,
        Some(MessageForm::Chat) => {
            let map = serde_json::from_str::<BTreeMap<&str, &RawValue>>(json).unwrap_or_default();
            // Whoever writes segments means an interaction.
            json.contains("\"role\"") && !map.contains_key("segments") && !map.contains_key("content")
        }
        Some(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Background, Labelled};

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
    fn what_is_meant_as_an_interaction_is_told_as_one() {
        for (line, wrong) in [
            (r#"{"labels": {}, "messages": [{"role": "user"}]}"#, "`content` is missing"),
            (r#"{"labels": {}, "segments": [{"role": "user", "content": "hi"}]}"#, "without labels"),
            (r#"{"labels": {}, "interaction": {"content": 7}}"#, "not a text in quotes"),
            (r#"{"labels": {}, "text": "hi"}"#, "the `messages` of a chat"),
        ] {
            let told = Labelled::read("items.jsonl", line.as_bytes()).expect_err(line).to_string();
            assert!(told.contains(wrong), "{line}: {told}");
        }
    }
}
