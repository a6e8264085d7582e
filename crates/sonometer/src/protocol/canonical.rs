//! The identity of a protocol: its canonical JSON and the SHA-256 of that.
//!
//! Here stand the values only, each under its key. Order, and what is left out at its default, come from the table (`keys.rs`).

use super::keys;
use super::model::*;
use crate::keys::canonical::{Members, canonical, sha256};

impl Protocol {
    /// The canonical JSON: every key that has a meaning with its value, defaults included, keys in the order of their bytes, no white space, patterns
    /// as written. Reading it back gives the same protocol.
    pub fn to_canonical_json(&self) -> String {
        canonical(&keys::PROTOCOL, &|to| self.members(to))
    }

    /// The identity of this protocol version: `sha256:` and the hexadecimal SHA-256 of its canonical JSON.
    pub fn digest(&self) -> String {
        sha256(self.to_canonical_json().as_bytes())
    }

    fn members(&self, to: &mut Members) {
        to.head("sonometer", [&self.id, &self.name, &self.version, self.status.as_str(), &self.description]);
        to.text("sgm", self.sgm.as_str());
        to.text("taxonomy", self.taxonomy.as_str());
        to.some_text("language", self.language.as_deref());
        to.list("modalities", &|json| {
            self.modalities.iter().for_each(|modality| json.string(modality.as_str()))
        });
        to.map("actants", &|to| {
            to.some_text("primary", self.actants.primary.as_deref());
            to.some_text("secondary", self.actants.secondary.as_deref());
            to.texts("others", &self.actants.others);
            to.sorted(
                "aliases",
                self.actants.aliases.len(),
                &|at| &self.actants.aliases[at].0,
                &|at, json| json.texts(&self.actants.aliases[at].1),
            );
        });
        to.map("fidelity", &|to| {
            to.count("words", self.fidelity.words.into());
            to.count("turns", self.fidelity.turns.into());
            to.sorted("roles", self.fidelity.roles.len(), &|at| &self.fidelity.roles[at].0, &|at, json| {
                json.count(self.fidelity.roles[at].1.into())
            });
            to.number("sufficient", self.fidelity.sufficient);
        });
        to.text("score", self.score.as_str());
        to.text("better", self.better.as_str());
        to.map("strengths", &|to| self.strengths.members(to));
        to.map("negation", &|to| {
            to.count("reach", self.negation.reach.into());
            phrases(to, "cues", &self.negation.cues);
            phrases(to, "not_cues", &self.negation.not_cues);
            phrases(to, "stops", &self.negation.stops);
        });
        to.list("unfold", &|json| self.unfold.iter().for_each(|step| json.string(step.as_str())));
        // What has no meaning is not written, as it cannot be read.
        if self.sgm >= Sgm::V1_5 {
            to.map("temporal", &|to| {
                to.text("window", &format!("{} seconds", self.temporal.seconds));
                to.text("else", &format!("{} turns", self.temporal.turns));
            });
        }
        to.sorted("lists", self.lists.len(), &|at| &self.lists[at].0, &|at, json| {
            json.texts(&self.lists[at].1)
        });
        let files = &self.list_files;
        to.sorted("list_files", files.len(), &|at| &files[at].name, &|at, json| {
            json.string(&format!("{} {}", files[at].path, files[at].phrases.digest()));
        });
        to.maps("markers", self.markers.len(), &|at, to| self.markers[at].members(to));
        to.maps("tests", self.tests.len(), &|at, to| self.tests[at].members(to));
    }
}

