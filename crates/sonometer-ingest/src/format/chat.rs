//! Messages in JSON: of language models, Slack, Teams, Telegram, and what looks like them.
//!
//! A file is a list of messages, or an object that holds one under a common key. A message is an object with a text and somebody who
//! said it, each under one of a few keys. Forms that the engine knows by their keys (Gemini, LangChain, ShareGPT, vCon, …) it reads
//! itself; what in a message of OpenAI's or Anthropic's form somebody said, it decides, too, here and in every other door.

use crate::draft::{Draft, counted};
use crate::error::{ReadError, Reason};
use crate::map::Place;
use crate::{Hints, Ingested, Kind, Limits};
use serde_json::{Map, Value, json};
use sonometer::interaction::moment;
use sonometer::{MessageForm, Messages, Turn, Unit};

/// Under which keys a list of messages stands.
const LISTS: [&str; 8] = ["messages", "input", "output", "value", "conversation", "chat", "items", "turns"];
/// Under which keys a request to a language model says what it is to do, beside its messages.
const SYSTEM: [&str; 2] = ["system", "instructions"];
/// Under which keys a message says who, in the order of trust.
const WHO: [&str; 10] =
    ["role", "user_profile", "from", "author", "sender", "username", "user", "speaker", "name", "actor"];
/// … and what.
const WHAT: [&str; 5] = ["content", "text", "body", "message", "parts"];
/// … and when.
const WHEN: [&str; 8] =
    ["timestamp", "ts", "createdDateTime", "date_unixtime", "created_at", "create_time", "date", "time"];
/// Names of a person, within an object.
const NAMES: [&str; 6] = ["displayName", "real_name", "display_name", "name", "role", "user"];
/// Messages that nobody said, by `type`, `subtype` or `messageType`.
const NOTICES: [&str; 8] = [
    "channel_join",
    "channel_leave",
    "channel_topic",
    "channel_purpose",
    "systemEventMessage",
    "service",
    "unknownFutureValue",
    "bot_add",
];

/// What a JSON file is: messages, or an interaction (also where it is broken, so that its errors are told strictly).
pub(crate) fn of_json(text: &str) -> Kind {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return Kind::Json };
    let is_interaction = |object: &Map<String, Value>| {
        ["content", "segments", "url", "interaction"].iter().any(|key| object.contains_key(*key))
    };
    match &value {
        _ if crate::audio::forms::is_one(&value) => Kind::Speech,
        _ if is_answer(&value) => Kind::Chat,
        Value::Object(object) if is_interaction(object) => Kind::Json,
        // Meant as a chat, whatever is wrong with its messages: an interaction has no such key.
        Value::Object(object) if object.contains_key("messages") => Kind::Chat,
        _ if foreign(text).is_some() => Kind::Chat,
        _ if messages(&value).is_some() || asks_with_text(&value) => Kind::Chat,
        _ => Kind::Json,
    }
}

