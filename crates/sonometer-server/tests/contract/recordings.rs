//! Recordings by `url`: heard by what the deployment has, as jobs.

use crate::bench::{Answer, Bench};
use crate::callbacks::{OK, Receiver, guard, until, verified};
use crate::file_host::{Host, Page, helper, limits, reads};
use crate::fixture::{ONE, target};
use crate::schema;
use serde_json::{Value, json};
use sonometer_ingest::audio::{self, Channels, Recording, Request, Transcriber, Transcript, Words};
use sonometer_ingest::{Hints, Limits, ReadError, Reason};
use sonometer_server::{FileReader, Hear, Outbound, Resolver};
use sonometer_service::ports::{Callbacks, NoCallbacks};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

const ROLES: [&str; 2] = ["agent", "customer"];

fn sound(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/audio").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What is said in call.mp3, and when: its captions, which name the speakers.
fn captions() -> Transcript {
    let (call, captions) = (sound("call.mp3"), sound("call.vtt"));
    let read = audio::read(&call, &Hints::default(), &Request::new(Words::Given(&captions)));
    read.expect("is sound").sound.expect("is a recording").transcript
}

/// A recogniser that knows call.mp3 by heart: each channel is one of its speakers.
struct Knowing(Transcript);

impl Transcriber for Knowing {
    fn name(&self) -> String {
        "knowing".to_owned()
    }

    fn transcribe(&self, sound: &Recording<'_>, _: &Limits) -> Result<Transcript, ReadError> {
        let speaker = sound.channel.map(|number| ROLES[number as usize - 1]);
        let mut segments = self.0.segments.clone();
        segments.retain(|segment| segment.speaker.as_deref() == speaker);
        segments.iter_mut().for_each(|segment| segment.speaker = None);
        Ok(Transcript { segments })
    }
}

/// A recogniser that hears until nobody wants to know any more.
struct Endless(Arc<AtomicUsize>);

impl Transcriber for Endless {
    fn name(&self) -> String {
        "endless".to_owned()
    }

    fn transcribe(&self, sound: &Recording<'_>, _: &Limits) -> Result<Transcript, ReadError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        while !sound.stop.load(Ordering::SeqCst) {
            sleep(Duration::from_millis(5));
        }
        assert!(sound.wav.is_file());
        self.0.fetch_add(10, Ordering::SeqCst);
        Err(ReadError::new(Reason::Transcriber, "", "stopped"))
    }
}

/// A recogniser whose machine is not in order.
struct Broken;

impl Transcriber for Broken {
    fn name(&self) -> String {
        "broken".to_owned()
    }

    fn transcribe(&self, sound: &Recording<'_>, _: &Limits) -> Result<Transcript, ReadError> {
        let message = format!("no model in {}", sound.folder.display());
        Err(ReadError::new(Reason::Transcriber, "", message))
    }
}

fn by(hearer: impl Transcriber + Send + Sync + 'static) -> Hear {
    Arc::new(move |recording| {
        let channels = match recording.channels {
            [] => Channels::Auto,
            roles => Channels::Named(roles.to_vec()),
        };
        let request = Request {
            channels: &channels,
            language: recording.language,
            // In this process: what a test program prints about itself is no sound.
            helper: None,
            stop: Some(recording.stop),
            ..Request::new(Words::Heard(&hearer))
        };
        audio::read(recording.bytes, &Hints::default(), &request)
    })
}

fn hears(host: &Host, hear: Hear, callbacks: Arc<dyn Callbacks>) -> Bench {
    let resolver: Resolver = Arc::new(|_, _| Box::pin(async { Ok(vec![Ipv4Addr::LOCALHOST.into()]) }));
    let files = FileReader::with(guard(&[host.port]), resolver, helper(), limits()).expect("can be made");
    let files = Arc::new(files.hearing(hear));
    Bench::outside(sonometer_server::Limits::default(), callbacks, files)
}

/// The call, measured with all that a conversation has.
fn call(url: &str) -> Value {
    json!({
        "target": {"type": "protocol", "id": "affect", "version": "1.5"},
        "interaction": {"url": url, "channels": ROLES},
        "options": {"offsets": true},
        "v1_5": {
            "actant": {"primary": "customer", "analyze_flow": true},
            "temporal": {"analyze_dynamics": true, "window_seconds": 10},
        },
    })
}

