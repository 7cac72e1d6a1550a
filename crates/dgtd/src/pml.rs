//! Layers that absorb: where they are, and how strongly they damp.

use crate::error::DgtdError;
use crate::problem::PmlKind;
use phasefront_core::FieldError;
use phasefront_mesh::TetMesh;

/// Reflection that the damping is chosen for, of a wave that goes through the layers and back: R₀.
const REFLECTION: f64 = 1e-6;
/// The damping grows as this power of the depth.
const POWER: i32 = 3;
/// Frequency shift at the layers' inside as a part of the strongest damping; it falls to zero at their outside.
const SHIFT: f64 = 0.02;
/// Depths below this part of the thickness are none: s is 1e-15 of the strongest there, while coordinates from files are rounded.
const SHALLOW: f64 = 1e-5;
/// Layers thinner than this part of the whole are none: sides that should be in line differ by rounding.
const THINNEST: f64 = 1e-6;
/// How far, in parts of the whole, places may be off a plane that they are in: files have few digits.
const IN_PLANE: f64 = 1e-5;

/// Whether a volume group is a layer that absorbs.
pub fn is_layer(name: &str) -> bool {
    name.starts_with("pml")
}

/// The layers around a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layers {
    /// How they absorb.
    pub kind: PmlKind,
    /// The box inside of them.
    inner: [[f64; 2]; 3],
    /// Their thickness on either side of each axis; zero where there are none.
    thickness: [[f64; 2]; 3],
}

impl Layers {
    /// The layers of a mesh, if it has any. Around them, the box that all other elements fill.
    pub fn find(mesh: &TetMesh, kind: PmlKind) -> Result<Option<Self>, DgtdError> {
        let layer: Vec<bool> = mesh.volume_names.iter().map(|name| is_layer(name)).collect();
        let mut inner = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
        let mut outer = inner;
        let mut found = false;
        for tet in 0..mesh.tets.len() {
            let is_layer = layer[usize::from(mesh.volume_of[tet])];
            found |= is_layer;
            for corner in mesh.corners(tet) {
                for axis in 0..3 {
                    let widen = |[low, high]: &mut [f64; 2]| {
                        *low = low.min(corner[axis]);
                        *high = high.max(corner[axis]);
                    };
                    widen(&mut outer[axis]);
                    if !is_layer {
                        widen(&mut inner[axis]);
                    }
                }
            }
        }
        if !found {
            return Ok(None);
        }
        let thickness = std::array::from_fn(|axis| {
            let least = THINNEST * (outer[axis][1] - outer[axis][0]);
            [inner[axis][0] - outer[axis][0], outer[axis][1] - inner[axis][1]]
                .map(|thickness| if thickness > least { thickness } else { 0.0 })
        });
        let layers = Self { kind, inner, thickness };
        layers.check(mesh, &layer)?;
        Ok(Some(layers))
    }

    /// Elements of layers must lie outside the box: else the damping in them would be nothing.
    fn check(&self, mesh: &TetMesh, layer: &[bool]) -> Result<(), DgtdError> {
        for tet in (0..mesh.tets.len()).filter(|&tet| layer[usize::from(mesh.volume_of[tet])]) {
            let corners = mesh.corners(tet);
            let middle: [f64; 3] = std::array::from_fn(|axis| corners.iter().map(|p| 0.25 * p[axis]).sum());
            if self.damping(middle) == [0.0; 3] {
                let name = &mesh.volume_names[usize::from(mesh.volume_of[tet])];
                let [x, y, z] = middle;
                return Err(FieldError::new(
                    "geometry.mesh",
                    format!("the layer {name:?} reaches into the box that it should stand around, at ({x:.4}, {y:.4}, {z:.4}) m"),
                    "absorbing layers lie around a box with sides along x, y and z; for other shapes use an absorbing boundary",
                )
                .into());
            }
        }
        Ok(())
    }

    /// Whether places are all in one plane that layers may end in: those of their outside, and of the box inside where its edges have
    /// no layers.
    pub fn may_end(&self, places: &[[f64; 3]]) -> bool {
        (0..3).any(|axis| {
            let ([low, high], [before, behind]) = (self.inner[axis], self.thickness[axis]);
            let near = IN_PLANE * (high + behind - low + before);
            [low - before, low, high, high + behind]
                .iter()
                .any(|plane| places.iter().all(|place| (place[axis] - plane).abs() <= near))
        })
    }

    /// Depth in the layers along an axis, and their thickness there.
    fn depth(&self, axis: usize, x: f64) -> (f64, f64) {
        let ([low, high], [before, behind]) = (self.inner[axis], self.thickness[axis]);
        if x < low { (low - x, before) } else { ((x - high).max(0.0), behind) }
    }

    /// The same depth as a part of the thickness.
    fn part(&self, axis: usize, x: f64) -> f64 {
        let (depth, thickness) = self.depth(axis, x);
        if thickness > 0.0 { depth / thickness } else { 0.0 }
    }

