//! The two parts of labelled data: the one a protocol was tuned on, and the other.

use super::private_data;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// By which hash of the id the items were halved when the protocol was tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    /// The parity of the first byte of the SHA-256.
    Sha,
    /// The same, where both halves were read: a later edition was written on all items.
    Read,
    /// By the first two bytes of the SHA-256 of the template: the text in small letters with the types of its labelled places for
    /// the places. Items of one template stay together; a quarter is the other half.
    Template,
    /// The same, where errors were read in one half, and a later edition was fitted to both.
    Fitted,
    /// The same, of the topic: texts stand in several pairs of a topic, so all of a topic are on one side.
    FittedTopic,
    /// Three quarters against the last, by the FNV-1a hash: errors were read in one quarter after the other.
    Quarters,
    /// The same, by the hash of what the first turn says: all answers to one question are on one side.
    QuartersByQuestion,
}

/// The halves in the order of the cards.
pub(crate) const HALVES: [(&str, bool); 2] = [("tuned", true), ("other", false)];

/// Their names where both were read.
const READ_HALVES: [(&str, bool); 2] = [("first", true), ("second", false)];

impl Split {
    /// What is hashed of an item.
    fn key(self, item: &Value) -> Option<Cow<'_, str>> {
        let text = match self {
            Self::Sha | Self::Read | Self::Fitted | Self::Quarters => &item["id"],
            Self::FittedTopic => &item["labels"]["topic"],
            Self::QuartersByQuestion => &item["interaction"]["segments"][0]["content"],
            Self::Template => return Some(template(item).into()),
        };
        text.as_str().map(Cow::Borrowed)
    }

    /// Whether items of this key were tuned on.
    fn is_tuned(self, key: &str) -> bool {
        let digest = || Sha256::digest(key.as_bytes());
        match self {
            Self::Sha | Self::Read | Self::Fitted | Self::FittedTopic => {
                digest().first().is_some_and(|byte| byte % 2 == 0)
            }
            Self::Template => digest().iter().take(2).any(|byte| byte % 2 == 0),
            Self::Quarters | Self::QuartersByQuestion => fnv(key) % 4 != 3,
        }
    }

    /// The rule in words, after "items whose".
    pub(crate) fn rule(self) -> &'static str {
        match self {
            Self::Sha | Self::Read | Self::Fitted => "id has an even first byte in its SHA-256",
            Self::FittedTopic => "topic has an even first byte in its SHA-256",
            Self::Template => {
                "template (the text with types for the labelled places) has an even byte\namong the first two of its SHA-256, three quarters of them"
            }
            Self::Quarters => "id has a 64-bit FNV-1a hash whose last two bits are not both 1",
            Self::QuartersByQuestion => {
                "first turn has a 64-bit FNV-1a hash whose last two bits are not both 1"
            }
        }
    }

    /// What each side is called.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Sha | Self::Read | Self::Fitted | Self::FittedTopic => "half",
            Self::Template | Self::Quarters | Self::QuartersByQuestion => "part",
        }
    }

    /// The halves in the order of the cards, with their names.
    pub(crate) fn halves(self) -> [(&'static str, bool); 2] {
        if matches!(self, Self::Read | Self::Fitted | Self::FittedTopic) { READ_HALVES } else { HALVES }
    }

    /// What the figures are of, in a sentence or two.
    pub(crate) fn introduction(self) -> String {
        let (word, rule) = (self.word(), self.rule());
        match self {
            Self::Read => format!(
                "Errors were read in all items, and what is fitted was fitted to all: no figure of labelled items is of unseen ones. The *first\n\
                 half* are the items whose {rule}."
            ),
            Self::Fitted | Self::FittedTopic => format!(
                "What is fitted was fitted to all items, and errors were read in the *first half*: no figure of labelled items is of unseen ones. The first\n\
                 half are the items whose {rule}."
            ),
            _ => format!(
                "The patterns were tuned on the *tuned {word}*: items whose {rule}. Errors were read there only."
            ),
        }
    }

    /// The lines of one half.
    pub(crate) fn half(self, lines: &str, tuned: bool) -> Result<String, String> {
        let mut half = String::new();
        for (number, line) in (1..).zip(lines.lines()) {
            let item: Value = serde_json::from_str(line).map_err(|e| format!("line {number}: {e}"))?;
            let key = self.key(&item).ok_or_else(|| format!("line {number} has no id or question"))?;
            if self.is_tuned(&key) == tuned {
                half.push_str(line);
                half.push('\n');
            }
        }
        Ok(half)
    }
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

/// The FNV-1a hash in 64 bits.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_are_the_published_ones() {
        // FNV-1a of `a` is af63dc4c8601ec8c; SHA-256 of `abc` begins with ba, that of the empty text with e3.
        assert_eq!(fnv("a"), 0xaf63_dc4c_8601_ec8c);
        assert!(Split::Sha.is_tuned("abc"));
        assert!(!Split::Sha.is_tuned(""));
    }

    #[test]
    fn items_of_one_template_stay_together() {
        let item = |content: &str, end: usize| {
            let span = serde_json::json!({"start": 3, "end": end, "type": "AGE"});
            serde_json::json!({"interaction": {"content": content}, "labels": {"spans": [span]}})
        };
        assert_eq!(template(&item("At 23 she left", 5)), "at {age} she left");
        assert_eq!(template(&item("at 104 she left", 6)), "at {age} she left");
    }

    #[test]
    fn the_halves_make_up_the_whole() {
        let lines: String = (0..100).map(|n| format!("{{\"id\":\"{n}\"}}\n")).collect();
        for split in [Split::Sha, Split::Read, Split::Quarters] {
            let [tuned, other] = [true, false].map(|tuned| split.half(&lines, tuned).expect("reads"));
            assert!(tuned.lines().count() > 25 && other.lines().count() > 15);
            let mut all: Vec<&str> = tuned.lines().chain(other.lines()).collect();
            all.sort_by_key(|line| (line.len(), *line));
            assert_eq!(all, lines.lines().collect::<Vec<_>>());
        }
        assert!(Split::Sha.half("{}", true).is_err());
    }

    #[test]
    fn where_both_halves_were_read_none_is_called_tuned() {
        assert_eq!(Split::Sha.halves()[1].0, "other");
        assert_eq!(Split::Read.halves()[1].0, "second");
        assert!(Split::Read.introduction().contains("in all items"));
        assert!(
            Split::Sha
                .introduction()
                .starts_with("The patterns were tuned on the *tuned half*: items whose id has")
        );
    }

    #[test]
    fn pairs_of_one_topic_stay_together() {
        let pair = |topic: &str| format!("{{\"id\":\"1\",\"labels\":{{\"topic\":\"{topic}\"}}}}\n");
        let lines = pair("abc").repeat(3) + &pair("").repeat(2);
        let sizes = [true, false].map(|tuned| {
            let part = Split::FittedTopic.half(&lines, tuned).expect("reads");
            part.lines().count()
        });
        assert_eq!(sizes, [3, 2]);
        assert!(Split::FittedTopic.half("{\"id\":\"1\"}", true).is_err());
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
