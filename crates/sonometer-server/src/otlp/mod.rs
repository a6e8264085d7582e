//! Traces, metrics and readings for a collector of OpenTelemetry: OTLP over HTTP, in protobuf. Nothing is sent unless an endpoint is set.
//! The spans are those of `sonometer_service::spans` and one for each request; they hold no texts of callers.

mod carrier;
mod evaluations;
mod meters;

pub use evaluations::{Evaluation, Evaluations};
pub(crate) use meters::{count, observe};

use carrier::Carrier;
use opentelemetry::logs::LoggerProvider;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{TraceContextExt, TracerProvider};
use opentelemetry::{Context, KeyValue, global};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_otlp::{
    LogExporter, MetricExporter, Protocol, SpanExporter, WithExportConfig, WithHttpConfig,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::logs::SdkLoggerProvider;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use sonometer_service::spans::SPANS;
use std::thread;
use std::time::Duration;
use tokio::runtime::Handle;
use tracing::level_filters::LevelFilter;
use tracing::{Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;
use url::Url;

/// How long the collector has for one batch, and a stop for what is left.
const TIME: Duration = Duration::from_secs(5);

/// What is sent where.
#[derive(Clone, PartialEq, Eq)]
pub struct Otlp {
    /// The address of the collector without the paths of OTLP: `http://127.0.0.1:4318`.
    pub endpoint: String,
    /// Headers of every request, such as a key of the collector. They are secrets.
    pub headers: Vec<(String, String)>,
    /// The name of the service (`service.name`).
    pub service: String,
    /// How many of a hundred traces that begin here are sent; one that began elsewhere is sent if it is sampled there.
    pub sample_percent: u64,
    /// How often metrics are sent; `None`: never.
    pub metrics_every: Option<Duration>,
    /// Whether each reading is sent as an event `gen_ai.evaluation.result`.
    pub evaluations: bool,
}

impl Otlp {
    /// Reads an endpoint.
    ///
    /// # Errors
    /// Unless it is an address with http or https, without query and credentials.
    pub fn endpoint(text: &str) -> Result<Url, String> {
        let wrong =
            || format!("`{text}` is not an address of a collector; write for example http://127.0.0.1:4318");
        let url = Url::parse(text).map_err(|_| wrong())?;
        let is_good = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if is_good { Ok(url) } else { Err(wrong()) }
    }

    /// Reads headers: `name=value`, with commas between them.
    ///
    /// # Errors
    /// The name of the one that is no header; never a value.
    pub fn headers(text: &str) -> Result<Vec<(String, String)>, String> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let read = parts.map(|part| {
            let (name, value) = part.split_once('=').ok_or("a header has no `=`; write name=value")?;
            let (name, value) = (name.trim(), value.trim());
            let is_good = hyper::header::HeaderName::try_from(name).is_ok()
                && hyper::header::HeaderValue::try_from(value).is_ok();
            match is_good {
                true => Ok((name.to_owned(), value.to_owned())),
                false => Err(format!("`{name}` is no header that can be sent; write name=value")),
            }
        });
        read.collect()
    }
}

/// What sends traces, metrics and readings, until it is stopped.
pub struct Telemetry {
    tracer: SdkTracerProvider,
    meter: Option<SdkMeterProvider>,
    logger: Option<SdkLoggerProvider>,
}

impl Telemetry {
    /// Begins to send. Batches are carried by tasks of the runtime, which must outlive [`Telemetry::stop`].
    ///
    /// # Errors
    /// If the endpoint is no address, or TLS cannot be set up.
    pub fn start(otlp: &Otlp, runtime: &Handle) -> Result<Self, String> {
        let endpoint = Otlp::endpoint(&otlp.endpoint)?;
        let carrier = Carrier::new(&endpoint, runtime.clone(), TIME)?;
        let at = |path: &str| format!("{}{path}", endpoint.as_str().trim_end_matches('/'));
        let headers = || otlp.headers.iter().cloned().collect();
        let resource = Resource::builder()
            .with_service_name(otlp.service.clone())
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let spans = SpanExporter::builder()
            .with_http()
            .with_http_client(carrier.clone())
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(at("/v1/traces"))
            .with_timeout(TIME)
            .with_headers(headers())
            .build()
            .map_err(|error| error.to_string())?;
        let logger = match otlp.evaluations {
            false => None,
            true => {
                let readings = LogExporter::builder()
                    .with_http()
                    .with_http_client(carrier.clone())
                    .with_protocol(Protocol::HttpBinary)
                    .with_endpoint(at("/v1/logs"))
                    .with_timeout(TIME)
                    .with_headers(headers())
                    .build()
                    .map_err(|error| error.to_string())?;
                let logger = SdkLoggerProvider::builder().with_batch_exporter(readings);
                Some(logger.with_resource(resource.clone()).build())
            }
        };
        let sampler = Sampler::TraceIdRatioBased(otlp.sample_percent.min(100) as f64 / 100.0);
        let tracer = SdkTracerProvider::builder()
            .with_batch_exporter(spans)
            .with_sampler(Sampler::ParentBased(Box::new(sampler)))
            .with_resource(resource.clone())
            .build();
        let meter = match otlp.metrics_every {
            None => None,
            Some(every) => {
                let metrics = MetricExporter::builder()
                    .with_http()
                    .with_http_client(carrier)
                    .with_protocol(Protocol::HttpBinary)
                    .with_endpoint(at("/v1/metrics"))
                    .with_timeout(TIME)
                    .with_headers(headers())
                    .build()
                    .map_err(|error| error.to_string())?;
                let reader = PeriodicReader::builder(metrics).with_interval(every).build();
                Some(SdkMeterProvider::builder().with_reader(reader).with_resource(resource).build())
            }
        };
        if let Some(meter) = &meter {
            // Instruments are made where they are used, after this.
            global::set_meter_provider(meter.clone());
        }
        Ok(Self { tracer, meter, logger })
    }

    /// What takes the spans and the readings out of the log.
    pub fn layer<S>(&self) -> Box<dyn Layer<S> + Send + Sync>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        let layer: tracing_opentelemetry::OpenTelemetryLayer<S, _> =
            tracing_opentelemetry::layer().with_tracer(self.tracer.tracer("sonometer"));
        let spans = layer
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_filter(Targets::new().with_target(SPANS, LevelFilter::INFO))
            .boxed();
        let readings = self.logger.as_ref().map(|logger| evaluations::layer(logger.logger("sonometer")));
        [spans].into_iter().chain(readings).collect::<Vec<_>>().boxed()
    }

    /// What sends readings that were measured elsewhere than in the service; `None` if none are to be sent.
    pub fn evaluations(&self) -> Option<Evaluations> {
        Some(Evaluations::new(self.logger.as_ref()?.logger("sonometer")))
    }

    /// Sends what is left, for a few seconds at most. Blocks; not to be called by a task of the runtime.
    pub fn stop(self) {
        // A collector that is away keeps no service from stopping, and its absence was logged. All at once: one after the other would wait
        // as often as there are kinds of data.
        thread::scope(|scope| {
            scope.spawn(|| drop(self.tracer.shutdown_with_timeout(TIME)));
            if let Some(meter) = &self.meter {
                scope.spawn(|| drop(meter.shutdown_with_timeout(TIME)));
            }
            if let Some(logger) = &self.logger {
                scope.spawn(|| drop(logger.shutdown_with_timeout(TIME)));
            }
        });
    }
}

