//! WAV files and their forms for more than 4 GB: RF64 and BW64 (EBU Tech 3306, ITU-R BS.2088), and W64 of Sonic Foundry.

use super::bytes::{Cursor, Endian, Number};
use super::recording::Recording;
use crate::input::try_collect;

/// Format tags: integers, floating point, and the tag that stands in an extension.
const PCM: u16 = 1;
const FLOAT: u16 = 3;
const EXTENSIBLE: u16 = 0xfffe;
/// Where the extension has the tag: the first bytes of the identifier of the format.
const SUBFORMAT: usize = 24;
/// Where it has the number of bits that are used.
const VALID_BITS: usize = 18;
/// A size that stands in the chunk `ds64`.
const IN_DS64: u32 = u32::MAX;
/// Last 12 bytes of the identifier of a W64 file, and of its other chunks; the first four are the letters of the WAV chunk.
const W64_RIFF: [u8; 12] = [0x2e, 0x91, 0xcf, 0x11, 0xa5, 0xd6, 0x28, 0xdb, 0x04, 0xc1, 0x00, 0x00];
const W64_CHUNK: [u8; 12] = [0xf3, 0xac, 0xd3, 0x11, 0x8c, 0xd1, 0x00, 0xc0, 0x4f, 0x8e, 0xdb, 0x8a];

/// What a `fmt` chunk says.
struct Format {
    channels: usize,
    rate: u32,
    number: Number,
    /// Bits of a sample that are used, the higher ones.
    valid_bits: u16,
}

/// Reads a file; samples are multiplied so that full scale is `full_scale`.
pub(super) fn read(bytes: &[u8], full_scale: f64) -> Result<Recording, String> {
    let (format, data) = if bytes.starts_with(b"riff") { w64(bytes)? } else { riff(bytes)? };
    let frame = format.channels * format.number.size();
    if !data.len().is_multiple_of(frame) {
        return Err(format!(
            "its {} bytes of samples are not a multiple of the {frame} bytes of a frame of {} channels",
            data.len(),
            format.channels
        ));
    }
    let number = format.number;
    // Full scale is the magnitude of the most negative sample; the largest positive one is a step of the used bits less, and marks clipping.
    let (offset, largest) = match number {
        Number::U8 => (128.0, 128.0),
        Number::I16 => (0.0, 32_768.0),
        Number::I24 => (0.0, 8_388_608.0),
        Number::I32 => (0.0, 2_147_483_648.0),
        _ => (0.0, 1.0),
    };
    let scale = full_scale / largest;
    let sample = |bytes: &[u8]| ((number.value(bytes, Endian::Little) - offset) * scale) as f32;
    let values = try_collect(data.chunks_exact(number.size()).map(sample))?;
    let step = 2_f64.powi(8 * number.size() as i32 - i32::from(format.valid_bits));
    let is_integer = !matches!(number, Number::F32 | Number::F64);
    Ok(Recording {
        rate: Some(f64::from(format.rate)),
        channels: format.channels,
        values,
        limit: is_integer.then_some(((largest - step) * scale) as f32),
    })
}

/// The chunks of a RIFF, RF64 or BW64 file.
fn riff(bytes: &[u8]) -> Result<(Format, &[u8]), String> {
    let mut file = Cursor::new(bytes, Endian::Little);
    let kind = file.take(4, "identifier")?;
    let is_long = matches!(kind, b"RF64" | b"BW64");
    if !(is_long || kind == b"RIFF") {
        return Err("it does not begin with RIFF, RF64, BW64 or riff".into());
    }
    file.u32("size")?;
    if file.take(4, "type")? != b"WAVE" {
        return Err("its type is not WAVE".into());
    }
    let (mut format, mut long_size) = (None, None);
    while file.left() > 0 {
        let id = file.take(4, "identifier of a chunk")?;
        let size = file.u32("size of a chunk")?;
        match id {
            b"ds64" => {
                let chunk = file.take(u64::from(size), "chunk ds64")?;
                let mut chunk = Cursor::new(chunk, Endian::Little);
                chunk.u64("size of the file in ds64")?;
                long_size = Some(chunk.u64("size of the samples in ds64")?);
            }
            b"fmt " => format = Some(parse_format(file.take(u64::from(size), "chunk fmt")?)?),
            b"data" => {
                let size = match (size, long_size) {
                    (IN_DS64, Some(size)) if is_long => size,
                    (IN_DS64, None) if is_long => {
                        return Err("it has no chunk ds64 before its samples".into());
                    }
                    (size, _) => u64::from(size),
                };
                return finish(format, &mut file, size);
            }
            _ => {
                file.take(u64::from(size), "chunk")?;
            }
        }
        file.align(2);
    }
    Err("it has no chunk data".into())
}

