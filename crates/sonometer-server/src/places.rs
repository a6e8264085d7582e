//! The connections that are held: how many there may be, of all clients and of one. Otherwise one client, without a token even, holds all of
//! them, and nobody else is answered.

use crate::control::{Control, Live};
use crate::network;
use sonometer_service::queue::Bounds;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;

/// The places of connections to one listener; how many there are can change.
#[derive(Default)]
pub(crate) struct Places {
    counted: Mutex<Counted>,
    freed: Notify,
}

#[derive(Default)]
struct Counted {
    all: usize,
    of: HashMap<IpAddr, usize>,
}

/// A place that is held until it is dropped.
pub(crate) struct Held {
    places: Arc<Places>,
    client: Option<IpAddr>,
}

impl Places {
    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place, once there is one. Only one task asks.
    pub(crate) async fn place(self: &Arc<Self>, control: &Control) -> Held {
        while self.counted().all >= control.live().limits.connections {
            // Also looks by itself: the limit may have changed.
            let _ = timeout(Duration::from_secs(1), self.freed.notified()).await;
        }
        self.counted().all += 1;
        Held { places: self.clone(), client: None }
    }
}

impl Held {
    /// Gives the place to who connected; whether it holds no more than one client may. Behind a proxy that is believed there are many
    /// clients, so it may hold all.
    pub(crate) fn is_given(&mut self, peer: IpAddr, live: &Live) -> bool {
        if live.proxies.iter().any(|proxy| proxy.holds(peer)) {
            return true;
        }
        let client = network::of_one(peer);
        let share = Bounds::of(live.limits.connections, 0).share;
        let mut counted = self.places.counted();
        let own = counted.of.entry(client).or_default();
        let is_free = *own < share;
        if is_free {
            *own += 1;
            self.client = Some(client);
        }
        is_free
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut counted = self.places.counted();
        counted.all -= 1;
        if let Some(client) = self.client
            && let Some(own) = counted.of.get_mut(&client)
        {
            *own -= 1;
            if *own == 0 {
                counted.of.remove(&client);
            }
        }
        drop(counted);
        self.places.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Network};

    fn address(text: &str) -> IpAddr {
        text.parse().expect("is an address")
    }

    #[tokio::test]
    async fn one_client_holds_three_quarters_at_most() {
        let proxies = vec![Network::read("10.0.0.1").expect("is one")];
        let live =
            Live { limits: Limits { connections: 8, ..Limits::default() }, proxies, ..Live::default() };
        let control = Control::new(live.clone());
        let places = Arc::<Places>::default();
        let mut held = Vec::new();
        for at in 0..7 {
            let mut place = places.place(&control).await;
            // Of IPv6, one network of a customer is one client.
            let peer = address(&format!("2001:db8::{at}"));
            assert_eq!(place.is_given(peer, &live), at < 6, "{at}");
            if at < 6 {
                held.push(place);
            }
        }
        for peer in ["192.0.2.1", "2001:db8:0:1::1"] {
            let mut place = places.place(&control).await;
            assert!(place.is_given(address(peer), &live));
        }
        held.pop();
        assert!(places.place(&control).await.is_given(address("2001:db8::9"), &live));
        held.clear();
        assert!(places.counted().of.is_empty() && places.counted().all == 0);
        for _ in 0..8 {
            let mut place = places.place(&control).await;
            assert!(place.is_given(address("10.0.0.1"), &live));
            held.push(place);
        }
    }
}
