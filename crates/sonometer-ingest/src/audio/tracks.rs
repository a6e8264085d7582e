//! The channels of a recording as files that recognisers take: WAV of 16 bits, one channel, 16,000 samples a second.

use super::decode::Sink;
use super::folder::{Folder, unusable};
use super::hear::Progress;
use super::resample::RATE;
use crate::error::ReadError;
use sonometer::Unit;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A channel whose loudest sample is below this is silent (80 dB below the loudest there is).
const SILENT: u16 = 3;
/// Two channels that agree so much (the cosine between them) hold the same speakers.
const ALIKE: f64 = 0.7;
/// Bytes before the samples.
pub(super) const HEAD: usize = 44;

/// One channel.
#[derive(Debug)]
struct Track {
    path: PathBuf,
    file: BufWriter<File>,
    loudest: u16,
    /// The sum of squares.
    power: f64,
}

/// All channels while they come in.
pub(crate) struct Tracks<'a> {
    folder: Folder,
    tracks: Vec<Track>,
    shown: String,
    frames: u64,
    /// The sum of products of the first two channels.
    together: f64,
    told: Option<&'a (dyn Fn(Progress) + Sync)>,
}

/// All channels, written.
#[derive(Debug)]
pub(crate) struct Channels {
    pub(crate) folder: Folder,
    /// Each with its file, or `None` where it is silent.
    pub(crate) files: Vec<Option<PathBuf>>,
    pub(crate) shown: String,
    pub(crate) seconds: Unit,
    /// Whether the first two of two hold the same.
    pub(crate) are_alike: bool,
}

impl<'a> Tracks<'a> {
    pub(crate) fn new(told: Option<&'a (dyn Fn(Progress) + Sync)>) -> Result<Self, ReadError> {
        let folder = Folder::new()?;
        Ok(Self { folder, tracks: Vec::new(), shown: String::new(), frames: 0, together: 0.0, told })
    }

    pub(crate) fn finish(self) -> Result<Channels, ReadError> {
        let Self { folder, tracks, shown, frames, together, .. } = self;
        let cosine = match &tracks[..] {
            [a, b] if a.power > 0.0 && b.power > 0.0 => together / (a.power * b.power).sqrt(),
            _ => 0.0,
        };
        let mut files = Vec::new();
        for mut track in tracks {
            write_head(&mut track.file, frames).map_err(|error| unwritten(&error))?;
            files.push((track.loudest >= SILENT).then_some(track.path));
        }
        Ok(Channels { folder, files, shown, seconds: seconds(frames), are_alike: cosine.abs() >= ALIKE })
    }
}

impl Channels {
    /// All channels in one file; `None` where all are silent.
    pub(crate) fn mixed(&self) -> Result<Option<PathBuf>, ReadError> {
        let heard: Vec<&Path> = self.files.iter().flatten().map(PathBuf::as_path).collect();
        match heard[..] {
            [] => Ok(None),
            [only] => Ok(Some(only.to_owned())),
            _ => {
                let path = self.folder.path().join("mixed.wav");
                mix(&heard, &path).map_err(|error| unwritten(&error))?;
                Ok(Some(path))
            }
        }
    }
}

impl Sink for Tracks<'_> {
    fn begin(&mut self, channels: usize, shown: &str) -> Result<(), ReadError> {
        shown.clone_into(&mut self.shown);
        for number in 1..=channels {
            let path = self.folder.path().join(format!("channel-{number}.wav"));
            let file = File::create(&path).and_then(|file| {
                let mut file = BufWriter::new(file);
                file.write_all(&[0; HEAD])?;
                Ok(file)
            });
            let file = file.map_err(|error| unwritten(&error))?;
            self.tracks.push(Track { path, file, loudest: 0, power: 0.0 });
        }
        Ok(())
    }

    fn wants_samples(&self) -> bool {
        true
    }

    fn take(&mut self, channels: &[Vec<i16>]) -> Result<(), ReadError> {
        let more = channels.first().map_or(0, Vec::len) as u64;
        tell(self.told, self.frames, more);
        self.frames += more;
        for (track, samples) in self.tracks.iter_mut().zip(channels) {
            let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
            track.file.write_all(&bytes).map_err(|error| unwritten(&error))?;
            let loudest = samples.iter().map(|sample| sample.unsigned_abs()).max().unwrap_or(0);
            track.loudest = track.loudest.max(loudest);
            track.power += samples.iter().map(|sample| f64::from(*sample).powi(2)).sum::<f64>();
        }
        if let [a, b] = channels {
            self.together += a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        }
        Ok(())
    }
}

fn unwritten(error: &io::Error) -> ReadError {
    unusable("the sound cannot be stored for the recogniser", error)
}

/// So many samples as seconds.
pub(super) fn seconds(frames: u64) -> Unit {
    let millionths = u128::from(frames) * 1_000_000 / u128::from(RATE);
    Unit(i64::try_from(millionths).unwrap_or(i64::MAX))
}

/// Tells of every ten seconds.
pub(super) fn tell(told: Option<&(dyn Fn(Progress) + Sync)>, before: u64, more: u64) {
    let step = u64::from(RATE) * 10;
    if let Some(told) = told.filter(|_| before / step < (before + more) / step) {
        told(Progress::Decoded((before + more) / u64::from(RATE)));
    }
}

/// The head of a WAV file, once its length is known.
fn write_head(file: &mut BufWriter<File>, frames: u64) -> io::Result<()> {
    let length = u32::try_from(frames * 2).map_err(io::Error::other)?;
    let mut head = Vec::with_capacity(HEAD);
    head.extend(b"RIFF");
    head.extend((length.saturating_add(36)).to_le_bytes());
    head.extend(b"WAVEfmt ");
    head.extend(16_u32.to_le_bytes());
    // Whole numbers; one channel.
    head.extend([1, 0, 1, 0]);
    head.extend(RATE.to_le_bytes());
    head.extend((RATE * 2).to_le_bytes());
    head.extend([2, 0, 16, 0]);
    head.extend(b"data");
    head.extend(length.to_le_bytes());
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&head)?;
    file.flush()
}

/// The mean of several files, in another.
fn mix(files: &[&Path], path: &Path) -> io::Result<()> {
    let mut sources = Vec::new();
    for file in files {
        let mut source = BufReader::new(File::open(file)?);
        source.seek(SeekFrom::Start(HEAD as u64))?;
        sources.push(source);
    }
    let mut target = BufWriter::new(File::create(path)?);
    target.write_all(&[0; HEAD])?;
    let mut frames = 0;
    let count = i32::try_from(files.len()).map_err(io::Error::other)?;
    let mut block = [0; 1 << 14];
    loop {
        let mut sums = vec![0_i32; block.len() / 2];
        let mut length = 0;
        for source in &mut sources {
            let mut filled = 0;
            while filled < block.len() {
                match source.read(&mut block[filled..])? {
                    0 => break,
                    read => filled += read,
                }
            }
            length = filled / 2;
            for (sum, bytes) in sums.iter_mut().zip(block[..filled].chunks_exact(2)) {
                *sum += i32::from(i16::from_le_bytes([bytes[0], bytes[1]]));
            }
        }
        if length == 0 {
            break;
        }
        frames += length as u64;
        for sum in &sums[..length] {
            let mean = i16::try_from(sum / count).unwrap_or_default();
            target.write_all(&mean.to_le_bytes())?;
        }
    }
    write_head(&mut target, frames)
}
