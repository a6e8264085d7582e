//! The interface, row by row, over a real server on loopback.
//!
//! A comment `// covers: sense.200.score` beside a test names rows of `rows.txt`; the test of the table sees to it that every
//! row is covered, and writes `docs/interface.md`.

mod addresses;
mod administration;
mod away;
mod batch;
mod bench;
mod bill;
mod callbacks;
mod catalogue;
mod compare;
mod database;
mod dive_metering;
mod dive_rules;
mod dive_stages;
mod dives;
mod documented;
mod fair;
mod file_host;
mod files;
mod files_outside;
mod fixture;
#[path = "../../../sonometer-ingest/tests/files/hostile_cases.rs"]
mod hostile_cases;
mod jobs;
mod metering;
mod nodes;
mod operate;
mod recordings;
mod schema;
mod secrets;
mod sense;
mod stream;
mod table;
mod texts;
mod upgrade;
mod usage;
mod wire;
