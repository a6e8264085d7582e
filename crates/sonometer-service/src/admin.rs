//! Administration: organizations, tokens, quotas, and what an organization publishes.

use crate::Service;
use crate::account::{Settings, Standing};
use crate::catalogue::{Shelf, compose};
use crate::effort::Effort;
use crate::period::{Period, iso};
use crate::refusal::{Code, Refusal, counted};
use crate::store::{NewToken, OrgRow, TargetRow};
use crate::text;
use crate::token::{self, Mode, Scope};
use sonometer::protocol::{NoFile, Status};
use sonometer::stage::Stage;
use sonometer::{Document, Mask, TargetKind, Unit};
use std::borrow::Cow;

/// Requests publish one text, so a protocol that names list files is refused.
fn no_list_files(_: &str) -> Result<Cow<'static, str>, NoFile> {
    Err(NoFile::missing("the service takes no list files; write the entries into `lists`"))
}

/// An organization, an account and a token that were made because there were none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The id of the organization.
    pub org: String,
    /// The token; it is shown here and never again.
    pub token: String,
}

/// A version that was published, or put there as a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// `protocol`, `metric`, `blueprint` or `stage`.
    pub kind: &'static str,
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// `draft`, `published`, `active` or `archived`.
    pub status: String,
    /// Of its canonical form.
    pub digest: String,
}

fn wrong(message: impl Into<String>) -> Refusal {
    Refusal::new(Code::InvalidRequest, message)
}

