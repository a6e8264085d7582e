//! Lines with a role: `agent: Good morning.`

use super::captions::{lines, role};
use crate::Kind;
use crate::draft::Draft;
use crate::error::{ReadError, Reason};
use crate::map::Place;
use crate::{Hints, Ingested, Limits};

/// Reads lines such as `agent: Good morning.`; a line without a role goes on with what was said before.
///
/// # Errors
/// `broken` where the first line has no role.
pub fn turns(text: &str, hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let mut draft = Draft::new(limits);
    for (number, line) in (1..).zip(lines(text)) {
        match role(line) {
            Some((role, said)) => {
                draft.turn(Some(role.to_owned()), None)?;
                draft.further("\n", said, Place::line(number))?;
            }
            None if line.trim().is_empty() => {}
            None if draft.last_role().is_some() => draft.further("\n", line, Place::line(number))?,
            None => {
                let message = "the first words have no role; write `role: text`";
                return Err(ReadError::new(Reason::Broken, format!("line {number}"), message));
            }
        }
    }
    draft.finish(Kind::Turns, hints)
}
