//! Sound files into samples: containers and codecs by `symphonia`, Opus by `opus-decoder`, one packet after the other.

use super::opus::{self, Opus};
use super::resample::{RATE, Resampler};
use crate::Limits;
use crate::error::{ReadError, Reason};
use std::io::Cursor;
use symphonia::core::codecs::CodecParameters;
use symphonia::core::codecs::audio::well_known::CODEC_ID_OPUS;
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoder, AudioDecoderOptions};
use symphonia::core::errors::Error as Trouble;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, FormatReader, Track, TrackType};
use symphonia::core::io::MediaSourceStream;
use symphonia::core::meta::MetadataOptions;
use symphonia::core::packet::Packet;

/// The most samples a second that make sense.
const FASTEST: u32 = 384_000;
/// Of a hundred packets, the most that may be damaged.
const MOST_DAMAGED: u64 = 10;
/// Packets without a sample, one after the other, before a file is given up.
const MOST_EMPTY: u64 = 100_000;

/// What takes the sound.
pub(crate) trait Sink {
    /// What comes: channels, and what it is (`mp3, 44100 Hz, 2 channels`). Once, before the first sample.
    fn begin(&mut self, channels: usize, shown: &str) -> Result<(), ReadError>;
    /// Whether it wants the samples; the length alone is told at the end.
    fn wants_samples(&self) -> bool;
    /// Samples at 16,000 a second, as many in each channel.
    fn take(&mut self, channels: &[Vec<i16>]) -> Result<(), ReadError>;
}

/// What is known at the end.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// What a person should know.
    pub(crate) notes: Vec<String>,
    /// Samples of each channel, at 16,000 a second.
    pub(crate) frames: u64,
}

/// Decodes a file.
///
/// # Errors
/// `broken`, `unsupported`, `no_text` without sound, `too_large`.
pub(crate) fn decode(bytes: &[u8], limits: &Limits, sink: &mut dyn Sink) -> Result<Decoded, ReadError> {
    let source = MediaSourceStream::new(Box::new(Cursor::new(bytes)), Default::default());
    let mut format = symphonia::default::get_probe()
        .probe(&Hint::new(), source, FormatOptions::default(), MetadataOptions::default())
        .map_err(|trouble| refused("the recording cannot be read", &trouble))?;
    let mut found = pick(format.as_ref())?;
    let mut reader = Reader::new(&found.1)?;
    let mut work = Work { limits, sink, stage: None, damaged: 0, packets: 0, empty: 0, skip: 0, known: None };
    work.skip = reader.lead();
    let mut notes = Vec::new();
    loop {
        let packet = match format.next_packet() {
            Ok(Some(packet)) => packet,
            Ok(None) => break,
            Err(Trouble::ResetRequired) => {
                // Another recording follows in the same file.
                found = pick(format.as_ref())?;
                reader = Reader::new(&found.1)?;
                work.skip = reader.lead();
                continue;
            }
            Err(Trouble::IoError(error)) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                notes.push("the file is truncated; the part before that is read".to_owned());
                break;
            }
            Err(trouble) if work.stage.is_none() => {
                return Err(refused("the recording is damaged", &trouble));
            }
            Err(trouble) => {
                notes.push(format!(
                    "the file is damaged in the middle ({trouble}); the part before that is read"
                ));
                break;
            }
        };
        if packet.track_id == found.0 {
            work.packet(&mut reader, &packet)?;
        }
    }
    work.finish(notes)
}

/// The track that holds the sound, and how it is coded.
fn pick(format: &dyn FormatReader) -> Result<(u32, AudioCodecParameters), ReadError> {
    let is_sound = |track: &&Track| matches!(track.codec_params, Some(CodecParameters::Audio(_)));
    let track = format.default_track(TrackType::Audio).filter(is_sound);
    let track = track.or_else(|| format.tracks().iter().find(is_sound));
    match track.map(|track| (track.id, track.codec_params.as_ref())) {
        Some((id, Some(CodecParameters::Audio(codec)))) => Ok((id, codec.clone())),
        _ => {
            let message = "this file has no sound; give the recording, or its transcript";
            Err(ReadError::new(Reason::NoText, "", message))
        }
    }
}

