//! Who calls: a token, its organization, and where its account stands.

use crate::Service;
use crate::account::Standing;
use crate::cause::{Cause, Kind};
use crate::period::Period;
use crate::rate::Window;
use crate::refusal::{Code, Refusal};
use crate::spans::SPANS;
use crate::store::Key;
use crate::token::{self, Mode, Scope};
use sonometer::Unit;
use tracing::{Instrument, info_span};

/// A caller whose token is good.
#[derive(Clone, Debug)]
pub struct Caller {
    token: String,
    token_cap: Option<Unit>,
    org: String,
    account: String,
    scopes: Vec<Scope>,
    standing: Standing,
    revision: i64,
    window: Window,
    request: String,
}

impl Caller {
    /// The id of the token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The id of the organization.
    pub fn org(&self) -> &str {
        &self.org
    }

    /// Test or live.
    pub fn mode(&self) -> Mode {
        self.standing.mode
    }

    /// The account when the request came in.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Where the token stands in its window, this request included.
    pub fn window(&self) -> Window {
        self.window
    }

    /// With the id of the request, which its charges keep.
    #[must_use]
    pub fn asking(mut self, request: &str) -> Self {
        request.clone_into(&mut self.request);
        self
    }

    /// The id of the request; empty if nobody said it.
    pub(crate) fn request(&self) -> &str {
        &self.request
    }

    /// What causes the charges of this request: of kind `sense` unless something else is said.
    pub(crate) fn cause(&self, key: Option<&Key>) -> Cause {
        let key = key.filter(|key| !key.is_own).map(|key| key.text.clone());
        Cause { request: self.request.clone(), key: key.unwrap_or_default(), kind: Kind::Sense }
    }

    pub(crate) fn account(&self) -> &str {
        &self.account
    }

    pub(crate) fn token_cap(&self) -> Option<Unit> {
        self.token_cap
    }

    pub(crate) fn revision(&self) -> i64 {
        self.revision
    }

    /// Whether the token may be used for this, and often enough.
    ///
    /// # Errors
    /// `rate_limited`, `forbidden`.
    pub fn may(&self, scope: Option<Scope>) -> Result<(), Refusal> {
        if self.window.exceeded {
            if self.window.limit == 0 {
                // Not `rate_limited`, which says when it is worth trying again.
                let message = "this account takes no requests (its limit is 0 in a minute); ask the operator of the service to raise it";
                return Err(Refusal::new(Code::Forbidden, message));
            }
            let message =
                format!("more than {} requests in this minute; wait for the next one", self.window.limit);
            let refusal = Refusal::new(Code::RateLimited, message);
            return Err(Refusal { retry_after: self.window.retry_after, ..refusal });
        }
        match scope {
            Some(scope) if !self.scopes.contains(&scope) => {
                let message = format!("this token has no scope `{}`", scope.as_str());
                Err(Refusal::new(Code::Forbidden, message))
            }
            _ => Ok(()),
        }
    }
}

impl Service {
    /// The caller behind a token, and one request counted.
    ///
    /// # Errors
    /// `unauthorized` for whatever is no good token, all told alike; `unavailable`.
    pub async fn caller(&self, token: &str) -> Result<Caller, Refusal> {
        let no = || {
            let message = "the API token is missing, invalid or expired; send a good one as `Authorization: Bearer sono_…`";
            Refusal::new(Code::Unauthorized, message)
        };
        if !token::is_well_formed(token) {
            return Err(no());
        }
        let now = self.now_ms();
        let hash = token::hash(token);
        let holder = self.inner.store.holder(&hash, Period::at(now));
        let holder = holder.instrument(info_span!(target: SPANS, "store.token")).await?.ok_or_else(no)?;
        let of = holder.token;
        if of.revoked_ms != 0 || of.expires_ms != 0 && of.expires_ms <= now {
            return Err(no());
        }
        let shared = Some(self.store()).filter(|store| store.is_shared());
        let limit = holder.standing.settings.per_window;
        let window = self.inner.windows.count(shared, &of.id, limit, now).await?;
        Ok(Caller {
            token: of.id,
            token_cap: of.cap_usd,
            org: of.org,
            account: holder.account_id,
            scopes: of.scopes,
            standing: holder.standing,
            revision: holder.revision,
            window,
            request: String::new(),
        })
    }
}

/// The key of a request that can be repeated.
///
/// # Errors
/// `invalid_request` unless it is 1 to 255 printable ASCII characters.
pub(crate) fn key(text: Option<&[u8]>, body: &str) -> Result<Option<Key>, Refusal> {
    let Some(text) = text else { return Ok(None) };
    match std::str::from_utf8(text) {
        Ok(key) if (1..=255).contains(&key.len()) && key.bytes().all(|b| (b' '..=b'~').contains(&b)) => {
            let (text, body_sha) = (key.to_owned(), token::sha256(body.as_bytes()));
            Ok(Some(Key { text, body_sha, is_own: false }))
        }
        _ => {
            let message = "`Idempotency-Key` must have 1 to 255 printable ASCII characters";
            Err(Refusal::invalid("Idempotency-Key", message))
        }
    }
}
