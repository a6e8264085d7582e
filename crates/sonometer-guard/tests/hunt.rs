//! A hunt for leaks: random texts with private data in them, in random shapes, cut anywhere. The client must never hold more than the beginning
//! of what the guard shows of the whole.

mod common;

use common::{begin, cases, guard, masking};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use sonometer_guard::{Form, Guard, On, Role};
use std::collections::BTreeMap;

/// What texts are made of.
const PIECES: [&str; 30] = [
    "ann@example.org",
    "Ann.Berg@mail.example.co.uk",
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    "5500005555555559",
    "+1 202-555-0143",
    "12 Old Mill Road, Springfield, IL 62704",
    "078-05-1120",
    "DE89 3704 0044 0532 0130 00",
    " my name is Ann Berg",
    " and ",
    ". ",
    ", ",
    "\n",
    "\"quoted\"",
    "back\\slash \\u0041 \\n",
    "émigré 中文 ",
    "😀",
    "<EMAIL_ADDRESS_1>",
    "<b>",
    "order 12345 ",
    "'",
    "ann%40example.org",
    "ann&#64;example&period;org",
    "ann&commat;example",
    "%40",
    "%",
    "&#6",
    "&",
    "4111111111111111.0",
];

/// Pieces with something between them; with nothing between them two may be one that is none.
fn text(between: &'static str) -> impl Strategy<Value = String> {
    prop::collection::vec(select(&PIECES[..]), 1..9).prop_map(move |pieces| pieces.join(between))
}

/// How the characters of a text are written in JSON, and where the text is cut.
#[derive(Clone, Debug)]
struct Writing {
    manner: Vec<u8>,
    cuts: Vec<u8>,
}

fn writing() -> impl Strategy<Value = Writing> {
    (prop::collection::vec(any::<u8>(), 1..24), prop::collection::vec(0_u8..9, 1..12))
        .prop_map(|(manner, cuts)| Writing { manner, cuts })
}

/// What stands between quotes, in parts that are JSON each: an escape is never cut, but a pair of surrogates is.
fn written(text: &str, how: &Writing) -> Vec<String> {
    let mut units = Vec::new();
    for (at, c) in text.chars().enumerate() {
        let manner = how.manner[at % how.manner.len()];
        let escaped = |upper: bool| {
            let mut both = [0; 2];
            let codes = c.encode_utf16(&mut both).iter();
            codes
                .map(|code| if upper { format!("\\u{code:04X}") } else { format!("\\u{code:04x}") })
                .collect::<Vec<_>>()
        };
        match (c, manner % 8) {
            (_, 0) => units.extend(escaped(true)),
            (_, 1) => units.extend(escaped(false)),
            ('/', 2) => units.push("\\/".to_owned()),
            ('"' | '\\', _) => units.push(format!("\\{c}")),
            ('\n', _) => units.push("\\n".to_owned()),
            _ => units.push(c.to_string()),
        }
    }
    let (mut parts, mut units) = (Vec::new(), units.into_iter().peekable());
    for at in 0.. {
        if units.peek().is_none() {
            break;
        }
        parts.push(units.by_ref().take(usize::from(how.cuts[at % how.cuts.len()])).collect());
        if how.cuts.iter().all(|cut| *cut == 0) {
            parts.push(units.by_ref().collect());
        }
    }
    parts
}

/// How events are written.
#[derive(Clone, Debug)]
struct Framing {
    ends: Vec<u8>,
    order: Vec<u8>,
    sizes: Vec<u8>,
    bom: bool,
}

fn framing() -> impl Strategy<Value = Framing> {
    let bytes = |most| prop::collection::vec(0_u8..most, 1..16);
    (bytes(9), bytes(8), prop::collection::vec(1_u8..90, 1..8), any::<bool>())
        .prop_map(|(ends, order, sizes, bom)| Framing { ends, order, sizes, bom })
}

