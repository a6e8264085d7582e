//! The protocol in the README does what the README says.

use sonometer::{Interaction, Protocol, SenseOptions, Sensor, Turn};

const README: &str = include_str!("../../../README.md");

#[test]
fn the_protocol_of_the_readme_passes_its_own_lines() {
    let (_, rest) = README.split_once("```yaml\n").expect("the README shows a protocol");
    let (source, _) = rest.split_once("```").expect("the block ends");
    let (protocol, warnings) = Protocol::read(source).expect("it is a protocol");
    assert!(warnings.is_empty(), "{warnings:?}");
    let sensor = Sensor::new(protocol.clone()).expect("it compiles");
    let marker = &protocol.markers[0];
    let lines =
        marker.hit.iter().map(|line| (true, line)).chain(marker.miss.iter().map(|line| (false, line)));
    let mut ran = 0;
    for (expected, line) in lines {
        let role = line.role.as_deref().map(Into::into);
        let turn = Turn { role, content: line.text.as_str().into(), timestamp: None };
        let talk = Interaction::transcript(vec![turn]).expect("every line names its role");
        let options = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
        let reading = sensor.sense_with(&talk, options).expect("transcripts are read");
        assert_eq!(reading.ics().consumed == 1, expected, "{}", line.text);
        ran += 1;
    }
    assert_eq!(ran, 5);

    // What the block in Rust senses and prints.
    let turn =
        Turn { role: Some("agent".into()), content: "Honestly, you cannot lose.".into(), timestamp: None };
    assert!(README.contains(r#"content: "Honestly, you cannot lose.".into()"#));
    let reading = sensor.sense(&Interaction::transcript(vec![turn]).expect("is one")).expect("is read");
    let found =
        reading.evidence().map(|found| format!("{} {} {}", found.metamarker, found.score, found.source));
    let printed = found.collect::<Vec<_>>().join("\n");
    assert!(README.contains(&format!("// {printed}\n")), "{printed}");
}
