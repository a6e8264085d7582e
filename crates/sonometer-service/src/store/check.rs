//! The invariant of metering: the rows of the ledger add up to the rows of consumption, one by one.
//!
//! Each row of the ledger keeps its number in its account and month, and what the account had used right after it. So a row
//! that is missing, was put in or was changed does not only make a sum wrong: it breaks the chain at its place.

use super::{Dialect, Store, down};
use crate::refusal::Refusal;
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};
use std::fmt;

/// The last row is looked at of so many accounts that are wrong.
const FAULTS_TRACED: usize = 100;
/// The most broken places of the ledger in a report.
const MOST: i64 = 1_000;

/// An account whose ledger says something else than its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The account: organization and mode.
    pub account: String,
    /// The period.
    pub period: String,
    /// Units, overage, cost and analyses of the row.
    pub row: [i64; 4],
    /// The same by the ledger.
    pub ledger: [i64; 4],
}

/// A row of the ledger that does not follow from the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// The account: organization and mode.
    pub account: String,
    /// The period.
    pub period: String,
    /// The number of the row in its account and period.
    pub number: i64,
    /// The charge.
    pub charge: String,
    /// The number of the row in its charge, from 0.
    pub line: i64,
    /// The request; empty if it is not known.
    pub request: String,
    /// Type, id and version of the target: `protocol courtesy@1.0`.
    pub target: String,
    /// What is wrong with it.
    pub what: Wrong,
}

/// What is wrong with a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// Its own amounts are not the difference between what was used after it and after the row before it: units, overage and
    /// cost in millionths of a dollar.
    Changed {
        /// By what was used before and after it.
        expected: [i64; 3],
        /// By the row itself.
        found: [i64; 3],
    },
    /// It names another number of metamarkers than it has units, or by a list that is missing.
    Markers {
        /// How many it names.
        named: i64,
        /// Its units.
        units: i64,
    },
    /// Rows before it are missing, with these units, overage and cost in millionths of a dollar.
    Gap {
        /// How many rows.
        rows: i64,
        /// What they held.
        held: [i64; 3],
    },
    /// It has the number of the row before it.
    Twice,
    /// It is the last row, and the account says something else than what was used after it: units, overage, cost in millionths
    /// of a dollar and number of rows.
    Last {
        /// By the row.
        expected: [i64; 4],
        /// By the account.
        found: [i64; 4],
    },
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { expected, found } => {
                write!(f, "expected units, overage and millionths of a dollar {expected:?}, found {found:?}")
            }
            Self::Markers { named, units } => write!(f, "names {named} metamarkers, found {units} units"),
            Self::Gap { rows, held } => {
                write!(f, "{rows} missing before it, with units, overage and millionths of a dollar {held:?}")
            }
            Self::Twice => write!(f, "has the number of the row before it"),
            Self::Last { expected, found } => write!(
                f,
                "is the last one: expected units, overage, millionths of a dollar and analyses {expected:?} of the account, \
                 found {found:?}"
            ),
        }
    }
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Rows of accounts that were compared.
    pub rows: usize,
    /// Those that are wrong.
    pub faults: Vec<Fault>,
    /// The rows of the ledger at which something is wrong; 1,000 at most.
    pub breaks: Vec<Break>,
}

impl Checked {
    /// Whether nothing is wrong.
    pub fn is_right(&self) -> bool {
        self.faults.is_empty() && self.breaks.is_empty()
    }
}

const SUMS: &str = "SELECT account_id, period, CAST(SUM(a) AS BIGINT), CAST(SUM(b) AS BIGINT), CAST(SUM(c) AS BIGINT), \
            CAST(SUM(d) AS BIGINT), CAST(SUM(e) AS BIGINT), CAST(SUM(f) AS BIGINT), CAST(SUM(g) AS BIGINT), \
            CAST(SUM(h) AS BIGINT) \
     FROM (SELECT account_id, period, used AS a, overage AS b, cost_micros AS c, analyses AS d, \
                  0 AS e, 0 AS f, 0 AS g, 0 AS h FROM consumption \
           UNION ALL \
           SELECT account_id, period, 0, 0, 0, 0, units, overage, cost_micros, 1 FROM ledger) AS both_sides \
     GROUP BY account_id, period ORDER BY account_id, period";

