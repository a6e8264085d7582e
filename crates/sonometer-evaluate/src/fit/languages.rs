//! Texts of several languages: a list for each, since a protocol has one language.

use super::{
    ChoiceReport, FEWEST_EXAMPLES, FitReport, PairReport, Settings, fit, fit_choice, fit_pairs, tongue,
};
use crate::error::{Error, Place};
use crate::labels::{Background, Item, Labelled, Path, Selector};
use crate::watch::Watch;
use serde_json::value::RawValue;
use sonometer::{Unit, language};
use sonometer_report::{Paint, Sheet, counted, json};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A language of at least this share of the items in which one was recognised is that of all: in hundredths.
const NEARLY_ALL: usize = 90;

/// Why nothing is fitted to fewer than [`FEWEST_EXAMPLES`].
pub(crate) const TOO_FEW: &str = "fewer than 10 items";

/// What is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A list: [`fit`].
    List,
    /// A marker for each value of a label: [`fit_choice`].
    Choice,
    /// A list that ranks: [`fit_pairs`].
    Pairs,
}

/// What fitting came to, in any of its ways.
#[derive(Clone, Debug)]
pub enum Fitted {
    /// Of [`fit`].
    List(Box<FitReport>),
    /// Of [`fit_choice`].
    Choice(Box<ChoiceReport>),
    /// Of [`fit_pairs`].
    Pairs(Box<PairReport>),
}

/// What fitting came to where languages were recognised in the texts.
#[derive(Clone, Debug)]
pub struct LanguagesReport {
    /// The name of the data, without folders.
    pub(crate) name: String,
    /// The label, as asked for.
    pub(crate) label: String,
    /// Every language that was recognised, the one of most items first.
    pub(crate) languages: Vec<LanguageReport>,
    /// Labelled items, and those of them in which no language was recognised.
    pub(crate) items: usize,
    pub(crate) unrecognised: usize,
    /// Whether the first language is that of nearly all items, so that all were fitted together.
    pub(crate) is_one: bool,
}

/// One language of the texts.
#[derive(Clone, Debug)]
pub struct LanguageReport {
    pub(crate) code: &'static str,
    pub(crate) items: usize,
    /// What fitting came to, or why nothing was fitted. `None`: too few items beside the language of nearly all.
    pub(crate) fitted: Option<Result<Fitted, String>>,
    /// Whether ordinary interactions were given, and none is in this language.
    pub(crate) lacks_background: bool,
}

#[derive(serde::Serialize)]
struct Summary<'r> {
    data: &'r str,
    label: &'r str,
    items: usize,
    unrecognised: usize,
    /// The language of nearly all items.
    language: Option<&'r str>,
    languages: Vec<Part<'r>>,
}

#[derive(serde::Serialize)]
struct Part<'r> {
    language: &'r str,
    items: usize,
    fit: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
}

