//! Reports as one page: it holds everything it needs, follows the reader's choice of light or dark, and works without script (a
//! script adds the slider that tries thresholds).

mod plot;
mod table;
mod talk;

use crate::paint::{Tone, safe};
use crate::plot::permille;
use crate::sheet::{Bar, Card, Case, Cases, Confusion, Gauge, Gauges, Line, Part, Plots, Sheet, Text};
use crate::text::ledger;
use crate::words::code_parts;
use sonometer::protocol::Effect;
use sonometer::{Ledger, Unit};
use std::fmt::Write;
use table::table;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

impl Sheet<'_> {
    /// A page of its own.
    pub fn to_html(&self) -> String {
        page(std::slice::from_ref(self))
    }

    /// `Courtesy on talk.json`
    fn title(&self) -> String {
        match self.on.as_str() {
            "" => self.subject.name.clone(),
            on => format!("{} on {on}", self.subject.name),
        }
    }
}

/// One page of several reports, with the title of the first.
pub fn page(sheets: &[Sheet<'_>]) -> String {
    let title = sheets.first().map(Sheet::title).unwrap_or_default();
    let has_slider = sheets.iter().flat_map(|sheet| &sheet.parts).any(|part| match part {
        Part::Plots(plots) => !plots.slider.is_empty(),
        _ => false,
    });
    let script = if has_slider { format!("<script>\n{SCRIPT}</script>\n") } else { String::new() };
    // Figures for programs make it a page that is handed on: it says that it loads nothing.
    let data: String =
        sheets.iter().filter(|sheet| !sheet.data.is_empty()).map(|sheet| data(&sheet.data)).collect();
    let policy = if data.is_empty() || has_slider { "" } else { POLICY };
    let body: String = sheets.iter().map(body).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n{policy}<title>{}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<main>{body}</main>\n{data}{script}</body>\n</html>\n",
        escape(&title)
    )
}

/// Nothing is loaded and nothing runs.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n";

/// Figures for programs. In JSON such characters stand in texts alone, where their codes mean the same: nothing can end the element or
/// turn the direction of writing.
fn data(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => text.push_str("\\u003c"),
            c if c.is_ascii() || safe(c) == c => text.push(c),
            c => {
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
        }
    }
    format!("<script type=\"application/json\" class=\"figures\">{text}</script>\n")
}

fn body(sheet: &Sheet<'_>) -> String {
    let mut facts = String::new();
    let mut fact = |name: &str, value: &str| {
        let _ = write!(facts, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(value));
    };
    if !sheet.on.is_empty() {
        fact("data", &sheet.on);
    }
    sheet.facts.iter().for_each(|(name, value)| fact(name, value));
    let mut text = format!(
        "<header><p class=\"over\">{}</p><h1>{} <small>{}</small></h1><p>{}</p><dl>{facts}</dl></header>",
        sheet.kind,
        escape(&sheet.subject.name),
        escape(&sheet.subject.reference),
        prose(&sheet.subject.description)
    );
    for note in &sheet.notes {
        let _ = write!(text, "<p class=\"note\">{}</p>", prose(note));
    }
    let mut parts = sheet.parts.iter().peekable();
    while let Some(part) = parts.next() {
        // The confusion of an evaluation is shown to the right of its figures.
        match (part, parts.peek()) {
            (Part::Table(own), Some(Part::Confusion(counts))) => {
                parts.next();
                text.push_str(&section(
                    &own.title,
                    &own.about,
                    &format!("<div class=\"two\"><div>{}</div>{}</div>", table(own), confusion(counts)),
                ));
            }
            // A computation belongs to the line above it that says what it computes.
            (Part::Lines { title, lines }, Some(Part::Ledger(own))) => {
                parts.next();
                text.push_str(&section(title, "", &format!("{}{}", of_lines(lines), computation(own))));
            }
            _ => text.push_str(&html(part)),
        }
    }
    if !sheet.foot.is_empty() {
        let _ = write!(text, "<p class=\"foot\">{}</p>", line(&sheet.foot));
    }
    text
}

