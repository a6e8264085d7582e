//! What is made with npm: the package of the module, as `bindings/wasm/build` packs it and with the licences of what is in it, and the
//! extension for Visual Studio Code.

use super::metadata::Tree;
use super::setting::{Setting, said};
use super::{Made, archive, notices, parts};
use crate::test::root;
use std::path::Path;

pub(super) fn make(setting: &Setting) -> Result<Made, String> {
    let there = |program: &str| said(setting.program(program).arg("--version")).is_ok();
    if !there("npm") {
        return Ok(Made::Skipped("no npm".into()));
    }
    if let Err(why) = said(&mut setting.program(root().join("bindings/wasm/toolchain"))) {
        return Ok(Made::Skipped(format!("no compiler for wasm32-unknown-unknown: {why}")));
    }
    let built = said(&mut setting.program(root().join("bindings/wasm/build")))?;
    let built = built.lines().last().ok_or("bindings/wasm/build names no package")?;

    let tree = Tree::of("sonometer-wasm", "wasm32-unknown-unknown")?;
    let folder = archive::unpack(Path::new(built), &setting.work.join("npm"))?;
    super::write(&folder.join(notices::FILE), notices::of(&setting.metadata, &tree)?)?;
    for path in archive::walk(&folder)?.iter().filter(|path| path.is_file()) {
        setting.check_paths(path)?;
    }
    // npm sorts the files and gives them all one time of its own.
    let mut pack = setting.program("npm");
    pack.args(["pack", "--silent", "--pack-destination"]).arg(&setting.out).arg(&folder);
    std::fs::create_dir_all(&setting.out).map_err(|e| format!("{}: {e}", setting.out.display()))?;
    let file = said(&mut pack)?.lines().last().unwrap_or_default().to_owned();
    let list = parts::write(setting, &tree, "library", &file)?;
    Ok(Made::Files(vec![file, list, extension(setting)?]))
}

/// The extension for Visual Studio Code, which starts the command that is installed.
fn extension(setting: &Setting) -> Result<String, String> {
    let built = said(&mut setting.program(root().join("bindings/editors/build")))?;
    let built = built.lines().last().ok_or("bindings/editors/build names no package")?;
    let file = format!("sonometer-{}.vsix", setting.version);
    super::write(&setting.out.join(&file), super::read(Path::new(built))?)?;
    Ok(file)
}
