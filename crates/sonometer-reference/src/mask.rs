//! Section 8, masks: what is hidden wherever text is shown, and what is shown instead.

use crate::absent::is_lent;
use crate::candidate::{Candidate, Scene};
use crate::characters::{CharClass, class_of, extends, is_letter_or_digit};
use crate::fold::fold;
use crate::marker::MarkerReading;
use crate::near::{checksum_misses, gap_misses};
use crate::turn::Turn;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use sonometer::protocol::{HintKind, Mask};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// What a call says of masks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Call<'k> {
    /// The kind of all of them.
    pub mask: Option<Mask>,
    /// The key of `keyed`.
    pub key: Option<&'k [u8]>,
}

impl Call<'_> {
    /// Whether a mask of these markers asks for a key that is not there.
    pub(crate) fn lacks_key(&self, masks: impl Iterator<Item = Mask>) -> bool {
        let mut all = masks.map(|mask| self.mask.unwrap_or(mask)).chain(self.mask);
        self.key.is_none() && all.any(|mask| mask == Mask::Keyed)
    }
}

/// A mask over a place.
pub(crate) struct Masked {
    mask: Mask,
    /// The protocol and the marker by their numbers, and what the marker is called in readings.
    marker: (usize, usize),
    label: String,
    /// By turn, with the bytes that it takes up as it was written.
    stretches: Vec<(usize, Range<usize>)>,
    /// The letters that are not shown, by turn.
    letters: Vec<(usize, Vec<usize>)>,
    value: String,
}

/// The places of all candidates of a marker with `mask`, and of its gap and checksum near misses, but for excepted ones. `key` is
/// what a marker is called in readings.
pub(crate) fn masked(
    scene: &Scene<'_>,
    readings: &[MarkerReading],
    call: Call<'_>,
    protocol: usize,
    key: impl Fn(&str) -> String,
) -> Vec<Masked> {
    let mut all = Vec::new();
    for (number, (marker, reading)) in scene.protocol.markers.iter().zip(readings).enumerate() {
        let Some(mask) = marker.mask else { continue };
        let mask = call.mask.unwrap_or(mask);
        let matched = reading.candidates.iter().filter(|candidate| !is_lent(marker, candidate)).cloned();
        let missed = gap_misses(scene, marker).into_iter().chain(checksum_misses(scene, marker));
        let excepted = |candidate: &Candidate| candidate.failed.contains(&HintKind::Except);
        for Candidate { hit, .. } in matched.chain(missed).filter(|candidate| !excepted(candidate)) {
            let mut stretches = Vec::new();
            let mut touched = Vec::new();
            for stretch in &hit.stretches {
                let turn = &scene.turns[stretch.turn];
                let mut place = turn.as_written(&stretch.place);
                let inside: Vec<Vec<usize>> = letters(&turn.written)
                    .into_iter()
                    .filter(|letter| letter[0] < place.end && place.start < end_of(&turn.written, letter))
                    .collect();
                for letter in &inside {
                    place = place.start.min(letter[0])..place.end.max(end_of(&turn.written, letter));
                }
                stretches.push((stretch.turn, place));
                touched.extend(inside.into_iter().map(|letter| (stretch.turn, letter)));
            }
            let texts = stretches.iter().map(|(turn, place)| &scene.turns[*turn].written[place.clone()]);
            let value = value(&texts.collect::<Vec<_>>().join(" "));
            let (marker, label) = ((protocol, number), key(&marker.label));
            all.push(Masked { mask, marker, label, stretches, letters: hidden_of(touched, mask), value });
        }
    }
    all
}

/// The letters that a mask does not show: all but the first or last n.
fn hidden_of(touched: Vec<(usize, Vec<usize>)>, mask: Mask) -> Vec<(usize, Vec<usize>)> {
    let kept = match mask {
        Mask::First(n) => 0..usize::from(n),
        Mask::Last(n) => touched.len().saturating_sub(n.into())..touched.len(),
        _ => 0..0,
    };
    let hidden = touched.into_iter().enumerate().filter(|(nth, _)| !kept.contains(nth));
    hidden.map(|(_, letter)| letter).collect()
}

/// The letters and digits of a text, each with what belongs to it, as the bytes at which their hidden characters begin.
fn letters(text: &str) -> Vec<Vec<usize>> {
    let mut letters: Vec<Vec<usize>> = Vec::new();
    let mut goes_on = false;
    for (at, c) in text.char_indices() {
        let is_mark = class_of(c) == CharClass::Mark;
        if goes_on && (is_mark || ('\u{1160}'..='\u{11ff}').contains(&c)) {
            letters.last_mut().expect("something goes on").push(at);
        } else if is_mark || is_letter_or_digit(c) {
            letters.push(vec![at]);
            goes_on = true;
        } else {
            goes_on = goes_on && (extends(c) || matches!(c, '\u{200c}' | '\u{200d}'));
        }
    }
    letters
}

fn end_of(text: &str, letter: &[usize]) -> usize {
    let last = letter[letter.len() - 1];
    last + text[last..].chars().next().map_or(0, char::len_utf8)
}

