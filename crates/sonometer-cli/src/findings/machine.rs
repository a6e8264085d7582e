//! Findings in the formats that code hosts and continuous integration read: SARIF, commands of GitHub's log, JUnit.

use super::fixes;
use crate::target::Source;
use serde_json::{Value, json};
use sonometer::diagnostic::{Severity, Span, line_and_column, page};
use sonometer::{Diagnostic, Diagnostics};

/// What a run of `check` found in one file.
pub(crate) struct Checked {
    pub(crate) source: Source,
    pub(crate) found: Diagnostics,
    /// Why it came to nothing, where that has no place in the file.
    pub(crate) failure: Option<String>,
}

impl Checked {
    pub(crate) fn of(source: Source, found: Diagnostics) -> Self {
        Self { source, found, failure: None }
    }

    /// A file that could not be read.
    pub(crate) fn unread(name: &str, failure: String) -> Self {
        let source = Source { name: name.to_owned(), text: String::new().into() };
        Self { source, found: Diagnostics::new(), failure: Some(failure) }
    }
}

/// One line of GitHub's log for a finding: the page of a change shows it at its line.
pub(crate) fn github(source: &Source, finding: &Diagnostic) -> String {
    let (line, column) = line_and_column(&source.text, finding.span.start);
    let (end_line, end_column) = line_and_column(&source.text, finding.span.end);
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    // A place over several lines has no columns there.
    let end = match end_line == line {
        true => format!(",endColumn={}", end_column.max(column)),
        false => String::new(),
    };
    format!(
        "::{level} file={},line={line},endLine={end_line},col={column}{end},title={}::{}\n",
        github_property(&source.name),
        finding.code,
        github_text(&format!("{}; {}", finding.message, finding.fix))
    )
}

/// One line of GitHub's log for a file as a whole.
pub(crate) fn github_unplaced(name: &str, code: &str, message: &str) -> String {
    format!("::error file={},title={code}::{}\n", github_property(name), github_text(message))
}

