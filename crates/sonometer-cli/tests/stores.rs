//! Tables in object stores. Those that need a server are run by `stores.sh`, which starts a stand-in for S3.
#![cfg(feature = "stores")]

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;
use std::env;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The address of the stand-in; `None` without one, which is said.
fn server() -> Option<String> {
    let server = env::var("SONOMETER_TEST_S3").ok();
    if server.is_none() {
        eprintln!("skipped: no server for S3; run crates/sonometer-cli/tests/stores.sh");
    }
    server
}

/// A folder of a test, empty, in which the command runs.
fn home(name: &str) -> PathBuf {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stores").join(name);
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).expect("can be made");
    home
}

/// The command with a store at `endpoint`.
fn command(home: &Path, endpoint: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sonometer"));
    command.env_clear();
    command.env("AWS_ENDPOINT_URL", format!("http://{endpoint}")).env("AWS_ALLOW_HTTP", "true");
    command.env("AWS_ACCESS_KEY_ID", "somebody").env("AWS_SECRET_ACCESS_KEY", "something");
    command.current_dir(home).args(arguments);
    command
}

fn told(ran: &Output) -> String {
    String::from_utf8(ran.stderr.clone()).expect("writes UTF-8")
}

fn done(home: &Path, endpoint: &str, arguments: &[&str]) -> String {
    let ran = command(home, endpoint, arguments).output().expect("starts");
    assert_eq!(ran.status.code(), Some(0), "{arguments:?}: {}", told(&ran));
    told(&ran)
}

/// What a run that must fail says, without its dress.
fn refused(command: &mut Command) -> String {
    let ran = command.output().expect("starts");
    let told = told(&ran);
    assert_eq!(ran.status.code(), Some(2), "{told}");
    let told = told.strip_prefix("error: ").unwrap_or_else(|| panic!("{told}"));
    told.trim_end().rsplit_once(" [").expect("ends with a code").0.to_owned()
}

const SIGNED: &str = "Authorization: AWS4-HMAC-SHA256 Credential=a/20261125/us-east-1/s3/aws4_request, SignedHeaders=host, \
                      Signature=0\r\n";

/// One request of HTTP; its status and body. The stand-in looks whether a request is signed, not by whom.
fn ask(server: &str, method: &str, path: &str, body: &[u8]) -> (u16, Vec<u8>) {
    let mut stream = TcpStream::connect(server).expect("is there");
    let length = body.len();
    let signed = if method == "PUT" { "x-amz-acl: public-read\r\n" } else { SIGNED };
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {server}\r\n{signed}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    )
    .expect("is written");
    stream.write_all(body).expect("is written");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("answers");
    let head = answer.windows(4).position(|end| end == b"\r\n\r\n").expect("has a head");
    let status = std::str::from_utf8(&answer[9..12]).expect("is a number").parse().expect("is a number");
    (status, answer[head + 4..].to_vec())
}

fn bucket(server: &str, name: &str) {
    assert_eq!(ask(server, "PUT", &format!("/{name}"), b"").0, 200);
}

fn put(server: &str, path: &str, bytes: &[u8]) {
    assert_eq!(ask(server, "PUT", path, bytes).0, 200);
}

fn get(server: &str, path: &str) -> Vec<u8> {
    let (status, body) = ask(server, "GET", path, b"");
    assert_eq!(status, 200, "{path}");
    body
}

/// Texts with something heavy beside that nobody asks for.
fn table(from: usize, count: usize, heavy: usize) -> RecordBatch {
    let id: ArrayRef = Arc::new(StringArray::from_iter_values((from..from + count).map(|n| format!("t{n}"))));
    let said: ArrayRef = Arc::new(StringArray::from_iter((from..from + count).map(|n| {
        (n % 11 != 10)
            .then(|| format!("Thank you so much for the {n} letters, I really appreciate it today."))
    })));
    // Letters that do not repeat, so that no dictionary makes them light.
    let letters = |n: usize| {
        let mut state = n as u64 ^ 0x9e37_79b9_7f4a_7c15;
        let mut letter = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            char::from(b'a' + (state % 26) as u8)
        };
        (0..heavy).map(|_| letter()).collect::<String>()
    };
    let other: ArrayRef = Arc::new(StringArray::from_iter_values((from..from + count).map(letters)));
    RecordBatch::try_from_iter_with_nullable([("id", id, true), ("said", said, true), ("other", other, true)])
        .expect("fits")
}

