//! The reference engine: `docs/semantics.md` of the crate `sonometer`, word by word, as the simplest possible code.
//!
//! It exists so that the fast engine can be compared with it on every input that a machine can think of. It shares with it
//! the protocol model, the tables of single characters and of languages, and nothing else. Nothing here is fast; what is
//! asked twice is worked out twice.

mod absent;
pub mod build;
mod candidate;
mod characters;
mod compose;
pub mod composition;
mod detect;
mod echo;
mod fidelity;
mod flow;
mod fold;
mod gap;
pub mod generate;
mod hearing;
mod json;
mod language;
mod marker;
mod mask;
mod matching;
mod near;
mod negation;
mod number;
mod occurrence;
mod part;
mod ratio;
mod reach;
mod reading;
mod result;
mod score;
mod strength;
mod temporal;
#[cfg(test)]
mod tests;
mod token;
mod turn;
mod unfold;
pub mod vectors;
mod weak;

pub use mask::Call;

use sonometer::{Interaction, Protocol, View};

/// The canonical JSON text of the reading of `interaction` by `protocol`, seen in `view`; for insufficient content the
/// reading of zeros.
pub fn sense(protocol: &Protocol, interaction: &Interaction, view: View<'_>) -> String {
    sense_with(protocol, interaction, view, Call::default())
}

/// The same with masks as a call wants them.
pub fn sense_with(protocol: &Protocol, interaction: &Interaction, view: View<'_>, call: Call<'_>) -> String {
    let language = language::Language::of(protocol.language.as_deref());
    let turns = turn::turns(interaction, &language);
    let scene = candidate::Scene::new(protocol, &language, &turns);
    result::result(&scene, interaction, view, call)
}
