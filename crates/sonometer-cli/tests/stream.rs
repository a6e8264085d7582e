//! `sonometer stream`: what comes in bit by bit gives what the whole gives; a guard lets nothing private through.

mod built;

use built::{command, text};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Output, Stdio};

fn start(arguments: &[&str]) -> Child {
    let mut command = command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts")
}

fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = start(arguments);
    child.stdin.take().expect("is piped").write_all(input).expect("reads its input");
    child.wait_with_output().expect("ends")
}

const REPLY: &[u8] = "Thank you so much for your patience. I have looked at the invoice with the café. \
    Your card 4111 1111 1111 1111 was charged twice! Could you please confirm the amount?"
    .as_bytes();

#[test]
fn the_last_event_has_the_reading_that_sense_gives() {
    let streamed = run(&["stream", "courtesy@1.5", "--json"], REPLY);
    assert!(streamed.status.success(), "{}", text(&streamed.stderr));
    let sensed = run(&["sense", "courtesy@1.5", "-", "--json", "--format", "text"], REPLY);
    let last = text(&streamed.stdout).lines().last().expect("there are events").to_owned();
    assert_eq!(last, format!("{{\"event\":\"complete\",\"reading\":{}}}", text(&sensed.stdout).trim_end()));
}

#[test]
fn events_come_as_soon_as_a_sentence_has_settled() {
    let mut child = start(&["stream", "courtesy@1.5", "--json"]);
    let mut input = child.stdin.take().expect("is piped");
    let mut lines = BufReader::new(child.stdout.take().expect("is piped")).lines();
    input.write_all(b"Thank you so much. It").expect("reads its input");
    input.flush().expect("reads its input");
    // The input is still open.
    let first = lines.next().expect("there is an event").expect("is text");
    assert!(first.starts_with("{\"event\":\"evidence\",\"metamarker\":\"gratitude\""), "{first}");
    let settled = lines.by_ref().map_while(Result::ok).find(|line| line.contains("settled"));
    assert_eq!(settled.as_deref(), Some("{\"event\":\"settled\",\"segment\":0,\"offset\":19}"));
    drop(input);
    assert!(lines.map_while(Result::ok).last().expect("ends").contains("\"event\":\"complete\""));
    child.wait().expect("ends");
}

#[test]
fn a_guard_holds_text_back_and_masks_it() {
    let mut child = start(&["stream", "personal-data", "--guard"]);
    let mut input = child.stdin.take().expect("is piped");
    let mut output = child.stdout.take().expect("is piped");
    input.write_all(b"I have it here. My card is 4111 1111").expect("reads its input");
    input.flush().expect("reads its input");
    let mut first = [0; 16];
    output.read_exact(&mut first).expect("the first sentence is let through");
    assert_eq!(&first, b"I have it here. ");
    input.write_all(b" 1111 1111, thanks").expect("reads its input");
    drop(input);
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("is text");
    assert_eq!(rest, "My card is **** **** **** 1111, thanks");
    assert!(child.wait().expect("ends").success());
}

#[test]
fn a_guard_masks_where_there_is_too_little_to_measure() {
    let shown = run(&["stream", "personal-data", "--guard"], b"4111 1111 1111 1111");
    assert_eq!(text(&shown.stdout), "**** **** **** 1111");
}

#[test]
fn conversations_come_in_as_lines() {
    let turns = "agent: Good morning, thank you for calling.\ncustomer: Hi. My router is dead\nagain, please help.\nagent: I'm so sorry about that!\n";
    let streamed = run(&["stream", "courtesy@1.5", "--form", "turns", "--json"], turns.as_bytes());
    let sensed = run(&["sense", "courtesy@1.5", "-", "--json", "--format", "turns"], turns.as_bytes());
    let last = text(&streamed.stdout).lines().last().expect("there are events").to_owned();
    assert!(last.ends_with(&format!("{}}}", text(&sensed.stdout).trim_end())), "{last}");
    let lines = r#"{"role":"agent","content":"Good morning, thank you for calling.","timestamp":1}
{"role":"customer","content":"Hi. My router is dead\nagain, please help."}"#;
    let streamed = run(&["stream", "courtesy@1.5", "--form", "jsonl"], lines.as_bytes());
    let shown = text(&streamed.stdout);
    assert!(shown.contains("agent: Good morning") && shown.contains("gratitude"), "{shown}");
}