/// One event: its lines may end in three ways, its data may stand in several lines, and comments may stand between.
fn framed(data: &str, manner: u8) -> String {
    let end = ["\n", "\r\n", "\r"][usize::from(manner % 3)];
    let space = if manner.is_multiple_of(2) { " " } else { "" };
    let lines =
        if manner > 5 { data.replacen(",\"", &format!(",{end}data:{space}\""), 2) } else { data.to_owned() };
    let before = if manner == 4 { format!(": waiting{end}{end}") } else { String::new() };
    let name = if manner == 7 { format!("event: message{end}id: 7{end}") } else { String::new() };
    format!("{before}{name}data:{space}{lines}{end}{end}")
}

/// Events as a client reads them: the standard's reader, written for this test.
fn read(bytes: &[u8]) -> Vec<String> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).expect("is valid"),
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let (mut events, mut data) = (Vec::new(), Vec::new());
    let mut lines: Vec<&str> = text.split('\n').collect();
    lines.pop();
    for line in lines {
        if line.is_empty() && !data.is_empty() {
            events.push(std::mem::take(&mut data).join("\n"));
        }
        if let Some(more) = line.strip_prefix("data:") {
            data.push(more.strip_prefix(' ').unwrap_or(more).to_owned());
        }
    }
    events
}

/// The texts of a chat by lane, as a client puts them together.
fn lanes(bytes: &[u8]) -> BTreeMap<String, String> {
    let mut all = BTreeMap::<String, String>::new();
    for event in read(bytes).iter().filter(|event| *event != "[DONE]") {
        let event: Value = serde_json::from_str(event).expect("is JSON");
        for choice in event["choices"].as_array().into_iter().flatten() {
            let index = &choice["index"];
            let mut add = |name: String, text: &Value| {
                if let Some(text) = text.as_str() {
                    all.entry(format!("{index} {name}")).or_default().push_str(text);
                }
            };
            for name in ["content", "refusal", "reasoning_content"] {
                add(name.to_owned(), &choice["delta"][name]);
            }
            for call in choice["delta"]["tool_calls"].as_array().into_iter().flatten() {
                add(format!("tool {}", call["index"]), &call["function"]["arguments"]);
            }
        }
    }
    all
}

/// A lane: where it stands, the wrapping of a part of it, and its whole text.
#[derive(Clone, Debug)]
struct Lane {
    choice: u8,
    field: &'static str,
    text: String,
    how: Writing,
}

impl Lane {
    fn name(&self) -> String {
        format!("{} {}", self.choice, self.field)
    }

    fn is_tool(&self) -> bool {
        self.field.starts_with("tool")
    }

    fn delta(&self, part: &str) -> String {
        let delta = match self.field.strip_prefix("tool ") {
            Some(call) => {
                format!("\"tool_calls\":[{{\"index\":{call},\"function\":{{\"arguments\":\"{part}\"}}}}]")
            }
            None => format!("\"{}\":\"{part}\"", self.field),
        };
        format!(
            "{{\"id\":\"c\",\"choices\":[{{\"index\":{},\"delta\":{{{delta}}},\"finish_reason\":null}}]}}",
            self.choice
        )
    }

    /// What the guard shows of the whole.
    fn whole(&self, guard: &Guard) -> Option<String> {
        let mut texts = guard.texts();
        match self.is_tool() {
            true => texts.arguments(On::Response, Role::Assistant, &self.text).ok(),
            false => texts.text(On::Response, Role::Assistant, &self.text).ok(),
        }
    }
}

/// Names of members, some of which say what a number is.
fn name(between: &'static str) -> impl Strategy<Value = String> {
    prop_oneof![text(between), select(&["order_id", "orderId", "phone", "n"][..]).prop_map(String::from)]
}

/// Tool arguments: texts and numbers in lists and objects, and JSON within a text.
fn arguments(between: &'static str) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        6 => text(between).prop_map(Value::from),
        3 => any::<i16>().prop_map(Value::from),
        2 => any::<i16>().prop_map(|number| Value::from(f64::from(number))),
        1 => select(&[2_025_550_143_u64, 4_111_111_111_111_111][..]).prop_map(Value::from),
        2 => Just(Value::Null),
        2 => Just(Value::from(true)),
    ];
    let tree = leaf.prop_recursive(3, 12, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name(between), inner.clone(), 0..4)
                .prop_map(|map| Value::from_iter(map.into_iter().collect::<Vec<_>>())),
            inner.prop_map(|value| Value::from(value.to_string())),
        ]
    });
    tree.prop_map(|value| value.to_string())
}

