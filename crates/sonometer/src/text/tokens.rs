//! The tokens of a text without a sensor: for tools that look at texts as the engine does.

use super::gap::{self, GapKind};
use super::token::{self, Sink, Token};
use crate::language::Language;

/// Cuts a folded text (see [`super::fold::Folded`]) into its tokens, each with the kind of the gap before it. No
/// pattern is known here, so every word number is 0. `language` says which full stops belong to abbreviations.
///
/// ```
/// use sonometer::text::{GapKind, fold::Folded, tokens};
///
/// let folded = Folded::new("Señor, don’t go. Stay");
/// let found: Vec<_> =
///     tokens(folded.text(), None).iter().map(|t| (&folded.text()[t.range()], t.gap())).collect();
/// assert_eq!(found, [
///     ("Senor", GapKind::Join),
///     ("don't", GapKind::Break),
///     ("go", GapKind::Join),
///     ("Stay", GapKind::End),
/// ]);
/// ```
pub fn tokens(folded: &str, language: Option<&Language>) -> Vec<Token> {
    let mut reader = Reader { language, tokens: Vec::new() };
    token::cut(folded, &mut reader);
    reader.tokens
}

struct Reader<'l> {
    language: Option<&'l Language>,
    tokens: Vec<Token>,
}

impl Sink for Reader<'_> {
    fn token(&mut self, text: &str, start: usize, end: usize, symbol: bool) {
        let gap = match self.tokens.last() {
            None => GapKind::Join,
            Some(last) => gap::kind(text, last.end as usize, start, || {
                self.is_abbreviated(&text[last.range()], text.as_bytes().get(start))
            }),
        };
        self.tokens.push(Token::new(start, end, 0, symbol, gap));
    }
}

impl Reader<'_> {
    /// Whether the full stop behind `word` ends no sentence.
    fn is_abbreviated(&self, word: &str, next: Option<&u8>) -> bool {
        if let [letter] = word.as_bytes() {
            return letter.is_ascii_alphabetic() && !letter.eq_ignore_ascii_case(&b'i');
        }
        let Some(language) = self.language else { return false };
        let word = word.to_ascii_lowercase();
        let before_digit = next.is_some_and(u8::is_ascii_digit);
        language.is_abbreviation(&word) || before_digit && language.number_abbreviations.contains(&word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::{Piece, Spare, TurnText};
    use crate::{Protocol, Sensor};
    use proptest::prelude::*;

    fn sensor() -> Sensor {
        let source = r#"{"sonometer": 1, "id": "x", "version": "1", "taxonomy": "Signal", "language": "en",
            "markers": [{"label": "x", "strong": "x", "hit": "x"}]}"#;
        Sensor::new(Protocol::read(source).expect("reads").0).expect("compiles")
    }

    proptest! {
        #[test]
        fn tokens_are_those_of_a_sensor(
            parts in prop::collection::vec("[A-Za-z]{1,5}|mr|No|[ ]|[.,;:!?\n-]{1,2}|[0-9]{1,2}|[é中👩'’]", 0..30),
        ) {
            let text = parts.concat();
            let sensor = sensor();
            let turn = TurnText::read(sensor.plan(), Piece::whole(&text), &mut Spare::default());
            let found = tokens(turn.folded.text(), crate::language::find("en"));
            let place = |token: &Token| (token.range(), token.gap(), token.is_symbol());
            let (found, expected): (Vec<_>, Vec<_>) =
                (found.iter().map(place).collect(), turn.tokens.iter().map(place).collect());
            prop_assert_eq!(found, expected);
        }
    }
}
