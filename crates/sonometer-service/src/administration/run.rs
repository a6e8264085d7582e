//! From a task over the wire to the same functions that the command calls.

use super::answers as write;
use super::{Actor, Deed, Task};
use crate::Service;
use crate::account::{self, Settings};
use crate::dive::PasswordRule;
use crate::period::{MOMENT_WANTED, parse_moment};
use crate::refusal::Refusal;
use crate::shape::{self, integer};
use crate::text;
use crate::token::{Mode, Scope};
use serde_json::{Value, json};
use sonometer::document::Node;
use sonometer::stage::Access;
use sonometer::{TargetKind, Unit};

/// How long what is replaced stays good where nobody says otherwise.
const OVERLAP_HOURS: u64 = 24;
const HOUR_MS: i64 = 3_600_000;
/// The longest page, and the one where nothing is said.
const LIMITS: (u64, u64) = (1_000, 100);

/// A task with what belongs to it.
#[derive(Clone, Copy, Debug)]
pub struct Order<'o> {
    /// What is to be done.
    pub task: Task,
    /// What stands in the path: `org`, `token`, `stage`, `delivery`.
    pub names: &'o [(String, String)],
    /// What stands in the query.
    pub query: &'o [(String, String)],
    /// The body; empty where there is none.
    pub body: &'o str,
}

/// What was done: the answer, and to what.
struct Done {
    answer: Value,
    subject: Option<String>,
}

impl From<Value> for Done {
    fn from(answer: Value) -> Self {
        Self { answer, subject: None }
    }
}

fn named<'o>(pairs: &'o [(String, String)], name: &str) -> &'o str {
    pairs.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
}

/// A body that was read.
struct Body(Option<Node>);

impl Body {
    fn text(&self, key: &str) -> Option<&str> {
        self.0.as_ref()?.get(key)?.text()
    }

    fn whole(&self, key: &str) -> Option<u64> {
        self.text(key).and_then(integer)
    }

    fn switch(&self, key: &str) -> Option<bool> {
        self.text(key).map(|text| text == "true")
    }

    fn words(&self, key: &str) -> Vec<&str> {
        match self.0.as_ref().and_then(|root| root.get(key)).map(|node| &node.value) {
            Some(sonometer::document::Value::List(items)) => items.iter().filter_map(Node::text).collect(),
            _ => Vec::new(),
        }
    }

    fn moment(&self, key: &str) -> Result<Option<i64>, Refusal> {
        match self.text(key) {
            None => Ok(None),
            Some("never") => Ok(Some(0)),
            Some(text) => match parse_moment(text).filter(|ms| *ms > 0) {
                Some(ms) => Ok(Some(ms)),
                None => Err(Refusal::invalid(key, MOMENT_WANTED)),
            },
        }
    }

    fn amount(&self, key: &str) -> Result<Option<Unit>, Refusal> {
        let Some(text) = self.text(key) else { return Ok(None) };
        account::amount(text).map(Some).map_err(|wrong| Refusal::invalid(key, wrong))
    }

    fn mode(&self) -> Mode {
        self.text("mode").and_then(Mode::from_name).unwrap_or(Mode::Test)
    }

    fn overlap_ms(&self) -> i64 {
        let hours = self.whole("overlap_hours").unwrap_or(OVERLAP_HOURS);
        i64::try_from(hours).unwrap_or(i64::MAX).saturating_mul(HOUR_MS)
    }
}

impl Service {
    /// Does what an operator asks for over the wire: the answer, as JSON.
    ///
    /// # Errors
    /// `invalid_request` with the place of what is wrong; `unavailable`.
    pub async fn administer(&self, actor: &Actor, order: Order<'_>) -> Result<String, Refusal> {
        for (name, value) in order.names.iter().chain(order.query) {
            text::check(name, value)?;
        }
        if let Some((name, _)) = order.query.iter().find(|(name, _)| !order.task.query().contains(&&**name)) {
            let known = order.task.query().join(", ");
            let fix =
                if known.is_empty() { "remove it".to_owned() } else { format!("the known ones are {known}") };
            return Err(Refusal::invalid(name.clone(), format!("unknown parameter; {fix}")));
        }
        let body = match order.task.body() {
            Some(shape) if order.body.trim().is_empty() => {
                // Where everything may be left out, all of it may.
                Body(Some(shape::read("{}", &shape)?))
            }
            Some(shape) => Body(Some(shape::read(order.body, &shape)?)),
            None => Body(None),
        };
        let Some(action) = order.task.action() else {
            return Ok(self.perform(order, &body).await?.answer.to_string());
        };
        let subject = ["token", "delivery", "stage"].map(|name| named(order.names, name)).concat();
        let org = match order.task {
            Task::CreateOrg => body.text("id").unwrap_or_default(),
            _ => named(order.names, "org"),
        };
        let deed = Deed { action, org, subject: &subject };
        let done = self.noted(actor, deed, self.perform(order, &body), |done| done.subject.clone()).await?;
        Ok(done.answer.to_string())
    }