#[track_caller]
fn job(bench: &Bench, answer: &Answer) -> Value {
    assert_eq!(answer.status, 202, "{}", answer.body);
    let path = answer.json()["poll_url"].as_str().expect("is text").to_owned();
    until(|| bench.get(&path).good("Job"), |job| job["status"] != "processing")
}

// covers: file.audio.job, file.audio.channels, file.audio.origin
#[test]
fn a_call_of_two_channels_becomes_a_reading_and_a_signed_callback() {
    let (host, receiver) = (Host::start(), Receiver::start(&[OK]));
    let resolver: Resolver = Arc::new(|_, _| Box::pin(async { Ok(vec![Ipv4Addr::LOCALHOST.into()]) }));
    let outbound = Outbound::with(guard(&[receiver.port]), resolver, Duration::from_secs(60));
    let transcript = captions();
    let bench = hears(&host, by(Knowing(transcript.clone())), Arc::new(outbound.expect("can be made")));
    let status = bench.get("/api/v1/status").good("Status");
    assert_eq!(status["supported_modalities"], json!(["text", "transcript", "audio", "document"]));
    // What was said, typed by somebody.
    let turn = |segment: &audio::Segment| {
        let start: Value = serde_json::from_str(&segment.start.to_string()).expect("is a number");
        json!({"role": segment.speaker, "content": segment.text, "timestamp": start})
    };
    let segments: Vec<Value> = transcript.segments.iter().map(turn).collect();
    let mut typed = call("");
    typed["interaction"] = json!({ "segments": segments });
    let expected = bench.post("/api/v1/sense", &typed);
    let reading = expected.good("Sense");
    assert_eq!(reading["temporal"]["trend"], "volatile", "{reading}");
    assert_eq!(reading["actant_flow"]["secondary_driven"][0], "negative", "{reading}");

    let url = host.put("/call.mp3", Page::file(sound("call.mp3")));
    let mut asked = call(&url);
    asked["callback"] = json!({"url": receiver.url()});
    asked["options"] = json!({"offsets": true, "origin": true});
    let answer = bench.post("/api/v1/sense", &asked);
    let ended = job(&bench, &answer);
    assert_eq!(ended["status"], "completed", "{ended}");
    let mut heard = ended["result"].clone();
    let origin = heard.as_object_mut().expect("is an object").remove("origin").expect("was asked for");
    assert_eq!(heard, reading, "heard or typed, it is the same");
    schema::check("Sense", &ended["result"]);
    let own = &origin["sound"];
    assert!(own["shown"].as_str().is_some_and(|shown| shown.contains("2 channels")), "{origin}");
    assert_eq!(own["heard_by"], "knowing");
    assert!(own["seconds"].as_f64().is_some_and(|seconds| (33.0..35.0).contains(&seconds)), "{origin}");
    assert_eq!(own["transcript_sha256"].as_str().map(str::len), Some(64));
    assert_eq!((&origin["kind"], &origin["modality"]), (&json!("audio"), &json!("audio")));
    let times: Vec<bool> = origin["places"]
        .as_array()
        .expect("is a list")
        .iter()
        .map(|place| place["time"].is_number())
        .collect();
    assert!(!times.is_empty() && times.iter().all(|is_number| *is_number), "{origin}");

    until(|| receiver.came().len(), |count| *count == 1);
    let (headers, told): (BTreeMap<String, String>, String) = receiver.came().remove(0);
    let secret = bench.runtime.block_on(bench.service.webhook_secret("acme")).expect("there is one");
    assert!(verified(&secret, &headers, &told));
    let told: Value = serde_json::from_str(&told).expect("is JSON");
    assert_eq!(told["data"]["result"], ended["result"]);
    // A caller does not wait for speech, and where there are no jobs it is said so.
    let check = json!({"target": asked["target"], "interaction": asked["interaction"]});
    let late = bench.post("/api/v1/fidelity/check", &check);
    late.is(413, "payload_too_large");
    assert_eq!(late.details()["reason"], "file_needs_job");
    bench.ledger_is_right();
}

