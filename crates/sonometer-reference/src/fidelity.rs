//! Section 6: whether there is enough to read, and whether it can be read.

use crate::candidate::{Scene, same_role};
use crate::hearing::nobody;
use crate::number::{Number, U, divide, times};
use crate::token::Kind;
use crate::turn::Turn;

/// The fidelity of an interaction to a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fidelity {
    /// D.
    pub(crate) density: Number,
    /// C.
    pub(crate) clarity: Number,
    /// D × C.
    pub(crate) index: Number,
    /// Whether the index reaches what the protocol asks.
    pub(crate) sufficient: bool,
    /// The roles asked for and those seen, if no marker could hear anybody.
    pub(crate) unheard: Option<(Vec<String>, Vec<String>)>,
}

/// index = D × C; no words: all 0.
pub(crate) fn fidelity(scene: &Scene<'_>) -> Fidelity {
    let words: usize = scene.turns.iter().map(Turn::words).sum();
    let (density, clarity) = if words == 0 { (0, 0) } else { (density(scene, words), clarity(scene, words)) };
    let unheard = nobody(scene);
    let density = if unheard.is_some() { 0 } else { density };
    let index = times(density, clarity);
    Fidelity {
        density,
        clarity,
        index,
        sufficient: index >= Number::from(scene.protocol.fidelity.sufficient.0) && unheard.is_none(),
        unheard,
    }
}

/// D: the least satisfied need.
fn density(scene: &Scene<'_>, words: usize) -> Number {
    let needs = &scene.protocol.fidelity;
    let turns = scene.turns.iter().filter(|turn| turn.words() > 0).count();
    let mut shares = vec![satisfied(words, needs.words), satisfied(turns, needs.turns)];
    shares.extend(needs.roles.iter().map(|(role, need)| satisfied(words_of(scene, role), *need)));
    shares.into_iter().min().unwrap_or(U)
}

/// min(u, have ÷ need); a need of nothing is satisfied.
fn satisfied(have: usize, need: u32) -> Number {
    if need == 0 { U } else { U.min(divide(have as Number, Number::from(need))) }
}

fn words_of(scene: &Scene<'_>, role: &str) -> usize {
    let wanted = same_role(scene.protocol, role);
    let speaks = |turn: &&Turn| turn.role.as_ref().is_some_and(|r| same_role(scene.protocol, r) == wanted);
    scene.turns.iter().filter(speaks).map(Turn::words).sum()
}

/// C = R × L.
fn clarity(scene: &Scene<'_>, words: usize) -> Number {
    let noise: usize = scene.turns.iter().map(|turn| noise(&turn.original)).sum();
    // Each turn as far as its recogniser is sure of it.
    let of = |turn: &Turn| readable(scene, turn) as Number * turn.confidence.unwrap_or(U);
    let readable: Number = scene.turns.iter().map(of).sum();
    let r = divide(readable, (words + noise) as Number * U);
    times(r, language_share(scene, words))
}

/// L = min(u, max(0, 4·f + 6 − 6·g) ÷ words), at least 0.01, f being the number of function words, g that of words that another
/// language is told by.
fn language_share(scene: &Scene<'_>, words: usize) -> Number {
    if !scene.language.is_known() {
        return U;
    }
    let count = |is: &dyn Fn(&str) -> bool| {
        let all = scene.turns.iter().flat_map(|turn| &turn.tokens);
        all.filter(|token| token.kind == Kind::Word && is(&token.lower)).count() as Number
    };
    let f = count(&|word| scene.language.is_function_word(word));
    let g = count(&|word| scene.language.is_foreign_word(word));
    U.min(divide((4 * f + 6 - 6 * g).max(0), words as Number)).max(U / 100)
}

/// The words of a turn that can be read.
fn readable(scene: &Scene<'_>, turn: &Turn) -> usize {
    (0..turn.tokens.len())
        .filter(|at| {
            let token = &turn.tokens[*at];
            token.kind == Kind::Word && !scene.language.is_foreign(&token.lower) && !is_lost(turn, *at)
        })
        .count()
}

/// `inaudible` and its kin directly after `[` or `(`.
fn is_lost(turn: &Turn, at: usize) -> bool {
    matches!(turn.tokens[at].lower.as_str(), "inaudible" | "unintelligible" | "indistinct" | "crosstalk")
        && matches!(turn.gaps[at].last(), Some('[' | '('))
}

/// Maximal runs of U+FFFD and control characters.
fn noise(original: &str) -> usize {
    let noisy = |c: char| c == '\u{fffd}' || c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    let flags: Vec<bool> = original.chars().map(noisy).collect();
    (0..flags.len()).filter(|at| flags[*at] && (*at == 0 || !flags[at - 1])).count()
}
