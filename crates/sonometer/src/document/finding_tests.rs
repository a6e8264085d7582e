//! Every finding: its code, the source text it points at, and what it tells the author to write.

use super::*;

/// All findings about a source: those that came with a tree, or the one that stopped the reading.
fn findings(source: &str) -> Vec<Diagnostic> {
    match read(source) {
        Ok((_, findings)) => findings.iter().cloned().collect(),
        Err(finding) => vec![finding],
    }
}

/// A source, and the code, text under the span and part of the fix of its only finding.
type Case = (&'static str, &'static str, &'static str, &'static str);

fn check(cases: &[Case]) {
    for (source, code, under, fix) in cases {
        let found = findings(source);
        assert_eq!(found.len(), 1, "{source:?} gives {found:?}");
        let found = &found[0];
        assert_eq!((found.code, &source[found.span.range()]), (*code, *under), "{source:?} gives {found}");
        assert!(found.fix.contains(fix), "{source:?} gives {found}");
        assert!(!found.message.ends_with('.') && !found.fix.ends_with('.'), "{found}");
    }
}

#[test]
fn json_findings() {
    check(&[
        ("{\"a\": 1, \"b\": {\"c\": 1, \"c\": 2}}", "SM0110", "\"c\"", "keep one"),
        ("{\"a\": 1, \"\\u0061\": 2}", "SM0110", "\"\\u0061\"", "keep one"),
        ("{\"a\": \"é\\ud800x\"}", "SM0131", "\\ud800", "both halves"),
        ("{\"a\": \"\\udc00\\ud800\"}", "SM0131", "\\udc00", "both halves"),
        ("{\"k\\udfff\": 1}", "SM0131", "\\udfff", "both halves"),
        ("{\"a\": [null, 1]}", "SM0115", "null", "write a value there"),
        ("{\"a\": null}", "SM0115", "null", "write a value after `a:`"),
        ("{\"a\": 1 \"b\": 2}", "SM0130", "\"", "write a comma"),
        ("{\"a\": 1", "SM0130", "1", "close every `{`"),
        ("{\"é\": \"x", "SM0130", "x", "close the string"),
        ("{\"a\": 1} x", "SM0130", "x", "remove what follows"),
    ]);
}

#[test]
fn strict_json() {
    let cases = [
        ("{\"a\": 1,}", "}", "remove the comma"),
        ("{a: 1}", "a", "in double quotes"),
        ("{\"a\" 1}", "1", "a colon"),
        ("[1, 'é']", "'", "double quotes, \"like this\""),
        ("[1, // one\n2]", "/", "JSON has none"),
        ("[\"\\q\"]", "q", "write a backslash"),
        ("[01]", "1", "write a number"),
        ("[tru]", "]", "`true`"),
        ("[\"a\nb\"]", "\n", "`\\n`"),
        ("\u{FEFF}[\"é\" x]", "x", "write a comma"),
    ];
    for (source, under, fix) in cases {
        let found = read_json(source).expect_err(source);
        assert_eq!((found.code, &source[found.span.range()]), ("SM0130", under), "{source:?} gives {found}");
        assert!(found.fix.contains(fix), "{source:?} gives {found}");
    }
    assert_eq!(read_json(" \n").expect_err("nothing").code, "SM0102");
}

