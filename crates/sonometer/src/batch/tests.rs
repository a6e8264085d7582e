//! Order, bytes and errors, for any number of threads.

use super::*;
use crate::protocol::Protocol;
use crate::reading::offset::OffsetUnit;
use crate::reading::profile::{Profile, View};
use crate::sensor::Sensor;
use proptest::prelude::*;
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const VIEW: View<'_> =
    View { profile: Profile::Discovery, offsets: Some(OffsetUnit::Bytes), flow: None, temporal: None };

/// An instrument that reads texts and no transcripts.
fn instrument() -> Instrument {
    let protocol = r#"{
        "sonometer": 1, "id": "p", "version": "1", "taxonomy": "Signal", "language": "en", "modalities": ["text"],
        "fidelity": {"sufficient": 0.2},
        "markers": [
            {"label": "thanks", "negation": "drop", "strong": "thank you", "clear": "thanks ..3.. much", "hit": "thank you"},
            {"label": "no", "strong": "(no|not)", "hit": "no"}]
    }"#;
    Instrument::from(Sensor::new(Protocol::read(protocol).expect("is sound").0).expect("compiles"))
}

fn threads(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).expect("is not 0")
}

/// An interaction as a line: sound ones, empty ones, ones of a modality that is refused, and lines that are none.
fn line() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "thank", "you", "thanks", "very", "much", "no", "not", "so", "é", "the", "and",
    ]);
    prop_oneof![
        6 => prop::collection::vec(words, 0..20).prop_map(|words| format!(r#"{{"content": "{}"}}"#, words.join(" "))),
        1 => Just(r#"{"segments": [{"role": "a", "content": "thank you"}]}"#.to_owned()),
        1 => Just(r#"{"segments": [{"content": "thank you"}]}"#.to_owned()),
        1 => Just("{\"content\": ".to_owned()),
        1 => Just(String::new()),
    ]
}

fn shown(outcome: &Result<Reading, Error>) -> String {
    match outcome {
        Ok(reading) => reading.to_json(VIEW),
        Err(error) => error.to_string(),
    }
}

fn streamed(instrument: &Instrument, count: usize, lines: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    let end = instrument.batch_each::<_, ()>(
        threads(count),
        lines.iter(),
        |line| Interaction::from_json(line),
        |outcome| {
            out.push(shown(&outcome));
            ControlFlow::Continue(())
        },
    );
    assert!(end.is_continue());
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn as_one_by_one_in_order_and_with_errors_at_their_place(lines in prop::collection::vec(line(), 0..150)) {
        let instrument = instrument();
        let alone = |(at, line): (usize, &String)| {
            shown(&Interaction::from_json(line).and_then(|i| instrument.sense(&i)).map_err(|error| nth(at, error)))
        };
        let expected: Vec<String> = lines.iter().enumerate().map(alone).collect();
        for count in [1, 2, 5] {
            prop_assert_eq!(&streamed(&instrument, count, &lines), &expected);
        }
        let readable: Vec<Interaction> = lines.iter().filter_map(|line| Interaction::from_json(line).ok()).collect();
        let alone: Vec<String> = readable
            .iter()
            .enumerate()
            .map(|(at, interaction)| shown(&instrument.sense(interaction).map_err(|error| nth(at, error))))
            .collect();
        for count in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("starts");
            let found: Vec<String> = pool.install(|| instrument.batch(&readable)).iter().map(shown).collect();
            prop_assert_eq!(&found, &alone);
        }
    }
}

#[test]
fn the_place_of_a_bad_item_is_said() {
    let lines = [
        "{\"content\": \"no\"}",
        "{",
        "{\"segments\": [{\"content\": \"x\"}]}",
        "{\"segments\": [{\"role\": \"a\", \"content\": \"x\"}]}",
    ];
    let told = streamed(&instrument(), 2, &lines.map(str::to_owned));
    assert!(told[0].starts_with('{'), "{}", told[0]);
    assert!(told[1].contains("(at interactions[1], line 1, column"), "{}", told[1]);
    assert!(told[2].ends_with("(at interactions[2].segments[0].role)"), "{}", told[2]);
    assert!(told[3].ends_with("(at interactions[3])"), "{}", told[3]);
}

#[test]
fn a_panic_is_the_error_of_its_item() {
    let instrument = instrument();
    let mut codes = Vec::new();
    let read = |n: usize| if n == 70 { panic!("a bug of the test") } else { Interaction::text("no") };
    let _ = instrument.batch_each::<_, ()>(threads(2), 0..100, read, |outcome| {
        codes.push(outcome.map_or_else(|error| error.to_string(), |_| String::new()));
        ControlFlow::Continue(())
    });
    assert_eq!(codes.len(), 100);
    for (at, code) in codes.iter().enumerate() {
        let expected = if at == 70 { "(a bug of the test)" } else { "" };
        assert_eq!(code.contains("internal_error") && code.contains("interactions[70]"), at == 70);
        assert!(code.contains(expected), "{code}");
    }
}

#[test]
fn no_more_is_taken_than_the_window_holds() {
    let taken = AtomicUsize::new(0);
    let items = (0..10_000).inspect(|_| {
        taken.fetch_add(1, Ordering::SeqCst);
    });
    let (given, most) = (Cell::new(0), Cell::new(0));
    let end = in_order::<_, _, ()>(
        threads(3),
        items,
        |n| n,
        |n| {
            assert_eq!(n, given.get());
            most.set(most.get().max(taken.load(Ordering::SeqCst) - given.get()));
            given.set(given.get() + 1);
            ControlFlow::Continue(())
        },
    );
    assert!(end.is_continue());
    assert_eq!(given.get(), 10_000);
    // The one in hand, and a full window behind it.
    assert!(most.get() <= 3 * 8 + 1, "{}", most.get());
}

#[test]
fn a_result_does_not_wait_for_items_to_come() {
    // The second item comes only when the first is answered.
    let answered = Mutex::new(());
    let hold = answered.lock().expect("is free");
    let items = (0..2).inspect(|n| {
        if *n == 1 {
            drop(answered.lock());
        }
    });
    let mut hold = Some(hold);
    let end = in_order::<_, _, ()>(
        threads(2),
        items,
        |n| n,
        |_| {
            hold.take();
            ControlFlow::Continue(())
        },
    );
    assert!(end.is_continue());
}

/// So many threads the system does not give.
#[test]
fn any_number_of_threads_can_be_asked_for() {
    let mut given = Vec::new();
    let end = in_order::<_, _, ()>(
        threads(10_000_000),
        0..1_000,
        |n| n,
        |n| {
            given.push(n);
            ControlFlow::Continue(())
        },
    );
    assert!(end.is_continue());
    assert!(given.into_iter().eq(0..1_000));
}

#[test]
fn it_ends_when_told() {
    for count in [1, 2, 4] {
        let mut given = 0;
        let end = in_order(
            threads(count),
            0..,
            |n: u64| n,
            |n| {
                given += 1;
                if n == 100 { ControlFlow::Break(n) } else { ControlFlow::Continue(()) }
            },
        );
        assert_eq!((end, given), (ControlFlow::Break(100), 101));
    }
}

#[test]
fn a_panic_of_the_work_ends_it_and_is_passed_on() {
    for place in ["items", "work", "each"] {
        let fail = |here: &str, n: u32| assert!(here != place || n != 50, "{place} fails");
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let items = (0..10_000).inspect(|n| fail("items", *n));
            let work = |n| {
                fail("work", n);
                std::thread::sleep(Duration::from_micros(10));
                n
            };
            in_order::<_, _, ()>(threads(3), items, work, |n| {
                fail("each", n);
                ControlFlow::Continue(())
            })
        }));
        let said = internal(&*caught.expect_err("passes the panic on")).message;
        assert!(said.contains(&format!("{place} fails")), "{said}");
    }
}

