//! Random cases: protocols, interactions and views from the generator of the reference engine, and what can be made of them:
//! comparisons, metrics, blueprints, and JSON with a mistake in it; and dives with their cards.

mod dive;

use super::case::{Case, Feed, Sense, Task};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;
use sonometer::protocol::{Better, Protocol};
use sonometer::{Interaction, Sensor};
use sonometer_reference::generate;
use sonometer_reference::vectors::{self, Vector};

/// Cases that share a protocol: some doors read it once for all of them.
const SHARED: usize = 4;
/// How many interactions are drawn at most for one in which something is found.
const DRAWS: usize = 8;

/// `count` cases that depend on the seed alone.
pub(super) fn cases(count: usize, seed: u64) -> Result<Vec<Case>, String> {
    let mut dice = Dice::new(seed);
    let dives = dive::Dives::read()?;
    let mut cases = Vec::with_capacity(count);
    while cases.len() < count {
        if count - cases.len() >= 2 && dice.below(4) == 0 {
            let name = format!("seed {seed}, case {}", cases.len());
            cases.extend(dice.dive(&name, &dives));
            continue;
        }
        let mut protocol = generate::written_out(dice.draw(generate::protocol()));
        protocol.id = "p0".into();
        let sensor = Sensor::new(protocol.clone()).ok();
        for _ in 0..SHARED.min(count - cases.len()) {
            let name = format!("seed {seed}, case {}", cases.len());
            let vector = dice.vector(&name, &protocol, sensor.as_ref())?;
            cases.push(Case { name, task: Task::Sense(Sense { vector, feed: Feed::Whole }) });
        }
    }
    Ok(cases)
}

struct Dice {
    runner: TestRunner,
}

impl Dice {
    fn new(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        Self { runner: TestRunner::new_with_rng(Config::default(), rng) }
    }

    fn draw<T: std::fmt::Debug>(&mut self, strategy: impl Strategy<Value = T>) -> T {
        // The generator refuses nothing, so there always is a value.
        strategy.new_tree(&mut self.runner).expect("a value").current()
    }

    fn below(&mut self, end: usize) -> usize {
        self.draw(0..end)
    }

    fn vector(&mut self, name: &str, protocol: &Protocol, sensor: Option<&Sensor>) -> Result<Vector, String> {
        let mut vector = self.plain(name, protocol, sensor)?;
        match self.below(10) {
            0 | 1 => vector.interaction_b = Some(self.plain(name, protocol, sensor)?.interaction),
            2 => vector.interaction = self.broken(&vector.interaction),
            3 => self.compose(&mut vector, protocol.better),
            _ => {}
        }
        Ok(vector)
    }

    fn plain(&mut self, name: &str, protocol: &Protocol, sensor: Option<&Sensor>) -> Result<Vector, String> {
        let (interaction, mut view) = (self.interaction(sensor), self.draw(generate::view()));
        // Half of all would be refused otherwise.
        if view.check(protocol).is_err() && self.below(8) > 0 {
            (view.flow, view.temporal) = (None, None);
        }
        let line = vectors::line(name, protocol, &interaction, view);
        vectors::read("random", &line)?.pop().ok_or_else(|| "a random line is no vector".to_owned())
    }

    /// The first of a few in which something is found, else the last of them: random words seldom meet random rules.
    fn interaction(&mut self, sensor: Option<&Sensor>) -> Interaction {
        let finds = |interaction: &Interaction| {
            let reading = sensor.and_then(|sensor| sensor.sense(interaction).ok());
            reading.is_some_and(|reading| reading.evidence().next().is_some())
        };
        let mut drawn = self.draw(generate::interaction());
        for _ in 1..DRAWS {
            if finds(&drawn) {
                break;
            }
            drawn = self.draw(generate::interaction());
        }
        drawn
    }

    /// A mistake at a random place: a character that goes away, is said twice, or is another one.
    fn broken(&mut self, json: &str) -> String {
        let characters: Vec<char> = json.chars().collect();
        let at = self.below(characters.len());
        let (before, after) = (&characters[..at], &characters[at + 1..]);
        let others = [
            '"', '\\', '{', '}', '[', ']', ',', ':', '0', 'u', ' ', '\n', '\u{0}', '\u{feff}', '\u{2028}',
            '😀',
        ];
        let middle: Vec<char> = match self.below(3) {
            0 => Vec::new(),
            1 => vec![characters[at]; 2],
            _ => vec![others[self.below(others.len())]],
        };
        before.iter().chain(&middle).chain(after).collect()
    }

    /// A metric or a blueprint of the protocol and a second one; some name what is not there.
    fn compose(&mut self, vector: &mut Vector, better: Better) {
        let mut second = generate::written_out(self.draw(generate::protocol()));
        second.id = "p1".into();
        if self.below(8) > 0 {
            (vector.view.flow, vector.view.temporal) = (None, None);
        }
        vector.shelf = vec![vector.target.clone(), second.to_canonical_json()];
        let other = if self.below(8) == 0 { "p2" } else { "p1" };
        let component = |id: &str, weight: usize, complement: bool| json!({ "protocol": id, "weight": weight, "complement": complement });
        // Whether high scores of both are good, or of one only: most metrics fit what they are made of.
        let (weight, fits) = (1 + self.below(5), self.below(8) > 0);
        let turned = (second.better != better) == fits;
        let components = [component("p0", 1, false), component(other, weight, turned)];
        let metric =
            json!({ "sonometer_metric": 1, "id": "both", "version": "1.0", "components": components });
        if self.below(2) == 0 {
            vector.target = metric.to_string();
        } else {
            vector.shelf.push(metric.to_string());
            let blueprint = json!({
                "sonometer_blueprint": 1, "id": "all", "version": "1.0", "protocols": ["p0", other], "metrics": ["both"],
            });
            vector.target = blueprint.to_string();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doors::{case::Answer, engine};

    #[test]
    fn a_seed_gives_the_same_cases_and_another_gives_others() {
        let lines = |seed| cases(24, seed).expect("cases").iter().map(Case::to_json).collect::<Vec<_>>();
        assert_eq!(lines(7), lines(7));
        assert_ne!(lines(7), lines(8));
    }

    #[test]
    fn all_kinds_of_cases_come_and_most_find_something() {
        let cases = cases(400, 1).expect("cases");
        let engine = engine::Engine::default();
        let answers: Vec<Answer> = cases.iter().map(|case| engine.answer(case)).collect();
        let found = answers
            .iter()
            .filter(|a| matches!(a, Answer::Bytes(bytes) if bytes.contains("\"evidence\":[{")))
            .count();
        let wrong = answers.iter().filter(|a| matches!(a, Answer::Error { .. })).count();
        let vectors: Vec<&Vector> = cases.iter().filter_map(Case::sense).map(|sense| &sense.vector).collect();
        let dived = cases.iter().filter(|case| case.sense().is_none()).count();
        let compared = vectors.iter().filter(|vector| vector.interaction_b.is_some()).count();
        let composed = answers
            .iter()
            .zip(&cases)
            .filter_map(|(answer, case)| Some((answer, &case.sense()?.vector)))
            .filter(|(a, vector)| !vector.shelf.is_empty() && matches!(a, Answer::Bytes(_)));
        let composed = composed.count();
        assert!(
            found > 100 && wrong > 20 && compared > 40 && composed > 20 && dived > 40,
            "{found} {wrong} {compared} {composed} {dived}"
        );
    }
}
