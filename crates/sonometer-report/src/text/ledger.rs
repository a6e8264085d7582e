//! The ledger for people: how a reading came about, sum by sum.

use crate::paint::{Paint, Tone, fit, one_line};
use crate::words::counted;
use sonometer::protocol::{LineList, Pole, Ratio, RatioTo, ScoreKind};
use sonometer::{Counts, Ledger, MarkerEntry, MatchEntry, RoleCount, ScopeEntry, Unit};

/// Lines of a computation in a report: beyond, nobody reads and a browser is slow.
const LINES: usize = 5_000;

/// The computation of a report, up to so many lines.
pub(crate) fn capped(ledger: &Ledger<'_>) -> String {
    let mut text = render(&Paint::default(), ledger);
    if let Some((end, _)) = text.match_indices('\n').nth(LINES) {
        let further = counted(text[end + 1..].lines().count(), "further line");
        text.truncate(end + 1);
        text.push_str(&format!("  … {further} not shown\n"));
    }
    text
}

/// Every marker with matches or a bias, then fidelity and score.
pub(crate) fn render(paint: &Paint, ledger: &Ledger<'_>) -> String {
    let mut text = format!("  {}\n", paint.bold("computation"));
    let speaking =
        |marker: &&MarkerEntry<'_>| !marker.matches.is_empty() || marker.resonance.activation > Unit::ZERO;
    for marker in ledger.markers.iter().filter(speaking) {
        text.push_str(&of_marker(paint, marker));
    }
    text.push_str(&format!(
        "  {}  density {} × clarity {} = {}, sufficient from {}\n",
        paint.bold("fidelity"),
        ledger.density,
        ledger.clarity,
        ledger.index,
        ledger.sufficient_from
    ));
    text.push_str(&format!(
        "  {}  {} = {}\n",
        paint.bold("density"),
        of_density(&ledger.counts),
        ledger.density
    ));
    text.push_str(&format!(
        "  {}  {} = {}\n",
        paint.bold("clarity"),
        of_clarity(&ledger.counts),
        ledger.clarity
    ));
    text.push_str(&format!("  {}  {}\n", paint.bold("score"), of_score(ledger)));
    text
}

/// The least satisfied need, as a sum to check.
fn of_density(counts: &Counts) -> String {
    if counts.words == 0 {
        return "no words".to_owned();
    }
    let mut shares = vec![
        format!("{} ÷ {}", of_many(counts.words, "word"), counts.words_needed),
        format!("{} ÷ {}", of_many(counts.turns, "turn"), counts.turns_needed),
    ];
    let of_role =
        |role: &RoleCount| format!("{} by {} ÷ {}", of_many(role.words, "word"), role.role, role.needed);
    shares.extend(counts.roles.iter().map(of_role));
    format!("min(1, {})", shares.join(", "))
}

/// The readable share, and how much of it is in the language of the protocol.
fn of_clarity(counts: &Counts) -> String {
    if counts.words == 0 {
        return "no words".to_owned();
    }
    let (readable, words) = (counts.readable, of_many(counts.words, "word"));
    let mut text = format!("readable {readable} ÷ ({words} + {} noise)", counts.noise);
    if let Some(told) = &counts.language {
        let (own, foreign) = (told.function_words, told.foreign_words);
        text.push_str(&format!(" × max(0.01, min(1, (4·{own} + 6 − 6·{foreign}) ÷ {}))", counts.words));
    }
    text
}