#[test]
fn limits() {
    let nested = |n: usize| format!("{}1{}", "[".repeat(n), "]".repeat(n));
    assert!(read_json(&nested(MAX_NESTING)).is_ok());
    let found = read_json(&nested(MAX_NESTING + 1)).expect_err("deep");
    assert_eq!((found.code, found.span), ("SM0104", Span::new(16, 17)));

    let found = read_json(&nested(500_000)).expect_err("deeper than any stack");
    assert_eq!((found.code, found.span), ("SM0104", Span::new(16, 17)));

    // What others write: the same, but empty where it is deeper.
    let mut found = &read_json_of_others(&nested(500_000)).expect("left out");
    for level in 1..=MAX_NESTING {
        let Value::List(items) = &found.value else { panic!("no list at level {level}") };
        found = &items[0];
    }
    assert_eq!((&found.value, found.span), (&Value::List(Vec::new()), Span::new(16, 1_000_001 - 16)));
    let quoted = format!("{}[\"\\\\\", \"]\\\"\"], 2{}", "[".repeat(16), "]".repeat(16));
    assert!(read_json_of_others(&quoted).is_ok(), "{quoted}");
    assert_eq!(read_json_of_others("[1").expect_err("no JSON").code, "SM0130");

    let listed = |n: usize| format!("[{}1]", "1,".repeat(n - 1));
    assert!(read_json(&listed(MAX_NODES - 1)).is_ok());
    assert_eq!(read_json(&listed(MAX_NODES + 1)).expect_err("many").code, "SM0105");

    let large = format!("\"{}\"", "é".repeat(MAX_SOURCE_BYTES / 2));
    let found = read(&large).expect_err("large");
    assert_eq!((found.code, found.span), ("SM0101", Span::new(MAX_SOURCE_BYTES - 1, MAX_SOURCE_BYTES - 1)));
    assert!(found.fix.contains("split"));
}

#[cfg(not(feature = "yaml"))]
#[test]
fn without_yaml() {
    check(&[
        ("# x\nid: a\n", "SM0132", "# x", "as JSON"),
        ("{id: a}", "SM0130", "i", "in double quotes"),
        (" \n", "SM0102", "", "sonometer: 1"),
    ]);
}

#[cfg(feature = "yaml")]
mod yaml {
    use super::*;
    use crate::diagnostic::Severity;

    #[test]
    fn what_is_refused() {
        check(&[
            ("", "SM0102", "", "sonometer: 1"),
            ("\u{FEFF}# only a comment\n", "SM0102", "", "sonometer: 1"),
            ("a: b\u{1}", "SM0103", "\u{1}", "remove it"),
            ("é: x\u{FEFF}y", "SM0103", "\u{FEFF}", "remove it"),
            ("é: &x 1", "SM0106", "&x", "write the value out"),
            ("&x a: 1", "SM0106", "&x", "write the value out"),
            ("- &x [1]", "SM0106", "&x", "write the value out"),
            ("a: & b", "SM0106", "&", "in quotes"),
            ("a: *star", "SM0107", "*star", "in quotes"),
            ("a: * star", "SM0107", "*", "in quotes"),
            ("a: ! stop", "SM0108", "!", "in quotes"),
            ("a: !!str x", "SM0108", "!!str", "in quotes"),
            ("a:\n  <<: {b: c}", "SM0109", "<<", "write out the entries"),
            ("é: 1\nb: 2\né: 3\n", "SM0110", "é", "keep one"),
            ("{a: 1, 'a': 2}", "SM0110", "'a'", "keep one"),
            ("a: 1\n--- # next\nb: 1", "SM0111", "--- # next", "its own file"),
            ("a: 1\n...\nb: 2", "SM0111", "b: 2", "its own file"),
            ("? a\n: b", "SM0112", "a", "`key: value`"),
            ("{a: b}: c", "SM0112", "{a: b}: c", "`key: value`"),
            ("[inaudible]: c", "SM0112", "[inaudible]: c", "`key: value`"),
            ("%YAML 1.2\n---\na: b", "SM0127", "%YAML 1.2", "remove the line"),
            (": x", "SM0126", ": x", "`key: value`"),
        ]);
    }

