//! The stem of an English word: the Porter2 algorithm (Snowball's "english"), frozen.
//!
//! Snowball's English stemmer changes from release to release; a reading must not. This follows the revision that
//! stood from November 2006 until the releases 2.x (beginnings `gener`, `commun` and `arsen`; `adding` → `ad`), because
//! most other implementations are of that revision and can be compared with it. Release 3.0 of 2025 added exceptions.
//!
//! **What a stem keeps of its word**, for whoever prefilters by first letters: a stem never changes the first byte of
//! a word, except that one leading apostrophe is removed from words of three bytes and more. The second byte is kept
//! too unless the stem is shorter (`a's` → `a`, `aing` → `a`) or the word is `dying`, `lying` or `tying`. Why: the
//! suffixes of steps 2 to 5 lie in R1, which starts no earlier than the third byte. Step 1 only shortens, but for a
//! final `y` behind the second byte, which becomes `i`, and for an `e` it appends; `ed` and `ing` must leave a vowel
//! before them, `s` a vowel and one more letter, so only `'s` behind an apostrophe leaves nothing (`''s`).

/// Words whose stem no rule finds, sorted.
const SPECIAL: &[(&str, &str)] = &[
    ("andes", "andes"),
    ("atlas", "atlas"),
    ("bias", "bias"),
    ("cosmos", "cosmos"),
    ("dying", "die"),
    ("early", "earli"),
    ("gently", "gentl"),
    ("howe", "howe"),
    ("idly", "idl"),
    ("lying", "lie"),
    ("news", "news"),
    ("only", "onli"),
    ("singly", "singl"),
    ("skies", "sky"),
    ("skis", "ski"),
    ("sky", "sky"),
    ("tying", "tie"),
    ("ugly", "ugli"),
];

/// Words that are their own stem once a plural `s` is gone, sorted.
const FINISHED: &[&str] =
    &["canning", "earring", "exceed", "herring", "inning", "outing", "proceed", "succeed"];

/// Beginnings that reach up to R1 although the vowels alone would start it earlier.
const LONG_BEGINNINGS: &[&str] = &["arsen", "commun", "gener"];

/// The part of the word in which a suffix must lie.
#[derive(Clone, Copy)]
enum Region {
    R1,
    R2,
}
use Region::{R1, R2};

/// A suffix, what replaces it, where it must lie, and the letters it may follow ("" = any).
struct Rule {
    suffix: &'static str,
    replacement: &'static str,
    region: Region,
    after: &'static str,
}

const fn rule(suffix: &'static str, replacement: &'static str, region: Region) -> Rule {
    Rule { suffix, replacement, region, after: "" }
}

const fn rule_after(
    after: &'static str,
    suffix: &'static str,
    replacement: &'static str,
    region: Region,
) -> Rule {
    Rule { suffix, replacement, region, after }
}

/// Step 2: derivational suffixes become simpler ones. Longest first: only the longest suffix of a word is tried.
const STEP_2: &[Rule] = &[
    rule("ational", "ate", R1),
    rule("fulness", "ful", R1),
    rule("iveness", "ive", R1),
    rule("ization", "ize", R1),
    rule("ousness", "ous", R1),
    rule("biliti", "ble", R1),
    rule("lessli", "less", R1),
    rule("tional", "tion", R1),
    rule("alism", "al", R1),
    rule("aliti", "al", R1),
    rule("ation", "ate", R1),
    rule("entli", "ent", R1),
    rule("fulli", "ful", R1),
    rule("iviti", "ive", R1),
    rule("ousli", "ous", R1),
    rule("abli", "able", R1),
    rule("alli", "al", R1),
    rule("anci", "ance", R1),
    rule("ator", "ate", R1),
    rule("enci", "ence", R1),
    rule("izer", "ize", R1),
    rule("bli", "ble", R1),
    rule_after("l", "ogi", "og", R1),
    rule_after("cdeghkmnrt", "li", "", R1),
];

