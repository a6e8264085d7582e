//! A card that somebody hands in, read back strictly: every key, every type, and the one way to write it.

use super::card::*;
use super::choice::MAX_SEED;
use super::model::{Access, Envelope, Mode, Reason, Record, SeedSource};
use super::replay::Mismatch;
use crate::composition::TargetKind;
use crate::protocol::source::{Node, Style, Value, read_json};
use crate::unit::Unit;

type Read<T> = Result<T, Mismatch>;

impl Card {
    /// Reads a card.
    ///
    /// # Errors
    /// What is wrong and where, as a path (`totals.score`): text that is no JSON, keys that are missing or not known, values
    /// of another type, a card that is not written in the canonical way, sums that do not add up.
    pub fn read(text: &str) -> Result<Self, Mismatch> {
        if text.trim().is_empty() {
            return Err(Mismatch::new("", "there is no card: the text is empty"));
        }
        let root = read_json(text.trim_end_matches(['\r', '\n'])).map_err(|wrong| {
            let (line, column) = crate::diagnostic::line_and_column(text, wrong.span.start);
            Mismatch::new(
                format!("line {line}, column {column}"),
                format!("{}; {}", wrong.message, wrong.fix),
            )
        })?;
        let card = Self::of_node(&root)?;
        let (canonical, given) = (card.to_json(), text.trim_end_matches(['\r', '\n']));
        if canonical != given {
            let same = canonical.bytes().zip(given.bytes()).take_while(|(a, b)| a == b).count();
            let message =
                "the card is not in its canonical form: keys in order, no spaces, the shortest numbers";
            return Err(Mismatch::new(place_of(given, same), message));
        }
        card.check_sums()?;
        Ok(card)
    }

