//! Who found the same spans, and why not: a table of its own, since a fast engine that finds other things is no peer.

use crate::corpus::Corpus;
use crate::peers::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Spans of the turns of a corpus: number of the turn, and the span.
pub type Spans = BTreeSet<(usize, Span)>;

/// How two engines compare on a set.
#[derive(Clone, Debug)]
pub struct Parity {
    /// The set.
    pub set: String,
    /// The two engines.
    pub engines: [String; 2],
    /// Found by both.
    pub both: usize,
    /// Found by one of them only, by the reason.
    pub only: [BTreeMap<&'static str, usize>; 2],
    /// Differences that nothing explains. There must be none.
    pub unexplained: Vec<String>,
}

/// The reason for a difference, where there is one.
pub type Reason = fn(text: &str, span: &Span, of_the_other: &[Span]) -> Option<&'static str>;

impl Parity {
    /// Compares spans; `reasons` say why the other engine lacks one, first and second engine.
    pub fn of(
        set: &str,
        engines: [&str; 2],
        corpus: &Corpus,
        spans: [&Spans; 2],
        reasons: [Reason; 2],
    ) -> Self {
        let turns: Vec<&str> = corpus.turns().collect();
        let mut parity = Self {
            set: set.to_owned(),
            engines: engines.map(str::to_owned),
            both: spans[0].intersection(spans[1]).count(),
            only: Default::default(),
            unexplained: Vec::new(),
        };
        for (at, other) in [(0, 1), (1, 0)] {
            for (turn, span) in spans[at].difference(spans[other]) {
                let first = Span { phrase: 0, start: 0, end: 0 };
                let in_turn = spans[other].range((*turn, first)..(*turn + 1, first));
                let in_turn: Vec<Span> = in_turn.map(|(_, span)| *span).collect();
                match reasons[at](turns[*turn], span, &in_turn) {
                    Some(reason) => *parity.only[at].entry(reason).or_default() += 1,
                    None => {
                        let text = &turns[*turn][span.start..span.end];
                        parity.unexplained.push(format!("set {set}: only {} found {text:?}", engines[at]));
                    }
                }
            }
        }
        parity
    }
}

/// The spans without the numbers of their phrases: for engines that do not tell which it was.
pub fn places(spans: &Spans) -> Spans {
    spans.iter().map(|(turn, span)| (*turn, Span { phrase: 0, ..*span })).collect()
}

/// No difference is explained.
pub fn none(_: &str, _: &Span, _: &[Span]) -> Option<&'static str> {
    None
}

/// The other engine reports only what does not overlap.
pub fn overlaps(_: &str, span: &Span, others: &[Span]) -> Option<&'static str> {
    let over = |other: &&Span| other.start < span.end && span.start < other.end;
    others.iter().find(over).map(|_| "overlaps another match")
}

/// The other engine reports another beginning or end of the same rule there.
pub fn same_rule(_: &str, span: &Span, others: &[Span]) -> Option<&'static str> {
    let over =
        |other: &&Span| other.phrase == span.phrase && other.start < span.end && span.start < other.end;
    others.iter().find(over).map(|_| "other bounds of the same rule")
}

/// For what is written in two languages: other bounds, or words, stems and sentences that the two see otherwise.
pub fn other_reading(text: &str, span: &Span, others: &[Span]) -> Option<&'static str> {
    same_rule(text, span, others).or(Some("words, stems or sentences seen otherwise"))
}

/// Heads and rows of some comparisons.
pub struct ParityTable<'p>(pub &'p [Parity]);

impl fmt::Display for ParityTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| set | first | second | both | first only | second only | unexplained |")?;
        writeln!(f, "|---|---|---|---:|---|---|---:|")?;
        for parity in self.0 {
            let [first, second] = parity.only.each_ref().map(|reasons| {
                let reasons: Vec<String> =
                    reasons.iter().map(|(why, count)| format!("{count} {why}")).collect();
                if reasons.is_empty() { "-".to_owned() } else { reasons.join(", ") }
            });
            let [one, two] = &parity.engines;
            let (set, both, unexplained) = (&parity.set, parity.both, parity.unexplained.len());
            writeln!(f, "| {set} | {one} | {two} | {both} | {first} | {second} | {unexplained} |")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::Interaction;

    #[test]
    fn differences_are_counted_by_their_reason() {
        let interactions = vec![Interaction::text("one two three").expect("is short")];
        let corpus = Corpus { source: "a test", interactions };
        let span = |phrase, start, end| (0, Span { phrase, start, end });
        let (ours, theirs) = ([span(0, 0, 3), span(1, 4, 7)].into(), [span(0, 0, 3), span(1, 4, 13)].into());
        let parity = Parity::of("x", ["a", "b"], &corpus, [&ours, &theirs], [same_rule, none]);
        assert_eq!(parity.both, 1);
        assert_eq!(parity.only[0].values().sum::<usize>(), 1);
        assert_eq!(parity.unexplained, ["set x: only b found \"two three\""]);
    }
}
