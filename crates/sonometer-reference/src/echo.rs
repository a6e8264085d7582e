//! Section 3, echo: the other side's words said again.

use crate::candidate::Scene;
use crate::characters::{CharClass, class_of};
use crate::reach::sentence_tokens;
use crate::reading::Hit;
use crate::token::Kind;
use crate::turn::{Token, Turn};
use sonometer::protocol::Echo;
use std::collections::BTreeSet;

impl Scene<'_> {
    /// Whether enough content words of the sentence of a match stand in the turns before it.
    pub(crate) fn echoes(&self, echo: &Echo, hit: &Hit) -> bool {
        let turn = &self.turns[hit.turn()];
        let (first, _) = sentence_tokens(turn, hit.place());
        let sentence = turn.sentences().into_iter().find(|sentence| sentence.contains(&first));
        let own = sentence.map_or_else(BTreeSet::new, |sentence| self.content_words(&turn.tokens[sentence]));
        let from = turn.index.saturating_sub(echo.within as usize);
        let heard: BTreeSet<String> = self.turns[from..turn.index]
            .iter()
            .filter(|earlier| self.passes_role(&echo.of, earlier))
            .flat_map(|earlier| match echo.markers.is_empty() {
                true => self.content_words(&earlier.tokens),
                false => self.words_around(&echo.markers, earlier),
            })
            .collect();
        own.intersection(&heard).count() >= echo.words as usize
    }

    /// The content words of the sentences of a turn in which counted matches of these markers begin.
    fn words_around(&self, markers: &[String], turn: &Turn) -> BTreeSet<String> {
        let hits = self.counted(markers).into_iter().filter(|hit| hit.turn() == turn.index);
        let sentences = hits.filter_map(|hit| {
            let (first, _) = sentence_tokens(turn, hit.place());
            turn.sentences().into_iter().find(|sentence| sentence.contains(&first))
        });
        sentences.flat_map(|sentence| self.content_words(&turn.tokens[sentence])).collect()
    }

    /// The stems of the content words among some tokens.
    fn content_words(&self, tokens: &[Token]) -> BTreeSet<String> {
        let content = tokens.iter().filter(|token| {
            token.kind == Kind::Word && !self.language.is_function_word(&token.lower) && is_long(&token.lower)
        });
        content.map(|token| self.language.stem(&token.lower)).collect()
    }
}

/// At least three characters, or an ideograph.
fn is_long(word: &str) -> bool {
    word.chars().count() >= 3 || word.chars().next().is_some_and(|c| class_of(c) == CharClass::Ideograph)
}
