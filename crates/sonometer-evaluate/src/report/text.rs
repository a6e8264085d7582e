//! An evaluation on the terminal.

use super::bar::bar;
use super::evidence::{explanation, pieces};
use super::paint::{Paint, Tone, columns, fit, one_line};
use crate::evaluate::breakdown::Part;
use crate::evaluate::errors::{Errors, Wrong};
use crate::evaluate::excerpt::{Excerpt, excerpt};
use crate::evaluate::markers::MarkerFigures;
use crate::evaluate::measure::{Estimate, Point};
use crate::evaluate::result::{Data, Evaluation};
use crate::evaluate::subject::Subject;
use crate::words::counted;
use sonometer::protocol::Pole;
use sonometer::{Evidence, Unit};

/// The names of the figures, by `FIGURES`.
pub(crate) const NAMES: [&str; 6] = ["precision", "recall", "F1", "macro-F1", "AUC", "avg. precision"];

/// The whole evaluation.
pub(super) fn render(paint: &Paint, evaluation: &Evaluation) -> String {
    let mut text = head(paint, evaluation);
    text.push_str(&figures(paint, evaluation));
    text.push_str(&curve(paint, &evaluation.points));
    text.push_str(&markers(paint, &evaluation.markers));
    if let Some((label, parts)) = &evaluation.by {
        text.push_str(&breakdown(paint, label, parts));
    }
    let [false_positives, false_negatives] = &evaluation.errors;
    text.push_str(&errors(paint, "predicted positive, labelled negative", "highest", false_positives));
    text.push_str(&errors(paint, "predicted negative, labelled positive", "lowest", false_negatives));
    for note in &evaluation.notes {
        text.push_str(&format!("\n  {} {}\n", paint.toned(Tone::Warn, "note:"), one_line(note)));
    }
    text
}

fn head(paint: &Paint, evaluation: &Evaluation) -> String {
    let mut text = title(paint, &evaluation.protocol().into(), &evaluation.data);
    text.push_str(&row("rule", &format!("positive if {}", evaluation.question.rule(evaluation.protocol()))));
    let counts = &evaluation.figures.counts;
    let left_out = match evaluation.data.left_out {
        0 => String::new(),
        n => format!("; {n} not labelled, or in neither class, left out"),
    };
    let cases = counted(usize::try_from(counts.cases()).unwrap_or(usize::MAX), evaluation.question.noun());
    let (positives, negatives) = (counts.positives(), counts.negatives());
    text.push_str(&row("cases", &format!("{cases}, {positives} positive, {negatives} negative{left_out}")));
    let outcome = format!(
        "{} found, {} missed, {}, {} rightly silent",
        counts.true_positives,
        counts.false_negatives,
        counted(usize::try_from(counts.false_positives).unwrap_or(usize::MAX), "false alarm"),
        counts.true_negatives
    );
    text.push_str(&row("outcome", &outcome));
    let insufficient = counts.cases() - evaluation.covered.counts.cases();
    text + &coverage(evaluation.coverage(), insufficient, "count as negative")
}

/// What was evaluated on what.
pub(super) fn title(paint: &Paint, subject: &Subject, data: &Data) -> String {
    let mut text = format!(
        "{} {} on {}\n",
        paint.bold(&one_line(&subject.name)),
        paint.dim(&format!("({})", subject.reference)),
        one_line(&data.file)
    );
    let classes = match (&data.positive, &data.negative) {
        (None, _) => String::new(),
        (Some(positive), Some(negative)) => format!("; positive: {positive}, negative: {negative}"),
        (Some(positive), None) => format!("; positive: {positive}, negative: the rest"),
    };
    text.push_str(&row("label", &format!("{}{classes}", data.label)));
    let chosen = data.r#where.iter().map(|filter| format!("where {filter}"));
    let chosen: Vec<String> = chosen.chain(data.fold.as_ref().map(|fold| format!("fold {fold}"))).collect();
    if !chosen.is_empty() {
        text.push_str(&row("chosen", &chosen.join(", ")));
    }
    text
}

pub(super) fn row(name: &str, value: &str) -> String {
    format!("  {name:<9}  {}\n", one_line(value))
}

