//! `sonometer admin`: who may dive the stages of an organization, its dives, and what cards are signed with.

use super::admin::{listed, moment, told};
use crate::failure::Failure;
use crate::file;
use clap::Subcommand;
use sonometer::stage::Access;
use sonometer_service::dive::PasswordRule;
use sonometer_service::store::DiveLine;
use sonometer_service::{Service, period};

#[derive(Debug, Subcommand)]
pub(crate) enum DiveTask {
    /// Say who may dive a stage, in the place of its file; what is left out stays
    StageAccess {
        /// The organization whose stage it is
        org: String,
        /// The id of the stage
        stage: String,
        /// free, entitled, invite or session
        #[arg(long, value_parser = access)]
        mode: Option<Access>,
        /// Asks everybody for the password in the first line of this file; only a verifier of it is kept
        #[arg(long, value_name = "FILE")]
        password: Option<String>,
        /// Asks nobody for a password
        #[arg(long, conflicts_with = "password")]
        no_password: bool,
    },
    /// Entitle another organization to a stage
    Entitle {
        /// The organization whose stage it is
        org: String,
        /// The id of the stage
        stage: String,
        /// Who is entitled
        other: String,
    },
    /// Invite a token to a stage
    Invite {
        /// The organization whose stage it is
        org: String,
        /// The id of the stage
        stage: String,
        /// The id of the token, `tok_…`
        token: String,
    },
    /// Open a session of a stage; its id is printed
    OpenSession {
        /// The organization whose stage it is
        org: String,
        /// The id of the stage
        stage: String,
        /// A moment such as 2027-01-31T12:00:00Z, a date, or `never`
        #[arg(long, value_name = "MOMENT", default_value = "never", value_parser = moment)]
        until: i64,
    },
    /// List the latest dives of an organization and in its stages
    Dives {
        /// The organization
        org: String,
        /// How many
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=1_000))]
        limit: u64,
    },
    /// Print the public keys that verify cards, as `sonometer dive verify --keys` reads them
    Keys {
        /// Makes a new one the one that signs; those before it still verify what they signed
        #[arg(long)]
        rotate: bool,
    },
}

fn access(name: &str) -> Result<Access, String> {
    Access::from_name(name).ok_or_else(|| format!("write one of {}", Access::NAMES.join(", ")))
}

/// The first line of a file.
fn password(path: &str) -> Result<String, Failure> {
    let bytes = file::bytes(path, file::PROTOCOL)?;
    Ok(file::utf8(path, &bytes, 0)?.lines().next().unwrap_or_default().to_owned())
}

fn line(dive: &DiveLine) -> String {
    let DiveLine { id, org, stage_org, stage, version, mode, agent, turns, opened_ms, closed_ms, card } =
        dive;
    let state = match (*closed_ms, card.contains("\"passed\":true")) {
        (0, _) => "open",
        (_, true) => "passed",
        (_, false) => "failed",
    };
    let owner = if stage_org.is_empty() { String::new() } else { format!("{stage_org}/") };
    let opened = period::iso(*opened_ms);
    listed(&format!("{id}  {opened}  {org}  {owner}{stage}@{version}  {mode}  {state}  {turns}  {agent}"))
}

pub(super) async fn run(service: &Service, task: &DiveTask) -> Result<String, Failure> {
    Ok(match task {
        DiveTask::StageAccess { org, stage, mode, password: file, no_password } => {
            let rule = match (file, no_password) {
                (Some(file), _) => PasswordRule::Ask(password(file)?),
                (None, true) => PasswordRule::Nobody,
                (None, false) => PasswordRule::Keep,
            };
            let (mode, asked) = service.set_stage_access(org, stage, *mode, rule).await.map_err(told)?;
            let or_file =
                |said: &str| if said.is_empty() { "as the file says".to_owned() } else { said.to_owned() };
            format!("{org} {stage}  access: {}, password: {}\n", or_file(&mode), or_file(asked))
        }
        DiveTask::Entitle { org, stage, other } => {
            service.entitle(org, stage, other).await.map_err(told)?;
            format!("{other} is entitled to {stage} of {org}\n")
        }
        DiveTask::Invite { org, stage, token } => {
            service.invite(org, stage, token).await.map_err(told)?;
            format!("{token} is invited to {stage} of {org}\n")
        }
        DiveTask::OpenSession { org, stage, until } => {
            format!("{}\n", service.open_session(org, stage, *until).await.map_err(told)?)
        }
        DiveTask::Dives { org, limit } => {
            service.known_org(org).await.map_err(told)?;
            let dives = service.store().dives(org, *limit).await.map_err(told)?;
            dives.iter().map(line).collect()
        }
        DiveTask::Keys { rotate } => {
            if *rotate {
                service.rotate_signing_key().await.map_err(told)?;
            }
            let keys = service.public_keys().await.map_err(told)?;
            let one = |(id, digits, state): &(String, String, &str)| format!("# {id} {state}\n{digits}\n");
            keys.iter().map(one).collect()
        }
    })
}
