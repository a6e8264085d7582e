//! Properties that hold for every text, and checksums made and broken at random.

use super::testing::texts;
use super::{Class, ClassSet, Occurrence, Vocabulary, find, find_near, gives_way_to};
use proptest::prelude::*;

fn all(text: &str) -> Vec<Occurrence> {
    let mut found = Vec::new();
    find(text, ClassSet::ALL, Vocabulary::English, &mut found);
    found
}

fn near(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    find_near(text, ClassSet::ALL, &mut found);
    found.iter().map(|one| &text[one.start as usize..one.end as usize]).collect()
}

/// Text in which the classes' own characters are frequent.
fn dense() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[0-9]{1,5}",
        "[-+ .,:/()$%#x@_'a-fA-F€é话]",
        "[ -~]{1,3}",
        Just("://".to_owned()),
        Just("www.a.com".to_owned()),
        Just(" and ".to_owned()),
        Just("hundred".to_owned()),
        Just("five".to_owned()),
        Just("March".to_owned()),
        Just("4111 1111 1111 1111".to_owned()),
        Just("GB82 WEST 1234 5698 7654 32".to_owned()),
        Just("USD".to_owned()),
        Just("second".to_owned()),
        Just("\u{10FFFF}".to_owned()),
    ];
    proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

fn sound(text: &str, found: &[Occurrence]) {
    assert!(found.is_sorted());
    for class in Class::ALL {
        let mut end = 0;
        for one in found.iter().filter(|one| one.class == class) {
            assert!(end <= one.start && one.start < one.end, "{class:?} in {text:?}");
            assert!(text.get(one.start as usize..one.end as usize).is_some());
            end = one.end;
        }
    }
}

/// The check digit that makes `digits` pass the Luhn test, by the sum over a doubled table.
fn luhn_digit(digits: &str) -> u32 {
    let doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9];
    let sum: usize = digits
        .bytes()
        .rev()
        .map(|b| usize::from(b - b'0'))
        .enumerate()
        .map(|(place, digit)| if place % 2 == 0 { doubled[digit] } else { digit })
        .sum();
    u32::try_from((10 - sum % 10) % 10).expect("a digit")
}

/// The two check digits of a German account, by the textbook: the number with `DE00` at its end, modulo 97.
fn german_check(account: &str) -> u128 {
    98 - format!("{account}131400").parse::<u128>().expect("digits") % 97
}