/// What a text is compared by.
fn value(text: &str) -> String {
    let folded: String = fold(text).iter().map(|f| f.char.to_ascii_lowercase()).collect();
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    let mut value = String::new();
    for c in folded.trim_matches(is_space).chars() {
        match is_space(c) {
            true if value.ends_with(' ') => {}
            true => value.push(' '),
            false => value.push(c),
        }
    }
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let letters = value.chars().filter(|c| !c.is_ascii_digit() && is_letter_or_digit(*c)).count();
    if digits >= 9 && digits > letters && !value.chars().any(|c| matches!(c, '@' | '/' | ':')) {
        value = value.chars().filter(|c| is_letter_or_digit(*c) || class_of(*c) == CharClass::Mark).collect();
    }
    value
}

/// What is hidden of one turn as it was written.
#[derive(Clone, Default)]
pub(crate) struct HiddenTurn {
    /// Where each hidden character begins, and where its letter does.
    letters: BTreeMap<usize, usize>,
    /// What is replaced, and what stands for it.
    replaced: Vec<(Range<usize>, String)>,
}

/// What is hidden, by turn.
pub(crate) type Hidden = Vec<HiddenTurn>;

/// What all these masks hide together in so many turns.
pub(crate) fn hidden(turns: usize, masks: &[Masked], call: Call<'_>) -> Hidden {
    let mut hidden = vec![HiddenTurn::default(); turns];
    let mut numbers: Vec<(&Masked, usize)> = Vec::new();
    for (turn, own) in hidden.iter_mut().enumerate() {
        for group in groups(turn, masks) {
            let replacing = group.iter().filter(|(_, mask)| is_replacing(mask.mask));
            let first = replacing.min_by_key(|(place, mask)| {
                (place.start, Reverse(place.end), mask.marker, mask.value.as_str())
            });
            let start = group.iter().map(|(place, _)| place.start).min().unwrap_or(0);
            let end = group.iter().map(|(place, _)| place.end).max().unwrap_or(0);
            if let Some((_, mask)) = first {
                own.replaced.push((start..end, name(mask, call, &mut numbers)));
                continue;
            }
            for (_, mask) in group {
                for (_, letter) in mask.letters.iter().filter(|(at, _)| *at == turn) {
                    own.letters.extend(letter.iter().map(|at| (*at, letter[0])));
                }
            }
        }
    }
    hidden
}

fn is_replacing(mask: Mask) -> bool {
    matches!(mask, Mask::Label | Mask::Numbered | Mask::Keyed | Mask::Remove)
}

type Group<'m> = Vec<(Range<usize>, &'m Masked)>;

/// The stretches of a turn, those that overlap together, in the order of the text.
fn groups(turn: usize, masks: &[Masked]) -> Vec<Group<'_>> {
    let mut all: Group<'_> = Vec::new();
    for mask in masks {
        all.extend(
            mask.stretches.iter().filter(|(at, _)| *at == turn).map(|(_, place)| (place.clone(), mask)),
        );
    }
    all.sort_by_key(|(place, _)| place.start);
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (place, mask) in all {
        match groups.last_mut() {
            Some(group) if group.iter().any(|(other, _)| place.start < other.end) => {
                group.push((place, mask))
            }
            _ => groups.push(vec![(place, mask)]),
        }
    }
    groups
}

/// What stands for what a mask replaces.
fn name<'m>(by: &'m Masked, call: Call<'_>, numbers: &mut Vec<(&'m Masked, usize)>) -> String {
    let label = label_of(by);
    match (by.mask, call.key) {
        (Mask::Remove, _) => String::new(),
        (Mask::Numbered, _) => {
            let same = numbers.iter().find(|(other, _)| other.marker == by.marker && other.value == by.value);
            let number = match same {
                Some((_, number)) => *number,
                None => 1 + numbers.iter().filter(|(other, _)| label_of(other) == label).count(),
            };
            if same.is_none() {
                numbers.push((by, number));
            }
            format!("<{label}_{number}>")
        }
        (Mask::Keyed, Some(key)) => {
            let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key may have any length");
            mac.update(by.value.as_bytes());
            let digits: String =
                mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            format!("<{label}_{}>", &digits[..12])
        }
        _ => format!("<{label}>"),
    }
}

/// The key of a marker as masks show it.
fn label_of(by: &Masked) -> String {
    let label = by.label.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    label.collect::<String>().to_ascii_uppercase()
}

/// A part of a turn, in bytes as it was written, as it may be shown.
pub(crate) fn shown(turn: &Turn, place: &Range<usize>, hidden: &Hidden) -> String {
    let HiddenTurn { letters, replaced } = &hidden[turn.index];
    let mut text = String::new();
    let mut last_letter = None;
    let mut last_name = None;
    for (at, c) in turn.written.char_indices().filter(|(at, _)| place.contains(at)) {
        let name = replaced.iter().position(|(range, _)| range.contains(&at));
        match (name, letters.get(&at)) {
            (Some(name), _) if last_name == Some(name) => {}
            (Some(name), _) => {
                text.push_str(&replaced[name].1);
                last_name = Some(name);
            }
            (None, None) => text.push(c),
            (None, letter) if letter == last_letter => {}
            (None, letter) => {
                text.push('*');
                last_letter = letter;
            }
        }
    }
    text
}
