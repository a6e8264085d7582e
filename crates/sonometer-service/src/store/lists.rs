//! Lists of metamarkers that rows of the ledger need: kept before the row, for ever, once for all rows.

use super::charge::Line;
use super::{LedgerRow, Store, down};
use crate::names;
use crate::refusal::Refusal;
use sqlx::Row;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// So many digests are remembered; then all are forgotten.
const REMEMBERED: usize = 4_096;
/// The names of a page of rows have about as many bytes at most; 1,000 rows of 2,000 names would have 130 MB.
const PAGE_BYTES: usize = 8 << 20;

/// Digests of lists that are in the database.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<BTreeSet<String>>);

impl Kept {
    fn of(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store {
    /// Keeps the lists that rows of the ledger will need. One whose row never comes does no harm: there is one for each target.
    pub(super) async fn keep_lists(&self, lines: &[Line]) -> Result<(), Refusal> {
        for list in lines.iter().filter_map(|line| line.list.as_ref()) {
            if self.lists.of().contains(list.digest()) {
                continue;
            }
            let keep =
                "INSERT INTO marker_lists (digest, names) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING";
            let keep = sqlx::query(keep).bind(list.digest()).bind(list.text()).execute(&self.writer);
            keep.await.map_err(down)?;
            let mut kept = self.lists.of();
            if kept.len() >= REMEMBERED {
                kept.clear();
            }
            kept.insert(list.digest().to_owned());
        }
        Ok(())
    }

    /// Gives rows the names of their metamarkers, and leaves out those behind [`PAGE_BYTES`].
    pub(super) async fn spell_out(&self, rows: &mut Vec<LedgerRow>) -> Result<(), Refusal> {
        let mut lists: BTreeMap<String, String> = BTreeMap::new();
        let (mut bytes, mut most) = (0, rows.len());
        for (at, row) in rows.iter_mut().enumerate() {
            if bytes > PAGE_BYTES {
                most = at;
                break;
            }
            if let Some(digest) = names::list_of(&row.markers) {
                if !lists.contains_key(digest) {
                    let list = sqlx::query("SELECT names FROM marker_lists WHERE digest = $1").bind(digest);
                    let list = list.fetch_optional(&self.readers).await.map_err(down)?;
                    let list: Option<String> = list.map(|row| row.try_get(0)).transpose().map_err(down)?;
                    lists.insert(digest.to_owned(), list.unwrap_or_default());
                }
                match lists.get(digest).and_then(|list| names::read(&row.markers, list)) {
                    Some(names) => row.markers = names,
                    None => {
                        tracing::error!(
                            charge = row.charge,
                            line = row.line,
                            digest,
                            "a list of metamarkers is missing"
                        );
                    }
                }
            }
            bytes += row.markers.len();
        }
        rows.truncate(most);
        Ok(())
    }
}