proptest! {
    #[test]
    fn any_text_is_read_soundly(text in any::<String>()) {
        sound(&text, &all(&text));
        let mut missed = Vec::new();
        find_near(&text, ClassSet::ALL, &mut missed);
        sound(&text, &missed);
    }

    #[test]
    fn dense_text_is_read_soundly(text in dense()) {
        let found = all(&text);
        sound(&text, &found);
        for one in &found {
            let over = found.iter().any(|other| {
                gives_way_to(one.class).contains(other.class) && other.start <= one.start && one.end <= other.end
            });
            prop_assert!(!over, "{one:?} in {text:?}");
        }
        let mut missed = Vec::new();
        find_near(&text, ClassSet::ALL, &mut missed);
        sound(&text, &missed);
        for miss in &missed {
            let hit = found.iter().any(|one| one.class == miss.class && one.start < miss.end && miss.start < one.end);
            prop_assert!(!hit, "{miss:?} in {text:?}");
        }
    }

    #[test]
    fn asking_for_one_class_finds_what_asking_for_all_finds(text in dense()) {
        let found = all(&text);
        for class in Class::ALL {
            let mut alone = Vec::new();
            find(&text, ClassSet::of(&[class]), Vocabulary::English, &mut alone);
            let same: Vec<_> = found.iter().copied().filter(|one| one.class == class).collect();
            prop_assert_eq!(alone, same);
        }
    }

    #[test]
    fn cards_are_found_and_broken_ones_are_near(body in "(4[0-9]{14}|5[1-5][0-9]{13})", slip in 1..10_u32, group in 0..3) {
        let digit = luhn_digit(&body);
        let write = |digit: u32| {
            let digits = format!("{body}{digit}");
            let parts = [&digits[..4], &digits[4..8], &digits[8..12], &digits[12..]];
            match group {
                0 => digits,
                1 => parts.join(" "),
                _ => parts.join("-"),
            }
        };
        prop_assume!(body.bytes().any(|b| b != body.as_bytes()[0]));
        let (right, wrong) = (write(digit), write((digit + slip) % 10));
        let text = format!("pay with {right}, please");
        prop_assert_eq!(texts(Class::Pan, &text), vec![right]);
        prop_assert!(near(&text).is_empty());
        let text = format!("pay with {wrong}, please");
        prop_assert!(!texts(Class::Pan, &text).contains(&wrong));
        prop_assert_eq!(near(&text), vec![wrong]);
    }

    #[test]
    fn accounts_are_found_and_broken_ones_are_near(account in "[0-9]{18}", slip in 1..97_u128) {
        let check = german_check(&account);
        let right = format!("DE{check:02}{account}");
        let text = format!("to {right} today");
        prop_assert_eq!(texts(Class::Iban, &text), vec![right]);
        let wrong = format!("DE{:02}{account}", (check + slip) % 97);
        let text = format!("to {wrong} today");
        // 00, 01 and 98 leave the same remainders as 97, 98 and 01: a slip onto one of them is no slip.
        prop_assume!((check + slip) % 97 != check % 97);
        prop_assert!(texts(Class::Iban, &text).is_empty());
        prop_assert_eq!(near(&text), vec![wrong]);
    }

    #[test]
    fn what_a_plain_expression_finds_is_found(text in "([0-9]{2,4}[-. :/]){0,3}[0-9.:]{0,12}") {
        // On these characters the two shapes below mean the same as the grammar; `regex` reads them another way.
        let number = regex::Regex::new(r"[0-9]+(?:[.,][0-9]+)*").expect("a pattern");
        let expected: Vec<_> = number.find_iter(&text).map(|found| found.as_str().to_owned()).collect();
        prop_assert_eq!(texts(Class::Number, &text), expected);
    }
}

#[test]
fn hostile_text_is_read_in_linear_time() {
    // With a quadratic scanner each would take a minute: 10 000 pieces of several bytes, some 10^9 steps a class.
    for piece in [
        "1 ",
        "1",
        "a.",
        "a",
        "one ",
        "one-",
        "hundred and ",
        "5 million ",
        "1 000 ",
        "4111 ",
        "4111-",
        "a@",
        "a+",
        "::",
        "a:",
        "(",
        "+1",
        "http://",
        "x.it?",
        "x.com/",
        "www.",
        "(0)",
        "1.",
        "1,",
        "1-",
        "1/",
        "GB82 ",
        "$",
        "€1",
        "USD",
        "May 5 ",
        ")",
        "12:",
        "'a",
        "_",
    ] {
        let text = piece.repeat(10_000);
        let mut found = Vec::new();
        find(&text, ClassSet::ALL, Vocabulary::English, &mut found);
        find_near(&text, ClassSet::ALL, &mut found);
        let text = format!("{text}@x");
        find(&text, ClassSet::ALL, Vocabulary::English, &mut found);
    }
}

#[test]
fn near_misses_leave_the_right_ones_alone() {
    assert_eq!(near("4111111111111112"), ["4111111111111112"]);
    assert_eq!(near("4111 1111 1111 1111 123"), [""; 0]);
    assert_eq!(
        near("GB83 WEST 1234 5698 7654 32 and GB82WEST12345698765432"),
        ["GB83 WEST 1234 5698 7654 32"]
    );
    assert_eq!(near("4444444444444444 1234567890123456"), [""; 0]);
}

#[test]
fn words_count_in_english_only() {
    let mut found = Vec::new();
    find("five dollars, March 5, third, 5 percent", ClassSet::ALL, Vocabulary::None, &mut found);
    assert!(found.iter().all(|one| one.class == Class::Number) && found.len() == 2);
}

#[test]
fn names_lead_back_to_classes() {
    for class in Class::ALL {
        assert_eq!(Class::from_name(class.name()), Some(class));
        assert!(ClassSet::ALL.contains(class));
    }
    assert_eq!(Class::from_name("question"), None);
    assert_eq!(ClassSet::ALL.iter().count(), Class::ALL.len());
}
