//! The stem of a Spanish word: Snowball's "spanish", adapted to folded text, frozen.
//!
//! Without accents some of its rules would meet other words than they are for. Those are left out or mended:
//! - The future of one person (`comeré`, `comerá`) looks like the present of another verb (`quiere`, `espera`), which is said
//!   far more often; `-eré -erá -erás -erán`, `-iré -irá -irás -irán` and `-aré` are no suffixes here.
//! - `-ió` (`vivió`) looks like the end of a noun (`servicio`). Both lose `io`, and what is left of other forms of the noun
//!   (`servici-os`) loses its final `i`.
//! - `-ís` (`vivís`) looks like the end of `crisis` and is no suffix.
//!
//! A stem keeps the first two letters of its word unless it is shorter; it changes nothing before R2 but for cutting.

/// The pronouns that hang on an infinitive, a gerund or an imperative, longest first.
const PRONOUNS: &[&str] =
    &["selas", "selos", "sela", "selo", "las", "les", "los", "nos", "la", "le", "lo", "me", "se"];

/// What a pronoun hangs on, longest first.
const HOLDERS: &[&str] = &["iendo", "yendo", "ando", "ar", "er", "ir"];

/// What a standard suffix becomes, and what may be dropped before it.
#[derive(Clone, Copy)]
enum Ending {
    /// Goes, in R2.
    Drop,
    /// Goes, in R2, with an `ic` before it.
    DropIc,
    /// `logia` → `log`, in R2.
    Log,
    /// `ucion` → `u`, in R2.
    U,
    /// `encia` → `ente`, in R2.
    Ente,
    /// `amente` goes, in R1, with what it hangs on.
    Amente,
    /// `mente` goes, in R2, with an `ante`, `able` or `ible` before it.
    Mente,
    /// `idad` goes, in R2, with an `abil`, `ic` or `iv` before it.
    Idad,
    /// `iva` goes, in R2, with an `at` before it.
    Iva,
}
use Ending::{Amente, Drop, DropIc, Ente, Idad, Iva, Log, Mente, U};

/// Derivational suffixes, longest first: only the longest of a word is tried.
#[rustfmt::skip]
const STANDARD: &[(&str, Ending)] = &[
    ("amientos", Drop), ("imientos", Drop), ("amiento", Drop), ("imiento", Drop), ("aciones", DropIc),
    ("uciones", U), ("adoras", DropIc), ("adores", DropIc), ("ancias", DropIc), ("encias", Ente),
    ("logias", Log), ("amente", Amente), ("idades", Idad), ("anzas", Drop), ("ismos", Drop), ("ables", Drop),
    ("ibles", Drop), ("istas", Drop), ("adora", DropIc), ("acion", DropIc), ("antes", DropIc),
    ("ancia", DropIc), ("logia", Log), ("ucion", U), ("encia", Ente), ("mente", Mente), ("anza", Drop),
    ("icos", Drop), ("icas", Drop), ("ismo", Drop), ("able", Drop), ("ible", Drop), ("ista", Drop),
    ("osos", Drop), ("osas", Drop), ("ador", DropIc), ("ante", DropIc), ("idad", Idad), ("ivas", Iva),
    ("ivos", Iva), ("ico", Drop), ("ica", Drop), ("oso", Drop), ("osa", Drop), ("iva", Iva), ("ivo", Iva),
];

/// Verb suffixes that begin with y and go after `u`, longest first.
const AFTER_U: &[&str] = &["yeron", "yendo", "yamos", "yais", "yan", "yen", "yas", "yes", "ya", "ye", "yo"];

/// The other verb suffixes, longest first.
#[rustfmt::skip]
const VERB: &[&str] = &[
    "ariamos", "eriamos", "iriamos", "ieramos", "iesemos",
    "ariais", "eriais", "iriais", "aremos", "eremos", "iremos", "ierais", "ieseis", "asteis", "isteis", "abamos",
    "aramos", "asemos",
    "arian", "arias", "areis", "erian", "erias", "ereis", "irian", "irias", "ireis", "ieran", "iesen", "ieron",
    "iendo", "ieras", "ieses", "abais", "arais", "aseis", "iamos",
    "aria", "eria", "iria", "iera", "iese", "aste", "iste", "aban", "aran", "asen", "aron", "ando", "abas",
    "adas", "idas", "aras", "ases", "iais", "ados", "idos", "amos", "imos", "emos",
    "aba", "ada", "ida", "ara", "ase", "ian", "ado", "ido", "ias", "ais", "eis",
    "ia", "ad", "ed", "id", "an", "io", "ar", "er", "ir", "as", "en", "es",
];

