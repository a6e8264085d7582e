//! Prompts for writing protocols. Each is a page with places for arguments.

use crate::answer::Refusal;
use crate::limits;
use crate::schema::given;
use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Map, Value};
use sonometer::diagnostic::excerpt;
use sonometer::document::suggest;

struct Page {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    text: &'static str,
    /// Name, what it is, and what stands in the place of one that is left out; none if it is required.
    arguments: &'static [(&'static str, &'static str, Option<&'static str>)],
}

static PAGES: [Page; 2] = [
    Page {
        name: "write-protocol",
        title: "Write a protocol",
        about: "Write a protocol that measures a behaviour in texts or conversations, with tests that pass.",
        text: include_str!("prompts/write-protocol.txt"),
        arguments: &[
            ("behaviour", "What is to be measured, in your words: who says or does what", None),
            ("language", "The language of the texts: en, de, es or zh; en if left out", Some("en")),
            ("examples", "Texts that should be found and texts that should not", Some("")),
        ],
    },
    Page {
        name: "improve-protocol",
        title: "Improve a protocol",
        about: "Change a protocol so that texts which it judges wrongly are judged as they should be.",
        text: include_str!("prompts/improve-protocol.txt"),
        arguments: &[
            ("source", "The text of the protocol", None),
            ("misjudged", "The texts that are judged wrongly, each with what should have been found", None),
        ],
    },
];

pub(crate) fn list() -> Vec<Prompt> {
    let argument = |(name, about, default): &(&str, &str, Option<&str>)| {
        PromptArgument::new(*name).with_description(*about).with_required(default.is_none())
    };
    let prompt = |page: &Page| {
        let arguments = page.arguments.iter().map(argument).collect();
        Prompt::new(page.name, Some(page.about), Some(arguments)).with_title(page.title)
    };
    PAGES.iter().map(prompt).collect()
}

/// The prompt of a name with its arguments put in.
///
/// # Errors
/// An unknown name, a missing or unknown argument, one that is too large.
pub(crate) fn get(name: &str, arguments: Option<&Map<String, Value>>) -> Result<GetPromptResult, Refusal> {
    let page = PAGES.iter().find(|page| page.name == name).ok_or_else(|| {
        let names: Vec<&str> = PAGES.iter().map(|page| page.name).collect();
        Refusal::invalid("name", format!("no prompt `{}`; there is {}", excerpt(name), names.join(", ")))
    })?;
    let known: Vec<&str> = page.arguments.iter().map(|(name, ..)| *name).collect();
    if let Some(other) =
        arguments.into_iter().flatten().map(|(name, _)| name).find(|name| !known.contains(&name.as_str()))
    {
        let given = given(other, suggest(other, &known));
        let message = format!("unknown argument{given}; the known ones are {}", known.join(", "));
        return Err(Refusal::invalid("arguments", message));
    }
    let mut values = Vec::new();
    for (name, about, default) in page.arguments {
        let given = arguments.and_then(|arguments| arguments.get(*name)).and_then(Value::as_str);
        let given = given.map(str::trim).filter(|given| !given.is_empty());
        let value = given.or(*default).ok_or_else(|| {
            Refusal::invalid(format!("arguments.{name}"), format!("`{name}` is missing: {about}"))
        })?;
        limits::source(&format!("arguments.{name}"), value)?;
        values.push((*name, value));
    }
    let message = PromptMessage::new_text(Role::User, filled(page.text, &values));
    Ok(GetPromptResult::new(vec![message]).with_description(page.about))
}

/// The text with `{name}` replaced, in one pass: what was put in is not looked at again.
fn filled(page: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(at) = rest.find('{') {
        let (before, after) = rest.split_at(at);
        text.push_str(before);
        let found = values
            .iter()
            .find(|(name, _)| after[1..].strip_prefix(name).is_some_and(|end| end.starts_with('}')));
        match found {
            Some((name, value)) => {
                text.push_str(value);
                rest = &after[name.len() + 2..];
            }
            None => {
                text.push('{');
                rest = &after[1..];
            }
        }
    }
    (text + rest).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(name: &str, arguments: Value) -> Result<String, String> {
        let result = get(name, arguments.as_object()).map_err(|refusal| format!("{refusal:?}"))?;
        Ok(serde_json::to_value(&result.messages[0]).expect("a message")["content"]["text"]
            .as_str()
            .expect("text")
            .to_owned())
    }

    #[test]
    fn arguments_are_put_in_once() {
        let text = text("write-protocol", json!({"behaviour": "thanks, as in {language}", "language": "de"}))
            .expect("is there");
        assert!(text.contains("thanks, as in {language}\n"), "what was put in stays as it is");
        assert!(text.contains("language: de\nfidelity: {words: 10}"), "{text}");
        assert!(!text.contains("{examples}") && !text.contains("{behaviour}"));
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (name, arguments, part) in [
            ("write", json!({}), "no prompt `write`; there is write-protocol, improve-protocol"),
            ("write-protocol", json!({}), "`behaviour` is missing: What is to be measured"),
            ("write-protocol", json!({"behaviour": " "}), "`behaviour` is missing"),
            (
                "write-protocol",
                json!({"behavior": "x"}),
                "unknown argument `behavior`; the known ones are behaviour, language, examples",
            ),
            (
                "improve-protocol",
                json!({"source": "x".repeat(300_000), "misjudged": "y"}),
                "300,000 bytes; the limit is 262,144",
            ),
        ] {
            let told = text(name, arguments).expect_err(part);
            assert!(told.contains(part), "{told}");
        }
    }

    /// The example is one that the engine reads without a warning, and whose tests pass.
    #[test]
    fn the_example_is_sound() {
        let page = text("write-protocol", json!({"behaviour": "x"})).expect("is there");
        let source =
            page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
        let (protocol, warnings) = sonometer::Protocol::read(source).expect("reads");
        assert!(warnings.is_empty(), "{warnings:?}");
        assert_eq!(sonometer_author::test::failures(&protocol).expect("compiles"), (4, 0));
    }
}
