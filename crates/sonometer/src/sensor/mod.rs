//! The sensor: a protocol compiled once, immutable, shared between threads.

mod anchor;
mod bound;
pub(crate) mod compile;
mod guarded;
pub(crate) mod marker;
mod openers;
mod parted;
pub(crate) mod phrases;
pub(crate) mod program;
mod roles;
mod rules;
pub(crate) mod tests;
mod unfolding;

use crate::class::{ClassSet, Vocabulary as Words};
use crate::error::Error;
use crate::expression::{Bounds, Expression, Reaches, Refusal};
use crate::language::{self, Language, Script};
use crate::protocol::order::judging_order;
use crate::protocol::phrase::{Phrases, Regex};
use crate::protocol::{Line, Modality, Pole, Protocol, Status};
use crate::text::fold::fold_role;
use crate::text::unfold::Unfolding;
use crate::text::vocabulary::{Vocabulary, role};
use compile::{Anchored, Body, Compiler};
pub(crate) use guarded::Guarded;
pub use guarded::Unbounded;
pub(crate) use marker::{CompanionPlan, MarkerPlan};
use openers::Openers;
use program::Key;
use roles::role_names;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// A compiled protocol. Immutable, cheap to clone, shared between threads.
#[derive(Clone, Debug)]
pub struct Sensor {
    handle: Arc<Handle>,
}

/// The plan behind a count of its own of who holds it, see [`Sensor::apart`].
#[derive(Debug)]
struct Handle {
    plan: Arc<Plan>,
}

/// Everything that sensing needs, derived from the protocol.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) protocol: Protocol,
    /// See [`Sensor::steps_per_word`]; worked out when it is first asked for.
    steps_per_word: OnceLock<u64>,
    /// See [`Sensor::digest`]; worked out when it is first asked for.
    digest: OnceLock<String>,
    pub(crate) language: Option<&'static Language>,
    /// What the language is written in.
    pub(crate) script: Option<Script>,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) phrases: phrases::Phrases,
    /// The phrases of the list files that programs ask for: in the place of a rule stands the number of the list.
    pub(crate) lists: phrases::Phrases,
    pub(crate) tests: tests::TokenTests,
    pub(crate) exacts: Vec<Box<str>>,
    /// Shared with the plan of a guard and with the other sensors of a composition, so that none is built twice.
    pub(crate) regexes: Vec<Arc<Expression>>,
    /// All expressions as one automaton, for guards; made when the first one begins, and shared with the plan of a guard that has the
    /// same ones. `None` inside: too large to be made.
    reaches: OnceLock<Option<Arc<Reaches>>>,
    /// Which of them end where sentences do; asked by sessions, and for long turns.
    bounds: OnceLock<Bounds>,
    /// What a guard watches; made when the first one begins, as most sensors never guard.
    guarded: OnceLock<Guarded>,
    /// What matches can begin with; made when the first guard asks.
    openers: OnceLock<Openers>,
    pub(crate) classes: ClassSet,
    /// The classes with check digits that are a whole line: only for these a wrong digit is a near miss.
    pub(crate) checked: ClassSet,
    /// The language whose number words and names of months and currencies count in classes.
    pub(crate) class_words: Words,
    pub(crate) shout: bool,
    pub(crate) rules: Vec<Rule>,
    pub(crate) anchors: Anchors,
    /// Rules whose program has no anchor ([`anchor`]), tried at every token.
    pub(crate) everywhere: Vec<u32>,
    pub(crate) has_programs: bool,
    /// Whether a line with braces is looked for with its gap widened.
    pub(crate) captures_widened: bool,
    /// Rules that are a `<question>` and nothing else.
    pub(crate) question_lines: Vec<u32>,
    /// Rules that are a `/re/` and nothing else, each with the number of its regular expression.
    pub(crate) regex_lines: Vec<(u32, u32)>,
    pub(crate) markers: Vec<MarkerPlan>,
    pub(crate) companions: Vec<CompanionPlan>,
    /// Where relations name markers: all markers, each behind those that decide about its matches. Else empty.
    pub(crate) order: Vec<u32>,
    /// Whether candidates must be set in relation to what stands in other places.
    pub(crate) relates: Relates,
    /// Whether some marker hides what it matched.
    pub(crate) has_masks: bool,
    /// Whether some marker counts in a part of the interaction only.
    pub(crate) has_places: bool,
    /// Whether every marker asks for roles: only then can it happen that no turn is listened to.
    pub(crate) all_ask: bool,
    /// Markers that can have an activation without a candidate (a positive bias, an absence, a ratio), in the order of the file.
    /// All others are skipped where they have no candidate.
    pub(crate) always: Vec<u32>,
    /// Sums and largest of the weights of the markers for, and of those against; 0 where there are none.
    pub(crate) weights_for: Weights,
    pub(crate) weights_against: Weights,
    /// The members of a resonance object in which every marker is 0, and where each begins.
    pub(crate) silence: Silence,
    /// The different `join` of the markers, sorted: a window is read once for all markers with the same.
    pub(crate) joins: Vec<u32>,
    /// What is undone before a text is read a second time; `None` without `unfold`.
    pub(crate) unfolding: Option<Unfolding>,
    /// Role name (folded, lower case) -> the protocol's name for it.
    pub(crate) roles: BTreeMap<String, String>,
}

