//! The rows of the ledger as a bill shows them: found by what caused them, page by page.
//!
//! A page begins behind a position, never after so many rows, so that the last page of a long list costs as much as the first.

use super::accounts::account_id;
use super::{Store, count, down, stored};
use crate::period::Period;
use crate::refusal::Refusal;
use crate::token::Mode;
use sonometer::Unit;
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use sqlx::{Any, Row};
use std::fmt::Write;

/// Which rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// From this moment on, in milliseconds since 1970.
    pub from_ms: i64,
    /// Before this moment.
    pub until_ms: i64,
    /// The id of the token.
    pub token: Option<String>,
    /// The id of the target.
    pub target: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The id of the request.
    pub request: Option<String>,
}

/// A row of the ledger: one measurement that was charged. Texts are empty where an older version did not keep them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRow {
    /// Names the charge; for a job its id, for an action in a dive the dive and the turn.
    pub charge: String,
    /// The number of the row in its charge, from 0.
    pub line: u64,
    /// The month it belongs to, `YYYY-MM`.
    pub period: String,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// The id of the token.
    pub token: String,
    /// The id of the request.
    pub request: String,
    /// The `Idempotency-Key` of the request.
    pub key: String,
    /// One of [`crate::cause::Kind::NAMES`].
    pub kind: String,
    /// `protocol`, `metric` or `blueprint`.
    pub target_type: String,
    /// The id of the target.
    pub target_id: String,
    /// The version that was used.
    pub target_version: String,
    /// The digest of its file.
    pub target_digest: String,
    /// The keys of the metamarkers that triggered, with a space between them.
    pub markers: String,
    /// ICS.
    pub units: u64,
    /// ICS of these beyond the quota.
    pub overage: u64,
    /// What these cost, in US dollars.
    pub cost_usd: Unit,
}

/// Rows of an account, as many as were asked for or fewer.
pub(crate) struct Rows {
    pub(crate) rows: Vec<LedgerRow>,
    /// Whether no more come behind them.
    pub(crate) is_end: bool,
}

/// A place in the ledger of an account: right behind this row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) at_ms: i64,
    pub(crate) charge: String,
    pub(crate) line: i64,
}

impl Position {
    pub(crate) fn behind(row: &LedgerRow) -> Self {
        Self { at_ms: row.at_ms, charge: row.charge.clone(), line: stored(row.line) }
    }
}

/// The sums of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) rows: u64,
    pub(crate) units: u64,
    pub(crate) overage: u64,
    pub(crate) cost_usd: Unit,
}

/// A month of an account, and how many rows it had at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Month {
    pub(crate) period: Period,
    pub(crate) rows: i64,
}

/// A condition with the values of its parameters, in their order.
struct Condition<'f> {
    text: String,
    values: Vec<Value<'f>>,
}

enum Value<'f> {
    Text(&'f str),
    Owned(String),
    Number(i64),
}

impl<'f> Condition<'f> {
    /// The rows of an account that a filter lets through.
    fn of(account: &'f str, filter: &'f Filter) -> Self {
        let mut condition = Self { text: "account_id = $1".to_owned(), values: vec![Value::Text(account)] };
        let Filter { from_ms, until_ms, token, target, version, request } = filter;
        // Said twice, since the index begins with the period.
        let last = until_ms.saturating_sub(1);
        condition.and("period >= ", Value::Owned(Period::at(*from_ms).to_string()));
        condition.and("period <= ", Value::Owned(Period::at(last).to_string()));
        condition.and("at_ms >= ", Value::Number(*from_ms));
        condition.and("at_ms <= ", Value::Number(last));
        let texts = [
            ("token_id = ", token),
            ("target_id = ", target),
            ("target_version = ", version),
            ("request_id <> '' AND request_id = ", request),
        ];
        for (what, value) in texts {
            if let Some(value) = value {
                condition.and(what, Value::Text(value));
            }
        }
        condition
    }

    fn and(&mut self, what: &str, value: Value<'f>) {
        self.values.push(value);
        // Writing to a string does not fail.
        let _ = write!(self.text, " AND {what}${}", self.values.len());
    }

    /// Only what is before or behind a position.
    fn beyond(&mut self, sign: char, position: &'f Position) {
        let at = self.values.len();
        let Position { at_ms, charge, line } = position;
        let period = Value::Owned(Period::at(*at_ms).to_string());
        self.values.extend([period, Value::Number(*at_ms), Value::Text(charge), Value::Number(*line)]);
        let _ = write!(
            self.text,
            " AND (period, at_ms, charge_id, line) {sign} (${}, ${}, ${}, ${})",
            at + 1,
            at + 2,
            at + 3,
            at + 4
        );
    }

    fn bound<'q>(self, statement: &'q str) -> Query<'q, Any, AnyArguments> {
        let query = sqlx::query(sqlx::AssertSqlSafe(statement.to_owned()));
        self.values.into_iter().fold(query, |query, value| match value {
            Value::Text(text) => query.bind(text.to_owned()),
            Value::Owned(text) => query.bind(text),
            Value::Number(number) => query.bind(number),
        })
    }
}

