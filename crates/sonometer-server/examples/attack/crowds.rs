//! Crowds of cheap requests: A asks again and again for what takes the service long, since there is much of it.

use crate::Asked;
use crate::client::{Client, Counts, note, protocol};
use crate::database::Database;
use crate::hosts::Hosts;
use crate::probe::{Outcome, Probe, Seen};
use crate::service::{Served, organization};
use hyper::body::Bytes;
use serde_json::{Value, json};
use sonometer::stage::{Stage, World};
use sonometer_catalog::ForStages;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// How much there is.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    /// Items of a job that is made.
    items: u64,
    /// Jobs that have ended.
    jobs: u64,
    charges: u64,
    protocols: u64,
    /// Jobs under way, each with a notification.
    waiting: u64,
    /// Turns of a dive.
    turns: u64,
}

impl Sizes {
    /// As much as is measured; of jobs under way and turns the most that there may be.
    pub(crate) const FULL: Self = Self {
        items: 1_000,
        jobs: 100_000,
        charges: 1_000_000,
        protocols: 1_000,
        waiting: 10_000,
        turns: 200,
    };

    /// So little that it is there at once.
    pub(crate) const QUICK: Self =
        Self { items: 100, jobs: 1_000, charges: 10_000, protocols: 20, waiting: 100, turns: 10 };
}

/// What A does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Crowd {
    Jobs,
    ListOfJobs,
    EndOfHistory,
    ListOfProtocols,
    Figures,
    LongDive,
    /// Measured only where its row is named: B is touched, since each action writes the whole dive in one commit.
    LongDives,
}

/// A request that a crowd makes.
#[derive(Clone)]
struct Ask {
    client: Client,
    method: &'static str,
    path: String,
    body: Bytes,
}

impl Ask {
    fn get(client: &Client, path: impl Into<String>) -> Self {
        Self { client: client.clone(), method: "GET", path: path.into(), body: Bytes::new() }
    }

    fn post(client: &Client, path: impl Into<String>, body: String) -> Self {
        Self { client: client.clone(), method: "POST", path: path.into(), body: body.into() }
    }

    /// Asks again and again, on one connection as long as that is there, until it is aborted.
    async fn go(self, counts: Counts) {
        let Self { client, method, path, body } = self;
        let mut connection = None;
        loop {
            if connection.is_none() {
                connection = client.connect().await;
            }
            let answer = match &mut connection {
                Some(connection) => client.ask_on(connection, method, &path, body.clone()).await,
                None => None,
            };
            let status = answer.map_or(0, |(status, _)| status);
            note(&counts, status);
            if status == 0 {
                connection = None;
            }
            if !matches!(status, 200 | 202) {
                sleep(Duration::from_millis(200)).await;
            }
        }
    }
}

/// A protocol of so many metamarkers that trigger on the same word.
fn many_markers(count: usize) -> String {
    let marker =
        |at| format!("  - label: marker_{at}\n    description: One of many.\n    strong: |\n      the\n");
    format!(
        "sonometer: 1\nid: many\nname: Many\nversion: \"1.0\"\nstatus: published\ntaxonomy: Signal\n\
         description: Many metamarkers.\nlanguage: en\nmodalities: [text]\n\
         fidelity: {{words: 1, turns: 1, sufficient: 0.1}}\nmarkers:\n{}",
        (0..count).map(marker).collect::<String>()
    )
}

/// One of many protocols.
fn own(number: u64) -> String {
    format!(
        "sonometer: 1\nid: own-{number}\nversion: \"1.0\"\nstatus: published\ntaxonomy: Policy\nlanguage: en\n\
         markers:\n  - label: cat\n    strong: the cat\n    hit: the cat\n    miss: a dog\n"
    )
}

/// A stage in which as much can be said as in any.
const LONG: &str = r#"sonometer_stage: 1
id: long
name: A long talk
version: "1.0"
status: draft
description: Somebody listens as long as anybody may talk.
protocol: courtesy
objective: Talk.
envelope: {max_turns: 200, ics_budget: 1000000, max_action_chars: 20000}
start: hall
scenes:
  hall:
    world: Somebody listens.
    do:
      - otherwise: stay
        world: Go on.
checkpoints:
  polite: fired(gratitude)
"#;

impl Crowd {
    const ALL: [Self; 7] = [
        Self::Jobs,
        Self::ListOfJobs,
        Self::EndOfHistory,
        Self::ListOfProtocols,
        Self::Figures,
        Self::LongDive,
        Self::LongDives,
    ];

    fn name(self, sizes: Sizes) -> String {
        let Sizes { items, jobs, charges, protocols, waiting, turns } = sizes;
        match self {
            Self::Jobs => format!("makes jobs of {} items against 2,000 metamarkers", whole(items)),
            Self::ListOfJobs => format!("lists its jobs, of which there are {}", whole(jobs)),
            Self::EndOfHistory => format!("asks for the end of a history of {} charges", whole(charges)),
            Self::ListOfProtocols => format!("lists its protocols, of which there are {}", whole(protocols)),
            Self::Figures => {
                format!("`/metrics` without a token; {} jobs and notifications wait", whole(waiting))
            }
            Self::LongDive => format!("looks at a dive of {turns} turns of 20,000 characters"),
            Self::LongDives => {
                format!("acts in dives of {} and more turns of 20,000 characters", turns * 9 / 10)
            }
        }
    }

