//! The identity of a stage: canonical JSON and the SHA-256 of that, as protocols have.

use super::keys::STAGE;
use super::model::*;
use super::template::Template;
use crate::json::Json;
use crate::keys::canonical::{Members, canonical, sha256};

impl Stage {
    /// The canonical JSON: every key with its value, defaults included, keys in the order of their bytes (names of the
    /// author keep the order of the file, which decides), no white space. Reading it back gives the same stage.
    pub fn to_canonical_json(&self) -> String {
        canonical(&STAGE, |to| self.members(to))
    }

    /// The identity of this version: `sha256:` and the hexadecimal SHA-256 of its canonical JSON.
    pub fn digest(&self) -> String {
        sha256(self.to_canonical_json().as_bytes())
    }

    fn members(&self, to: &mut Members) {
        to.count("sonometer_stage", 1);
        to.text("id", &self.id);
        to.text("name", &self.name);
        to.text("version", &self.version);
        to.text("status", self.status.as_str());
        to.text("description", &self.description);
        let (kind, target) = &self.target;
        to.shown(kind.as_str(), Some(target));
        to.text("objective", &self.objective);
        to.map("roles", |to| {
            to.text("agent", &self.roles.agent);
            to.text("world", &self.roles.world);
        });
        to.map("publication", |to| {
            to.text("access_mode", self.publication.access_mode.as_str());
            to.text("password", if self.publication.password { "argon2id" } else { "none" });
            to.texts("modes", self.publication.modes.iter().map(|mode| mode.as_str()));
        });
        to.map("attempts", |to| {
            for mode in [Mode::Practice, Mode::Graded] {
                to.map(mode.as_str(), |to| self.attempts_in(mode).members(to));
            }
        });
        to.map("envelope", |to| {
            to.truth("share_scorecard", self.envelope.share_scorecard);
            to.count("max_turns", self.envelope.max_turns.into());
            to.count("ics_budget", self.envelope.ics_budget.into());
            to.count("max_action_chars", self.envelope.max_action_chars.into());
        });
        to.named("vars", &self.vars, |json, Variable { start, low, high }| {
            json.string(&format!("{start} in {low}..{high}"));
        });
        to.named("lists", &self.lists, |json, texts| {
            json.texts(texts);
        });
        to.text("start", self.scene_name(self.start));
        to.named_maps("scenes", &self.scenes, |scene, to| self.scene(scene, to));
        to.named("checkpoints", &self.checkpoints, |json, guard| json.string(&guard.to_string()));
        to.named_maps("flags", &self.flags, |flag, to| {
            to.shown("when", Some(&flag.when));
            to.truth("end", flag.end);
        });
        to.shown("on_target", Some(&self.on_target));
        to.shown("pass", Some(&self.pass));
        to.named_maps("walkthroughs", &self.walkthroughs, Walkthrough::members);
    }

    fn scene(&self, scene: &Scene, to: &mut Members) {
        to.truth("end", scene.end);
        world(to, &scene.world);
        // What ends a world leads nowhere.
        if !scene.end {
            to.maps("do", &scene.entries, |entry, to| self.entry(entry, to));
        }
    }

    fn entry(&self, entry: &Entry, to: &mut Members) {
        let go = entry.go.map(|scene| self.scene_name(scene));
        match &entry.when {
            None => to.text("otherwise", go.unwrap_or("stay")),
            Some(when) => {
                to.shown("when", Some(when));
                to.some_text("go", go);
            }
        }
        to.texts(
            "set",
            entry.set.iter().map(|Change { variable, add, amount }| {
                let name = &self.vars[*variable].0;
                let sign = if *add { if *amount < 0 { '-' } else { '+' } } else { '=' };
                let amount = if *add { amount.abs() } else { *amount };
                format!("{name} {sign} {amount}")
            }),
        );
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
    /// Its members in canonical order, as cards hold them.
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
    to.texts("world", templates.iter().map(ToString::to_string));
}
