//! Base64 (RFC 4648): with the alphabet of URLs and no padding for signatures, plain with padding for envelopes.

const URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const PLAIN: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// With the alphabet of URLs, without padding.
pub(crate) fn url(bytes: &[u8]) -> String {
    encode(bytes, URL)
}

/// With padding.
pub(crate) fn plain(bytes: &[u8]) -> String {
    let mut text = encode(bytes, PLAIN);
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

fn encode(bytes: &[u8], alphabet: &[u8; 64]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let group =
            three.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for at in 0..=three.len() {
            text.push(char::from(alphabet[(group >> (18 - 6 * at)) as usize & 63]));
        }
    }
    text
}

/// The bytes of a text; `None` for anything that [`url`] would not write.
pub(crate) fn read_url(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    for four in text.as_bytes().chunks(4) {
        let mut group = 0_u32;
        for byte in four {
            group = group << 6 | URL.iter().position(|known| known == byte)? as u32;
        }
        group <<= 6 * (4 - four.len());
        let whole = group.to_be_bytes();
        bytes.extend(&whole[1..four.len()]);
    }
    // Bits that are left over must be nothing, or one signature could be written in several ways.
    (url(&bytes) == text).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_the_standard() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(plain(bytes.as_bytes()), text);
            assert_eq!(read_url(text.trim_end_matches('=')), Some(bytes.as_bytes().to_vec()));
        }
        assert_eq!(url(&[0xfb, 0xff]), "-_8");
        assert_eq!(read_url("-_9"), None, "bits are left over");
        for bad in ["A", "Zg==", "Zm9+", "Zm 9", "é"] {
            assert_eq!(read_url(bad), None, "{bad}");
        }
    }
}