/// Recognises the language of each labelled item, and fits to them. If nearly all items (nine tenths of those with a language) are in one, all are
/// fitted together, and the protocol has that language. Otherwise each language gets a protocol of its own, with its code at the end of
/// the id, fitted to the items in it; items without a language are left out, and so are ordinary interactions in other languages.
///
/// # Errors
/// As [`fit`], [`fit_choice`] and [`fit_pairs`] if nothing can be fitted in any language; if no language was recognised.
pub fn fit_languages(
    labelled: &Labelled,
    selector: &Selector,
    settings: &Settings,
    way: Way,
    watch: Watch<'_>,
) -> Result<LanguagesReport, Error> {
    settings.expect_no_protocol()?;
    let items = labelled.select(selector)?;
    let label = labelled.label(selector, &items)?;
    let items = labelled.with_label(selector, &label, items, way == Way::List && !settings.turns)?;
    let recognised: Vec<Option<&'static str>> = items
        .iter()
        .map(|item| tongue::of_texts([&item.interaction].into_iter().chain(&item.other)))
        .collect();
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    recognised.iter().flatten().for_each(|code| *counts.entry(code).or_default() += 1);
    let mut counts: Vec<(&'static str, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let all: usize = counts.iter().map(|(_, items)| items).sum();
    let Some((_, most)) = counts.first() else {
        let message = "no language was recognised in any item; name it with --language, or remove --language";
        return Err(Error::at(Place::of(&labelled.name), message));
    };
    let is_one = 100 * most >= NEARLY_ALL * all;
    let mut languages = Vec::new();
    let mut failed: Vec<Error> = Vec::new();
    for (at, (code, items_of)) in counts.iter().copied().enumerate() {
        let mut lacks_background = false;
        let fitted = match (is_one, at) {
            (true, 0) => {
                let known = language::find(code).map(|language| language.code.to_owned());
                Some(way.fit(
                    labelled,
                    selector,
                    &Settings { language: known, ..settings.clone() },
                    &mut *watch,
                ))
            }
            (true, _) => None,
            (false, _) if items_of < FEWEST_EXAMPLES => {
                Some(Err(Error::at(Place::of(&labelled.name), TOO_FEW)))
            }
            (false, _) => {
                let own = items.iter().zip(&recognised).filter(|(_, own)| **own == Some(code));
                let own = labelled.with_items(own.map(|(item, _)| item.clone()).collect());
                let settings = settings.of_language(code, &label.to_string());
                lacks_background = settings.0;
                Some(way.fit(&own, selector, &settings.1, &mut *watch))
            }
        };
        let fitted = match fitted {
            None => None,
            Some(Ok(fitted)) => Some(Ok(fitted)),
            Some(Err(Error::Stopped)) => return Err(Error::Stopped),
            Some(Err(Error::Failed(failure))) => {
                let reason = failure.message.clone();
                failed.push(Error::Failed(failure));
                Some(Err(reason))
            }
        };
        languages.push(LanguageReport { code, items: items_of, fitted, lacks_background });
    }
    let report = LanguagesReport {
        name: super::data::file_name(&labelled.name).to_owned(),
        label: super::data::told(selector, &label, settings.turns),
        items: items.len(),
        unrecognised: items.len() - all,
        is_one,
        languages,
    };
    let is_fitted = report.fitted().next().is_some();
    if is_fitted { Ok(report) } else { Err(report.nothing(labelled, failed)) }
}

impl Way {
    /// A list, or one that ranks if the items are pairs.
    pub fn of(labelled: &Labelled) -> Self {
        if labelled.holds_pairs() { Self::Pairs } else { Self::List }
    }

    /// Fits in this way.
    ///
    /// # Errors
    /// As [`fit`], [`fit_choice`] and [`fit_pairs`].
    pub fn fit(
        self,
        labelled: &Labelled,
        selector: &Selector,
        settings: &Settings,
        watch: Watch<'_>,
    ) -> Result<Fitted, Error> {
        Ok(match self {
            Self::List => Fitted::List(Box::new(fit(labelled, selector, settings, watch)?)),
            Self::Choice => Fitted::Choice(Box::new(fit_choice(labelled, selector, settings, watch)?)),
            Self::Pairs => Fitted::Pairs(Box::new(fit_pairs(labelled, selector, settings, watch)?)),
        })
    }
}

impl Labelled {
    /// Those of some items that have the label; `in_a_class`: in one of its two classes.
    fn with_label(
        &self,
        selector: &Selector,
        label: &Path,
        items: Vec<Item>,
        in_a_class: bool,
    ) -> Result<Vec<Item>, Error> {
        let is_labelled: Vec<bool> = match in_a_class {
            true => self.truths(selector, label, &items)?.iter().map(Option::is_some).collect(),
            false => {
                items.iter().map(|item| label.find(&item.labels).is_some_and(|own| !own.is_null())).collect()
            }
        };
        Ok(items
            .into_iter()
            .zip(is_labelled)
            .filter_map(|(item, is_labelled)| is_labelled.then_some(item))
            .collect())
    }
}

impl Background {
    /// The talks in a language.
    fn in_language(&self, code: &'static str) -> Option<Self> {
        let talks = self.talks.iter().filter(|talk| tongue::of_texts([*talk]) == Some(code));
        let own = Self {
            name: format!("{} (talks in {code})", self.name),
            talks: talks.cloned().collect(),
            ..self.clone()
        };
        (!own.talks.is_empty()).then_some(own)
    }
}

impl Settings {
    /// Fails where the language is that of a protocol.
    fn expect_no_protocol(&self) -> Result<(), Error> {
        self.protocol.as_ref().map_or(Ok(()), |file| Err(Self::of_protocol("--language", file)))
    }

    /// Those of one of several languages, and whether the background has nothing in it.
    fn of_language(&self, code: &'static str, label: &str) -> (bool, Self) {
        let background = self.background.as_ref().and_then(|all| all.in_language(code));
        let lacks_background = self.background.is_some() && background.is_none();
        let id = self.id.clone().unwrap_or_else(|| match self.marker.as_str() {
            "" => super::settings::identifier(label),
            marker => marker.to_owned(),
        });
        let own = Self {
            id: Some(format!("{id}-{code}")),
            language: language::find(code).map(|language| language.code.to_owned()),
            texts_in: Some(code.to_owned()),
            alarms: self.alarms.filter(|_| background.is_some()),
            background,
            ..self.clone()
        };
        (lacks_background, own)
    }
}

impl Fitted {
    /// The text of the protocol.
    pub fn protocol(&self) -> &str {
        match self {
            Self::List(report) => report.protocol(),
            Self::Choice(report) => report.protocol(),
            Self::Pairs(report) => report.protocol(),
        }
    }

    /// As [`FitReport::features`].
    pub fn features(&self) -> Option<&str> {
        match self {
            Self::List(report) => report.features(),
            Self::Choice(_) | Self::Pairs(_) => None,
        }
    }

    /// What text and page show; `out`: the file that the protocol is written to.
    pub fn sheet(&self, out: Option<&str>) -> Sheet<'_> {
        match self {
            Self::List(report) => report.sheet(out),
            Self::Choice(report) => report.sheet(out),
            Self::Pairs(report) => report.sheet(out),
        }
    }

    /// One line of JSON, without its line break; `out`: the file that the protocol is written to.
    pub fn to_json(&self, out: Option<&str>) -> String {
        match self {
            Self::List(report) => report.to_json(out),
            Self::Choice(report) => report.to_json(out),
            Self::Pairs(report) => report.to_json(out),
        }
    }

    /// Tables for people; `out`: the file that the protocol is written to.
    pub fn to_text(&self, paint: &Paint, out: Option<&str>) -> String {
        self.sheet(out).to_text(paint)
    }

    /// A page that needs no network.
    pub fn to_html(&self, out: Option<&str>) -> String {
        self.sheet(out).to_html()
    }

    /// The figure that says most, on items that were not seen: its name and value.
    pub(crate) fn figure(&self) -> (&'static str, Unit) {
        match self {
            Self::List(report) => {
                let [.., macro_f1, _] = report.held_out.all();
                ("macro-F1", macro_f1.1)
            }
            Self::Choice(report) => ("macro-F1", report.held_out.all()[0].1),
            Self::Pairs(report) => ("accuracy", report.held_out.all()[0].1),
        }
    }
}