/// What the relations of candidates need to know of the text of turns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Relates {
    /// Some marker has companions, an echo, a flip: candidates are looked at again when all are found.
    pub(crate) any: bool,
    /// Some reach is in words or sentences, or some marker has an echo: where tokens stand must be kept.
    pub(crate) layout: bool,
    /// Some marker has an echo: words must be kept.
    pub(crate) words: bool,
}

/// A pattern with its owner. Rules are numbered in the order in which they are added, and hits are sorted by that number: so
/// candidates come out by marker and line, the widened form of a line directly behind it, and negation last.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) owner: Owner,
    pub(crate) body: Body,
    pub(crate) taking: Taking,
    /// The rule that is this one with its gap widened, for near misses.
    pub(crate) wide: Option<u32>,
    /// Later rules with the same pattern: a match of this one is one of each of them.
    pub(crate) twins: Box<[u32]>,
}

/// What a match of a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A candidate: of a line of the marker, counted as [`Plan::line`] does.
    Line { marker: u32, line: u32 },
    /// A line with its gap widened: a near miss where the line itself does not match.
    Wide { marker: u32, line: u32 },
    /// A companion of candidates.
    Companion(u32),
    /// An exclusion of a marker.
    Except { marker: u32 },
    /// The beginning of a negation (`not`, `never`).
    Cue,
    /// A phrase in which a cue does not negate.
    NotCue,
    /// The end of the reach of a cue.
    Stop,
}

/// Which matches of a rule count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taking {
    /// From left to right, the longest at each start, not overlapping.
    Apart,
    /// The longest at each start.
    EveryStart,
    /// All that are found.
    All,
}

/// Weights of the markers of one pole: 1, 2, 4 or 8 each, so at most 8 · 2,000 together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    pub(crate) sum: i64,
    pub(crate) largest: i64,
}

/// The JSON members of a resonance object in which every marker is 0, written once. Most markers of a large protocol are silent in
/// most readings, so a reading copies whole stretches of it and writes only the numbers between them.
#[derive(Debug, Default)]
pub(crate) struct Silence {
    /// `"label":0,` for every marker.
    text: String,
    /// Where each marker's member begins, and at last the length: one more than markers.
    starts: Vec<usize>,
}

impl Silence {
    fn of(protocol: &Protocol) -> Self {
        let mut silence = Self::default();
        for marker in &protocol.markers {
            silence.starts.push(silence.text.len());
            silence.text.push_str(&crate::json::quoted(&marker.label));
            silence.text.push_str(":0,");
        }
        silence.starts.push(silence.text.len());
        silence
    }

    /// The members of markers `from..to`, with a comma behind each.
    pub(crate) fn members(&self, from: usize, to: usize) -> &str {
        &self.text[self.starts[from]..self.starts[to]]
    }

    /// The key of a marker, in quotes.
    pub(crate) fn key(&self, marker: usize) -> &str {
        let member = self.members(marker, marker + 1);
        &member[..member.len() - ":0,".len()]
    }
}

/// The rules to try at a key.
#[derive(Debug, Default)]
pub(crate) struct Anchors {
    /// The rules of word n are `of_words[word_starts[n]..word_starts[n + 1]]`: one list for all words, and two reads for each
    /// token that is an anchor. One number more than words.
    word_starts: Vec<u32>,
    of_words: Vec<Anchored>,
    /// The other keys, sorted, to be looked up by halves: they are few, and asked for only where one occurs.
    others: Vec<(Key, Vec<Anchored>)>,
}

