//! `sonometer mcp` as a client starts it.
#![cfg(feature = "mcp")]

mod built;

use built::{Running, folder};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sonometer"));
    command.arg("mcp").args(arguments).env_remove("SONOMETER_MCP_TOKEN");
    command
}

fn call(id: u64, method: &str, params: Value) -> String {
    format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

/// What a client says first.
fn hello() -> String {
    let info = json!({"name": "test", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
    call(1, "initialize", hello) + "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
}

/// A protocol that names a list file beside it.
const OWN: &str = "sonometer: 1\nid: names\nversion: \"1.0\"\ntaxonomy: Signal\nscore: any\nlist_files: {first: first.txt}\nmarkers:\n  \
                   - label: name\n    strong: \"@first\"\n    hit: Ann\n";

#[test]
fn own_files_are_served_over_standard_input_until_it_ends() {
    let folder = folder("mcp-own", &[("names.yaml", OWN), ("first.txt", "ann\nbob\n")]);
    let path = folder.join("names.yaml").display().to_string();
    let mut child = command(&[&path])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let arguments = json!({"target": "names", "text": "Ann and Bob came."});
    let messages = hello() + &call(2, "tools/call", json!({"name": "sense", "arguments": arguments}));
    child.stdin.take().expect("is piped").write_all(messages.as_bytes()).expect("is read");
    let output = child.wait_with_output().expect("ends with its input");
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    let lines: Vec<Value> = output
        .stdout
        .lines()
        .map(|line| serde_json::from_str(&line.expect("UTF-8")).expect("only messages"))
        .collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(lines[1]["result"]["structuredContent"]["evidence_total"], 2, "{lines:?}");
    std::fs::remove_dir_all(folder).expect("the folder is its own");
}

fn complaint(arguments: &[&str]) -> String {
    let output = command(arguments).stdin(Stdio::null()).output().expect("starts");
    assert_ne!(output.status.code(), Some(0), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn what_cannot_be_served_is_told_at_the_start() {
    let folder = folder("mcp-wrong", &[("short.txt", "secret\n"), ("broken.yaml", "sonometer: 1\n")]);
    let path = |name: &str| folder.join(name).display().to_string();
    for (arguments, part) in [
        (vec!["courtesy".to_owned()], "`courtesy` is not a file; what ships is served in any case"),
        (vec![path("none.yaml")], "none.yaml"),
        (
            vec!["Cargo.toml".to_owned()],
            "`Cargo.toml` is no protocol, metric, blueprint or stage; the name of such a file ends in",
        ),
        (
            vec!["--http".to_owned(), "127.0.0.1:0".to_owned()],
            "`127.0.0.1:0` is an address; write `--http=127.0.0.1:0`",
        ),
        (vec![path("broken.yaml")], "SM03"),
        (vec!["--http=nowhere".to_owned()], "give an address such as --http=127.0.0.1:8091"),
        (
            vec!["--http".to_owned(), "--token-file".to_owned(), path("short.txt")],
            "a token is one word of 16 or more letters",
        ),
        (vec!["--token-file".to_owned(), path("short.txt")], "--http"),
        (vec!["--stalled-seconds=5".to_owned()], "--http"),
        (vec!["--http".to_owned(), "--stalled-seconds=0".to_owned()], "a whole number from 1 to 86400"),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let told = complaint(&arguments);
        assert!(told.contains(part), "{arguments:?}: {told}");
    }
    std::fs::remove_dir_all(folder).expect("the folder is its own");
}

/// The status and the body of the answer to one message.
fn post(address: &str, headers: &str, body: &str) -> (String, String) {
    let mut socket = TcpStream::connect(address).expect("connects");
    let length = body.len();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\naccept: application/json, \
         text/event-stream\r\ncontent-length: {length}\r\n{headers}\r\n"
    );
    socket.write_all(format!("{head}{body}").as_bytes()).expect("is read");
    let mut text = String::new();
    socket.read_to_string(&mut text).expect("UTF-8");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    (head.lines().next().unwrap_or_default().to_owned(), body.to_owned())
}

#[test]
fn over_http_only_the_token_lets_in() {
    let mut child = command(&["--http=127.0.0.1:0"]).stdout(Stdio::piped()).spawn().expect("starts");
    let mut lines =
        BufReader::new(child.stdout.take().expect("is piped")).lines().map(|line| line.expect("UTF-8"));
    let running = Running(child);
    let address = lines.next().expect("says where");
    let address = address
        .strip_prefix("listening on http://")
        .and_then(|rest| rest.strip_suffix("/mcp"))
        .expect("an address");
    let token = lines.next().expect("says the token");
    let token = token.strip_prefix("token ").expect("a token");
    let arguments = json!({"target": "courtesy", "text": "Thank you so much for waiting."});
    let message = call(5, "tools/call", json!({"name": "sense", "arguments": arguments}));
    let version = "mcp-protocol-version: 2025-11-25\r\n";
    let let_in = format!("authorization: Bearer {token}\r\n{version}");

    let (status, body) = post(address, &let_in, &message);
    assert!(status.contains("200"), "{status}: {body}");
    let said: Value = serde_json::from_str(&body).unwrap_or_else(|_| panic!("{body}"));
    assert_eq!((said["id"].as_u64(), said["result"]["isError"].as_bool()), (Some(5), Some(false)), "{said}");

    for (headers, wanted) in [
        (version.to_owned(), "401"),
        (format!("authorization: Bearer {token}x\r\n{version}"), "401"),
        (format!("{let_in}origin: https://example.org\r\n"), "403"),
    ] {
        let (status, body) = post(address, &headers, &message);
        assert!(status.contains(wanted), "{headers}: {status}: {body}");
        assert!(!body.contains("score"), "{body}");
    }
    let (_, body) = post(address, version, &message);
    assert!(body.contains("send the header `Authorization: Bearer TOKEN`"), "{body}");
    drop(running);
}
