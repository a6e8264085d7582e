//! Chinese: characters as data. Each Han character is a token, so a word of several is a phrase.

use super::{Language, Negation, NumberedWords, Script, Words, chinese_frequency::FREQUENCY};

/// Chinese, in simplified characters.
pub static CHINESE: Language = Language {
    code: "zh",
    version: "zh-1",
    script: Script::Han,
    function_words: FUNCTION_CHARACTERS,
    homographs: Words::NONE,
    negation: Negation {
        cues: CUES,
        post_cues: Words::NONE,
        not_cues: NOT_CUES,
        stops: STOPS,
        post_stops: Words::NONE,
        commas_stop: true,
    },
    abbreviations: Words::NONE,
    number_abbreviations: Words::NONE,
    frequency: FREQUENCY,
    spoken_digits: SPOKEN_DIGITS,
    digit_multipliers: NumberedWords::NONE,
    stem: None,
};

/// Characters of particles, pronouns and auxiliaries: three in ten of a Chinese text.
const FUNCTION_CHARACTERS: Words = Words::new(
    "不, 与, 且, 个, 为, 么, 之, 也, 了, 于, 些, 什, 从, 他, 以, 们, 会, 但, 你, 其, 再, 到, 去, 又, 及, 只,
    可, 后, 向, 吗, 吧, 呀, 呢, 和, 哪, 啊, 嘛, 因, 在, 太, 她, 如, 它, 对, 就, 己, 很, 得, 怎, 您, 我, 或,
    所, 才, 把, 是, 更, 最, 有, 来, 果, 样, 此, 没, 的, 着, 等, 给, 者, 而, 能, 自, 被, 要, 让, 说, 请, 谁,
    谢, 跟, 过, 还, 这, 那, 都, 里",
);

/// A cue of several characters is there when no single one of them is (`拒绝`), or when two of them are (`并没有`).
const CUES: Words = Words::new(
    "不, 从 来 没 有, 别, 勿, 并 没 有, 拒 绝, 无, 无 法, 未, 根 本 没 有, 没, 没 有, 缺 乏, 缺 少, 避 免,
    难 以, 非",
);

/// Words with the character of a cue in them that negate nothing (`不过`, `特别`, `非常`), answers (`没关系`), and questions that
/// offer both sides (`是不是`).
const NOT_CUES: Words = Words::new(
    "不 仅, 不 但, 不 光, 不 单, 不 只, 不 好 意 思, 不 客 气, 不 得 不, 不 得 了, 不 愧, 不 断, 不 是 吗,
    不 止, 不 然, 不 用 谢, 不 知 不 觉, 不 禁, 不 管, 不 见 不 散, 不 论, 不 过, 不 错, 个 别, 了 不 起,
    会 不 会, 何 不, 免 不 了, 出 没, 分 别, 别 人, 别 墅, 别 的, 区 别, 可 不 可 以, 告 别, 好 不 好,
    对 不 对, 对 不 起, 少 不 了, 岂 不, 差 不 多, 差 别, 巴 不 得, 忍 不 住, 性 别, 恨 不 得, 想 不 想,
    无 所 谓, 无 时 无 刻, 无 疑, 无 论, 无 非, 是 不 是, 是 非, 有 没 有, 未 免, 未 来, 沉 没, 没 事,
    没 关 系, 没 准, 没 错, 没 问 题, 派 别, 淹 没, 特 别, 离 别, 类 别, 级 别, 能 不 能, 行 不 行, 要 不,
    要 不 是, 要 不 然, 要 不 要, 识 别, 说 不 定, 辨 别, 鉴 别, 除 非, 非 常, 非 得, 非 洲",
);

/// `但` begins `但是` as well. `却` and `而` stand inside what they contrast.
const STOPS: Words = Words::new("但");

/// `幺` is how people say one in numbers.
const SPOKEN_DIGITS: NumberedWords =
    NumberedWords::new("〇 0, 一 1, 七 7, 三 3, 两 2, 九 9, 二 2, 五 5, 八 8, 六 6, 四 4, 幺 1, 零 0");
