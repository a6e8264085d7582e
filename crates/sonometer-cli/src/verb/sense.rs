//! `sonometer sense`: measure a text or a conversation.

use super::masks::MaskArguments;
use crate::advice;
use crate::failure::{Exit, Failure, counted};
use crate::input::{Input, InputArguments, Item, refused, shown};
use crate::page::PageArgument;
use crate::paint::one_line;
use crate::places;
use crate::screen::Screen;
use crate::target::{Source, is_path};
use crate::watch::watch;
use sonometer::document::suggest;
use sonometer::{
    ErrorCode, Evidence, Fidelity, FlowOptions, Instrument, OffsetUnit, Profile, Reading, SenseOptions,
    TemporalOptions, Unit, View,
};
use sonometer_ingest::Ingested;
use sonometer_report::{Hidden, Names, Roles, Sheet, Shown, of_reading};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Arguments of `sense`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A protocol, metric or blueprint that ships (`id` or `id@version`), or a file of one
    target: String,
    #[command(flatten)]
    pub(super) input: InputArguments,
    /// The canonical JSON of the reading, one line per interaction
    #[arg(long)]
    pub(crate) json: bool,
    /// How much is shown: `detailed` adds what each piece of evidence is worth and who said it, `discovery` adds what
    /// nearly triggered
    #[arg(long, default_value = "raw", value_parser = profile)]
    pub(super) profile: Profile,
    /// The computation: every match, why it counts or not, and the sums up to the score
    #[arg(long)]
    pub(super) explain: bool,
    /// Adds the places of evidence to the JSON, counted in this unit: bytes, chars or utf16
    #[arg(long, value_name = "UNIT", requires = "json", value_parser = unit)]
    pub(super) offsets: Option<OffsetUnit>,
    /// Which side drives what (protocols on SGM 1.5)
    #[arg(long)]
    flow: bool,
    /// The role that is the primary side of the flow; the protocol's own without it
    #[arg(long, value_name = "ROLE", requires = "flow")]
    primary: Option<String>,
    /// How it develops: trend and phase shifts (protocols on SGM 1.5)
    #[arg(long)]
    temporal: bool,
    /// The length of a window of the temporal analysis, where every turn has a timestamp; the protocol's own without
    /// it
    #[arg(long, value_name = "SECONDS", requires = "temporal", value_parser = seconds)]
    window: Option<Unit>,
    /// The price of one ICS (Interaction Computed Signal, the unit of billing) in US dollars
    #[arg(long, value_name = "USD", default_value = "0", value_parser = rate)]
    pub(super) rate: Unit,
    #[command(flatten)]
    pub(super) masks: MaskArguments,
    #[command(flatten)]
    page: PageArgument,
    /// Measure again whenever the protocol or the input changes
    #[arg(long)]
    watch: bool,
}

/// Readings on one page: beyond, a browser is slow.
const ON_PAGE: usize = 200;

pub(super) fn profile(name: &str) -> Result<Profile, String> {
    Profile::from_name(name).ok_or_else(|| format!("write one of {}", Profile::NAMES.join(", ")))
}

pub(super) fn unit(name: &str) -> Result<OffsetUnit, String> {
    OffsetUnit::from_name(name).ok_or_else(|| format!("write one of {}", OffsetUnit::NAMES.join(", ")))
}

pub(super) fn rate(text: &str) -> Result<Unit, String> {
    Unit::parse(text).filter(|usd| *usd >= Unit::ZERO).ok_or_else(|| "write an amount, such as 0.005".into())
}

/// Whether it is above 0 is for the view to say, as at every door.
fn seconds(text: &str) -> Result<Unit, String> {
    Unit::parse(text).ok_or_else(|| "write a number of seconds, such as 60".into())
}

impl Arguments {
    /// How it is sensed.
    pub(super) fn options(&self) -> Result<SenseOptions, Failure> {
        Ok(SenseOptions { usd_per_ics: self.rate, ..self.masks.options()? })
    }

    /// What is shown of a reading.
    pub(super) fn view(&self) -> View<'_> {
        let temporal = TemporalOptions { window: self.window };
        View {
            profile: self.profile,
            offsets: self.offsets,
            flow: self.flow.then_some(FlowOptions { primary: self.primary.as_deref() }),
            temporal: self.temporal.then_some(temporal),
        }
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    if !arguments.watch {
        return measure(arguments, screen);
    }
    let input = &arguments.input.input;
    if input == "-" {
        return Err(Failure::unusable("--watch cannot read standard input again; give a file"));
    }
    let mut files = vec![PathBuf::from(input)];
    files.extend(is_path(&arguments.target).then(|| PathBuf::from(&arguments.target)));
    watch(&files, screen, arguments.json, |screen| measure(arguments, screen))
}

