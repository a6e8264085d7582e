//! What fitting in several languages came to, for people.

use super::common::{cells, fitted_sheet, share};
use crate::fit::languages::{LanguageReport, LanguagesReport, TOO_FEW};
use sonometer::language;
use sonometer_report::{Part, Row, Sheet, Table, columns, counted};

impl LanguagesReport {
    /// What text and page show; `out`: the file that was asked for. With several languages the first sheet is of all together.
    pub fn sheets(&self, out: Option<&str>) -> Vec<Sheet<'_>> {
        let each = self.fitted().map(|(code, fitted)| {
            let out = out.map(|out| self.named(out, code));
            fitted.sheet(out.as_deref())
        });
        let mut each: Vec<Sheet<'_>> = each.collect();
        let Some(only) = self.only() else {
            each.insert(0, self.sheet(out));
            return each;
        };
        if let Some(sheet) = each.first_mut() {
            sheet.facts.insert(0, ("language", self.told(only)));
            sheet.notes.extend(only.note_without_tables());
        }
        each
    }

    /// The language of nearly all items, and what else there is: `en, recognised in 152 of 160 items, de in 1, none in 7; all are used`.
    fn told(&self, only: &LanguageReport) -> String {
        let told = format!("{}, recognised in {} of {}", only.code, only.items, counted(self.items, "item"));
        let others = self.languages.iter().skip(1).map(|own| format!("{} in {}", own.code, own.items));
        let rest = (self.unrecognised > 0).then(|| format!("none in {}", self.unrecognised));
        let rest: Vec<String> = others.chain(rest).collect();
        if rest.is_empty() { told } else { format!("{told}, {}; all are used", rest.join(", ")) }
    }

    /// All languages together.
    fn sheet(&self, out: Option<&str>) -> Sheet<'_> {
        let figure = self.fitted().next().map_or("macro-F1", |(_, fitted)| fitted.figure().0);
        let row = |own: &LanguageReport| {
            let fitted = own.fitted();
            let value = share(fitted.map(|fitted| fitted.figure().1));
            let file = match (fitted, out) {
                (None, _) => "not fitted".to_owned(),
                (Some(_), None) => String::new(),
                (Some(_), Some(out)) => self.named(out, own.code).into_owned(),
            };
            Row::of(cells([own.code.to_owned(), own.items.to_string(), value, file]))
        };
        let mut notes = Vec::new();
        for own in &self.languages {
            if let Some(reason) = own.reason().filter(|reason| *reason != TOO_FEW) {
                notes.push(format!("{} is not fitted: {reason}", own.code));
            }
            notes.extend(own.note_without_tables());
            if own.lacks_background && own.fitted().is_some() {
                notes.push(format!(
                    "{}: no interaction of the background is in this language, so alarms are not measured",
                    own.code
                ));
            }
        }
        let few = self.languages.iter().filter(|own| own.reason() == Some(TOO_FEW));
        let few: Vec<String> = few.map(|own| format!("{} {}", own.code, own.items)).collect();
        if !few.is_empty() {
            notes.push(format!("not fitted, {TOO_FEW}: {}", few.join(", ")));
        }
        if self.unrecognised > 0 {
            notes.push(format!(
                "{} left out, because no language was recognised; to use them, choose items by a label (--where) and name the --language",
                counted(self.unrecognised, "item")
            ));
        }
        Sheet {
            facts: vec![("items", counted(self.items, "item"))],
            parts: vec![Part::Table(Table {
                title: "Languages".into(),
                columns: columns(&["<language", "items", &format!("held out: {figure}"), "<written to"]),
                rows: self.languages.iter().map(row).collect(),
                ..Table::default()
            })],
            notes,
            ..fitted_sheet("Languages".into(), &self.label, &self.name, None)
        }
    }
}

impl LanguageReport {
    fn note_without_tables(&self) -> Option<String> {
        let is_known = language::find(self.code).is_some();
        (self.fitted().is_some() && !is_known).then(|| {
            format!(
                "{}: the protocol has no `language`, because the engine has no stems and function words of it",
                self.code
            )
        })
    }
}