fn html(part: &Part<'_>) -> String {
    match part {
        Part::Gauges(own) => section(&own.title, "", &gauges(own)),
        Part::Table(own) => section(&own.title, &own.about, &table(own)),
        Part::Plots(own) => plots(own),
        Part::Confusion(own) => section("", "", &confusion(own)),
        Part::Cases(own) => cases(own),
        Part::Talk(own) => section("", "", &talk::render(own)),
        Part::Ledger(own) => section("", "", &computation(own)),
        Part::Card(own) => card(own),
        Part::Lines { title, lines } => section(title, "", &of_lines(lines)),
    }
}

/// A part in its frame; nothing without content.
fn section(title: &str, about: &str, inside: &str) -> String {
    if inside.is_empty() {
        return String::new();
    }
    let title = if title.is_empty() { String::new() } else { format!("<h2>{}</h2>", prose(title)) };
    let about = if about.is_empty() { String::new() } else { format!("<p>{}</p>", prose(about)) };
    format!("<section>{title}{about}{inside}</section>")
}

fn of_lines(lines: &[Line]) -> String {
    lines.iter().fold(String::new(), |mut text, own| {
        let _ = write!(text, "<p class=\"line\">{}</p>", line(own));
        text
    })
}

fn line(line: &Line) -> String {
    line.0.iter().map(|span| spanned(span.tone, &span.text)).collect()
}

/// A text in its tone.
fn spanned(tone: Tone, text: &str) -> String {
    let text = escape(text);
    match tone {
        Tone::Plain => text,
        Tone::Strong => format!("<b>{text}</b>"),
        Tone::Dim => format!("<span class=\"dim\">{text}</span>"),
        Tone::Good => format!("<span class=\"good\">{text}</span>"),
        Tone::Bad | Tone::Warn => format!("<span class=\"warn\">{text}</span>"),
        Tone::Marker(..) => format!("<span class=\"dot\" style=\"--h:{}\"></span>{text}", hue(tone)),
    }
}

/// Cool hues are good news, warm ones bad, as in the terminal and in notebooks. Each next one lies by the golden ratio of the range
/// further on, so that many markers have colours that differ.
fn hue(tone: Tone) -> usize {
    match tone {
        Tone::Marker(Effect::Improves, nth) => 140 + nth * 87 % 140,
        Tone::Marker(Effect::Worsens, nth) => (340 + nth * 43 % 70) % 360,
        Tone::Warn | Tone::Bad => 10,
        Tone::Good => 140,
        Tone::Plain | Tone::Strong | Tone::Dim => 205,
    }
}

fn gauges(gauges: &Gauges) -> String {
    let mut rows = String::new();
    for Gauge { sign, name, tone, strong, value, rest, below } in &gauges.rows {
        let name = spanned(if matches!(tone, Tone::Marker(..)) { *tone } else { Tone::Plain }, name);
        let class = match sign {
            None => "",
            Some(_) if *strong => " class=\"on\"",
            Some(_) => " class=\"off\"",
        };
        let own_bar = bar(Some(Bar { value: *value, interval: None }));
        let rest = line(rest);
        let _ = write!(
            rows,
            "<tr{class}><th>{name}</th><td class=\"wide\">{own_bar}</td><td class=\"n\">{value}</td><td>{rest}</td></tr>"
        );
        if !below.is_empty() {
            let _ = write!(
                rows,
                "<tr class=\"below\"><td></td><td colspan=\"3\" class=\"dim\">{}</td></tr>",
                escape(below)
            );
        }
    }
    let mut text =
        if rows.is_empty() { rows } else { format!("<table class=\"gauges\"><tbody>{rows}</tbody></table>") };
    if let Some((title, names)) = &gauges.silent {
        let _ = write!(text, "<p class=\"dim\">{}: {}</p>", escape(title), escape(&names.join(", ")));
    }
    text
}

