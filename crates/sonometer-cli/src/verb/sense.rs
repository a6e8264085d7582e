//! `sonometer sense`: measure a text or a conversation.

use super::masks::MaskArguments;
use super::protocols::paragraph;
use super::{composed, signal};
use crate::conversation;
use crate::failure::{Exit, Failure, counted};
use crate::input::{Input, InputArguments, Item, refused};
use crate::paint::bar;
use crate::paint::{BOLD, Paint, one_line};
use crate::places;
use crate::screen::Screen;
use crate::target::Source;
use anstyle::Style;
use sonometer::{
    FlowOptions, OffsetUnit, Profile, Reading, SenseOptions, Sensor, TemporalOptions, Unheard, Unit, View,
    WeakSignal,
};
use sonometer_evaluate::report::ledger;
use sonometer_ingest::Ingested;

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
}

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
    let instrument = Source::find(&arguments.target)?.instrument()?;
    let Some(sensor) = instrument.sensor() else {
        return composed::run(&instrument, arguments, screen);
    };
    let options = arguments.options()?;
    let input = Input::open(&arguments.input)?;
    let mut exit = Exit::Done;
    let mut first = true;
    for item in input.items() {
        let title = title(&input, &item);
        item.tell_notes(screen);
        let origin = item.origin.clone();
        match sense(sensor, item, options, arguments) {
            Ok(reading) if arguments.json => screen.print_bytes(&json(&reading, arguments))?,
            Ok(reading) => {
                let gap = if first { "" } else { "\n" };
                screen.print(&format!(
                    "{gap}{}",
                    report(&screen.paint, &reading, &title, origin.as_ref(), arguments)
                ))?;
                first = false;
            }
            Err(failure) => exit = exit.or(screen.fail(&failure, arguments.json)),
        }
        if exit == Exit::PipeClosed {
            return Ok(exit);
        }
    }
    Ok(exit)
}

/// The heading of one of several interactions.
pub(super) fn title(input: &Input, item: &Item) -> String {
    match &item.id {
        Some(id) if input.is_several() => format!("{}  {}", item.name, one_line(id)),
        None if input.is_several() => item.name.clone(),
        _ => String::new(),
    }
}

fn sense(
    sensor: &Sensor,
    item: Item,
    options: SenseOptions,
    arguments: &Arguments,
) -> Result<Reading, Failure> {
    let interaction = item.interaction?;
    arguments.view().check(sensor.protocol()).map_err(|error| Failure::engine(&item.name, &error))?;
    let reading = sensor
        .sense_with(&interaction, options)
        .map_err(|error| refused(&item.name, interaction.modality(), &error))?;
    if reading.fidelity().sufficient {
        Ok(reading)
    } else {
        Err(Failure::insufficient(&item.name, sensor.protocol(), reading.fidelity()))
    }
}

fn json(reading: &Reading, arguments: &Arguments) -> String {
    let mut json =
        if arguments.explain { reading.ledger().to_json() } else { reading.to_json(arguments.view()) };
    json.push('\n');
    json
}

fn report(
    paint: &Paint,
    reading: &Reading,
    title: &str,
    origin: Option<&Ingested>,
    arguments: &Arguments,
) -> String {
    let protocol = reading.protocol();
    let mut text = String::new();
    if !title.is_empty() {
        text.push_str(&format!("{}\n", paint.dim(title)));
    }
    text.push_str(&format!(
        "{} {}\n",
        paint.bold(&one_line(&protocol.name)),
        paint.dim(&format!("({}@{})", protocol.id, protocol.version))
    ));
    let row = |name: &str, value: Unit| format!("  {name:<8}  {} {value}\n", bar(paint, value, BOLD));
    if let Some(score) = reading.score() {
        text.push_str(&row("score", score));
        let meaning = paragraph(&protocol.score_meaning(), paint.width, 12);
        meaning.lines().for_each(|line| text.push_str(&format!("{}\n", paint.dim(line))));
    }
    text.push_str(&row("fidelity", reading.fidelity().index));
    text.push('\n');
    if origin.is_none_or(places::shows_text) {
        text.push_str(&conversation::render(paint, reading, arguments.profile == Profile::Detailed));
        text.push('\n');
    }
    if let Some(origin) = origin.filter(|origin| places::shows_places(origin)) {
        text.push_str(&places::render(paint, reading, origin));
    }
    text.push_str(&resonance(paint, reading));
    if arguments.profile != Profile::Raw {
        text.push_str(&against(paint, reading));
    }
    if arguments.profile == Profile::Discovery {
        text.push_str(&weak_signals(paint, reading));
    }
    text.push_str(&unheard(paint, reading.unheard()));
    if arguments.explain {
        text.push('\n');
        text.push_str(&ledger(&paint.report(), &reading.ledger()));
    }
    text.push_str(&signal::render(paint, reading, arguments.view()));
    let ics = reading.ics();
    let price = match arguments.rate {
        Unit::ZERO => String::new(),
        _ => format!(", ${}", ics.cost_usd),
    };
    text.push_str(&format!(
        "\n  {} ICS{price} {}\n",
        ics.consumed,
        paint.dim(&format!("(SGM {})", protocol.sgm.as_str()))
    ));
    text
}

