//! whisper.cpp in this process, by models that are made here: what they say is known, so what is tested is all that lies between.

use super::bytes;
use super::hostile::wav;
use super::whisper_maker::{Say, Tongues, model};
use sonometer::Unit;
use sonometer_ingest::audio::{Request, Transcript, Whisper, Words, read};
use sonometer_ingest::{Hints, ReadError, Reason};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A model file for the time of one test.
struct Kept(PathBuf);

impl Kept {
    fn new(model: &[u8]) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("ggml-made-{}-{number}.bin", std::process::id()));
        std::fs::write(&path, model).expect("can be written");
        Self(path)
    }

    /// One thread: several of whisper.cpp wait for each other at full speed, which takes long where other tests run beside.
    fn whisper(&self) -> Whisper {
        Whisper::new(&self.0, 1)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).expect("was written");
    }
}

fn heard(whisper: &Whisper, language: Option<&str>) -> Result<(Transcript, String, Unit), ReadError> {
    let request = Request { language, ..Request::new(Words::Heard(whisper)) };
    let sound = read(&bytes("sentence.wav"), &Hints::default(), &request)?.sound.expect("is a recording");
    Ok((sound.transcript, sound.heard_by, sound.seconds))
}

fn refusal(model: &Path) -> String {
    let failure = heard(&Whisper::new(model, 1), None).expect_err("is no model");
    assert_eq!(failure.reason, Reason::Transcriber, "{failure}");
    let said = failure.to_string();
    assert!(
        said.contains(&*model.to_string_lossy()) && said.contains("give a model file of whisper.cpp"),
        "{said}"
    );
    said
}

const SURE: f32 = 4.0;
const UNSURE: f32 = 2.5;

/// "I am so sorry for this.", until one and a half seconds.
fn sentence() -> Vec<(Say, f32)> {
    let mut says = vec![(Say::Begin, SURE)];
    for (text, weight) in [
        (" I", SURE),
        (" am", SURE),
        (" so", UNSURE),
        (" sor", SURE),
        ("ry", UNSURE),
        (" for", SURE),
        (" this", SURE),
        (".", SURE),
    ] {
        says.push((Say::Text(text.as_bytes()), weight));
    }
    says.push((Say::Time(75), SURE));
    says
}

#[test]
fn words_come_with_times_and_confidence() {
    for tongues in [Tongues::All, Tongues::English] {
        let kept = Kept::new(&model(tongues, &sentence()));
        let whisper = kept.whisper();
        let (transcript, by, seconds) = heard(&whisper, None).expect("is heard");
        println!("{}", transcript.to_json());
        assert_eq!(
            by,
            format!("whisper.cpp ({})", kept.0.file_name().expect("has a name").to_string_lossy())
        );
        let [segment] = &transcript.segments[..] else { panic!("{} segments", transcript.segments.len()) };
        assert_eq!((segment.start, segment.end), (Unit::ZERO, Some(Unit(1_500_000))));
        // Neither the marks of begin, time and end are text, nor what is said of the language.
        assert_eq!(segment.text, "I am so sorry for this.");
        let words: Vec<&str> = segment.words.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(words, ["I", "am", "so", "sorry", "for", "this."]);
        let mut last = Unit::ZERO;
        for word in &segment.words {
            assert!(last <= word.start && word.start <= word.end && word.end <= seconds, "{word:?}");
            last = word.start;
        }
        assert!(segment.words[5].end > Unit(1_000_000), "the words are spread over the sentence");
        let sure: Vec<i64> = segment.words.iter().map(|word| word.confidence.expect("is given").0).collect();
        assert!(sure.iter().all(|sure| (1..=1_000_000).contains(sure)), "{sure:?}");
        assert!(sure[1] > 990_000 && sure[2] < 980_000 && sure[3] < sure[1], "{sure:?}");
        let all = segment.confidence.expect("that of its words").0;
        assert!((sure[2]..=sure[1]).contains(&all), "{all}");
        // The same model, kept or read again, hears the same.
        assert_eq!(heard(&whisper, None).expect("is heard").0, transcript);
        assert_eq!(heard(&kept.whisper(), Some("en-US")).expect("is heard").0, transcript);
    }
}

