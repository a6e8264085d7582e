//! Look-alikes of Latin letters.

use super::runs;
use crate::characters::{CharClass, class_of};
use crate::fold::Folded;
use sonometer::text::unfold::CONFUSABLES;

/// In each run of `Word` characters that holds a look-alike and whose non-ASCII characters are all look-alikes, each
/// becomes its Latin letter.
pub(super) fn undo(row: &[Folded]) -> Vec<Folded> {
    let mut new = row.to_vec();
    for run in runs(row, |c| class_of(c) == CharClass::Word) {
        if row[run.clone()].iter().all(|cell| cell.char.is_ascii() || latin(cell.char).is_some()) {
            for cell in &mut new[run] {
                cell.char = latin(cell.char).unwrap_or(cell.char);
            }
        }
    }
    new
}

/// The Latin letter that a character looks like.
fn latin(c: char) -> Option<char> {
    CONFUSABLES.iter().find(|(look_alike, _)| *look_alike == c).map(|(_, latin)| char::from(*latin))
}
