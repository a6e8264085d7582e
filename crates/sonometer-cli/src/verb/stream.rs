//! `sonometer stream`: measure a text or a conversation while it comes in.

mod sentences;

use super::masks::{self, MaskArguments};
use super::sense::{profile, rate, unit};
use crate::blocks::TOO_LONG;
use crate::failure::{Exit, Failure};
use crate::lines::Lines;
use crate::paint::bar;
use crate::paint::{BOLD, Paint, one_line, safe};
use crate::screen::Screen;
use crate::target::Source;
use clap::ValueEnum;
use sentences::Sentences;
use sonometer::{
    Error, ErrorCode, Event, Instrument, MessageForm, Messages, OffsetUnit, Place, Profile, Reading,
    Released, SenseOptions, Session, SessionOptions, Step, Turn, Unit, View,
};
use sonometer_evaluate::not_utf8;
use sonometer_report::Names;
use std::collections::BTreeMap;
use std::io::{self, Read};

/// Arguments of `stream`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A protocol, metric or blueprint that ships (`id` or `id@version`), or a file of one
    target: String,
    /// The form of standard input
    #[arg(long, value_enum, default_value_t)]
    form: Form,
    /// Events as they come, one line of JSON each; the last one has the whole reading
    #[arg(long, conflicts_with = "guard")]
    pub(crate) json: bool,
    /// Pass the text on, masked, and print nothing else; text waits until no masked pattern can reach it
    #[arg(long)]
    guard: bool,
    /// How much of the reading at the end is shown in the JSON: raw, detailed or discovery
    #[arg(long, default_value = "raw", requires = "json", value_parser = profile)]
    profile: Profile,
    /// The unit of the places in the JSON: bytes, chars or utf16
    #[arg(long, value_name = "UNIT", default_value = "chars", requires = "json", value_parser = unit)]
    offsets: OffsetUnit,
    /// The price of one ICS (Interaction Computed Signal, the unit of billing) in US dollars
    #[arg(long, value_name = "USD", default_value = "0", value_parser = rate)]
    rate: Unit,
    #[command(flatten)]
    masks: MaskArguments,
}

/// How the input is made up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Form {
    /// One text
    #[default]
    Text,
    /// Lines such as `agent: Good morning.`; a line without a role continues the one before
    Turns,
    /// One segment or chat message a line: `{"role": …, "content": …, "timestamp": …}`, or a message of a language model in another form
    Jsonl,
}

/// So much is read at once; less where less has come.
const CHUNK: usize = 64 << 10;

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let options = SessionOptions {
        sense: SenseOptions { usd_per_ics: arguments.rate, ..arguments.masks.options()? },
        unit: arguments.offsets,
        release: true,
    };
    let instrument = Source::find(&arguments.target)?.instrument()?;
    if arguments.guard {
        masks::tell_if_none(&instrument, screen);
    } else {
        arguments.masks.tell_if_idle(&instrument, screen);
    }
    let mut stream =
        Stream { session: instrument.session(options), teller: Teller::new(arguments, &instrument) };
    stream.read(arguments.form, screen)?;
    let step = stream.session.end().map_err(|error| unusable(&error))?;
    stream.teller.tell(&step, screen)?;
    let reading = stream.session.finish().map_err(|error| unusable(&error))?;
    match stream.teller.manner {
        Manner::Json => {
            let view = View { profile: arguments.profile, ..View::default() };
            let json = reading.to_json(view);
            screen.print_bytes(&format!("{{\"event\":\"complete\",\"reading\":{json}}}\n"))?;
        }
        Manner::Guard => stream.teller.end_line(screen)?,
        Manner::People => {
            let gap = if stream.teller.in_line { "\n\n" } else { "\n" };
            let text = summary(&screen.paint, &instrument, &reading);
            screen.print(&format!("{gap}{text}"))?;
        }
    }
    Ok(if reading.fidelity().sufficient || arguments.guard { Exit::Done } else { Exit::Insufficient })
}

