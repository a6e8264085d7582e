//! The lines in which two texts differ, as people know it from version control.

use crate::paint::{BOLD, Paint, one_line};
use anstyle::{AnsiColor, Style};

/// Lines around a difference that are shown too.
const CONTEXT: usize = 2;
/// Beyond so many pairs of lines, the differing parts are shown whole.
const PAIRS: usize = 4_000_000;

const GONE: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
const COME: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));

/// One line of either text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change<'a> {
    /// In both.
    Same(&'a str),
    /// Only in the old one.
    Gone(&'a str),
    /// Only in the new one.
    Come(&'a str),
}

/// The changes that lead from one text to the other, as few as there can be.
pub(crate) fn changes<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Change<'a>> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (before, middle) = old[..old.len() - tail].split_at(head);
    let mut changes: Vec<Change<'a>> = before.iter().copied().map(Change::Same).collect();
    changes.extend(between(middle, &new[head..new.len() - tail]));
    changes.extend(old[old.len() - tail..].iter().copied().map(Change::Same));
    changes
}

/// By the longest common subsequence.
fn between<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Change<'a>> {
    let mut changes = Vec::new();
    let (mut i, mut j) = (0, 0);
    if old.len().saturating_mul(new.len()) <= PAIRS {
        let width = new.len() + 1;
        let mut longest = vec![0_u32; (old.len() + 1) * width];
        for i in (0..old.len()).rev() {
            for j in (0..new.len()).rev() {
                longest[i * width + j] = match old[i] == new[j] {
                    true => longest[(i + 1) * width + j + 1] + 1,
                    false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
                };
            }
        }
        while i < old.len() && j < new.len() {
            if old[i] == new[j] {
                changes.push(Change::Same(old[i]));
                (i, j) = (i + 1, j + 1);
            } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
                changes.push(Change::Gone(old[i]));
                i += 1;
            } else {
                changes.push(Change::Come(new[j]));
                j += 1;
            }
        }
    }
    changes.extend(old[i..].iter().copied().map(Change::Gone));
    changes.extend(new[j..].iter().copied().map(Change::Come));
    changes
}

/// The differences of a file, each with a few lines around it.
pub(crate) fn render(paint: &Paint, name: &str, old: &str, new: &str) -> String {
    // A line keeps its break, so that line ends and a missing last one show up as differences.
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<&str>>();
    let changes = changes(&lines(old), &lines(new));
    let near = |at: usize| {
        let around = &changes[at.saturating_sub(CONTEXT)..(at + CONTEXT + 1).min(changes.len())];
        around.iter().any(|change| !matches!(change, Change::Same(_)))
    };
    let mut text = format!("{}\n", paint.styled(BOLD, name));
    let (mut line, mut shown) = (1, true);
    for (at, change) in changes.iter().enumerate() {
        if near(at) {
            if !std::mem::replace(&mut shown, true) || at == 0 {
                text.push_str(&format!("{}\n", paint.dim(&format!("  line {line}"))));
            }
            text.push_str(&match change {
                Change::Same(line) => format!("{}\n", format!("    {}", shown_line(line)).trim_end()),
                Change::Gone(line) => {
                    format!("{}\n", paint.styled(GONE, &format!("  - {}", shown_line(line))))
                }
                Change::Come(line) => {
                    format!("{}\n", paint.styled(COME, &format!("  + {}", shown_line(line))))
                }
            });
        } else {
            shown = false;
        }
        line += usize::from(!matches!(change, Change::Come(_)));
    }
    text
}

/// A line with what cannot be seen made visible: blanks at its end, a carriage return, a missing break.
fn shown_line(line: &str) -> String {
    let (body, end) = match line.strip_suffix('\n') {
        None => (line, "␃"),
        Some(body) => body.strip_suffix('\r').map_or((body, ""), |body| (body, "␍")),
    };
    let kept = body.trim_end_matches([' ', '\t']);
    let blanks: String = body[kept.len()..].chars().map(|c| if c == ' ' { '·' } else { '→' }).collect();
    format!("{}{blanks}{end}", one_line(kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_shortest_way() {
        let of = |old: &str, new: &str| -> String {
            let (old, new): (Vec<&str>, Vec<&str>) = (old.split(' ').collect(), new.split(' ').collect());
            let signs = changes(&old, &new).into_iter().map(|change| match change {
                Change::Same(line) => format!("={line}"),
                Change::Gone(line) => format!("-{line}"),
                Change::Come(line) => format!("+{line}"),
            });
            signs.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("a b c d", "a c x d"), "=a -b =c +x =d");
        assert_eq!(of("a", "a"), "=a");
        assert_eq!(of("a a", "a"), "=a -a");
        assert_eq!(of("x b y", "p b q"), "-x +p =b -y +q");
    }

    #[test]
    fn shows_what_cannot_be_seen() {
        let text = render(&Paint { colour: false, width: 80 }, "f", "a\nb  \r\nc", "a\nb\nc\n");
        assert_eq!(text, "f\n  line 1\n    a\n  - b··␍\n  - c␃\n  + b\n  + c\n");
    }
}
