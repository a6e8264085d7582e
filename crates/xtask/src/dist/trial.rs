//! `cargo xtask dist --try`: installs each artifact from its file into an empty environment, and senses one text with it. All
//! must give the same bytes. The lists of parts are held against the official schema.

use super::setting::{Setting, done, said};
use super::{Step, archive, sums};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const TEXT: &str = "Thank you so much for your patience. Could you please restart the router for me?";

pub(super) fn run(setting: &Setting, wanted: &[&Step]) -> Result<(), String> {
    setting.say();
    let files = sums::check(&setting.out)?;
    println!("{} files are as {} says", files.len(), sums::FILE);
    let mut readings: Vec<String> = Vec::new();
    for Step { name, is_tried, sense, .. } in wanted {
        let Some(file) = files.iter().find(|file| is_tried(file)) else {
            println!("skipped: {name} (not in {})", setting.out.display());
            continue;
        };
        println!("== {name}");
        let begin = Instant::now();
        let folder = setting.work.join("try").join(name);
        super::empty(&folder)?;
        for reading in
            sense(setting, &setting.out.join(file), &folder).map_err(|why| format!("{name}: {why}"))?
        {
            println!("{}", reading.trim_end());
            readings.push(reading.trim_end().to_owned());
        }
        println!("{:.0} s", begin.elapsed().as_secs_f64());
    }
    if readings.is_empty()
        || readings.iter().any(|reading| *reading != readings[0] || !reading.contains("\"score\""))
    {
        return Err("the readings are not the same bytes".into());
    }
    println!("{} readings, all the same bytes", readings.len());
    lists(setting, &files)
}

/// `npm install` in an empty folder, without a registry.
pub(super) fn npm(setting: &Setting, file: &Path, folder: &Path) -> Result<Vec<String>, String> {
    super::write(&folder.join("package.json"), "{\"private\":true,\"type\":\"module\"}\n")?;
    let mut install = setting.program("npm");
    done(
        install
            .args(["install", "--silent", "--offline", "--no-fund", "--no-audit"])
            .arg(file)
            .current_dir(folder),
    )?;
    let program = format!(
        "import {{ Sensor }} from 'sonometer';\nconsole.log(Sensor.shipped('courtesy').sense({TEXT:?}, {{ offsets: false }}).json());\n"
    );
    super::write(&folder.join("sense.js"), program)?;
    Ok(vec![said(setting.program("node").arg("sense.js").current_dir(folder))?])
}

/// The command as it is unpacked; its completions by bash, its manual by man, where they are there.
pub(super) fn command(setting: &Setting, file: &Path, folder: &Path) -> Result<Vec<String>, String> {
    let unpacked = archive::unpack(file, &folder.join("unpacked"))?;
    let reading = sense(&unpacked.join("sonometer"))?;
    let script = "source completions/sonometer.bash; COMP_WORDS=(sonometer sense court); COMP_CWORD=2; \
                  _sonometer sonometer court sense; echo \"${COMPREPLY[*]}\"";
    match said(Command::new("bash").args(["-c", script]).current_dir(&unpacked)) {
        Ok(completed) if completed == "courtesy" => {
            println!("bash completes `sonometer sense court` by `courtesy`")
        }
        Ok(completed) => return Err(format!("bash completes `sonometer sense court` by `{completed}`")),
        Err(why) => println!("skipped: completions ({why})"),
    }
    let mut man = setting.program("man");
    man.args(["--warnings", "-l"])
        .arg(unpacked.join("man/man1/sonometer-sense.1"))
        .env("MANPAGER", "cat")
        .env("MANWIDTH", "100");
    match man.stderr(Stdio::piped()).output() {
        Ok(output) if output.status.success() && output.stderr.is_empty() && !output.stdout.is_empty() => {
            println!("man shows the page of `sonometer sense`");
        }
        Ok(output) => return Err(format!("man: {}", String::from_utf8_lossy(&output.stderr))),
        Err(why) => println!("skipped: manual pages (man: {why})"),
    }
    Ok(vec![reading])
}

