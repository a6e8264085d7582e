//! Reports of exchanges that are over, for what sends readings to a collector of traces.

use axum::http::{HeaderMap, HeaderName};
use sonometer_guard::Report;
use std::fmt;
use std::sync::OnceLock;

/// An exchange that is over, also one whose client left.
#[derive(Debug)]
pub struct Ended<'e> {
    /// What was done and measured.
    pub report: &'e Report,
    /// The digest of the policy.
    pub policy: &'e str,
    /// The headers of the request that name its trace (W3C Trace Context).
    pub trace: &'e HeaderMap,
}

/// What takes a report.
type Told = Box<dyn Fn(&Ended<'_>) + Send + Sync>;

/// What takes the reports, if anything does.
#[derive(Default)]
pub(crate) struct Observer(OnceLock<Told>);

impl Observer {
    pub(crate) fn set(&self, observer: impl Fn(&Ended<'_>) + Send + Sync + 'static) {
        // The first one stays.
        let _ = self.0.set(Box::new(observer));
    }

    pub(crate) fn tell(&self, report: &Report, policy: &str, Trace(trace): &Trace) {
        if let Some(observer) = self.0.get() {
            observer(&Ended { report, policy, trace });
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Observer").field(&self.0.get().is_some()).finish()
    }
}

/// The headers that name a trace.
#[derive(Debug)]
pub(crate) struct Trace(HeaderMap);

impl Trace {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let names = ["traceparent", "tracestate"].map(HeaderName::from_static);
        let known = names.iter().filter_map(|name| Some((name.clone(), headers.get(name)?.clone())));
        Self(known.collect())
    }
}
