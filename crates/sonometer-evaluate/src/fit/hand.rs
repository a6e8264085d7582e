//! A protocol that somebody wrote, beside words: its lines, lists and conditions are candidates, and the fitted marker ends in its file.
//!
//! A line that gets a weight stands in the file as its author wrote it, with `@lists` and comments. What a line is worth is counted under the
//! conditions of the marker that is fitted, because in a protocol conditions (`by`, `where`, `negation`, `after`, …) belong to markers and
//! not to lines: a line of another marker counts without those of its own.

use super::edit::Editor;
use super::measure::{line_triggers, marker_triggers};
use super::protocol_file::ProtocolFile;
use super::scale::{HALF, TRIGGER, Weighted};
use super::write::{Frame, SelfTest};
use crate::error::{Error, Place};
use sonometer::protocol::{Marker, NegationMode};
use sonometer::text::fold::fold_to_lower;
use sonometer::{Protocol, Unit};
use std::collections::{BTreeMap, BTreeSet};

/// The protocol, and where in it the list ends.
#[derive(Clone, Debug)]
pub(crate) struct Hand {
    file: ProtocolFile,
    protocol: Protocol,
    /// The fitted marker, where the protocol has one of its label; else a new one is put before the others.
    own: Option<usize>,
    /// Of a new marker what it is; of one that is there its label, and how repeated matches count.
    frame: Frame,
    /// All further lines, with what to call the place that they are of.
    others: Vec<(String, String)>,
}

/// Lines of a weighted list that stand together, below a comment.
pub(crate) type Group = (String, Vec<(String, Unit)>);

impl Hand {
    /// Reads the protocol `file`; the list becomes that of the marker of the frame's label. `named`: another id and version.
    pub(crate) fn read(
        file: &ProtocolFile,
        frame: Frame,
        named: &[(&'static str, String)],
    ) -> Result<Self, Error> {
        file.read()?;
        // What was published stays what it was: with another list it is a draft.
        let mut above = vec![("status", "draft".to_owned())];
        above.extend(named.iter().cloned());
        let text = Editor::set_above(file, &above)?.into();
        let file = &ProtocolFile { text, ..file.clone() };
        let (protocol, _) = file.read()?;
        let own = protocol.markers.iter().position(|marker| marker.label == frame.label);
        if let Some(own) = own {
            let marker = &protocol.markers[own];
            expect_weighable(file, marker)?;
            if frame.by.is_some() {
                let message =
                    format!("`by` of the marker `{}` is chosen in this file; remove --by", marker.label);
                return Err(Error::at(Place::of(&file.name), message));
            }
        }
        let others = others(&protocol, own);
        Ok(Self { file: file.clone(), protocol, own, frame, others })
    }

    pub(crate) fn protocol(&self) -> &Protocol {
        &self.protocol
    }

    /// The marker that is fitted, where the protocol has it.
    pub(crate) fn own(&self) -> Option<&Marker> {
        self.own.map(|own| &self.protocol.markers[own])
    }

    /// The lines that a person wrote, those of the fitted marker first, each once.
    pub(crate) fn patterns(&self) -> Vec<String> {
        let own = self.own().into_iter().flat_map(|marker| &marker.lines).map(|line| line.text.to_string());
        let mut seen = BTreeSet::new();
        let all = own.chain(self.others.iter().map(|(_, pattern)| pattern.clone()));
        all.filter(|pattern| seen.insert(fold_to_lower(pattern))).collect()
    }

    /// How many lines of a list a person wrote.
    pub(crate) fn count(&self, weighted: &Weighted) -> usize {
        let known: BTreeSet<String> = self.patterns().into_iter().collect();
        weighted.lines.iter().filter(|(pattern, _)| known.contains(pattern)).count()
    }

    /// The author's file with the list in it, and `notes` at its head.
    pub(crate) fn render(
        &self,
        weighted: &Weighted,
        tests: &SelfTest,
        notes: &[String],
    ) -> Result<String, Error> {
        let text = match self.own() {
            Some(marker) => {
                let groups = self.groups(weighted);
                let mut known: BTreeMap<&str, Unit> =
                    weighted.lines.iter().map(|(pattern, weight)| (pattern.as_str(), *weight)).collect();
                // A line that stands twice has its weight once.
                let weights = marker.lines.iter().map(|line| known.remove(&*line.text).unwrap_or(Unit::ZERO));
                let weights: Vec<Unit> = weights.collect();
                let mut editor = Editor::open(&self.file, &marker.label)?;
                editor.weigh(marker, &weights, &groups)?;
                editor.set("repeat", self.frame.repeat.as_str());
                editor.set("bias", &weighted.bias.to_string());
                editor.set("half", &HALF.to_string());
                editor.set("trigger", &TRIGGER.to_string());
                editor.finish()
            }
            None => Editor::insert_marker(&self.file, &self.block(weighted, tests))?,
        };
        Ok(notes.iter().map(|note| format!("# {note}\n")).collect::<String>() + &text)
    }

    /// The protocol with the list, without the markers that it does not need.
    pub(crate) fn with(&self, weighted: &Weighted) -> Result<Protocol, Error> {
        let name = format!("{} (as it would be written)", self.file.name);
        let text = self.render(weighted, &SelfTest::default(), &[])?.into();
        let (protocol, _) = ProtocolFile { name, text, ..self.file.clone() }.read()?;
        let marker = protocol.markers.iter().position(|marker| marker.label == self.frame.label);
        Ok(alone(&protocol, marker.unwrap_or_default()).0)
    }

    pub(crate) fn name(&self) -> &str {
        &self.file.name
    }

    /// The author's file with new markers, given as list items without indent.
    pub(crate) fn with_block(&self, block: &str, notes: &[String]) -> Result<String, Error> {
        let text = Editor::insert_marker(&self.file, block)?;
        Ok(notes.iter().map(|note| format!("# {note}\n")).collect::<String>() + &text)
    }

    /// The new markers of such a file.
    pub(crate) fn read_new(&self, text: String) -> Result<Protocol, Error> {
        let name = format!("{} (as it would be written)", self.file.name);
        let (mut protocol, _) = ProtocolFile { name, text: text.into(), ..self.file.clone() }.read()?;
        protocol.markers.retain(|marker| self.protocol.markers.iter().all(|own| own.label != marker.label));
        Ok(protocol)
    }

    /// A self test for a new marker, of plain words of the list; the author of one that is there wrote its own.
    pub(crate) fn self_test(&self, protocol: &Protocol, weighted: &Weighted) -> Result<SelfTest, Error> {
        if self.own.is_some() {
            return Ok(SelfTest::default());
        }
        let is_plain =
            |pattern: &str| pattern.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '\''));
        let plain = weighted.lines.iter().filter(|(pattern, _)| is_plain(pattern)).cloned().collect();
        self.frame.self_test(protocol, &Weighted { lines: plain, bias: weighted.bias })
    }

