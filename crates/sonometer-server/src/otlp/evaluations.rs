//! Sends readings as log records `gen_ai.evaluation.result`: those of the service, which are events of `tracing`, in the trace in which was
//! measured, and those of others ([`Evaluations`]) in the trace that a request names.

use super::named;
use opentelemetry::logs::{AnyValue, LogRecord, Logger, Severity};
use opentelemetry::trace::{SpanContext, TraceContextExt};
use opentelemetry_sdk::logs::SdkLogger;
use sonometer::fingerprint;
use sonometer_service::evaluations::EVALUATIONS;
use std::sync::Arc;
use std::time::SystemTime;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// The name of the event.
const EVENT: &str = "gen_ai.evaluation.result";
/// The field that holds several words.
const TRIGGERED: &str = "sonometer.triggered";

/// A reading that was measured elsewhere than in the service. It holds no text.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation<'e> {
    /// The id of the target.
    pub target: &'e str,
    /// Its version.
    pub version: &'e str,
    /// The digest of a protocol.
    pub digest: Option<&'e str>,
    /// The score, 0 to 1; `None` where there was too little to measure.
    pub score: Option<f64>,
    /// The metamarkers that triggered.
    pub triggered: &'e [String],
    /// Where the evidence is, as [`sonometer::Reading::places`] writes it.
    pub places: &'e str,
    /// The id of the answer that was measured, as its provider gave it.
    pub response_id: Option<&'e str>,
    /// What else is to be told, by name.
    pub more: &'e [(&'static str, &'e str)],
}

/// Sends readings; cheap to clone.
#[derive(Clone, Debug)]
pub struct Evaluations {
    logger: SdkLogger,
    fingerprint: Arc<str>,
}

impl Evaluations {
    pub(super) fn new(logger: SdkLogger) -> Self {
        Self { logger, fingerprint: fingerprint().into() }
    }

    /// Puts a reading into the next batch, in the trace that these headers name, if they do. It never waits.
    pub fn send(&self, trace: &hyper::HeaderMap, reading: &Evaluation<'_>) {
        let mut record = begin(&self.logger, named(trace).span().span_context());
        record.add_attribute("gen_ai.evaluation.name", format!("sonometer/{}", reading.target));
        if let Some(score) = reading.score {
            record.add_attribute("gen_ai.evaluation.score.value", score);
        }
        let label = if reading.score.is_some() { "measured" } else { "insufficient" };
        record.add_attribute("gen_ai.evaluation.score.label", label);
        record.add_attribute("gen_ai.evaluation.explanation", reading.places.to_owned());
        if let Some(id) = reading.response_id {
            record.add_attribute("gen_ai.response.id", id.to_owned());
        }
        record.add_attribute("sonometer.target.version", reading.version.to_owned());
        if let Some(digest) = reading.digest {
            record.add_attribute("sonometer.target.digest", digest.to_owned());
        }
        record.add_attribute("sonometer.fingerprint", self.fingerprint.to_string());
        let triggered = reading.triggered.iter().map(|word| AnyValue::from(word.clone()));
        record.add_attribute(TRIGGERED, triggered.collect::<AnyValue>());
        for (name, value) in reading.more {
            record.add_attribute(*name, (*value).to_owned());
        }
        self.logger.emit(record);
    }
}

/// A record with its name and time, in a trace if there is one.
fn begin<L: Logger>(logger: &L, span: &SpanContext) -> L::LogRecord {
    let mut record = logger.create_log_record();
    record.set_event_name(EVENT);
    record.set_severity_number(Severity::Info);
    record.set_timestamp(SystemTime::now());
    if span.is_valid() {
        record.set_trace_context(span.trace_id(), span.span_id(), Some(span.trace_flags()));
    }
    record
}

/// The layer that sends by a logger.
pub(super) fn layer<S, L>(logger: L) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    L: Logger + Send + Sync + 'static,
{
    OfTracing { logger }.with_filter(Targets::new().with_target(EVALUATIONS, LevelFilter::INFO)).boxed()
}

struct OfTracing<L> {
    logger: L,
}

impl<S: Subscriber, L: Logger + Send + Sync + 'static> Layer<S> for OfTracing<L> {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut record = begin(&self.logger, Span::current().context().span().span_context());
        event.record(&mut Attributes(&mut record));
        self.logger.emit(record);
    }
}

/// Writes fields as attributes of a record.
struct Attributes<'r, R>(&'r mut R);

impl<R: LogRecord> Visit for Attributes<'_, R> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == TRIGGERED {
            let words = value.split_ascii_whitespace().map(|word| AnyValue::from(word.to_owned()));
            self.0.add_attribute(TRIGGERED, words.collect::<AnyValue>());
        } else {
            self.0.add_attribute(field.name(), value.to_owned());
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.add_attribute(field.name(), value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.add_attribute(field.name(), i64::try_from(value).unwrap_or(i64::MAX));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.add_attribute(field.name(), format!("{value:?}"));
    }
}
