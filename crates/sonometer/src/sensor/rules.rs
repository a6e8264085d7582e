//! The rules of a protocol: one for each line, in the order in which hits are judged; a line that stands in several markers, mostly a list,
//! is compiled and looked for once.

use super::compile::{Body, Compiler};
use super::{Owner, Rule, Taking};
use crate::language::Language;
use crate::names::fingerprint;
use crate::protocol::phrase::{Pattern, widen};
use crate::protocol::{Line, Protocol};
use crate::unit::Unit;

/// A line and whose it is.
#[derive(Clone, Copy)]
struct Owned<'p> {
    owner: Owner,
    line: &'p Line,
    taking: Taking,
    /// Whether it is looked for with its gap widened, too.
    is_widened: bool,
}

/// The rules of the lines of a protocol, and what was collected for them.
pub(super) fn of(protocol: &Protocol, language: Option<&'static Language>) -> (Compiler, Vec<Rule>) {
    let lines = lines(protocol);
    let first = first_alike(&lines);
    let mut compiler = Compiler::new(language);
    // Most lines are one phrase. Growing to that size would leave as much memory behind again.
    compiler.phrases.reserve(lines.len());
    let mut rules: Vec<Rule> = Vec::with_capacity(lines.len());
    // By line: its rule, which is not its number, as a widened line has two.
    let mut numbers: Vec<u32> = Vec::with_capacity(lines.len());
    let mut twins: Vec<(u32, u32)> = Vec::new();
    for (&Owned { owner, line, taking, is_widened }, first) in lines.iter().zip(first) {
        let rule = rules.len() as u32;
        // The text says what a pattern is, but the pattern decides.
        let alike = numbers.get(first as usize).filter(|_| lines[first as usize].line.tree() == line.tree());
        let is_whole = matches!(line.tree().as_deref(), Some(Pattern::Question | Pattern::Regex(_)));
        let body = match (alike, line.tree().as_deref()) {
            (Some(first), _) if !is_whole => {
                twins.push((*first, rule));
                Body::Twin(*first)
            }
            (_, None) => compiler.phrase(rule, &line.text),
            (_, Some(pattern)) => {
                let widened = is_widened.then(|| widen(pattern));
                compiler.rule(rule, pattern, widened.as_ref())
            }
        };
        // These lie apart as they are found. A rule that chose among them again would drop matches of an expression that share
        // a token.
        let taking = if is_whole { Taking::All } else { taking };
        numbers.push(rule);
        rules.push(Rule { owner, body, taking, wide: is_widened.then_some(rule + 1), twins: Box::default() });
        if let (true, Owner::Line { marker, line }) = (is_widened, owner) {
            // It has no program: the run of the line itself goes on beyond its gap (`matcher/run.rs`), and files what it finds
            // there under this rule, the next number.
            let owner = Owner::Wide { marker, line };
            rules.push(Rule { owner, body: Body::Phrases, taking, wide: None, twins: Box::default() });
        }
    }
    // By the rule they are like, and in their order, as rules are numbered in it.
    twins.sort_unstable();
    for alike in twins.chunk_by(|a, b| a.0 == b.0) {
        rules[alike[0].0 as usize].twins = alike.iter().map(|(_, twin)| *twin).collect();
    }
    (compiler, rules)
}

/// All lines in the order of their rules.
fn lines(protocol: &Protocol) -> Vec<Owned<'_>> {
    let mut all = Vec::with_capacity(protocol.markers.iter().map(|marker| marker.lines.len()).sum());
    let mut add = |owner, line, taking| {
        let is_widened = is_widened(owner, line);
        all.push(Owned { owner, line, taking, is_widened });
    };
    let mut companions = 0;
    for (marker, m) in protocol.markers.iter().enumerate() {
        let marker = marker as u32;
        // Lines are numbered from 0, those of `when` and `to` behind them; [`super::Plan::line`] reads the numbers back.
        for (line, l) in (0..).zip(m.lines.iter().chain(m.side_lines())) {
            add(Owner::Line { marker, line }, l, Taking::Apart);
        }
        // Of exclusions and companions every start counts: what is excluded, or said nearby, must not depend on what another
        // match of the line consumed.
        for l in &m.except {
            add(Owner::Except { marker }, l, Taking::EveryStart);
        }
        for companion in m.companions() {
            for l in &companion.lines {
                add(Owner::Companion(companions), l, Taking::EveryStart);
            }
            companions += 1;
        }
    }
    all
}

/// Whether an evidence line is looked for with its only gap widened, for near misses. Only evidence for a marker can be nearly missed;
/// and only with one gap is it clear which one was too long.
fn is_widened(owner: Owner, line: &Line) -> bool {
    matches!(owner, Owner::Line { .. }) && line.strength > Unit::ZERO && line.gaps() == 1
}

/// By line: the number of the first one with the same text, its own where it is the first. Sorted by a number made of the text, which
/// is quick, and by the text where that is the same: no choice of lines makes it slow, as it could a hash table.
fn first_alike(lines: &[Owned<'_>]) -> Vec<u32> {
    let text = |at: u32| (&*lines[at as usize].line.text, lines[at as usize].is_widened);
    let mut order: Vec<(u64, u32)> =
        (0..).zip(lines).map(|(at, owned)| (fingerprint(owned.line.text.as_bytes()), at)).collect();
    order.sort_unstable();
    let mut first: Vec<u32> = (0..lines.len() as u32).collect();
    for group in order.chunk_by_mut(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
        group.sort_unstable_by(|a, b| text(a.1).cmp(&text(b.1)).then(a.1.cmp(&b.1)));
        for alike in group.chunk_by(|a, b| text(a.1) == text(b.1)) {
            alike.iter().for_each(|(_, at)| first[*at as usize] = alike[0].1);
        }
    }
    first
}
