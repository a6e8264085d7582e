//! `sonometer dive`: play a stage, verify its cards, make keys, export attestations.

mod card;
mod play;
mod show;
mod stage;

pub(crate) use stage::{StageSource, check, test};

use crate::failure::{Exit, Failure};
use crate::screen::Screen;

const EXAMPLES: &str = "\
Examples:
  sonometer dive billing-dispute                      play it, a line an action
  sonometer dive billing-dispute --walkthrough reference
  sonometer dive my.yaml --actions said.jsonl --log log.jsonl --card card.json --key key.txt
  sonometer dive verify card.json --actions log.jsonl --keys keys.txt

Exit codes: 0 passed (or the card is valid), 1 failed (or it is not), 2 wrong usage, 4 no such stage";

/// Arguments of `dive`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    play: play::PlayArguments,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Check a card: its form, its sums, its signature, and by the actions every byte of it
    Verify(card::VerifyArguments),
    /// Make a key that signs cards
    Keygen(card::KeygenArguments),
    /// Print a card as an in-toto statement, in a DSSE envelope if a key is given
    Export(card::ExportArguments),
}

impl Arguments {
    pub(crate) fn json(&self) -> bool {
        match &self.verb {
            None => self.play.json,
            Some(Verb::Verify(arguments)) => arguments.json,
            Some(Verb::Keygen(_) | Verb::Export(_)) => false,
        }
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    match &arguments.verb {
        None => play::run(&arguments.play, screen),
        Some(Verb::Verify(arguments)) => card::verify(arguments, screen),
        Some(Verb::Keygen(arguments)) => card::keygen(arguments, screen),
        Some(Verb::Export(arguments)) => card::export(arguments, screen),
    }
}