impl Sensor {
    /// Compiles a protocol.
    ///
    /// # Errors
    /// `invalid_protocol` if a regular expression grows beyond the engine's limit. A protocol read from a file has been
    /// checked for that already.
    pub fn new(protocol: Protocol) -> Result<Self, Error> {
        Self::beside(protocol, &[])
    }

    /// Compiles a protocol that is sensed together with others, and shares with them what is equal.
    pub(crate) fn beside(protocol: Protocol, others: &[Self]) -> Result<Self, Error> {
        let known: Vec<_> = others.iter().flat_map(|other| &other.plan().regexes).cloned().collect();
        Plan::new(protocol, &known).map(|plan| Self::of(&Arc::new(plan)))
    }

    fn of(plan: &Arc<Plan>) -> Self {
        Self { handle: Arc::new(Handle { plan: Arc::clone(plan) }) }
    }

    /// The same sensor with another count of who holds it. Every reading holds its sensor, so threads that measure with one and the same
    /// take its count from each other twice for each reading, which costs each of them about as long as 100 bytes of text.
    pub(crate) fn apart(&self) -> Self {
        Self::of(&self.handle.plan)
    }

    /// How many of these there are, for tests.
    #[cfg(all(test, feature = "parallel"))]
    pub(crate) fn handles(&self) -> usize {
        Arc::strong_count(&self.handle.plan)
    }

    /// The protocol it was compiled from.
    pub fn protocol(&self) -> &Protocol {
        &self.plan().protocol
    }

    /// The digest of its protocol, see [`Protocol::digest`]; worked out once, since that writes and hashes the whole protocol.
    pub fn digest(&self) -> &str {
        let plan = self.plan();
        plan.digest.get_or_init(|| plan.protocol.digest())
    }

    /// Whether its protocol version is a draft, which can change.
    pub fn is_draft(&self) -> bool {
        self.plan().protocol.status == Status::Draft
    }

    /// The most steps that its lines take together for each word of a text, see [`Protocol::steps_per_word`]; worked out once.
    pub fn steps_per_word(&self) -> u64 {
        let plan = self.plan();
        *plan.steps_per_word.get_or_init(|| plan.protocol.steps_per_word())
    }

    /// The most characters (letters with their marks counted as one) that a guard holds back: a session with
    /// [`crate::SessionOptions::release`]. It is kept to for any text but within *a match in progress*: text that can still become a
    /// match of a masked line, and in which a word, a repetition without a limit or an address is longer than the bound
    /// reckons with; or a match that was found and waits for one that may overlap it.
    ///
    /// # Errors
    /// Why there is no bound: text waits until it has settled then.
    pub fn guard_bound(&self) -> Result<usize, Unbounded> {
        self.plan().guarded().bound()
    }

    /// Bytes its tables hold on the heap, regular expressions not counted.
    pub fn heap_bytes(&self) -> usize {
        let plan = self.plan();
        let programs = plan.rules.iter().map(|rule| match &rule.body {
            Body::Program(program) => program.ops.len() * size_of::<program::Op>(),
            _ => 0,
        });
        plan.vocabulary.heap_bytes()
            + plan.phrases.heap_bytes()
            + plan.lists.heap_bytes()
            + plan.tests.heap_bytes()
            + plan.anchors.heap_bytes()
            + plan.rules.len() * size_of::<Rule>()
            + programs.sum::<usize>()
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.handle.plan
    }
}

