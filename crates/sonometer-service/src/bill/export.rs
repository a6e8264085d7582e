//! The whole bill, read page by page: however long it is, one page is held at a time, and no connection to the database
//! between two pages.

use crate::Service;
use crate::queue::Place;
use crate::refusal::Refusal;
use crate::store::{Filter, LedgerRow, Month, Position, Rows, Store};
use crate::token::Mode;
use std::collections::VecDeque;

/// Rows of a page.
const PAGE: u64 = 1_000;

/// A bill that is being read. It is that of the moment at which it began: what is charged meanwhile is not in it, so that its
/// sums are what the account had used then.
pub struct Export {
    service: Service,
    org: String,
    mode: Mode,
    account: String,
    filter: Filter,
    /// The months that are left.
    months: VecDeque<Month>,
    behind: Option<Position>,
}

impl Export {
    pub(super) async fn begin(
        service: &Service,
        org: &str,
        mode: Mode,
        filter: Filter,
    ) -> Result<Self, Refusal> {
        let account = Store::account_of(org, mode);
        let months = service.inner.store.months(&account, &filter).await?.into();
        let (service, org) = (service.clone(), org.to_owned());
        Ok(Self { service, org, mode, account, filter, months, behind: None })
    }

    /// Whether the account is for tests or paid for.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The next rows, the oldest first; `None` behind the last one.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn next(&mut self) -> Result<Option<Vec<LedgerRow>>, Refusal> {
        while let Some(month) = self.months.front() {
            let place = self.service.place_at_ledger(&self.org).await?;
            let store = &self.service.inner.store;
            let Rows { rows, is_end } =
                store.month_rows(&self.account, &self.filter, *month, self.behind.as_ref(), PAGE).await?;
            drop(place);
            self.behind = rows.last().map(Position::behind);
            if is_end {
                self.months.pop_front();
                self.behind = None;
            }
            if !rows.is_empty() {
                return Ok(Some(rows));
            }
        }
        Ok(None)
    }
}

impl Service {
    /// A place among those that read the ledger or count jobs, which may take long.
    pub(crate) async fn place_at_ledger(&self, org: &str) -> Result<Place, Refusal> {
        let full = |_| Refusal::unavailable("too many bills and lists of one organization are read at once");
        self.inner.ledger.place(org, 1).await.map_err(full)
    }

    /// The bill of an organization, for its operator.
    ///
    /// # Errors
    /// `invalid_request` if there is no such organization, `unavailable`.
    pub async fn export_of(&self, org: &str, mode: Mode, filter: Filter) -> Result<Export, Refusal> {
        self.known_org(org).await?;
        Export::begin(self, org, mode, filter).await
    }
}
