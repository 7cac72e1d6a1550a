//! Base64 encoding.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The two letters of every twelve bits.
static PAIRS: [[u8; 2]; 4096] = {
    let mut pairs = [[0; 2]; 4096];
    let mut bits = 0;
    while bits < pairs.len() {
        pairs[bits] = [LETTERS[bits >> 6], LETTERS[bits & 63]];
        bits += 1;
    }
    pairs
};

/// Base64 with padding (RFC 4648), as data URIs and VTK require.
pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut letters = vec![0; coded_len(bytes.len())];
    encode(bytes, &mut letters);
    letters.into_iter().map(char::from).collect()
}

/// Number of letters of so many bytes.
pub(crate) fn coded_len(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

/// Encodes into `letters`, which have the length of [`coded_len`].
pub(crate) fn encode(bytes: &[u8], letters: &mut [u8]) {
    let (groups, rest) = bytes.as_chunks::<3>();
    let (coded, _) = letters.as_chunks_mut::<4>();
    for ([a, b, c], coded) in groups.iter().zip(&mut *coded) {
        // Three bytes become four letters of six bits.
        let word = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
        let ([i, j], [k, l]) = (PAIRS[word >> 12], PAIRS[word & 0xfff]);
        *coded = [i, j, k, l];
    }
    // A short last group is padded with `=`.
    if let (Some(coded), Some(a)) = (coded.get_mut(groups.len()), rest.first()) {
        let word = usize::from(*a) << 16 | usize::from(rest.get(1).copied().unwrap_or(0)) << 8;
        let ([i, j], [k, _]) = (PAIRS[word >> 12], PAIRS[word & 0xfff]);
        *coded = [i, j, if rest.len() == 2 { k } else { b'=' }, b'='];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_has_the_vectors_of_its_rfc() {
        let vectors = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in vectors {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }
}