fn of_many(number: u64, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

fn of_marker(paint: &Paint, marker: &MarkerEntry<'_>) -> String {
    let settings = format!(
        "weight {} {}, repeat {}, half {}",
        marker.importance.weight(),
        marker.pole.as_str(),
        marker.repeat.as_str(),
        marker.half
    );
    let mut text = format!("  {}  {}\n", paint.bold(marker.label), paint.dim(&settings));
    let width = marker.matches.iter().map(|found| found.line.chars().count()).max().unwrap_or(0).min(36);
    for found in &marker.matches {
        text.push_str(&of_match(paint, found, width));
    }
    if marker.bias != Unit::ZERO {
        text.push_str(&format!("    {:>10}  bias\n", signed(marker.bias)));
    }
    if let Some(scope) = &marker.scope {
        text.push_str(&format!("    {}\n", of_scope(scope)));
    }
    let basis = marker.basis.unwrap_or_default();
    if let Some(ratio) = marker.ratio {
        text.push_str(&format!("    {}\n", of_ratio(ratio, basis.places)));
    }
    let per = marker
        .per
        .map_or_else(String::new, |words| format!(" per {words} words, of {}", of_many(basis.words, "word")));
    let (with, all) = basis.turns;
    let rate = marker
        .share_full
        .map_or_else(String::new, |full| format!(", rate of turns {with} ÷ {all}, {full} counts as 1"));
    let verdict = if marker.resonance.triggered { "triggered" } else { "not triggered" };
    text.push_str(&format!(
        "    {:>10}  evidence{per}{rate} → activation {}, {verdict} (from {})\n",
        marker.resonance.evidence.to_string(),
        marker.resonance.activation,
        marker.trigger
    ));
    text
}

/// What is divided by what, and what that is worth.
fn of_ratio(ratio: &Ratio, (of, to): (u64, u64)) -> String {
    let told = match &ratio.to {
        RatioTo::Marker(label) => format!("`{label}`"),
        RatioTo::Lines(_) => "`to`".to_owned(),
    };
    let most = ratio.at_least;
    let few =
        if of + to < most.into() { format!(", fewer than {most} of both count as 0") } else { String::new() };
    format!(
        "ratio: {} of `{}` ÷ {to} of {told}; {} counts as 0, {} as 1{few}",
        of_many(of, "place"),
        ratio.of,
        ratio.floor,
        ratio.full
    )
}

/// Of which turns a marker was asked, and which of them its evidence is of.
fn of_scope(scope: &ScopeEntry) -> String {
    let Some((first, last)) = scope.strongest else {
        return format!("scope {}: no turn is asked", scope.scope);
    };
    let strongest = match first == last {
        true => format!("turn {}", first + 1),
        false => format!("turns {} to {}", first + 1, last + 1),
    };
    let (held, all) = (scope.held, scope.stretches);
    let alone = if scope.scope.turns == 1 { "turns" } else { "stretches" };
    format!(
        "scope {}: {held} of {all} {alone} reach the trigger; the evidence is of {strongest}, the strongest",
        scope.scope
    )
}

/// One match: what it added, its line, where it stands, and why it does not count if it does not.
fn of_match(paint: &Paint, found: &MatchEntry<'_>, width: usize) -> String {
    let counts = found.failed.is_empty();
    let added = if counts { signed(found.contribution) } else { "dropped".to_owned() };
    let why = match counts {
        true => String::new(),
        false => format!("  {}", paint.toned(Tone::Warn, &reasons(found))),
    };
    format!(
        "    {}  {:<6}  {}  {} “{}”{why}\n",
        paint.toned(if counts { Tone::Plain } else { Tone::Warn }, &format!("{added:>10}")),
        list(found.list),
        fit(found.line, width),
        paint.toned(Tone::Dim, &turns(found)),
        one_line(&found.source)
    )
}

/// The turns of a match, and whether it took unfolding to find it.
fn turns(found: &MatchEntry<'_>) -> String {
    let further: String = found.joined.iter().map(|stretch| format!(" + {}", stretch.turn + 1)).collect();
    let how = if found.unfolded { ", unfolded" } else { "" };
    format!("turn {}{further}{how}", found.turn + 1)
}

/// Why a match does not count.
pub fn reasons(found: &MatchEntry<'_>) -> String {
    let reason = |name: &&'static str| match *name {
        "role" => "said by another side",
        "where" => "outside the part that counts",
        "except" => "excepted",
        "negated" => "negated",
        "checksum" => "wrong check digits",
        other => other,
    };
    found.failed.iter().map(reason).collect::<Vec<_>>().join(", ")
}

fn list(list: LineList) -> &'static str {
    list.as_str()
}

/// A number with its sign.
pub fn signed(value: Unit) -> String {
    if value < Unit::ZERO { value.to_string() } else { format!("+{value}") }
}

