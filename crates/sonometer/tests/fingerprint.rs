//! The recorded fingerprint is the engine's, and no table changed and kept its name.

use sonometer::language::LANGUAGES;

const RECORD: &str = include_str!("../../../fixtures/vectors/fingerprint.txt");

#[test]
fn the_recorded_fingerprint_is_the_engines() {
    let recorded = RECORD.lines().next().unwrap_or_default();
    assert_eq!(recorded, sonometer::fingerprint(), "the first line of fixtures/vectors/fingerprint.txt");
}

#[test]
fn no_table_changed_and_kept_its_name() {
    for language in LANGUAGES {
        let line = format!("{} {:016x}", language.version, language.digest());
        assert!(
            RECORD.lines().any(|recorded| recorded == line),
            "the tables of `{}` changed: give them a new version and add it to fixtures/vectors/fingerprint.txt, here `{line}`",
            language.code
        );
        let same_name =
            RECORD.lines().filter(|recorded| recorded.split(' ').next() == Some(language.version));
        assert_eq!(same_name.count(), 1, "`{}` is recorded once", language.version);
    }
}
