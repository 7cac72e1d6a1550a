//! Abaqus input files ("Abaqus Keywords Guide"): nodes, surface elements, element sets, parts and their instances.

use super::lines::{Lines, float, name, shortened, whole};
use super::soup::{DEFAULT_GROUP, Soup};
use crate::error::{Location, MeshError};
use crate::triangle::vec3::{Vec3, add, cross, dot, norm, sub, times};
use std::collections::HashMap;

const DAMAGED: &str = "the file is damaged: save it again";

/// A surface element by the labels of its corners.
struct Face {
    corners: [u64; 4],
    count: usize,
    location: Location,
    /// The set that its block of elements goes to.
    set: String,
}

/// Labels are unique within a part.
#[derive(Default)]
struct Part {
    name: String,
    nodes: HashMap<u64, Vec3>,
    faces: Vec<(u64, Face)>,
    /// Names of sets by element, the first that has it.
    set_of: HashMap<u64, String>,
}

/// A part put somewhere: moved, then turned about an axis through two points.
struct Instance {
    part: String,
    shift: Vec3,
    turn: Option<(Vec3, Vec3, f64)>,
}

impl Instance {
    /// Where a point of the part is (formula of Rodrigues).
    fn place(&self, point: Vec3) -> Vec3 {
        let moved = add(point, self.shift);
        let Some((from, to, angle)) = self.turn else { return moved };
        let axis = sub(to, from);
        let axis = times(norm(axis).recip(), axis);
        let arm = sub(moved, from);
        let (sin, cos) = angle.to_radians().sin_cos();
        let turned = add(times(cos, arm), times(sin, cross(axis, arm)));
        add(from, add(turned, times((1.0 - cos) * dot(axis, arm), axis)))
    }
}

/// What the data lines under a keyword are.
enum Block {
    Nodes,
    /// Surface elements with this number of corners and of nodes, and their set.
    Faces(usize, usize, String),
    /// Elements that are no surface.
    Others,
    /// Elements of a set, by label, or by first, last and step.
    Set(String, bool),
    Instance,
    Skipped,
}

#[derive(Default)]
struct Model {
    parts: Vec<Part>,
    instances: Vec<Instance>,
    others: usize,
    curved: usize,
}

pub(super) fn read(bytes: &[u8]) -> Result<Soup, MeshError> {
    let mut model = Model { parts: vec![Part::default()], ..Model::default() };
    let mut block = Block::Skipped;
    let mut lines = Lines::new(bytes);
    let mut keywords = 0;
    while let Some(line) = lines.next() {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"**") {
            continue;
        }
        let location = lines.location();
        if let Some(keyword) = line.strip_prefix(b"*") {
            keywords += 1;
            let mut whole = keyword.to_vec();
            // Parameters go on in the next line behind a comma.
            while whole.ends_with(b",") {
                let Some(next) = lines.next() else { break };
                whole.extend_from_slice(next.trim_ascii_end());
            }
            block = model.keyword(&Keyword::new(&whole), location)?;
        } else {
            model.data(&block, line, &mut lines)?;
        }
    }
    if keywords == 0 {
        let advice = "give an Abaqus input file: keywords such as *NODE begin its blocks";
        return Err(MeshError::syntax(lines.location(), "the file has no keywords", advice));
    }
    model.into_soup()
}

/// A keyword in capitals without blanks, and its parameters, as `TYPE=S3`.
struct Keyword {
    word: String,
    parameters: Vec<(String, String)>,
}

impl Keyword {
    fn new(line: &[u8]) -> Self {
        let upper = |text: &[u8]| {
            name(text).to_ascii_uppercase().split_ascii_whitespace().collect::<Vec<_>>().join(" ")
        };
        let mut parts = line.split(|&byte| byte == b',');
        let word = upper(parts.next().unwrap_or_default());
        let parameter = |part: &[u8]| {
            let at = part.iter().position(|&byte| byte == b'=');
            let value = at.map_or(&b""[..], |at| &part[at + 1..]);
            (upper(&part[..at.unwrap_or(part.len())]), name(value).trim_matches('"').to_owned())
        };
        Self { word, parameters: parts.map(parameter).collect() }
    }

    fn get(&self, parameter: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == parameter).map(|(_, value)| value.as_str())
    }
}

/// Corners and nodes of a surface element by its type: shells, membranes, rigid and surface elements, and plane elements, as which
/// meshing programs write triangles.
fn surface_type(kind: &str) -> Option<(usize, usize)> {
    let kind = kind.to_ascii_uppercase();
    if let Some(nodes) = kind.strip_prefix("STRI") {
        return Some((3, if nodes.starts_with("65") { 6 } else { 3 }));
    }
    let families = ["SFM3D", "M3D", "R3D", "CPS", "CPE", "DS", "S"];
    let rest = families.iter().find_map(|family| kind.strip_prefix(family))?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    match rest[..digits].parse().ok()? {
        nodes @ (3 | 6) => Some((3, nodes)),
        nodes @ (4 | 8 | 9) => Some((4, nodes)),
        _ => None,
    }
}

