//! A dataset of HDF5 as a matrix of numbers.

use crate::nah::recordings::bytes::{Endian, Number};
use hdf5_pure::{AttrValue, Dataset, Datatype, DatatypeByteOrder, FloatingPointLayout};

/// Attribute that MATLAB gives every variable.
const MATLAB_CLASS: &str = "MATLAB_class";
/// Bytes that an array may have whatever the size of its file, and the ratio beyond which a larger one is refused.
const MAX_SMALL: u64 = 1 << 24;
const MAX_RATIO: u64 = 200;
/// Filters that are undone: deflate, shuffle, Fletcher-32, scale-offset and LZF.
const READABLE: [u16; 5] = [1, 2, 3, 6, 32_000];
/// Registered numbers of others.
const OTHERS: [(u16, &str); 7] = [
    (4, "SZIP"),
    (5, "N-bit"),
    (307, "bzip2"),
    (32_001, "Blosc"),
    (32_004, "LZ4"),
    (32_008, "Bitshuffle"),
    (32_015, "Zstandard"),
];

/// The numbers of an array.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Numbers {
    pub kind: Number,
    pub endian: Endian,
    /// What a message calls them.
    pub text: &'static str,
    /// The magnitude of the most negative integer, one for floating point; none for numbers that are no samples.
    pub largest: Option<f64>,
}

impl Numbers {
    /// None for everything but real numbers in one of the usual formats.
    fn of(datatype: &Datatype) -> Option<Self> {
        let (kind, order, text, largest) = match datatype {
            Datatype::FloatingPoint { size: 4, byte_order, layout }
                if *layout == FloatingPointLayout::IEEE754_BINARY32 =>
            {
                (Number::F32, byte_order, "floating point of 32 bits", Some(1.0))
            }
            Datatype::FloatingPoint { size: 8, byte_order, layout }
                if *layout == FloatingPointLayout::IEEE754_BINARY64 =>
            {
                (Number::F64, byte_order, "floating point of 64 bits", Some(1.0))
            }
            Datatype::FixedPoint { size, byte_order, layout }
                if layout.bit_offset == 0 && u32::from(layout.bit_precision) == 8 * *size =>
            {
                let (kind, text, largest) = match (size, layout.signed) {
                    (1, true) => (Number::I8, "integers of 8 bits", Some(128.0)),
                    (2, true) => (Number::I16, "integers of 16 bits", Some(32_768.0)),
                    (4, true) => (Number::I32, "integers of 32 bits", Some(2_147_483_648.0)),
                    (8, true) => (Number::I64, "integers of 64 bits", None),
                    (1, false) => (Number::U8, "unsigned integers", None),
                    (2, false) => (Number::U16, "unsigned integers", None),
                    (4, false) => (Number::U32, "unsigned integers", None),
                    (8, false) => (Number::U64, "unsigned integers", None),
                    _ => return None,
                };
                (kind, byte_order, text, largest)
            }
            _ => return None,
        };
        let endian = match order {
            DatatypeByteOrder::LittleEndian => Endian::Little,
            DatatypeByteOrder::BigEndian => Endian::Big,
            DatatypeByteOrder::Vax => return None,
        };
        Some(Self { kind, endian, text, largest })
    }

    pub(super) fn is_floating(&self) -> bool {
        matches!(self.kind, Number::F32 | Number::F64)
    }
}

/// A dataset with its shape.
#[derive(Debug)]
pub(super) struct Array {
    /// Names of its groups and of itself, separated by slashes.
    pub name: String,
    dataset: Dataset,
    /// Rows and columns, as the program counts them that wrote the file.
    pub sides: [usize; 2],
    /// Whether columns and not rows are stored one after another.
    pub is_by_columns: bool,
    /// What MATLAB calls its elements, if MATLAB wrote it.
    class: Option<String>,
    numbers: Option<Numbers>,
}