impl LanguageReport {
    /// The code, such as `de`.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// How many items are in this language.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Why nothing was fitted.
    pub fn reason(&self) -> Option<&str> {
        self.fitted.as_ref()?.as_ref().err().map(String::as_str)
    }

    /// What fitting came to, where something was fitted.
    pub fn fitted(&self) -> Option<&Fitted> {
        self.fitted.as_ref().and_then(|fitted| fitted.as_ref().ok())
    }
}

impl LanguagesReport {
    /// Every language that was recognised, the one of most items first.
    pub fn languages(&self) -> &[LanguageReport] {
        &self.languages
    }

    /// In how many items no language was recognised.
    pub fn unrecognised(&self) -> usize {
        self.unrecognised
    }

    /// The language of nearly all items, if there is one: all were fitted together.
    pub fn only(&self) -> Option<&LanguageReport> {
        self.languages.first().filter(|_| self.is_one)
    }

    /// The languages in which something was fitted, with what it came to.
    pub fn fitted(&self) -> impl Iterator<Item = (&'static str, &Fitted)> {
        self.languages.iter().filter_map(|own| Some((own.code, own.fitted()?)))
    }

    /// The name of an output in a language: `dark.yaml` becomes `dark.de.yaml`, unless one language is that of nearly all items.
    pub fn named<'o>(&self, out: &'o str, code: &str) -> Cow<'o, str> {
        if self.is_one {
            return Cow::Borrowed(out);
        }
        let folders = out.rfind(['/', '\\']).map_or(0, |at| at + 1);
        match out[folders..].rfind('.').filter(|at| *at > 0) {
            Some(dot) => format!("{}.{code}{}", &out[..folders + dot], &out[folders + dot..]).into(),
            None => format!("{out}.{code}").into(),
        }
    }

    /// One line of JSON, without its line break; `out`: the file that was asked for.
    pub fn to_json(&self, out: Option<&str>) -> String {
        let languages = self.languages.iter().map(|own| {
            let fit = own.fitted().map(|fitted| {
                let out = out.map(|out| self.named(out, own.code));
                RawValue::from_string(fitted.to_json(out.as_deref())).unwrap_or_default()
            });
            Part { language: own.code, items: own.items, fit, reason: own.reason() }
        });
        json::text(&Summary {
            data: &self.name,
            label: &self.label,
            items: self.items,
            unrecognised: self.unrecognised,
            language: self.only().map(|own| own.code),
            languages: languages.collect(),
        })
    }

    /// Tables for people; `out`: the file that was asked for.
    pub fn to_text(&self, paint: &Paint, out: Option<&str>) -> String {
        self.sheets(out).iter().map(|sheet| sheet.to_text(paint)).collect::<Vec<_>>().join("\n")
    }

    /// A page that needs no network.
    pub fn to_html(&self, out: Option<&str>) -> String {
        sonometer_report::page(&self.sheets(out))
    }

    /// What is said where nothing was fitted.
    fn nothing(&self, labelled: &Labelled, mut failed: Vec<Error>) -> Error {
        let mut messages = failed.iter().filter_map(|error| match error {
            Error::Failed(failure) => Some(&failure.message),
            Error::Stopped => None,
        });
        let first = messages.next();
        if !failed.is_empty() && messages.all(|message| Some(message) == first) {
            return failed.swap_remove(0);
        }
        let each: Vec<String> = self
            .languages
            .iter()
            .map(|own| {
                let items = counted(own.items, "item");
                format!("{} ({items}): {}", own.code, own.reason().unwrap_or_default())
            })
            .collect();
        let message = format!(
            "no language has items that a list can be fitted to: {}; or remove --language",
            each.join("; ")
        );
        Error::at(Place::of(&labelled.name), message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_have_the_language_before_their_ending() {
        let mut report = LanguagesReport {
            name: "data.jsonl".into(),
            label: "kind".into(),
            languages: Vec::new(),
            items: 0,
            unrecognised: 0,
            is_one: false,
        };
        for (out, named) in [
            ("dark.yaml", "dark.de.yaml"),
            ("a.b/dark", "a.b/dark.de"),
            ("a.b/dark.v2.yaml", "a.b/dark.v2.de.yaml"),
            (".yaml", ".yaml.de"),
        ] {
            assert_eq!(report.named(out, "de"), named);
        }
        report.is_one = true;
        assert_eq!(report.named("dark.yaml", "de"), "dark.yaml");
    }
}
