//! A lane: one text of an answer that comes in bit by bit, such as the content of one choice or the arguments of one call.
//!
//! Each has a session of its own. What goes in and out stands between the quotes of JSON.

mod arguments;
mod judge;
mod text;

pub(crate) use arguments::{ArgumentsLane, number};
pub(crate) use judge::{applies, refused};
pub(crate) use text::TextLane;

use crate::blocked::{Blocked, Kind};
use crate::guard::Compiled;
use crate::numbering::Numbering;
use crate::policy::{On, Role};
use crate::report::Report;

/// What all texts of an exchange share.
pub(crate) struct Context<'c> {
    pub(crate) compiled: &'c Compiled,
    pub(crate) numbering: &'c mut Numbering,
    pub(crate) report: &'c mut Report,
}

/// How a lane reads what comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Manner {
    /// Text for people.
    Text,
    /// JSON, whose values are texts: arguments of tools.
    Arguments,
    /// Text that must not be changed: what would be masked is refused, and nothing is restored.
    Unchanged,
}

/// One text that comes in.
pub(crate) enum Lane {
    Text(Box<TextLane>),
    Arguments(Box<ArgumentsLane>),
}

impl Lane {
    pub(crate) fn new(context: &Context<'_>, on: On, role: Role, manner: Manner) -> Self {
        match manner {
            Manner::Arguments => Self::Arguments(Box::new(ArgumentsLane::new(on, role))),
            _ => {
                let lane = TextLane::new(context.compiled, on, role).judged(context.compiled);
                Self::Text(Box::new(if manner == Manner::Unchanged { lane.unchanged() } else { lane }))
            }
        }
    }

    /// Takes what stands between the quotes of the next part, and adds what may be shown.
    ///
    /// # Errors
    /// What must not pass.
    pub(crate) fn push(
        &mut self,
        raw: &str,
        context: &mut Context<'_>,
        out: &mut String,
    ) -> Result<(), Blocked> {
        match self {
            Self::Text(lane) => lane.push(raw, context, out)?,
            Self::Arguments(lane) => lane.push(raw, context, out)?,
        }
        let limits = context.compiled.policy.limits;
        if self.held() > limits.held_bytes {
            return Err(Blocked::new(
                Kind::TooLarge,
                format!("more than {} bytes of a text are held back (limits.held_bytes)", limits.held_bytes),
            ));
        }
        if self.taken() > limits.lane_bytes {
            return Err(Blocked::new(
                Kind::TooLarge,
                format!("a text has more than {} bytes (limits.lane_bytes)", limits.lane_bytes),
            ));
        }
        Ok(())
    }

    /// Ends the text, and adds the rest of it.
    ///
    /// # Errors
    /// What must not pass.
    pub(crate) fn finish(&mut self, context: &mut Context<'_>, out: &mut String) -> Result<(), Blocked> {
        match self {
            Self::Text(lane) => lane.finish(context, out),
            Self::Arguments(lane) => lane.finish(context, out),
        }
    }

    /// The bytes that are held back.
    fn held(&self) -> usize {
        match self {
            Self::Text(lane) => lane.held(),
            Self::Arguments(lane) => lane.held(),
        }
    }

    /// The bytes that came in.
    fn taken(&self) -> usize {
        match self {
            Self::Text(lane) => lane.taken(),
            Self::Arguments(lane) => lane.taken(),
        }
    }
}

/// A whole text of JSON, masked; the same text where nothing is to be done.
pub(crate) fn whole(
    raw: &str,
    context: &mut Context<'_>,
    on: On,
    role: Role,
    manner: Manner,
) -> Result<String, Blocked> {
    let mut out = String::with_capacity(raw.len() + 16);
    match manner {
        Manner::Arguments => {
            let mut lane = ArgumentsLane::new(on, role);
            lane.push(raw, context, &mut out)?;
            lane.finish(context, &mut out)?;
        }
        _ => {
            let lane = TextLane::new(context.compiled, on, role);
            let mut lane = if manner == Manner::Unchanged { lane.unchanged() } else { lane };
            lane.push(raw, context, &mut out)?;
            lane.finish(context, &mut out)?;
        }
    }
    Ok(out)
}
