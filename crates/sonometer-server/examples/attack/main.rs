//! What an organization B sees while an organization A attacks what both share: slow bodies, long texts, dear protocols, hosts and
//! receivers that hang, files made to harm, many jobs; and crowds of cheap requests for what there is much of. Service, clients and
//! the hosts that they name share one process, its cores and its loopback; it ends by itself.
//!
//! ```text
//! cargo run --release -p sonometer-server --example attack [-- [--quick] [attacks | crowds | WORDS]…]
//! ```
//!
//! Prints a table of attacks and one of crowds; the database of each crowd is filled before it, the largest with a million rows. Ends
//! with an error if B was sent away or failed once or, without `--quick`, if the 99th percentile of its times grew to more than three
//! times what it was and by more than 250 ms. `--quick` fills less and measures for 2 seconds, not 10. With words, only rows of
//! whose first column they are a part, such as `dive`; the row `acts in dives` is measured only so.

mod attacks;
mod client;
mod crowds;
mod database;
mod hosts;
mod probe;
mod service;

use crowds::Sizes;
use hosts::Hosts;
use service::{Served, served};
use sonometer_ingest::apart;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// Set where this program is the process that reads a file.
const APART: &str = "SONOMETER_ATTACK_APART";

/// What the arguments ask for.
struct Asked {
    quick: bool,
    /// How long B is measured, each time.
    time: Duration,
    sizes: Sizes,
    /// Names of tables, and words of rows; none: all.
    only: Vec<String>,
}

impl Asked {
    fn read(arguments: impl Iterator<Item = String>) -> Self {
        let (flags, only): (Vec<String>, _) = arguments.partition(|argument| argument == "--quick");
        let quick = !flags.is_empty();
        let (time, sizes) = match quick {
            true => (Duration::from_secs(2), Sizes::QUICK),
            false => (Duration::from_secs(10), Sizes::FULL),
        };
        Self { quick, time, sizes, only }
    }

    fn wants(&self, table: &str, row: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == table) || self.names(row)
    }

    /// Whether there are words of this row.
    fn names(&self, row: &str) -> bool {
        self.only.iter().any(|only| row.contains(only))
    }
}

fn main() -> ExitCode {
    if std::env::var_os(APART).is_some() {
        return if apart::serve().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let asked = Asked::read(std::env::args().skip(1));
    // The service has threads of its own; the clients have one.
    let serving = Runtime::new().expect("threads");
    let asking = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a thread");
    let outcomes = asking.block_on(async {
        let hosts = Arc::new(Hosts::start().await);
        let serve = async || serve(&serving, hosts.clone()).await;
        let attacks = attacks::run(serve, &hosts, &asked).await;
        println!();
        [attacks, crowds::run(serve, &hosts, &asked).await]
    });
    serving.shutdown_background();
    let is_good = outcomes.iter().all(|outcome| !outcome.refused && (asked.quick || !outcome.slowed));
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A service with a new database.
async fn serve(serving: &Runtime, hosts: Arc<Hosts>) -> Served {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let name =
        format!("sonometer-attack-{}-{}.sqlite", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let database = std::env::temp_dir().join(name);
    serving.spawn(async move { served(&hosts, database).await }).await.expect("does not panic")
}
