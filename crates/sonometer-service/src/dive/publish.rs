//! Administration of stages: publishing them, and who may dive them.

use super::password::{NONE, verifier};
use super::world::Parts;
use crate::effort::Effort;
use crate::refusal::{Code, Refusal, counted};
use crate::store::{Grant, StageRow};
use crate::{Published, Service};
use sonometer::Diagnostics;
use sonometer::protocol::Status;
use sonometer::stage::{Access, Stage, World};

/// The least characters of a password.
const LEAST: usize = 8;

/// What becomes of the password of a stage.
#[derive(Clone, PartialEq, Eq)]
pub enum PasswordRule {
    /// It stays as it is.
    Keep,
    /// Nobody is asked for one, whatever the file says.
    Nobody,
    /// Everybody is asked for this one.
    Ask(String),
}

impl std::fmt::Debug for PasswordRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Keep => "Keep",
            Self::Nobody => "Nobody",
            Self::Ask(_) => "Ask(…)",
        })
    }
}

fn wrong(message: impl Into<String>) -> Refusal {
    Refusal::new(Code::InvalidRequest, message)
}

/// What keeps a stage from being published for good.
fn unfit(world: &World, warnings: &Diagnostics) -> Result<(), Refusal> {
    let (lint, walks) = (world.lint(), world.lint_walkthroughs());
    let found: Vec<String> =
        warnings.iter().chain(lint.iter()).chain(walks.iter()).map(ToString::to_string).collect();
    if let Some(first) = found.first() {
        let message = format!(
            "the stage has {}; fix them first, because a published version never changes; the first: {first}",
            counted(found.len(), "warning")
        );
        return Err(wrong(message));
    }
    match world.degenerate().0.first() {
        Some(what) => Err(wrong(format!("the stage passes a run that must fail: {what}"))),
        None => Ok(()),
    }
}

impl Service {
    /// Puts a stage there for an organization, in the state that the file names; called by [`Service::publish`]. A stage that
    /// is published for good has no warnings, its walkthroughs end as they say, and silence and repetition do not pass.
    ///
    /// # Errors
    /// As [`Service::publish`].
    pub(crate) async fn publish_stage(&self, org: &str, source: &str) -> Result<Published, Refusal> {
        self.known_org(org).await?;
        let (stage, warnings) =
            Stage::read(source).map_err(|error| Refusal::invalid(error.place, error.message))?;
        if stage.status == Status::Archived {
            return Err(wrong("an archived version cannot be published; publish it first, then archive it"));
        }
        if sonometer_catalog::stages().iter().any(|entry| entry.id == stage.id) {
            let message = format!("the stage `{}` is built into the service; choose another id", stage.id);
            return Err(wrong(message));
        }
        let shelf = self.shelf_of(org, self.store().revision(org).await?).await?;
        let new = StageRow {
            id: stage.id.clone(),
            version: stage.version.clone(),
            status: stage.status.as_str().to_owned(),
            digest: stage.digest(),
            source: source.to_owned(),
        };
        let for_good = stage.status == Status::Published;
        let checked = self.work(org, Effort::LONG, move || {
            let world = World::new(stage, &Parts(shelf)).map_err(|error| Refusal {
                code: Code::InvalidRequest,
                ..Refusal::invalid(error.place, error.message)
            })?;
            if for_good { unfit(&world, &warnings) } else { Ok(()) }
        });
        checked.await??;
        let decide = |there: Option<&StageRow>| match there {
            None => Ok(()),
            Some(there) if there.status == "draft" => Ok(()),
            Some(there) if there.digest == new.digest && there.status == new.status => Ok(()),
            Some(there) => Err(wrong(format!(
                "stage `{}@{}` is {} and never changes; give it another version",
                new.id, new.version, there.status
            ))),
        };
        self.store().put_stage(org, &new, self.now_ms(), decide).await?;
        tracing::info!(org, id = new.id, version = new.version, status = new.status, "put on the shelf");
        let StageRow { id, version, status, digest, .. } = new;
        Ok(Published { kind: "stage", id, version, status, digest })
    }

