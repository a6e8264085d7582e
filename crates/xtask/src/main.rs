//! Repository tasks: `cargo xtask NAME`.

mod tables;
mod test;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask tables [--check] | test";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["tables"] => tables::write(),
        ["tables", "--check"] => tables::check(),
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