impl Array {
    /// With a message if it is no matrix or list.
    pub(super) fn of(name: String, dataset: Dataset) -> Result<Self, String> {
        let broken = |error: hdf5_pure::Error| format!("{name} cannot be read: {error}");
        let datatype = dataset.datatype().map_err(broken)?;
        let class = dataset.attrs().map_err(broken)?.remove(MATLAB_CLASS);
        let class = class.map(|class| class.as_str().unwrap_or_default().to_owned());
        let shape = dataset.shape().map_err(broken)?;
        let numbers = Numbers::of(&datatype).filter(|_| class.as_deref().is_none_or(is_numeric));
        // MATLAB stores columns one after another, and HDF5 lists the sides of what is stored from the slowest.
        let (sides, is_by_columns) = match shape[..] {
            [] => ([1, 1], false),
            [length] => ([length, 1], false),
            [rows, columns] if class.is_none() => ([rows, columns], false),
            [columns, rows] => ([rows, columns], true),
            _ => return Err(format!("{name} has {} dimensions, and samples have two", shape.len())),
        };
        let side = |side: u64| usize::try_from(side).map_err(|_| format!("{name} has a side of {side}"));
        Ok(Self { sides: [side(sides[0])?, side(sides[1])?], name, dataset, is_by_columns, class, numbers })
    }

    /// Whether it has real numbers.
    pub(super) fn is_real(&self) -> bool {
        self.numbers.is_some()
    }

    /// Its numbers, or what it has instead.
    pub(super) fn number(&self) -> Result<Numbers, String> {
        self.numbers.ok_or_else(|| {
            let stored =
                || self.dataset.dtype().map_or_else(|error| error.to_string(), |kind| kind.to_string());
            let kind = self.class.clone().filter(|class| !is_numeric(class)).unwrap_or_else(stored);
            format!("{} has no real numbers, but elements of the type {kind}", self.name)
        })
    }

    /// Number of elements, the largest possible if it is beyond that.
    pub(super) fn count(&self) -> usize {
        self.sides[0].saturating_mul(self.sides[1])
    }

    /// Its attributes.
    pub(super) fn attributes(&self) -> Result<Vec<(String, AttrValue)>, String> {
        let all = self.dataset.attrs().map_err(|error| format!("{}: {error}", self.name))?;
        Ok(all.into_iter().collect())
    }

    /// Refuses what its file, of so many bytes, cannot hold, and what cannot be decompressed.
    pub(super) fn check_readable(&self, file: usize) -> Result<(), String> {
        let Self { name, dataset, .. } = self;
        if let Some(filter) = dataset.filters().into_iter().find(|filter| !READABLE.contains(filter)) {
            let known = OTHERS.iter().find(|(number, _)| *number == filter);
            let text = known.map_or_else(|| "not known".to_owned(), |(_, text)| (*text).to_owned());
            return Err(format!(
                "{name} is compressed by the filter {filter} ({text}), which is not read; save it with gzip or without compression, or \
                 convert it by: h5repack -f GZIP=1 OLD NEW"
            ));
        }
        // Memory is taken for the numbers as they are stored and in single precision.
        let size = self.number()?.kind.size().max(4) as u64;
        let limit = MAX_SMALL.max(MAX_RATIO * file as u64);
        let fits = |count: u64| count.checked_mul(size).is_some_and(|bytes| bytes <= limit);
        if !fits(self.count() as u64) {
            let [rows, columns] = self.sides;
            return Err(format!("{name} promises {rows} x {columns} values in a file of {file} bytes"));
        }
        let broken = |error: hdf5_pure::Error| format!("{name} cannot be read: {error}");
        let Some(chunk) = dataset.chunk_shape().map_err(broken)? else { return Ok(()) };
        let shape = dataset.shape().map_err(broken)?;
        let in_chunk = chunk.iter().try_fold(1_u64, |product, side| product.checked_mul(*side));
        let along = shape.iter().zip(&chunk).map(|(side, chunk)| side.div_ceil((*chunk).max(1)));
        // Each has a byte in the file at least.
        let chunks = along.fold(1_u64, u64::saturating_mul);
        if !in_chunk.is_some_and(fits) || chunks > file as u64 {
            return Err(format!(
                "{name} promises {chunks} chunks of {chunk:?} values in a file of {file} bytes"
            ));
        }
        Ok(())
    }

    /// The bytes of its numbers; after [`Array::check_readable`].
    pub(super) fn raw(&self) -> Result<Vec<u8>, String> {
        let raw =
            self.dataset.read_raw().map_err(|error| format!("{} cannot be read: {error}", self.name))?;
        let expected = self.count().saturating_mul(self.number()?.kind.size());
        if raw.len() != expected {
            return Err(format!("{} has {} bytes, where its shape takes {expected}", self.name, raw.len()));
        }
        Ok(raw)
    }
}

/// Whether a class of MATLAB is one of numbers: text and truth values are stored as integers too.
fn is_numeric(class: &str) -> bool {
    matches!(class, "double" | "single") || class.contains("int")
}