impl Marker {
    fn members(&self, to: &mut Members) {
        let judges_matches = self.ratio.is_none();
        let weighs_evidence = judges_matches && self.absence.is_none();
        to.text("label", &self.label);
        to.text("description", &self.description);
        to.text("importance", self.importance.as_str());
        to.text("pole", self.pole.as_str());
        if judges_matches {
            to.texts("by", &self.by);
            to.text("negation", &self.negation.to_string());
        }
        to.some_text("where", self.place.map(|place| place.to_string()).as_deref());
        for (key, companion) in [("after", &self.after), ("before", &self.before)] {
            if let Some(companion) = companion {
                to.map(key, &|to| companion.members("any", to));
            }
        }
        if let Some(pair) = &self.pair {
            to.map("pair", &|to| {
                pair.then.members("then", to);
                to.number("else", pair.otherwise);
            });
        }
        if let Some(echo) = &self.echo {
            to.map("echo", &|to| {
                to.texts("of", &echo.of);
                to.texts("marker", &echo.markers);
                to.text("within", &format!("{} turns", echo.within));
                to.count("words", echo.words.into());
                to.number("boost", echo.boost);
                to.number("else", echo.otherwise);
            });
        }
        to.some_text("join", self.join.map(|turns| format!("{turns} turns")).as_deref());
        for list in [
            LineList::Strong,
            LineList::Clear,
            LineList::Weak,
            LineList::Weigh,
            LineList::Absent,
            LineList::Except,
        ] {
            to.list(list.as_str(), &|json| {
                for line in self.lines.iter().chain(&self.except).filter(|line| line.list == list) {
                    match list {
                        LineList::Weigh => json.string(&format!("{} = {}", line.text, line.strength)),
                        _ => json.string(&line.text),
                    }
                }
            });
        }
        if self.lines.iter().any(|line| line.list == LineList::Weigh) {
            to.number("bias", self.bias);
        }
        if let Some(Absence { when, until }) = &self.absence {
            if let Some(when) = when {
                to.map("when", &|to| {
                    patterns(to, "any", &when.lines);
                    to.texts("marker", &when.markers);
                    to.texts("by", &when.by);
                });
            }
            let after_when = if when.is_some() { " after when" } else { "" };
            to.text(
                "until",
                &match until {
                    Deadline::End => "end".to_owned(),
                    Deadline::Turns(n) => format!("{n} turns{after_when}"),
                    Deadline::Seconds(n) => format!("{n} seconds{after_when}"),
                },
            );
        }
        if let Some(ratio) = &self.ratio {
            to.map("ratio", &|to| ratio.members(to));
        }
        if weighs_evidence {
            to.map("strengths", &|to| self.strengths.members(to));
            to.text("repeat", self.repeat.as_str());
            to.number("half", self.half);
        }
        to.some_text("per", self.per.map(|words| format!("{words} words")).as_deref());
        to.some_text("scope", self.scope.map(|scope| scope.to_string()).as_deref());
        if let Some(share) = &self.share {
            to.map("share", &|to| {
                to.text("of", "turns");
                to.texts("by", &share.by);
                to.number("full", share.full);
            });
        }
        to.number("trigger", self.trigger);
        to.some_text("mask", self.mask.map(|mask| mask.to_string()).as_deref());
        to.map("hints", &|to| self.hints.iter().for_each(|(kind, text)| to.text(kind.as_str(), text)));
        test_lines(to, "hit", &self.hit);
        test_lines(to, "miss", &self.miss);
    }
}

impl Strengths {
    fn members(&self, to: &mut Members) {
        to.number("strong", self.strong);
        to.number("clear", self.clear);
        to.number("weak", self.weak);
    }
}

impl Companion {
    /// Its members; `key` is that of its patterns.
    fn members(&self, key: &str, to: &mut Members) {
        patterns(to, key, &self.lines);
        to.texts("marker", &self.markers);
        to.texts("by", &self.by);
        to.text("within", &self.within.to_string());
    }
}

impl Ratio {
    fn members(&self, to: &mut Members) {
        to.text("of", &self.of);
        match &self.to {
            RatioTo::Marker(label) => to.text("to", label),
            RatioTo::Lines(lines) => patterns(to, "to", lines),
        }
        to.texts("by", &self.by);
        to.number("floor", self.floor);
        to.number("full", self.full);
        to.count("at_least", self.at_least.into());
    }
}

impl Dialogue {
    fn members(&self, to: &mut Members) {
        to.text("name", &self.name);
        test_lines(to, "talk", &self.talk);
        to.map("expect", &|to| {
            to.texts("fires", &self.fires);
            to.texts("silent", &self.silent);
            if let Some(sufficient) = self.sufficient {
                to.truth("sufficient", sufficient);
            }
            to.map("score", &|to| {
                to.number("at_least", self.score.0);
                to.number("at_most", self.score.1);
            });
            to.sorted("driven", self.driven.len(), &|at| &self.driven[at].0, &|at, json| {
                json.string(&self.driven[at].1)
            });
        });
    }
}

fn patterns(to: &mut Members, key: &str, lines: &[Line]) {
    to.list(key, &|json| lines.iter().for_each(|line| json.string(&line.text)));
}

fn phrases(to: &mut Members, key: &str, phrases: &[Vec<String>]) {
    to.list(key, &|json| phrases.iter().for_each(|words| json.string(&words.join(" "))));
}

fn test_lines(to: &mut Members, key: &str, lines: &[TestLine]) {
    to.list(key, &|json| {
        for line in lines {
            match &line.role {
                Some(role) => json.string(&format!("{role}: {}", line.text)),
                None => json.string(&line.text),
            }
        }
    });
}

impl std::fmt::Display for NegationMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Keep => f.write_str("keep"),
            Self::Drop => f.write_str("drop"),
            Self::Flip(label) => write!(f, "flip {label}"),
        }
    }
}

impl std::fmt::Display for Reach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Turns(n) => write!(f, "{n} turns"),
            Self::Sentences(n) => write!(f, "{n} sentences"),
            Self::Words(n) => write!(f, "{n} words"),
            Self::Seconds(n) => write!(f, "{n} seconds"),
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let from = match self.from {
            End::First => "first",
            End::Last => "last",
        };
        match self.extent {
            Extent::Turns(n) => write!(f, "{from} {n} turns"),
            Extent::Seconds(n) => write!(f, "{from} {n} seconds"),
        }
    }
}
