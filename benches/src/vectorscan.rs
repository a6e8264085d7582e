//! Vectorscan, the fastest engine of regular expressions there is for many patterns: opened from the library of the system
//! (Debian: `libvectorscan5`) while the bench runs, and left out where there is none.
//!
//! Calling C is unsafe; what each call needs is said where it is made. The engine itself has nothing of this.
#![allow(unsafe_code, reason = "a C library can be called in no other way")]

use crate::patterns::PatternSet;
use crate::peers::{Peer, Span, has_plain_edges};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::ptr::{null, null_mut};

const LIBRARIES: [&str; 3] = ["libhs.so.5", "libhs.so", "libhs.dylib"];
const CASELESS: c_uint = 1;
const START_OF_MATCH: c_uint = 256;
const BLOCK: c_uint = 1;
const STREAM: c_uint = 2;

type OnMatch = extern "C" fn(c_uint, c_ulonglong, c_ulonglong, c_uint, *mut c_void) -> c_int;
type Compile = unsafe extern "C" fn(
    *const *const c_char,
    *const c_uint,
    *const c_uint,
    c_uint,
    c_uint,
    *const c_void,
    *mut *mut c_void,
    *mut *mut CompileError,
) -> c_int;
type CompileLiterals = unsafe extern "C" fn(
    *const *const c_char,
    *const c_uint,
    *const c_uint,
    *const usize,
    c_uint,
    c_uint,
    *const c_void,
    *mut *mut c_void,
    *mut *mut CompileError,
) -> c_int;
type Allocate = unsafe extern "C" fn(*const c_void, *mut *mut c_void) -> c_int;
type Scan = unsafe extern "C" fn(
    *const c_void,
    *const c_char,
    c_uint,
    c_uint,
    *mut c_void,
    OnMatch,
    *mut c_void,
) -> c_int;
type Open = unsafe extern "C" fn(*const c_void, c_uint, *mut *mut c_void) -> c_int;
type ScanStream = unsafe extern "C" fn(
    *mut c_void,
    *const c_char,
    c_uint,
    c_uint,
    *mut c_void,
    OnMatch,
    *mut c_void,
) -> c_int;
type Close = unsafe extern "C" fn(*mut c_void, *mut c_void, OnMatch, *mut c_void) -> c_int;
type Free = unsafe extern "C" fn(*mut c_void) -> c_int;

/// `hs_compile_error_t`.
#[repr(C)]
struct CompileError {
    message: *const c_char,
    expression: c_int,
}

/// A compiled set, with what a scan needs.
pub struct Vectorscan {
    name: &'static str,
    /// Lengths of the phrases where they are literals: starts and edges are worked out from them.
    lengths: Option<Vec<usize>>,
    database: *mut c_void,
    scratch: *mut c_void,
    stream: *mut c_void,
    // Looked up once: the looking up would take longer than the scan of a short text.
    scan: Scan,
    scan_stream: ScanStream,
    library: Library,
}

