//! The libraries for C and C++, as `bindings/c/install` lays them out, in one archive.

use super::metadata::Tree;
use super::setting::{Setting, said};
use super::{Made, archive, notices, parts};
use crate::test::root;

pub(super) fn make(setting: &Setting) -> Result<Made, String> {
    if !setting.triple.contains("-linux-") {
        return Ok(Made::Skipped("bindings/c/install knows how libraries are named on Linux only".into()));
    }
    let name = format!("libsonometer-{}-{}", setting.version, setting.triple);
    let tree = Tree::of("sonometer-c", &setting.triple)?;
    let built = setting.build_package("sonometer-c")?;

    let folder = setting.work.join("c").join(&name);
    super::empty(&folder)?;
    let mut install = setting.program(root().join("bindings/c/install"));
    said(install.arg(&folder).env("SONOMETER_BUILT", &built))?;
    super::copy(&["bindings/c/README.md"], &folder)?;
    let licences = folder.join("share/licenses/sonometer");
    super::write(&licences.join(notices::FILE), notices::of(&setting.metadata, &tree)?)?;
    for path in archive::walk(&folder.join("lib"))?.iter().filter(|path| path.is_file() && !path.is_symlink())
    {
        setting.check_paths(path)?;
        setting.check_libc(path)?;
    }

    let file = format!("{name}.tar.gz");
    archive::pack(&folder, &setting.out.join(&file), setting.epoch)?;
    let list = parts::write(setting, &tree, "library", &file)?;
    Ok(Made::Files(vec![file, list]))
}