    #[test]
    fn what_goes_wrong_with_text() {
        check(&[
            ("é: >-\n  x\n  y\n", "SM0113", ">-", "write `|`"),
            ("- >\n  x\n", "SM0113", ">", "write `|`"),
            ("a:\nb: c", "SM0115", "a", "write a value after `a:`"),
            ("a: |\nb: c", "SM0115", "a", "its lines below it"),
            ("a: |\n\n\nb: c", "SM0115", "a", "its lines below it"),
            ("- a\n-\n- b", "SM0115", "-", "remove the item"),
            ("a:\n- # none - yet\n- b", "SM0115", "-", "remove the item"),
            ("a: {b, c: d}", "SM0115", "b", "write a value after `b:`"),
            ("label: #1\n", "SM0115", "label", "\"#1\""),
            ("a: x\n  é", "SM0117", "x", "below `|`"),
            ("a: \"x\n  y\"", "SM0117", "\"x", "below `|`"),
            ("a: x # note\n  y", "SM0117", "# note", "below `|`"),
            ("é: x: y", "SM0118", ":", "in quotes"),
            ("a: @list", "SM0119", "@", "in quotes"),
            ("a: `x`", "SM0119", "`", "in quotes"),
            ("- %x", "SM0119", "%", "in quotes"),
            ("- , x", "SM0119", ",", "in quotes"),
            ("a: ? x", "SM0119", "?", "in quotes"),
            ("é: 'open\nb: c\n", "SM0120", "'", "close it"),
            ("a: \"open", "SM0120", "\"", "close it"),
            ("é: 'it's", "SM0121", "s", "`''`"),
            ("a: \"x\" y # z", "SM0121", "y # z", "in quotes"),
            ("a: \"é\\n\\q\"", "SM0122", "\\q", "single quotes"),
            ("a: \"\\ud800\"", "SM0122", "\\ud800", "single quotes"),
            ("a: |x\n  y", "SM0129", "|x", "below it"),
        ]);
    }

    #[test]
    fn what_goes_wrong_with_layout() {
        check(&[
            ("a:\n\tb: c", "SM0114", "\t", "with spaces"),
            ("a: |\n\tx", "SM0114", "\t", "with spaces"),
            ("é:\n  b: c\n\td: e", "SM0114", "\t", "with spaces"),
            ("a: [x, , y]", "SM0123", ",", "commas"),
            ("é: [x, y\nb: c", "SM0123", "[", "close it"),
            ("a: {x: y\n", "SM0123", "{", "close it"),
            ("a: ]", "SM0123", "]", "close it"),
            ("[", "SM0123", "[", "close it"),
            ("a: {be} sure", "SM0128", "sure", "in quotes"),
            ("a: [inaudible] yes", "SM0128", "yes", "in quotes"),
            ("  a: b\nc: d", "SM0124", "c: d", "indent all keys"),
            ("a:\n    b: c\n  d: e", "SM0124", "d: e", "indent all keys"),
            ("a: b\n  c: d", "SM0118", ":", "indentation of this line"),
            ("a: b\nc d\n\n# e\nf: g", "SM0133", "c d", "write `c: d`"),
            ("a: b\nc", "SM0133", "c", "write `c:`"),
            ("a: |\n  x\n y\nb: c", "SM0124", "y", "below `|`"),
            ("a: b\n- c", "SM0124", "- c", "indent all keys"),
            ("a: - b", "SM0124", "- b", "on the next line"),
        ]);
    }

    #[test]
    fn text_lost_to_a_comment_is_a_warning() {
        check(&[
            ("label: agent #1\nb: c", "SM0116", "#1", "\"agent #1\""),
            ("- é\t#sale  \r\n- b", "SM0116", "#sale", "\"é #sale\""),
            ("a: [x #1\n ]", "SM0116", "#1", "\"x #1\""),
        ]);
        assert_eq!(findings("a: b #1")[0].severity, Severity::Warning);
        for comment in ["# 1", "#", "#\t1", "##1", "#---", "# #1"] {
            assert_eq!(
                findings(&format!("a: b {comment}\nc: \"d\" #1\n#1\ne: |\n  x #1\n")),
                [],
                "{comment}"
            );
        }
        assert_eq!(findings("a: b#1"), []);
    }

