//! Drawings as SVG, in whole numbers.

use super::escape;
use crate::plot::{Boxes, Columns, Curve, Group, Plot, Track, permille};
use crate::words::grouped;
use std::fmt::Write;

pub(super) fn draw(plot: &Plot) -> String {
    match plot {
        Plot::Curve(own) => curve(own),
        Plot::Boxes(own) => boxes(own),
        Plot::Columns(own) => columns(own),
        Plot::Track(own) => track(own),
    }
}

/// The height of a drawing that is wider than high.
const HIGH: u64 = 560;

/// A wide drawing in its frame; `inside` is 1,000 wide and `HIGH` high.
fn wide(title: &str, across: &str, up: &str, inside: &str, ticks: &[(u64, String)], key: &str) -> String {
    let (title, across, up) = (escape(title), escape(across), escape(up));
    let below = ticks.iter().fold(String::new(), |mut text, (at, tick)| {
        // The names at the ends stay within the drawing.
        let anchor = if *at <= 60 {
            "start"
        } else if *at >= 940 {
            "end"
        } else {
            "middle"
        };
        let tick = escape(tick);
        let _ = write!(text, "<text x=\"{at}\" y=\"{}\" text-anchor=\"{anchor}\">{tick}</text>", HIGH + 45);
        text
    });
    format!(
        "<figure class=\"flat\"><figcaption>{title}{key}</figcaption>\
         <svg viewBox=\"-190 -50 1230 {}\" role=\"img\" aria-label=\"{title}: {up} by {across}\">{inside}\
         <path class=\"frame\" d=\"M0 0V{HIGH}H1000\"/>{below}\
         <text class=\"axis\" x=\"500\" y=\"{}\" text-anchor=\"middle\">{across}</text>\
         <text class=\"axis\" x=\"-{}\" y=\"-150\" text-anchor=\"middle\" transform=\"rotate(-90)\">{up}</text></svg></figure>",
        HIGH + 160,
        HIGH + 98,
        HIGH / 2
    )
}

/// Lines that fill the second series, which differs so without colour. A page has one such drawing at most, so its name is its own.
const HATCH: &str = "<defs><pattern id=\"hatch\" width=\"14\" height=\"14\" patternUnits=\"userSpaceOnUse\" \
                     patternTransform=\"rotate(45)\"><path class=\"lines\" d=\"M7 0V14\"/></pattern></defs>";

fn columns(drawing: &Columns) -> String {
    let Columns { title, across, up, series, ticks, lines } = drawing;
    let most = series.iter().flat_map(|(_, counts)| counts).max().copied().unwrap_or(0).max(1);
    let mut inside = String::new();
    if series.len() > 1 {
        inside.push_str(HATCH);
    }
    // The whole height is a round number: half of it is one, too, or the count is 1.
    let top = round_above(most);
    for part in if top == 1 { vec![1] } else { vec![top / 2, top] } {
        let y = HIGH - HIGH * part / top;
        let _ = write!(
            inside,
            "<path class=\"grid\" d=\"M0 {y}H1000\"/><text x=\"-18\" y=\"{}\" text-anchor=\"end\">{}</text>",
            y + 12,
            grouped(part)
        );
    }
    for (nth, (_, counts)) in (0..).zip(series) {
        let (all, of) = (counts.len() as u64, series.len() as u64);
        let mut path = String::new();
        for (at, count) in (0..).zip(counts).filter(|(_, count)| **count > 0) {
            let (left, right) = (permille(at * of + nth, all * of), permille(at * of + nth + 1, all * of));
            // Anything above 0 shows.
            let high = (HIGH * count / top).max(3);
            let gap = if of == 1 { 2 } else { 3 };
            let wide = (right - left).saturating_sub(2 * gap).max(1);
            let _ = write!(path, "M{} {HIGH}v-{high}h{wide}v{high}z", left + gap);
        }
        let class = if nth == 0 { "column" } else { "column hatched" };
        let _ = write!(inside, "<path class=\"{class}\" d=\"{path}\"/>");
    }
    for (at, name) in lines {
        let anchor = if *at > 700 { "end" } else { "start" };
        let (x, name) = (if *at > 700 { at.saturating_sub(12) } else { at + 12 }, escape(name));
        let _ = write!(
            inside,
            "<path class=\"guess\" d=\"M{at} -30V{HIGH}\"/><text class=\"axis\" x=\"{x}\" y=\"-14\" text-anchor=\"{anchor}\">{name}</text>"
        );
    }
    let key = match series.as_slice() {
        [(one, _), (other, _)] => format!(
            " <span class=\"key\"><i class=\"column\"></i>{}</span> <span class=\"key\"><i class=\"column hatched\"></i>{}</span>",
            escape(one),
            escape(other)
        ),
        _ => String::new(),
    };
    wide(title, across, up, &inside, ticks, &key)
}

