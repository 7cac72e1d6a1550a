//! Numbers from the bytes of a file, never beyond its end.

/// Order of the bytes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endian {
    Little,
    Big,
}

/// The rest of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    pub endian: Endian,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], endian: Endian) -> Self {
        Self { bytes, at: 0, endian }
    }

    /// Position from the start, bytes.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next bytes, as `what` of the file; a length that the file promises is compared with the bytes that there are.
    pub(super) fn take(&mut self, count: u64, what: &str) -> Result<&'a [u8], String> {
        let there = usize::try_from(count).ok().filter(|count| *count <= self.left());
        let Some(count) = there else {
            return Err(format!(
                "its {what} at byte {} has {count} bytes, and {} are left",
                self.at,
                self.left()
            ));
        };
        let taken = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(taken)
    }

    /// Skips what is only there to align the next item; a file may end without it.
    pub(super) fn align(&mut self, unit: usize) {
        self.at = self.at.next_multiple_of(unit).min(self.bytes.len());
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], String> {
        let taken = self.take(N as u64, what)?;
        // `take` gave N bytes.
        let mut array = [0; N];
        array.copy_from_slice(taken);
        if self.endian == Endian::Big {
            array.reverse();
        }
        Ok(array)
    }

    pub(super) fn u16(&mut self, what: &str) -> Result<u16, String> {
        self.array(what).map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self, what: &str) -> Result<u32, String> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, what: &str) -> Result<u64, String> {
        self.array(what).map(u64::from_le_bytes)
    }
}

/// Type of the numbers of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    U8,
    I8,
    U16,
    I16,
    /// 24 bits.
    I24,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

impl Number {
    /// Bytes of one.
    pub(super) fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::I24 => 3,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// The value of the bytes of one.
    pub(super) fn value(self, bytes: &[u8], endian: Endian) -> f64 {
        let mut low = [0; 8];
        low[..bytes.len()].copy_from_slice(bytes);
        if endian == Endian::Big {
            low[..bytes.len()].reverse();
        }
        let word = u64::from_le_bytes(low);
        match self {
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => word as f64,
            Self::I8 => f64::from(word as i8),
            Self::I16 => f64::from(word as i16),
            // The sign bit is moved to that of 32 bits.
            Self::I24 => f64::from((word as i32) << 8 >> 8),
            Self::I32 => f64::from(word as i32),
            Self::I64 => (word as i64) as f64,
            Self::F32 => f64::from(f32::from_bits(word as u32)),
            Self::F64 => f64::from_bits(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_types_have_their_values() {
        for (number, bytes, expected) in [
            (Number::U8, vec![200], 200.0),
            (Number::I8, vec![200], -56.0),
            (Number::I16, (-300_i16).to_le_bytes().to_vec(), -300.0),
            (Number::I24, vec![0xfe, 0xff, 0xff], -2.0),
            (Number::I32, (-70_000_i32).to_le_bytes().to_vec(), -70_000.0),
            (Number::I64, (-5_i64).to_le_bytes().to_vec(), -5.0),
            (Number::U64, 5_u64.to_le_bytes().to_vec(), 5.0),
            (Number::F32, (-1.5_f32).to_le_bytes().to_vec(), -1.5),
            (Number::F64, 0.1_f64.to_le_bytes().to_vec(), 0.1),
        ] {
            assert_eq!((number.value(&bytes, Endian::Little), bytes.len()), (expected, number.size()));
            let reversed: Vec<u8> = bytes.into_iter().rev().collect();
            assert_eq!(number.value(&reversed, Endian::Big), expected);
        }
    }

    #[test]
    fn nothing_is_read_beyond_the_end() {
        let mut cursor = Cursor::new(&[1, 0, 0], Endian::Little);
        assert_eq!(cursor.u16("length"), Ok(1));
        assert_eq!(cursor.u32("size").unwrap_err(), "its size at byte 2 has 4 bytes, and 1 are left");
        assert_eq!(cursor.take(u64::MAX, "data").unwrap_err().split(' ').next_back(), Some("left"));
    }
}
