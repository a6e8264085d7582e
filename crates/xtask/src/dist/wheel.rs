//! The wheel for PyPI: one for every Python from 3.11 on, linked by zig against an old C library.

use super::metadata::Tree;
use super::setting::{Setting, done};
use super::{Made, notices, parts};
use crate::test::root;
use std::fs;
use std::path::PathBuf;

pub(super) fn make(setting: &Setting) -> Result<Made, String> {
    if !setting.install_tools() {
        return Ok(Made::Skipped("no maturin".into()));
    }
    let tree = Tree::of("sonometer-python", &setting.triple)?;
    let work = setting.work.join("wheel");
    super::empty(&work)?;
    // maturin's own list of parts names folders of the machine that builds, so pyproject.toml turns it off.
    let list = work.join("sonometer.cdx.json");
    super::write(&list, parts::list(setting, &tree, "library")?)?;
    let bindings = root().join("bindings/python");
    let licences = Passing(bindings.join(notices::FILE));
    super::write(&licences.0, notices::of(&setting.metadata, &tree)?)?;

    let mut maturin = setting.builder("maturin");
    maturin
        // Level 9: the library of 20.2 MB takes 8.11 MB, and 8.15 MB on the level that maturin takes by itself.
        .args(["build", "--quiet", "--locked", "--profile", "dist"])
        .args(["--compression-level", "9", "--interpreter"])
        .arg(setting.tools().join("python"));
    if setting.zig() {
        maturin.args(["--zig", "--compatibility", "manylinux2014"]);
    } else {
        maturin.args(["--compatibility", "pypi"]);
    }
    maturin.arg("--sbom-include").arg(&list).arg("--manifest-path").arg(bindings.join("Cargo.toml"));
    done(maturin.arg("--out").arg(work.join("wheels")))?;

    let mut wheels = fs::read_dir(work.join("wheels")).map_err(|e| format!("wheels: {e}"))?.flatten();
    let wheel = wheels.next().ok_or("maturin made no wheel")?.path();
    let tool = |name: &str, arguments: &[&str]| {
        done(setting.program(setting.tools().join(name)).args(arguments).arg(&wheel))
    };
    tool("auditwheel", &["show"])?;
    tool("twine", &["check", "--strict"])?;
    tool("check-wheel-contents", &[])?;
    let inside = work.join("inside");
    done(
        setting
            .program(setting.tools().join("python"))
            .args(["-m", "zipfile", "-e"])
            .arg(&wheel)
            .arg(&inside),
    )?;
    for path in super::archive::walk(&inside)?.iter().filter(|path| path.is_file()) {
        setting.check_paths(path)?;
    }
    let file = wheel.file_name().unwrap_or_default().display().to_string();
    super::write(&setting.out.join(&file), super::read(&wheel)?)?;
    let list = parts::write(setting, &tree, "library", &file)?;
    Ok(Made::Files(vec![file, list]))
}

/// A file in the sources for as long as maturin reads them.
struct Passing(PathBuf);

impl Drop for Passing {
    fn drop(&mut self) {
        // One that stays is in `.gitignore`.
        let _ = fs::remove_file(&self.0);
    }
}
