//! `sonometer diff`: what another version of a protocol, metric or blueprint changes, on a corpus.

mod moved;
mod protocols;
mod report;

use crate::failure::{Exit, Failure, counted};
use crate::input::{Input, InputArguments, refused};
use crate::json;
use crate::page::PageArgument;
use crate::screen::Screen;
use crate::target::Source;
use crate::verb::dive::StageSource;
use moved::Moved;
use report::Totals;
use sonometer::{Document, Instrument, SenseOptions};
use sonometer_report::{Hidden, Names};

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The old version: a protocol, metric or blueprint that ships, or a file of one
    old: String,
    /// The new version
    new: String,
    #[command(flatten)]
    input: InputArguments,
    /// One JSON object for each reading that moved, then one with the sums
    #[arg(long)]
    pub(crate) json: bool,
    /// Show at most N readings; all are counted
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    page: PageArgument,
    /// Exit with 1 if a reading changed
    #[arg(long)]
    fail_on_change: bool,
}

/// Readings on one page: beyond, a browser is slow.
const ON_PAGE: usize = 1_000;

/// One of the two: as it is written, and made ready.
struct Version {
    document: Document,
    instrument: Instrument,
}

impl Version {
    fn find(target: &str) -> Result<Self, Failure> {
        if let Some(stage) = StageSource::meant(target) {
            return Err(Failure::unusable(format!(
                "{}: stages cannot be compared with `diff`, because they do not sense a corpus; run `sonometer test` on \
                 each version, replay actions with `sonometer dive {target} --actions FILE`, or compare two versions of \
                 the protocol, metric or blueprint that the stage names",
                stage.source.name
            )));
        }
        let source = Source::find(target)?;
        let document = source.document()?.0;
        let instrument =
            source.compose(document.clone()).map_err(|error| Failure::engine(&source.name, &error))?;
        Ok(Self { document, instrument })
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let (old, new) = (Version::find(&arguments.old)?, Version::find(&arguments.new)?);
    if old.instrument.kind() != new.instrument.kind() {
        return Err(Failure::unusable(format!(
            "`{}` is a {} and `{}` a {}; give two versions of the same one",
            old.instrument.id(),
            old.instrument.kind().as_str(),
            new.instrument.id(),
            new.instrument.kind().as_str()
        )));
    }
    let input = Input::open(&arguments.input)?;
    let difference = protocols::difference(&old.document, &new.document);
    let (old, new) = (old.instrument, new.instrument);
    let mut sheet = report::sheet(&old, &new, &difference);
    let paint = screen.paint.report();
    if !arguments.json {
        screen.print(&(sheet.to_text(&paint) + "\n"))?;
    }
    let mut cases = Vec::new();
    let mut totals = Totals::default();
    let mut exit = Exit::Done;
    for item in input.items() {
        item.tell_notes(screen, &[&old, &new]);
        let (name, id) = (item.name, item.id);
        let both = item.interaction.and_then(|interaction| {
            let sense = |instrument: &Instrument| {
                let options = SenseOptions::default().without_key(instrument.sensors());
                let sensed = instrument.sense_with(&interaction, options);
                sensed.map_err(|error| refused(&name, interaction.modality(), &error))
            };
            Ok((sense(&old)?, sense(&new)?))
        });
        let (before, after) = match both {
            Ok(both) => both,
            Err(failure) => {
                exit = exit.or(screen.fail(&failure, arguments.json));
                continue;
            }
        };
        let moved = Moved::between(&before, &after);
        totals.add(&before, &after, moved.as_ref());
        let shown = arguments.limit.is_none_or(|limit| totals.moved <= limit);
        if let Some(moved) = moved.filter(|_| shown) {
            let shown = id.as_deref().filter(|id| {
                [&before, &after]
                    .iter()
                    .all(|reading| Names::of(reading.instrument()).allows_beside(id, &Hidden::of(reading)))
            });
            let case = report::case(&name, shown, &moved);
            match arguments.json {
                true => screen.print_bytes(&json::line(&moved.json(&name, id.as_deref())))?,
                false => screen.print(&(case.to_text(&paint) + "\n"))?,
            }
            if arguments.page.is_asked() && cases.len() < ON_PAGE {
                cases.push(case);
            }
        }
    }
    if arguments.json {
        screen.print_bytes(&json::line(&totals.json(&old, &new, &difference)))?;
    } else {
        let hidden = arguments.limit.map_or(0, |limit| totals.moved.saturating_sub(limit));
        if hidden > 0 {
            screen.print(&format!(
                "  {}\n\n",
                screen.paint.dim(&format!("… and {} more", counted(hidden, "reading")))
            ))?;
        }
        screen.print(&totals.table().to_text(&paint))?;
    }
    sheet.parts.extend([totals.table(), totals.cases(cases)]);
    arguments.page.write(&[sheet])?;
    Ok(if arguments.fail_on_change && totals.moved > 0 { exit.or(Exit::Finding) } else { exit })
}
