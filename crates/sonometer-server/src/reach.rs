//! Ways to the world outside. There is no proxy; a name is resolved once, every address that it has is checked, and one of those
//! is connected to.

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{HOST, USER_AGENT};
use hyper::http::request::Builder;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use sonometer_service::guard::Guard;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use url::Url;

/// What a name stands for, later.
pub type Resolved = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;
/// Tells what a name stands for.
pub type Resolver = Arc<dyn Fn(String, u16) -> Resolved + Send + Sync>;

/// The resolver of the machine.
pub(crate) fn resolver() -> Resolver {
    Arc::new(|name, port| {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, port)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}

/// Connects to what a [`Guard`] lets through.
#[derive(Clone)]
pub(crate) struct Reach {
    pub(crate) guard: Guard,
    resolver: Resolver,
    tls: TlsConnector,
}

/// An answer whose body may still be coming; the connection ends with it.
pub(crate) struct Answered {
    pub(crate) response: Response<Incoming>,
    _connection: Connection,
}

/// A connection that is closed when nobody wants anything of it any more.
struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Both kinds of lines.
trait Line: AsyncRead + AsyncWrite + Send + Unpin {}
impl<L: AsyncRead + AsyncWrite + Send + Unpin> Line for L {}

impl Reach {
    /// With the certificates of the machine.
    pub(crate) fn new(guard: Guard, resolver: Resolver) -> Result<Self, String> {
        let mut roots = RootCertStore::empty();
        // Where the machine has no certificates, calls with https fail one by one, and say so.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { guard, resolver, tls: TlsConnector::from(Arc::new(config)) })
    }

    /// Sends one request to an address that the guard has read, and reads the head of the answer.
    pub(crate) async fn send(&self, url: &Url, request: Builder, body: Bytes) -> Result<Answered, String> {
        let host = url.host_str().unwrap_or_default();
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
        let line: Box<dyn Line> = if url.scheme() == "https" {
            let server = ServerName::try_from(name).map_err(|_| "the host has no name for TLS".to_owned())?;
            Box::new(self.tls.connect(server, stream).await.map_err(|error| format!("TLS: {error}"))?)
        } else {
            Box::new(stream)
        };
        let (mut sender, connection) = http1::Builder::new()
            .max_buf_size(32 << 10)
            .handshake::<_, Full<Bytes>>(TokioIo::new(line))
            .await
            .map_err(|error| format!("no HTTP: {error}"))?;
        let connection = Connection(tokio::spawn(async move { drop(connection.await) }));
        let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let target = url.query().map_or(url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        let request: Request<_> = request
            .uri(target)
            .header(HOST, host)
            .header(USER_AGENT, concat!("sonometer/", env!("CARGO_PKG_VERSION")))
            .body(Full::new(body))
            .map_err(|error| error.to_string())?;
        let response = sender.send_request(request).await.map_err(|error| format!("no answer: {error}"))?;
        Ok(Answered { response, _connection: connection })
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
