//! The protocols that the stages among the cases are sensed by, and everything that is said of such a stage.

use sonometer::diagnostic::Diagnostic;
use sonometer::stage::{Stage, World};
use sonometer::{Catalog, Error, Metric, Protocol};

struct Shelf;

impl Catalog for Shelf {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        let fidelity = if id == "long-talks" {
            "{words: 1, turns: 8, sufficient: 0.5}"
        } else {
            "{words: 1, sufficient: 0.1}"
        };
        let silent = match id {
            "greeting" => "\n  - label: no_greeting\n    absent: good morning\n    until: 2 turns",
            _ => "",
        };
        let text = format!(
            "sonometer: 1\nid: {id}\nversion: \"1.0\"\nstatus: published\ntaxonomy: Signal\nlanguage: en\n\
             fidelity: {fidelity}\nmarkers:\n  - label: thanks\n    strong: thank you\n    hit: Thank you.{silent}\n"
        );
        Ok(vec![Protocol::read(&text)?.0])
    }

    fn metrics(&self, _: &str) -> Result<Vec<Metric>, Error> {
        Ok(Vec::new())
    }
}

/// What `sonometer check` says of a stage.
pub(crate) fn findings(source: &str) -> Vec<Diagnostic> {
    let (stage, warnings) = match Stage::read(source) {
        Ok(read) => read,
        Err(error) => return error.diagnostics.iter().cloned().collect(),
    };
    let world = match World::new(stage, &Shelf) {
        Ok(world) => world,
        Err(error) => return error.diagnostics.iter().cloned().collect(),
    };
    let (own, walked) = (world.lint(), world.lint_walkthroughs());
    warnings.iter().chain(&own).chain(&walked).cloned().collect()
}