/// The chunks of a W64 file: sizes are of 64 bits, and count their 24 bytes of header; chunks begin at multiples of eight bytes.
fn w64(bytes: &[u8]) -> Result<(Format, &[u8]), String> {
    const HEADER: u64 = 24;
    let mut file = Cursor::new(bytes, Endian::Little);
    file.take(4, "identifier")?;
    if file.take(12, "identifier")? != W64_RIFF {
        return Err("its identifier is not that of a W64 file".into());
    }
    file.u64("size")?;
    let wave = file.take(16, "type")?;
    if !(wave.starts_with(b"wave") && wave.ends_with(&W64_CHUNK)) {
        return Err("its type is not wave".into());
    }
    let mut format = None;
    while file.left() > 0 {
        let start = file.position();
        let id = file.take(16, "identifier of a chunk")?;
        let size = file.u64("size of a chunk")?;
        let size = size
            .checked_sub(HEADER)
            .ok_or_else(|| format!("its chunk at byte {start} has a size of {size} bytes, header and all"))?;
        match &id[..4] {
            b"fmt " => format = Some(parse_format(file.take(size, "chunk fmt")?)?),
            b"data" => return finish(format, &mut file, size),
            _ => {
                file.take(size, "chunk")?;
            }
        }
        file.align(8);
    }
    Err("it has no chunk data".into())
}

/// The samples, of the size that the header promises.
fn finish<'a>(
    format: Option<Format>,
    file: &mut Cursor<'a>,
    size: u64,
) -> Result<(Format, &'a [u8]), String> {
    let format = format.ok_or("it has no chunk fmt before its samples")?;
    if size > file.left() as u64 {
        return Err(format!("its header promises {size} bytes of samples, and {} follow", file.left()));
    }
    if size == 0 && file.left() > 0 {
        return Err(format!(
            "its header promises no samples, and {} bytes follow: its recorder has not closed it",
            file.left()
        ));
    }
    Ok((format, file.take(size, "samples")?))
}