/// Writes the stem of `word` into `out`, replacing what was there. Keep `out` between calls and nothing is allocated.
///
/// `word` is one folded word in lower case. A word with upper-case or non-ASCII letters is its own stem.
pub fn stem(word: &str, out: &mut String) {
    out.clear();
    out.push_str(word);
    if word.bytes().any(|b| !b.is_ascii() || b.is_ascii_uppercase()) {
        return;
    }
    let regions = Regions::of(word.as_bytes());
    drop_pronoun(out, regions);
    if !drop_standard(out, regions) && !drop_after_u(out, regions) {
        drop_verb(out, regions);
    }
    drop_residue(out, regions);
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u')
}

/// Where RV, R1 and R2 start, in bytes.
#[derive(Clone, Copy)]
struct Regions {
    rv: usize,
    r1: usize,
    r2: usize,
}

impl Regions {
    fn of(word: &[u8]) -> Self {
        let r1 = after_vowel_and_consonant(word, 0);
        Self { rv: rv(word), r1, r2: after_vowel_and_consonant(word, r1) }
    }
}

/// After two consonants or a vowel and a consonant, behind the next vowel; after two vowels, behind the next
/// consonant; otherwise behind the third letter.
fn rv(word: &[u8]) -> usize {
    let behind = |vowel: bool| {
        let rest = word.iter().skip(2).position(|&letter| is_vowel(letter) == vowel);
        rest.map_or(word.len(), |at| at + 3)
    };
    match word {
        [_, second, ..] if !is_vowel(*second) => behind(true),
        [first, _, ..] if is_vowel(*first) => behind(false),
        _ => word.len().min(3),
    }
}

fn after_vowel_and_consonant(word: &[u8], from: usize) -> usize {
    (from + 1..word.len())
        .find(|&at| !is_vowel(word[at]) && is_vowel(word[at - 1]))
        .map_or(word.len(), |consonant| consonant + 1)
}

