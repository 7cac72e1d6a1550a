//! Layers that absorb: where they are, and how strongly they damp.

use crate::domain::is_layer;
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
        let layers = Self {
            kind,
            inner,
            thickness: std::array::from_fn(|axis| {
                [inner[axis][0] - outer[axis][0], outer[axis][1] - inner[axis][1]]
            }),
        };
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

    /// Depth in the layers along an axis, and their thickness there.
    fn depth(&self, axis: usize, x: f64) -> (f64, f64) {
        let ([low, high], [before, behind]) = (self.inner[axis], self.thickness[axis]);
        if x < low { (low - x, before) } else { ((x - high).max(0.0), behind) }
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
            let parts = corners.map(|corner| {
                let (depth, thickness) = self.depth(axis, corner[axis]);
                if thickness > 0.0 { depth / thickness } else { 0.0 }
            });
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

    /// The frequency shift a/c at a place, 1/m.
    pub fn shift(&self, place: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| {
            let (depth, thickness) = self.depth(axis, place[axis]);
            if thickness <= 0.0 {
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