fn unusable(error: &Error) -> Failure {
    Failure::engine("standard input", error)
}

/// What comes in, and what goes out.
struct Stream {
    session: Session,
    teller: Teller,
}

impl Stream {
    /// Takes standard input as it comes.
    fn read(&mut self, form: Form, screen: &mut Screen) -> Result<(), Failure> {
        let mut input = io::stdin().lock();
        let mut buffer = vec![0; CHUNK];
        let mut lines = Lines::default();
        loop {
            let read = match input.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => &buffer[..read],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Failure::unusable(format!("standard input: {error}"))),
            };
            match form {
                Form::Text => {
                    let step = self.session.push(read).map_err(|error| unusable(&error))?;
                    self.teller.tell(&step, screen)?;
                }
                Form::Turns | Form::Jsonl => {
                    if let (true, Some(told)) = (lines.is_new(), not_utf8(read)) {
                        return Err(Failure::unusable(format!("standard input: {told}")));
                    }
                    lines.take(read);
                    while let Some((number, line)) = lines.next_line() {
                        self.line(form, number, &line, screen)?;
                    }
                    if let Some(number) = lines.too_long() {
                        let message = format!("standard input, line {number}: {TOO_LONG}");
                        return Err(Failure::told(ErrorCode::PayloadTooLarge, message));
                    }
                }
            }
        }
        if let Some((number, line)) = lines.last_line() {
            self.line(form, number, &line, screen)?;
        }
        Ok(())
    }

    /// Takes one line of a conversation.
    fn line(&mut self, form: Form, number: u64, line: &[u8], screen: &mut Screen) -> Result<(), Failure> {
        let told = |error: &Error| Failure::engine(&format!("standard input, line {number}"), error);
        let line = std::str::from_utf8(line).map_err(|error| {
            told(&Error::invalid("", format!("byte {} is not UTF-8", error.valid_up_to())))
        })?;
        if line.trim().is_empty() {
            return Ok(());
        }
        let steps = match form {
            Form::Jsonl => {
                let mut steps = Vec::new();
                for turn in turns(line).map_err(|error| told(&error))? {
                    self.teller.begin_turn(turn.role.as_deref());
                    steps.push(self.session.push_segment(turn));
                }
                steps
            }
            _ => match sonometer_ingest::role(line) {
                Some((role, said)) => {
                    let begun = self.session.begin_segment(role, None);
                    // What is told at the beginning of a turn belongs to the one before.
                    let step = begun.map_err(|error| told(&error))?;
                    self.teller.tell(&step, screen)?;
                    self.teller.begin_turn(Some(role));
                    vec![self.session.push(said.as_bytes())]
                }
                None if !self.teller.has_turns => {
                    let message = "the first words have no role; write `role: text`";
                    return Err(told(&Error::invalid("", message)));
                }
                None if self.teller.is_turn_empty => vec![self.session.push(line.trim().as_bytes())],
                None => vec![self.session.push(b"\n"), self.session.push(line.trim().as_bytes())],
            },
        };
        self.teller.is_turn_empty &= sonometer_ingest::role(line).is_some_and(|(_, said)| said.is_empty());
        for step in steps {
            self.teller.tell(&step.map_err(|error| told(&error))?, screen)?;
        }
        Ok(())
    }
}

/// How events are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    People,
    Json,
    Guard,
}

struct Teller {
    manner: Manner,
    /// The places that were told last.
    settled_to: Place,
    released_to: Place,
    /// Text for people, sentence by sentence with what was found in it.
    sentences: Sentences,
    has_turns: bool,
    is_turn_empty: bool,
    /// The roles of all segments, as they may be shown.
    roles: Vec<String>,
    /// How each role is shown: a number in the place of one with a text in it that is masked.
    shown_as: BTreeMap<String, String>,
    names: Names,
    /// The segment whose text was shown last.
    shown: Option<usize>,
    /// Whether something stands in the last line.
    in_line: bool,
}

