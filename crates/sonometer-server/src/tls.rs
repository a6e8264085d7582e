//! TLS towards clients, by rustls: a certificate and its key from PEM files, read again when they change.

use crate::Control;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{Error, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

/// How often somebody looks whether the files have changed.
const LOOK: Duration = Duration::from_secs(2);

/// A certificate with its key. Cheap to clone.
#[derive(Clone)]
pub struct Tls {
    pub(crate) acceptor: TlsAcceptor,
    files: TlsFiles,
    marks: Marks,
}

/// When the files were changed last, and how large they were.
type Marks = [Option<(SystemTime, u64)>; 2];

/// The files that it is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, and those that vouch for it.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

fn told(path: &Path, what: &str, error: &Error) -> String {
    let path = path.display();
    match error {
        Error::Io(error) => format!("{path}: the {what} cannot be read: {error}; name a PEM file with one"),
        Error::NoItemsFound => format!("{path}: no {what} in this file; give a PEM file with one"),
        error => format!("{path}: not a PEM file: {error:?}"),
    }
}

impl TlsFiles {
    /// Reads them.
    ///
    /// # Errors
    /// Which file is wrong, and what to give instead.
    pub fn read(&self) -> Result<Tls, String> {
        let Self { cert, key } = self;
        let marks = self.marks();
        let items = CertificateDer::pem_file_iter(cert).map_err(|e| told(cert, "certificate", &e))?;
        let chain: Vec<CertificateDer<'static>> =
            items.collect::<Result<_, _>>().map_err(|e| told(cert, "certificate", &e))?;
        if chain.is_empty() {
            return Err(told(cert, "certificate", &Error::NoItemsFound));
        }
        let private = PrivateKeyDer::from_pem_file(key).map_err(|e| told(key, "private key", &e))?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_no_client_auth()
            .with_single_cert(chain, private);
        let mut config = config.map_err(|error| {
            let why = match error {
                rustls::Error::InconsistentKeys(_) => {
                    "the certificate is for another key; give the two that were made together".to_owned()
                }
                other => other.to_string(),
            };
            format!("{} and {} do not fit together: {why}", cert.display(), key.display())
        })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Tls { acceptor: TlsAcceptor::from(Arc::new(config)), files: self.clone(), marks })
    }

    fn marks(&self) -> Marks {
        [&self.cert, &self.key].map(|path| {
            let about = std::fs::metadata(path).ok()?;
            Some((about.modified().ok()?, about.len()))
        })
    }
}

/// Reads the files again whenever they change, until `stop` says so. What cannot be read changes nothing: a file may be
/// half written.
pub(crate) async fn watch_tls(control: Control, mut stop: watch::Receiver<bool>) {
    let mut failed = None;
    while !*stop.borrow_and_update() {
        tokio::select! {
            () = sleep(LOOK) => {}
            _ = stop.changed() => continue,
        }
        let Some(tls) = control.tls() else { continue };
        let now = tls.files.marks();
        if now == tls.marks || failed == Some(now) {
            continue;
        }
        match tls.files.read() {
            Ok(tls) => {
                control.set_tls(Some(tls));
                tracing::info!("the certificate was read again");
            }
            Err(error) => {
                failed = Some(now);
                tracing::warn!(error, "the certificate stays as it was");
            }
        }
    }
}
