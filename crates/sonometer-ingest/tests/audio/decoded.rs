//! One sentence in every container and codec: the same length and the same loudness, tenth by tenth of a second.

use super::{Ear, bytes};
use sonometer::Unit;
use sonometer_ingest::audio::{Channels, Request, Segment, Transcript, Words, read};
use sonometer_ingest::{Hints, Ingested};

pub(crate) fn word() -> Transcript {
    let segment = Segment { text: "sorry".into(), start: Unit(100_000), ..Segment::default() };
    Transcript { segments: vec![segment] }
}

/// The samples a recogniser gets, and what was read.
pub(crate) fn samples(bytes: &[u8], channels: &Channels) -> (Vec<Vec<i16>>, Ingested) {
    let ear = Ear { hears: vec![word()], ..Ear::default() };
    let request = Request { channels, ..Request::new(Words::Heard(&ear)) };
    let read = read(bytes, &Hints::default(), &request).unwrap_or_else(|failure| panic!("{failure}"));
    (ear.got.into_inner().expect("nobody panicked"), read)
}

/// The loudness of each tenth of a second.
fn loudness(samples: &[i16]) -> Vec<f64> {
    let strength = |part: &[i16]| {
        let sum: f64 = part.iter().map(|sample| f64::from(*sample).powi(2)).sum();
        (sum / part.len() as f64).sqrt()
    };
    samples.chunks(1_600).map(strength).collect()
}

/// How alike two sounds are, at most 1.
fn cosine(one: &[i16], other: &[i16]) -> f64 {
    let sum =
        |a: &[i16], b: &[i16]| -> f64 { a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum() };
    sum(one, other) / (sum(one, one) * sum(other, other)).sqrt()
}

/// By how many samples `other` comes later than `one`, at most so many.
fn shift(one: &[i16], other: &[i16], most: usize) -> usize {
    let alike =
        |by: usize| -> f64 { one.iter().zip(&other[by..]).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum() };
    (0..=most).max_by(|a, b| alike(*a).total_cmp(&alike(*b))).unwrap_or(0)
}

#[test]
fn one_sentence_sounds_the_same_in_every_form() {
    let (wanted, read) = samples(&bytes("sentence.wav"), &Channels::Auto);
    let wanted = &wanted[0];
    assert_eq!(read.sound.expect("is a recording").shown, "pcm_s16le, 16000 Hz, 1 channel");
    let loud = loudness(wanted);
    let most = loud.iter().copied().fold(0.0, f64::max);
    // The name; what it is; the samples that its encoder may put in front, and behind.
    for (name, shown, before, behind) in [
        ("sentence.flac", "flac, 16000 Hz, 1 channel", 0, 0),
        ("sentence.mp3", "mp3, 16000 Hz, 1 channel", 1_200, 1_300),
        ("sentence.ogg", "vorbis, 16000 Hz, 1 channel", 0, 0),
        ("sentence.m4a", "aac, 16000 Hz, 1 channel", 1_100, 2_100),
        ("sentence.aac", "aac, 16000 Hz, 1 channel", 1_100, 2_100),
        ("sentence.opus", "opus, 48000 Hz, 1 channel", 3, 3),
        ("sentence.webm", "opus, 48000 Hz, 1 channel", 3, 400),
        ("sentence-mulaw.wav", "pcm_mulaw, 8000 Hz, 1 channel", 3, 3),
        ("sentence.aiff", "pcm_s16be, 11025 Hz, 1 channel", 3, 3),
    ] {
        let (got, read) = samples(&bytes(name), &Channels::Auto);
        let got = &got[0];
        assert_eq!(read.sound.expect("is a recording").shown, shown, "{name}");
        let late = shift(wanted, got, before.min(got.len() - 1));
        let more = got.len() as i64 - wanted.len() as i64;
        println!("{name}: {late} samples late, {more} more");
        assert!((-3..=behind as i64).contains(&more), "{name}: {more} samples more");
        let mut loose = 0;
        for (at, (own, wanted)) in loudness(&got[late..]).iter().zip(&loud).enumerate() {
            // The last part is short, and lossy codecs do as they like with what is nearly silent.
            let tolerance = 0.12 * wanted + 0.03 * most;
            // What lies above half the rate of the file is not in it.
            let lacks = name.contains("mulaw") || name.contains("aiff");
            let is_weaker = lacks && own < wanted;
            if at + 1 < loud.len() && (own - wanted).abs() > tolerance && !is_weaker {
                loose += 1;
                assert!((own - wanted).abs() < 0.4 * wanted, "{name}, tenth {at}: {own} for {wanted}");
            }
        }
        let alike = cosine(wanted, &got[late..]);
        println!("{name}: alike by {alike:.4}");
        assert!(alike > 0.9, "{name}: alike by {alike}");
        // The encoder of AAC made one tenth louder; ffmpeg decodes it as loud.
        assert!(loose <= 1, "{name}: {loose} tenths");
    }
}