#[test]
fn a_character_may_be_parted_among_tokens_and_a_sound_among_segments() {
    let says = [
        Say::Begin,
        Say::Text(b" caf"),
        Say::Text(b"\xc3"),
        Say::Text(b"\xa9"),
        Say::Time(30),
        Say::Time(40),
        Say::Text(b" \xe2\x82"),
        Say::Text(b"\xac"),
        Say::Text(b"5"),
        Say::Time(75),
    ];
    let kept = Kept::new(&model(Tongues::All, &says.map(|say| (say, SURE))));
    let (transcript, ..) = heard(&kept.whisper(), Some("pt-BR")).expect("is heard");
    println!("{}", transcript.to_json());
    let told: Vec<(i64, i64, &str, Vec<&str>)> = transcript
        .segments
        .iter()
        .map(|segment| {
            let words = segment.words.iter().map(|word| word.text.as_str()).collect();
            (segment.start.0, segment.end.expect("is known").0, segment.text.as_str(), words)
        })
        .collect();
    // whisper.cpp lets what follows begin where the segment before ended, though the model says 0.8.
    let expected = [(0, 600_000, "café", vec!["café"]), (600_000, 1_500_000, "€5", vec!["€5"])];
    assert_eq!(told, expected);
}

#[test]
fn times_end_with_the_sound() {
    let mut says = sentence();
    says.pop();
    // The model is sure that somebody speaks until 28 seconds.
    says.push((Say::Time(1_400), SURE));
    let kept = Kept::new(&model(Tongues::English, &says));
    let (transcript, _, seconds) = heard(&kept.whisper(), None).expect("is heard");
    assert!(transcript.segments.iter().all(|segment| segment.end <= Some(seconds)), "{transcript:?}");
    assert!(transcript.segments.iter().flat_map(|segment| &segment.words).all(|word| word.end <= seconds));
    assert_eq!(transcript.segments[0].end, Some(seconds));
}

#[test]
fn languages_that_a_model_does_not_know_are_refused() {
    let kept = Kept::new(&model(Tongues::English, &sentence()));
    let refusal = |whisper: &Whisper, language: &str| {
        let failure = heard(whisper, Some(language)).expect_err("is unknown");
        assert_eq!((failure.reason, failure.error.place.as_str()), (Reason::Hint, "language"), "{failure}");
        failure.to_string()
    };
    let whisper = kept.whisper();
    assert!(refusal(&whisper, "de").contains("English only"));
    for unknown in ["xx", "", "e\0n", "-", "../en"] {
        let said = refusal(&whisper, unknown);
        assert!(said.contains("does not support the language"), "{unknown}: {said}");
    }
}

