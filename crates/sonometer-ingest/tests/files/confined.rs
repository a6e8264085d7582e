//! The limits of the process apart: each really ends a file that goes beyond it, and the next file is read as if nothing had been.
#![cfg(unix)]

use sonometer_ingest::apart::{Budget, read, read_unless, serve};
use sonometer_ingest::{Hints, Kind, Limits, ReadError, Reason};
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, exit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use zip::write::SimpleFileOptions;

/// What the process apart does, in its environment: `read`, `write` after it has read, or `write at once`, without limits.
const APART: &str = "SONOMETER_TEST_APART";
/// Where it writes.
const PLACE: &str = "SONOMETER_TEST_WRITES_TO";

/// This very program, told to run the test that is the process apart where it is told so.
fn helper(does: &str) -> Command {
    let mut helper = Command::new(std::env::current_exe().expect("knows itself"));
    helper.args(["--exact", "confined::an_ordinary_file_is_read"]).env(APART, does);
    helper
}

/// The process apart, or a reader that is taken over by its file and writes to disk.
fn be_apart(does: &str) -> ! {
    if does != "write at once" {
        // The answer begins a line.
        let _ = std::io::stdout().write_all(b"\n");
        let served = serve();
        if does == "read" {
            exit(i32::from(served.is_err()));
        }
    }
    let _ = std::fs::write(std::env::var_os(PLACE).expect("is told where"), "something");
    exit(0);
}

/// What anybody would send, within the limits that are usual. Other tests do it again after what they did.
#[test]
fn an_ordinary_file_is_read() {
    if let Ok(does) = std::env::var(APART) {
        be_apart(&does);
    }
    let file = b"<!DOCTYPE html><p>Good morning.</p>";
    let read = read(helper("read"), file, &Hints::default(), &Budget::default()).expect("is sound");
    assert_eq!(&*read.interaction.turns()[0].content, "Good morning.");
}

/// Without any limit of counts that could end a file before memory or time does.
fn boundless() -> Limits {
    Limits {
        file_bytes: 1 << 40,
        unpacked_bytes: 1 << 40,
        ratio: 1 << 40,
        entries: 1 << 40,
        cells: 1 << 40,
        pages: 1 << 40,
        paragraphs: 1 << 40,
        text_bytes: 1 << 40,
        ..Limits::default()
    }
}

fn refused(file: &[u8], hints: &Hints, memory_bytes: u64, seconds: u64) -> ReadError {
    let budget = Budget { limits: boundless(), memory_bytes, seconds, gives_way: false };
    read(helper("read"), file, hints, &budget).expect_err("takes too much")
}

const MEMORY: u64 = 384 << 20;

#[test]
fn memory_ends_a_file_of_too_many_paragraphs() {
    // Eight mebibytes; each paragraph takes a hundred times its four bytes.
    let file = ["<!DOCTYPE html>", &"<p>a".repeat(2 << 20)].concat();
    let failure = refused(file.as_bytes(), &Hints::default(), MEMORY, 120);
    assert_eq!(failure.reason, Reason::TooCostly, "{failure}");
    let message = &failure.error.message;
    assert!(
        message.contains(&format!("more than {MEMORY} bytes of memory")) && message.contains("give "),
        "{message}"
    );
    an_ordinary_file_is_read();
}

#[test]
fn memory_ends_what_is_unpacked_and_what_arrives() {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("word/document.xml", SimpleFileOptions::default()).expect("can be begun");
    let spaces = vec![b' '; 8 << 20];
    for _ in 0..(MEMORY >> 23) + 2 {
        archive.write_all(&spaces).expect("can be written");
    }
    let file = archive.finish().expect("can be ended").into_inner();
    assert!(file.len() < 2 << 20, "the file itself is small: {}", file.len());
    let failure = refused(&file, &Hints::default(), MEMORY, 120);
    assert_eq!(
        (failure.reason, &*failure.error.place),
        (Reason::TooCostly, "word/document.xml"),
        "{failure}"
    );
    assert!(failure.error.message.contains("memory"), "{failure}");
    let failure = refused(&vec![b'a'; MEMORY as usize], &Hints::default(), MEMORY, 120);
    assert_eq!((failure.reason, &*failure.error.place), (Reason::TooCostly, ""), "{failure}");
    an_ordinary_file_is_read();
}

