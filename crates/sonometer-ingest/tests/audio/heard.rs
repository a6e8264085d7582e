//! From sound to words, by programs.

use super::bytes;
use sonometer_ingest::audio::{Channels, External, PocketSphinx, Request, Transcriber, Words, read};
use sonometer_ingest::{Hints, Ingested, ReadError, Reason};
use std::time::{Duration, Instant};

fn by(transcriber: &dyn Transcriber, recording: &str) -> Result<Ingested, ReadError> {
    let channels =
        if recording == "call.mp3" { Channels::named(["agent", "customer"]) } else { Channels::Auto };
    let request = Request { channels: &channels, ..Request::new(Words::Heard(transcriber)) };
    read(&bytes(recording), &Hints::default(), &request)
}

/// A shell script as a recogniser.
fn script(script: &str) -> External {
    External::new(&format!("sh -c '{script}' asr {{wav}} {{channel}} {{folder}}")).expect("is sound")
}

#[cfg(unix)]
#[test]
fn a_program_hears_each_channel() {
    // What it prints depends on the channel; that it is written into the folder goes before.
    let transcriber = script(
        r#"test -s "$1" || exit 3; case "$2" in 1) a="Good morning." b=1;; *) a="Hi there." b=3;; esac
           echo "[{\"start\": $b, \"end\": 4, \"text\": \"$a\", \"confidence\": 0.$b}]" > "$3/heard.json""#,
    );
    let read = by(&transcriber, "call.mp3").expect("is heard");
    let turns: Vec<(&str, &str)> = read
        .interaction
        .turns()
        .iter()
        .map(|turn| (turn.role.as_deref().unwrap_or_default(), &*turn.content))
        .collect();
    assert_eq!(turns, [("agent", "Good morning."), ("customer", "Hi there.")]);
    assert_eq!(read.place(1, 0).expect("has a place").to_string(), "channel 2, 00:00:03–00:00:04");
    let sound = read.sound.expect("is a recording");
    assert_eq!(sound.heard_by, "sh");
    assert_eq!(sound.transcript.confidence().expect("is given").to_string(), "0.181818");
}

#[cfg(unix)]
#[test]
fn programs_that_fail_say_why() {
    let refusal = |transcriber: &External| {
        let failure = by(transcriber, "sentence.opus").expect_err("fails");
        assert_eq!(failure.reason, Reason::Transcriber, "{failure}");
        failure.to_string()
    };
    let printing = |text: &str| External::new(&format!("sh -c \"{text}\" asr {{wav}}")).expect("is sound");
    assert!(
        refusal(&printing("echo the model is missing >&2; exit 4"))
            .contains("it printed: the model is missing")
    );
    assert!(refusal(&printing("kill -SEGV $$")).contains("failed"));
    assert!(refusal(&printing("echo no transcript")).contains("printed"));
    assert!(refusal(&printing("echo '{'")).contains("not valid JSON"));
    assert!(refusal(&script("true")).contains("no .json, .vtt or .srt"));
    assert!(refusal(&External::new("/no/such/asr {wav}").expect("is sound")).contains("cannot be started"));
    let begun = Instant::now();
    // Neither what it starts itself nor what it prints without end outlives its time.
    let slow = printing("sleep 600 & sleep 600").within(1);
    assert!(refusal(&slow).contains("longer than 1 seconds"));
    let silent = printing("exec >&-; sleep 600").within(5);
    assert!(refusal(&silent).contains("did not exit"));
    assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", begun.elapsed());
    let failure = by(&printing("yes 0123456789"), "sentence.opus").expect_err("prints without end");
    assert_eq!(failure.reason, Reason::TooLarge, "{failure}");
    let failure = by(&printing(":"), "sentence.opus").expect_err("prints nothing");
    assert_eq!(failure.reason, Reason::NoText, "{failure}");
    let languages = External::new("asr {wav} {language}").expect("is sound");
    assert!(
        by(&languages, "sentence.opus").expect_err("has no language").to_string().contains("such as `en`")
    );
}

#[cfg(unix)]
#[test]
fn nothing_is_left_behind() {
    let ours = || -> usize {
        let name = format!("sonometer-sound-{}-", std::process::id());
        let entries = std::fs::read_dir(std::env::temp_dir()).expect("is there");
        entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(&name)).count()
    };
    let fails = External::new("sh -c 'exit 1' asr {wav}").expect("is sound");
    for _ in 0..3 {
        by(&fails, "sentence.opus").expect_err("fails");
    }
    // Other tests of this process have theirs at work meanwhile.
    let end = Instant::now() + Duration::from_secs(60);
    while ours() > 8 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(ours() <= 8, "{} folders are left", ours());
}

#[test]
#[ignore = "needs PocketSphinx: tests/pocketsphinx.sh"]
fn pocketsphinx_hears_words_with_their_times() {
    let read = by(&PocketSphinx::new(None), "call.mp3").expect("is heard");
    let turns = read.interaction.turns();
    println!("{turns:#?}");
    let roles: Vec<&str> = turns.iter().filter_map(|turn| turn.role.as_deref()).collect();
    assert!(roles.contains(&"agent") && roles.contains(&"customer"), "{roles:?}");
    assert!(roles[0] == "agent", "{roles:?}");
    // The agent begins at 0 s, the customer at 10 s, the agent again at 20 s, the customer at 30 s.
    for turn in turns {
        let at = turn.timestamp.expect("has a time").0 / 1_000_000;
        let wanted = if (0..9).contains(&at) || (19..29).contains(&at) { "agent" } else { "customer" };
        assert_eq!(turn.role.as_deref(), Some(wanted), "at {at} s");
    }
    assert!(read.map.pieces().iter().all(|piece| piece.confidence.is_some() && !piece.words.is_empty()));
    assert_eq!(read.sound.expect("is a recording").heard_by, "pocketsphinx");
}
