//! The figures of the process as metrics of OpenTelemetry: the same as on `/metrics`, named by its conventions.

use crate::routes::Endpoint;
use crate::turned::{Turned, Why};
use opentelemetry::metrics::{Histogram, Meter};
use opentelemetry::{KeyValue, global};
use sonometer_service::queue::{Queue, Standing};
use sonometer_service::{Mode, Service};
use std::future::Future;
use std::sync::OnceLock;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::timeout;

/// How long a figure waits for the database.
const TIME: Duration = Duration::from_secs(1);

fn meter() -> Meter {
    global::meter("sonometer")
}

/// Counts one request.
pub(crate) fn count(endpoint: &Endpoint, status: u16, took: Duration) {
    static SECONDS: OnceLock<Histogram<f64>> = OnceLock::new();
    let seconds = SECONDS.get_or_init(|| {
        let about = "Time to answer a request";
        meter().f64_histogram("http.server.request.duration").with_unit("s").with_description(about).build()
    });
    let of = [
        KeyValue::new("http.request.method", endpoint.method),
        KeyValue::new("http.route", endpoint.path),
        KeyValue::new("http.response.status_code", i64::from(status)),
    ];
    seconds.record(took.as_secs_f64(), &of);
}

/// Has queues, pools, ages, steps and units looked at whenever metrics are sent. They are looked at on a thread that has no
/// runtime, so that a figure of the database is waited for there.
pub(crate) fn observe(service: &Service, queues: &[Queue], turned: &Turned) {
    let meter = meter();
    of_queues(&meter, queues);
    let turned = turned.clone();
    let counter = meter.u64_observable_counter("sonometer.connections.closed").with_unit("{connection}");
    let observe = move |observer: &dyn opentelemetry::metrics::AsyncInstrument<u64>| {
        for why in Why::ALL {
            observer.observe(turned.all(why), &[KeyValue::new("why", why.name())]);
        }
    };
    let counter = counter.with_description("Connections that were ended before anything was asked");
    counter.with_callback(observe).build();
    let of = service.clone();
    let counter = meter.u64_observable_counter("sonometer.steps").with_unit("{step}");
    let counter = counter.with_description("Steps of the matcher that work took at worst");
    counter.with_callback(move |observer| observer.observe(of.steps(), &[])).build();
    let of = service.clone();
    let counter =
        meter.u64_observable_counter("sonometer.ics").with_unit("{ics}").with_description("ICS charged");
    let observe = move |observer: &dyn opentelemetry::metrics::AsyncInstrument<u64>| {
        for mode in Mode::ALL {
            observer.observe(of.charged(mode), &[KeyValue::new("mode", mode.as_str())]);
        }
    };
    counter.with_callback(observe).build();
    let of = service.clone();
    let gauge = meter.u64_observable_gauge("sonometer.database.connections").with_unit("{connection}");
    let observe = move |observer: &dyn opentelemetry::metrics::AsyncInstrument<u64>| {
        for (pool, all, idle) in of.store().connections() {
            let (all, idle) = (u64::from(all), idle as u64);
            for (state, count) in [("idle", idle), ("used", all.saturating_sub(idle))] {
                observer.observe(count, &[KeyValue::new("pool", pool), KeyValue::new("state", state)]);
            }
        }
    };
    gauge.with_description("Connections to the database").with_callback(observe).build();
    if let Ok(runtime) = Handle::try_current() {
        of_the_database(&meter, service, &runtime);
    }
}

fn of_queues(meter: &Meter, queues: &[Queue]) {
    let gauge = |name, about, figure: fn(Standing) -> u64| {
        let queues = queues.to_vec();
        let gauge = meter.u64_observable_gauge(name).with_description(about);
        let observe = move |observer: &dyn opentelemetry::metrics::AsyncInstrument<u64>| {
            for queue in &queues {
                observer.observe(figure(queue.standing()), &[KeyValue::new("queue", queue.name())]);
            }
        };
        gauge.with_callback(observe).build();
    };
    gauge("sonometer.queue.held", "Places that are held", |standing| standing.held as u64);
    gauge("sonometer.queue.waiting", "What waits for a place", |standing| standing.waiting as u64);
    let all = queues.to_vec();
    let about = "Sent away because too much of their organization waited already";
    let observe = move |observer: &dyn opentelemetry::metrics::AsyncInstrument<u64>| {
        for queue in &all {
            observer.observe(queue.standing().refused, &[KeyValue::new("queue", queue.name())]);
        }
    };
    meter
        .u64_observable_counter("sonometer.queue.refused")
        .with_description(about)
        .with_callback(observe)
        .build();
    let all = queues.to_vec();
    let about = "How long the one that waits longest has waited";
    let observe = move |observer: &dyn opentelemetry::metrics::AsyncInstrument<f64>| {
        for queue in &all {
            let oldest = queue.standing().oldest.as_secs_f64();
            observer.observe(oldest, &[KeyValue::new("queue", queue.name())]);
        }
    };
    let gauge = meter.f64_observable_gauge("sonometer.queue.oldest").with_unit("s");
    gauge.with_description(about).with_callback(observe).build();
}

/// Jobs and notifications of all nodes; not sent while the database is away, nor with the last metrics, at a stop.
fn of_the_database(meter: &Meter, service: &Service, runtime: &Handle) {
    let (of, on) = (service.clone(), runtime.clone());
    let observe = move |observer: &dyn opentelemetry::metrics::AsyncInstrument<u64>| {
        if of.store().is_closed() {
            return;
        }
        let Some((jobs, notifications)) = wait(&on, of.waiting()) else { return };
        observer.observe(jobs, &[KeyValue::new("of", "jobs")]);
        observer.observe(notifications, &[KeyValue::new("of", "notifications")]);
    };
    let about = "Jobs and notifications that wait";
    meter.u64_observable_gauge("sonometer.waiting").with_description(about).with_callback(observe).build();
    let (of, on) = (service.clone(), runtime.clone());
    let observe = move |observer: &dyn opentelemetry::metrics::AsyncInstrument<f64>| {
        if of.store().is_closed() {
            return;
        }
        let Some((job, notification)) = wait(&on, of.ages()) else { return };
        observer.observe(job as f64 / 1_000.0, &[KeyValue::new("of", "jobs")]);
        observer.observe(notification as f64 / 1_000.0, &[KeyValue::new("of", "notifications")]);
    };
    let about = "How long the oldest job or notification has waited, of all nodes";
    let gauge = meter.f64_observable_gauge("sonometer.oldest").with_unit("s").with_description(about);
    gauge.with_callback(observe).build();
}

fn wait<T, E>(runtime: &Handle, figure: impl Future<Output = Result<T, E>>) -> Option<T> {
    runtime.block_on(async { timeout(TIME, figure).await.ok()?.ok() })
}
