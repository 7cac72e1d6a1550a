//! I-DEAS universal files ("Universal File Formats for Modal Analysis Testing", SDRC; data sets 2411, 781, 2412, 780,
//! 2467 and 2477): data sets between lines of -1.

use super::lines::{Lines, name, whole, words};
use super::soup::{DEFAULT_GROUP, Soup};
use crate::error::{Location, MeshError};
use std::collections::{BTreeMap, HashMap};

/// A surface element: the vertices of its corners, in nodes of the file.
struct Face {
    corners: [u64; 4],
    count: usize,
    location: Location,
}

#[derive(Default)]
struct Model {
    vertices: Vec<[f64; 3]>,
    vertex_of: HashMap<u64, u32>,
    faces: Vec<Face>,
    /// Labels of faces, each with its location in `faces`.
    face_of: HashMap<u64, usize>,
    /// The names of groups in the order of the file, with the labels of their elements.
    groups: Vec<(String, Vec<u64>)>,
    others: usize,
    curved: usize,
    notes: Vec<String>,
}

/// Highest order of a surface element: cubic sides have four nodes each.
const MAX_ORDER: usize = 3;
/// Nodes around an element, at most: those of a cubic quadrilateral.
const MAX_NODES: usize = 4 * MAX_ORDER;

const DAMAGED: &str = "the file is damaged: save it again";

pub(super) fn read(bytes: &[u8]) -> Result<Soup, MeshError> {
    let mut lines = Lines::new(bytes);
    let mut model = Model::default();
    let mut sets = 0;
    while let Some(line) = lines.next() {
        // Text between data sets is permitted and ignored.
        if !is_mark(line) {
            continue;
        }
        let Some(line) = lines.next() else { break };
        sets += 1;
        match line.trim_ascii() {
            b"2411" | b"781" => nodes(&mut lines, &mut model)?,
            b"2412" => elements(&mut lines, &mut model, 5)?,
            b"780" => elements(&mut lines, &mut model, 7)?,
            b"2467" | b"2477" => groups(&mut lines, &mut model)?,
            b"164" => {
                model.notes.push("the file's own units are ignored: those given hold".into());
                skip(&mut lines)?;
            }
            _ => skip(&mut lines)?,
        }
    }
    if sets == 0 {
        return Err(MeshError::syntax(
            lines.location(),
            "the file has no data sets between lines of -1",
            "give a mesh in the universal file format, UNV",
        ));
    }
    model.into_soup()
}

fn is_mark(line: &[u8]) -> bool {
    line.trim_ascii() == b"-1"
}

/// The next line of a data set; none at its end.
fn next<'a>(lines: &mut Lines<'a>) -> Result<Option<&'a [u8]>, MeshError> {
    match lines.next() {
        Some(line) if is_mark(line) => Ok(None),
        Some(line) => Ok(Some(line)),
        None => Err(cut_short(lines)),
    }
}

fn cut_short(lines: &Lines) -> MeshError {
    MeshError::syntax(
        lines.location(),
        "the file ends inside a data set",
        "the file is cut short: save or copy it again",
    )
}

/// The next line of a record that has begun.
fn continued<'a>(lines: &mut Lines<'a>) -> Result<&'a [u8], MeshError> {
    next(lines)?
        .ok_or_else(|| MeshError::syntax(lines.location(), "a data set ends inside a record", DAMAGED))
}

fn skip(lines: &mut Lines) -> Result<(), MeshError> {
    while next(lines)?.is_some() {}
    Ok(())
}

/// The integers of a line, at most eight, and their number.
fn numbers(line: &[u8], location: Location) -> Result<([i64; 8], usize), MeshError> {
    let mut all = [0; 8];
    let mut count = 0;
    for (slot, word) in all.iter_mut().zip(words(line)) {
        *slot = whole(word, location)?;
        count += 1;
    }
    Ok((all, count))
}

fn label(number: i64, location: Location) -> Result<u64, MeshError> {
    u64::try_from(number).map_err(|_| MeshError::syntax(location, format!("{number} is no label"), DAMAGED))
}

/// Label and coordinate systems in one line, coordinates in the next.
fn nodes(lines: &mut Lines, model: &mut Model) -> Result<(), MeshError> {
    while let Some(line) = next(lines)? {
        let location = lines.location();
        let (head, _) = numbers(line, location)?;
        let label = label(head[0], location)?;
        let line = continued(lines)?;
        let mut vertex = [0.0; 3];
        let mut coordinates = words(line);
        for coordinate in &mut vertex {
            *coordinate = fortran(coordinates.next().unwrap_or_default(), lines.location())?;
        }
        if model.vertex_of.insert(label, model.vertices.len() as u32).is_some() {
            return Err(MeshError::syntax(location, format!("node {label} is there twice"), DAMAGED));
        }
        MeshError::push(&mut model.vertices, vertex)?;
    }
    Ok(())
}

/// A number, possibly with a Fortran double-precision exponent: 1.5D+00.
fn fortran(word: &[u8], location: Location) -> Result<f64, MeshError> {
    // On the stack: files have millions of coordinates. A longer word is no number.
    let mut copy = [b' '; 40];
    let Some(room) = copy.get_mut(..word.len()) else { return crate::read::lines::float(word, location) };
    for (to, from) in room.iter_mut().zip(word) {
        *to = if matches!(from, b'D' | b'd') { b'e' } else { *from };
    }
    crate::read::lines::float(room, location)
}