pub(super) fn coverage(share: Option<Unit>, insufficient: u64, consequence: &str) -> String {
    match share {
        Some(share) if insufficient > 0 => row(
            "coverage",
            &format!("{}: {insufficient} hold too little to be measured and {consequence}", places(share)),
        ),
        _ => row("coverage", "1.000: all hold enough to be measured"),
    }
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
pub(super) fn estimate(paint: &Paint, estimate: Option<Estimate>) -> String {
    match estimate {
        None => format!("{:<20}", "n/a"),
        Some(Estimate { value, interval: None }) => format!("{:<20}", places(value)),
        Some(Estimate { value, interval: Some(interval) }) => {
            let interval = format!("[{}, {}]", places(interval.low), places(interval.high));
            format!("{} {}", places(value), paint.dim(&interval))
        }
    }
}

fn figures(paint: &Paint, evaluation: &Evaluation) -> String {
    let partly = evaluation.covered.counts.cases() < evaluation.figures.counts.cases();
    let covered = partly.then_some(&evaluation.covered.estimates[..]);
    let text = table(paint, &NAMES, &evaluation.figures.estimates, covered, &[3, 4]);
    text + &intervals(paint, evaluation.figures.independent)
}

/// How the intervals were worked out, in small print.
pub(super) fn intervals(paint: &Paint, independent: bool) -> String {
    format!("  {}\n", paint.dim(method(independent)))
}

/// How the intervals were worked out.
pub(super) fn method(independent: bool) -> &'static str {
    match independent {
        true => "95 % intervals: Wilson's for precision and recall, else bootstrap (1,999 draws of items)",
        false => "95 % intervals: bootstrap (1,999 draws of whole items or groups)",
    }
}