fn measure(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let instrument = Source::find(&arguments.target)?.instrument()?;
    arguments.masks.tell_if_idle(&instrument, screen);
    let options = arguments.options()?;
    let input = Input::open(&arguments.input)?;
    let mut exit = Exit::Done;
    let mut first = true;
    let (mut kept, mut left_out) = (Vec::new(), 0);
    let mut refused = Refused::default();
    for item in input.items() {
        let (name, id) = (item.name.clone(), item.id.clone());
        item.tell_notes(screen, &[&instrument]);
        let origin = item.origin.clone();
        match sense(&instrument, item, options, arguments) {
            Ok(reading) => {
                refused.pause(screen);
                if let Some(note) = arguments.primary.as_deref().and_then(|role| unspoken(role, &reading)) {
                    screen.note(&format!("{}: {note}", one_line(&name)));
                }
                let title = if input.is_several() { title(name, id, &reading) } else { String::new() };
                if arguments.json {
                    screen.print_bytes(&json(&reading, arguments))?;
                } else {
                    let gap = if first { "" } else { "\n" };
                    let head = if title.is_empty() { title.clone() } else { screen.paint.dim(&title) + "\n" };
                    let sheet = report(&reading, "", origin.as_ref(), arguments);
                    screen.print(&format!("{gap}{head}{}", sheet.to_text(&screen.paint.report())))?;
                }
                first = false;
                if arguments.page.is_asked() {
                    match kept.len() {
                        ON_PAGE => left_out += 1,
                        _ => kept.push((title, reading, origin)),
                    }
                }
            }
            Err(failure) => exit = exit.or(refused.tell(&name, &failure, screen, arguments.json)),
        }
        if exit == Exit::PipeClosed {
            return Ok(exit);
        }
    }
    refused.pause(screen);
    if first && refused.turns > 0 && refused.turns == refused.items {
        screen.note(&format!("{}: {}", shown(&arguments.input.input), advice::TURNS));
    }
    write_page(&kept, left_out, arguments)?;
    Ok(exit)
}

/// Items that fail. Only the first of several equal errors in a row are shown: ten thousand would hide everything else.
#[derive(Debug, Default)]
struct Refused {
    items: usize,
    /// How many of them are turns of a conversation.
    turns: usize,
    /// The last error, without the name of its item.
    said: String,
    /// How many items in a row had it.
    in_a_row: usize,
}

impl Refused {
    /// The most equal errors in a row that are shown.
    const MOST: usize = 3;

    fn tell(&mut self, name: &str, failure: &Failure, screen: &mut Screen, json: bool) -> Exit {
        let Failure::Told(told) = failure else { return failure.exit() };
        let said = told.message.strip_prefix(name).unwrap_or(&told.message);
        if said != self.said {
            self.pause(screen);
            self.said = said.to_owned();
        }
        self.items += 1;
        self.turns += usize::from(advice::is_turn(said));
        self.in_a_row += 1;
        match self.in_a_row > Self::MOST {
            true => screen.fail_silently(failure, json),
            false => screen.fail(failure, json),
        }
    }

    /// Says how many equal errors were not shown, before something else is printed.
    fn pause(&mut self, screen: &Screen) {
        let more = std::mem::take(&mut self.in_a_row).saturating_sub(Self::MOST);
        self.said.clear();
        if more > 0 {
            screen.note(&format!("the same error in the next {}", counted(more, "line")));
        }
    }
}

/// Roles that a message names.
const ROLES: usize = 12;