fn github_text(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn github_property(text: &str) -> String {
    github_text(text).replace(':', "%3A").replace(',', "%2C")
}

/// All findings as one SARIF 2.1.0 log; columns count code points.
pub(crate) fn sarif(checked: &[Checked]) -> String {
    let mut codes: Vec<&str> =
        checked.iter().flat_map(|file| file.found.iter().map(|finding| finding.code)).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules: Vec<Value> = codes.iter().map(|code| rule(code)).collect();
    let mut results = Vec::new();
    for file in checked {
        for finding in &file.found {
            results.push(result(file, finding, codes.binary_search(&finding.code).unwrap_or_default()));
        }
        if let Some(failure) = &file.failure {
            let place =
                json!({"physicalLocation": {"artifactLocation": {"uri": address(&file.source.name)}}});
            results.push(json!({"level": "error", "message": {"text": failure}, "locations": [place]}));
        }
    }
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "sonometer", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn rule(code: &str) -> Value {
    match page::section(code) {
        Some(section) => json!({
            "id": code,
            "shortDescription": {"text": section.title},
            "fullDescription": {"text": section.meaning},
            "help": {"text": format!("{}\n\n{}\n\nCorrected:\n\n{}", section.meaning, section.example.text, section.mended.text)},
        }),
        None => json!({"id": code}),
    }
}

fn result(file: &Checked, finding: &Diagnostic, rule: usize) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let text = &file.source.text;
    let uri = address(&file.source.name);
    let fixes: Vec<Value> = fixes(&file.source, &file.found, finding)
        .into_iter()
        .filter(|fix| fix.sure)
        .map(|fix| {
            let change =
                json!({"deletedRegion": region(text, fix.span), "insertedContent": {"text": fix.text}});
            let file = json!({"artifactLocation": {"uri": uri}, "replacements": [change]});
            json!({"description": {"text": fix.title}, "artifactChanges": [file]})
        })
        .collect();
    let place =
        json!({"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region(text, finding.span)}});
    let mut result = json!({
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": level,
        "message": {"text": format!("{}; {}", finding.message, finding.fix)},
        "locations": [place],
    });
    if !fixes.is_empty() {
        result["fixes"] = fixes.into();
    }
    result
}

fn region(text: &str, span: Span) -> Value {
    let (line, column) = line_and_column(text, span.start);
    let (end_line, end_column) = line_and_column(text, span.end);
    json!({"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column})
}

/// A path as a relative reference.
fn address(path: &str) -> String {
    let mut address = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' | b'@' => {
                address.push(char::from(byte))
            }
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address
}

/// A case of a JUnit report.
pub(crate) struct Case {
    /// The file or target.
    pub(crate) class: String,
    pub(crate) name: String,
    /// What is wrong, the first line as a summary; none if it passed.
    pub(crate) failure: Option<String>,
}

/// Findings as cases: a file without errors passes, each error of a file fails; with `strict` each warning, too.
pub(crate) fn cases(checked: &[Checked], strict: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for file in checked {
        let class = &file.source.name;
        let before = cases.len();
        for finding in file.found.iter().filter(|finding| strict || finding.severity == Severity::Error) {
            let (line, column) = line_and_column(&file.source.text, finding.span.start);
            let name = format!("{}:{line}:{column} {}", file.source.name, finding.code);
            let failure = Some(format!("{}; {}", finding.message, finding.fix));
            cases.push(Case { class: class.clone(), name, failure });
        }
        if let Some(failure) = &file.failure {
            cases.push(Case { class: class.clone(), name: class.clone(), failure: Some(failure.clone()) });
        }
        if cases.len() == before {
            cases.push(Case { class: class.clone(), name: class.clone(), failure: None });
        }
    }
    cases
}

/// A report in the form of JUnit, as every continuous integration reads it.
pub(crate) fn junit(suite: &str, cases: &[Case]) -> String {
    let failed = cases.iter().filter(|case| case.failure.is_some()).count();
    let counts = format!("tests=\"{}\" failures=\"{failed}\" errors=\"0\"", cases.len());
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite name=\"{}\" {counts}>\n",
        xml(suite)
    );
    for Case { class, name, failure } in cases {
        text.push_str(&format!("    <testcase classname=\"{}\" name=\"{}\"", xml(class), xml(name)));
        match failure {
            None => text.push_str("/>\n"),
            Some(failure) => {
                let summary = failure.lines().next().unwrap_or_default();
                text.push_str(&format!(
                    ">\n      <failure message=\"{}\">{}</failure>\n    </testcase>\n",
                    xml(summary),
                    xml(failure)
                ));
            }
        }
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

/// Text for XML: what has a meaning there is written out, what cannot stand there at all becomes U+FFFD.
fn xml(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => written.push_str("&amp;"),
            '<' => written.push_str("&lt;"),
            '>' => written.push_str("&gt;"),
            '"' => written.push_str("&quot;"),
            '\n' => written.push_str("&#10;"),
            '\t' => written.push_str("&#9;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => written.push('\u{fffd}'),
            _ => written.push(letter),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken() -> Checked {
        let text = "sonometer: 1\nid: x\nversion: \"1.0\"\ntaxonomy: Signl\nmarkers:\n  - label: a\n    strong: b c\n    hit: b c\n";
        let source = Source { name: "my files/x,1.yaml".to_owned(), text: text.into() };
        let found = super::super::findings(&source);
        Checked::of(source, found)
    }

    #[test]
    fn a_log_of_github_has_one_line_a_finding() {
        let file = broken();
        let finding = file.found.iter().next().expect("is broken");
        let line = github(&file.source, finding);
        assert_eq!(
            line,
            "::error file=my files/x%2C1.yaml,line=4,endLine=4,col=11,endColumn=16,title=SM0307::`taxonomy` cannot be `Signl`; did you mean `Signal`\n"
        );
    }

    #[test]
    fn sarif_has_places_rules_and_fixes() {
        let log: Value =
            serde_json::from_str(&sarif(&[broken(), Checked::unread("y.yaml", "no such file".into())]))
                .expect("is JSON");
        let run = &log["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "SM0307");
        let result = &run["results"][0];
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "my%20files/x%2C1.yaml");
        assert_eq!(
            place["region"],
            json!({"startLine": 4, "startColumn": 11, "endLine": 4, "endColumn": 16})
        );
        let fix = &result["fixes"][0]["artifactChanges"][0]["replacements"][0];
        assert_eq!(fix["insertedContent"]["text"], "Signal");
        assert_eq!(run["results"][1]["message"]["text"], "no such file");
    }

    #[test]
    fn a_report_of_junit_counts_and_escapes() {
        let sound = Checked::of(Source { name: "<a>.yaml".into(), text: "".into() }, Diagnostics::new());
        let report = junit("sonometer check", &cases(&[broken(), sound], false));
        assert!(
            report.contains("<testsuite name=\"sonometer check\" tests=\"2\" failures=\"1\" errors=\"0\">"),
            "{report}"
        );
        assert!(
            report.contains("<testcase classname=\"&lt;a&gt;.yaml\" name=\"&lt;a&gt;.yaml\"/>"),
            "{report}"
        );
        assert!(
            report.contains("message=\"`taxonomy` cannot be `Signl`; did you mean `Signal`\""),
            "{report}"
        );
        assert_eq!(xml("a\u{1b}\n"), "a\u{fffd}&#10;");
    }
}
