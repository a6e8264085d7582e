//! `cargo xtask cards`: the accuracy cards of the shipped protocols. A card is a page; what stands between its two marks is
//! measured, with `sonometer evaluate` and `sonometer sense`, and written anew; the rest is written by people. From what the cards say then comes
//! the table of aims on the page of the catalogue.

mod abuse;
mod aims;
mod choice;
mod halves;
mod kinds;
mod lengths;
mod measure;
mod messages;
mod ordinary;
mod plan;
mod private_data;
mod service_talks;
mod talks;

use self::measure::Measurer;
use self::plan::{CARDS, Card};
use crate::lanes;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where the labelled data is expected, seen from the root of the repository.
const DATA: &str = "../shared/data";
const CARDS_FOLDER: &str = "crates/sonometer-catalog/docs/cards";
const CATALOGUE: &str = "docs/measured/catalogue.md";
const BEGIN: &str = "<!-- measured by `cargo xtask cards` -->\n";
const END: &str = "<!-- end of what is measured -->\n";

/// Writes the measured part of every card anew, or (`check`) compares it. `wished` is the folder of
/// the labelled data, where it is not the usual one.
pub(crate) fn run(check: bool, wished: Option<&str>) -> Result<(), String> {
    let root = crate::test::root();
    let data = wished.map_or_else(|| root.join(DATA), PathBuf::from);
    if !data.is_dir() {
        let place = wished.unwrap_or(DATA);
        println!("cards: left out, there is no labelled data at {place}");
        return Ok(());
    }
    let command = crate::test::whole_command()?;
    let measured = lanes::side_by_side(lanes::of_cores(), CARDS, |card| {
        measured(card, &Measurer::new(&command, &data, card.id)?)
    })?;
    let mut stale = Vec::new();
    let mut pages = BTreeMap::new();
    for (card, measured) in CARDS.iter().zip(measured) {
        let path = root.join(CARDS_FOLDER).join(card.id).with_extension("md");
        let (fresh, is_stale) = renew(&path, &measured?, check)?;
        report(card.id, is_stale, check, &mut stale);
        pages.insert(card.id, fresh);
    }
    let (_, is_stale) = renew(&root.join(CATALOGUE), &aims::table(&pages)?, check)?;
    report(CATALOGUE, is_stale, check, &mut stale);
    match &stale[..] {
        [] => Ok(()),
        stale => {
            Err(format!("{} do not say what is measured; `cargo xtask cards` writes them", stale.join(", ")))
        }
    }
}

/// Puts the measured part into a page, unless it is only checked. The page as it has to be, and whether it was another one.
fn renew(path: &Path, measured: &str, check: bool) -> Result<(String, bool), String> {
    let page = read(path)?;
    let fresh = with_measured_part(&page, measured)
        .ok_or_else(|| format!("{}: the two marks of the measured part are missing", path.display()))?;
    let is_stale = page != fresh;
    if is_stale && !check {
        std::fs::write(path, &fresh).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok((fresh, is_stale))
}

fn report(name: &'static str, is_stale: bool, check: bool, stale: &mut Vec<&str>) {
    match (is_stale, check) {
        (false, _) => println!("{name}: as measured"),
        (true, true) => stale.push(name),
        (true, false) => println!("{name}: written"),
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// The page with another measured part.
fn with_measured_part(page: &str, measured: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}{measured}{END}{after}"))
}

fn measured(card: &Card, measurer: &Measurer) -> Result<String, String> {
    let mut page = if let Some(talks) = service_talks::tables(measurer, card.id)? {
        talks
    } else if card.questions.is_empty() && card.parts.is_empty() {
        "
There are no labelled talks for it, so there are no figures of accuracy.
"
        .to_owned()
    } else {
        format!("\n{}\nFigures in brackets are 95 % intervals.\n", card.split.introduction())
    };
    for question in card.questions {
        page.push('\n');
        page.push_str(&measurer.question(card, question)?);
    }
    if !card.parts.is_empty() {
        page.push('\n');
        page.push_str(&measurer.parts(card)?);
    }
    if let Some(choice) = &card.choice {
        page.push('\n');
        page.push_str(&choice::table(measurer, card, choice)?);
    }
    if let Some(lengths) = &card.lengths {
        page.push('\n');
        page.push_str(&lengths::table(measurer, card, lengths)?);
    }
    if let Some(messages) = messages::tables(measurer, card.id)? {
        page.push_str(&messages);
    }
    for kinds in card.kinds {
        page.push('\n');
        page.push_str(&kinds::table(measurer, card.id, kinds)?);
    }
    page.push('\n');
    page.push_str(&match card.ordinary {
        _ if card.id == private_data::ID => private_data::sections(measurer)?,
        [] => measurer.elsewhere(card)?,
        ordinary => ordinary::table(measurer, card.id, ordinary)?,
    });
    if !card.talks.is_empty() {
        page.push('\n');
        page.push_str(&talks::tables(measurer, card.talks)?);
    }
    page.push('\n');
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_measured_part_changes() {
        let page = format!("# A\n\n{BEGIN}old\n{END}\nBy hand.\n");
        let fresh = with_measured_part(&page, "new\n").expect("has marks");
        assert_eq!(fresh, format!("# A\n\n{BEGIN}new\n{END}\nBy hand.\n"));
        assert_eq!(with_measured_part(&fresh, "new\n"), Some(fresh.clone()));
        assert_eq!(with_measured_part("# A\n", "new\n"), None);
    }

    #[test]
    fn every_published_protocol_has_a_card_with_marks() {
        let root = crate::test::root();
        // A draft can still change, so it has no figures yet.
        let is_published = |path: &std::path::PathBuf| {
            std::fs::read_to_string(path)
                .expect("can be read")
                .lines()
                .any(|line| line == "status: published")
        };
        let files = crate::test::files(&root.join("crates/sonometer-catalog/protocols"), "yaml");
        let files = files.expect("is there").into_iter().filter(is_published);
        let mut published: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for file in files {
            let name = file.file_stem().and_then(|name| name.to_str()).expect("is text").to_owned();
            let (id, version) = name.split_once('@').expect("is named id@version");
            published.entry(id.to_owned()).or_default().push(version.to_owned());
        }
        assert!(CARDS.iter().map(|card| card.id).eq(published.keys()), "{published:?}");
        for (id, versions) in published {
            let page = read(&root.join(CARDS_FOLDER).join(&id).with_extension("md")).expect("has a card");
            assert!(with_measured_part(&page, "").is_some(), "{id}");
            // Figures hold for the newest version, and for others that find the same; the introduction names the rest.
            let (head, _) = page.split_once(BEGIN).expect("has marks");
            let title = page.lines().next().unwrap_or_default();
            let newest = versions.last().expect("there is one");
            assert!(title.starts_with(&format!("# Accuracy card: {id} ")), "{id}: {title}");
            assert!(title.ends_with(newest.as_str()), "the title of the card of {id} must end with {newest}");
            for version in &versions {
                assert!(
                    head.contains(version.as_str()),
                    "the card of {id} must say what holds for {version}"
                );
            }
        }
    }
}
