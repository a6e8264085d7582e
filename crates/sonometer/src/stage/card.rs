//! The StageCard: what a dive came to, in canonical JSON (RFC 8785: keys in the order of their bytes, no white space).

use super::dive::Dive;
use super::model::{Access, Envelope, Mode, Reason, Record, SeedSource};
use crate::composition::TargetKind;
use crate::json::Json;
use crate::unit::Unit;

/// The card of a closed dive. Whether the readings are on it was decided before anything is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// The caller's tag for its agent.
    pub agent: Option<Agent>,
    /// Which attempt it was, where attempts are counted.
    pub attempt: Option<Attempt>,
    /// What sensed every action.
    pub blueprint: TargetStamp,
    /// The head of the hash chain over actions and readings: `sha256:` and hexadecimal digits.
    pub chain: String,
    /// The id under which the service knows the dive.
    pub dive_id: String,
    /// [`crate::language::fingerprint`] of the engine.
    pub engine: String,
    /// Whom the stage lets in.
    pub access_mode: Access,
    /// The bounds of the dive.
    pub envelope: Envelope,
    /// Practice or graded.
    pub mode: Mode,
    /// The reading of every action; `None` where the stage does not share them.
    pub readings: Option<Vec<Measured>>,
    /// The seed.
    pub seed: u64,
    /// Who chose it.
    pub seed_source: SeedSource,
    /// `ed25519:{key id}:{base64url}` over the card without this key; `None`: not signed.
    pub signature: Option<String>,
    /// The stage.
    pub stage: Stamp,
    /// The closing note of the diver.
    pub summary: Option<String>,
    /// The sums.
    pub totals: Totals,
    /// Passed or not, and why.
    pub verdict: Verdict,
}

/// What only the caller of [`Dive::close`] knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closing {
    /// The id under which the dive is known.
    pub dive_id: String,
    /// Practice or graded.
    pub mode: Mode,
    /// Who chose the seed.
    pub seed_source: SeedSource,
    /// Which attempt it was, where attempts are counted.
    pub attempt: Option<Attempt>,
    /// The caller's tag for its agent.
    pub agent: Option<Agent>,
    /// The closing note of the diver.
    pub summary: Option<String>,
}

impl Closing {
    /// A dive for practice whose seed the caller chose.
    pub fn practice(dive_id: impl Into<String>) -> Self {
        let (mode, seed_source) = (Mode::Practice, SeedSource::Caller);
        Self { dive_id: dive_id.into(), mode, seed_source, attempt: None, agent: None, summary: None }
    }
}

/// The caller's tag for its agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// The agent.
    pub id: String,
    /// Its version.
    pub version: Option<String>,
}

/// Which attempt a dive was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Its number, from 1.
    pub number: u64,
    /// How many graded dives there were when it was closed, abandoned ones included.
    pub graded_so_far: u64,
    /// Which of them counts.
    pub record: Record,
}

/// A document by name and content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The id.
    pub id: String,
    /// The version.
    pub version: String,
    /// `sha256:` and hexadecimal digits.
    pub digest: String,
}

/// What sensed every action, by name and content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetStamp {
    /// Blueprint, metric or protocol.
    pub kind: TargetKind,
    /// The id.
    pub id: String,
    /// The version.
    pub version: String,
    /// The digest of its file.
    pub digest: String,
    /// Every protocol in it, since a file may leave their versions open.
    pub protocols: Vec<Stamp>,
}

/// The reading of one action, as on the card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// The score, 0 to 1; 0 if the action is insufficient.
    pub score: Unit,
    /// Whether the action was on target.
    pub on_target: bool,
    /// The index of its fidelity, 0 to 1.
    pub fidelity: Unit,
    /// What it cost.
    pub ics: u64,
}

/// The sums of a dive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// How many actions there were.
    pub turns: u64,
    /// The mean of their scores; 0 if there were none.
    pub score: Unit,
    /// The share of them that were on target; 0 if there were none.
    pub on_target: Unit,
    /// What they cost.
    pub ics: u64,
}

/// How a dive is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it passed.
    pub passed: bool,
    /// Why, or why not: the first that applies of `passed`, `flag_tripped`, `max_turns`, `ics_budget`,
    /// `checkpoint_missing` (the world ended by itself), `closed_early`.
    pub reason: Reason,
    /// The checkpoints reached, in the order of the stage.
    pub checkpoints_hit: Vec<String>,
    /// The flags tripped, in the order of the stage.
    pub flags_tripped: Vec<String>,
}

impl Card {
    pub(super) fn of(dive: &Dive, closing: &Closing) -> Self {
        let stage = dive.world.stage();
        let Closing { dive_id, mode, seed_source, attempt, agent, summary } = closing.clone();
        Self {
            agent,
            attempt,
            blueprint: dive.world.target().clone(),
            chain: format!("sha256:{}", dive.chain()),
            dive_id,
            engine: crate::language::fingerprint::fingerprint(),
            access_mode: stage.publication.access_mode,
            envelope: stage.envelope,
            mode,
            readings: stage.envelope.share_scorecard.then(|| dive.state.readings.clone()),
            seed: dive.seed,
            seed_source,
            signature: None,
            stage: Stamp {
                id: stage.id.clone(),
                version: stage.version.clone(),
                digest: dive.world.digest().to_owned(),
            },
            summary,
            totals: dive.totals(),
            verdict: dive.verdict(),
        }
    }

