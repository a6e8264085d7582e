//! `native_speed FILE TARGET…`: what the native engine takes to sense a text with each of these shipped targets and to write its
//! JSON (microseconds), the bytes of that, and what it takes to make the target ready (milliseconds), for `bindings/wasm/bench`,
//! which compares them with those of the WebAssembly door. The least of many rounds.

use sonometer::{Interaction, OffsetUnit, SenseOptions, View};
use std::time::{Duration, Instant};

/// Long enough for a quiet moment to be among them.
const SPENT: Duration = Duration::from_secs(2);
const MESSAGES: u32 = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: native_speed FILE TARGET…")?;
    let text = std::fs::read_to_string(path)?;
    for target in arguments {
        let sensor = sonometer_catalog::shipped(&target)?;
        let view = View { offsets: Some(OffsetUnit::Utf16), ..View::default() };
        let sense = || {
            let reading = sensor.sense_with(&Interaction::text(&text)?, SenseOptions::default())?;
            Ok::<_, sonometer::Error>(reading.to_json(view))
        };
        let bytes = sense()?.len();
        let sensing = least(MESSAGES, || assert_eq!(sense().map(|json| json.len()), Ok(bytes)));
        let loading = least(1, || assert!(sonometer_catalog::shipped(&target).is_ok()));
        println!("{target} {:.2} {bytes} {:.2}", sensing * 1e6, loading * 1e3);
    }
    Ok(())
}

/// The seconds that something takes, done `count` times at once.
fn least(count: u32, mut work: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    let whole = Instant::now();
    while whole.elapsed() < SPENT {
        let begin = Instant::now();
        (0..count).for_each(|_| work());
        least = least.min(begin.elapsed().as_secs_f64() / f64::from(count));
    }
    least
}
