//! How the time a turn takes grows with the number of turns of a conversation that comes in turn by turn: microseconds of CPU for every
//! shipped protocol, and for markers of which every match waits for the end. `turns [NAME]`; 1.0 is flat.

use sonometer::Instrument;
use sonometer_bench::growth::{a_turn, growth};
use sonometer_bench::timing::median;
use sonometer_bench::workload::{compile, newest, shipped};

const TURNS: [usize; 3] = [1_000, 4_000, 16_000];
const ROUNDS: usize = 3;

const HEAD: &str = r#"sonometer: 1
id: waiting
version: "1.0"
taxonomy: Signal
actants: {primary: agent, secondary: customer}
fidelity: {words: 1, sufficient: 0}
markers:
  - {label: thanks, weak: thank you}
"#;
const WAITING: [(&str, &str); 3] = [
    ("seconds", "{label: fine, weak: fine, pair: {then: goodbye, by: customer, within: 30 seconds}}"),
    ("join", "{label: fine, weak: fine, join: 2 turns}"),
    (
        "seconds, masked",
        "{label: fine, weak: fine, mask: all, pair: {then: goodbye, by: customer, within: 30 seconds}}",
    ),
];

fn main() {
    let wanted = std::env::args().nth(1);
    let made = WAITING.map(|(name, marker)| (name, compile(&format!("{HEAD}  - {marker}\n")).into()));
    let all = newest().into_iter().map(|id| (id, shipped(id))).chain(made);
    println!("| µs a turn, by the number of turns | 1,000 | 4,000 | 16,000 | growth |");
    println!("|---|---:|---:|---:|---:|");
    for (name, instrument) in all.filter(|(name, _)| wanted.as_ref().is_none_or(|wanted| wanted == name)) {
        let cost = cost(&instrument);
        let [few, some, many] = cost;
        println!("| {name} | {few:.1} | {some:.1} | {many:.1} | {:.2} |", growth(cost));
    }
}

/// Medians of some rounds in which the numbers of turns take turns.
fn cost(instrument: &Instrument) -> [f64; 3] {
    let rounds: Vec<[f64; 3]> = (0..ROUNDS).map(|_| TURNS.map(|turns| a_turn(instrument, turns))).collect();
    [0, 1, 2].map(|at| median(rounds.iter().map(|round| round[at]).collect()))
}
