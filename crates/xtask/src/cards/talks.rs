//! What a protocol says of long talks, in its versions, and how often each of its markers speaks in ordinary talk.

use super::measure::{Measurer, list, thousandths};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A file of talks, and from how many turns on they are long.
const LONG: [(&str, usize); 2] = [("background.jsonl", 20), ("casino.jsonl", 12)];
/// A marker of this resonance says next to nothing more.
const FULL: f64 = 0.95;

/// The tables. `versions` are from the oldest to the newest.
pub(crate) fn tables(measurer: &Measurer, versions: &[&str]) -> Result<String, String> {
    let mut page = format!(
        "### Long talks\n\n\
         *Full*: markers with a resonance of {FULL} or more. The scores are those that a tenth, half and nine tenths of the talks stay below.\n\n\
         | file | version | talks | markers triggered | full | score, a tenth | half | nine tenths |\n|---|---|---:|---:|---:|---:|---:|---:|\n"
    );
    for (file, least) in LONG {
        let talks = talks(&measurer.text(file)?, least)?;
        for version in versions {
            let readings = measurer.batch(version, file, &talks)?;
            let _ = writeln!(page, "| `{file}`, {least} turns or more | {version} | {} |", row(&readings));
        }
    }
    if let Some(newest) = versions.last() {
        page.push_str(&by_marker(measurer, newest)?);
    }
    Ok(page)
}

/// The talks of at least so many turns.
fn talks(lines: &str, least: usize) -> Result<Vec<Value>, String> {
    let read = |line| serde_json::from_str(line).map_err(|e| format!("talks: {e}"));
    let items: Vec<Value> = lines.lines().map(read).collect::<Result<_, String>>()?;
    let talks = items.into_iter().map(|mut item| item["interaction"].take());
    Ok(talks.filter(|talk| list(&talk["segments"]).len() >= least).collect())
}

/// Number of talks, mean numbers of triggered and of full markers, and three quantiles of the score.
fn row(readings: &[Value]) -> String {
    let triggered: u64 = readings.iter().filter_map(|reading| reading["ics"]["consumed"].as_u64()).sum();
    let is_full = |value: &&Value| value.as_f64().is_some_and(|value| value >= FULL);
    let full = |reading: &Value| {
        reading["resonance"].as_object().map_or(0, |markers| markers.values().filter(is_full).count())
    };
    let full: usize = readings.iter().map(full).sum();
    let mut scores: Vec<f64> = readings.iter().filter_map(|reading| reading["score"].as_f64()).collect();
    scores.sort_by(f64::total_cmp);
    let quantile = |tenths: usize| scores.get(scores.len() * tenths / 10).copied().unwrap_or_default();
    let count = readings.len() as u64;
    format!(
        "{count} | {} | {} | {:.3} | {:.3} | {:.3}",
        thousandths(triggered, count),
        thousandths(full as u64, count),
        quantile(1),
        quantile(5),
        quantile(9)
    )
}

/// In how many turns of the background evidence of each marker stands.
fn by_marker(measurer: &Measurer, id: &str) -> Result<String, String> {
    let file = LONG[0].0;
    let talks = talks(&measurer.text(file)?, 0)?;
    let turns: usize = talks.iter().map(|talk| list(&talk["segments"]).len()).sum();
    let readings = measurer.batch(id, file, &talks)?;
    // A turn counts once for each marker.
    let mut found: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for reading in &readings {
        let markers = list(&reading["ics"]["markers"]).iter().filter_map(Value::as_str);
        markers.for_each(|marker| found.entry(marker).or_default().1 += 1);
        let places = list(&reading["evidence"]).iter();
        let places: BTreeSet<(&str, u64)> = places
            .filter_map(|place| Some((place["metamarker"].as_str()?, place["segment"].as_u64()?)))
            .collect();
        places.into_iter().for_each(|(marker, _)| found.entry(marker).or_default().0 += 1);
    }
    let mut page = format!(
        "\nIn ordinary talk (`{file}`, {} talks of {turns} turns together), by marker:\n\n\
         | marker | turns with evidence | share | talks | share |\n|---|---:|---:|---:|---:|\n",
        talks.len()
    );
    for (marker, (in_turns, in_talks)) in found {
        let _ = writeln!(
            page,
            "| {marker} | {in_turns} | {} % | {in_talks} | {} % |",
            thousandths(in_turns * 100, turns as u64),
            thousandths(in_talks * 100, talks.len() as u64)
        );
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_counts_full_markers_and_sorts_scores() {
        let reading = |score: f64, a: f64| json!({"score": score, "ics": {"consumed": 1}, "resonance": {"a": a, "b": 0.2}});
        let readings: Vec<Value> =
            (0..10).map(|n| reading(f64::from(9 - n) / 10.0, f64::from(n) / 9.0)).collect();
        assert_eq!(row(&readings), "10 | 1.000 | 0.100 | 0.100 | 0.500 | 0.900");
    }

    #[test]
    fn short_talks_are_left_out() {
        let lines =
            "{\"interaction\":{\"segments\":[{\"content\":\"a\"}]}}\n{\"interaction\":{\"content\":\"b\"}}\n";
        assert_eq!(talks(lines, 1).expect("reads").len(), 1);
        assert!(talks("{", 1).is_err());
    }
}
