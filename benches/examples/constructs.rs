//! What a line of each kind adds to a reading of 1 KB of talk, as a share of a reading that looks for next to nothing. Protocols with many
//! lines of one kind and the bare one run in turns; each figure is the median of the ratios of neighbours, less one, divided by the lines.

use cpu_time::ThreadTime;
use sonometer::{Interaction, Sensor};
use sonometer_bench::corpus::Corpus;
use sonometer_bench::patterns::{self, Grams};
use sonometer_bench::workload::{compile, scanner};
use std::fmt::Write;
use std::hint::black_box;

const ROUNDS: usize = 21;

/// Lines of one kind, and what they are called in the table.
struct Kind {
    name: String,
    lines: Vec<String>,
    /// The markers that have all of them.
    markers: usize,
    except: bool,
}

impl Kind {
    fn new(name: &str, lines: Vec<String>) -> Self {
        Self { name: name.to_owned(), lines, markers: 1, except: false }
    }

    fn protocol(&self) -> String {
        let mut text = String::from(
            "sonometer: 1\nid: construct\nversion: \"1.0\"\ntaxonomy: Signal\nlanguage: en\nscore: mean\n\
             fidelity: {words: 1, sufficient: 0}\nmarkers:\n",
        );
        for marker in 0..self.markers {
            let _ = write!(text, "  - label: marker_{marker}\n    clear: |\n");
            if self.except {
                text.push_str("      the\n    except: |\n");
            }
            for line in &self.lines {
                let _ = writeln!(text, "      {line}");
            }
        }
        text
    }

    /// Lines that are compiled, each as often as it stands in a marker.
    fn count(&self) -> usize {
        self.lines.len() * self.markers
    }
}

fn main() {
    let corpus = Corpus::load(1 << 20);
    let messages = corpus.messages(1024, 200);
    let grams = Grams::of(&corpus);
    let bare = scanner();
    println!("Text: {}, {} messages of 1 KB.\n", corpus.source, messages.len());
    println!(
        "| lines | how many | pieces of evidence a KB | a bare reading = 1 | each, % of a bare reading |\n|---|---:|---:|---:|---:|"
    );
    for kind in kinds(&grams) {
        let sensor = compile(&kind.protocol());
        let found: usize =
            messages.iter().map(|m| sensor.sense(m).expect("a reading").evidence().count()).sum();
        let mut ratios: Vec<f64> =
            (0..ROUNDS).map(|_| time(&sensor, &messages) / time(&bare, &messages)).collect();
        ratios.sort_by(f64::total_cmp);
        let ratio = ratios[ROUNDS / 2];
        let each = 100.0 * (ratio - 1.0) / kind.count() as f64;
        let found = found as f64 / messages.len() as f64;
        println!("| {} | {} | {found:.1} | {ratio:.2} | {each:.2} |", kind.name, kind.count());
    }
}

fn kinds(grams: &Grams) -> Vec<Kind> {
    let words = |mark: &str| -> Vec<String> { (0..1000).map(|n| format!("{}{mark}", absent(n))).collect() };
    let telling = grams.phrases(&patterns::B).lines;
    let first = |line: &String| line.split(' ').next().unwrap_or_default().to_owned();
    let stems: Vec<String> = telling
        .iter()
        .map(first)
        .filter(|w| w.len() > 3 && !w.contains('\''))
        .map(|w| w + "~")
        .take(100)
        .collect();
    let mut kinds = vec![
        Kind::new(
            "phrases of two words that the text has not",
            (0..1000).map(|n| format!("{} {}", absent(n), absent(n + 7))).collect(),
        ),
        Kind::new("phrases that stand in the text", telling.iter().step_by(3).cloned().collect()),
        Kind {
            markers: 10,
            ..Kind::new("the same 100 phrases in ten markers", telling.iter().step_by(30).cloned().collect())
        },
        Kind::new("`word~` that the text has not", words("~")),
        Kind::new("`word~` that stands in the text", stems),
        Kind::new("words with gaps (set d)", grams.gap_rules().lines),
        Kind {
            except: true,
            ..Kind::new("exceptions that are phrases", telling.iter().step_by(3).cloned().collect())
        },
        Kind::new("expressions with a literal", (0..50).map(|n| format!("/{} [0-9]+/", absent(n))).collect()),
        Kind::new(
            "expressions that need a digit",
            (1..=50).map(|n| format!("/[0-9]{{{n},}}[a-z]/")).collect(),
        ),
        Kind::new("expressions with neither", (4..24).map(|n| format!("/[a-z]{{{n}}}ingly/")).collect()),
        Kind::new("`<question>`", vec!["<question>".to_owned()]),
        Kind::new("`<shout>`", vec!["<shout>".to_owned()]),
    ];
    for class in [
        "email", "url", "phone", "date", "time", "money", "number", "percent", "pan", "iban", "ip", "year",
        "ordinal", "ssn", "zip",
    ] {
        let line = format!("<{class}>");
        kinds.push(Kind::new(&format!("`{line}`"), vec![line]));
    }
    kinds
}

/// A word that no talk holds.
fn absent(number: usize) -> String {
    let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
    format!("zq{}{}{}x", letter(number), letter(number / 26), letter(number / 676))
}

/// Seconds of this thread for all messages.
fn time(sensor: &Sensor, messages: &[Interaction]) -> f64 {
    let start = ThreadTime::now();
    for message in messages {
        black_box(sensor.sense(message).expect("a reading").evidence().count());
    }
    start.elapsed().as_secs_f64()
}
