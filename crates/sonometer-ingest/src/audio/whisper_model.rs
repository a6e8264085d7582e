//! Whether a file has the frame of a model of whisper.cpp. whisper.cpp believes every count and length it reads: a file that is cut
//! off is heard with whatever stood in memory, and a length without sense ends the process. So they are looked at before.

use crate::error::{ReadError, Reason};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

const MAGIC: i32 = 0x6767_6d6c;
/// Sizes of the vocabularies there are: English, all languages, all languages of the third large model.
const VOCABULARIES: std::ops::RangeInclusive<i32> = 51_864..=51_866;
/// Frequencies of the filters: those of a window of 400 samples.
const FREQUENCIES: i32 = 201;
const LONGEST_WORD: i32 = 1 << 12;
const LONGEST_NAME: i32 = 1 << 8;

/// Looks at all of a model file but its weights.
///
/// # Errors
/// `transcriber` with the path, what is wrong with it, and what to give.
pub(super) fn check(path: &Path) -> Result<(), ReadError> {
    let refused = |what: String| {
        let message =
            format!("{} {what}; give a model file of whisper.cpp, such as ggml-base.en.bin", path.display());
        ReadError::new(Reason::Transcriber, "", message)
    };
    let opened = || {
        let file = File::open(path)?;
        let data = file.metadata()?;
        Ok::<_, std::io::Error>((file, data))
    };
    let (file, data) = opened().map_err(|error| refused(format!("cannot be read ({error})")))?;
    if !data.is_file() {
        return Err(refused("is not a file".to_owned()));
    }
    Frame { file: BufReader::new(file), left: data.len() }.walk().map_err(refused)
}

/// What a model says of itself.
struct Shape {
    vocabulary: i32,
    state: i64,
    audio: (i64, i64),
    text: (i64, i64),
    bands: i32,
}

impl Shape {
    /// How many tensors such a model has, and how many numbers they hold.
    fn tensors(&self) -> (usize, i64) {
        let Self { state, audio: (audio, hearing), text: (text, telling), .. } = *self;
        let count = 11 + 15 * hearing + 24 * telling;
        let convolutions = 3 * i64::from(self.bands) * state + 3 * state * state + 2 * state;
        let ears = audio * state + convolutions + 2 * state + hearing * (12 * state * state + 12 * state);
        let tongue = (text + i64::from(self.vocabulary)) * state
            + 2 * state
            + telling * (16 * state * state + 17 * state);
        (usize::try_from(count).unwrap_or(usize::MAX), ears + tongue)
    }
}

/// The file from where it is read on.
struct Frame {
    file: BufReader<File>,
    left: u64,
}

impl Frame {
    fn walk(mut self) -> Result<(), String> {
        let shape = self.shape()?;
        let (bands, frequencies) = (self.number()?, self.number()?);
        if (bands, frequencies) != (shape.bands, FREQUENCIES) {
            return Err(format!("is broken (filters of {bands} bands and {frequencies} frequencies)"));
        }
        self.skip(4 * i64::from(bands) * i64::from(frequencies))?;
        self.vocabulary(shape.vocabulary)?;
        let (mut names, mut sum) = (BTreeSet::new(), 0);
        while self.left > 0 {
            let (name, numbers) = self.tensor()?;
            sum += numbers;
            if let Some(twice) = names.replace(name) {
                return Err(format!("is broken (`{twice}` is there twice)"));
            }
        }
        let (count, numbers) = shape.tensors();
        if names.len() < count {
            return Err(format!("is cut off (it has {} of {count} tensors)", names.len()));
        }
        if (names.len(), sum) != (count, numbers) {
            return Err("is broken (its tensors differ from its header)".to_owned());
        }
        Ok(())
    }