impl Plan {
    /// Compiles a protocol; expressions that are among the `known` are not read again.
    fn new(mut protocol: Protocol, known: &[Arc<Expression>]) -> Result<Self, Error> {
        let language = protocol.language.as_deref().and_then(language::find);
        let (mut compiler, mut rules) = rules::of(&protocol, language);
        if protocol.markers.iter().any(|m| m.heeds_negation()) {
            add_negation(&mut rules, &mut compiler, &protocol, language);
        }
        let (tests, exacts, regexes) = compiler.shared();
        let regexes: Result<Vec<_>, _> = regexes.iter().map(|regex| expression(regex, known)).collect();
        let regexes = regexes.map_err(|refusal| {
            Error::invalid("", format!("a regular expression cannot be compiled: {refusal:?}"))
        })?;
        let roles = role_names(&protocol);
        let companions = marker::companions(&protocol, &roles);
        let names_markers = protocol.markers.iter().any(|m| m.named_markers().next().is_some());
        // Without an order, judging takes the short way: most protocols name no markers.
        let order = if names_markers { judging_order(&protocol.markers) } else { Ok(Vec::new()) };
        let order = order.map_err(|_| Error::invalid("", "markers wait for each other"))?;
        let markers = marker::plans(&protocol, &roles);
        let checked = markers.iter().flat_map(|m| m.checked.iter().flatten());
        let checked = checked.fold(ClassSet::NONE, |set, class| set.with(*class));
        rules.shrink_to_fit();
        let unfolding = unfolding::unfolding(&protocol, language, &mut compiler.words);
        let (vocabulary, [phrases, lists], anchors, everywhere) = lay_out(compiler, &rules, language);
        protocol.forget_trees();
        let numbered = || (0..).zip(&rules);
        let weights_of = |pole| {
            let weights =
                || protocol.markers.iter().filter(|m| m.pole == pole).map(|m| m.importance.weight());
            Weights { sum: weights().sum(), largest: weights().max().unwrap_or(0) }
        };
        Ok(Self {
            steps_per_word: OnceLock::new(),
            digest: OnceLock::new(),
            has_masks: protocol.markers.iter().any(|m| m.mask.is_some()),
            has_places: protocol.markers.iter().any(|m| m.place.is_some()),
            all_ask: protocol.markers.iter().all(|m| m.ratio.is_some() || m.named_roles().next().is_some()),
            always: (0..)
                .zip(&protocol.markers)
                .filter(|(_, m)| m.can_stand_alone())
                .map(|(at, _)| at)
                .collect(),
            relates: marker::relates(&protocol),
            weights_for: weights_of(Pole::For),
            weights_against: weights_of(Pole::Against),
            silence: Silence::of(&protocol),
            joins: protocol.joins(),
            unfolding,
            language,
            script: language.map(|l| l.script),
            tests: tests::TokenTests::new(&tests, language.and_then(|l| l.stem)),
            exacts,
            regexes,
            reaches: OnceLock::new(),
            bounds: OnceLock::new(),
            guarded: OnceLock::new(),
            openers: OnceLock::new(),
            checked,
            class_words: language.map_or(Words::None, |l| Words::of(l.code)),
            classes: everywhere.classes,
            shout: everywhere.shout,
            everywhere: everywhere.rules,
            captures_widened: rules.iter().any(|rule| match &rule.body {
                Body::Program(program) => program.captures && rule.wide.is_some(),
                _ => false,
            }),
            has_programs: rules.iter().any(|rule| matches!(rule.body, Body::Program(_))),
            question_lines: numbered()
                .filter(|(_, rule)| matches!(rule.body, Body::Question))
                .map(|(at, _)| at)
                .collect(),
            regex_lines: numbered()
                .filter_map(
                    |(at, rule)| if let Body::Regex(regex) = rule.body { Some((at, regex)) } else { None },
                )
                .collect(),
            rules,
            vocabulary,
            phrases,
            lists,
            anchors,
            markers,
            companions,
            order,
            roles,
            protocol,
        })
    }

    /// How far the regular expressions can reach; `None` if their automaton is too large to be made.
    pub(crate) fn reaches(&self) -> Option<&Reaches> {
        self.reaches.get_or_init(|| Reaches::of(self.regexes.clone()).map(Arc::new)).as_deref()
    }

    /// Takes the automaton of another plan, if that has the same expressions in the same order.
    fn share_reaches(&self, other: &Self) {
        let both = || self.regexes.iter().zip(&other.regexes);
        if self.regexes.len() == other.regexes.len() && both().all(|(own, of)| Arc::ptr_eq(own, of)) {
            let shared = other.reaches.get_or_init(|| Reaches::of(other.regexes.clone()).map(Arc::new));
            let _ = self.reaches.set(shared.clone());
        }
    }

    /// Which of the regular expressions end where sentences do.
    pub(crate) fn bounds(&self) -> &Bounds {
        self.bounds.get_or_init(|| Bounds::of(&self.regexes))
    }

    /// Whether a turn that unfolds is read a second time with an eye to how it is written, so that a sentence without a disguise can
    /// say something else there: its fold is not what is written.
    pub(crate) fn looks_at_writing(&self) -> bool {
        self.unfolding.is_some() && (self.shout || !self.exacts.is_empty() || !self.regexes.is_empty())
    }

