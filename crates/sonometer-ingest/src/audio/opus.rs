//! Opus, which the library of the other codecs does not know: packets into samples at 48,000 a second.

use opus_decoder::{OpusDecoder, OpusMultistreamDecoder};

/// Samples a second; Opus knows no other clock.
pub(crate) const RATE: u32 = 48_000;
/// Samples of the longest packet, 120 milliseconds, in each channel.
const LONGEST_PACKET: usize = 5_760;

/// The two forms: one stream of one or two channels, or several under one roof.
enum Decoder {
    One(Box<OpusDecoder>),
    Many(Box<OpusMultistreamDecoder>),
}

/// A recording in Opus.
pub(crate) struct Opus {
    decoder: Decoder,
    pub(crate) channels: usize,
    /// Samples at the beginning that are no part of the recording.
    pub(crate) lead: u64,
    samples: Vec<f32>,
}

impl Opus {
    /// From the head of the stream (`OpusHead`), and from the number of channels where there is none.
    pub(crate) fn new(head: Option<&[u8]>, channels: usize) -> Result<Self, &'static str> {
        let head = head.filter(|head| head.starts_with(b"OpusHead") && head.len() >= 19);
        let Some(head) = head else {
            return Self::one(channels, 0);
        };
        let channels = usize::from(head[9]);
        let lead = u64::from(u16::from_le_bytes([head[10], head[11]]));
        match head[18] {
            0 => Self::one(channels, lead),
            1 | 255 => {
                let (streams, coupled) =
                    (*head.get(19).ok_or("its header is truncated")?, head.get(20).copied());
                let coupled = coupled.ok_or("its header is truncated")?;
                let mapping = head.get(21..21 + channels).ok_or("its header is truncated")?;
                let decoder =
                    OpusMultistreamDecoder::new(RATE, channels, streams.into(), coupled.into(), mapping)
                        .map_err(|_| "its channels are not valid")?;
                let samples = vec![0.0; LONGEST_PACKET * channels];
                Ok(Self { decoder: Decoder::Many(Box::new(decoder)), channels, lead, samples })
            }
            _ => Err("its channel layout is unknown"),
        }
    }

    fn one(channels: usize, lead: u64) -> Result<Self, &'static str> {
        let decoder = OpusDecoder::new(RATE, channels).map_err(|_| "it has more than two channels")?;
        let samples = vec![0.0; LONGEST_PACKET * channels];
        Ok(Self { decoder: Decoder::One(Box::new(decoder)), channels, lead, samples })
    }

    /// The samples of a packet, interleaved; `None` for one that is damaged.
    pub(crate) fn decode(&mut self, packet: &[u8]) -> Option<&[f32]> {
        // An empty one would be made up from what went before.
        if packet.is_empty() {
            return None;
        }
        let frames = match &mut self.decoder {
            Decoder::One(decoder) => decoder.decode_float(packet, &mut self.samples, false),
            Decoder::Many(decoder) => decoder.decode_float(packet, &mut self.samples, false),
        };
        self.samples.get(..frames.ok()?.checked_mul(self.channels)?)
    }
}
