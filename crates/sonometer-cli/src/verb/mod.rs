//! The verbs of the command, one file each.

pub(crate) mod check;
pub(crate) mod evaluate;
mod explain;
pub(crate) mod fidelity;
pub(crate) mod fit;
pub(crate) mod protocols;
pub(crate) mod sense;
pub(crate) mod test;
