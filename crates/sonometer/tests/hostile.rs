//! No protocol, however it is written, keeps the engine busy without end or makes it panic: it is compiled, or refused
//! with a code. Every limit is a count, so what holds here holds on every machine.
#![cfg(feature = "yaml")]

use sonometer::{Interaction, Protocol, Sensor};

const HEAD: &str = "sonometer: 1\nid: hostile\nversion: \"1\"\ntaxonomy: Signal\nlanguage: en\n";

/// What becomes of a protocol: `compiled`, or the code of its first error.
fn outcome(source: &str) -> &'static str {
    let protocol = match Protocol::read(source) {
        Ok((protocol, _)) => protocol,
        Err(error) => {
            let first =
                error.diagnostics.iter().find(|d| d.severity == sonometer::diagnostic::Severity::Error);
            return first.expect("a refusal says why").code;
        }
    };
    let sensor = Sensor::new(protocol).expect("what has been read compiles");
    let text = format!("{}thanks a b c d e.", "a b a b aaaa ".repeat(6));
    let reading = sensor.sense(&Interaction::text(&text).expect("is small")).expect("text is read");
    assert!(reading.evidence().all(|e| text.get(e.range.clone()).is_some()));
    "compiled"
}

fn with_lines<'l>(lines: impl IntoIterator<Item = &'l str>) -> String {
    let mut source = format!("{HEAD}markers:\n  - label: m\n    hit: x\n    strong: |\n");
    for line in lines {
        source.push_str("      ");
        source.push_str(line);
        source.push('\n');
    }
    source
}

fn of_line(line: &str) -> &'static str {
    outcome(&with_lines([line]))
}

/// As many repetitions as a pattern line has room for.
fn fill(part: &str) -> String {
    part.repeat(2_000 / part.len()).trim_end().to_owned()
}

#[test]
fn many_short_lines() {
    let lines = |n: usize| -> Vec<String> { (0..n).map(|n| format!("word{n} a{}", n % 7)).collect() };
    assert_eq!(outcome(&with_lines(lines(100_000).iter().map(String::as_str))), "compiled");
    assert_eq!(outcome(&with_lines(lines(100_001).iter().map(String::as_str))), "SM0321");
    assert_eq!(outcome(&with_lines(std::iter::repeat_n("a", 100_000))), "compiled");
    assert_eq!(outcome(&with_lines(std::iter::repeat_n("a ..12.. (b|c)? d*", 1_000))), "compiled");
    assert_eq!(outcome(&with_lines(std::iter::repeat_n("a ..12.. (b|c)? d*", 50_000))), "SM0421");
}

/// Nobody reads the hundred-and-first finding, and showing each costs.
#[test]
fn findings_are_few() {
    let repeated = with_lines(std::iter::repeat_n("a", 20_000));
    let (_, warnings) = Protocol::read(&repeated).expect("is sound");
    assert_eq!(warnings.len(), 100);
    let broken = with_lines(std::iter::repeat_n("(a", 20_000));
    assert_eq!(Protocol::read(&broken).expect_err("is broken").diagnostics.len(), 100);
}

#[test]
fn many_markers() {
    let markers = |n: usize| -> String {
        let one = |n| format!("  - {{label: m{n}, strong: \"a ..3.. b{n}\", hit: a b{n}}}\n");
        format!("{HEAD}markers:\n{}", (0..n).map(one).collect::<String>())
    };
    assert_eq!(outcome(&markers(2_000)), "compiled");
    assert_eq!(outcome(&markers(2_001)), "SM0319");
}

#[test]
fn options_and_alternatives_that_multiply() {
    assert_eq!(of_line(&format!("{}z", "(a?|b?) ".repeat(120))), "compiled");
    assert_eq!(of_line(&format!("{}z", "(a|b|c|d) ".repeat(120))), "compiled");
    assert_eq!(of_line(&format!("{}z", "a? ".repeat(120))), "compiled");
    assert_eq!(of_line(&format!("{}z", "(a|a b|a b a) ".repeat(40))), "compiled");
    assert_eq!(of_line(&format!("a {}b", "..12.. _ ".repeat(9))), "compiled");
    assert_eq!(of_line(&format!("a {}b", "..12.. _ ".repeat(10))), "SM0230");
    assert_eq!(of_line(&format!("{}z", "a? ".repeat(600))), "SM0230");
    assert_eq!(of_line(&fill("(a?|b?) ")), "SM0225");
    assert_eq!(of_line(&fill("((a?)? (b?)?)? ")), "SM0225");
}