    /// Archives a version of a stage: it stays callable by its exact version, and dives that are open go on.
    ///
    /// # Errors
    /// `invalid_request` if the organization has no such version, or it is a draft.
    pub async fn archive_stage(&self, org: &str, id: &str, version: &str) -> Result<(), Refusal> {
        let none = || wrong(format!("`{org}` has no stage `{id}` with version `{version}`"));
        let rows = self.store().stages(org, Some(id)).await?;
        let there = rows.into_iter().find(|row| row.version == version).ok_or_else(none)?;
        let archived = StageRow { status: "archived".to_owned(), ..there };
        let decide = |there: Option<&StageRow>| match there {
            Some(there) if there.status == "draft" => {
                Err(wrong("a draft cannot be archived; publish it first"))
            }
            Some(_) => Ok(()),
            None => Err(none()),
        };
        self.store().put_stage(org, &archived, self.now_ms(), decide).await
    }

    async fn known_stage(&self, org: &str, stage: &str) -> Result<(), Refusal> {
        match self.store().stages(org, Some(stage)).await?.is_empty() {
            false => Ok(()),
            true => Err(wrong(format!("`{org}` has no stage `{stage}`; publish it first"))),
        }
    }

    /// Says who may dive a stage, in the place of its file; what is left out stays. Gives what now holds: the access mode and
    /// whether a password is asked for, each empty where the file decides.
    ///
    /// # Errors
    /// `invalid_request` if the organization has no such stage, or the password has fewer than 8 characters.
    pub async fn set_stage_access(
        &self,
        org: &str,
        stage: &str,
        mode: Option<Access>,
        password: PasswordRule,
    ) -> Result<(String, &'static str), Refusal> {
        self.known_stage(org, stage).await?;
        let mut says = self.store().stage_access(org, stage).await?;
        if let Some(mode) = mode {
            says.mode = mode.as_str().to_owned();
        }
        match password {
            PasswordRule::Keep => {}
            PasswordRule::Nobody => says.password = NONE.to_owned(),
            PasswordRule::Ask(password) if password.chars().count() < LEAST => {
                return Err(wrong(format!("the password must have at least {LEAST} characters")));
            }
            PasswordRule::Ask(password) => {
                says.password = self.work(org, Effort::LONG, move || verifier(&password)).await??;
            }
        }
        self.store().set_stage_access(org, stage, &says).await?;
        let asked = match says.password.as_str() {
            "" => "",
            NONE => "no",
            _ => "yes",
        };
        Ok((says.mode, asked))
    }

    /// Entitles an organization to a stage of another.
    ///
    /// # Errors
    /// `invalid_request` if there is no such organization or stage.
    pub async fn entitle(&self, org: &str, stage: &str, other: &str) -> Result<(), Refusal> {
        self.known_stage(org, stage).await?;
        self.known_org(other).await?;
        self.store().grant(org, stage, Grant::Entitled, other, 0, self.now_ms()).await
    }

    /// Invites a token, of any organization, to a stage.
    ///
    /// # Errors
    /// `invalid_request` if there is no such token or stage.
    pub async fn invite(&self, org: &str, stage: &str, token: &str) -> Result<(), Refusal> {
        self.known_stage(org, stage).await?;
        if !self.store().tokens(None).await?.iter().any(|known| known.id == token) {
            return Err(wrong(format!("unknown token `{token}`")));
        }
        self.store().grant(org, stage, Grant::Invite, token, 0, self.now_ms()).await
    }

    /// Opens a session of a stage, until a moment (milliseconds since 1970; 0: for ever): its id, which nobody can guess.
    ///
    /// # Errors
    /// `invalid_request` if there is no such stage, or the session would have ended already.
    pub async fn open_session(&self, org: &str, stage: &str, until_ms: i64) -> Result<String, Refusal> {
        self.known_stage(org, stage).await?;
        self.check_end("until", until_ms)?;
        let secret = self.inner.ids.secret()?;
        let digits: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        let id = format!("ses_{digits}");
        self.store().grant(org, stage, Grant::Session, &id, until_ms, self.now_ms()).await?;
        Ok(id)
    }
}