fn lane() -> impl Strategy<Value = Lane> {
    let plain = (0_u8..3, select(&["content", "refusal", "reasoning_content"][..]), text(""));
    let tool = (0_u8..3, select(&["tool 0", "tool 1"][..]), arguments(""));
    (prop_oneof![plain, tool], writing()).prop_map(|((choice, field, text), how)| Lane {
        choice,
        field,
        text,
        how,
    })
}

/// The events of all lanes, mixed.
fn stream(lanes: &[Lane], how: &Framing) -> Vec<u8> {
    let mut parts: Vec<std::vec::IntoIter<String>> =
        lanes.iter().map(|lane| written(&lane.text, &lane.how).into_iter()).collect();
    let mut bytes = String::from(if how.bom { "\u{feff}" } else { "" });
    let mut event = |data: &str, at: usize| bytes.push_str(&framed(data, how.ends[at % how.ends.len()]));
    for at in 0.. {
        if parts.iter().all(|parts| parts.len() == 0) {
            break;
        }
        let first = usize::from(how.order[at % how.order.len()]);
        let next =
            (first..first + lanes.len()).map(|lane| lane % lanes.len()).find(|lane| parts[*lane].len() > 0);
        if let Some((lane, part)) = next.and_then(|lane| Some((lane, parts[lane].next()?))) {
            event(&lanes[lane].delta(&part), at);
        }
    }
    let choices: std::collections::BTreeSet<u8> = lanes.iter().map(|lane| lane.choice).collect();
    for choice in choices {
        event(
            &format!("{{\"choices\":[{{\"index\":{choice},\"delta\":{{}},\"finish_reason\":\"stop\"}}]}}"),
            0,
        );
    }
    event("[DONE]", 0);
    bytes.into_bytes()
}

fn unique(mut lanes: Vec<Lane>) -> Vec<Lane> {
    lanes.sort_by_key(Lane::name);
    lanes.dedup_by_key(|lane| lane.name());
    lanes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(128), failure_persistence: None, ..ProptestConfig::default() })]

    /// Choices, texts and calls mixed, written in any way, cut anywhere.
    #[test]
    fn no_part_of_a_stream_leaks(all in prop::collection::vec(lane(), 1..5).prop_map(unique), how in framing()) {
        let guard = masking();
        let expected: Option<BTreeMap<String, String>> =
            all.iter().map(|lane| Some((lane.name(), lane.whole(&guard)?))).collect();
        let bytes = stream(&all, &how);
        let mut guarded = begin(&guard, Form::Chat).stream();
        let (mut out, mut rest, mut at) = (Vec::new(), bytes.as_slice(), 0);
        let mut result = Ok(());
        while !rest.is_empty() && result.is_ok() {
            let size = usize::from(how.sizes[at % how.sizes.len()]).min(rest.len());
            result = guarded.push(&rest[..size], &mut out);
            (rest, at) = (&rest[size..], at + 1);
            if let Some(expected) = &expected {
                for (name, text) in lanes(&out) {
                    prop_assert!(expected[&name].starts_with(&text), "{name}: {text:?} of {:?}", expected[&name]);
                }
            }
        }
        let result = result.and_then(|()| guarded.finish(&mut out));
        match expected {
            Some(expected) => {
                prop_assert!(result.is_ok(), "{result:?}");
                let shown = lanes(&out);
                for (name, text) in &expected {
                    prop_assert_eq!(shown.get(name).map_or("", String::as_str), text.as_str(), "{}", name);
                }
            }
            // What the guard refuses as a whole, such as a card that is a number, it refuses in parts.
            None => prop_assert!(result.is_err()),
        }
    }

    /// Whatever the texts of a request are written as, and however deep they stand, nothing of them is sent.
    #[test]
    fn no_part_of_a_request_leaks(tree in arguments(" ; "), content in text(" ; "), how in writing()) {
        let content: String = written(&content, &how).concat();
        let quoted = written(&tree, &how).concat();
        let secret = "ann@example.org";
        let body = format!(
            "{{\"model\":\"m\",\"messages\":[{{\"role\":\"user\",\"content\":\"{content} \"}},{{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"{quoted}\"}},\
             {{\"role\":\"assistant\",\"tool_calls\":[{{\"id\":\"1\",\"type\":\"function\",\"function\":{{\"name\":\"n\",\"arguments\":\"{quoted}\"}}}}]}}],\
             \"metadata\":{tree}}}"
        );
        if let Ok(exchange) = masking().request(Form::Chat, body.as_bytes()) {
            let sent: Value = serde_json::from_slice(exchange.body()).expect("is JSON");
            let mut texts = Vec::new();
            collect(&sent, &mut texts);
            for text in texts {
                prop_assert!(!text.contains(secret) && !text.contains("4111 1111 1111"), "{text:?} of {body}");
            }
        }
    }
}

