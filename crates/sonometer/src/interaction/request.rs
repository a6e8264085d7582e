//! Strict reading of interactions from JSON: nothing is accepted and ignored.

use crate::diagnostic::{excerpt, line_and_column, some_of};
use crate::document::{Node, Style, Value, read_json, suggest};
use crate::error::Error;
use crate::interaction::{Interaction, Turn};
use crate::protocol::Modality;
use crate::unit::Unit;

const KEYS: [&str; 7] = ["content", "id", "label", "language", "segments", "type", "url"];
const SEGMENT_KEYS: [&str; 3] = ["content", "role", "timestamp"];

/// Reads one interaction object.
pub(crate) fn interaction(source: &str) -> Result<Interaction, Error> {
    if source.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']).is_empty() {
        return Err(Error::invalid(
            "",
            "the input is empty; write `{\"content\": …}` or `{\"segments\": […]}`",
        ));
    }
    let root = read_json(source).map_err(|d| {
        let (line, column) = line_and_column(source, d.span.start);
        Error::invalid(format!("line {line}, column {column}"), format!("{}; {}", d.message, d.fix))
    })?;
    from_node(&root)
}

/// Reads an interaction object that is part of a larger text.
pub(crate) fn from_node(root: &Node) -> Result<Interaction, Error> {
    only_keys(root, "", &KEYS)?;
    for key in ["id", "language"] {
        optional_text(root, "", key)?;
    }
    let label = optional_text(root, "", "label")?;
    let shapes: Vec<&str> =
        ["content", "segments", "url"].into_iter().filter(|key| root.get(key).is_some()).collect();
    let interaction = match shapes[..] {
        ["content"] => Interaction::text(&required_text(root, "", "content")?)?,
        ["segments"] => Interaction::transcript(segments(root)?)?,
        ["url"] => {
            let message = "a `url` is not fetched here; give the text as `content` or `segments`";
            return Err(Error::invalid("url", message));
        }
        [] => {
            return Err(Error::invalid(
                "",
                "an interaction needs `content` (a text) or `segments` (a transcript)",
            ));
        }
        _ => {
            return Err(Error::invalid(
                shapes[1],
                format!("give `{}` or `{}`, not both", shapes[0], shapes[1]),
            ));
        }
    };
    if let Some(name) = optional_text(root, "", "type")? {
        let declared = Modality::from_name(&name).ok_or_else(|| {
            Error::invalid(
                "type",
                format!(
                    "unknown modality `{name}`; write one of {}",
                    Modality::NAMES.join(", "),
                    name = excerpt(&name)
                ),
            )
        })?;
        if declared != interaction.modality() {
            let shape = interaction.modality().as_str();
            return Err(Error::invalid(
                "type",
                format!("`type` is {name}, but the content is {shape}; remove `type`"),
            ));
        }
    }
    Ok(match label {
        Some(label) => interaction.with_label(&label),
        None => interaction,
    })
}

fn segments(root: &Node) -> Result<Vec<Turn>, Error> {
    let Some(Node { value: Value::List(items), .. }) = root.get("segments") else {
        return Err(Error::invalid(
            "segments",
            "`segments` is not a list; write `[{\"role\": …, \"content\": …}]`",
        ));
    };
    let turn = |(at, node): (usize, &Node)| {
        let place = format!("segments[{at}]");
        only_keys(node, &place, &SEGMENT_KEYS)?;
        Ok(Turn {
            role: Some(required_text(node, &place, "role")?.into()),
            content: required_text(node, &place, "content")?.into(),
            timestamp: timestamp(node, &place)?,
        })
    };
    items.iter().enumerate().map(turn).collect()
}

pub(crate) fn timestamp(node: &Node, place: &str) -> Result<Option<Unit>, Error> {
    let Some(value) = node.get("timestamp") else { return Ok(None) };
    let seconds = match &value.value {
        // As columns say that there is none.
        Value::Null => return Ok(None),
        Value::Scalar(scalar) if scalar.style == Style::Number => Unit::parse(&scalar.text),
        _ => None,
    };
    match seconds {
        Some(seconds) => Ok(Some(seconds)),
        None => {
            let message = match &value.value {
                Value::Scalar(scalar) if scalar.style == Style::Number => {
                    "`timestamp` is out of range; write seconds from -9e12 to 9e12".to_owned()
                }
                _ => format!("`timestamp` is {}, not a number of seconds, such as 12.5", kind(value)),
            };
            Err(Error::invalid(join(place, "timestamp"), message))
        }
    }
}

