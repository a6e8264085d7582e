//! The crates for crates.io, packed in the order in which they must be published.

use super::metadata::{Metadata, Package};
use super::setting::{Setting, done};
use super::{LICENCES, Made};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The names of the crates in `target/dist/crates`, each after those that it needs.
pub(super) const ORDER: &str = "publish-order.txt";

pub(super) fn make(setting: &Setting) -> Result<Made, String> {
    let order = order(&setting.metadata)?;
    let packed = pack(setting, &order, &setting.work.join("crates"))?;
    let mut files = Vec::new();
    for archive in packed {
        let name = format!("crates/{}", archive.file_name().unwrap_or_default().display());
        super::write(&setting.out.join(&name), super::read(&archive)?)?;
        files.push(name);
    }
    let names: String = order.iter().map(|package| format!("{}\n", package.name)).collect();
    super::write(&setting.out.join("crates").join(ORDER), names)?;
    Ok(Made::Files(files))
}

/// What is published, each after what it needs.
pub(super) fn order(metadata: &Metadata) -> Result<Vec<&Package>, String> {
    let public: Vec<&Package> = metadata.members().filter(|package| is_public(package)).collect();
    let private: BTreeSet<&str> = metadata
        .members()
        .filter(|package| !is_public(package))
        .map(|package| package.name.as_str())
        .collect();
    let mut order: Vec<&Package> = Vec::new();
    while order.len() < public.len() {
        let is_ready = |package: &&&Package| {
            let done = |name: &str| order.iter().any(|before| before.name == name);
            let waits = |name: &&str| public.iter().any(|other| other.name == **name) && !done(name);
            !done(&package.name) && !needs(package).any(|name| waits(&name))
        };
        let next = public.iter().find(is_ready).ok_or("crates need each other in a circle")?;
        if let Some(name) = needs(next).find(|name| private.contains(name)) {
            return Err(format!(
                "crate `{}` is published and needs `{name}`, which is not; remove `publish = false` from one, or add it to the other",
                next.name
            ));
        }
        order.push(next);
    }
    Ok(order)
}

fn is_public(package: &Package) -> bool {
    package.publish.as_ref().is_none_or(|registries| !registries.is_empty())
}

/// What must be on crates.io before it. What only its tests need is left out when it is packed, if it has no version.
fn needs(package: &Package) -> impl Iterator<Item = &str> {
    let packed = package
        .dependencies
        .iter()
        .filter(|needed| needed.kind.as_deref() != Some("dev") || needed.req != "*");
    packed.map(|needed| needed.name.as_str())
}

/// Packs crates into a folder without building them, looks into each archive, and gives the archives.
pub(super) fn pack(setting: &Setting, crates: &[&Package], folder: &Path) -> Result<Vec<PathBuf>, String> {
    let lacking: Vec<String> = crates.iter().flat_map(|package| lacking_in_manifest(package)).collect();
    if !lacking.is_empty() {
        return Err(lacking.join("\n"));
    }
    let mut cargo = setting.program("cargo");
    // Not built here: `--try` installs the command from these archives. Offline, since everything needed was fetched for
    // `cargo metadata`, and asking the registry takes five times as long.
    cargo
        .args(["package", "--quiet", "--locked", "--offline", "--no-verify", "--allow-dirty"])
        .env("CARGO_TARGET_DIR", folder);
    for package in crates {
        cargo.args(["--package", &package.name]);
    }
    done(&mut cargo)?;
    let mut archives = Vec::new();
    for package in crates {
        let archive = folder.join("package").join(format!("{}-{}.crate", package.name, package.version));
        let lacking = lacking_in_archive(package, &archive, &folder.join("unpacked"))?;
        if !lacking.is_empty() {
            return Err(lacking.join("\n"));
        }
        archives.push(archive);
    }
    Ok(archives)
}

/// What crates.io asks for, or people look for, and the manifest does not say.
fn lacking_in_manifest(package: &Package) -> Vec<String> {
    let mut lacking = Vec::new();
    let mut want = |there: bool, what: &str| {
        if !there {
            lacking.push(format!("{}: add {what}", package.manifest_path.display()));
        }
    };
    want(package.description.is_some(), "a `description`");
    want(package.license.is_some(), "`license.workspace = true`");
    want(package.readme.is_some(), "a README.md beside it: what the crate is, and three lines of its use");
    let is_keyword = |word: &String| {
        word.len() <= 20 && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let sound = (1..=5).contains(&package.keywords.len()) && package.keywords.iter().all(is_keyword);
    want(sound, "one to five `keywords` of at most 20 letters, digits and dashes");
    want(!package.categories.is_empty(), "`categories`, from the list of crates.io");
    lacking
}

/// What an archive should hold and does not, or should not and does.
fn lacking_in_archive(package: &Package, archive: &Path, into: &Path) -> Result<Vec<String>, String> {
    let folder = super::archive::unpack(archive, into)?;
    let mut lacking = Vec::new();
    for name in LICENCES.iter().chain(&["README.md"]) {
        // A link that points nowhere in the archive would be packed as its text.
        if !fs::read_to_string(folder.join(name)).is_ok_and(|text| text.lines().count() > 5) {
            lacking.push(format!(
                "{}: {name} is missing in the packed crate; link or write it, and name it in `include`",
                package.name
            ));
        }
    }
    for name in ["tests", "examples", "fixtures"] {
        if folder.join(name).exists() {
            lacking.push(format!(
                "{}: the packed crate holds the folder `{name}`; leave it out of `include`",
                package.name
            ));
        }
    }
    Ok(lacking)
}
