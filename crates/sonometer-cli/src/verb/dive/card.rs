//! Cards and keys: `dive verify`, `dive keygen`, `dive export`.

use super::play::{signing_key, write};
use super::stage::StageSource;
use crate::failure::{Exit, Failure};
use crate::file;
use crate::screen::Screen;
use sonometer::stage::{Action, Card, Mismatch, replay};
use sonometer_card::{Keys, SigningKey};

/// Arguments of `dive verify`.
#[derive(Debug, clap::Args)]
pub(super) struct VerifyArguments {
    /// The card
    card: String,
    /// The log of its actions: computes the card again and compares every byte
    #[arg(long, value_name = "FILE")]
    actions: Option<String>,
    /// The public keys that may have signed it: one a line, or what a service answers to `GET /api/v1/keys`
    #[arg(long, value_name = "FILE")]
    keys: Option<String>,
    /// The stage file, where the stage does not ship
    #[arg(long, value_name = "STAGE", requires = "actions")]
    stage: Option<String>,
    /// The answer as one line of JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Arguments of `dive keygen`.
#[derive(Debug, clap::Args)]
pub(super) struct KeygenArguments {
    /// The file of the secret key, which must not exist; the public key is written to the same name with `.pub`
    #[arg(value_name = "FILE")]
    path: String,
}

/// Arguments of `dive export`.
#[derive(Debug, clap::Args)]
pub(super) struct ExportArguments {
    /// The card
    card: String,
    /// Signs a DSSE envelope around the statement with the key in this file
    #[arg(long, value_name = "FILE")]
    key: Option<String>,
}

fn text(path: &str) -> Result<String, Failure> {
    let bytes = file::bytes(path, file::PROTOCOL)?;
    file::utf8(path, &bytes, 0).map(str::to_owned)
}

pub(super) fn verify(arguments: &VerifyArguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let card_text = text(&arguments.card)?;
    let mut held = Vec::new();
    let outcome = checks(arguments, &card_text, &mut held)?;
    let exit = if outcome.is_ok() { Exit::Done } else { Exit::Finding };
    if arguments.json {
        let (place, message) = match &outcome {
            Ok(()) => (None, None),
            Err(wrong) => (Some(&wrong.place), Some(&wrong.message)),
        };
        let line = serde_json::json!({"holds": outcome.is_ok(), "checked": held, "place": place, "message": message});
        screen.print_bytes(&format!("{line}\n"))?;
        return Ok(exit);
    }
    let mut lines: String = held.iter().map(|what| format!("  ✓ {what}\n")).collect();
    match &outcome {
        // Its form and its sums anybody can write.
        Ok(()) if arguments.keys.is_none() && arguments.actions.is_none() => {
            let header = "the card is well formed; whether it is genuine was not checked";
            lines = format!("{}\n{lines}", screen.paint.bold(header));
        }
        Ok(()) => lines = format!("{}\n{lines}", screen.paint.bold("the card is valid")),
        Err(wrong) => {
            lines.push_str(&format!("  ✗ {wrong}\n{}\n", screen.paint.bold("the card is not valid")))
        }
    }
    let is_signed = Card::read(&card_text).is_ok_and(|card| card.signature.is_some());
    if arguments.keys.is_none() && is_signed {
        lines.push_str("  use --keys to check its signature\n");
    }
    if arguments.actions.is_none() {
        lines.push_str("  use --actions to compute its grade again\n");
    }
    screen.print(&lines)?;
    Ok(exit)
}

/// What holds is added to `held`; the first thing that does not is the outcome.
fn checks(
    arguments: &VerifyArguments,
    text_of_card: &str,
    held: &mut Vec<&'static str>,
) -> Result<Result<(), Mismatch>, Failure> {
    let card = match Card::read(text_of_card) {
        Ok(card) => card,
        Err(wrong) => return Ok(Err(wrong)),
    };
    held.push("format and sums");
    if let Some(path) = &arguments.keys {
        let keys = Keys::read(&text(path)?).map_err(|wrong| Failure::unusable(format!("{path}: {wrong}")))?;
        if let Err(wrong) = sonometer_card::check(&card, &keys) {
            return Ok(Err(wrong));
        }
        held.push("signature");
    }
    if let Some(path) = &arguments.actions {
        let log = match Action::read_log(&text(path)?) {
            Ok(log) => log,
            Err(wrong) => return Ok(Err(wrong)),
        };
        let named = format!("{}@{}", card.stage.id, card.stage.version);
        let world = StageSource::find(arguments.stage.as_deref().unwrap_or(&named))?.world()?;
        if let Err(wrong) = replay(&world, &card, &log) {
            return Ok(Err(wrong));
        }
        held.push("every byte, recomputed from the actions");
    }
    Ok(Ok(()))
}

pub(super) fn keygen(arguments: &KeygenArguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)
        .map_err(|error| Failure::unusable(format!("the system provides no random numbers: {error}")))?;
    let key = SigningKey::from_seed(seed);
    let digits: String = seed.iter().map(|byte| format!("{byte:02x}")).collect();
    let id = key.public().id();
    create_secret(
        &arguments.path,
        &format!("# The secret key {id}, which signs cards. Keep it secret.\n{digits}\n"),
    )?;
    let public = format!("{}.pub", arguments.path);
    write(&public, &format!("# The public key {id}\n{}\n", key.public()))?;
    screen.print(&format!("{}: the secret key {id}\n{public}: its public key\n", arguments.path))?;
    Ok(Exit::Done)
}

/// Writes a file that nobody else may read, and that was not there before.
fn create_secret(path: &str, text: &str) -> Result<(), Failure> {
    use std::io::Write as _;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::unusable(format!(
            "{path}: already exists; keys are never overwritten; choose another name"
        )),
        _ => file::unwritable(path, &error),
    })
}

pub(super) fn export(arguments: &ExportArguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let card = Card::read(&text(&arguments.card)?)
        .map_err(|wrong| Failure::unusable(format!("{}: {wrong}", arguments.card)))?;
    let text = match &arguments.key {
        Some(path) => sonometer_card::envelope(&card, &signing_key(path)?),
        None => sonometer_card::statement(&card),
    };
    screen.print_bytes(&format!("{text}\n"))?;
    Ok(Exit::Done)
}
