//! `native_speed FILE TARGET…`: microseconds that the native engine takes to sense a text with each of these shipped protocols
//! and to write its JSON, and the bytes of that, for `bindings/wasm/bench`, which compares them with those of the WebAssembly
//! door. The least of many rounds.

use sonometer::{Interaction, OffsetUnit, Protocol, Sensor, View};
use std::time::{Duration, Instant};

/// Long enough for a quiet moment to be among them.
const SPENT: Duration = Duration::from_secs(2);
const MESSAGES: u32 = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: native_speed FILE TARGET…")?;
    let text = std::fs::read_to_string(path)?;
    for target in arguments {
        let source = sonometer_catalog::find(&target, None).ok_or(format!("{target} does not ship"))?.source;
        let sensor = Sensor::new(Protocol::read(source)?.0)?;
        let view = View { offsets: Some(OffsetUnit::Utf16), ..View::default() };
        let sense = || Ok::<_, sonometer::Error>(sensor.sense(&Interaction::text(&text)?)?.to_json(view));
        let bytes = sense()?.len();
        let mut least = f64::INFINITY;
        let whole = Instant::now();
        while whole.elapsed() < SPENT {
            let begin = Instant::now();
            for _ in 0..MESSAGES {
                assert_eq!(sense()?.len(), bytes);
            }
            least = least.min(begin.elapsed().as_secs_f64() * 1e6 / f64::from(MESSAGES));
        }
        println!("{target} {least:.2} {bytes}");
    }
    Ok(())
}