/// Step 3: the next layer of derivational suffixes, longest first.
const STEP_3: &[Rule] = &[
    rule("ational", "ate", R1),
    rule("tional", "tion", R1),
    rule("alize", "al", R1),
    rule("ative", "", R2),
    rule("icate", "ic", R1),
    rule("iciti", "ic", R1),
    rule("ical", "ic", R1),
    rule("ness", "", R1),
    rule("ful", "", R1),
];

/// Step 4: what may be dropped from a word long enough, longest first.
const STEP_4: &[Rule] = &[
    rule("ement", "", R2),
    rule("able", "", R2),
    rule("ance", "", R2),
    rule("ence", "", R2),
    rule("ible", "", R2),
    rule("ment", "", R2),
    rule("ant", "", R2),
    rule("ate", "", R2),
    rule("ent", "", R2),
    rule_after("st", "ion", "", R2),
    rule("ism", "", R2),
    rule("iti", "", R2),
    rule("ive", "", R2),
    rule("ize", "", R2),
    rule("ous", "", R2),
    rule("al", "", R2),
    rule("er", "", R2),
    rule("ic", "", R2),
];

/// Writes the stem of `word` into `out`, replacing what was there. Keep `out` between calls and nothing is allocated.
///
/// `word` is one folded word: lower case, `'` as its apostrophe. A word with upper-case or non-ASCII letters, and one
/// of fewer than three bytes, is its own stem. The stem is empty only for `''s` and `''s'`.
pub fn stem(word: &str, out: &mut String) {
    out.clear();
    if let Ok(at) = SPECIAL.binary_search_by_key(&word, |&(from, _)| from) {
        out.push_str(SPECIAL[at].1);
        return;
    }
    if word.len() < 3 || word.bytes().any(|b| !b.is_ascii() || b.is_ascii_uppercase()) {
        out.push_str(word);
        return;
    }
    out.push_str(word.strip_prefix('\'').unwrap_or(word));
    let regions = Regions::of(out.as_bytes());

    drop_possessive(out);
    drop_plural(out);
    if FINISHED.contains(&out.as_str()) {
        return;
    }
    drop_participle(out, regions);
    soften_final_y(out);
    regions.apply(STEP_2, out);
    regions.apply(STEP_3, out);
    regions.apply(STEP_4, out);
    drop_final_e_or_l(out, regions);
}

/// Where R1 and R2 start, in bytes. R1 is what follows the first consonant after a vowel, R2 the same within R1.
/// Both stay where they were in the whole word while the word shrinks.
#[derive(Clone, Copy)]
struct Regions {
    r1: usize,
    r2: usize,
}

impl Regions {
    fn of(word: &[u8]) -> Self {
        let beginning = LONG_BEGINNINGS.iter().find(|b| word.starts_with(b.as_bytes()));
        let r1 = beginning.map_or_else(|| after_vowel_and_consonant(word, 0), |b| b.len());
        Self { r1, r2: after_vowel_and_consonant(word, r1) }
    }

    fn start(self, region: Region) -> usize {
        match region {
            R1 => self.r1,
            R2 => self.r2,
        }
    }

    /// Applies the one rule whose suffix is the longest that `word` ends with, if its conditions hold.
    fn apply(self, rules: &[Rule], word: &mut String) {
        let Some(rule) = rules.iter().find(|rule| word.ends_with(rule.suffix)) else { return };
        let at = word.len() - rule.suffix.len();
        let follows =
            || word.as_bytes()[..at].last().is_some_and(|before| rule.after.as_bytes().contains(before));
        if at >= self.start(rule.region) && (rule.after.is_empty() || follows()) {
            word.truncate(at);
            word.push_str(rule.replacement);
        }
    }
}

/// The position behind the first consonant that follows a vowel at or after `from`; the end if there is none.
fn after_vowel_and_consonant(word: &[u8], from: usize) -> usize {
    (from + 1..word.len())
        .find(|&at| !is_vowel(word, at) && is_vowel(word, at - 1))
        .map_or(word.len(), |consonant| consonant + 1)
}

/// Is the letter at `at` a vowel? `y` is one unless it starts the word or follows a vowel.
fn is_vowel(word: &[u8], at: usize) -> bool {
    match word[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => true,
        b'y' => at > 0 && !is_vowel(word, at - 1),
        _ => false,
    }
}

