//! What `personal-data` hides is the data alone, in one piece: not the words that say what it is.

use sonometer::{Interaction, Sensor};

/// Text, marker, and the only place of its evidence.
const PLACES: [(&str, &str, &str); 49] = [
    ("The CVV is 123.", "card_security_code", "123"),
    ("My account number is 31926819.", "bank_account", "31926819"),
    ("SSN: 219099999", "social_security_number", "219099999"),
    ("Here is my driver's license number: D1234567.", "driver_license", "D1234567"),
    ("My passport number is C01234567.", "national_id", "C01234567"),
    ("My password is swordfish", "credential", "swordfish"),
    ("Use postgres://admin:s3cret@db.internal/prod for now.", "credential", "s3cret"),
    ("Authorization: Bearer abcdefghijklmnopqrstuvwxyz", "credential", "abcdefghijklmnopqrstuvwxyz"),
    (
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\nVJTUt9Us8cKj\n-----END PRIVATE KEY-----",
        "credential",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\nVJTUt9Us8cKj\n-----END",
    ),
    ("Text me at 901820.", "phone_number", "901820"),
    ("I uploaded my pictures to https://pics.example.com/p/1", "web_address", "https://pics.example.com/p/1"),
    (
        "I live at 12 Old Mill Road, Apt. 4, Springfield, IL 62704. Come by.",
        "postal_address",
        "12 Old Mill Road, Apt. 4, Springfield, IL 62704",
    ),
    ("Send it to 22B Baker Street, London, NW1 6XE.", "postal_address", "22B Baker Street, London, NW1 6XE"),
    ("Ich wohne in der Lange Straße 12, 80331 München.", "postal_address", "Lange Straße 12, 80331 München"),
    (
        "48 Birch Lane\nApt. 306\nPines Beach\nCosta Rica 85226\n0431 35 06 90",
        "postal_address",
        "48 Birch Lane\nApt. 306\nPines Beach\nCosta Rica 85226",
    ),
    (
        "I live at Flat 3, 22 Baker Street, London NW1 6XE.",
        "postal_address",
        "Flat 3, 22 Baker Street, London NW1 6XE",
    ),
    (
        "Send it to 1600 Rosewood Avenue NW, Washington, DC 20500.",
        "postal_address",
        "1600 Rosewood Avenue NW, Washington, DC 20500",
    ),
    ("Her address is 2227 Piedmont Avenue. It is open.", "postal_address", "2227 Piedmont Avenue"),
    (
        "Ship to: Priya Raman\n12 Old Mill Road, Suite 21\nSpringfield, IL 62704\nUSA\nPhone: 217-555-0142",
        "postal_address",
        "12 Old Mill Road, Suite 21\nSpringfield, IL 62704\nUSA",
    ),
    ("Hausnummer 5 gibt es nicht: Bergstr. 5, D-50667 Köln", "postal_address", "Bergstr. 5, D-50667 Köln"),
    ("Am Anger 5, 10115 Berlin", "postal_address", "Am Anger 5, 10115 Berlin"),
    (
        "Our office is at P.O. Box 99\nSmalltown, TX 75001.",
        "postal_address",
        "P.O. Box 99\nSmalltown, TX 75001",
    ),
    (
        "> 48 rosewood hill 12\n> apt. 5\n> pinewood\n> norway 26218",
        "postal_address",
        "48 rosewood hill 12\n> apt. 5\n> pinewood\n> norway 26218",
    ),
    ("The house at 7 Rosewood, Leeds LS1 4AB, has been sold.", "postal_address", "7 Rosewood, Leeds LS1 4AB"),
    (
        "We meet at the corner of Birch Lane and Rosewood Hill, at nine.",
        "postal_address",
        "the corner of Birch Lane and Rosewood Hill",
    ),
    ("PSC 815, Box 42\nAPO AE 09114", "postal_address", "PSC 815, Box 42\nAPO AE 09114"),
    ("Priya Raman\n\n12 Old Mill Road", "person_name", "Priya Raman"),
    ("She moved there at the age of 23.", "age", "23"),
    ("www.janedoe.example.net is my homepage.", "web_address", "www.janedoe.example.net"),
    ("The zip code is 90210, I think.", "postal_code", "90210"),
    ("I was born on 3 April 1984.", "date_of_birth", "3 April 1984"),
    ("I'm 34 years old and live alone.", "age", "34"),
    ("Dear Dr. Okafor, I have a question.", "person_name", "Okafor"),
    ("By the way, my name is Anke Sørensen.", "person_name", "Anke Sørensen"),
    ("Priya Raman lives at 7 Rosewood.", "postal_address", "7 Rosewood"),
    // Marks of Markdown on what is said and on the data; lines that end; spaces that do not break; aligned forms.
    ("- **Account number:** 31926819", "bank_account", "31926819"),
    ("- **Name:** Anke Sørensen", "person_name", "Anke Sørensen"),
    ("Call **202-555-0143** now.", "phone_number", "202-555-0143"),
    ("Write to _jane.doe@example.org_ instead.", "email_address", "jane.doe@example.org"),
    ("Your PIN is `4711`.", "credential", "4711"),
    ("| SSN | 219099999 |", "social_security_number", "219099999"),
    ("My mother is\n**84** years\nold.", "age", "84"),
    ("His passport\nnumber is C01234567.", "national_id", "C01234567"),
    ("My passport\u{a0}number is\u{a0}C01234567.", "national_id", "C01234567"),
    ("PIN:            4711", "credential", "4711"),
    // Records and pages.
    ("\"accountNumber\": \"31926819\"", "bank_account", "31926819"),
    ("<td>SSN</td><td>219099999</td>", "social_security_number", "219099999"),
    ("<li><strong>PIN:</strong> 4711</li>", "credential", "4711"),
    ("CVV → 123", "card_security_code", "123"),
];

#[test]
fn evidence_is_the_data_alone_and_in_one_piece() {
    let entry = sonometer_catalog::find("personal-data", None).expect("ships");
    let sensor = Sensor::new(entry.protocol().expect("is sound").0).expect("compiles");
    for (text, label, place) in PLACES {
        let reading = sensor.sense(&Interaction::text(text).expect("is short")).expect("is measured");
        let found = reading.evidence().filter(|evidence| evidence.metamarker == label);
        let found: Vec<&str> = found.map(|evidence| &text[evidence.range]).collect();
        assert_eq!(found, [place], "{label} in {text:?}");
    }
}
