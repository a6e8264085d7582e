//! The server as raw messages see it.

use serde_json::{Value, json};
use sonometer_mcp::{Own, Sonometer};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};

struct Client {
    to: WriteHalf<DuplexStream>,
    from: Lines<BufReader<ReadHalf<DuplexStream>>>,
    last: u64,
}

impl Client {
    /// A client that has shaken hands.
    async fn new() -> Self {
        let (own, other) = tokio::io::duplex(1 << 20);
        let (input, output) = tokio::io::split(other);
        tokio::spawn(async move { Sonometer::new(Own::default()).serve_lines(input, output).await });
        let (from, to) = tokio::io::split(own);
        let mut client = Self { to, from: BufReader::new(from).lines(), last: 0 };
        let info = json!({"name": "test", "version": "1"});
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
        let said = client.ask("initialize", hello).await;
        assert_eq!(said["result"]["serverInfo"]["name"], "sonometer", "{said}");
        assert!(
            said["result"]["instructions"].as_str().is_some_and(|text| text.contains("`sense` measures"))
        );
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    async fn send(&mut self, message: Value) {
        self.to.write_all(format!("{message}\n").as_bytes()).await.expect("the server reads");
    }

    async fn next(&mut self) -> Value {
        let line = self.from.next_line().await.expect("UTF-8").expect("the server answers");
        serde_json::from_str(&line).expect("JSON")
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        let said = self.next().await;
        assert_eq!(said["id"], id, "{said}");
        said
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await["result"].clone()
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("a text")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_tools_fits_a_model() {
    let mut client = Client::new().await;
    let said = client.ask("tools/list", json!({})).await;
    let tools = said["result"]["tools"].as_array().expect("a list");
    assert_eq!(tools.len(), 12);
    // What clients put before a model: names, descriptions, schemas of arguments.
    let shown: usize = tools
        .iter()
        .map(|tool| json!([tool["name"], tool["description"], tool["inputSchema"]]).to_string().len())
        .sum();
    assert!(shown < 16_000, "{shown} bytes");
    for tool in tools {
        let schema = tool["inputSchema"].to_string();
        for part in ["$ref", "anyOf", "oneOf", "\"null\""] {
            assert!(!schema.contains(part), "{part}: {schema}");
        }
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reading_is_short_and_exact() {
    let mut client = Client::new().await;
    let words = "Thank you so much for waiting. I am sorry for the delay.";
    let said = client.call("sense", json!({"target": "courtesy@2.0", "text": words})).await;
    assert_eq!(said["isError"], false, "{said}");
    assert_eq!(said["content"].as_array().map(Vec::len), Some(1));
    let text = text(&said);
    assert!(text.starts_with("courtesy@2.0: score 0.713986, fidelity 1, ") && text.contains("  “"), "{text}");
    assert_eq!(
        said["structuredContent"]["target"],
        json!({"type": "protocol", "id": "courtesy", "version": "2.0"})
    );

    let said =
        client.call("sense", json!({"target": "courtesy@2.0", "text": words, "canonical": true})).await;
    let instrument = sonometer_catalog::shipped("courtesy@2.0").expect("ships");
    let reading = instrument.sense(&sonometer::Interaction::text(words).expect("is short")).expect("senses");
    let view = sonometer::View { offsets: Some(sonometer::OffsetUnit::Chars), ..sonometer::View::default() };
    assert_eq!(said["content"][1]["text"], reading.to_json(view));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_masked_is_in_no_message() {
    let mut client = Client::new().await;
    let secret = "4111 1111 1111 1111";
    let words = format!("My card is {secret}, please charge it and send the bill to ann@example.org today.");
    let turns = json!([{"role": "4111111111111111", "content": words}]);
    for arguments in [
        json!({"target": "personal-data", "text": words, "profile": "discovery", "canonical": true}),
        json!({"target": "personal-data", "turns": turns, "profile": "discovery"}),
    ] {
        for tool in ["sense", "explain"] {
            let mut arguments = arguments.clone();
            if tool == "explain" {
                arguments.as_object_mut().expect("an object").remove("profile");
            }
            let said = client.call(tool, arguments).await;
            assert_eq!(said["isError"], false, "{said}");
            let said = said.to_string();
            assert!(!said.contains("4111") && !said.contains("ann@"), "{tool}: {said}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_masked_is_in_no_refusal() {
    let mut client = Client::new().await;
    let (secret, other) = ("ann@example.org", "4111 1111 1111 1111");
    let with = |content: Value| {
        let mut arguments = json!({"target": "personal-data"});
        arguments.as_object_mut().expect("is one").extend(content.as_object().cloned().unwrap_or_default());
        arguments
    };
    let long = format!("{} {other}", "x".repeat(30));
    for (content, part) in [
        (
            json!({"turns": [{"role": "x", secret: "y"}]}),
            "turns[0]: unknown argument; the known ones are content",
        ),
        (json!({"profile": secret, "text": "a"}), "profile: unknown value; give one of"),
        (
            json!({"messages": [{"role": "user", "content": [{"type": secret}]}]}),
            "unknown type of content part `…`",
        ),
        (
            json!({"messages": [{"role": "user", "content": [{"type": long}]}]}),
            "unknown type of content part `…`",
        ),
        (json!({"messages": {secret: 1, other: [1]}}), "messages"),
    ] {
        let said = client.call("sense", with(content.clone())).await;
        assert!(said["isError"] == true && text(&said).contains(part), "{content}: {said}");
        let all = said.to_string();
        assert!(!all.contains("ann@") && !all.contains("4111"), "{said}");
    }
    let items = json!([{"text": "Hello.", "label": secret}]);
    let said = client.call("evaluate", with(json!({"items": items}))).await;
    assert!(
        text(&said).contains("labels.label is a text, `…`; say which") && !said.to_string().contains("ann@")
    );
    // A protocol that masks nothing hides nothing.
    let messages = json!([{"role": "user", "content": [{"type": "hologram"}]}]);
    let said = client.call("sense", json!({"target": "courtesy", "messages": messages})).await;
    assert!(text(&said).contains("unknown type of content part `hologram`"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_too_large_is_answered_and_the_next_is_served() {
    let mut client = Client::new().await;
    let said = client.call("sense", json!({"target": "courtesy", "text": "x".repeat(300_000)})).await;
    assert_eq!(said["_meta"]["sonometer/error"]["limit"], 200_000, "{said}");
    let said =
        client.ask("tools/call", json!({"name": "sense", "arguments": {"text": "x".repeat(9 << 20)}})).await;
    let message = said["error"]["message"].as_str().expect("an error");
    assert!(message.contains("8,388,608 bytes, the limit; send a shorter text"), "{message}");
    let said = client.call("fidelity", json!({"target": "courtesy", "text": "Thank you."})).await;
    assert_eq!(said["isError"], false, "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_message_does_not_end_the_server() {
    let mut client = Client::new().await;
    client.to.write_all(b"not json\n\n{\"jsonrpc\":\"2.0\"\n[1]\n").await.expect("the server reads");
    for code in [-32700, -32700, -32600] {
        let said = client.next().await;
        assert!(said["error"]["code"] == code && said.get("id") == Some(&Value::Null), "{said}");
    }
    let said = client.ask("no/such/method", json!({})).await;
    assert_eq!(said["error"]["code"], -32601, "{said}");
    let message = said["error"]["message"].as_str().expect("an error");
    assert!(message.starts_with("unknown method; there is ping, tools/list"), "{message}");
    let said = client.ask("tools/call", json!({"name": "sense", "arguments": ["courtesy"]})).await;
    assert_eq!(said["error"]["code"], -32602, "{said}");
    let message = said["error"]["message"].as_str().expect("an error");
    assert!(message.contains("the `params` of tools/call have the wrong shape"), "{message}");
    let said = client.ask("tools/call", json!({"name": "sens"})).await;
    assert!(
        text(&said["result"]).starts_with("invalid_request: no tool `sens`; there is protocols, sense"),
        "{said}"
    );
    let said = client.ask("resources/read", json!({"uri": "sonometer://docs/x"})).await;
    assert_eq!(said["error"]["message"], "no page `x`; there is semantics, protocol", "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_language_is_a_code() {
    let mut client = Client::new().await;
    let english = client.call("protocols", json!({"language": "en"})).await;
    assert!(text(&english).contains("courtesy@") && !text(&english).contains("[de]"), "{english}");
    assert_eq!(client.call("protocols", json!({"language": "en-US"})).await, english);
    let said = client.call("protocols", json!({"language": "english"})).await;
    assert!(text(&said).ends_with("give one such as en, de, es or zh"), "{said}");
}

/// What programs write that cut a text in the middle of a character.
#[tokio::test(flavor = "multi_thread")]
async fn half_of_a_character_is_answered() {
    let mut client = Client::new().await;
    let call = r#"{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"sense","arguments":{"target":"courtesy","text":"\ud83d"}}}"#;
    client.to.write_all(format!("{call}\n").as_bytes()).await.expect("the server reads");
    let said = client.next().await;
    assert_eq!((&said["id"], &said["error"]["code"]), (&json!(77), &json!(-32700)), "{said}");
    let message = said["error"]["message"].as_str().expect("an error");
    assert!(message.contains("the message is not JSON: ") && message.contains("line 1 column"), "{message}");
}

/// A message with an id that is no request is answered with its id, so that nobody waits.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_request_is_answered() {
    let mut client = Client::new().await;
    let call = r#"{"jsonrpc":"2.0","id":78,"method":"tools/call","params":["sense"]}"#;
    client.to.write_all(format!("{call}\n").as_bytes()).await.expect("the server reads");
    let said = client.next().await;
    assert_eq!((&said["id"], &said["error"]["code"]), (&json!(78), &json!(-32600)), "{said}");
    let message = said["error"]["message"].as_str().expect("an error");
    assert!(
        message.starts_with("the message is no request: `params` is not an object; write {"),
        "{message}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_name_is_reported_at_its_argument() {
    let mut client = Client::new().await;
    for (tool, argument) in [("protocols", "id"), ("test", "target")] {
        let said = client.call(tool, json!({argument: "billing-disput"})).await;
        let start = format!("target_not_found: {argument}: ");
        assert!(text(&said).starts_with(&start), "{said}");
        assert!(text(&said).contains("did you mean `billing-dispute`?"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_the_stage_of_a_card_is_reported_at_its_argument() {
    let mut client = Client::new().await;
    let own = include_str!("../../sonometer-catalog/stages/billing-dispute@1.0.yaml").replacen(
        "id: billing-dispute",
        "id: own-dispute",
        1,
    );
    let opened = client.call("dive_open", json!({"source": own, "seed": 7})).await;
    let dive = &opened["structuredContent"]["dive_id"];
    client.call("dive_act", json!({"dive_id": dive, "action": "I am sorry about this."})).await;
    let closed = client.call("dive_close", json!({"dive_id": dive, "log": true})).await;
    let (card, log) = (&closed["content"][1]["text"], &closed["content"][2]["text"]);
    for (source, start) in [
        (json!(null), "target_not_found: card: the catalogue has no stage `own-dispute`"),
        (json!("garbage"), "invalid_protocol: stage_source, line 1, column 1"),
    ] {
        let said =
            client.call("verify_card", json!({"card": card, "actions": log, "stage_source": source})).await;
        assert!(text(&said).starts_with(start), "{said}");
    }
    let said = client.call("verify_card", json!({"card": card, "actions": log, "stage_source": own})).await;
    assert_eq!(said["structuredContent"]["holds"], true, "{said}");
    assert!(text(&said).starts_with("the card is valid"), "{said}");
    // Alone, a card can only be read: anybody could have written it.
    let said = client.call("verify_card", json!({"card": card})).await;
    assert!(
        text(&said).starts_with("the card is well formed; whether it is genuine was not checked"),
        "{said}"
    );
}

/// Many small calls at once: every one is answered, by a reading or by a refusal.
#[tokio::test(flavor = "multi_thread")]
async fn every_call_is_answered() {
    let mut client = Client::new().await;
    let calls = 60;
    for id in 100..100 + calls {
        let arguments = json!({"target": "courtesy", "text": "Thank you so much for waiting."});
        let params = json!({"name": "sense", "arguments": arguments});
        client.send(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
    }
    let mut ids = Vec::new();
    for _ in 0..calls {
        let said = client.next().await;
        ids.push(said["id"].as_u64().expect("a number"));
        let text = text(&said["result"]);
        assert!(
            text.starts_with("courtesy@2.0: score") || text.starts_with("busy: 16 calls of this client wait"),
            "{text}"
        );
    }
    ids.sort_unstable();
    assert_eq!(ids, (100..100 + calls).collect::<Vec<u64>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dive_whose_log_is_too_long_to_be_sent_is_closed_without_it() {
    let mut client = Client::new().await;
    let source = sonometer_catalog::find_stage("billing-dispute", None).expect("ships").source;
    let wide = source.replace(
        "max_turns: 10, ics_budget: 60, max_action_chars: 2000",
        "max_turns: 10, ics_budget: 60, max_action_chars: 20000",
    );
    assert_ne!(wide, source);
    let opened = client.call("dive_open", json!({"source": wide})).await;
    let dive =
        opened["structuredContent"]["dive_id"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned();
    // In JSON each of these is six characters.
    let action = "\u{1}".repeat(20_000);
    for _ in 0..3 {
        let said = client.call("dive_act", json!({"dive_id": dive, "action": action})).await;
        assert_eq!(said["isError"], false, "{said}");
    }
    let said = client.call("dive_close", json!({"dive_id": dive, "log": true})).await;
    assert!(said["isError"] == true && text(&said).contains("leave out `log`"), "{said}");
    let said = client.call("dive_close", json!({"dive_id": dive})).await;
    assert_eq!((&said["isError"], &said["structuredContent"]["turns"]), (&json!(false), &json!(3)), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_without_its_arguments_is_told_what_to_give() {
    let mut client = Client::new().await;
    for (tool, arguments, part) in [
        (
            "explain",
            json!({}),
            "give `code`, such as `SM0302`, or a `target` with `text`, `turns` or `messages`",
        ),
        ("explain", json!({"code": null, "target": null}), "give `code`, such as `SM0302`"),
        (
            "explain",
            json!({"text": "Hello."}),
            "give `target`, such as `courtesy`, or the text of a file as `source`",
        ),
        ("dive_open", json!({}), "give `stage`, such as `billing-dispute`"),
        ("check", json!({"source": null}), "`source` is missing"),
        ("evaluate", json!({"target": "courtesy", "items": null}), "`items` is missing"),
        ("dive_close", json!({"dive_id": null}), "`dive_id` is missing"),
        ("sense", json!({"target": "courtesy", "messages": [7]}), "messages[0]: expected an object"),
    ] {
        let said = client.call(tool, arguments.clone()).await;
        assert_eq!(said["isError"], true, "{said}");
        assert!(text(&said).contains(part), "{tool} {arguments}: {}", text(&said));
    }
    let said = client.call("explain", json!({"code": "ann@example.org"})).await;
    assert!(text(&said).contains("unknown code; give one") && !said.to_string().contains("ann@"), "{said}");
}
