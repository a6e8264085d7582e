//! The phrase language: one pattern per line.
//!
//! | written | matches |
//! |---|---|
//! | `thank you` | these words, one after the other, whatever their case, accents or width |
//! | `guarante*` | a word that begins so |
//! | `promise~` | any inflection of the word, by the language's stemmer |
//! | `"US"` | these very characters |
//! | `receive%1` | the word but for one edit (five letters or more) |
//! | `(a|b c)` | one of them |
//! | `x?` | x, or nothing |
//! | `@feeling` | one entry of the list `feeling` |
//! | `_` | any one token |
//! | `a ..3.. b` | a, then b, with 0 to 3 tokens between; `...` is `..12..`; never over a sentence end |
//! | `a &6 b` | a and b in any order, with at most 6 tokens between |
//! | `my code is {a}` | the line; only a is the evidence, shown and masked |
//! | `^ a`, `a $` | a at the beginning, at the end of a turn |
//! | `<start> a`, `a <end>` | a at the beginning, at the end of a sentence |
//! | `a , b` | a comma between (any punctuation mark that stands alone) |
//! | `<email>` | a checked class, see [`crate::class`]; `<shout>`; `<question>` (alone or at the end) |
//! | `/re/`, `/re/i` | a regular expression in linear time, on the original text |
//!
//! `# ` begins a comment. A backslash makes a mark of a sign of the language: `\?`.

mod ast;
mod check;
mod gap;
mod parse;
mod phrases;
mod plain;
mod regular;

pub use ast::{Class, ExactWord, MAX_GAP, Pattern, Regex, WordKind, WordTest};
pub(crate) use check::{names_place, place_refused, size};
pub(crate) use gap::{gaps_in, has_gap, least_tokens, widen};
pub(crate) use parse::MAX_NODES;
pub use parse::{Context, PhraseError, parse, parse_list, strip_comment};
pub use phrases::{MAX_LIST_FILE_BYTES, MAX_LIST_FILE_PHRASES, Phrases};
pub(crate) use plain::{is_plain, plain};