/// A bar with its interval on it.
fn bar(own: Option<Bar>) -> String {
    let Some(Bar { value, interval }) = own else { return "<div class=\"bar\"></div>".into() };
    let mut inside = format!("<i style=\"width:{}\"></i>", percent(value));
    if let Some((low, high)) = interval {
        let _ = write!(inside, "<b style=\"left:{};width:{}\"></b>", percent(low), percent(high - low));
    }
    format!("<div class=\"bar\">{inside}</div>")
}

/// A share as a length: `52.9%`.
fn percent(value: Unit) -> String {
    let permille = (value.clamp_to_one().0 + 500) / 1000;
    format!("{}.{}%", permille / 10, permille % 10)
}

fn confusion(counts: &Confusion) -> String {
    let Confusion { true_positives, false_positives, false_negatives, true_negatives } = *counts;
    let cell = |id: &str, class: &str, count: u64, of: u64| {
        format!("<td id=\"{id}\" class=\"n {class}\" style=\"--share:{}\">{count}</td>", permille(count, of))
    };
    let (positives, negatives) = (true_positives + false_negatives, false_positives + true_negatives);
    format!(
        "<table class=\"confusion\"><thead><tr><th></th><th>predicted positive</th><th>predicted negative</th></tr></thead>\
         <tbody><tr><th>labelled positive</th>{}{}</tr><tr><th>labelled negative</th>{}{}</tr></tbody></table>",
        cell("tp", "right", true_positives, positives),
        cell("fn", "wrong", false_negatives, positives),
        cell("fp", "wrong", false_positives, negatives),
        cell("tn", "right", true_negatives, negatives),
    )
}

fn plots(plots: &Plots) -> String {
    if plots.plots.is_empty() {
        return String::new();
    }
    let slider = match plots.slider.as_slice() {
        [] => String::new(),
        points => format!(
            "<div class=\"slider\" hidden><label>try a threshold <input type=\"range\" min=\"0\" max=\"{}\" value=\"0\" \
             data-points=\"[{}]\"></label> <output></output> <button type=\"button\">back to the rule</button></div>",
            points.len() - 1,
            points.join(",")
        ),
    };
    let drawn: String = plots.plots.iter().map(plot::draw).collect();
    let (beside, below) = match &plots.table {
        None => (String::new(), String::new()),
        Some(own) if own.folded => (String::new(), table(own)),
        Some(own) => (format!("<div>{}</div>", table(own)), String::new()),
    };
    section(
        &plots.title,
        &plots.about,
        &format!("{slider}<div class=\"charts\">{drawn}{beside}</div>{below}"),
    )
}

fn cases(cases: &Cases<'_>) -> String {
    let about = if cases.about.is_empty() { "none" } else { &cases.about };
    let shown: String = cases.cases.iter().map(case).collect();
    format!(
        "<section><h2>{}</h2><p class=\"about\">{}.</p>{shown}</section>",
        prose(&cases.title),
        prose(about)
    )
}

fn case(case: &Case<'_>) -> String {
    let Case { name, about, warning, lines, texts } = case;
    let mut text = format!("<article><h3>{}{}</h3>{}", escape(name), after(about, warning), of_lines(lines));
    let pair = texts.len() > 1;
    if pair {
        text.push_str("<div class=\"pair\">");
    }
    for Text { name, about, warning, talk: own, explained } in texts {
        let head = match name.as_str() {
            "" => String::new(),
            name => format!("<p>{}{}</p>", escape(name), after(about, warning)),
        };
        let ledgers = own.reading.parts().iter().filter(|_| *explained);
        let ledgers: String = ledgers.map(|part| computation(&part.ledger())).collect();
        let _ = write!(text, "<div>{head}{}{ledgers}</div>", talk::render(own));
    }
    text + if pair { "</div></article>" } else { "</article>" }
}

/// What comes after a name.
fn after(about: &str, warning: &str) -> String {
    let spaced = |class: &str, text: &str| match text {
        "" => String::new(),
        text => format!(" <small class=\"{class}\">{}</small>", prose(text)),
    };
    spaced("dim", about) + &spaced("warn", warning)
}

