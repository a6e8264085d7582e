//! Models of whisper.cpp that say what they are made to say, whatever they hear: real files with real vocabularies, so small that
//! nobody has to fetch one. All weights are zero but two: each place in the text looks in the direction of the token that is to
//! stand there, and each of these tokens lies in a direction of its own.

/// Numbers in each state, and so directions there can be.
const STATE: usize = 32;
const AUDIO: usize = 1_500;
const TEXT: usize = 448;
const BANDS: usize = 80;
const FREQUENCIES: usize = 201;
/// How far places look, beside tokens, which lie at 4 at most.
const FAR: f32 = 16.0;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Say {
    /// A part of a text.
    Text(&'static [u8]),
    /// English, among languages.
    English,
    /// The beginning of what is said.
    Begin,
    /// So many fiftieths of a second.
    Time(i32),
    /// The end of what is said.
    End,
}

/// The English model, or that of all languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tongues {
    English,
    All,
}

impl Tongues {
    fn vocabulary(self) -> i32 {
        if self == Self::All { 51_865 } else { 51_864 }
    }

    /// Of so many words the texts are told in the file; the end of a text is the first that is not.
    fn words(self) -> i32 {
        if self == Self::All { 50_257 } else { 50_256 }
    }

    /// What stands before the answer: where it begins, which language, what to do.
    fn before(self) -> usize {
        if self == Self::All { 3 } else { 1 }
    }
}

/// A model that says these tokens one after the other, each as surely as its weight says (4: surely; 2.5: rather).
pub(crate) fn model(tongues: Tongues, says: &[(Say, f32)]) -> Vec<u8> {
    let (words, mut texts) = (tongues.words(), vec![b" ".as_slice()]);
    let mut number = |say: Say| match say {
        Say::Text(text) => {
            let at = texts.iter().position(|known| *known == text).unwrap_or(texts.len());
            if at == texts.len() {
                texts.push(text);
            }
            at as i32
        }
        Say::End => words,
        Say::English => words + 2,
        Say::Begin => tongues.vocabulary() - 1_501,
        Say::Time(time) => tongues.vocabulary() - 1_501 + time,
    };
    // A direction for each token; the place before an answer looks where its first token lies.
    let mut directions: Vec<(i32, f32)> = Vec::new();
    let mut places = vec![0.0; TEXT * STATE];
    let mut look = |place: usize, (say, weight): (Say, f32), directions: &mut Vec<(i32, f32)>| {
        let token = number(say);
        let at = directions.iter().position(|(known, _)| *known == token).unwrap_or(directions.len());
        if at == directions.len() {
            directions.push((token, weight));
        }
        assert!(at < STATE, "too many tokens");
        places[place * STATE + at] = FAR;
    };
    if tongues == Tongues::All {
        look(0, (Say::English, 4.0), &mut directions);
    }
    let first = tongues.before() - 1;
    for (at, say) in says.iter().enumerate() {
        look(first + at, *say, &mut directions);
    }
    if !says.is_empty() {
        (first + says.len()..TEXT).for_each(|place| look(place, (Say::End, 4.0), &mut directions));
    }
    let mut tokens = vec![0.0; tongues.vocabulary() as usize * STATE];
    for (at, (token, weight)) in directions.iter().enumerate() {
        tokens[*token as usize * STATE + at] = *weight;
    }
    let mut file = Vec::new();
    let head = [AUDIO, STATE, 2, 1, TEXT, STATE, 2, 1, BANDS, 1].map(|number| number as i32);
    numbers(&mut file, &[0x6767_6d6c, tongues.vocabulary()]);
    numbers(&mut file, &head);
    numbers(&mut file, &[BANDS as i32, FREQUENCIES as i32]);
    file.extend([0; 4 * BANDS * FREQUENCIES]);
    numbers(&mut file, &[words]);
    for at in 0..words as usize {
        let word = texts.get(at).map_or_else(|| format!(" unsaid{at}").into_bytes(), |text| text.to_vec());
        numbers(&mut file, &[word.len() as i32]);
        file.extend(word);
    }
    let mut part = |name: &str, sides: &[usize], values: Values<'_>| tensor(&mut file, name, sides, values);
    part("encoder.positional_embedding", &[STATE, AUDIO], Values::Whole(&[]));
    for (name, width) in [("encoder.conv1", BANDS), ("encoder.conv2", STATE)] {
        part(&format!("{name}.weight"), &[3, width, STATE], Values::Half(&[]));
        part(&format!("{name}.bias"), &[1, STATE], Values::Whole(&[]));
    }
    part("encoder.ln_post.weight", &[STATE], Values::Whole(&[]));
    part("encoder.ln_post.bias", &[STATE], Values::Whole(&[]));
    part("decoder.positional_embedding", &[STATE, TEXT], Values::Whole(&places));
    part("decoder.token_embedding.weight", &[STATE, tongues.vocabulary() as usize], Values::Half(&tokens));
    part("decoder.ln.weight", &[STATE], Values::Whole(&[1.0; STATE]));
    part("decoder.ln.bias", &[STATE], Values::Whole(&[]));
    for (side, attentions) in [("encoder", &["attn"][..]), ("decoder", &["attn", "cross_attn"])] {
        let block = format!("{side}.blocks.0");
        for name in attentions {
            part(&format!("{block}.{name}_ln.weight"), &[STATE], Values::Whole(&[]));
            part(&format!("{block}.{name}_ln.bias"), &[STATE], Values::Whole(&[]));
            for (matrix, has_bias) in [("query", true), ("key", false), ("value", true), ("out", true)] {
                part(&format!("{block}.{name}.{matrix}.weight"), &[STATE, STATE], Values::Half(&[]));
                if has_bias {
                    part(&format!("{block}.{name}.{matrix}.bias"), &[STATE], Values::Whole(&[]));
                }
            }
        }
        part(&format!("{block}.mlp_ln.weight"), &[STATE], Values::Whole(&[]));
        part(&format!("{block}.mlp_ln.bias"), &[STATE], Values::Whole(&[]));
        for (name, from, to) in [("mlp.0", STATE, 4 * STATE), ("mlp.2", 4 * STATE, STATE)] {
            part(&format!("{block}.{name}.weight"), &[from, to], Values::Half(&[]));
            part(&format!("{block}.{name}.bias"), &[to], Values::Whole(&[]));
        }
    }
    file
}

