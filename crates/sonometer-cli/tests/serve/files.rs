//! Files by `url`, through the command as it is started for good.

use crate::{Served, folder, post};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// A host of `fixtures/documents` on loopback: its port.
fn host() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let port = listener.local_addr().expect("is bound").port();
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/documents");
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut head = [0; 2_048];
            let read = stream.read(&mut head).unwrap_or(0);
            let head = String::from_utf8_lossy(&head[..read]).into_owned();
            let name = head.split(' ').nth(1).unwrap_or_default().trim_start_matches('/').to_owned();
            let bytes = fs::read(files.join(&name)).unwrap_or_default();
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", bytes.len());
            let _ = stream.write_all(&bytes);
        }
    });
    port
}

#[test]
fn files_are_read_by_the_command_itself_and_leave_nothing_behind() {
    let folder = folder("files");
    let port = host();
    let served = Served::start(&folder, &["--allow-file", &format!("127.0.0.1:{port}")]);
    let token = served.token();
    let ask = |name: &str, more: &str| {
        let body = format!(
            r#"{{"target": {{"type": "protocol", "id": "affect"}}, "interaction": {{"url": "http://127.0.0.1:{port}/{name}"}}{more}}}"#
        );
        post(&served.address, &token, "/api/v1/sense", "", &body).expect("answers")
    };
    for (name, place) in [
        ("report.pdf", "page "),
        ("report.docx", "table 1, cell B2"),
        ("report.odt", "table 1, cell B2"),
        ("report.rtf", "paragraph "),
    ] {
        let (status, consumed, body) = ask(name, r#", "options": {"origin": true}"#);
        assert_eq!(status, 200, "{name}: {body}");
        assert!(consumed > 0 && body.contains(place), "{name}: {body}");
    }
    let (status, consumed, body) = ask("none", "");
    assert_eq!((status, consumed), (400, 0), "{body}");
    assert!(body.contains("file_without_text"), "{body}");
    // The database and nothing else.
    let left: Vec<String> = fs::read_dir(&folder)
        .expect("is there")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| !name.starts_with("db.sqlite"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    served.signal("-TERM");
    drop(served);

    let closed = Served::start(&folder, &["--no-files"]);
    let body = format!(
        r#"{{"target": {{"type": "protocol", "id": "affect"}}, "interaction": {{"url": "http://127.0.0.1:{port}/report.pdf"}}}}"#
    );
    let begun = Instant::now();
    let (status, _, body) = post(&closed.address, &token, "/api/v1/sense", "", &body).expect("answers");
    assert!(status == 400 && body.contains("files_not_supported"), "{body}");
    assert!(begun.elapsed() < Duration::from_secs(10));
    drop(closed);
    let _ = fs::remove_dir_all(folder);
}
