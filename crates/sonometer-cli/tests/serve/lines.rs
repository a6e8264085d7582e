//! The log of what gets no answer of an endpoint: what is no request, and requests whose clients leave.

use crate::folder;
use crate::operate::Running;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

/// The address of a server, and its token.
fn start(name: &str) -> (Running, String, String) {
    let folder = folder(name);
    fs::write(folder.join("sonometer.toml"), "database = \"db.sqlite\"\nfirst_token = \"token\"\n")
        .expect("can be written");
    let running = Running::start(&folder, &[]);
    let address = running.told("listening on http://").to_owned();
    let token = fs::read_to_string(folder.join("token")).expect("was written").trim().to_owned();
    (running, address, token)
}

#[test]
fn what_cannot_be_read_has_the_status_that_its_client_sees() {
    let (running, address, _) = start("unread");
    for (request, status, error) in [
        (format!("GET /{} HTTP/1.1\r\nhost: x\r\n\r\n", "a".repeat(66_000)), "414", "URI too long"),
        (format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(200)), "431", "message head is too large"),
        ("GET / HTTP/1.1\r\ncontent-length: x\r\n\r\n".to_owned(), "400", "invalid content-length parsed"),
    ] {
        let mut socket = TcpStream::connect(&address).expect("connects");
        socket.write_all(request.as_bytes()).expect("is taken");
        let mut head = [0; 12];
        socket.read_exact(&mut head).expect("is answered");
        assert_eq!(String::from_utf8_lossy(&head), format!("HTTP/1.1 {status}"));
        let log = running.logs(error);
        let line = log.lines().find(|line| line.contains(error)).expect("is there");
        assert!(line.contains(&format!("\"status\":{status},")), "{line}");
    }
    let mut socket = TcpStream::connect(&address).expect("connects");
    socket.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").expect("is taken");
    let log = running.logs("a client speaks HTTP/2; the service speaks HTTP/1.1");
    assert!(!log.contains("preface"), "{log}");
}

/// It may be charged, so the log names it.
#[test]
fn a_request_whose_client_leaves_is_a_line() {
    let (running, address, token) = start("leaves");
    let text = "Thank you so much for your patience today. ".repeat(4_000);
    let body = format!(
        "{{\"target\": {{\"type\": \"protocol\", \"id\": \"courtesy\"}}, \"interaction\": {{\"content\": \"{text}\"}}}}"
    );
    let request = format!(
        "POST /api/v1/sense HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
         x-request-id: gone-1\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut socket = TcpStream::connect(&address).expect("connects");
    socket.write_all(request.as_bytes()).expect("is taken");
    drop(socket);
    let log = running.logs("gone-1");
    let line = log.lines().find(|line| line.contains("gone-1")).expect("is there");
    for part in [
        "\"message\":\"ended without an answer\"",
        "\"client\":\"127.0.0.1\"",
        "\"method\":\"POST\"",
        "\"route\":\"/api/v1/sense\"",
        "\"org\":\"first\"",
        "\"token\":\"tok_",
    ] {
        assert!(line.contains(part), "{part} in {line}");
    }
}

/// Most shells allow 1,024 descriptors at first and more if a program asks for them.
#[test]
fn descriptors_are_asked_for_and_too_few_are_reported() {
    let folder = folder("descriptors");
    let served = |limit: &str, connections: &str| {
        let start = format!(
            "ulimit {limit} && exec '{}' serve --listen 127.0.0.1:0 --set limits.connections={connections}",
            env!("CARGO_BIN_EXE_sonometer")
        );
        let mut child = Command::new("sh")
            .args(["-c", &start])
            .current_dir(&folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let out = BufReader::new(child.stdout.take().expect("is piped"));
        let listens = out.lines().map_while(Result::ok).any(|line| line.starts_with("listening on"));
        child.kill().expect("is there");
        let log = child.wait_with_output().expect("ends").stderr;
        assert!(listens);
        String::from_utf8(log).expect("is text")
    };
    let few = "may open too few files for `limits.connections`";
    let log = served("-Sn 300", "200");
    assert!(!log.contains(few), "{log}");
    let log = served("-n 300", "200");
    assert!(log.contains(few) && log.contains("\"connections\":200,\"room_for\":44"), "{log}");
    let log = served("-n 300", "44");
    assert!(!log.contains(few), "{log}");
}