/// Every text and name of a value, those of JSON within texts too.
fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            texts.push(text.clone());
            if let Ok(inner @ (Value::Object(_) | Value::Array(_) | Value::String(_))) =
                serde_json::from_str(text)
            {
                collect(&inner, texts);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            texts.push(name.clone());
            collect(value, texts);
        }),
        _ => {}
    }
}

/// JSON within a text within JSON: its escapes hide nothing, and what stays of it can still be read.
#[test]
fn json_within_arguments_is_read() {
    let inner = r#"{"to":"ann\u0040example.org","more":"{\"cc\":\"bob\\u0040example.net\",\"x\":\"line\\nann@example.org\"}"}"#;
    let json = serde_json::json!({ "body": inner, "path": r"C:\new\users" }).to_string();
    let lane =
        Lane { choice: 0, field: "tool 0", text: json, how: Writing { manner: vec![7], cuts: vec![3] } };
    let shown: Value = serde_json::from_str(&lane.whole(&masking()).expect("passes")).expect("is JSON");
    let within: Value = serde_json::from_str(shown["body"].as_str().expect("is text")).expect("is JSON");
    let deeper: Value = serde_json::from_str(within["more"].as_str().expect("is text")).expect("is JSON");
    assert_eq!(within["to"], "***@*******.***");
    assert_eq!((&deeper["cc"], &deeper["x"]), (&"***@*******.***".into(), &"line\n***@*******.***".into()));
    assert_eq!(shown["path"], r"C:\new\users");
}

/// Values that are restored in JSON within JSON are escaped as often as they are read.
#[test]
fn values_are_restored_in_json_within_json() {
    let guard =
        guard(r#"{"placeholders":true,"rules":[{"action":"mask","target":"personal-data","on":"request"}]}"#);
    let request =
        r#"{"messages":[{"role":"user","content":"I live at 12 Old Mill Road,\nSpringfield, IL 62704"}]}"#;
    let mut exchange = guard.request(Form::Chat, request.as_bytes()).expect("passes");
    let arguments = serde_json::json!({ "body": "{\"at\":\"<POSTAL_ADDRESS_1>\"}" }).to_string();
    let answer = serde_json::json!({"choices": [{"index": 0, "message": {"role": "assistant", "tool_calls":
        [{"id": "1", "type": "function", "function": {"name": "n", "arguments": arguments}}]}}]});
    let shown = exchange.response(200, answer.to_string().as_bytes()).expect("passes");
    let shown: Value = serde_json::from_slice(&shown).expect("is JSON");
    let arguments =
        shown["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"].as_str().expect("is text");
    let arguments: Value = serde_json::from_str(arguments).expect("is JSON");
    let body: Value = serde_json::from_str(arguments["body"].as_str().expect("is text")).expect("is JSON");
    assert_eq!(body["at"], "12 Old Mill Road,\nSpringfield, IL 62704");
}
