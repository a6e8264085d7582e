//! The file: a protocol of one weighted marker, as a person would lay it out.

use super::kinds::{self, NOT};
use super::measure::line_triggers;
use super::protocol_file::ProtocolFile;
use super::scale::{HALF, TRIGGER, Weighted};
use crate::Error;
use sonometer::protocol::{Repeat, Scope};
use sonometer::{Protocol, Unit, language};

/// What the file says beside the list.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) id: String,
    pub(crate) version: String,
    pub(crate) taxonomy: &'static str,
    pub(crate) language: Option<String>,
    pub(crate) label: String,
    pub(crate) by: Option<String>,
    pub(crate) sufficient: Option<Unit>,
    pub(crate) repeat: Repeat,
    pub(crate) scope: Option<Scope>,
}

/// Lines of talk for the self test, made of the list's own phrases: never of the data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SelfTest {
    pub(crate) hit: Option<String>,
    pub(crate) miss: Option<String>,
}

/// Phrases of a self test, at most.
const MOST_PHRASES: usize = 12;

impl Frame {
    /// The text of the protocol; `notes` become a comment at its head.
    pub(crate) fn render(&self, weighted: &Weighted, tests: &SelfTest, notes: &[String]) -> String {
        let mut text: String = notes.iter().map(|note| format!("# {note}\n")).collect();
        text.push_str(&format!(
            "sonometer: 1\nid: {}\nversion: {}\ntaxonomy: {}\n",
            self.id,
            quoted(&self.version),
            self.taxonomy
        ));
        if let Some(language) = &self.language {
            text.push_str(&format!("language: {}\n", quoted(language)));
        }
        if let Some(sufficient) = self.sufficient {
            text.push_str(&format!("fidelity: {{sufficient: {sufficient}}}\n"));
        }
        text.push_str("score: any\n");
        if weighted.lines.iter().any(|(pattern, _)| pattern.starts_with('@')) {
            text.push_str(&self.lists());
        }
        text.push_str(&format!("markers:\n  - label: {}\n", self.label));
        if let Some(by) = &self.by {
            text.push_str(&format!("    by: {}\n", quoted(by)));
        }
        if let Some(scope) = self.scope {
            text.push_str(&format!("    scope: {scope}\n"));
        }
        let trigger = format!("    trigger: {TRIGGER}\n");
        text.push_str(&format!("    repeat: {}\n    half: {HALF}\n{trigger}", self.repeat.as_str()));
        text.push_str(&format!("    bias: {}\n    weigh: |\n", weighted.bias));
        for (pattern, weight) in &weighted.lines {
            text.push_str(&format!("      {pattern} = {weight}\n"));
        }
        for (key, line) in [("hit", &tests.hit), ("miss", &tests.miss)] {
            if let Some(line) = line {
                text.push_str(&format!("    {key}: |\n      {line}\n"));
            }
        }
        text
    }

    /// The lists that lines of words name: what negates in the language.
    pub(crate) fn lists(&self) -> String {
        let cues = kinds::cues(self.language.as_deref().and_then(language::find));
        if cues.is_empty() { String::new() } else { format!("lists:\n  {NOT}: {}\n", cues.join(" | ")) }
    }

    /// The protocol of a list, read back from its text.
    pub(crate) fn protocol(&self, weighted: &Weighted) -> Result<Protocol, Error> {
        let file = ProtocolFile {
            name: format!("{} (as it would be written)", self.id),
            text: self.render(weighted, &SelfTest::default(), &[]).into(),
            list_files: Vec::new(),
        };
        Ok(file.read()?.0)
    }

    /// As many of the strongest phrases as trigger the marker, and as many of the weakest as do not; none where these
    /// do not suffice.
    pub(crate) fn self_test(&self, protocol: &Protocol, weighted: &Weighted) -> Result<SelfTest, Error> {
        let sensor = super::matrix::sensor(protocol.clone())?;
        let is_plain =
            |(pattern, _): &&(String, Unit)| !pattern.contains(['<', '/', '^', '$', '\\', '@', '.', '~']);
        let strongest: Vec<&str> = weighted
            .lines
            .iter()
            .filter(|(_, weight)| *weight > Unit::ZERO)
            .filter(is_plain)
            .map(|(pattern, _)| pattern.as_str())
            .take(MOST_PHRASES)
            .collect();
        let mut tests = SelfTest::default();
        for count in 1..=strongest.len() {
            let line = strongest[..count].join(". ");
            if line_triggers(&sensor, self.by.as_deref(), &line)? {
                tests.hit = Some(self.spoken(&line));
                break;
            }
        }
        let weakest = weighted.lines.iter().rev().filter(|(_, weight)| *weight < Unit::ZERO).find(is_plain);
        if let Some((pattern, _)) = weakest
            && !line_triggers(&sensor, self.by.as_deref(), pattern)?
        {
            tests.miss = Some(self.spoken(pattern));
        }
        Ok(tests)
    }

    fn spoken(&self, line: &str) -> String {
        match &self.by {
            Some(role) => format!("{role}: {line}"),
            None => line.to_owned(),
        }
    }
}

/// A text in double quotes: what JSON writes is YAML too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The skeleton in which candidates are counted: every pattern with the same weight.
pub(crate) fn unweighted(patterns: Vec<String>) -> Weighted {
    Weighted { lines: patterns.into_iter().map(|pattern| (pattern, Unit::ONE)).collect(), bias: Unit::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> Frame {
        Frame {
            id: "thanks".into(),
            version: "0.1".into(),
            taxonomy: "Signal",
            language: Some("en".into()),
            label: "gratitude".into(),
            sufficient: Some(Unit(250_000)),
            by: Some("The \"agent\"".into()),
            repeat: Repeat::Once,
            scope: None,
        }
    }

    #[test]
    fn the_file_reads_back_without_a_finding() {
        let lines = [("thank you", 400_000), ("thanks", 300_000), ("no", -200_000)];
        let lines = lines.map(|(pattern, weight)| (pattern.to_owned(), Unit(weight))).to_vec();
        let weighted = Weighted { lines, bias: Unit(50_000) };
        let tests = frame().self_test(&frame().protocol(&weighted).expect("reads"), &weighted);
        let tests = tests.expect("senses");
        assert_eq!(tests.hit.as_deref(), Some("The \"agent\": thank you. thanks"));
        assert_eq!(tests.miss.as_deref(), Some("The \"agent\": no"));
        let text = frame().render(&weighted, &tests, &["made of nothing".into()]);
        let (protocol, warnings) = Protocol::read(&text).expect("reads");
        assert!(warnings.is_empty(), "{warnings:?}");
        assert!(text.starts_with("# made of nothing\nsonometer: 1\n"));
        assert_eq!(protocol.markers[0].by, ["The \"agent\""]);
        assert_eq!(protocol.markers[0].lines[1].strength, Unit(300_000));
    }
}
