//! What metering costs: the same request to sense, on the same connections, answered with a charge and without one, in turn. Server
//! and clients share the process and its cores.
//!
//! ```text
//! cargo run --release -p sonometer-server --example metered [SECONDS [ROUNDS [DATABASE …]]]
//! ```
//!
//! Prints a row for each database, number of connections and kind of request: the median of the ratios of all rounds. In the end
//! what was consumed by the answers must be what the ledger says. The service without charges is the same one up to the moment at
//! which the charge would be handed to the writer; both look up the token and the account.

#[path = "client/mod.rs"]
mod client;

use client::{Ask, Came, load};
use hyper::body::Bytes;
use sonometer_server::{Limits, serve};
use sonometer_service::{Mode, Scope, Service, Store};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// A service that listens, until it is dropped.
struct Served {
    address: SocketAddr,
    _stop: oneshot::Sender<()>,
}

async fn served(service: Service) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = listener.local_addr().expect("is bound");
    let (stop, stopped) = oneshot::channel::<()>();
    tokio::spawn(serve(listener, service, Limits::default(), async {
        let _ = stopped.await;
    }));
    Served { address, _stop: stop }
}

/// The middle one.
fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

async fn measure(database: &str, name: &str, seconds: u64, rounds: usize, body: &Bytes) {
    let store = Store::open(database).await.expect("opens");
    let metered = Service::new(store.clone());
    let unmetered = Service::new(store.unmetered());
    let org = format!("load-{}", std::process::id());
    metered.create_org(&org, "Load").await.expect("is new");
    let mut settings = metered.account(&org, Mode::Live).await.expect("is there").settings;
    (settings.quota, settings.per_window) = (1 << 40, 1 << 40);
    metered.set_account(&org, Mode::Live, &settings).await.expect("can be set");
    let (_, token) =
        metered.create_token(&org, Mode::Live, "load", &Scope::DEFAULT, None, 0).await.expect("is made");
    let with = served(metered.clone()).await;
    let without = served(unmetered).await;
    let time = Duration::from_secs(seconds);
    let mut consumed = 0;
    for connections in [16, 256] {
        for (kind, keyed) in [("sense, 1 KB", false), ("the same with a key", true)] {
            let ask = Ask { method: "POST", path: "/api/v1/sense", body: body.clone(), keyed };
            let (mut ratios, mut all): (Vec<f64>, [Vec<Came>; 2]) = (Vec::new(), Default::default());
            for round in 0..=rounds {
                let mut both = [Came::default(), Came::default()];
                // Whichever comes second finds a warmer machine.
                for turn in [round % 2, 1 - round % 2] {
                    let address = [without.address, with.address][turn];
                    both[turn] = load(address, &ask, &token, connections, time).await;
                }
                let [free, paid] = both;
                assert_eq!(free.failed + paid.failed, 0, "something was refused");
                consumed += paid.consumed;
                // The first round warms up.
                if round > 0 {
                    ratios.push(paid.rate() / free.rate());
                    all[0].push(free);
                    all[1].push(paid);
                }
            }
            let of = |at: usize, figure: fn(&Came) -> f64| median(all[at].iter().map(figure).collect());
            let (low, high) = ratios.iter().fold((f64::MAX, 0_f64), |(l, h), r| (l.min(*r), h.max(*r)));
            println!(
                "| {name} | {connections} | {kind} | {:.0} | {:.0} | **{:.2}** ({low:.2}–{high:.2}) | {:.1}, {:.1} | {:.1}, {:.1} |",
                of(0, Came::rate),
                of(1, Came::rate),
                median(ratios.clone()),
                of(0, |came| came.at(50)),
                of(0, |came| came.at(99)),
                of(1, |came| came.at(50)),
                of(1, |came| came.at(99)),
            );
        }
    }
    let used = metered.account(&org, Mode::Live).await.expect("is there").used.units;
    let checked = metered.store().check_ledger().await.expect("can be read");
    assert!(
        consumed == used && checked.is_right(),
        "{consumed} by the answers, {used} by the ledger: {checked:?}"
    );
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(3);
    let rounds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(7);
    let file = std::env::temp_dir().join(format!("sonometer-metered-{}.sqlite", std::process::id()));
    let mut databases: Vec<String> = arguments.collect();
    if databases.is_empty() {
        databases.push(file.display().to_string());
    }
    let body = client::courtesy();
    println!(
        "| database | connections | request | unmetered/s | metered/s | ratio | p50, p99 unmetered, ms | p50, p99 metered, ms |"
    );
    println!("|---|---:|---|---:|---:|---|---|---|");
    for database in &databases {
        let name = if database.contains("://") { "PostgreSQL" } else { "SQLite" };
        measure(database, name, seconds, rounds, &body).await;
    }
    for ending in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{ending}", file.display()));
    }
}
