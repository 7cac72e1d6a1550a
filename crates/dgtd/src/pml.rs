//! Perfectly matched layers (PML): where they are, and their profiles σ and α.

use crate::error::DgtdError;
use crate::material::is_pml;
use crate::problem::{Guide, PmlKind, Problem};
use phasefront_core::FieldError;
use phasefront_mesh::TetMesh;
use rayon::prelude::*;

/// Theoretical reflection R₀ at normal incidence that σ is chosen for.
const REFLECTION: f64 = 1e-6;
/// Order of the polynomial grading of σ.
const GRADING: i32 = 3;
/// α at the inner side of the PML relative to σ_max; it decreases linearly to zero at the outer side.
const ALPHA_RATIO: f64 = 0.02;
/// Relative depths below this are none: σ is 1e-15 of σ_max there, while coordinates from files are rounded.
const MIN_DEPTH: f64 = 1e-5;
/// Layers thinner than this fraction of the whole are none: sides meant to be aligned differ by rounding.
const MIN_THICKNESS: f64 = 1e-6;
/// Distance of points from the plane that they are in, relative to the whole: files have few digits.
const PLANE_TOLERANCE: f64 = 1e-5;

/// Bounding box of some tetrahedra, along each axis.
fn bounds(mesh: &TetMesh, tets: impl ParallelIterator<Item = usize>) -> [[f64; 2]; 3] {
    let none = || [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    let both = |a: [[f64; 2]; 3], b: [[f64; 2]; 3]| {
        std::array::from_fn(|axis| [a[axis][0].min(b[axis][0]), a[axis][1].max(b[axis][1])])
    };
    let of_tet =
        |tet: usize| mesh.corners(tet).map(|corner| corner.map(|x| [x, x])).into_iter().fold(none(), both);
    tets.map(of_tet).reduce(none, both)
}

/// The PML around a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pml {
    /// Kind of coordinate stretching.
    pub kind: PmlKind,
    /// The box inside of it.
    inner: [[f64; 2]; 3],
    /// Thickness at either end of each axis; zero where there is none.
    thickness: [[f64; 2]; 3],
}

impl Pml {
    /// The PML of each volume group: at the end of a guide its own, else that around the model.
    pub fn of_groups(mesh: &TetMesh, problem: &Problem) -> Result<Vec<Option<Self>>, DgtdError> {
        let guide = |name: &String| problem.guides.iter().find(|guide| guide.holds(name));
        let model: Vec<bool> = mesh.volume_names.iter().map(|name| guide(name).is_none()).collect();
        let around = Self::find(mesh, problem.pml, &model)?;
        let of = |name: &String| match guide(name) {
            _ if !is_pml(name) => None,
            Some(guide) => Some(Self::of_guide(guide, problem.pml)),
            None => around,
        };
        Ok(mesh.volume_names.iter().map(of).collect())
    }

    /// The PML at the end of a guide, which absorbs along its axis.
    fn of_guide(guide: &Guide, kind: PmlKind) -> Self {
        let mut pml = Self { kind, inner: [[f64::NEG_INFINITY, f64::INFINITY]; 3], thickness: [[0.0; 2]; 3] };
        let (axis, sign) = guide.axis();
        let end = usize::from(sign > 0.0);
        pml.inner[axis][end] = guide.pml_begin;
        pml.thickness[axis][end] = guide.pml_thickness;
        pml
    }

    /// The PML around the model, if it has one. The box inside is the bounding box of all other elements in volume groups of the model.
    fn find(mesh: &TetMesh, kind: PmlKind, model: &[bool]) -> Result<Option<Self>, DgtdError> {
        let of_model = |name: (&String, &bool)| *name.1 && is_pml(name.0);
        let pml_group: Vec<bool> = mesh.volume_names.iter().zip(model).map(of_model).collect();
        let is_pml = |tet: &usize| pml_group[usize::from(mesh.volume_of[*tet])];
        let tets = || {
            let all = (0..mesh.tets.len()).into_par_iter();
            all.filter(|tet| model[usize::from(mesh.volume_of[*tet])])
        };
        if !tets().any(|tet| is_pml(&tet)) {
            return Ok(None);
        }
        // Bounding boxes of all elements outside of the PML, and of the whole mesh.
        let inner = bounds(mesh, tets().filter(|tet| !is_pml(tet)));
        let outer = bounds(mesh, tets());
        let thickness = std::array::from_fn(|axis| {
            // Sides without a PML have thickness zero, and σ = 0.
            let least = MIN_THICKNESS * (outer[axis][1] - outer[axis][0]);
            [inner[axis][0] - outer[axis][0], outer[axis][1] - inner[axis][1]]
                .map(|thickness| if thickness > least { thickness } else { 0.0 })
        });
        let pml = Self { kind, inner, thickness };
        pml.check(mesh, &pml_group)?;
        Ok(Some(pml))
    }

