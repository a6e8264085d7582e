//! English: words as data.
//!
//! The lists were decided on English discussions, negotiations, requests, lessons and comments: counted, then read.

use super::{
    Language, Negation, NumberedWords, Script, Words, english_frequency::FREQUENCY, english_stem::stem,
};

/// English.
pub static ENGLISH: Language = Language {
    code: "en",
    version: "en-2",
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

/// Only before a digit: elsewhere most of them are words that can end a sentence ("No.").
const NUMBER_ABBREVIATIONS: Words =
    Words::new("apt, art, ch, dec, ext, mar, no, nos, nr, para, sec, ste, tel");

/// Left out, although they are function words: those that another language writes about as often as English does
/// (`a`, `am`, `an`, `as`, `do`, `dont`, `im`, `in`, `me`, `no`, `so`, `was`). Half the words of an English text are in
/// this list, of a German, French, Spanish or Portuguese text one in 200. `i` stays in spite of the Italian article:
/// without it, chats lose a tenth of their function words.
const FUNCTION_WORDS: Words = Words::new(
    "about, after, again, against, ain't, all, also, although, and, another, any, anyone, anything, are,
    aren't, arent, around, at, be, because, been, before, being, between, both, but, by, can, can't, cannot,
    cant, could, couldn't, couldnt, did, didn't, didnt, does, doesn't, doesnt, doing, don't, down, during,
    each, either, even, every, everyone, everything, for, from, had, hadn't, has, hasn't, hasnt, have,
    haven't, havent, having, he, he's, her, here, here's, hers, herself, him, himself, his, how, i, i'd,
    i'll, i'm, i've, if, into, is, isn't, isnt, it, it's, its, itself, ive, just, let's, many, may, might,
    mine, more, most, much, must, my, myself, neither, nobody, none, nor, not, nothing, now, of, off, on,
    one, only, onto, or, other, our, ours, ourselves, out, over, shall, she, she's, should, shouldn't,
    shouldnt, since, some, someone, something, still, such, than, that, that's, thats, the, their, theirs,
    them, themselves, then, there, there's, these, they, they'd, they'll, they're, they've, theyre, this,
    those, though, through, to, too, under, unless, until, up, us, very, wasn't, wasnt, we, we'd, we'll,
    we're, we've, were, weren't, what, what's, whats, when, where, whether, which, while, who, who's, whom,
    whose, why, will, with, within, without, won't, wont, would, wouldn't, wouldnt, yeah, yes, you, you'd,
    you'll, you're, you've, your, youre, yours, yourself",
);

/// What other languages are told by and English writes too, as words (`die`, `want`), names (`los`, `van`), or signs (`com`, `eu`).
const HOMOGRAPHS: Words = Words::new(
    "ad, ai, al, alle, as, ate, ben, bent, bin, ca, car, ci, com, come, como, con, da, dan, dat, dem, den,
    die, dire, dit, do, door, dos, el, em, en, er, era, et, eu, fa, fait, fare, favor, font, gut, ha, hai,
    hat, hay, hem, hier, hun, im, in, la, las, le, li, los, ma, mal, man, mas, me, meme, men, met, mi, mia,
    mis, na, no, non, op, os, par, per, plus, pour, sa, se, ser, ses, si, sin, so, solo, son, soy, sta, su,
    ta, tan, ter, ton, tot, tout, um, un, uno, van, ver, vi, want, war, was, wat, wil, worden, ya, yo",
);

/// A cue of several words is there when its first word alone would be no cue (`lack of`), when two cues are one
/// negation (`ain't no`, and the answer in `no, not now`), or to swallow a stop (`not because`).
///
/// Left out: `nor`, because seven in ten follow another cue, with which it would count as a double negation; `nope` and
/// `nah`, which answer and negate nothing after them; `stop` and `few`, which deny too little.
const CUES: Words = Words::new(
    "ain't, ain't never, ain't no, ain't nobody, ain't nothing, aint, aint never, aint no, aint nobody,
    aint nothing, aren't, arent, barely, can't, cannot, cant, couldn't, couldnt, didn't, didnt, doesn't,
    doesnt, don't, dont, fail to, failed to, failing to, fails to, far from, hadn't, hadnt, hardly, hasn't,
    hasnt, haven't, havent, instead of, isn't, isnt, lack of, lacked, lacking, lacks, mightn't, mustn't,
    mustnt, needn't, neednt, neither, never, no, no don't, no dont, no never, no no, no not, no nothing,
    nobody, none, noone, not, not because, nothing, nowhere, rarely, rather than, refuse to, refused to,
    refuses to, refusing to, scarcely, seldom, shan't, shouldn't, shouldnt, unable to, wasn't, wasnt,
    weren't, werent, without, won't, wont, wouldn't, wouldnt",
);

/// Four kinds: the negation means more (`not only`), the opposite is meant (`can't wait`, `couldn't agree more`), the
/// question suggests (`why don't you`, `isn't it`), and `no` is an answer, which shows in the word after it, where the
/// determiner `no` cannot stand (`no, i love it`).
///
/// Left out: `no problem`, `no worries`, `don't worry`. Their own noun or verb is what a protocol looks for, and that
/// is negated.
const NOT_CUES: Words = Words::new(
    "can not deny, can not thank you enough, can not wait, can't believe how, can't deny,
    can't thank you enough, can't wait, cannot believe how, cannot deny, cannot thank you enough,
    cannot wait, cant believe how, cant deny, cant thank you enough, cant wait, could not agree more,
    could not be better, could not be happier, could not be more, could not be prouder, couldn't agree more,
    couldn't be better, couldn't be happier, couldn't be more, couldn't be prouder, couldnt agree more,
    couldnt be better, couldnt be happier, couldnt be more, couldnt be prouder, do not forget,
    do not get me wrong, do not hesitate, don't forget, don't get me wrong, don't hesitate, don't you think,
    dont forget, dont get me wrong, dont hesitate, dont you think, isn't it, isnt it, never been better,
    never been easier, never been happier, never been more, never been so, never better, never mind,
    no doubt, no he, no he's, no i, no i'd, no i'll, no i'm, no i've, no im, no it, no it's, no its,
    no less, no matter, no my, no she, no she's, no thank you, no thanks, no that's, no thats, no the,
    no there, no there's, no they, no they're, no this, no we, no we're, no wonder, no you, no you're,
    none other than, not just, not least, not merely, not only, not simply, not solely, not to mention,
    nothing but, nothing less than, nothing short of, or not, why don't i, why don't we, why don't you,
    why dont i, why dont we, why dont you, why not, without a doubt, without doubt, without question,
    wouldn't it, wouldnt it",
);

/// Left out: `yet`, which after a cue is mostly `not yet`; `so` (`not so good`); `if`, `unless` and `until`, because what
/// they open is no assertion either.
const STOPS: Words = Words::new(
    "although, because, but, cuz, despite, except, however, nevertheless, nonetheless, otherwise, since, tho,
    though, whereas, while",
);

/// Left out: what is a word of its own at the end of a sentence (`no`, `sat`, `sun`, `mar`, `may`, `mon`, `wed`, `dec`,
/// `gen`, `col`, `co`, `ed`, `ex`, `rep`, `max`, `min`), and `etc`, after which a new sentence starts twice as often as
/// not.
const ABBREVIATIONS: Words = Words::new(
    "approx, apr, aug, ave, blvd, bros, capt, cf, corp, dept, dr, eds, eg, esp, est, feb, fig, figs, fri, ie,
    inc, incl, jan, jr, jul, jun, lt, ltd, messrs, mr, mrs, ms, mt, nov, oct, pp, prof, pvt, rev, sept, sgt,
    sr, st, thu, thur, thurs, tue, tues, univ, viz, vol, vols, vs",
);

/// `nought` and `naught` are British; `o` is how a transcript writes `oh`.
const SPOKEN_DIGITS: NumberedWords = NumberedWords::new(
    "eight 8, five 5, four 4, naught 0, nine 9, nought 0, o 0, oh 0, one 1, seven 7, six 6, three 3, two 2,
    zero 0",
);

/// `double seven`, `triple zero`.
const DIGIT_MULTIPLIERS: NumberedWords = NumberedWords::new("double 2, treble 3, triple 3");
