//! Work that grows faster than the file. The short inputs of a fuzzer never show it, so it is looked for by itself: words of the
//! format, and signs by twos, many times over within a file that is sound.

use crate::readers::Reader;
use crate::seeds::seeds;
use crate::words::words;
use std::time::Duration;

/// Bytes of what is repeated: sixteen times as many take a reader sixteen times as long, or 256 times where it looks at all that
/// follows at every step.
const SIZES: [usize; 2] = [4 << 10, 64 << 10];
/// So many times as long is too much.
const MOST_TIMES_AS_LONG: u32 = 80;
/// Shorter times say nothing.
const TELLING: Duration = Duration::from_millis(60);
/// Signs that begin, end or part something in most formats.
const SIGNS: [&str; 22] = [
    "<", ">", "&", ";", "\"", "{", "}", "[", "]", "(", "\\", "/", ":", ",", "|", "\n", " ", "=", "-", "*",
    "0", "a",
];

/// Tells of what is repeated where, and the seconds that it took by `clock`, which tells how long this process has worked: the
/// time of day says little on a busy machine.
pub fn slow(reader: &Reader, clock: fn() -> Duration, mut tell: impl FnMut(&str, f64)) {
    let mut files = seeds(reader);
    files.retain(|(name, bytes)| !name.starts_with("hostile") && bytes.len() < 16 << 10);
    files.sort_by_key(|(_, bytes)| bytes.len());
    let mut all: Vec<String> = words(reader).into_iter().collect();
    all.extend(SIGNS.iter().flat_map(|first| SIGNS.iter().map(move |second| format!("{first}{second}"))));
    for (name, file) in files.iter().take(2) {
        for place in 0..=4 {
            let at = file.len() * place / 4;
            for word in &all {
                if let Some(seconds) = too_long(reader, clock, file, at, word) {
                    tell(&format!("{word:?} at byte {at} of {name}"), seconds);
                }
            }
        }
    }
}

fn too_long(reader: &Reader, clock: fn() -> Duration, file: &[u8], at: usize, word: &str) -> Option<f64> {
    let took = |size: usize| {
        let bytes = [&file[..at], word.repeat(size / word.len()).as_bytes(), &file[at..]].concat();
        let begun = clock();
        let _ = reader.read_widely(&bytes);
        clock().saturating_sub(begun)
    };
    let long = took(SIZES[1]);
    // Twice, since the first time of anything is slower.
    let is_slow = long > TELLING && took(SIZES[1]) > TELLING && long > MOST_TIMES_AS_LONG * took(SIZES[0]);
    is_slow.then_some(long.as_secs_f64())
}
