//! A stretch of a turn that is read by itself: what is found to its left does not depend on what stands to its right, nor the
//! other way round (`parting` cuts only where that holds). A turn that is read at once is one piece.

use crate::expression::{Characters, Expression, Seen};
use std::ops::Range;

/// A piece with what stands around it. Two pieces share the gap between them, since both ask what it holds: patterns may
/// begin or end with a mark (`$`, `!`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'t> {
    /// The whole gap before its first token, its tokens, and the whole gap behind its last one.
    pub(crate) text: &'t str,
    /// Bytes of the turn before `text`.
    pub(crate) base: usize,
    /// Where the piece begins in `text`: behind the white space that parts it from the one before.
    pub(crate) from: usize,
    /// Where the next one begins.
    pub(crate) to: usize,
    /// `text` and everything that is known to follow. Regular expressions look there: a match that begins in the piece may need what
    /// stands behind it (`\b`, `$`), though none reaches over its end.
    pub(crate) ahead: &'t str,
    /// `text` and as much of what follows as is certain to unfold as it does now, whatever comes behind it: up to the end of a sentence.
    pub(crate) sure: &'t str,
    /// By protocol that reads it: what is known of disguises in the turn; [`Disguise::Unknown`] where there is no entry.
    pub(crate) disguises: &'t [Disguise],
    /// Whether nothing of the turn stands before it.
    pub(crate) starts: bool,
    /// Whether nothing of the turn stands behind it.
    pub(crate) ends: bool,
}

/// What is known of the disguises in a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Disguise {
    /// A piece tells of itself whether it is read unfolded: where it has none, its fold says what it says as written.
    #[default]
    Unknown,
    /// There is none.
    Nowhere,
    /// There is one, so that every piece is read a second time whose fold is not what is written.
    Somewhere,
}

impl<'t> Piece<'t> {
    /// A turn as a whole.
    #[inline]
    pub(crate) fn whole(text: &'t str) -> Self {
        Self {
            text,
            base: 0,
            from: 0,
            to: text.len(),
            ahead: text,
            sure: text,
            disguises: &[],
            starts: true,
            ends: true,
        }
    }

    /// Whether it is a turn as a whole.
    #[inline]
    pub(crate) fn is_whole(&self) -> bool {
        self.starts && self.ends
    }

    /// The piece without the gaps that others share.
    pub(crate) fn own(&self) -> &'t str {
        &self.text[self.from..self.to]
    }

    /// What the group that is the place covers of each of these matches of an expression, the whole match where it took no
    /// part or is empty; nothing for an expression without such a group.
    pub(crate) fn regex_places(
        &self,
        expression: &Expression,
        found: &[Range<usize>],
        characters: Characters,
    ) -> Vec<Range<usize>> {
        if !expression.has_place() {
            return Vec::new();
        }
        let place = |whole: &Range<usize>| {
            let group = expression.place(self.ahead, whole, characters).filter(|group| !group.is_empty());
            group.unwrap_or_else(|| whole.clone())
        };
        found.iter().map(place).collect()
    }

    /// The matches of a regular expression that begin in it, from left to right, not overlapping, without empty ones: those
    /// that the whole turn has there.
    /// `seen`: what the text from `from` on has.
    pub(crate) fn regex_matches(&self, expression: &Expression, seen: &Seen<'_>) -> Vec<Range<usize>> {
        if let Some(found) = expression.find_seen(seen, self.to) {
            return found;
        }
        let characters = seen.characters();
        if self.is_whole() {
            let mut found = expression.find_all(self.text, characters);
            found.retain(|found| !found.is_empty());
            return found;
        }
        // What `find_all` gives for the whole turn, from `from` on: each search goes on at the end of the last match, and an
        // empty match that ends where the last one did is passed over by one character, or the search would stand still.
        let mut found = Vec::new();
        let mut at = self.from;
        let mut last_end = None;
        while let Some(mut next) = expression.find_at(self.ahead, at, characters) {
            if next.is_empty() && last_end == Some(next.end) {
                let Some(c) = self.ahead[at..].chars().next() else { break };
                match expression.find_at(self.ahead, at + c.len_utf8(), characters) {
                    Some(further) => next = further,
                    None => break,
                }
            }
            if next.start >= self.to {
                break;
            }
            at = next.end;
            last_end = Some(at);
            if !next.is_empty() {
                found.push(next);
            }
        }
        found
    }
}