/// In 32 or 16 bits; none: all are zero.
#[derive(Clone, Copy)]
enum Values<'a> {
    Whole(&'a [f32]),
    Half(&'a [f32]),
}

fn numbers(file: &mut Vec<u8>, numbers: &[i32]) {
    numbers.iter().for_each(|number| file.extend(number.to_le_bytes()));
}

fn tensor(file: &mut Vec<u8>, name: &str, sides: &[usize], values: Values<'_>) {
    let form = i32::from(matches!(values, Values::Half(_)));
    numbers(file, &[sides.len() as i32, name.len() as i32, form]);
    sides.iter().for_each(|side| numbers(file, &[*side as i32]));
    file.extend(name.bytes());
    let count: usize = sides.iter().product();
    match values {
        Values::Whole([]) => file.extend(std::iter::repeat_n(0, 4 * count)),
        Values::Half([]) => file.extend(std::iter::repeat_n(0, 2 * count)),
        Values::Whole(values) => {
            assert_eq!(values.len(), count);
            values.iter().for_each(|value| file.extend(value.to_le_bytes()));
        }
        Values::Half(values) => {
            assert_eq!(values.len(), count);
            values.iter().for_each(|value| file.extend(half(*value).to_le_bytes()));
        }
    }
}

/// A number of few digits in 16 bits.
fn half(value: f32) -> u16 {
    let bits = value.to_bits();
    if value == 0.0 { 0 } else { ((bits >> 13) - ((127 - 15) << 10)) as u16 }
}
