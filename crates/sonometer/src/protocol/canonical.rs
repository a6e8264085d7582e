//! The identity of a protocol: its canonical JSON and the SHA-256 of that.

use super::files::ListFile;
use super::model::*;
use crate::json::Json;
use crate::unit::Unit;
use sha2::{Digest, Sha256};
use std::fmt::Write;

impl Protocol {
    /// The canonical JSON: every key that has a meaning with its value, defaults included, keys in the order of their bytes, no white space, patterns
    /// as written. Reading it back gives the same protocol.
    pub fn to_canonical_json(&self) -> String {
        let mut json = Json::with_capacity(4096);
        json.object(|json| self.write(json));
        json.into_text()
    }

    /// The identity of this protocol version: `sha256:` and the hexadecimal SHA-256 of its canonical JSON.
    pub fn digest(&self) -> String {
        let mut text = String::from("sha256:");
        for byte in Sha256::digest(self.to_canonical_json().as_bytes()) {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

impl Protocol {
    fn write(&self, json: &mut Json) {
        json.key("actants").object(|json| {
            json.key("aliases").object(|json| {
                for (role, names) in in_order(&self.actants.aliases) {
                    json.key(role);
                    strings(json, names);
                }
            });
            if !self.actants.others.is_empty() {
                json.key("others");
                strings(json, &self.actants.others);
            }
            optional(json, "primary", self.actants.primary.as_deref());
            optional(json, "secondary", self.actants.secondary.as_deref());
        });
        json.key("better").string(self.better.as_str());
        json.key("description").string(&self.description);
        json.key("fidelity").object(|json| {
            json.key("roles").object(|json| {
                for (role, words) in in_order(&self.fidelity.roles) {
                    json.key(role).count((*words).into());
                }
            });
            json.key("sufficient").number(self.fidelity.sufficient);
            json.key("turns").count(self.fidelity.turns.into());
            json.key("words").count(self.fidelity.words.into());
        });
        json.key("id").string(&self.id);
        optional(json, "language", self.language.as_deref());
        if !self.list_files.is_empty() {
            let mut files: Vec<&ListFile> = self.list_files.iter().collect();
            files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            json.key("list_files").object(|json| {
                for file in files {
                    json.key(&file.name).string(&format!("{} {}", file.path, file.phrases.digest()));
                }
            });
        }
        json.key("lists").object(|json| {
            for (name, lines) in in_order(&self.lists) {
                json.key(name);
                strings(json, lines);
            }
        });
        json.key("markers").list(|json| {
            for marker in &self.markers {
                json.object(|json| marker.write(json));
            }
        });
        json.key("modalities").list(|json| self.modalities.iter().for_each(|m| json.string(m.as_str())));
        json.key("name").string(&self.name);
        json.key("negation").object(|json| {
            phrases(json, "cues", &self.negation.cues);
            phrases(json, "not_cues", &self.negation.not_cues);
            json.key("reach").count(self.negation.reach.into());
            phrases(json, "stops", &self.negation.stops);
        });
        json.key("score").string(self.score.as_str());
        json.key("sgm").string(self.sgm.as_str());
        json.key("sonometer").count(1);
        json.key("status").string(self.status.as_str());
        json.key("strengths");
        strengths(json, &self.strengths);
        json.key("taxonomy").string(self.taxonomy.as_str());
        if self.sgm >= Sgm::V1_5 {
            json.key("temporal").object(|json| {
                json.key("else").string(&format!("{} turns", self.temporal.turns));
                json.key("window").string(&format!("{} seconds", self.temporal.seconds));
            });
        }
        if !self.tests.is_empty() {
            json.key("tests").list(|json| {
                for test in &self.tests {
                    json.object(|json| test.write(json));
                }
            });
        }
        if !self.unfold.is_empty() {
            json.key("unfold").list(|json| self.unfold.iter().for_each(|step| json.string(step.as_str())));
        }
        json.key("version").string(&self.version);
    }
}

impl Marker {
    fn write(&self, json: &mut Json) {
        let lines = |json: &mut Json, list: LineList| {
            let of_list: Vec<&Line> =
                self.lines.iter().chain(&self.except).filter(|l| l.list == list).collect();
            if !of_list.is_empty() {
                json.key(list.as_str()).list(|json| {
                    for line in of_list {
                        match list {
                            LineList::Weigh => json.string(&format!("{} = {}", line.text, line.strength)),
                            _ => json.string(&line.text),
                        }
                    }
                });
            }
        };
        lines(json, LineList::Absent);
        companion(json, "after", self.after.as_ref());
        companion(json, "before", self.before.as_ref());
        if self.lines.iter().any(|line| line.list == LineList::Weigh) {
            json.key("bias").number(self.bias);
        }
        // What has no meaning in a marker is not written, as it cannot be read.
        let judges_matches = self.ratio.is_none();
        let weighs_evidence = judges_matches && self.absence.is_none();
        if judges_matches {
            json.key("by");
            strings(json, &self.by);
        }
        lines(json, LineList::Clear);
        json.key("description").string(&self.description);
        if let Some(echo) = &self.echo {
            json.key("echo").object(|json| {
                json.key("boost").number(echo.boost);
                // Younger than published digests: 1, which changes nothing, is not written.
                if echo.otherwise != Unit::ONE {
                    json.key("else").number(echo.otherwise);
                }
                named(json, &echo.markers);
                json.key("of");
                strings(json, &echo.of);
                json.key("within").string(&format!("{} turns", echo.within));
                json.key("words").count(echo.words.into());
            });
        }
        lines(json, LineList::Except);
        if weighs_evidence {
            json.key("half").number(self.half);
        }
        json.key("hints").object(|json| {
            let mut hints: Vec<_> = self.hints.iter().map(|(kind, text)| (kind.as_str(), text)).collect();
            hints.sort_unstable();
            hints.into_iter().for_each(|(kind, text)| json.key(kind).string(text));
        });
        test_lines(json, "hit", &self.hit);
        json.key("importance").string(self.importance.as_str());
        optional(json, "join", self.join.map(|turns| format!("{turns} turns")).as_deref());
        json.key("label").string(&self.label);
        optional(json, "mask", self.mask.map(|mask| mask.to_string()).as_deref());
        test_lines(json, "miss", &self.miss);
        if judges_matches {
            json.key("negation").string(&self.negation.to_string());
        }
        if let Some(pair) = &self.pair {
            json.key("pair").object(|json| {
                json.key("by");
                strings(json, &pair.then.by);
                json.key("else").number(pair.otherwise);
                named(json, &pair.then.markers);
                some_texts(json, "then", &pair.then);
                json.key("within").string(&pair.then.within.to_string());
            });
        }
        optional(json, "per", self.per.map(|words| format!("{words} words")).as_deref());
        json.key("pole").string(self.pole.as_str());
        if let Some(ratio) = &self.ratio {
            json.key("ratio").object(|json| ratio.write(json));
        }
        if weighs_evidence {
            json.key("repeat").string(self.repeat.as_str());
        }
        optional(json, "scope", self.scope.map(|scope| scope.to_string()).as_deref());
        if let Some(share) = &self.share {
            json.key("share").object(|json| {
                json.key("by");
                strings(json, &share.by);
                json.key("full").number(share.full);
                json.key("of").string("turns");
            });
        }
        if weighs_evidence {
            json.key("strengths");
            strengths(json, &self.strengths);
        }
        lines(json, LineList::Strong);
        json.key("trigger").number(self.trigger);
        if let Some(absence) = &self.absence {
            let after_when = if absence.when.is_some() { " after when" } else { "" };
            json.key("until").string(&match absence.until {
                Deadline::End => "end".to_owned(),
                Deadline::Turns(n) => format!("{n} turns{after_when}"),
                Deadline::Seconds(n) => format!("{n} seconds{after_when}"),
            });
        }
        lines(json, LineList::Weak);
        lines(json, LineList::Weigh);
        if let Some(when) = self.absence.as_ref().and_then(|absence| absence.when.as_ref()) {
            json.key("when").object(|json| {
                if !when.lines.is_empty() || when.markers.is_empty() {
                    texts(json, "any", &when.lines);
                }
                json.key("by");
                strings(json, &when.by);
                named(json, &when.markers);
            });
        }
        optional(json, "where", self.place.map(|place| place.to_string()).as_deref());
    }
}

impl Ratio {
    fn write(&self, json: &mut Json) {
        json.key("at_least").count(self.at_least.into());
        json.key("by");
        strings(json, &self.by);
        json.key("floor").number(self.floor);
        json.key("full").number(self.full);
        json.key("of").string(&self.of);
        match &self.to {
            RatioTo::Marker(label) => json.key("to").string(label),
            RatioTo::Lines(lines) => texts(json, "to", lines),
        }
    }
}

impl Dialogue {
    fn write(&self, json: &mut Json) {
        json.key("expect").object(|json| {
            if !self.driven.is_empty() {
                json.key("driven").object(|json| {
                    for (label, role) in in_order(&self.driven) {
                        json.key(label).string(role);
                    }
                });
            }
            json.key("fires");
            strings(json, &self.fires);
            json.key("score").object(|json| {
                json.key("at_least").number(self.score.0);
                json.key("at_most").number(self.score.1);
            });
            json.key("silent");
            strings(json, &self.silent);
            if let Some(sufficient) = self.sufficient {
                json.key("sufficient").bool(sufficient);
            }
        });
        json.key("name").string(&self.name);
        test_lines(json, "talk", &self.talk);
    }
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

fn in_order<T>(entries: &[(String, T)]) -> Vec<&(String, T)> {
    let mut entries: Vec<_> = entries.iter().collect();
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    entries
}

fn strings(json: &mut Json, values: &[String]) {
    json.list(|json| values.iter().for_each(|value| json.string(value)));
}

fn optional(json: &mut Json, key: &str, value: Option<&str>) {
    if let Some(value) = value {
        json.key(key).string(value);
    }
}

fn texts(json: &mut Json, key: &str, lines: &[Line]) {
    json.key(key).list(|json| lines.iter().for_each(|line| json.string(&line.text)));
}

fn companion(json: &mut Json, key: &str, companion: Option<&Companion>) {
    let Some(companion) = companion else { return };
    json.key(key).object(|json| {
        some_texts(json, "any", companion);
        json.key("by");
        strings(json, &companion.by);
        named(json, &companion.markers);
        json.key("within").string(&companion.within.to_string());
    });
}

/// The patterns of a companion, which one that names markers need not have.
fn some_texts(json: &mut Json, key: &str, companion: &Companion) {
    if !companion.lines.is_empty() || companion.markers.is_empty() {
        texts(json, key, &companion.lines);
    }
}

fn named(json: &mut Json, markers: &[String]) {
    if !markers.is_empty() {
        json.key("marker");
        strings(json, markers);
    }
}

fn phrases(json: &mut Json, key: &str, phrases: &[Vec<String>]) {
    json.key(key).list(|json| phrases.iter().for_each(|words| json.string(&words.join(" "))));
}

fn strengths(json: &mut Json, strengths: &Strengths) {
    json.object(|json| {
        json.key("clear").number(strengths.clear);
        json.key("strong").number(strengths.strong);
        json.key("weak").number(strengths.weak);
    });
}

fn test_lines(json: &mut Json, key: &str, lines: &[TestLine]) {
    json.key(key).list(|json| {
        for line in lines {
            match &line.role {
                Some(role) => json.string(&format!("{role}: {}", line.text)),
                None => json.string(&line.text),
            }
        }
    });
}
