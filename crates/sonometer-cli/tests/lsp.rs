//! The language server as an editor speaks to it.
#![cfg(feature = "lsp")]

use lsp_server::{Message, Notification, Request, ResponseError};
use serde_json::{Value, json};
use std::io::{BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const TEXT: &str = "sonometer: 1\nid: x\nversion: \"1.0\"\ntaxonomy: Signal\nlanguage: en\nlists: {kind: warm | nice}\nmarkers:\n  - label: thanks\n    strong: |\n      @kind words\n      thank you # ü\n    hit: |\n      Thank you.\n      Nice words.\n    miss: No thanks.\n";
const URI: &str = "file:///somewhere/x.yaml";

struct Editor {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    number: i32,
    /// What came while an answer was waited for.
    heard: Vec<Notification>,
}

impl Editor {
    fn start() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sonometer"));
        command.args(["lsp", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("starts");
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().expect("is piped"));
        let mut editor = Self { child, to, from, number: 0, heard: Vec::new() };
        let answer =
            editor.ask("initialize", json!({"capabilities": {}, "processId": null, "rootUri": null}));
        assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16");
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: Message) {
        message.write(self.to.as_mut().expect("is open")).expect("is taken");
    }

    fn tell(&mut self, method: &str, parameters: Value) {
        self.send(Message::Notification(Notification::new(method.to_owned(), parameters)));
    }

    fn hear(&mut self) -> Message {
        Message::read(&mut self.from).expect("is a message").expect("goes on")
    }

    fn answer(&mut self, method: &str, parameters: Value) -> Result<Value, ResponseError> {
        self.number += 1;
        let id = self.number.into();
        self.send(Message::Request(Request::new(self.number.into(), method.to_owned(), parameters)));
        loop {
            match self.hear() {
                Message::Response(response) if response.id == id => return response.response_result,
                Message::Notification(notification) => self.heard.push(notification),
                Message::Response(_) | Message::Request(_) => {}
            }
        }
    }

    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.answer(method, parameters).unwrap_or_else(|error| panic!("{method}: {error:?}"))
    }

    fn open(&mut self, text: &str) -> Vec<Value> {
        self.tell(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": URI, "languageId": "yaml", "version": 1, "text": text}}),
        );
        self.findings(1)
    }

    fn change(&mut self, version: i32, text: &str) {
        let change =
            json!({"textDocument": {"uri": URI, "version": version}, "contentChanges": [{"text": text}]});
        self.tell("textDocument/didChange", change);
    }

    /// The findings of this version of the text.
    fn findings(&mut self, version: i32) -> Vec<Value> {
        loop {
            let waiting = std::mem::take(&mut self.heard);
            for notification in waiting {
                if notification.method == "textDocument/publishDiagnostics"
                    && notification.params["version"] == version
                {
                    return notification.params["diagnostics"].as_array().expect("a list").clone();
                }
            }
            if let Message::Notification(notification) = self.hear() {
                self.heard.push(notification);
            }
        }
    }

    fn end(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        drop(self.to.take());
        assert!(self.child.wait().expect("ends").success());
    }
}

/// The position of the first character of `word`, as UTF-16 counts.
fn at(text: &str, word: &str) -> Value {
    let byte = text.find(word).expect("is there");
    let line = text[..byte].matches('\n').count();
    let start = text[..byte].rfind('\n').map_or(0, |at| at + 1);
    json!({"line": line, "character": text[start..byte].encode_utf16().count()})
}

fn place(text: &str, word: &str) -> Value {
    json!({"textDocument": {"uri": URI}, "position": at(text, word)})
}

