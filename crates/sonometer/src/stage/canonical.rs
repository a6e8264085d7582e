//! The identity of a stage: canonical JSON and the SHA-256 of that, as protocols have.

use super::keys::{FLAG, SCENE, STAGE, WALKTHROUGH};
use super::model::*;
use super::template::Template;
use crate::json::Json;
use crate::keys::canonical::{Members, canonical, sha256};

impl Stage {
    /// The canonical JSON: every key with its value, defaults included, keys in the order of their bytes (names of the
    /// author keep the order of the file, which decides), no white space. Reading it back gives the same stage.
    pub fn to_canonical_json(&self) -> String {
        canonical(&STAGE, &|to| self.members(to))
    }

    /// The identity of this version: `sha256:` and the hexadecimal SHA-256 of its canonical JSON.
    pub fn digest(&self) -> String {
        sha256(self.to_canonical_json().as_bytes())
    }

    fn members(&self, to: &mut Members) {
        to.head(
            "sonometer_stage",
            [&self.id, &self.name, &self.version, self.status.as_str(), &self.description],
        );
        let (kind, target) = &self.target;
        to.text(kind.as_str(), &target.to_string());
        to.text("objective", &self.objective);
        to.map("roles", &|to| {
            to.text("agent", &self.roles.agent);
            to.text("world", &self.roles.world);
        });
        to.map("publication", &|to| {
            to.text("access_mode", self.publication.access_mode.as_str());
            to.text("password", if self.publication.password { "argon2id" } else { "none" });
            to.list("modes", &|json| {
                self.publication.modes.iter().for_each(|mode| json.string(mode.as_str()))
            });
        });
        to.map("attempts", &|to| {
            for mode in [Mode::Practice, Mode::Graded] {
                to.map(mode.as_str(), &|to| self.attempts_in(mode).members(to));
            }
        });
        to.named("envelope", &|json| self.envelope.write(json));
        to.named("vars", &|json| {
            for (name, Variable { start, low, high }) in &self.vars {
                json.key(name).string(&format!("{start} in {low}..{high}"));
            }
        });
        to.named("lists", &|json| self.lists.iter().for_each(|(name, texts)| json.key(name).texts(texts)));
        to.text("start", self.scene_name(self.start));
        to.named("scenes", &|json| {
            for (name, scene) in &self.scenes {
                Members::write(json.key(name), &SCENE, &|to| self.scene(scene, to));
            }
        });
        to.named("checkpoints", &|json| {
            self.checkpoints.iter().for_each(|(name, guard)| json.key(name).string(&guard.to_string()));
        });
        to.named("flags", &|json| {
            for (name, flag) in &self.flags {
                Members::write(json.key(name), &FLAG, &|to| {
                    to.text("when", &flag.when.to_string());
                    to.truth("end", flag.end);
                });
            }
        });
        to.text("on_target", &self.on_target.to_string());
        to.text("pass", &self.pass.to_string());
        to.named("walkthroughs", &|json| {
            for (name, walkthrough) in &self.walkthroughs {
                Members::write(json.key(name), &WALKTHROUGH, &|to| walkthrough.members(to));
            }
        });
    }

    fn scene(&self, scene: &Scene, to: &mut Members) {
        to.truth("end", scene.end);
        world(to, &scene.world);
        // What ends a world leads nowhere.
        if !scene.end {
            to.maps("do", scene.entries.len(), &|at, to| self.entry(&scene.entries[at], to));
        }
    }

    fn entry(&self, entry: &Entry, to: &mut Members) {
        let go = entry.go.map(|scene| self.scene_name(scene));
        match &entry.when {
            None => to.text("otherwise", go.unwrap_or("stay")),
            Some(when) => {
                to.text("when", &when.to_string());
                to.some_text("go", go);
            }
        }
        to.list("set", &|json| {
            for Change { variable, add, amount } in &entry.set {
                let name = &self.vars[*variable].0;
                let sign = if *add { if *amount < 0 { '-' } else { '+' } } else { '=' };
                let amount = if *add { amount.abs() } else { *amount };
                json.string(&format!("{name} {sign} {amount}"));
            }
        });
        world(to, &entry.world);
    }
}

impl Attempts {
    fn members(&self, to: &mut Members) {
        match self.max {
            Some(max) => to.count("max", max.into()),
            None => to.text("max", "none"),
        }
        to.text("per", self.per.as_str());
        let seconds = self.window.map(|seconds| format!("{seconds}s"));
        to.text("window", seconds.as_deref().unwrap_or("none"));
        to.text("seed", self.seed.as_str());
        to.text("record", self.record.as_str());
    }
}

impl Envelope {
    /// Its members in canonical order; cards hold them among others.
    pub(super) fn write(&self, json: &mut Json) {
        json.key("ics_budget").count(self.ics_budget.into());
        json.key("max_action_chars").count(self.max_action_chars.into());
        json.key("max_turns").count(self.max_turns.into());
        json.key("share_scorecard").bool(self.share_scorecard);
    }
}

impl Walkthrough {
    fn members(&self, to: &mut Members) {
        to.count("seed", self.seed);
        to.text("expect", if self.passes { "pass" } else { "fail" });
        to.some_text("reason", self.reason.map(|reason| reason.as_str()));
        to.texts("say", &self.say);
    }
}

fn world(to: &mut Members, templates: &[Template]) {
    to.list("world", &|json| templates.iter().for_each(|template| json.string(&template.to_string())));
}
