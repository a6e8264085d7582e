//! An evaluation on the terminal.

use super::errors::{Errors, Wrong};
use super::markers::MarkerFigures;
use super::measure::{Estimate, Figures, Point};
use super::result::Evaluation;
use crate::bar::bar;
use crate::failure::counted;
use crate::paint::{BOLD, DIM, Paint, columns, fit, of_marker, one_line};
use anstyle::{AnsiColor, Style};
use sonometer::protocol::Pole;
use sonometer::{Evidence, Unit};

const WARN: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));

/// The names of the figures, by `FIGURES`.
pub(crate) const NAMES: [&str; 6] = ["precision", "recall", "F1", "macro-F1", "AUC", "avg. precision"];

/// The whole evaluation.
pub(crate) fn render(paint: &Paint, evaluation: &Evaluation<'_>) -> String {
    let mut text = head(paint, evaluation);
    text.push_str(&figures(paint, evaluation));
    text.push_str(&curve(paint, &evaluation.points));
    text.push_str(&markers(paint, &evaluation.markers));
    let [false_positives, false_negatives] = &evaluation.errors;
    text.push_str(&errors(paint, "predicted positive, labelled negative", "highest", false_positives));
    text.push_str(&errors(paint, "predicted negative, labelled positive", "lowest", false_negatives));
    for note in &evaluation.notes {
        text.push_str(&format!("\n  {} {}\n", paint.styled(WARN, "note:"), one_line(note)));
    }
    text
}

fn head(paint: &Paint, evaluation: &Evaluation<'_>) -> String {
    let (protocol, data) = (evaluation.protocol, &evaluation.data);
    let negative = match &data.negative {
        Some(class) => format!("negative: {class}"),
        None => "negative: the rest".into(),
    };
    let mut text = format!(
        "{} {} on {}\n",
        paint.bold(&one_line(&protocol.name)),
        paint.dim(&format!("({}@{})", protocol.id, protocol.version)),
        one_line(&data.file)
    );
    let mut row = |name: &str, value: String| text.push_str(&format!("  {name:<9}  {}\n", one_line(&value)));
    row("label", format!("{}; positive: {}, {negative}", data.label, data.positive));
    let chosen = data.r#where.iter().map(|filter| format!("where {filter}"));
    let chosen: Vec<String> = chosen.chain(data.fold.as_ref().map(|fold| format!("fold {fold}"))).collect();
    if !chosen.is_empty() {
        row("chosen", chosen.join(", "));
    }
    row("rule", format!("positive if {}", evaluation.question.rule(protocol)));
    let counts = &evaluation.figures.counts;
    let left_out = match data.left_out {
        0 => String::new(),
        n => format!("; {n} not labelled, or in neither class, left out"),
    };
    let noun = if evaluation.figures.counts.cases() == (data.items - data.left_out) as u64 {
        "item"
    } else {
        "segment"
    };
    row(
        "cases",
        format!(
            "{}, {} positive, {} negative{left_out}",
            counted(usize::try_from(counts.cases()).unwrap_or(usize::MAX), noun),
            counts.positives(),
            counts.negatives()
        ),
    );
    row(
        "outcome",
        format!(
            "{} found, {} missed, {} false alarms, {} rightly silent",
            counts.true_positives, counts.false_negatives, counts.false_positives, counts.true_negatives
        ),
    );
    let insufficient = counts.cases() - evaluation.covered.counts.cases();
    row(
        "coverage",
        match evaluation.coverage() {
            Some(share) if insufficient > 0 => {
                format!(
                    "{}: {insufficient} hold too little to be measured and count as negative",
                    places(share)
                )
            }
            _ => "1.000: all hold enough to be measured".into(),
        },
    );
    text
}

/// Three places, rounded half up.
pub(crate) fn places(value: Unit) -> String {
    let thousandths = (value.0 + 500) / 1_000;
    format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000)
}

/// A share, or `n/a`.
pub(crate) fn share(value: Option<Unit>) -> String {
    value.map_or_else(|| "n/a".into(), places)
}

/// `0.751 [0.712, 0.789]`
fn estimate(paint: &Paint, estimate: Option<Estimate>) -> String {
    match estimate {
        None => format!("{:<20}", "n/a"),
        Some(Estimate { value, interval: None }) => format!("{:<20}", places(value)),
        Some(Estimate { value, interval: Some(interval) }) => {
            let interval = format!("[{}, {}]", places(interval.low), places(interval.high));
            format!("{} {}", places(value), paint.dim(&interval))
        }
    }
}

