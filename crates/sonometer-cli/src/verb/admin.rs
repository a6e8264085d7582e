//! `sonometer admin`: organizations, tokens, accounts, what organizations publish, and the check of the ledger.

use super::admin_dives::{self, DiveTask};
use super::serve::{Database, runtime};
use super::{sense, test};
use crate::failure::{Exit, Failure, counted};
use crate::screen::Screen;
use crate::target::Source;
use clap::Subcommand;
use sonometer::protocol::Status;
use sonometer::stage::Stage;
use sonometer::{Document, TargetKind, Unit};
use sonometer_service::account::Settings;
use sonometer_service::store::{Attempt, Delivery};
use sonometer_service::{Mode, Refusal, Scope, Service, period};

/// Arguments of `admin`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    database: Database,
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Make an organization, with a test and a live account
    CreateOrg {
        /// 1 to 64 lower-case letters, digits, `-` and `_`
        org: String,
        /// What people call it; the id without it
        #[arg(long)]
        name: Option<String>,
    },
    /// List the organizations
    Orgs,
    /// Make a token; it is printed once and kept nowhere
    CreateToken(NewToken),
    /// List the tokens of an organization, or all
    Tokens {
        /// The organization
        org: Option<String>,
    },
    /// Take a token back at once
    RevokeToken {
        /// The id of the token, `tok_…`
        token: String,
    },
    /// Set when a token expires
    ExpireToken {
        /// The id of the token, `tok_…`
        token: String,
        /// A moment such as 2027-01-31T12:00:00Z, a date, or `never`
        #[arg(value_parser = moment)]
        at: i64,
    },
    /// Show or change an account: tier, quota, overage, price, cap, requests
    Account(Account),
    /// Put a protocol, metric, blueprint or stage on the shelf of an organization, as a draft or for good as its file says
    Publish {
        /// The organization
        org: String,
        /// The file
        file: String,
    },
    /// Archive a version: it stays callable by its exact version
    Archive {
        /// The organization
        org: String,
        /// protocol, metric, blueprint or stage
        #[arg(value_parser = kind)]
        kind: Kind,
        /// Its id
        id: String,
        /// Its version
        version: String,
    },
    /// List what an organization has on its shelf
    Shelf {
        /// The organization
        org: String,
    },
    /// Show what notifications of an organization are signed with (Standard Webhooks)
    WebhookSecret {
        /// The organization
        org: String,
        /// Makes a new one; the one before it signs beside it for a day
        #[arg(long)]
        rotate: bool,
    },
    /// List the latest notifications of an organization, with every attempt to deliver them
    Deliveries {
        /// The organization
        org: String,
        /// How many
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=1_000))]
        limit: u64,
    },
    #[command(flatten)]
    Dives(DiveTask),
    /// Check that the sums of the ledger are what the accounts say
    Check,
}

#[derive(Debug, clap::Args)]
struct NewToken {
    /// The organization
    org: String,
    /// A live token: what it uses is paid for
    #[arg(long)]
    live: bool,
    /// What people call it
    #[arg(long, default_value = "")]
    name: String,
    /// What it may be used for: sense, read, dive, admin; without it all but admin
    #[arg(long, value_name = "SCOPE", value_delimiter = ',', value_parser = scope)]
    scopes: Vec<Scope>,
    /// A moment such as 2027-01-31T12:00:00Z, a date, or `never`
    #[arg(long, value_name = "MOMENT", default_value = "never", value_parser = moment)]
    expires: i64,
    /// The most US dollars of overage that it may cause in a month
    #[arg(long, value_name = "USD", value_parser = sense::rate)]
    cap: Option<Unit>,
}

#[derive(Debug, clap::Args)]
struct Account {
    /// The organization
    org: String,
    /// The live account, in the place of the test account
    #[arg(long)]
    live: bool,
    /// The name of the plan
    #[arg(long)]
    tier: Option<String>,
    /// ICS included in a month
    #[arg(long, value_name = "ICS")]
    quota: Option<u64>,
    /// Whether the live account goes on beyond the quota: on or off
    #[arg(long, value_name = "ON|OFF", value_parser = switch)]
    overage: Option<bool>,
    /// US dollars for each ICS beyond the quota
    #[arg(long, value_name = "USD", value_parser = sense::rate)]
    rate: Option<Unit>,
    /// The most US dollars that overage may cost in a month, or `none`
    #[arg(long, value_name = "USD", value_parser = cap)]
    cap: Option<Cap>,
    /// Requests of one token in a minute
    #[arg(long, value_name = "REQUESTS")]
    per_minute: Option<u64>,
}

/// A cap, or none.
#[derive(Clone, Copy, Debug)]
struct Cap(Option<Unit>);

fn cap(text: &str) -> Result<Cap, String> {
    if text == "none" { Ok(Cap(None)) } else { sense::rate(text).map(|cap| Cap(Some(cap))) }
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("write on or off".to_owned()),
    }
}

