//! The rooms of the engine, and which of them use which: no two may need each other, directly or through others. A newcomer can
//! then read them one after the other, and each can be changed with a look only at those above it.
//!
//! `cargo test -p sonometer --test module_graph -- --nocapture` prints the graph, lowest room first.

use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_rooms_go_round_in_a_circle() {
    let graph = graph(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(graph.len() > 20, "the rooms were found: {graph:?}");
    assert!(graph["sensor"].contains("protocol"), "what a room uses was found");
    let told = format!("lists its {} modules in the order", graph.len());
    assert!(
        include_str!("../../../CONTRIBUTING.md").contains(&told),
        "CONTRIBUTING.md does not say that it {told}"
    );
    let mut left = graph;
    while !left.is_empty() {
        let done: Vec<String> =
            left.iter().filter(|(_, uses)| uses.is_empty()).map(|(room, _)| room.clone()).collect();
        assert!(!done.is_empty(), "these rooms need each other; move what makes the circle: {left:#?}");
        println!("{}", done.join(" "));
        for room in &done {
            left.remove(room);
        }
        left.values_mut().for_each(|uses| uses.retain(|used| !done.contains(used)));
    }
}

#[test]
fn a_circle_would_be_seen() {
    let uses =
        uses("use crate::{a::X, b::{Y, Z}};\nfn f() -> crate::c::T {}\nuse crate::D;\n//! [`crate::e`]");
    assert_eq!(uses.into_iter().collect::<Vec<_>>(), ["D", "a", "b", "c"]);
}

/// The rooms directly under `src`, each with those that its files name after `crate::`, tests left out.
fn graph(src: &Path) -> Graph {
    let mut graph = Graph::new();
    for path in files(src) {
        let inside = path.strip_prefix(src).expect("is in src").with_extension("");
        let room = inside.iter().next().expect("has a name").to_string_lossy().into_owned();
        let is_test = inside.to_string_lossy().ends_with("tests") || inside.ends_with("testing");
        if room != "lib" && !is_test {
            let text = fs::read_to_string(&path).expect("is text");
            graph.entry(room).or_default().extend(uses(&text));
        }
    }
    // What `lib.rs` re-exports is named by where it is only in documentation and tests.
    let rooms: BTreeSet<String> = graph.keys().cloned().collect();
    for (room, uses) in &mut graph {
        let strange: Vec<&String> = uses.iter().filter(|used| !rooms.contains(*used)).collect();
        assert!(strange.is_empty(), "`{room}` names {strange:?} by the root: name the room that it is in");
        uses.remove(room);
    }
    graph
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("is a folder") {
        let path = entry.expect("is read").path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => all.extend(path.extension().is_some_and(|end| end == "rs").then_some(path)),
        }
    }
    all
}

/// What a file names first after `crate::`, but for comments and its tests.
fn uses(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let code: Vec<&str> = code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join("\n");
    let path = Regex::new(r"\bcrate::(\w+|\{)").expect("is an expression");
    let mut uses = BTreeSet::new();
    for found in path.captures_iter(&code) {
        let (whole, first) = (found.get(0).expect("is there"), &found[1]);
        if first != "{" {
            uses.insert(first.to_owned());
            continue;
        }
        let mut depth = 0;
        let mut name = String::new();
        for c in code[whole.end()..].chars() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                _ if depth > 0 => {}
                ',' => uses.extend(std::mem::take(&mut name).split("::").next().map(|n| n.trim().to_owned())),
                _ => name.push(c),
            }
        }
        uses.extend(name.split("::").next().map(|n| n.trim().to_owned()).filter(|n| !n.is_empty()));
    }
    uses
}