/// Reads it.
pub(crate) fn read(text: &str, hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    if let Some(form) = foreign(text) {
        return of_form(text, form, hints, limits);
    }
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        ReadError::new(
            Reason::Broken,
            place,
            format!("not valid JSON: {error}; correct it, or export it again"),
        )
    })?;
    if is_log(&value) {
        return of_form(text, MessageForm::Chat, hints, limits);
    }
    let Some((base, list)) = messages(&value) else {
        if asks_with_text(&value) || is_answer(&value) {
            return of_form(text, MessageForm::Chat, hints, limits);
        }
        let message = "not a list of messages with roles; write `[{\"role\": …, \"content\": …}]`";
        return Err(ReadError::new(Reason::Broken, "", message));
    };
    let mut found = Vec::new();
    let (mut silent, mut unsaid, mut notices) = (0, 0, 0);
    for (number, item) in list.iter().enumerate() {
        let Value::Object(message) = item else {
            silent += 1;
            continue;
        };
        if let Some(reduced) = of_model(message) {
            let place = format!("{base}[{number}]");
            let parts = match reduced.get("role") {
                Some(_) => parts_nobody_said(message),
                None => 1,
            };
            unsaid += parts;
            match Turn::from_message(&reduced.to_string(), &place)? {
                None => silent += usize::from(parts == 0),
                Some(turn) if turn.content.trim().is_empty() => silent += 1,
                Some(turn) => {
                    let time = item.as_object().and_then(when);
                    let role = turn.role.as_deref().unwrap_or_default().trim().to_owned();
                    found.push((role, time, turn.content.into_string(), format!("{place}.content")));
                }
            }
            continue;
        }
        let said = what(message, 0);
        let is_notice = ["type", "subtype", "messageType"]
            .iter()
            .any(|key| message.get(*key).and_then(Value::as_str).is_some_and(|kind| NOTICES.contains(&kind)));
        match said {
            _ if is_notice => notices += 1,
            Some((key, said)) if !said.trim().is_empty() => {
                let path = format!("{base}[{number}].{key}");
                // What Slack writes tells the time so.
                let said = if message.contains_key("ts") { slack(&said) } else { said };
                found.push((who(message), when(message), said, path));
            }
            _ => silent += 1,
        }
    }
    // Some exports tell the newest first. Times decide, where every message has one.
    let times: Option<Vec<Unit>> = found.iter().map(|(_, time, ..)| *time).collect();
    let mut draft = Draft::new(limits);
    if times.is_some_and(|times| {
        times.len() > 1 && times.is_sorted_by(|a, b| a >= b) && times.first() != times.last()
    }) {
        found.reverse();
        draft.note("the newest message came first in the file; the order was reversed");
    }
    for key in SYSTEM {
        let Some(said) = value.get(key) else { continue };
        let message =
            Map::from_iter([("role".to_owned(), json!("system")), ("content".to_owned(), said.clone())]);
        let Some(reduced) = of_model(&message) else { continue };
        unsaid += parts_nobody_said(&message);
        if let Some(turn) = Turn::from_message(&reduced.to_string(), key)?
            && !turn.content.trim().is_empty()
        {
            draft.turn(turn.role.map(String::from), None)?;
            draft.paragraph(&turn.content, Place { path: Some(key.into()), ..Place::default() })?;
        }
    }
    for (role, time, said, path) in found {
        draft.turn(Some(role), time)?;
        draft.paragraph(&said, Place { path: Some(path.into()), ..Place::default() })?;
    }
    if silent > 0 {
        draft.note(format!("left out {} without text", counted(silent, "message")));
    }
    if unsaid > 0 {
        draft.note(left_out(unsaid));
    }
    if notices > 0 {
        draft.note(format!("left out {} of the program", counted(notices, "notice")));
    }
    draft.finish(Kind::Chat, hints)
}

/// Whether it is an answer of OpenAI's chat or of Anthropic, which holds one message.
fn is_answer(value: &Value) -> bool {
    let is_message = value.get("type").is_some_and(|kind| kind == "message") && value.get("role").is_some();
    is_message || value.pointer("/choices/0/message").is_some_and(Value::is_object)
}

/// Whether it is a request to a language model with more beside it that may have been said, such as its answer.
fn is_log(value: &Value) -> bool {
    const BESIDE: [&str; 6] = ["input", "output", "choices", "prompt", "response", "completion"];
    let Some((asked, node)) = ["messages", "input"].iter().find_map(|key| Some((*key, value.get(*key)?)))
    else {
        return false;
    };
    let has_roles = match node {
        Value::Array(items) => items.iter().any(|item| item.get("role").is_some()),
        _ => node.is_string(),
    };
    has_roles && BESIDE.iter().any(|key| *key != asked && value.get(*key).is_some())
}

/// The form of a chat that the engine reads as a whole. Files of OpenAI's and Anthropic's form may have more beside their messages
/// than it allows, so these are read here.
fn foreign(text: &str) -> Option<MessageForm> {
    MessageForm::of(text).filter(|form| *form != MessageForm::Chat)
}