fn scope(name: &str) -> Result<Scope, String> {
    let names = Scope::ALL.map(Scope::as_str).join(", ");
    Scope::from_name(name).ok_or_else(|| format!("write one of {names}"))
}

pub(super) fn moment(text: &str) -> Result<i64, String> {
    if text == "never" {
        return Ok(0);
    }
    period::parse_moment(text)
        .filter(|ms| *ms > 0)
        .ok_or_else(|| "write a time such as 2027-01-31T12:00:00Z, a date, or never".to_owned())
}

/// What can stand on a shelf.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Target(TargetKind),
    Stage,
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Target(kind) => kind.as_str(),
            Self::Stage => "stage",
        }
    }
}

fn kind(name: &str) -> Result<Kind, String> {
    let mut kinds = TargetKind::ALL.into_iter().map(Kind::Target).chain([Kind::Stage]);
    let found = kinds.find(|kind| kind.as_str() == name);
    found.ok_or_else(|| "write protocol, metric, blueprint or stage".to_owned())
}

fn mode(live: bool) -> Mode {
    if live { Mode::Live } else { Mode::Test }
}

pub(super) fn told(refusal: Refusal) -> Failure {
    Failure::unusable(match &refusal.details.place {
        Some(place) => format!("{place}: {}", refusal.message),
        None => refusal.message,
    })
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let checked = match &arguments.task {
        Task::Publish { file, .. } => Some(checked(file)?),
        _ => None,
    };
    runtime()?.block_on(async {
        let service = match &arguments.task {
            Task::CreateOrg { .. } => arguments.database.open().await?,
            _ => arguments.database.open_there().await?,
        };
        let done = task(&service, &arguments.task, checked).await;
        service.store().clone().close().await;
        let (text, exit) = done?;
        screen.print_bytes(&text)?;
        Ok(exit)
    })
}

/// The text of a file that may be published: a protocol that is published for good has passed its own tests.
fn checked(file: &str) -> Result<String, Failure> {
    let source = Source::find(file)?;
    if Stage::is_meant(&source.text) {
        // Whether it may be published is for the service to say, which has what it names.
        return match Stage::read(&source.text) {
            Ok(_) => Ok(source.text.into_owned()),
            Err(error) => Err(Failure::protocol(source, error.diagnostics)),
        };
    }
    let (document, warnings) = source.document()?;
    if let Document::Protocol(protocol) = &document
        && protocol.status == Status::Published
    {
        let failing = test::failures(protocol).map_err(|error| Failure::engine(&source.name, &error))?;
        if !warnings.is_empty() || failing.0 == 0 || failing.1 > 0 {
            return Err(Failure::unusable(format!(
                "{}: {}, {}, {} failing; a published version never changes, so first make `sonometer test --strict {file}` pass",
                source.name,
                counted(warnings.len(), "warning"),
                counted(failing.0, "test"),
                failing.1
            )));
        }
    }
    Ok(source.text.into_owned())
}

/// A notification and its attempts, a line each.
fn delivery(delivery: &Delivery) -> String {
    let Delivery { id, job, url, status, next_ms, attempts } = delivery;
    let next = match (status.as_str(), *next_ms) {
        ("waiting", 1..) => format!(", next {}", period::iso(*next_ms)),
        _ => String::new(),
    };
    let mut text = format!("{id}  {job}  {status}{next}  {url}\n");
    for Attempt { number, at_ms, took_ms, answered, error } in attempts {
        let outcome = if *answered == 0 { error.clone() } else { answered.to_string() };
        text.push_str(&format!("  {number}. {}  {took_ms} ms  {outcome}\n", period::iso(*at_ms)));
    }
    text
}

