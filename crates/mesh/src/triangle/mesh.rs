//! A surface mesh of triangles with named groups.

use super::vec3::{Vec3, cross, dot, norm, sub};
use crate::error::MeshError;

/// A surface of triangles in meters, each triangle in one named group.
///
/// The corners of a triangle run counterclockwise as seen from the side that its normal points to. Changes of a field
/// must preserve the invariants that [`TriangleMesh::new`] checks.
///
/// ```
/// use phasefront_mesh::TriangleMesh;
///
/// let vertices = vec![[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let mesh = TriangleMesh::new(vertices, vec![[0, 1, 2]], vec![0], vec!["skin".into()]).unwrap();
/// assert_eq!(mesh.area(), 1.0);
/// assert_eq!(mesh.area_vector(0), [0.0, 0.0, 1.0]);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriangleMesh {
    /// Positions of the vertices in meters.
    pub vertices: Vec<[f64; 3]>,
    /// Indices into `vertices`.
    pub triangles: Vec<[u32; 3]>,
    /// The group of each triangle, an index into `group_names`.
    pub groups: Vec<u32>,
    /// Names of the groups, each once.
    pub group_names: Vec<String>,
}

/// The largest coordinate accepted, in meters: squares of areas stay finite.
const MAX_COORDINATE: f64 = 1e60;

impl TriangleMesh {
    /// A mesh, once it is checked that there is a triangle, that all positions are in range, that every vertex has finite
    /// coordinates, and that no group name is there twice.
    pub fn new(
        vertices: Vec<[f64; 3]>,
        triangles: Vec<[u32; 3]>,
        groups: Vec<u32>,
        group_names: Vec<String>,
    ) -> Result<Self, MeshError> {
        let mesh = Self { vertices, triangles, groups, group_names };
        mesh.check()?;
        Ok(mesh)
    }

    /// A mesh with one group; checked as by [`TriangleMesh::new`].
    pub fn with_one_group(
        vertices: Vec<[f64; 3]>,
        triangles: Vec<[u32; 3]>,
        name: &str,
    ) -> Result<Self, MeshError> {
        let groups = vec![0; triangles.len()];
        Self::new(vertices, triangles, groups, vec![name.into()])
    }

    fn check(&self) -> Result<(), MeshError> {
        if self.triangles.is_empty() {
            return Err(MeshError::geometry("the mesh has no triangles", "give a surface mesh"));
        }
        // Half-edges are numbered 3t + k in 32 bits.
        if u32::try_from(self.triangles.len().max(self.vertices.len()).saturating_mul(3)).is_err() {
            return Err(MeshError::geometry(
                format!(
                    "{} triangles with {} vertices are too many",
                    self.triangles.len(),
                    self.vertices.len()
                ),
                "mesh more coarsely: a third of 2^32 of each can be counted",
            ));
        }
        // The comparison is false for NaN.
        let fine = |&x: &f64| x.abs() <= MAX_COORDINATE;
        if let Some(i) = self.vertices.iter().position(|vertex| !vertex.iter().all(fine)) {
            let [x, y, z] = self.vertices[i];
            return Err(MeshError::geometry(
                format!("vertex {} is at ({x}, {y}, {z})", i + 1),
                "give finite coordinates",
            ));
        }
        let in_range = |&i: &u32| (i as usize) < self.vertices.len();
        if let Some(t) = self.triangles.iter().position(|triangle| !triangle.iter().all(in_range)) {
            return Err(MeshError::geometry(
                format!(
                    "triangle {} has vertices {:?}, counted from 0, of {}",
                    t + 1,
                    self.triangles[t],
                    self.vertices.len()
                ),
                "number the vertices of triangles from 0",
            ));
        }
        self.check_groups()
    }