fn has_vowel(word: &[u8]) -> bool {
    (0..word.len()).any(|at| is_vowel(word, at))
}

/// Does `word` end in a short syllable: consonant, vowel, consonant other than w, x and y; or is it just a vowel
/// and a consonant?
fn ends_short(word: &[u8]) -> bool {
    let Some(last) = word.len().checked_sub(1) else { return false };
    if last == 0 || is_vowel(word, last) || !is_vowel(word, last - 1) {
        return false;
    }
    last == 1 || !is_vowel(word, last - 2) && !matches!(word[last], b'w' | b'x' | b'y')
}

/// Step 1a, first half: `'`, `'s` and `'s'`.
fn drop_possessive(word: &mut String) {
    if let Some(suffix) = ["'s'", "'s", "'"].iter().find(|suffix| word.ends_with(**suffix)) {
        word.truncate(word.len() - suffix.len());
    }
}

/// Step 1a, second half: the plural or third-person `s`, and `ied`.
fn drop_plural(word: &mut String) {
    if word.ends_with("sses") {
        word.truncate(word.len() - 2);
    } else if word.ends_with("ied") || word.ends_with("ies") {
        // `cries` loses `es`, the shorter `ties` only `s`.
        word.truncate(word.len() - if word.len() > 4 { 2 } else { 1 });
    } else if word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") {
        // A vowel directly before the `s` does not count: `gas` and `this` are no plurals.
        let stem = &word.as_bytes()[..word.len() - 1];
        if stem.split_last().is_some_and(|(_, before)| has_vowel(before)) {
            word.pop();
        }
    }
}

/// Step 1b: `ed` and `ing`, with or without `ly`, and what their removal leaves to be mended.
fn drop_participle(word: &mut String, regions: Regions) {
    const SUFFIXES: [&str; 6] = ["eedly", "ingly", "edly", "eed", "ing", "ed"];
    let Some(suffix) = SUFFIXES.into_iter().find(|suffix| word.ends_with(suffix)) else { return };
    let at = word.len() - suffix.len();
    if suffix.starts_with("ee") {
        if at >= regions.r1 {
            word.truncate(at + 2);
        }
        return;
    }
    if !has_vowel(&word.as_bytes()[..at]) {
        return;
    }
    word.truncate(at);
    match word.as_bytes() {
        [.., b'a', b't'] | [.., b'b', b'l'] | [.., b'i', b'z'] => word.push('e'),
        [.., a, b] if a == b && b"bdfgmnprt".contains(b) => word.truncate(at - 1),
        left if at == regions.r1 && ends_short(left) => word.push('e'),
        _ => {}
    }
}

/// Step 1c: `y` after a consonant that does not start the word becomes `i`.
fn soften_final_y(word: &mut String) {
    if word.len() > 2 && word.ends_with('y') && !is_vowel(word.as_bytes(), word.len() - 2) {
        word.pop();
        word.push('i');
    }
}

