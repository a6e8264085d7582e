//! Runs one of the fixed workloads once, for a tool that counts instructions; without a name it lists them.

use sonometer_bench::workload::{self, Workload};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(name) = std::env::args().nth(1) else {
        workload::FIXED.iter().for_each(|name| println!("{name}"));
        return ExitCode::SUCCESS;
    };
    match workload::fixed(&name) {
        Some(workload) => {
            println!("{} bytes of JSON", counted_workload(&workload));
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("no workload is called `{name}`");
            ExitCode::FAILURE
        }
    }
}

/// The part that is counted: the counter is switched on by the name of this function.
#[inline(never)]
fn counted_workload(workload: &Workload) -> usize {
    workload.run()
}
