//! What the guard costs by itself, in instructions, which are the same on a busy machine:
//! `cargo run --release -p sonometer-guard --example cost` (needs valgrind), or with the name of one piece of work to run it once.
//!
//! The second half of the table doubles the length of a text: a work that grows with the square of it would grow fourfold.

use sonometer::{Error, Instrument, TargetKind};
use sonometer_guard::{Form, Guard, Policy};
use std::process::Command;
use std::time::Instant;

type Failed = Box<dyn std::error::Error>;

/// What is answered, whole or word by word, again and again.
const ANSWER: &str = "Thank you for your message. Your order was sent yesterday and will arrive on Friday. You can follow it with the link in our mail; please write to us again if it does not arrive.";
/// Events of a stream.
const EVENTS: usize = 400;
/// Requests with their answers.
const REQUESTS: usize = 50;

/// Pieces of work: their names, how often each does what is counted, and what that is.
const WORK: [(&str, usize, &str); 6] = [
    ("nothing", 1, ""),
    ("request", REQUESTS, "a request and its answer"),
    ("words", EVENTS, "an event of a chat stream with a word"),
    ("arguments", EVENTS, "an event of tool arguments"),
    ("claude", EVENTS, "an event of a stream of messages"),
    ("private", EVENTS, "an event of a stream that is full of private data"),
];

/// Pieces of work by the length of their text in KiB.
const GROWTH: [(&str, &str); 11] = [
    ("line", "one line without a full stop, in events of 64 bytes"),
    ("whole", "a request with one long text full of addresses"),
    ("digits", "a request with one long text of single digits"),
    ("ruled", "the same, with a mask and two rules that measure"),
    ("escapes", "a request full of addresses, every character an escape"),
    ("placeholders", "a conversation full of addresses, with placeholders"),
    ("signs", "an answer of nothing but `<`, with placeholders"),
    ("judged", "an answer in sentences, with a rule that may end it"),
    ("values", "a request of texts of one letter"),
    ("cited", "a document full of addresses, and citations of it"),
    ("sealed", "an answer of sealed summaries"),
];
/// A mask, and two rules that read the same texts once more.
const RULED: &str = r#"{"rules":[{"action":"mask","target":"personal-data"},{"action":"sense","target":"personal-data"},{"action":"block","target":"prompt-attack","at_least":0.6}]}"#;
const SIZES: [usize; 3] = [64, 128, 256];

fn main() -> Result<(), Failed> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => table(),
        [name] => run(name, 0),
        [name, size, ..] => run(name, size.parse()?),
    }
}

fn table() -> Result<(), Failed> {
    println!("| what | thousand instructions |\n|---|---:|");
    for (name, times, what) in WORK.iter().skip(1) {
        println!("| {what} | {:.0} |", count(&[name])? as f64 / *times as f64 / 1e3);
    }
    println!(
        "\n| instructions a byte | {} KiB | {} KiB | {} KiB |\n|---|---:|---:|---:|",
        SIZES[0], SIZES[1], SIZES[2]
    );
    for (name, what) in GROWTH {
        print!("| {what} |");
        for size in SIZES {
            print!(" {} |", count(&[name, &size.to_string()])? / (size as u64 * 1_024));
        }
        println!();
    }
    Ok(())
}

/// The instructions within [`counted`].
fn count(arguments: &[&str]) -> Result<u64, Failed> {
    let own = std::env::current_exe()?;
    let output = Command::new("valgrind")
        .args([
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            "--collect-atstart=no",
            "--toggle-collect=cost::counted",
        ])
        .arg(own)
        .args(arguments)
        .output()
        .map_err(|error| format!("valgrind: {error}; install it, or give the name of a piece of work"))?;
    let said = String::from_utf8(output.stderr)?;
    if !output.status.success() {
        return Err(said.into());
    }
    let line =
        said.lines().find_map(|line| line.split("Collected : ").nth(1)).ok_or("valgrind counted nothing")?;
    Ok(line.trim().parse()?)
}

fn find(target: &str) -> Result<Instrument, Error> {
    let entry = sonometer_catalog::find_any(target, &TargetKind::ALL)
        .map_err(|none| Error::invalid("", none.to_string()))?;
    Instrument::new(entry.document()?.0, &sonometer_catalog::Shipped)
}

