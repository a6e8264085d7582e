//! The way to the provider: HTTP/1.1, TLS by rustls, no redirects, no retries.

use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, Response, Uri, uri};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use std::fmt;
use std::time::Duration;

/// How long a connection may take to open.
const CONNECT: Duration = Duration::from_secs(10);

/// Why a request was not answered.
pub(crate) type SendError = hyper_util::client::legacy::Error;

/// An upstream: where it is, and connections to it.
#[derive(Clone)]
pub struct Upstream {
    base: Uri,
    client: Client<HttpsConnector<HttpConnector>, Body>,
}

/// What is wrong with the address of an upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongUpstream(pub String);

impl fmt::Display for WrongUpstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongUpstream {}

impl Upstream {
    /// The upstream at an address such as `https://api.openai.com`; a path in it stands before those of requests.
    ///
    /// # Errors
    /// If it is no such address, or if the system has no certificates to trust.
    pub fn new(address: &str) -> Result<Self, WrongUpstream> {
        let base: Uri = address.parse().map_err(|_| {
            WrongUpstream(format!("`{address}` is no address; write for example https://api.openai.com"))
        })?;
        let is_web = matches!(base.scheme_str(), Some("http" | "https"));
        if !is_web || base.authority().is_none() || base.query().is_some() {
            let message = format!(
                "`{address}` needs http:// or https://, a host and no query; write for example https://api.openai.com"
            );
            return Err(WrongUpstream(message));
        }
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.enforce_http(false);
        connector.set_connect_timeout(Some(CONNECT));
        let connector = HttpsConnectorBuilder::new()
            .with_native_roots()
            .map_err(|error| WrongUpstream(format!("the system has no certificates to trust: {error}")))?
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(60))
            .build(connector);
        Ok(Self { base, client })
    }

    /// Sends a request. It is given up when the future is dropped.
    pub(crate) async fn send(
        &self,
        method: Method,
        uri: &Uri,
        headers: HeaderMap,
        body: Body,
    ) -> Result<Response<Incoming>, SendError> {
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = self.target(uri);
        *request.headers_mut() = headers;
        self.client.request(request).await
    }

    fn target(&self, uri: &Uri) -> Uri {
        let before = self.base.path().trim_end_matches('/');
        let rest = uri.path_and_query().map_or("/", uri::PathAndQuery::as_str);
        let mut parts = self.base.clone().into_parts();
        parts.path_and_query = format!("{before}{rest}").parse().ok();
        Uri::from_parts(parts).unwrap_or_else(|_| self.base.clone())
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream").field("base", &self.base).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_put_behind_the_address() {
        let target = |base: &str, path: &str| {
            Upstream::new(base).expect("is an address").target(&path.parse().expect("is a path")).to_string()
        };
        assert_eq!(target("http://127.0.0.1:9", "/v1/models?a=b"), "http://127.0.0.1:9/v1/models?a=b");
        assert_eq!(target("http://h/openai/", "/v1/x"), "http://h/openai/v1/x");
        for wrong in ["api.openai.com", "ftp://x", "http://", "http://h?x=1"] {
            assert!(Upstream::new(wrong).is_err(), "{wrong}");
        }
    }
}
