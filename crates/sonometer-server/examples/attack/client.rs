//! One organization that asks.

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::net::TcpStream;

/// What was answered, by status; 0 stands for no answer at all.
pub(crate) type Counts = Arc<Mutex<BTreeMap<u16, u64>>>;

pub(crate) fn note(counts: &Counts, status: u16) {
    *counts.lock().expect("is sound").entry(status).or_default() += 1;
}

pub(crate) fn shown(counts: &BTreeMap<u16, u64>) -> String {
    let one = |(status, count): (&u16, &u64)| match status {
        0 => format!("none: {count}"),
        status => format!("{status}: {count}"),
    };
    counts.iter().map(one).collect::<Vec<_>>().join(", ")
}

pub(crate) type Connection = SendRequest<Full<Bytes>>;

#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    /// Empty: none is sent.
    pub(crate) token: String,
}

impl Client {
    pub(crate) async fn connect(&self) -> Option<Connection> {
        let stream = TcpStream::connect(self.address).await.ok()?;
        stream.set_nodelay(true).ok()?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await.ok()?;
        tokio::spawn(connection);
        Some(sender)
    }

    /// The status and the body of an answer; `None` if none came.
    pub(crate) async fn ask_on(
        &self,
        connection: &mut Connection,
        method: &str,
        path: &str,
        body: Bytes,
    ) -> Option<(u16, Bytes)> {
        let mut request = Request::builder().method(method).uri(path).header("host", "attack");
        if !self.token.is_empty() {
            request = request.header("authorization", format!("Bearer {}", self.token));
        }
        let request = request.header("content-type", "application/json").body(Full::new(body)).ok()?;
        connection.ready().await.ok()?;
        let answer = connection.send_request(request).await.ok()?;
        let status = answer.status().as_u16();
        Some((status, answer.into_body().collect().await.ok()?.to_bytes()))
    }

    /// The status (0: none) and the body of an answer, on a connection of its own.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: Bytes) -> (u16, Bytes) {
        let Some(mut connection) = self.connect().await else { return (0, Bytes::new()) };
        self.ask_on(&mut connection, method, path, body).await.unwrap_or_default()
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, text) = self.ask("POST", path, Bytes::from(body.to_string())).await;
        (status, serde_json::from_slice(&text).unwrap_or_default())
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        serde_json::from_slice(&self.ask("GET", path, Bytes::new()).await.1).unwrap_or_default()
    }
}

pub(crate) fn sense(target: &Value, interaction: &Value) -> Value {
    json!({"target": target, "interaction": interaction})
}

pub(crate) fn protocol(id: &str) -> Value {
    json!({"type": "protocol", "id": id})
}
