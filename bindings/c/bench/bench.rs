//! The C door beside the bare engine, in one run: a message of 1 KB in, JSON out, medians of rounds taken in turn.
//!
//! `bindings/c/bench/run` builds everything and starts this; the argument is the shared library made of `bench.c`.

use sonometer::{Interaction, OffsetUnit, Protocol, Sensor, View};
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

type Read = unsafe extern "C" fn(*const c_char, usize) -> *mut c_void;
type Sense = unsafe extern "C" fn(*const c_void, *const c_char, usize, usize) -> usize;
type Free = unsafe extern "C" fn(*mut c_void);

/// `bench.c`, loaded.
struct Library {
    read: Read,
    sense: Sense,
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
        let (read, sense, free) = (find(c"bench_target")?, find(c"bench_sense")?, find(c"bench_free")?);
        Some(Self {
            // SAFETY: the type of the function in bench.c.
            read: unsafe { transmute::<*mut c_void, Read>(read) },
            // SAFETY: as above.
            sense: unsafe { transmute::<*mut c_void, Sense>(sense) },
            // SAFETY: as above.
            free: unsafe { transmute::<*mut c_void, Free>(free) },
        })
    }
}

/// About 1 KB of a conversation.
fn message() -> String {
    let talk = include_str!("../../../fixtures/interactions/support-call.json");
    let turns = Interaction::from_json(talk).expect("a conversation that ships");
    let said: Vec<&str> = turns.turns().iter().map(|turn| &*turn.content).collect();
    let mut message = said.join("\n");
    while message.len() > 1024 {
        message.pop();
    }
    message
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e6 / EACH as f64
}

fn main() {
    let path = std::env::args().nth(1).expect("the library made of bench.c");
    let library = Library::open(&path).expect("the library loads");
    let message = message();
    println!("a message of {} bytes, {ROUNDS} rounds of {EACH}", message.len());
    for (id, entry) in
        ["courtesy", "pressure-tactics", "affect"].map(|id| (id, sonometer_catalog::find(id, None)))
    {
        let source = entry.expect("ships").source;
        let sensor = Sensor::new(Protocol::read(source).expect("reads").0).expect("compiles");
        // SAFETY: a text with its length.
        let target = unsafe { (library.read)(source.as_ptr().cast(), source.len()) };
        assert!(!target.is_null());
        let view = View { offsets: Some(OffsetUnit::Bytes), ..View::default() };
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
        let (mut rust, mut c) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            let time = |work: &dyn Fn() -> usize, times: &mut Vec<Duration>| {
                let start = Instant::now();
                let bytes = work();
                times.push(start.elapsed());
                bytes
            };
            // Whoever goes first in a round goes second in the next.
            let bytes = match round % 2 {
                0 => (time(&bare, &mut rust), time(&through_c, &mut c)),
                _ => {
                    let second = time(&through_c, &mut c);
                    (time(&bare, &mut rust), second)
                }
            };
            assert_eq!(bytes.0, bytes.1, "the same bytes");
        }
        // SAFETY: the target of this round, not used again.
        unsafe { (library.free)(target) };
        let (rust, c) = (median(rust), median(c));
        println!("{id:<18} engine {rust:>8.2} µs   C {c:>8.2} µs   C ÷ engine {:.3}", c / rust);
    }
}
