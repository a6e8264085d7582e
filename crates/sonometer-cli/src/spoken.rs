//! Texts whose lines say who speaks: `agent: Good morning.`

use crate::advice::is_spoken;
use sonometer::{Error, Interaction};
use sonometer_ingest::{Hints, Limits, turns};

/// The most texts that are looked at, to see what a column holds.
pub(crate) const LOOKED_AT: usize = 100;

/// A text as the turns that its lines are. What has roles already, and what says nothing, stays as it is.
///
/// # Errors
/// If the first words have no role, or the text is too large.
pub(crate) fn as_turns(interaction: &Interaction) -> Result<Interaction, Error> {
    match text(interaction) {
        Some(text) => Ok(turns(text, &Hints::default(), &Limits::default())?.interaction),
        None => Ok(interaction.clone()),
    }
}

/// What is said, where nothing tells who speaks.
pub(crate) fn text(interaction: &Interaction) -> Option<&str> {
    match interaction.turns() {
        [turn] if turn.role.is_none() && !turn.content.trim().is_empty() => Some(&turn.content),
        _ => None,
    }
}

/// Whether at least half of texts are probably conversations.
pub(crate) fn are_talks<'t>(texts: impl IntoIterator<Item = Option<&'t str>>) -> bool {
    let seen: Vec<bool> = texts.into_iter().take(LOOKED_AT).map(|text| text.is_some_and(is_spoken)).collect();
    let spoken = seen.iter().filter(|is| **is).count();
    spoken > 0 && 2 * spoken >= seen.len()
}
