//! A real server on loopback with a clock that stands still, and a client that writes HTTP by hand.

use crate::database::Database;
use crate::schema;
use serde_json::Value;
use sonometer_server::{Control, Doors, Limits, Reloaded, run, serve};
use sonometer_service::account::Settings;
use sonometer_service::period::parse_moment;
use sonometer_service::ports::{Callbacks, Clock, Files, NoCallbacks, NoFiles, Ports};
use sonometer_service::{Mode, Scope, Service, Store};
use sqlx::Connection;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

/// Several metamarkers of `courtesy` trigger on it.
pub(crate) const KIND: &str = "Good morning! Thank you so much for your help, I really appreciate it.";

pub(crate) struct StillClock(pub(crate) AtomicI64);

impl Clock for StillClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

pub(crate) struct Bench {
    pub(crate) runtime: Runtime,
    pub(crate) service: Service,
    pub(crate) clock: Arc<StillClock>,
    pub(crate) test: String,
    pub(crate) live: String,
    pub(crate) control: Control,
    address: SocketAddr,
    admin: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    done: Option<tokio::task::JoinHandle<bool>>,
    database: Database,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub(crate) fn number(&self, name: &str) -> i64 {
        self.header(name).parse().unwrap_or_else(|_| panic!("{name} in {:?}", self.headers))
    }

    /// The code of an error whose envelope is as documented.
    #[track_caller]
    pub(crate) fn code(&self) -> String {
        let body = self.json();
        schema::check("Error", &body);
        assert_eq!(self.header("content-type"), "application/json");
        body["error"]["code"].as_str().expect("is text").to_owned()
    }

    #[track_caller]
    pub(crate) fn is(&self, status: u16, code: &str) {
        assert_eq!((self.status, self.code().as_str()), (status, code), "{}", self.body);
    }

    /// The body of an answer that is as documented.
    #[track_caller]
    pub(crate) fn good(&self, name: &str) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        assert_eq!(self.header("content-type"), "application/json");
        let body = self.json();
        schema::check(name, &body);
        body
    }

    /// The body of an error without the id of its request.
    pub(crate) fn refusal(&self) -> String {
        self.body.replace(&format!(",\"request_id\":\"{}\"", self.header("x-request-id")), "")
    }

    pub(crate) fn details(&self) -> Value {
        self.json()["error"]["details"].clone()
    }
}

impl Bench {
    pub(crate) fn start() -> Self {
        Self::with(Limits::default())
    }

    pub(crate) fn with(limits: Limits) -> Self {
        Self::calling(limits, Arc::new(NoCallbacks))
    }

    /// With somebody who calls addresses.
    pub(crate) fn calling(limits: Limits, callbacks: Arc<dyn Callbacks>) -> Self {
        Self::outside(limits, callbacks, Arc::new(NoFiles))
    }

    /// With somebody who calls addresses, and somebody who reads files.
    pub(crate) fn outside(limits: Limits, callbacks: Arc<dyn Callbacks>, files: Arc<dyn Files>) -> Self {
        Self::on(Database::new(), "2026-11-21T15:36:10Z", limits, callbacks, files)
    }

    /// On a database that may be there already, at a moment.
    pub(crate) fn on(
        database: Database,
        moment: &str,
        limits: Limits,
        callbacks: Arc<dyn Callbacks>,
        files: Arc<dyn Files>,
    ) -> Self {
        let runtime = Runtime::new().expect("threads");
        let now = parse_moment(moment).expect("is a moment");
        let clock = Arc::new(StillClock(AtomicI64::new(now)));
        let (service, listener, admin, test, live) = runtime.block_on(async {
            let store = Store::open(&database.url).await.expect("opens");
            let ports = Ports { clock: clock.clone(), callbacks, files, ..Ports::default() };
            let service = Service::with_ports(store, ports);
            service.create_org("acme", "Acme").await.expect("is new");
            let token = |mode| service.create_token("acme", mode, "contract", &Scope::DEFAULT, None, 0);
            let (test, live) = (token(Mode::Test).await, token(Mode::Live).await);
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
            let admin = TcpListener::bind("127.0.0.1:0").await.expect("binds");
            let (test, live) = (test.expect("made").1, live.expect("made").1);
            (service.clone(), listener, admin, test, live)
        });
        let of = |listener: &TcpListener| listener.local_addr().expect("is bound");
        let (address, admin_address) = (of(&listener), of(&admin));
        let control = Control::new(limits.into());
        let (stop, stopped) = oneshot::channel();
        let reload = Arc::new(|| Ok(Reloaded { changed: vec!["log.level"], restart: vec!["listen"] }));
        let doors = Doors { all: listener, admin: Some(admin), reload };
        let done = runtime.spawn(run(doors, service.clone(), control.clone(), async {
            let _ = stopped.await;
        }));
        Self {
            runtime,
            service,
            clock,
            test,
            live,
            control,
            address,
            admin: admin_address,
            stop: Some(stop),
            done: Some(done),
            database,
        }
    }

