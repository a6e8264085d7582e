//! Every vector through both engines.

use sonometer_reference::vectors::{self, Outcome, Vector};
use std::path::Path;

fn all() -> Vec<Vector> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    vectors::all(&root).unwrap_or_else(|reason| panic!("{reason}"))
}

/// Runs all vectors and reports every one that comes out differently.
fn run(engine: &str, outcome: fn(&Vector) -> Outcome) {
    let vectors = all();
    let wrong: Vec<String> = vectors
        .iter()
        .filter_map(|vector| {
            let found = outcome(vector);
            let same = vector.expect.as_ref() == Some(&found);
            (!same).then(|| {
                format!(
                    "{} `{}`\n expected {:?}\n found    {found:?}",
                    vector.place, vector.name, vector.expect
                )
            })
        })
        .collect();
    println!("{engine}: {} vectors ran", vectors.len());
    assert!(wrong.is_empty(), "{} of {} differ\n{}", wrong.len(), vectors.len(), wrong.join("\n"));
}

#[test]
fn the_engine_gives_what_every_vector_expects() {
    run("engine", Vector::by_engine);
}

#[test]
fn the_reference_gives_what_every_vector_expects() {
    run("reference", Vector::by_reference);
}

#[test]
fn there_are_vectors_of_both_kinds() {
    let vectors = all();
    let errors = vectors.iter().filter(|v| matches!(v.expect, Some(Outcome::Error(_)))).count();
    assert!(vectors.len() >= 500 && errors >= 20, "{} vectors, {errors} of errors", vectors.len());
}
