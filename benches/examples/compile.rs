//! What reading and compiling a protocol costs, in a process of its own: `compile FILE` prints milliseconds of CPU, the peak of memory and
//! what is kept, in MiB; `compile set c`, `compile set large` write the protocols of the table, `compile set lists` one whose lines name a
//! long list, to be counted by callgrind or massif; `compile names 50000` measures a list file of so many names.

use sonometer_bench::corpus::{self, Corpus};
use sonometer_bench::patterns::{self, Grams};
use sonometer_bench::process::{CHILD, of_child, run_child};
use sonometer_bench::table::processes::in_long_lines;
use sonometer_bench::workload::names;
use std::fmt::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [CHILD, ref rest @ ..] => run_child(&rest.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()),
        ["set", name] => println!("{}", set(name).ok_or("the sets are c, large and lists")?),
        ["names", count] => {
            let cost = of_child(&["names"], &names(count.parse()?));
            println!("{:.1} ms, peak {:.1} MiB, kept {:.1} MiB", cost.ms, cost.peak, cost.kept);
        }
        [file] => {
            let cost = of_child(&["compile"], &std::fs::read_to_string(file)?);
            println!("{:.1} ms, peak {:.1} MiB, kept {:.1} MiB", cost.ms, cost.peak, cost.kept);
        }
        _ => return Err("write `compile FILE` or `compile set c`".into()),
    }
    Ok(())
}

fn set(name: &str) -> Option<String> {
    let grams = || Grams::of(&Corpus::load(corpus::BYTES));
    match name {
        "c" => Some(grams().phrases(&patterns::C).protocol()),
        "large" => Some(in_long_lines(&grams().absent(300_000))),
        "lists" => Some(lists()),
        _ => None,
    }
}

/// 2,000 lines that name a list of 2,000 entries.
fn lists() -> String {
    let entries: Vec<String> = (0..2_000).map(|n| format!("entry{n}")).collect();
    let mut text = format!(
        "sonometer: 1\nid: lists\nversion: \"1.0\"\ntaxonomy: Signal\nlanguage: en\nlists:\n  big: {}\nmarkers:\n  - label: a\n    clear: |\n",
        entries.join(" | ")
    );
    (0..2_000).for_each(|n| _ = writeln!(text, "      @big x{n}"));
    text
}
