//! Clients that ask again and again, each request under a key of its own, and remember the answers. A client that gets no
//! answer asks again under the same key, as a client of the service should.

use crate::{get, send};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

/// How long one request may be asked again and again.
const PATIENCE: Duration = Duration::from_secs(120);
/// The pause between two requests of a client. All keys are asked for again at the end: without it, a test takes the longer, the
/// faster the machine is.
const PAUSE: Duration = Duration::from_millis(10);

#[derive(Default)]
struct Shared {
    /// Where it is asked; a client that gets no answer goes to the next.
    addresses: Mutex<Vec<String>>,
    /// What was answered, by key.
    told: Mutex<BTreeMap<String, String>>,
    /// How often each status other than 200 was answered; 0 stands for no answer.
    others: Mutex<BTreeMap<u16, u64>>,
    over: AtomicBool,
}

pub(crate) struct Load {
    shared: Arc<Shared>,
    clients: Vec<JoinHandle<()>>,
}

impl Load {
    /// Begins with so many clients.
    pub(crate) fn begin(name: &str, clients: usize, addresses: &[&str], token: &str) -> Self {
        let shared = Arc::new(Shared::default());
        *shared.addresses.lock().expect("sound") = addresses.iter().map(|&one| one.to_owned()).collect();
        let client = |client: usize| {
            let (shared, token, name) = (shared.clone(), token.to_owned(), name.to_owned());
            spawn(move || {
                for number in 0.. {
                    let key = format!("{name}-{client}-{number}");
                    if shared.over.load(Ordering::SeqCst) || !shared.ask(&key, &token, client) {
                        break;
                    }
                    sleep(PAUSE);
                }
            })
        };
        let clients = (0..clients).map(client).collect();
        Self { shared, clients }
    }

    /// From now on these are asked.
    pub(crate) fn ask_at(&self, addresses: &[&str]) {
        *self.shared.addresses.lock().expect("sound") = addresses.iter().map(|&one| one.to_owned()).collect();
    }

    /// How many answers there were.
    pub(crate) fn told(&self) -> usize {
        self.shared.told.lock().expect("sound").len()
    }

    /// The answers until now, by key.
    pub(crate) fn told_so_far(&self) -> BTreeMap<String, String> {
        self.shared.told.lock().expect("sound").clone()
    }

    /// How often another status than 200 was answered; 0: none at all.
    pub(crate) fn others(&self, status: u16) -> u64 {
        self.shared.others.lock().expect("sound").get(&status).copied().unwrap_or(0)
    }

    /// Waits until something holds.
    #[track_caller]
    pub(crate) fn wait_until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !holds(self) {
            assert!(begun.elapsed() < PATIENCE, "{what}: {:?}", self.shared.others);
            sleep(Duration::from_millis(10));
        }
    }

    /// Waits for so many more answers.
    #[track_caller]
    pub(crate) fn wait_for(&self, more: usize) {
        let enough = self.told() + more;
        self.wait_until("there are no answers", |load| load.told() >= enough);
    }

    /// Ends once every request that was sent is answered: the answers by key, and how often another status was answered.
    pub(crate) fn end(self) -> (BTreeMap<String, String>, BTreeMap<u16, u64>) {
        self.shared.over.store(true, Ordering::SeqCst);
        self.clients.into_iter().for_each(|client| client.join().expect("ends well"));
        let all = (&self.shared.told, &self.shared.others);
        (all.0.lock().expect("sound").clone(), all.1.lock().expect("sound").clone())
    }
}

impl Shared {
    /// Asks until there is an answer; whether there is one.
    fn ask(&self, key: &str, token: &str, first: usize) -> bool {
        let begun = Instant::now();
        for turn in first.. {
            let address = {
                let all = self.addresses.lock().expect("sound");
                all.get(turn % all.len().max(1)).cloned().unwrap_or_default()
            };
            let status = match send(&address, token, key) {
                Some((200, _, body)) => {
                    self.told.lock().expect("sound").insert(key.to_owned(), body);
                    return true;
                }
                Some((status @ 503, _, body)) => {
                    assert!(body.contains("\"code\":\"unavailable\""), "{body}");
                    status
                }
                Some((status, _, body)) => panic!("{status}: {body}"),
                None => 0,
            };
            *self.others.lock().expect("sound").entry(status).or_default() += 1;
            assert!(begun.elapsed() < PATIENCE, "{key} is not answered");
            sleep(Duration::from_millis(20));
        }
        false
    }
}

/// Whether the answers stand: each key is answered as before and costs nothing, and all of them together are what is used.
#[track_caller]
pub(crate) fn stands(address: &str, token: &str, told: &BTreeMap<String, String>, used: u64) {
    for (key, before) in told {
        let (status, consumed, body) = send(address, token, key).expect("answers");
        assert_eq!((status, consumed, &body), (200, 0, before), "{key}: what was answered is kept");
    }
    let (_, body) = get(address, token, "/api/v1/usage");
    assert!(body.contains(&format!("\"used\":{used},")), "{} keys, {used}: {body}", told.len());
}
