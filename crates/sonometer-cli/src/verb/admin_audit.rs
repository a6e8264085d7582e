//! `sonometer admin`: what of it stands in the audit log, and how the log is listed.

use super::admin::{Task, listed};
use super::admin_dives::DiveTask;
use sonometer_service::administration::Deed;
use sonometer_service::period;
use sonometer_service::store::AuditLine;

/// What is noted, and whether the first line of what is printed says what it was done to; `None`: it is only looked at.
pub(super) fn deed(task: &Task) -> Option<(Deed<'_>, bool)> {
    let deed = |action, org, subject| Some((Deed { action, org, subject }, false));
    let named = |action, org| Some((Deed { action, org, subject: "" }, true));
    match task {
        Task::CreateOrg { org, .. } => deed("org.create", org, ""),
        Task::CreateToken(new) => named("token.create", &new.org),
        Task::RotateToken { token, .. } => deed("token.rotate", "", token),
        Task::RevokeToken { token } => deed("token.revoke", "", token),
        Task::ExpireToken { token, .. } => deed("token.expire", "", token),
        Task::Account(account) if account.changes() => named("account.set", &account.org),
        Task::Publish { org, .. } => named("target.publish", org),
        Task::Archive { org, .. } => named("target.archive", org),
        Task::WebhookSecret { org, rotate: true } => deed("webhook-secret.rotate", org, ""),
        Task::WebhookSecret { org, rotate: false } => deed("webhook-secret.show", org, ""),
        Task::Redeliver { delivery } => deed("delivery.send", "", delivery),
        Task::RotateKeys => named("keys.rotate", ""),
        Task::Dives(task) => match task {
            DiveTask::StageAccess { org, stage, .. } => deed("stage.access", org, stage),
            DiveTask::Entitle { org, .. } => named("stage.entitle", org),
            DiveTask::Invite { org, .. } => named("stage.invite", org),
            // The id of a session lets its holder in, so the audit log names only the stage.
            DiveTask::OpenSession { org, stage, .. } => deed("stage.session", org, stage),
            DiveTask::Keys { rotate: true } => deed("signing-key.rotate", "", ""),
            DiveTask::Keys { rotate: false } | DiveTask::Dives { .. } => None,
        },
        Task::Orgs
        | Task::Tokens { .. }
        | Task::Account(_)
        | Task::Shelf { .. }
        | Task::Deliveries { .. }
        | Task::Audit { .. }
        | Task::NewKey
        | Task::Usage(_)
        | Task::Check => None,
    }
}

/// A line of the log.
pub(super) fn line(line: &AuditLine) -> String {
    let AuditLine { id, at_ms, actor, origin, action, org, subject, outcome } = line;
    let org = if org.is_empty() { "-" } else { org };
    let at = period::iso(*at_ms);
    listed(&format!("{id}  {at}  {actor}  {origin}  {action}  {org}  {outcome}  {subject}"))
}