    /// How many of the author's self tests of the marker passed before and fail now.
    pub(crate) fn broken(&self, fitted: &Protocol) -> Result<usize, Error> {
        let Some(own) = self.own else { return Ok(0) };
        let before = passed_tests(alone(&self.protocol, own).0, &self.frame.label)?;
        Ok(before.saturating_sub(passed_tests(fitted.clone(), &self.frame.label)?))
    }

    /// Lines that are not of the fitted marker, by where they come from; words last.
    fn groups(&self, weighted: &Weighted) -> Vec<Group> {
        let mut rest: BTreeMap<&str, (usize, Unit)> = BTreeMap::new();
        for (at, (pattern, weight)) in weighted.lines.iter().enumerate() {
            rest.insert(pattern, (at, *weight));
        }
        for line in self.own().into_iter().flat_map(|marker| &marker.lines) {
            rest.remove(&*line.text);
        }
        let mut groups: Vec<Group> = Vec::new();
        for (place, pattern) in &self.others {
            let Some((_, weight)) = rest.remove(pattern.as_str()) else { continue };
            match groups.iter_mut().find(|(own, _)| own == place) {
                Some((_, lines)) => lines.push((pattern.clone(), weight)),
                None => groups.push((place.clone(), vec![(pattern.clone(), weight)])),
            }
        }
        let mut words: Vec<(usize, (String, Unit))> =
            rest.into_iter().map(|(pattern, (at, weight))| (at, (pattern.to_owned(), weight))).collect();
        words.sort_by_key(|(at, _)| *at);
        if !words.is_empty() {
            let words = words.into_iter().map(|(_, line)| line).collect();
            groups.push(("chosen by data".to_owned(), words));
        }
        groups
    }

    /// A new marker, indented as a list item without indent.
    pub(crate) fn block(&self, weighted: &Weighted, tests: &SelfTest) -> String {
        let groups = self.groups(weighted);
        let lines = groups.iter().flat_map(|(_, lines)| lines).cloned().collect();
        let text = self.frame.render(&Weighted { lines, bias: weighted.bias }, tests, &[]);
        let marker = text.split_once("markers:\n").map_or("", |(_, marker)| marker);
        let mut comments: BTreeMap<usize, &str> = BTreeMap::new();
        let mut at = 0;
        for (place, lines) in &groups {
            comments.insert(at, place);
            at += lines.len();
        }
        let (mut block, mut number) = (String::new(), None);
        for line in marker.lines() {
            if let Some(place) = number.and_then(|number| comments.get(&number)) {
                block.push_str(&format!("    # {place}\n"));
            }
            block.push_str(line.strip_prefix("  ").unwrap_or(line));
            block.push('\n');
            number = match number {
                None => line.ends_with("weigh: |").then_some(0),
                Some(number) => Some(number + 1),
            };
        }
        block
    }
}

