//! The expressions of `personal-data` 2.1 and 2.2 that find addresses are put together from the parts in `docs/addresses.txt`.

use sonometer_catalog::find;
use std::collections::BTreeMap;

/// The parts that stand in the protocol, as entries of its lists.
const ENTRIES: [&str; 8] = ["STREET", "LATER", "MIL", "FLATLINE", "LOW", "CORNER", "NAMED", "SAID"];

/// Every part with its own parts written out; one that is used before it is defined stops the test.
fn parts() -> BTreeMap<&'static str, String> {
    let mut parts: BTreeMap<&str, String> = BTreeMap::new();
    let lines = include_str!("../docs/addresses.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, expression) = line.split_once(": ").expect("a name and an expression");
        let mut whole = String::new();
        let mut rest = expression;
        while let Some((before, behind)) = rest.split_once('«') {
            let (part, after) = behind.split_once('»').expect("ends");
            whole.push_str(before);
            whole.push_str(parts.get(part).unwrap_or_else(|| panic!("{name}: {part} is not defined above")));
            rest = after;
        }
        whole.push_str(rest);
        assert!(parts.insert(name, whole).is_none(), "{name} is defined twice");
    }
    parts
}

#[test]
fn the_expressions_of_the_protocol_are_made_of_the_parts() {
    let parts = parts();
    for version in ["2.1", "2.2"] {
        let protocol = find("personal-data", Some(version)).expect("ships").source;
        for entry in ENTRIES {
            let line = format!("    /{}/\n", parts[entry]);
            assert!(protocol.contains(&line), "{entry} in docs/addresses.txt and {version} differ");
        }
    }
}