/// The least of 1, 2, 4, 6, 8 and 10 times a power of ten that is not below a count.
fn round_above(count: u64) -> u64 {
    let mut power: u64 = 1;
    while power.saturating_mul(10) < count {
        power *= 10;
    }
    [1, 2, 4, 6, 8, 10]
        .map(|step| power.saturating_mul(step))
        .into_iter()
        .find(|top| *top >= count)
        .unwrap_or(count)
}

fn track(drawing: &Track) -> String {
    let Track { title, across, up, points, ticks } = drawing;
    let mut inside = String::new();
    for (at, tick) in TICKS {
        let y = HIGH - HIGH * at / 1000;
        let _ = write!(
            inside,
            "<path class=\"grid\" d=\"M0 {y}H1000\"/><text x=\"-18\" y=\"{}\" text-anchor=\"end\">{tick}</text>",
            y + 12
        );
    }
    let place = |(x, y): &(u64, u64)| format!("{x} {}", HIGH - HIGH * y.min(&1000) / 1000);
    let places: Vec<String> = points.iter().map(place).collect();
    let dots: String = places.iter().map(|place| format!("M{place}h0")).collect();
    let _ = write!(
        inside,
        "<path class=\"curve\" d=\"M{}\"/><path class=\"dots\" d=\"{dots}\"/>",
        places.join("L")
    );
    wide(title, across, up, &inside, ticks, "")
}

/// Where the axis upwards, and the one across where it counts shares, has numbers.
const TICKS: [(u64, &str); 5] = [(0, "0"), (250, ".25"), (500, ".5"), (750, ".75"), (1000, "1")];

fn ticks_up() -> String {
    let tick = |(at, tick): (u64, &str)| {
        format!("<text x=\"-18\" y=\"{}\" text-anchor=\"end\">{tick}</text>", 1000 - at + 12)
    };
    TICKS.map(tick).concat()
}

fn curve(curve: &Curve) -> String {
    let Curve { id, title, across, up, guess, path, end, here } = curve;
    let tick =
        |(at, tick): (u64, &str)| format!("<text x=\"{at}\" y=\"1052\" text-anchor=\"middle\">{tick}</text>");
    let ticks = TICKS.map(tick).concat() + &ticks_up();
    // What is filled goes down where the curve ends.
    let down = if *end == 1000 { "V1000H0Z".to_owned() } else { format!("L{end} 1000H0Z") };
    let (x, y) = here.unwrap_or_default();
    let hidden = if here.is_some() { "" } else { " visibility=\"hidden\"" };
    format!(
        "<figure><figcaption>{title}</figcaption>\
         <svg viewBox=\"-130 -30 1170 1170\" role=\"img\" aria-label=\"{title}: {up} by {across}\">\
         <path class=\"grid\" d=\"M250 0V1000M0 250H1000M500 0V1000M0 500H1000M750 0V1000M0 750H1000\"/>\
         <path class=\"frame\" d=\"M0 0V1000H1000\"/>\
         <path class=\"guess\" d=\"M0 {}L1000 {}\"/><path class=\"area\" d=\"{path}{down}\"/>\
         <path class=\"curve\" d=\"{path}\"/>{ticks}\
         <text class=\"axis\" x=\"500\" y=\"1115\" text-anchor=\"middle\">{across}</text>\
         <text class=\"axis\" x=\"-500\" y=\"-95\" text-anchor=\"middle\" transform=\"rotate(-90)\">{up}</text>\
         <circle id=\"{id}\" cx=\"{x}\" cy=\"{}\" r=\"17\"{hidden}/></svg></figure>",
        1000 - guess.0,
        1000 - guess.1,
        1000 - y
    )
}