/// Rows with what was used after the one before them. Rows of older versions have no number and are in no chain: what they
/// held is missing before the first row that has one, and may be missing between others where both versions ran at once.
const CHAIN: &str = "SELECT account_id, period, number, charge_id, line, request_id, target_type, target_id, target_version, \
            units, overage, cost_micros, named, used_after, overage_after, cost_after, n, u, o, c \
     FROM (SELECT account_id, period, number, charge_id, line, request_id, target_type, target_id, target_version, units, \
                  overage, cost_micros, used_after, overage_after, cost_after, \
                  CAST(CASE WHEN markers = '' OR markers LIKE '~%' AND SUBSTR(markers, 2, 64) NOT IN (SELECT digest FROM marker_lists) \
                       THEN 0 ELSE LENGTH(markers) - LENGTH(REPLACE(markers, ' ', '')) + 1 END AS BIGINT) AS named, \
                  COALESCE(LAG(number) OVER chain, 0) AS n, COALESCE(LAG(used_after) OVER chain, 0) AS u, \
                  COALESCE(LAG(overage_after) OVER chain, 0) AS o, COALESCE(LAG(cost_after) OVER chain, 0) AS c \
           FROM ledger WHERE number > 0 \
           WINDOW chain AS (PARTITION BY account_id, period ORDER BY number, charge_id, line)) AS linked \
     WHERE number <> n + 1 OR used_after - u <> units OR overage_after - o <> overage OR cost_after - c <> cost_micros \
        OR named <> units \
     ORDER BY account_id, period, number LIMIT ";

/// The last row of an account and month, with what was used after it.
const LAST: &str = "SELECT account_id, period, number, charge_id, line, request_id, target_type, target_id, target_version, \
            used_after, overage_after, cost_after, number \
     FROM ledger WHERE account_id = $1 AND period = $2 AND number > 0 ORDER BY number DESC LIMIT 1";

/// What rows without a number hold, by account and period.
const UNNUMBERED: &str = "SELECT account_id, period, CAST(COUNT(*) AS BIGINT), CAST(SUM(units) AS BIGINT), \
            CAST(SUM(overage) AS BIGINT), CAST(SUM(cost_micros) AS BIGINT) \
     FROM ledger WHERE number = 0 GROUP BY account_id, period";

impl Store {
    /// Compares every account with its ledger, and every row of the ledger with the one before it, within one snapshot.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn check_ledger(&self) -> Result<Checked, Refusal> {
        let begin = match self.dialect {
            Dialect::Sqlite => "BEGIN DEFERRED",
            Dialect::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        };
        let mut work = self.readers.begin_with(begin).await.map_err(down)?;
        let checked = check(&mut work).await.map_err(down);
        work.rollback().await.map_err(down)?;
        checked
    }
}

