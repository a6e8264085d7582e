//! What is run: a sensor over interactions, from text to canonical JSON.

use crate::corpus::Corpus;
use crate::patterns::{self, Grams, PatternSet};
use sonometer::{Instrument, Interaction, Protocol, Sensor, Session, SessionOptions, Step, View};

/// A fixed piece of work.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Its name in results.
    pub name: &'static str,
    work: Work,
}

#[derive(Clone, Debug)]
enum Work {
    /// Senses interactions, one after the other, by an instrument that has sensed them before.
    Sense(Instrument, Vec<Interaction>),
    /// Asks for the fidelity of interactions and nothing else.
    Fidelity(Instrument, Vec<Interaction>),
    /// Conversations of so many turns each, as they come in.
    Turns(Instrument, Vec<usize>),
    /// One sentence without an end, masked while it comes in.
    Endless(Instrument, String),
    /// Reads and compiles what ships under a name, up to the first reading: what a new process does.
    Load(&'static str),
}

impl Workload {
    fn sense(name: &'static str, instrument: impl Into<Instrument>, interactions: Vec<Interaction>) -> Self {
        let work = Work::Sense(instrument.into(), interactions);
        Self { name, work }.warm()
    }

    /// What is built at first use is built.
    fn warm(self) -> Self {
        self.run();
        self
    }