impl Teller {
    fn new(arguments: &Arguments, instrument: &Instrument) -> Self {
        let manner = match (arguments.json, arguments.guard) {
            (true, _) => Manner::Json,
            (_, true) => Manner::Guard,
            _ => Manner::People,
        };
        Self {
            manner,
            settled_to: Place::default(),
            released_to: Place::default(),
            sentences: Sentences::default(),
            has_turns: false,
            is_turn_empty: true,
            roles: Vec::new(),
            shown_as: BTreeMap::new(),
            names: Names::of(instrument),
            shown: None,
            in_line: false,
        }
    }

    fn begin_turn(&mut self, role: Option<&str>) {
        self.has_turns = true;
        self.is_turn_empty = true;
        let role = role.unwrap_or_default();
        let number = self.shown_as.len() + 1;
        let names = &mut self.names;
        let shown = self.shown_as.entry(role.to_owned()).or_insert_with(|| match names.allows(role) {
            true => role.to_owned(),
            false => format!("role {number}"),
        });
        self.roles.push(shown.clone());
    }

    /// Tells what is new.
    fn tell(&mut self, step: &Step, screen: &mut Screen) -> Result<(), Failure> {
        match self.manner {
            Manner::Json => self.tell_json(step, screen),
            Manner::Guard => {
                let text = self.shown(&step.released, |text| text.to_owned());
                if text.is_empty() { Ok(()) } else { screen.print_bytes(&text) }
            }
            Manner::People => {
                self.sentences.take(step);
                let settled = self.sentences.up_to(step.settled_to);
                let mut text = self.shown(&settled, |text| text.chars().map(safe_in_lines).collect());
                let paint = screen.paint;
                for event in &step.events {
                    if let Some(line) = line(&paint, event) {
                        if std::mem::take(&mut self.in_line) {
                            text.push('\n');
                        }
                        text.push_str(&line);
                    }
                }
                if text.is_empty() { Ok(()) } else { screen.print(&text) }
            }
        }
    }

    fn tell_json(&mut self, step: &Step, screen: &mut Screen) -> Result<(), Failure> {
        let mut text = String::new();
        for event in &step.events {
            text.push_str(&event.to_json());
            text.push('\n');
        }
        let places = [
            ("released", step.released_to, &mut self.released_to),
            ("settled", step.settled_to, &mut self.settled_to),
        ];
        for (event, now, told) in places {
            if now > *told {
                *told = now;
                let Place { segment, offset } = now;
                let line = format!("{{\"event\":\"{event}\",\"segment\":{segment},\"offset\":{offset}}}\n");
                text.push_str(&line);
            }
        }
        if text.is_empty() { Ok(()) } else { screen.print_bytes(&text) }
    }

    /// Text that may be shown, with the role before each segment of a conversation.
    fn shown(&mut self, parts: &[Released], show: impl Fn(&str) -> String) -> String {
        let mut text = String::new();
        for part in parts {
            if self.shown != Some(part.segment) {
                if let Some(role) = self.roles.get(part.segment) {
                    if self.in_line {
                        text.push('\n');
                    }
                    text.push_str(&format!("{}: ", one_line(role)));
                }
                self.shown = Some(part.segment);
            }
            text.push_str(&show(&part.text));
            self.in_line = !part.text.ends_with('\n');
        }
        text
    }

    /// Ends the last line of a conversation that is passed on.
    fn end_line(&self, screen: &mut Screen) -> Result<(), Failure> {
        if self.in_line && !self.roles.is_empty() { screen.print_bytes("\n") } else { Ok(()) }
    }
}

/// What is said in a line: by a segment or a message, none where nobody says anything.
fn turns(line: &str) -> Result<Vec<Turn>, Error> {
    Turn::from_message(line, "")
        .map(|turn| turn.into_iter().collect())
        .or_else(|error| of_another_form(line).unwrap_or_else(|| Err(of_whole_chat(line).unwrap_or(error))))
}

