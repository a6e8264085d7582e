//! Takes the readings out of the events of `tracing`, and sends each as a log record `gen_ai.evaluation.result` in the trace in which was
//! measured.

use opentelemetry::logs::{AnyValue, LogRecord, Logger, Severity};
use opentelemetry::trace::TraceContextExt;
use sonometer_service::evaluations::EVALUATIONS;
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

/// The layer that sends by a logger.
pub(super) fn layer<S, L>(logger: L) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    L: Logger + Send + Sync + 'static,
{
    Evaluations { logger }.with_filter(Targets::new().with_target(EVALUATIONS, LevelFilter::INFO)).boxed()
}

struct Evaluations<L> {
    logger: L,
}

impl<S: Subscriber, L: Logger + Send + Sync + 'static> Layer<S> for Evaluations<L> {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut record = self.logger.create_log_record();
        record.set_event_name(EVENT);
        record.set_severity_number(Severity::Info);
        record.set_timestamp(SystemTime::now());
        event.record(&mut Attributes(&mut record));
        let around = Span::current().context();
        let span = around.span().span_context().clone();
        if span.is_valid() {
            record.set_trace_context(span.trace_id(), span.span_id(), Some(span.trace_flags()));
        }
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
