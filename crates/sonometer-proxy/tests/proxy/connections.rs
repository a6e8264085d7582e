//! Either side that goes, waits or dies, and policies that change meanwhile.

use crate::provider::{MASK, ask, begin, chat, guard, read_until, serve};
use sonometer_proxy::{Proxy, Upstream};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

#[tokio::test(flavor = "multi_thread")]
async fn an_upstream_that_dies_breaks_the_answer() {
    let (address, _, _) = serve(MASK).await;
    let (_, body, is_whole) = chat(address, "dies").await;
    assert!(!is_whole && !body.contains("[DONE]"));
    let gone = Upstream::new("http://127.0.0.1:1").expect("is an address");
    let proxy = Proxy::new(gone, guard(MASK));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = listener.local_addr().expect("is bound");
    tokio::spawn(proxy.serve(listener, std::future::pending()));
    let (head, body, _) = chat(address, "stream").await;
    assert!(head.starts_with("HTTP/1.1 502") && body.contains("upstream_unreachable"), "{head} {body}");
    assert!(body.contains("refused"), "it says why: {body}");
}

/// A client that leaves ends the request upstream: before its headers, and while it is silent in the middle.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_ends_the_upstream() {
    let (address, _, seen) = serve(MASK).await;
    for content in ["silent", "slow"] {
        let body =
            format!("{{\"stream\":true,\"messages\":[{{\"role\":\"user\",\"content\":\"{content}\"}}]}}");
        let request = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut socket = TcpStream::connect(address).await.expect("connects");
        socket.write_all(request.as_bytes()).await.expect("sends");
        let reached = async {
            while seen.open.load(Ordering::SeqCst) == 0 {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(10), reached).await.expect("reaches the provider");
        if content == "slow" {
            let mut start = [0; 64];
            socket.read_exact(&mut start).await.expect("reads");
        }
        drop(socket);
        let left = async {
            while seen.open.load(Ordering::SeqCst) > 0 {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(10), left)
            .await
            .unwrap_or_else(|_| panic!("{content}: the provider goes on"));
    }
}

/// T7: another policy is for new conversations.
#[tokio::test(flavor = "multi_thread")]
async fn a_reload_is_for_new_conversations() {
    let (address, proxy, seen) = serve(MASK).await;
    let digest = guard(MASK).digest().to_owned();
    proxy.reload(guard(r#"{"rules":[{"action":"mask","target":"personal-data","mask":"label"}]}"#));
    let (head, _, _) = chat(address, "whole").await;
    assert!(head.contains("x-sonometer-guard: ") && !head.contains(&digest), "{head}");
    let body = r#"{"messages":[{"role":"user","content":"bob@example.net"}]}"#;
    let old =
        ask(address, "POST", "/v1/chat/completions", &format!("x-sonometer-guard: {digest}\r\n"), body).await;
    assert!(old.0.contains(&digest), "{}", old.0);
    let unknown = ask(address, "POST", "/v1/chat/completions", "x-sonometer-guard: 0\r\n", body).await;
    assert!(unknown.0.starts_with("HTTP/1.1 400"), "{}", unknown.0);
    let asked = seen.asked.lock().expect("is sound");
    let sent: Vec<String> =
        asked.iter().map(|(_, _, body)| String::from_utf8_lossy(body).into_owned()).collect();
    assert!(sent[0].contains("<EMAIL_ADDRESS>") && sent[1].contains("***@*******.***"), "{sent:?}");
    assert!(!asked[1].1.contains_key("x-sonometer-guard"));
}

/// The clock of this test stands, and jumps where everybody waits.
#[tokio::test(start_paused = true)]
async fn slow_clients_are_let_go() {
    let (address, ..) = serve(MASK).await;
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n";
    for (sent, answer, after) in [
        ("", "", 60),
        (head, "", 60),
        (&format!("{head}content-length: 500\r\n\r\n{{\"messages\""), "HTTP/1.1 408", 300),
    ] {
        let mut socket = TcpStream::connect(address).await.expect("connects");
        socket.write_all(sent.as_bytes()).await.expect("sends");
        let (start, mut bytes) = (tokio::time::Instant::now(), Vec::new());
        let _ = socket.read_to_end(&mut bytes).await;
        let waited = start.elapsed().as_secs();
        assert!(bytes.starts_with(answer.as_bytes()), "{}", String::from_utf8_lossy(&bytes));
        assert!((after..after + 5).contains(&waited), "{sent:?}: {waited} s");
    }
}

/// An upstream that sends nothing for an hour, before its answer or within it, or an answer that never comes in whole. The clock jumps.
#[tokio::test(start_paused = true)]
async fn an_upstream_that_never_ends_is_left() {
    let (address, _, seen) = serve(MASK).await;
    for (content, told) in [
        ("never", "upstream_silent"),
        ("slow", "sent nothing for 3600 seconds"),
        ("trickles", "had not come in whole after 3600 seconds"),
    ] {
        let mut socket = begin(address, content).await;
        let start = tokio::time::Instant::now();
        let mut answer = String::new();
        while !answer.contains(told) {
            let mut part = [0; 4_096];
            let read = socket.read(&mut part).await.expect("reads");
            assert!(read > 0, "{content}: {answer}");
            answer.push_str(&String::from_utf8_lossy(&part[..read]));
        }
        let waited = start.elapsed().as_secs();
        assert!((3_600..3_620).contains(&waited), "{content}: {waited} s");
        drop(socket);
        while seen.open.load(Ordering::SeqCst) > 0 {
            sleep(Duration::from_millis(100)).await;
            assert!(start.elapsed() < Duration::from_secs(3_700), "{content}: the provider goes on");
        }
    }
}

/// Large bodies that come slowly hold memory, so there is a bound for all of them; small ones are read in any case.
#[tokio::test(flavor = "multi_thread")]
async fn large_bodies_have_a_bound_in_all() {
    let (address, proxy, _) = serve(MASK).await;
    proxy.hold(3 << 20);
    let large = format!("{{\"messages\":[],\"user\":\"{}\"}}", "a ".repeat(3 << 20 >> 1));
    let head =
        format!("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", large.len());
    let mut slow = TcpStream::connect(address).await.expect("connects");
    slow.write_all(head.as_bytes()).await.expect("sends");
    slow.write_all(&large.as_bytes()[..large.len() - 9]).await.expect("sends");
    let answer = async || ask(address, "POST", "/v1/chat/completions", "", &large).await;
    let refused = async {
        loop {
            let (head, body, _) = answer().await;
            if head.starts_with("HTTP/1.1 503") {
                assert!(head.contains("retry-after: 1") && body.contains("no_room"), "{head} {body}");
                break;
            }
        }
    };
    timeout(Duration::from_secs(30), refused).await.expect("is refused while the other waits");
    let (head, _, _) = chat(address, "whole").await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    slow.write_all(&large.as_bytes()[large.len() - 9..]).await.expect("sends");
    read_until(&mut slow, |text| text.starts_with("HTTP/1.1 200")).await;
    assert!(answer().await.0.starts_with("HTTP/1.1 200"));
}

/// Hundreds of clients that send a byte now and then keep nobody waiting, nor does one that closes its half.
#[tokio::test(flavor = "multi_thread")]
async fn others_are_served_beside_slow_clients() {
    let (address, _, seen) = serve(MASK).await;
    let body = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\n{";
    let mut slow = Vec::new();
    for at in 0..200 {
        let mut socket = TcpStream::connect(address).await.expect("connects");
        let sent = if at % 2 == 0 { &body[..43] } else { body };
        socket.write_all(sent.as_bytes()).await.expect("sends");
        slow.push(socket);
    }
    for _ in 0..3 {
        for socket in &mut slow {
            socket.write_all(b"x").await.expect("sends");
        }
        let (head, _, _) = timeout(Duration::from_secs(10), chat(address, "whole")).await.expect("is served");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    }
    // One that has closed its half is one that went away.
    let mut half = begin(address, "silent").await;
    half.shutdown().await.expect("closes its half");
    let mut rest = Vec::new();
    timeout(Duration::from_secs(10), half.read_to_end(&mut rest)).await.expect("ends").expect("reads");
    assert!(rest.is_empty(), "{}", String::from_utf8_lossy(&rest));
    assert!(seen.asked.lock().expect("is sound").len() >= 3);
}

/// Such a client holds its connection no longer, nor the one upstream. The clock jumps where everybody waits.
#[tokio::test(start_paused = true)]
async fn a_client_that_reads_nothing_is_let_go() {
    let (address, proxy, seen) = serve(MASK).await;
    for after in [None, Some(5)] {
        if let Some(after) = after {
            proxy.end_stalled(Duration::from_secs(after));
        }
        let mut socket = TcpStream::connect(address).await.expect("connects");
        socket.write_all(b"GET /v1/files/flood/content HTTP/1.1\r\nhost: x\r\n\r\n").await.expect("sends");
        let start = tokio::time::Instant::now();
        for open in [1, 0] {
            while seen.open.load(Ordering::SeqCst) != open {
                sleep(Duration::from_millis(100)).await;
                assert!(start.elapsed() < Duration::from_secs(600), "the provider goes on");
            }
        }
        let (waited, after) = (start.elapsed().as_secs(), after.unwrap_or(60));
        assert!((after..after + 5).contains(&waited), "{waited} s");
    }
}

/// T7: an answer that is under way keeps the policy that it began with.
#[tokio::test(flavor = "multi_thread")]
async fn a_reload_leaves_streams_that_are_under_way() {
    let (address, proxy, seen) = serve(MASK).await;
    let mut socket = begin(address, "halts").await;
    let before = read_until(&mut socket, |text| text.contains("data:")).await;
    proxy.reload(guard(r#"{"rules":[{"action":"mask","target":"personal-data","mask":"label"}]}"#));
    let (_, after, _) = chat(address, "whole").await;
    assert!(after.contains("<EMAIL_ADDRESS>"), "{after}");
    seen.goes_on.notify_one();
    let rest = read_until(&mut socket, |text| text.contains("[DONE]")).await;
    let all = before + &rest;
    assert!(all.contains("***") && !all.contains("<EMAIL") && !all.contains("<PAYMENT"), "{all}");
}
