//! What can change while the service runs: limits, the origins whose pages may call, the proxies that are believed, and the
//! certificate.

use crate::tls::Tls;
use crate::turned::Turned;
use crate::{Limits, Network};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// What a reload can change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// The limits.
    pub limits: Limits,
    /// The origins whose pages may call.
    pub origins: Vec<String>,
    /// The proxies whose `X-Forwarded-For` is believed.
    pub proxies: Vec<Network>,
}

impl From<Limits> for Live {
    fn from(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }
}

type Watcher = Box<dyn Fn(&Live) + Send + Sync>;

/// The hand on a running service. Cheap to clone; clones are the same.
#[derive(Clone, Default)]
pub struct Control {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    live: RwLock<Arc<Live>>,
    tls: RwLock<Option<Tls>>,
    watchers: Mutex<Vec<Watcher>>,
    turned: Turned,
}

impl Control {
    /// With these values, without TLS.
    pub fn new(live: Live) -> Self {
        let control = Self::default();
        control.set(live);
        control
    }

    /// What holds now.
    pub fn live(&self) -> Arc<Live> {
        self.inner.live.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes what holds, from the next request on; places that are held stay held.
    pub fn set(&self, live: Live) {
        let live = Arc::new(live);
        *self.inner.live.write().unwrap_or_else(PoisonError::into_inner) = live.clone();
        for watcher in self.inner.watchers.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            watcher(&live);
        }
    }

    /// The certificate that new connections see; `None`: they are plain.
    pub fn tls(&self) -> Option<Tls> {
        self.inner.tls.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the certificate, from the next connection on.
    pub fn set_tls(&self, tls: Option<Tls>) {
        *self.inner.tls.write().unwrap_or_else(PoisonError::into_inner) = tls;
    }

    /// The connections that were ended before anything was asked.
    pub(crate) fn turned(&self) -> &Turned {
        &self.inner.turned
    }

    /// Receives every change from now on.
    pub(crate) fn watch(&self, watcher: impl Fn(&Live) + Send + Sync + 'static) {
        self.inner.watchers.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(watcher));
    }
}