/// The first of the suffixes that the word ends with; they come longest first.
fn ending(word: &str, suffixes: &[&'static str]) -> Option<&'static str> {
    suffixes.iter().copied().find(|suffix| word.ends_with(suffix))
}

/// Drops the first of the suffixes that the word ends with, if it lies in the region.
fn drop_first(word: &mut String, suffixes: &[&'static str], region: usize) -> bool {
    let Some(suffix) = ending(word, suffixes) else { return false };
    let at = word.len() - suffix.len();
    if at >= region {
        word.truncate(at);
    }
    at >= region
}

/// Step 0: `darles` is `dar`.
fn drop_pronoun(word: &mut String, regions: Regions) {
    let Some(pronoun) = ending(word, PRONOUNS) else { return };
    let at = word.len() - pronoun.len();
    let Some(holder) = ending(&word[..at], HOLDERS) else { return };
    let hangs = at - holder.len();
    if hangs >= regions.rv && (holder != "yendo" || word[..hangs].ends_with('u')) {
        word.truncate(at);
    }
}

/// Step 1: derivations. Says whether one went.
fn drop_standard(word: &mut String, regions: Regions) -> bool {
    let Some(&(suffix, ending)) = STANDARD.iter().find(|(suffix, _)| word.ends_with(suffix)) else {
        return false;
    };
    let at = word.len() - suffix.len();
    let region = if matches!(ending, Amente) { regions.r1 } else { regions.r2 };
    if at < region {
        return false;
    }
    word.truncate(at);
    let r2 = regions.r2;
    match ending {
        Drop => {}
        DropIc => drop(drop_first(word, &["ic"], r2)),
        Log => word.push_str("log"),
        U => word.push('u'),
        Ente => word.push_str("ente"),
        Amente => {
            if word.ends_with("iv") {
                if drop_first(word, &["iv"], r2) {
                    drop_first(word, &["at"], r2);
                }
            } else {
                drop_first(word, &["os", "ic", "ad"], r2);
            }
        }
        Mente => drop(drop_first(word, &["ante", "able", "ible"], r2)),
        Idad => drop(drop_first(word, &["abil", "ic", "iv"], r2)),
        Iva => drop(drop_first(word, &["at"], r2)),
    }
    true
}

/// Step 2a: `construyen`. Says whether one went.
fn drop_after_u(word: &mut String, regions: Regions) -> bool {
    let Some(suffix) = ending(&word[regions.rv.min(word.len())..], AFTER_U) else { return false };
    let at = word.len() - suffix.len();
    let fits = word[..at].ends_with('u');
    if fits {
        word.truncate(at);
    }
    fits
}

/// Step 2b: the endings of verbs.
fn drop_verb(word: &mut String, regions: Regions) {
    let Some(suffix) = ending(&word[regions.rv.min(word.len())..], VERB) else { return };
    word.truncate(word.len() - suffix.len());
    if matches!(suffix, "en" | "es" | "eis" | "emos") && word.ends_with("gu") {
        word.pop();
    }
}

/// Step 3: the endings of nouns, and the `i` that `-io` and `-ia` leave of their other forms.
fn drop_residue(word: &mut String, regions: Regions) {
    let rv = regions.rv;
    if drop_first(word, &["e"], rv) {
        if word.ends_with("gu") && word.len() > rv {
            word.pop();
        }
        return;
    }
    drop_first(word, &["os", "a", "o"], rv);
    drop_first(word, &["i"], rv);
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
        fold_to_lower(&Stemmer::create(Algorithm::Spanish).stem(word))
    }

    #[test]
    fn joins_the_inflections_of_conversation() {
        let families: [&[&str]; 12] = [
            &[
                "comprar",
                "compro",
                "compras",
                "compra",
                "compramos",
                "compraba",
                "comprando",
                "comprarlo",
                "comprado",
            ],
            &[
                "prometer",
                "prometo",
                "prometes",
                "prometemos",
                "prometiendo",
                "prometido",
                "prometio",
                "prometia",
            ],
            &["vivir", "vivo", "vivimos", "viviendo", "vivio", "vivido"],
            &["quiere", "quiero", "quieren", "quieres"],
            &["considerar", "considera", "considero", "consideran", "consideramos"],
            &["servicio", "servicios"],
            &["noticia", "noticias"],
            &["amigo", "amiga", "amigos", "amigas"],
            &["gracias", "gracia"],
            &["garantizar", "garantizo", "garantizamos", "garantizado"],
            &["amable", "amables"],
            &["facil", "faciles"],
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
            ("a", "a"),
            ("comprarles", "compr"),
            ("diciendome", "dic"),
            ("construyendo", "constru"),
            ("rapidamente", "rapid"),
            ("posibilidades", "posibil"),
            ("informacion", "inform"),
            ("constitucion", "constitu"),
            ("presencia", "presenc"),
            ("experiencia", "experient"),
            ("paguen", "pag"),
            ("Casa", "Casa"),
            ("niño", "niño"),
        ] {
            assert_eq!(stemmed(word), expected, "{word}");
        }
    }

    /// Where no accent tells words apart, the stem is Snowball's, but for its final `i`.
    #[test]
    fn agrees_with_the_oracle_on_chosen_words() {
        for word in CHOSEN.split_whitespace() {
            assert_eq!(stemmed(&fold_to_lower(word)), oracle(word).trim_end_matches('i'), "{word}");
        }
    }

    #[test]
    fn longer_suffixes_come_first() {
        let longest_first = |list: &[&str]| list.windows(2).all(|pair| pair[0].len() >= pair[1].len());
        assert!(
            longest_first(PRONOUNS)
                && longest_first(HOLDERS)
                && longest_first(AFTER_U)
                && longest_first(VERB)
        );
        assert!(STANDARD.windows(2).all(|pair| pair[0].0.len() >= pair[1].0.len()));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn keeps_the_beginning_of_its_word(word in "\\PC{0,12}|[a-z]{0,14}|[aeiourntcsd]{0,6}(encia|logia|ucion|iendo|ar){0,2}(les|s|me)?") {
            let stem = stemmed(&word);
            let kept = 2.min(stem.len()).min(word.len());
            prop_assert_eq!(&stem.as_bytes()[..kept], &word.as_bytes()[..kept]);
            // What prefilters by first letters asks of every stemmer: all but the last two letters begin the word.
            prop_assert!(word.as_bytes().starts_with(&stem.as_bytes()[..stem.len().saturating_sub(2)]));
        }
    }

    const CHOSEN: &str = "
        abandonado aburrido aceptable acciones acuerdos admiración advertencias afortunadamente agradecimiento agresivos
        ahorramos ambiciosas amenazas análisis anunciaron apoyando aprendizaje argumentos atención ayudarle bancarios
        bienvenidos cancelaciones cansada capacidades casos celebramos cobrados comunidades condiciones confianza
        construcción contentos contratos creencias cuentas culpables decisiones dedicados defendiendo demoras derechos
        desgraciadamente desesperados dinero disculpas disgustado educados efectivamente eficiente elegantes emocionantes
        enfadados engañado entregas equivocados errores escuchando esperanza estafadores estupendo excelentes
        exigencias explicaciones facturas felicidades garantizados generosamente groseros horribles humanidad
        ignorantes importantes imposibles indiferencia injustamente insultando inteligentes intenciones interesados lamentable
        lentamente llamando maravillosos mentirosos molestias necesitamos normalmente obligaciones odiosos ofensivas olvidado
        opiniones pagando paciencia peligrosos perfectamente permitiendo personas placeres preguntas preocupado probablemente
        problemas profesionales promesas protegidos quejas realmente reclamaciones recomendable reembolsos respetuosos respuestas
        sarcasmo satisfechos seguridad sinceramente solamente soluciones terribles tolerancia tranquilamente tristeza urgentes
        utilizando valientes verdaderos violentas voluntades";
}
