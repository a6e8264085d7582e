//! What judging and measuring need to know of a marker, apart from its rules.

use crate::class::Class;
use crate::diagnostic::Span;
use crate::protocol::phrase::{self, Pattern, WordKind, WordTest};
use crate::protocol::{
    Companion, Line, LineList, Marker, NegationMode, Place, Protocol, RatioTo, Reach, Repeat,
};
use crate::text::fold::fold_role;
use crate::unit::Unit;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A marker as its candidates are judged.
#[derive(Debug)]
pub(crate) struct MarkerPlan {
    /// The names of `by`, as in [`super::Plan::roles`]; empty: every turn.
    pub(crate) by: Vec<String>,
    /// The names of the share's side.
    pub(crate) share_by: Vec<String>,
    /// The names of those who start the clock, or whose turns count in a ratio.
    pub(crate) side_by: Vec<String>,
    /// The names of those whose words can be echoed.
    pub(crate) echo_of: Vec<String>,
    pub(crate) heeds_negation: bool,
    /// Whether more of the interaction can only add to it: once it has triggered, it stays so.
    pub(crate) only_rises: bool,
    pub(crate) place: Option<Place>,
    pub(crate) repeat: Repeat,
    /// What must be said before a match, after it, and to complete it: numbers of companions.
    pub(crate) after: Option<u32>,
    pub(crate) before: Option<u32>,
    pub(crate) pair: Option<u32>,
    /// The companion whose sentences can be echoed, where `echo` names markers.
    pub(crate) echo: Option<u32>,
    /// The markers whose counted matches start the clock, and the line that their matches are counted under. Its number is
    /// that behind the marker's own lines and those of `when`, see [`super::Plan::line`].
    pub(crate) started_by: Vec<u32>,
    pub(crate) borrowed: Option<Line>,
    /// The marker that negated matches are evidence for, and the number that this marker's first line has there: behind that
    /// marker's own lines and those of all markers that flip to it earlier in the file.
    pub(crate) flips_to: Option<(u32, u32)>,
    /// The lines (marker, line) whose negated matches are evidence for this one, in the order of their numbers.
    pub(crate) flipped: Vec<(u32, u32)>,
    /// The markers of a ratio: what is counted, and for what.
    pub(crate) ratio_of: Option<u32>,
    pub(crate) ratio_to: Option<u32>,
    /// The lines with a gap that can swallow a cue of negation, in order, and what each means once a match has asked; none unless negation
    /// is looked at.
    pub(crate) gapped: Vec<(u32, OnceLock<Box<Pattern>>)>,
    /// By line: the checked class the line consists of, for near misses.
    pub(crate) checked: Vec<Option<Class>>,
    /// By line: the least number of tokens it can match.
    pub(crate) least: Vec<u32>,
}

/// What is asked of a companion: something said before or behind a match.
#[derive(Debug)]
pub(crate) struct CompanionPlan {
    /// The names of those who can say it; empty: anybody.
    pub(crate) by: Vec<String>,
    pub(crate) within: Reach,
    /// The markers whose counted matches it is.
    pub(crate) markers: Vec<u32>,
    /// Whether it stands before a match: of a match over several turns the last stretch counts, else the first.
    pub(crate) is_before: bool,
}

/// The plans of all markers.
pub(super) fn plans(protocol: &Protocol, roles: &BTreeMap<String, String>) -> Vec<MarkerPlan> {
    // Companions are numbered as `companions` below lists them: those of all markers first, then those of echoes. The rules of the
    // first kind are numbered by the same list (`Plan::new`); an echo has no lines of its own.
    let mut companions = 0..;
    let mut plans: Vec<MarkerPlan> = protocol
        .markers
        .iter()
        .map(|marker| {
            let mut plan = MarkerPlan::new(marker, roles);
            // In the order of `Marker::companions`.
            plan.after = marker.after.as_ref().and_then(|_| companions.next());
            plan.before = marker.before.as_ref().and_then(|_| companions.next());
            plan.pair = marker.pair.as_ref().and_then(|_| companions.next());
            plan
        })
        .collect();
    let number = |label: &str| protocol.markers.iter().position(|m| m.label == label).map(|at| at as u32);
    for (from, marker) in protocol.markers.iter().enumerate() {
        let echo = marker.echo.as_ref().filter(|echo| !echo.markers.is_empty());
        plans[from].echo = echo.and_then(|_| companions.next());
        if let Some(when) = marker.absence.as_ref().and_then(|absence| absence.when.as_ref()) {
            plans[from].started_by = when.markers.iter().filter_map(|label| number(label)).collect();
            plans[from].borrowed = (!when.markers.is_empty()).then(|| borrowed(&when.markers));
        }
        if let NegationMode::Flip(label) = &marker.negation
            && let Some(to) = number(label)
        {
            // Its negative lines take evidence away from the other marker when they are negated.
            let falls = marker.lines.iter().any(|line| line.strength < Unit::ZERO);
            let target = &mut plans[to as usize];
            target.only_rises &= !falls;
            let first = protocol.markers[to as usize].lines.len() + target.flipped.len();
            target.flipped.extend((0..marker.lines.len() as u32).map(|line| (from as u32, line)));
            plans[from].flips_to = Some((to, first as u32));
        }
        if let Some(ratio) = &marker.ratio {
            plans[from].ratio_of = number(&ratio.of);
            plans[from].ratio_to = match &ratio.to {
                RatioTo::Marker(label) => number(label),
                RatioTo::Lines(_) => None,
            };
        }
    }
    plans
}