    async fn perform(&self, order: Order<'_>, body: &Body) -> Result<Done, Refusal> {
        let org = named(order.names, "org");
        let token = named(order.names, "token");
        let stage = named(order.names, "stage");
        let said = |key: &str| body.text(key).unwrap_or_default();
        Ok(match order.task {
            Task::Orgs => {
                let orgs = self.store().orgs().await?;
                json!({"organizations": orgs.iter().map(write::org).collect::<Vec<_>>()}).into()
            }
            Task::CreateOrg => {
                let made = self.create_org(said("id"), body.text("name").unwrap_or(said("id"))).await?;
                write::org(&made).into()
            }
            Task::Accounts => {
                let mut accounts = Vec::new();
                for mode in Mode::ALL {
                    accounts.push(write::account(&self.account(org, mode).await?));
                }
                json!({"accounts": accounts}).into()
            }
            Task::SetAccount => self.change_account(org, body).await?,
            Task::Tokens => {
                self.known_org(org).await?;
                let tokens = self.store().tokens(Some(org)).await?;
                json!({"tokens": tokens.iter().map(write::token).collect::<Vec<_>>()}).into()
            }
            Task::CreateToken => {
                let scopes: Vec<Scope> =
                    body.words("scopes").into_iter().filter_map(Scope::from_name).collect();
                let scopes = if scopes.is_empty() { Scope::DEFAULT.to_vec() } else { scopes };
                let expires = body.moment("expires")?.unwrap_or(0);
                let cap = body.amount("cap_usd")?;
                let made = self.create_token(org, body.mode(), said("name"), &scopes, cap, expires).await?;
                Done { answer: json!({"id": made.0, "token": made.1}), subject: Some(made.0) }
            }
            Task::RotateToken => {
                let made = self.rotate_token(token, body.overlap_ms(), body.moment("expires")?).await?;
                let (id, secret, expires_ms) = made;
                let subject = Some(format!("{token} by {id}"));
                // After an earlier rotation the token has an end, and the new token gets the same: the answer shows it.
                Done {
                    answer: json!({"id": id, "token": secret, "expires": write::moment(expires_ms)}),
                    subject,
                }
            }
            Task::ExpireToken => {
                let at = body.moment("at")?.unwrap_or(0);
                self.expire_token(token, at).await?;
                json!({"id": token}).into()
            }
            Task::RevokeToken => {
                self.revoke_token(token).await?;
                json!({"id": token}).into()
            }
            Task::Secrets => {
                self.webhook_secret(org).await?;
                json!({"secrets": self.signing(org).await?}).into()
            }
            Task::RotateSecret => {
                self.rotate_webhook_secret_after(org, body.overlap_ms()).await?;
                json!({"secrets": self.signing(org).await?}).into()
            }
            Task::Deliveries => {
                let deliveries = self.deliveries(org, limit(order.query)?).await?;
                json!({"deliveries": deliveries.iter().map(write::delivery).collect::<Vec<_>>()}).into()
            }
            Task::Redeliver => {
                let id = named(order.names, "delivery");
                self.redeliver(org, id).await?;
                json!({"id": id}).into()
            }
            Task::Shelf => {
                self.known_org(org).await?;
                let (targets, stages) =
                    (self.store().targets(org).await?, self.store().stages(org, None).await?);
                let all = targets.iter().map(write::target).chain(stages.iter().map(write::stage));
                json!({"shelf": all.collect::<Vec<_>>()}).into()
            }
            Task::Publish => {
                self.proven(org, said("source")).await?;
                let made = self.publish(org, said("source")).await?;
                let subject = Some(format!("{} {}@{}", made.kind, made.id, made.version));
                let answer = json!({
                    "kind": made.kind, "id": made.id, "version": made.version, "status": made.status, "digest": made.digest,
                });
                Done { answer, subject }
            }
            Task::Archive => {
                let (kind, id, version) = (said("kind"), said("id"), said("version"));
                match TargetKind::from_name(kind) {
                    Some(kind) => self.archive(org, kind, id, version).await?,
                    None => self.archive_stage(org, id, version).await?,
                }
                let subject = Some(format!("{kind} {id}@{version}"));
                Done {
                    answer: json!({"kind": kind, "id": id, "version": version, "status": "archived"}),
                    subject,
                }
            }
            Task::StageAccess => {
                let mode = body.text("mode").and_then(Access::from_name);
                let rule = match (body.text("password"), body.switch("no_password")) {
                    (Some(_), Some(true)) => {
                        return Err(Refusal::invalid(
                            "no_password",
                            "there is a `password` as well; send one of the two",
                        ));
                    }
                    (Some(password), _) => PasswordRule::Ask(password.to_owned()),
                    (None, Some(true)) => PasswordRule::Nobody,
                    (None, _) => PasswordRule::Keep,
                };
                let (mode, asked) = self.set_stage_access(org, stage, mode, rule).await?;
                let or_file = |said: &str| if said.is_empty() { Value::Null } else { json!(said) };
                json!({"stage": stage, "mode": or_file(&mode), "password": or_file(asked)}).into()
            }
            Task::Entitle => {
                let other = said("org");
                self.entitle(org, stage, other).await?;
                Done {
                    answer: json!({"stage": stage, "org": other}),
                    subject: Some(format!("{stage} for {other}")),
                }
            }
            Task::Invite => {
                let token = said("token");
                self.invite(org, stage, token).await?;
                Done {
                    answer: json!({"stage": stage, "token": token}),
                    subject: Some(format!("{stage} for {token}")),
                }
            }
            Task::OpenSession => {
                let until = body.moment("until")?.unwrap_or(0);
                // The id of a session lets its holder in, so the audit log names only the stage.
                json!({"stage": stage, "session": self.open_session(org, stage, until).await?}).into()
            }
            Task::Keys => {
                let keys = self.public_keys().await?;
                let key = |(id, public, status): &(String, String, &str)| json!({"key_id": id, "public_key": public, "status": status});
                json!({"keys": keys.iter().map(key).collect::<Vec<_>>()}).into()
            }
            Task::RotateSigningKey => {
                let id = self.rotate_signing_key().await?;
                Done { answer: json!({"key_id": id}), subject: Some(id) }
            }
            Task::RotateKeys => json!({"encrypted": self.store().rotate_keys().await?}).into(),
            Task::Audit => {
                let (org, before) = (named(order.query, "org"), named(order.query, "before"));
                let is_entry = |id: &str| {
                    id.strip_prefix("adt_").is_some_and(|id| id.bytes().all(|b| b.is_ascii_hexdigit()))
                };
                if !before.is_empty() && !is_entry(before) {
                    let message = "`before` is not the id of an entry; send the `id` of the last entry of the page before";
                    return Err(Refusal::invalid("before", message));
                }
                let lines = self.store().audit(org, before, limit(order.query)?).await?;
                json!({"audit": lines.iter().map(write::audit).collect::<Vec<_>>()}).into()
            }
            Task::Check => {
                let checked = self.store().check_ledger().await?;
                let fault =
                    |fault: &crate::store::Fault| json!({"account": fault.account, "period": fault.period});
                let row = |row: &crate::store::Break| {
                    json!({
                        "account": row.account, "period": row.period, "row": row.number, "charge": row.charge,
                        "request_id": row.request, "target": row.target, "what": row.what.to_string(),
                    })
                };
                json!({
                    "compared": checked.rows,
                    "wrong": checked.faults.iter().map(fault).collect::<Vec<_>>(),
                    "rows": checked.breaks.iter().map(row).collect::<Vec<_>>(),
                })
                .into()
            }
        })
    }

