//! The stem of a German word: Snowball's "german" on folded text, frozen.
//!
//! Folding has already done what the algorithm ends with (`ä` → `a`) and begins with (`ß` → `ss`), so the stem of the
//! folded word is the folded stem of the word; a test compares the two. This follows the releases up to 2.x; release 3
//! changed the rules.
//!
//! A stem is a beginning of its word. Prefixes are not touched: `vergessen` and `vergisst` have stems of their own, so
//! do `gesagt` and `sagen`.

/// Writes the stem of `word` into `out`, replacing what was there. Keep `out` between calls and nothing is allocated.
///
/// `word` is one folded word in lower case. A word with upper-case or non-ASCII letters is its own stem.
pub fn stem(word: &str, out: &mut String) {
    out.clear();
    if word.bytes().any(|b| !b.is_ascii() || b.is_ascii_uppercase()) {
        out.push_str(word);
        return;
    }
    mark_consonants(word.as_bytes(), out);
    let regions = Regions::of(out.as_bytes());
    drop_inflection(out, regions);
    drop_comparison(out, regions);
    drop_derivation(out, regions);
    out.make_ascii_lowercase();
}

/// Copies the word, with a capital where `u` or `y` stands between vowels and so sounds as a consonant (`bauen`).
fn mark_consonants(word: &[u8], out: &mut String) {
    for (at, &letter) in word.iter().enumerate() {
        let between = out.as_bytes().last().is_some_and(|&before| is_vowel(before))
            && word.get(at + 1).is_some_and(|&after| is_vowel(after));
        let marked =
            if between && matches!(letter, b'u' | b'y') { letter.to_ascii_uppercase() } else { letter };
        out.push(char::from(marked));
    }
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// Where R1 and R2 start, in bytes: what follows the first consonant after a vowel, and the same within R1. R1 leaves at
/// least three letters before it.
#[derive(Clone, Copy)]
struct Regions {
    r1: usize,
    r2: usize,
}

impl Regions {
    fn of(word: &[u8]) -> Self {
        if word.len() < 3 {
            return Self { r1: word.len(), r2: word.len() };
        }
        let r1 = after_vowel_and_consonant(word, 0);
        Self { r1: r1.max(3), r2: after_vowel_and_consonant(word, r1) }
    }
}

fn after_vowel_and_consonant(word: &[u8], from: usize) -> usize {
    (from + 1..word.len())
        .find(|&at| !is_vowel(word[at]) && is_vowel(word[at - 1]))
        .map_or(word.len(), |consonant| consonant + 1)
}

/// Drops the first of the suffixes that the word ends with, if it lies in the region. They come longest first.
fn drop_first(word: &mut String, suffixes: &[&'static str], region: usize) -> Option<&'static str> {
    let suffix = *suffixes.iter().find(|suffix| word.ends_with(**suffix))?;
    let at = word.len() - suffix.len();
    (at >= region).then(|| {
        word.truncate(at);
        suffix
    })
}

/// Step 1: the endings of nouns and adjectives.
fn drop_inflection(word: &mut String, regions: Regions) {
    if word.ends_with('s') && !word.ends_with("es") {
        let before = word.as_bytes().get(word.len().wrapping_sub(2)).copied().unwrap_or(0);
        if b"bdfghklmnrt".contains(&before) && word.len() > regions.r1 {
            word.pop();
        }
        return;
    }
    let dropped = drop_first(word, &["ern", "em", "er", "en", "es", "e"], regions.r1);
    if matches!(dropped, Some("en" | "es" | "e")) && word.ends_with("niss") {
        word.pop();
    }
}

/// Step 2: verbs and comparison.
fn drop_comparison(word: &mut String, regions: Regions) {
    if word.ends_with("st") && !word.ends_with("est") {
        // A `t` stays where too little of a word would be left: `Last`.
        let at = word.len() - 2;
        let fits = at >= 4 && b"bdfghklmnt".contains(&word.as_bytes()[at - 1]);
        if fits && at >= regions.r1 {
            word.truncate(at);
        }
        return;
    }
    drop_first(word, &["est", "en", "er"], regions.r1);
}

/// Step 3: derivations such as `-ung` and `-lich`, and those below them.
fn drop_derivation(word: &mut String, regions: Regions) {
    const SUFFIXES: [&str; 8] = ["isch", "lich", "heit", "keit", "end", "ung", "ig", "ik"];
    let Some(suffix) = SUFFIXES.into_iter().find(|suffix| word.ends_with(suffix)) else { return };
    let at = word.len() - suffix.len();
    let after_e = word[..at].ends_with('e');
    if at < regions.r2 || after_e && matches!(suffix, "ig" | "ik" | "isch") {
        return;
    }
    word.truncate(at);
    match suffix {
        "end" | "ung" if !word.ends_with("eig") => drop_first(word, &["ig"], regions.r2),
        "lich" | "heit" => drop_first(word, &["er", "en"], regions.r1),
        "keit" => drop_first(word, &["lich", "ig"], regions.r2),
        _ => None,
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold::fold_to_lower;
    use proptest::prelude::*;
    use rust_stemmers::{Algorithm, Stemmer};

    fn stemmed(word: &str) -> String {
        let mut out = String::from("leftover");
        stem(word, &mut out);
        out
    }

    fn oracle(word: &str) -> String {
        fold_to_lower(&Stemmer::create(Algorithm::German).stem(word))
    }

    #[test]
    fn joins_the_inflections_of_conversation() {
        let families: [&[&str]; 12] = [
            &["garantieren", "garantiere"],
            &["gut", "gute", "guter", "gutes", "guten", "gutem"],
            &["schnell", "schneller", "schnellste", "schnellen"],
            &["kunde", "kunden"],
            &["entschuldigung", "entschuldigungen", "entschuldigen", "entschuldige"],
            &["freundlich", "freundliche", "freundlichen", "freundlichkeit", "freundlicher"],
            &["beschwerde", "beschwerden"],
            &["ergebnis", "ergebnisse", "ergebnissen"],
            &["helfen", "helfe"],
            &["versprechen", "verspreche", "versprechend"],
            &["frage", "fragen", "fragst"],
            &["hassen", "hasse"],
        ];
        for family in families {
            for word in family {
                assert_eq!(stemmed(word), stemmed(family[0]), "{word}");
            }
        }
    }

    #[test]
    fn stems_by_step() {
        for (word, expected) in [
            ("", ""),
            ("am", "am"),
            ("aufeinander", "aufeinand"),
            ("bauen", "bau"),
            ("erlebnisse", "erlebnis"),
            ("autos", "autos"),
            ("tags", "tag"),
            ("last", "last"),
            ("machst", "mach"),
            ("bestatigung", "bestat"),
            ("steigung", "steigung"),
            ("moglichkeit", "moglich"),
            ("Gut", "Gut"),
            ("müde", "müde"),
        ] {
            assert_eq!(stemmed(word), expected, "{word}");
        }
    }

    #[test]
    fn agrees_with_the_oracle_on_chosen_words() {
        for word in CHOSEN.split_whitespace() {
            assert_eq!(stemmed(&fold_to_lower(word)), oracle(word), "{word}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        /// Without `ü`, which Snowball never takes for a consonant: folded, it cannot be told from `u`.
        #[test]
        fn agrees_with_the_oracle_on_any_word(
            word in "[a-zäö]{1,14}|[aeiouybdlnrstgk]{1,7}(bar|ig|lich|heit|keit|niss|isch|end|ung|er|en|e|st){0,3}(em|ern|er|e|en|es|s|st|est)?"
        ) {
            prop_assert_eq!(stemmed(&fold_to_lower(&word)), oracle(&word));
        }

        #[test]
        fn a_stem_begins_its_word(word in "\\PC{0,12}|[a-z]{0,14}") {
            prop_assert!(word.starts_with(&stemmed(&word)));
        }
    }

    const CHOSEN: &str = "
        abgelehnt abhängig ablehnung ähnlichkeiten allgemeine alltäglichen änderungen angebote ängstlich anständige
        antworten ärgerlich aufgebaut aufmerksamkeit äußerst bäume beleidigungen benötigt beschwerden bestätigung
        beständigkeit bezahlung böse dankbarkeit dringend drohungen ehrlichkeit eigenschaften einfacher einverstanden
        enttäuschend entschädigung ergebnisse erklärung erledigen ermäßigung fähigkeiten fehlerhaft feindselig freundinnen
        freiheitlich fröhlichkeit frustriert für fürchterlich garantieren gebühren geduldig gefährlichste gemeinsamkeiten
        geschäftliche gewährleistung glücklichen größten gründlichkeit häufigsten heiterkeit herzlichsten hilfsbereitschaft
        höflichkeit illegalen jämmerlich jüngsten käuflich kenntnisse kostenlos kündigung künftig lächerlich lieferungen
        lösungen mächtige manipulieren meinungen möglichkeiten müssen natürlich neugierig nötigung ordentlich persönlichkeit
        pünktlichkeit quälen rechnungen regelmäßig rücksichtslos rückerstattung schäden schließlich schönste schrecklichen
        selbstverständlich sicherheiten sorgfältig spätestens stärksten störung süßigkeiten tätigkeiten täuschung traurigkeit
        überprüfung übertreibung überzeugend unabhängigkeit unfähig ungeduldige unmöglich unterstützung verärgert verbindlich
        verbrecherisch verfügbarkeit vergünstigungen verlässlich verpflichtung verspätung verständnisvoll verzögerungen
        vorwürfe wahrscheinlichkeit wertschätzung wissenschaftlich würdigen zärtlichkeit zuständigkeiten zuverlässigkeit zufriedenstellend";
}