fn refused(what: &str, trouble: &Trouble) -> ReadError {
    let (reason, why) = match trouble {
        Trouble::Unsupported(why) => (Reason::Unsupported, (*why).to_owned()),
        Trouble::IoError(_) => (Reason::Broken, "the file is truncated".to_owned()),
        other => (Reason::Broken, other.to_string()),
    };
    ReadError::new(reason, "", format!("{what} ({}); {CONVERT}", why.trim()))
}

const CONVERT: &str = "convert it, for example with `ffmpeg -i FILE call.wav`, or give its transcript";

/// The sound of a packet, interleaved.
struct Block<'a> {
    rate: u32,
    channels: usize,
    samples: &'a [f32],
}

/// A codec at work.
enum Reader {
    Opus(Box<Opus>),
    Other { decoder: Box<dyn AudioDecoder>, name: &'static str, samples: Vec<f32> },
}

impl Reader {
    fn new(codec: &AudioCodecParameters) -> Result<Self, ReadError> {
        if codec.codec == CODEC_ID_OPUS {
            let channels = codec.channels.as_ref().map_or(1, |channels| channels.count());
            let opus = Opus::new(codec.extra_data.as_deref(), channels);
            let opus = opus.map_err(|why| {
                let message = format!("the recording in Opus cannot be read: {why}; {CONVERT}");
                ReadError::new(Reason::Broken, "", message)
            })?;
            return Ok(Self::Opus(Box::new(opus)));
        }
        let decoder = symphonia::default::get_codecs()
            .make_audio_decoder(codec, &AudioDecoderOptions::default().gapless(true))
            .map_err(|trouble| refused("the audio codec is not supported", &trouble))?;
        let name = decoder.codec_info().short_name;
        Ok(Self::Other { decoder, name, samples: Vec::new() })
    }

    /// Samples before the beginning.
    fn lead(&self) -> u64 {
        match self {
            Self::Opus(opus) => opus.lead,
            Self::Other { .. } => 0,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Opus(_) => "opus",
            Self::Other { name, .. } => name,
        }
    }

    /// The sound of a packet; `None` for one that is damaged.
    fn decode(&mut self, packet: &Packet) -> Result<Option<Block<'_>>, ReadError> {
        match self {
            Self::Opus(opus) => {
                let channels = opus.channels;
                let Some(samples) = opus.decode(&packet.data) else { return Ok(None) };
                // The container says how much of the last packet is no part of the recording.
                let over =
                    usize::try_from(packet.trim_end.get()).unwrap_or(usize::MAX).saturating_mul(channels);
                let kept = samples.len().saturating_sub(over);
                Ok(Some(Block { rate: opus::RATE, channels, samples: &samples[..kept] }))
            }
            Self::Other { decoder, samples, .. } => match decoder.decode(packet) {
                Ok(decoded) => {
                    let (rate, channels) = (decoded.spec().rate(), decoded.spec().channels().count());
                    samples.clear();
                    decoded.copy_to_vec_interleaved(samples);
                    Ok(Some(Block { rate, channels, samples }))
                }
                Err(Trouble::DecodeError(_) | Trouble::IoError(_)) => Ok(None),
                Err(trouble) => Err(refused("the recording is damaged", &trouble)),
            },
        }
    }
}

/// The way of the samples from the codec to the sink.
struct Work<'a> {
    limits: &'a Limits,
    sink: &'a mut dyn Sink,
    stage: Option<Stage>,
    packets: u64,
    damaged: u64,
    empty: u64,
    /// Samples of each channel that are still to be left out.
    skip: u64,
    /// Samples in each channel of the last good packet.
    known: Option<usize>,
}

struct Stage {
    rate: u32,
    channels: usize,
    resamplers: Vec<Resampler>,
    out: Vec<Vec<i16>>,
    /// Samples of each channel so far, at the rate of the file.
    taken: u64,
}