    /// A second process on the same database, as far as it can be had within one: a store, a service and a port of its own.
    pub(crate) fn second_node(&self) -> SocketAddr {
        self.runtime.block_on(async {
            let store = Store::open(&self.database.url).await.expect("opens");
            let service = Service::with_ports(store, Ports { clock: self.clock.clone(), ..Ports::default() });
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
            let address = listener.local_addr().expect("is bound");
            tokio::spawn(serve(listener, service, Limits::default(), std::future::pending()));
            address
        })
    }

    /// Where operators call.
    pub(crate) fn admin(&self) -> SocketAddr {
        self.admin
    }

    /// Where the store is.
    pub(crate) fn database(&self) -> &str {
        &self.database.url
    }

    pub(crate) fn org(&self, id: &str) -> String {
        self.runtime.block_on(async {
            self.service.create_org(id, id).await.expect("is new");
            self.service.create_token(id, Mode::Test, "", &Scope::DEFAULT, None, 0).await.expect("made").1
        })
    }

    pub(crate) fn token(&self, mode: Mode, scopes: &[Scope]) -> (String, String) {
        self.runtime
            .block_on(self.service.create_token("acme", mode, "", scopes, None, 0))
            .expect("there is such an organization")
    }

    pub(crate) fn account(&self, mode: Mode, change: impl FnOnce(&mut Settings)) {
        self.runtime.block_on(async {
            let mut settings = self.service.account("acme", mode).await.expect("is there").settings;
            change(&mut settings);
            self.service.set_account("acme", mode, &settings).await.expect("can be set");
        });
    }

    pub(crate) fn publish(&self, org: &str, source: &str) {
        self.runtime.block_on(self.service.publish(org, source)).unwrap_or_else(|e| panic!("{e}"));
    }

    /// Does what no service would do to its database.
    pub(crate) fn sql(&self, statement: &'static str) {
        let url = &self.database.url;
        let url = if url.contains("://") { url.clone() } else { format!("sqlite://{url}") };
        self.runtime.block_on(async {
            let mut database = sqlx::AnyConnection::connect(&url).await.expect("opens");
            sqlx::query(statement).execute(&mut database).await.unwrap_or_else(|error| panic!("{error}"));
            database.close().await.expect("closes");
        });
    }

    #[track_caller]
    pub(crate) fn ledger_is_right(&self) {
        let checked = self.runtime.block_on(self.service.store().check_ledger()).expect("can be read");
        assert!(checked.is_right(), "{checked:?}");
    }

    pub(crate) fn used(&self, mode: Mode) -> u64 {
        self.runtime.block_on(self.service.account("acme", mode)).expect("is there").used.units
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[("Authorization", &format!("Bearer {}", self.test))], b"")
    }

    pub(crate) fn get_as(&self, token: &str, path: &str) -> Answer {
        self.send("GET", path, &[("Authorization", &format!("Bearer {token}"))], b"")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_as(&self.test, path, body)
    }

    pub(crate) fn post_as(&self, token: &str, path: &str, body: &Value) -> Answer {
        self.post_with(token, path, body, &[])
    }

    pub(crate) fn post_with(&self, token: &str, path: &str, body: &Value, more: &[(&str, &str)]) -> Answer {
        let bearer = format!("Bearer {token}");
        let mut headers = vec![("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        headers.extend(more);
        self.send("POST", path, &headers, body.to_string().as_bytes())
    }

    pub(crate) fn post_text(&self, path: &str, body: &str) -> Answer {
        let bearer = format!("Bearer {}", self.test);
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        self.send("POST", path, &headers, body.as_bytes())
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        send(self.address, method, path, headers, body)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn open(&self) -> TcpStream {
        TcpStream::connect(self.address).expect("connects")
    }

    /// Stops the server as a signal does; whether all that was under way ended.
    pub(crate) fn stop(&mut self) -> bool {
        drop(self.stop.take());
        self.done.take().is_none_or(|done| self.runtime.block_on(done).expect("does not panic"))
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        drop(self.stop.take());
    }
}

pub(crate) fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Answer {
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if method == "POST" && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("Transfer-Encoding")) {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    head.push_str("\r\n");
    let mut stream = TcpStream::connect(address).expect("connects");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("can be set");
    stream.write_all(head.as_bytes()).expect("is taken");
    // A server that has refused already reads no further.
    let _ = stream.write_all(body);
    let answer = read(stream);
    schema::answered(method, path, &answer);
    answer
}

pub(crate) fn read(mut stream: TcpStream) -> Answer {
    let mut all = Vec::new();
    if let Err(error) = stream.read_to_end(&mut all) {
        assert!(!all.is_empty(), "{error}");
    }
    let all = String::from_utf8(all).expect("is UTF-8");
    let (head, body) = all.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head: {all:?}"));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("has a status");
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    Answer { status, headers, body: body.to_owned() }
}
