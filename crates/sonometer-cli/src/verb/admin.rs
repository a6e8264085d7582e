//! `sonometer admin`: organizations, tokens, accounts, what organizations publish, and the check of the ledger.

use super::admin_audit;
use super::admin_bill::{self, Bill};
use super::admin_dives::{self, DiveTask};
use super::serve::runtime;
use super::store::StoreFlags;
use crate::failure::{Exit, Failure, counted};
use crate::paint::one_line;
use crate::screen::Screen;
use crate::target::Source;
use clap::Subcommand;
use sonometer::protocol::Status;
use sonometer::stage::Stage;
use sonometer::{Document, TargetKind, Unit};
use sonometer_service::account::Settings;
use sonometer_service::administration::Actor;
use sonometer_service::store::{Attempt, Delivery};
use sonometer_service::{Code, Mode, Refusal, Scope, Service, period};

/// Arguments of `admin`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    store: StoreFlags,
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
pub(super) enum Task {
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
    /// Make a token in the place of another, with the same scopes and invitations; the other stays good for a while
    RotateToken {
        /// The id of the token, `tok_…`
        token: String,
        /// How many hours the other stays good
        #[arg(long, value_name = "HOURS", default_value_t = 24, value_parser = clap::value_parser!(u32).range(0..=24 * 366))]
        overlap: u32,
        /// When the new one expires; without it as the other would have
        #[arg(long, value_name = "MOMENT", value_parser = moment)]
        expires: Option<i64>,
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
    /// Send a notification once more, at once, whether or not it was delivered
    Redeliver {
        /// The id of the notification, `msg_…`, as `deliveries` lists it
        delivery: String,
    },
    #[command(flatten)]
    Dives(DiveTask),
    /// List who administered what, when and from where, newest first
    Audit {
        /// Of this organization only
        org: Option<String>,
        /// How many
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=1_000))]
        limit: u64,
        /// Older than the line with this id
        #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
        before: String,
    },
    /// Print a new key for --key-file; put it before those that are there, then rotate-keys
    NewKey,
    /// Encrypt all secrets in the store with the newest key
    RotateKeys,
    /// Write what an organization was charged, row by row, as CSV, JSON lines or Parquet
    Usage(Bill),
    /// Check that every account is the sum of its ledger, and name the charges at which it is not
    Check,
}

#[derive(Debug, clap::Args)]
pub(super) struct NewToken {
    /// The organization
    pub(super) org: String,
    /// A live token: what it uses is paid for
    #[arg(long)]
    live: bool,
    /// What people call it
    #[arg(long, default_value = "", hide_default_value = true)]
    name: String,
    /// What it may be used for: sense, read, dive, admin; without it all but admin
    #[arg(long, value_name = "SCOPE", value_delimiter = ',', value_parser = scope)]
    scopes: Vec<Scope>,
    /// A moment such as 2027-01-31T12:00:00Z, a date, or `never`
    #[arg(long, value_name = "MOMENT", default_value = "never", value_parser = moment)]
    expires: i64,
    /// The most US dollars of overage that it may cause in a month
    #[arg(long, value_name = "USD", value_parser = amount)]
    cap: Option<Unit>,
}

#[derive(Debug, clap::Args)]
pub(super) struct Account {
    /// The organization
    pub(super) org: String,
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
    #[arg(long, value_name = "USD", value_parser = amount)]
    rate: Option<Unit>,
    /// The most US dollars that overage may cost in a month, or `none`
    #[arg(long, value_name = "USD", value_parser = cap)]
    cap: Option<Cap>,
    /// Requests of one token in a minute; 0: none
    #[arg(long, value_name = "REQUESTS")]
    per_minute: Option<u64>,
}

impl Account {
    /// Whether anything is to be changed.
    pub(super) fn changes(&self) -> bool {
        let Self { tier, quota, overage, rate, cap, per_minute, .. } = self;
        tier.is_some()
            || quota.is_some()
            || overage.is_some()
            || rate.is_some()
            || cap.is_some()
            || per_minute.is_some()
    }
}

/// A cap, or none.
#[derive(Clone, Copy, Debug)]
struct Cap(Option<Unit>);

fn cap(text: &str) -> Result<Cap, String> {
    if text == "none" { Ok(Cap(None)) } else { amount(text).map(|cap| Cap(Some(cap))) }
}

fn amount(text: &str) -> Result<Unit, String> {
    Ok(sonometer_service::account::amount(text)?)
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
    period::parse_moment(text).filter(|ms| *ms > 0).ok_or_else(|| period::MOMENT_WANTED.to_owned())
}

/// What can stand on a shelf.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
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

