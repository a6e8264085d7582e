//! German: words as data, folded (`für` is `fur`, `weiß` is `weiss`).

use super::{
    Language, Negation, NumberedWords, Script, Words, german_frequency::FREQUENCY, german_stem::stem,
};

/// German.
pub static GERMAN: Language = Language {
    code: "de",
    version: "de-1",
    script: Script::Latin,
    function_words: FUNCTION_WORDS,
    homographs: HOMOGRAPHS,
    negation: Negation {
        cues: CUES,
        post_cues: POST_CUES,
        not_cues: NOT_CUES,
        stops: STOPS,
        post_stops: POST_STOPS,
        commas_stop: false,
    },
    abbreviations: ABBREVIATIONS,
    number_abbreviations: NUMBER_ABBREVIATIONS,
    frequency: FREQUENCY,
    spoken_digits: SPOKEN_DIGITS,
    digit_multipliers: DIGIT_MULTIPLIERS,
    stem: Some(stem),
};

/// Left out: what English, Dutch or a Romance language writes as often (`am`, `an`, `also`, `in`, `so`, `was`, `will`).
const FUNCTION_WORDS: Words = Words::new(
    "aber, alle, allem, allen, aller, alles, als, ander, andere, anderen, anders, auch, auf, aus, bei, beim,
    bin, bis, bist, bitte, da, dabei, dadurch, dafur, dagegen, daher, damit, danach, danke, dann, daran,
    darauf, daraus, darf, darin, daruber, darum, das, dass, davon, dazu, dein, deine, deinem, deinen,
    deiner, dem, den, denen, denn, der, deren, des, deshalb, dessen, dich, die, dies, diese, diesem, diesen,
    dieser, dieses, dir, doch, dort, du, durch, durfen, eben, ein, eine, einem, einen, einer, eines,
    einfach, einige, einigen, einmal, er, erst, es, etwas, euch, euer, eure, eurem, euren, fur, ganz, gar,
    gegen, geht, genau, gerade, gern, gerne, gibt, gleich, gut, hab, habe, haben, habt, hallo, hast, hat,
    hatte, hatten, heute, hier, hin, hinter, ich, ihm, ihn, ihnen, ihr, ihre, ihrem, ihren, ihrer, im,
    immer, ins, irgendwie, ist, ja, jede, jedem, jeden, jeder, jedes, jedoch, jemand, jetzt, kann, kannst,
    kein, keine, keinem, keinen, keiner, konnen, konnte, konnten, machen, macht, mal, man, mehr, mein,
    meine, meinem, meinen, meiner, mich, mir, mit, mochte, mochten, muss, mussen, musste, nach, naturlich,
    nein, nicht, nichts, nie, niemand, nix, noch, nun, nur, ob, obwohl, oder, ohne, sagen, schon, sehr, sei,
    seid, sein, seine, seinem, seinen, seiner, seit, selbst, sich, sie, sind, sogar, solche, soll, sollen,
    sollte, sollten, sondern, sonst, trotzdem, uber, uberhaupt, um, und, uns, unser, unsere, unserem,
    unseren, unserer, unter, viel, viele, vielen, vielleicht, vom, von, vor, wann, war, ware, waren, warum,
    wegen, weil, weiter, welche, welcher, wenn, wer, werde, werden, wie, wieder, wieso, wir, wird, wirklich,
    wirst, wo, wohl, wollen, wollte, worden, wurde, wurden, zu, zum, zur, zwar, zwischen",
);

/// What other languages are told by and German writes too.
const HOMOGRAPHS: Words = Words::new(
    "ad, all, ben, ca, com, de, eu, hai, her, in, is, los, ma, mio, na, ne, op, per, plus, so, tan, tot, us,
    was, will",
);