/// What is said of a line that holds a chat and no message.
fn of_whole_chat(line: &str) -> Option<Error> {
    const LISTS: [&str; 7] =
        ["messages", "contents", "conversations", "choices", "candidates", "input", "output"];
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    let is_list = |key: &&str| value.get(*key).is_some_and(serde_json::Value::is_array);
    // Others have no list at their top, such as the lines of a batch.
    let key = LISTS
        .into_iter()
        .find(is_list)
        .or_else(|| MessageForm::of(line).filter(|_| value.is_object()).map(|_| ""))?;
    let message = "this is a whole chat; write one message a line, or read such lines by `sonometer batch`";
    Some(Error::invalid(key, message))
}

/// The same of a message of another form, if it has one.
fn of_another_form(line: &str) -> Option<Result<Vec<Turn>, Error>> {
    let chat = format!("[{line}]");
    let form = MessageForm::of(&chat).filter(|form| *form != MessageForm::Chat)?;
    Some(match Messages::read(&chat, Some(form)) {
        Ok(read) => Ok(read.interaction.turns().to_vec()),
        // Said of the chat as a whole: nobody says anything.
        Err(error) if error.place == "segments" => Ok(Vec::new()),
        Err(mut error) => {
            let within = error.place.strip_prefix("segments[0]").map(|place| place.trim_start_matches('.'));
            error.place = within.map(str::to_owned).unwrap_or(error.place);
            Err(error)
        }
    })
}

/// An event as a line for people.
fn line(paint: &Paint, event: &Event) -> Option<String> {
    Some(match event {
        Event::Evidence { metamarker, score, source, .. } => {
            format!("    {} {} {score}  “{}”\n", paint.dim("╰"), paint.bold(metamarker), one_line(source))
        }
        Event::Resonance { metamarker, score } => {
            format!("      {} {}\n", bar(paint, *score, BOLD), paint.dim(&format!("{metamarker} {score}")))
        }
        Event::Fidelity(fidelity) => {
            let told = if fidelity.sufficient { "enough to measure" } else { "not enough to measure yet" };
            format!("    {}\n", paint.dim(&format!("{told} (fidelity {})", fidelity.index)))
        }
        // The text is shown masked.
        Event::Mask { .. } => return None,
    })
}

fn summary(paint: &Paint, instrument: &Instrument, reading: &Reading) -> String {
    let mut text = format!("{}\n", paint.bold(&format!("{}@{}", instrument.id(), instrument.version())));
    let fidelity = reading.fidelity();
    if !fidelity.sufficient {
        match &fidelity.unheard {
            Some(roles) => {
                text.push_str(&format!("  no turn has a role that the protocol listens to: {roles}\n"))
            }
            None => text.push_str(&format!(
                "  the content lacks sufficient signal (fidelity {}); nothing is measured\n",
                fidelity.index
            )),
        }
        return text;
    }
    for (name, value) in [("score", reading.score().unwrap_or(Unit::ZERO)), ("fidelity", fidelity.index)] {
        text.push_str(&format!("  {name:<8}  {} {value}\n", bar(paint, value, BOLD)));
    }
    for (key, found) in reading.resonance().filter(|(_, found)| found.activation > Unit::ZERO) {
        let (score, sign) = (found.activation, if found.triggered { "●" } else { "○" });
        text.push_str(&format!(
            "  {sign} {} {}\n",
            bar(paint, score, BOLD),
            paint.bold(&format!("{key} {score}"))
        ));
    }
    text.push_str(&format!("  {} ICS\n", reading.ics().consumed));
    text
}

/// A character as a terminal may show it; lines stay lines.
fn safe_in_lines(c: char) -> char {
    if matches!(c, '\n' | '\t') { c } else { safe(c) }
}