fn parquet(rows: &RecordBatch, group: usize) -> Vec<u8> {
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group)).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), rows.schema(), Some(properties)).expect("opens");
    writer.write(rows).expect("is written");
    writer.into_inner().expect("is written")
}

fn rows(path: &Path) -> usize {
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("is there")).expect("is Parquet");
    builder.build().expect("reads").map(|batch| batch.expect("reads").num_rows()).sum()
}

/// A server between the command and the store, which passes everything on and notes the heads of requests.
struct Between {
    address: String,
    heads: Arc<Mutex<Vec<String>>>,
    /// Words of a request that is not passed on, and whether it came.
    held: Arc<Mutex<Option<&'static str>>>,
    came: Arc<AtomicBool>,
}

fn between(server: &str) -> Between {
    let listener = TcpListener::bind("127.0.0.1:0").expect("has a port");
    let between = Between {
        address: listener.local_addr().expect("is bound").to_string(),
        heads: Arc::default(),
        held: Arc::default(),
        came: Arc::default(),
    };
    let (server, heads) = (server.to_owned(), Arc::clone(&between.heads));
    let (held, came) = (Arc::clone(&between.held), Arc::clone(&between.came));
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let (server, heads) = (server.clone(), Arc::clone(&heads));
            let (held, came) = (Arc::clone(&held), Arc::clone(&came));
            thread::spawn(move || -> std::io::Result<()> {
                let mut store = TcpStream::connect(server)?;
                let (mut from_store, mut to_client) = (store.try_clone()?, client.try_clone()?);
                thread::spawn(move || {
                    let _ = std::io::copy(&mut from_store, &mut to_client);
                    let _ = to_client.shutdown(Shutdown::Both);
                });
                let (mut client, mut buffer) = (client, vec![0; 64 << 10]);
                loop {
                    let read = client.read(&mut buffer)?;
                    if read == 0 {
                        return store.shutdown(Shutdown::Both);
                    }
                    let text = String::from_utf8_lossy(&buffer[..read]).into_owned();
                    if let Some(words) = *held.lock().expect("is whole")
                        && text.contains(words)
                    {
                        came.store(true, Ordering::SeqCst);
                        return Ok(());
                    }
                    if text.contains(" HTTP/1.1\r\n") {
                        heads.lock().expect("is whole").push(text);
                    }
                    store.write_all(&buffer[..read])?;
                }
            });
        }
    });
    between
}

impl Between {
    /// The bytes of all ranges that were asked for.
    fn ranges(&self) -> u64 {
        let heads = self.heads.lock().expect("is whole");
        let of = |head: &String| {
            let (_, range) = head.split_once("range: bytes=")?;
            let (start, end) = range.split("\r\n").next()?.split_once('-')?;
            Some(end.parse::<u64>().ok()? - start.parse::<u64>().ok()? + 1)
        };
        heads.iter().filter_map(of).sum()
    }
}

/// A server that gives every request one answer.
fn answering(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("has a port");
    let address = listener.local_addr().expect("is bound").to_string();
    thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let mut head = [0; 8 << 10];
            let _ = client.read(&mut head);
            let _ = client.write_all(answer.as_bytes());
        }
    });
    address
}

