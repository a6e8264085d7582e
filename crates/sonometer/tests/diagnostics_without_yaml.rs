//! What an author is told by an engine that is built without its YAML reader (`--no-default-features`).
#![cfg(not(feature = "yaml"))]

use sonometer::Protocol;
use sonometer::diagnostic::line_and_column;

#[test]
fn a_protocol_in_yaml_is_refused() {
    let source = include_str!("diagnostics/SM0132.yaml");
    let error = Protocol::read(source).expect_err("there is no reader for it");
    let found: Vec<_> = error.diagnostics.iter().collect();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].code, &source[found[0].span.range()]), ("SM0132", "sonometer: 1"));
    assert_eq!(line_and_column(source, found[0].span.start), (1, 1));
    assert_eq!(found[0].fix, "give the protocol as JSON, or build with the feature `yaml`");
}

#[test]
fn a_protocol_in_json_is_read() {
    let source = r#"{"sonometer": 1, "id": "case", "version": "1.0", "taxonomy": "Signal",
        "markers": [{"label": "thanks", "strong": "thank you", "hit": "Thank you."}]}"#;
    assert!(Protocol::read(source).is_ok());
}
