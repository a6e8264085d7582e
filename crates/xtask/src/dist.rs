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

const USAGE: &str = "usage: cargo xtask dist [crates] [npm] [command] [c] [wheel] [--twice | --try]\n       cargo xtask dist --quick";

/// One kind of artifact.
struct Step {
    name: &'static str,
    make: fn(&Setting) -> Result<Made, String>,
    /// Whether a file of `target/dist` is the one that is installed to try it.
    is_tried: fn(&str) -> bool,
    /// Installs that file in an empty folder, and gives the readings of the text of the trial.
    sense: fn(&Setting, &Path, &Path) -> Result<Vec<String>, String>,
}

/// In the order in which they run, those that build least first.
const STEPS: [Step; 5] = [
    Step { name: "npm", make: npm::make, is_tried: |file| file.ends_with(".tgz"), sense: trial::npm },
    Step {
        name: "command",
        make: command::make,
        is_tried: |file| file.starts_with("sonometer-") && file.ends_with(".tar.gz"),
        sense: trial::command,
    },
    Step {
        name: "c",
        make: c::make,
        is_tried: |file| file.starts_with("libsonometer-") && file.ends_with(".tar.gz"),
        sense: trial::c,
    },
    Step { name: "wheel", make: wheel::make, is_tried: |file| file.ends_with(".whl"), sense: trial::wheel },
    Step {
        name: "crates",
        make: crates::make,
        is_tried: |file| file.ends_with(crates::ORDER),
        sense: trial::cargo_install,
    },
];

/// How a step ended, if not by an error.
enum Made {
    /// The files that it made, by their names in `target/dist`.
    Files(Vec<String>),
    /// Why it could not run on this machine.
    Skipped(String),
}

pub(crate) fn run(arguments: &[&str]) -> Result<(), String> {
    if arguments == ["--quick"] {
        return quick::run();
    }
    let (flags, names): (Vec<&str>, Vec<&str>) = arguments.iter().partition(|word| word.starts_with("--"));
    if let Some(unknown) = names.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
        return Err(format!("`{unknown}` is no step of dist\n{USAGE}"));
    }
    let wanted: Vec<&Step> =
        STEPS.iter().filter(|step| names.is_empty() || names.contains(&step.name)).collect();
    match flags[..] {
        [] => make(&Setting::read()?, &wanted, false),
        ["--twice"] => make(&Setting::read()?, &wanted, true),
        ["--try"] => trial::run(&Setting::read()?, &wanted),
        _ => Err(USAGE.into()),
    }
}

/// Makes the wanted artifacts; `twice` makes them again, linked anew, and compares the bytes.
fn make(setting: &Setting, wanted: &[&Step], twice: bool) -> Result<(), String> {
    setting.say();
    if wanted.len() == STEPS.len() {
        // Files of another version would be published, too.
        empty(&setting.out)?;
    }
    let skipped = round(setting, wanted)?;
    if twice {
        let first = sums::of(&setting.out)?;
        println!("== again, to compare the bytes");
        setting.forget_own()?;
        round(setting, wanted)?;
        sums::compare(&first, &sums::of(&setting.out)?)?;
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
fn round(setting: &Setting, wanted: &[&Step]) -> Result<Vec<(&'static str, String)>, String> {
    let mut skipped = Vec::new();
    for Step { name, make, .. } in wanted {
        println!("== {name}");
        let begin = Instant::now();
        match make(setting)? {
            Made::Files(files) => {
                for file in files {
                    let path = setting.out.join(&file);
                    let size = fs::metadata(&path).map_err(|e| format!("{}: {e}", path.display()))?.len();
                    println!("{:>9} KB  {}", size.div_ceil(1024), path.display());
                }
            }
            Made::Skipped(why) => {
                println!("skipped: {why}");
                skipped.push((*name, why));
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