impl Service {
    /// Makes the first organization with a test token, if there is no organization yet.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn settle(&self) -> Result<Option<Settled>, Refusal> {
        if !self.store().orgs().await?.is_empty() {
            return Ok(None);
        }
        let org = match self.create_org("first", "First organization").await {
            Ok(org) => org.id,
            // Another process was faster.
            Err(_) if !self.store().orgs().await?.is_empty() => return Ok(None),
            Err(refusal) => return Err(refusal),
        };
        let (_, token) = self.create_token(&org, Mode::Test, "first", &Scope::DEFAULT, None, 0).await?;
        Ok(Some(Settled { org, token }))
    }

    /// Makes an organization with a test and a live account of the `developer` tier.
    ///
    /// # Errors
    /// `invalid_request` for an id that is taken, or not 1 to 64 lower-case letters, digits, `-` and `_`.
    pub async fn create_org(&self, id: &str, name: &str) -> Result<OrgRow, Refusal> {
        let is_good = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
        if !(1..=64).contains(&id.len()) || !id.bytes().all(is_good) {
            return Err(wrong(
                "the id of an organization is 1 to 64 lower-case letters, digits, `-` and `_`",
            ));
        }
        if self.store().orgs().await?.iter().any(|org| org.id == id) {
            return Err(wrong(format!("the organization `{id}` already exists")));
        }
        text::check("name", name)?;
        let org = OrgRow { id: id.to_owned(), name: name.to_owned(), created_ms: self.now_ms() };
        self.store().create_org(&org, &Mode::ALL.map(|mode| (mode, Settings::new(mode)))).await?;
        Ok(org)
    }

    /// Makes a token: its id, and the token itself, which is shown here and never again.
    ///
    /// # Errors
    /// `invalid_request` if there is no such organization, or the token would have expired already.
    pub async fn create_token(
        &self,
        org: &str,
        mode: Mode,
        name: &str,
        scopes: &[Scope],
        cap_usd: Option<Unit>,
        expires_ms: i64,
    ) -> Result<(String, String), Refusal> {
        self.known_org(org).await?;
        text::check("name", name)?;
        self.check_end("expires", expires_ms)?;
        let token = token::write(mode, self.inner.ids.secret()?);
        let mut scopes = scopes.to_vec();
        scopes.sort_unstable();
        scopes.dedup();
        let new = NewToken {
            id: self.id("tok"),
            org: org.to_owned(),
            mode,
            name: name.to_owned(),
            hash: token::hash(&token),
            ending: token[token.len() - 4..].to_owned(),
            scopes,
            cap_usd,
            created_ms: self.now_ms(),
            expires_ms,
        };
        self.store().create_token(&new).await?;
        Ok((new.id, token))
    }

    /// Whether a token or a session that is made now is good for a while (0: for ever).
    pub(crate) fn check_end(&self, place: &str, end_ms: i64) -> Result<(), Refusal> {
        let now = self.now_ms();
        if end_ms == 0 || end_ms > now {
            return Ok(());
        }
        let message =
            format!("{} is past; it is {} now; give a later moment, or `never`", iso(end_ms), iso(now));
        Err(Refusal::invalid(place, message))
    }

    /// Makes a token in the place of another: of the same organization, for the same, invited to the same stages. The other stays
    /// good for a while longer. Without `expires_ms` (0: never) it expires when the other does, which an earlier
    /// rotation may have brought forward. The id of the new one, the token itself, which is shown here and never again, and when it expires.
    ///
    /// # Errors
    /// `invalid_request` if there is no such token, it is good no longer, or the new one would have expired already.
    pub async fn rotate_token(
        &self,
        id: &str,
        overlap_ms: i64,
        expires_ms: Option<i64>,
    ) -> Result<(String, String, i64), Refusal> {
        text::check("id", id)?;
        let now = self.now_ms();
        let old = self.store().tokens(None).await?.into_iter().find(|token| token.id == id);
        let old = old.filter(|old| old.revoked_ms == 0 && (old.expires_ms == 0 || old.expires_ms > now));
        let old = old.ok_or_else(|| wrong(format!("there is no active token `{id}` to replace")))?;
        let expires_ms = expires_ms.unwrap_or(old.expires_ms);
        let (made, token) =
            self.create_token(&old.org, old.mode, &old.name, &old.scopes, old.cap_usd, expires_ms).await?;
        self.store().copy_invitations(id, &made, now).await?;
        let ends = now.saturating_add(overlap_ms.max(0));
        if old.expires_ms == 0 || ends < old.expires_ms {
            self.expire_token(id, ends).await?;
        }
        Ok((made, token, expires_ms))
    }

    /// Takes a token back at once.
    ///
    /// # Errors
    /// `invalid_request` if there is no such token, or it was taken back before.
    pub async fn revoke_token(&self, id: &str) -> Result<(), Refusal> {
        text::check("id", id)?;
        match self.store().revoke_token(id, self.now_ms()).await? {
            true => Ok(()),
            false => Err(wrong(format!("there is no active token `{id}` to revoke"))),
        }
    }

    /// Sets when a token expires (milliseconds since 1970; 0: never).
    ///
    /// # Errors
    /// `invalid_request` if there is no such token.
    pub async fn expire_token(&self, id: &str, expires_ms: i64) -> Result<(), Refusal> {
        text::check("id", id)?;
        match self.store().expire_token(id, expires_ms).await? {
            true => Ok(()),
            false => Err(wrong(format!("there is no active token `{id}` to change"))),
        }
    }

    /// The account of an organization in the current period.
    ///
    /// # Errors
    /// `invalid_request` if there is no such organization.
    pub async fn account(&self, org: &str, mode: Mode) -> Result<Standing, Refusal> {
        let standing = self.store().standing(org, mode, Period::at(self.now_ms())).await?;
        standing.ok_or_else(|| wrong(format!("unknown organization `{org}`")))
    }

    /// Changes an account.
    ///
    /// # Errors
    /// `invalid_request` if there is no such organization, or an amount is below 0.
    pub async fn set_account(&self, org: &str, mode: Mode, settings: &Settings) -> Result<(), Refusal> {
        if settings.rate_usd < Unit::ZERO || settings.cap_usd.is_some_and(|cap| cap < Unit::ZERO) {
            return Err(wrong("an amount must be at least 0"));
        }
        text::check("tier", &settings.tier)?;
        if settings.tier.trim().is_empty() {
            return Err(wrong("the tier has no name"));
        }
        match self.store().set_account(org, mode, settings).await? {
            true => Ok(()),
            false => Err(wrong(format!("unknown organization `{org}`"))),
        }
    }

    /// Puts a protocol, metric, blueprint or stage on the shelf of an organization, in the state that the file names. A draft takes
    /// the place of a draft; what is published never changes; the same file again changes nothing.
    ///
    /// # Errors
    /// `invalid_request` with what is wrong: the file, a mask that needs a key, an id that ships, a version that is published with another digest,
    /// something that it names and that is not there.
    pub async fn publish(&self, org: &str, source: &str) -> Result<Published, Refusal> {
        text::check("the file", source)?;
        if Stage::is_meant(source) {
            return self.publish_stage(org, source).await;
        }
        self.known_org(org).await?;
        let (document, _) = Document::read_with(source, &no_list_files)
            .map_err(|error| Refusal::invalid(error.place, error.message))?;
        let (kind, id, version, status) =
            (document.kind(), document.id(), document.version(), document.status());
        if status == "archived" {
            return Err(wrong("an archived version cannot be published; publish it first, then archive it"));
        }
        if let Document::Protocol(protocol) = &document
            && let Some(keyed) = protocol.markers.iter().find(|marker| marker.mask == Some(Mask::Keyed))
        {
            return Err(wrong(format!(
                "the mask `keyed` of `{}` needs a key, which requests cannot send; write `label` or `numbered`",
                keyed.label
            )));
        }
        if sonometer_catalog::entries(kind).iter().any(|entry| entry.id == id) {
            return Err(wrong(format!(
                "the {} `{id}` is built into the service; choose another id",
                kind.as_str()
            )));
        }
        let shelf = Shelf::of(&self.store().targets(org).await?, self.inner.shipped.clone());
        compose(&shelf, &document)?;
        let new = TargetRow {
            kind,
            id: id.to_owned(),
            version: version.to_owned(),
            status: status.to_owned(),
            digest: document.digest(),
            source: source.to_owned(),
        };
        let mut same = false;
        let decide = |there: Option<&TargetRow>| match there {
            None => Ok(()),
            Some(there) if there.status == "draft" => Ok(()),
            Some(there) if there.digest == new.digest && there.status == new.status => {
                same = true;
                Ok(())
            }
            Some(there) => Err(wrong(format!(
                "{} `{id}@{version}` is {} and never changes; give it another version",
                kind.as_str(),
                there.status
            ))),
        };
        self.store().put_target(org, &new, self.now_ms(), decide).await?;
        tracing::info!(org, id, version, status, same, "put on the shelf");
        let TargetRow { kind, id, version, status, digest, .. } = new;
        Ok(Published { kind: kind.as_str(), id, version, status, digest })
    }

    /// Whether a protocol that says it is published has passed its own tests, and has no warnings: it never changes. So the command
    /// does with a file before it comes here; a stage is asked where it is published.
    ///
    /// # Errors
    /// `invalid_request` with how many of its tests fail; what is wrong with the file.
    pub(crate) async fn proven(&self, org: &str, source: &str) -> Result<(), Refusal> {
        self.known_org(org).await?;
        if Stage::is_meant(source) {
            return Ok(());
        }
        let (document, warnings) = Document::read_with(source, &no_list_files)
            .map_err(|error| Refusal::invalid(error.place, error.message))?;
        let Document::Protocol(protocol) = document else { return Ok(()) };
        if protocol.status != Status::Published {
            return Ok(());
        }
        if let Some(first) = warnings.iter().next() {
            return Err(wrong(format!(
                "the protocol has {}; fix them first, because a published version never changes; the first: {first}",
                counted(warnings.iter().count(), "warning")
            )));
        }
        let ran = self.work(org, Effort::LONG, move || sonometer_author::test::failures(&protocol)).await?;
        match ran.map_err(|error| Refusal::invalid(error.place, error.message))? {
            (1.., 0) => Ok(()),
            (tests, failing) => Err(wrong(format!(
                "the protocol has {}, of which {failing} fail; a published version never changes, so first make \
                 `sonometer test --strict` of this file pass",
                counted(tests, "test")
            ))),
        }
    }

    /// Archives a version: it stays callable by its exact version.
    ///
    /// # Errors
    /// `invalid_request` if the organization has no such version, or it is a draft.
    pub async fn archive(&self, org: &str, kind: TargetKind, id: &str, version: &str) -> Result<(), Refusal> {
        let rows = self.store().targets(org).await?;
        let none = || wrong(format!("`{org}` has no {} `{id}` with version `{version}`", kind.as_str()));
        let there = rows.into_iter().find(|row| (row.kind, &*row.id, &*row.version) == (kind, id, version));
        let there = there.ok_or_else(none)?;
        let archived = TargetRow { status: "archived".to_owned(), ..there };
        let decide = |there: Option<&TargetRow>| match there {
            Some(there) if there.status == "draft" => {
                Err(wrong("a draft cannot be archived; publish it first"))
            }
            Some(_) => Ok(()),
            None => Err(none()),
        };
        self.store().put_target(org, &archived, self.now_ms(), decide).await
    }

    /// Whether there is an organization.
    ///
    /// # Errors
    /// `invalid_request` if there is none with this id.
    pub async fn known_org(&self, org: &str) -> Result<(), Refusal> {
        match self.store().orgs().await?.iter().any(|known| known.id == org) {
            true => Ok(()),
            false => Err(wrong(format!("unknown organization `{org}`"))),
        }
    }
}
