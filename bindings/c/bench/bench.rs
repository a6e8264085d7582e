//! The C door beside the bare engine, in one run: a message of 1 KB in, JSON out; and 10,000 messages in one call. Medians of
//! rounds taken in turn.
//!
//! `bindings/c/bench/run` builds everything and starts this; the argument is the shared library made of `bench.c`.

use rayon::prelude::*;
use sonometer::{Instrument, Interaction, OffsetUnit, Protocol, Sensor, View};
use std::ffi::{CString, c_char, c_int, c_void};
use std::mem::transmute;
use std::time::{Duration, Instant};

unsafe extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

const RTLD_NOW: c_int = 2;
const ROUNDS: usize = 61;
const EACH: usize = 400;
const SIZE: usize = 1024;
const MANY: usize = 10_000;
const MANY_ROUNDS: usize = 11;

type Read = unsafe extern "C" fn(*const c_char, usize) -> *mut c_void;
type Sense = unsafe extern "C" fn(*const c_void, *const c_char, usize, usize) -> usize;
type Batch = unsafe extern "C" fn(*const c_void, *const Message, usize, usize) -> usize;
type Free = unsafe extern "C" fn(*mut c_void);

/// `snm_text`.
#[repr(C)]
struct Message {
    data: *const c_char,
    len: usize,
}

/// `bench.c`, loaded.
struct Library {
    read: Read,
    sense: Sense,
    batch: Batch,
    free: Free,
}

impl Library {
    fn open(path: &str) -> Option<Self> {
        let path = CString::new(path).ok()?;
        // SAFETY: a path ended by a NUL; the library runs no code of its own when it is loaded.
        let library = unsafe { dlopen(path.as_ptr(), RTLD_NOW) };
        if library.is_null() {
            return None;
        }
        let find = |name: &std::ffi::CStr| {
            // SAFETY: a library that is loaded, and a name ended by a NUL.
            let found = unsafe { dlsym(library, name.as_ptr()) };
            (!found.is_null()).then_some(found)
        };
        let (read, free) = (find(c"bench_target")?, find(c"bench_free")?);
        let (sense, batch) = (find(c"bench_sense")?, find(c"bench_batch")?);
        Some(Self {
            // SAFETY: the type of the function in bench.c.
            read: unsafe { transmute::<*mut c_void, Read>(read) },
            // SAFETY: as above.
            sense: unsafe { transmute::<*mut c_void, Sense>(sense) },
            // SAFETY: as above.
            batch: unsafe { transmute::<*mut c_void, Batch>(batch) },
            // SAFETY: as above.
            free: unsafe { transmute::<*mut c_void, Free>(free) },
        })
    }
}

/// 1 KB of conversations.
fn message() -> String {
    let talks = [
        include_str!("../../../fixtures/interactions/support-call.json"),
        include_str!("../../../fixtures/interactions/coaching-talk.json"),
    ];
    let talks = talks.map(|talk| Interaction::from_json(talk).expect("a conversation that ships"));
    let said: Vec<&str> = talks.iter().flat_map(|talk| talk.turns()).map(|turn| &*turn.content).collect();
    let mut message = said.join("\n");
    assert!(message.len() >= SIZE, "{} bytes", message.len());
    while message.len() > SIZE {
        message.pop();
    }
    message
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e6
}

/// Does both in turn, so that whoever goes first in a round goes second in the next, and gives the median of each in µs.
fn beside(rounds: usize, bare: &dyn Fn() -> usize, through_c: &dyn Fn() -> usize) -> [f64; 2] {
    let works = [bare, through_c];
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..rounds {
        let mut bytes = [0, 0];
        for at in [round % 2, 1 - round % 2] {
            let start = Instant::now();
            bytes[at] = works[at]();
            times[at].push(start.elapsed());
        }
        assert_eq!(bytes[0], bytes[1], "the same bytes");
    }
    times.map(|mut times| median(&mut times))
}

fn main() {
    let path = std::env::args().nth(1).expect("the library made of bench.c");
    let library = Library::open(&path).expect("the library loads");
    let message = message();
    println!("a message of {} bytes, {ROUNDS} rounds of {EACH}", message.len());
    let view = View { offsets: Some(OffsetUnit::Bytes), ..View::default() };
    for id in ["courtesy", "pressure-tactics", "affect"] {
        let source = sonometer_catalog::find(id, None).expect("ships").source;
        let sensor = Sensor::new(Protocol::read(source).expect("reads").0).expect("compiles");
        // SAFETY: a text with its length.
        let target = unsafe { (library.read)(source.as_ptr().cast(), source.len()) };
        assert!(!target.is_null());
        let bare = || {
            let sense = |_| {
                sensor.sense(&Interaction::text(&message).expect("short")).expect("text").to_json(view).len()
            };
            (0..EACH).map(sense).sum::<usize>()
        };
        let through_c = || {
            // SAFETY: a target that is freed below, a text with its length.
            unsafe { (library.sense)(target, message.as_ptr().cast(), message.len(), EACH) }
        };
        let [rust, c] = beside(ROUNDS, &bare, &through_c).map(|time| time / EACH as f64);
        println!("{id:<18} engine {rust:>8.2} µs   C {c:>8.2} µs   C ÷ engine {:.3}", c / rust);
        if id == "courtesy" {
            many(&library, target, &sensor, &message, view);
        }
        // SAFETY: the target of this round, not used again.
        unsafe { (library.free)(target) };
    }
}

/// 10,000 messages in one call.
fn many(library: &Library, target: *const c_void, sensor: &Sensor, message: &str, view: View<'_>) {
    // Each begins elsewhere in the same text.
    let starts = (0..message.len()).filter(|at| message.is_char_boundary(*at)).cycle().take(MANY);
    let texts: Vec<String> = starts.map(|at| format!("{}{}", &message[at..], &message[..at])).collect();
    let messages: Vec<Message> =
        texts.iter().map(|text| Message { data: text.as_ptr().cast(), len: text.len() }).collect();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let bare = || {
            pool.install(|| {
                let read = |text: &String| Interaction::text(text).expect("short");
                let interactions: Vec<Interaction> = texts.iter().map(read).collect();
                let size = |reading: Result<sonometer::Reading, sonometer::Error>| {
                    reading.expect("text").to_json(view).len()
                };
                Instrument::from(sensor.clone()).batch(&interactions).into_par_iter().map(size).sum::<usize>()
            })
        };
        let through_c = || {
            // SAFETY: a target and texts that live longer than the call.
            unsafe { (library.batch)(target, messages.as_ptr(), messages.len(), threads) }
        };
        let [rust, c] = beside(MANY_ROUNDS, &bare, &through_c).map(|time| time / 1e3);
        println!(
            "  {MANY} at once, {threads} threads   engine {rust:>6.1} ms   C {c:>6.1} ms   C ÷ engine {:.3}",
            c / rust
        );
    }
}
