//! What one call may hold, known before any work begins, and the sentences that say so.

use crate::answer::Refusal;
use sonometer::Instrument;

/// The most characters of one text or conversation, as the service has it.
pub(crate) const CHARACTERS: usize = 200_000;
/// The most turns of one conversation, as the service has it.
pub(crate) const TURNS: usize = 2_000;
/// The most bytes of a protocol, metric, blueprint, stage, card or log that is sent.
pub(crate) const SOURCE_BYTES: usize = 256 << 10;
/// The most items of one evaluation.
pub(crate) const ITEMS: usize = 500;
/// The most characters of all items of one evaluation.
pub(crate) const ITEMS_CHARACTERS: usize = 1_000_000;
/// The most lines of a protocol whose coverage is measured: each is taken away in turn.
pub(crate) const COVERED_LINES: usize = 300;
/// The most steps of the matcher that one call may take at worst. 320 million are a second (see the service's `effort.rs`), so no call
/// keeps a core longer than ten seconds.
pub(crate) const STEPS: u64 = 3_200_000_000;
/// The most bytes of one message of a client.
pub(crate) const MESSAGE_BYTES: usize = 8 << 20;
/// The most bytes of a canonical answer: what does not fit a model's context is of no use to it.
pub(crate) const CANONICAL_BYTES: usize = 256 << 10;
/// The most characters of the short text of an answer.
pub(crate) const TEXT_CHARACTERS: usize = 12_000;
/// The most characters of a quotation.
pub(crate) const QUOTE_CHARACTERS: usize = 160;
/// The most pieces of evidence, findings, failures and the like in one answer.
pub(crate) const SHOWN: usize = 20;
/// The most dives of one client that are open at once; a further one closes the one that was used longest ago.
pub(crate) const DIVES: usize = 16;
/// The same for all clients together.
pub(crate) const DIVES_OF_ALL: usize = 64;
/// Calls of one client that wait for the one before; a further one is refused.
pub(crate) const WAITING: usize = 16;
/// The same for all clients together.
pub(crate) const WAITING_OF_ALL: usize = 64;
/// Compiled protocols, metrics, blueprints and stages that are kept.
pub(crate) const KEPT: usize = 32;

/// `1,234,567`
pub(crate) fn grouped(number: usize) -> String {
    sonometer_report::grouped(u64::try_from(number).unwrap_or(u64::MAX))
}

/// A refusal of what is larger than `most`.
pub(crate) fn too_large(place: &str, size: usize, most: usize, what: &str, fix: &str) -> Refusal {
    let message = format!("{} {what}; the limit is {}; {fix}", grouped(size), grouped(most));
    Refusal::new("payload_too_large", place, message).with_limit(most)
}

/// Whether the text of a file may be read.
pub(crate) fn source(place: &str, text: &str) -> Result<(), Refusal> {
    match text.len() > SOURCE_BYTES {
        false => Ok(()),
        true => {
            let fix = "send a smaller one, or use the command `sonometer` with the file";
            Err(too_large(place, text.len(), SOURCE_BYTES, "bytes", fix))
        }
    }
}

/// Whether measuring so many bytes of text stays within [`STEPS`].
pub(crate) fn work(place: &str, instrument: &Instrument, bytes: usize) -> Result<(), Refusal> {
    let per_word = instrument.steps_per_word().max(1);
    // No word is shorter than two bytes, its gap included.
    let words = u64::try_from(bytes.div_ceil(2)).unwrap_or(u64::MAX);
    let steps = per_word.saturating_mul(words);
    if steps <= STEPS {
        return Ok(());
    }
    let most = STEPS / per_word * 2;
    let message = format!(
        "measuring {} bytes with `{}@{}` takes up to {} steps; the limit of one call is {}; send at most {} bytes, or use \
         `sonometer sense`",
        grouped(bytes),
        instrument.id(),
        instrument.version(),
        sonometer_report::grouped(steps),
        sonometer_report::grouped(STEPS),
        sonometer_report::grouped(most),
    );
    Err(Refusal::new("payload_too_large", place, message)
        .with_limit(usize::try_from(most).unwrap_or(usize::MAX)))
}
