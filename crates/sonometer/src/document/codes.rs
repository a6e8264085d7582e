//! The codes of the findings about the text of a protocol file, before its keys mean anything. A code is never
//! reused for something else.

/// The source is larger than 16 MiB.
pub const TOO_LARGE: &str = "SM0101";
/// The source holds no value at all.
pub const NOTHING_TO_READ: &str = "SM0102";
/// A control character, or a byte order mark that is not the first character.
pub const CONTROL_CHARACTER: &str = "SM0103";
/// Lists and maps are nested too deep.
pub const TOO_DEEP: &str = "SM0104";
/// The source holds too many values, or one `[ ]` or `{ }` is too long.
pub const TOO_MANY_VALUES: &str = "SM0105";
/// An anchor, `&name`.
pub const ANCHOR: &str = "SM0106";
/// An alias, `*name`.
pub const ALIAS: &str = "SM0107";
/// A tag, `!name`.
pub const TAG: &str = "SM0108";
/// A merge key, `<<`.
pub const MERGE_KEY: &str = "SM0109";
/// A key that its map already has.
pub const DUPLICATE_KEY: &str = "SM0110";
/// A second document in the same source.
pub const SEVERAL_DOCUMENTS: &str = "SM0111";
/// A key that is not a text on one line, or is written with `?`.
pub const COMPLEX_KEY: &str = "SM0112";
/// A folded block, `>`.
pub const FOLDED_BLOCK: &str = "SM0113";
/// A tab where YAML wants spaces.
pub const TAB: &str = "SM0114";
/// A key or a list item with nothing after it.
pub const EMPTY_VALUE: &str = "SM0115";
/// Warning: the rest of a value is read as a comment.
pub const LOST_TO_COMMENT: &str = "SM0116";
/// A plain or quoted text that goes on over several lines.
pub const TEXT_OVER_LINES: &str = "SM0117";
/// A second `: ` inside a value.
pub const COLON_IN_VALUE: &str = "SM0118";
/// A value that starts with a character reserved by YAML, `@`, `%` or a backtick.
pub const RESERVED_CHARACTER: &str = "SM0119";
/// A quoted text that never ends.
pub const UNCLOSED_QUOTE: &str = "SM0120";
/// Text after a closing quote.
pub const TEXT_AFTER_QUOTE: &str = "SM0121";
/// An unknown or malformed escape in a double-quoted text.
pub const BAD_ESCAPE: &str = "SM0122";
/// A `[ ]` or `{ }` that is not closed, closed twice, or lacks a comma.
pub const BRACKETS: &str = "SM0123";
/// A line that stands too far left or right, or is not `key: value`.
pub const INDENTATION: &str = "SM0124";
/// Any other text that is not the YAML that protocols are written in.
pub const NOT_YAML: &str = "SM0125";
/// A `:` without a key before it.
pub const MISSING_KEY: &str = "SM0126";
/// A `%` directive.
pub const DIRECTIVE: &str = "SM0127";
/// Text after a closing `]` or `}`.
pub const TEXT_AFTER_BRACKET: &str = "SM0128";
/// Text after the `|` of a block.
pub const TEXT_AFTER_BLOCK_SIGN: &str = "SM0129";
/// Text that is not JSON.
pub const NOT_JSON: &str = "SM0130";
/// Half of a surrogate pair in a JSON string.
pub const LONE_SURROGATE: &str = "SM0131";
/// A key without its colon, or without the space behind it.
pub const FORGOTTEN_COLON: &str = "SM0133";
/// YAML, in an engine that is built without its reader.
pub const YAML_NOT_BUILT_IN: &str = "SM0132";
