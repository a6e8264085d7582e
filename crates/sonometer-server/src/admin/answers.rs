//! The schemas of what the administration answers.

use crate::schemas::{all, list, moment, text, truth, whole};
use serde_json::{Value, json};
use sonometer_service::administration::Task;

fn or_null(kind: &str) -> Value {
    json!({"type": [kind, "null"]})
}

fn account() -> Value {
    all([
        ("mode", json!({"type": "string", "enum": ["test", "live"]})),
        ("tier", text()),
        ("quota", whole()),
        ("overage", truth()),
        ("rate_usd", text()),
        ("cap_usd", or_null("string")),
        ("per_minute", whole()),
        ("period", text()),
        ("used", whole()),
        ("cost_usd", text()),
    ])
}

fn token() -> Value {
    all([
        ("id", text()),
        ("org", text()),
        ("mode", text()),
        ("name", text()),
        ("ending", text()),
        ("scopes", list(text())),
        ("cap_usd", or_null("string")),
        ("created", moment()),
        ("expires", or_null("string")),
        ("revoked", or_null("string")),
    ])
}

fn delivery() -> Value {
    let attempt = all([
        ("number", whole()),
        ("at", moment()),
        ("took_ms", whole()),
        ("status", or_null("integer")),
        ("error", or_null("string")),
    ]);
    all([
        ("id", text()),
        ("job", text()),
        ("url", text()),
        ("status", json!({"type": "string", "enum": ["waiting", "delivered", "failed", "gone", "skipped"]})),
        ("next", or_null("string")),
        ("attempts", list(attempt)),
    ])
}

fn version() -> [(&'static str, Value); 5] {
    [("kind", text()), ("id", text()), ("version", text()), ("status", text()), ("digest", text())]
}

/// What a task answers.
pub(super) fn of(task: Task) -> Value {
    let org = || all([("id", text()), ("name", text()), ("created", moment())]);
    let secrets = || all([("secrets", list(text()))]);
    match task {
        Task::Orgs => all([("organizations", list(org()))]),
        Task::CreateOrg => org(),
        Task::Accounts => all([("accounts", list(account()))]),
        Task::SetAccount => account(),
        Task::Tokens => all([("tokens", list(token()))]),
        Task::CreateToken => all([("id", text()), ("token", text())]),
        Task::RotateToken => all([("id", text()), ("token", text()), ("expires", or_null("string"))]),
        Task::ExpireToken | Task::RevokeToken | Task::Redeliver => all([("id", text())]),
        Task::Secrets | Task::RotateSecret => secrets(),
        Task::Deliveries => all([("deliveries", list(delivery()))]),
        Task::Shelf => all([("shelf", list(all(version())))]),
        Task::Publish => all(version()),
        Task::Archive => all([("kind", text()), ("id", text()), ("version", text()), ("status", text())]),
        Task::StageAccess => {
            all([("stage", text()), ("mode", or_null("string")), ("password", or_null("string"))])
        }
        Task::Entitle => all([("stage", text()), ("org", text())]),
        Task::Invite => all([("stage", text()), ("token", text())]),
        Task::OpenSession => all([("stage", text()), ("session", text())]),
        Task::Keys => {
            let key = all([("key_id", text()), ("public_key", text()), ("status", text())]);
            all([("keys", list(key))])
        }
        Task::RotateSigningKey => all([("key_id", text())]),
        Task::RotateKeys => all([("encrypted", whole())]),
        Task::Audit => {
            let line = all([
                ("id", text()),
                ("at", moment()),
                ("actor", text()),
                ("origin", text()),
                ("action", text()),
                ("org", text()),
                ("subject", text()),
                ("outcome", text()),
            ]);
            all([("audit", list(line))])
        }
        Task::Check => {
            let fault = all([("account", text()), ("period", text())]);
            let row = all([
                ("account", text()),
                ("period", text()),
                ("row", whole()),
                ("charge", text()),
                ("request_id", text()),
                ("target", text()),
                ("what", text()),
            ]);
            all([("compared", whole()), ("wrong", list(fault)), ("rows", list(row))])
        }
    }
}

/// What a reload answers.
pub(super) fn reloaded() -> Value {
    all([("changed", list(text())), ("needs_restart", list(text()))])
}
