//! What A does to what both share: slow bodies, long texts, dear protocols, hosts and receivers that hang, files made to harm, many jobs.

use crate::Asked;
use crate::client::{Client, Counts, note, protocol, sense};
use crate::hosts::Hosts;
use crate::probe::{Outcome, Probe, Seen};
use crate::service::{Served, organization};
use hyper::body::Bytes;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::sleep;

/// A protocol whose lines have gaps within gaps: near the dearest that is taken without a warning.
fn nested(number: usize) -> String {
    let line = |word| {
        format!("      (the|and) &12 ((the|to) &12 ((the|of) &12 ((the|in) &12 (the|w{number}x{word}))))\n")
    };
    format!(
        "sonometer: 1\nid: nested-{number}\nname: Nested\nversion: \"1.0\"\nstatus: published\ntaxonomy: Signal\n\
         description: Gaps within gaps.\nlanguage: en\nmodalities: [text]\nfidelity: {{words: 1, turns: 1, sufficient: 0.1}}\n\
         markers:\n  - label: gaps\n    description: Gaps.\n    strong: |\n{}",
        (0..30).map(line).collect::<String>()
    )
}

/// What A does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attack {
    SlowBodies,
    LongTexts,
    NestedGaps,
    HangingFiles,
    Bombs,
    Jobs,
    HangingReceivers,
}

impl Attack {
    /// Receivers come last: what is not told is tried again for hours.
    const ALL: [Self; 7] = [
        Self::SlowBodies,
        Self::LongTexts,
        Self::NestedGaps,
        Self::HangingFiles,
        Self::Bombs,
        Self::Jobs,
        Self::HangingReceivers,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::SlowBodies => "400 slow bodies",
            Self::LongTexts => "64 × 200 KB, `service-call`",
            Self::NestedGaps => "32 protocols of nested gaps",
            Self::HangingFiles => "40 files on hosts that hang",
            Self::Bombs => "six PDF bombs",
            Self::Jobs => "20 jobs",
            Self::HangingReceivers => "100 receivers that hang",
        }
    }

    /// What B does beside sensing a text: the same that A does, but small.
    fn probes(self) -> &'static [Probe] {
        match self {
            Self::SlowBodies | Self::LongTexts | Self::NestedGaps => &[Probe::Sense],
            Self::HangingFiles | Self::Bombs => &[Probe::Sense, Probe::File],
            Self::Jobs => &[Probe::Sense, Probe::Job],
            Self::HangingReceivers => &[Probe::Sense, Probe::Notification],
        }
    }

    fn count(self) -> usize {
        match self {
            Self::SlowBodies => 400,
            Self::LongTexts => 64,
            Self::NestedGaps => 32,
            Self::HangingFiles => 40,
            Self::Bombs => 6,
            Self::Jobs => 20,
            Self::HangingReceivers => 100,
        }
    }

    /// Asks again and again, as one of [`Attack::count`], until it is aborted.
    async fn go(self, number: usize, client: Client, hosts: Arc<Hosts>, counts: Counts) {
        let url = |host: SocketAddr, path: &str| json!({"url": format!("http://{host}{path}")});
        let long = json!({"content": "Good morning, thank you for calling, could you please check my order? ".repeat(2_850)});
        let (path, body) = match self {
            Self::SlowBodies => return slow(client, counts).await,
            Self::LongTexts => {
                ("/api/v1/sense", sense(&json!({"type": "blueprint", "id": "service-call"}), &long))
            }
            Self::NestedGaps => {
                let text = json!({"content": "The man and the woman in the garden of the house go to the market and to the end of the street. ".repeat(100)});
                ("/api/v1/sense", sense(&protocol(&format!("nested-{number}")), &text))
            }
            Self::HangingFiles => ("/api/v1/sense", sense(&protocol("affect"), &url(hosts.silent, "/a.txt"))),
            Self::Bombs => ("/api/v1/sense", sense(&protocol("affect"), &url(hosts.answers, "/bomb.pdf"))),
            Self::Jobs => {
                let item = "I am so happy and grateful, and a little sad. ".repeat(80);
                let items: Vec<Value> =
                    (0..250).map(|id| json!({"id": id.to_string(), "content": item})).collect();
                ("/api/v1/sense/batch", json!({"target": protocol("affect"), "interactions": items}))
            }
            Self::HangingReceivers => {
                let mut body =
                    sense(&protocol("courtesy"), &json!({"content": "Thank you so much for your help."}));
                body["callback"] = json!({"url": format!("http://{}/hook", hosts.silent)});
                ("/api/v1/sense", body)
            }
        };
        let body = Bytes::from(body.to_string());
        loop {
            let (status, _) = client.ask("POST", path, body.clone()).await;
            note(&counts, status);
            // A job each, and a receiver each: more of them would be another attack.
            if matches!(self, Self::Jobs | Self::HangingReceivers) {
                return std::future::pending().await;
            }
            if status != 200 {
                sleep(Duration::from_millis(200)).await;
            }
        }
    }
}

/// A body of which a byte comes every second.
async fn slow(client: Client, counts: Counts) {
    loop {
        if let Ok(mut stream) = TcpStream::connect(client.address).await {
            let head = format!(
                "POST /api/v1/sense HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
                 Content-Length: 1000\r\n\r\n",
                client.token
            );
            let mut more = stream.write_all(head.as_bytes()).await;
            while more.is_ok() {
                sleep(Duration::from_secs(1)).await;
                more = stream.write_all(b" ").await;
            }
        }
        note(&counts, 0);
        sleep(Duration::from_millis(100)).await;
    }
}

/// Cancels what is left of the jobs of A.
async fn cancel(a: &Client) {
    loop {
        let jobs = a.get("/api/v1/jobs?limit=100").await;
        let left: Vec<&str> = jobs["jobs"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|job| job["status"] == "processing")
            .filter_map(|job| job["job_id"].as_str())
            .collect();
        for id in &left {
            a.ask("DELETE", &format!("/api/v1/jobs/{id}"), Bytes::new()).await;
        }
        if left.is_empty() {
            return;
        }
    }
}

/// Does them one after the other and prints a row for each.
pub(crate) async fn run(serve: impl AsyncFn() -> Served, hosts: &Arc<Hosts>, asked: &Asked) -> Outcome {
    let chosen: Vec<Attack> =
        Attack::ALL.into_iter().filter(|attack| asked.wants("attacks", attack.name())).collect();
    let mut outcome = Outcome::default();
    if chosen.is_empty() {
        return outcome;
    }
    let served = serve().await;
    let (a, b) = (organization(&served, "a").await, organization(&served, "b").await);
    for number in 0..Attack::NestedGaps.count() {
        served.service.publish("a", &nested(number)).await.unwrap_or_else(|refusal| panic!("{refusal}"));
    }
    // The first request of a kind compiles its protocol.
    for probe in [Probe::Sense, Probe::File, Probe::Job, Probe::Notification] {
        probe.measure(&b, hosts, Duration::from_millis(200)).await;
    }
    println!("| A does | B does | {}", Seen::HEAD);
    println!("|---|---|{}", Seen::LINE);
    for attack in chosen {
        for probe in attack.probes() {
            let counts = Counts::default();
            let begin = || {
                let go = |number| attack.go(number, a.clone(), hosts.clone(), counts.clone());
                (0..attack.count()).map(go).collect()
            };
            let seen = probe.beside(&b, hosts, asked.time, begin).await;
            cancel(&a).await;
            println!("| {} | {} | {}", attack.name(), probe.name(), seen.columns(&counts));
            outcome.add(&seen);
        }
    }
    outcome
}
