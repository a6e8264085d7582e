//! What an organization may use in a month, and what it costs.

use crate::json::number;
use crate::period::Period;
use crate::refusal::{Code, Refusal};
use crate::token::Mode;
use serde::Serialize;
use sonometer::Unit;

/// An amount in US dollars: at least 0, and no finer than the millionth that is kept. A finer one would become another, and a price near
/// 0 would charge nothing.
///
/// # Errors
/// What to write instead.
pub fn amount(text: &str) -> Result<Unit, &'static str> {
    let amount = Unit::parse(text).filter(|amount| *amount >= Unit::ZERO);
    let amount = amount.ok_or("not an amount in US dollars; write for example \"0.004\"")?;
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (_, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = mantissa.bytes().rev().filter(u8::is_ascii_digit);
    let zeros = digits.clone().take_while(|digit| *digit == b'0').count();
    let places = fraction.len() as i64 - exponent.parse::<i64>().unwrap_or_default() - zeros as i64;
    if places > 6 && zeros < digits.count() {
        return Err("finer than a millionth of a US dollar; write at most six digits behind the point");
    }
    Ok(amount)
}

/// The settings of an account: one for each organization and mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The name of the plan; nothing depends on it.
    pub tier: String,
    /// ICS included in a period.
    pub quota: u64,
    /// Whether it goes on beyond the quota.
    pub overage: bool,
    /// US dollars for each ICS beyond the quota.
    pub rate_usd: Unit,
    /// The most US dollars that overage may cost in a period; `None`: no cap.
    pub cap_usd: Option<Unit>,
    /// Requests of one token in a window of [`crate::rate::WINDOW_SECONDS`].
    pub per_window: u64,
}

impl Settings {
    /// What a new organization gets: the `developer` tier.
    pub fn new(mode: Mode) -> Self {
        Self {
            tier: "developer".to_owned(),
            quota: 10_000,
            overage: false,
            rate_usd: Unit(5_000),
            cap_usd: None,
            per_window: match mode {
                Mode::Test => 600,
                Mode::Live => 6_000,
            },
        }
    }

    /// In words, for the audit log.
    pub fn told(&self, mode: Mode) -> String {
        let cap = self.cap_usd.map_or("none".to_owned(), |cap| cap.to_string());
        format!(
            "{}: tier {}, quota {}, overage {}, rate {}, cap {cap}, {} requests a minute",
            mode.as_str(),
            self.tier,
            self.quota,
            if self.overage { "on" } else { "off" },
            self.rate_usd,
            self.per_window
        )
    }

    /// What so many ICS of overage cost.
    pub(crate) fn cost(&self, mode: Mode, overage: u64) -> Unit {
        match mode {
            Mode::Test => Unit::ZERO,
            Mode::Live => {
                let cost = i128::from(self.rate_usd.0) * i128::from(overage);
                Unit(i64::try_from(cost).unwrap_or(i64::MAX))
            }
        }
    }
}

/// How many ICS an amount pays for.
fn affordable(cap: Unit, rate: Unit) -> u64 {
    if rate.0 <= 0 { u64::MAX } else { u64::try_from(cap.0 / rate.0).unwrap_or(0) }
}

/// What an account used in a period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// ICS.
    pub units: u64,
    /// ICS beyond the quota.
    pub overage: u64,
    /// What they cost.
    pub cost_usd: Unit,
}

/// An account at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What it may.
    pub settings: Settings,
    /// Which of the two accounts of the organization.
    pub mode: Mode,
    /// The current period.
    pub period: Period,
    /// What it used.
    pub used: Used,
}

#[derive(Serialize)]
struct Usage<'a> {
    tier: &'a str,
    quota: u64,
    used: u64,
    remaining: u64,
    period: String,
    reset: String,
    overage: Overage,
}

#[derive(Serialize)]
struct Overage {
    #[serde(serialize_with = "number")]
    rate_usd: Unit,
    used: u64,
    #[serde(serialize_with = "number")]
    cost_usd: Unit,
}

impl Standing {
    /// What is left of the quota.
    pub fn remaining(&self) -> u64 {
        self.settings.quota.saturating_sub(self.used.units)
    }

    /// What so many ICS will cost, as far as can be told before they are charged.
    pub(crate) fn expected(&self, units: u64) -> Unit {
        let used = self.used.units;
        let overage = used.saturating_add(units).saturating_sub(self.settings.quota.max(used));
        self.settings.cost(self.mode, overage)
    }

    /// The most ICS that can be used in the period, overage included. A cap is an amount: what was spent stands, by the quota and at the rate
    /// of then, and only the rest of it pays for more.
    pub(crate) fn ceiling(&self) -> u64 {
        let Self { settings, used, .. } = self;
        match (self.mode, settings.overage, settings.cap_usd) {
            (Mode::Test, ..) | (_, false, _) => settings.quota,
            (_, true, None) => u64::MAX,
            (_, true, Some(cap)) => {
                let left = Unit(cap.0.saturating_sub(used.cost_usd.0));
                settings.quota.max(used.units).saturating_add(affordable(left, settings.rate_usd))
            }
        }
    }

