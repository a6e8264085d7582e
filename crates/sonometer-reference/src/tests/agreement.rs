//! The rules of folding, written twice, agree: a first sight of what the two engines must agree on.

use crate::fold::fold;
use crate::generate::content;
use proptest::prelude::*;
use sonometer::text::fold::Folded;

fn agree(text: &str) -> Result<(), TestCaseError> {
    let ours = fold(text);
    let theirs = Folded::new(text);
    prop_assert_eq!(ours.iter().map(|f| f.char).collect::<String>(), theirs.text());
    let starts: Vec<usize> =
        theirs.text().char_indices().map(|(at, _)| at).chain([theirs.text().len()]).collect();
    for from in 0..ours.len() {
        for to in from + 1..=ours.len().min(from + 20) {
            let place = crate::turn::place(&ours, &(from..to));
            prop_assert_eq!(place, theirs.original_range(starts[from], starts[to]), "{:?}", &ours[from..to]);
        }
    }
    Ok(())
}

/// The characters that the rules of context look at, and a few beside them.
fn contextual() -> impl Strategy<Value = String> {
    let chars = "a😀❤👍🏽🏻\u{200d}\u{200d}\u{fe0f}\u{200b}🇩🇪\u{1112}\u{1161}\u{11ab}하한ㅎ\u{301}\u{323}\u{93c}\u{94d}क\u{e38}\u{e49}\u{f71}\u{f74}かｶﾞ\u{3099}½ßé\u{34f}";
    let chars: Vec<char> = chars.chars().collect();
    prop::collection::vec(prop::sample::select(chars), 0..10).prop_map(String::from_iter)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn on_texts(text in content()) {
        agree(&text)?;
    }

    #[test]
    fn on_characters_in_context(text in contextual()) {
        agree(&text)?;
    }
}