#[test]
fn depth() {
    assert_eq!(of_line(&"(".repeat(2_000)), "SM0202");
    assert_eq!(of_line(&format!("{}a{}", "(".repeat(8), ")".repeat(8))), "compiled");
    assert_eq!(of_line(&fill("(a|")), "SM0202");
    assert_eq!(of_line(&")".repeat(2_000)), "SM0205");
    assert_eq!(outcome(&format!("{HEAD}markers: {}", "[".repeat(100_000))), "SM0104");
    assert_eq!(outcome(&format!("{HEAD}markers: {}", "{a: ".repeat(100_000))), "SM0104");
    assert_eq!(outcome(&"- ".repeat(100_000)), "SM0104");
}

/// Both orders of `&` are written out, so each level doubles what is inside it.
#[test]
fn nearness_inside_nearness() {
    assert_eq!(of_line("a &1 (b &1 (c &1 d))"), "compiled");
    let nested = |levels: usize| {
        let open: String = (0..levels).map(|n| format!("w{n} &12 (")).collect();
        format!("{open}a b{}", ")".repeat(levels))
    };
    assert_eq!(of_line(&nested(8)), "compiled");
    assert_eq!(of_line(&nested(9)), "SM0202");
    let wide = "(a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p)";
    let open: String = (0..7).map(|_| format!("{wide} &12 (")).collect();
    assert_eq!(of_line(&format!("{open}{wide} {wide}{}", ")".repeat(7))), "SM0201");
    assert_eq!(of_line(&"(a &12 b) ".repeat(9)), "compiled");
    assert_eq!(of_line(&fill("(a &12 b) ")), "SM0230");
}

#[test]
fn lists_as_large_as_they_may_be() {
    let listed = |bytes: usize, lines: &[&str]| {
        let entries: Vec<String> = (0..bytes / 8).map(|n| format!("w{n:04}")).collect();
        let marker = lines.iter().map(|l| format!("      {l}\n")).collect::<String>();
        let markers = format!("markers:\n  - label: m\n    hit: x\n    strong: |\n{marker}");
        format!("{HEAD}lists:\n  l: |\n    {}\n{markers}", entries.join(" | "))
    };
    assert_eq!(outcome(&listed(16_000, &["@l"])), "compiled");
    assert_eq!(outcome(&listed(24_000, &["@l @l"])), "SM0201");
    assert_eq!(outcome(&listed(60_000, &["@l"])), "SM0201");
    assert_eq!(outcome(&listed(70_000, &["@l"])), "SM0201");
    assert_eq!(outcome(&listed(16_000, &["@l ..12.. z"; 200])), "compiled");
}

#[test]
fn regular_expressions() {
    assert_eq!(of_line("/(a+)+$/"), "compiled");
    assert_eq!(of_line("/(a|a)+(a|a)+(a|a)+b/"), "compiled");
    assert_eq!(of_line("/(a*)*/"), "SM0228");
    assert_eq!(of_line(r"/\w{1000}{1000}/"), "SM0229");
    assert_eq!(of_line(r"/(((a{100}){100}){100}){100}/"), "SM0229");
    assert_eq!(of_line(&format!("/{}a{}/", "(".repeat(900), ")".repeat(900))), "SM0217");
    assert_eq!(of_line(&format!("/{}/", "a|".repeat(990))), "SM0228");
    let many: Vec<String> = (0..100).map(|n| format!(r"/\w{{1,20}}{n}/ a")).collect();
    assert_eq!(outcome(&with_lines(many.iter().map(String::as_str))), "compiled");
}
