//! Tables: which files they are made of, where these are, and how they are read and written.

pub(crate) mod content;
pub(crate) mod files;
pub(crate) mod read;
pub(crate) mod source;
pub(crate) mod talks;
pub(crate) mod turns;
pub(crate) mod write;