fn of_score(ledger: &Ledger<'_>) -> String {
    let side = |pole| ledger.markers.iter().filter(move |marker| marker.pole == pole);
    let score = ledger.score.map_or_else(|| "none".to_owned(), |score| score.to_string());
    match ledger.score_kind {
        ScoreKind::Mean => {
            let mean = |name: &str, pole| {
                let terms: Vec<String> = side(pole)
                    .filter(|marker| marker.resonance.activation > Unit::ZERO)
                    .map(|marker| format!("{}·{}", marker.importance.weight(), marker.resonance.activation))
                    .collect();
                let weights: i64 = side(pole).map(|marker| marker.importance.weight()).sum();
                match (weights, terms.is_empty()) {
                    (0, _) => None,
                    (_, true) => Some(format!("{name} = 0")),
                    (_, false) => Some(format!("{name} = ({}) ÷ {weights}", terms.join(" + "))),
                }
            };
            let (speaking_for, against) = (mean("for", Pole::For), mean("against", Pole::Against));
            let formula = match (&speaking_for, &against) {
                (Some(_), Some(_)) => "for × (1 − against)",
                (Some(_), None) => "for",
                (None, _) => "1 − against",
            };
            let sides: Vec<String> = [speaking_for, against].into_iter().flatten().collect();
            format!("mean: {}; {formula} = {score}", sides.join(", "))
        }
        ScoreKind::Risk => {
            let formula = match (product(ledger, Pole::For), product(ledger, Pole::Against)) {
                (Some(remedies), Some(risks)) => format!("1 − (1 − {risks}) × (1 − (1 − {remedies}) ÷ 2)"),
                (one, other) => one.or(other).unwrap_or_default(),
            };
            format!("risk: {formula} = {score}")
        }
        ScoreKind::Any => {
            let formula = match (product(ledger, Pole::For), product(ledger, Pole::Against)) {
                (Some(found), Some(against)) => format!("(1 − {found}) × (1 − (1 − {against}) ÷ 2)"),
                (one, other) => format!("1 − {}", one.or(other).unwrap_or_default()),
            };
            format!("any: {formula} = {score}")
        }
    }
}

/// The product of `1 − activation · weight ÷ greatest weight` over a side; `None` if no marker stands there.
fn product(ledger: &Ledger<'_>, pole: Pole) -> Option<String> {
    let markers = || ledger.markers.iter().filter(move |marker| marker.pole == pole);
    let greatest = markers().map(|marker| marker.importance.weight()).max()?;
    let factors: Vec<String> = markers()
        .filter(|marker| marker.resonance.activation > Unit::ZERO)
        .map(|marker| {
            let weight = Unit::ratio(marker.importance.weight().into(), greatest.into());
            match weight {
                Unit::ONE => format!("(1 − {})", marker.resonance.activation),
                weight => format!("(1 − {weight}·{})", marker.resonance.activation),
            }
        })
        .collect();
    Some(if factors.is_empty() { "1".to_owned() } else { factors.join(" × ") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::{Interaction, Protocol, Sensor, Turn};

    const PROTOCOL: &str = r#"{"sonometer": 1, "id": "rates", "version": "1", "taxonomy": "Signal", "markers": [
        {"label": "thanks", "strong": "thanks", "per": "4 words"},
        {"label": "asking", "strong": "<question>", "share": {"of": "turns", "full": 0.5}},
        {"label": "ratio", "ratio": {"of": "thanks", "to": "<question>", "floor": 0.5, "full": 2}},
        {"label": "few", "ratio": {"of": "thanks", "to": "why", "full": 2, "at_least": 9}}]}"#;

    #[test]
    fn rates_are_shown_with_what_is_divided() {
        let (protocol, _) = Protocol::read(PROTOCOL).expect("reads");
        let turn = |content: &str| Turn { role: Some("a".into()), content: content.into(), timestamp: None };
        let said = ["Why is it late?", "Thanks for asking.", "Thanks, it is here now. Why?"];
        let talk = Interaction::transcript(said.map(turn).to_vec()).expect("has roles");
        let reading = Sensor::new(protocol).expect("compiles").sense(&talk).expect("has words");
        let text = render(&Paint::default(), &reading.ledger());
        // 1.5 × 4 ÷ 13 words; 2 of 3 turns; (2 ÷ 2 − 0.5) ÷ (2 − 0.5); 4 of both are less than 9.
        for line in [
            "0.461538  evidence per 4 words, of 13 words → activation 0.631579",
            "evidence, rate of turns 2 ÷ 3, 0.5 counts as 1 → activation 1",
            "ratio: 2 places of `thanks` ÷ 2 of `to`; 0.5 counts as 0, 2 as 1\n      0.333333  evidence",
            "ratio: 2 places of `thanks` ÷ 2 of `to`; 0 counts as 0, 2 as 1, fewer than 9 of both count as 0",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }
}
