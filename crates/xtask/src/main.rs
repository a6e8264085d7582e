//! Repository tasks: `cargo xtask NAME`.

mod book;
mod cards;
mod dist;
mod dives;
mod doors;
mod equal;
mod fuzz;
mod guard;
mod header;
mod lanes;
mod measured;
mod pages;
mod recall;
mod schema;
mod scripts;
mod tables;
mod test;
mod vectors;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask test | book | doors [--cases] [--random N [--seed S]] | header [--check] | tables [--check] | vectors [--check] | schema [--check] | cards [--check] [DATA] \
     | guard [--update] | equal [DATA] | recall [--words] [FILE…] | measured PAGE… | fuzz [READER…] [--seconds N] | dist [STEP…] [--twice | --try] | dist --quick";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["book"] => book::run(),
        ["tables"] => tables::write(),
        ["tables", "--check"] => tables::check(),
        ["header"] => header::write(),
        ["header", "--check"] => header::check(),
        ["doors", "--cases", ref which @ ..] => {
            doors::which(which).ok_or(USAGE.into()).and_then(doors::write)
        }
        ["doors", ref which @ ..] => doors::which(which).ok_or(USAGE.into()).and_then(doors::run).map(drop),
        ["guard"] => guard::run(false),
        ["guard", "--update"] => guard::run(true),
        ["vectors"] => vectors::fill(),
        ["vectors", "--check"] => vectors::check(),
        ["cards"] => cards::run(false, None),
        ["cards", "--check"] => cards::run(true, None),
        ["cards", "--check", data] => cards::run(true, Some(data)),
        ["cards", data] => cards::run(false, Some(data)),
        ["equal"] => equal::run(None),
        ["equal", data] => equal::run(Some(data)),
        ["recall", "--words", ref files @ ..] => recall::run(true, files),
        ["recall", ref files @ ..] => recall::run(false, files),
        ["measured", ref names @ ..] => measured::run(names),
        ["fuzz", ref rest @ ..] => fuzz::run(rest),
        ["dist", ref rest @ ..] => dist::run(rest),
        ["schema"] => schema::write(),
        ["schema", "--check"] => schema::check(),
        ["test"] => test::run(),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
