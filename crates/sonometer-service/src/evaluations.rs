//! Readings as events of `tracing`, by the conventions of OpenTelemetry for generative AI (`gen_ai.evaluation.result`): names, a score and
//! places, never texts. Only a collector that is set takes them; an event happens inside of the span in which was measured.

use crate::catalogue::Tool;
use sonometer::{Reading, fingerprint};
use std::sync::OnceLock;
use tracing::{Level, enabled, event};

/// The target of all events.
pub const EVALUATIONS: &str = "sonometer_evaluations";

/// The most pieces of evidence in an explanation.
const MOST_EXPLAINED: usize = 20;

/// Tells what was measured; of a batch, the index of the item.
pub(crate) fn evaluated(tool: &Tool, reading: &Reading, item: Option<usize>) {
    if !enabled!(target: EVALUATIONS, Level::INFO) {
        return;
    }
    static FINGERPRINT: OnceLock<String> = OnceLock::new();
    let triggered: Vec<&str> = reading.triggered().collect();
    event!(
        target: EVALUATIONS,
        Level::INFO,
        gen_ai.evaluation.name = format!("sonometer/{}", tool.id()),
        gen_ai.evaluation.score.value = reading.score().map(|score| score.0 as f64 / 1e6),
        gen_ai.evaluation.score.label = if reading.fidelity().sufficient { "measured" } else { "insufficient" },
        gen_ai.evaluation.explanation = reading.places(MOST_EXPLAINED),
        sonometer.target.version = tool.version(),
        sonometer.target.digest = tool.digest(),
        sonometer.fingerprint = FINGERPRINT.get_or_init(fingerprint).as_str(),
        sonometer.triggered = triggered.join(" "),
        sonometer.item = item,
    );
}