/// A row for each figure: its bar, its interval, and the same on what is covered, if that is less than all.
pub(super) fn table(
    paint: &Paint,
    names: &[&str],
    all: &[Option<Estimate>],
    covered: Option<&[Option<Estimate>]>,
    important: &[usize],
) -> String {
    let mut text = match covered {
        Some(_) => format!("\n  {:<15} {:<20} {}\n", "", "", paint.dim("all                   covered")),
        None => "\n".to_owned(),
    };
    for (at, name) in names.iter().enumerate() {
        let value = all[at].map(|estimate| estimate.value).unwrap_or_default();
        let own = estimate(paint, all[at]);
        let covered = covered.map_or_else(String::new, |covered| estimate(paint, covered[at]));
        let tone = if important.contains(&at) { Tone::Strong } else { Tone::Plain };
        let name = paint.toned(tone, &format!("{name:<15}"));
        text.push_str(format!("  {name} {} {own}  {covered}", bar(paint, value, tone)).trim_end());
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
        let false_positives = |counts: &crate::evaluate::measure::Counts| {
            i128::from(counts.false_positives) * i128::from(STEPS)
        };
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
    format!("  {:<15} {} {}\n", "ROC", paint.toned(Tone::Good, &line), paint.dim(note))
}

fn markers(paint: &Paint, markers: &[MarkerFigures]) -> String {
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
            silent.push(marker.label.as_str());
            continue;
        }
        let name = format!("{:<width$}", marker.label);
        let tone = if marker.asked { Tone::Marker(marker.effect, at) } else { Tone::Dim };
        let lift = format!("{:>7}", share(counts.lift()));
        let sign = match (marker.pole, marker.hurts()) {
            (Pole::Against, true) => "  against, hurts",
            (Pole::Against, false) => "  against",
            (Pole::For, true) => "  hurts",
            (Pole::For, false) => "",
        };
        let line = format!(
            "  {}  {:>9} {:>6} {:>9} {:>7} {:>6} {}  {}/{}{}",
            paint.toned(tone, &name),
            counts.predicted(),
            counts.true_positives,
            share(counts.precision()),
            share(counts.recall()),
            share(counts.f1()),
            if marker.hurts() { paint.toned(Tone::Warn, &lift) } else { lift },
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

/// Columns of a value of another label.
pub(super) const VALUE: usize = 28;

fn breakdown(paint: &Paint, label: &str, parts: &[Part]) -> String {
    let width = |text: &str| text.chars().map(columns).sum::<usize>();
    let names = parts.iter().map(|part| width(&part.value)).chain([width(label)]);
    let wide = names.max().unwrap_or(0).min(VALUE);
    let head = format!(
        "{}  {:>6} {:>9} {:>9} {:>8} {:>9} {:>7} {:>6}",
        fit(label, wide),
        "cases",
        "positive",
        "predicted",
        "right",
        "precision",
        "recall",
        "F1"
    );
    let mut text = format!("\n  {}\n", paint.dim(&head));
    for part in parts {
        let counts = &part.counts;
        text.push_str(&format!(
            "  {}  {:>6} {:>9} {:>9} {:>8} {:>9} {:>7} {:>6}\n",
            fit(&part.value, wide),
            counts.cases(),
            counts.positives(),
            counts.predicted(),
            share(part.accuracy()),
            share(counts.precision()),
            share(counts.recall()),
            share(counts.f1()),
        ));
    }
    text
}

fn errors(paint: &Paint, title: &str, first: &str, errors: &Errors) -> String {
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

fn error(paint: &Paint, wrong: &Wrong) -> String {
    let place = match wrong.case.segment {
        Some(segment) => format!("{} segment {segment}", one_line(&wrong.item.id)),
        None => one_line(&wrong.item.id),
    };
    let fidelity = wrong.reading.fidelity();
    let why = match fidelity.sufficient {
        true => String::new(),
        false => paint.toned(Tone::Warn, &format!("  insufficient (fidelity {})", fidelity.index)),
    };
    let mut text = format!(
        "    {}  {}{why}\n",
        paint.toned(Tone::Strong, &place),
        paint.dim(&format!("value {}", wrong.case.value))
    );
    let whole = || wrong.reading.masked_turn(wrong.case.segment.unwrap_or(0)).into_owned();
    text.push_str(&pieces(paint, 6, &wrong.evidence(), |found| in_place(paint, wrong, found), whole));
    if !wrong.case.predicted
        && let Some(weak) = wrong.nearest().first()
    {
        let hint = format!("◌ nearest: {} {}, {}", weak.metamarker, weak.proximity, one_line(&weak.hint));
        text.push_str(&format!("      {}\n", paint.dim(&hint)));
    }
    if wrong.explained {
        text.push_str(&explanation(paint, &wrong.reading, 6));
    }
    text
}

/// A piece of evidence in the middle of as much of its turn as fits: `… you [never listen]{contempt 1} …`.
fn in_place(paint: &Paint, wrong: &Wrong, found: &Evidence<'_>) -> String {
    let protocol = wrong.reading.protocol();
    let number = protocol.markers.iter().position(|marker| marker.label == found.metamarker).unwrap_or(0);
    let marker = protocol.markers.get(number);
    let tone = marker.map_or(Tone::Plain, |marker| Tone::Marker(protocol.effect_of(marker), number));
    let tag = format!("{{{} {}}}", found.metamarker, found.score);
    one_place(paint, &excerpt(&wrong.reading, found.turn, &found.range), &tag, tone)
}

/// An excerpt on one line of the terminal, its place in brackets, with a tag.
pub(super) fn one_place(paint: &Paint, excerpt: &Excerpt, tag: &str, tone: Tone) -> String {
    let Excerpt { before, inside, after } = excerpt;
    let (before, inside, after) = (one_line(before), one_line(inside), one_line(after));
    let width = |text: &str| text.chars().map(columns).sum::<usize>();
    let room = paint.width.saturating_sub(8 + width(&inside) + width(tag));
    // What is short leaves its room to the other side.
    let left = (room / 2).max(room.saturating_sub(width(&after)));
    let before = tail(&before.chars().collect::<Vec<_>>(), left);
    let after = fit(&after, room.saturating_sub(width(&before)).max(1));
    let opened = paint.toned(tone.found(), &format!("[{inside}]"));
    format!("{before}{opened}{}{}", paint.toned(tone, tag), after.trim_end())
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