    /// The axes along which an element of the layers with these corners reaches into them.
    pub fn axes(&self, corners: &[[f64; 3]; 4]) -> Vec<usize> {
        let reaches = |&axis: &usize| corners.iter().any(|corner| self.part(axis, corner[axis]) > SHALLOW);
        (0..3).filter(reaches).collect()
    }

    /// Whether an element with these corners reaches from the inside of the layers to their outside.
    pub fn spans(&self, corners: &[[f64; 3]; 4]) -> bool {
        (0..3).any(|axis| {
            let depths = corners.map(|corner| self.depth(axis, corner[axis]));
            let at_outside = depths
                .iter()
                .any(|(depth, thickness)| *thickness > 0.0 && *depth >= (1.0 - 1e-9) * thickness);
            at_outside && depths.iter().any(|(depth, _)| *depth <= 0.0)
        })
    }

    /// The largest part of the layers' thickness, along any axis, that an element with these corners reaches over.
    pub fn reach(&self, corners: &[[f64; 3]; 4]) -> f64 {
        let along = |axis: usize| {
            let parts = corners.map(|corner| self.part(axis, corner[axis]));
            let most = parts.iter().copied().fold(0.0, f64::max);
            most - parts.iter().copied().fold(f64::INFINITY, f64::min)
        };
        (0..3).map(along).fold(0.0, f64::max)
    }

    /// s/c along x, y and z at a place, 1/m: s_max (depth/d)³ with R₀ = e^{−2 s_max d/4c}.
    pub fn damping(&self, place: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| {
            let (depth, thickness) = self.depth(axis, place[axis]);
            if thickness <= 0.0 {
                0.0
            } else {
                strongest(thickness) * (depth / thickness).min(1.0).powi(POWER)
            }
        })
    }

    /// The frequency shift a/c at a place, 1/m; uniaxial layers have none.
    pub fn shift(&self, place: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| {
            let (depth, thickness) = self.depth(axis, place[axis]);
            if thickness <= 0.0 || self.kind == PmlKind::Uniaxial {
                0.0
            } else {
                SHIFT * strongest(thickness) * (1.0 - depth / thickness).max(0.0)
            }
        })
    }
}

fn strongest(thickness: f64) -> f64 {
    -f64::from(POWER + 1) * REFLECTION.ln() / (2.0 * thickness)
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_mesh::{BoxMesh, BoxRegion};

    /// A cell of air with layers of a cell all around it, or on two sides of x alone.
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
        // As a file in single precision has them: each a little off.
        for (i, x) in mesh.nodes.iter_mut().flatten().enumerate() {
            *x = f64::from(*x as f32) + 1e-9 * (i % 7) as f64;
        }
        mesh
    }

    /// Of 27 cells one is air, 6 are flat, 12 are edges and 8 are corners.
    #[test]
    fn sides_edges_and_corners_are_told_apart() {
        let mesh = around(3);
        let layers = Layers::find(&mesh, PmlKind::Shifted).unwrap().unwrap();
        let of_air: Vec<bool> = mesh.volume_names.iter().map(|name| name == "air").collect();
        let all = (0..mesh.tets.len()).filter(|&tet| !of_air[usize::from(mesh.volume_of[tet])]);
        let per_cell = mesh.tets.len() / 27;
        let axes: Vec<Vec<usize>> = all.map(|tet| layers.axes(&mesh.corners(tet))).collect();
        let count = |of: &[usize]| axes.iter().filter(|axes| *axes == of).count() / per_cell;
        assert_eq!([&[0][..], &[1], &[2]].map(count), [2; 3]);
        assert_eq!([&[0, 1][..], &[0, 2], &[1, 2]].map(count), [4; 3]);
        assert_eq!(count(&[0, 1, 2]), 8);
    }

    /// What is behind the air along x alone is no layer along y and z, although sides are off by rounding.
    #[test]
    fn rounding_makes_no_layers() {
        let mesh = around(1);
        let layers = Layers::find(&mesh, PmlKind::Shifted).unwrap().unwrap();
        for tet in 0..mesh.tets.len() {
            for corner in mesh.corners(tet) {
                assert_eq!(layers.damping(corner)[1..], [0.0; 2]);
                assert_eq!(layers.shift(corner)[1..], [0.0; 2]);
            }
        }
    }

    /// The air reaches from 0.1 to 0.2 m along each axis, and the layers from 0 to 0.3 m.
    #[test]
    fn layers_end_in_planes() {
        let layers = Layers::find(&around(3), PmlKind::Shifted).unwrap().unwrap();
        for (x, ends) in [(0.0, true), (0.1, true), (0.2, true), (0.3, true), (0.25, false), (0.31, false)] {
            assert_eq!(layers.may_end(&[[x, 0.01, 0.02], [x, 0.07, 0.05], [x, 0.28, 0.23]]), ends, "x = {x}");
        }
        assert!(!layers.may_end(&[[0.3, 0.01, 0.02], [0.29, 0.07, 0.05], [0.3, 0.28, 0.23]]));
    }
}