/// What is said of a primary role that no turn has: everybody would be on the other side without a word.
fn unspoken(primary: &str, reading: &Reading) -> Option<String> {
    let options = FlowOptions { primary: Some(primary) };
    let flow = reading.parts().first()?.actant_flow(options)?;
    let turns = reading.interaction().turns();
    let roles: BTreeSet<&str> = turns.iter().filter_map(|turn| turn.role.as_deref()).collect();
    let is_same = |role: &&str| role.trim().to_lowercase() == primary.trim().to_lowercase();
    // A turn without words is one, too.
    if flow.sides[0].words > 0 || roles.iter().any(is_same) {
        return None;
    }
    let told = format!("no turn has the role `{}` that --primary names", one_line(primary));
    if roles.is_empty() {
        return Some(format!(
            "{told}: its turns have no roles; leave --primary out, or give turns with roles"
        ));
    }
    let shown = Roles::of(reading);
    let shown: Vec<&str> = roles.iter().map(|role| shown.shown(role)).collect();
    let mut names: Vec<String> = shown.iter().take(ROLES).map(|role| one_line(role).to_string()).collect();
    if shown.len() > ROLES {
        names.push("…".to_owned());
    }
    let near = suggest(primary.trim(), &shown).map(|near| format!("; did you mean `{}`?", one_line(near)));
    Some(format!("{told}; its roles: {}{}", names.join(", "), near.unwrap_or_default()))
}

/// The heading of one of several interactions, without an id that has a text in it that is masked.
fn title(name: String, id: Option<String>, reading: &Reading) -> String {
    let mut names = Names::of(reading.instrument());
    match id.filter(|id| names.allows_beside(id, &Hidden::of(reading))) {
        Some(id) => format!("{name}  {}", one_line(&id)),
        None => name,
    }
}

fn sense(
    instrument: &Instrument,
    item: Item,
    options: SenseOptions,
    arguments: &Arguments,
) -> Result<Reading, Failure> {
    let interaction = item.interaction?;
    let view = arguments.view();
    let checked = match instrument.sensor() {
        Some(sensor) => view.check(sensor.protocol()),
        None => view.check_composed(),
    };
    checked.map_err(|error| Failure::engine(&item.name, &error))?;
    let reading = instrument
        .sense_with(&interaction, options)
        .map_err(|error| refused(&item.name, interaction.modality(), &error))?;
    match (reading.fidelity().sufficient, instrument.sensor()) {
        (true, _) => Ok(reading),
        (false, Some(sensor)) => {
            Err(Failure::insufficient(&item.name, sensor.protocol(), reading.fidelity()))
        }
        (false, None) => Err(insufficient(&item.name, &reading)),
    }
}

/// A metric or blueprint measures nothing where one of its protocols does not.
fn insufficient(name: &str, reading: &Reading) -> Failure {
    let lacking = reading.parts().iter().filter(|part| !part.fidelity().sufficient);
    let lacking: Vec<String> = lacking.map(|part| format!("`{}`", part.protocol().id)).collect();
    let Fidelity { index, density, clarity, .. } = reading.fidelity();
    let message = format!(
        "{name}: the content lacks sufficient signal for {} in `{}`: fidelity {index} (density {density}, \
         clarity {clarity}); give more readable text",
        lacking.join(", "),
        reading.instrument().id()
    );
    Failure::lacking(ErrorCode::InsufficientSignal, message, reading.fidelity())
}

fn json(reading: &Reading, arguments: &Arguments) -> String {
    let mut json = if arguments.explain { reading.ledger_json() } else { reading.to_json(arguments.view()) };
    json.push('\n');
    json
}

/// The report of a reading; `on`: what was read, where there are several.
fn report<'r>(reading: &'r Reading, on: &str, origin: Option<&Ingested>, arguments: &Arguments) -> Sheet<'r> {
    let with_places = origin.filter(|origin| places::shows_places(origin));
    let places = with_places.map(Ingested::places);
    let place = |found: &Evidence<'_>| {
        let place = places.as_ref()?.at(found.turn, found.range.start)?;
        Some(place.to_string())
    };
    let shown = Shown {
        view: arguments.view(),
        explain: arguments.explain,
        price: arguments.rate != Unit::ZERO,
        text: origin.is_none_or(places::shows_text),
        place: with_places.is_some().then_some(&place),
    };
    let is_shown = Names::of(reading.instrument()).allows_beside(on, &Hidden::of(reading));
    let on = if is_shown { on.to_owned() } else { String::new() };
    Sheet { on, ..of_reading(reading, &shown) }
}

fn write_page(
    kept: &[(String, Reading, Option<Ingested>)],
    left_out: usize,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let sheets = kept.iter().map(|(on, reading, origin)| report(reading, on, origin.as_ref(), arguments));
    let mut sheets: Vec<Sheet<'_>> = sheets.collect();
    if let Some(first) = sheets.first_mut().filter(|_| left_out > 0) {
        first.notes.push(format!(
            "This page shows the first {ON_PAGE} readings; {left_out} more {} left out.",
            if left_out == 1 { "is" } else { "are" }
        ));
    }
    arguments.page.write(&sheets)
}