#[test]
fn files_that_are_no_models_are_refused_before_whisper_sees_them() {
    let folder = std::env::temp_dir();
    assert!(refusal(&folder.join("no-such-model.bin")).contains("cannot be read"));
    assert!(refusal(&folder).contains("is not a file"));
    let said = |file: &[u8]| refusal(&Kept::new(file).0);
    assert!(said(b"").contains("is cut off"));
    assert!(said(b"lmgg").contains("is cut off"));
    assert!(said(b"GGUF\x03\0\0\0").contains("GGUF"));
    assert!(said(b"PK\x03\x04and so on").contains("PyTorch"));
    assert!(said(&bytes("sentence.wav")).contains("is not a whisper.cpp model"));
    let noise: Vec<u8> = (0..50_000_u32).map(|n| ((n * 7_919) >> 3) as u8).collect();
    assert!(said(&[b"lmgg", &noise[..]].concat()).contains("is broken"));
    let whole = model(Tongues::English, &sentence());
    // Everywhere: in the head, the filters, the words, the names of tensors and their weights.
    let places =
        (4..120).step_by(7).chain((120..whole.len()).step_by(60_013)).chain(whole.len() - 3..whole.len());
    for at in places {
        assert!(said(&whole[..at]).contains("is cut off"), "at {at} of {}", whole.len());
    }
    let head = 4 * 12;
    let words = head + 8 + 4 * 80 * 201;
    let changed = |at: usize, number: i32| {
        let mut file = whole.clone();
        file[at..at + 4].copy_from_slice(&number.to_le_bytes());
        file
    };
    // Numbers of the head and the filters, how many words, how long the first is.
    for at in (4..head + 8).step_by(4).chain([words, words + 4]) {
        for number in [-1, i32::MIN, i32::MAX, 7_777_777] {
            let said = said(&changed(at, number));
            println!("{at}: {said}");
            assert!(
                said.contains("is broken") || said.contains("is cut off") || said.contains("form"),
                "{at}: {said}"
            );
        }
    }
    // Weights of 32 bits, and one tensor twice.
    assert!(said(&changed(head - 4, 0)).contains("in a form"));
    let first = whole.windows(7).position(|part| part == b"encoder").expect("is there") - 5 * 4;
    let length = 5 * 4 + b"encoder.positional_embedding".len() + 4 * 32 * 1_500;
    let twice = [&whole[..], &whole[first..first + length]].concat();
    assert!(said(&twice).contains("is there twice"));
    let fewer = [&whole[..first], &whole[first + length..]].concat();
    assert!(said(&fewer).contains("tensors"));
}

#[test]
fn heads_that_were_changed_end_no_process() {
    let whole = model(Tongues::English, &sentence());
    let mut heard_anyway = 0;
    for at in 0..4 * 12 {
        for change in [1, 2, 3, 0x80] {
            let mut file = whole.clone();
            file[at] ^= change;
            match heard(&Kept::new(&file).whisper(), None) {
                Ok(_) => heard_anyway += 1,
                Err(failure) => assert_eq!(failure.reason, Reason::Transcriber, "{at}: {failure}"),
            }
        }
    }
    // Other numbers of heads are as good where nothing is looked at.
    assert!(heard_anyway < 20, "{heard_anyway}");
}

/// A model that finds no end, and minutes of noise.
fn endless() -> (Kept, Vec<u8>) {
    let mut state = 1_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 18) as i16
    };
    let samples: Vec<i16> = (0..16_000 * 600).map(|_| noise()).collect();
    (Kept::new(&model(Tongues::All, &[])), wav(1, 16_000, &samples))
}

#[test]
fn it_ends_when_time_is_over_or_nobody_waits() {
    let (kept, sound) = endless();
    let begun = Instant::now();
    let slow = kept.whisper().within(1);
    let failure =
        read(&sound, &Hints::default(), &Request::new(Words::Heard(&slow))).expect_err("takes long");
    assert_eq!(failure.reason, Reason::Transcriber, "{failure}");
    assert!(failure.to_string().contains("longer than 1 seconds"), "{failure}");
    assert!(begun.elapsed() > Duration::from_secs(1));
    println!("time was over after {:?}", begun.elapsed());
    let stop = AtomicBool::new(false);
    let whisper = kept.whisper();
    let (failure, after) = std::thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            // As long as it is decoded it ends otherwise.
            std::thread::sleep(Duration::from_secs(8));
            stop.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let request = Request { stop: Some(&stop), ..Request::new(Words::Heard(&whisper)) };
        let failure = read(&sound, &Hints::default(), &request).expect_err("is stopped");
        let ended = Instant::now();
        (failure, ended.saturating_duration_since(waiter.join().expect("does not panic")))
    });
    println!("stopped after {after:?}");
    assert_eq!(failure.reason, Reason::Transcriber, "{failure}");
    assert!(failure.to_string().contains("was cancelled"), "{failure}");
    assert!(after < Duration::from_secs(30), "{after:?}");
}