    async fn change_account(&self, org: &str, body: &Body) -> Result<Done, Refusal> {
        let mode = body.mode();
        let before = self.account(org, mode).await?.settings;
        let cap = match body.text("cap_usd") {
            Some("none") => None,
            Some(_) => body.amount("cap_usd")?,
            None => before.cap_usd,
        };
        let after = Settings {
            tier: body.text("tier").map_or_else(|| before.tier.clone(), str::to_owned),
            quota: body.whole("quota").unwrap_or(before.quota),
            overage: body.switch("overage").unwrap_or(before.overage),
            rate_usd: body.amount("rate_usd")?.unwrap_or(before.rate_usd),
            cap_usd: cap,
            per_window: body.whole("per_minute").unwrap_or(before.per_window),
        };
        self.set_account(org, mode, &after).await?;
        let answer = write::account(&self.account(org, mode).await?);
        Ok(Done { answer, subject: Some(after.told(mode)) })
    }
}

fn limit(query: &[(String, String)]) -> Result<u64, Refusal> {
    let (most, usual) = LIMITS;
    match named(query, "limit") {
        "" => Ok(usual),
        text => text.parse().ok().filter(|limit| (1..=most).contains(limit)).ok_or_else(|| {
            Refusal::invalid("limit", format!("`limit` is not a whole number from 1 to {most}"))
        }),
    }
}
