//! Every file of `fixtures/regressions/files`: once each broke the reader after which its folder is called.

use sonometer_fuzz::{check, named, root};

#[test]
fn what_was_found_once_holds() {
    let folder = root().join("fixtures/regressions/files");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).expect("is there").filter_map(Result::ok) {
        if !entry.path().is_dir() {
            continue;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        let reader = named(&name).unwrap_or_else(|| panic!("there is no reader `{name}`"));
        for file in std::fs::read_dir(entry.path()).expect("can be listed").filter_map(Result::ok) {
            println!("{}", file.path().display());
            check(reader, &std::fs::read(file.path()).expect("can be read"));
            count += 1;
        }
    }
    assert!(count > 0, "{} holds nothing", folder.display());
}
