//! Surfaces from mesh files.

mod gltf;
mod inp;
mod lines;
mod obj;
mod ply;
pub(crate) mod soup;
mod stl;
mod unv;

pub use soup::{DEFAULT_GROUP, Import};

use crate::error::MeshError;
use crate::gmsh::{GmshMesh, gmsh_triangles};
use crate::triangle::Units;

/// A kind of mesh file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshFormat {
    /// Stereolithography, text or binary, told apart by the size of the file.
    Stl,
    /// Wavefront. Faces belong to their `usemtl`, or else their `g`, or else their `o`.
    Obj,
    /// Stanford's polygons, text or binary of either byte order.
    Ply,
    /// I-DEAS universal files: data sets 2411 and 781 (nodes), 2412 and 780 (elements), 2467 and 2477 (groups).
    Unv,
    /// Gmsh MSH 4.1 and 2.2, text or binary.
    Gmsh,
    /// Abaqus input files: surface elements of all parts, where their instances are.
    Abaqus,
    /// glTF 2.0, binary or as text with its data inside: the triangles of its scene.
    Gltf,
}

const EXTENSIONS: [(&str, MeshFormat); 8] = [
    ("stl", MeshFormat::Stl),
    ("obj", MeshFormat::Obj),
    ("ply", MeshFormat::Ply),
    ("unv", MeshFormat::Unv),
    ("msh", MeshFormat::Gmsh),
    ("inp", MeshFormat::Abaqus),
    ("glb", MeshFormat::Gltf),
    ("gltf", MeshFormat::Gltf),
];

impl MeshFormat {
    /// The kind of a file with this ending, in upper or lower case and without the dot.
    ///
    /// ```
    /// use phasefront_mesh::MeshFormat;
    ///
    /// assert_eq!(MeshFormat::from_extension("STL").unwrap(), MeshFormat::Stl);
    /// let error = MeshFormat::from_extension("step").unwrap_err();
    /// assert_eq!(error.to_string(), "files that end in \".step\" are not read");
    /// assert_eq!(error.advice(), "give a mesh of triangles: .stl, .obj, .ply, .unv, .msh, .inp, .glb or .gltf");
    /// ```
    pub fn from_extension(extension: &str) -> Result<Self, MeshError> {
        let found = EXTENSIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension));
        found.map(|&(_, format)| format).ok_or_else(|| {
            MeshError::geometry(
                format!("files that end in \".{extension}\" are not read"),
                "give a mesh of triangles: .stl, .obj, .ply, .unv, .msh, .inp, .glb or .gltf",
            )
        })
    }
}

/// Reads the content of a mesh file, whose coordinates are in the given units. Polygons are cut into triangles that share
/// their first corner.
///
/// ```
/// use phasefront_mesh::{MeshFormat, Units, read_triangles};
///
/// let text = b"v 0 0 0\nv 20 0 0\nv 20 10 0\nv 0 10 0\ng lid\nf 1 2 3 4\n";
/// let import = read_triangles(text, MeshFormat::Obj, Units::Millimeters).unwrap();
/// assert_eq!(import.mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
/// assert_eq!(import.mesh.group_names, ["lid"]);
/// assert!((import.mesh.area() - 2e-4).abs() < 1e-18);
/// ```
pub fn read_triangles(bytes: &[u8], format: MeshFormat, units: Units) -> Result<Import, MeshError> {
    let soup = match format {
        MeshFormat::Stl => stl::read(bytes)?,
        MeshFormat::Obj => obj::read(bytes)?,
        MeshFormat::Ply => ply::read(bytes)?,
        MeshFormat::Unv => unv::read(bytes)?,
        MeshFormat::Abaqus => inp::read(bytes)?,
        MeshFormat::Gltf => gltf::read(bytes)?,
        // MSH has nodes of all dimensions and physical groups: it has its own conversion and
        // scaling.
        MeshFormat::Gmsh => return gmsh_triangles(&GmshMesh::parse(bytes)?, units),
    };
    soup.into_import(units)
}