/// The companions of all markers, in the order of their numbers: those of `Marker::companions`, then what echoes name.
pub(super) fn companions(protocol: &Protocol, roles: &BTreeMap<String, String>) -> Vec<CompanionPlan> {
    let number = |label: &String| protocol.markers.iter().position(|m| m.label == *label).map(|at| at as u32);
    let plan = |by: &[String], within: Reach, markers: &[String], is_before: bool| CompanionPlan {
        by: resolve(roles, by),
        within,
        markers: markers.iter().filter_map(number).collect(),
        is_before,
    };
    let own = protocol.markers.iter().flat_map(|marker| {
        let after = marker.after.as_ref();
        marker.companions().map(move |said| (said, after.is_some_and(|after| std::ptr::eq(after, said))))
    });
    let own = own.map(|(said, is_before)| plan(&said.by, said.within, &said.markers, is_before));
    let echoes = protocol.markers.iter().filter_map(|marker| marker.echo.as_ref());
    let echoes = echoes.filter(|echo| !echo.markers.is_empty());
    own.chain(echoes.map(|echo| plan(&echo.of, Reach::Turns(echo.within), &echo.markers, false))).collect()
}

/// The line of an absent marker that stands for the matches of other markers.
fn borrowed(markers: &[String]) -> Line {
    // Its pattern is never looked for: a line needs one, and a ledger shows `text`.
    let folded = markers.join(", ");
    let text = format!("marker {folded}");
    let pattern = Pattern::Word(WordTest { kind: WordKind::Equal, folded: folded.into() });
    Line::new(pattern, text, LineList::When, Unit::ZERO, Span::default())
}

/// What must be kept of the turns.
pub(super) fn relates(protocol: &Protocol) -> super::Relates {
    let mut relates = super::Relates::default();
    for marker in &protocol.markers {
        let is_near =
            |companion: &Companion| matches!(companion.within, Reach::Words(_) | Reach::Sentences(_));
        let flips = matches!(marker.negation, NegationMode::Flip(_));
        relates.any |= flips || marker.echo.is_some() || marker.companions().next().is_some();
        relates.any |= marker.named_markers().next().is_some();
        relates.words |= marker.echo.is_some();
        relates.layout |= marker.echo.is_some() || marker.companions().any(is_near);
    }
    relates
}

impl MarkerPlan {
    fn new(marker: &Marker, roles: &BTreeMap<String, String>) -> Self {
        let by = resolve(roles, &marker.by);
        let share_by = marker.share.as_ref().map_or_else(Vec::new, |s| resolve(roles, &s.by));
        let when_by = marker.absence.iter().flat_map(|absence| &absence.when).map(|when| &when.by);
        let side_by = when_by.chain(marker.ratio.iter().map(|ratio| &ratio.by)).next();
        let heeds_negation = marker.heeds_negation();
        let lines = if heeds_negation { &marker.lines[..] } else { &[] };
        let has_gap = |line: &Line| line.tree().is_some_and(|tree| phrase::has_gap(&tree));
        let gapped = (0..).zip(lines).filter(|(_, line)| has_gap(line)).map(|(at, _)| (at, OnceLock::new()));
        let checked = marker.lines.iter().map(|line| match line.tree().as_deref() {
            Some(Pattern::Class(phrase::Class::Detected(class))) if class.is_checked() => Some(*class),
            _ => None,
        });
        Self {
            share_by: if share_by.is_empty() { by.clone() } else { share_by },
            by,
            side_by: side_by.map_or_else(Vec::new, |by| resolve(roles, by)),
            echo_of: marker.echo.as_ref().map_or_else(Vec::new, |echo| resolve(roles, &echo.of)),
            heeds_negation,
            only_rises: marker.per.is_none()
                && marker.share.is_none()
                && marker.scope.is_none()
                && marker.lines.iter().all(|line| line.strength >= Unit::ZERO),
            place: marker.place,
            repeat: marker.repeat,
            after: None,
            before: None,
            pair: None,
            echo: None,
            started_by: Vec::new(),
            borrowed: None,
            flips_to: None,
            flipped: Vec::new(),
            ratio_of: None,
            ratio_to: None,
            gapped: gapped.collect(),
            checked: checked.collect(),
            least: marker.lines.iter().map(|line| line.least_tokens()).collect(),
        }
    }
}

/// Role names as the protocol calls them.
fn resolve(roles: &BTreeMap<String, String>, names: &[String]) -> Vec<String> {
    names.iter().map(|name| roles.get(&fold_role(name)).cloned().unwrap_or_else(|| name.clone())).collect()
}