#[test]
fn from_a_store_to_a_store_is_the_same_as_from_file_to_file() {
    let Some(server) = server() else { return };
    let home = home("same");
    bucket(&server, "same");
    let bytes = parquet(&table(0, 20_000, 1_000), 5_000);
    fs::write(home.join("talks.parquet"), &bytes).expect("is written");
    put(&server, "/same/in/talks.parquet", &bytes);
    let sense = |from: &str, to: &str, server: &str| {
        let arguments = [
            "batch",
            "courtesy@1.5",
            from,
            "--text-column",
            "said",
            "--keep",
            "id",
            "--columns",
            "score,evidence",
        ];
        done(&home, server, &[&arguments[..], &["-o", to]].concat())
    };
    sense("talks.parquet", "here.parquet", &server);
    let between = between(&server);
    let told = sense("s3://same/in/talks.parquet", "s3://same/out/there.parquet", &between.address);
    assert!(told.starts_with("20000 rows: "), "{told}");
    assert_eq!(
        get(&server, "/same/out/there.parquet"),
        fs::read(home.join("here.parquet")).expect("is there")
    );
    assert!(!home.join("there.parquet.parts").exists());
    // The columns `id` and `said`, and the index: for the schema and for the rows.
    let (asked, whole) = (between.ranges(), bytes.len() as u64);
    assert!(asked > 0 && asked < whole / 5, "{asked} bytes of {whole} were asked for");
    let again = [
        "batch",
        "courtesy@1.5",
        "talks.parquet",
        "--text-column",
        "said",
        "-o",
        "s3://same/out/there.parquet",
    ];
    assert_eq!(
        refused(&mut command(&home, &server, &again)),
        "s3://same/out/there.parquet: already exists; remove it, or name another file"
    );
    // A file as an address is a file.
    let address = format!("file://{}/talks.parquet", home.display());
    sense(&address, "as-address.parquet", &server);
    let read = |name: &str| fs::read(home.join(name)).expect("is there");
    assert!(read("as-address.parquet") == read("here.parquet"));
}

#[test]
fn every_format_is_read_and_written() {
    let Some(server) = server() else { return };
    let home = home("formats");
    bucket(&server, "formats");
    fs::write(home.join("talks.parquet"), parquet(&table(0, 3_000, 10), 1_000)).expect("is written");
    let told = |from: &str, to: &str| {
        let all = ["batch", "courtesy@1.5", from, "--text-column", "said", "--keep", "id,said", "-o", to];
        done(&home, &server, &all)
    };
    for name in ["a.parquet", "a.arrow", "a.csv", "a.csv.gz", "a.jsonl", "a.jsonl.zst"] {
        told("talks.parquet", name);
        told("talks.parquet", &format!("s3://formats/{name}"));
        let bytes = fs::read(home.join(name)).expect("is there");
        assert!(get(&server, &format!("/formats/{name}")) == bytes, "{name}");
        let (from_file, from_store) = (format!("of-file-{name}"), format!("of-store-{name}"));
        for (from, to) in [(name.to_owned(), &from_file), (format!("s3://formats/{name}"), &from_store)] {
            let all = ["batch", "courtesy@1.5", &from, "--text-column", "said", "--keep", "id", "-o", to];
            done(&home, &server, &all);
        }
        let read = |name: &str| fs::read(home.join(name)).expect("is there");
        assert!(read(&from_file) == read(&from_store), "{name}");
    }
    // Over HTTP: in ranges, and as a whole.
    for name in ["a.parquet", "a.arrow", "a.csv.gz"] {
        // Objects of `put` may be read by anybody.
        put(&server, &format!("/formats/public/{name}"), &fs::read(home.join(name)).expect("is there"));
        let (from, to) = (format!("http://{server}/formats/public/{name}"), format!("of-http-{name}"));
        done(
            &home,
            &server,
            &["batch", "courtesy@1.5", &from, "--text-column", "said", "--keep", "id", "-o", &to],
        );
        let read = |name: &str| fs::read(home.join(name)).expect("is there");
        assert!(read(&to) == read(&format!("of-file-{name}")), "{name}");
    }
}

#[test]
fn folders_and_patterns_stand_for_their_objects() {
    let Some(server) = server() else { return };
    let home = home("patterns");
    bucket(&server, "patterns");
    for (name, from) in
        [("y/a.parquet", 0), ("y/b.parquet", 100), ("y/m/c.parquet", 200), ("z/d.parquet", 300)]
    {
        put(&server, &format!("/patterns/{name}"), &parquet(&table(from, 100, 10), 50));
    }
    put(&server, "/patterns/y/_SUCCESS", b"");
    put(&server, "/patterns/y/notes.txt", b"nothing");
    for (input, wanted) in [
        ("s3://patterns/y/", 200),
        ("s3://patterns/y", 200),
        ("s3://patterns/y/*.parquet", 200),
        ("s3://patterns/**/*.parquet", 400),
        ("s3://patterns/y/**/[ac].parquet", 200),
        ("s3://patterns/?/?.parquet", 300),
    ] {
        let _ = fs::remove_file(home.join("out.parquet"));
        done(&home, &server, &["batch", "courtesy@1.5", input, "--text-column", "said", "-o", "out.parquet"]);
        assert_eq!(rows(&home.join("out.parquet")), wanted, "{input}");
    }
    let batch = |input: &str| {
        refused(&mut command(&home, &server, &["batch", "courtesy@1.5", input, "-o", "no.parquet"]))
    };
    assert_eq!(batch("s3://patterns/q*.parquet"), "s3://patterns/q*.parquet: no file matches the pattern");
    assert!(batch("s3://patterns/w/").starts_with("s3://patterns/w/: is a folder without tables"));
    assert!(batch("s3://patterns/y/[a.parquet").contains("the pattern is broken at character 2"));
}