async fn task(service: &Service, task: &Task, checked: Option<String>) -> Result<(String, Exit), Failure> {
    let text = match task {
        Task::CreateOrg { org, name } => {
            let made = service.create_org(org, name.as_deref().unwrap_or(org)).await.map_err(told)?;
            format!("organization {}\n", made.id)
        }
        Task::Orgs => {
            let orgs = service.store().orgs().await.map_err(told)?;
            orgs.iter()
                .map(|org| format!("{}  {}  {}\n", org.id, period::iso(org.created_ms), org.name))
                .collect()
        }
        Task::CreateToken(new) => {
            let scopes = if new.scopes.is_empty() { Scope::DEFAULT.to_vec() } else { new.scopes.clone() };
            let made = service
                .create_token(&new.org, mode(new.live), &new.name, &scopes, new.cap, new.expires)
                .await;
            let (id, token) = made.map_err(told)?;
            format!("{id}\n{token}\n")
        }
        Task::Tokens { org } => {
            let tokens = service.store().tokens(org.as_deref()).await.map_err(told)?;
            let now = service.now_ms();
            let line = |token: &sonometer_service::store::TokenRow| {
                let state = match (token.revoked_ms, token.expires_ms) {
                    (1.., _) => "revoked".to_owned(),
                    (_, 0) => "good".to_owned(),
                    (_, at) if at <= now => "expired".to_owned(),
                    (_, at) => format!("valid until {}", period::iso(at)),
                };
                let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.as_str()).collect();
                let (mode, ending) = (token.mode.as_str(), &token.ending);
                format!(
                    "{}  {}  {mode}  …{ending}  {}  {state}  {}\n",
                    token.id,
                    token.org,
                    scopes.join(","),
                    token.name
                )
            };
            tokens.iter().map(line).collect()
        }
        Task::RevokeToken { token } => {
            service.revoke_token(token).await.map_err(told)?;
            format!("{token} is revoked\n")
        }
        Task::ExpireToken { token, at } => {
            service.expire_token(token, *at).await.map_err(told)?;
            match at {
                0 => format!("{token} never expires\n"),
                at => format!("{token} expires {}\n", period::iso(*at)),
            }
        }
        Task::Account(account) => self::account(service, account).await?,
        Task::Publish { org, .. } => {
            let source = checked.unwrap_or_default();
            let done = service.publish(org, &source).await.map_err(told)?;
            format!("{} {}@{} is {}: {}\n", done.kind, done.id, done.version, done.status, done.digest)
        }
        Task::Archive { org, kind, id, version } => {
            match kind {
                Kind::Target(kind) => service.archive(org, *kind, id, version).await,
                Kind::Stage => service.archive_stage(org, id, version).await,
            }
            .map_err(told)?;
            format!("{} {id}@{version} is archived\n", kind.as_str())
        }
        Task::Shelf { org } => {
            let rows = service.store().targets(org).await.map_err(told)?;
            let line = |row: &sonometer_service::store::TargetRow| {
                format!("{}  {}@{}  {}  {}\n", row.kind.as_str(), row.id, row.version, row.status, row.digest)
            };
            let stages = service.store().stages(org, None).await.map_err(told)?;
            let stage = |row: &sonometer_service::store::StageRow| {
                format!("stage  {}@{}  {}  {}\n", row.id, row.version, row.status, row.digest)
            };
            rows.iter().map(line).chain(stages.iter().map(stage)).collect()
        }
        Task::WebhookSecret { org, rotate: true } => {
            format!("{}\n", service.rotate_webhook_secret(org).await.map_err(told)?)
        }
        Task::WebhookSecret { org, rotate: false } => {
            format!("{}\n", service.webhook_secret(org).await.map_err(told)?)
        }
        Task::Deliveries { org, limit } => {
            let deliveries = service.deliveries(org, *limit).await.map_err(told)?;
            deliveries.iter().map(delivery).collect()
        }
        Task::Dives(task) => admin_dives::run(service, task).await?,
        Task::Check => return check(service).await,
    };
    Ok((text, Exit::Done))
}

async fn account(service: &Service, account: &Account) -> Result<String, Failure> {
    let mode = mode(account.live);
    let before = service.account(&account.org, mode).await.map_err(told)?.settings;
    let after = Settings {
        tier: account.tier.clone().unwrap_or_else(|| before.tier.clone()),
        quota: account.quota.unwrap_or(before.quota),
        overage: account.overage.unwrap_or(before.overage),
        rate_usd: account.rate.unwrap_or(before.rate_usd),
        cap_usd: account.cap.map_or(before.cap_usd, |cap| cap.0),
        per_window: account.per_minute.unwrap_or(before.per_window),
    };
    if after != before {
        service.set_account(&account.org, mode, &after).await.map_err(told)?;
    }
    let standing = service.account(&account.org, mode).await.map_err(told)?;
    let cap = after.cap_usd.map_or("none".to_owned(), |cap| format!("${cap}"));
    Ok(format!(
        "{} {}  {} of {} ICS used in {}\noverage {} at ${}, cap {cap}, {} requests a minute\n",
        account.org,
        mode.as_str(),
        standing.used.units,
        after.quota,
        standing.period,
        if after.overage { "on" } else { "off" },
        after.rate_usd,
        after.per_window
    ))
}

async fn check(service: &Service) -> Result<(String, Exit), Failure> {
    let (rows, faults) = service.store().check_ledger().await.map_err(told)?;
    let mut text = String::new();
    for fault in &faults {
        text.push_str(&format!(
            "{} {}: units, overage, millionths of a dollar and analyses are {:?}, but {:?} in the ledger\n",
            fault.account, fault.period, fault.row, fault.ledger
        ));
    }
    text.push_str(&format!(
        "{} compared with the ledger, {} wrong\n",
        counted(rows, "account month"),
        faults.len()
    ));
    Ok((text, if faults.is_empty() { Exit::Done } else { Exit::Finding }))
}
