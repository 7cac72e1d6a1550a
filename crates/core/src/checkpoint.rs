//! The state of a long computation as bytes and back: what a solver implements so that its runs can be resumed.
//!
//! Numbers are little-endian; lists are preceded by their length. Where the bytes are stored, and how damage is detected, is up to the
//! caller.
//!
//! ```
//! use phasefront_core::checkpoint::{State, StateReader, StateWriter};
//!
//! struct Sums(u64, Vec<f64>);
//! impl State for Sums {
//!     const VERSION: u32 = 1;
//!     fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
//!         out.integer(self.0);
//!         out.doubles(&self.1);
//!     }
//!     fn read(from: &mut StateReader<'_>) -> Option<Self> {
//!         Some(Self(from.integer()?, from.doubles()?))
//!     }
//! }
//!
//! let state = Sums(3, vec![0.1, -0.0]);
//! let mut out = StateWriter::default();
//! state.write(&mut out);
//! let bytes = out.parts().concat();
//! let Sums(count, values) = Sums::read(&mut StateReader::new(&bytes)).unwrap();
//! assert_eq!((count, values[0].to_bits()), (3, 0.1_f64.to_bits()));
//! ```

use num_complex::Complex64;
use std::borrow::Cow;

/// The state of a computation that can be resumed.
pub trait State: Sized {
    /// Version of the layout; to be increased when it changes.
    const VERSION: u32;
    /// Appends the state.
    fn write<'a>(&'a self, out: &mut StateWriter<'a>);
    /// Reads what [`State::write`] wrote, to the last bit; none if the bytes are not such a state.
    fn read(from: &mut StateReader<'_>) -> Option<Self>;
}

/// Collects the bytes of a state. Large blocks are borrowed, not copied.
#[derive(Debug, Default)]
pub struct StateWriter<'a> {
    parts: Vec<Cow<'a, [u8]>>,
}

impl<'a> StateWriter<'a> {
    /// The bytes, to be concatenated.
    pub fn parts(&self) -> Vec<&[u8]> {
        self.parts.iter().map(AsRef::as_ref).collect()
    }

    fn copy(&mut self, bytes: impl IntoIterator<Item = u8>) {
        // Consecutive small values share one buffer; a new one begins only after a borrowed block.
        if let Some(Cow::Owned(last)) = self.parts.last_mut() {
            last.extend(bytes);
        } else {
            self.parts.push(Cow::Owned(bytes.into_iter().collect()));
        }
    }

    /// An integer.
    pub fn integer(&mut self, value: u64) {
        self.copy(value.to_le_bytes());
    }

    /// A list of integers.
    pub fn integers(&mut self, values: impl ExactSizeIterator<Item = u64>) {
        self.integer(values.len() as u64);
        self.copy(values.flat_map(u64::to_le_bytes));
    }

    /// A list of 32-bit indices.
    pub fn indices(&mut self, values: &[u32]) {
        self.integer(values.len() as u64);
        self.copy(values.iter().flat_map(|value| value.to_le_bytes()));
    }

    /// A list of double-precision numbers.
    pub fn doubles(&mut self, values: &[f64]) {
        self.integer(values.len() as u64);
        self.copy(values.iter().flat_map(|value| value.to_le_bytes()));
    }

    /// A list of single-precision numbers.
    pub fn singles(&mut self, values: &[f32]) {
        self.integer(values.len() as u64);
        self.copy(values.iter().flat_map(|value| value.to_le_bytes()));
    }

    /// A list of complex numbers.
    pub fn complex(&mut self, values: &[Complex64]) {
        self.integer(values.len() as u64);
        self.copy(values.iter().flat_map(|z| [z.re, z.im]).flat_map(f64::to_le_bytes));
    }

    /// A block of bytes.
    pub fn bytes(&mut self, bytes: &'a [u8]) {
        self.integer(bytes.len() as u64);
        self.parts.push(Cow::Borrowed(bytes));
    }

    /// A text.
    pub fn text(&mut self, text: &'a str) {
        self.bytes(text.as_bytes());
    }

    /// A list of states.
    pub fn list<T: State>(&mut self, items: &'a [T]) {
        self.integer(items.len() as u64);
        for item in items {
            item.write(self);
        }
    }
}

/// Reads the bytes of a state.
#[derive(Debug)]
pub struct StateReader<'a> {
    rest: &'a [u8],
}