/// The trace that headers name (W3C Trace Context).
fn named(headers: &hyper::HeaderMap) -> Context {
    TraceContextPropagator::new().extract_with_context(&Context::new(), &HeaderExtractor(headers))
}

/// Makes a span part of the trace that the client began, if its headers name one.
pub(crate) fn adopt(span: &Span, headers: &hyper::HeaderMap) {
    let context = named(headers);
    if context.span().span_context().is_valid() {
        // Without a layer for spans there is nothing to be a part of.
        let _ = span.set_parent(context);
    }
}

/// Names the span of a request by its method and its route, which is not known when it begins; empty: no route.
pub(crate) fn name(span: &Span, method: &'static str, route: &str) {
    // A name that is recorded in the manner of `tracing` would come too late.
    let name = if route.is_empty() { method.to_owned() } else { format!("{method} {route}") };
    span.context().span().update_name(name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_and_headers_are_read_strictly() {
        for good in ["http://127.0.0.1:4318", "https://otel.example.com/tenant/7", "http://[::1]:4318/"] {
            assert!(Otlp::endpoint(good).is_ok(), "{good}");
        }
        for bad in
            ["", "127.0.0.1:4318", "ftp://a", "grpc://a:4317", "http://u:p@a", "http://a?x=1", "http://a#x"]
        {
            assert!(Otlp::endpoint(bad).is_err(), "{bad}");
        }
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(Otlp::headers(""), Ok(Vec::new()));
        let read = Otlp::headers("x-key=secret, authorization=Basic dXNlcg==");
        assert_eq!(read, Ok(vec![pair("x-key", "secret"), pair("authorization", "Basic dXNlcg==")]));
        for bad in ["secret", "no name=secret", "x-key=sec\u{7}ret"] {
            let error = Otlp::headers(bad).expect_err(bad);
            assert!(!error.contains("secret") && !error.contains("sec\u{7}ret"), "{error}");
        }
    }
}