/// The words of the store about objects and uploads of a bucket.
fn listed(server: &str, bucket: &str) -> String {
    String::from_utf8(get(server, &format!("/{bucket}?list-type=2"))).expect("is text")
}

#[test]
fn an_upload_that_is_killed_leaves_nothing_and_goes_on() {
    let Some(server) = server() else { return };
    let home = home("killed");
    bucket(&server, "killed");
    fs::write(home.join("talks.parquet"), parquet(&table(0, 40_000, 10), 10_000)).expect("is written");
    let arguments = |out: &'static str| {
        ["batch", "courtesy@1.5", "talks.parquet", "--text-column", "said", "--columns", "json", "-o", out]
    };
    done(&home, &server, &arguments("whole.jsonl"));
    let whole = fs::read(home.join("whole.jsonl")).expect("is there");
    assert!(whole.len() > 20 << 20, "an upload of {} bytes has too few pieces", whole.len());

    let between = between(&server);
    *between.held.lock().expect("is whole") = Some("partNumber=3");
    let mut child = command(&home, &between.address, &arguments("s3://killed/out.jsonl"))
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");
    while !between.came.load(Ordering::SeqCst) && child.try_wait().expect("is a child").is_none() {
        thread::sleep(Duration::from_millis(5));
    }
    assert!(
        child.try_wait().expect("is a child").is_none(),
        "the run was over before its upload was stopped"
    );
    child.kill().expect("can be killed");
    child.wait().expect("ends");
    assert_eq!(ask(&server, "HEAD", "/killed/out.jsonl", b"").0, 404, "a killed run left an object");
    assert!(!listed(&server, "killed").contains("<Key>"));
    *between.held.lock().expect("is whole") = None;

    assert_eq!(
        refused(&mut command(&home, &server, &arguments("s3://killed/out.jsonl"))),
        "out.jsonl.parts: has parts of a run that was stopped; use --resume to continue it, or remove the folder"
    );
    // Another place of the same name.
    let mut other = arguments("s3://killed/other/out.jsonl").to_vec();
    other.push("--resume");
    assert!(refused(&mut command(&home, &server, &other)).contains("has parts of another run"));
    let mut again = arguments("s3://killed/out.jsonl").to_vec();
    again.push("--resume");
    assert!(done(&home, &server, &again).contains("after 40000 that were there"));
    assert!(get(&server, "/killed/out.jsonl") == whole, "the bytes are not those of one run");
    assert!(done(&home, &server, &again).contains("already whole"));
}

