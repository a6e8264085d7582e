//! The way to the collector, by the client that the service has for other addresses. Exporters run on threads of their own, which
//! have no runtime, so that each request is a task of the service's.

use crate::reach::{Reach, resolver};
use async_trait::async_trait;
use http_body_util::{BodyExt, Limited};
use hyper::Request;
use hyper::body::Bytes;
use opentelemetry_http::{HttpClient, HttpError, Response};
use sonometer_service::guard::Guard;
use std::fmt;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::timeout;
use url::Url;

/// The most bytes of an answer.
const ANSWER: usize = 64 << 10;

/// Carries batches to one collector.
#[derive(Clone)]
pub(super) struct Carrier {
    reach: Reach,
    runtime: Handle,
    time: Duration,
}

impl fmt::Debug for Carrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Carrier").finish_non_exhaustive()
    }
}

impl Carrier {
    /// To the host of an endpoint, which may be private: an operator named it.
    pub(super) fn new(endpoint: &Url, runtime: Handle, time: Duration) -> Result<Self, String> {
        let host = endpoint.host_str().unwrap_or_default();
        let port = endpoint.port_or_known_default().unwrap_or(0);
        let allowed = format!("{host}:{port}").parse()?;
        Ok(Self { reach: Reach::new(Guard::new(vec![allowed]), resolver())?, runtime, time })
    }

    async fn carry(self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        let (parts, body) = request.into_parts();
        let url = Url::parse(&parts.uri.to_string()).map_err(|error| error.to_string())?;
        let mut builder = Request::builder().method(parts.method);
        for (name, value) in &parts.headers {
            builder = builder.header(name, value);
        }
        let whole = async {
            let answered = self.reach.send(&url, builder, body).await?;
            let (parts, body) = answered.response.into_parts();
            let body = Limited::new(body, ANSWER).collect().await.map_err(|error| error.to_string())?;
            Ok(Response::from_parts(parts, body.to_bytes()))
        };
        let late = |_| Err(format!("no answer within {} seconds", self.time.as_secs_f32()));
        timeout(self.time, whole).await.unwrap_or_else(late)
    }
}

#[async_trait]
impl HttpClient for Carrier {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let answer = self.runtime.spawn(self.clone().carry(request)).await?;
        answer.map_err(Into::into)
    }
}
