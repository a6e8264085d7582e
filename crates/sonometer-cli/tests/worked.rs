//! The readings that `docs/worked-readings.md` works through by hand: its commands are run, its arithmetic is worked out, and what
//! it calls a number of the JSON is one. `BLESS=1 cargo test -p sonometer-cli --test worked` writes the outputs anew, and
//! never the arithmetic.
#![cfg(unix)]

mod page;
mod worked {
    pub(crate) mod arithmetic;
}

use serde_json::Value;
use std::fs;
use worked::arithmetic::{Number, evaluate};

/// The member or element that a name such as `evidence.0.score` leads to.
fn at<'j>(json: &'j Value, name: &str) -> Option<&'j Value> {
    json.pointer(&format!("/{}", name.replace('.', "/")))
}

#[test]
fn the_readings_come_out_as_worked_by_hand() {
    let folder = page::does_what_it_says("worked-readings.md", 6);
    let text = fs::read_to_string(page::page("worked-readings.md")).expect("is there");
    let (mut lines, mut named) = (0, 0);
    for block in text.split("```").skip(1).step_by(2) {
        let Some((head, body)) = block.split_once('\n') else { continue };
        let Some(file) = head.strip_prefix("reckoning ") else { continue };
        let json = fs::read_to_string(folder.join(file)).expect("was written by a command");
        let json: Value = serde_json::from_str(&json).expect("is JSON");
        for line in body.lines() {
            let mut sides = line.split(" = ");
            let name = sides.next().expect("has a name");
            let values: Vec<Number> =
                sides.map(|side| evaluate(side).unwrap_or_else(|why| panic!("{line}: {why}"))).collect();
            let result = values.last().unwrap_or_else(|| panic!("{line}: has no result"));
            assert!(values.iter().all(|value| value == result), "{line}: is {values:?}");
            lines += 1;
            if !name.contains(' ') && name.chars().any(char::is_lowercase) {
                let told = at(&json, name).unwrap_or_else(|| panic!("{line}: {file} has no {name}"));
                assert_eq!(evaluate(&told.to_string()).as_ref(), Ok(result), "{line}: {file} says {told}");
                named += 1;
            }
        }
    }
    assert!(lines >= 50 && named >= 30, "{lines} lines, {named} of them in the JSON");
}
