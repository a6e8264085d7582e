//! The identity of a protocol: its canonical JSON and the SHA-256 of that.
//!
//! Here stand the values only, each under its key. Order, and what is left out at its default, come from the table (`keys.rs`).

use super::files::ListFile;
use super::keys;
use super::model::*;
use crate::keys::canonical::{Members, canonical, sha256};

impl Protocol {
    /// The canonical JSON: every key that has a meaning with its value, defaults included, keys in the order of their bytes, no white space, patterns
    /// as written. Reading it back gives the same protocol.
    pub fn to_canonical_json(&self) -> String {
        canonical(&keys::PROTOCOL, |to| self.members(to))
    }

    /// The identity of this protocol version: `sha256:` and the hexadecimal SHA-256 of its canonical JSON.
    pub fn digest(&self) -> String {
        sha256(self.to_canonical_json().as_bytes())
    }

    fn members(&self, to: &mut Members) {
        to.count("sonometer", 1);
        to.text("id", &self.id);
        to.text("name", &self.name);
        to.text("version", &self.version);
        to.text("sgm", self.sgm.as_str());
        to.text("status", self.status.as_str());
        to.text("taxonomy", self.taxonomy.as_str());
        to.text("description", &self.description);
        to.some_text("language", self.language.as_deref());
        to.texts("modalities", self.modalities.iter().map(|modality| modality.as_str()));
        to.map("actants", |to| {
            to.some_text("primary", self.actants.primary.as_deref());
            to.some_text("secondary", self.actants.secondary.as_deref());
            to.texts("others", &self.actants.others);
            to.named("aliases", in_order(&self.actants.aliases), |json, names| json.texts(names));
        });
        to.map("fidelity", |to| {
            to.count("words", self.fidelity.words.into());
            to.count("turns", self.fidelity.turns.into());
            to.named("roles", in_order(&self.fidelity.roles), |json, words| json.count((*words).into()));
            to.number("sufficient", self.fidelity.sufficient);
        });
        to.text("score", self.score.as_str());
        to.text("better", self.better.as_str());
        to.map("strengths", |to| self.strengths.members(to));
        to.map("negation", |to| {
            to.count("reach", self.negation.reach.into());
            to.texts("cues", self.negation.cues.iter().map(|words| words.join(" ")));
            to.texts("not_cues", self.negation.not_cues.iter().map(|words| words.join(" ")));
            to.texts("stops", self.negation.stops.iter().map(|words| words.join(" ")));
        });
        to.texts("unfold", self.unfold.iter().map(|step| step.as_str()));
        // What has no meaning is not written, as it cannot be read.
        if self.sgm >= Sgm::V1_5 {
            to.map("temporal", |to| {
                to.text("window", &format!("{} seconds", self.temporal.seconds));
                to.text("else", &format!("{} turns", self.temporal.turns));
            });
        }
        to.named("lists", in_order(&self.lists), |json, lines| json.texts(lines));
        let pinned = |file: &ListFile| format!("{} {}", file.path, file.phrases.digest());
        let files: Vec<_> = self.list_files.iter().map(|file| (file.name.clone(), pinned(file))).collect();
        to.named("list_files", in_order(&files), |json, file| json.string(file));
        to.maps("markers", &self.markers, Marker::members);
        to.maps("tests", &self.tests, Dialogue::members);
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
            to.shown("negation", Some(&self.negation));
        }
        to.shown("where", self.place.as_ref().map(|place| place as _));
        for (key, companion) in [("after", &self.after), ("before", &self.before)] {
            if let Some(companion) = companion {
                to.map(key, |to| companion.members("any", to));
            }
        }
        if let Some(pair) = &self.pair {
            to.map("pair", |to| {
                pair.then.members("then", to);
                to.number("else", pair.otherwise);
            });
        }
        if let Some(echo) = &self.echo {
            to.map("echo", |to| {
                to.texts("of", &echo.of);
                to.texts("marker", &echo.markers);
                to.text("within", &format!("{} turns", echo.within));
                to.count("words", echo.words.into());
                to.number("boost", echo.boost);
                to.number("else", echo.otherwise);
            });
        }
        to.some_text("join", self.join.map(|turns| format!("{turns} turns")).as_deref());
        for list in [LineList::Strong, LineList::Clear, LineList::Weak, LineList::Absent, LineList::Except] {
            let of_list = self.lines.iter().chain(&self.except).filter(|line| line.list == list);
            to.texts(list.as_str(), of_list.map(|line| &*line.text));
        }
        let weighed = self.lines.iter().filter(|line| line.list == LineList::Weigh);
        to.texts("weigh", weighed.clone().map(|line| format!("{} = {}", line.text, line.strength)));
        if weighed.count() > 0 {
            to.number("bias", self.bias);
        }
        if let Some(Absence { when, until }) = &self.absence {
            if let Some(when) = when {
                to.map("when", |to| {
                    to.texts("any", texts(&when.lines));
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
            to.map("ratio", |to| ratio.members(to));
        }
        if weighs_evidence {
            to.map("strengths", |to| self.strengths.members(to));
            to.text("repeat", self.repeat.as_str());
            to.number("half", self.half);
        }
        to.some_text("per", self.per.map(|words| format!("{words} words")).as_deref());
        if let Some(share) = &self.share {
            to.map("share", |to| {
                to.text("of", "turns");
                to.texts("by", &share.by);
                to.number("full", share.full);
            });
        }
        to.number("trigger", self.trigger);
        to.shown("mask", self.mask.as_ref().map(|mask| mask as _));
        to.map("hints", |to| self.hints.iter().for_each(|(kind, text)| to.text(kind.as_str(), text)));
        to.texts("hit", self.hit.iter().map(TestLine::written));
        to.texts("miss", self.miss.iter().map(TestLine::written));
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
    /// Its members; `patterns` is the key of its patterns.
    fn members(&self, patterns: &str, to: &mut Members) {
        to.texts(patterns, texts(&self.lines));
        to.texts("marker", &self.markers);
        to.texts("by", &self.by);
        to.shown("within", Some(&self.within));
    }
}

impl Ratio {
    fn members(&self, to: &mut Members) {
        to.text("of", &self.of);
        match &self.to {
            RatioTo::Marker(label) => to.text("to", label),
            RatioTo::Lines(lines) => to.texts("to", texts(lines)),
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
        to.texts("talk", self.talk.iter().map(TestLine::written));
        to.map("expect", |to| {
            to.texts("fires", &self.fires);
            to.texts("silent", &self.silent);
            self.sufficient.into_iter().for_each(|sufficient| to.truth("sufficient", sufficient));
            to.map("score", |to| {
                to.number("at_least", self.score.0);
                to.number("at_most", self.score.1);
            });
            to.named("driven", in_order(&self.driven), |json, role| json.string(role));
        });
    }
}

impl TestLine {
    fn written(&self) -> String {
        match &self.role {
            Some(role) => format!("{role}: {}", self.text),
            None => self.text.clone(),
        }
    }
}

fn texts(lines: &[Line]) -> impl Iterator<Item = &str> {
    lines.iter().map(|line| &*line.text)
}

fn in_order<T>(entries: &[(String, T)]) -> Vec<&(String, T)> {
    let mut entries: Vec<_> = entries.iter().collect();
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    entries
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