/// A card in a fold of its own.
fn card(own: &Card) -> String {
    let inside = crate::card::html(&own.markdown);
    format!(
        "<section class=\"card\"><details><summary>{}</summary>{inside}</details></section>",
        escape(&own.title)
    )
}

fn computation(own: &Ledger<'_>) -> String {
    let text = ledger::capped(own);
    format!("<details><summary>Computation</summary><pre tabindex=\"0\">{}</pre></details>", escape(&text))
}

/// A text of ours, with code where it has backticks.
fn prose(text: &str) -> String {
    let part = |(is_code, part): (bool, &str)| match is_code {
        true => format!("<code>{}</code>", escape(part)),
        false => escape(part),
    };
    code_parts(text).into_iter().map(part).collect()
}

/// Foreign text in a page: no markup, no characters that steer.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' => escaped.push('\n'),
            '\r' => {}
            c => escaped.push(safe(c)),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::{Row, Table};

    #[test]
    fn foreign_text_is_no_markup() {
        assert_eq!(escape("<b a='1'>&\"\u{202e}\r\n"), "&lt;b a=&#39;1&#39;&gt;&amp;&quot;\u{fffd}\n");
        let bad = "<script>";
        assert_eq!(prose("a `b<c` d ` e"), "a <code>b&lt;c</code> d ` e");
        assert_eq!(prose("``, `a\nb`"), "``, `a\nb`");
        let lines =
            vec![Line::of(Tone::Marker(Effect::Improves, 0), bad).and(Tone::Warn, bad).and(Tone::Plain, bad)];
        let gauge = Gauge { below: bad.into(), rest: bad.into(), ..Gauge::of(bad, Unit::ONE) };
        let table = Table {
            title: bad.into(),
            about: bad.into(),
            columns: crate::sheet::columns(&[bad]),
            rows: vec![Row::of(vec![bad.into()])],
            below: bad.into(),
            folded: true,
            ..Table::default()
        };
        let case = Case { name: bad.into(), about: bad.into(), warning: bad.into(), ..Case::default() };
        let sheet = Sheet {
            on: bad.into(),
            facts: vec![("fact", bad.into())],
            parts: vec![
                Part::Lines { title: bad.into(), lines },
                Part::Gauges(Gauges {
                    title: bad.into(),
                    rows: vec![gauge],
                    silent: Some((bad.into(), vec![bad.into()])),
                }),
                Part::Table(table),
                Part::Cases(Cases { title: bad.into(), about: bad.into(), cases: vec![case] }),
            ],
            notes: vec![bad.into()],
            foot: bad.into(),
            ..Sheet::default()
        };
        let html = sheet.to_html();
        assert!(!html.contains(bad), "{html}");
        assert_eq!(html.matches("&lt;script&gt;").count(), 25, "{html}");
    }

    #[test]
    fn figures_stay_within_their_element() {
        let told = data("{\"a\":\"</script>\u{202e}é\"}");
        assert!(told.ends_with(">{\"a\":\"\\u003c/script>\\u202eé\"}</script>\n"), "{told}");
    }

    #[test]
    fn eight_markers_have_eight_colours() {
        for effect in [Effect::Improves, Effect::Worsens] {
            let hues: Vec<usize> = (0..8).map(|nth| hue(Tone::Marker(effect, nth))).collect();
            let apart = |a: usize, b: usize| a.abs_diff(b).min(360 - a.abs_diff(b));
            let pairs = (0..8).flat_map(|a| (0..a).map(move |b| (a, b)));
            let nearest = pairs.map(|(a, b)| apart(hues[a], hues[b])).min();
            assert!(nearest >= Some(5), "{hues:?}");
        }
    }

    #[test]
    fn lengths_are_decimals() {
        assert_eq!(percent(Unit(528_986)), "52.9%");
        assert_eq!(percent(Unit(1_000_000)), "100.0%");
        assert_eq!(percent(Unit(40)), "0.0%");
    }
}
