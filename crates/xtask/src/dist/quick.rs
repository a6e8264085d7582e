//! `cargo xtask dist --quick`: what can be checked of a release within a minute or two, for every change. Nothing is built but
//! the command as its tests have it; nothing is put into `target/dist`.

use super::metadata::Tree;
use super::setting::Setting;
use super::{archive, command, crates, notices, parts, sums};
use crate::test::whole_command;
use std::collections::BTreeMap;
use std::time::Instant;

/// The packages of which artifacts with a program or a library are made, and the platform where it is not this one.
const BUILT: [(&str, Option<&str>); 4] = [
    ("sonometer-cli", None),
    ("sonometer-c", None),
    ("sonometer-python", None),
    ("sonometer-wasm", Some("wasm32-unknown-unknown")),
];

pub(super) fn run() -> Result<(), String> {
    let begin = Instant::now();
    let setting = Setting::read()?;
    let order = crates::order(&setting.metadata)?;
    let command = whole_command()?;
    let first = round(&setting, &order, &command)?;
    sums::compare(&first, &round(&setting, &order, &command)?)?;
    let names: Vec<&str> = order.iter().map(|package| package.name.as_str()).collect();
    println!("crates in the order in which they are published: {}", names.join(", "));
    println!("made twice with the same bytes: {} files, {:.0} s", first.len(), begin.elapsed().as_secs_f64());
    Ok(())
}

/// Makes everything once, and gives the sums.
fn round(
    setting: &Setting,
    order: &[&super::metadata::Package],
    command: &std::path::Path,
) -> Result<BTreeMap<String, String>, String> {
    let folder = setting.work.join("quick");
    super::empty(&folder)?;
    for packed in crates::pack(setting, order, &setting.work.join("crates"))? {
        super::write(&folder.join(packed.file_name().unwrap_or_default()), super::read(&packed)?)?;
    }
    let inside = folder.join("sonometer");
    command::fill(command, &inside)?;
    for (package, triple) in BUILT {
        let tree = Tree::of(package, triple.unwrap_or(&setting.triple))?;
        super::write(&inside.join(format!("{package}.cdx.json")), parts::list(setting, &tree, "library")?)?;
        super::write(&inside.join(format!("{package}.txt")), notices::of(&setting.metadata, &tree)?)?;
    }
    archive::pack(&inside, &folder.join("sonometer.tar.gz"), setting.epoch)?;
    sums::of(&folder)
}
