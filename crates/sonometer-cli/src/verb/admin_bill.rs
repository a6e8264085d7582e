//! `sonometer admin`: the bill of an organization as a file, and the check that all bills add up.

use super::admin::told;
use crate::failure::{Exit, Failure, counted};
use crate::file::unwritable;
use crate::screen::Screen;
use sonometer::Unit;
use sonometer_service::bill::{Asked, Export, Format, Writer};
use sonometer_service::store::{Break, Fault};
use sonometer_service::{Listing, Mode, Service};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Bill {
    /// The organization
    org: String,
    /// The live account, in the place of the test account
    #[arg(long)]
    live: bool,
    /// The month, such as 2026-11; the current one without it
    #[arg(long, value_name = "MONTH", conflicts_with_all = ["from", "until"])]
    period: Option<String>,
    /// From this moment or day on (UTC)
    #[arg(long, value_name = "MOMENT")]
    from: Option<String>,
    /// Before this moment or day (UTC)
    #[arg(long, value_name = "MOMENT")]
    until: Option<String>,
    /// What was charged to one token, `tok_…`
    #[arg(long)]
    token: Option<String>,
    /// What was charged for one target: `courtesy` or `courtesy@1.0`
    #[arg(long)]
    target: Option<String>,
    /// What one request was charged
    #[arg(long, value_name = "ID")]
    request_id: Option<String>,
    /// csv, jsonl or parquet; without it as the name of the file ends, csv where it has no ending
    #[arg(long)]
    format: Option<String>,
    /// Write into this file; it is replaced once all of it is written
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Bill {
    /// What is asked for, read as the parameters of a request are.
    fn asked(&self, now_ms: i64) -> Result<Asked, Failure> {
        if self.out.as_deref() == Some(Path::new("-")) {
            return Err(Failure::unusable("--out names a file; leave it out to write to standard output"));
        }
        let ending = self.out.as_deref().and_then(Path::extension);
        let ending = ending.map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        if let (Some(out), Some(ending), None) = (&self.out, &ending, &self.format)
            && Format::from_name(ending).is_none()
        {
            return Err(Failure::unusable(format!(
                "{}: the name does not say the format; let it end with .{}, or name the format with --format",
                out.display(),
                Format::NAMES.join(" or .")
            )));
        }
        let format = self.format.as_deref().or(ending.as_deref());
        let given = [
            ("period", self.period.as_deref()),
            ("from", self.from.as_deref()),
            ("until", self.until.as_deref()),
            ("token", self.token.as_deref()),
            ("target", self.target.as_deref()),
            ("request_id", self.request_id.as_deref()),
            ("format", format),
        ];
        let given = given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        Asked::read(&given.collect::<Vec<_>>(), &Listing::default(), now_ms).map_err(told)
    }
}

/// Sums of what was written.
#[derive(Default)]
struct Sums {
    rows: usize,
    units: u64,
    cost: Unit,
}

/// Writes a bill page by page.
async fn write(
    mut export: Export,
    format: Format,
    mut to: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<Sums, Failure> {
    let mut writer = Writer::new(format, export.mode()).map_err(told)?;
    let mut sums = Sums::default();
    while let Some(rows) = export.next().await.map_err(told)? {
        for row in &rows {
            sums.rows += 1;
            sums.units += row.units;
            sums.cost = sums.cost + row.cost_usd;
        }
        to(&writer.rows(&rows).map_err(told)?)?;
    }
    to(&writer.end().map_err(told)?)?;
    Ok(sums)
}

pub(crate) async fn usage(service: &Service, bill: &Bill, screen: &mut Screen) -> Result<Exit, Failure> {
    let asked = bill.asked(service.now_ms())?;
    let mode = if bill.live { Mode::Live } else { Mode::Test };
    let export = service.export_of(&bill.org, mode, asked.filter).await.map_err(told)?;
    let Some(out) = &bill.out else {
        if asked.format == Format::Parquet {
            return Err(Failure::unusable(
                "Parquet is not written to standard output; give a file with `--out`",
            ));
        }
        // Both are text.
        write(export, asked.format, |bytes| screen.print_bytes(&String::from_utf8_lossy(bytes))).await?;
        return Ok(Exit::Done);
    };
    let failed = |error: std::io::Error| unwritable(&out.display().to_string(), &error);
    let mut beside = OsString::from(out);
    beside.push(".part");
    let mut file = File::create(&beside).map_err(failed)?;
    let sums = write(export, asked.format, |bytes| file.write_all(bytes).map_err(failed)).await;
    let sums = match sums.and_then(|sums| file.sync_all().map(|()| sums).map_err(failed)) {
        Ok(sums) => sums,
        Err(failure) => {
            // What is left of it is no bill; that it cannot be removed changes nothing.
            let _ = fs::remove_file(&beside);
            return Err(failure);
        }
    };
    fs::rename(&beside, out).map_err(failed)?;
    let Sums { rows, units, cost } = sums;
    let text = format!("{}: {}, {units} ICS, ${cost}\n", out.display(), counted(rows, "charge"));
    screen.print_bytes(&text)?;
    Ok(Exit::Done)
}

pub(crate) async fn check(service: &Service) -> Result<(String, Exit), Failure> {
    let faults = service.store().check_file().await.map_err(told)?;
    let checked = service.store().check_ledger().await.map_err(told)?;
    let mut text = String::new();
    for fault in &faults {
        text.push_str(&format!(
            "the file of the database is corrupt: {fault}; restore a backup (docs/service.md, Backup and restore)\n"
        ));
    }
    for Fault { account, period, row, ledger } in &checked.faults {
        text.push_str(&format!(
            "{account} {period}: units, overage, millionths of a dollar and analyses are {row:?}, but {ledger:?} in the ledger\n"
        ));
    }
    for Break { account, period, number, charge, line, request, target, what } in &checked.breaks {
        let request = if request.is_empty() { "of an unknown request" } else { request };
        text.push_str(&format!(
            "{account} {period}: row {number}: request {request}, charge {charge}, line {line}, {target}: {what}\n"
        ));
    }
    text.push_str(&format!(
        "{} compared with the ledger, {} wrong; {} of the ledger wrong\n",
        counted(checked.rows, "account month"),
        checked.faults.len(),
        counted(checked.breaks.len(), "row"),
    ));
    let is_right = faults.is_empty() && checked.is_right();
    Ok((text, if is_right { Exit::Done } else { Exit::Finding }))
}