fn of_form(text: &str, form: MessageForm, hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let Messages { interaction, places, apart, notices, .. } = Messages::read(text, Some(form))?;
    let mut draft = Draft::new(limits);
    for (turn, place) in interaction.turns().iter().zip(places) {
        draft.turn(turn.role.as_deref().map(str::to_owned), turn.timestamp)?;
        // A list without a key is called by its items.
        let path = place.strip_prefix("segments").unwrap_or(&place);
        draft.paragraph(&turn.content, Place { path: Some(path.into()), ..Place::default() })?;
    }
    if !apart.is_empty() {
        draft.note(left_out(apart.len()));
    }
    notices.into_iter().for_each(|notice| draft.note(notice));
    draft.finish(Kind::Chat, hints)
}

pub(super) fn left_out(parts: usize) -> String {
    let parts = counted(parts, "part");
    format!("left out {parts} that nobody said: tool calls, tool results, reasoning, images, sound or files")
}

/// How many parts of a message in OpenAI's or Anthropic's form nobody said, as the engine counts them.
fn parts_nobody_said(message: &Map<String, Value>) -> usize {
    const SPEECH: [&str; 4] = ["text", "input_text", "output_text", "refusal"];
    // The result of a call is one by itself.
    let role = message.get("role").and_then(Value::as_str).map(str::trim);
    if matches!(role, Some("tool" | "function")) {
        return 1;
    }
    let list = |key: &str| message.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let is_silent =
        |part: &&Value| part.get("type").and_then(Value::as_str).is_some_and(|kind| !SPEECH.contains(&kind));
    let is_text = |key: &&&str| {
        message.get(**key).and_then(Value::as_str).is_some_and(|thought| !thought.trim().is_empty())
    };
    list("content").iter().filter(is_silent).count()
        + list("tool_calls").len()
        + usize::from(message.get("function_call").is_some_and(|call| !call.is_null()))
        + ["reasoning", "reasoning_content"].iter().filter(is_text).count()
}

/// What the engine decides about: a message in OpenAI's or Anthropic's form, with no more of it than what was said depends on.
/// Files have members of their own beside that, as deep as they like.
fn of_model(message: &Map<String, Value>) -> Option<Value> {
    let text = |value: Option<&Value>| value.filter(|value| value.is_string()).cloned();
    // Between messages stand calls, thoughts and tools. The name of a call is that of its tool.
    let role = text(message.get("role"));
    let is_nobody = match &role {
        None => message.contains_key("call_id") || !names_somebody(message),
        Some(_) => what(message, 0).is_none(),
    };
    if let Some(kind) = text(message.get("type")).filter(|_| is_nobody) {
        let item = json!({"type": kind});
        if Turn::from_message(&item.to_string(), "").is_ok_and(|turn| turn.is_none()) {
            return Some(item);
        }
    }
    let role = role?;
    let is_part = |part: &Value| part.get("type").is_some_and(Value::is_string);
    let refusal = text(message.get("refusal"));
    let transcript = text(message.get("audio").and_then(|audio| audio.get("transcript")));
    let is_given = |key: &str| match message.get(key) {
        None | Some(Value::Null) => false,
        Some(Value::Array(calls)) => !calls.is_empty(),
        Some(_) => true,
    };
    let calls = is_given("tool_calls") || is_given("function_call");
    let content = match message.get("content") {
        Some(Value::String(content)) => json!(content),
        Some(Value::Array(parts)) if parts.iter().all(is_part) => {
            let part = |part: &Value| {
                let kept = ["type", "text", "refusal"].into_iter();
                Value::Object(kept.filter_map(|key| Some((key.to_owned(), text(part.get(key))?))).collect())
            };
            parts.iter().map(part).collect()
        }
        None | Some(Value::Null) if refusal.is_some() || transcript.is_some() || calls => Value::Null,
        _ => return None,
    };
    let audio = transcript.map(|transcript| json!({"transcript": transcript}));
    Some(
        json!({"role": role, "content": content, "refusal": refusal, "audio": audio, "tool_calls": calls.then_some(1)}),
    )
}

