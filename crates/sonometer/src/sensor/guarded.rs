//! What a guard watches of a protocol: the lines whose matches are masked, and those that take their masks away. Whether a text
//! may be shown depends on nothing else.

use super::Plan;
use super::bound::most_held;
use crate::protocol::phrase::{Class, Pattern};
use crate::protocol::{Line, Marker, NegationMode, Protocol};
use std::fmt;

/// What a guard has to know of a protocol.
#[derive(Debug)]
pub(crate) enum Guarded {
    /// Nothing is masked: every text may be shown.
    Nothing,
    /// The lines that decide about masks, with the numbers that markers and lines have in the whole protocol, and the most
    /// characters that they hold back.
    Lines(Box<Plan>, Result<usize, Unbounded>),
    /// Where masks lie is known when a sentence is.
    Sentences(Unbounded),
}

/// Why a guard holds text back for as long as a sentence takes, or longer: [`crate::Sensor::guard_bound`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unbounded {
    /// The protocol undoes disguises (`unfold`), which may begin far before what they hide.
    Unfold,
    /// The masked marker of that label is looked for over several turns (`join`).
    Join(String),
    /// A line of that masked marker has `<shout>`: a run of capitals ends with its sentence.
    Shout(String),
    /// A line of that masked marker has `<question>`: what a question is shows at its end.
    Question(String),
    /// Negated matches of other markers belong to that masked marker (`negation: flip`), and negation is known with the sentence.
    Flip(String),
    /// A regular expression of that masked marker asks for the edges of words beyond ASCII (`\b`).
    Boundary(String),
    /// The regular expressions of the masked markers are too large together to be followed.
    Expressions,
}

impl fmt::Display for Unbounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfold => f.write_str(
                "`unfold` is set, so text is held back to the end of its sentence; put masked markers into a protocol without `unfold`",
            ),
            Self::Join(label) => write!(
                f,
                "the masked marker `{label}` has `join`, so text is held back for the turns that may follow; remove its \
                 `join` or its `mask`"
            ),
            Self::Shout(label) => write!(
                f,
                "a line of the masked marker `{label}` has `<shout>`, so text is held back to the end of its sentence; \
                 move `<shout>` to a marker without `mask`"
            ),
            Self::Question(label) => write!(
                f,
                "a line of the masked marker `{label}` has `<question>`, so text is held back to the end of its \
                 sentence; move `<question>` to a marker without `mask`"
            ),
            Self::Flip(label) => write!(
                f,
                "negated matches of another marker count for the masked marker `{label}`, so text is held back to the \
                 end of its sentence; write `negation: drop` in the other, or remove `mask` here"
            ),
            Self::Boundary(label) => write!(
                f,
                "a regular expression of the masked marker `{label}` has `\\b`, so text beyond ASCII is held back to \
                 the end of its sentence; write `(?-u:\\b)`"
            ),
            Self::Expressions => f.write_str(
                "the regular expressions of the masked markers are too large together, so text is held back to the end \
                 of its turn; shorten them",
            ),
        }
    }
}

impl Guarded {
    /// What a guard watches of the protocol of a plan.
    pub(super) fn of(whole: &Plan) -> Self {
        let protocol = &whole.protocol;
        if protocol.markers.iter().all(|marker| marker.mask.is_none()) {
            return Self::Nothing;
        }
        if let Some(reason) = waits(protocol) {
            return Self::Sentences(reason);
        }
        // A plan of its own: it is asked with each chunk, and the fewer lines and classes it has, the less there is to ask.
        let plan = Plan::new(decisive(protocol), &whole.regexes).inspect(|plan| plan.share_reaches(whole));
        match plan {
            Ok(plan) if plan.regexes.is_empty() || plan.reaches().is_some() => {
                let bound = most_held(&plan.protocol);
                Self::Lines(Box::new(plan), bound)
            }
            _ => Self::Sentences(Unbounded::Expressions),
        }
    }

    /// The most characters that are held back outside of a match in progress.
    pub(crate) fn bound(&self) -> Result<usize, Unbounded> {
        match self {
            // A letter may still get a mark.
            Self::Nothing => Ok(1),
            Self::Lines(_, bound) => bound.clone(),
            Self::Sentences(reason) => Err(reason.clone()),
        }
    }
}

/// Why the masks of a protocol depend on more than the text around them.
fn waits(protocol: &Protocol) -> Option<Unbounded> {
    if !protocol.unfold.is_empty() {
        return Some(Unbounded::Unfold);
    }
    let flips_to = |label: &String| {
        protocol.markers.iter().any(|other| other.negation == NegationMode::Flip(label.clone()))
    };
    protocol.markers.iter().filter(|marker| marker.mask.is_some()).find_map(|marker| {
        let has =
            |wanted: &dyn Fn(&Pattern) -> bool| masked_lines(marker).any(|l| holds(&l.pattern(), wanted));
        let label = || marker.label.clone();
        if marker.join.is_some() {
            Some(Unbounded::Join(label()))
        } else if flips_to(&marker.label) {
            Some(Unbounded::Flip(label()))
        } else if has(&|part| *part == Pattern::Class(Class::Shout)) {
            Some(Unbounded::Shout(label()))
        } else if has(&|part| *part == Pattern::Question) {
            Some(Unbounded::Question(label()))
        } else {
            None
        }
    })
}

/// The lines of a marker that decide what is masked.
pub(super) fn masked_lines(marker: &Marker) -> impl Iterator<Item = &Line> {
    marker.lines.iter().chain(marker.side_lines()).chain(&marker.except)
}

/// Whether some part of a pattern is wanted.
fn holds(pattern: &Pattern, wanted: &dyn Fn(&Pattern) -> bool) -> bool {
    wanted(pattern)
        || match pattern {
            Pattern::Sequence(items) | Pattern::Either(items) => items.iter().any(|item| holds(item, wanted)),
            Pattern::Optional(inner) | Pattern::Capture(inner) => holds(inner, wanted),
            Pattern::Near { left, right, .. } => holds(left, wanted) || holds(right, wanted),
            _ => false,
        }
}

/// The protocol with nothing in it but what decides about masks. Markers without a mask stay, emptied: candidates name markers by
/// number, and those of the guard must be those of the session.
fn decisive(protocol: &Protocol) -> Protocol {
    let mut decisive = protocol.clone();
    for marker in &mut decisive.markers {
        // Roles, places, companions and negation make a match no evidence, and no less private: its mask stays.
        marker.negation = NegationMode::Keep;
        (marker.place, marker.after, marker.before) = (None, None, None);
        (marker.pair, marker.echo) = (None, None);
        if let Some(when) = marker.absence.as_mut().and_then(|absence| absence.when.as_mut()) {
            when.markers.clear();
        }
        if marker.mask.is_none() {
            marker.lines.clear();
            marker.except.clear();
            (marker.absence, marker.ratio, marker.join) = (None, None, None);
        }
    }
    decisive
}
