//! The meaning of a line, as a tree. A sensor is compiled from trees and then drops them, as they are much of its memory; if the meaning
//! of a line is asked for later, its text is parsed again.

use super::Protocol;
use crate::names::Numbered;
use crate::protocol::phrase::{self, Context, Pattern, PhraseError};
use std::borrow::Cow;
use std::sync::Arc;

/// What the text of a line may refer to.
#[derive(Debug)]
pub(crate) struct Around {
    /// The named lists, parsed.
    pub(crate) lists: Numbered<Pattern>,
    /// The stemmer of the protocol's language, if it has one.
    pub(crate) stem: Option<fn(&str, &mut String)>,
}

impl Around {
    /// Reads a line; the names of the lists are for suggestions.
    pub(crate) fn parse(&self, text: &str, names: &[&str]) -> Result<Pattern, PhraseError> {
        let list = |name: &str| self.lists.get(name).cloned();
        phrase::parse(text, &Context { list: &list, names, stem: self.stem })
    }
}

/// What one line means.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    /// As it was read or made.
    Kept {
        pattern: Pattern,
        /// `None` for a line that a program has made, whose text need not be all that it means.
        around: Option<Arc<Around>>,
    },
    /// To be read from the text of the line.
    Forgotten(Arc<Around>),
}

impl Tree {
    /// The pattern of a line with this text.
    pub(super) fn pattern(&self, text: &str) -> Cow<'_, Pattern> {
        match self {
            Self::Kept { pattern, .. } => Cow::Borrowed(pattern),
            Self::Forgotten(around) => {
                // It was read from this very text before, so it can be read.
                let read = around.parse(text, &[]).unwrap_or_else(|_| phrase::plain(text));
                Cow::Owned(whole(read))
            }
        }
    }
}

impl Protocol {
    /// Drops the trees, which are up to two fifths of the memory of a sensor with many lines. Lines of companions keep theirs, as they are
    /// few; expressions too, as they are small and slow to parse.
    pub(crate) fn forget_trees(&mut self) {
        // One for all lines that were read among the same lists, which are nearly always all.
        let mut forgotten: Option<(Arc<Around>, Arc<Tree>)> = None;
        for marker in &mut self.markers {
            for line in marker.lines.iter_mut().chain(&mut marker.except) {
                let Some(Tree::Kept { pattern, around: Some(around) }) = line.tree.as_deref() else {
                    continue;
                };
                if matches!(pattern, Pattern::Regex(_)) {
                    continue;
                }
                let (_, tree) = match forgotten.take().filter(|(of, _)| Arc::ptr_eq(of, around)) {
                    Some(same) => forgotten.insert(same),
                    None => {
                        forgotten.insert((Arc::clone(around), Arc::new(Tree::Forgotten(Arc::clone(around)))))
                    }
                };
                line.tree = Some(Arc::clone(tree));
            }
        }
    }
}

/// A line that is all in braces means what it means without.
pub(crate) fn whole(pattern: Pattern) -> Pattern {
    match pattern {
        Pattern::Capture(whole) => *whole,
        pattern => pattern,
    }
}
