//! Figures for Prometheus: requests, how long they took, ICS. By route, status and mode; never by organization or token.

use crate::routes::Endpoint;
use crate::turned::{Turned, Why};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use sonometer_service::Mode;
use sonometer_service::queue::Queue;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The media type of the text format.
pub(crate) const MEDIA: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

type Labels = Vec<(String, String)>;
type Seconds = Gauge<f64, AtomicU64>;

/// What is read when somebody asks for the figures.
pub(crate) struct Now<'n> {
    /// Jobs and notifications that wait; `None`: the database is away.
    pub(crate) waiting: Option<(u64, u64)>,
    /// How old the oldest of each is, in milliseconds.
    pub(crate) ages: (i64, i64),
    pub(crate) streams: usize,
    pub(crate) charged: &'n [(Mode, u64)],
    pub(crate) queues: &'n [Queue],
    /// Connections to the database, each with those that nobody uses.
    pub(crate) pools: [(&'static str, u32, usize); 2],
    pub(crate) steps: u64,
    pub(crate) turned: &'n Turned,
}

/// The figures of one process.
pub(crate) struct Figures {
    registry: Registry,
    requests: Family<Labels, Counter>,
    seconds: Family<Labels, Histogram>,
    ics: Family<Labels, Counter>,
    jobs: Gauge,
    notifications: Gauge,
    streams: Gauge,
    held: Family<Labels, Gauge>,
    waiting: Family<Labels, Gauge>,
    refused: Family<Labels, Counter>,
    oldest: Family<Labels, Seconds>,
    ages: Family<Labels, Seconds>,
    pools: Family<Labels, Gauge>,
    steps: Counter,
    closed: Family<Labels, Counter>,
    /// Two readers at once would count twice.
    reading: Mutex<()>,
}

fn label(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn seconds() -> Histogram {
    Histogram::new([0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0])
}

impl Default for Figures {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("sonometer");
        let requests = Family::default();
        let about = "Requests that an endpoint answered; unknown paths and wrong methods are in the log only";
        registry.register("requests", about, requests.clone());
        let seconds = Family::new_with_constructor(seconds as fn() -> Histogram);
        registry.register("request_seconds", "Time to answer", seconds.clone());
        let ics = Family::default();
        registry.register("ics", "ICS that were charged", ics.clone());
        let gauge = |registry: &mut Registry, name: &str, about: &str| {
            let gauge = Gauge::default();
            registry.register(name, about, gauge.clone());
            gauge
        };
        let jobs = gauge(&mut registry, "jobs", "Jobs that have not ended, of all nodes");
        let notifications = gauge(&mut registry, "notifications", "Notifications that are due, of all nodes");
        let streams = gauge(&mut registry, "streams", "Streams that are open");
        let held: Family<Labels, Gauge> = Family::default();
        registry.register("queue_held", "Places that are held", held.clone());
        let waiting: Family<Labels, Gauge> = Family::default();
        registry.register("queue_waiting", "How many wait for a place", waiting.clone());
        let refused: Family<Labels, Counter> = Family::default();
        let about = "Sent away because too much of their organization waited already";
        registry.register("queue_refused", about, refused.clone());
        let oldest: Family<Labels, Seconds> = Family::default();
        registry.register(
            "queue_oldest_seconds",
            "How long the one that waits longest has waited",
            oldest.clone(),
        );
        let ages: Family<Labels, Seconds> = Family::default();
        let about = "How long the oldest job or notification has waited, of all nodes";
        registry.register("oldest_seconds", about, ages.clone());
        let pools: Family<Labels, Gauge> = Family::default();
        registry.register("database_connections", "Connections to the database", pools.clone());
        let steps = Counter::default();
        registry.register("steps", "Steps of the matcher that work took at worst", steps.clone());
        let closed: Family<Labels, Counter> = Family::default();
        let about = "Connections that were ended before anything was asked";
        registry.register("connections_closed", about, closed.clone());
        Self {
            registry,
            requests,
            seconds,
            ics,
            jobs,
            notifications,
            streams,
            held,
            waiting,
            refused,
            oldest,
            ages,
            pools,
            steps,
            closed,
            reading: Mutex::default(),
        }
    }
}

impl Figures {
    /// Counts one request.
    pub(crate) fn count(&self, endpoint: &Endpoint, status: u16, took: Duration) {
        let route = label("route", endpoint.path);
        let by_status =
            vec![label("method", endpoint.method), route.clone(), label("status", &status.to_string())];
        self.requests.get_or_create(&by_status).inc();
        self.seconds.get_or_create(&vec![route]).observe(took.as_secs_f64());
    }

    /// The text format. What waits is not known while the database is away.
    pub(crate) fn text(&self, now: &Now<'_>) -> String {
        let Now { waiting, ages, streams, charged, queues, pools, steps, turned } = now;
        let _alone = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let (jobs, notifications) = waiting.map_or((-1, -1), |(jobs, due)| (number(jobs), number(due)));
        self.jobs.set(jobs);
        self.notifications.set(notifications);
        self.streams.set(number(*streams as u64));
        for (mode, units) in charged.iter().filter(|(_, units)| *units > 0) {
            let counter = self.ics.get_or_create_owned(&vec![label("mode", mode.as_str())]);
            counter.inc_by(units.saturating_sub(counter.get()));
        }
        for queue in *queues {
            let (labels, standing) = (vec![label("queue", queue.name())], queue.standing());
            self.held.get_or_create_owned(&labels).set(number(standing.held as u64));
            self.waiting.get_or_create_owned(&labels).set(number(standing.waiting as u64));
            let counter = self.refused.get_or_create_owned(&labels);
            counter.inc_by(standing.refused.saturating_sub(counter.get()));
            self.oldest.get_or_create_owned(&labels).set(standing.oldest.as_secs_f64());
        }
        for (what, age) in [("jobs", ages.0), ("notifications", ages.1)] {
            self.ages.get_or_create_owned(&vec![label("of", what)]).set(age as f64 / 1_000.0);
        }
        for (pool, all, idle) in *pools {
            let of = |state, count| {
                let labels = vec![label("pool", pool), label("state", state)];
                self.pools.get_or_create_owned(&labels).set(number(count));
            };
            of("idle", idle as u64);
            of("used", u64::from(all).saturating_sub(idle as u64));
        }
        self.steps.inc_by(steps.saturating_sub(self.steps.get()));
        for why in Why::ALL {
            let counter = self.closed.get_or_create_owned(&vec![label("why", why.name())]);
            counter.inc_by(turned.all(why).saturating_sub(counter.get()));
        }
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