#[test]
fn damage_keeps_the_time_and_is_told() {
    let whole = bytes("call.mp3");
    let (wanted, _) = samples(&whole, &Channels::Mixed);
    let mut damaged = whole.clone();
    // Two of some thousand frames.
    damaged[60_000..60_150].fill(0);
    let (got, read) = samples(&damaged, &Channels::Mixed);
    let apart = got[0].len() as i64 - wanted[0].len() as i64;
    println!("{apart} samples apart; {:?}", read.notes);
    assert!(apart.abs() < 16_000 / 4, "{apart}");
    let cut = &whole[..whole.len() / 2];
    let (got, _) = samples(cut, &Channels::Mixed);
    assert!(got[0].len() * 2 > wanted[0].len() * 9 / 10, "{}", got[0].len());
}

#[test]
fn channels_are_told_apart_mixed_and_named() {
    let call = bytes("call.mp3");
    let roles = |read: &Ingested| -> Vec<String> {
        read.interaction
            .turns()
            .iter()
            .map(|turn| turn.role.as_deref().unwrap_or_default().to_owned())
            .collect()
    };
    let (got, read) = samples(&call, &Channels::Auto);
    assert_eq!((got.len(), roles(&read)), (2, vec!["channel-1".to_owned()]));
    // The agent speaks first, and the customer at ten seconds.
    let power = |samples: &[i16]| -> f64 { samples.iter().map(|s| f64::from(*s).powi(2)).sum() };
    let (first, second) = (16_000..64_000, 176_000..208_000);
    assert!(power(&got[0][first.clone()]) > 1_000.0 * power(&got[1][first]));
    assert!(power(&got[1][second.clone()]) > 1_000.0 * power(&got[0][second]));
    let (got, read) = samples(&call, &Channels::Mixed);
    assert_eq!((got.len(), roles(&read)), (1, vec!["speaker".to_owned()]));
    let (_, read) = samples(&call, &Channels::named(["agent", "customer"]));
    assert_eq!(roles(&read), ["agent"]);
    // Twice the same channel is one speaker.
    let (mono, _) = samples(&bytes("sentence.wav"), &Channels::Auto);
    let both: Vec<i16> = mono[0].iter().flat_map(|sample| [*sample, *sample]).collect();
    let double = super::hostile::wav(2, 16_000, &both);
    let (got, read) = samples(&double, &Channels::Auto);
    assert_eq!((got.len(), got[0] == mono[0]), (1, true));
    assert!(read.notes[0].contains("nearly the same sound"), "{:?}", read.notes);
    // A silent channel is not heard: recognisers make up words in silence.
    let left: Vec<i16> = mono[0].iter().flat_map(|sample| [*sample, 0]).collect();
    let (got, read) = samples(&super::hostile::wav(2, 16_000, &left), &Channels::Auto);
    assert_eq!((got.len(), read.notes[0].as_str()), (1, "channel 2 is silent"));
}
