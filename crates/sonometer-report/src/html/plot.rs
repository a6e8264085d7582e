//! Drawings as SVG, in whole numbers.

use super::escape;
use crate::plot::{Boxes, Curve, Group, Plot, permille};
use std::fmt::Write;

pub(super) fn draw(plot: &Plot) -> String {
    match plot {
        Plot::Curve(own) => curve(own),
        Plot::Boxes(own) => boxes(own),
    }
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