    fn shape(&mut self) -> Result<Shape, String> {
        let head = self.bytes(4)?;
        if head != MAGIC.to_le_bytes() {
            return Err(match &*head {
                b"GGUF" => "is a GGUF file, which other programs use".to_owned(),
                b"PK\x03\x04" => "is an archive, perhaps a PyTorch model; convert it first".to_owned(),
                _ => "is not a whisper.cpp model".to_owned(),
            });
        }
        let mut numbers = [0; 11];
        for number in &mut numbers {
            *number = self.number()?;
        }
        let [vocabulary, audio, state, ears, hearing, text, telling_state, mouths, telling, bands, form] =
            numbers;
        let sound = [
            VOCABULARIES.contains(&vocabulary),
            (16..=4_096).contains(&audio) && (32..=4_096).contains(&text),
            (1..=8_192).contains(&state) && telling_state == state,
            ears > 0 && mouths > 0 && state % ears.max(1) == 0 && state % mouths.max(1) == 0,
            (1..=256).contains(&hearing) && (1..=256).contains(&telling),
            (1..=512).contains(&bands),
        ];
        if sound.contains(&false) {
            return Err(format!("is broken, or of an unknown kind (its header is {numbers:?})"));
        }
        // Those of 32 bits too: no convolution of whisper.cpp takes them, and it ends the process.
        let block = block_of_form(form % 1_000).filter(|block| state % block == 0);
        if block.is_none() {
            return Err(format!("has weights in a form that whisper.cpp does not support ({form})"));
        }
        Ok(Shape {
            vocabulary,
            state: state.into(),
            audio: (audio.into(), hearing.into()),
            text: (text.into(), telling.into()),
            bands,
        })
    }

    fn vocabulary(&mut self, most: i32) -> Result<(), String> {
        let count = self.number()?;
        let mut has_space = false;
        if !(1..=most).contains(&count) {
            return Err(format!("is broken (it declares {count} words)"));
        }
        for at in 0..count {
            let length = self.number()?;
            if !(0..=LONGEST_WORD).contains(&length) {
                return Err(format!("is broken (word {at} has {length} bytes)"));
            }
            has_space |= self.bytes(length.into())? == b" ";
        }
        // It is asked for by name.
        if has_space { Ok(()) } else { Err("is broken (its words have no space)".to_owned()) }
    }

    /// The name of a tensor, and how many numbers it holds.
    fn tensor(&mut self) -> Result<(String, i64), String> {
        let (dimensions, length, form) = (self.number()?, self.number()?, self.number()?);
        if !(1..=4).contains(&dimensions) || !(1..=LONGEST_NAME).contains(&length) {
            return Err(format!(
                "is broken (a tensor of {dimensions} dimensions, its name of {length} bytes)"
            ));
        }
        let mut numbers: i64 = 1;
        let mut first = 0;
        for at in 0..dimensions {
            let size = self.number()?;
            first = if at == 0 { i64::from(size) } else { first };
            numbers = numbers.saturating_mul(size.into());
            if size < 1 || numbers > i32::MAX.into() {
                return Err(format!("is broken (a tensor with a side of {size})"));
            }
        }
        let name = String::from_utf8_lossy(&self.bytes(length.into())?).into_owned();
        let Some((block, bytes)) = block_of_tensor(form).filter(|(block, _)| first % block == 0) else {
            return Err(format!("is broken (`{name}` is of form {form})"));
        };
        self.skip(numbers / block * bytes)?;
        Ok((name, numbers))
    }

    fn number(&mut self) -> Result<i32, String> {
        let mut four = [0; 4];
        self.fill(&mut four)?;
        Ok(i32::from_le_bytes(four))
    }

    fn bytes(&mut self, count: i64) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; usize::try_from(count).unwrap_or(0)];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), String> {
        self.take(bytes.len() as u64)?;
        self.file.read_exact(bytes).map_err(|error| format!("cannot be read ({error})"))
    }

    fn skip(&mut self, count: i64) -> Result<(), String> {
        self.take(count.unsigned_abs())?;
        self.file.seek_relative(count).map_err(|error| format!("cannot be read ({error})"))
    }

    fn take(&mut self, count: u64) -> Result<(), String> {
        self.left = self.left.checked_sub(count).ok_or("is cut off")?;
        Ok(())
    }
}

/// How many weights stand together in a model of this form, as whisper.cpp numbers them; `None` for those it cannot hear with.
fn block_of_form(form: i32) -> Option<i32> {
    match form {
        1 => Some(1),
        2 | 3 | 7 | 8 | 9 => Some(32),
        10..=14 => Some(256),
        _ => None,
    }
}

/// How many weights of a tensor of this form stand together, and in how many bytes.
fn block_of_tensor(form: i32) -> Option<(i64, i64)> {
    Some(match form {
        0 => (1, 4),
        1 => (1, 2),
        2 => (32, 18),
        3 => (32, 20),
        6 => (32, 22),
        7 => (32, 24),
        8 => (32, 34),
        10 => (256, 84),
        11 => (256, 110),
        12 => (256, 144),
        13 => (256, 176),
        14 => (256, 210),
        _ => return None,
    })
}
