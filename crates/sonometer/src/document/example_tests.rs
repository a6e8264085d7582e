//! Whole protocols: that they are read, that every line knows its place, and that no damage done to them can
//! break the reader.

use super::*;

/// Checks that every span of a tree lies in the source, on character boundaries, inside that of its parent.
fn check_places(node: &Node, source: &str, parent: Span) {
    assert!(source.get(node.span.range()).is_some(), "{:?} in {source:?}", node.span);
    if node.value != Value::Null {
        assert!(
            parent.start <= node.span.start && node.span.end <= parent.end,
            "{node:?} in {parent:?} of {source:?}"
        );
    }
    for line in node.lines() {
        assert!(source.get(line.span.range()).is_some(), "{line:?} in {source:?}");
    }
    match &node.value {
        Value::Null | Value::Scalar(_) => {}
        Value::List(items) => items.iter().for_each(|item| check_places(item, source, node.span)),
        Value::Map(entries) => {
            for (key, value) in entries {
                assert!(source.get(key.span.range()).is_some(), "{key:?} in {source:?}");
                check_places(value, source, node.span);
            }
        }
    }
}

/// Reads a source in every way and checks the places of whatever comes out.
fn survive(source: &str) {
    let whole = Span::new(0, source.len());
    let check = |finding: &Diagnostic| {
        assert!(source.get(finding.span.range()).is_some(), "{finding:?} in {source:?}");
        assert!(finding.code.starts_with("SM01") && !finding.fix.is_empty());
    };
    match read(source) {
        Ok((node, findings)) => {
            check_places(&node, source, whole);
            findings.iter().for_each(check);
        }
        Err(finding) => check(&finding),
    }
    match read_json(source) {
        Ok(node) => check_places(&node, source, whole),
        Err(finding) => check(&finding),
    }
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// What breaks parsers.
const PIECES: [&str; 48] = [
    "\n", "\r\n", "\r", " ", "  ", "\t", "- ", "-", "? ", ": ", ":", "#", " #1", "# ", "|", "|2", "|-", "|+",
    ">", "&a", "*a", "!", "!!str ", "<<: ", "[", "]", "{", "}", ",", "'", "\"", "\\", "\\n", "\\ud800",
    "\\u00e9", "@", "%", "`", "---\n", "...\n", "\u{FEFF}", "\0", "é", "😀", "\u{85}", "\u{2028}", "null",
    "a: b\n",
];

#[test]
fn any_text_is_survived() {
    let mut numbers = Numbers(0x2545_F491_4F6C_DD1D);
    for _ in 0..10_000 {
        let text: String = (0..1 + numbers.below(14)).map(|_| PIECES[numbers.below(PIECES.len())]).collect();
        survive(&text);
        survive(&format!("a:\n  b: {text}"));
    }
}

#[test]
fn json_keeps_numbers_and_places() {
    let source = "\u{FEFF} {\"versión\": 1.10, \"n\": -2e+3, \"ok\": true, \"lines\": [\"a b\", \"é\\t\\\"x\\\"\"], \"block\": \"x\\n\\ny\\n\"}";
    let node = read_json(source).expect("JSON");
    check_places(&node, source, Span::new(0, source.len()));
    let text = |key: &str| node.get(key).and_then(Node::text);
    assert_eq!((text("versión"), text("n"), text("ok")), (Some("1.10"), Some("-2e+3"), Some("true")));
    let kind = |key: &str| node.get(key).map(Node::kind_name);
    assert_eq!(
        (kind("n"), kind("ok"), kind("lines"), kind("block")),
        (Some("a number"), Some("true or false"), Some("a list"), Some("text"))
    );
    let lines = |key: &str| -> Vec<(String, &str)> {
        let lines = node.get(key).map(Node::lines).unwrap_or_default();
        lines.iter().map(|line| (line.text.to_owned(), &source[line.span.range()])).collect()
    };
    let expect =
        |pairs: &[(&str, &'static str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), *b)).collect::<Vec<_>>();
    assert_eq!(lines("lines"), expect(&[("a b", "a b"), ("é\t\"x\"", "é\\t\\\"x\\\"")]));
    assert_eq!(lines("block"), expect(&[("x", "x"), ("", ""), ("y", "y")]));
}

#[cfg(feature = "yaml")]
mod yaml {
    use super::*;

    const PROTOCOLS: [&str; 4] = [
        include_str!("fixtures/mi_core.yaml"),
        include_str!("fixtures/card_and_claims.yaml"),
        include_str!("fixtures/reasoning.yaml"),
        include_str!("fixtures/frustration.yaml"),
    ];

    /// A value as `null`, text, list or map without places or styles.
    fn plain(node: &Node) -> String {
        match &node.value {
            Value::Null => "null".to_owned(),
            Value::Scalar(scalar) => format!("{:?}", scalar.text),
            Value::List(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(",")),
            Value::Map(entries) => {
                let entry = |(key, value): &(Key, Node)| format!("{:?}:{}", key.text, plain(value));
                format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(","))
            }
        }
    }

    /// Every literal block of a tree.
    fn blocks<'n>(node: &'n Node, found: &mut Vec<&'n Node>) {
        match &node.value {
            Value::Scalar(scalar) if scalar.style == Style::Literal => found.push(node),
            Value::Null | Value::Scalar(_) => {}
            Value::List(items) => items.iter().for_each(|item| blocks(item, found)),
            Value::Map(entries) => entries.iter().for_each(|(_, value)| blocks(value, found)),
        }
    }

    fn clean(source: &str) -> Node {
        let (node, findings) = read(source).unwrap_or_else(|finding| panic!("{finding} in {source}"));
        assert!(findings.is_empty(), "{findings:?}");
        check_places(&node, source, Span::new(0, source.len()));
        node
    }

    #[test]
    fn the_examples_are_read() {
        for source in PROTOCOLS {
            clean(source);
        }
        let node = clean(PROTOCOLS[0]);
        let text = |node: &Node, key: &str| node.get(key).and_then(Node::text).map(str::to_owned);
        assert_eq!(text(&node, "id").as_deref(), Some("mi_core"));
        assert_eq!(text(&node, "status").as_deref(), Some("draft"));
        let Some(Value::List(markers)) = node.get("markers").map(|markers| &markers.value) else {
            panic!("no markers in {node:?}")
        };
        let labels: Vec<_> = markers.iter().filter_map(|marker| text(marker, "label")).collect();
        let expected =
            ["reflection", "unasked_advice", "change_talk", "sustain_talk", "reflections_per_question"];
        assert_eq!(labels, expected);
        let ratio = markers[4].get("ratio").expect("ratio");
        assert_eq!(text(ratio, "to").as_deref(), Some("<question>"));
        let strong = markers[0].get("strong").expect("strong").lines();
        let lines: Vec<_> = strong.iter().map(|line| line.text).collect();
        assert_eq!(lines, ["(it|that) (sounds|seems) like (you|part)", "what i'm hearing is"]);
    }

    #[test]
    fn every_line_of_a_block_has_its_place() {
        for source in PROTOCOLS {
            let changed = [
                source.to_owned(),
                source.replace('\n', "\r\n"),
                format!("\u{FEFF}{source}"),
                source.replace("like", "liké 😀"),
                source.trim_end().to_owned(),
            ];
            for source in changed {
                let node = clean(&source);
                let mut found = Vec::new();
                blocks(&node, &mut found);
                assert!(found.len() > 4);
                for line in found.iter().flat_map(|block| block.lines()) {
                    assert_eq!(&source[line.span.range()], line.text);
                    assert!(!line.text.is_empty() && !line.text.starts_with(' '));
                }
            }
        }
    }

    #[test]
    fn blocks_in_every_shape() {
        let cases = [
            ("a: |\n  x\n\n   y \n\nb: c", vec!["x", "", " y "]),
            ("a: |\n\n  é\n  x", vec!["", "é", "x"]),
            ("- a: |+ # note\n    x\r\n    y\r\n\r\n  b: c", vec!["x", "y", ""]),
            ("a: |-\n x", vec!["x"]),
            ("a: |2\n   x\n  y\n", vec![" x", "y"]),
            ("a:\n  - |\n   # x\n   \"y\"", vec!["# x", "\"y\""]),
            ("a: |\r  x\r  y\r", vec!["x", "y"]),
        ];
        for (source, expected) in cases {
            let node = clean(source);
            let mut found = Vec::new();
            blocks(&node, &mut found);
            let lines = found[0].lines();
            assert_eq!(lines.iter().map(|line| line.text).collect::<Vec<_>>(), expected, "{source:?}");
            for line in &lines {
                assert_eq!(&source[line.span.range()], line.text, "{source:?}");
            }
            assert!(lines.windows(2).all(|pair| pair[0].span <= pair[1].span), "{source:?}");
        }
    }

    #[test]
    fn scalars_stay_text() {
        let source = "version: 1.10\nhex: 0x1F\nnone: null\nno: no\ntime: 12:30:00\nq: 'it''s'\ndq: \"a\\tb\" # c\nurl: http://x#y";
        let node = clean(source);
        let texts = ["1.10", "0x1F", "null", "no", "12:30:00", "it's", "a\tb", "http://x#y"];
        let Value::Map(entries) = &node.value else { panic!("{node:?}") };
        assert_eq!(entries.iter().filter_map(|(_, value)| value.text()).collect::<Vec<_>>(), texts);
        let written: Vec<_> = entries.iter().map(|(_, value)| &source[value.span.range()]).collect();
        assert_eq!(written[5..], ["'it''s'", "\"a\\tb\"", "http://x#y"]);
        let line = node.get("dq").map(Node::lines).unwrap_or_default()[0];
        assert_eq!((line.text, &source[line.span.range()]), ("a\tb", "a\\tb"));
    }

    #[test]
    fn lists_and_maps_span_what_is_theirs() {
        let source = "a:\n- b\n- [c, d ] # e\n\nf: {g: h,\n  i: j, }  # k\nl:\n  m: n\n\n# o\n";
        let node = clean(source);
        let under = |key: &str| node.get(key).map(|value| &source[value.span.range()]);
        assert_eq!(under("a"), Some("- b\n- [c, d ]"));
        assert_eq!(under("f"), Some("{g: h,\n  i: j, }"));
        assert_eq!(under("l"), Some("m: n"));
    }

    #[test]
    fn both_notations_give_the_same_values() {
        let yaml = "a: 'x'\nb:\n  - {c: \"1\"}\n  - |\n    d\n    e\n";
        let json = "{\"a\":\"x\",\"b\":[{\"c\":\"1\"},\"d\\ne\\n\"]}";
        assert_eq!(plain(&clean(yaml)), plain(&clean(json)));
        let lines = |source: &str, key: &str| {
            let node = clean(source);
            node.get(key).map(|b| b.lines().iter().map(|line| line.text.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(lines("s: |\n  d\n  e\n", "s"), lines("{\"s\": [\"d\", \"e\"]}", "s"));
    }

    #[test]
    fn line_breaks_and_byte_order_mark_change_no_value() {
        for source in PROTOCOLS {
            let node = plain(&clean(source));
            assert_eq!(plain(&clean(&source.replace('\n', "\r\n"))), node);
            assert_eq!(plain(&clean(&format!("\u{FEFF}{source}"))), node);
            assert_eq!(plain(&clean(&format!("# é\n---\n{source}"))), node);
        }
    }

    #[test]
    fn damaged_protocols_are_survived() {
        let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
        for source in PROTOCOLS {
            for (at, _) in source.char_indices() {
                survive(&source[..at]);
            }
            for _ in 0..1_000 {
                let mut text: Vec<char> = source.chars().collect();
                for _ in 0..1 + numbers.below(4) {
                    let at = numbers.below(text.len());
                    let end = (at + numbers.below(12)).min(text.len());
                    let piece = PIECES[numbers.below(PIECES.len())].chars();
                    match numbers.below(3) {
                        0 => text.splice(at..at, piece).for_each(drop),
                        1 => text.splice(at..end, piece).for_each(drop),
                        _ => text.drain(at..end).for_each(drop),
                    }
                }
                survive(&text.into_iter().collect::<String>());
            }
        }
    }
}
