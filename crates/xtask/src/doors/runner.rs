//! Doors that a program of their own runs: `RUNNER CASES.jsonl OUT`.

use crate::test::root;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A door with its program, or the reason why there is none.
pub(super) struct Door {
    pub(super) name: &'static str,
    pub(super) runner: Result<Runner, Why>,
}

/// Why a door does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// Something that it needs is not here: it is left out by name.
    Missing(String),
    /// It should run and does not.
    Broken(String),
}

/// The status by which a script says that what it needs is not here.
const MISSING: i32 = 3;

/// How a door is run.
pub(super) struct Runner {
    pub(super) version: String,
    program: Vec<PathBuf>,
    folder: PathBuf,
}

/// Every door of its own that the repository has or will have.
pub(super) fn doors(target: &Path) -> Vec<Door> {
    let mut doors = c(&target.join("c"));
    doors.push(Door { name: "Python", runner: python(target) });
    doors.push(Door { name: "Node", runner: node(target) });
    doors.push(Door { name: "Chromium", runner: chromium(target) });
    doors
}

fn c(folder: &Path) -> Vec<Door> {
    let make = root().join("bindings/c/runners");
    let made = output(Command::new(&make).arg(folder).current_dir(root()));
    let runner = |name: &str| {
        made.clone().map(|version| Runner {
            version,
            program: vec![folder.join(name)],
            folder: folder.to_owned(),
        })
    };
    [("C, static", "vectors-static"), ("C, shared", "vectors-shared")]
        .map(|(name, file)| Door { name, runner: runner(file) })
        .into()
}

fn python(target: &Path) -> Result<Runner, Why> {
    let runner = there(&root().join("bindings/python/tests/vectors.py"))?;
    // What bindings/python/test has installed the package into last.
    let python = there(&target.join("python/fresh/bin/python"))
        .map_err(|_| missing("no environment with the package; run bindings/python/test"))?;
    let version = "from importlib.metadata import version; print(version('sonometer'))";
    let version = output(Command::new(&python).args(["-c", version]).current_dir(target))?;
    Ok(Runner { version, program: vec![python, runner], folder: target.to_owned() })
}

fn node(target: &Path) -> Result<Runner, Why> {
    there(&root().join("bindings/wasm/tests/vectors.mjs"))?;
    let app = target.join("wasm/app");
    let runner =
        there(&app.join("vectors.mjs")).map_err(|_| missing("no package; run bindings/wasm/test"))?;
    let version = node_version(&app)?;
    Ok(Runner { version, program: vec!["node".into(), runner], folder: app })
}

fn chromium(target: &Path) -> Result<Runner, Why> {
    there(&root().join("bindings/wasm/tests/vectors-chromium.mjs"))?;
    let app = target.join("wasm/app");
    let runner = there(&app.join("vectors-chromium.mjs"))
        .map_err(|_| missing("no package; run bindings/wasm/test"))?;
    there(Path::new("/usr/bin/chromium")).map_err(|_| missing("no /usr/bin/chromium"))?;
    let version = node_version(&app)?;
    Ok(Runner { version, program: vec!["node".into(), runner], folder: app })
}

fn node_version(app: &Path) -> Result<String, Why> {
    let path = there(&app.join("node_modules/sonometer/package.json"))?;
    let broken = |why: String| Why::Broken(format!("{}: {why}", path.display()));
    let package = fs::read_to_string(&path).map_err(|e| broken(e.to_string()))?;
    let package: serde_json::Value = serde_json::from_str(&package).map_err(|e| broken(e.to_string()))?;
    Ok(package["version"].as_str().unwrap_or("?").to_owned())
}

fn missing(why: &str) -> Why {
    Why::Missing(why.to_owned())
}

fn there(path: &Path) -> Result<PathBuf, Why> {
    let shown = path.strip_prefix(root()).unwrap_or(path);
    if path.is_file() { Ok(path.to_owned()) } else { Err(Why::Missing(format!("no {}", shown.display()))) }
}

/// What a program writes, its last line; the last line of its complaints where it fails.
fn output(command: &mut Command) -> Result<String, Why> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|e| Why::Broken(format!("{name}: {e}")))?;
    let last = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned()
    };
    match output.status.code() {
        Some(0) => Ok(last(&output.stdout)),
        Some(MISSING) => Err(Why::Missing(last(&output.stderr))),
        _ => Err(Why::Broken(format!("{name}: {}: {}", output.status, last(&output.stderr)))),
    }
}

impl Runner {
    /// Runs all cases of a file; what was said of each, `count` lines.
    pub(super) fn run(&self, cases: &Path, out: &Path, count: usize) -> Result<Vec<String>, Why> {
        let _ = fs::remove_file(out);
        let mut command = Command::new(&self.program[0]);
        command.args(&self.program[1..]).args([cases, out]).current_dir(&self.folder);
        output(&mut command)?;
        let broken = |why: String| Why::Broken(why);
        let text = fs::read(out).map_err(|e| broken(format!("wrote nothing: {e}")))?;
        let text = String::from_utf8(text).map_err(|e| broken(format!("wrote no UTF-8: {e}")))?;
        let lines: Vec<String> = text.split_terminator('\n').map(str::to_owned).collect();
        if lines.len() == count {
            Ok(lines)
        } else {
            Err(broken(format!("{} lines for {count} cases", lines.len())))
        }
    }
}