    /// Whether so many ICS can be charged, as far as is known before they are.
    pub(crate) fn covers(&self, units: u64) -> bool {
        self.used.units.saturating_add(units) <= self.ceiling()
    }

    /// Whether anything can be charged at all.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        let ceiling = self.ceiling();
        if self.used.units < ceiling { Ok(()) } else { Err(self.exhausted(None)) }
    }

    /// The refusal of what cannot be charged any more.
    pub(crate) fn exhausted(&self, needed: Option<u64>) -> Refusal {
        let Self { settings, used, period, .. } = self;
        let reset = period.reset();
        let capped = settings.overage && self.mode == Mode::Live;
        let what = match (capped, needed) {
            (true, _) => "the spend cap of the organization is reached".to_owned(),
            (false, Some(needed)) if used.units < settings.quota => {
                format!("this request needs {needed} ICS, but {} are left", self.remaining())
            }
            (false, _) => "the ICS quota of this period is used up".to_owned(),
        };
        let mut refusal =
            Refusal::new(Code::QuotaExhausted, format!("{what}; the next period begins at {reset}"));
        refusal.details.reason = capped.then_some("spend_cap");
        refusal.details.quota = Some(settings.quota);
        refusal.details.used = Some(used.units);
        refusal.details.reset = Some(reset);
        refusal.details.needed = needed.map(crate::json::whole);
        refusal
    }

    /// The answer of `GET /api/v1/usage`.
    pub fn to_json(&self) -> String {
        let Self { settings, used, period, .. } = self;
        crate::json::text(&Usage {
            tier: &settings.tier,
            quota: settings.quota,
            used: used.units,
            remaining: self.remaining(),
            period: period.to_string(),
            reset: period.reset(),
            overage: Overage { rate_usd: settings.rate_usd, used: used.overage, cost_usd: used.cost_usd },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_kept_as_it_is_written_or_refused() {
        for (text, millionths) in [
            ("0.004", 4_000),
            ("50", 50_000_000),
            ("0.000001", 1),
            ("1e-6", 1),
            ("0.00400000", 4_000),
            ("10e-7", 1),
            ("0.00", 0),
        ] {
            assert_eq!(amount(text), Ok(Unit(millionths)), "{text}");
        }
        for text in ["0.0000004", "0.0000015", "1e-7", "12.3456789", "1.5e-6"] {
            assert!(amount(text).is_err_and(|wrong| wrong.contains("millionth")), "{text}");
        }
        for text in ["-1", "NaN", "", "0,004", "99999999999999999999"] {
            assert!(amount(text).is_err_and(|wrong| wrong.contains("not an amount")), "{text}");
        }
    }

    #[test]
    fn the_ceiling_follows_quota_overage_and_cap() {
        let period = Period::at(0);
        let standing =
            |settings: &Settings, mode, used| Standing { settings: settings.clone(), mode, period, used };
        let of = |settings: &Settings, mode| standing(settings, mode, Used::default()).ceiling();
        let closed = Settings { quota: 10, ..Settings::new(Mode::Live) };
        assert_eq!(of(&closed, Mode::Live), 10);
        let open = Settings { overage: true, ..closed };
        assert_eq!((of(&open, Mode::Live), of(&open, Mode::Test)), (u64::MAX, 10));
        let capped = Settings { cap_usd: Some(Unit(24_999)), ..open };
        assert_eq!(of(&capped, Mode::Live), 14, "0.024999 at 0.005 pays for four");
        assert_eq!(capped.cost(Mode::Live, 4), Unit(20_000));
        assert_eq!(capped.cost(Mode::Test, 4), Unit::ZERO);
        assert_eq!(affordable(Unit(1), Unit::ZERO), u64::MAX);
        // What was spent counts as it was spent, whatever quota and rate have become since.
        let spent = |units, overage, micros| Used { units, overage, cost_usd: Unit(micros) };
        let after = |settings: &Settings, used| standing(settings, Mode::Live, used).ceiling();
        assert_eq!(after(&capped, spent(12, 2, 10_000)), 14);
        let larger = Settings { quota: 20, ..capped.clone() };
        assert_eq!(after(&larger, spent(14, 4, 20_000)), 20);
        let cheaper = Settings { rate_usd: Unit(1_000), ..capped.clone() };
        assert_eq!(after(&cheaper, spent(14, 4, 20_000)), 18);
        let smaller = Settings { quota: 0, ..capped.clone() };
        assert_eq!(after(&smaller, spent(10, 0, 0)), 14);
        let lower = Settings { cap_usd: Some(Unit(5_000)), ..capped };
        assert_eq!(after(&lower, spent(14, 4, 20_000)), 14);
    }
}
