//! The service that is attacked, and the organizations that ask it.

use crate::APART;
use crate::client::Client;
use crate::hosts::Hosts;
use sonometer_server::{FileLimits, FileReader, Limits, Outbound, Resolver, serve};
use sonometer_service::guard::Guard;
use sonometer_service::ports::Ports;
use sonometer_service::{Mode, Scope, Service, Store};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// A service on a port and a database of its own, until it is dropped.
pub(crate) struct Served {
    pub(crate) service: Service,
    pub(crate) address: SocketAddr,
    pub(crate) database: PathBuf,
    _stop: oneshot::Sender<()>,
}

impl Drop for Served {
    fn drop(&mut self) {
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", self.database.display()));
        }
    }
}

/// Starts one on the threads of the runtime.
pub(crate) async fn served(hosts: &Hosts, database: PathBuf) -> Served {
    let allowed = [hosts.answers, hosts.silent].map(|host| host.to_string().parse().expect("is a rule"));
    let guard = Guard::new(allowed.to_vec());
    let resolver: Resolver = Arc::new(|_, _| Box::pin(async { Ok(vec![Ipv4Addr::LOCALHOST.into()]) }));
    let helper = || {
        let mut helper = Command::new(std::env::current_exe().expect("knows itself"));
        helper.env(APART, "1");
        helper
    };
    let files = FileReader::with(guard.clone(), resolver.clone(), Arc::new(helper), FileLimits::default());
    let outbound = Outbound::with(guard, resolver, Duration::from_secs(15)).expect("can be made");
    let ports = Ports {
        files: Arc::new(files.expect("can be made")),
        callbacks: Arc::new(outbound),
        ..Ports::default()
    };
    let store = Store::open(&database.display().to_string()).await.expect("opens");
    let service = Service::with_ports(store, ports);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = listener.local_addr().expect("is bound");
    let (stop, stopped) = oneshot::channel::<()>();
    tokio::spawn(serve(listener, service.clone(), Limits::default(), async {
        let _ = stopped.await;
    }));
    Served { service, address, database, _stop: stop }
}

/// An organization whose quota and rate do not end.
pub(crate) async fn organization(served: &Served, id: &str) -> Client {
    let Served { service, address, .. } = served;
    service.create_org(id, id).await.expect("is new");
    let mut settings = service.account(id, Mode::Test).await.expect("is there").settings;
    (settings.quota, settings.per_window) = (1 << 40, 1 << 40);
    service.set_account(id, Mode::Test, &settings).await.expect("can be set");
    let token =
        service.create_token(id, Mode::Test, "attack", &Scope::DEFAULT, None, 0).await.expect("is made").1;
    Client { address: *address, token }
}