    /// What a guard watches.
    pub(crate) fn guarded(&self) -> &Guarded {
        self.guarded.get_or_init(|| Guarded::of(self))
    }

    /// The rules with a program, by what their matches can begin with.
    pub(crate) fn openers(&self) -> &Openers {
        self.openers.get_or_init(|| Openers::of(&self.rules))
    }

    /// A line of a marker by its number: its own lines, then those of `when` or of `to`, or those that other markers flip
    /// to it.
    pub(crate) fn line(&self, marker: u32, line: u32) -> &Line {
        let own = &self.protocol.markers[marker as usize];
        if let Some(line) = own.lines.get(line as usize) {
            return line;
        }
        let beyond = line as usize - own.lines.len();
        match self.markers[marker as usize].flipped.get(beyond) {
            Some((from, line)) => &self.protocol.markers[*from as usize].lines[*line as usize],
            None => match &self.markers[marker as usize].borrowed {
                Some(line) if beyond >= own.side_lines().len() => line,
                _ => &own.side_lines()[beyond],
            },
        }
    }

    /// The markers whose negated matches are evidence for this one.
    pub(crate) fn flips_from(&self, marker: u32) -> Vec<u32> {
        // Lines of one marker are neighbours, so each comes out once.
        let mut from: Vec<u32> =
            self.markers[marker as usize].flipped.iter().map(|(from, _)| *from).collect();
        from.dedup();
        from
    }

    /// An error if the protocol does not read interactions of that kind.
    pub(crate) fn check_modality(&self, modality: Modality) -> Result<(), Error> {
        if self.protocol.modalities.contains(&modality) {
            return Ok(());
        }
        let names: Vec<&str> = self.protocol.modalities.iter().map(|m| m.as_str()).collect();
        let message = format!(
            "the protocol `{}` reads {}, not {}",
            self.protocol.id,
            names.join(" or "),
            modality.as_str()
        );
        Err(Error::invalid("interaction", message))
    }

    /// The protocol's name of a role, however it is written; the folded role itself where the protocol has none.
    pub(crate) fn role_name(&self, role: &str) -> String {
        let folded = fold_role(role);
        self.roles.get(&folded).cloned().unwrap_or(folded)
    }
}

/// A regular expression, one of the `known` where it is among them.
fn expression(regex: &Regex, known: &[Arc<Expression>]) -> Result<Arc<Expression>, Refusal> {
    let pattern = regex.pattern();
    match known.iter().find(|known| known.as_str() == pattern) {
        Some(known) => Ok(Arc::clone(known)),
        None => Expression::new(&pattern).map(Arc::new),
    }
}

/// All cues are the phrases of one rule, so that at each place the longest wins; likewise pseudo-cues and stops. These rules are
/// added last, where `evidence/negation.rs` looks for their hits.
fn add_negation(
    rules: &mut Vec<Rule>,
    compiler: &mut Compiler,
    protocol: &Protocol,
    language: Option<&'static Language>,
) {
    let own = &protocol.negation;
    let of_language = language.map(|l| &l.negation);
    let groups = [
        (Owner::Cue, of_language.map(|n| n.cues), &own.cues),
        (Owner::NotCue, of_language.map(|n| n.not_cues), &own.not_cues),
        (Owner::Stop, of_language.map(|n| n.stops), &own.stops),
    ];
    for (owner, shared, own) in groups {
        let rule = rules.len() as u32;
        let shared = shared.unwrap_or_default().iter().map(|phrase| phrase.split(' ').collect::<Vec<_>>());
        let own = own.iter().map(|phrase| phrase.iter().map(String::as_str).collect());
        for phrase in shared.chain(own) {
            compiler.phrases.add(phrase.into_iter().map(|word| compiler.words.number(word)), rule);
        }
        rules.push(Rule {
            owner,
            body: Body::Phrases,
            taking: Taking::Apart,
            wide: None,
            twins: Box::default(),
        });
    }
}

/// What is left of the compiler beside its tables.
struct Rest {
    classes: ClassSet,
    shout: bool,
    rules: Vec<u32>,
}

