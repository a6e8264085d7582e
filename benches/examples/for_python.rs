//! What the Python half of the table measures on, as JSON: set a by marker and as a protocol, messages of 1 KB that are ASCII alone (so that
//! all count the same offsets), and what Rust takes for a reading of one.

use sonometer_bench::corpus::{self, Corpus};
use sonometer_bench::patterns::{self, Grams};
use sonometer_bench::table::{reads, reads_shipped};
use sonometer_bench::timing::Turns;
use sonometer_bench::workload::{sensor, shipped};

const MESSAGES: usize = 200;
const ROUNDS: usize = 15;

fn main() {
    let corpus = Corpus::load(corpus::BYTES);
    let set = Grams::of(&corpus).phrases(&patterns::A);
    let mut messages = corpus.messages(1024, 2 * MESSAGES);
    messages.retain(|message| message.turns()[0].content.is_ascii());
    messages.truncate(MESSAGES);
    let (of_set, affect) = (sensor(&set), shipped("affect"));
    let turns = Turns::of(ROUNDS, vec![reads(&of_set, &messages), reads_shipped(&affect, &messages)]);
    let each = |side: usize| 1e6 * turns.seconds[side] / messages.len() as f64;
    let mut markers = vec![Vec::new(); set.markers];
    set.lines.iter().enumerate().for_each(|(line, phrase)| markers[set.marker_of(line)].push(phrase));
    let texts: Vec<&str> = messages.iter().map(|message| &*message.turns()[0].content).collect();
    let (protocol, rust) = (set.protocol(), [each(0), each(1)]);
    println!(
        "{}",
        serde_json::json!({ "markers": markers, "protocol": protocol, "messages": texts, "rust": rust })
    );
}
