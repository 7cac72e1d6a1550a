//! Stereolithography (3D Systems, 1989): text, and binary with 80 bytes of header, a count and 50 bytes a triangle.

use super::lines::{Lines, name, point, shortened, words};
use super::soup::Soup;
use crate::error::{Location, MeshError};

const HEADER: usize = 84;
const RECORD: usize = 50;

/// Binary headers may begin with "solid" like text files, so that the file size decides: it follows
/// from the count.
pub(super) fn read(bytes: &[u8]) -> Result<Soup, MeshError> {
    let count = bytes.get(80..).and_then(|rest| rest.first_chunk()).map(|&count| u32::from_le_bytes(count));
    let size = count.map(|count| HEADER as u64 + RECORD as u64 * u64::from(count));
    if size == Some(bytes.len() as u64) {
        return binary(&bytes[HEADER..]);
    }
    // A zero byte near the start is binary whatever the first word says.
    let is_text = bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
        && !bytes.iter().take(1024).any(|&byte| byte == 0);
    if is_text {
        return text(bytes);
    }
    Err(match (count, size) {
        (Some(count), Some(size)) => MeshError::syntax(
            Location::Byte(80),
            format!("{count} triangles take {size} bytes, and the file has {}", bytes.len()),
            "the file is cut short or no STL: save or copy it again",
        ),
        _ => MeshError::syntax(
            Location::Byte(bytes.len()),
            "the file ends inside the header",
            "the file is cut short or no STL: save or copy it again",
        ),
    })
}

fn binary(records: &[u8]) -> Result<Soup, MeshError> {
    let mut soup = Soup::default();
    // The count is trusted here: it was checked against the file size.
    MeshError::reserve(&mut soup.mesh.vertices, records.len() / RECORD * 3)?;
    MeshError::reserve(&mut soup.mesh.triangles, records.len() / RECORD)?;
    for (i, record) in records.chunks_exact(RECORD).enumerate() {
        // Twelve bytes of normal, three corners, two bytes of attributes. The normal is ignored:
        // many programs write zeros, and the winding has the same information.
        for (k, corner) in record[12..48].chunks_exact(12).enumerate() {
            let coordinate = |axis: usize| {
                let bytes = [0, 1, 2, 3].map(|byte| corner[4 * axis + byte]);
                f64::from(f32::from_le_bytes(bytes))
            };
            let vertex = [0, 1, 2].map(coordinate);
            if !vertex.iter().all(|x| x.is_finite()) {
                return Err(MeshError::syntax(
                    Location::Byte(HEADER + i * RECORD + 12 + 12 * k),
                    format!(
                        "corner {} of triangle {} has coordinates that are no finite numbers",
                        k + 1,
                        i + 1
                    ),
                    "repair the mesh, or save it again",
                ));
            }
            soup.add_vertex(vertex)?;
        }
        add_last_three(&mut soup)?;
    }
    Ok(soup)
}

fn add_last_three(soup: &mut Soup) -> Result<(), MeshError> {
    let end = soup.mesh.vertices.len() as u32;
    soup.add_polygon(&[end - 3, end - 2, end - 1])
}

fn text(bytes: &[u8]) -> Result<Soup, MeshError> {
    let mut soup = Soup::default();
    let mut lines = Lines::new(bytes);
    // Corners of the loop being read; none outside of loops.
    let mut corners = None;
    let mut inside = false;
    while let Some(line) = lines.next() {
        let mut words = words(line);
        let Some(word) = words.next() else { continue };
        let wrong =
            |what: &str| Err(MeshError::syntax(lines.location(), what, "the file is damaged: save it again"));
        match (keyword(word), corners) {
            (Some("vertex"), Some(count)) => {
                soup.add_vertex(point(words, lines.location())?)?;
                corners = Some(count + 1);
            }
            (Some("facet" | "endfacet"), None) => {}
            (Some("outer"), None) => corners = Some(0),
            (Some("endloop"), Some(3)) => {
                add_last_three(&mut soup)?;
                corners = None;
            }
            (Some("endloop"), Some(count)) => return wrong(&format!("a loop of {count} corners, not 3")),
            (Some("solid"), None) => {
                soup.enter(&name(&line.trim_ascii_start()[5..]));
                inside = true;
            }
            (Some("endsolid"), None) => inside = false,
            _ => return wrong(&format!("{:?} where it does not belong", shortened(word))),
        }
    }
    if inside || corners.is_some() {
        return Err(MeshError::syntax(
            lines.location(),
            "the file ends before endsolid",
            "the file is cut short: save or copy it again",
        ));
    }
    Ok(soup)
}

/// The keyword, in upper or lower case.
fn keyword(word: &[u8]) -> Option<&'static str> {
    const KEYWORDS: [&str; 7] = ["vertex", "facet", "outer", "endloop", "endfacet", "solid", "endsolid"];
    KEYWORDS.into_iter().find(|known| known.as_bytes().eq_ignore_ascii_case(word))
}
