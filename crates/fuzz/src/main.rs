//! The fuzzer. The environment says what to do; `cargo xtask fuzz` sets it:
//!
//! - `SONOMETER_FUZZ_PREPARE`: write files and words to begin with into this folder, and end.
//! - `SONOMETER_FUZZ`: the reader.
//! - `SONOMETER_FUZZ_REPEAT`: look for words that take too long where they stand many times, and end.
//! - `SONOMETER_FUZZ_LAST`: a file that always holds the bytes that are being read, for deaths nobody can tell of.
//! - `SONOMETER_FUZZ_KNOWN`: findings that were met before, each on its line, which are passed over.
#![no_main]

use sonometer_fuzz::{Reader, Tolerance, check, named, prepare, slow, watch};
use std::fs::File;
use std::path::Path;
use std::sync::OnceLock;

struct Work {
    reader: &'static Reader,
    last: Option<File>,
}

static WORK: OnceLock<Work> = OnceLock::new();

fn begin() -> Work {
    let value = |name: &str| std::env::var(format!("SONOMETER_FUZZ{name}")).ok();
    if let Some(folder) = value("_PREPARE") {
        if let Err(error) = prepare(Path::new(&folder)) {
            eprintln!("{folder}: {error}");
            std::process::exit(1);
        }
        std::process::exit(0);
    }
    let name = value("").unwrap_or_default();
    let Some(reader) = named(&name) else {
        eprintln!("there is no reader `{name}`; SONOMETER_FUZZ names one");
        std::process::exit(1);
    };
    let known = value("_KNOWN").unwrap_or_default().lines().map(str::to_owned).collect();
    if value("_REPEAT").is_some() {
        slow(reader, worked, |what, seconds| eprintln!("slow: {seconds:.2} s: {what}"));
        std::process::exit(0);
    }
    watch(Tolerance { libraries: reader.tolerates, known });
    confine();
    let last = value("_LAST").and_then(|path| File::create(path).ok());
    Work { reader, last }
}

/// How long this process has worked.
#[cfg(unix)]
fn worked() -> std::time::Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    std::time::Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs() as u32)
}

#[cfg(not(unix))]
fn worked() -> std::time::Duration {
    std::time::UNIX_EPOCH.elapsed().unwrap_or_default()
}

/// As much memory as a process apart has.
#[cfg(unix)]
fn confine() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let most = Rlimit { current: Some(2 << 30), maximum: Some(2 << 30) };
    let _ = setrlimit(Resource::As, most);
}

#[cfg(not(unix))]
fn confine() {}

#[cfg(unix)]
fn keep(file: &File, bytes: &[u8]) {
    use std::os::unix::fs::FileExt;
    let length = (bytes.len() as u64).to_le_bytes();
    let _ = file.write_all_at(&[&length[..], bytes].concat(), 0);
}

#[cfg(not(unix))]
fn keep(_: &File, _: &[u8]) {}

libfuzzer_sys::fuzz_target!(init: { WORK.get_or_init(begin); }, |bytes: &[u8]| {
    let Work { reader, last } = WORK.get_or_init(begin);
    if let Some(file) = last {
        keep(file, bytes);
    }
    check(reader, bytes);
});
