//! What libFuzzer and our own hook wrote while they ran.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a run said of itself.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) runs: u64,
    /// Edges of the code that were reached by the files to begin with, and in the end.
    pub(super) edges: (u64, u64),
    /// Files that each reach something new.
    pub(super) corpus: u64,
    /// Places in libraries that panicked, and how often (the last power of two).
    pub(super) tolerated: BTreeMap<String, u64>,
    /// What went wrong.
    pub(super) finding: Option<String>,
    /// The bytes with which it did.
    pub(super) file: Option<PathBuf>,
}

impl Told {
    /// Reads the log of a run.
    pub(super) fn read(said: &str) -> Self {
        let mut told = Self::default();
        for line in said.lines() {
            if let Some(rest) = line.strip_prefix("tolerated: ") {
                let mut words = rest.split(' ');
                let count = words.next().and_then(|count| count.parse().ok());
                if let (Some(count), Some(place)) = (count, words.next()) {
                    told.tolerated.insert(place.to_owned(), count);
                }
            } else if let Some(what) = line.strip_prefix("finding: ") {
                told.finding = Some(what.to_owned());
            } else if let Some(number) = line.strip_prefix("stat::number_of_executed_units:") {
                told.runs = number.trim().parse().unwrap_or(told.runs);
            } else if let Some((_, path)) = line.split_once("Test unit written to ") {
                told.file = Some(PathBuf::from(path.trim()));
            } else if let Some((_, what)) = line.split_once("ERROR: libFuzzer: ") {
                // Our own words, if there are any, say more.
                let what = what
                    .split([',', '('])
                    .next()
                    .unwrap_or(what)
                    .split(" after ")
                    .next()
                    .unwrap_or(what)
                    .trim();
                told.finding.get_or_insert_with(|| what.to_owned());
            } else if line.starts_with('#') {
                told.progress(line);
            }
        }
        told
    }

    /// `#8192  pulse  cov: 1021 ft: 2412 corp: 123/45Kb …`
    fn progress(&mut self, line: &str) {
        let value = |name: &str| {
            let (_, rest) = line.split_once(name)?;
            rest.trim_start().split([' ', '/']).next()?.parse::<u64>().ok()
        };
        let runs = line[1..].split(|c: char| !c.is_ascii_digit()).next().and_then(|runs| runs.parse().ok());
        self.runs = runs.unwrap_or(self.runs);
        if let Some(edges) = value(" cov:") {
            if line.contains("INITED") || self.edges.0 == 0 {
                self.edges.0 = edges;
            }
            self.edges.1 = edges;
        }
        self.corpus = value(" corp:").unwrap_or(self.corpus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_tells_all() {
        let log = "INFO: Seed: 1\n#2\tINITED cov: 10 ft: 20 corp: 1/4b exec/s: 0 rss: 40Mb\ntolerated: 1 lopdf-0.39.0/src/a.rs:7 x\n\
                   #64\tNEW    cov: 33 ft: 44 corp: 5/1Kb lim: 4 exec/s: 0\ntolerated: 2 lopdf-0.39.0/src/a.rs:7 x\n\
                   finding: sonometer-ingest/src/a.rs:1\n==7== ERROR: libFuzzer: deadly signal\n\
                   artifact_prefix='./'; Test unit written to ./crash-1\nstat::number_of_executed_units: 70\n";
        let told = Told::read(log);
        assert_eq!((told.runs, told.edges, told.corpus), (70, (10, 33), 5));
        assert_eq!(
            told.tolerated.into_iter().collect::<Vec<_>>(),
            [("lopdf-0.39.0/src/a.rs:7".to_owned(), 2)]
        );
        assert_eq!(told.finding.as_deref(), Some("sonometer-ingest/src/a.rs:1"));
        assert_eq!(told.file, Some(PathBuf::from("./crash-1")));
        let slow = Told::read(
            "ALARM: working on the last Unit for 11 seconds\n==9== ERROR: libFuzzer: timeout after 11 seconds\n",
        );
        assert_eq!(slow.finding.as_deref(), Some("timeout"));
    }
}