fn boxes(drawing: &Boxes) -> String {
    let (mut points, mut boxes, mut ticks) = (String::new(), String::new(), ticks_up());
    let count = drawing.groups.len() as u64;
    for (at, Group { points: values, quartiles }) in (0..).zip(&drawing.groups) {
        let left = permille(at, count);
        let width = permille(at + 1, count) - left;
        // A tenth of the column stays free on each side.
        let (x, wide) = (left + width / 10, width * 8 / 10);
        let inside = values.len() as u64;
        for (nth, value) in (0..).zip(values) {
            let _ =
                write!(points, "M{} {}h0", x + wide * (2 * nth + 1) / (2 * inside), 1000 - value.min(&1000));
        }
        let [first, median, third] = quartiles.map(|value| 1000 - value.min(1000));
        let _ = write!(
            boxes,
            "<rect class=\"half\" x=\"{x}\" y=\"{third}\" width=\"{wide}\" height=\"{}\"/>\
             <path class=\"curve\" d=\"M{x} {median}h{wide}\"/>",
            first - third
        );
        let _ = write!(
            ticks,
            "<text x=\"{}\" y=\"1045\" text-anchor=\"middle\">{}</text>",
            left + width / 2,
            at + 1
        );
    }
    let title = escape(&drawing.title);
    format!(
        "<figure><figcaption>{title}</figcaption>\
         <svg viewBox=\"-130 -30 1170 1170\" role=\"img\" aria-label=\"{title}\">\
         <path class=\"grid\" d=\"M0 250H1000M0 500H1000M0 750H1000\"/><path class=\"frame\" d=\"M0 0V1000H1000\"/>{boxes}\
         <path class=\"points\" d=\"{points}\"/>{ticks}\
         <text class=\"axis\" x=\"500\" y=\"1110\" text-anchor=\"middle\">{}</text></svg></figure>",
        drawing.across
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_on_the_axis_and_end_at_round_numbers() {
        assert_eq!([1, 2, 3, 9, 10, 11, 99, 1_001].map(round_above), [1, 2, 4, 10, 10, 20, 100, 2_000]);
        let counts = Columns {
            title: "<scores>".into(),
            series: vec![("up", vec![0, 4]), ("down", vec![1, 0])],
            lines: vec![(800, "median".into())],
            ..Columns::default()
        };
        let drawn = columns(&counts);
        assert!(!drawn.contains("<scores>") && drawn.contains("&lt;scores&gt;"), "{drawn}");
        assert!(drawn.contains("<path class=\"column\" d=\"M503 560v-560h244v560z\"/>"), "{drawn}");
        assert!(drawn.contains("<path class=\"column hatched\" d=\"M253 560v-140h244v140z\"/>"), "{drawn}");
        assert!(drawn.contains("text-anchor=\"end\">median"), "{drawn}");
    }

    #[test]
    fn a_track_goes_through_its_points() {
        let points = vec![(0, 0), (500, 1000), (1000, 500)];
        let drawn = track(&Track { points, ..Track::default() });
        assert!(drawn.contains("d=\"M0 560L500 0L1000 280\""), "{drawn}");
        assert!(drawn.contains("M0 560h0M500 0h0M1000 280h0"), "{drawn}");
    }

    #[test]
    fn down_is_up_in_a_drawing() {
        let roc = Curve {
            id: "roc",
            title: "ROC",
            across: "false alarms",
            up: "found",
            guess: (0, 1000),
            path: "M0 1000L1000 0".into(),
            end: 1000,
            here: Some((750, 750)),
        };
        let drawn = curve(&roc);
        assert!(drawn.contains(r#"<circle id="roc" cx="750" cy="250""#), "{drawn}");
        let groups = vec![Group { points: vec![0, 1000], quartiles: [250, 500, 750] }];
        let drawn = boxes(&Boxes { title: "score".into(), across: "grades", groups });
        assert!(drawn.contains("M300 1000h0M700 0h0"), "{drawn}");
        assert!(drawn.contains(r#"x="100" y="250" width="800" height="500""#), "{drawn}");
    }
}
