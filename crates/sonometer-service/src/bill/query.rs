//! What of a bill is asked for.

use super::Format;
use crate::cause::is_request_id;
use crate::list::{DEFAULT_LIMIT, Listing};
use crate::period::{Period, parse_moment};
use crate::refusal::{Refusal, shown};
use crate::store::Filter;

/// What is asked for: the parameters of `charges` and `export`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Which rows.
    pub filter: Filter,
    /// So many on a page.
    pub limit: u64,
    /// Where the page begins.
    pub cursor: Option<String>,
    /// What the export is written in.
    pub format: Format,
}

fn moment(name: &str, text: &str) -> Result<i64, Refusal> {
    parse_moment(text).ok_or_else(|| {
        let message =
            format!("`{name}` is not a moment; write it like `2026-11-21T15:00:00Z` or `2026-11-21`");
        Refusal::invalid(name, message)
    })
}

impl Asked {
    /// Reads the pairs of a query whose names are known; `now_ms` says which month is the current one.
    ///
    /// # Errors
    /// `invalid_request` with the name of the parameter.
    pub fn read(pairs: &[(String, String)], listing: &Listing, now_ms: i64) -> Result<Self, Refusal> {
        let of = |name: &str| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let text = |name: &str| match of(name) {
            Some("") => Err(Refusal::invalid(name, format!("`{name}` is empty; leave it out for all"))),
            value => Ok(value.map(str::to_owned)),
        };
        let (from, until) = (of("from"), of("until"));
        let (from_ms, until_ms) = match of("period") {
            Some(_) if from.is_some() || until.is_some() => {
                let message = "`period` is a whole month; leave it out where `from` or `until` is given";
                return Err(Refusal::invalid("period", message));
            }
            Some(month) => Period::asked(month)?.span_ms(),
            None if from.is_none() && until.is_none() => Period::at(now_ms).span_ms(),
            None => (
                from.map_or(Ok(i64::MIN), |text| moment("from", text))?,
                until.map_or(Ok(i64::MAX), |text| moment("until", text))?,
            ),
        };
        if from_ms >= until_ms {
            return Err(Refusal::invalid("until", "`until` must be later than `from`"));
        }
        let target = text("target")?;
        let (target, version) = match target.as_deref().map(|target| target.split_once('@')) {
            Some(Some((id, version))) if !id.is_empty() && !version.is_empty() => {
                (Some(id.to_owned()), Some(version.to_owned()))
            }
            Some(Some(_)) => {
                let message =
                    "`target` is an id such as `courtesy`, or an id and a version such as `courtesy@1.0`";
                return Err(Refusal::invalid("target", message));
            }
            _ => (target, None),
        };
        let format = match of("format") {
            None => Format::Csv,
            Some(name) => Format::from_name(name).ok_or_else(|| {
                let names = Format::NAMES.join(", ");
                Refusal::invalid("format", format!("`{}` is not one of {names}", shown(name)))
            })?,
        };
        format.check()?;
        let (token, request) = (text("token")?, text("request_id")?);
        if request.as_deref().is_some_and(|id| !is_request_id(id)) {
            let message = "no request has such an id; give the `X-Request-Id` of an answer";
            return Err(Refusal::invalid("request_id", message));
        }
        // Nothing was charged before 1970.
        let (from_ms, until_ms) = (from_ms.max(0), until_ms.max(0));
        let filter = Filter { from_ms, until_ms, token, target, version, request };
        Ok(Self { filter, limit: listing.limit, cursor: text("cursor")?, format })
    }

    /// Everything of a time.
    pub fn all(from_ms: i64, until_ms: i64) -> Self {
        let filter = Filter { from_ms, until_ms, ..Filter::default() };
        Self { filter, limit: DEFAULT_LIMIT, cursor: None, format: Format::Csv }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Asked, String> {
        let pairs: Vec<_> = pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let now = parse_moment("2026-11-21").expect("is a day");
        Asked::read(&pairs, &Listing::default(), now).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn the_time_is_a_month_or_a_span() {
        let day = |text| parse_moment(text).expect("is a day");
        let span = |pairs: &[_]| read(pairs).map(|asked| (asked.filter.from_ms, asked.filter.until_ms));
        assert_eq!(span(&[]), Ok((day("2026-11-01"), day("2026-12-01"))));
        assert_eq!(span(&[("period", "2025-12")]), Ok((day("2025-12-01"), day("2026-01-01"))));
        assert_eq!(span(&[("from", "2026-11-02")]), Ok((day("2026-11-02"), i64::MAX)));
        assert_eq!(span(&[("until", "2026-11-02T00:00:00Z")]), Ok((0, day("2026-11-02"))));
        assert_eq!(span(&[("from", "0646-10-29")]), Ok((0, i64::MAX)));
        assert_eq!(span(&[("until", "1960-01-01")]), Ok((0, 0)));
        for bad in [
            &[("period", "2026-13")][..],
            &[("period", "2026-11"), ("from", "2026-11-02")],
            &[("from", "yesterday")],
            &[("from", "2026-11-02"), ("until", "2026-11-02")],
        ] {
            assert!(read(bad).expect_err("is bad").starts_with("invalid_request"), "{bad:?}");
        }
    }

    #[test]
    fn a_target_may_have_a_version() {
        let target =
            |text| read(&[("target", text)]).map(|asked| (asked.filter.target, asked.filter.version));
        assert_eq!(target("desk"), Ok((Some("desk".to_owned()), None)));
        assert_eq!(target("desk@1.0"), Ok((Some("desk".to_owned()), Some("1.0".to_owned()))));
        assert_eq!(target("desk@1@0"), Ok((Some("desk".to_owned()), Some("1@0".to_owned()))));
        // U+0000 is refused before, wherever it stands.
        let published = regex::Regex::new(crate::text::ID_AND_VERSION).expect("is an expression");
        for text in ["desk", "desk@1.0", "desk@1@0", "@À", "", "@", "@@", "desk@", "@1.0", "a\nb"] {
            assert_eq!(target(text).is_ok(), published.is_match(text), "{text:?}");
        }
        for bad in
            [("format", "xlsx"), ("token", ""), ("request_id", ""), ("request_id", "a b"), ("cursor", "")]
        {
            assert!(read(&[bad]).is_err(), "{bad:?}");
        }
    }
}