/// A PDF whose pages all show the same stream of letters: small, and as much work as one likes.
fn pages_of_one_stream(pages: usize, letters: usize) -> Vec<u8> {
    let shown = format!("BT /F 1 Tf ({}) Tj ET", "a".repeat(letters));
    let numbers = 4..4 + pages;
    let kids: String = numbers.map(|number| format!("{number} 0 R ")).collect();
    let page = "<</Type/Page/Parent 2 0 R/Contents 3 0 R>>";
    let font = "<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>";
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!("<</Type/Pages/Count {pages}/Kids[{kids}]/MediaBox[0 0 9 9]/Resources<</Font{font}>>>>"),
        format!("<</Length {}>>stream\n{shown}\nendstream", shown.len()),
    ];
    objects.extend(vec![page.to_owned(); pages]);
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = String::new();
    for (number, object) in (1..).zip(&objects) {
        places += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let (size, start) = (objects.len() + 1, file.len());
    file += &format!("xref\n0 {size}\n0000000000 65535 f \n{places}trailer<</Size {size}/Root 1 0 R>>\n");
    file += &format!("startxref\n{start}\n%%EOF\n");
    file.into_bytes()
}

#[cfg(feature = "pdf")]
#[test]
fn time_ends_a_file_of_too_much_work() {
    let hints = Hints { builtin_pdf: true, kind: Some(Kind::Pdf), ..Hints::default() };
    // Two pages are read, so work is all that is wrong with many.
    let few = pages_of_one_stream(2, 1_000);
    let budget = Budget { limits: boundless(), ..Budget::default() };
    let few = read(helper("read"), &few, &hints, &budget).expect("is sound");
    assert_eq!(few.interaction.turns()[0].content.matches('a').count(), 2_000);
    let begun = Instant::now();
    // Minutes of work for any machine.
    let failure = refused(&pages_of_one_stream(20_000, 100_000), &hints, 8 << 30, 1);
    assert_eq!(failure.reason, Reason::TooCostly, "{failure}");
    assert!(failure.error.message.contains("more than 1 seconds"), "{failure}");
    assert!(begun.elapsed() < Duration::from_secs(60), "took {:?}", begun.elapsed());
    an_ordinary_file_is_read();
}

/// Whether a thread of a process that this one has started has this niceness.
#[cfg(target_os = "linux")]
fn a_child_has_niceness(wanted: &str) -> bool {
    // After the name in brackets, which may hold anything: what it is doing, its parent, …
    let fields = |stat: &Path| -> Vec<String> {
        let stat = std::fs::read_to_string(stat).unwrap_or_default();
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        fields.split_whitespace().map(str::to_owned).collect()
    };
    let inside = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let ours = std::process::id().to_string();
    let children = inside(Path::new("/proc")).into_iter();
    let mut children = children.filter(|process| fields(&process.join("stat")).get(1) == Some(&ours));
    children.any(|child| {
        let mut threads = inside(&child.join("task")).into_iter();
        threads.any(|thread| fields(&thread.join("stat")).get(16).is_some_and(|nice| nice == wanted))
    })
}

#[cfg(all(feature = "pdf", target_os = "linux"))]
#[test]
fn a_reader_that_is_to_give_way_does() {
    let hints = Hints { builtin_pdf: true, kind: Some(Kind::Pdf), ..Hints::default() };
    let file = pages_of_one_stream(20_000, 100_000);
    let budget = Budget { limits: boundless(), memory_bytes: 8 << 30, seconds: 60, gives_way: true };
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| read_unless(helper("read"), &file, &hints, &budget, &stop));
        let mut gave_way = false;
        while !gave_way && !reading.is_finished() {
            gave_way = a_child_has_niceness("10");
            std::thread::sleep(Duration::from_millis(5));
        }
        stop.store(true, Ordering::Relaxed);
        assert!(gave_way, "no process was at a low priority");
    });
}

/// A place for a file that is not there.
fn place(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&place);
    place
}

#[test]
fn nothing_is_written_to_disk() {
    let held = |place: &Path| std::fs::read(place).unwrap_or_default();
    // Without limits it writes: otherwise nothing would be shown below.
    let free = place("written-freely");
    let mut writer = helper("write at once");
    writer.env(PLACE, &free).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(writer.status().is_ok_and(|status| status.success()));
    assert_eq!(held(&free), b"something");
    let confined = place("written-in-limits");
    let mut writer = helper("write");
    writer.env(PLACE, &confined);
    let read = read(writer, b"<!DOCTYPE html><p>Good morning.</p>", &Hints::default(), &Budget::default());
    assert!(read.is_ok(), "its answer stands: {read:?}");
    assert_eq!(held(&confined), b"", "written by a process that must not");
    an_ordinary_file_is_read();
}
