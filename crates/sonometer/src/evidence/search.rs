//! The search: what a protocol finds in the turns of an interaction, piece by piece. Sensing at once and sessions read by it.

use super::readings::{self, Desk, Manner};
use super::{Findings, Scene, Setting, window};
use crate::interaction::{Interaction, Turn, compose};
use crate::matcher::{Count, Hit, Piece, TurnText};
use crate::parting::each_piece;
use crate::sensor::Plan;
use crate::text::compose::Ways;
use std::cell::Cell;
use std::ops::Range;

/// What one protocol finds in an interaction, turn by turn, piece by piece.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    pub(crate) setting: Setting,
    /// All places are in composed turns; these lead back.
    pub(crate) ways: Ways,
    pub(crate) findings: Findings,
    /// Where the tokens of each turn begin and end, for windows.
    spans: Vec<Range<usize>>,
}

impl Search {
    pub(crate) fn new(plan: &Plan, interaction: &Interaction) -> Self {
        Self { setting: Setting::of(plan, interaction), ..Self::default() }
    }

    /// Takes what was found in one reading of a turn or of the next piece of it.
    #[inline]
    pub(crate) fn take(
        &mut self,
        plan: &Plan,
        turn: usize,
        manner: Manner,
        text: &TurnText<'_>,
        hits: &[Hit],
    ) {
        if manner == Manner::Written {
            self.setting.turns[turn].count += text.count;
            if !plan.joins.is_empty() {
                self.note_span(turn, text);
            }
        }
        let scene = Scene { turn, window: None, manner };
        self.findings.judge(plan, &self.setting, scene, text, hits);
    }

    fn note_span(&mut self, turn: usize, text: &TurnText<'_>) {
        self.spans.resize(self.spans.len().max(turn + 1), 0..0);
        let (all, own) = (&mut self.spans[turn], text.span());
        if !own.is_empty() {
            // Of a turn in pieces, from the first token of the first piece that has one to the last of the last.
            let start = if all.start == all.end { text.base + own.start } else { all.start };
            *all = start..text.base + own.end;
        }
    }

    /// Looks at what goes over several turns; then all candidates stand by marker, line and place.
    pub(crate) fn finish(&mut self, plan: &Plan, interaction: &Interaction, desk: &mut Desk) {
        let Self { setting, findings, spans, .. } = self;
        window::each(plan, interaction, setting, spans, |window, setting| {
            readings::each(plan, Piece::whole(&window.text), desk, |manner, text, hits| {
                let scene = Scene { turn: window.turn(), window: Some(window), manner };
                findings.judge(plan, setting, scene, text, hits);
            });
        });
        findings.settle(plan, setting);
    }

    /// Keeps what belongs to the last turn of a finished search.
    pub(crate) fn keep_last(&mut self, plan: &Plan) {
        let Self { setting, findings, .. } = self;
        let last = setting.turns.len().saturating_sub(1);
        let Findings { candidates, joined, .. } = findings;
        candidates.retain(|candidate| {
            let ends = joined.further(candidate).last().map_or(candidate.turn, |stretch| stretch.turn);
            let is_absence = plan.protocol.markers[candidate.marker as usize].absence.is_some();
            ends as usize == last && !is_absence
        });
        // Rates, shares and fidelity are those of the last turn by itself.
        setting.turns[..last].iter_mut().for_each(|turn| turn.count = Count::default());
        setting.only = Some(last);
    }
}

/// What several protocols find in an interaction, in its composed turns.
pub(crate) fn search_all(plans: &[&Plan], interaction: &Interaction) -> Vec<Search> {
    let composed = compose(interaction);
    let read = composed.as_ref().map_or(interaction, |(composed, _)| composed);
    let mut searches: Vec<Search> = plans.iter().map(|plan| Search::new(plan, read)).collect();
    at_desk(|desk| {
        for (turn, Turn { content, .. }) in read.turns().iter().enumerate() {
            each_piece(plans, content, |numbers, plans, piece| {
                readings::each_of(plans, piece, desk, |at, manner, text, hits| {
                    searches[numbers.map_or(at, |numbers| numbers[at])]
                        .take(plans[at], turn, manner, text, hits);
                });
            });
        }
        searches.iter_mut().zip(plans).for_each(|(search, plan)| search.finish(plan, read, desk));
    });
    if let Some((_, ways)) = composed {
        searches.iter_mut().for_each(|search| search.ways = ways.clone());
    }
    searches
}

/// The words of every turn, for each of several protocols.
pub(crate) fn counted(plans: &[&Plan], interaction: &Interaction) -> Vec<Setting> {
    let mut settings: Vec<Setting> = plans.iter().map(|plan| Setting::of(plan, interaction)).collect();
    let composed = compose(interaction);
    let read = composed.as_ref().map_or(interaction, |(composed, _)| composed);
    at_desk(|desk| {
        for (turn, Turn { content, .. }) in read.turns().iter().enumerate() {
            readings::count(plans, content, desk, |at, count| settings[at].turns[turn].count = count);
        }
    });
    settings
}

thread_local! {
    static DESK: Cell<Option<Box<Desk>>> = const { Cell::new(None) };
}