    /// The canonical JSON, with the signature if there is one.
    pub fn to_json(&self) -> String {
        self.written(self.signature.as_deref())
    }

    /// The bytes that are signed: the canonical JSON without `signature`.
    pub fn to_signed_json(&self) -> String {
        self.written(None)
    }

    fn written(&self, signature: Option<&str>) -> String {
        let mut json = Json::with_capacity(2048);
        json.object(|json| {
            if let Some(Agent { id, version }) = &self.agent {
                json.key("agent").object(|json| {
                    json.key("id").string(id);
                    version.iter().for_each(|version| json.key("version").string(version));
                });
            }
            if let Some(Attempt { number, graded_so_far, record }) = self.attempt {
                json.key("attempt").object(|json| {
                    json.key("graded_so_far").count(graded_so_far);
                    json.key("number").count(number);
                    json.key("record").string(record.as_str());
                });
            }
            json.key("blueprint").object(|json| self.blueprint.write(json));
            json.key("chain").string(&self.chain);
            json.key("dive_id").string(&self.dive_id);
            json.key("engine").string(&self.engine);
            json.key("envelope").object(|json| {
                json.key("access_mode").string(self.access_mode.as_str());
                self.envelope.write(json);
            });
            json.key("mode").string(self.mode.as_str());
            if let Some(readings) = &self.readings {
                json.key("readings").list(|json| {
                    readings.iter().for_each(|reading| json.object(|json| reading.write(json)));
                });
            }
            json.key("seed").count(self.seed);
            json.key("seed_source").string(self.seed_source.as_str());
            signature.iter().for_each(|signature| json.key("signature").string(signature));
            json.key("sonometer_stagecard").count(1);
            json.key("stage").object(|json| self.stage.write(json));
            json.key("stage_id").string(&self.stage.id);
            json.key("status").string("closed");
            self.summary.iter().for_each(|summary| json.key("summary").string(summary));
            json.key("totals").object(|json| self.totals.write(json, true));
            json.key("verdict").object(|json| self.verdict.write(json));
        });
        json.into_text()
    }
}

impl Stamp {
    fn write(&self, json: &mut Json) {
        json.key("digest").string(&self.digest);
        json.key("id").string(&self.id);
        json.key("version").string(&self.version);
    }
}

impl TargetStamp {
    pub(super) fn write(&self, json: &mut Json) {
        json.key("digest").string(&self.digest);
        json.key("id").string(&self.id);
        json.key("protocols").list(|json| {
            self.protocols.iter().for_each(|protocol| json.object(|json| protocol.write(json)));
        });
        json.key("type").string(self.kind.as_str());
        json.key("version").string(&self.version);
    }
}

impl Measured {
    pub(super) fn write(&self, json: &mut Json) {
        json.key("fidelity").number(self.fidelity);
        json.key("ics").count(self.ics);
        json.key("on_target").bool(self.on_target);
        json.key("score").number(self.score);
    }

    /// The canonical JSON: what the hash chain commits to.
    pub fn to_json(&self) -> String {
        let mut json = Json::default();
        json.object(|json| self.write(json));
        json.into_text()
    }
}

impl Totals {
    /// The sums of these readings, whose ICS add up to `ics`.
    pub(super) fn of(readings: &[Measured], ics: u64) -> Self {
        let turns = readings.len() as u64;
        let scores: i128 = readings.iter().map(|reading| i128::from(reading.score.0)).sum();
        let on_target = readings.iter().filter(|reading| reading.on_target).count() as i128;
        let of = i128::from(turns);
        Self { turns, score: Unit::ratio(scores, of * 1_000_000), on_target: Unit::ratio(on_target, of), ics }
    }

    /// The canonical JSON.
    pub fn to_json(&self) -> String {
        let mut json = Json::default();
        json.object(|json| self.write(json, true));
        json.into_text()
    }

    /// All of them, or turns and ICS alone.
    pub(super) fn write(&self, json: &mut Json, all: bool) {
        json.key("ics").count(self.ics);
        if all {
            json.key("on_target").number(self.on_target);
            json.key("score").number(self.score);
        }
        json.key("turns").count(self.turns);
    }
}

impl Verdict {
    fn write(&self, json: &mut Json) {
        let names = |json: &mut Json, names: &[String]| {
            json.list(|json| names.iter().for_each(|name| json.string(name)))
        };
        names(json.key("checkpoints_hit"), &self.checkpoints_hit);
        names(json.key("flags_tripped"), &self.flags_tripped);
        json.key("passed").bool(self.passed);
        json.key("reason").string(self.reason.as_str());
    }
}
