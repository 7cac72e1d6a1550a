//! Volume meshes as MFEM has them: "MFEM mesh v1.0" to v1.3 with straight elements (MFEM documentation, "Mesh formats").

use crate::error::{Location, MeshError};
use crate::gmsh::{ElementBlock, ElementKind, GmshMesh, PhysicalGroup};
use std::collections::{BTreeMap, BTreeSet};

/// What the first line of such a file begins with.
pub const MFEM: &[u8] = b"MFEM ";

const DAMAGED: &str = "the file is damaged: save it again";
const AS_GMSH: &str = "save it with straight elements, or from the mesher in Gmsh's format (.msh)";

/// Dimension and Gmsh's number of MFEM's geometries 0 to 7, whose corners have the same order: point, segment, triangle, square, tetrahedron,
/// cube, prism, pyramid.
const KINDS: [i32; 8] = [15, 1, 2, 3, 4, 5, 6, 7];

/// Reads the content of an MFEM mesh file. Attributes are physical groups with their number as name, or with the name of the attribute set
/// (v1.3) that alone has them.
///
/// ```
/// use phasefront_mesh::{Units, gmsh_tets, mfem_mesh};
///
/// let text = b"MFEM mesh v1.0\n\ndimension\n3\n\nelements\n1\n7 4 0 1 2 3\n\nboundary\n1\n2 2 0 2 1\n\n\
///     vertices\n4\n3\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
/// let import = gmsh_tets(&mfem_mesh(text).unwrap(), Units::Meters).unwrap();
/// assert_eq!(import.mesh.tets, [[0, 1, 2, 3]]);
/// assert_eq!((&import.mesh.volume_names[0][..], &import.mesh.surface_names[0][..]), ("7", "2"));
/// ```
pub fn mfem_mesh(bytes: &[u8]) -> Result<GmshMesh, MeshError> {
    let mut words = Words::new(bytes)?;
    words.keyword("dimension")?;
    let dimension: usize = words.number()?;
    if dimension != 3 {
        return Err(words.unsupported(format!("a mesh of dimension {dimension}"), "give a mesh of volumes"));
    }
    let mut mesh = GmshMesh::default();
    let mut sets = [Sets::new(), Sets::new()];
    for (section, of_sets, dim) in [("elements", "attribute_sets", 3), ("boundary", "bdr_attribute_sets", 2)]
    {
        words.keyword(section)?;
        elements(&mut words, dim, &mut mesh)?;
        if words.is_next(of_sets) {
            sets[3 - dim] = attribute_sets(&mut words)?;
        }
    }
    words.keyword("vertices")?;
    vertices(&mut words, &mut mesh)?;
    if words.is_next("nodes") {
        return Err(words.unsupported("a curved mesh (\"nodes\")", AS_GMSH));
    }
    if let Some(&node) =
        mesh.blocks.iter().flat_map(|block| &block.nodes).find(|node| **node >= mesh.nodes.len())
    {
        return Err(
            words.damaged(format!("an element has vertex {node}, and there are {}", mesh.nodes.len()))
        );
    }
    mesh.groups = groups(&mesh, &sets);
    Ok(mesh)
}

fn elements(words: &mut Words<'_>, dim: usize, mesh: &mut GmshMesh) -> Result<(), MeshError> {
    for tag in 1..=words.number::<u64>()? {
        let (attribute, geometry): (i32, usize) = (words.number()?, words.number()?);
        let kind = KINDS.get(geometry).and_then(|number| ElementKind::new(*number));
        let Some(kind) = kind.filter(|kind| kind.dim == dim) else {
            return Err(words.unsupported(
                format!("an element of geometry {geometry} where dimension {dim} belongs"),
                AS_GMSH,
            ));
        };
        // Elements of one attribute mostly follow each other.
        if !mesh.blocks.last().is_some_and(|block| block.kind == kind && block.entity == attribute) {
            let groups = vec![attribute];
            let block = ElementBlock { kind, entity: attribute, groups, tags: Vec::new(), nodes: Vec::new() };
            MeshError::push(&mut mesh.blocks, block)?;
        }
        if let Some(block) = mesh.blocks.last_mut() {
            MeshError::push(&mut block.tags, tag)?;
            for _ in 0..kind.nodes {
                MeshError::push(&mut block.nodes, words.number()?)?;
            }
        }
    }
    Ok(())
}

fn vertices(words: &mut Words<'_>, mesh: &mut GmshMesh) -> Result<(), MeshError> {
    let count: u64 = words.number()?;
    if words.is_next("nodes") {
        return Err(words.unsupported("a curved mesh (\"nodes\")", AS_GMSH));
    }
    let coordinates: usize = words.number()?;
    if coordinates != 3 {
        return Err(
            words.unsupported(format!("vertices with {coordinates} coordinates"), "give a mesh in space")
        );
    }
    for tag in 0..count {
        let mut node = [0.0_f64; 3];
        for x in &mut node {
            *x = words.number()?;
            if !x.is_finite() {
                return Err(words.damaged("a coordinate that is not finite"));
            }
        }
        MeshError::push(&mut mesh.nodes, node)?;
        MeshError::push(&mut mesh.node_tags, tag)?;
    }
    Ok(())
}

/// Names of sets by attribute.
type Sets = BTreeMap<i32, Vec<String>>;

