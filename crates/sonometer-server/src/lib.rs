//! The wire of the sensing service: HTTP/1.1 over TCP. Routes, bearer tokens, headers, limits, the OpenAPI document and its
//! page. What is answered is decided in `sonometer-service`; nothing is computed here.
//!
//! TLS, HTTP/2 and compression are left to the proxy that stands before it.

mod dispatch;
mod docs;
mod examples;
mod fetch;
mod files;
mod listen;
mod metrics;
mod openapi;
mod outbound;
mod reach;
mod respond;
mod routes;
mod schemas;
mod speech;
mod stream;

pub use files::{FileLimits, FileReader, Helper};
pub use listen::serve;
pub use openapi::document as openapi;
pub use outbound::Outbound;
pub use reach::{Resolved, Resolver};
pub use routes::router;
pub use speech::{Hear, Recording};

use std::time::Duration;

/// What a deployment can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a body.
    pub body_bytes: usize,
    /// How long a body may take to arrive, and the head of a request.
    pub arrival: Duration,
    /// How many requests are worked on at once.
    pub in_flight: usize,
    /// How long a request waits for its turn before it is sent away.
    pub turn: Duration,
    /// How many connections are held at once.
    pub connections: usize,
    /// How many streams are told at once.
    pub streams: usize,
    /// After how long a silence a stream says that it still lives.
    pub heartbeat: Duration,
    /// After how long without an action a dive is closed.
    pub dive_idle: Duration,
    /// How long a stop waits for what is under way.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 1 << 20,
            arrival: Duration::from_secs(10),
            in_flight: 256,
            turn: Duration::from_secs(5),
            connections: 4_096,
            streams: 2_048,
            heartbeat: Duration::from_secs(15),
            dive_idle: Duration::from_secs(24 * 3_600),
            drain: Duration::from_secs(30),
        }
    }
}