pub(crate) fn only_keys(node: &Node, place: &str, known: &[&str]) -> Result<(), Error> {
    let Value::Map(entries) = &node.value else {
        let turn = known.contains(&"role");
        let fix = if turn { r#"; write a turn as {"role": "customer", "content": "…"}"# } else { "" };
        return Err(Error::invalid(place, format!("expected an object, found {}{fix}", kind(node))));
    };
    match entries.iter().find(|(key, _)| !known.contains(&key.text.as_str())) {
        None => Ok(()),
        Some((key, _)) => {
            let fix = match elsewhere(&key.text, known).or_else(|| suggest(&key.text, known)) {
                _ if key.text == "role" => {
                    "this is one turn; put it in a list: `[{\"role\": …, \"content\": …}]`".to_owned()
                }
                Some(near) => format!("did you mean `{near}`"),
                None => format!("the known keys are {}", some_of(known)),
            };
            let key = excerpt(&key.text);
            Err(Error::invalid(join(place, &key), format!("unknown key `{key}`; {fix}")))
        }
    }
}

/// The key that has the meaning that `key` has in other formats.
fn elsewhere(key: &str, known: &[&str]) -> Option<&'static str> {
    const SYNONYMS: [(&str, &[&str]); 4] = [
        ("content", &["text", "message", "body", "utterance"]),
        ("segments", &["turns", "messages", "transcript", "conversation"]),
        ("role", &["speaker", "sender", "author", "from"]),
        ("timestamp", &["time", "ts", "start"]),
    ];
    let (ours, _) = SYNONYMS.iter().find(|(ours, theirs)| known.contains(ours) && theirs.contains(&key))?;
    Some(ours)
}

/// What a value is, in the words of JSON.
fn kind(node: &Node) -> &'static str {
    if matches!(node.value, Value::Null) { "null" } else { node.kind_name() }
}

pub(crate) fn required_text(node: &Node, place: &str, key: &str) -> Result<String, Error> {
    optional_text(node, place, key)?
        .ok_or_else(|| Error::invalid(join(place, key), format!("`{key}` is missing; it must be a text")))
}

fn optional_text(node: &Node, place: &str, key: &str) -> Result<Option<String>, Error> {
    let Some(value) = node.get(key) else { return Ok(None) };
    match &value.value {
        Value::Scalar(scalar) if scalar.style == Style::Quoted => Ok(Some(scalar.text.clone())),
        _ => {
            let message = format!("`{key}` is {}, not a text in quotes", kind(value));
            Err(Error::invalid(join(place, key), message))
        }
    }
}

pub(crate) fn join(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_said_of_protocols() {
        let deep = format!("{{\"content\": {}{}}}", "[".repeat(20), "]".repeat(20));
        for (source, part) in [
            (deep.as_str(), "fewer levels"),
            ("\u{feff} \n", "write `{\"content\""),
            ("[1]", "expected an object, found a list"),
            ("{\"content\": \"a\", \"content\": \"b\"}", "appears twice"),
        ] {
            let error = interaction(source).expect_err("is refused");
            assert!(error.message.contains(part), "{source:?}: {error}");
            assert!(!error.message.contains("protocol"), "{source:?}: {error}");
        }
    }

    #[test]
    fn keys_of_other_formats_are_pointed_to_ours() {
        for (source, place, fix) in [
            (r#"{"text": "Hi."}"#, "text", "did you mean `content`"),
            (r#"{"turns": []}"#, "turns", "did you mean `segments`"),
            (
                r#"{"segments": [{"speaker": "a", "content": "b"}]}"#,
                "segments[0].speaker",
                "did you mean `role`",
            ),
            (r#"{"segments": [["agent", "Hi."]]}"#, "segments[0]", r#"write a turn as {"role": "customer""#),
            (r#"{"contnt": "Hi."}"#, "contnt", "did you mean `content`"),
        ] {
            let error = interaction(source).expect_err("is refused");
            assert!(error.place == place && error.message.contains(fix), "{source}: {error:?}");
        }
    }
}
