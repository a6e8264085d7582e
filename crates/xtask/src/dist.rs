//! `cargo xtask dist`: what a release consists of, as files in `target/dist`; `docs/releasing.md` describes each.
//!
//! Nothing is uploaded. What the work needs besides (tools, builds, trials) is kept in `target/dist-work`, so that whatever is
//! in `target/dist` is meant to be published.

mod archive;
mod c;
mod command;
mod crates;
mod metadata;
mod notices;
mod npm;
mod parts;
mod quick;
mod setting;
mod sums;
mod trial;
mod wheel;

use crate::test::root;
use setting::Setting;
use std::fs;
use std::path::Path;
use std::time::Instant;

const USAGE: &str =
    "usage: cargo xtask dist [crates] [command] [c] [wheel] [npm] [--twice] | --try | --quick";

/// What makes one kind of artifact; it says what it made.
type Step = fn(&Setting) -> Result<Made, String>;

/// The steps in the order in which they run, the quick ones first.
const STEPS: [(&str, Step); 5] = [
    ("crates", crates::make),
    ("npm", npm::make),
    ("command", command::make),
    ("c", c::make),
    ("wheel", wheel::make),
];

/// How a step ended, if not by an error.
enum Made {
    /// The files that it made, by their names in `target/dist`.
    Files(Vec<String>),
    /// Why it could not run on this machine.
    Skipped(String),
}

pub(crate) fn run(arguments: &[&str]) -> Result<(), String> {
    match arguments {
        ["--quick"] => quick::run(),
        ["--try"] => trial::run(&Setting::read()?),
        _ => {
            let twice = arguments.contains(&"--twice");
            let named: Vec<&str> = arguments.iter().copied().filter(|name| *name != "--twice").collect();
            if let Some(unknown) = named.iter().find(|name| STEPS.iter().all(|(step, _)| step != *name)) {
                return Err(format!("`{unknown}` is no step of dist\n{USAGE}"));
            }
            let wanted = |step: &str| named.is_empty() || named.contains(&step);
            make(&Setting::read()?, wanted, twice)
        }
    }
}

/// Makes the wanted artifacts; `twice` makes them again, linked anew, and compares the bytes.
fn make(setting: &Setting, wanted: impl Fn(&str) -> bool, twice: bool) -> Result<(), String> {
    setting.say();
    if STEPS.iter().all(|(step, _)| wanted(step)) {
        // Files of another version would be published, too.
        empty(&setting.out)?;
    }
    let skipped = round(setting, &wanted)?;
    if twice {
        let first = sums::of(&setting.out)?;
        println!("== again, to compare the bytes");
        setting.forget_own()?;
        round(setting, &wanted)?;
        let second = sums::of(&setting.out)?;
        let differs: Vec<&str> = first
            .iter()
            .filter(|(name, sum)| second.get(*name) != Some(sum))
            .map(|(name, _)| name.as_str())
            .collect();
        if !differs.is_empty() {
            return Err(format!("made twice, these files differ: {}", differs.join(", ")));
        }
        println!("made twice: all {} files have the same bytes", first.len());
    }
    println!("== sums");
    println!("{} sums in {}", sums::write(&setting.out)?, setting.out.join(sums::FILE).display());
    for (step, why) in skipped {
        println!("skipped: {step} ({why})");
    }
    println!("try them with `cargo xtask dist --try`");
    Ok(())
}

/// Runs the wanted steps once, and gives those that were skipped, with the reason.
fn round(setting: &Setting, wanted: impl Fn(&str) -> bool) -> Result<Vec<(&'static str, String)>, String> {
    let mut skipped = Vec::new();
    for (name, step) in STEPS.into_iter().filter(|(name, _)| wanted(name)) {
        println!("== {name}");
        let begin = Instant::now();
        match step(setting)? {
            Made::Files(files) => {
                for file in files {
                    let path = setting.out.join(&file);
                    let size = fs::metadata(&path).map_err(|e| format!("{}: {e}", path.display()))?.len();
                    println!("{:>9} KB  {}", size.div_ceil(1024), path.display());
                }
            }
            Made::Skipped(why) => {
                println!("skipped: {why}");
                skipped.push((name, why));
            }
        }
        println!("{:.0} s", begin.elapsed().as_secs_f64());
    }
    Ok(skipped)
}

/// An empty folder in the place of whatever was there.
fn empty(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}

/// Copies files of the repository into a folder, under their own names.
fn copy(files: &[&str], folder: &Path) -> Result<(), String> {
    for file in files {
        let from = root().join(file);
        let name = from.file_name().unwrap_or_default();
        write(&folder.join(name), read(&from)?)?;
    }
    Ok(())
}

/// The licences of Sonometer itself.
const LICENCES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];
