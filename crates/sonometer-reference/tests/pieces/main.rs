//! Streams every text of a few pieces byte by byte: a session reports nothing that the final reading lacks, and a guard shows
//! nothing that the final reading masks.
//!
//! Random texts put a `$` behind a sentence once in a million. Here every gap meets every edge of every construct.
//! `SONOMETER_PIECES=6` enumerates texts of up to six of a case's own pieces with the two commonest gaps, up to four with all common gaps, and up to
//! three with every gap (about an hour on two processors; `SONOMETER_PIECES_OF=money` takes only the cases with that in their name). Without it,
//! texts have up to three, three and two pieces.

mod cases;
mod watch;

use cases::{Case, GAPS, TURN, cases};
use sonometer::{Protocol, Sensor};
use watch::check;

/// Behind each text, so that what ends a sentence is known to.
const TAIL: &str = " Ok. It";

fn sensor(case: &Case) -> Sensor {
    let Case { name, language, top, markers, .. } = case;
    let source = format!(
        r#"{{"sonometer": 1, "id": "x", "version": "1", "taxonomy": "Signal", "language": "{language}",
        {top} "markers": [{markers}]}}"#
    );
    let protocol = Protocol::read(&source).unwrap_or_else(|error| panic!("{name}: {error:?}")).0;
    Sensor::new(protocol).expect("a legal protocol compiles")
}

/// Every row of `length` pieces.
fn each_row<'p>(pieces: &[&'p str], length: usize, visit: &mut impl FnMut(&[&'p str])) {
    let mut row = vec![0; length];
    loop {
        let chosen: Vec<&str> = row.iter().map(|at| pieces[*at]).collect();
        visit(&chosen);
        let Some(place) = row.iter().rposition(|at| at + 1 < pieces.len()) else { return };
        row[place] += 1;
        row[place + 1..].fill(0);
    }
}

/// How many pieces a text has at most, by the alphabet that they are of. All texts of six pieces of forty would be four thousand
/// millions for each case.
struct Reach {
    /// Of the case's own pieces and [`cases::CORE_GAPS`].
    own: usize,
    /// Of its own pieces and [`cases::COMMON_GAPS`].
    common: usize,
    /// Of its own pieces and every gap.
    all: usize,
}

impl Reach {
    fn of(longest: usize) -> Self {
        Self { own: longest, common: longest.saturating_sub(2).max(3), all: (longest / 2).max(2) }
    }

    fn longest(&self) -> usize {
        self.own.max(self.common).max(self.all)
    }
}

fn enumerate(case: &Case, reach: &Reach) -> u64 {
    let sensor = sensor(case);
    let all: Vec<&str> =
        case.pieces.iter().chain(GAPS).chain(case.is_dialogue.then_some(&TURN)).copied().collect();
    let with_gaps = |gaps: usize| &all[..all.len().min(case.pieces.len() + gaps)];
    let mut read = 0;
    for length in 1..=reach.longest() {
        let pieces = match length {
            _ if length <= reach.all => &all[..],
            _ if length <= reach.common => with_gaps(cases::COMMON_GAPS),
            _ => with_gaps(cases::CORE_GAPS),
        };
        each_row(pieces, length, &mut |row| {
            let text = row.concat();
            let texts = if length <= 2 { vec![text.clone(), text + TAIL] } else { vec![text + TAIL] };
            for text in texts {
                if let Err(reason) = check(&sensor, &text, case.is_dialogue) {
                    panic!("{}: {text:?}: {reason}", case.name);
                }
                read += 1;
            }
        });
    }
    read
}

/// A class begins in the gap where a sentence ends.
#[test]
fn a_sign_before_an_amount_belongs_to_it() {
    let all = cases();
    let money = sensor(all.iter().find(|case| case.name == "money").expect("there is one"));
    for text in [
        "I paid you. $ 1234 for the car",
        "I paid you. € 1234 for the car",
        "I paid you! £ 1234 for the car. Really.",
        "I paid you.\n$ 1234",
        "完了。¥ 50",
        "完了。 ¥ 50。好",
    ] {
        if let Err(reason) = check(&money, text, false) {
            panic!("{text:?}: {reason}");
        }
    }
}

/// What the enumeration found: an expression had died, and reached over a place that was asked about later.
#[test]
fn an_expression_that_matched_over_a_place_does_so_for_good() {
    let all = cases();
    for (name, text) in
        [("long expression", "x! xYx Ok. It"), ("expression over sentences", "x! xyzqx Ok. It")]
    {
        let case = all.iter().find(|case| case.name == name).expect("there is one");
        if let Err(reason) = check(&sensor(case), text, false) {
            panic!("{text:?}: {reason}");
        }
    }
}

#[test]
fn nothing_told_is_taken_back_and_nothing_hidden_passes() {
    let longest = std::env::var("SONOMETER_PIECES").ok().and_then(|n| n.parse().ok()).unwrap_or(3);
    let reach = Reach::of(longest);
    let wanted = std::env::var("SONOMETER_PIECES_OF").unwrap_or_default();
    let chosen: Vec<Case> = cases().into_iter().filter(|case| case.name.contains(&wanted)).collect();
    assert!(!chosen.is_empty(), "no case has `{wanted}` in its name");
    let work = std::sync::Mutex::new(chosen.iter());
    let next = || work.lock().expect("nobody panics over it").next();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(case) = next() {
                    let read = enumerate(case, &reach);
                    println!("{}: {read} texts", case.name);
                }
            });
        }
    });
}
