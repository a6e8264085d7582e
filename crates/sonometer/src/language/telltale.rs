//! What tells a foreign text: the words that a language writes in nearly every sentence.
//!
//! A text is in another language than its protocol's if its words are among these and not among the function words of
//! the protocol's language. Single letters are left out (people spell words out to hide them), but for the English `i`.
//! French, Italian, Dutch and Portuguese are known by these words only.

use super::Words;

/// The words of one language.
#[derive(Debug)]
pub struct Telltales {
    /// Its ISO 639-1 code.
    pub code: &'static str,
    /// Folded words, sorted by bytes.
    pub words: Words,
}

/// What the engine can tell from the language of a protocol, sorted by code.
pub static TELLTALES: &[Telltales] = &[
    Telltales { code: "de", words: GERMAN },
    Telltales { code: "en", words: ENGLISH },
    Telltales { code: "es", words: SPANISH },
    Telltales { code: "fr", words: FRENCH },
    Telltales { code: "it", words: ITALIAN },
    Telltales { code: "nl", words: DUTCH },
    Telltales { code: "pt", words: PORTUGUESE },
];

const GERMAN: Words = Words::new(
    "aber, alle, allen, alles, als, auch, auf, aus, bei, beim, bin, bist, bitte, da, damit, danke, dann,
    darf, das, dass, dein, deine, deiner, dem, den, denn, der, des, dich, die, diese, diesen, dieser,
    dieses, dir, doch, dort, du, durch, ein, eine, einem, einen, einer, eines, einfach, einige, er, es,
    etwas, euch, frau, frauen, fur, ganz, gegen, geht, gerade, gibt, gut, guten, habe, haben, hallo, hast,
    hat, hatte, hier, ich, ihnen, ihr, ihre, im, immer, ist, ja, jetzt, kann, kein, keine, konnen, leute,
    lieber, machen, macht, mal, man, mehr, mein, meine, menschen, mich, mir, mit, morgen, muss, mussen,
    nach, nein, nicht, nichts, nie, noch, nur, ob, oder, ohne, schon, sehr, seid, sein, seine, selbst, sich,
    sie, sind, soll, sollte, sollten, stimmt, uber, um, und, uns, unsere, unter, viel, vom, von, vor, wann,
    war, ware, waren, warum, was, wegen, weil, wenn, wer, werden, wie, wieder, will, wir, wird, wo, wurde,
    wurden, zu, zum, zur",
);

const ENGLISH: Words = Words::new(
    "about, all, and, any, are, as, at, be, because, been, being, but, by, can, can't, could, did, didn't,
    do, does, doesn't, don't, for, from, good, great, had, happy, has, have, he, her, here, his, how, i,
    i'll, i'm, if, is, isn't, it, it's, its, just, know, like, love, make, me, more, my, never, new, no,
    not, of, on, or, our, out, people, please, really, right, she, should, so, some, than, thank, thanks,
    that, that's, the, their, them, then, there, these, they, think, this, to, up, us, very, want, we, were,
    what, when, where, which, who, why, will, with, would, year, yes, you, you're, your",
);

const SPANISH: Words = Words::new(
    "al, algo, alguien, algun, antes, aqui, asi, bien, buenos, como, con, cosa, cual, cuando, de, debemos,
    deben, decir, del, desde, dia, donde, el, ella, ellos, en, era, eran, eres, es, esa, ese, eso, esos,
    esta, estaba, estan, estas, este, esto, estos, estoy, favor, fue, gente, gracias, ha, hacer, hasta, hay,
    hola, la, las, le, les, lo, los, mas, me, mejor, mi, mis, mismo, muchas, mucho, muchos, mujer, mujeres,
    muy, nada, ni, ningun, no, nos, nosotros, nuestra, nuestro, nunca, odio, otra, otro, para, peor, pero,
    poco, por, porque, puede, puedo, que, quien, quiero, se, ser, si, siempre, siento, sin, sobre, solo,
    son, soy, su, sus, tambien, tan, te, tengo, tiene, todas, todo, todos, tu, tus, un, una, unos, usted,
    ustedes, va, vamos, vida, voy, ya, yo",
);

