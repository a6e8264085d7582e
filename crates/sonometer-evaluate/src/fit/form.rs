//! What a list becomes: a new protocol, or a marker in the protocol that somebody wrote.

use super::hand::{Hand, heard};
use super::protocol_file::ProtocolFile;
use super::scale::{TRIGGER, Weighted};
use super::write::{Frame, SelfTest};
use crate::error::{Error, Place};
use sonometer::text::fold::fold_to_lower;
use sonometer::{Interaction, Protocol, Unit};
use std::collections::BTreeSet;

/// What stands before the markers of a file.
const MARKERS: &str = "markers:\n";

/// Roles that an error lists.
const ROLES: usize = 12;

/// Where a list is written.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// Into a file of its own.
    New(Frame),
    /// Into the file of an author.
    Written(Box<Hand>),
}

impl Form {
    /// Into the protocol `file`, if there is one, under another id and version if they are `named`.
    pub(crate) fn of(
        frame: Frame,
        file: Option<&ProtocolFile>,
        named: &[(&'static str, String)],
    ) -> Result<Self, Error> {
        Ok(match file {
            None => Self::New(frame),
            Some(file) => Self::Written(Box::new(Hand::read(file, frame, named)?)),
        })
    }

    /// The language of the protocol.
    pub(crate) fn language(&self) -> Option<&str> {
        match self {
            Self::New(frame) => frame.language.as_deref(),
            Self::Written(hand) => hand.protocol().language.as_deref(),
        }
    }

    /// Whether a pattern is one of the author's exceptions of the marker, so that it can never count.
    pub(crate) fn excludes(&self, pattern: &str) -> bool {
        match self {
            Self::New(_) => false,
            Self::Written(hand) => {
                hand.own().is_some_and(|own| own.except.iter().any(|line| *line.text == *pattern))
            }
        }
    }

    /// The lines that its author wrote.
    pub(crate) fn patterns(&self) -> Vec<String> {
        match self {
            Self::New(_) => Vec::new(),
            Self::Written(hand) => hand.patterns(),
        }
    }

    /// The protocol with a list in it; of an author's, what its marker needs.
    pub(crate) fn protocol(&self, weighted: &Weighted) -> Result<Protocol, Error> {
        match self {
            Self::New(frame) => frame.protocol(weighted),
            Self::Written(hand) => hand.with(weighted),
        }
    }

    /// Of lines of a list those that its author wrote, and how many there are; `None` for a new file.
    pub(crate) fn by_hand(&self, weighted: &Weighted) -> Option<[usize; 2]> {
        match self {
            Self::New(_) => None,
            Self::Written(hand) => Some([hand.count(weighted), hand.patterns().len()]),
        }
    }

    /// Self tests of the author that passed before and fail with the list.
    pub(crate) fn broken(&self, protocol: &Protocol) -> Result<usize, Error> {
        match self {
            Self::New(_) => Ok(0),
            Self::Written(hand) => hand.broken(protocol),
        }
    }

    /// The text of the file.
    pub(crate) fn render(
        &self,
        protocol: &Protocol,
        weighted: &Weighted,
        notes: &[String],
    ) -> Result<String, Error> {
        match self {
            Self::New(frame) => {
                let tests: SelfTest = frame.self_test(protocol, weighted)?;
                Ok(frame.render(weighted, &tests, notes))
            }
            Self::Written(hand) => hand.render(weighted, &hand.self_test(protocol, weighted)?, notes),
        }
    }

    /// Fails if the protocol has a marker of this label.
    pub(crate) fn expect_new(&self, label: &str) -> Result<(), Error> {
        match self {
            Self::Written(hand) if hand.own().is_some() => {
                let message = format!(
                    "has a marker `{label}` already, which --choice would write; choose a first part for the labels with --marker"
                );
                Err(Error::at(Place::of(hand.name()), message))
            }
            _ => Ok(()),
        }
    }

    /// A self test for a new marker.
    pub(crate) fn self_test(&self, protocol: &Protocol, weighted: &Weighted) -> Result<SelfTest, Error> {
        match self {
            Self::New(frame) => frame.self_test(protocol, weighted),
            Self::Written(hand) => hand.self_test(protocol, weighted),
        }
    }

    /// A new marker with its trigger, as a list item without indent.
    pub(crate) fn block(&self, weighted: &Weighted, tests: &SelfTest, trigger: Unit) -> String {
        let block = match self {
            Self::New(frame) => {
                let text = frame.render(weighted, tests, &[]);
                let marker = text.split_once(MARKERS).map_or("", |(_, marker)| marker);
                marker.lines().map(|line| line.strip_prefix("  ").unwrap_or(line).to_owned() + "\n").collect()
            }
            Self::Written(hand) => hand.block(weighted, tests),
        };
        block.replacen(&format!("\n  trigger: {TRIGGER}\n"), &format!("\n  trigger: {trigger}\n"), 1)
    }

    /// The file with new markers, given as list items without indent.
    pub(crate) fn with_markers(&self, block: &str, notes: &[String]) -> Result<String, Error> {
        match self {
            Self::New(frame) => {
                let nothing = Weighted { lines: Vec::new(), bias: Unit::ZERO };
                let text = frame.render(&nothing, &SelfTest::default(), notes);
                let head = text.split_once(MARKERS).map_or("", |(head, _)| head);
                let lists = if block.contains("\n    @") { frame.lists() } else { String::new() };
                let block: String = block.lines().map(|line| format!("  {line}\n")).collect();
                Ok(format!("{head}{lists}{MARKERS}{block}"))
            }
            Self::Written(hand) => hand.with_block(block, notes),
        }
    }

    /// The new markers of a text that this form wrote.
    pub(crate) fn read_text(&self, text: String) -> Result<Protocol, Error> {
        match self {
            Self::New(frame) => {
                let name = format!("{} (as it would be written)", frame.id);
                Ok(ProtocolFile { name, text: text.into(), list_files: Vec::new() }.read()?.0)
            }
            Self::Written(hand) => hand.read_new(text),
        }
    }

    /// The roles that are listened to among those of some interactions, folded; `None`: every turn counts.
    pub(crate) fn heard(
        &self,
        by: Option<&String>,
        interactions: &[&Interaction],
    ) -> Result<Option<BTreeSet<String>>, Error> {
        let (protocol, own) = match self {
            Self::New(_) => (None, None),
            Self::Written(hand) => (Some(hand.protocol()), hand.own()),
        };
        let by: Vec<String> = match own {
            Some(own) => own.by.clone(),
            None => by.cloned().into_iter().collect(),
        };
        if by.is_empty() {
            return Ok(None);
        }
        let turns = interactions.iter().flat_map(|interaction| interaction.turns());
        let roles: BTreeSet<&str> = turns.filter_map(|turn| turn.role.as_deref()).collect();
        let heard = heard(protocol, &by, roles.clone())?;
        if roles.iter().any(|role| heard.contains(fold_to_lower(role).trim())) {
            return Ok(Some(heard));
        }
        // Else the list would be said to lack patterns.
        let by = by.join("` or `");
        let fix = match (own, roles.is_empty()) {
            (Some(_), _) => "change `by` in the protocol",
            (None, true) => "no turn has a role; remove --by",
            (None, false) => "name with --by one of theirs",
        };
        let listed = roles.iter().take(ROLES).copied().collect::<Vec<_>>().join(", ");
        let there = if roles.is_empty() { String::new() } else { format!(", but by {listed}") };
        Err(Error::unusable(format!("no turn of the items is by `{by}`{there}; {fix}")))
    }
}
