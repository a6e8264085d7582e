//! Files by `url`, through the command as it is started for good.

use crate::{Served, folder, post};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// A host of `fixtures/documents` and `fixtures/audio` on loopback: its port.
fn host() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let port = listener.local_addr().expect("is bound").port();
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut head = [0; 2_048];
            let read = stream.read(&mut head).unwrap_or(0);
            let head = String::from_utf8_lossy(&head[..read]).into_owned();
            let name = head.split(' ').nth(1).unwrap_or_default().trim_start_matches('/').to_owned();
            let folders = ["documents", "audio"].map(|folder| files.join(folder).join(&name));
            let bytes = folders.iter().find_map(|file| fs::read(file).ok()).unwrap_or_default();
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", bytes.len());
            let _ = stream.write_all(&bytes);
        }
    });
    port
}

/// What is there beside the database.
fn left_behind(folder: &Path) -> Vec<String> {
    fs::read_dir(folder)
        .expect("is there")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| !name.starts_with("db.sqlite"))
        .collect()
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
    assert_eq!(left_behind(&folder), Vec::<String>::new());
    served.signal("-TERM");
    drop(served);

    let closed = Served::start(&folder, &["--no-files"]);
    let body = format!(
        r#"{{"target": {{"type": "protocol", "id": "affect"}}, "interaction": {{"url": "http://127.0.0.1:{port}/report.pdf"}}}}"#
    );
    let begun = Instant::now();
    let (status, _, body) = post(&closed.address, &token, "/api/v1/sense", "", &body).expect("answers");
    assert!(status == 400 && body.contains("files_not_supported"), "{body}");
    assert!(begun.elapsed() < Duration::from_secs(60));
    drop(closed);
    let _ = fs::remove_dir_all(folder);
}

/// A recogniser that prints each side of the talk.
#[cfg(feature = "audio")]
const KNOWING: &str = r#"sh -c 'awk -v side=$2 "BEGIN { RS = \"\" } FNR > 1 && /<v agent>/ == (side == 1) || FNR == 1 { print \$0 \"\n\" }" CAPTIONS' asr {wav} {channel}"#;

/// Sound in, by a recogniser that is a program; the same reading as for what was said out.
#[cfg(feature = "audio")]
#[test]
fn a_call_is_heard_by_a_program_and_leaves_nothing_behind() {
    let folder = folder("recordings");
    let port = host();
    let captions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/audio/call.vtt");
    let hearer = KNOWING.replace("CAPTIONS", &captions.canonicalize().expect("is there").to_string_lossy());
    let allowed = format!("127.0.0.1:{port}");
    let options = ["--allow-file", &allowed, "--transcriber", &hearer];
    let served = Served::start(&folder, &options);
    let token = served.token();
    let ask = |interaction: &str| {
        let body = format!(
            r#"{{"target": {{"type": "protocol", "id": "affect", "version": "1.5"}}, "interaction": {interaction}}}"#
        );
        post(&served.address, &token, "/api/v1/sense", "", &body).expect("answers")
    };
    let (status, consumed, body) =
        ask(&format!(r#"{{"url": "http://{allowed}/call.mp3", "channels": ["agent", "customer"]}}"#));
    assert_eq!((status, consumed), (202, 0), "{body}");
    let (_, rest) = body.split_once(r#""poll_url":""#).expect("is a job");
    let path = &rest[..rest.find('"').expect("ends")];
    let begun = Instant::now();
    let job = loop {
        let (_, job) = crate::get(&served.address, &token, path);
        if !job.contains(r#""status":"processing""#) {
            break job;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{job}");
        thread::sleep(Duration::from_millis(50));
    };
    let (status, _, given) = ask(&format!(r#"{{"url": "http://{allowed}/call.vtt"}}"#));
    assert_eq!(status, 200, "{given}");
    assert!(given.contains(r#""metamarker":"gratitude""#), "{given}");
    assert!(job.contains(&format!(r#""result":{given}"#)), "{job}\n{given}");
    assert_eq!(left_behind(&folder), Vec::<String>::new());
    drop(served);
    let _ = fs::remove_dir_all(folder);
}
