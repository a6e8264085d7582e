//! Recordings made to harm: each ends in a clear error, within limits that are counts.

use super::bytes;
use proptest::prelude::*;
use sonometer_ingest::audio::{Channels, Request, Words, read};
use sonometer_ingest::{Hints, Kind, Limits, ReadError, Reason, apart};

/// A WAV file of 16 bits.
pub(crate) fn wav(channels: u16, rate: u32, samples: &[i16]) -> Vec<u8> {
    let data: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    form(channels, rate, 16, &data)
}

fn form(channels: u16, rate: u32, bits: u16, data: &[u8]) -> Vec<u8> {
    let block = channels.wrapping_mul(bits / 8);
    let mut file = b"RIFF".to_vec();
    file.extend((36 + data.len() as u32).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0");
    file.extend(channels.to_le_bytes());
    file.extend(rate.to_le_bytes());
    file.extend(rate.wrapping_mul(block.into()).to_le_bytes());
    file.extend(block.to_le_bytes());
    file.extend(bits.to_le_bytes());
    file.extend(b"data");
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(data);
    file
}

fn limits() -> Limits {
    Limits { audio_bytes: 1 << 20, audio_seconds: 120, channels: 4, paragraphs: 1_000, ..Limits::default() }
}

const GIVEN: &[u8] = b"WEBVTT\n\n00:00.000 --> 00:01.000\nHello.\n";

fn given(bytes: &[u8], kind: Option<Kind>) -> Result<sonometer_ingest::Ingested, ReadError> {
    let budget = apart::Budget { limits: limits(), ..apart::Budget::default() };
    let request = Request { budget, ..Request::new(Words::Given(GIVEN)) };
    read(bytes, &Hints { kind, ..Hints::default() }, &request)
}

fn changed(name: &str, at: usize, with: &[u8]) -> Vec<u8> {
    let mut file = bytes(name);
    file[at..at + with.len()].copy_from_slice(with);
    file
}

/// What it is, the file, what it is said to be, and the reasons that may be given.
type Case = (&'static str, Vec<u8>, Option<Kind>, &'static [Reason]);

#[test]
fn each_ends_in_a_clear_error() {
    use Reason::{Broken, NoText, TooLarge, Unsupported};
    let find =
        |file: &[u8], what: &[u8]| file.windows(what.len()).position(|part| part == what).expect("is there");
    let m4a = bytes("sentence.m4a");
    let moov = find(&m4a, b"moov");
    let opus_head = find(&bytes("sentence.opus"), b"OpusHead");
    let vorbis_head = find(&bytes("sentence.ogg"), b"\x01vorbis");
    let samples = vec![0; 64];
    let long = wav(1, 1, &vec![100; 200]);
    let cases: Vec<Case> = vec![
        ("nothing", vec![], None, &[NoText]),
        ("zero bytes", vec![0; 5_000], Some(Kind::Audio), &[Broken, Unsupported]),
        (
            "noise",
            (0..5_000_u32).map(|n| ((n * 7_919) >> 3) as u8).collect(),
            Some(Kind::Audio),
            &[Broken, Unsupported],
        ),
        ("a text", b"Good morning.".to_vec(), None, &[Unsupported]),
        ("a text said to be sound", b"Good morning.".to_vec(), Some(Kind::Audio), &[Broken, Unsupported]),
        ("too many bytes", wav(1, 16_000, &vec![0; 600_000]), None, &[TooLarge]),
        ("a WAV head alone", wav(1, 16_000, &[])[..36].to_vec(), None, &[Broken, Unsupported, NoText]),
        ("a WAV without samples", wav(1, 16_000, &[]), None, &[Broken, NoText]),
        ("no channels", wav(0, 16_000, &samples), None, &[Broken, Unsupported, NoText]),
        ("too many channels", wav(9, 16_000, &vec![0; 900]), None, &[TooLarge, Broken, Unsupported]),
        (
            "all channels there can be",
            wav(u16::MAX, 16_000, &samples),
            None,
            &[Broken, Unsupported, NoText, TooLarge],
        ),
        ("no samples a second", wav(1, 0, &samples), None, &[Broken, Unsupported]),
        ("four thousand million samples a second", wav(1, u32::MAX, &samples), None, &[Broken, Unsupported]),
        ("no bits", form(1, 16_000, 0, &[1; 64]), None, &[Broken, Unsupported, NoText]),
        ("odd bits", form(1, 16_000, 65_535, &[1; 64]), None, &[Broken, Unsupported, NoText]),
        ("too many seconds", long, None, &[TooLarge]),
        (
            "a WAV of an unknown codec",
            {
                let mut w = wav(1, 16_000, &samples);
                w[20] = 0x99;
                w
            },
            None,
            &[Unsupported, Broken],
        ),
        ("RIFF of another kind", b"RIFF\x04\0\0\0AVI ".to_vec(), Some(Kind::Audio), &[Broken, Unsupported]),
        ("an ID3 tag alone", b"ID3\x04\0\0\0\0\0\x0atitle".to_vec(), None, &[Broken, Unsupported]),
        (
            "an ID3 tag as long as can be",
            b"ID3\x04\0\0\x7f\x7f\x7f\x7f\0\0".to_vec(),
            None,
            &[Broken, Unsupported],
        ),
        ("an MP3 frame alone", b"\xff\xfb\x90\x00".to_vec(), None, &[Broken, Unsupported, NoText]),
        ("FLAC without its head", b"fLaC\0\0\0\x22".to_vec(), None, &[Broken, Unsupported]),
        (
            "FLAC of noise",
            [&bytes("sentence.flac")[..60], &[0x55; 3_000]].concat(),
            None,
            &[Broken, Unsupported, NoText],
        ),
        (
            "an Ogg page of nothing",
            b"OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0".to_vec(),
            None,
            &[Broken, Unsupported, NoText],
        ),
        (
            "Opus with no channels",
            changed("sentence.opus", opus_head + 9, &[0]),
            None,
            &[Broken, Unsupported, NoText],
        ),
        (
            "Vorbis with no channels",
            changed("sentence.ogg", vorbis_head + 11, &[0]),
            None,
            &[Broken, Unsupported, NoText],
        ),
        ("an M4A without its index", m4a[..moov - 4].to_vec(), None, &[Broken, Unsupported, NoText]),
        ("an M4A whose index is cut off", m4a[..moov + 40].to_vec(), None, &[Broken, Unsupported, NoText]),
        (
            "an M4A of boxes in boxes",
            [b"\0\0\0\x10ftypM4A \0\0\0\0".as_slice(), &b"\0\0\xff\xffmoov".repeat(2_000)].concat(),
            None,
            &[Broken, Unsupported, NoText],
        ),
        (
            "a picture that looks like M4A",
            b"\0\0\0\x18ftypheic\0\0\0\0heicmif1".to_vec(),
            None,
            &[Broken, Unsupported, NoText],
        ),
        ("a WebM head alone", bytes("sentence.webm")[..80].to_vec(), None, &[Broken, Unsupported, NoText]),
        (
            "a WebM of endless length",
            [b"\x1aE\xdf\xa3\x01\xff\xff\xff\xff\xff\xff\xfe".as_slice(), &[0xec; 100]].concat(),
            None,
            &[Broken, Unsupported, NoText],
        ),
        ("an AIFF without sound", b"FORM\0\0\0\x04AIFF".to_vec(), None, &[Broken, Unsupported, NoText]),
    ];
    assert!(cases.len() >= 30);
    for (name, bytes, kind, reasons) in cases {
        let failure = match given(&bytes, kind) {
            Ok(read) => panic!("{name}: read as {:?}", read.sound.map(|sound| sound.shown)),
            Err(failure) => failure,
        };
        println!("{name}: {failure}");
        assert!(reasons.contains(&failure.reason), "{name}: {:?}: {failure}", failure.reason);
        // The reader of WAV panics here; that is caught, and of no harm in a process apart.
        let may_panic = name == "all channels there can be";
        assert!(
            may_panic || !failure.error.message.contains("damaged and cannot be read"),
            "{name}: a panic"
        );
        assert!(
            failure.error.message.contains("; ") || failure.error.message.contains(", so "),
            "{name}: {failure}"
        );
    }
}

#[test]
fn what_goes_on_and_on_ends_at_the_limit_of_seconds() {
    // Its frames stand for themselves: forty times the file is a recording of 68 seconds.
    let many = bytes("sentence.aac").repeat(40);
    let sound = given(&many, None).expect("is short enough").sound.expect("is a recording");
    assert!((sound.seconds.0 / 1_000_000 - 70).abs() < 5, "{}", sound.seconds);
    let budget =
        apart::Budget { limits: Limits { audio_seconds: 10, ..limits() }, ..apart::Budget::default() };
    let request = Request { budget, ..Request::new(Words::Given(GIVEN)) };
    let failure = read(&many, &Hints::default(), &request).expect_err("is too long");
    assert_eq!(failure.reason, Reason::TooLarge, "{failure}");
}

/// A recogniser is not asked about silence, so what is said of it is not that it recognised nothing.
#[test]
fn a_silent_recording_is_said_to_be_silent() {
    let ear = super::Ear::default();
    let request = Request::new(Words::Heard(&ear));
    let failure = read(&wav(1, 16_000, &[0; 16_000]), &Hints::default(), &request).expect_err("has no words");
    assert_eq!(failure.reason, Reason::NoText);
    assert!(failure.to_string().contains("the recording is silent"), "{failure}");
}

#[test]
fn hints_that_do_not_fit_are_refused() {
    let sentence = bytes("sentence.opus");
    let refusal =
        |hints: Hints, request: Request<'_>| read(&sentence, &hints, &request).expect_err("does not fit");
    let request = Request::new(Words::Given(GIVEN));
    let failure = refusal(Hints { turns: true, ..Hints::default() }, request);
    assert_eq!(failure.reason, Reason::Hint);
    let two = Channels::named(["agent", "customer"]);
    let ear = super::Ear::default();
    let failure = refusal(Hints::default(), Request { channels: &two, ..Request::new(Words::Heard(&ear)) });
    assert!(failure.to_string().contains("1 channel, but 2 are named"), "{failure}");
    let failure = refusal(Hints::default(), Request { channels: &two, ..request });
    assert!(failure.to_string().contains("does not distinguish channels"), "{failure}");
    let failure = refusal(Hints::default(), Request::new(Words::Heard(&ear)));
    assert_eq!(failure.reason, Reason::NoText);
    assert!(failure.to_string().contains("recognised no words"), "{failure}");
    let failure = sonometer_ingest::read(&sentence, &Hints::default()).expect_err("has no words");
    assert!(failure.to_string().contains("recogniser"), "{failure}");
}

fn cases() -> u32 {
    std::env::var("SONOMETER_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(48)
}

const FILES: [&str; 9] = [
    "sentence.wav",
    "sentence.mp3",
    "sentence.flac",
    "sentence.ogg",
    "sentence.m4a",
    "sentence.aac",
    "sentence.opus",
    "sentence.webm",
    "sentence.aiff",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn our_recordings_with_other_bytes(
        at in 0..FILES.len(),
        // Most of them in the heads, where it hurts.
        head in proptest::collection::vec((0..400_usize, any::<u8>()), 0..6),
        rest in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let mut file = bytes(FILES[at]);
        for (place, byte) in head {
            file[place] = byte;
        }
        for (place, byte) in rest {
            let place = place.index(file.len());
            file[place] = byte;
        }
        if let Some(cut) = cut {
            file.truncate(cut.index(file.len()));
        }
        match given(&file, Some(Kind::Audio)) {
            Ok(read) => prop_assert_eq!(&*read.interaction.turns()[0].content, "Hello."),
            Err(failure) => {
                prop_assert!(!failure.error.message.is_empty());
                if failure.error.message.contains("damaged and cannot be read") {
                    // A panic of a library: caught here, and of no harm in a process apart.
                    println!("a panic in {}", FILES[at]);
                }
            }
        }
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 1..400), magic in 0..6_usize) {
        let magic = [b"".as_slice(), b"fLaC", b"OggS\0\x02", b"ID3\x04", b"\x1aE\xdf\xa3", b"RIFF\xff\0\0\0WAVE"][magic];
        let file = [magic, &bytes].concat();
        let _ = given(&file, Some(Kind::Audio));
    }
}