// covers: file.audio.errors
#[test]
fn what_does_not_fit_costs_nothing_and_tells_nothing_of_the_machine() {
    let host = Host::start();
    let bench = hears(&host, by(Broken), Arc::new(NoCallbacks));
    let url = host.put("/call.mp3", Page::file(sound("call.mp3")));
    let text = host.put("/a.txt", Page::file(ONE));
    let failed = |interaction: Value| {
        let answer = bench.post(
            "/api/v1/sense",
            &json!({"target": {"type": "protocol", "id": "affect"}, "interaction": interaction}),
        );
        let ended = match answer.status {
            202 => job(&bench, &answer)["error"].clone(),
            _ => answer.json()["error"].clone(),
        };
        let of = |key: &str| ended["details"][key].as_str().unwrap_or_default().to_owned();
        (
            ended["code"].as_str().expect("is text").to_owned(),
            of("reason"),
            of("place"),
            ended["message"].to_string(),
        )
    };
    for (interaction, code, reason, place) in [
        (json!({"url": url}), "internal_error", "transcriber_failed", ""),
        (json!({"url": url, "channels": ["agent"]}), "invalid_request", "audio_request", "interaction.url"),
        (json!({"url": url, "channels": []}), "invalid_request", "", "interaction.channels"),
        (json!({"url": url, "channels": "agent"}), "invalid_request", "", "interaction.channels"),
        (json!({"url": url, "channels": ["agent", " "]}), "invalid_request", "", "interaction.channels"),
        (json!({"url": url, "type": "document"}), "invalid_request", "file_unsupported", "interaction.url"),
        (json!({"url": text, "type": "audio"}), "invalid_request", "file_unsupported", "interaction.url"),
    ] {
        let (told, why, at, message) = failed(interaction.clone());
        assert_eq!(
            (told.as_str(), why.as_str(), at.as_str()),
            (code, reason, place),
            "{interaction}: {message}"
        );
        assert!(!message.contains("model") && !message.contains("sonometer-sound"), "{message}");
    }
    // A target that does not read recordings: told before anything is fetched.
    let asked = host.asked();
    bench.publish("acme", &crate::file_host::paper());
    let answer = bench.post(
        "/api/v1/sense",
        &json!({"target": target("paper"), "interaction": {"url": url, "type": "audio"}}),
    );
    answer.is(400, "invalid_request");
    assert_eq!((answer.details()["reason"].clone(), host.asked()), (json!("modality_not_supported"), asked));
    assert_eq!(bench.used(sonometer_service::Mode::Test), 0);
    bench.ledger_is_right();
    // Where nothing hears, a recording is refused by its content too.
    let deaf = reads(&[host.port], limits(), Arc::new(NoCallbacks));
    let short = host.put("/short.wav", Page::file(sound("sentence-mulaw.wav")));
    let answer = deaf.post(
        "/api/v1/sense",
        &json!({"target": {"type": "protocol", "id": "affect"}, "interaction": {"url": short}}),
    );
    answer.is(400, "invalid_request");
    assert_eq!(answer.details()["reason"], "audio_not_supported");
}

// covers: file.audio.stop
#[test]
fn a_job_that_is_cancelled_ends_the_recogniser() {
    let host = Host::start();
    let count = Arc::new(AtomicUsize::new(0));
    let bench = hears(&host, by(Endless(count.clone())), Arc::new(NoCallbacks));
    let url = host.put("/call.mp3", Page::file(sound("call.mp3")));
    let answer = bench.post("/api/v1/sense", &call(&url));
    assert_eq!(answer.status, 202, "{}", answer.body);
    until(|| count.load(Ordering::SeqCst), |begun| *begun == 1);
    let path = answer.json()["poll_url"].as_str().expect("is text").to_owned();
    let bearer = format!("Bearer {}", bench.test);
    bench.send("DELETE", &path, &[("Authorization", &bearer)], b"").good("Job");
    // Within a sign of life of the worker; what it wrote goes with it.
    until(|| count.load(Ordering::SeqCst), |ended| *ended == 11);
    assert_eq!(bench.used(sonometer_service::Mode::Test), 0);
    bench.ledger_is_right();
}