/// Whether it is a request of OpenAI's newer interface with a text in the place of messages.
fn asks_with_text(value: &Value) -> bool {
    ["model", "input"].iter().all(|key| value.get(*key).is_some_and(Value::is_string))
}

/// The list of messages, and its path.
fn messages(value: &Value) -> Option<(String, &[Value])> {
    let is_message = |item: &Value| {
        item.as_object().is_some_and(|message| names_somebody(message) && what(message, 0).is_some())
    };
    let holds = |list: &[Value]| list.iter().any(is_message);
    match value {
        Value::Array(list) if holds(list) => Some((String::new(), list)),
        Value::Object(object) => LISTS.iter().find_map(|key| match object.get(*key) {
            Some(Value::Array(list)) if holds(list) => Some(((*key).to_owned(), list.as_slice())),
            _ => None,
        }),
        _ => None,
    }
}

fn names_somebody(message: &Map<String, Value>) -> bool {
    WHO.iter().any(|key| message.get(*key).is_some_and(|value| name(value).is_some()))
}

fn who(message: &Map<String, Value>) -> String {
    let named = WHO.iter().filter_map(|key| name(message.get(*key)?)).find(|name| !name.trim().is_empty());
    named.unwrap_or_else(|| "unknown".to_owned())
}

/// A person: a text, or an object with a name, at times one object deeper (`{"user": {"displayName": …}}`).
fn name(value: &Value) -> Option<String> {
    match value {
        Value::String(name) => Some(name.trim().to_owned()),
        Value::Object(object) => NAMES.iter().find_map(|key| match object.get(*key)? {
            Value::String(name) if !name.trim().is_empty() => Some(name.trim().to_owned()),
            Value::Object(inner) => {
                NAMES.iter().find_map(|key| Some(inner.get(*key)?.as_str()?.trim().to_owned()))
            }
            _ => None,
        }),
        _ => None,
    }
}

/// What is said, and its key.
fn what(message: &Map<String, Value>, depth: usize) -> Option<(&'static str, String)> {
    WHAT.iter().find_map(|key| Some((*key, said(message.get(*key)?, depth)?)))
}

/// A text, pieces of text (`{"type": "text", "text": …}`), or `{"contentType": "html", "content": …}`.
fn said(value: &Value, depth: usize) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) if depth < 4 => {
            let parts: Vec<String> = parts.iter().filter_map(|part| said(part, depth + 1)).collect();
            Some(parts.join(""))
        }
        Value::Object(object) if depth < 4 => {
            let is_html = object
                .get("contentType")
                .and_then(Value::as_str)
                .is_some_and(|kind| kind.eq_ignore_ascii_case("html"));
            let (_, text) = what(object, depth + 1)?;
            Some(if is_html { html(&text) } else { text })
        }
        _ => None,
    }
}

#[cfg(feature = "documents")]
fn html(text: &str) -> String {
    super::html::plain(text)
}

#[cfg(not(feature = "documents"))]
fn html(text: &str) -> String {
    text.to_owned()
}

/// The text without the marks of Slack: `<https://a.b|here>` is `here`, `&amp;` is `&`.
fn slack(text: &str) -> String {
    if !text.contains(['<', '&']) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let Some((inner, after)) = rest[at + 1..].split_once('>') else {
            out.push_str(&rest[at..]);
            rest = "";
            break;
        };
        let is_mark =
            inner.starts_with(['@', '#', '!']) || inner.starts_with("http") || inner.starts_with("mailto:");
        if is_mark {
            out.push_str(inner.rsplit_once('|').map_or(inner, |(_, shown)| shown));
        } else {
            out.push_str(&rest[at..at + inner.len() + 2]);
        }
        rest = after;
    }
    out.push_str(rest);
    out.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

fn when(message: &Map<String, Value>) -> Option<Unit> {
    WHEN.iter().find_map(|key| match message.get(*key)? {
        Value::Number(number) => of_number(&number.to_string()),
        Value::String(text) => moment::iso(text).or_else(|| of_number(text)),
        _ => None,
    })
}

