//! Playing a stage: by a person at the terminal, from a script, or by one of its walkthroughs.

use super::show;
use super::stage::StageSource;
use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use crate::{file, screen};
use sonometer::stage::{Action, Agent, Closing, Dive, MAX_SEED, Mode, SeedSource, World};
use sonometer_card::SigningKey;
use std::io::{BufRead, Write};

/// Arguments of `dive` without a verb.
#[derive(Debug, clap::Args)]
pub(super) struct PlayArguments {
    /// A stage that ships, or a stage file
    #[arg(required = true, value_name = "STAGE")]
    stage: Option<String>,
    /// The seed of all random choices; the same seed and actions give the same dive
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=MAX_SEED))]
    seed: u64,
    /// The actions: a log (.jsonl), or a text with an action a line; `-` reads every line of standard input as one.
    /// Without it they are typed, and `help`, `status`, `quit` and empty lines are no actions
    #[arg(long, value_name = "FILE", conflicts_with = "walkthrough")]
    actions: Option<String>,
    /// Play a walkthrough of the stage, with its seed
    #[arg(long, value_name = "NAME", conflicts_with = "seed")]
    walkthrough: Option<String>,
    /// The tag of the agent, for the card
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// Write every action and its result, one line of JSON each
    #[arg(long, value_name = "FILE")]
    log: Option<String>,
    /// Write the card
    #[arg(long, value_name = "FILE")]
    card: Option<String>,
    /// Sign the card with the key in this file
    #[arg(long, value_name = "FILE", requires = "card")]
    key: Option<String>,
    /// One line of JSON for the arrival, for each action, and for the card
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(arguments: &PlayArguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let source = StageSource::find(arguments.stage.as_deref().unwrap_or_default())?;
    let world = source.world()?;
    let key = arguments.key.as_deref().map(signing_key).transpose()?;
    let (seed, given) = given(arguments, &world)?;
    // Before anything is played, which would be lost.
    [&arguments.log, &arguments.card].into_iter().flatten().try_for_each(|path| file::expect_unread(path))?;
    let mut log = arguments.log.as_deref().map(Log::create).transpose()?;
    let mut dive = world.open(seed);
    match arguments.json {
        true => screen.print_bytes(&format!("{}\n", dive.observation().to_json()))?,
        false => screen.print(&show::arrival(&screen.paint, &dive))?,
    }
    match given {
        Some(actions) => {
            for action in &actions {
                if dive.observation().done {
                    break;
                }
                act(&mut dive, action, arguments, log.as_mut(), true, screen)?;
            }
        }
        None => {
            let typing = screen::typing();
            let has_words = arguments.actions.is_none() && !arguments.json;
            if typing && has_words {
                screen.print(&show::hint(&screen.paint))?;
            }
            while !dive.observation().done {
                if typing && !arguments.json {
                    screen.print(&show::prompt(&screen.paint, &dive))?;
                }
                let Some(line) = next_line()? else { break };
                let action = match String::from_utf8(line) {
                    Ok(action) => action,
                    Err(_) => {
                        let told = "standard input: a line is not UTF-8; write it in UTF-8";
                        let wrong = Failure::unusable(told.to_owned());
                        // A slip of a person does not end what they have played so far.
                        if !typing {
                            return Err(wrong);
                        }
                        screen.fail(&wrong, arguments.json);
                        continue;
                    }
                };
                if has_words {
                    match action.trim() {
                        "quit" => break,
                        "help" => {
                            screen.print(&show::help(&screen.paint))?;
                            continue;
                        }
                        "status" => {
                            screen.print(&show::status(&screen.paint, &dive))?;
                            continue;
                        }
                        // Enter alone says nothing.
                        "" => continue,
                        _ => {}
                    }
                }
                // A person sees what they have typed.
                act(&mut dive, &action, arguments, log.as_mut(), !typing, screen)?;
            }
        }
    }
    let closing = Closing {
        dive_id: format!("{}-{seed}", world.stage().id),
        mode: Mode::Practice,
        seed_source: SeedSource::Caller,
        attempt: None,
        agent: arguments.agent.as_ref().map(|id| Agent { id: id.clone(), version: None }),
        summary: None,
    };
    let mut card = dive.close(&closing);
    if let Some(key) = &key {
        card = sonometer_card::sign(&card, key);
    }
    if let Some(path) = &arguments.card {
        write(path, &format!("{}\n", card.to_json()))?;
    }
    match arguments.json {
        true => screen.print_bytes(&format!("{}\n", card.to_json()))?,
        false => screen.print(&show::end(&screen.paint, &world, &card))?,
    }
    Ok(if card.verdict.passed { Exit::Done } else { Exit::Finding })
}

