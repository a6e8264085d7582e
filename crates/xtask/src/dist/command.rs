//! The command for machines without Rust: one archive with completions and manual pages.

use super::metadata::Tree;
use super::setting::{Setting, said};
use super::{LICENCES, Made, archive, notices, parts};
use crate::test::root;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Under which name each shell looks for the completions of `sonometer`.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "sonometer.bash"),
    ("elvish", "sonometer.elv"),
    ("fish", "sonometer.fish"),
    ("powershell", "_sonometer.ps1"),
    ("zsh", "_sonometer"),
];

pub(super) fn make(setting: &Setting) -> Result<Made, String> {
    let page = workbench(setting)?;
    let name = format!("sonometer-{}-{}", setting.version, setting.triple);
    let tree = Tree::of("sonometer-cli", &setting.triple)?;
    let built =
        setting.build_package("sonometer-cli")?.join(format!("sonometer{}", std::env::consts::EXE_SUFFIX));
    setting.check_paths(&built)?;
    setting.check_libc(&built)?;

    let folder = setting.work.join("command").join(&name);
    super::empty(&folder)?;
    fill(&built, &folder)?;
    let command = folder.join(built.file_name().unwrap_or_default());
    std::fs::copy(&built, &command).map_err(|e| format!("{}: {e}", built.display()))?;
    super::write(&folder.join(notices::FILE), notices::of(&setting.metadata, &tree)?)?;
    if let Some(site) = page {
        super::write(&folder.join("workbench.html"), super::read(&site.with_file_name("workbench.html"))?)?;
        super::write(&folder.join("LICENSES-workbench.txt"), super::read(&site.join("LICENSES.txt"))?)?;
    }

    let file = format!("{name}.tar.gz");
    archive::pack(&folder, &setting.out.join(&file), setting.epoch)?;
    let list = parts::write(setting, &tree, "application", &file)?;
    Ok(Made::Files(vec![file, list]))
}

/// Makes the workbench page, which the command then holds; nothing where it cannot be made on this machine.
fn workbench(setting: &Setting) -> Result<Option<PathBuf>, String> {
    let missing = |why: &str| {
        println!("notice: the command is built without the workbench page: {why}");
        Ok(None)
    };
    if said(setting.program("npm").arg("--version")).is_err() {
        return missing("no npm");
    }
    if let Err(why) = said(&mut setting.program(root().join("bindings/wasm/toolchain"))) {
        return missing(&format!("no compiler for wasm32-unknown-unknown: {why}"));
    }
    let built = said(&mut setting.program(root().join("bindings/wasm/workbench/build")))?;
    let site = built.lines().last().ok_or("bindings/wasm/workbench/build names no folder")?;
    for path in archive::walk(Path::new(site))?.iter().filter(|path| path.is_file()) {
        setting.check_paths(path)?;
    }
    Ok(Some(site.into()))
}

/// What belongs to the command whatever it runs on.
pub(super) fn fill(command: &Path, folder: &Path) -> Result<(), String> {
    super::copy(&LICENCES, folder)?;
    super::copy(&["crates/sonometer-cli/README.md"], folder)?;
    for (shell, name) in COMPLETIONS {
        let script = said(Command::new(command).args(["completions", shell]))?;
        super::write(&folder.join("completions").join(name), script + "\n")?;
    }
    // It says where the pages are, which nobody asked here.
    said(Command::new(command).arg("man").arg(folder.join("man/man1"))).map(drop)
}