async fn check(work: &mut Transaction<'_, Any>) -> Result<Checked, sqlx::Error> {
    let rows = sqlx::query(SUMS).fetch_all(&mut **work).await?;
    let mut faults = Vec::new();
    for row in &rows {
        let (said, summed) = (four(row, 2)?, four(row, 6)?);
        if said != summed {
            let (account, period) = (row.try_get(0)?, row.try_get(1)?);
            faults.push(Fault { account, period, row: said, ledger: summed });
        }
    }
    let unnumbered = sqlx::query(UNNUMBERED).fetch_all(&mut **work).await?;
    let unnumbered: Vec<(String, String, [i64; 4])> = unnumbered
        .iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?, four(row, 2)?)))
        .collect::<Result<_, sqlx::Error>>()?;
    let chain = sqlx::query(sqlx::AssertSqlSafe(format!("{CHAIN}{MOST}"))).fetch_all(&mut **work).await?;
    let mut breaks = Vec::new();
    for row in &chain {
        breaks.extend(of_row(row)?);
    }
    // What older versions wrote is in no chain: all gaps of a month together hold just that, or something is missing.
    for (account, period, held) in &unnumbered {
        let is_here = |found: &Break| found.account == *account && found.period == *period;
        let mut gaps = [0_i64; 4];
        for found in breaks.iter().filter(|found| is_here(found)) {
            if let Wrong::Gap { rows, held: [units, overage, cost] } = found.what {
                for (sum, more) in gaps.iter_mut().zip([rows, units, overage, cost]) {
                    *sum = sum.saturating_add(more);
                }
            }
        }
        if gaps == *held {
            breaks.retain(|found| !(is_here(found) && matches!(found.what, Wrong::Gap { .. })));
        }
    }
    for fault in faults.iter().take(FAULTS_TRACED) {
        let last = sqlx::query(LAST).bind(&fault.account).bind(&fault.period);
        if let Some(row) = last.fetch_optional(&mut **work).await? {
            let (expected, found) = (four(&row, 9)?, fault.row);
            if expected != found {
                breaks.push(Place::of(&row)?.wrong(Wrong::Last { expected, found }));
            }
        }
    }
    Ok(Checked { rows: rows.len(), faults, breaks })
}

fn four(row: &AnyRow, from: usize) -> Result<[i64; 4], sqlx::Error> {
    Ok([row.try_get(from)?, row.try_get(from + 1)?, row.try_get(from + 2)?, row.try_get(from + 3)?])
}

fn three(row: &AnyRow, from: usize) -> Result<[i64; 3], sqlx::Error> {
    Ok([row.try_get(from)?, row.try_get(from + 1)?, row.try_get(from + 2)?])
}

/// A row of the ledger: of the columns from `account_id` to `target_version`.
struct Place {
    account: String,
    period: String,
    number: i64,
    charge: String,
    line: i64,
    request: String,
    target: String,
}

impl Place {
    fn of(row: &AnyRow) -> Result<Self, sqlx::Error> {
        let [kind, id, version]: [String; 3] = [row.try_get(6)?, row.try_get(7)?, row.try_get(8)?];
        Ok(Self {
            account: row.try_get(0)?,
            period: row.try_get(1)?,
            number: row.try_get(2)?,
            charge: row.try_get(3)?,
            line: row.try_get(4)?,
            request: row.try_get(5)?,
            target: format!("{kind} {id}@{version}"),
        })
    }

    fn wrong(&self, what: Wrong) -> Break {
        let Self { account, period, charge, request, target, .. } = self;
        Break {
            account: account.clone(),
            period: period.clone(),
            number: self.number,
            charge: charge.clone(),
            line: self.line,
            request: request.clone(),
            target: target.clone(),
            what,
        }
    }
}

/// What is wrong with a row that does not follow from the one before it.
fn of_row(row: &AnyRow) -> Result<Vec<Break>, sqlx::Error> {
    let place = Place::of(row)?;
    let found = three(row, 9)?;
    let named = row.try_get(12)?;
    let (after, last, before) = (three(row, 13)?, row.try_get::<i64, _>(16)?, three(row, 17)?);
    let between = [0, 1, 2].map(|at| after[at].saturating_sub(before[at]));
    let mut breaks = Vec::new();
    if place.number == last {
        breaks.push(place.wrong(Wrong::Twice));
    } else if place.number > last + 1 {
        // What is missing and what is wrong with the row itself cannot be told apart here: the row is believed.
        let held = [0, 1, 2].map(|at| between[at].saturating_sub(found[at]));
        breaks.push(place.wrong(Wrong::Gap { rows: place.number - last - 1, held }));
    } else if between != found {
        breaks.push(place.wrong(Wrong::Changed { expected: between, found }));
    }
    if named != found[0] {
        breaks.push(place.wrong(Wrong::Markers { named, units: found[0] }));
    }
    Ok(breaks)
}
