//! The wire of the sensing service: HTTP/1.1 over TCP. Routes, bearer tokens, headers, limits, the OpenAPI document and its
//! page. What is answered is decided in `sonometer-service`; nothing is computed here.
//!
//! HTTP/2 and compression are left to the proxy that stands before it; TLS may be.

mod admin;
mod control;
mod cors;
mod dispatch;
mod docs;
mod examples;
mod export;
mod failures;
mod fetch;
mod files;
mod front;
mod left;
mod listen;
mod metrics;
mod network;
mod openapi;
#[cfg(feature = "otlp")]
mod otlp;
mod outbound;
mod parts;
mod places;
mod reach;
mod request_id;
mod respond;
mod routes;
mod schemas;
mod spans;
mod speech;
mod stream;
mod tls;
mod turned;

pub use admin::{Reload, Reloaded, document as admin_openapi};
pub use control::{Control, Live};
pub use cors::origin;
pub use files::{FileLimits, FileReader, Helper};
pub use listen::{Doors, run, serve};
pub use network::Network;
pub use openapi::document as openapi;
#[cfg(feature = "otlp")]
pub use otlp::{Evaluation, Evaluations, Otlp, Telemetry};
pub use outbound::Outbound;
pub use reach::{Resolved, Resolver};
pub use routes::router;
pub use speech::{Hear, Recording};
pub use tls::{Tls, TlsFiles};

use std::time::Duration;

/// What a deployment can set. Of everything that is shared, one organization holds three quarters at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a body.
    pub body_bytes: usize,
    /// How long a body may take to arrive, and the head of a request.
    pub arrival: Duration,
    /// How many bodies arrive at once. They come in before a request has its turn, so that slow ones keep nobody waiting.
    pub arriving: usize,
    /// How many requests are worked on at once.
    pub in_flight: usize,
    /// How many requests of one organization wait for their turn, and how many of its bodies.
    pub waiting: usize,
    /// How long a request waits for its turn before it is sent away.
    pub turn: Duration,
    /// How many connections are held at once.
    pub connections: usize,
    /// How long a client may take nothing of an answer before its connection is ended.
    pub stalled: Duration,
    /// The most streams that are open at the same time.
    pub streams: usize,
    /// After how long a silence a stream says that it still lives.
    pub heartbeat: Duration,
    /// After how long without an action a dive is closed.
    pub dive_idle: Duration,
    /// How long a stop waits for what is under way.
    pub drain: Duration,
    /// How many bad tokens may come from one client in a minute; 0: any number.
    pub failures_of_client: u64,
    /// How many bad tokens that begin alike may come in a minute; 0: any number.
    pub failures_of_prefix: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 1 << 20,
            arrival: Duration::from_secs(10),
            arriving: 512,
            in_flight: 256,
            waiting: 512,
            turn: Duration::from_secs(5),
            connections: 4_096,
            stalled: sonometer_listen::STALLED,
            streams: 2_048,
            heartbeat: Duration::from_secs(15),
            dive_idle: Duration::from_secs(24 * 3_600),
            drain: Duration::from_secs(30),
            failures_of_client: 120,
            failures_of_prefix: 120,
        }
    }
}
