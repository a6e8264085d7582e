//! `native_speed FILE`: microseconds that the native engine takes to sense a text with `courtesy` and to write its JSON, for
//! `bindings/wasm/bench`, which compares them with those of the WebAssembly door. The least of many rounds.

use sonometer::{Interaction, OffsetUnit, Protocol, Sensor, View};
use std::time::Instant;

const ROUNDS: u32 = 200;
const MESSAGES: u32 = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: native_speed FILE")?;
    let text = std::fs::read_to_string(path)?;
    let source = sonometer_catalog::find("courtesy", None).ok_or("courtesy does not ship")?.source;
    let sensor = Sensor::new(Protocol::read(source)?.0)?;
    let view = View { offsets: Some(OffsetUnit::Utf16), ..View::default() };
    let mut least = f64::INFINITY;
    let mut bytes = 0;
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        for _ in 0..MESSAGES {
            bytes += sensor.sense(&Interaction::text(&text)?)?.to_json(view).len();
        }
        least = least.min(begin.elapsed().as_secs_f64() * 1e6 / f64::from(MESSAGES));
    }
    println!("{least:.2} {}", bytes / (ROUNDS * MESSAGES) as usize);
    Ok(())
}