const FRENCH: Words = Words::new(
    "ai, alors, au, aussi, autre, autres, avec, avoir, bien, bonjour, c'est, ca, car, ce, ces, cette, comme,
    d'etre, d'un, d'une, dans, de, des, deux, devraient, devrait, dire, donc, du, elle, elles, en, encore,
    est, et, etaient, etait, ete, etes, etre, faire, fait, font, gens, il, ils, j'ai, jamais, je, juste,
    l'on, la, le, les, leur, leurs, lui, ma, mais, me, meme, merci, mes, moi, mon, n'ai, n'est, ne, nos,
    notre, nous, on, ont, ou, oui, par, parce, pas, peu, peut, peux, plus, pour, pourquoi, qu'il, qu'on,
    quand, que, quel, quelque, qui, quoi, rien, sa, sans, se, ses, si, sommes, son, sont, suis, sur, ta, te,
    tes, toi, ton, tous, tout, toute, toutes, tres, tu, un, une, va, vais, vas, veux, voir, vos, votre, vous",
);

const ITALIAN: Words = Words::new(
    "abbiamo, ad, ai, al, alla, alle, altri, altro, anche, ancora, avere, bene, c'e, che, chi, ci, ciao,
    come, con, cosa, cosi, da, dal, dalla, davvero, degli, dei, del, della, delle, di, dopo, dove, dovrebbe,
    dovrebbero, dovremmo, essere, fa, fare, fatto, gli, grazie, ha, hai, hanno, ho, il, in, io, la, le, lei,
    li, lo, loro, lui, ma, mai, me, meno, mentre, mi, mia, mio, molto, ne, nei, nel, nella, nessuno, noi,
    non, nostro, nulla, ogni, per, perche, persone, piu, poi, posso, prego, proprio, puo, qua, qualcuno,
    quando, quanto, quei, quella, quello, questa, questi, questo, qui, se, sei, sempre, senza, si, sia,
    siamo, siete, solo, sono, sta, stai, sto, su, sua, sulla, suo, te, ti, tu, tutta, tutte, tutti, tutto,
    un, una, uno, va, vi, voglio, voi",
);

const DUTCH: Words = Words::new(
    "aan, al, alle, als, altijd, ben, bent, bij, dan, dat, de, deze, die, dit, doen, door, dus, een, en, er,
    gaan, gaat, geen, goed, haar, had, hallo, heb, hebben, heeft, heel, hem, het, hier, hij, hoe, hun, ik,
    in, is, ja, je, jij, jou, jullie, kan, kunnen, laat, maar, me, meer, men, met, mij, mijn, moet, moeten,
    na, naar, nee, niet, niets, nog, nooit, nu, of, om, omdat, onder, ons, ook, op, over, te, toch, toen,
    tot, uit, van, veel, voor, want, waren, was, wat, we, weet, wel, werd, wij, wil, willen, worden, zal,
    ze, zeer, zich, zij, zijn, zo, zonder, zou",
);

const PORTUGUESE: Words = Words::new(
    "agora, ainda, alem, alguem, ao, aos, aquele, aqui, as, assim, ate, bem, bom, com, como, da, das, de,
    dele, deles, depois, dessa, desse, deve, devem, devemos, deveria, do, dos, ela, elas, ele, eles, em,
    era, essa, esse, esses, esta, estao, estar, estou, eu, faz, fazer, foi, ha, isso, isto, ja, la, mais,
    mas, me, mesmo, meu, minha, muita, muito, muitos, na, nada, nao, nas, nem, nenhum, nenhuma, nesse,
    neste, ninguem, no, nos, nossa, nosso, nunca, obrigada, obrigado, ola, os, ou, para, pela, pelo,
    pessoas, pode, por, porque, posso, qualquer, quando, que, quem, quero, sao, se, seja, sem, sempre, ser,
    seu, seus, so, sou, sua, suas, tambem, te, tem, tenho, ter, teu, todas, todos, tu, tudo, um, uma, vai,
    vamos, ver, vez, voce, voces, vocs, vou",
);