    /// Elements of the PML must lie outside of the box: σ would vanish in them.
    fn check(&self, mesh: &TetMesh, pml_group: &[bool]) -> Result<(), DgtdError> {
        let middle = |tet: usize| -> [f64; 3] {
            let corners = mesh.corners(tet);
            std::array::from_fn(|axis| corners.iter().map(|p| 0.25 * p[axis]).sum())
        };
        let wrong = (0..mesh.tets.len()).into_par_iter().find_first(|&tet| {
            pml_group[usize::from(mesh.volume_of[tet])] && self.sigma(middle(tet)) == [0.0; 3]
        });
        let Some(tet) = wrong else { return Ok(()) };
        let name = &mesh.volume_names[usize::from(mesh.volume_of[tet])];
        let [x, y, z] = middle(tet);
        Err(FieldError::new(
            "geometry.mesh",
            format!("the PML {name:?} extends into the box that it should enclose, at ({x:.4}, {y:.4}, {z:.4}) m"),
            "a PML must enclose a box with sides along x, y and z; for other shapes use an absorbing boundary",
        )
        .into())
    }

    /// Whether points are all in a plane that the PML may end in: an outer side, or a side of the box inside where no PML adjoins
    /// its edges.
    pub fn is_end_plane(&self, points: &[[f64; 3]]) -> bool {
        (0..3).any(|axis| {
            let ([low, high], [before, behind]) = (self.inner[axis], self.thickness[axis]);
            let whole = high + behind - low + before;
            let near = PLANE_TOLERANCE * if whole.is_finite() { whole } else { before + behind };
            [low - before, low, high, high + behind]
                .iter()
                .any(|plane| points.iter().all(|point| (point[axis] - plane).abs() <= near))
        })
    }

    /// Depth in the PML along an axis, and its thickness there.
    fn depth(&self, axis: usize, x: f64) -> (f64, f64) {
        let ([low, high], [before, behind]) = (self.inner[axis], self.thickness[axis]);
        if x < low { (low - x, before) } else { ((x - high).max(0.0), behind) }
    }

    /// Depth relative to the thickness.
    fn relative_depth(&self, axis: usize, x: f64) -> f64 {
        let (depth, thickness) = self.depth(axis, x);
        if thickness > 0.0 { depth / thickness } else { 0.0 }
    }

    /// The axes along which an element with these corners is in the PML.
    pub fn axes(&self, corners: &[[f64; 3]; 4]) -> Vec<usize> {
        let reaches =
            |&axis: &usize| corners.iter().any(|corner| self.relative_depth(axis, corner[axis]) > MIN_DEPTH);
        (0..3).filter(reaches).collect()
    }

    /// Whether an element with these corners extends from the inner to the outer side of the PML.
    pub fn spans(&self, corners: &[[f64; 3]; 4]) -> bool {
        (0..3).any(|axis| {
            let depths = corners.map(|corner| self.depth(axis, corner[axis]));
            let at_outside = depths
                .iter()
                // The outer side, up to rounding.
                .any(|(depth, thickness)| *thickness > 0.0 && *depth >= (1.0 - 1e-9) * thickness);
            at_outside && depths.iter().any(|(depth, _)| *depth <= 0.0)
        })
    }

    /// Largest extent of an element with these corners relative to the thickness, along any axis.
    pub fn extent(&self, corners: &[[f64; 3]; 4]) -> f64 {
        let along = |axis: usize| {
            let parts = corners.map(|corner| self.relative_depth(axis, corner[axis]));
            let most = parts.iter().copied().fold(0.0, f64::max);
            most - parts.iter().copied().fold(f64::INFINITY, f64::min)
        };
        (0..3).map(along).fold(0.0, f64::max)
    }