/// Step 5: a final `e` that no short syllable needs, and the second `l` of a long word.
fn drop_final_e_or_l(word: &mut String, regions: Regions) {
    let Some((last, before)) = word.as_bytes().split_last() else { return };
    let at = before.len();
    let drop = match last {
        b'e' => at >= regions.r2 || at >= regions.r1 && !ends_short(before),
        b'l' => at >= regions.r2 && before.last() == Some(&b'l'),
        _ => false,
    };
    if drop {
        word.truncate(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rust_stemmers::{Algorithm, Stemmer};

    fn stemmed(word: &str) -> String {
        let mut out = String::from("leftover");
        stem(word, &mut out);
        out
    }

    fn oracle(word: &str) -> String {
        Stemmer::create(Algorithm::English).stem(word).into_owned()
    }

    /// What the module promises of the first two bytes.
    fn keeps_its_beginning(word: &str) -> bool {
        let stem = stemmed(word);
        let whole = word.len() < 3 || !word.is_ascii() || word.bytes().any(|b| b.is_ascii_uppercase());
        let word = if whole { word } else { word.strip_prefix('\'').unwrap_or(word) };
        let kept = match word {
            "dying" | "lying" | "tying" => 1,
            _ => 2.min(stem.len()).min(word.len()),
        };
        stem.as_bytes()[..kept] == word.as_bytes()[..kept] && (kept > 0 || ["", "'s", "'s'"].contains(&word))
    }

    #[test]
    fn stems_by_step() {
        let cases = [
            // Special words, and words that are too short.
            ("skies", "sky"),
            ("dying", "die"),
            ("gently", "gentl"),
            ("news", "news"),
            ("is", "is"),
            ("", ""),
            // 1a: possessive and plural.
            ("dog's", "dog"),
            ("dogs'", "dog"),
            ("caresses", "caress"),
            ("cries", "cri"),
            ("ties", "tie"),
            ("gas", "gas"),
            ("gaps", "gap"),
            ("kiwis", "kiwi"),
            ("bus", "bus"),
            ("innings", "inning"),
            // 1b: participles.
            ("agreed", "agre"),
            ("feed", "feed"),
            ("hopping", "hop"),
            ("hoping", "hope"),
            ("luxuriating", "luxuri"),
            ("sing", "sing"),
            ("falling", "fall"),
            ("adding", "ad"),
            ("hissing", "hiss"),
            ("fixed", "fix"),
            // 1c: y.
            ("happy", "happi"),
            ("by", "by"),
            ("say", "say"),
            ("cry", "cri"),
            ("yyyy", "yyyi"),
            // 2 and 3: derivations.
            ("relational", "relat"),
            ("sensibility", "sensibl"),
            ("analogy", "analog"),
            ("pedagogi", "pedagogi"),
            ("geology", "geolog"),
            ("quickly", "quick"),
            ("really", "realli"),
            ("hopefulness", "hope"),
            ("electricity", "electr"),
            ("formative", "format"),
            ("goodness", "good"),
            // 4 and 5: long words.
            ("adjustment", "adjust"),
            ("replacement", "replac"),
            ("adoption", "adopt"),
            ("opinion", "opinion"),
            ("generally", "general"),
            ("communication", "communic"),
            ("arsenal", "arsenal"),
            ("rate", "rate"),
            ("controlling", "control"),
            ("roll", "roll"),
            ("knock", "knock"),
            ("consistency", "consist"),
        ];
        for (word, expected) in cases {
            assert_eq!(stemmed(word), expected, "{word}");
        }
    }

    #[test]
    fn leaves_alone_what_is_not_folded_ascii() {
        for word in ["café", "naïvetés", "Running", "müdes", "кошки", "'é'"] {
            assert_eq!(stemmed(word), word);
        }
    }

    #[test]
    fn joins_the_inflections_of_conversation() {
        let families: [&[&str]; 7] = [
            &["promise", "promises", "promised", "promising"],
            &["worry", "worries", "worried"],
            &["agree", "agrees", "agreed", "agreeing"],
            &["stop", "stops", "stopped", "stopping"],
            &["apologize", "apologizes", "apologized", "apologizing"],
            &["complaint", "complaints", "complaint's"],
            &["try", "tries", "tried"],
        ];
        for family in families {
            for word in family {
                assert_eq!(stemmed(word), stemmed(family[0]), "{word}");
            }
        }
    }

    #[test]
    fn agrees_with_the_oracle_on_chosen_words() {
        assert!(CHOSEN.split_whitespace().count() > 400);
        for word in CHOSEN.split_whitespace() {
            assert_eq!(stemmed(word), oracle(word), "{word}");
            assert!(keeps_its_beginning(word), "{word}");
        }
    }

    /// Every combination of a few roots and up to three suffixes, so that each pair of steps meets.
    #[test]
    fn agrees_with_the_oracle_on_stacked_suffixes() {
        let suffixes: Vec<&str> = [STEP_2, STEP_3, STEP_4]
            .into_iter()
            .flatten()
            .map(|rule| rule.suffix)
            .chain([
                "", "'s", "'", "s", "ies", "ied", "sses", "ed", "edly", "eed", "eedly", "ing", "ingly", "y",
                "e", "ll",
            ])
            .collect();
        for root in ["", "a", "y", "'", "ab", "hop", "gener", "nation", "sky", "eyed", "control"] {
            for first in &suffixes {
                for second in &suffixes {
                    let word = format!("{root}{first}{second}");
                    assert_eq!(stemmed(&word), oracle(&word), "{word}");
                    assert!(keeps_its_beginning(&word), "{word}");
                }
            }
        }
    }

    /// All short words over the letters that the rules on beginnings look at.
    #[test]
    fn agrees_with_the_oracle_on_all_short_words() {
        const LETTERS: &[u8] = b"'adeginsty";
        for length in 1..=5u32 {
            for mut number in 0..LETTERS.len().pow(length) {
                let mut word = String::new();
                for _ in 0..length {
                    word.push(char::from(LETTERS[number % LETTERS.len()]));
                    number /= LETTERS.len();
                }
                assert_eq!(stemmed(&word), oracle(&word), "{word}");
                assert!(keeps_its_beginning(&word), "{word}");
            }
        }
    }

    #[test]
    fn rules_are_tried_longest_first() {
        for rules in [STEP_2, STEP_3, STEP_4] {
            assert!(rules.windows(2).all(|pair| pair[0].suffix.len() >= pair[1].suffix.len()));
        }
        assert!(SPECIAL.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn agrees_with_the_oracle_on_any_word(word in "[a-z']{1,20}") {
            prop_assert_eq!(stemmed(&word), oracle(&word));
        }

        #[test]
        fn agrees_with_the_oracle_on_vowel_rich_words(
            word in "'?[aeiouybdlnrst]{0,6}(at|bl|iz|tt|l|e|y)?(ed|ing|ly|s|ment|ation|ness|ive|'s){0,3}"
        ) {
            prop_assert_eq!(stemmed(&word), oracle(&word));
        }

        #[test]
        fn takes_any_text_and_keeps_its_beginning(word in "\\PC{0,12}|[ -~]{0,12}|[a-z']{0,12}") {
            prop_assert!(keeps_its_beginning(&word));
        }
    }

    /// Words of conversation, of every shape the rules know.
    const CHOSEN: &str = "
        'cause 'tis abandoned ability absolutely abusive accept acceptable acceptance accepted accidentally
        accommodate account accountability accusation accused achieve achievement acknowledge
        acknowledgement acting action actively actually adding addition address adequately adjust admission
        admitted advice affected afraid agency agents' aggressive agreeable agreement alarming alienated
        allegedly allowed almost already amazing ambitious amusing analogous analysis anger angrily
        annoyance annoyed answering anxiety anxious anybody apologetic apologies apology apparently
        appreciate appreciation appreciative approach appropriately argued arguing argument arising
        arrogance ashamed asking assertive assistance assistant assumption assured attacking attentive
        attitude authority avoidance awful balanced banning basically beautiful begging beginning behaved
        behaviour believable believed betrayal bitterness blaming boring boss's bossy bothered boundaries
        bravely broken bullying busiest business calmly can't cancellation cancelled capability careful
        carelessness caring caused celebrate certainly challenges changing charity cheated checked choices
        clarified clarity classified clearly coercion collaboration comfortable commitment committed common
        communal communicated community comparison compassion competent complaining completely compliance
        complicated compromise concerned concession conclusion condescending confessed confidence
        conflicting confusion connected conscience considerate consistently constantly constructive
        consultation contempt continuously contradiction conversation conviction cooperate correctly
        couldn't counselling courage created criminal criticism cruelly crying curiosity customer's
        customers daily damaged dangerous deadlines dealing debated deceived decision decisively dedication
        deeply defensive definitely delayed deliberately delivered demanding denied dependable depressed
        describing desperately destroyed determination devastated difference difficulty digested dignity
        diligent directive disagreement disappointment discouraging discussion disgusted dishonesty
        dismissive disrespectful distressed doesn't don't doubtful dreadful drugged dying eagerly earlier
        early earring easily eating effectively egging elderly emotional empathic empathy employer emptiness
        encouragement ending engagement enjoyable enormous entirely equally escalation especially ethical
        evening eventually everybody evidence exactly exaggerated exceedingly excellent exception excitement
        exclusively excuses exhausted expectation experienced explanation explicitly exploited expressing
        extremely failing fairness faithfully familiar fantastic fearful feedback feelings fighting finally
        firmly fitted flattered flexible flying focused foolish forgave forgetting forgiveness formally
        fortunately freedom frequently friendliness frightened frustrating fulfilled fully furious
        generalization generated generosity gentle genuinely getting gladly goodness gracefully gradually
        grateful gratitude greedy grieving guaranteed guidance guilty happened happiest happiness harassment
        hardship harmful hatefully having healing hearing heavily helpfulness helpless heroic hesitant
        hesitation hidden holiness honestly hopefully hopelessness hostility huge humiliated humility
        humorous hurried hurting hypocrisy i'm identified ignorance illness imagined immediately impatience
        impolite importance impossible impressed improvement inability inappropriate inclusive increasingly
        incredibly independence indifferent individual influential informative inning innocence inquiries
        insisted inspiration instance insulted integrity intelligent intensely intention interesting
        interrupted intimacy introduction invitation involved ironically irrelevant irritated isolation it's
        james' jealousy joking joyful judgemental judging justice justification keenly kidding kindly knees
        knowledge lacking lately laughing lazily leadership learned leaving let's liable liberties lied lies
        likely listened logically loneliness longing looked loosely loudly loving loyalty lucky lying
        madness making management manipulative marginalized massively meaningful measurable meetings
        memories merciful mildly miserable misleading mistaken misunderstanding modesty momentary monitoring
        motivational mutual mysterious naively namely nastiness national naturally necessary necessities
        needed neglected negotiation nervously nicest noisy normally noticed o'clock obedience objective
        obligations obviously occasionally occurred offended offensively offering officially omitted only
        openness opinion opportunities opposition optimistic organization originally ought outing outrageous
        overcoming owned pained panicking partially participation passionately patience paying peacefully
        perceived perfectly permission persistent personality persuasion petty planned playful pleasantly
        pleasure plenty politeness popularity positively possession possibilities powerful practically
        praised precisely preferable prejudices preparation presence pressured pretended preventive
        previously pride principled privacy probably proceeded profitable progressive promised promotional
        proposals protected proudly proven provocation punishing purposely qualified quarrelling questioned
        quickly quitting racist radically raised rapidly rarely rationalize reaching readiness realistically
        realization reasonable reassuring rebellious receiving recognized recommendation reconsider recovery
        reduced referring reflected refusal regretted rejection relationship relative relaxed reliability
        relieved religious reluctantly remaining reminded removal repeatedly replying representation
        requests resentment resignation resolved respectful responsibility responsive restless revealed
        revenge ridiculous rightly robbed rudeness ruined running sacrifices sadness safely sarcasm
        satisfaction satisfied saying scared scheduled secretly selfishness sensational sensitivity
        separately seriously services settled severely shameful sharing shocking shortly shouted sickening
        sighing significance silently similarities simplified sincerely singly sitting sizes skepticism
        skies skis slightly slipped smiling socially solution somebody sorrow speaking specifically
        spitefully spying stability started stated stealing stepped stopping strangely strengths stressed
        strictly strongly struggles stubbornness studied stupidity submission succeeding successfully
        suddenly suffering suggestion suitable summarized supportive supposedly surely surprised suspicious
        sympathetic talented talkative teaching temporarily tended terribly terrified thankful theirs
        they've thinking thoroughly thoughtfulness threatening throwing tidied tied tired tolerance totally
        touched toxic traditional tragedies traumatic treatment tremendously tried troubling truly trusted
        trustworthiness trying tying typically ugly unacceptable unbelievable uncertainty uncomfortable
        understandable unfairness unfortunately ungrateful unhappiness unnecessarily unreasonable upsetting
        urgency useless usually vaguely validation valued various verified victory viewing violated violence
        virtually visibly vision vitally voluntarily vulnerable waited wanted warmth wasted we'll weakness
        wearily weighing welcoming what's whatever wholly willingness wisdom wishes withdrawal witnessed
        won't wonderful wondering working worried worsened worthless wrongly y'all yelled yelling yesterday
        yielding you'd yours youthful zealous
    ";
}