    fn check_groups(&self) -> Result<(), MeshError> {
        let advice = "give each triangle the position of its group's name, and each group a name of its own";
        if self.groups.len() != self.triangles.len() {
            let problem =
                format!("{} triangles have {} group numbers", self.triangles.len(), self.groups.len());
            return Err(MeshError::geometry(problem, advice));
        }
        if let Some(t) = self.groups.iter().position(|&group| group as usize >= self.group_names.len()) {
            let problem = format!(
                "triangle {} is in group {}, counted from 0, of {}",
                t + 1,
                self.groups[t],
                self.group_names.len()
            );
            return Err(MeshError::geometry(problem, advice));
        }
        let mut names: Vec<&String> = self.group_names.iter().collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(MeshError::geometry(format!("two groups have the name {:?}", pair[0]), advice)),
            None => Ok(()),
        }
    }

    /// The corners of a triangle.
    pub fn corners(&self, triangle: usize) -> [[f64; 3]; 3] {
        self.triangles[triangle].map(|i| self.vertices[i as usize])
    }

    /// Normal of a triangle, as long as its area.
    pub fn area_vector(&self, triangle: usize) -> [f64; 3] {
        let [a, b, c] = self.corners(triangle);
        cross(sub(b, a), sub(c, a)).map(|x| 0.5 * x)
    }

    /// The area of all triangles.
    pub fn area(&self) -> f64 {
        (0..self.triangles.len()).map(|t| norm(self.area_vector(t))).sum()
    }

    /// The lowest and the highest coordinates of all corners of triangles.
    pub fn bounds(&self) -> [[f64; 3]; 2] {
        // Over triangles, not vertices: unused vertices of a file must not enlarge the box.
        let corners = || self.triangles.iter().flatten().map(|&i| self.vertices[i as usize]);
        let extreme = |pick: fn(f64, f64) -> f64| {
            corners().reduce(|a, b| [0, 1, 2].map(|k| pick(a[k], b[k]))).unwrap_or_default()
        };
        [extreme(f64::min), extreme(f64::max)]
    }

    /// The diagonal of the box around it.
    pub fn diagonal(&self) -> f64 {
        let [low, high] = self.bounds();
        norm(sub(high, low))
    }

    /// The volume inside a closed surface, negative where its normals point inward. Meaningless for an open
    /// surface.
    pub fn volume(&self) -> f64 {
        let [low, high] = self.bounds();
        // Divergence theorem: signed tetrahedra from any apex to the triangles add up to the
        // volume. An apex near the body limits cancellation.
        let middle = [0, 1, 2].map(|k| 0.5 * (low[k] + high[k]));
        (0..self.triangles.len()).map(|t| self.tetrahedron(t, middle)).sum()
    }

    /// Signed volume of the tetrahedron from `apex` to a triangle: a·(b × c)/6.
    pub(crate) fn tetrahedron(&self, triangle: usize, apex: Vec3) -> f64 {
        let [a, b, c] = self.corners(triangle).map(|corner| sub(corner, apex));
        dot(a, cross(b, c)) / 6.0
    }

    /// Every vertex moved.
    ///
    /// ```
    /// let plate = phasefront_mesh::targets::plate([1.0, 1.0], [1, 1]).unwrap();
    /// let upright = plate.mapped(|[x, y, z]| [z, x, y]);
    /// assert_eq!(upright.bounds(), [[0.0, -0.5, -0.5], [0.0, 0.5, 0.5]]);
    /// ```
    #[must_use]
    pub fn mapped(mut self, map: impl Fn([f64; 3]) -> [f64; 3]) -> Self {
        for vertex in &mut self.vertices {
            *vertex = map(*vertex);
        }
        self
    }

    /// Every triangle with its winding reversed.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        for triangle in &mut self.triangles {
            triangle.swap(1, 2);
        }
        self
    }

    /// Another mesh beside this one; groups of the same name become one. Vertices are not joined.
    ///
    /// ```
    /// use phasefront_mesh::targets::plate;
    ///
    /// let mut two = plate([1.0, 1.0], [1, 1]).unwrap();
    /// two.append(&plate([1.0, 1.0], [1, 1]).unwrap().mapped(|[x, y, _]| [x, y, 0.2]));
    /// assert_eq!((two.triangles.len(), two.group_names.len()), (4, 1));
    /// ```
    pub fn append(&mut self, other: &Self) {
        let shift = self.vertices.len() as u32;
        self.vertices.extend_from_slice(&other.vertices);
        self.triangles.extend(other.triangles.iter().map(|triangle| triangle.map(|i| i + shift)));
        let numbers: Vec<u32> = other.group_names.iter().map(|name| self.group_number(name)).collect();
        self.groups.extend(other.groups.iter().map(|&group| numbers[group as usize]));
    }

    /// The group with this name, made if it is not there.
    pub(crate) fn group_number(&mut self, name: &str) -> u32 {
        let found = self.group_names.iter().position(|known| known == name);
        let number = found.unwrap_or_else(|| {
            self.group_names.push(name.into());
            self.group_names.len() - 1
        });
        number as u32
    }

    /// The triangles of one group, by index.
    pub fn group(&self, name: &str) -> Result<Vec<u32>, MeshError> {
        let Some(number) = self.group_names.iter().position(|known| known == name) else {
            return Err(MeshError::NotFound {
                kind: "group",
                name: name.into(),
                known: self.group_names.iter().map(|name| (name.clone(), String::new())).collect(),
            });
        };
        let all = (0..self.triangles.len() as u32).zip(&self.groups);
        Ok(all.filter(|&(_, &group)| group as usize == number).map(|(t, _)| t).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    const SIDES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

    #[test]
    fn tetrahedron_has_its_volume_wherever_it_is() {
        let mesh = TriangleMesh::with_one_group(CORNERS.to_vec(), SIDES.to_vec(), "all").unwrap();
        assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
        assert!((mesh.area() - 1.5 - 0.75_f64.sqrt()).abs() < 1e-15);
        let far = mesh.clone().mapped(|[x, y, z]| [x + 1e6, y, z]);
        assert!((far.volume() - 1.0 / 6.0).abs() < 1e-9);
        assert!((mesh.reversed().volume() + 1.0 / 6.0).abs() < 1e-15);
    }

    #[test]
    fn bounds_leave_out_vertices_without_triangles() {
        let mesh = TriangleMesh::with_one_group(CORNERS.to_vec(), vec![[0, 1, 2]], "flat").unwrap();
        assert_eq!(mesh.bounds(), [[0.0; 3], [1.0, 1.0, 0.0]]);
    }

    #[test]
    fn groups_by_name() {
        let names = vec!["a".into(), "b".into()];
        let mut mesh = TriangleMesh::new(CORNERS.to_vec(), SIDES.to_vec(), vec![0, 1, 1, 0], names).unwrap();
        assert_eq!(mesh.group("b").unwrap(), [1, 2]);
        let other = TriangleMesh::with_one_group(CORNERS.to_vec(), vec![[0, 1, 2]], "b").unwrap();
        mesh.append(&other);
        assert_eq!(mesh.group("b").unwrap(), [1, 2, 4]);
        assert_eq!(mesh.triangles[4], [4, 5, 6]);
        assert_eq!(mesh.group("c").unwrap_err().to_string(), "there is no group \"c\"");
    }
}