fn parse_format(chunk: &[u8]) -> Result<Format, String> {
    let mut fields = Cursor::new(chunk, Endian::Little);
    let tag = fields.u16("format")?;
    let channels = usize::from(fields.u16("number of channels")?);
    let rate = fields.u32("sample rate")?;
    fields.u32("byte rate")?;
    let frame = usize::from(fields.u16("size of a frame")?);
    let bits = fields.u16("number of bits")?;
    let (tag, valid_bits) = match tag {
        EXTENSIBLE => {
            let in_extension = |at: usize| {
                let field = chunk.get(at..at + 2).ok_or("its chunk fmt has no extension")?;
                Ok::<_, String>(u16::from_le_bytes([field[0], field[1]]))
            };
            (in_extension(SUBFORMAT)?, in_extension(VALID_BITS)?)
        }
        tag => (tag, bits),
    };
    // Zero stands for all.
    let valid_bits = if valid_bits == 0 { bits } else { valid_bits };
    if channels == 0 || rate == 0 {
        return Err(format!("it has {channels} channels at {rate} Hz"));
    }
    // Fewer valid bits are the higher ones of those that a sample takes.
    let number = match (tag, frame / channels) {
        (PCM, 1) => Number::U8,
        (PCM, 2) => Number::I16,
        (PCM, 3) => Number::I24,
        (PCM, 4) => Number::I32,
        (FLOAT, 4) => Number::F32,
        (FLOAT, 8) => Number::F64,
        (tag, size) => {
            return Err(format!(
                "its samples have format {tag} and {size} bytes: neither integers of 8 to 32 bits (format 1) nor floating point of 32 or 64 bits (format 3)"
            ));
        }
    };
    let size = number.size();
    if frame != channels * size || usize::from(bits).div_ceil(8) != size || valid_bits > bits {
        return Err(format!(
            "its frames of {channels} channels have {frame} bytes, and its samples {bits} bits, {valid_bits} of them used"
        ));
    }
    Ok(Format { channels, rate, number, valid_bits })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A `fmt` chunk of two channels at 48 kHz.
    fn fmt(tag: u16, bits: u16) -> Vec<u8> {
        let frame = 2 * bits / 8;
        let mut chunk = Vec::new();
        for field in [tag, 2] {
            chunk.extend(field.to_le_bytes());
        }
        for field in [48_000_u32, 48_000 * u32::from(frame)] {
            chunk.extend(field.to_le_bytes());
        }
        for field in [frame, bits] {
            chunk.extend(field.to_le_bytes());
        }
        chunk
    }

    fn chunk(id: [u8; 4], body: &[u8]) -> Vec<u8> {
        let mut bytes = [&id[..], &(body.len() as u32).to_le_bytes(), body].concat();
        bytes.resize(bytes.len().next_multiple_of(2), 0);
        bytes
    }

    fn riff_file(format: &[u8], data: &[u8]) -> Vec<u8> {
        [
            b"RIFF\0\0\0\0WAVE".to_vec(),
            chunk(*b"JUNK", &[9; 3]),
            chunk(*b"fmt ", format),
            chunk(*b"data", data),
        ]
        .concat()
    }

    fn rf64_file(kind: [u8; 4], format: &[u8], data: &[u8]) -> Vec<u8> {
        let mut sizes = Vec::new();
        for size in [0_u64, data.len() as u64, 3] {
            sizes.extend(size.to_le_bytes());
        }
        sizes.extend([0; 4]);
        let samples = [b"data", &u32::MAX.to_le_bytes()[..], data].concat();
        let start = [&kind[..], &u32::MAX.to_le_bytes(), b"WAVE"].concat();
        [start, chunk(*b"ds64", &sizes), chunk(*b"fmt ", format), samples].concat()
    }

    fn w64_file(format: &[u8], data: &[u8]) -> Vec<u8> {
        let chunk = |id: [u8; 4], body: &[u8]| {
            let mut bytes = [&id[..], &W64_CHUNK, &(body.len() as u64 + 24).to_le_bytes(), body].concat();
            bytes.resize(bytes.len().next_multiple_of(8), 0);
            bytes
        };
        let start = [b"riff", &W64_RIFF[..], &[0; 8], b"wave", &W64_CHUNK].concat();
        [start, chunk(*b"junk", &[1; 5]), chunk(*b"fmt ", format), chunk(*b"data", data)].concat()
    }

    #[test]
    fn every_form_holds_the_same_samples() {
        let values = [0.5_f64, -0.25, 0.125, 1.0, -1.0, 0.0];
        let doubles: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let format = fmt(FLOAT, 64);
        for file in [
            riff_file(&format, &doubles),
            rf64_file(*b"RF64", &format, &doubles),
            rf64_file(*b"BW64", &format, &doubles),
            w64_file(&format, &doubles),
        ] {
            let found = read(&file, 2.0).unwrap();
            assert_eq!((found.rate, found.channels, found.limit), (Some(48e3), 2, None));
            assert_eq!(found.values, values.map(|v| 2.0 * v as f32));
        }
    }

    #[test]
    fn integers_are_fractions_of_full_scale() {
        for (bits, bytes, limit) in [
            (8, vec![128 + 64, 128 - 128], 127.0 / 128.0),
            (16, [16_384_i16, -32_768].iter().flat_map(|v| v.to_le_bytes()).collect(), 32_767.0 / 32_768.0),
            (24, vec![0, 0, 0x40, 0, 0, 0x80], 8_388_607.0 / 8_388_608.0),
            (32, [1 << 30, i32::MIN].iter().flat_map(|v| v.to_le_bytes()).collect(), 1.0),
        ] {
            let found = read(&riff_file(&fmt(PCM, bits), &bytes), 20.0).unwrap();
            assert_eq!(found.values, [10.0, -20.0], "{bits} bits");
            assert!((f64::from(found.limit.unwrap()) - 20.0 * limit).abs() < 1e-5, "{bits} bits");
        }
        // The tag of WAVE_FORMAT_EXTENSIBLE is in its identifier: 24 valid bits of 32.
        let mut extensible = fmt(EXTENSIBLE, 32);
        extensible.extend([22, 0, 24, 0, 3, 0, 0, 0, 1, 0]);
        extensible.extend([0, 0, 0, 0, 16, 0, 128, 0, 0, 170, 0, 56, 155, 113]);
        let bytes: Vec<u8> = [1_i32 << 30, i32::MIN].iter().flat_map(|v| v.to_le_bytes()).collect();
        let found = read(&riff_file(&extensible, &bytes), 20.0).unwrap();
        assert_eq!(found.values, [10.0, -20.0]);
        // The largest sample has all of them set.
        let clipped = read(&riff_file(&extensible, &[0, 255, 255, 127, 0, 0, 0, 0]), 20.0).unwrap();
        assert!(clipped.values[0] >= clipped.limit.unwrap() && clipped.values[0] < 20.0);
        // A recorder that did not end has not written the size.
        let open = [riff_file(&fmt(PCM, 16), &[]), vec![1; 8]].concat();
        assert!(read(&open, 1.0).unwrap_err().starts_with("its header promises no samples, and 8 bytes"));
    }

    /// Cut anywhere, a file is refused, and nothing is read beyond its end.
    #[test]
    fn truncated_files_are_refused() {
        let format = fmt(FLOAT, 32);
        let data = [0_u8; 16];
        for file in [riff_file(&format, &data), rf64_file(*b"RF64", &format, &data), w64_file(&format, &data)]
        {
            assert!(read(&file, 1.0).is_ok());
            for end in 0..file.len() {
                assert!(read(&file[..end], 1.0).is_err(), "{end}");
            }
        }
    }

    #[test]
    fn wrong_files_say_what_is_wrong() {
        let refused = |file: Vec<u8>| read(&file, 1.0).unwrap_err();
        let good = riff_file(&fmt(PCM, 16), &[0; 8]);
        assert_eq!(refused([7; 100].to_vec()), "it does not begin with RIFF, RF64, BW64 or riff");
        assert_eq!(refused(good[..good.len() - 16].to_vec()), "it has no chunk data");
        assert_eq!(
            refused(good[..good.len() - 2].to_vec()),
            "its header promises 8 bytes of samples, and 6 follow"
        );
        assert_eq!(
            refused(riff_file(&fmt(PCM, 16), &[0; 6])),
            "its 6 bytes of samples are not a multiple of the 4 bytes of a frame of 2 channels"
        );
        assert!(refused(riff_file(&fmt(17, 4), &[0; 8])).starts_with("its samples have format 17"));
        let huge = [&good[..good.len() - 12], &u32::MAX.to_le_bytes()[..], &[0; 8]].concat();
        assert!(refused(huge).starts_with("its header promises 4294967295 bytes"));
        let mut silent = fmt(PCM, 16);
        silent[2] = 0;
        assert_eq!(refused(riff_file(&silent, &[0; 8])), "it has 0 channels at 48000 Hz");
        // A chunk of W64 that is smaller than its own header.
        let mut small = w64_file(&fmt(PCM, 16), &[0; 8]);
        small[56..64].copy_from_slice(&3_u64.to_le_bytes());
        assert_eq!(refused(small), "its chunk at byte 40 has a size of 3 bytes, header and all");
    }
}
