//! What is run: a sensor over interactions, from text to canonical JSON.

use crate::corpus::Corpus;
use crate::patterns::{self, Grams, PatternSet};
use sonometer::{Interaction, Protocol, Sensor, View};

/// A sensor and what it is pointed at.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Its name in results.
    pub name: &'static str,
    /// The instrument.
    pub sensor: Sensor,
    /// What it measures, one after the other.
    pub interactions: Vec<Interaction>,
}

impl Workload {
    /// Senses everything and writes every reading; the bytes of JSON, so that nothing can be left out.
    pub fn run(&self) -> usize {
        self.interactions.iter().map(|interaction| sense(&self.sensor, interaction)).sum()
    }
}

/// One interaction in, the bytes of its canonical JSON out.
#[inline]
pub fn sense(sensor: &Sensor, interaction: &Interaction) -> usize {
    let reading = sensor.sense(interaction).expect("the sets read texts and transcripts");
    reading.to_json(View::default()).len()
}

/// The sensor of a pattern set.
///
/// # Panics
/// If the engine refuses the set: a mistake in this crate.
pub fn sensor(set: &PatternSet) -> Sensor {
    compile(&set.protocol())
}

/// The sensor of a protocol file.
///
/// # Panics
/// If the engine refuses it: a mistake in this crate.
pub fn compile(protocol: &str) -> Sensor {
    let protocol = match Protocol::read(protocol) {
        Ok((protocol, _warnings)) => protocol,
        Err(error) => panic!("a protocol of the benchmarks has errors: {}", error.message),
    };
    Sensor::new(protocol).expect("the protocol was read without errors")
}

/// A sensor that finds nothing in ordinary text: what remains is reading and scanning.
pub fn scanner() -> Sensor {
    compile(NOTHING_TO_FIND)
}

const NOTHING_TO_FIND: &str = r#"sonometer: 1
id: nothing
version: "1.0"
taxonomy: Signal
language: en
fidelity: {words: 1, sufficient: 0}
markers:
  - label: nothing
    strong: |
      xylophone quartet
"#;

/// Everything that judging does: roles, places, exclusions, negation, classes, masks, near misses, shares.
const JUDGED: &str = r#"sonometer: 1
id: judged
version: "1.0"
taxonomy: Policy
language: en
actants: {primary: agent, secondary: customer}
fidelity: {words: 5, sufficient: 0.1}
score: risk
lists: {money: price | payment | fund | loan | deposit}
markers:
  - label: guaranteed_return
    importance: critical
    pole: against
    by: agent
    negation: drop
    strong: |
      guarantee~ ..4.. (return|profit|yield|fund)
      (risk-free|free|safe) @money
    weak: |
      for sure
    except: |
      <question>
      (if|to be) ..2.. fair
  - label: pressure
    pole: against
    negation: drop
    clear: |
      (you|we) (should|must|have to) ..2.. (sign|pay|send|close)
      right now
    where: first 4 turns
  - label: numbers
    pole: against
    mask: last2
    clear: |
      <money>
      <percent>
      <pan>
    weak: |
      <email>
      <phone>
  - label: loud
    pole: against
    clear: |
      <shout>
      /!{2,}/
  - label: asking
    pole: against
    share: {of: turns, by: customer, full: 0.3}
    by: customer
    clear: |
      <question>
"#;

/// The workloads whose instructions are counted: on generated text, so the same on every machine.
pub fn fixed() -> Vec<Workload> {
    let corpus = Corpus::generated(160 << 10);
    let grams = Grams::of(&corpus);
    let phrases = sensor(&grams.phrases(&patterns::A));
    let over_corpus = |name, sensor| Workload { name, sensor, interactions: corpus.interactions.clone() };
    vec![
        over_corpus("scan", scanner()),
        over_corpus("phrases", phrases.clone()),
        over_corpus("gap_rules", sensor(&grams.gap_rules())),
        Workload { name: "messages_1kb", sensor: phrases, interactions: corpus.messages(1024, 100) },
        over_corpus("judging", compile(JUDGED)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workload_but_the_scan_finds_something() {
        for workload in fixed() {
            let readings = workload.interactions.iter().map(|i| workload.sensor.sense(i).expect("a reading"));
            let evidence: usize = readings.map(|reading| reading.evidence().count()).sum();
            assert_eq!(evidence == 0, workload.name == "scan", "{}: {evidence}", workload.name);
        }
    }
}