/// A text with changes as an editor makes them.
fn edited(text: &str, edits: &Value) -> String {
    let byte = |position: &Value| {
        let start: usize = text
            .split_inclusive('\n')
            .take(position["line"].as_u64().expect("a line") as usize)
            .map(str::len)
            .sum();
        let units = position["character"].as_u64().expect("a column") as usize;
        let mut seen = 0;
        let line = &text[start..];
        let end = line.char_indices().find(|(_, letter)| {
            let is_there = seen >= units;
            seen += letter.len_utf16();
            is_there
        });
        start + end.map_or(line.len(), |(at, _)| at)
    };
    let mut all: Vec<(usize, usize, String)> = edits
        .as_array()
        .expect("a list")
        .iter()
        .map(|edit| {
            (
                byte(&edit["range"]["start"]),
                byte(&edit["range"]["end"]),
                edit["newText"].as_str().expect("text").to_owned(),
            )
        })
        .collect();
    all.sort();
    let mut text = text.to_owned();
    for (start, end, new) in all.into_iter().rev() {
        text.replace_range(start..end, &new);
    }
    text
}

#[test]
fn findings_come_while_typing_and_are_mended() {
    let mut editor = Editor::start();
    assert_eq!(editor.open(TEXT), [json!(null); 0]);
    let broken = TEXT.replace("    strong: |", "    stong: |");
    editor.change(2, &broken);
    let found = editor.findings(2);
    let finding =
        found.iter().find(|finding| finding["code"] == "SM0302").unwrap_or_else(|| panic!("{found:?}"));
    assert_eq!(finding["range"]["start"], at(&broken, "stong"));
    let asked =
        json!({"textDocument": {"uri": URI}, "range": finding["range"], "context": {"diagnostics": []}});
    let actions = editor.ask("textDocument/codeAction", asked);
    let fix = &actions[0];
    assert_eq!((&fix["title"], &fix["isPreferred"]), (&json!("Write strong"), &json!(true)));
    assert_eq!(edited(&broken, &fix["edit"]["changes"][URI]), TEXT);
    assert!(
        actions.as_array().expect("a list").iter().any(|action| action["kind"] == "source.fixAll"),
        "{actions}"
    );
    editor.end();
}

#[test]
fn of_many_texts_the_last_is_checked() {
    let mut editor = Editor::start();
    editor.open(TEXT);
    for version in 2..60 {
        editor.change(version, &TEXT.replace("taxonomy", &format!("taxonomy{version}")));
    }
    editor.change(60, TEXT);
    assert!(editor.findings(60).is_empty());
    editor.end();
}

#[test]
fn names_are_found_completed_and_renamed() {
    let mut editor = Editor::start();
    editor.open(TEXT);
    let definition = editor.ask("textDocument/definition", place(TEXT, "kind words"));
    assert_eq!(definition[0]["range"]["start"], at(TEXT, "kind: warm"));
    let mut asked = place(TEXT, "kind words");
    asked["newName"] = json!("warm-words");
    let edit = editor.ask("textDocument/rename", asked.clone());
    let renamed = edited(TEXT, &edit["changes"][URI]);
    assert_eq!(renamed, TEXT.replace("kind: warm", "warm-words: warm").replace("@kind", "@warm-words"));
    asked["newName"] = json!("Warm words");
    let refused = editor.answer("textDocument/rename", asked).expect_err("is refused");
    assert!(refused.message.contains("use 1 to 64 lower-case letters"), "{}", refused.message);
    let hover = editor.ask("textDocument/hover", place(TEXT, "strong"));
    assert!(hover["contents"]["value"].as_str().expect("text").contains("Patterns that show it."), "{hover}");
    let items = editor.ask("textDocument/completion", place(TEXT, "Signal"));
    let labels: Vec<&str> =
        items.as_array().expect("a list").iter().filter_map(|item| item["label"].as_str()).collect();
    assert!(labels.contains(&"Good_Practice"), "{labels:?}");
    editor.end();
}

