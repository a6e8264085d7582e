//! Callbacks: calls to addresses that callers gave. No redirect is followed.

use crate::reach::{Reach, Resolver, resolver};
use hyper::body::Bytes;
use hyper::header::CONTENT_TYPE;
use hyper::{Method, Request};
use sonometer_service::Refusal;
use sonometer_service::guard::Guard;
use sonometer_service::ports::{Call, Callbacks, Posted};
use std::time::Duration;
use tokio::time::timeout;

/// Calls addresses that a [`Guard`] lets through.
#[derive(Clone)]
pub struct Outbound {
    reach: Reach,
    time: Duration,
}

impl Outbound {
    /// With the resolver and the certificates of the machine; a call may take 15 seconds.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub fn new(guard: Guard) -> Result<Self, String> {
        Self::with(guard, resolver(), Duration::from_secs(15))
    }

    /// With a resolver and a time limit of choice.
    ///
    /// # Errors
    /// As [`Outbound::new`].
    pub fn with(guard: Guard, resolver: Resolver, time: Duration) -> Result<Self, String> {
        Ok(Self { reach: Reach::new(guard, resolver)?, time })
    }

    async fn call(&self, call: Call<'_>) -> Result<u16, String> {
        let url = self.reach.guard.url(call.url).map_err(|refusal| refusal.message)?;
        let mut request = Request::builder().method(Method::POST).header(CONTENT_TYPE, "application/json");
        for (name, value) in call.headers {
            request = request.header(*name, *value);
        }
        // The body of the answer is nobody's business: it is not read, and the connection is closed.
        let body = Bytes::copy_from_slice(call.body.as_bytes());
        self.reach.send(&url, request, body).await.map(|answered| answered.response.status().as_u16())
    }
}

impl Callbacks for Outbound {
    fn check(&self, url: &str) -> Result<(), Refusal> {
        self.reach.guard.url(url).map(drop)
    }

    fn post<'c>(&'c self, call: Call<'c>) -> Posted<'c> {
        Box::pin(async move {
            match timeout(self.time, self.call(call)).await {
                Ok(answered) => answered,
                Err(_) => Err(format!("no answer within {} seconds", self.time.as_secs_f32())),
            }
        })
    }
}
