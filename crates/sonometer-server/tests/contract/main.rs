//! The interface, row by row, over a real server on loopback.
//!
//! A comment `// covers: sense.200.score` beside a test names rows of `rows.txt`; the test of the table sees to it that every
//! row is covered, and writes `docs/interface.md`.

mod batch;
mod bench;
mod callbacks;
mod catalogue;
mod compare;
mod database;
mod documented;
mod fixture;
mod jobs;
mod metering;
mod nodes;
mod schema;
mod sense;
mod stream;
mod table;
mod usage;
mod wire;
