//! Small protocols, one for each construct, with the pieces of text that matter to it.

/// A protocol and its pieces.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) language: &'static str,
    /// Further keys of the protocol, each with a comma behind it.
    pub(crate) top: &'static str,
    pub(crate) markers: &'static str,
    pub(crate) pieces: &'static [&'static str],
    /// Whether turns of two people alternate.
    pub(crate) is_dialogue: bool,
}

/// Stands for the end of a turn.
pub(crate) const TURN: &str = "\u{1}";

/// So many of the first of [`GAPS`] go with longer texts, see `Reach`.
pub(crate) const COMMON_GAPS: usize = 7;
/// So many go with the longest texts.
pub(crate) const CORE_GAPS: usize = 2;

/// Every kind of gap, of script and case edge.
pub(crate) const GAPS: &[&str] = &[
    " ", ". ", "! ", "\n", ", ", "a", "。", "A", "? ", "\r\n", "\n\n", "... ", ".", "!", "-", "(", ") ",
    "\" ", "'", "|", "好", "\u{301}", "\u{200d}", "👩", "é", "\u{a0}", "½", "：", "5", "…",
];

const fn case(name: &'static str, markers: &'static str, pieces: &'static [&'static str]) -> Case {
    Case { name, language: "en", top: "", markers, pieces, is_dialogue: false }
}

