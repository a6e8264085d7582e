//! What tests of the built command share: starting it, what it printed, folders, and outputs that are kept.
#![allow(dead_code, reason = "each test takes what it needs")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The command in the root of the repository, in an environment without wishes.
pub(crate) fn command(arguments: &[&str]) -> Command {
    command_in(&root(), arguments)
}

/// The same in another folder.
pub(crate) fn command_in(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sonometer"));
    command.args(arguments).current_dir(folder).env_clear().stdin(Stdio::null());
    command
}

/// Runs it with this on standard input. It may end before it has read all of it.
pub(crate) fn piped(mut command: Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("starts");
    let mut to = child.stdin.take().expect("is piped");
    thread::scope(|scope| {
        // Beside it: either side may wait for the other where both write more than a pipe holds.
        scope.spawn(move || to.write_all(input));
        child.wait_with_output().expect("ends")
    })
}

/// How the command ended, and what it printed.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Code, output, errors.
    pub(crate) fn parts(self) -> (i32, String, String) {
        (self.code, self.out, self.err)
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("ends by itself"),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }
}

/// Runs the command in the root of the repository.
pub(crate) fn run(arguments: &[&str]) -> Ran {
    command(arguments).output().expect("starts").into()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("writes UTF-8")
}

/// What a run printed that must succeed.
#[track_caller]
pub(crate) fn printed(ran: &Output) -> String {
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    text(&ran.stdout)
}

/// What a run said that must be refused.
#[track_caller]
pub(crate) fn refused(ran: &Output) -> String {
    assert_eq!(ran.status.code(), Some(2), "{}", text(&ran.stderr));
    text(&ran.stderr)
}

/// Ends with the test.
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A folder for one test, with these files and nothing else.
pub(crate) fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("can be made");
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("can be written");
    }
    folder
}

pub(crate) fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().expect("is UTF-8").to_owned()
}

/// Compares what was found with a file of `tests/golden`; with `BLESS=1` the file is written anew.
#[track_caller]
pub(crate) fn golden(name: &str, found: &str) {
    kept(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name), found);
}

/// The same with any file.
#[track_caller]
pub(crate) fn kept(path: &Path, found: &str) {
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, found).expect("can be written");
    }
    let expected = fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    assert_eq!(found, expected, "{} differs; look at it, then BLESS=1", path.display());
}
