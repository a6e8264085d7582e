//! Ways to name an address that may not be reached: as text, behind a redirect, by a name whose answer changes.

use crate::bench::{Answer, Bench};
use crate::file_host::{self, Host, Page, guard, limits};
use crate::fixture::{ONE, sense};
use serde_json::json;
use sonometer_server::{FileReader, Limits, Outbound, Resolver};
use sonometer_service::Mode;
use sonometer_service::guard::Guard;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Addresses that are not public, as somebody may write them who hopes that it is not noticed. A line each; `\t`, `\n` and `\u{…}`
/// stand for the characters.
const SPELLINGS: &str = include_str!("addresses.txt");

fn spellings() -> Vec<String> {
    let unescaped = |line: &str| {
        let mut text = line.replace("\\t", "\t").replace("\\n", "\n");
        while let Some((before, rest)) = text.clone().split_once("\\u{") {
            let (code, after) = rest.split_once('}').expect("ends");
            let code = u32::from_str_radix(code, 16).ok().and_then(char::from_u32).expect("is a character");
            text = format!("{before}{code}{after}");
        }
        text
    };
    SPELLINGS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(unescaped).collect()
}

/// A resolver that counts how often it is asked; every name stands for this machine.
fn counting(asked: &Arc<AtomicUsize>) -> Resolver {
    let asked = asked.clone();
    Arc::new(move |_, _| {
        asked.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(vec![Ipv4Addr::LOCALHOST.into()]) })
    })
}

fn bench(guard: Guard, resolver: &Resolver) -> Bench {
    let outbound =
        Outbound::with(guard.clone(), resolver.clone(), Duration::from_secs(20)).expect("can be made");
    let files =
        FileReader::with(guard, resolver.clone(), file_host::helper(), limits()).expect("can be made");
    let bench = Bench::outside(Limits::default(), Arc::new(outbound), Arc::new(files));
    bench.publish("acme", &file_host::paper());
    bench.account(Mode::Test, |settings| settings.per_window = 1_000_000);
    bench
}

fn fetch(bench: &Bench, url: &str) -> Answer {
    bench.post("/api/v1/sense", &file_host::ask("paper", url))
}

#[track_caller]
fn refused(answer: &Answer, place: &str, reasons: &[&str], what: &str) {
    answer.is(400, "invalid_request");
    let details = answer.details();
    let reason = details["reason"].as_str().unwrap_or_default();
    assert!(reasons.contains(&reason) && details["place"] == place, "{what:?}: {details}");
}

// covers: file.ssrf, webhook.ssrf
#[test]
fn every_spelling_of_a_private_address_is_refused_at_the_door_and_behind_a_redirect() {
    let spellings = spellings();
    assert!(spellings.len() >= 120, "{}", spellings.len());
    let (outer, asked) = (Host::start(), Arc::new(AtomicUsize::new(0)));
    let bench = bench(guard(&[outer.port]), &counting(&asked));
    for (number, url) in spellings.iter().enumerate() {
        refused(&fetch(&bench, url), "interaction.url", &["url_private"], url);
        let mut called = sense("paper", ONE);
        called["callback"] = json!({"url": url});
        refused(&bench.post("/api/v1/sense", &called), "callback.url", &["url_private"], url);
        // A header holds ASCII without control characters; what else stands there is no address.
        let is_header = url.bytes().all(|byte| (b' '..0x7F).contains(&byte));
        let status = [301, 302, 303, 307, 308][number % 5];
        let moved = outer.put(&format!("/{number}"), Page::moved(status, url.trim()));
        if is_header && url.contains("//") {
            refused(&fetch(&bench, &moved), "interaction.url", &["url_private"], url);
        }
    }
    assert_eq!(asked.load(Ordering::SeqCst), 0, "all of that is told without asking anybody");
    assert_eq!(bench.used(Mode::Test), 0);
    println!("{} spellings", spellings.len());
}

// covers: file.ssrf, webhook.ssrf
#[test]
fn an_answer_that_changes_between_look_up_and_connection_leads_nowhere() {
    let outer = Host::start();
    // The same port of an address that is not allowed.
    let inner = TcpListener::bind((Ipv4Addr::new(127, 0, 0, 2), outer.port)).expect("binds");
    inner.set_nonblocking(true).expect("can be set");
    let asked = Arc::new(AtomicUsize::new(0));
    let resolver: Resolver = {
        let asked = asked.clone();
        // Allowed whenever it is looked at, and something else right after.
        Arc::new(move |_, _| {
            let last = if asked.fetch_add(1, Ordering::SeqCst).is_multiple_of(2) { 1 } else { 2 };
            Box::pin(async move { Ok(vec![Ipv4Addr::new(127, 0, 0, last).into()]) })
        })
    };
    let bench = bench(guard(&[outer.port]), &resolver);
    let url = |path: &str| format!("http://turning.example:{}{path}", outer.port);
    outer.put("/file.txt", Page::file(ONE));
    outer.put("/moved", Page::moved(302, &url("/file.txt")));
    for round in 0..10 {
        // One look-up, and what it told is what is connected to.
        fetch(&bench, &url("/file.txt")).good("Sense");
        assert_eq!(asked.load(Ordering::SeqCst), 4 * round + 1);
        let turned = fetch(&bench, &url("/file.txt"));
        refused(&turned, "interaction.url", &["url_not_reachable"], "turned");
        // A redirect is looked up anew.
        refused(&fetch(&bench, &url("/moved")), "interaction.url", &["url_not_reachable"], "moved");
        assert_eq!(asked.load(Ordering::SeqCst), 4 * round + 4);
    }
    assert_eq!(outer.asked(), 20);
    assert!(inner.accept().is_err(), "nobody came");
}
