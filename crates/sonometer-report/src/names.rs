//! Names that come with data (files, ids, roles, groups) and are shown beside it. A target that masks hides what it masks in texts; a
//! name with such a text in it is not shown either.

use sonometer::protocol::Modality;
use sonometer::{Instrument, Interaction, Mask, Reading, SenseOptions, Turn};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Names whose answer is remembered; beyond, each is asked anew.
const KNOWN: usize = 4096;
/// Letters and digits from which on a hidden text within a longer name is noticed; shorter ones only as words of their own.
const WITHIN: usize = 4;
/// Separators from the end of a name before which it is cut.
const CUTS: usize = 6;
/// Characters from which on a hidden word hides a name that has it.
const WORD: usize = 3;

/// Decides which names may be shown.
#[derive(Clone, Debug)]
pub struct Names {
    /// `None`: the target masks nothing, so every name is shown.
    instrument: Option<Instrument>,
    known: BTreeMap<String, bool>,
}

impl Names {
    /// For what this target measures.
    pub fn of(instrument: &Instrument) -> Self {
        let masks = instrument.markers().any(|(_, marker)| marker.mask.is_some());
        Self { instrument: masks.then(|| instrument.clone()), known: BTreeMap::new() }
    }

    /// Whether the target masks anything.
    pub fn is_asked(&self) -> bool {
        self.instrument.is_some()
    }

    /// Whether a name may be shown: nothing in it would be masked in a text by anybody.
    pub fn allows(&mut self, name: &str) -> bool {
        let Some(instrument) = &self.instrument else { return true };
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let allowed = is_plain(instrument, name);
        if self.known.len() < KNOWN {
            self.known.insert(name.to_owned(), allowed);
        }
        allowed
    }

    /// Whether a name may be shown beside this reading: neither the name nor the reading hides anything of it.
    pub fn allows_beside(&mut self, name: &str, hidden: &Hidden) -> bool {
        self.allows(name) && !hidden.is_in(name)
    }
}

/// Whether nothing in `name` is masked, as it is written and with its separators as spaces: `ann@x.org.txt`, `call_4111-1111-1111-1111`.
/// What comes after a private text may hide it from the protocol, as the number in `ann@x.org-2` does: so all that ends before a
/// separator is asked, too.
fn is_plain(instrument: &Instrument, name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let spaced: String = stem.chars().map(|c| if "_/\\".contains(c) { ' ' } else { c }).collect();
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let ends = name.char_indices().rev().filter(|(_, c)| !(c.is_alphanumeric() || ".@".contains(*c)));
    let cut = ends.take(CUTS).map(|(at, _)| &name[..at]);
    let asked: BTreeSet<String> = [name, stem, last]
        .into_iter()
        .chain(cut)
        .flat_map(|text| [text.to_owned(), apart(text)])
        .chain([spaced])
        .collect();
    asked.iter().all(|text| shows_whole(instrument, text))
}

/// A text with all but letters and digits as spaces.
fn apart(text: &str) -> String {
    text.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect()
}

/// Whether a text is shown as it is, in every role. What cannot be asked counts as hidden.
fn shows_whole(instrument: &Instrument, text: &str) -> bool {
    if text.is_empty() {
        return true;
    }
    // The label, since other masks may need a key, or leave a text as it is.
    let options = SenseOptions { ignore_fidelity: true, mask: Some(Mask::Label), ..SenseOptions::default() };
    said(instrument, text).into_iter().all(|interaction| {
        let sensed = interaction.and_then(|interaction| instrument.sense_with(&interaction, options));
        sensed.is_ok_and(|reading| reading.masked_turn(0) == text)
    })
}

/// The text on its own if the target reads that, and said by each role that its masking markers listen to.
fn said(instrument: &Instrument, text: &str) -> Vec<Result<Interaction, sonometer::Error>> {
    let modalities = instrument.modalities();
    let reads = |modality| modalities.contains(&modality);
    let mut said = Vec::new();
    if reads(Modality::Text) {
        said.push(Interaction::text(text));
    } else if reads(Modality::Document) {
        said.push(Interaction::document(text));
    }
    let masking = instrument.markers().filter(|(_, marker)| marker.mask.is_some());
    let mut roles: Vec<&str> = masking.flat_map(|(_, marker)| marker.by.iter().map(String::as_str)).collect();
    if said.is_empty() && roles.is_empty() {
        roles.push("speaker");
    }
    roles.sort_unstable();
    roles.dedup();
    for role in roles {
        let turn = || vec![Turn { role: Some(role.into()), content: text.into(), timestamp: None }];
        if reads(Modality::Transcript) {
            said.push(Interaction::transcript(turn()));
        } else if reads(Modality::Audio) {
            said.push(Interaction::audio(turn()));
        }
    }
    said
}

/// What a reading hides of its own texts.
#[derive(Clone, Debug, Default)]
pub struct Hidden {
    /// Letters and digits of each hidden stretch, in small letters.
    stretches: Vec<String>,
}

