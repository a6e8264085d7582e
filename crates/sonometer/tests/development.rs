//! Conversations made to a plan, and what temporal analysis makes of them. `--nocapture` shows the whole table.

use sonometer::{Interaction, Protocol, Sensor, TemporalOptions, Trend, Turn, Unit};

const TALKS: u32 = 200;
const WINDOWS: u64 = 20;
const TURNS: u64 = 10;

/// A level is about a tenth of the turns of a window that say `alpha`.
const PROTOCOL: &str = r#"{"sonometer": 1, "id": "made", "version": "1.5", "sgm": "1.5", "taxonomy": "Signal", "score": "any",
    "temporal": {"window": "10s", "else": "10 turns"},
    "markers": [{"label": "said", "strengths": {"weak": 0.1}, "weak": "alpha", "repeat": "all", "half": 1000, "hit": "alpha",
        "trigger": 0.1}]}"#;

struct Random(u64);

impl Random {
    /// A linear congruential generator: a number below `most`.
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// A talk in which window `k` says `alpha` in so many turns of a hundred; with a clock, in an order that is not that of time.
fn talk(random: &mut Random, percent: fn(u64) -> u64, clock: bool) -> Interaction {
    let mut turns: Vec<Turn> = (0..WINDOWS * TURNS)
        .map(|turn| Turn {
            role: Some(if turn % 2 == 0 { "a" } else { "b" }.into()),
            content: if random.below(100) < percent(turn / TURNS) { "alpha now" } else { "well now" }.into(),
            timestamp: clock.then_some(Unit(turn as i64 * 1_000_000)),
        })
        .collect();
    if clock {
        turns.reverse();
    }
    Interaction::transcript(turns).expect("has turns")
}

/// A plan, with the least percentage of talks that must be found to have this trend, and these phase shifts.
struct Plan {
    name: &'static str,
    percent: fn(u64) -> u64,
    trends: &'static [Trend],
    shifts: Option<u64>,
    least: (u32, u32),
}

const PLANS: [Plan; 5] = [
    Plan {
        name: "flat",
        percent: |_| 50,
        trends: &[Trend::Stable, Trend::Volatile],
        shifts: Some(0),
        least: (85, 95),
    },
    Plan { name: "ramp", percent: |k| 10 + 4 * k, trends: &[Trend::Rising], shifts: None, least: (98, 0) },
    Plan {
        name: "falling",
        percent: |k| 90 - 4 * k,
        trends: &[Trend::Falling],
        shifts: None,
        least: (98, 0),
    },
    Plan {
        name: "one step",
        percent: |k| if k < 10 { 20 } else { 80 },
        trends: &[Trend::Rising],
        shifts: Some(1),
        least: (98, 90),
    },
    Plan {
        name: "two steps",
        percent: |k| if (7..14).contains(&k) { 80 } else { 20 },
        trends: &[Trend::Stable, Trend::Volatile],
        shifts: Some(2),
        least: (85, 85),
    },
];

#[test]
fn talks_are_found_to_be_as_they_were_made() {
    let (protocol, _) = Protocol::read(PROTOCOL).expect("is sound");
    let sensor = Sensor::new(protocol).expect("compiles");
    println!("{:<10} clock  rising falling volatile stable  0 1 2 more shifts", "plan");
    for clock in [false, true] {
        let mut random = Random(3);
        for plan in &PLANS {
            let (mut trends, mut shifts) = ([0_u32; 5], [0_u32; 4]);
            for _ in 0..TALKS {
                let reading = sensor.sense(&talk(&mut random, plan.percent, clock)).expect("is sensed");
                let found = reading.temporal(TemporalOptions::default()).expect("is on SGM 1.5");
                trends[Trend::ALL.iter().position(|trend| *trend == found.trend).expect("is one")] += 1;
                shifts[found.phase_shifts.min(3) as usize] += 1;
                assert_eq!(found.levels.len() as u64, WINDOWS);
            }
            println!("{:<10} {clock:<5}  {:?}  {shifts:?}", plan.name, &trends[..4]);
            let named = Trend::ALL.iter().zip(trends).filter(|(trend, _)| plan.trends.contains(trend));
            let right: u32 = named.map(|(_, count)| count).sum();
            assert!(right * 100 >= TALKS * plan.least.0, "{}: {trends:?}", plan.name);
            let right = plan.shifts.map_or(TALKS, |wanted| shifts[wanted as usize]);
            assert!(right * 100 >= TALKS * plan.least.1, "{}: {shifts:?}", plan.name);
        }
    }
}

#[test]
fn a_caller_can_choose_the_window() {
    let (protocol, _) = Protocol::read(PROTOCOL).expect("is sound");
    let sensor = Sensor::new(protocol).expect("compiles");
    let reading = sensor.sense(&talk(&mut Random(1), |_| 50, true)).expect("is sensed");
    let windows = |seconds: i64| {
        let window = Some(Unit(seconds * 1_000_000));
        reading.temporal(TemporalOptions { window }).expect("is on SGM 1.5").levels.len()
    };
    assert_eq!([windows(1), windows(20), windows(1_000)], [200, 10, 1]);
}
