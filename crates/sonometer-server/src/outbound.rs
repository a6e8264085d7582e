//! Calls to the world outside. There is no proxy and no redirect; a name is resolved once, every address that it has is checked, and
//! one of those is connected to.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST, USER_AGENT};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use sonometer_service::Refusal;
use sonometer_service::guard::Guard;
use sonometer_service::ports::{Call, Callbacks, Posted};
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// What a name stands for, later.
pub type Resolved = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;
/// Tells what a name stands for.
pub type Resolver = Arc<dyn Fn(String, u16) -> Resolved + Send + Sync>;

/// Calls addresses that a [`Guard`] lets through.
#[derive(Clone)]
pub struct Outbound {
    guard: Guard,
    resolver: Resolver,
    tls: TlsConnector,
    time: Duration,
}

impl Outbound {
    /// With the resolver and the certificates of the machine; a call may take 15 seconds.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub fn new(guard: Guard) -> Result<Self, String> {
        let resolver: Resolver = Arc::new(|name, port| {
            Box::pin(async move {
                let found = tokio::net::lookup_host((name, port)).await?;
                Ok(found.map(|address| address.ip()).collect())
            })
        });
        Self::with(guard, resolver, Duration::from_secs(15))
    }

    /// With a resolver and a time limit of choice.
    ///
    /// # Errors
    /// As [`Outbound::new`].
    pub fn with(guard: Guard, resolver: Resolver, time: Duration) -> Result<Self, String> {
        let mut roots = RootCertStore::empty();
        // Where the machine has no certificates, calls with https fail one by one, and say so.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { guard, resolver, tls: TlsConnector::from(Arc::new(config)), time })
    }

    async fn call(&self, call: Call<'_>) -> Result<u16, String> {
        let url = self.guard.url(call.url).map_err(|refusal| refusal.message)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let port = url.port_or_known_default().unwrap_or(0);
        // In a URL an IPv6 address stands in brackets.
        let name = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let addresses = match name.parse::<IpAddr>() {
            Ok(address) => vec![address],
            Err(_) => {
                (self.resolver)(name.clone(), port).await.map_err(|error| format!("{name}: {error}"))?
            }
        };
        if addresses.is_empty() {
            return Err(format!("{name} stands for no address"));
        }
        if !addresses.iter().all(|address| self.guard.admits(&name, *address, port)) {
            return Err(format!("{name} stands for an address that is not public"));
        }
        let stream = connect(&addresses, port).await.map_err(|error| format!("no connection: {error}"))?;
        if url.scheme() == "https" {
            let server = ServerName::try_from(name).map_err(|_| "the host has no name for TLS".to_owned())?;
            let stream = self.tls.connect(server, stream).await.map_err(|error| format!("TLS: {error}"))?;
            send(stream, &url, &call).await
        } else {
            send(stream, &url, &call).await
        }
    }
}

/// The first of these addresses that answers.
async fn connect(addresses: &[IpAddr], port: u16) -> io::Result<TcpStream> {
    let mut last = None;
    for address in addresses.iter().take(4) {
        match timeout(Duration::from_secs(5), TcpStream::connect(SocketAddr::new(*address, port))).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = Some(error),
            Err(_) => last = Some(io::ErrorKind::TimedOut.into()),
        }
    }
    Err(last.unwrap_or_else(|| io::ErrorKind::NotFound.into()))
}

/// Sends one request and reads the head of its answer; the body of it is nobody's business.
async fn send(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    url: &url::Url,
    call: &Call<'_>,
) -> Result<u16, String> {
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(32 << 10)
        .handshake::<_, Full<Bytes>>(TokioIo::new(stream))
        .await
        .map_err(|error| format!("no HTTP: {error}"))?;
    let connection = tokio::spawn(connection);
    let host = match url.port() {
        Some(port) => format!("{}:{port}", url.host_str().unwrap_or_default()),
        None => url.host_str().unwrap_or_default().to_owned(),
    };
    let target = url.query().map_or(url.path().to_owned(), |query| format!("{}?{query}", url.path()));
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(target)
        .header(HOST, host)
        .header(USER_AGENT, concat!("sonometer/", env!("CARGO_PKG_VERSION")))
        .header(CONTENT_TYPE, "application/json");
    for (name, value) in call.headers {
        request = request.header(*name, *value);
    }
    let request = request
        .body(Full::new(Bytes::copy_from_slice(call.body.as_bytes())))
        .map_err(|error| error.to_string())?;
    let answer = sender.send_request(request).await;
    // Whatever else comes is not read: the connection is closed.
    connection.abort();
    answer.map(|answer| answer.status().as_u16()).map_err(|error| format!("no answer: {error}"))
}

impl Callbacks for Outbound {
    fn check(&self, url: &str) -> Result<(), Refusal> {
        self.guard.url(url).map(drop)
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