impl Model {
    /// The part that is being read.
    fn part(&mut self) -> Option<&mut Part> {
        self.parts.last_mut()
    }

    fn keyword(&mut self, keyword: &Keyword, location: Location) -> Result<Block, MeshError> {
        let given = |parameter: &str| keyword.get(parameter).unwrap_or_default().to_owned();
        let is_of_mesh = matches!(keyword.word.as_str(), "NODE" | "ELEMENT" | "ELSET");
        if is_of_mesh && keyword.get("INPUT").is_some() {
            let what = format!("*{} of another file", keyword.word);
            return Err(MeshError::unsupported(location, what, "write the model into one file"));
        }
        if keyword.word == "NODE" && !matches!(given("SYSTEM").to_ascii_uppercase().as_str(), "" | "R") {
            let advice = "write all nodes and elements by themselves, in Cartesian coordinates";
            return Err(MeshError::unsupported(
                location,
                "*NODE in cylindrical or spherical coordinates",
                advice,
            ));
        }
        Ok(match keyword.word.as_str() {
            "NODE" => Block::Nodes,
            "ELEMENT" => match surface_type(&given("TYPE")) {
                Some((corners, nodes)) => Block::Faces(corners, nodes, given("ELSET")),
                None => Block::Others,
            },
            "ELSET" if keyword.get("INTERNAL").is_none() => {
                Block::Set(given("ELSET"), keyword.get("GENERATE").is_some())
            }
            "PART" => {
                self.parts.push(Part { name: given("NAME"), ..Part::default() });
                Block::Skipped
            }
            // What follows is of the assembly.
            "END PART" => {
                self.parts.push(Part::default());
                Block::Skipped
            }
            "INSTANCE" => {
                self.instances.push(Instance { part: given("PART"), shift: [0.0; 3], turn: None });
                Block::Instance
            }
            // They make or move nodes and elements: without them the surface would be another one.
            "NGEN" | "NCOPY" | "NFILL" | "NMAP" | "ELGEN" | "ELCOPY" | "SYSTEM" => {
                return Err(MeshError::unsupported(
                    location,
                    format!("*{}", keyword.word),
                    "write all nodes and elements by themselves, in Cartesian coordinates",
                ));
            }
            "INCLUDE" | "MANIFEST" => {
                return Err(MeshError::unsupported(
                    location,
                    format!("*{} of another file", keyword.word),
                    "write the model into one file",
                ));
            }
            _ => Block::Skipped,
        })
    }

    fn data(&mut self, block: &Block, line: &[u8], lines: &mut Lines) -> Result<(), MeshError> {
        let location = lines.location();
        match block {
            Block::Nodes => {
                let mut words = words(line);
                let label = whole(words.next().unwrap_or_default(), location)?;
                // Coordinates that are left out are zero.
                let mut point = [0.0; 3];
                for (coordinate, word) in point.iter_mut().zip(words) {
                    *coordinate = if word.is_empty() { 0.0 } else { float(word, location)? };
                }
                if self.part().is_some_and(|part| part.nodes.insert(label, point).is_some()) {
                    return Err(MeshError::syntax(location, format!("node {label} is there twice"), DAMAGED));
                }
            }
            Block::Faces(corners, nodes, set) => {
                let all = whole_element(line, 1 + nodes, lines)?;
                let mut face = Face { corners: [0; 4], count: *corners, location, set: set.clone() };
                face.corners[..*corners].copy_from_slice(&all[1..=*corners]);
                self.curved += usize::from(nodes > corners);
                if let Some(part) = self.part() {
                    MeshError::push(&mut part.faces, (all[0], face))?;
                }
            }
            Block::Others => {
                // Nodes of an element go on in the next line behind a comma.
                let mut last = line;
                while last.ends_with(b",") {
                    last = lines.next().unwrap_or_default().trim_ascii();
                }
                self.others += 1;
            }
            Block::Set(name, is_range) => self.set(name, *is_range, line, location)?,
            Block::Instance => self.instance(line, location)?,
            Block::Skipped => {}
        }
        Ok(())
    }

