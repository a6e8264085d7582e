//! Stores by their addresses, with what the environment says of them.

use super::address::{Address, Scheme};
use super::told;
use crate::failure::Failure;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::ClientConfigKey;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{BackoffConfig, ClientOptions, Error, ObjectStore, RetryConfig};
use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

/// How long a store is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// Where somebody waits at a terminal to hear that a name is misspelt.
    Short,
    /// Where a run of hours would be lost.
    Long,
}

/// What runs all that waits for a network: two threads, started with the first address.
fn runtime() -> Result<&'static Runtime, Failure> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().ok()
    });
    runtime
        .as_ref()
        .ok_or_else(|| Failure::unusable("the system gives no threads to read object stores with"))
}

/// Waits for what others do meanwhile.
pub(super) fn wait<F: Future>(work: F) -> Result<F::Output, Failure> {
    Ok(runtime()?.block_on(work))
}

/// Begins what is waited for later.
pub(super) fn begin<F>(work: F) -> Result<JoinHandle<F::Output>, Failure>
where
    F: Future<Output: Send> + Send + 'static,
{
    Ok(runtime()?.spawn(work))
}

/// The store of an address.
pub(super) fn store(address: &Address, patience: Patience) -> Result<Arc<dyn ObjectStore>, Failure> {
    build(address, patience).map_err(|error| told::failure(address, &error))
}

fn build(address: &Address, patience: Patience) -> Result<Arc<dyn ObjectStore>, Error> {
    let retry = match patience {
        Patience::Short => RetryConfig {
            max_retries: 2,
            retry_timeout: Duration::from_secs(10),
            backoff: BackoffConfig { max_backoff: Duration::from_secs(1), ..BackoffConfig::default() },
        },
        Patience::Long => RetryConfig::default(),
    };
    // Of one request: 8 MiB within two minutes is a line of 70 kB/s.
    let (timeout, time) = (ClientConfigKey::Timeout, "120 seconds");
    let url = address.root.as_str();
    Ok(match address.scheme {
        Scheme::S3 => Arc::new(
            AmazonS3Builder::from_env()
                .with_url(url)
                .with_config(object_store::aws::AmazonS3ConfigKey::Client(timeout), time)
                .with_retry(retry)
                .build()?,
        ),
        Scheme::Google => Arc::new(
            GoogleCloudStorageBuilder::from_env()
                .with_url(url)
                .with_config(object_store::gcp::GoogleConfigKey::Client(timeout), time)
                .with_retry(retry)
                .build()?,
        ),
        Scheme::Azure => Arc::new(
            MicrosoftAzureBuilder::from_env()
                .with_url(url)
                .with_config(object_store::azure::AzureConfigKey::Client(timeout), time)
                .with_retry(retry)
                .build()?,
        ),
        Scheme::Http | Scheme::File => {
            // The whole of a body is one request here, and is taken as fast as it can be sensed.
            let options = ClientOptions::new().with_allow_http(true).with_timeout_disabled();
            let options = options.with_connect_timeout(Duration::from_secs(10));
            Arc::new(HttpBuilder::new().with_url(url).with_client_options(options).with_retry(retry).build()?)
        }
    })
}

/// The name of an object in its store.
pub(super) fn path(address: &Address) -> Result<Path, Failure> {
    let path = match address.scheme {
        Scheme::Http => Path::from_url_path(&address.key),
        _ => Path::parse(&address.key),
    };
    path.map_err(|error| Failure::unusable(format!("{}: is no name of an object: {error}", address.shown)))
}
