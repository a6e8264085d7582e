//! Files of every kind: those we made, hostile ones, and any bytes at all.
#![cfg(feature = "documents")]

#[path = "files/apart.rs"]
mod apart;
#[path = "files/confined.rs"]
mod confined;
#[path = "files/hostile.rs"]
mod hostile;
#[path = "files/hostile_cases.rs"]
mod hostile_cases;
#[path = "files/made.rs"]
mod made;
#[path = "files/mutated.rs"]
mod mutated;