/// Label, kind and, at position `at`, the number of nodes in one line; then for beams a line more; then the nodes.
fn elements(lines: &mut Lines, model: &mut Model, at: usize) -> Result<(), MeshError> {
    while let Some(line) = next(lines)? {
        let location = lines.location();
        let (head, count) = numbers(line, location)?;
        if count <= at {
            return Err(MeshError::syntax(location, "an element without a number of nodes", DAMAGED));
        }
        let (label, kind, count) = (label(head[0], location)?, head[1], head[at]);
        // Beams have an additional line with their cross-section.
        if matches!(kind, 21..=24) {
            continued(lines)?;
        }
        let mut nodes = [0; MAX_NODES];
        let mut found = 0;
        while found < count {
            let line = continued(lines)?;
            let (part, part_count) = numbers(line, lines.location())?;
            if part_count == 0 {
                return Err(MeshError::syntax(
                    lines.location(),
                    "an element with fewer nodes than it says",
                    DAMAGED,
                ));
            }
            // Eight nodes a line: the last corner of a cubic quadrilateral is in the second.
            if let Some(room) = usize::try_from(found).ok().and_then(|found| nodes.get_mut(found..)) {
                room.iter_mut().zip(&part[..part_count]).for_each(|(node, &label)| *node = label);
            }
            found += part_count as i64;
        }
        let corners = match (family(kind), count) {
            (Some(corners @ (3 | 4)), count) if count >= corners as i64 => corners,
            _ => {
                // Not an error: beams and solids may accompany a surface. A note reports them.
                model.others += 1;
                continue;
            }
        };
        // The nodes go around the element: parabolic sides have one node after each corner, cubic sides two. Nodes in the
        // interior come last.
        let step = (count as usize / corners).min(MAX_ORDER);
        model.curved += usize::from(step > 1);
        let mut face = Face { corners: [0; 4], count: corners, location };
        for k in 0..corners {
            face.corners[k] = self::label(nodes[step * k], location)?;
        }
        model.face_of.insert(label, model.faces.len());
        MeshError::push(&mut model.faces, face)?;
    }
    Ok(())
}

/// Corners of a surface element by its number: plane stress 41-46, plane strain 51-56, plate 61-66, membrane 71-76,
/// axisymmetric 81-85, thin shell 91-96; the second digit is 1, 2, 3 for triangles and 4, 5, 6 for quadrilaterals.
fn family(kind: i64) -> Option<usize> {
    match (kind / 10, kind % 10) {
        (4..=9, 1..=3) => Some(3),
        (4..=9, 4..=6) => Some(4),
        _ => None,
    }
}

/// Number, seven settings of which the last is the number of members; a name; two members a line, as kind, label and two
/// more numbers each. Kind 8 is an element.
fn groups(lines: &mut Lines, model: &mut Model) -> Result<(), MeshError> {
    while let Some(line) = next(lines)? {
        let location = lines.location();
        let (head, found) = numbers(line, location)?;
        let count = if found == 8 { head[7] } else { -1 };
        if count < 0 {
            return Err(MeshError::syntax(location, "a group without a number of members", DAMAGED));
        }
        let name = name(continued(lines)?);
        let mut labels = Vec::new();
        let mut read = 0;
        while read < count {
            let line = continued(lines)?;
            let (members, found) = numbers(line, lines.location())?;
            // At least one member per line, or a damaged count would not end.
            if found < 4 {
                return Err(MeshError::syntax(
                    lines.location(),
                    "a group with fewer members than it says",
                    DAMAGED,
                ));
            }
            for member in members[..found].chunks_exact(4) {
                read += 1;
                if member[0] == 8 {
                    MeshError::push(&mut labels, label(member[1], lines.location())?)?;
                }
            }
        }
        model.groups.push((name, labels));
    }
    Ok(())
}

impl Model {
    fn into_soup(self) -> Result<Soup, MeshError> {
        let mut soup = Soup::default();
        soup.notes = self.notes;
        soup.mesh.vertices = self.vertices;
        // Groups may precede their elements in the file: resolve labels at the end.
        let mut name_of = vec![DEFAULT_GROUP; self.faces.len()];
        let mut twice = BTreeMap::new();
        for (name, labels) in &self.groups {
            for face in labels.iter().filter_map(|label| self.face_of.get(label)) {
                // The first group of an element wins; a triangle has one group.
                if name_of[*face] == DEFAULT_GROUP {
                    name_of[*face] = name;
                } else {
                    *twice.entry(name.as_str()).or_insert(0) += 1;
                }
            }
        }
        for (face, name) in self.faces.iter().zip(&name_of) {
            let mut corners = [0; 4];
            for (corner, node) in corners.iter_mut().zip(&face.corners[..face.count]) {
                *corner = *self.vertex_of.get(node).ok_or_else(|| {
                    let problem = format!("an element has node {node}, which is not there");
                    MeshError::syntax(face.location, problem, DAMAGED)
                })?;
            }
            soup.enter(name);
            soup.add_polygon(&corners[..face.count])?;
        }
        for (name, count) in twice {
            soup.notes
                .push(format!("{count} elements of group {name:?} stay in the group that came before it"));
        }
        if self.curved > 0 {
            soup.notes.push(format!("{} curved elements are taken by their corners", self.curved));
        }
        if self.others > 0 {
            soup.notes.push(format!("{} elements that are no surface are left out", self.others));
        }
        Ok(soup)
    }
}
