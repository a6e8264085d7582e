//! A card that somebody hands in, read back strictly: every key, every type, and the one way to write it.

use super::card::*;
use super::choice::MAX_SEED;
use super::model::{Access, Envelope, Mode, Reason, Record, SeedSource};
use super::object::Object;
use super::replay::Mismatch;
use crate::composition::TargetKind;
use crate::document::read_json;

type Read<T> = Result<T, Mismatch>;

impl Card {
    /// Reads a card.
    ///
    /// # Errors
    /// What is wrong and where, as a path (`totals.score`): text that is no JSON, keys that are missing or not known, values
    /// of another type, a card that is not written in the canonical way, sums that do not add up.
    pub fn read(text: &str) -> Result<Self, Mismatch> {
        if text.trim().is_empty() {
            return Err(Mismatch::new("", "the card is empty"));
        }
        let root = read_json(text.trim_end_matches(['\r', '\n'])).map_err(|wrong| {
            let (line, column) = crate::diagnostic::line_and_column(text, wrong.span.start);
            Mismatch::new(
                format!("line {line}, column {column}"),
                format!("{}; {}", wrong.message, wrong.fix),
            )
        })?;
        let card = Object::read(&root, Self::of_object)?;
        let (canonical, given) = (card.to_json(), text.trim_end_matches(['\r', '\n']));
        if canonical != given {
            let same = canonical.bytes().zip(given.bytes()).take_while(|(a, b)| a == b).count();
            let message = "the card is not in canonical form: keys in order, no spaces, shortest numbers";
            return Err(Mismatch::new(place_of(given, same), message));
        }
        card.check_sums()?;
        Ok(card)
    }

    fn of_object(at: &Object<'_>) -> Self {
        at.known(&[
            "agent",
            "attempt",
            "blueprint",
            "chain",
            "dive_id",
            "engine",
            "envelope",
            "mode",
            "readings",
            "seed",
            "seed_source",
            "signature",
            "sonometer_stagecard",
            "stage",
            "stage_id",
            "status",
            "summary",
            "totals",
            "verdict",
        ]);
        at.is("sonometer_stagecard", "1");
        at.is("status", "closed");
        let stage = stamp(&at.object("stage"));
        at.is("stage_id", &stage.id);
        let envelope = at.object("envelope");
        envelope.known(&["access_mode", "ics_budget", "max_action_chars", "max_turns", "share_scorecard"]);
        let small = |key| envelope.count(key, u32::MAX.into()) as u32;
        let bounds = Envelope {
            share_scorecard: envelope.truth("share_scorecard"),
            max_turns: small("max_turns"),
            ics_budget: small("ics_budget"),
            max_action_chars: small("max_action_chars"),
        };
        let agent = at.optional("agent").map(|agent| {
            agent.known(&["id", "version"]);
            let version = agent.text_if("version");
            Agent { id: agent.text("id"), version }
        });
        let attempt = at.optional("attempt").map(|attempt| {
            attempt.known(&["graded_so_far", "number", "record"]);
            Attempt {
                number: attempt.count("number", MAX_SEED),
                graded_so_far: attempt.count("graded_so_far", MAX_SEED),
                record: attempt.name("record", Record::from_name, Record::First),
            }
        });
        let readings = at.get("readings").map(|_| at.list("readings").iter().map(measured).collect());
        Self {
            agent,
            attempt,
            blueprint: target(&at.object("blueprint")),
            chain: at.digest("chain"),
            dive_id: at.text("dive_id"),
            engine: at.text("engine"),
            access_mode: envelope.name("access_mode", Access::from_name, Access::Free),
            envelope: bounds,
            mode: at.name("mode", Mode::from_name, Mode::Practice),
            readings,
            seed: at.count("seed", MAX_SEED),
            seed_source: at.name("seed_source", SeedSource::from_name, SeedSource::Caller),
            signature: at.text_if("signature"),
            stage,
            summary: at.text_if("summary"),
            totals: totals(&at.object("totals")),
            verdict: verdict(&at.object("verdict")),
        }
    }

    /// What a card says of itself must hold together.
    fn check_sums(&self) -> Read<()> {
        let wrong = |place: &str, message: String| Err(Mismatch::new(place, message));
        let Totals { turns, .. } = self.totals;
        if turns > self.envelope.max_turns.into() {
            return wrong(
                "totals.turns",
                format!("{turns} turns, but the stage allows {}", self.envelope.max_turns),
            );
        }
        if self.verdict.passed != (self.verdict.reason == Reason::Passed) {
            let reason = self.verdict.reason.as_str();
            return wrong(
                "verdict.reason",
                format!("`{reason}` contradicts `passed: {}`", self.verdict.passed),
            );
        }
        if self.readings.is_some() != self.envelope.share_scorecard {
            let message = "a card has readings if and only if `share_scorecard` is true".to_owned();
            return wrong("readings", message);
        }
        let Some(readings) = &self.readings else { return Ok(()) };
        let ics =
            readings.iter().try_fold(0_u64, |sum, reading| sum.checked_add(reading.ics)).unwrap_or(u64::MAX);
        let sums = Totals::of(readings, ics);
        for (key, same, sum) in [
            ("turns", turns == sums.turns, sums.turns.to_string()),
            ("score", self.totals.score == sums.score, sums.score.to_string()),
            ("on_target", self.totals.on_target == sums.on_target, sums.on_target.to_string()),
            ("ics", self.totals.ics == sums.ics, sums.ics.to_string()),
        ] {
            if !same {
                return wrong(&format!("totals.{key}"), format!("the readings give {sum}"));
            }
        }
        Ok(())
    }
}

/// The key that byte `at` of a card belongs to, or its column.
fn place_of(text: &str, at: usize) -> String {
    let before = &text.as_bytes()[..at.min(text.len())];
    format!("column {}", String::from_utf8_lossy(before).chars().count() + 1)
}

fn stamp(at: &Object<'_>) -> Stamp {
    at.known(&["digest", "id", "version"]);
    Stamp { id: at.text("id"), version: at.text("version"), digest: at.digest("digest") }
}

fn target(at: &Object<'_>) -> TargetStamp {
    at.known(&["digest", "id", "protocols", "type", "version"]);
    TargetStamp {
        kind: at.name("type", TargetKind::from_name, TargetKind::Protocol),
        id: at.text("id"),
        version: at.text("version"),
        digest: at.digest("digest"),
        protocols: at.list("protocols").iter().map(stamp).collect(),
    }
}

pub(super) fn measured(at: &Object<'_>) -> Measured {
    at.known(&["fidelity", "ics", "on_target", "score"]);
    Measured {
        score: at.share("score"),
        on_target: at.truth("on_target"),
        fidelity: at.share("fidelity"),
        ics: at.count("ics", MAX_SEED),
    }
}

fn totals(at: &Object<'_>) -> Totals {
    at.known(&["ics", "on_target", "score", "turns"]);
    Totals {
        turns: at.count("turns", MAX_SEED),
        score: at.share("score"),
        on_target: at.share("on_target"),
        ics: at.count("ics", MAX_SEED),
    }
}

fn verdict(at: &Object<'_>) -> Verdict {
    at.known(&["checkpoints_hit", "flags_tripped", "passed", "reason"]);
    Verdict {
        passed: at.truth("passed"),
        reason: at.name("reason", Reason::from_name, Reason::Passed),
        checkpoints_hit: at.texts("checkpoints_hit"),
        flags_tripped: at.texts("flags_tripped"),
    }
}