    fn of_node(root: &Node) -> Read<Self> {
        let at = Object::of(root, "")?;
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
        ])?;
        at.is("sonometer_stagecard", "1")?;
        at.is("status", "closed")?;
        let stage = stamp(&at.object("stage")?)?;
        at.is("stage_id", &stage.id)?;
        let envelope = at.object("envelope")?;
        envelope.known(&["access_mode", "ics_budget", "max_action_chars", "max_turns", "share_scorecard"])?;
        let small = |key| envelope.count(key, u32::MAX.into()).map(|count| count as u32);
        let bounds = Envelope {
            share_scorecard: envelope.truth("share_scorecard")?,
            max_turns: small("max_turns")?,
            ics_budget: small("ics_budget")?,
            max_action_chars: small("max_action_chars")?,
        };
        let agent = at.optional("agent", |agent| {
            agent.known(&["id", "version"])?;
            let version = agent.get("version").map(|_| agent.text("version")).transpose()?;
            Ok(Agent { id: agent.text("id")?, version })
        })?;
        let attempt = at.optional("attempt", |attempt| {
            attempt.known(&["graded_so_far", "number", "record"])?;
            Ok(Attempt {
                number: attempt.count("number", MAX_SEED)?,
                graded_so_far: attempt.count("graded_so_far", MAX_SEED)?,
                record: attempt.name("record", Record::from_name)?,
            })
        })?;
        let readings = at.get("readings").map(|_| at.list("readings")).transpose()?;
        let readings =
            readings.map(|items| items.iter().map(measured).collect::<Read<Vec<_>>>()).transpose()?;
        let text_if = |key: &str| at.get(key).map(|_| at.text(key)).transpose();
        Ok(Self {
            agent,
            attempt,
            blueprint: target(&at.object("blueprint")?)?,
            chain: at.digest("chain")?,
            dive_id: at.text("dive_id")?,
            engine: at.text("engine")?,
            access_mode: envelope.name("access_mode", Access::from_name)?,
            envelope: bounds,
            mode: at.name("mode", Mode::from_name)?,
            readings,
            seed: at.count("seed", MAX_SEED)?,
            seed_source: at.name("seed_source", SeedSource::from_name)?,
            signature: text_if("signature")?,
            stage,
            summary: text_if("summary")?,
            totals: totals(&at.object("totals")?)?,
            verdict: verdict(&at.object("verdict")?)?,
        })
    }

    /// What a card says of itself must hold together.
    fn check_sums(&self) -> Read<()> {
        let wrong = |place: &str, message: String| Err(Mismatch::new(place, message));
        let Totals { turns, .. } = self.totals;
        if turns > self.envelope.max_turns.into() {
            return wrong(
                "totals.turns",
                format!("{turns} turns, and the stage has {}", self.envelope.max_turns),
            );
        }
        if self.verdict.passed != (self.verdict.reason == Reason::Passed) {
            let reason = self.verdict.reason.as_str();
            return wrong(
                "verdict.reason",
                format!("`{reason}` does not go with `passed: {}`", self.verdict.passed),
            );
        }
        if self.readings.is_some() != self.envelope.share_scorecard {
            let message = "readings are on a card exactly if `share_scorecard` is true".to_owned();
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

fn stamp(at: &Object<'_>) -> Read<Stamp> {
    at.known(&["digest", "id", "version"])?;
    Ok(Stamp { id: at.text("id")?, version: at.text("version")?, digest: at.digest("digest")? })
}

fn target(at: &Object<'_>) -> Read<TargetStamp> {
    at.known(&["digest", "id", "protocols", "type", "version"])?;
    let kind = |name: &str| {
        [TargetKind::Blueprint, TargetKind::Metric, TargetKind::Protocol]
            .into_iter()
            .find(|kind| kind.as_str() == name)
    };
    Ok(TargetStamp {
        kind: at.name("type", kind)?,
        id: at.text("id")?,
        version: at.text("version")?,
        digest: at.digest("digest")?,
        protocols: at.list("protocols")?.iter().map(stamp).collect::<Read<Vec<_>>>()?,
    })
}

pub(super) fn measured(at: &Object<'_>) -> Read<Measured> {
    at.known(&["fidelity", "ics", "on_target", "score"])?;
    Ok(Measured {
        score: at.share("score")?,
        on_target: at.truth("on_target")?,
        fidelity: at.share("fidelity")?,
        ics: at.count("ics", MAX_SEED)?,
    })
}

fn totals(at: &Object<'_>) -> Read<Totals> {
    at.known(&["ics", "on_target", "score", "turns"])?;
    Ok(Totals {
        turns: at.count("turns", MAX_SEED)?,
        score: at.share("score")?,
        on_target: at.share("on_target")?,
        ics: at.count("ics", MAX_SEED)?,
    })
}

fn verdict(at: &Object<'_>) -> Read<Verdict> {
    at.known(&["checkpoints_hit", "flags_tripped", "passed", "reason"])?;
    Ok(Verdict {
        passed: at.truth("passed")?,
        reason: at.name("reason", Reason::from_name)?,
        checkpoints_hit: at.texts("checkpoints_hit")?,
        flags_tripped: at.texts("flags_tripped")?,
    })
}

/// An object of JSON, and the path to it.
pub(super) struct Object<'n> {
    path: String,
    entries: &'n [(crate::protocol::source::Key, Node)],
}

impl<'n> Object<'n> {
    pub(super) fn of(node: &'n Node, path: impl Into<String>) -> Read<Self> {
        let path = path.into();
        match &node.value {
            Value::Map(entries) => Ok(Self { path, entries }),
            _ => Err(Mismatch::new(path, format!("is {}, not a map", node.kind_name()))),
        }
    }

    fn place(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    fn wrong<T>(&self, key: &str, message: impl Into<String>) -> Read<T> {
        Err(Mismatch::new(self.place(key), message))
    }

    /// Refuses every other key.
    pub(super) fn known(&self, keys: &[&str]) -> Read<()> {
        match self.entries.iter().find(|(key, _)| !keys.contains(&key.text.as_str())) {
            Some((key, _)) => self.wrong(&key.text, "there is no such key here"),
            None => Ok(()),
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries.iter().find(|(known, _)| known.text == key).map(|(_, node)| node)
    }

    fn node(&self, key: &str) -> Read<&'n Node> {
        self.get(key).map_or_else(|| self.wrong(key, "is missing"), Ok)
    }

    fn scalar(&self, key: &str, style: Style, what: &str) -> Read<&'n str> {
        let node = self.node(key)?;
        match &node.value {
            Value::Scalar(scalar) if scalar.style == style => Ok(&scalar.text),
            _ => self.wrong(key, format!("is {}, not {what}", node.kind_name())),
        }
    }

    pub(super) fn text(&self, key: &str) -> Read<String> {
        self.scalar(key, Style::Quoted, "a text").map(str::to_owned)
    }

    pub(super) fn name<T>(&self, key: &str, from: impl Fn(&str) -> Option<T>) -> Read<T> {
        let text = self.text(key)?;
        from(&text).map_or_else(|| self.wrong(key, format!("cannot be `{text}`")), Ok)
    }

    pub(super) fn digest(&self, key: &str) -> Read<String> {
        let text = self.text(key)?;
        let digits = text.strip_prefix("sha256:").filter(|digits| {
            digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        });
        match digits {
            Some(_) => Ok(text),
            None => self.wrong(key, "is no digest: `sha256:` and 64 hexadecimal digits"),
        }
    }

    pub(super) fn truth(&self, key: &str) -> Read<bool> {
        self.scalar(key, Style::Bool, "true or false").map(|text| text == "true")
    }

    pub(super) fn count(&self, key: &str, most: u64) -> Read<u64> {
        let text = self.scalar(key, Style::Number, "a number")?;
        match text.parse().ok().filter(|count| *count <= most) {
            Some(count) => Ok(count),
            None => self.wrong(key, format!("is {text}, not a whole number from 0 to {most}")),
        }
    }

    /// A number from 0 to 1.
    fn share(&self, key: &str) -> Read<Unit> {
        let text = self.scalar(key, Style::Number, "a number")?;
        match Unit::parse(text).filter(|number| (Unit::ZERO..=Unit::ONE).contains(number)) {
            Some(number) => Ok(number),
            None => self.wrong(key, format!("is {text}, not a number from 0 to 1")),
        }
    }

    /// The one value it can have.
    pub(super) fn is(&self, key: &str, wanted: &str) -> Read<()> {
        match self.node(key)?.text() {
            Some(text) if text == wanted => Ok(()),
            other => self.wrong(key, format!("is `{}`, not `{wanted}`", other.unwrap_or("something else"))),
        }
    }

    fn object(&self, key: &str) -> Read<Self> {
        Self::of(self.node(key)?, self.place(key))
    }

    fn optional<T>(&self, key: &str, read: impl Fn(&Object<'_>) -> Read<T>) -> Read<Option<T>> {
        match self.get(key) {
            Some(node) => read(&Self::of(node, self.place(key))?).map(Some),
            None => Ok(None),
        }
    }

    fn nodes(&self, key: &str) -> Read<&'n [Node]> {
        let node = self.node(key)?;
        match &node.value {
            Value::List(items) => Ok(items),
            _ => self.wrong(key, format!("is {}, not a list", node.kind_name())),
        }
    }

    /// A list of objects.
    pub(super) fn list(&self, key: &str) -> Read<Vec<Self>> {
        let items = self.nodes(key)?.iter().enumerate();
        items.map(|(at, item)| Self::of(item, format!("{}[{at}]", self.place(key)))).collect()
    }

    /// A list of texts.
    pub(super) fn texts(&self, key: &str) -> Read<Vec<String>> {
        let items = self.nodes(key)?.iter().enumerate();
        items
            .map(|(at, item)| match &item.value {
                Value::Scalar(scalar) if scalar.style == Style::Quoted => Ok(scalar.text.clone()),
                _ => self.wrong(&format!("{key}[{at}]"), format!("is {}, not a text", item.kind_name())),
            })
            .collect()
    }

    /// The whole numbers of a map, by its keys in their order.
    pub(super) fn numbers(&self, key: &str) -> Read<Vec<(&'n str, i64)>> {
        let inner = self.object(key)?;
        let number = |(name, _): &'n (crate::protocol::source::Key, Node)| {
            let text = inner.scalar(&name.text, Style::Number, "a number")?;
            match text.parse() {
                Ok(number) => Ok((name.text.as_str(), number)),
                Err(_) => inner.wrong(&name.text, format!("is {text}, not a whole number")),
            }
        };
        inner.entries.iter().map(number).collect()
    }
}
