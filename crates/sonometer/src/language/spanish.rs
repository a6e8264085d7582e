//! Spanish: words as data, folded (`más` is `mas`, `año` is `ano`).

use super::{
    Language, Negation, NumberedWords, Script, Words, spanish_frequency::FREQUENCY, spanish_stem::stem,
};

/// Spanish.
pub static SPANISH: Language = Language {
    code: "es",
    version: "es-1",
    script: Script::Latin,
    function_words: FUNCTION_WORDS,
    homographs: HOMOGRAPHS,
    negation: Negation {
        cues: CUES,
        post_cues: Words::NONE,
        not_cues: NOT_CUES,
        stops: STOPS,
        post_stops: Words::NONE,
        commas_stop: false,
    },
    abbreviations: ABBREVIATIONS,
    number_abbreviations: NUMBER_ABBREVIATIONS,
    frequency: FREQUENCY,
    spoken_digits: SPOKEN_DIGITS,
    digit_multipliers: DIGIT_MULTIPLIERS,
    stem: Some(stem),
};

/// Left out: what a sister language writes as often (`de`, `que`, `se`, `como`, `por`, `para`), for a Portuguese text is full of it, and the
/// short words that turn up everywhere (`a`, `me`, `no`, `o`, `si`, `te`). Without them a third of a Spanish text is still here.
const FUNCTION_WORDS: Words = Words::new(
    "ahora, al, algo, alguien, algun, alguna, algunas, alguno, algunos, ante, antes, aquel, aquella,
    aquellos, aqui, asi, aun, aunque, ayer, bien, buenas, buenos, cada, casi, con, contra, cosa, cosas,
    creo, cual, cuales, cuando, cuanta, cuanto, del, desde, despues, dias, dice, digo, dijo, donde, durante,
    el, ella, ellas, ello, ellos, en, entonces, entre, eran, eres, es, esa, esas, ese, eso, esos, esta,
    estaba, estaban, estado, estamos, estan, estar, estas, este, esto, estos, estoy, favor, fue, fueron,
    fui, gracias, gran, haber, habia, hace, hacer, hacia, han, hasta, hay, haya, hemos, hola, hoy, la, las,
    lo, los, luego, mas, mejor, menos, mi, mientras, mio, mis, misma, mismo, mucha, muchas, mucho, muchos,
    muy, nada, nadie, ni, ninguna, ninguno, nosotros, nuestra, nuestras, nuestro, nuestros, otra, otras,
    otro, otros, pero, poco, podria, porque, puede, pueden, puedo, pues, quien, quienes, quiere, quiero,
    sabe, sea, segun, ser, sido, siempre, siendo, sin, sino, sobre, solo, somos, son, soy, su, sus, tambien,
    tampoco, tan, tanto, tardes, tengo, tiene, tienen, tienes, toda, todavia, todo, tu, tus, tuvo, unas,
    uno, unos, usted, ustedes, vamos, vaya, ver, vez, voy, y, ya, yo",
);

/// What other languages are told by and Spanish writes too.
const HOMOGRAPHS: Words = Words::new(
    "come, como, da, dan, de, di, dos, era, ha, has, he, le, les, mal, me, mes, no, nos, nunca, os, par,
    para, por, que, se, si, sur, te, ti, todas, todos, un, una, va, van, vas, vi",
);

/// Spanish negates twice and means it once (`no … nada`): the two do not stand side by side, so they do not cancel. Those
/// that can (`nunca jamás`, `ni siquiera`) are cues of their own.
const CUES: Words = Words::new(
    "apenas, carece de, carecen de, en lugar de, en vez de, falta de, incapaz de, jamas, lejos de,
    me niego a, nada, nada ni nadie, nadie, ni, ni nunca, ni siquiera, ningun, ninguna, ningunas, ninguno,
    ningunos, no, no nada, no nunca, nos negamos a, nunca, nunca jamas, nunca nadie, se niega a,
    se niegan a, sin, sin ningun, sin ninguna, tampoco",
);

/// The negation means more (`no solo`), joins (`sin embargo`), or suggests (`por qué no`, `no es cierto`).
const NOT_CUES: Words = Words::new(
    "antes que nada, de nada, nada mas, nada menos que, ni que decir, no cabe duda, no crees, no dude,
    no dudes, no en vano, no es cierto, no es verdad, no hay duda, no le parece, no obstante, no olvide,
    no olvides, no podria estar mas, no podria ser mejor, no puedo esperar, no puedo estar mas,
    no puedo negar, no se puede negar, no solamente, no solo, no te parece, no veo la hora, nunca mejor,
    por que no, sin duda, sin duda alguna, sin embargo, sin lugar a dudas",
);

/// Left out: `mientras` and `si`, because what they open is no assertion either.
const STOPS: Words = Words::new("aunque, excepto, pero, porque, pues, salvo, sino");

/// Left out: what is a word of its own at the end of a sentence.
const ABBREVIATIONS: Words = Words::new(
    "aprox, atte, avda, cia, dpto, dr, dra, dres, ej, excma, excmo, gral, hnos, ilmo, izq, lic, ltda, mons,
    nro, pag, pags, prof, profa, pte, sr, sra, sres, srta, srtas, tfno, ud, uds, vd, vds, vol",
);

/// Before a digit: months, numbers, places. Left out: `mar`, which is also the sea, and `no`.
const NUMBER_ABBREVIATIONS: Words = Words::new(
    "abr, ago, art, arts, av, cap, dic, ene, ext, feb, fig, jul, jun, km, nov, num, oct, sep, sept, tel",
);

const SPOKEN_DIGITS: NumberedWords =
    NumberedWords::new("cero 0, cinco 5, cuatro 4, dos 2, nueve 9, ocho 8, seis 6, siete 7, tres 3, uno 1");

const DIGIT_MULTIPLIERS: NumberedWords = NumberedWords::new("doble 2, triple 3");
