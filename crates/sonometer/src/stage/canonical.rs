//! The identity of a stage: canonical JSON and the SHA-256 of that, as protocols have.

use super::model::*;
use super::template::Template;
use crate::json::Json;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

impl Stage {
    /// The canonical JSON: every key with its value, defaults included, keys in the order of their bytes (names of the
    /// author keep the order of the file, which decides), no white space. Reading it back gives the same stage.
    pub fn to_canonical_json(&self) -> String {
        let mut json = Json::with_capacity(4096);
        json.object(|json| self.write(json));
        json.into_text()
    }

    /// The identity of this version: `sha256:` and the hexadecimal SHA-256 of its canonical JSON.
    pub fn digest(&self) -> String {
        sha256(self.to_canonical_json().as_bytes())
    }

    fn write(&self, json: &mut Json) {
        json.key("attempts").object(|json| {
            for mode in [Mode::Graded, Mode::Practice] {
                json.key(mode.as_str()).object(|json| self.attempts_in(mode).write(json));
            }
        });
        let target =
            |json: &mut Json, (kind, reference): &(crate::composition::TargetKind, crate::composition::Reference)| {
                json.key(kind.as_str()).string(&reference.to_string());
            };
        if self.target.0 == crate::composition::TargetKind::Blueprint {
            target(json, &self.target);
        }
        json.key("checkpoints").object(|json| {
            self.checkpoints.iter().for_each(|(name, guard)| json.key(name).string(&guard.to_string()));
        });
        json.key("description").string(&self.description);
        json.key("envelope").object(|json| self.envelope.write(json));
        json.key("flags").object(|json| {
            for (name, flag) in &self.flags {
                json.key(name).object(|json| {
                    json.key("end").bool(flag.end);
                    json.key("when").string(&flag.when.to_string());
                });
            }
        });
        json.key("id").string(&self.id);
        json.key("lists").object(|json| {
            self.lists.iter().for_each(|(name, texts)| json.key(name).list(|json| strings(json, texts)));
        });
        if self.target.0 == crate::composition::TargetKind::Metric {
            target(json, &self.target);
        }
        json.key("name").string(&self.name);
        json.key("objective").string(&self.objective);
        json.key("on_target").string(&self.on_target.to_string());
        json.key("pass").string(&self.pass.to_string());
        if self.target.0 == crate::composition::TargetKind::Protocol {
            target(json, &self.target);
        }
        json.key("publication").object(|json| {
            json.key("access_mode").string(self.publication.access_mode.as_str());
            json.key("modes").list(|json| {
                self.publication.modes.iter().for_each(|mode| json.string(mode.as_str()));
            });
            json.key("password").string(if self.publication.password { "argon2id" } else { "none" });
        });
        json.key("roles").object(|json| {
            json.key("agent").string(&self.roles.agent);
            json.key("world").string(&self.roles.world);
        });
        json.key("scenes").object(|json| {
            self.scenes
                .iter()
                .for_each(|(name, scene)| json.key(name).object(|json| self.write_scene(json, scene)));
        });
        json.key("sonometer_stage").count(1);
        json.key("start").string(self.scene_name(self.start));
        json.key("status").string(self.status.as_str());
        json.key("vars").object(|json| {
            for (name, Variable { start, low, high }) in &self.vars {
                json.key(name).string(&format!("{start} in {low}..{high}"));
            }
        });
        json.key("version").string(&self.version);
        json.key("walkthroughs").object(|json| {
            for (name, walkthrough) in &self.walkthroughs {
                json.key(name).object(|json| walkthrough.write(json));
            }
        });
    }

    fn write_scene(&self, json: &mut Json, scene: &Scene) {
        if !scene.end {
            json.key("do").list(|json| {
                scene.entries.iter().for_each(|entry| json.object(|json| self.write_entry(json, entry)));
            });
        }
        json.key("end").bool(scene.end);
        if !scene.world.is_empty() {
            templates(json, &scene.world);
        }
    }

    fn write_entry(&self, json: &mut Json, entry: &Entry) {
        let leads = entry.go.map_or("stay", |scene| self.scene_name(scene));
        match &entry.when {
            None => json.key("otherwise").string(leads),
            Some(_) if entry.go.is_some() => json.key("go").string(leads),
            Some(_) => {}
        }
        if !entry.set.is_empty() {
            json.key("set").list(|json| {
                for Change { variable, add, amount } in &entry.set {
                    let name = &self.vars[*variable].0;
                    let sign = if *add { if *amount < 0 { '-' } else { '+' } } else { '=' };
                    let amount = if *add { amount.abs() } else { *amount };
                    json.string(&format!("{name} {sign} {amount}"));
                }
            });
        }
        if let Some(when) = &entry.when {
            json.key("when").string(&when.to_string());
        }
        if !entry.world.is_empty() {
            templates(json, &entry.world);
        }
    }
}

impl Attempts {
    fn write(&self, json: &mut Json) {
        match self.max {
            Some(max) => json.key("max").count(max.into()),
            None => json.key("max").string("none"),
        }
        json.key("per").string(self.per.as_str());
        json.key("record").string(self.record.as_str());
        json.key("seed").string(self.seed.as_str());
        match self.window {
            Some(seconds) => json.key("window").string(&format!("{seconds}s")),
            None => json.key("window").string("none"),
        }
    }
}

impl Envelope {
    /// Its members in canonical order.
    pub(super) fn write(&self, json: &mut Json) {
        json.key("ics_budget").count(self.ics_budget.into());
        json.key("max_action_chars").count(self.max_action_chars.into());
        json.key("max_turns").count(self.max_turns.into());
        json.key("share_scorecard").bool(self.share_scorecard);
    }
}

impl Walkthrough {
    fn write(&self, json: &mut Json) {
        json.key("expect").string(if self.passes { "pass" } else { "fail" });
        if let Some(reason) = self.reason {
            json.key("reason").string(reason.as_str());
        }
        json.key("say").list(|json| strings(json, &self.say));
        json.key("seed").count(self.seed);
    }
}

fn strings(json: &mut Json, texts: &[String]) {
    texts.iter().for_each(|text| json.string(text));
}

fn templates(json: &mut Json, templates: &[Template]) {
    json.key("world").list(|json| templates.iter().for_each(|template| json.string(&template.to_string())));
}

/// `sha256:` and the hexadecimal SHA-256 of these bytes.
pub(super) fn sha256(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
