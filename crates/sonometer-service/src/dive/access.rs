//! Which stage somebody means, and whether they are let in.

use super::body::Open;
use crate::refusal::{Code, Refusal, There};
use crate::store::{Grant, StageAccess, StageRow};
use crate::{Caller, Mode as TokenMode, Service};
use sonometer::document::suggest;
use sonometer::stage::{Access, Mode, Stage};
use sonometer_catalog::{NotFound, compare_versions, split, stage_named};

/// A stage that a caller can see.
pub(super) struct Seen {
    /// Whose it is; empty: it ships.
    pub(super) owner: String,
    pub(super) stage: Stage,
    /// A draft of the organization's own.
    is_draft: bool,
    /// What the owner says about access.
    pub(super) says: StageAccess,
    /// Whether a session was named that is of this stage, and is not over.
    session: Option<bool>,
}

impl Seen {
    /// Whom it lets in.
    pub(super) fn access(&self) -> Access {
        Access::from_name(&self.says.mode).unwrap_or(self.stage.publication.access_mode)
    }

    /// Whether a dive counts: what live tokens dive does and what test tokens dive does not, unless the stage offers one of
    /// the two only. A draft, which can still change, is dived for practice.
    pub(super) fn mode(&self, token: TokenMode) -> Mode {
        let wanted = match token {
            TokenMode::Live => Mode::Graded,
            TokenMode::Test => Mode::Practice,
        };
        let modes = &self.stage.publication.modes;
        match modes.first() {
            _ if self.is_draft => Mode::Practice,
            Some(only) if !modes.contains(&wanted) => *only,
            _ => wanted,
        }
    }
}

/// The version that is asked for, else the latest published one. Drafts are for their own organization.
fn choose(rows: Vec<StageRow>, version: Option<&str>, is_own: bool) -> Option<StageRow> {
    let fits = |row: &StageRow| match version {
        Some(version) => row.version == version && (is_own || row.status != "draft"),
        None => row.status == "published",
    };
    rows.into_iter().filter(fits).max_by(|a, b| compare_versions(&a.version, &b.version))
}

impl Service {
    /// The stage that is asked for. What a caller may not know of is not found.
    pub(super) async fn seen(&self, caller: &Caller, asked: &Open) -> Result<Seen, Refusal> {
        let (id, version) = split(&asked.stage);
        let (store, now) = (&self.inner.store, self.now_ms());
        let is_good = |until: i64| until == 0 || until > now;
        let mut owners: Vec<(String, Option<bool>)> = Vec::new();
        if let Some(session) = &asked.session {
            let of = store.granted(id, Grant::Session, session).await?;
            owners.extend(of.into_iter().map(|(owner, until)| (owner, Some(is_good(until)))));
        }
        owners.push((caller.org().to_owned(), None));
        if let Some(seen) = self.first_of(caller, &owners, id, version).await? {
            return Ok(seen);
        }
        let shipped = stage_named(&asked.stage);
        if let Ok(entry) = &shipped {
            let stage = Stage::read(entry.source).map_err(|error| Refusal::internal(&error.to_string()))?.0;
            let (owner, says) = (String::new(), StageAccess::default());
            return Ok(Seen { owner, stage, is_draft: false, says, session: None });
        }
        let mut others = store.granted(id, Grant::Entitled, caller.org()).await?;
        others.extend(store.granted(id, Grant::Invite, caller.token()).await?);
        let others = others.into_iter().filter(|(_, until)| is_good(*until));
        let others: Vec<_> = others.map(|(owner, _)| (owner, None)).collect();
        let seen = self.first_of(caller, &others, id, version).await?;
        match (seen, shipped) {
            (Some(seen), _) => Ok(seen),
            (None, shipped) => Err(self.unseen(caller.org(), id, version, shipped.err()).await?),
        }
    }

