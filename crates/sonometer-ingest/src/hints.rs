//! What the caller knows of a file, or wishes.

use crate::kind::Kind;
use sonometer::protocol::Modality;

/// What becomes of the quoted part of a mail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quoted {
    /// It is left out, so that nothing is measured twice.
    #[default]
    Cut,
    /// It is kept, without its marks.
    Keep,
}

/// What the caller knows of a file, or wishes. All of it may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// The name of the file. It decides only between kinds whose content does not tell them apart: plain text, Markdown, CSV, JSON.
    pub name: Option<String>,
    /// What the file is, whatever its content looks like.
    pub kind: Option<Kind>,
    /// The text of a document consists of lines such as `agent: Good morning.`
    pub turns: bool,
    /// The column of a table whose cells are the turns: its heading, or letters such as `B`.
    pub column: Option<String>,
    /// The column that names who speaks, beside `column`.
    pub role_column: Option<String>,
    /// The sheet of a workbook; all of them without it (with `column`: the first).
    pub sheet: Option<String>,
    /// Quoted parts of mails.
    pub quoted: Quoted,
    /// Names in the file, and the roles that they are; case does not matter.
    pub roles: Vec<(String, String)>,
    /// Sense it as this, where a protocol does not read documents: `Text`, `Document` or `Transcript`.
    pub modality: Option<Modality>,
    /// Do not use `pdftotext` where it is installed.
    pub builtin_pdf: bool,
}
