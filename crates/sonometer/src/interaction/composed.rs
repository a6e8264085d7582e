//! An interaction as patterns see it: every turn composed ([`crate::text::compose`]), with the way back to what was written.

use super::{Interaction, Turn};
use crate::text::compose::{self, Way, Ways};

/// An interaction with every turn composed, and the way back from each; `None` where all of it is composed already.
pub(crate) fn compose(interaction: &Interaction) -> Option<(Interaction, Ways)> {
    let turns = interaction.turns();
    if turns.iter().all(|turn| compose::is_composed(&turn.content)) {
        return None;
    }
    let mut composed = turns.to_vec();
    let compose_turn = |turn: &mut Turn| compose::compose(&mut turn.content);
    let ways: Vec<Way> = composed.iter_mut().map(compose_turn).collect();
    let ways = Ways::of(ways);
    (!ways.is_empty()).then(|| (interaction.with_turns(composed), ways))
}
