//! What the engine takes by itself, for `bench.py`: `bare TARGET`.
//!
//! The first line of the input is the message. Each further line asks for a round, and is answered by the microseconds of one
//! message: `evidence TIMES` with every piece of evidence, `one TIMES` with its JSON, `many TIMES` in one batch (on
//! `RAYON_NUM_THREADS` threads), `session TIMES` by chunks of four bytes.

use sonometer::{Instrument, Interaction, Protocol, Sensor, SessionOptions, View};
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, id] = &arguments[..] else { return Err("usage: bare TARGET".into()) };
    let (id, version) = id.split_once('@').ok_or("a target is id@version")?;
    let entry = sonometer_catalog::find(id, Some(version)).ok_or("no such protocol")?;
    let sensor = Sensor::new(Protocol::read(entry.source)?.0)?;
    let mut lines = std::io::stdin().lock().lines();
    let message = lines.next().ok_or("no message")??;
    for line in lines {
        let line = line?;
        let (what, times) = line.split_once(' ').ok_or("no round")?;
        let times: usize = times.parse()?;
        let begin = Instant::now();
        if what == "evidence" {
            for _ in 0..times {
                let reading = sensor.sense(&Interaction::text(black_box(&message))?)?;
                reading.evidence().for_each(|found| drop(black_box(found)));
            }
        } else if what == "one" {
            for _ in 0..times {
                let interaction = Interaction::text(black_box(&message))?;
                black_box(sensor.sense(&interaction)?.to_json(View::default()));
            }
        } else if what == "session" {
            for _ in 0..times {
                let mut session = sensor.session(SessionOptions::default());
                for chunk in black_box(&message).as_bytes().chunks(4) {
                    black_box(session.push(chunk)?.to_json());
                }
                black_box(session.finish()?);
            }
        } else {
            let all: Result<Vec<_>, _> = (0..times).map(|_| Interaction::text(black_box(&message))).collect();
            black_box(Instrument::from(sensor.clone()).batch(&all?));
        }
        println!("{}", begin.elapsed().as_secs_f64() * 1e6 / times as f64);
        std::io::stdout().flush()?;
    }
    Ok(())
}