    /// That there is no such stage. Only what ships and what is the organization's own is suggested: stages of others are not for
    /// everybody to know of.
    async fn unseen(
        &self,
        org: &str,
        id: &str,
        version: Option<&str>,
        shipped: Option<NotFound<'_>>,
    ) -> Result<Refusal, Refusal> {
        let own = self.inner.store.stages(org, None).await?;
        let mut versions: Vec<&str> =
            own.iter().filter(|row| row.id == id).map(|row| row.version.as_str()).collect();
        versions.sort_by(|a, b| compare_versions(a, b));
        if versions.is_empty()
            && let Some(none) = &shipped
        {
            versions.extend(none.versions.iter().map(|entry| entry.version));
        }
        let mut ids: Vec<&str> = own.iter().map(|row| row.id.as_str()).collect();
        ids.dedup();
        let near = || shipped.as_ref().and_then(NotFound::suggestion).or_else(|| suggest(id, &ids));
        let there = match versions.is_empty() {
            false => There::Versions(versions),
            true => near().map_or(There::Nothing, There::Near),
        };
        Ok(Refusal::no_target("stage", id, version, there))
    }

    async fn first_of(
        &self,
        caller: &Caller,
        owners: &[(String, Option<bool>)],
        id: &str,
        version: Option<&str>,
    ) -> Result<Option<Seen>, Refusal> {
        for (owner, session) in owners {
            let rows = self.inner.store.stages(owner, Some(id)).await?;
            let Some(row) = choose(rows, version, owner == caller.org()) else { continue };
            let stage = Stage::read(&row.source).map_err(|error| Refusal::internal(&error.to_string()))?.0;
            let says = self.inner.store.stage_access(owner, id).await?;
            let is_draft = row.status == "draft";
            return Ok(Some(Seen { owner: owner.clone(), stage, is_draft, says, session: *session }));
        }
        Ok(None)
    }

    /// Whether a caller is let in.
    pub(super) async fn let_in(&self, caller: &Caller, seen: &Seen) -> Result<(), Refusal> {
        let denied = |reason: &'static str, message: &str| {
            Err(Refusal::new(Code::AccessDenied, message).because(reason))
        };
        if seen.session == Some(false) {
            return denied("session_ended", "the session has ended; ask for a new one");
        }
        let is_own = seen.owner.is_empty() || seen.owner == caller.org();
        let (store, id, now) = (&self.inner.store, &seen.stage.id, self.now_ms());
        let opened = async |grant, holder| -> Result<bool, Refusal> {
            let by = store.granted(id, grant, holder).await?;
            Ok(by.iter().any(|(owner, until)| *owner == seen.owner && (*until == 0 || *until > now)))
        };
        match seen.access() {
            Access::Free => Ok(()),
            Access::Entitled if is_own || opened(Grant::Entitled, caller.org()).await? => Ok(()),
            Access::Entitled => denied("not_entitled", "the organization is not entitled to this stage"),
            Access::Invite if opened(Grant::Invite, caller.token()).await? => Ok(()),
            Access::Invite => denied("not_invited", "the stage is open only to those who were invited"),
            Access::Session if seen.session == Some(true) => Ok(()),
            Access::Session => {
                denied("no_session", "the stage needs a session that is open; give its id as `session_id`")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_chosen_by_its_state_and_who_asks() {
        let row = |version: &str, status: &str| StageRow {
            id: "s".into(),
            version: version.into(),
            status: status.into(),
            digest: String::new(),
            source: String::new(),
        };
        let rows = || {
            vec![
                row("1.9", "published"),
                row("1.10", "published"),
                row("1.11", "archived"),
                row("2", "draft"),
            ]
        };
        let chosen = |version, own| choose(rows(), version, own).map(|row| row.version);
        assert_eq!(chosen(None, true).as_deref(), Some("1.10"));
        assert_eq!(chosen(Some("2"), true).as_deref(), Some("2"));
        assert_eq!(chosen(Some("2"), false), None, "drafts are for their own organization");
        assert_eq!(chosen(Some("1.11"), false).as_deref(), Some("1.11"), "archived versions stay callable");
        assert_eq!(chosen(Some("3"), true), None);
    }
}