#[rustfmt::skip]
pub(crate) fn cases() -> Vec<Case> {
    vec![
        case("word", r#"{"label": "m", "mask": "all", "strong": "thanks"}"#, &["thanks", "Thanks", "than", "ks"]),
        case("phrase", r#"{"label": "m", "mask": "all", "strong": "pay (me)? now"}"#, &["pay", "pay ", "me", "now"]),
        case("money", r#"{"label": "m", "mask": "all", "strong": "<money>"}"#, &["$", "$ ", "$ 1234", "€ ", "¥ 50", "1234", "5 ", "USD ", " dollars", "Rs. ", "five "]),
        case("money behind a word", r#"{"label": "m", "mask": "all", "strong": "paid <money>"}"#, &["paid", "$ ", "£ ", "1234", "US$"]),
        case("percent", r#"{"label": "m", "mask": "all", "strong": "<percent>"}"#, &["5", "%", " %", " per", " cent", "ten "]),
        case("number", r#"{"label": "m", "mask": "all", "strong": "<number>"}"#, &["five", " hundred", " and ", "3.", "1,", "two-"]),
        case("date", r#"{"label": "m", "mask": "all", "strong": "<date>"}"#, &["Jan. ", "5", "May ", "2021", "-05-", "12", "th of "]),
        Case { language: "de", ..case("German date", r#"{"label": "m", "mask": "all", "strong": "<date>"}"#, &["5. ", "März", "Dez. ", "2021", " 12"]) },
        Case { language: "es", ..case("Spanish date", r#"{"label": "m", "mask": "all", "strong": "<date>", "clear": "<money>"}"#, &["5", " de ", "mayo", "2021", " euros"]) },
        Case { language: "zh", ..case("Chinese classes", r#"{"label": "m", "mask": "all", "strong": ["<date>", "<money>", "<ordinal>", "<percent>"]}"#, &["5月", "8日", "五", "百分之", "第", "块", "¥ ", "完了"]) },
        case("time and year", r#"{"label": "m", "mask": "all", "strong": ["<time>", "<year>"]}"#, &["12", ":30", " a.m", "pm", "2021", "/"]),
        case("ordinal", r#"{"label": "m", "mask": "all", "strong": "<ordinal>"}"#, &["2", "nd", "second", "twenty ", "first", " a "]),
        case("email", r#"{"label": "m", "mask": "all", "strong": "<email>"}"#, &["bob", "@", "x.org", "_", "o'n", "y.co"]),
        case("url", r#"{"label": "m", "mask": "all", "strong": "<url>"}"#, &["www.", "a.cn", "/好", "http://", "x.it", "?b"]),
        case("phone", r#"{"label": "m", "mask": "all", "strong": "<phone>"}"#, &["+1", "(555) ", "555-010-2030", " ext. ", "x", "12 ", " - "]),
        case("ip", r#"{"label": "m", "mask": "all", "strong": "<ip>"}"#, &["1.2.3.4", ":", "::1", "fe80", "1.2"]),
        case("pan", r#"{"label": "m", "mask": "last4", "strong": "<pan>"}"#, &["4111 1111 1111 1111", "4111 1111 1111 1112", "4111111111111111", " 1111", "-"]),
        case("iban", r#"{"label": "m", "mask": "first2", "strong": "<iban>"}"#, &["DE89 3704 0044 0532 0130", " 00", " 01", "GB82WEST12345698765432"]),
        case("ssn and zip", r#"{"label": "m", "mask": "last4", "strong": ["<ssn>", "<zip>"]}"#, &["123-45-6789", "123 45 6789", "90210", "-1234", "#", "$"]),
        case("class and words", r#"{"label": "m", "mask": "all", "strong": ["call <phone>", "<money> ..1.. now"]}"#, &["call", " (555) 010-2030", "$ 5", "now", " so "]),
        case("short expression", r#"{"label": "m", "mask": "all", "strong": "/x[ .]y/"}"#, &["x", "y", "x y", "xx"]),
        case("long expression", r#"{"label": "m", "mask": "all", "strong": "/(?i)x.{0,6}y/"}"#, &["x", "Y", "xx", "z"]),
        case("edges in an expression", r#"{"label": "m", "mask": "all", "strong": ["/(?m)^x/", "/y$/", "/(?-u:\\b)z(?-u:\\b)/"]}"#, &["x", "y", "z"]),
        case("expression over sentences", r#"{"label": "m", "mask": "last4", "strong": "/x[^q]*y/"}"#, &["x", "y", "q", "xyz"]),
        case("expression in a phrase", r#"{"label": "m", "mask": "all", "strong": "code /[A-Z]\\d+/ ok"}"#, &["code ", "B7", "B", "7", " ok"]),
        case("lazy expression", r#"{"label": "m", "mask": "all", "strong": "/x.*?y|xz/"}"#, &["x", "y", "z", "xz"]),
        case("except", r#"{"label": "m", "mask": "all", "strong": "pay", "except": ["pay later", "do not pay", "no . pay"]}"#, &["pay", "later", "do not ", "no", "pay "]),
        case("except by an expression", r#"{"label": "m", "mask": "all", "strong": "<number>", "except": "/order [\\d ]+|\\d+ later/"}"#, &["order ", "12", "34", " later"]),
        case("except a question", r#"{"label": "m", "mask": "all", "strong": "pay", "except": "<question>"}"#, &["pay", "when ", "?"]),
        case("braces", r#"{"label": "m", "mask": "all", "strong": ["my code is {x}", "pay {_} now"]}"#, &["my ", "code ", "is ", "x", "pay ", " now"]),
        case("braces around a gap", r#"{"label": "m", "mask": "last4", "strong": "pay ..1.. {<number>} so?", "except": "no pay"}"#, &["pay ", "12", "3456", " so", "no "]),
        case("braces behind a class", r#"{"label": "m", "mask": "all", "strong": "<money> {so}", "clear": "{<money>} now"}"#, &["$ ", "12", "so", " now"]),
        case("place in an expression", r#"{"label": "m", "mask": "all", "strong": ["/x (?<place>[a-z]+)( now)?/", "/(?<place>so)? y/"]}"#, &["x ", "so", "now", " y"]),
        case("edges of a sentence", r#"{"label": "m", "mask": "all", "strong": ["<start> pay", "now <end>", "<start> so _ <end>"]}"#, &["pay", "now", "so ", "Dr"]),
        case("masks over each other", r#"{"label": "m", "mask": "first2", "strong": ["pay so", "so now"]}, {"label": "n", "mask": "last4", "strong": "now (pay)?"}"#, &["pay ", "so ", "now ", "pay"]),
        case("exclusion from behind", r#"{"label": "m", "mask": "all", "strong": "pay", "clear": "/no+w/", "except": ["pay so now", "/now?x/"]}"#, &["pay", " so ", "now", "x", "o"]),
        case("what gives way", r#"{"label": "m", "mask": "all", "strong": ["<phone>", "<zip>"]}"#, &["555-010-2030", "@x.org", "www.", "90210", "$ ", "-1234", ".de/"]),
        case("words of two languages", r#"{"label": "m", "mask": "all", "strong": ["好 so", "é _", "pay 好?"]}"#, &["好", "so ", "é ", "pay ", "话"]),
        case("side lines", r#"{"label": "m", "mask": "all", "absent": "now", "when": {"any": "pay ..1.. so"}, "until": "end", "except": "x"}"#, &["pay ", "so ", "now ", "x "]),
        case("negation", r#"{"label": "m", "mask": "all", "negation": "drop", "strong": "good"}"#, &["good", "not ", "never", "without ", "isn't "]),
        case("gap", r#"{"label": "m", "mask": "all", "strong": "pay ..2.. now"}"#, &["pay ", "now", "so ", "x y z "]),
        case("both orders", r#"{"label": "m", "mask": "all", "strong": "pay &1 now"}"#, &["pay ", "now ", "so "]),
        case("any word", r#"{"label": "m", "mask": "all", "strong": ["pay _ $", "^ so _"]}"#, &["pay ", "so ", "x", "12"]),
        case("edges of a turn", r#"{"label": "m", "mask": "all", "strong": ["^ pay", "now $", "^ so"]}"#, &["pay", "now", "so ", "$"]),
        case("question", r#"{"label": "m", "mask": "all", "strong": "<question>"}"#, &["pay", "when ", "?", "?!"]),
        case("word in a question", r#"{"label": "m", "mask": "all", "strong": "pay <question>"}"#, &["pay", "when ", "?"]),
        case("shout", r#"{"label": "m", "mask": "all", "strong": "<shout>"}"#, &["PAY", "NOW", "I ", "pay", "!!", "OK "]),
        case("marks", r#"{"label": "m", "mask": "all", "strong": ["pay , now", ": so", "( x )"]}"#, &["pay", ", ", "now", ": ", "so", "(", "x"]),
        case("word tests", r#"{"label": "m", "mask": "all", "strong": ["pay*", "loves~", "great%1", "\"Now\""]}"#, &["pay", "ment", "loving", "grate", "Now", "now"]),
        case("emoji", r#"{"label": "m", "mask": "all", "strong": ["👩 ok", "👩‍💻"]}"#, &["👩", "\u{200d}", "💻", "ok", "\u{1f3fb}"]),
        case("two masks", r#"{"label": "m", "mask": "last4", "strong": "<number>"}, {"label": "n", "mask": "first2", "strong": "code _ _"}"#, &["code ", "12", "3456", "789012"]),
        Case { top: r#""unfold": ["leet"],"#, ..case("leet", r#"{"label": "m", "mask": "all", "strong": ["pays ab", "sin", "kiss"]}"#, &["p4ys ", "s1n", "s!n", "$", "!", "ab", "ki$$"]) },
        Case { top: r#""unfold": ["repeats"],"#, ..case("repeats", r#"{"label": "m", "mask": "all", "strong": ["so", "mr good"]}"#, &["sooo", "mrrr", "good", "goood", "o"]) },
        Case { top: r#""unfold": ["spaced_letters"],"#, ..case("spaced letters", r#"{"label": "m", "mask": "all", "strong": ["pay", "xy z"]}"#, &["p", "a", "y", "p a y", "x.y.z", "_"]) },
        Case { top: r#""unfold": ["confusables"],"#, ..case("confusables", r#"{"label": "m", "mask": "all", "strong": "pay"}"#, &["р", "аy", "pay", "рау"]) },
        Case { top: r#""unfold": ["spoken_digits"],"#, ..case("spoken digits", r#"{"label": "m", "mask": "all", "strong": ["<phone>", "<money>", "<number>"]}"#, &["five ", "double ", "oh-one-two", "555-01", "$ ", "ext. "]) },
        Case { top: r#""unfold": ["confusables", "leet", "repeats", "spaced_letters", "spoken_digits"],"#, ..case("all disguises", r#"{"label": "m", "mask": "all", "negation": "drop", "strong": ["pay now", "kill", "<money>"], "except": "no pay"}"#, &["p4y ", "no0w", "k!ll", "$ ", "one two ", "N-o-w", "no "]) },
        Case { top: r#""unfold": ["leet"],"#, ..case("disguises and expressions", r#"{"label": "m", "mask": "all", "strong": ["/pay.?/", "\"Pay\""]}"#, &["p4y", "P4y", "pay"]) },
        Case { top: r#""unfold": ["leet"],"#, ..case("folds and expressions", r#"{"label": "m", "mask": "all", "strong": ["/p[ae]y\\b/", "/[.!?]\\s*n.w/", "\"Pay\""], "except": "/\"pay|so$/"}"#, &["p4y", "päy", "pay", "Pây", "”", " now", "n0w", "so"]) },
        Case { top: r#""unfold": ["leet", "spaced_letters"],"#, ..case("disguises and capitals", r#"{"label": "m", "mask": "all", "strong": ["<shout>", "/p.{0,3}y/"]}"#, &["P4Y", "PÄY ", "ŊOW ", "p.a.y", "x4x", "I "]) },
        case("before", r#"{"label": "m", "mask": "all", "strong": "pay", "before": {"any": "now", "within": "2 words"}}"#, &["pay ", "now", "so ", "x "]),
        case("after", r#"{"label": "m", "mask": "all", "strong": "pay", "after": {"any": "now", "within": "1 sentences"}}"#, &["pay", "now", "so "]),
        case("pair", r#"{"label": "m", "strong": "pay", "pair": {"then": "now", "within": "2 sentences", "else": 0.5}}"#, &["pay", "now", "so "]),
        case("flip", r#"{"label": "m", "mask": "all", "strong": "good", "negation": "flip n"}, {"label": "n", "mask": "all", "strong": "bad"}"#, &["good", "not ", "bad", "never "]),
        case("flip to a mask", r#"{"label": "m", "strong": "good", "negation": "flip n"}, {"label": "n", "mask": "all", "strong": "bad"}"#, &["good", "not ", "bad", "never "]),
        Case { is_dialogue: true, ..case("join", r#"{"label": "m", "mask": "last4", "join": "2 turns", "strong": ["<number>", "pay now"]}"#, &["pay ", "now", "12", "3456", TURN]) },
        Case { is_dialogue: true, ..case("absent", r#"{"label": "m", "absent": "now", "when": {"any": "pay"}, "until": "1 turns after when"}"#, &["pay", "now", TURN]) },
        Case { is_dialogue: true, ..case("places", r#"{"label": "m", "mask": "all", "strong": "pay", "where": "last 1 turns"}, {"label": "n", "by": "a", "strong": "now"}"#, &["pay", "now", TURN]) },
        Case { is_dialogue: true, ..case("echo", r#"{"label": "m", "strong": "yes", "echo": {"of": "a", "within": "1 turns", "boost": 0.3}}, {"label": "n", "ratio": {"of": "m", "to": "pay", "full": 2}}"#, &["yes ", "pay", "money ", TURN]) },
    ]
}
