//! Section 1: a turn, its folded text, its tokens, the gaps between them, its sentences.

use crate::compose::Composed;
use crate::fold::{Folded, fold};
use crate::gap::{self, GapKind};
use crate::language::Language;
use crate::number::Number;
use crate::token::{self, Kind};
use sonometer::interaction::Interaction;
use std::ops::Range;

/// A turn, cut into everything that the later sections ask for.
#[derive(Clone)]
pub(crate) struct Turn {
    /// Its place in the interaction, from 0.
    pub(crate) index: usize,
    /// The role as the interaction writes it.
    pub(crate) role: Option<String>,
    /// Seconds in millionths.
    pub(crate) time: Option<Number>,
    /// How sure a recogniser is of it, in millionths.
    pub(crate) confidence: Option<Number>,
    /// What was said, as it was written.
    pub(crate) written: String,
    /// The same composed, which is what is read.
    pub(crate) composed: Composed,
    /// The text of `composed`.
    pub(crate) original: String,
    /// What was said, folded.
    pub(crate) folded: Vec<Folded>,
    /// The tokens, in order.
    pub(crate) tokens: Vec<Token>,
    /// Gap `k` is the text before token `k`; one gap more than tokens.
    pub(crate) gaps: Vec<Vec<char>>,
    /// The kind of each gap.
    pub(crate) kinds: Vec<GapKind>,
}

/// A token of a turn.
#[derive(Clone)]
pub(crate) struct Token {
    /// Where it stands in the folded text, in characters.
    pub(crate) folded: Range<usize>,
    /// Where it stands in the original text, in bytes.
    pub(crate) place: Range<usize>,
    /// Its folded text in lower case.
    pub(crate) lower: String,
    /// Word or symbol.
    pub(crate) kind: Kind,
}

/// The turns of an interaction.
pub(crate) fn turns(interaction: &Interaction, language: &Language) -> Vec<Turn> {
    interaction
        .turns()
        .iter()
        .enumerate()
        .map(|(index, turn)| Turn {
            index,
            role: turn.role.as_deref().map(str::to_owned),
            time: turn.timestamp.map(|t| Number::from(t.0)),
            confidence: interaction.confidence(index).map(|c| Number::from(c.0)),
            written: turn.content.to_string(),
            ..cut_composed(Composed::new(&turn.content), language)
        })
        .collect()
}

/// A turn of this text, which is composed already, without a role.
pub(crate) fn cut(original: &str, language: &Language) -> Turn {
    cut_composed(Composed::unchanged(original), language)
}

fn cut_composed(composed: Composed, language: &Language) -> Turn {
    let original = composed.text.clone();
    let folded = fold(&original);
    let text: Vec<char> = folded.iter().map(|f| f.char).collect();
    let tokens: Vec<Token> = token::tokens(&text)
        .into_iter()
        .map(|cut| Token {
            folded: cut.from..cut.to,
            place: place(&folded, &(cut.from..cut.to)),
            lower: text[cut.from..cut.to].iter().map(char::to_ascii_lowercase).collect(),
            kind: cut.kind,
        })
        .collect();
    let gaps = gaps(&text, &tokens);
    let kinds = kinds(&gaps, &tokens, &text, language);
    Turn {
        index: 0,
        role: None,
        time: None,
        confidence: None,
        written: original.clone(),
        composed,
        original,
        folded,
        tokens,
        gaps,
        kinds,
    }
}

/// Where some folded characters stand in the original.
pub(crate) fn place(folded: &[Folded], range: &Range<usize>) -> Range<usize> {
    folded[range.start].start..folded[range.end - 1].end
}

fn gaps(text: &[char], tokens: &[Token]) -> Vec<Vec<char>> {
    (0..=tokens.len())
        .map(|k| {
            let from = if k == 0 { 0 } else { tokens[k - 1].folded.end };
            let to = tokens.get(k).map_or(text.len(), |token| token.folded.start);
            text[from..to].to_vec()
        })
        .collect()
}

/// The last gap stands behind a token only and is judged with that one alone; before the first nothing is parted.
fn kinds(gaps: &[Vec<char>], tokens: &[Token], text: &[char], language: &Language) -> Vec<GapKind> {
    (0..gaps.len())
        .map(|k| {
            let Some(before) = k.checked_sub(1) else { return GapKind::Join };
            let previous = Some(tokens[before].lower.as_str());
            let next = tokens.get(k).map(|token| text[token.folded.start]);
            gap::kind(&gaps[k], previous, next, &|word| {
                let before_digit = next.is_some_and(|c| c.is_ascii_digit());
                language.is_abbreviation(word) || before_digit && language.is_number_abbreviation(word)
            })
        })
        .collect()
}

impl Turn {
    /// Where a place of the composed text stands in the text as it was written.
    pub(crate) fn as_written(&self, place: &Range<usize>) -> Range<usize> {
        self.composed.original(place)
    }

    /// A sentence is a maximal run of tokens with no *end* gap inside.
    pub(crate) fn sentences(&self) -> Vec<Range<usize>> {
        let mut sentences = Vec::new();
        let mut from = 0;
        for token in 0..self.tokens.len() {
            let last = token + 1 == self.tokens.len();
            if last || self.kinds[token + 1] == GapKind::End {
                sentences.push(from..token + 1);
                from = token + 1;
            }
        }
        sentences
    }

    /// A sentence is a question if the gap after its last token has `?` or `؟`.
    pub(crate) fn is_question(&self, sentence: &Range<usize>) -> bool {
        self.gaps[sentence.end].iter().any(|c| matches!(c, '?' | '؟'))
    }

    /// The sentences that are questions.
    pub(crate) fn questions(&self) -> Vec<Range<usize>> {
        self.sentences().into_iter().filter(|sentence| self.is_question(sentence)).collect()
    }

    /// The number of tokens that are words.
    pub(crate) fn words(&self) -> usize {
        self.tokens.iter().filter(|token| token.kind == Kind::Word).count()
    }

    /// The tokens that some folded characters overlap.
    pub(crate) fn covered(&self, folded: &Range<usize>) -> Range<usize> {
        let overlaps = |token: &Token| token.folded.start < folded.end && folded.start < token.folded.end;
        let first = self.tokens.iter().position(overlaps);
        let last = self.tokens.iter().rposition(overlaps);
        match (first, last) {
            (Some(first), Some(last)) => first..last + 1,
            _ => 0..0,
        }
    }
}