/// The seed, and the actions if they are known beforehand.
fn given(arguments: &PlayArguments, world: &World) -> Result<(u64, Option<Vec<String>>), Failure> {
    if let Some(name) = &arguments.walkthrough {
        let walkthroughs = &world.stage().walkthroughs;
        let found = walkthroughs.iter().find(|(known, _)| known == name).map(|(_, walkthrough)| walkthrough);
        let walkthrough = found.ok_or_else(|| {
            let names: Vec<&str> = walkthroughs.iter().map(|(name, _)| name.as_str()).collect();
            Failure::unusable(format!("unknown walkthrough `{name}`; walkthroughs: {}", names.join(", ")))
        })?;
        return Ok((walkthrough.seed, Some(walkthrough.say.clone())));
    }
    let actions = match arguments.actions.as_deref() {
        None | Some("-") => None,
        Some(path) => Some(actions(path)?),
    };
    Ok((arguments.seed, actions))
}

/// The actions of a log or of a text.
pub(super) fn actions(path: &str) -> Result<Vec<String>, Failure> {
    let bytes = file::bytes(path, file::PROTOCOL)?;
    let text = file::utf8(path, &bytes, 0)?;
    if !text.trim_start().starts_with('{') {
        return Ok(text.lines().map(str::to_owned).collect());
    }
    let log = Action::read_log(text).map_err(|wrong| Failure::unusable(format!("{path}: {wrong}")))?;
    Ok(log.into_iter().map(|action| action.action).collect())
}

fn act(
    dive: &mut Dive,
    action: &str,
    arguments: &PlayArguments,
    log: Option<&mut Log<'_>>,
    echo: bool,
    screen: &mut Screen,
) -> Result<(), Failure> {
    match dive.act(action) {
        Ok(step) => {
            if let Some(log) = log {
                log.add(&step.log_line(action, &dive.chain()))?;
            }
            match arguments.json {
                true => screen.print_bytes(&format!("{}\n", step.to_json())),
                false => screen.print(&show::step(&screen.paint, dive, &step, echo)),
            }
        }
        // Nothing has happened: say it again, in fewer words.
        Err(refused) => {
            screen.fail(&Failure::unusable(refused.to_string()), arguments.json);
            Ok(())
        }
    }
}

/// The log, a line for each action as soon as it is played: Ctrl-C ends a dive at once.
struct Log<'p> {
    path: &'p str,
    file: std::fs::File,
}

impl<'p> Log<'p> {
    fn create(path: &'p str) -> Result<Self, Failure> {
        let file = std::fs::File::create(path).map_err(|error| file::unwritable(path, &error))?;
        Ok(Self { path, file })
    }

    fn add(&mut self, line: &str) -> Result<(), Failure> {
        self.file
            .write_all(format!("{line}\n").as_bytes())
            .map_err(|error| file::unwritable(self.path, &error))
    }
}

fn next_line() -> Result<Option<Vec<u8>>, Failure> {
    let mut line = Vec::new();
    match std::io::stdin().lock().read_until(b'\n', &mut line) {
        Ok(0) => Ok(None),
        Ok(_) => {
            while line.last().is_some_and(|last| b"\r\n".contains(last)) {
                line.pop();
            }
            Ok(Some(line))
        }
        Err(error) => Err(Failure::unusable(format!("standard input cannot be read: {error}"))),
    }
}

/// The key in a file.
pub(super) fn signing_key(path: &str) -> Result<SigningKey, Failure> {
    let bytes = file::bytes(path, file::PROTOCOL)?;
    file::tell_open_key(path);
    let text = file::utf8(path, &bytes, 0)?;
    SigningKey::read(text).map_err(|wrong| Failure::unusable(format!("{path}: {wrong}")))
}

pub(super) fn write(path: &str, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| file::unwritable(path, &error))
}
