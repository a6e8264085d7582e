//! What B does, and how long it takes.

use crate::client::{Client, Counts, protocol, sense, shown};
use crate::hosts::Hosts;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// So many clients of B ask at once.
const CLIENTS: usize = 4;

/// What B does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Probe {
    Sense,
    File,
    Job,
    Notification,
}

static NUMBER: AtomicU64 = AtomicU64::new(0);

impl Probe {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sense => "senses 1 KB",
            Self::File => "senses a small file",
            Self::Job => "a job of 50, until it has ended",
            Self::Notification => "a job, until its receiver is called",
        }
    }

    /// Does it once; the status of what was asked first.
    async fn once(self, client: &Client, hosts: &Hosts) -> u16 {
        let text = json!({"content": "Good morning! Thank you so much for your patience today. ".repeat(18)});
        match self {
            Self::Sense => client.post("/api/v1/sense", &sense(&protocol("courtesy"), &text)).await.0,
            Self::File => {
                let url = json!({"url": format!("http://{}/small.txt", hosts.answers)});
                client.post("/api/v1/sense", &sense(&protocol("affect"), &url)).await.0
            }
            Self::Job => {
                let items: Vec<Value> = (0..50)
                    .map(|id| json!({"id": id.to_string(), "content": "Thank you, that is kind of you."}))
                    .collect();
                let body = json!({"target": protocol("courtesy"), "interactions": items});
                let (status, answer) = client.post("/api/v1/sense/batch", &body).await;
                let Some(path) = answer["poll_url"].as_str() else { return status };
                while client.get(path).await["status"] == "processing" {
                    sleep(Duration::from_millis(20)).await;
                }
                status
            }
            Self::Notification => {
                let path = format!("/hook/{}", NUMBER.fetch_add(1, Ordering::SeqCst));
                let mut body = sense(&protocol("courtesy"), &text);
                body["callback"] = json!({"url": format!("http://{}{path}", hosts.answers)});
                let (status, _) = client.post("/api/v1/sense", &body).await;
                while status == 202 && !hosts.told.lock().expect("is sound").contains(&path) {
                    sleep(Duration::from_millis(5)).await;
                }
                status
            }
        }
    }

    /// Does it again and again for so long: times in milliseconds, sorted, and what was answered.
    pub(crate) async fn measure(
        self,
        client: &Client,
        hosts: &Arc<Hosts>,
        time: Duration,
    ) -> (Vec<f64>, BTreeMap<u16, u64>) {
        let mut clients = JoinSet::new();
        let began = Instant::now();
        for _ in 0..CLIENTS {
            let (client, hosts) = (client.clone(), hosts.clone());
            clients.spawn(async move {
                let (mut times, mut counts) = (Vec::new(), BTreeMap::new());
                while began.elapsed() < time {
                    let asked = Instant::now();
                    let status = timeout(Duration::from_secs(60), self.once(&client, &hosts)).await;
                    times.push(asked.elapsed().as_secs_f64() * 1_000.0);
                    *counts.entry(status.unwrap_or(0)).or_default() += 1;
                    sleep(Duration::from_millis(20)).await;
                }
                (times, counts)
            });
        }
        let (mut times, mut counts) = (Vec::new(), BTreeMap::new());
        while let Some(one) = clients.join_next().await {
            let (more, statuses): (Vec<f64>, BTreeMap<u16, u64>) = one.expect("does not panic");
            times.extend(more);
            for (status, count) in statuses {
                *counts.entry(status).or_default() += count;
            }
        }
        times.sort_by(f64::total_cmp);
        (times, counts)
    }

    /// Before and beside what others do, which `begin` starts and which is ended then.
    pub(crate) async fn beside(
        self,
        client: &Client,
        hosts: &Arc<Hosts>,
        time: Duration,
        begin: impl FnOnce() -> JoinSet<()>,
    ) -> Seen {
        let (before, _) = self.measure(client, hosts, time).await;
        let mut others = begin();
        // Until it is in full swing.
        sleep(Duration::from_secs(1)).await;
        let (meanwhile, answers) = self.measure(client, hosts, time).await;
        others.shutdown().await;
        Seen { before, meanwhile, answers }
    }
}

/// What B saw: times in milliseconds, sorted, and what was answered meanwhile.
pub(crate) struct Seen {
    before: Vec<f64>,
    meanwhile: Vec<f64>,
    answers: BTreeMap<u16, u64>,
}

impl Seen {
    /// Whether nothing was refused.
    pub(crate) fn is_served(&self) -> bool {
        self.answers.keys().all(|status| matches!(status, 200 | 202))
    }

    /// Whether it took about as long as before.
    pub(crate) fn is_fast(&self) -> bool {
        let (was, is) = (at(&self.before, 99), at(&self.meanwhile, 99));
        is <= (3.0 * was).max(was + 250.0)
    }

    /// The columns of a table: [`Seen::HEAD`] with what A was answered.
    pub(crate) fn columns(&self, counts: &Counts) -> String {
        let times = |times: &[f64]| format!("{:.1}, {:.1}", at(times, 50), at(times, 99));
        format!(
            "{} | {} | {} | {} | {} |",
            times(&self.before),
            times(&self.meanwhile),
            shown(&self.answers),
            shown(&counts.lock().expect("is sound")),
            if self.is_served() && self.is_fast() { "yes" } else { "**no**" }
        )
    }

    pub(crate) const HEAD: &str =
        "p50, p99 before, ms | p50, p99 meanwhile, ms | B: answers | A: answers | B untouched |";
    pub(crate) const LINE: &str = "---:|---:|---|---|---|";
}

/// What came of all rows.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) refused: bool,
    pub(crate) slowed: bool,
}

impl Outcome {
    pub(crate) fn add(&mut self, seen: &Seen) {
        self.refused |= !seen.is_served();
        self.slowed |= !seen.is_fast();
    }
}

fn at(times: &[f64], hundredths: usize) -> f64 {
    times.get(times.len().saturating_sub(1) * hundredths / 100).copied().unwrap_or(0.0)
}