/// A thread keeps no more working memory than this, in bytes, from one interaction to the next: one long document must not make
/// each thread of a service hold what it needed. A desk with more is dropped, and the next one begins empty.
const MOST_KEPT: usize = 2 << 20;

/// Lends working memory. Each thread keeps its own from one interaction to the next, since short messages cost less than
/// the memory they need; what was there before shows in no reading.
pub(crate) fn at_desk<T>(work: impl FnOnce(&mut Desk) -> T) -> T {
    // Taken and not borrowed, so that sensing within sensing, or in a thread that ends, finds none and works on a new one.
    let mut desk = DESK.try_with(Cell::take).ok().flatten().unwrap_or_default();
    let result = work(&mut desk);
    if desk.heap_bytes() <= MOST_KEPT {
        let _ = DESK.try_with(|kept| kept.set(Some(desk)));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Protocol, Sensor};
    use proptest::prelude::*;

    /// What is found where each turn is read as a whole.
    fn search_whole(plan: &Plan, interaction: &Interaction) -> Search {
        let mut search = Search::new(plan, interaction);
        at_desk(|desk| {
            for (turn, Turn { content, .. }) in interaction.turns().iter().enumerate() {
                readings::each(plan, Piece::whole(content), desk, |manner, text, hits| {
                    search.take(plan, turn, manner, text, hits);
                });
            }
            search.finish(plan, interaction, desk);
        });
        search
    }

    /// Lines of a marker, further keys of the protocol, and what texts are made of beside gaps and ends of sentences.
    const CASES: &[(&str, &str, &[&str])] = &[
        (r#"["pay now", "so _"]"#, "", &["pay ", "now", "so", "not "]),
        (r#"["/x[ .]+y/", "/y\\b/", "/(?m)^z$/"]"#, "", &["x", "y", "z", "x y"]),
        (r#"["/x[^q]*y/", "/z.{0,30}z/"]"#, "", &["x", "y", "q", "zz"]),
        (r#"["/x.*?y|xz/", "/(?s)q.{2,40}q/"]"#, "", &["x", "y", "z", "q"]),
        (
            r#"["/(?i)[a-z]+\\s*[.!?]+\\s*(?<place>YOU)/", "/(?:no\\W+){2,}/"]"#,
            "",
            &["you", "YOU ", "no", "no "],
        ),
        (r#"["/\\*[^*\\n]+\\*/", "/\\?[^?]*\\?/"]"#, "", &["*", "a*", "? ", "b"]),
        (
            r#"["/\\d+ (?:[a-z]+[.,]? )+(?<place>street)/", "<number>", "<money>"]"#,
            "",
            &["12 ", "main ", "street", "$ ", "five "],
        ),
        (
            r#"["<date>", "<phone>", "<email>", "<url>", "<percent>"]"#,
            "",
            &["Jan. ", "5", "555-010-2030", "b@x.org", "www.a.cn/", " per ", "%"],
        ),
        (
            r#"["<pan>", "<iban>", "<ssn>"]"#,
            "",
            &["4111 1111 ", "1111 1111", "DE89 3704 0044 0532 0130", " 00", "123-45-6789"],
        ),
        (r#"["<shout>", "<question>", "<start> so", "now <end>"]"#, "", &["SO", "so", "now", "PAY "]),
        (
            r#"["/p.{0,9}y/", "\"Pay\"", "kill"]"#,
            r#""unfold": ["leet", "repeats", "spaced_letters"],"#,
            &["p4y", "Pay", "k!ll", "p.a.y", "kiiill"],
        ),
        (
            r#"["/[.!?]\\s*n.w/", "<money>", "so"]"#,
            r#""unfold": ["leet", "confusables", "spoken_digits"],"#,
            &["n0w", "s0", "five ", "$ ", "”"],
        ),
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn pieces_have_what_the_whole_has(
            case in 0..CASES.len(),
            parts in prop::collection::vec((0..8_usize, prop::sample::select(vec![
                " ", " ", "a ", "word ", ". ", ". ", "! ", "? ", "\n", "\n\n", ", ", "... ", "。", " It ", ".\" ", "é ", "’", "a long way to go ",
            ])), 0..60),
        ) {
            let (lines, top, words) = CASES[case];
            let text: String = parts.iter().flat_map(|(word, gap)| [words.get(*word).copied().unwrap_or("so "), *gap]).collect();
            let source = format!(
                r#"{{"sonometer": 1, "id": "x", "version": "1.0", "taxonomy": "Signal", "language": "en", {top}
                "markers": [{{"label": "m", "negation": "drop", "mask": "all", "strong": {lines}}}]}}"#
            );
            let sensor = Sensor::new(Protocol::read(&source).expect("is sound").0).expect("compiles");
            let interaction = Interaction::text(&text).expect("is short");
            let whole = search_whole(sensor.plan(), &interaction);
            let pieces = search_all(&[sensor.plan()], &interaction).remove(0);
            prop_assert_eq!(&pieces.findings.candidates, &whole.findings.candidates, "{:?}", text);
            let turns = |search: &Search| format!("{:?}", search.setting.turns);
            prop_assert_eq!(turns(&pieces), turns(&whole), "{:?}", text);
        }
    }
}
