//! What to measure: the protocol, from the text that people write to the model that is compiled.

pub mod source;