    /// σ/c along x, y and z at a point, 1/m: σ_max (depth/d)³, with R₀ = e^{−2 σ_max d/(4c)} (polynomial grading).
    pub fn sigma(&self, point: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| {
            let (depth, thickness) = self.depth(axis, point[axis]);
            if thickness <= 0.0 {
                0.0
            } else {
                sigma_max(thickness) * (depth / thickness).min(1.0).powi(GRADING)
            }
        })
    }

    /// α/c at a point, 1/m; zero in uniaxial PMLs.
    pub fn alpha(&self, point: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| {
            let (depth, thickness) = self.depth(axis, point[axis]);
            if thickness <= 0.0 || self.kind == PmlKind::Uniaxial {
                0.0
            } else {
                // Largest where σ is smallest: the shift is needed where evanescent and late fields
                // enter.
                ALPHA_RATIO * sigma_max(thickness) * (1.0 - depth / thickness).max(0.0)
            }
        })
    }
}

fn sigma_max(thickness: f64) -> f64 {
    // R₀ = exp(−2 ∫ σ dx) = exp(−2 σ_max d/(m + 1)) for the grading σ = σ_max (x/d)^m.
    -f64::from(GRADING + 1) * REFLECTION.ln() / (2.0 * thickness)
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_mesh::{BoxMesh, BoxRegion};

    /// A cell of air with a PML of one cell all around it, or at the two ends of x only.
    fn around(axes: usize) -> TetMesh {
        let to: [f64; 3] = std::array::from_fn(|axis| if axis < axes { 0.3 } else { 0.1 });
        let air = BoxRegion {
            name: "air".into(),
            from: std::array::from_fn(|axis| if axis < axes { 0.1 } else { 0.0 }),
            to: std::array::from_fn(|axis| if axis < axes { 0.2 } else { 0.1 }),
        };
        let mesh =
            BoxMesh { to, cell: [0.1; 3], name: "pml".into(), regions: vec![air], ..BoxMesh::default() };
        let mut mesh = mesh.mesh().unwrap();
        // Rounded as in a file of single precision.
        for (i, x) in mesh.nodes.iter_mut().flatten().enumerate() {
            *x = f64::from(*x as f32) + 1e-9 * (i % 7) as f64;
        }
        mesh
    }

    fn found(mesh: &TetMesh) -> Result<Option<Pml>, DgtdError> {
        Pml::find(mesh, PmlKind::Cfs, &vec![true; mesh.volume_names.len()])
    }

    /// Of 27 cells one is air, 6 are PML faces, 12 edges and 8 corners.
    #[test]
    fn sides_edges_and_corners_are_told_apart() {
        let mesh = around(3);
        let pml = found(&mesh).unwrap().unwrap();
        let of_air: Vec<bool> = mesh.volume_names.iter().map(|name| name == "air").collect();
        let all = (0..mesh.tets.len()).filter(|&tet| !of_air[usize::from(mesh.volume_of[tet])]);
        let per_cell = mesh.tets.len() / 27;
        let axes: Vec<Vec<usize>> = all.map(|tet| pml.axes(&mesh.corners(tet))).collect();
        let count = |of: &[usize]| axes.iter().filter(|axes| *axes == of).count() / per_cell;
        assert_eq!([&[0][..], &[1], &[2]].map(count), [2; 3]);
        assert_eq!([&[0, 1][..], &[0, 2], &[1, 2]].map(count), [4; 3]);
        assert_eq!(count(&[0, 1, 2]), 8);
    }

    /// What is behind the air along x is no PML along y and z, although sides are off by rounding.
    #[test]
    fn rounding_makes_no_layers() {
        let mesh = around(1);
        let pml = found(&mesh).unwrap().unwrap();
        for tet in 0..mesh.tets.len() {
            for corner in mesh.corners(tet) {
                assert_eq!(pml.sigma(corner)[1..], [0.0; 2]);
                assert_eq!(pml.alpha(corner)[1..], [0.0; 2]);
            }
        }
    }

    /// The air extends from 0.1 to 0.2 m along each axis, and the PML from 0 to 0.3 m.
    #[test]
    fn layers_end_in_planes() {
        let pml = found(&around(3)).unwrap().unwrap();
        for (x, ends) in [(0.0, true), (0.1, true), (0.2, true), (0.3, true), (0.25, false), (0.31, false)] {
            assert_eq!(
                pml.is_end_plane(&[[x, 0.01, 0.02], [x, 0.07, 0.05], [x, 0.28, 0.23]]),
                ends,
                "x = {x}"
            );
        }
        assert!(!pml.is_end_plane(&[[0.3, 0.01, 0.02], [0.29, 0.07, 0.05], [0.3, 0.28, 0.23]]));
    }
}