fn guard(policy: &str) -> Result<Guard, Failed> {
    Ok(Guard::new(&serde_json::from_str(policy)?, find)?)
}

/// The part that is counted: valgrind is switched on by the name of this function.
#[inline(never)]
fn counted<T>(work: impl FnOnce() -> Result<T, Failed>) -> Result<(), Failed> {
    work().map(drop)
}

/// The same, with how long it took: `-- values 1900` says it of so many KiB.
fn timed<T>(work: impl FnOnce() -> Result<T, Failed>) -> Result<(), Failed> {
    let start = Instant::now();
    let done = counted(work);
    println!("{:.2} s", start.elapsed().as_secs_f64());
    done
}

fn run(name: &str, size: usize) -> Result<(), Failed> {
    let masking = Guard::new(&Policy::mask("personal-data"), find)?;
    let reversible = guard(
        r#"{"placeholders":true,"rules":[{"action":"mask","target":"personal-data","on":"request"}],"limits":{"lane_bytes":100000000,"held_bytes":100000000}}"#,
    )?;
    let bytes = size * 1_024;
    let addresses: Vec<String> =
        (0..).map(|at| format!("Write to person{at}@example{at}.org, and ")).take(bytes / 30).collect();
    match name {
        "nothing" => timed(|| Ok(())),
        "request" => requests(&masking),
        "words" => stream(
            &masking,
            Form::Chat,
            &chat(ANSWER.split(' ').cycle().take(EVENTS).map(|word| format!("{{\"content\":\" {word}\"}}"))),
        ),
        "private" => {
            let words = [
                "Write", " to", " ann", "@", "example", ".org", ",", " card", " 4111", " 1111", " 1111",
                " 1111", ",", " please", ".", " ",
            ];
            stream(
                &masking,
                Form::Chat,
                &chat((0..EVENTS).map(|at| format!("{{\"content\":\"{}\"}}", words[at % words.len()]))),
            )
        }
        "arguments" => {
            let parts = [
                "{\\\"list\\\":[\\\"",
                "one",
                " more",
                " word",
                "\\\",\\\"",
                "two",
                "\\\"",
                ",12",
                "34",
                ",\\\"x",
            ];
            let part = |at: usize| if at == 0 { parts[0] } else { parts[1 + at % (parts.len() - 1)] };
            let open = (0..EVENTS).map(|at| {
                format!(
                    "{{\"tool_calls\":[{{\"index\":0,\"function\":{{\"arguments\":\"{}\"}}}}]}}",
                    part(at)
                )
            });
            events(&masking, Form::Chat, &chat(open))
        }
        "claude" => {
            let start = "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n".to_owned();
            let delta = |word| {
                format!(
                    "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\" {word}\"}}}}\n\n"
                )
            };
            events(
                &masking,
                Form::Messages,
                &std::iter::once(start)
                    .chain(ANSWER.split(' ').cycle().take(EVENTS).map(delta))
                    .collect::<Vec<_>>(),
            )
        }
        "line" => {
            let line = "and the next one is here ,".repeat(bytes / 26);
            let parts = line
                .as_bytes()
                .chunks(64)
                .map(|part| format!("{{\"content\":\"{}\"}}", String::from_utf8_lossy(part)));
            stream(&masking, Form::Chat, &chat(parts))
        }
        "judged" => {
            let judging =
                guard(r#"{"rules":[{"action":"block","target":"prompt-attack","on":"response"}]}"#)?;
            let line = "Thank you, it is on its way. ".repeat(bytes / 29);
            let parts = line
                .as_bytes()
                .chunks(64)
                .map(|part| format!("{{\"content\":\"{}\"}}", String::from_utf8_lossy(part)));
            stream(&judging, Form::Chat, &chat(parts))
        }
        "whole" => request(&masking, &addresses.concat()),
        "digits" => request(&masking, &single_digits(bytes)),
        "ruled" => request(&guard(RULED)?, &single_digits(bytes)),
        "escapes" => {
            let text: String = addresses
                .concat()
                .chars()
                .take(bytes / 6)
                .map(|c| format!("\\u{:04x}", u32::from(c)))
                .collect();
            request(&masking, &text)
        }
        "placeholders" => {
            let messages: Vec<String> = addresses
                .iter()
                .map(|text| format!("{{\"role\":\"user\",\"content\":\"{text}\"}}"))
                .collect();
            let body = format!("{{\"messages\":[{}]}}", messages.join(","));
            timed(|| Ok(reversible.request(Form::Chat, body.as_bytes())?))
        }
        "values" => {
            let body = format!("{{\"input\":[{}]}}", vec!["\"a\""; bytes / 4].join(","));
            timed(|| Ok(masking.request(Form::Embeddings, body.as_bytes())?))
        }
        "cited" => {
            let text = addresses[..addresses.len() / 2].concat();
            let cited = "{\"type\":\"char_location\",\"document_index\":0,\"start_char_index\":9,\"end_char_index\":30}";
            let body = format!(
                "{{\"messages\":[{{\"role\":\"user\",\"content\":[{{\"type\":\"document\",\"source\":{{\"type\":\"text\",\"data\":\"{text}\"}}}}]}},{{\"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":\"It is.\",\"citations\":[{}]}}]}}]}}",
                vec![cited; bytes / 2 / cited.len()].join(",")
            );
            timed(|| Ok(masking.request(Form::Messages, body.as_bytes())?))
        }
        "sealed" => {
            let seals = (0..bytes / 48)
                .map(|at| format!("{{\"type\":\"compaction\",\"encrypted_content\":\"{at:06}\"}}"));
            let body = format!("{{\"output\":[{}]}}", seals.collect::<Vec<_>>().join(","));
            let mut exchange = masking.request(Form::Responses, b"{\"input\":\"Hi\"}")?;
            timed(|| Ok(exchange.response(200, body.as_bytes())?))
        }
        "signs" => {
            let mut exchange = reversible.request(Form::Chat, ask("I am ann@example.org").as_bytes())?;
            let body = format!(
                "{{\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"content\":\"{}\"}}}}]}}",
                "<".repeat(bytes)
            );
            timed(|| Ok(exchange.response(200, body.as_bytes())?))
        }
        other => Err(format!("no work is called `{other}`").into()),
    }
}

fn single_digits(bytes: usize) -> String {
    "1 2 3 4 5 6 7 8 9 0 ".repeat(bytes / 20)
}

fn ask(text: &str) -> String {
    format!(
        "{{\"model\":\"m\",\"stream\":true,\"messages\":[{{\"role\":\"system\",\"content\":\"You are the assistant of a shop. Be brief.\"}},{{\"role\":\"user\",\"content\":\"{text}\"}}]}}"
    )
}

fn request(guard: &Guard, text: &str) -> Result<(), Failed> {
    let body = ask(text);
    timed(|| Ok(guard.request(Form::Chat, body.as_bytes())?))
}

fn requests(guard: &Guard) -> Result<(), Failed> {
    let body = ask(
        "I ordered a lamp last week and have heard nothing since. Could you look where it is? My address is ann@example.org, and I am at home on Friday.",
    );
    let answer = format!(
        "{{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"content\":\"{ANSWER}\"}},\"finish_reason\":\"stop\"}}],\"usage\":{{\"prompt_tokens\":1,\"completion_tokens\":1,\"total_tokens\":2}}}}"
    );
    let once = || -> Result<(), Failed> {
        let mut exchange = guard.request(Form::Chat, body.as_bytes())?;
        exchange.response(200, answer.as_bytes())?;
        Ok(())
    };
    once()?;
    timed(|| (0..REQUESTS).try_for_each(|_| once()))
}

fn chat(deltas: impl Iterator<Item = String>) -> Vec<String> {
    deltas
        .map(|delta| format!("data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":null}}]}}\n\n"))
        .collect()
}

/// A whole stream.
fn stream(guard: &Guard, form: Form, all: &[String]) -> Result<(), Failed> {
    let mut all = all.to_vec();
    all.push(
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
            .to_owned(),
    );
    events(guard, form, &all)
}

/// Events one by one, as they come in.
fn events(guard: &Guard, form: Form, events: &[String]) -> Result<(), Failed> {
    let stream = || guard.request(form, ask("Hi").as_bytes()).map(sonometer_guard::Exchange::stream);
    let all = |mut stream: sonometer_guard::Stream, all: &[String]| {
        let mut out = Vec::new();
        for event in all {
            out.clear();
            stream.push(event.as_bytes(), &mut out)?;
        }
        Ok::<_, Failed>(())
    };
    // What is made ready once is not counted.
    all(stream()?, events)?;
    let stream = stream()?;
    timed(|| all(stream, events))
}
