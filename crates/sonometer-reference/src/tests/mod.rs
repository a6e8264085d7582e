//! Examples worked out by hand, section by section.

mod agreement;
mod evidence;
mod matches;
mod numbers;
mod readings;
mod relations;
mod results;
mod tokens;

use crate::build::{protocol, text};
use crate::language::Language;
use crate::matching::{exclusions, matches};
use crate::turn::{Turn, cut};
use sonometer::protocol::Marker;
use sonometer::protocol::phrase::Pattern;
use sonometer::{Interaction, OffsetUnit, Profile, View};

fn english() -> Language {
    Language::of(Some("en"))
}

fn turn(content: &str) -> Turn {
    cut(content, &english())
}

/// The original texts of the matches of a line.
fn found(pattern: &Pattern, content: &str) -> Vec<String> {
    let turn = turn(content);
    matches(&turn, pattern, &english()).into_iter().map(|m| turn.original[m.place].to_owned()).collect()
}

/// The original texts of the exclusions of a line.
fn excluded(pattern: &Pattern, content: &str) -> Vec<String> {
    let turn = turn(content);
    exclusions(&turn, pattern, &english()).into_iter().map(|m| turn.original[m.place].to_owned()).collect()
}

const BARE: View<'static> = View { profile: Profile::Raw, offsets: None, flow: None, temporal: None };

fn view(profile: Profile, offsets: Option<OffsetUnit>) -> View<'static> {
    View { profile, offsets, ..BARE }
}

/// The value of the first `key` of a result, up to the end of that value.
fn value(result: &str, key: &str) -> String {
    let from =
        result.find(&format!("\"{key}\":")).unwrap_or_else(|| panic!("{key} in {result}")) + key.len() + 3;
    let mut depth = 0;
    let mut quoted = false;
    let mut last = ' ';
    let mut out = String::new();
    for c in result[from..].chars() {
        if c == '"' && last != '\\' {
            quoted = !quoted;
        }
        if !quoted {
            if depth == 0 && matches!(c, ',' | '}' | ']') {
                break;
            }
            depth += i32::from(matches!(c, '{' | '[')) - i32::from(matches!(c, '}' | ']'));
        }
        out.push(c);
        last = c;
        if depth == 0 && !quoted && matches!(c, '}' | ']') {
            break;
        }
    }
    out
}

/// A value of the raw reading of a text by one marker.
fn of_text(marker: Marker, content: &str, key: &str) -> String {
    of(marker, &text(content), key)
}

/// A value of the raw reading of an interaction by one marker.
fn of(marker: Marker, interaction: &Interaction, key: &str) -> String {
    value(&crate::sense(&protocol(vec![marker]), interaction, BARE), key)
}
