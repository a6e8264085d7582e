//! Requests whose client leaves before the answer. They are not answered, but may be charged: without a line in the log nobody could say where
//! such a charge came from.

use crate::routes::Endpoint;
use sonometer_service::Caller;
use std::net::IpAddr;
use std::time::Instant;

/// A request that waits for its answer; one that is dropped before is logged.
pub(crate) struct Waits<'r> {
    pub(crate) endpoint: &'static Endpoint,
    pub(crate) request_id: &'r str,
    pub(crate) client: Option<IpAddr>,
    pub(crate) began: Instant,
    /// Who asks, as soon as that is known.
    pub(crate) caller: Option<Caller>,
    pub(crate) is_answered: bool,
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        if self.is_answered {
            return;
        }
        tracing::info!(
            request_id = self.request_id,
            client = self.client.map(|client| client.to_string()),
            method = self.endpoint.method,
            route = self.endpoint.path,
            micros = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX),
            org = self.caller.as_ref().map(Caller::org),
            token = self.caller.as_ref().map(Caller::token),
            "ended without an answer"
        );
    }
}