/// A line of a list. Names, agents, subjects and addresses are of others: they begin no line of their own, and say nothing to a terminal.
pub(super) fn listed(line: &str) -> String {
    format!("{}\n", one_line(line))
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    if let Task::NewKey = arguments.task {
        screen.print_bytes(&format!("{}\n", sonometer_service::vault::new_key().map_err(told)?))?;
        return Ok(Exit::Done);
    }
    let checked = match &arguments.task {
        Task::Publish { file, .. } => Some(checked(file)?),
        _ => None,
    };
    runtime()?.block_on(async {
        let service = match &arguments.task {
            Task::CreateOrg { .. } => arguments.store.open(screen).await?,
            _ => arguments.store.open_there(screen).await?,
        };
        let done = noted(&service, &arguments.task, checked, screen).await;
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
        let failing = sonometer_author::test::failures(protocol)
            .map_err(|error| Failure::engine(&source.name, &error))?;
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
    let mut text = listed(&format!("{id}  {job}  {status}{next}  {url}"));
    for Attempt { number, at_ms, took_ms, answered, error } in attempts {
        let outcome = if *answered == 0 { error.clone() } else { answered.to_string() };
        text.push_str(&listed(&format!("  {number}. {}  {took_ms} ms  {outcome}", period::iso(*at_ms))));
    }
    text
}

/// Who uses the command.
fn actor() -> Actor {
    let variable = |name| std::env::var(name).ok().filter(|user| !user.is_empty());
    let user = ["SUDO_USER", "USER", "LOGNAME"].into_iter().find_map(variable).or_else(user_of_process);
    Actor { name: "command".to_owned(), origin: user.unwrap_or_else(|| "unknown user".to_owned()) }
}

/// The user that the operating system knows this process by: the name if `/etc/passwd` has one, else the number. Timers and containers
/// set no variables.
fn user_of_process() -> Option<String> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::MetadataExt as _;
        let id = std::fs::metadata("/proc/self").ok()?.uid().to_string();
        let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let name = users.lines().find_map(|line| {
            let mut fields = line.split(':');
            let name = fields.next()?;
            (fields.nth(1)? == id).then(|| name.to_owned())
        });
        Some(name.unwrap_or_else(|| format!("user {id}")))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// Does a task; one that changes something, or shows a secret, is noted in the audit log.
async fn noted(
    service: &Service,
    what: &Task,
    checked: Option<String>,
    screen: &mut Screen,
) -> Result<(String, Exit), Failure> {
    let Some((deed, is_told)) = admin_audit::deed(what) else {
        return task(service, what, checked, screen).await;
    };
    // The audit log knows refusals; a failure of the command itself is one that nobody asked for rightly.
    let mut failure = None;
    let work = async {
        task(service, what, checked, screen).await.map_err(|failed| {
            failure = Some(failed);
            Refusal::new(Code::InvalidRequest, "")
        })
    };
    let named = |(text, _): &(String, Exit)| {
        let first = text.lines().next().unwrap_or_default();
        is_told.then(|| first.to_owned())
    };
    let done = service.noted(&actor(), deed, work, named).await;
    done.map_err(|refusal| failure.take().unwrap_or_else(|| told(refusal)))
}

async fn task(
    service: &Service,
    task: &Task,
    checked: Option<String>,
    screen: &mut Screen,
) -> Result<(String, Exit), Failure> {
    let text = match task {
        Task::CreateOrg { org, name } => {
            let made = service.create_org(org, name.as_deref().unwrap_or(org)).await.map_err(told)?;
            format!("organization {}\n", made.id)
        }
        Task::Orgs => {
            let orgs = service.store().orgs().await.map_err(told)?;
            orgs.iter()
                .map(|org| listed(&format!("{}  {}  {}", org.id, period::iso(org.created_ms), org.name)))
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
            if let Some(org) = org {
                service.known_org(org).await.map_err(told)?;
            }
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
                listed(&format!(
                    "{}  {}  {mode}  …{ending}  {}  {state}  {}",
                    token.id,
                    token.org,
                    scopes.join(","),
                    token.name
                ))
            };
            tokens.iter().map(line).collect()
        }
        Task::RevokeToken { token } => {
            service.revoke_token(token).await.map_err(told)?;
            format!("{token} is revoked\n")
        }
        Task::RotateToken { token, overlap, expires } => {
            let overlap_ms = i64::from(*overlap) * 3_600_000;
            let (id, token, ends) = service.rotate_token(token, overlap_ms, *expires).await.map_err(told)?;
            if ends > 0 {
                screen.note(&format!("the new token is valid until {}", period::iso(ends)));
            }
            format!("{id}\n{token}\n")
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
            service.known_org(org).await.map_err(told)?;
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
        Task::Redeliver { delivery } => {
            service.redeliver("", delivery).await.map_err(told)?;
            format!("{delivery} is sent again\n")
        }
        Task::Dives(task) => admin_dives::run(service, task).await?,
        Task::Audit { org, limit, before } => {
            let lines = service.store().audit(org.as_deref().unwrap_or_default(), before, *limit).await;
            lines.map_err(told)?.iter().map(admin_audit::line).collect()
        }
        // Needs no store.
        Task::NewKey => String::new(),
        Task::RotateKeys => {
            if !service.store().encrypts() {
                return Err(Failure::unusable(
                    "there is no key; give --key-file FILE with one that `sonometer admin new-key` made",
                ));
            }
            let done = service.store().rotate_keys().await.map_err(told)?;
            format!(
                "{} encrypted with the newest key\n",
                counted(usize::try_from(done).unwrap_or(0), "secret")
            )
        }
        // It prints while it reads.
        Task::Usage(bill) => return Ok((String::new(), admin_bill::usage(service, bill, screen).await?)),
        Task::Check => return admin_bill::check(service).await,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_client_begins_no_line_and_says_nothing_to_a_terminal() {
        let attempt = Attempt { number: 1, at_ms: 0, took_ms: 2, answered: 0, error: "a\nb".to_owned() };
        let text = delivery(&Delivery {
            id: "msg_a".to_owned(),
            job: "job_a".to_owned(),
            url: "http://a.example/\nmsg_b  job_b  delivered \u{1b}[31m".to_owned(),
            status: "gone".to_owned(),
            next_ms: 0,
            attempts: vec![attempt],
        });
        assert!(text.lines().count() == 2 && !text.contains('\u{1b}'), "{text:?}");
    }
}
