//! The recorded fingerprint is the engine's, and no table changed and kept its name.

use sonometer::language::{LANGUAGES, Language};

const RECORD: &str = include_str!("../../../fixtures/vectors/fingerprint.txt");

#[test]
fn the_recorded_fingerprint_is_the_engines() {
    let recorded = RECORD.lines().next().unwrap_or_default();
    assert_eq!(recorded, sonometer::fingerprint(), "the first line of fixtures/vectors/fingerprint.txt");
}

#[test]
fn no_table_changed_and_kept_its_name() {
    let line = |l: &&&Language| format!("{} {:016x}", l.version, l.digest());
    let missing: Vec<String> = LANGUAGES
        .iter()
        .filter(|l| !RECORD.lines().any(|recorded| recorded == line(l)))
        .map(|l| line(&l))
        .collect();
    assert!(
        missing.is_empty(),
        "the tables changed: name them anew and add to fixtures/vectors/fingerprint.txt\n{}",
        missing.join("\n")
    );
}

#[test]
fn every_name_is_recorded_once() {
    let mut names: Vec<&str> = RECORD.lines().skip(1).filter_map(|line| line.split(' ').next()).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}
