//! Interactions of our own by kind: how many of each are found.

use super::measure::{Measurer, list};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A file of the repository with `labels.kind`.
#[derive(Debug)]
pub(crate) struct Kinds {
    /// The heading.
    pub(crate) title: &'static str,
    /// From the root of the repository.
    pub(crate) file: &'static str,
    /// What the reader has to know about it.
    pub(crate) note: &'static str,
    /// The marker that is asked about; without one, the score.
    pub(crate) marker: Option<&'static str>,
}

impl Kinds {
    fn finds(&self, reading: &Value) -> bool {
        match self.marker {
            Some(marker) => {
                list(&reading["evidence"]).iter().any(|evidence| evidence["metamarker"] == marker)
            }
            None => reading["score"].as_f64().is_some_and(|score| score >= 0.5),
        }
    }
}

/// How many items of each kind have a score of 0.5 or more, or evidence of the marker.
pub(crate) fn table(measurer: &Measurer, id: &str, kinds: &Kinds) -> Result<String, String> {
    let path = crate::test::root().join(kinds.file);
    let lines = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let read = |line| serde_json::from_str(line).map_err(|e| format!("{}: {e}", kinds.file));
    let items: Vec<Value> = lines.lines().map(read).collect::<Result<_, String>>()?;
    let interactions: Vec<Value> = items.iter().map(|item| item["interaction"].clone()).collect();
    let readings = measurer.batch(id, "kinds", &interactions)?;
    let mut counts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (item, reading) in items.iter().zip(&readings) {
        let kind = item["labels"]["kind"].as_str().ok_or_else(|| format!("{}: no kind", kinds.file))?;
        let (found, all) = counts.entry(kind).or_default();
        *all += 1;
        *found += u64::from(kinds.finds(reading));
    }
    let mut page = format!(
        "### {}\n\n`{}`. {}\n\n| kind | items | found |\n|---|---:|---:|\n",
        kinds.title, kinds.file, kinds.note
    );
    for (kind, (found, all)) in counts {
        let _ = writeln!(page, "| {kind} | {all} | {found} |");
    }
    Ok(page)
}