/// Every line that is not of the marker `own`, with its place: of markers, of their conditions, and each list.
fn others(protocol: &Protocol, own: Option<usize>) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    if let Some(own) = own {
        let marker = &protocol.markers[own];
        // Its exceptions take away whatever they match: as lines of it they would never count.
        seen.extend(marker.lines.iter().chain(&marker.except).map(|line| fold_to_lower(&line.text)));
    }
    let mut add = |place: &str, pattern: &str| {
        if seen.insert(fold_to_lower(pattern)) {
            found.push((place.to_owned(), pattern.to_owned()));
        }
    };
    for marker in &protocol.markers {
        let place = format!("of `{}`", marker.label);
        marker.all_lines().for_each(|line| add(&place, &line.text));
    }
    let lists = protocol.lists.iter().map(|(name, _)| name);
    let files = protocol.list_files.iter().map(|file| &file.name);
    lists.chain(files).for_each(|name| add("lists", &format!("@{name}")));
    found
}

/// Fails where a marker has keys that a weighted list cannot have.
pub(crate) fn expect_weighable(file: &ProtocolFile, marker: &Marker) -> Result<(), Error> {
    let keys = [
        ("per", marker.per.is_some()),
        ("share", marker.share.is_some()),
        ("echo", marker.echo.is_some()),
        ("pair", marker.pair.is_some()),
        ("absent", marker.absence.is_some()),
        ("ratio", marker.ratio.is_some()),
    ];
    let Some((key, _)) = keys.into_iter().find(|(_, given)| *given) else { return Ok(()) };
    let message = format!(
        "weights cannot be fitted to `{}`, which has `{key}`; remove that key, or choose another --marker",
        marker.label
    );
    Err(Error::at(Place::of(&file.name), message))
}

/// A protocol with one marker, and with the others only if its conditions name some or they flip to it; and its number there.
pub(crate) fn alone(protocol: &Protocol, marker: usize) -> (Protocol, usize) {
    let own = &protocol.markers[marker];
    let flips = |other: &Marker| other.negation == NegationMode::Flip(own.label.clone());
    let own_flips = matches!(own.negation, NegationMode::Flip(_));
    let is_tied = own_flips || own.named_markers().next().is_some() || protocol.markers.iter().any(flips);
    match is_tied {
        true => (protocol.clone(), marker),
        false => (Protocol { markers: vec![own.clone()], ..protocol.clone() }, 0),
    }
}

/// How many self tests of a marker pass.
pub(crate) fn passed_tests(protocol: Protocol, label: &str) -> Result<usize, Error> {
    let sensor = super::matrix::sensor(protocol)?;
    let marker = sensor.protocol().markers.iter().find(|marker| marker.label == label);
    let Some(marker) = marker else { return Ok(0) };
    let mut passed = 0;
    for (lines, wanted) in [(&marker.hit, true), (&marker.miss, false)] {
        for line in lines {
            passed +=
                usize::from(marker_triggers(&sensor, label, line.role.as_deref(), &line.text)? == wanted);
        }
    }
    Ok(passed)
}

/// Which of `roles` the engine hears where a marker says `by`, folded: other names of a role are heard, too.
pub(crate) fn heard(
    protocol: Option<&Protocol>,
    by: &[String],
    roles: BTreeSet<&str>,
) -> Result<BTreeSet<String>, Error> {
    let by_all = by.iter().map(|role| serde_json::Value::from(role.as_str()).to_string()).collect::<Vec<_>>();
    let text = format!(
        "sonometer: 1\nid: probe\nversion: \"1\"\ntaxonomy: Signal\nmarkers:\n  - label: probe\n    by: [{}]\n    \
         strong: probe\n",
        by_all.join(", ")
    );
    let (mut probe, _) =
        ProtocolFile { name: "--by".into(), text: text.into(), list_files: Vec::new() }.read()?;
    if let Some(protocol) = protocol {
        probe.actants = protocol.actants.clone();
    }
    let sensor = super::matrix::sensor(probe)?;
    let mut heard = BTreeSet::new();
    for role in roles {
        if line_triggers(&sensor, Some(role), "probe")? {
            heard.insert(fold_to_lower(role).trim().to_owned());
        }
    }
    if heard.is_empty() {
        heard.extend(by.iter().map(|role| fold_to_lower(role).trim().to_owned()));
    }
    Ok(heard)
}