/// `"name" count attribute ...` for each set.
fn attribute_sets(words: &mut Words<'_>) -> Result<Sets, MeshError> {
    words.next()?;
    let mut sets = Sets::new();
    for _ in 0..words.number::<u64>()? {
        let name = words.quoted()?;
        for _ in 0..words.number::<u64>()? {
            sets.entry(words.number()?).or_default().push(name.clone());
        }
    }
    Ok(sets)
}

fn groups(mesh: &GmshMesh, sets: &[Sets; 2]) -> Vec<PhysicalGroup> {
    let used: BTreeSet<(usize, i32)> =
        mesh.blocks.iter().map(|block| (block.kind.dim, block.entity)).collect();
    let group = |(dim, tag): (usize, i32)| {
        let name = match sets[3 - dim].get(&tag).map(Vec::as_slice) {
            Some([name]) => name.clone(),
            _ => tag.to_string(),
        };
        PhysicalGroup { name, dim, tag }
    };
    used.into_iter().map(group).collect()
}

/// Words between blanks, without comments, each with its line.
struct Words<'a> {
    all: std::iter::Peekable<Box<dyn Iterator<Item = (usize, &'a str)> + 'a>>,
    line: usize,
}

impl<'a> Words<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self, MeshError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            MeshError::syntax(Location::Byte(error.valid_up_to()), "what is no text", DAMAGED)
        })?;
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let known = ["v1.0", "v1.2", "v1.3"].map(|version| format!("MFEM mesh {version}"));
        if !known.iter().any(|known| known == first.trim()) {
            let found: String = first.chars().take(40).collect();
            return Err(MeshError::unsupported(
                Location::Line(1),
                format!("{:?}", found.trim()),
                "save it as \"MFEM mesh v1.0\", conforming and in one part, or in Gmsh's format (.msh)",
            ));
        }
        let words = (2..).zip(rest.lines()).flat_map(|(number, line)| {
            let line = line.split('#').next().unwrap_or_default();
            line.split_ascii_whitespace().map(move |word| (number, word))
        });
        let all: Box<dyn Iterator<Item = (usize, &'a str)> + 'a> = Box::new(words);
        Ok(Self { all: all.peekable(), line: 1 })
    }

    fn damaged(&self, problem: impl Into<String>) -> MeshError {
        MeshError::syntax(Location::Line(self.line), problem, DAMAGED)
    }

    fn unsupported(&self, what: impl Into<String>, advice: &str) -> MeshError {
        MeshError::unsupported(Location::Line(self.line), what, advice)
    }

    fn next(&mut self) -> Result<&'a str, MeshError> {
        let (line, word) = self.all.next().ok_or_else(|| self.damaged("the file ends too early"))?;
        self.line = line;
        Ok(word)
    }

    fn is_next(&mut self, word: &str) -> bool {
        self.all.peek().is_some_and(|(_, next)| *next == word)
    }

    fn keyword(&mut self, keyword: &str) -> Result<(), MeshError> {
        match self.next()? {
            word if word == keyword => Ok(()),
            word => Err(self.damaged(format!("{word:?} where {keyword:?} belongs"))),
        }
    }

    fn number<T: std::str::FromStr>(&mut self) -> Result<T, MeshError> {
        let word = self.next()?;
        word.parse().map_err(|_| self.damaged(format!("{word:?} where a number belongs")))
    }

    /// A name between quotes, which may have blanks.
    fn quoted(&mut self) -> Result<String, MeshError> {
        let mut name = self.next()?.to_owned();
        while name.starts_with('"') && !(name.len() > 1 && name.ends_with('"')) {
            name = format!("{name} {}", self.next()?);
        }
        Ok(name.trim_matches('"').to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Units, gmsh_tets};

    const CUBE: &str = "MFEM mesh v1.3\n# a unit cube and its floor\ndimension\n3\nelements\n1\n4 5 0 1 2 3 4 5 6 7\n\
        attribute_sets\n1\n\"the slab\" 1 4\nboundary\n1\n9 3 3 2 1 0\nbdr_attribute_sets\n0\nvertices\n8\n3\n\
        0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\nmfem_mesh_end\n";

    #[test]
    fn cubes_and_names_of_sets_are_read() {
        let mesh = gmsh_tets(&mfem_mesh(CUBE.as_bytes()).unwrap(), Units::Millimeters).unwrap().mesh;
        let volume: f64 = (0..mesh.tets.len()).map(|t| mesh.volume(t)).sum();
        assert!((volume - 1e-9).abs() < 1e-20, "{volume}");
        assert_eq!(
            (mesh.volume_names, mesh.surface_names),
            (vec!["the slab".to_owned()], vec!["9".to_owned()])
        );
    }

    #[test]
    fn what_is_not_read_is_told_with_its_line() {
        for (from, to, expected) in [
            ("mesh v1.3", "NC mesh v1.0", "line 1: \"MFEM NC mesh v1.0\" is not supported"),
            ("\n3\nelements", "\n2\nelements", "line 4: a mesh of dimension 2 is not supported"),
            ("8\n3\n", "8\nnodes\n", "line 17: a curved mesh (\"nodes\") is not supported"),
            ("0 1 1\nmfem", "0 1\nmfem", "line 27: \"mfem_mesh_end\" where a number belongs"),
            ("6 7\n", "6 8\n", "line 26: an element has vertex 8, and there are 8"),
            ("4 5 0", "4 4 0", "line 7: \"4\" where \"boundary\" belongs"),
        ] {
            let error = mfem_mesh(CUBE.replacen(from, to, 1).as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }
}