impl<'a> StateReader<'a> {
    /// From the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Whether all bytes have been read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        // The length is checked against the bytes present before anything is allocated.
        let (now, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(now)
    }

    fn numbers<const N: usize, T>(&mut self, number: fn([u8; N]) -> T) -> Option<Vec<T>> {
        // Lengths of a damaged file may be any 64-bit number, so the product is checked too.
        let length = usize::try_from(self.integer()?).ok()?.checked_mul(N)?;
        let (chunks, _) = self.take(length)?.as_chunks();
        Some(chunks.iter().map(|chunk| number(*chunk)).collect())
    }

    /// An integer.
    pub fn integer(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_le_bytes)
    }

    /// An integer that counts or indexes something.
    pub fn count(&mut self) -> Option<usize> {
        self.integer()?.try_into().ok()
    }

    /// A list of integers.
    pub fn integers(&mut self) -> Option<Vec<u64>> {
        self.numbers(u64::from_le_bytes)
    }

    /// A list of 32-bit indices.
    pub fn indices(&mut self) -> Option<Vec<u32>> {
        self.numbers(u32::from_le_bytes)
    }

    /// A list of double-precision numbers.
    pub fn doubles(&mut self) -> Option<Vec<f64>> {
        self.numbers(f64::from_le_bytes)
    }

    /// A list of single-precision numbers.
    pub fn singles(&mut self) -> Option<Vec<f32>> {
        self.numbers(f32::from_le_bytes)
    }

    /// A list of complex numbers.
    pub fn complex(&mut self) -> Option<Vec<Complex64>> {
        self.numbers(|bytes: [u8; 16]| {
            let (parts, _) = bytes.as_chunks();
            Complex64::new(f64::from_le_bytes(parts[0]), f64::from_le_bytes(parts[1]))
        })
    }

    /// A block of bytes.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.count()?;
        self.take(length)
    }

    /// A text.
    pub fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// A list of states.
    pub fn list<T: State>(&mut self) -> Option<Vec<T>> {
        let count = self.integer()?;
        // Collecting options reserves nothing in advance: a damaged count ends at the first missing
        // item.
        (0..count).map(|_| T::read(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Everything(u64, Vec<u64>, Vec<f64>, Vec<f32>, Vec<Complex64>, Vec<u8>, String, Vec<u32>);

    impl State for Everything {
        const VERSION: u32 = 1;

        fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
            out.integer(self.0);
            out.integers(self.1.iter().copied());
            out.doubles(&self.2);
            out.singles(&self.3);
            out.complex(&self.4);
            out.bytes(&self.5);
            out.text(&self.6);
            out.indices(&self.7);
        }

        fn read(from: &mut StateReader<'_>) -> Option<Self> {
            Some(Self(
                from.integer()?,
                from.integers()?,
                from.doubles()?,
                from.singles()?,
                from.complex()?,
                from.bytes()?.to_vec(),
                from.text()?.to_owned(),
                from.indices()?,
            ))
        }
    }

    fn example() -> Everything {
        let numbers = vec![0.1 + 0.2, -0.0, f64::MIN_POSITIVE, 1e300];
        let complex = vec![Complex64::new(0.1, -1e-300)];
        let (singles, indices) = (vec![0.1, f32::MAX], vec![0, u32::MAX]);
        Everything(u64::MAX, vec![7, 0], numbers, singles, complex, vec![1, 2, 3], "élan".into(), indices)
    }

    fn bytes(items: &[Everything]) -> Vec<u8> {
        let mut out = StateWriter::default();
        out.list(items);
        out.parts().concat()
    }

    #[test]
    fn states_read_back_to_the_last_bit() {
        let items = [example(), Everything(0, vec![], vec![], vec![], vec![], vec![], String::new(), vec![])];
        let bytes = bytes(&items);
        let mut reader = StateReader::new(&bytes);
        assert_eq!(reader.list::<Everything>().as_deref(), Some(&items[..]));
        assert!(reader.is_empty());
    }

    #[test]
    fn short_and_absurd_lengths_are_refused() {
        let bytes = bytes(&[example()]);
        for length in 0..bytes.len() {
            assert!(StateReader::new(&bytes[..length]).list::<Everything>().is_none(), "{length}");
        }
        assert!(StateReader::new(&u64::MAX.to_le_bytes()).doubles().is_none());
        assert!(StateReader::new(&u64::MAX.to_le_bytes()).bytes().is_none());
    }
}
