//! Organizations and their accounts.

use super::{Store, count, down, stored};
use crate::account::{Settings, Standing, Used};
use crate::period::Period;
use crate::refusal::Refusal;
use crate::token::Mode;
use sonometer::Unit;
use sqlx::Row;
use sqlx::any::AnyRow;

/// An organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrgRow {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// When it was made.
    pub created_ms: i64,
}

pub(super) fn account_id(org: &str, mode: Mode) -> String {
    format!("{org}/{}", mode.as_str())
}

pub(super) fn settings(row: &AnyRow) -> Result<Settings, sqlx::Error> {
    let cap: i64 = row.try_get("cap_micros")?;
    Ok(Settings {
        tier: row.try_get("tier")?,
        quota: count(row.try_get("quota")?),
        overage: row.try_get::<i64, _>("overage")? != 0,
        rate_usd: Unit(row.try_get("rate_micros")?),
        cap_usd: (cap >= 0).then_some(Unit(cap)),
        per_window: count(row.try_get("per_window")?),
    })
}

impl Store {
    /// Makes an organization with both its accounts.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn create_org(&self, org: &OrgRow, accounts: &[(Mode, Settings)]) -> Result<(), Refusal> {
        let mut work = self.begin().await?;
        sqlx::query("INSERT INTO orgs (id, name, created_ms, revision) VALUES ($1, $2, $3, 0)")
            .bind(&org.id)
            .bind(&org.name)
            .bind(org.created_ms)
            .execute(&mut *work)
            .await
            .map_err(down)?;
        for (mode, settings) in accounts {
            sqlx::query(
                "INSERT INTO accounts (id, org_id, mode, tier, quota, overage, rate_micros, cap_micros, per_window) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            )
            .bind(account_id(&org.id, *mode))
            .bind(&org.id)
            .bind(mode.as_str())
            .bind(&settings.tier)
            .bind(stored(settings.quota))
            .bind(i64::from(settings.overage))
            .bind(settings.rate_usd.0)
            .bind(settings.cap_usd.map_or(-1, |cap| cap.0))
            .bind(stored(settings.per_window))
            .execute(&mut *work)
            .await
            .map_err(down)?;
        }
        work.commit().await.map_err(down)
    }

    /// Every organization, by id.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn orgs(&self) -> Result<Vec<OrgRow>, Refusal> {
        let rows = sqlx::query("SELECT id, name, created_ms FROM orgs ORDER BY id")
            .fetch_all(&self.readers)
            .await
            .map_err(down)?;
        let org = |row: &AnyRow| {
            Ok(OrgRow { id: row.try_get(0)?, name: row.try_get(1)?, created_ms: row.try_get(2)? })
        };
        rows.iter().map(org).collect::<Result<_, _>>().map_err(down)
    }

    /// An account in a period; `None` if there is no such organization.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn standing(&self, org: &str, mode: Mode, period: Period) -> Result<Option<Standing>, Refusal> {
        let row = sqlx::query(
            "SELECT a.tier, a.quota, a.overage, a.rate_micros, a.cap_micros, a.per_window, \
                    COALESCE(c.used, 0) AS used, COALESCE(c.overage, 0) AS over_used, \
                    COALESCE(c.cost_micros, 0) AS cost_micros \
             FROM accounts a LEFT JOIN consumption c ON c.account_id = a.id AND c.period = $2 WHERE a.id = $1",
        )
        .bind(account_id(org, mode))
        .bind(period.to_string())
        .fetch_optional(&self.readers)
        .await
        .map_err(down)?;
        row.map(|row| standing(&row, mode, period)).transpose().map_err(down)
    }

    /// Changes an account; whether there is one.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn set_account(&self, org: &str, mode: Mode, settings: &Settings) -> Result<bool, Refusal> {
        let done = sqlx::query(
            "UPDATE accounts SET tier = $2, quota = $3, overage = $4, rate_micros = $5, cap_micros = $6, \
             per_window = $7 WHERE id = $1",
        )
        .bind(account_id(org, mode))
        .bind(&settings.tier)
        .bind(stored(settings.quota))
        .bind(i64::from(settings.overage))
        .bind(settings.rate_usd.0)
        .bind(settings.cap_usd.map_or(-1, |cap| cap.0))
        .bind(stored(settings.per_window))
        .execute(&self.writer)
        .await
        .map_err(down)?;
        Ok(done.rows_affected() > 0)
    }
}

pub(super) fn standing(row: &AnyRow, mode: Mode, period: Period) -> Result<Standing, sqlx::Error> {
    let used = Used {
        units: count(row.try_get("used")?),
        overage: count(row.try_get("over_used")?),
        cost_usd: Unit(row.try_get("cost_micros")?),
    };
    Ok(Standing { settings: settings(row)?, mode, period, used })
}
