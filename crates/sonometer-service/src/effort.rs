//! What a piece of work costs at worst, known before it begins. Short work is done where it is, for handing it to another
//! thread would cost more; all other work waits its organization's turn for a thread of its own, so that nobody's short work
//! stands behind it.

use sonometer::Instrument;

/// Up to so many bytes are read where they are.
const SHORT_BYTES: usize = 16 << 10;
/// So many steps of the matcher take an eightieth of a second, where a text could make it take them all. All requests that are
/// under way share a thread for each core, so short work of one organization stands before that of another.
const SHORT_STEPS: u64 = 4_000_000;
/// Going through a byte (read, counted, written) as steps: a megabyte is some hundredths of a second.
const STEPS_PER_BYTE: u64 = 16;
/// A metamarker of one reading as steps, whatever the text: it is weighed, and named in the answer and in the ledger where it triggers. Two
/// thousand of them, the most of a protocol, are some milliseconds.
const STEPS_PER_MARKER: u64 = 400;
/// What [`Effort::LONG`] counts as: a second.
const LONG_STEPS: u64 = 80 * SHORT_STEPS;

/// The price of a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effort {
    bytes: usize,
    steps: u64,
}

impl Effort {
    /// Long, whatever it goes through.
    pub(crate) const LONG: Self = Self { bytes: usize::MAX, steps: 0 };

    /// Sensing so many bytes in so many readings.
    pub(crate) fn sensing(instrument: &Instrument, readings: usize, bytes: usize) -> Self {
        let markers: usize = instrument.sensors().iter().map(|sensor| sensor.protocol().markers.len()).sum();
        Self::of(instrument.steps_per_word(), markers.saturating_mul(readings), bytes)
    }

    /// Sensing so many bytes, of which the lines of the protocols take at most `steps_per_word`
    /// ([`sonometer::Instrument::steps_per_word`]), for so many metamarkers of all readings together. No word is shorter than two
    /// bytes, its gap included.
    fn of(steps_per_word: u64, markers: usize, bytes: usize) -> Self {
        let whole = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let lines = steps_per_word.saturating_mul(whole(bytes.div_ceil(2)));
        Self { bytes, steps: lines.saturating_add(whole(markers).saturating_mul(STEPS_PER_MARKER)) }
    }

    /// Going through so many bytes once.
    pub(crate) fn reading(bytes: usize) -> Self {
        Self { bytes, steps: 0 }
    }

    /// What it counts in a queue.
    pub(crate) fn cost(self) -> u64 {
        match u64::try_from(self.bytes) {
            Ok(bytes) if self != Self::LONG => {
                self.steps.saturating_add(bytes.saturating_mul(STEPS_PER_BYTE))
            }
            _ => LONG_STEPS,
        }
    }

    /// Whether it is done where it is.
    pub(crate) fn is_short(self) -> bool {
        self.bytes <= SHORT_BYTES && self.steps <= SHORT_STEPS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::protocol::MAX_STEPS;

    #[test]
    fn the_price_is_the_length_by_the_steps_of_a_word() {
        assert!(Effort::reading(SHORT_BYTES).is_short());
        assert!(!Effort::reading(SHORT_BYTES + 1).is_short());
        assert!(!Effort::LONG.is_short());
        assert!(Effort::of(488, 0, SHORT_BYTES).is_short());
        assert!(!Effort::of(489, 0, SHORT_BYTES).is_short());
        assert!(Effort::of(MAX_STEPS, 0, 20).is_short());
        assert!(!Effort::of(MAX_STEPS, 0, 21).is_short());
        assert!(!Effort::of(u64::MAX, 0, 3).is_short());
        assert!(Effort::of(1, 10_000, 0).is_short());
        assert!(!Effort::of(1, 10_001, 0).is_short());
        assert!(!Effort::of(1, usize::MAX, 0).is_short());
        assert_eq!(Effort::of(1_000, 7, 200).cost(), 100 * 1_000 + 200 * 16 + 7 * 400);
        assert_eq!((Effort::LONG.cost(), Effort::of(u64::MAX, 0, 3).cost()), (LONG_STEPS, u64::MAX));
    }

    /// What ships is short for a line of a chat.
    #[test]
    fn a_line_is_short_for_every_protocol_that_ships() {
        for entry in sonometer_catalog::protocols() {
            let (protocol, _) = entry.protocol().expect(entry.id);
            let markers = protocol.markers.len();
            assert!(Effort::of(protocol.steps_per_word(), markers, 128).is_short(), "{}", entry.id);
        }
    }
}
