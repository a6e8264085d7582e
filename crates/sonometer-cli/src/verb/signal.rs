//! Signal, actant flow and temporal analysis of a reading on SGM 1.5, for people.

use crate::paint::Paint;
use sonometer::{ActantFlow, Reading, Temporal, Unit, View};

/// The lines below the markers; nothing for a reading on SGM 1.0.
pub(super) fn render(paint: &Paint, reading: &Reading, view: View<'_>) -> String {
    let Some(signal) = reading.signal() else { return String::new() };
    let mut text = String::from("\n");
    let mut row = |name: &str, value: String| {
        text.push_str(&format!("  {}  {value}\n", paint.bold(&format!("{name:<8}"))))
    };
    let mode = signal.dominant_mode.unwrap_or("none");
    row("signal", format!("dominant {mode}, spread {}, coherence {}", signal.spread, signal.coherence));
    if let Some(flow) = view.flow.and_then(|options| reading.actant_flow(options)) {
        row("flow", format!("{}, balance {}", flow.direction.as_str(), flow.balance));
        for (name, side, driven) in sides(&flow) {
            row("", format!("{name} ({side}): {}", driven.join(", ")));
        }
    }
    if let Some(temporal) = view.temporal.and_then(|options| reading.temporal(options)) {
        row("temporal", developed(&temporal));
        row("", paint.dim(&levels(&temporal)));
    }
    text
}

/// The sides that drive something, each with its role and its markers.
fn sides<'f>(flow: &'f ActantFlow<'_>) -> Vec<(&'static str, &'f str, &'f [&'f str])> {
    let [primary, secondary] = flow.sides.each_ref().map(|side| side.role.as_deref().unwrap_or("others"));
    let all = [
        ("primary drives", primary, &flow.primary_driven[..]),
        ("secondary drives", secondary, &flow.secondary_driven[..]),
    ];
    all.into_iter().filter(|(.., driven)| !driven.is_empty()).collect()
}

fn developed(temporal: &Temporal) -> String {
    let shifts = match temporal.phase_shifts {
        1 => "1 phase shift".to_owned(),
        shifts => format!("{shifts} phase shifts"),
    };
    format!("{}, {shifts} (windows of {})", temporal.trend.as_str(), temporal.window)
}

/// A bar for each window.
fn levels(temporal: &Temporal) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let bar = |level: Unit| BARS[((level.0.clamp(0, 1_000_000) * 7 + 500_000) / 1_000_000) as usize];
    temporal.levels.iter().map(|window| bar(window.level)).collect()
}
