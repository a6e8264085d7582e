//! Signal, actant flow and temporal analysis of a reading on SGM 1.5 (SGM: the version of the measuring rules).

use crate::paint::Tone;
use crate::sheet::{Line, Part};
use crate::words::counted;
use sonometer::{ActantFlow, Reading, Temporal, Unit, View};

/// The lines; `None` for a reading on SGM 1.0.
pub(crate) fn part<'r>(reading: &Reading, view: View<'_>) -> Option<Part<'r>> {
    let signal = reading.signal()?;
    let row =
        |name: &str, value: String| Line::of(Tone::Strong, format!("{name:<8}  ")).and(Tone::Plain, value);
    let mode = signal.dominant_mode.unwrap_or("none");
    let shape = format!("dominant {mode}, spread {}, coherence {}", signal.spread, signal.coherence);
    let mut lines = vec![row("signal", shape)];
    if let Some(flow) = view.flow.and_then(|options| reading.actant_flow(options)) {
        lines.push(row("flow", format!("{}, balance {}", flow.direction.as_str(), flow.balance)));
        for (name, side, driven) in sides(&flow) {
            lines.push(row("", format!("{name} ({side}): {}", driven.join(", "))));
        }
    }
    if let Some(temporal) = view.temporal.and_then(|options| reading.temporal(options)) {
        lines.push(row("temporal", developed(&temporal)));
        lines.push(Line::of(Tone::Dim, format!("{:<8}  {}", "", levels(&temporal))));
    }
    Some(Part::Lines { title: String::new(), lines })
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
    let shifts = counted(usize::try_from(temporal.phase_shifts).unwrap_or(usize::MAX), "phase shift");
    format!("{}, {shifts} (windows of {})", temporal.trend.as_str(), temporal.window)
}

/// A bar for each window.
fn levels(temporal: &Temporal) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let bar = |level: Unit| BARS[((level.0.clamp(0, 1_000_000) * 7 + 500_000) / 1_000_000) as usize];
    temporal.levels.iter().map(|window| bar(window.level)).collect()
}
