//! The two parts of labelled data: the one a protocol was tuned on, and the other.

use super::private_data;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// By which hash of the id the items were halved when the protocol was tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    /// The parity of the FNV-1a hash in 64 bits.
    Fnv,
    /// The parity of the first byte of the SHA-256.
    Sha,
    /// Three quarters against the last, by the FNV-1a hash: errors were read in one quarter after the other.
    Quarters,
    /// The same, by the hash of what the first turn says: all answers to one question are on one side.
    QuartersByQuestion,
    /// By the first two bytes of the SHA-256 of the template: the text in small letters with the types of its labelled places for
    /// the places. Items of one template stay together; a quarter is the other half.
    Template,
}

/// The halves in the order of the cards.
pub(crate) const HALVES: [(&str, bool); 2] = [("tuned", true), ("other", false)];

impl Split {
    /// Whether an item was tuned on.
    fn is_tuned(self, id: &str, item: &Value) -> bool {
        match self {
            Self::Fnv => fnv(id) % 2 == 0,
            Self::Sha => Sha256::digest(id.as_bytes()).first().is_some_and(|byte| byte % 2 == 0),
            Self::Quarters => fnv(id) % 4 != 3,
            Self::QuartersByQuestion => {
                fnv(item["interaction"]["segments"][0]["content"].as_str().unwrap_or_default()) % 4 != 3
            }
            Self::Template => {
                let digest = Sha256::digest(template(item).as_bytes());
                digest.iter().take(2).any(|byte| byte % 2 == 0)
            }
        }
    }

    /// The rule in words, after "items whose".
    pub(crate) fn rule(self) -> &'static str {
        match self {
            Self::Fnv => "id has an even 64-bit FNV-1a hash",
            Self::Sha => "id has an even first byte in its SHA-256",
            Self::Quarters => "id has a 64-bit FNV-1a hash whose last two bits are not both 1",
            Self::QuartersByQuestion => {
                "first turn has a 64-bit FNV-1a hash whose last two bits are not both 1"
            }
            Self::Template => {
                "template (the text in small letters with types for the labelled places) has an even byte among the first two of its SHA-256"
            }
        }
    }

    /// What each side is called.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Fnv | Self::Sha | Self::Template => "half",
            Self::Quarters | Self::QuartersByQuestion => "part",
        }
    }

    /// The lines of one half.
    pub(crate) fn half(self, lines: &str, tuned: bool) -> Result<String, String> {
        let mut half = String::new();
        for (number, line) in (1..).zip(lines.lines()) {
            let item: Value = serde_json::from_str(line).map_err(|e| format!("line {number}: {e}"))?;
            let id = item["id"].as_str().ok_or_else(|| format!("line {number} has no id"))?;
            if self.is_tuned(id, &item) == tuned {
                half.push_str(line);
                half.push('\n');
            }
        }
        Ok(half)
    }
}

/// The FNV-1a hash in 64 bits.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The text with `{TYPE}` for each labelled place, in small letters.
fn template(item: &Value) -> String {
    let content: Vec<char> = item["interaction"]["content"].as_str().unwrap_or_default().chars().collect();
    let spans = item["labels"]["spans"].as_array().map_or(&[][..], Vec::as_slice);
    let mut spans: Vec<_> = spans.iter().filter_map(|span| private_data::place(span, "type")).collect();
    spans.sort();
    let (mut template, mut at) = (String::new(), 0);
    for (start, end, kind) in spans {
        template.extend(content.get(at..start).unwrap_or_default());
        template.push_str(&format!("{{{kind}}}"));
        at = end;
    }
    template.extend(content.get(at..).unwrap_or_default());
    template.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_are_the_published_ones() {
        // FNV-1a of `a` is af63dc4c8601ec8c; SHA-256 of `abc` begins with ba, that of the empty text with e3.
        assert!(Split::Fnv.is_tuned("a", &Value::Null));
        assert!(Split::Sha.is_tuned("abc", &Value::Null));
        assert!(!Split::Sha.is_tuned("", &Value::Null));
    }

    #[test]
    fn items_of_one_template_stay_together() {
        let item = |content: &str, end: usize| serde_json::json!({"interaction": {"content": content}, "labels": {"spans": [{"start": 3, "end": end, "type": "AGE"}]}});
        assert_eq!(template(&item("At 23 she left", 5)), "at {age} she left");
        assert_eq!(template(&item("at 104 she left", 6)), "at {age} she left");
    }

    #[test]
    fn the_halves_make_up_the_whole() {
        let lines: String = (0..100).map(|n| format!("{{\"id\":\"{n}\"}}\n")).collect();
        for split in [Split::Fnv, Split::Sha, Split::Quarters] {
            let [tuned, other] = [true, false].map(|tuned| split.half(&lines, tuned).expect("reads"));
            assert!(tuned.lines().count() > 25 && other.lines().count() > 15);
            let mut all: Vec<&str> = tuned.lines().chain(other.lines()).collect();
            all.sort_by_key(|line| (line.len(), *line));
            assert_eq!(all, lines.lines().collect::<Vec<_>>());
        }
        assert!(Split::Sha.half("{}", true).is_err());
    }

    #[test]
    fn answers_to_one_question_stay_together() {
        let answer = |id: u32| {
            format!("{{\"id\":\"{id}\",\"interaction\":{{\"segments\":[{{\"content\":\"Why?\"}}]}}}}\n")
        };
        let lines: String = (0..9).map(answer).collect();
        let sizes = [true, false].map(|tuned| {
            let part = Split::QuartersByQuestion.half(&lines, tuned).expect("reads");
            part.lines().count()
        });
        assert!(sizes == [9, 0] || sizes == [0, 9], "{sizes:?}");
    }
}