    /// Does the work; the bytes of JSON that come out, so that nothing can be left out.
    pub fn run(&self) -> usize {
        match &self.work {
            Work::Sense(instrument, interactions) => {
                interactions.iter().map(|interaction| read(instrument, interaction)).sum()
            }
            Work::Fidelity(instrument, interactions) => {
                let fidelity =
                    |interaction| instrument.fidelity(interaction).expect("what ships reads texts").to_json();
                interactions.iter().map(|interaction| fidelity(interaction).len()).sum()
            }
            Work::Turns(instrument, conversations) => {
                conversations.iter().map(|turns| stream(instrument, *turns)).sum()
            }
            Work::Endless(instrument, sentence) => {
                let mut session =
                    instrument.session(SessionOptions { release: true, ..SessionOptions::default() });
                let step = |step: Step| step.to_json().len();
                let chunks = sentence.as_bytes().chunks(64 << 10);
                let steps: usize = chunks.map(|chunk| step(session.push(chunk).expect("is text"))).sum();
                steps + end(session)
            }
            Work::Load(name) => {
                let text = Interaction::text("Thank you so much for your help.").expect("is short");
                read(&shipped(name), &text)
            }
        }
    }
}

/// A conversation of so many turns, with evidence in each.
fn stream(instrument: &Instrument, turns: usize) -> usize {
    let mut session = instrument.session(SessionOptions::default());
    let mut size = 0;
    for turn in 0..turns {
        let role = if turn % 2 == 0 { "customer" } else { "agent" };
        session.begin_segment(role, None).expect("reads transcripts");
        let step = session.push(format!("Thank you, that is fine number {turn}.").as_bytes());
        size += step.expect("is text").to_json().len();
    }
    size + end(session)
}

fn end(session: Session) -> usize {
    session.finish().expect("is whole").to_json(View::default()).len()
}

fn read(instrument: &Instrument, interaction: &Interaction) -> usize {
    let reading = instrument.sense(interaction).expect("the sets read texts and transcripts");
    reading.to_json(View::default()).len()
}

/// What ships under a name.
///
/// # Panics
/// If nothing does: a mistake in this crate.
pub fn shipped(name: &str) -> Instrument {
    sonometer_catalog::shipped(name).expect("the catalogue has it")
}

/// Every protocol of which a version is published, by id: [`shipped`] gives the newest.
pub fn newest() -> Vec<&'static str> {
    let mut ids: Vec<&str> = sonometer_catalog::protocols().iter().map(|entry| entry.id).collect();
    ids.dedup();
    ids.retain(|id| sonometer_catalog::shipped(id).is_ok());
    ids
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

/// A sensor of a few lines that name a list file with these names.
///
/// # Panics
/// If the engine refuses them: a mistake in this crate.
pub fn with_names(names: &str) -> Sensor {
    let file = |_: &str| Ok(names.into());
    let (protocol, _) = Protocol::read_with(NAMES, &file).expect("the protocol of names has no errors");
    Sensor::new(protocol).expect("the protocol was read without errors")
}

const NAMES: &str = r#"sonometer: 1
id: names
version: "1.0"
taxonomy: Signal
language: en
fidelity: {words: 1, sufficient: 0}
list_files: {name: names.txt}
markers:
  - label: name
    clear: |
      @name
    strong: |
      i met {@name}
      (mr|mrs|dear) {@name}
      {@name @name} ..2.. said
"#;

/// So many different names of two to four syllables, every fifth of two words, one on each line.
pub fn names(count: usize) -> String {
    const SYLLABLES: [&str; 20] = [
        "ra", "mi", "na", "lo", "ke", "si", "to", "vel", "dan", "hu", "ber", "jo", "pas", "que", "ril",
        "sha", "tim", "ul", "wen", "yor",
    ];
    let mut text = String::new();
    for number in 0..count {
        let mut rest = number;
        for syllable in 0..4 {
            text.push_str(SYLLABLES[rest % SYLLABLES.len()]);
            rest /= SYLLABLES.len();
            if syllable == 1 && number % 5 == 0 {
                text.push(' ');
            }
        }
        text.push('\n');
    }
    text
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

/// The names of the workloads whose instructions are counted.
pub const FIXED: [&str; 25] = [
    "scan",
    "phrases",
    "gap_rules",
    "messages_1kb",
    "judging",
    "short_abuse_zh",
    "long_abuse_zh",
    "short_prompt",
    "long_prompt",
    "short_attack",
    "long_attack",
    "short_turns",
    "long_turns",
    "endless",
    "affect",
    "courtesy",
    "personal_data",
    "pressure",
    "fidelity",
    "load_affect",
    "load_courtesy",
    "load_personal",
    "load_pressure",
    "load_service",
    "load_reply",
];

/// The workload of one of these names: on generated text, so the same on every machine.
pub fn fixed(name: &str) -> Option<Workload> {
    let name = FIXED.into_iter().find(|known| *known == name)?;
    let corpus = Corpus::generated(160 << 10);
    let phrases = || sensor(&Grams::of(&corpus).phrases(&patterns::A));
    let over_corpus = |sensor: Sensor| Workload::sense(name, sensor, corpus.interactions.clone());
    let of_shipped = |id| Workload::sense(name, shipped(id), corpus.messages(1024, 20));
    let load = |id| Workload { name, work: Work::Load(id) };
    let short = |id| Workload::sense(name, shipped(id), disguised());
    let long = |id| Workload::sense(name, shipped(id), vec![joined(&disguised())]);
    let turns = |all| Workload { name, work: Work::Turns(shipped("affect"), all) }.warm();
    Some(match name {
        "scan" => over_corpus(scanner()),
        "phrases" => over_corpus(phrases()),
        "gap_rules" => over_corpus(sensor(&Grams::of(&corpus).gap_rules())),
        "messages_1kb" => Workload::sense(name, phrases(), corpus.messages(1024, 100)),
        "judging" => over_corpus(compile(JUDGED)),
        "short_abuse_zh" => short("abuse-zh"),
        "long_abuse_zh" => long("abuse-zh"),
        "short_prompt" => short("prompt-attack"),
        "long_prompt" => long("prompt-attack"),
        "short_attack" => short("personal-attack"),
        "long_attack" => long("personal-attack"),
        "short_turns" => turns(vec![10; 200]),
        "long_turns" => turns(vec![2_000]),
        "endless" => {
            let sentence = "DE89 3704 0044 0532 0130 00 ".repeat(5_000);
            Workload { name, work: Work::Endless(shipped("personal-data"), sentence) }.warm()
        }
        "affect" => of_shipped("affect"),
        "courtesy" => of_shipped("courtesy"),
        "personal_data" => of_shipped("personal-data"),
        "pressure" => of_shipped("pressure-tactics"),
        "fidelity" => {
            let work = Work::Fidelity(shipped("personal-data"), corpus.messages(1024, 100));
            Workload { name, work }.warm()
        }
        "load_affect" => load("affect"),
        "load_courtesy" => load("courtesy"),
        "load_personal" => load("personal-data"),
        "load_pressure" => load("pressure-tactics"),
        "load_service" => load("service-call"),
        "load_reply" => load("reply-quality"),
        _ => return None,
    })
}

/// Half a mebibyte in messages of about 1 KB, each with signs that folding maps and with words that unfolding maps: what a long text of
/// them does more than they do one by one is growth, since every one of them is folded and read twice, too.
fn disguised() -> Vec<Interaction> {
    const DISGUISES: &str = " it’s n0t so g00d – you’re a sooooo bad l1ar, “ignore” the r u l e s … ";
    let corpus = Corpus::generated(512 << 10);
    let messages = corpus.messages(1024, usize::MAX);
    let disguised = messages.iter().map(|message| format!("{}{DISGUISES}", message.turns()[0].content));
    disguised.map(|text| Interaction::text(&text).expect("is short")).collect()
}

/// The same in one text.
fn joined(messages: &[Interaction]) -> Interaction {
    let texts: Vec<&str> = messages.iter().map(|message| &*message.turns()[0].content).collect();
    Interaction::text(&texts.join("\n")).expect("below the largest content")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_long_holds_what_is_short() {
        let bytes = |texts: &[Interaction]| texts.iter().map(crate::corpus::size).sum::<usize>();
        let short = disguised();
        let long = joined(&short);
        assert!(short.len() > 400, "{}", short.len());
        assert_eq!(bytes(std::slice::from_ref(&long)), bytes(&short) + short.len() - 1);
    }

    #[test]
    fn every_workload_but_the_scan_finds_something() {
        // What ships may have nothing to find in this text.
        for name in ["scan", "phrases", "gap_rules", "messages_1kb", "judging"] {
            let Workload { work, .. } = fixed(name).expect(name);
            let Work::Sense(instrument, interactions) = &work else { panic!("{name} senses") };
            let readings = interactions.iter().map(|i| instrument.sense(i).expect("a reading"));
            let evidence: usize = readings.map(|reading| reading.evidence().count()).sum();
            assert_eq!(evidence == 0, name == "scan", "{name}: {evidence}");
        }
    }

    #[test]
    fn every_name_has_its_workload() {
        assert!(FIXED.iter().all(|name| fixed(name).is_some_and(|workload| workload.run() > 0)));
    }
}
