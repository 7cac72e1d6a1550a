//! Wavefront OBJ ("Advanced Visualizer Manual", appendix B1): vertices, polygons and their groups.

use super::lines::{Lines, name, point, shortened, words};
use super::soup::Soup;
use crate::error::{Location, MeshError};
use std::borrow::Cow;

/// Current names; a material takes precedence over a group, and a group over an object.
#[derive(Default)]
struct Names {
    material: String,
    group: String,
    object: String,
}

impl Names {
    fn in_force(&self) -> &str {
        [&self.material, &self.group, &self.object]
            .into_iter()
            .find(|name| !name.is_empty())
            .map_or("", |name| name)
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<Soup, MeshError> {
    let mut soup = Soup::default();
    let mut names = Names::default();
    let mut lines = Lines::new(bytes);
    let mut corners = Vec::new();
    let mut skipped =
        [(&b"l"[..], 0, "lines"), (b"p", 0, "points"), (b"curv", 0, "curves"), (b"surf", 0, "surfaces")];
    while let Some((line, location)) = whole_line(&mut lines) {
        let mut words = words(&line);
        let Some(keyword) = words.next() else { continue };
        // Names may contain blanks: everything after the keyword.
        let name_given = || name(&line.trim_ascii_start()[keyword.len()..]);
        let field = match keyword {
            b"v" => {
                soup.add_vertex(point(words, location)?)?;
                continue;
            }
            b"f" => {
                corners.clear();
                for word in words {
                    // Relative indices count back from the vertices read so far, hence resolved
                    // here and not at the end.
                    MeshError::push(&mut corners, position(word, soup.mesh.vertices.len(), location)?)?;
                }
                if corners.len() < 3 {
                    return Err(MeshError::syntax(
                        location,
                        format!("a face with {} corners", corners.len()),
                        "give a face three corners or more",
                    ));
                }
                soup.add_polygon(&corners)?;
                continue;
            }
            b"usemtl" => &mut names.material,
            b"g" => &mut names.group,
            b"o" => &mut names.object,
            // Normals, texture coordinates and unknown keywords are ignored; geometry that is
            // dropped is counted.
            other => {
                if let Some((_, count, _)) = skipped.iter_mut().find(|(keyword, ..)| *keyword == other) {
                    *count += 1;
                }
                continue;
            }
        };
        *field = name_given();
        soup.enter(names.in_force());
    }
    let skipped = skipped.iter().filter(|(_, count, _)| *count > 0);
    soup.notes = skipped.map(|(_, count, what)| format!("{count} {what} are left out")).collect();
    Ok(soup)
}

/// A logical line, joined over trailing backslashes, and the location where it begins.
fn whole_line<'a>(lines: &mut Lines<'a>) -> Option<(Cow<'a, [u8]>, Location)> {
    let first = without_comment(lines.next()?);
    let location = lines.location();
    let Some(begun) = first.strip_suffix(b"\\") else { return Some((Cow::Borrowed(first), location)) };
    // One buffer for all parts: copying what is joined at every part would take quadratic time.
    let mut joined = begun.to_vec();
    loop {
        joined.push(b' ');
        let part = without_comment(lines.next().unwrap_or_default());
        let Some(begun) = part.strip_suffix(b"\\") else {
            joined.extend_from_slice(part);
            return Some((Cow::Owned(joined), location));
        };
        joined.extend_from_slice(begun);
    }
}

fn without_comment(line: &[u8]) -> &[u8] {
    let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
    line[..end].trim_ascii_end()
}

/// The vertex of `3`, `3/1`, `3//2` or `3/1/2`; negative ones count back from the last vertex.
fn position(word: &[u8], count: usize, location: Location) -> Result<u32, MeshError> {
    let number = word.split(|&byte| byte == b'/').next().unwrap_or_default();
    let number = std::str::from_utf8(number).ok().and_then(|text| text.parse::<i64>().ok());
    let position = number.and_then(|number| match number {
        0 => None,
        1.. => u64::try_from(number - 1).ok(),
        _ => u64::try_from(count as i64 + number).ok(),
    });
    let found = position.filter(|&position| position < count as u64).and_then(|i| u32::try_from(i).ok());
    found.ok_or_else(|| {
        MeshError::syntax(
            location,
            format!("a face has the corner {:?}, after {count} vertices", shortened(word)),
            "number vertices from 1, or from -1 backwards, and put them before their faces",
        )
    })
}