/// A program in C, with the flags of pkg-config, bound to the shared library and then to the static one.
pub(super) fn c(setting: &Setting, file: &Path, folder: &Path) -> Result<Vec<String>, String> {
    let unpacked = archive::unpack(file, &folder.join("unpacked"))?;
    let program = include_str!("sense.c").replace("TEXT_TO_SENSE", &format!("{TEXT:?}"));
    super::write(&folder.join("sense.c"), program)?;
    let mut flags = setting.program("pkg-config");
    flags.args(["--cflags", "--libs", "sonometer"]).env("PKG_CONFIG_PATH", unpacked.join("lib/pkgconfig"));
    let flags = said(&mut flags)?;
    let flags: Vec<&str> = flags.split_whitespace().collect();
    let mut cc = setting.program("cc");
    done(cc.args(["sense.c", "-o", "shared"]).args(&flags).current_dir(folder))?;
    let shared = said(setting.program(folder.join("shared")).env("LD_LIBRARY_PATH", unpacked.join("lib")))?;

    let mut flags = setting.program("pkg-config");
    flags
        .args(["--cflags", "--libs", "--static", "sonometer"])
        .env("PKG_CONFIG_PATH", unpacked.join("lib/pkgconfig"));
    let flags = said(&mut flags)?.replace("-lsonometer", "-l:libsonometer.a");
    let mut cc = setting.program("cc");
    done(cc.args(["sense.c", "-o", "static"]).args(flags.split_whitespace()).current_dir(folder))?;
    Ok(vec![shared, said(&mut setting.program(folder.join("static")))?])
}

/// A new environment, and nothing from PyPI.
pub(super) fn wheel(_: &Setting, file: &Path, folder: &Path) -> Result<Vec<String>, String> {
    done(Command::new("python3").args(["-m", "venv"]).arg(folder.join("python")))?;
    let python = folder.join("python/bin/python");
    let mut pip = Command::new(&python);
    done(
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]).arg(file),
    )?;
    let program = format!("from sonometer import Sensor; print(Sensor('courtesy').sense({TEXT:?}).json())");
    Ok(vec![said(Command::new(python).args(["-c", &program]).current_dir(folder))?])
}

/// `cargo install` of the command, which builds every published crate from its archive: crates that are not on crates.io yet are
/// put in their place.
pub(super) fn cargo_install(setting: &Setting, order: &Path, folder: &Path) -> Result<Vec<String>, String> {
    let names = fs::read_to_string(order).map_err(|e| format!("{}: {e}", order.display()))?;
    let archives = order.parent().unwrap_or(order);
    let mut patches = String::from("[patch.crates-io]\n");
    let mut installed = PathBuf::new();
    for name in names.lines() {
        let archive = archives.join(format!("{name}-{}.crate", setting.version));
        let unpacked = archive::unpack(&archive, &folder.join(name))?;
        patches += &format!("{name} = {{ path = {:?} }}\n", unpacked.display().to_string());
        if name == "sonometer-cli" {
            installed = unpacked;
        }
    }
    super::write(&folder.join("patches.toml"), patches)?;
    // It lies below the workspace of the repository, and is no member of it.
    let manifest = installed.join("Cargo.toml");
    let alone = [super::read(&manifest)?, b"\n[workspace]\n".to_vec()].concat();
    super::write(&manifest, alone)?;
    let mut cargo = setting.program("cargo");
    // Quick to build; what is tried is that the archives hold everything.
    cargo.args([
        "install",
        "--quiet",
        "--debug",
        "--offline",
        "--config",
        "patches.toml",
        "--root",
        "installed",
        "--path",
    ]);
    cargo.arg(installed).current_dir(folder).env("CARGO_TARGET_DIR", setting.work.join("try/build"));
    done(&mut cargo)?;
    Ok(vec![sense(&folder.join("installed/bin/sonometer"))?])
}

/// What the command says of the text.
fn sense(command: &Path) -> Result<String, String> {
    let folder = command.parent().unwrap_or(command);
    let input = folder.join("trial.txt");
    super::write(&input, TEXT)?;
    said(Command::new(command).args(["sense", "courtesy", "trial.txt", "--json"]).current_dir(folder))
}

/// Asks the official schema of CycloneDX.
fn lists(setting: &Setting, files: &[String]) -> Result<(), String> {
    if !setting.install_tools() {
        println!("skipped: the schema of lists of parts (no tools from PyPI)");
        return Ok(());
    }
    let lists = files.iter().filter(|file| file.ends_with(".cdx.json"));
    let mut python = setting.program(setting.tools().join("python"));
    python.args(["-c", include_str!("validate.py")]).args(lists.map(|file| setting.out.join(file)));
    done(&mut python)
}
