//! Protocols built by hand: every part with plain defaults, to be changed by struct update.

use sonometer::class;
use sonometer::diagnostic::Span;
use sonometer::interaction::{Interaction, Turn};
use sonometer::protocol::phrase::{Class, ExactWord, Pattern, Regex, WordKind, WordTest};
use sonometer::protocol::{
    Actants, Better, FidelityNeeds, Importance, Line, LineList, Marker, Modality, NegationMode,
    NegationRules, Pole, Protocol, Repeat, ScoreKind, Sgm, Status, Strengths, Taxonomy, Windows,
};
use sonometer::unit::Unit;

/// An English protocol that needs one word and one turn, and scores `any`.
pub fn protocol(markers: Vec<Marker>) -> Protocol {
    Protocol {
        id: "built".into(),
        name: "built".into(),
        version: "1.0".into(),
        sgm: Sgm::V1_0,
        status: Status::Published,
        taxonomy: Taxonomy::Signal,
        description: "Built for a test.".into(),
        language: Some("en".into()),
        modalities: vec![Modality::Text, Modality::Transcript],
        actants: Actants::default(),
        fidelity: FidelityNeeds { words: 1, turns: 1, roles: Vec::new(), sufficient: Unit::ZERO },
        score: ScoreKind::Any,
        better: Better::Higher,
        strengths: Strengths::default(),
        negation: NegationRules::default(),
        unfold: Vec::new(),
        temporal: Windows::default(),
        lists: Vec::new(),
        list_files: Vec::new(),
        markers,
        tests: Vec::new(),
    }
}

/// A marker *for* of low importance, `half` 1, `trigger` 0.5. Lines of the list `except` become its exclusions.
pub fn marker(label: &str, lines: Vec<Line>) -> Marker {
    let (except, lines) = lines.into_iter().partition(|line| line.list == LineList::Except);
    Marker {
        label: label.into(),
        description: String::new(),
        importance: Importance::Low,
        pole: Pole::For,
        by: Vec::new(),
        strengths: Strengths::default(),
        lines,
        except,
        negation: NegationMode::Keep,
        place: None,
        after: None,
        before: None,
        pair: None,
        echo: None,
        join: None,
        absence: None,
        ratio: None,
        repeat: Repeat::Halve,
        per: None,
        share: None,
        scope: None,
        bias: Unit::ZERO,
        half: Unit::ONE,
        trigger: Unit(500_000),
        mask: None,
        hints: Vec::new(),
        hit: Vec::new(),
        miss: Vec::new(),
    }
}

/// A line of a list, with a strength in millionths.
pub fn line(list: LineList, millionths: i64, pattern: Pattern) -> Line {
    let text = format!("{pattern:?}");
    Line::new(pattern, text, list, Unit(millionths), Span::default())
}

/// A line worth 1.
pub fn strong(pattern: Pattern) -> Line {
    line(LineList::Strong, 1_000_000, pattern)
}

/// A line worth 0.6.
pub fn clear(pattern: Pattern) -> Line {
    line(LineList::Clear, 600_000, pattern)
}

/// A line worth 0.3.
pub fn weak(pattern: Pattern) -> Line {
    line(LineList::Weak, 300_000, pattern)
}

/// A weighted line.
pub fn weigh(pattern: Pattern, millionths: i64) -> Line {
    line(LineList::Weigh, millionths, pattern)
}

/// An exclusion.
pub fn except(pattern: Pattern) -> Line {
    line(LineList::Except, 0, pattern)
}

fn test(kind: WordKind, folded: &str) -> Pattern {
    Pattern::Word(WordTest { kind, folded: folded.into() })
}

/// `word`; the word is given folded and in lower case.
pub fn word(folded: &str) -> Pattern {
    test(WordKind::Equal, folded)
}

/// `word*`.
pub fn prefix(folded: &str) -> Pattern {
    test(WordKind::Prefix, folded)
}

/// `word~`, given by its stem.
pub fn inflection(stem: &str) -> Pattern {
    test(WordKind::Inflection, stem)
}

/// `"Exact"`, with its folded word.
pub fn exact(original: &str, folded: &str) -> Pattern {
    Pattern::Exact(Box::new(ExactWord { folded: folded.into(), original: original.into() }))
}

/// `a b c`: plain words, one after the other; a single word stands alone.
pub fn words(text: &str) -> Pattern {
    let mut words: Vec<Pattern> = text.split(' ').map(word).collect();
    if words.len() == 1 { words.remove(0) } else { Pattern::Sequence(words.into()) }
}

/// One after the other.
pub fn sequence<const N: usize>(parts: [Pattern; N]) -> Pattern {
    Pattern::Sequence(parts.into())
}

/// `..n..`.
pub fn gap(max: u8) -> Pattern {
    Pattern::Gap { max }
}

/// `(a|b)`.
pub fn either<const N: usize>(choices: [Pattern; N]) -> Pattern {
    Pattern::Either(choices.into())
}

/// `x?`.
pub fn optional(inner: Pattern) -> Pattern {
    Pattern::Optional(Box::new(inner))
}

/// `{x}`.
pub fn capture(inner: Pattern) -> Pattern {
    Pattern::Capture(Box::new(inner))
}

/// `a &n b`.
pub fn near(left: Pattern, within: u8, right: Pattern) -> Pattern {
    Pattern::Near { left: Box::new(left), right: Box::new(right), within }
}

/// `<email>` and its kin.
pub fn class(class: class::Class) -> Pattern {
    Pattern::Class(Class::Detected(class))
}

/// `<shout>`.
pub fn shout() -> Pattern {
    Pattern::Class(Class::Shout)
}

/// `/re/`.
pub fn regex(source: &str) -> Pattern {
    Pattern::Regex(Regex { source: source.into(), ignore_case: false })
}

/// A plain text.
///
/// # Panics
/// Beyond the size limit of an interaction.
pub fn text(content: &str) -> Interaction {
    Interaction::text(content).expect("a short text")
}

/// A conversation of (role, content) without timestamps.
///
/// # Panics
/// Without turns or with an empty role.
pub fn talk(turns: &[(&str, &str)]) -> Interaction {
    let turns: Vec<(&str, &str, Option<i64>)> =
        turns.iter().map(|(role, said)| (*role, *said, None)).collect();
    timed_talk(&turns)
}

/// A conversation of (role, content, seconds).
///
/// # Panics
/// Without turns or with an empty role.
pub fn timed_talk(turns: &[(&str, &str, Option<i64>)]) -> Interaction {
    let turns = turns
        .iter()
        .map(|(role, said, seconds)| Turn {
            role: Some((*role).into()),
            content: (*said).into(),
            timestamp: seconds.map(|s| Unit(s * 1_000_000)),
        })
        .collect();
    Interaction::transcript(turns).expect("turns with roles")
}