/// Seconds, or thousandths where they would lie ten thousand years ahead.
fn of_number(text: &str) -> Option<Unit> {
    let time = Unit::parse(text)?;
    Some(if time.0 > 250_000_000_000_000_000 { Unit(time.0 / 1000) } else { time })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        assert_eq!(of_json(text), Kind::Chat, "{text}");
        let read = read(text, &Hints::default(), &Limits::default()).expect("is sound");
        let turn = |(at, turn): (usize, &sonometer::Turn)| {
            let time = turn.timestamp.map_or_else(|| "?".to_owned(), |time| time.to_string());
            let place = read.place(at, 0).expect("has a place");
            format!("{time} {}: {} @{place}", turn.role.as_deref().unwrap_or_default(), turn.content)
        };
        read.interaction.turns().iter().enumerate().map(turn).chain(read.notes.clone()).collect()
    }

    #[test]
    fn an_object_with_messages_is_a_chat_whatever_is_wrong_with_them() {
        let refused = |text: &str| {
            assert_eq!(of_json(text), Kind::Chat, "{text}");
            read(text, &Hints::default(), &Limits::default()).expect_err("is no chat").to_string()
        };
        for text in [
            r#"{"messages": [{"content": "Hi."}]}"#,
            r#"{"messages": [{"role": "user", "contents": "Hi."}]}"#,
            r#"{"messages": [{"role": "user", "content": 5}]}"#,
            r#"{"messages": []}"#,
        ] {
            let told = refused(text);
            assert!(told.contains("not a list of messages with roles"), "{told}");
        }
    }

    #[test]
    fn messages_of_language_models() {
        let text = r#"{"model": "m", "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content":
            [{"type": "text", "text": "Hello "}, {"type": "image_url", "image_url": {"url": "x"}}, {"type": "text", "text": "you"}]},
            {"role": "assistant", "content": null, "tool_calls": []}]}"#;
        assert_eq!(
            told(text),
            [
                "? user: Hi @messages[0].content",
                "? assistant: Hello you @messages[1].content",
                "left out 1 message without text",
                "left out 1 part that nobody said: tool calls, tool results, reasoning, images, sound or files"
            ]
        );
    }

    #[test]
    fn messages_of_language_models_are_read_as_by_every_door() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chat/messages.json");
        let table: Vec<Value> =
            serde_json::from_str(&std::fs::read_to_string(path).expect("is there")).expect("is JSON");
        assert!(table.len() > 10);
        for case in table {
            let text = json!({"model": "m", "messages": case["messages"]}).to_string();
            assert_eq!(of_json(&text), Kind::Chat, "{case}");
            match (super::read(&text, &Hints::default(), &Limits::default()), case["error"].as_str()) {
                (Ok(read), None) => {
                    let turns = read.interaction.turns().iter();
                    let turns: Value = turns.map(|turn| json!([turn.role, turn.content])).collect();
                    assert_eq!(turns, case["turns"], "{case}");
                }
                (Err(failure), Some("")) => assert_eq!(failure.reason, Reason::NoText, "{case}"),
                (Err(failure), Some(place)) => {
                    assert_eq!(failure.error.place, format!("messages{place}"), "{case}");
                    assert_eq!(failure.error.message, case["message"].as_str().unwrap_or_default(), "{case}");
                }
                (read, _) => panic!("{case}: {read:?}"),
            }
        }
    }

    #[test]
    fn whole_requests_are_read_as_by_every_door() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chat/forms.json");
        let forms: Vec<Value> =
            serde_json::from_str(&std::fs::read_to_string(path).expect("is there")).expect("is JSON");
        for case in forms.iter().filter(|case| case["form"] == "openai" && case["named"].is_null()) {
            let text = case["json"].to_string();
            let told = told(&text);
            let turns = case["turns"].as_array().expect("is a list");
            for (turn, told) in turns.iter().zip(&told) {
                let [role, said, place] = [0, 1, 2].map(|at| turn[at].as_str().expect("is a text"));
                assert_eq!(*told, format!("? {role}: {said} @{place}"), "{case}");
            }
            let parts = case["apart"].as_array().map_or(0, Vec::len);
            let mut notes: Vec<String> = if parts == 0 { Vec::new() } else { vec![left_out(parts)] };
            let notices = case["notices"].as_array().expect("is a list");
            notes.extend(notices.iter().filter_map(Value::as_str).map(str::to_owned));
            assert_eq!(told[turns.len()..], *notes, "{case}");
        }
    }

    #[test]
    fn forms_that_the_engine_reads() {
        let text = r#"{"contents": [{"role": "user", "parts": [{"text": "Hi"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "look"}}, {"text": "Hello", "shade": 1}]}]}"#;
        assert_eq!(
            told(text),
            [
                "? user: Hi @contents[0].parts",
                "? assistant: Hello @contents[1].parts",
                "left out 1 part that nobody said: tool calls, tool results, reasoning, images, sound or files",
                "the unknown key `shade` was skipped in contents[1].parts[1]"
            ]
        );
        let text =
            r#"[{"type": "human", "data": {"content": "Hi"}}, {"type": "ai", "data": {"content": "Hello"}}]"#;
        assert_eq!(told(text), ["? user: Hi @[0].data.content", "? assistant: Hello @[1].data.content"]);
    }

    #[test]
    fn what_nobody_said_is_left_out_and_named() {
        let text = r#"[{"role": "user", "content": "Hi", "created_at": "2024-05-01T10:00:00Z", "mine": [[]]},
            {"role": "tool", "content": "Thank you"}, {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "Hm"}]}]"#;
        assert_eq!(
            told(text),
            [
                "1714557600 user: Hi @[0].content",
                "left out 2 parts that nobody said: tool calls, tool results, reasoning, images, sound or files"
            ]
        );
    }

    #[test]
    fn messages_of_slack() {
        let text = r#"[{"type": "message", "subtype": "channel_join", "user": "U1", "text": "joined", "ts": "1714557600.0"},
            {"type": "message", "user": "U1", "user_profile": {"real_name": "Ann Lee"}, "text": "See <https://a.b|this> &amp; that", "ts": "1714557601.000200"},
            {"type": "message", "user": "U2", "text": "a < b <@U1>", "ts": "1714557602"}]"#;
        assert_eq!(
            told(text),
            [
                "1714557601.0002 Ann Lee: See this & that @[1].text",
                "1714557602 U2: a < b <@U1> @[2].text",
                "left out 1 notice of the program"
            ]
        );
    }

    #[cfg(feature = "documents")]
    #[test]
    fn messages_of_teams_come_newest_first() {
        let text = r#"{"value": [
            {"createdDateTime": "2024-05-01T10:00:05Z", "from": {"user": {"displayName": "Bo"}}, "body": {"contentType": "html", "content": "<p>Fine &amp; well</p>"}},
            {"createdDateTime": "2024-05-01T10:00:00Z", "from": {"user": {"displayName": "Ann"}}, "body": {"contentType": "text", "content": "How are you?"}}]}"#;
        assert_eq!(
            told(text)[..2],
            ["1714557600 Ann: How are you? @value[1].body", "1714557605 Bo: Fine & well @value[0].body"]
        );
    }

    #[test]
    fn messages_of_telegram() {
        let text = r#"{"name": "Ann", "messages": [{"type": "service", "actor": "Ann", "text": "", "date": "2024-05-01T10:00:00"},
            {"type": "message", "from": "Ann", "date": "2024-05-01T10:00:00", "date_unixtime": "1714557600", "text": ["Hi ", {"type": "bold", "text": "you"}]}]}"#;
        assert_eq!(told(text)[0], "1714557600 Ann: Hi you @messages[1].text");
    }

    #[test]
    fn other_json_is_read_strictly() {
        for text in ["{\"contnt\": \"x\"}", "[1, 2]", "{\"segments\": []}", "{", "[{\"a\": 1}]"] {
            assert_eq!(of_json(text), Kind::Json, "{text}");
        }
    }
}