#[test]
fn a_line_holds_the_bytes_of_the_reading() {
    let instrument = instrument();
    let reading =
        instrument.sense(&Interaction::text("Thank you, no").expect("is short")).expect("is a text");
    let json = reading.to_json(VIEW);
    assert_eq!(
        line_json(7, Some("a\"b"), Ok(&reading), VIEW),
        format!("{{\"line\":7,\"id\":\"a\\\"b\",\"result\":{json}}}\n")
    );
    let error = Error::invalid("segments[0].role", "is missing");
    assert_eq!(
        line_json(1, None, Err(&error), VIEW),
        "{\"line\":1,\"id\":null,\"error\":{\"code\":\"invalid_request\",\"message\":\"is missing\",\
         \"details\":{\"place\":\"segments[0].role\"}}}\n"
    );
}

/// What 1,000 items in groups take `threads` threads to share.
fn shared(count: usize) -> Sharing {
    let instrument = instrument();
    let mut given = 0;
    let items = 0..1_000;
    let read = |_| Interaction::text("Thank you so much, that is very kind of you.");
    let (end, sharing) = instrument.batch_each_counted::<_, ()>(threads(count), items, read, |outcome| {
        given += usize::from(outcome.is_ok());
        ControlFlow::Continue(())
    });
    assert!(end.is_continue());
    assert_eq!(given, 1_000);
    sharing
}

#[test]
fn locks_do_not_grow_with_threads() {
    assert_eq!(shared(1), Sharing::default());
    for count in [2, 4, 8, 16] {
        let Sharing { items, locks, contended, waits, wakes } = shared(count);
        // Groups of 32, four locks each; at the end two for each thread that finds no more, and two to find the end and leave.
        assert_eq!(items, 32);
        assert!(locks <= 4 * items + 2 * count as u64 + 8, "{locks} locks with {count} threads");
        // A thread sleeps for what another does: at most twice for each group, and once for each thread at the end.
        assert!(wakes <= waits && waits <= 2 * items + count as u64 + 8, "{wakes} wakes, {waits} waits");
        assert!(contended <= locks);
    }
}

#[test]
fn readings_of_a_group_hold_what_no_other_group_holds() {
    let instrument = instrument();
    let sensor = instrument.sensor().expect("is a protocol");
    let alone = sensor.handles();
    let mut readings = Vec::new();
    let read = |_| Interaction::text("Thank you.");
    let _ = instrument.batch_each::<_, ()>(threads(2), 0..320, read, |outcome| {
        readings.push(outcome.expect("is a text"));
        ControlFlow::Continue(())
    });
    // One handle for 32 readings, not two for each reading.
    assert_eq!(sensor.handles() - alone, 10);
    readings.truncate(32);
    assert_eq!(sensor.handles() - alone, 1);
    let texts: Vec<_> = (0..320).map(|_| Interaction::text("Thank you.").expect("is short")).collect();
    let many = instrument.batch(&texts);
    // As many as rayon parts the work, which it does by threads and not by items.
    let handles = sensor.handles() - alone - 1;
    assert!((1..many.len()).contains(&handles), "{handles}");
}