fn lay_out(
    mut compiler: Compiler,
    rules: &[Rule],
    language: Option<&'static Language>,
) -> (Vocabulary, [phrases::Phrases; 2], Anchors, Rest) {
    // What later steps ask of a word is a bit of its number, so each token is looked up once and never compared with a list.
    for word in language.into_iter().flat_map(|l| l.function_words.iter()) {
        let number = compiler.words.number(word);
        compiler.words.mark(number, role::FUNCTION);
    }
    for word in language.into_iter().flat_map(Language::foreign_words) {
        let number = compiler.words.number(word);
        compiler.words.mark(number, role::FOREIGN);
    }
    for word in language.into_iter().flat_map(|l| l.abbreviations.iter()) {
        let number = compiler.words.number(word);
        compiler.words.mark(number, role::ABBREVIATION);
    }
    for word in language.into_iter().flat_map(|l| l.number_abbreviations.iter()) {
        let number = compiler.words.number(word);
        compiler.words.mark(number, role::NUMBER_ABBREVIATION);
    }
    // Signs of transcribers that something could not be heard. In Han they are unreadable as every word of ASCII is, and must
    // not count twice.
    let placeholders: &[&str] = match language {
        Some(language) if language.script == Script::Han => &[],
        _ => &["inaudible", "unintelligible", "indistinct", "crosstalk"],
    };
    for word in placeholders {
        let number = compiler.words.number(word);
        compiler.words.mark(number, role::PLACEHOLDER);
    }
    for word in compiler.phrases.single_words() {
        compiler.words.mark(word, role::PHRASE);
    }
    for (key, _) in &compiler.anchors {
        if let Key::Word(word) = key {
            compiler.words.mark(*word, role::ANCHOR);
        }
    }
    let mut lists = phrases::Builder::default();
    lists.reserve(compiler.lists.iter().map(Phrases::count).sum());
    for (number, list) in (0..).zip(&compiler.lists) {
        for phrase in list.iter() {
            let mut words = phrase.split(' ').map(|word| compiler.words.number(word)).peekable();
            let first = words.peek().copied();
            lists.add(words, number);
            first.into_iter().for_each(|first| compiler.words.mark(first, role::LIST));
        }
    }
    let words = compiler.words.len();
    let rest = Rest { classes: compiler.classes, shout: compiler.shout, rules: compiler.everywhere };
    let anchors = Anchors::new(compiler.anchors, words);
    let phrases = compiler.phrases.build(words, |rule| &rules[rule as usize].twins);
    let lists =
        if compiler.lists.is_empty() { phrases::Phrases::default() } else { lists.build(words, |_| &[]) };
    (compiler.words.build(), [phrases, lists], anchors, rest)
}

impl Anchors {
    fn new(mut all: Vec<(Key, Anchored)>, words: usize) -> Self {
        all.sort_unstable();
        all.dedup();
        let mut anchors = Self { word_starts: vec![0; words + 1], ..Self::default() };
        for (key, anchored) in all {
            match key {
                Key::Word(word) => {
                    anchors.of_words.push(anchored);
                    anchors.word_starts[word as usize + 1] = anchors.of_words.len() as u32;
                }
                other => match anchors.others.last_mut().filter(|(last, _)| *last == other) {
                    Some((_, of_key)) => of_key.push(anchored),
                    None => anchors.others.push((other, vec![anchored])),
                },
            }
        }
        anchors.of_words.shrink_to_fit();
        // Words without rules begin where the word before them ends.
        let mut last = 0;
        for start in &mut anchors.word_starts {
            last = last.max(*start);
            *start = last;
        }
        anchors
    }

    /// The rules to try where `key` occurs.
    pub(crate) fn at(&self, key: Key) -> &[Anchored] {
        match key {
            Key::Word(word) => {
                let word = word as usize;
                &self.of_words[self.word_starts[word] as usize..self.word_starts[word + 1] as usize]
            }
            other => self.at_other(other),
        }
    }

    /// The same for whatever is no word. Apart, so that the way of every word stays short.
    #[inline(never)]
    #[cfg_attr(small_build, optimize(speed))]
    fn at_other(&self, key: Key) -> &[Anchored] {
        match self.others.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(at) => &self.others[at].1,
            Err(_) => &[],
        }
    }

    fn heap_bytes(&self) -> usize {
        let anchored =
            self.of_words.len() + self.others.iter().map(|(_, of_key)| of_key.len()).sum::<usize>();
        4 * self.word_starts.len() + anchored * size_of::<Anchored>()
    }
}