const COLUMNS: &str = "charge_id, line, period, at_ms, token_id, request_id, idempotency_key, kind, target_type, target_id, \
                       target_version, target_digest, markers, units, overage, cost_micros";

fn row(row: &AnyRow) -> Result<LedgerRow, sqlx::Error> {
    Ok(LedgerRow {
        charge: row.try_get(0)?,
        line: count(row.try_get(1)?),
        period: row.try_get(2)?,
        at_ms: row.try_get(3)?,
        token: row.try_get(4)?,
        request: row.try_get(5)?,
        key: row.try_get(6)?,
        kind: row.try_get(7)?,
        target_type: row.try_get(8)?,
        target_id: row.try_get(9)?,
        target_version: row.try_get(10)?,
        target_digest: row.try_get(11)?,
        markers: row.try_get(12)?,
        units: count(row.try_get(13)?),
        overage: count(row.try_get(14)?),
        cost_usd: Unit(row.try_get(15)?),
    })
}

impl Store {
    /// Rows of an account, the newest first, from behind a position on.
    pub(crate) async fn newest_rows(
        &self,
        account: &str,
        filter: &Filter,
        behind: Option<&Position>,
        limit: u64,
    ) -> Result<Rows, Refusal> {
        let mut condition = Condition::of(account, filter);
        if let Some(position) = behind {
            condition.beyond('<', position);
        }
        self.rows(condition, "DESC", limit).await
    }

    /// Rows of a month as it was when it had so many, the oldest first, from behind a position on.
    ///
    /// Rows get their numbers under the lock of their account, so those up to a number are all there: whatever is charged
    /// meanwhile changes nothing of what these pages hold together.
    pub(crate) async fn month_rows(
        &self,
        account: &str,
        filter: &Filter,
        month: Month,
        behind: Option<&Position>,
        limit: u64,
    ) -> Result<Rows, Refusal> {
        let mut condition = Condition::of(account, filter);
        condition.and("period = ", Value::Owned(month.period.to_string()));
        condition.and("number <= ", Value::Number(month.rows));
        if let Some(position) = behind {
            condition.beyond('>', position);
        }
        self.rows(condition, "ASC", limit).await
    }

    async fn rows(&self, condition: Condition<'_>, order: &str, limit: u64) -> Result<Rows, Refusal> {
        let text = &condition.text;
        let statement = format!(
            "SELECT {COLUMNS} FROM ledger WHERE {text} \
             ORDER BY period {order}, at_ms {order}, charge_id {order}, line {order} LIMIT {limit}"
        );
        let rows = condition.bound(&statement).fetch_all(&self.readers).await.map_err(down)?;
        let found = rows.len() as u64;
        let mut rows = rows.iter().map(row).collect::<Result<_, _>>().map_err(down)?;
        self.spell_out(&mut rows).await?;
        Ok(Rows { is_end: found < limit && rows.len() as u64 == found, rows })
    }

    /// The sums of rows of an account.
    pub(crate) async fn row_sums(&self, account: &str, filter: &Filter) -> Result<Sums, Refusal> {
        let condition = Condition::of(account, filter);
        let statement = format!(
            "SELECT COUNT(*), CAST(COALESCE(SUM(units), 0) AS BIGINT), CAST(COALESCE(SUM(overage), 0) AS BIGINT), \
                    CAST(COALESCE(SUM(cost_micros), 0) AS BIGINT) FROM ledger WHERE {}",
            condition.text
        );
        let row = condition.bound(&statement).fetch_one(&self.readers).await.map_err(down)?;
        let sums = || {
            Ok(Sums {
                rows: count(row.try_get(0)?),
                units: count(row.try_get(1)?),
                overage: count(row.try_get(2)?),
                cost_usd: Unit(row.try_get(3)?),
            })
        };
        sums().map_err(down)
    }

    /// The months of an account that a filter touches, with the rows that they have now, the oldest first.
    pub(crate) async fn months(&self, account: &str, filter: &Filter) -> Result<Vec<Month>, Refusal> {
        let rows = sqlx::query(
            "SELECT period, analyses FROM consumption WHERE account_id = $1 AND period >= $2 AND period <= $3 \
             ORDER BY period",
        )
        .bind(account)
        .bind(Period::at(filter.from_ms).to_string())
        .bind(Period::at(filter.until_ms.saturating_sub(1)).to_string())
        .fetch_all(&self.readers)
        .await
        .map_err(down)?;
        let month = |row: &AnyRow| {
            let text: String = row.try_get(0)?;
            let period =
                Period::parse(&text).ok_or_else(|| sqlx::Error::Decode("an unknown period".into()))?;
            Ok(Month { period, rows: row.try_get(1)? })
        };
        rows.iter().map(month).collect::<Result<_, _>>().map_err(down)
    }

    /// The id of the account of an organization.
    pub(crate) fn account_of(org: &str, mode: Mode) -> String {
        account_id(org, mode)
    }
}
