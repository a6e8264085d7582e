//! A plot of bars as SVG: one group for each set, one bar for each engine.

use crate::row::figure;
use std::fmt::Write;

/// One group of bars.
#[derive(Clone, Debug)]
pub struct Group {
    /// The title above the bars.
    pub title: String,
    /// Name and value of every bar.
    pub bars: Vec<(String, f64)>,
}

const WIDTH: usize = 720;
const LEFT: usize = 250;
const BAR: usize = 16;
const LINE: usize = 20;

/// The picture: bars to the right, as long as their value is beside the largest of the group.
pub fn svg(title: &str, groups: &[Group]) -> String {
    let height = 40 + groups.iter().map(|group| LINE * (group.bars.len() + 2)).sum::<usize>();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\" \
         role=\"img\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"10\" y=\"22\" font-size=\"14\">{}</text>\n",
        escaped(title)
    );
    let mut y = 40;
    for group in groups {
        let _ = writeln!(
            out,
            "<text x=\"10\" y=\"{}\" font-weight=\"bold\">{}</text>",
            y + 14,
            escaped(&group.title)
        );
        y += LINE;
        let most = group.bars.iter().map(|bar| bar.1).fold(1e-9, f64::max);
        for (at, (name, value)) in group.bars.iter().enumerate() {
            let length = (value / most * (WIDTH - LEFT - 60) as f64).round().max(1.0);
            let colour = if at == 0 { "#1f6f5c" } else { "#9aa5b1" };
            let text = y + 13;
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{text}\" text-anchor=\"end\">{}</text><rect x=\"{LEFT}\" y=\"{y}\" width=\"{length}\" \
                 height=\"{BAR}\" fill=\"{colour}\"/><text x=\"{}\" y=\"{text}\">{}</text>",
                LEFT - 8,
                escaped(name),
                LEFT as f64 + length + 6.0,
                figure(*value)
            );
            y += LINE;
        }
        y += LINE;
    }
    out + "</svg>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_fills_the_room() {
        let bars = vec![("ours".to_owned(), 4.0), ("a & b".to_owned(), 1.0)];
        let picture = svg("x", &[Group { title: "set a".into(), bars }]);
        assert!(picture.contains("width=\"410\"") && picture.contains("width=\"103\""), "{picture}");
        assert!(picture.contains("a &amp; b") && picture.ends_with("</svg>\n"));
    }
}