#[test]
fn messages_say_what_is_wrong_and_what_to_type() {
    let Some(server) = server() else { return };
    let home = home("messages");
    bucket(&server, "messages");
    fs::write(home.join("talks.csv"), "text\nThank you so much.\n").expect("is written");
    let from =
        |input: &str| refused(&mut command(&home, &server, &["batch", "courtesy", input, "-o", "out.csv"]));
    let to =
        |out: &str| refused(&mut command(&home, &server, &["batch", "courtesy", "talks.csv", "-o", out]));
    let endpoint = format!("AWS_ENDPOINT_URL, which is http://{server}");
    let missing = format!("there is no bucket `nowhere`; check its name, and {endpoint}");
    assert_eq!(from("s3://nowhere/talks.csv"), format!("s3://nowhere/talks.csv: {missing}"));
    assert_eq!(from("s3://nowhere/*.csv"), format!("s3://nowhere/*.csv: {missing}"));
    assert_eq!(to("s3://nowhere/out.csv"), format!("s3://nowhere/out.csv: {missing}"));
    assert_eq!(
        from("s3://messages/talks.csv"),
        "s3://messages/talks.csv: there is no such object; check the name, or write a folder or pattern"
    );
    assert_eq!(
        from("ftp://host/talks.csv"),
        "ftp://host/talks.csv: no store has the scheme `ftp`; write s3://, gs://, az://, abfss://, http://, https:// or \
         file://"
    );
    assert!(to("https://example.org/out.csv").contains("servers of HTTP are read only"));
    assert!(to("s3://messages/folder/").starts_with("s3://messages/folder/: "));
    assert!(!home.join("out.csv.parts").exists(), "a run that could not begin left a folder");

    let at = |endpoint: &str| {
        command(&home, endpoint, &["batch", "courtesy", "s3://messages/talks.csv", "-o", "out.csv"])
    };
    assert_eq!(
        refused(&mut at("127.0.0.1:1")).split("; check").collect::<Vec<_>>(),
        [
            "s3://messages/talks.csv: no connection to the store: Connection refused (os error 111)",
            " the network, and AWS_ENDPOINT_URL, which is http://127.0.0.1:1",
        ]
    );
    let mut open = at(&server);
    open.env_remove("AWS_ALLOW_HTTP");
    assert!(refused(&mut open).ends_with("allow it with AWS_ALLOW_HTTP=true"));
    let mut nobody = at(&server);
    nobody.env_remove("AWS_ACCESS_KEY_ID").env_remove("AWS_SECRET_ACCESS_KEY");
    nobody.env("AWS_METADATA_ENDPOINT", "http://127.0.0.1:1");
    assert!(refused(&mut nobody).starts_with(
        "s3://messages/talks.csv: no credentials were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    ));
    let denied = answering(
        "HTTP/1.1 403 Forbidden\r\nContent-Length: 38\r\nConnection: close\r\n\r\n<Error><Code>AccessDenied</Code></Error>",
    );
    assert!(refused(&mut at(&denied)).contains("access is denied (403): these credentials may not do this"));
    let unknown = answering(
        "HTTP/1.1 403 Forbidden\r\nContent-Length: 45\r\nConnection: close\r\n\r\n<Error><Code>InvalidAccessKeyId</Code></Error>",
    );
    assert!(
        refused(&mut at(&unknown))
            .contains("the store does not know these credentials; check AWS_ACCESS_KEY_ID")
    );
    let moved = answering("HTTP/1.1 301 Moved Permanently\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    assert_eq!(
        refused(&mut at(&moved)),
        "s3://messages/talks.csv: the bucket is not in the region `us-east-1`; set AWS_REGION to that of the bucket"
    );
    // A server that has no ranges.
    let whole = answering(
        "HTTP/1.1 200 OK\r\nContent-Length: 24\r\nConnection: close\r\n\r\ntext\nThank you so much.\n",
    );
    let over = |name: &str, out: &str| {
        let address = format!("http://{whole}/{name}");
        command(&home, &server, &["batch", "courtesy@1.5", &address, "-o", out])
    };
    assert!(over("talks.csv", "http.csv").output().expect("starts").status.success());
    assert!(home.join("http.csv").exists());
    assert!(refused(&mut over("talks.parquet", "no.csv")).contains("the server sends whole files only"));
}

#[test]
fn a_score_is_that_of_sense() {
    let Some(server) = server() else { return };
    let home = home("score");
    bucket(&server, "score");
    put(&server, "/score/a.parquet", &parquet(&table(0, 3, 10), 10));
    done(
        &home,
        &server,
        &["batch", "courtesy@1.5", "s3://score/a.parquet", "--text-column", "said", "-o", "a.parquet"],
    );
    let file = File::open(home.join("a.parquet")).expect("is there");
    let batch = ParquetRecordBatchReaderBuilder::try_new(file).expect("reads").build().expect("reads").next();
    let batch = batch.expect("has rows").expect("reads");
    let score = batch.column_by_name("score").expect("is there").as_primitive::<Float64Type>().value(0);
    fs::write(home.join("a.txt"), "Thank you so much for the 0 letters, I really appreciate it today.")
        .expect("is written");
    let ran =
        command(&home, &server, &["sense", "courtesy@1.5", "a.txt", "--json"]).output().expect("starts");
    let alone: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("is JSON");
    assert_eq!(alone["score"].as_f64(), Some(score));
}