    #[test]
    fn several_findings_come_in_order_and_reading_goes_on() {
        let source = "a:\nb: x #1\nc:\n  d: 1\n  d: 2\n  e: [1, 2]\n";
        let (node, found) = read(source).expect("a tree");
        let codes: Vec<_> = found.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["SM0115", "SM0116", "SM0110"]);
        assert!(found.has_errors());
        let inner = node.get("c").expect("c");
        assert_eq!(inner.get("d").and_then(Node::text), Some("1"), "the first of the two stays");
        assert_eq!(inner.get("e").map(|list| list.lines().len()), Some(2));
        assert!(matches!(inner.value, Value::Map(ref entries) if entries.len() == 2));
    }

    #[test]
    fn errors_are_not_crowded_out_by_warnings() {
        let source =
            format!("{}b:\n", "- x #1\n".repeat(300).replace("- ", "  - ").replacen("  - ", "a:\n  - ", 1));
        let found = findings(&source);
        assert_eq!(found.len(), MAX_FINDINGS + 1);
        assert_eq!(found[MAX_FINDINGS].code, "SM0115");
        assert_eq!(findings(&"- \n".repeat(300)).len(), MAX_FINDINGS);
    }

    #[test]
    fn the_better_error_of_the_two_notations() {
        check(&[
            ("{\"a\": 1, \"b\" 2}", "SM0130", "2", "a colon"),
            ("{a: 1, b: [2}", "SM0123", "}", "close it"),
        ]);
        // What is no JSON can still be a YAML map.
        for source in ["{a: 1}", "{\"a\": 1,} # note", "\u{FEFF}\n {'a': 1}"] {
            let (node, found) = read(source).expect(source);
            assert_eq!((node.get("a").and_then(Node::text), found.len()), (Some("1"), 0), "{source}");
        }
    }

    #[test]
    fn limits() {
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        let steps = |n: usize| (0..n).map(|level| format!("{}a:\n", " ".repeat(level))).collect::<String>();
        assert!(read(&deep(MAX_NESTING)).is_ok());
        assert!(read(&format!("{}{:16}x", steps(MAX_NESTING), "")).is_ok());
        for source in [
            deep(MAX_NESTING + 1),
            steps(MAX_NESTING + 1) + "x",
            format!("{}{:16}[x]", steps(MAX_NESTING), ""),
        ] {
            let found = &findings(&source)[0];
            assert_eq!(found.code, "SM0104", "{source}");
            let innermost = source.rfind(['[', 'a']).unwrap_or_default();
            assert_eq!(found.span, Span::new(innermost, innermost + 1), "{source}");
        }
        let items = "- x\n".repeat(MAX_NODES - 1);
        assert!(read(&items).is_ok());
        assert_eq!(findings(&format!("{items}- y\n"))[0].code, "SM0105");
        let lines = |n: usize| format!("a: |\n{}", "  x\n".repeat(n));
        assert!(read(&lines(MAX_NODES - 2)).is_ok());
        assert_eq!(findings(&lines(MAX_NODES - 1))[0].code, "SM0105");
    }

    /// Sources of a megabyte, made to exhaust a parser. They must end early or take time linear in their length;
    /// the suite as a whole would show it if they did not.
    #[test]
    fn hostile_sources_end_soon() {
        let size = 1 << 20;
        let fill = |part: &str| part.repeat(size / part.len());
        let keys = |separator: &str| (0..100_000).map(|n| format!("k{n}: v{separator}")).collect::<String>();
        let wide_inside =
            format!("[{}{}{}", fill("a,"), "[".repeat(14), fill("a,")) + &"]: 1".repeat(14) + "]";
        let cases = [
            (fill("["), "SM0104"),
            (fill("- "), "SM0104"),
            (fill("{a: "), "SM0104"),
            (fill("{\"a\":"), "SM0130"),
            (fill("? "), "SM0112"),
            (fill("a: &x\n"), "SM0106"),
            (fill("&x "), "SM0106"),
            (fill("[*x,"), "SM0104"),
            (wide_inside, "SM0105"),
            (fill("--- a\n"), "SM0111"),
            (fill("%TAG !a! b\n"), "SM0127"),
            (fill("\u{FEFF}"), "SM0103"),
            (fill("}"), "SM0123"),
            (fill("''") + "'", "SM0120"),
            (fill("a:\n "), "SM0115"),
            (format!("{{{}}}", (0..100_000).map(|n| format!("k{n},")).collect::<String>()), "SM0115"),
            (format!("a: \"{}", fill("\\n")), "SM0120"),
            (format!("a: {}", fill("é\n\n  ")), "SM0117"),
        ];
        for (source, code) in cases {
            let found = findings(&source);
            assert_eq!(found.first().map(|finding| finding.code), Some(code), "{:?}", source.chars().next());
        }
        for source in [
            format!("{{{}}}", keys(", ")),
            keys("\n"),
            format!("a: |\n{}", fill("  é\n\n")),
            fill("# é\n") + "a: b",
        ] {
            assert_eq!(findings(&source), [], "{:?}", source.chars().next());
        }
    }
}