fn figures(paint: &Paint, evaluation: &Evaluation<'_>) -> String {
    let Figures { estimates: all, .. } = &evaluation.figures;
    let partly = evaluation.covered.counts.cases() < evaluation.figures.counts.cases();
    let mut text = match partly {
        true => format!(
            "\n  {:<14}  {:<20} {:<20}  {}\n",
            "",
            "",
            paint.dim("all cases           "),
            paint.dim("covered cases")
        ),
        false => "\n".to_owned(),
    };
    for (at, name) in NAMES.iter().enumerate() {
        let value = all[at].map(|estimate| estimate.value).unwrap_or_default();
        let own = estimate(paint, all[at]);
        let covered = if partly { estimate(paint, evaluation.covered.estimates[at]) } else { String::new() };
        let style = if at == 3 || at == 4 { BOLD } else { Style::new() };
        let line = format!(
            "  {}  {} {own}  {covered}",
            paint.styled(style, &format!("{name:<14}")),
            bar(paint, value, style)
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Columns of the curve.
const STEPS: i64 = 40;
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The ROC as a line of blocks: the share of positives found, by the share of false alarms.
fn curve(paint: &Paint, points: &[Point]) -> String {
    let Some(last) = points.last().map(|point| point.counts) else { return String::new() };
    let (positives, negatives) = (i128::from(last.positives()), i128::from(last.negatives()));
    if positives == 0 || negatives == 0 {
        return String::new();
    }
    let mut line = String::new();
    for step in 0..=STEPS {
        // Between two points, the line between them.
        let wanted = negatives * i128::from(step);
        let false_positives =
            |counts: &super::measure::Counts| i128::from(counts.false_positives) * i128::from(STEPS);
        let after = points.iter().position(|point| false_positives(&point.counts) > wanted);
        let before = after
            .map_or(points.len(), |at| at)
            .checked_sub(1)
            .map(|at| points[at].counts)
            .unwrap_or_default();
        let mut found = Unit::ratio(i128::from(before.true_positives), positives);
        if let Some(after) = after.map(|at| points[at].counts) {
            let rise = Unit::ratio(i128::from(after.true_positives - before.true_positives), positives);
            let part = wanted - false_positives(&before);
            found = found + rise.times(Unit::ratio(part, false_positives(&after) - false_positives(&before)));
        }
        let level = (found.clamp_to_one().0 * 7 + 500_000) / 1_000_000;
        line.push(usize::try_from(level).ok().and_then(|level| LEVELS.get(level)).copied().unwrap_or(' '));
    }
    let note = "found, by false alarms from none to all";
    format!("  {:<14}  {} {}\n", "ROC", paint.styled(GOOD, &line), paint.dim(note))
}

fn markers(paint: &Paint, markers: &[MarkerFigures<'_>]) -> String {
    let width = markers.iter().map(|marker| marker.label.len()).max().unwrap_or(0).max(6);
    let mut text = format!(
        "\n  {}\n",
        paint.dim(&format!(
            "{:<width$}  {:>9} {:>6} {:>9} {:>7} {:>6} {:>7}  {}",
            "marker", "triggered", "right", "precision", "recall", "F1", "lift", "alone right/wrong"
        ))
    );
    let mut silent = Vec::new();
    for (at, marker) in markers.iter().enumerate() {
        let counts = &marker.counts;
        if counts.predicted() == 0 {
            silent.push(marker.label);
            continue;
        }
        let name = format!("{:<width$}", marker.label);
        let style = if marker.asked { of_marker(marker.pole, at) } else { DIM };
        let lift = counts.lift();
        let hurts = marker.asked && lift.is_some_and(|lift| lift < Unit::ONE);
        let lift = format!("{:>7}", share(lift));
        let sign = if marker.pole == Pole::Against { " (against)" } else { "" };
        let line = format!(
            "  {}  {:>9} {:>6} {:>9} {:>7} {:>6} {}  {}/{}{}",
            paint.styled(style, &name),
            counts.predicted(),
            counts.true_positives,
            share(counts.precision()),
            share(counts.recall()),
            share(counts.f1()),
            if hurts { paint.styled(WARN, &lift) } else { lift },
            marker.alone_right,
            marker.alone_wrong,
            paint.dim(sign),
        );
        text.push_str(&line);
        text.push('\n');
    }
    if !silent.is_empty() {
        text.push_str(&format!("  {}\n", paint.dim(&format!("never triggered: {}", silent.join(", ")))));
    }
    text
}

fn errors(paint: &Paint, title: &str, first: &str, errors: &Errors<'_>) -> String {
    if errors.worst.is_empty() {
        return match errors.count {
            0 => format!("\n  {}: none\n", paint.bold(title)),
            _ => String::new(),
        };
    }
    let mut text = format!(
        "\n  {} {}\n",
        paint.bold(title),
        paint.dim(&format!("({} of {}, the {first} values first)", errors.worst.len(), errors.count))
    );
    for wrong in &errors.worst {
        text.push_str(&error(paint, wrong));
    }
    text
}

/// Pieces of evidence shown with an error.
const SHOWN: usize = 3;

fn error(paint: &Paint, wrong: &Wrong<'_>) -> String {
    let place = match wrong.case.segment {
        Some(segment) => format!("{} segment {segment}", one_line(&wrong.item.id)),
        None => one_line(&wrong.item.id),
    };
    let fidelity = wrong.reading.fidelity();
    let why = match fidelity.sufficient {
        true => String::new(),
        false => paint.styled(WARN, &format!("  insufficient (fidelity {})", fidelity.index)),
    };
    let mut text = format!(
        "    {}  {}{why}\n",
        paint.styled(BOLD, &place),
        paint.dim(&format!("value {}", wrong.case.value))
    );
    let evidence = wrong.evidence();
    if evidence.is_empty() {
        let turn = wrong.case.segment.unwrap_or(0);
        let whole = wrong.reading.masked_turn(turn);
        let shown = fit(&whole, paint.width.saturating_sub(6));
        text.push_str(&format!("      {}\n", shown.trim_end()));
    }
    for found in evidence.iter().take(SHOWN) {
        text.push_str(&format!("      {}\n", in_place(paint, wrong, found)));
    }
    if evidence.len() > SHOWN {
        text.push_str(&format!("      {}\n", paint.dim(&format!("and {} more", evidence.len() - SHOWN))));
    }
    if !wrong.case.predicted
        && let Some((marker, weak)) = wrong.nearest().next()
    {
        let hint = format!("◌ nearest: {marker} {}, {}", weak.proximity, one_line(&weak.hint));
        text.push_str(&format!("      {}\n", paint.dim(&hint)));
    }
    text
}

/// A piece of evidence in the middle of as much of its turn as fits: `… you [never listen]{contempt 1} …`.
fn in_place(paint: &Paint, wrong: &Wrong<'_>, found: &Evidence<'_>) -> String {
    let content = &wrong.reading.interaction().turns()[found.turn].content;
    let masked = one_line(&wrong.reading.masked_turn(found.turn));
    // A masked turn has as many characters as the turn itself.
    let start = content[..found.range.start].chars().count();
    let length = content[found.range.clone()].chars().count();
    let shown: Vec<char> = masked.chars().collect();
    let (before, rest) = shown.split_at(start.min(shown.len()));
    let (inside, after) = rest.split_at(length.min(rest.len()));
    let (inside, tag): (String, _) =
        (inside.iter().collect(), format!("{{{} {}}}", found.metamarker, found.score));
    let width = |text: &str| text.chars().map(columns).sum::<usize>();
    let room = paint.width.saturating_sub(8 + width(&inside) + width(&tag)) / 2;
    let before = tail(before, room);
    let after = fit(&after.iter().collect::<String>(), room.max(1));
    let number = wrong.reading.protocol().markers.iter().position(|marker| marker.label == found.metamarker);
    let pole = number.map_or(Pole::For, |at| wrong.reading.protocol().markers[at].pole);
    let style = of_marker(pole, number.unwrap_or(0));
    let opened = paint.styled(style.bold(), &format!("[{inside}]"));
    format!("{before}{opened}{}{}", paint.styled(style, &tag), after.trim_end())
}

/// The end of a text, of at most `room` columns.
fn tail(text: &[char], room: usize) -> String {
    let mut taken = 0;
    let fits = text.iter().rev().take_while(|c| {
        taken += columns(**c);
        taken < room
    });
    let from = text.len() - fits.count();
    let rest: String = text[from..].iter().collect();
    if from == 0 { rest } else { format!("…{rest}") }
}
