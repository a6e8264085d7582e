//! What `names-and-places` hides: whole names of persons, with initials and particles, and nothing beside them.

use sonometer::{Interaction, Sensor};

/// Text, and how it is shown.
const SHOWN: [(&str, &str); 6] = [
    (
        "Tom I. Holzman met Donald van der Voet and Mary Anna Randolph Custis.",
        "*** *. ******* met ****** *** *** **** and **** **** ******** ******.",
    ),
    ("João Silva and Okwudili J. Henderson signed it.", "**** ***** and ******** *. ********* signed it."),
    (
        "My name is Xandrel de Qorvath-Lee, but call me Xan.",
        "My name is ******* ** *******-***, but call me ***.",
    ),
    ("Will you mark the May issue? Hope so.", "Will you mark the May issue? Hope so."),
    (
        "Dr. Xandrel lives in Norway and works for Fjordline Shipping Ltd.",
        "Dr. ******* lives in Norway and works for Fjordline Shipping Ltd.",
    ),
    ("That is Mary's book, said anna.", "That is ****'* book, said anna."),
];

#[test]
fn names_are_hidden_whole_and_nothing_else_is() {
    let entry = sonometer_catalog::find("names-and-places", None).expect("ships");
    let sensor = Sensor::new(entry.protocol().expect("is sound").0).expect("compiles");
    for (text, shown) in SHOWN {
        let reading = sensor.sense(&Interaction::text(text).expect("is short")).expect("is measured");
        assert_eq!(reading.masked_turn(0).as_ref(), shown);
    }
}