impl Vectorscan {
    /// A set of plain phrases as literals; edges of words are checked at each match.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub fn literals(set: &PatternSet) -> Result<Self, String> {
        Self::of("Vectorscan, literals", &set.lines, true, CASELESS, BLOCK)
    }

    /// The same for text that comes in chunks. It reports ends only.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub fn stream(set: &PatternSet) -> Result<Self, String> {
        Self::of("Vectorscan, stream of literals, ends only", &set.lines, true, CASELESS, STREAM)
    }

    /// Expressions with the starts of their matches.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub fn expressions(expressions: &[String]) -> Result<Self, String> {
        Self::of("Vectorscan, start of match", expressions, false, CASELESS | START_OF_MATCH, BLOCK)
    }

    /// Expressions with the ends of their matches alone: every start is 0.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub fn ends(expressions: &[String]) -> Result<Self, String> {
        Self::of("Vectorscan, ends only", expressions, false, CASELESS, BLOCK)
    }

    fn of(
        name: &'static str,
        patterns: &[String],
        literal: bool,
        flag: c_uint,
        mode: c_uint,
    ) -> Result<Self, String> {
        let texts: Vec<CString> = patterns
            .iter()
            .map(|p| CString::new(p.as_str()).map_err(|e| e.to_string()))
            .collect::<Result<_, _>>()?;
        let pointers: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
        let lengths: Vec<usize> = patterns.iter().map(String::len).collect();
        let flags = vec![flag; patterns.len()];
        let count = c_uint::try_from(patterns.len()).map_err(|e| e.to_string())?;
        let ids: Vec<c_uint> = (0..count).collect();
        let (mut database, mut error) = (null_mut(), null_mut::<CompileError>());
        let library = open()?;
        // SAFETY: the signatures are those of hs_compile.h; all arrays have `count` items and outlive the calls.
        let code = unsafe {
            if literal {
                let compile =
                    library.get::<CompileLiterals>(b"hs_compile_lit_multi").map_err(|e| e.to_string())?;
                compile(
                    pointers.as_ptr(),
                    flags.as_ptr(),
                    ids.as_ptr(),
                    lengths.as_ptr(),
                    count,
                    mode,
                    null(),
                    &mut database,
                    &mut error,
                )
            } else {
                let compile = library.get::<Compile>(b"hs_compile_multi").map_err(|e| e.to_string())?;
                let (texts, flags, ids) = (pointers.as_ptr(), flags.as_ptr(), ids.as_ptr());
                compile(texts, flags, ids, count, mode, null(), &mut database, &mut error)
            }
        };
        if code != 0 {
            // SAFETY: where compiling fails, the error is set, and its message is a string; it is left to the process.
            let message = unsafe { CStr::from_ptr((*error).message).to_string_lossy().into_owned() };
            return Err(format!("Vectorscan refuses the set: {message}"));
        }
        // SAFETY: the signatures are those of hs_runtime.h; the functions live as long as the library, which is kept.
        let (scan, scan_stream) = unsafe {
            let scan = library.get::<Scan>(b"hs_scan").map_err(|e| e.to_string())?;
            let scan_stream = library.get::<ScanStream>(b"hs_scan_stream").map_err(|e| e.to_string())?;
            (*scan, *scan_stream)
        };
        let (lengths, scratch, stream) = (literal.then_some(lengths), null_mut(), null_mut());
        let mut made = Self { name, lengths, database, scratch, stream, scan, scan_stream, library };
        // SAFETY: the database was compiled; the function writes one pointer.
        let code = unsafe {
            let allocate = made.library.get::<Allocate>(b"hs_alloc_scratch").map_err(|e| e.to_string())?;
            allocate(made.database, &mut made.scratch)
        };
        if code == 0 { Ok(made) } else { Err(format!("hs_alloc_scratch: {code}")) }
    }

    /// Begins another text that comes in chunks.
    pub fn begin(&mut self) {
        self.close();
        // SAFETY: the database is one for streams, or an error comes back and `stream` stays null.
        unsafe {
            if let Ok(open) = self.library.get::<Open>(b"hs_open_stream") {
                open(self.database, 0, &mut self.stream);
            }
        }
    }

    /// How many matches end in a chunk.
    pub fn push(&mut self, chunk: &[u8]) -> usize {
        let mut found = 0_usize;
        // SAFETY: the pointers are those of the chunk and of what `begin` opened; the call-back gets the count alone.
        unsafe {
            let (text, len) = (chunk.as_ptr().cast(), chunk.len() as c_uint);
            (self.scan_stream)(self.stream, text, len, 0, self.scratch, count_match, (&raw mut found).cast());
        }
        found
    }

    fn close(&mut self) {
        if !self.stream.is_null() {
            let mut found = 0_usize;
            // SAFETY: `begin` opened the stream, and it is closed once.
            unsafe {
                if let Ok(close) = self.library.get::<Close>(b"hs_close_stream") {
                    close(self.stream, self.scratch, count_match, (&raw mut found).cast());
                }
            }
            self.stream = null_mut();
        }
    }
}

/// The context of a scan: the text, the list that spans are added to, and for literals the lengths of the phrases.
struct Found<'f> {
    text: &'f [u8],
    lengths: Option<&'f [usize]>,
    spans: &'f mut Vec<Span>,
}

impl Peer for Vectorscan {
    fn name(&self) -> &str {
        self.name
    }

    fn find(&mut self, text: &str, spans: &mut Vec<Span>) {
        let mut found = Found { text: text.as_bytes(), lengths: self.lengths.as_deref(), spans };
        // SAFETY: text and scratch live through the call, which calls back in this thread and with this `Found`.
        unsafe {
            let (text, len) = (text.as_ptr().cast(), text.len() as c_uint);
            (self.scan)(self.database, text, len, 0, self.scratch, keep_match, (&raw mut found).cast());
        }
    }
}

impl Drop for Vectorscan {
    fn drop(&mut self) {
        self.close();
        // SAFETY: both were allocated by the library and are freed once, while it is open.
        unsafe {
            if let Ok(free) = self.library.get::<Free>(b"hs_free_scratch") {
                free(self.scratch);
            }
            if let Ok(free) = self.library.get::<Free>(b"hs_free_database") {
                free(self.database);
            }
        }
    }
}

extern "C" fn keep_match(
    id: c_uint,
    from: c_ulonglong,
    to: c_ulonglong,
    _: c_uint,
    context: *mut c_void,
) -> c_int {
    // SAFETY: `find` passes its `Found`, and nobody else holds it meanwhile.
    let found = unsafe { &mut *context.cast::<Found<'_>>() };
    let (phrase, end) = (id as usize, to as usize);
    match found.lengths {
        Some(lengths) => {
            let start = end - lengths[phrase];
            if has_plain_edges(found.text, start, end) {
                found.spans.push(Span { phrase, start, end });
            }
        }
        None => found.spans.push(Span { phrase, start: from as usize, end }),
    }
    0
}

extern "C" fn count_match(
    _: c_uint,
    _: c_ulonglong,
    _: c_ulonglong,
    _: c_uint,
    context: *mut c_void,
) -> c_int {
    // SAFETY: `push` and `close` pass a count of theirs.
    unsafe { *context.cast::<usize>() += 1 };
    0
}

fn open() -> Result<Library, String> {
    // SAFETY: opening runs the initialisers of the library, which for this one choose routines for the processor.
    let opened = LIBRARIES.iter().find_map(|name| unsafe { Library::new(name).ok() });
    opened.ok_or_else(|| {
        "Vectorscan is not installed (Debian: `.ci/install-packages libvectorscan5`)".to_owned()
    })
}
