//! Panics, whoever catches them: one in our own code is a finding, one in a library that is known to panic is counted.

use std::backtrace::Backtrace;
use std::collections::BTreeMap;
use std::panic::PanicHookInfo;
use std::sync::Mutex;

/// What is no finding.
#[derive(Clone, Debug, Default)]
pub struct Tolerance {
    /// Packages that may panic, by the beginning of their names.
    pub libraries: &'static [&'static str],
    /// Findings that were met before, as they were told.
    pub known: Vec<String>,
}

/// How often each place of a library panicked.
static COUNTS: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

/// Ends the process at the first panic that is a finding, before anybody can catch it, with a line `finding: …`; tells of the
/// others by lines `tolerated: …`.
pub fn watch(tolerance: Tolerance) {
    std::panic::set_hook(Box::new(move |panic| {
        let (place, message) = (place(panic), message(panic));
        let library = library(&place);
        if library.is_some_and(|own| tolerance.libraries.iter().any(|known| own.starts_with(known))) {
            tolerated(&place, &message);
            return;
        }
        // Of what an assertion says, the first words are the same each time.
        let what = match library {
            None if place.contains("fuzz/src/") => message.split(':').next().unwrap_or_default().to_owned(),
            _ => place.clone(),
        };
        if tolerance.known.contains(&what) {
            return;
        }
        eprintln!("panicked at {place}: {message}\n{}", Backtrace::force_capture());
        eprintln!("finding: {what}");
        std::process::abort();
    }));
}

fn tolerated(place: &str, message: &str) {
    let Ok(mut counts) = COUNTS.lock() else { return };
    let count = counts.entry(place.to_owned()).or_default();
    *count += 1;
    // Often enough to tell how often, seldom enough to read.
    if count.is_power_of_two() {
        let message = message.lines().next().unwrap_or_default();
        eprintln!("tolerated: {count} {place} {message}");
    }
}

fn message(panic: &PanicHookInfo<'_>) -> String {
    let payload = panic.payload();
    let literal = payload.downcast_ref::<&str>().copied();
    literal
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no panic message")
        .to_owned()
}

/// File and line; where that is one of the standard library, those of whoever called it.
fn place(panic: &PanicHookInfo<'_>) -> String {
    let Some(place) = panic.location() else { return "nowhere".to_owned() };
    let own = format!("{}:{}", place.file(), place.line());
    if !own.contains("/rustc/") {
        return short(&own);
    }
    let trace = Backtrace::force_capture().to_string();
    let mut lines = trace.lines().filter_map(|line| line.trim().strip_prefix("at "));
    // The first is this hook.
    let caller = lines.find(|line| {
        (line.contains("/registry/") || line.contains("sonometer-ingest/")) && !line.contains("libfuzzer")
    });
    short(caller.unwrap_or(&own))
}

/// A path from the name of its package on.
fn short(path: &str) -> String {
    let path = path.split_once("/registry/src/").map_or(path, |(_, rest)| {
        // Behind it stands the name of the registry.
        rest.split_once('/').map_or(rest, |(_, rest)| rest)
    });
    path.split_once("/crates/").map_or(path, |(_, rest)| rest).trim_start_matches("./").to_owned()
}

/// The package of a place, where it is one of others: `lopdf-0.39.0`.
fn library(place: &str) -> Option<&str> {
    let (package, rest) = place.split_once('/')?;
    let is_ours = package.starts_with("crates") || package.starts_with("sonometer") || package == "fuzz";
    (!is_ours && rest.contains(".rs")).then_some(package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_name_their_package() {
        let place =
            short("/home/a/.cargo/registry/src/somewhere-1949cf8c6b5b557f/lopdf-0.39.0/src/reader.rs:7:3");
        assert_eq!(place, "lopdf-0.39.0/src/reader.rs:7:3");
        assert_eq!(library(&place), Some("lopdf-0.39.0"));
        assert_eq!(library(&short("crates/sonometer-ingest/src/draft.rs:9")), None);
        assert_eq!(library(&short("/home/a/sonometer/crates/sonometer-ingest/src/draft.rs:9")), None);
    }
}