/// A cue of several words is there when its words would count as two (`gar nicht`, `noch nie`), or when its first word
/// alone would be no cue. Left out: `fehlt` and `statt`, which mostly replace something, and southern `net`, which is also
/// what one catches fish with.
const CUES: Words = Words::new(
    "anstatt, anstelle von, gar kein, gar keine, gar keinen, gar nicht, gar nichts, kaum, kein, keine,
    keinem, keinen, keiner, keinerlei, keines, keinesfalls, keineswegs, keins, mangels, mitnichten, ned,
    nich, nicht, nicht weil, nichts, nie, nie wieder, niemals, niemand, niemandem, niemanden, nimmer,
    nirgends, nirgendwo, nix, noch nie, noch niemals, ohne, selten, uberhaupt kein, uberhaupt keine,
    uberhaupt keinen, uberhaupt nicht, uberhaupt nichts, weder, weigere mich, weigern sich, weigern uns,
    weigert sich, weigerte sich, weit entfernt von",
);

/// `nicht` closes a German main clause: "Das empfehle ich Ihnen nicht". `kein` stands before its noun.
const POST_CUES: Words = Words::new(
    "gar nicht, gar nichts, keinesfalls, keineswegs, mitnichten, ned, nich, nicht, nichts, nie, nie wieder,
    niemals, niemand, niemandem, niemanden, nimmer, nix, noch nie, noch niemals, uberhaupt nicht,
    uberhaupt nichts",
);

/// The negation means more (`nicht nur`), the opposite is meant (`kein Wunder`, `kaum erwarten`), or the question suggests
/// (`warum nicht`, `nicht wahr`).
const NOT_CUES: Words = Words::new(
    "kaum abwarten, kaum erwarten, kein wunder, kein zweifel, keine frage, macht nichts, nicht allein,
    nicht anders als, nicht bloss, nicht dass, nicht genug danken, nicht gescheut, nicht leugnen,
    nicht minder, nicht nur, nicht umsonst, nicht vergessen, nicht von ungefahr, nicht wahr,
    nicht weniger als, nicht zogern, nicht zuletzt, nichts als, nichts anderes als, nie besser,
    nie glucklicher, noch nie besser, noch nie so, oder nicht, ohne frage, ohne jeden zweifel,
    ohne weiteres, ohne zweifel, warum nicht, wieso nicht, zogern sie nicht",
);

/// Left out: `dass` and `wenn`, because what they open is no assertion either.
const STOPS: Words = Words::new(
    "aber, allerdings, ausser, denn, dennoch, doch, jedoch, obgleich, obwohl, sobald, sofern, solange,
    sondern, sonst, trotzdem, wahrend, weil, wenngleich, wohingegen",
);

/// Where a clause begins, whose negation says nothing of the words before it (`gut und nicht teuer`). `STOPS` count too.
const POST_STOPS: Words = Words::new(
    "bevor, bis, da, damit, dass, indem, nachdem, ob, oder, sowie, und, warum, was, wenn, wer, weshalb, wie,
    wieso, wo",
);

/// Left out: what is a word of its own at the end of a sentence, and `usw`, after which a new sentence often starts.
const ABBREVIATIONS: Words = Words::new(
    "abb, abs, allg, anm, aufl, bd, bes, betr, bspw, bzgl, bzw, ca, dgl, dipl, dr, eigtl, einschl, entspr,
    evtl, exkl, ff, gegr, ggf, ggfs, hr, hrn, hrsg, inkl, insb, kath, mind, mio, mrd, mtl, mwst, nachm, pfd,
    prof, resp, sog, std, str, tgl, tsd, ua, ugs, urspr, vgl, wg, zb, zit, zt, zus, zzgl, zzt",
);

/// Before a digit: months, numbers, places.
const NUMBER_ABBREVIATIONS: Words = Words::new(
    "apr, art, aug, dez, feb, geb, jan, jul, jun, kap, lt, mrz, nov, nr, okt, plz, sep, sept, st, tel",
);

/// `zwo` is how people say two on the telephone; `fuenf` is written where there is no umlaut.
const SPOKEN_DIGITS: NumberedWords = NumberedWords::new(
    "acht 8, drei 3, eins 1, fuenf 5, funf 5, neun 9, null 0, sechs 6, sieben 7, vier 4, zwei 2, zwo 2",
);

const DIGIT_MULTIPLIERS: NumberedWords = NumberedWords::new("doppel 2, doppelt 2, dreimal 3, zweimal 2");
