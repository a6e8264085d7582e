//! What sensing costs at worst with the protocols that ship.

use sonometer::protocol::WARNED_STEPS;

#[test]
fn every_protocol_stays_well_under_the_warning() {
    for entry in sonometer_catalog::protocols() {
        let (protocol, warnings) = entry.protocol().expect("is sound");
        let steps = protocol.steps_per_word();
        println!("{:>8}  {}@{}", steps, protocol.id, protocol.version);
        assert!(steps <= WARNED_STEPS, "{}@{} can take {steps} steps a word", protocol.id, protocol.version);
        assert!(warnings.iter().all(|warning| warning.code != "SM0420"));
    }
}