#[test]
fn tests_run_and_show_what_fails() {
    let mut editor = Editor::start();
    editor.open(TEXT);
    let lenses = editor.ask("textDocument/codeLens", json!({"textDocument": {"uri": URI}}));
    assert_eq!(lenses[0]["command"]["title"], "3 pass");
    let failing = TEXT.replace("Thank you.", "Thanks.");
    editor.change(2, &failing);
    let lenses = editor.ask("textDocument/codeLens", json!({"textDocument": {"uri": URI}}));
    assert_eq!(lenses[0]["command"]["title"], "run the tests");
    let command = &lenses[0]["command"];
    let said = editor.ask(
        "workspace/executeCommand",
        json!({"command": command["command"], "arguments": command["arguments"]}),
    );
    assert_eq!(said, "thanks: 2 pass, 1 fail");
    let lenses = editor.ask("textDocument/codeLens", json!({"textDocument": {"uri": URI}}));
    assert_eq!(lenses[0]["command"]["title"], "1 of 3 fail");
    editor.heard.clear();
    editor.change(3, &failing);
    editor.end();
}

#[test]
fn outline_colours_and_form() {
    let mut editor = Editor::start();
    let untidy = TEXT.replace("taxonomy: Signal", "taxonomy:   Signal");
    editor.open(&untidy);
    let whole = json!({"textDocument": {"uri": URI}, "options": {"tabSize": 2, "insertSpaces": true}});
    let edits = editor.ask("textDocument/formatting", whole);
    assert!(edited(&untidy, &edits).contains("taxonomy: Signal\n"));
    let symbols = editor.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}}));
    let markers = symbols
        .as_array()
        .expect("a list")
        .iter()
        .find(|symbol| symbol["name"] == "markers")
        .expect("is there");
    assert_eq!(markers["children"][0]["name"], "thanks");
    let tokens = editor.ask("textDocument/semanticTokens/full", json!({"textDocument": {"uri": URI}}));
    let data = tokens["data"].as_array().expect("a list");
    assert!(data.len() >= 15 && data.len().is_multiple_of(5), "{tokens}");
    let unknown = editor.answer("textDocument/moniker", place(TEXT, "thanks")).expect_err("is refused");
    assert_eq!(unknown.code, -32601);
    editor.end();
}

#[test]
fn what_comes_after_the_end_is_refused_in_a_few_words() {
    let mut editor = Editor::start();
    editor.ask("shutdown", Value::Null);
    let refused = editor.answer("textDocument/hover", place(TEXT, "strong")).expect_err("is refused");
    assert_eq!(refused.message, "`textDocument/hover` came after `shutdown`; only `exit` may follow");
    editor.tell("exit", Value::Null);
    assert!(editor.child.wait().expect("ends").success());
}

#[test]
fn an_exit_without_shutdown_is_told_by_the_status() {
    let mut editor = Editor::start();
    editor.tell("exit", Value::Null);
    assert_eq!(editor.child.wait().expect("ends").code(), Some(1));
    // An editor that only goes away has not broken the protocol.
    let mut editor = Editor::start();
    drop(editor.to.take());
    assert_eq!(editor.child.wait().expect("ends").code(), Some(0));
    // Nor was anything shut down before the first request.
    let exit = r#"{"jsonrpc":"2.0","method":"exit"}"#;
    let mut command = Command::new(env!("CARGO_BIN_EXE_sonometer"));
    command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("starts");
    let mut to = child.stdin.take().expect("is piped");
    to.write_all(format!("Content-Length: {}\r\n\r\n{exit}", exit.len()).as_bytes()).expect("is taken");
    assert_eq!(child.wait().expect("ends").code(), Some(1));
}

#[test]
fn a_header_that_announces_more_than_a_message_holds_is_refused() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sonometer"));
    command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("starts");
    let mut to = child.stdin.take().expect("is piped");
    to.write_all(b"Content-Length: 9223372036854775807\r\n\r\n{}").expect("is taken");
    let ended = child.wait_with_output().expect("ends");
    let told = String::from_utf8(ended.stderr).expect("is UTF-8");
    let said =
        "error: standard input: `Content-Length` is no number of at most 67108864 bytes, the longest message";
    assert_eq!(ended.status.code(), Some(2), "{told}");
    assert!(told.starts_with(said), "{told}");
}