    fn clients(self) -> usize {
        match self {
            Self::Jobs => 20,
            Self::ListOfProtocols => 4,
            _ => 8,
        }
    }

    /// Fills the database, and says what each client asks for then.
    async fn prepare(self, sizes: Sizes, served: &Served, a: &Client) -> Vec<Ask> {
        let mut database = Database::open(&served.database).await;
        let ask = match self {
            Self::Jobs => {
                publish(served, &many_markers(2_000)).await;
                let item = |id: u64| json!({"id": id.to_string(), "content": "the cat"});
                let items: Vec<Value> = (0..sizes.items).map(item).collect();
                let body = json!({"target": protocol("many"), "interactions": items}).to_string();
                Ask::post(a, "/api/v1/sense/batch", body)
            }
            Self::ListOfJobs => {
                database.add_jobs(sizes.jobs).await;
                Ask::get(a, "/api/v1/jobs")
            }
            Self::EndOfHistory => {
                database.add_charges(sizes.charges).await;
                Ask::get(a, format!("/api/v1/usage/history?offset={}", sizes.charges - 10))
            }
            Self::ListOfProtocols => {
                for number in 0..sizes.protocols {
                    publish(served, &own(number)).await;
                }
                Ask::get(a, "/api/v1/protocols")
            }
            Self::Figures => {
                database.add_jobs_under_way(sizes.waiting).await;
                Ask::get(&Client { token: String::new(), ..a.clone() }, "/metrics")
            }
            Self::LongDive => {
                publish(served, LONG).await;
                Ask::get(a, dives(&mut database, a, sizes.turns, 1).await.remove(0))
            }
            Self::LongDives => {
                publish(served, LONG).await;
                let paths = dives(&mut database, a, sizes.turns * 9 / 10, self.clients()).await;
                let body = json!({"action": longest()}).to_string();
                return paths.iter().map(|path| Ask::post(a, format!("{path}/act"), body.clone())).collect();
            }
        };
        vec![ask; self.clients()]
    }
}

async fn publish(served: &Served, source: &str) {
    served.service.publish("a", source).await.unwrap_or_else(|refusal| panic!("{refusal}"));
}

/// An action than which nothing is longer in the form in which a dive is kept. It costs nothing.
fn longest() -> String {
    "\u{1}".repeat(20_000)
}

/// The paths of so many dives of so many turns. They are taken beside the service, which reads and writes the whole dive in each.
async fn dives(database: &mut Database, a: &Client, turns: u64, count: usize) -> Vec<String> {
    let stage = Stage::read(LONG).expect("is a stage").0;
    let mut dive = World::new(stage, &ForStages).expect("has what senses it").open(1);
    for _ in 0..turns {
        dive.act(&longest()).expect("goes on");
    }
    let (state, observation) = (dive.to_json(), dive.observation().to_json());
    let mut paths = Vec::new();
    for _ in 0..count {
        let (status, opened) = a.post("/api/v1/dive/open", &json!({"stage_id": "long@1.0", "seed": 1})).await;
        assert_eq!(status, 200, "{opened}");
        let id = opened["dive_id"].as_str().expect("is text");
        database.set_dive(id, turns, &state, &observation).await;
        paths.push(format!("/api/v1/dive/{id}"));
    }
    paths
}

/// A number with commas.
fn whole(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", whole(number / 1_000), number % 1_000),
    }
}

/// Does them one after the other, each on a database of its own from `serve`, and prints a row for each.
pub(crate) async fn run(serve: impl AsyncFn() -> Served, hosts: &Arc<Hosts>, asked: &Asked) -> Outcome {
    let Asked { sizes, time, .. } = *asked;
    let is_chosen = |crowd: &Crowd| match crowd {
        Crowd::LongDives => asked.names(&crowd.name(sizes)),
        _ => asked.wants("crowds", &crowd.name(sizes)),
    };
    let chosen: Vec<Crowd> = Crowd::ALL.into_iter().filter(is_chosen).collect();
    let mut outcome = Outcome::default();
    if chosen.is_empty() {
        return outcome;
    }
    println!("| A does | clients of A | {}", Seen::HEAD);
    println!("|---|---:|{}", Seen::LINE);
    for crowd in chosen {
        let served = serve().await;
        let (a, b) = (organization(&served, "a").await, organization(&served, "b").await);
        let asks = crowd.prepare(sizes, &served, &a).await;
        Probe::Sense.measure(&b, hosts, Duration::from_millis(200)).await;
        let counts = Counts::default();
        let begin = || asks.into_iter().map(|ask| ask.go(counts.clone())).collect();
        let seen = Probe::Sense.beside(&b, hosts, time, begin).await;
        println!("| {} | {} | {}", crowd.name(sizes), crowd.clients(), seen.columns(&counts));
        outcome.add(&seen);
    }
    outcome
}
