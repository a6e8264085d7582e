//! What can be administered over the wire: the tasks with the shapes of their bodies.

use crate::shape::{Field, Shape};

/// Something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// List the organizations.
    Orgs,
    /// Make an organization.
    CreateOrg,
    /// Show the accounts of an organization.
    Accounts,
    /// Change an account.
    SetAccount,
    /// List the tokens of an organization.
    Tokens,
    /// Make a token.
    CreateToken,
    /// Make a token in the place of another.
    RotateToken,
    /// Set when a token expires.
    ExpireToken,
    /// Take a token back.
    RevokeToken,
    /// Show what notifications are signed with.
    Secrets,
    /// Make a new secret.
    RotateSecret,
    /// List notifications.
    Deliveries,
    /// Send a notification again.
    Redeliver,
    /// List what an organization published.
    Shelf,
    /// Publish.
    Publish,
    /// Archive a version.
    Archive,
    /// Say who may dive a stage.
    StageAccess,
    /// Entitle an organization to a stage.
    Entitle,
    /// Invite a token to a stage.
    Invite,
    /// Open a session of a stage.
    OpenSession,
    /// List the keys that verify cards.
    Keys,
    /// Make a new key that signs cards.
    RotateSigningKey,
    /// Encrypt secrets with the newest key.
    RotateKeys,
    /// List the audit log.
    Audit,
    /// Compare accounts with the ledger.
    Check,
}

fn word() -> Shape {
    Shape::Text(1, 256)
}

fn moment() -> Shape {
    Shape::Text(1, 40)
}

impl Task {
    /// All of them.
    pub const ALL: [Self; 25] = [
        Self::Orgs,
        Self::CreateOrg,
        Self::Accounts,
        Self::SetAccount,
        Self::Tokens,
        Self::CreateToken,
        Self::RotateToken,
        Self::ExpireToken,
        Self::RevokeToken,
        Self::Secrets,
        Self::RotateSecret,
        Self::Deliveries,
        Self::Redeliver,
        Self::Shelf,
        Self::Publish,
        Self::Archive,
        Self::StageAccess,
        Self::Entitle,
        Self::Invite,
        Self::OpenSession,
        Self::Keys,
        Self::RotateSigningKey,
        Self::RotateKeys,
        Self::Audit,
        Self::Check,
    ];

    /// What stands in the audit log; `None`: it is only looked at, and nothing secret is shown.
    pub fn action(self) -> Option<&'static str> {
        Some(match self {
            Self::CreateOrg => "org.create",
            Self::SetAccount => "account.set",
            Self::CreateToken => "token.create",
            Self::RotateToken => "token.rotate",
            Self::ExpireToken => "token.expire",
            Self::RevokeToken => "token.revoke",
            Self::Secrets => "webhook-secret.show",
            Self::RotateSecret => "webhook-secret.rotate",
            Self::Redeliver => "delivery.send",
            Self::Publish => "target.publish",
            Self::Archive => "target.archive",
            Self::StageAccess => "stage.access",
            Self::Entitle => "stage.entitle",
            Self::Invite => "stage.invite",
            Self::OpenSession => "stage.session",
            Self::RotateSigningKey => "signing-key.rotate",
            Self::RotateKeys => "keys.rotate",
            Self::Orgs
            | Self::Accounts
            | Self::Tokens
            | Self::Deliveries
            | Self::Shelf
            | Self::Keys
            | Self::Audit
            | Self::Check => return None,
        })
    }

    /// The shape of the body; `None`: there is none.
    pub fn body(self) -> Option<Shape> {
        let (required, optional) = (Field::required, Field::optional);
        let fields = match self {
            Self::CreateOrg => vec![
                required("id", Shape::Text(1, 64), "lower-case letters, digits, `-` and `_`"),
                optional("name", word(), "what people call it; without it the id"),
            ],
            Self::SetAccount => vec![
                required("mode", Shape::Word(&["test", "live"]), "which of its two accounts"),
                optional("tier", word(), "the name of the plan"),
                optional("quota", Shape::Integer(0, 1 << 53), "ICS included in a month"),
                optional("overage", Shape::Bool, "whether the live account goes on beyond the quota"),
                optional("rate_usd", moment(), "US dollars for each ICS beyond the quota: `\"0.004\"`"),
                optional("cap_usd", moment(), "the most US dollars of overage in a month, or `\"none\"`"),
                optional(
                    "per_minute",
                    Shape::Integer(0, 1 << 53),
                    "requests of one token in a minute; 0: none",
                ),
            ],
            Self::CreateToken => vec![
                required("mode", Shape::Word(&["test", "live"]), "whether what it uses is paid for"),
                optional("name", word(), "what people call it"),
                optional(
                    "scopes",
                    Shape::Words(&["sense", "read", "dive", "admin"]),
                    "what it may be used for; without it all but admin",
                ),
                optional("expires", moment(), "a moment such as 2027-01-31T12:00:00Z, a date, or `never`"),
                optional("cap_usd", moment(), "the most US dollars of overage that it may cause in a month"),
            ],
            Self::RotateToken => vec![
                optional(
                    "overlap_hours",
                    Shape::Integer(0, 24 * 366),
                    "how long the token before it stays good; 24 without it",
                ),
                optional("expires", moment(), "when the new one expires; without it as the one before"),
            ],
            Self::ExpireToken => {
                vec![required("at", moment(), "a moment such as 2027-01-31T12:00:00Z, a date, or `never`")]
            }
            Self::RotateSecret => vec![optional(
                "overlap_hours",
                Shape::Integer(0, 24 * 366),
                "how long the secret before it signs beside it; 24 without it",
            )],
            Self::Publish => vec![required("source", Shape::Text(1, 1 << 20), "the file")],
            Self::Archive => vec![
                required("kind", Shape::Word(&["protocol", "metric", "blueprint", "stage"]), "what it is"),
                required("id", word(), "its id"),
                required("version", word(), "its version"),
            ],
            Self::StageAccess => vec![
                optional("mode", Shape::Word(&["free", "entitled", "invite", "session"]), "who may dive it"),
                optional(
                    "password",
                    Shape::Text(1, 1_024),
                    "what everybody is asked for, of 8 characters or more",
                ),
                optional("no_password", Shape::Bool, "true: nobody is asked for a password"),
            ],
            Self::Entitle => vec![required("org", Shape::Text(1, 64), "who is entitled")],
            Self::Invite => vec![required("token", word(), "the id of the token, `tok_…`")],
            Self::OpenSession => vec![optional("until", moment(), "a moment, a date, or `never`")],
            // These take no keys. A body with one is refused: `revoke` with a moment must not revoke at once.
            Self::RevokeToken | Self::Redeliver | Self::RotateSigningKey | Self::RotateKeys => Vec::new(),
            _ => return None,
        };
        Some(Shape::Object(fields))
    }

    /// The parameters of the query.
    pub fn query(self) -> &'static [&'static str] {
        match self {
            Self::Deliveries => &["limit"],
            Self::Audit => &["limit", "org", "before"],
            _ => &[],
        }
    }
}
