//! The header of a PLY file: elements and their order.

use super::format::{Element, Encoding, Kind, Property};
use super::values::Values;
use crate::error::{Location, MeshError};
use crate::read::lines::{Lines, shortened, whole, words};

const ADVICE: &str = "give a mesh in the PLY format, version 1.0";

/// The header, and the values behind it.
pub(super) fn read(bytes: &[u8]) -> Result<(Vec<Element>, Values<'_>), MeshError> {
    let mut lines = Lines::new(bytes);
    if lines.next().map(<[u8]>::trim_ascii) != Some(b"ply") {
        return Err(MeshError::syntax(Location::Line(1), "the file does not begin with \"ply\"", ADVICE));
    }
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    while let Some(line) = lines.next() {
        let location = lines.location();
        let words: Vec<&[u8]> = words(line).collect();
        let text = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
        match words[..] {
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"format", format, version] => encoding = Some(self::encoding(format, version, location)?),
            [b"element", name, count] => {
                let count = whole(count, location)?;
                elements.push(Element { name: text(name), count, properties: Vec::new() });
            }
            [b"property", ref property @ .., name] => {
                let property = match property {
                    [kind] => Property::One(text(name), self::kind(kind, location)?),
                    [b"list", length, kind] => {
                        Property::List(text(name), self::kind(length, location)?, self::kind(kind, location)?)
                    }
                    _ => return Err(strange(line, location)),
                };
                // A property belongs to the element declared before it.
                let Some(element) = elements.last_mut() else { return Err(strange(line, location)) };
                element.properties.push(property);
            }
            [b"end_header"] => {
                let Some(encoding) = encoding else {
                    return Err(MeshError::syntax(location, "the header does not state the format", ADVICE));
                };
                // Binary values begin directly after the line feed of `end_header`.
                let offset = bytes.len() - lines.rest().len();
                return Ok((elements, Values::new(bytes, offset, encoding)));
            }
            _ => return Err(strange(line, location)),
        }
    }
    Err(MeshError::syntax(
        lines.location(),
        "the file ends inside the header",
        "the file is cut short: save or copy it again",
    ))
}

fn strange(line: &[u8], location: Location) -> MeshError {
    MeshError::syntax(location, format!("{:?} in the header", shortened(line.trim_ascii())), ADVICE)
}

fn encoding(format: &[u8], version: &[u8], location: Location) -> Result<Encoding, MeshError> {
    match (format, version) {
        (b"ascii", b"1.0") => Ok(Encoding::Text),
        (b"binary_little_endian", b"1.0") => Ok(Encoding::Binary { big_endian: false }),
        (b"binary_big_endian", b"1.0") => Ok(Encoding::Binary { big_endian: true }),
        _ => Err(MeshError::unsupported(
            location,
            format!("the PLY format {:?}, version {:?}", shortened(format), shortened(version)),
            ADVICE,
        )),
    }
}

fn kind(word: &[u8], location: Location) -> Result<Kind, MeshError> {
    Ok(match word {
        b"char" | b"int8" => Kind::I8,
        b"uchar" | b"uint8" => Kind::U8,
        b"short" | b"int16" => Kind::I16,
        b"ushort" | b"uint16" => Kind::U16,
        b"int" | b"int32" => Kind::I32,
        b"uint" | b"uint32" => Kind::U32,
        b"float" | b"float32" => Kind::F32,
        b"double" | b"float64" => Kind::F64,
        _ => {
            return Err(MeshError::syntax(
                location,
                format!("{:?} is no type of a property", shortened(word)),
                "take char, uchar, short, ushort, int, uint, float or double",
            ));
        }
    })
}