impl Work<'_> {
    fn packet(&mut self, reader: &mut Reader, packet: &Packet) -> Result<(), ReadError> {
        self.packets += 1;
        let name = reader.name();
        let Some(Block { rate, channels, samples }) = reader.decode(packet)? else {
            return self.damage();
        };
        if samples.is_empty() {
            self.empty += 1;
            if self.empty > MOST_EMPTY {
                return Err(ReadError::broken("", "the recording has too many empty packets"));
            }
            return Ok(());
        }
        self.empty = 0;
        self.begin(rate, channels, name)?;
        let frames = samples.len() / channels.max(1);
        let skip = usize::try_from(self.skip).unwrap_or(usize::MAX).min(frames);
        self.skip -= skip as u64;
        self.known = Some(frames);
        let Some(stage) = &self.stage else { return Ok(()) };
        if (stage.rate, stage.channels) != (rate, channels) {
            // Mostly noise that looks like a packet.
            return self.damage();
        }
        self.push(frames - skip, &samples[skip * channels..])
    }

    /// A damaged packet is as much silence as the one before had sound, so that what follows keeps its time.
    fn damage(&mut self) -> Result<(), ReadError> {
        self.damaged += 1;
        match (&self.stage, self.known) {
            (Some(stage), Some(frames)) => {
                let silence = vec![0.0; frames * stage.channels];
                self.push(frames, &silence)
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, rate: u32, channels: usize, name: &str) -> Result<(), ReadError> {
        if self.stage.is_some() {
            return Ok(());
        }
        if rate == 0 || rate > FASTEST {
            let message =
                format!("the recording declares {rate} samples a second, which is not supported; {CONVERT}");
            return Err(ReadError::new(Reason::Broken, "", message));
        }
        if channels == 0 {
            let message = format!("the recording declares no channels; {CONVERT}");
            return Err(ReadError::new(Reason::Broken, "", message));
        }
        if channels > self.limits.channels {
            let what = format!("the recording has {channels} channels");
            return Err(ReadError::too_large("", what, self.limits.channels));
        }
        let count = if channels == 1 { "1 channel".to_owned() } else { format!("{channels} channels") };
        self.sink.begin(channels, &format!("{name}, {rate} Hz, {count}"))?;
        self.stage = Some(Stage {
            rate,
            channels,
            resamplers: (0..channels).map(|_| Resampler::new(rate)).collect(),
            out: vec![Vec::new(); channels],
            taken: 0,
        });
        Ok(())
    }

    fn push(&mut self, frames: usize, samples: &[f32]) -> Result<(), ReadError> {
        let Some(stage) = &mut self.stage else { return Ok(()) };
        stage.taken += frames as u64;
        let seconds = (stage.taken / u64::from(stage.rate)).saturating_mul(stage.channels as u64);
        if seconds > self.limits.audio_seconds {
            let what = "the recording has too many seconds, all channels together";
            let most = usize::try_from(self.limits.audio_seconds).unwrap_or(usize::MAX);
            return Err(ReadError::too_large("", what, most));
        }
        if !self.sink.wants_samples() {
            return Ok(());
        }
        for (channel, resampler) in stage.resamplers.iter_mut().enumerate() {
            let own = samples.iter().skip(channel).step_by(stage.channels).copied();
            resampler.push(own, &mut stage.out[channel]);
        }
        // Some thousand at a time.
        if stage.out[0].len() >= RATE as usize / 4 {
            self.sink.take(&stage.out)?;
            stage.out.iter_mut().for_each(Vec::clear);
        }
        Ok(())
    }

    fn finish(self, mut notes: Vec<String>) -> Result<Decoded, ReadError> {
        let Some(mut stage) = self.stage else {
            let message = match self.packets {
                0 => format!("this file has no sound; {CONVERT}"),
                _ => format!("no part of the recording can be decoded; {CONVERT}"),
            };
            return Err(ReadError::new(
                if self.packets == 0 { Reason::NoText } else { Reason::Broken },
                "",
                message,
            ));
        };
        if self.sink.wants_samples() {
            for (resampler, out) in stage.resamplers.iter_mut().zip(&mut stage.out) {
                resampler.finish(out);
            }
            self.sink.take(&stage.out)?;
        }
        let frames = (stage.taken * u64::from(RATE)).div_ceil(u64::from(stage.rate));
        if self.damaged * 100 > self.packets * MOST_DAMAGED {
            let message = format!(
                "{} of {} packets of the recording are damaged; {CONVERT}",
                self.damaged, self.packets
            );
            return Err(ReadError::new(Reason::Broken, "", message));
        }
        if self.damaged > 0 {
            notes.push(format!(
                "{} of {} packets of the recording are damaged and treated as silence",
                self.damaged, self.packets
            ));
        }
        Ok(Decoded { notes, frames })
    }
}