#[test]
fn a_blueprint_listens_too() {
    let streamed = run(&["stream", "assistant-reply", "--json"], REPLY);
    assert!(streamed.status.success(), "{}", text(&streamed.stderr));
    let sensed = run(&["sense", "assistant-reply", "-", "--json", "--format", "text"], REPLY);
    let last = text(&streamed.stdout).lines().last().expect("there are events").to_owned();
    assert_eq!(last, format!("{{\"event\":\"complete\",\"reading\":{}}}", text(&sensed.stdout).trim_end()));
}

#[test]
fn what_cannot_be_read_is_told_with_its_place() {
    for (arguments, input, told) in [
        (&["stream", "courtesy@1.5"][..], &b"abc\xff"[..], "byte 3 of the content is not UTF-8"),
        (&["stream", "courtesy@1.5"], b"ab\xc3", "the one at byte 2 is incomplete"),
        (&["stream", "courtesy@1.5", "--form", "turns"], b"hello", "the first words have no role"),
        (&["stream", "courtesy@1.5", "--form", "jsonl"], b"\n{\"role\":1}", "line 2"),
        (
            &["stream", "courtesy@1.5", "--form", "jsonl"],
            b"{\"role\":\"a\",\"contend\":\"b\"}",
            "did you mean `content`",
        ),
    ] {
        let output = run(arguments, input);
        assert_eq!(output.status.code(), Some(2), "{input:?}");
        assert!(text(&output.stderr).contains(told), "{told}: {}", text(&output.stderr));
    }
    let little = run(&["stream", "courtesy@1.5"], b"ok");
    assert_eq!(little.status.code(), Some(3));
    assert!(text(&little.stdout).contains("lacks sufficient signal"));
}

#[test]
fn messages_of_other_forms_are_lines_too() {
    let said = "Thank you so much for your patience today.";
    let plain = format!("{{\"role\": \"user\", \"content\": \"{said}\"}}\n");
    let arguments = ["stream", "courtesy@2.0", "--form", "jsonl", "--json"];
    let last = |input: &str| {
        let streamed = run(&arguments, input.as_bytes());
        assert!(streamed.status.success(), "{input}: {}", text(&streamed.stderr));
        text(&streamed.stdout).lines().last().expect("the reading").to_owned()
    };
    let expected = last(&plain);
    for line in [
        format!(r#"{{"id": "1", "role": "user", "parts": [{{"type": "text", "text": "{said}"}}]}}"#),
        format!(r#"{{"role": "user", "parts": [{{"text": "{said}"}}]}}"#),
        format!(r#"{{"type": "human", "data": {{"content": "{said}"}}}}"#),
        format!(r#"{{"from": "human", "value": "{said}"}}"#),
    ] {
        assert_eq!(last(&format!("{line}\n")), expected, "{line}");
    }
    // Nobody says anything in the second one.
    let call =
        r#"{"role": "assistant", "parts": [{"type": "step-start"}, {"type": "reasoning", "text": "Hm."}]}"#;
    assert_eq!(last(&format!("{plain}{call}\n")), expected);
    let whole = run(&arguments, format!("{{\"messages\": [{}]}}\n", plain.trim()).as_bytes());
    let told = text(&whole.stderr);
    assert!(told.contains("line 1: messages: this is a whole chat; write one message a line"), "{told}");
    let line = format!("{{\"custom_id\": \"a\", \"body\": {{\"messages\": [{}]}}}}\n", plain.trim());
    let whole = run(&arguments, line.as_bytes());
    assert!(text(&whole.stderr).contains("line 1: this is a whole chat"), "{}", text(&whole.stderr));
    let wrong = run(&arguments, br#"{"role": "user", "parts": [{"type": "text", "text": 7}]}"#);
    let told = text(&wrong.stderr);
    assert!(!wrong.status.success() && told.contains("line 1: parts[0].text"), "{told}");
}