/// Unchanged characters within one hidden text, such as the spaces of a card number.
const GAP: usize = 2;

impl Hidden {
    /// All that is hidden in this reading; nothing where its target masks nothing.
    pub fn of(reading: &Reading) -> Self {
        let mut stretches = Vec::new();
        if reading.instrument().markers().all(|(_, marker)| marker.mask.is_none()) {
            return Self { stretches };
        }
        for (number, turn) in reading.interaction().turns().iter().enumerate() {
            if matches!(reading.masked_turn(number), Cow::Borrowed(_)) {
                continue;
            }
            let shown = reading.masked_characters(number);
            let (mut now, mut gap) = (String::new(), 0);
            for (c, shown) in turn.content.chars().zip(&shown) {
                let is_same = shown.chars().eq([c]);
                if !is_same {
                    now.push(c);
                    gap = 0;
                } else if !now.is_empty() {
                    gap += 1;
                    if gap > GAP || c.is_alphanumeric() {
                        stretches.push(std::mem::take(&mut now));
                    } else {
                        now.push(c);
                    }
                }
            }
            stretches.push(now);
        }
        stretches.retain(|stretch| stretch.chars().any(char::is_alphanumeric));
        stretches.sort_unstable();
        stretches.dedup();
        Self { stretches }
    }

    /// Whether some of it is in a name.
    pub fn is_in(&self, name: &str) -> bool {
        if self.stretches.is_empty() {
            return false;
        }
        let plain = letters(name);
        let words: Vec<String> = words(name).collect();
        self.stretches.iter().any(|stretch| {
            let own = letters(stretch);
            let within = own.chars().count() >= WITHIN && plain.contains(&own);
            let mut parts = self::words(stretch).filter(|word| word.chars().count() >= WORD);
            within || words.contains(&own) || parts.any(|word| words.contains(&word))
        })
    }
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(letters)
}

/// The roles of a reading as they are shown; those that may not be shown are numbered.
#[derive(Clone, Debug, Default)]
pub struct Roles(BTreeMap<String, String>);

impl Roles {
    /// The roles of a reading.
    pub fn of(reading: &Reading) -> Self {
        let mut names = Names::of(reading.instrument());
        let mut shown = BTreeMap::new();
        if !names.is_asked() {
            return Self(shown);
        }
        let hidden = Hidden::of(reading);
        let mut seen = BTreeSet::new();
        for role in reading.interaction().turns().iter().filter_map(|turn| turn.role.as_deref()) {
            if !seen.insert(role) {
                continue;
            }
            // More roles than anybody has: none of the rest is shown, so asking for each costs no time.
            if seen.len() > KNOWN {
                shown.insert(role.to_owned(), "another role".to_owned());
            } else if !names.allows_beside(role, &hidden) {
                shown.insert(role.to_owned(), format!("role {}", seen.len()));
            }
        }
        Self(shown)
    }

    /// A role as it is shown.
    pub fn shown<'a>(&'a self, role: &'a str) -> &'a str {
        self.0.get(role).map_or(role, String::as_str)
    }

    /// Whether some role is not shown.
    pub(crate) fn hides(&self) -> bool {
        !self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::{Protocol, Sensor};

    fn masking() -> Instrument {
        let source = r#"{"sonometer": 1, "id": "p", "version": "1", "taxonomy": "Signal", "score": "any",
            "fidelity": {"sufficient": 0},
            "markers": [{"label": "mail", "strong": "<email>", "mask": "stars", "by": "customer"},
                {"label": "name", "strong": "my name is (anna|bo)", "mask": "label"}]}"#;
        Instrument::from(Sensor::new(Protocol::read(source).expect("reads").0).expect("is sound"))
    }

    #[test]
    fn a_name_with_something_masked_is_not_allowed() {
        let mut names = Names::of(&masking());
        for plain in ["calls.jsonl", "agent", "2026-11-24", "", "a/b c.txt"] {
            assert!(names.allows(plain), "{plain}");
        }
        for private in [
            "ann@example.org",
            "calls of ann@example.org.txt",
            "x/my name is anna",
            "my_name_is_bo.txt",
            "ann@example.org-2",
            "call-ann@example.org_17",
            "ann@example.org-2026-11-24",
            "a/ann@example.org-3/b.json",
        ] {
            assert!(!names.allows(private), "{private}");
        }
    }

    #[test]
    fn what_a_reading_hides_is_hidden_in_its_names() {
        let instrument = masking();
        let turn =
            Turn { role: Some("customer".into()), content: "My name is Anna.".into(), timestamp: None };
        let reading =
            instrument.sense(&Interaction::transcript(vec![turn]).expect("is short")).expect("senses");
        let hidden = Hidden::of(&reading);
        assert!(hidden.is_in("talk-ANNA.txt") && hidden.is_in("my_name_is_anna"));
        assert!(!hidden.is_in("annals") && !hidden.is_in("call 7"));
    }
}