    /// Elements of a set; names of other sets among them are left out.
    fn set(&mut self, name: &str, is_range: bool, line: &[u8], location: Location) -> Result<(), MeshError> {
        let labels: Vec<u64> =
            words(line).filter_map(|word| std::str::from_utf8(word).ok()?.parse().ok()).collect();
        let Some(part) = self.parts.last_mut() else { return Ok(()) };
        let members: Vec<u64> = match (is_range, labels.as_slice()) {
            (true, &[first, last, ref step @ ..]) => {
                let step = step.first().copied().unwrap_or(1).max(1);
                if first > last {
                    let problem = format!("a set from element {first} to {last}");
                    return Err(MeshError::syntax(location, problem, DAMAGED));
                }
                // A range may be far longer than the elements that there are.
                let is_member =
                    |label: &u64| (first..=last).contains(label) && (label - first).is_multiple_of(step);
                part.faces.iter().map(|(label, _)| *label).filter(is_member).collect()
            }
            _ => labels,
        };
        for label in members {
            part.set_of.entry(label).or_insert_with(|| name.to_owned());
        }
        Ok(())
    }

    /// The first line moves an instance, the second turns it: two points of the axis, and an angle in degrees.
    fn instance(&mut self, line: &[u8], location: Location) -> Result<(), MeshError> {
        let numbers: Vec<f64> = words(line).map(|word| float(word, location)).collect::<Result<_, _>>()?;
        let Some(instance) = self.instances.last_mut() else { return Ok(()) };
        match *numbers {
            [x, y, z] => instance.shift = [x, y, z],
            [a, b, c, d, e, f, angle] if [a, b, c] != [d, e, f] => {
                instance.turn = Some(([a, b, c], [d, e, f], angle));
            }
            _ => {
                let advice = "give a shift x, y, z, then two points of an axis and an angle";
                let problem = format!("an instance is placed by {:?}", shortened(line));
                return Err(MeshError::syntax(location, problem, advice));
            }
        }
        Ok(())
    }

    fn into_soup(self) -> Result<Soup, MeshError> {
        let mut soup = Soup::default();
        let here = |part: &str| Instance { part: part.to_owned(), shift: [0.0; 3], turn: None };
        if self.instances.is_empty() {
            self.parts.iter().try_for_each(|part| place(&mut soup, part, &here("")))?;
        }
        for instance in &self.instances {
            let is_named = |part: &&Part| part.name.eq_ignore_ascii_case(&instance.part);
            let part = self.parts.iter().find(is_named).filter(|_| !instance.part.is_empty());
            let part = part.ok_or_else(|| {
                MeshError::geometry(
                    format!("an instance of part {:?}, which is not there", instance.part),
                    DAMAGED,
                )
            })?;
            place(&mut soup, part, instance)?;
        }
        let is_placed = |part: &&Part| {
            self.instances.iter().any(|instance| part.name.eq_ignore_ascii_case(&instance.part))
        };
        let outside = self.parts.iter().filter(|part| !self.instances.is_empty() && !is_placed(part));
        let outside = outside.map(|part| part.faces.len()).sum();
        let mut note = |count: usize, what: &str| {
            if count > 0 {
                soup.notes.push(format!("{count} {what}"));
            }
        };
        note(outside, "surface elements are left out: they are in no part that has an instance");
        note(self.curved, "curved elements are taken by their corners");
        note(self.others, "elements that are no surface are left out");
        Ok(soup)
    }
}

/// Adds the faces of a part where an instance of it is.
fn place(soup: &mut Soup, part: &Part, instance: &Instance) -> Result<(), MeshError> {
    let mut vertices: HashMap<u64, u32> = HashMap::new();
    for (label, face) in &part.faces {
        let mut corners = [0; 4];
        for (corner, node) in corners.iter_mut().zip(&face.corners[..face.count]) {
            let Some(&point) = part.nodes.get(node) else {
                let problem = format!("an element has node {node}, which is not there");
                return Err(MeshError::syntax(face.location, problem, DAMAGED));
            };
            let next = soup.mesh.vertices.len() as u32;
            *corner = *vertices.entry(*node).or_insert(next);
            if *corner == next {
                soup.add_vertex(instance.place(point))?;
            }
        }
        let names = [part.set_of.get(label).map_or("", String::as_str), &face.set, &part.name];
        soup.enter(names.into_iter().find(|name| !name.is_empty()).unwrap_or(DEFAULT_GROUP));
        soup.add_polygon(&corners[..face.count])?;
    }
    Ok(())
}

/// Label and nodes of an element, which may go on in further lines behind a comma.
fn whole_element(line: &[u8], count: usize, lines: &mut Lines) -> Result<Vec<u64>, MeshError> {
    let location = lines.location();
    let mut all = Vec::with_capacity(count);
    let mut line = line;
    loop {
        for word in words(line).filter(|word| !word.is_empty()) {
            all.push(whole(word, lines.location())?);
        }
        if all.len() >= count || !line.ends_with(b",") {
            break;
        }
        line = lines.next().unwrap_or_default().trim_ascii();
    }
    if all.len() < count {
        let problem = format!("an element with {} of {} nodes", all.len().saturating_sub(1), count - 1);
        return Err(MeshError::syntax(location, problem, DAMAGED));
    }
    Ok(all)
}

/// What is between commas.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii)
}