/// A bar for every marker that resonates; the silent ones share a line.
fn resonance(paint: &Paint, reading: &Reading) -> String {
    let styles = conversation::styles(reading);
    let width = styles.keys().map(|label| label.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut silent = Vec::new();
    for (label, resonance) in reading.resonance() {
        if resonance.activation == Unit::ZERO {
            silent.push(label);
            continue;
        }
        let style = styles.get(label).copied().unwrap_or_default();
        let sign = if resonance.triggered { paint.styled(style, "●") } else { paint.styled(style, "○") };
        let name = format!("{label:<width$}");
        let name = if resonance.triggered { paint.styled(style.bold(), &name) } else { name };
        text.push_str(&format!(
            "  {sign} {name}  {} {}\n",
            bar(paint, resonance.activation, style),
            resonance.activation
        ));
    }
    if !silent.is_empty() {
        text.push_str(&listed(paint, &format!("{} silent", counted(silent.len(), "marker")), &silent));
    }
    text
}

/// `title: a, b, c`, in as many lines as it takes.
fn listed(paint: &Paint, title: &str, names: &[&str]) -> String {
    let mut lines = vec![format!("{title}:")];
    for (at, name) in names.iter().enumerate() {
        let comma = if at + 1 < names.len() { "," } else { "" };
        match lines.last_mut() {
            Some(line) if line.chars().count() + name.len() + comma.len() + 5 <= paint.width => {
                line.push_str(&format!(" {name}{comma}"));
            }
            _ => lines.push(format!("  {name}{comma}")),
        }
    }
    lines.iter().map(|line| format!("    {}\n", paint.dim(line))).collect()
}

fn weak_signals(paint: &Paint, reading: &Reading) -> String {
    let weak: Vec<WeakSignal<'_>> = reading.weak_signals().collect();
    if weak.is_empty() {
        return String::new();
    }
    let width = weak.iter().map(|signal| signal.metamarker.len()).max().unwrap_or(0);
    let mut text = format!("\n  {}\n", paint.bold("nearly triggered"));
    for signal in weak {
        text.push_str(&format!(
            "  {} {:<width$}  {} {:<8}  {}\n",
            paint.dim("◌"),
            signal.metamarker,
            bar(paint, signal.proximity, Style::new()),
            signal.proximity.to_string(),
            hinted(&signal)
        ));
    }
    text
}

/// What was missing, and the text that it is about.
pub(super) fn hinted(signal: &WeakSignal<'_>) -> String {
    let hint = one_line(&signal.hint);
    match &signal.found {
        Some(found) => format!("{hint}: “{}”", one_line(&found.source)),
        None => hint,
    }
}

/// Which markers could hear nobody: their silence says nothing.
pub(super) fn unheard<'u>(paint: &Paint, markers: impl Iterator<Item = Unheard<'u>>) -> String {
    let line = |Unheard { metamarker, roles }: Unheard<'_>| {
        format!("  {metamarker} asks for {}, and nobody has that role\n", one_line(&roles.join(" or ")))
    };
    let text: String = markers.map(line).collect();
    if text.is_empty() { text } else { format!("\n  {}\n{text}", paint.bold("could hear nobody")) }
}

/// What counts against markers, with what it takes away.
fn against(paint: &Paint, reading: &Reading) -> String {
    let mut text = String::new();
    let width = reading.against().map(|found| found.metamarker.len()).max().unwrap_or(0);
    for found in reading.against() {
        text.push_str(&format!(
            "  {} {:<width$}  {:<9}  “{}”\n",
            paint.dim("−"),
            found.metamarker,
            found.score.to_string(),
            one_line(&found.source)
        ));
    }
    if text.is_empty() { text } else { format!("\n  {}\n{text}", paint.bold("counts against")) }
}
