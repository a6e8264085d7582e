//! Conversations made to a plan, and which way actant flow says that markers travel. `--nocapture` shows the table.

use sonometer::{Direction, FlowOptions, Interaction, Protocol, Sensor, Turn};

const TALKS: u32 = 400;
const WORDS: [&str; 4] = ["alpha", "beta", "gamma", "delta"];

const PROTOCOL: &str = r#"{"sonometer": 1, "id": "made", "version": "1.5", "sgm": "1.5", "taxonomy": "Signal",
    "actants": {"primary": "agent", "secondary": "customer"},
    "markers": [{"label": "a", "strong": "alpha", "hit": "alpha"}, {"label": "b", "strong": "beta", "hit": "beta"},
        {"label": "c", "strong": "gamma", "hit": "gamma"}, {"label": "d", "strong": "delta", "hit": "delta"}]}"#;

struct Random(u64);

impl Random {
    /// A linear congruential generator: whether it happens in so many cases of a hundred.
    fn in_percent(&mut self, percent: u64) -> bool {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % 100 < percent
    }
}

/// Two people in turns. Each says each word in 25 turns of a hundred, whatever the other said; whoever follows (0 the first
/// speaker, 1 the second) says besides in 80 of a hundred what the other has just said.
fn talk(random: &mut Random, turns: usize, follower: Option<usize>) -> Interaction {
    let mut last = [false; 4];
    let turns = (0..turns).map(|turn| {
        let echoes = follower == Some(turn % 2);
        last = last.map(|said| random.in_percent(25) || (echoes && said && random.in_percent(80)));
        let words: Vec<&str> =
            WORDS.iter().zip(last).filter(|(_, said)| *said).map(|(word, _)| *word).collect();
        Turn {
            role: Some(if turn % 2 == 0 { "Ann" } else { "Bob" }.into()),
            content: format!("well {}", words.join(" ")).into(),
            timestamp: None,
        }
    });
    Interaction::transcript(turns.collect()).expect("has turns")
}

#[test]
fn who_follows_is_found_and_who_speaks_first_does_not_matter() {
    let (protocol, _) = Protocol::read(PROTOCOL).expect("is sound");
    let sensor = Sensor::new(protocol).expect("compiles");
    let mut random = Random(7);
    println!("turns  follower   p>s   s>p   (percent)");
    // Turns, and of talks in which one side follows, the percentage that must be found.
    for (turns, least) in [(3, 0), (10, 8), (11, 20), (20, 60), (30, 80)] {
        for follower in [None, Some(0), Some(1)] {
            let mut found = [0; 2];
            for _ in 0..TALKS {
                let reading = sensor.sense(&talk(&mut random, turns, follower)).expect("is sensed");
                match reading.actant_flow(FlowOptions::default()).expect("is on SGM 1.5").direction {
                    Direction::PrimaryToSecondary => found[0] += 1,
                    Direction::SecondaryToPrimary => found[1] += 1,
                    Direction::Mutual | Direction::None => {}
                }
            }
            let [to_second, to_first] = found.map(|count: u32| count * 100 / TALKS);
            let who = follower.map_or("nobody", |side| ["first", "second"][side]);
            println!("{turns:>5}  {who:<8}   {to_second:>3}   {to_first:>3}");
            match follower {
                _ if turns == 3 => assert_eq!(found, [0, 0], "three turns are too few"),
                None => {
                    // The longer a talk, the more often a marker is taken up twice by chance.
                    assert!(to_second + to_first <= 10 + turns as u32 * 4 / 3, "{turns} turns: {found:?}");
                    assert!(to_second.abs_diff(to_first) <= 10, "{turns} turns lean to a side: {found:?}");
                }
                Some(follower) => {
                    let [right, wrong] =
                        if follower == 1 { [to_second, to_first] } else { [to_first, to_second] };
                    assert!(right >= least && wrong <= 2, "{turns} turns, {follower} follows: {found:?}");
                }
            }
        }
    }
}
