//! Element sizes of a drawn model, from wavelength, material and polynomial order.

use crate::material::Material;
use phasefront_core::constants::C0;

/// Nodes of an element's edge per wavelength: elements of order p have p nodes along an edge.
const NODES_PER_WAVELENGTH: f64 = 10.0;
/// Largest element size in wavelengths: high orders resolve longer edges, but not the geometry.
const MAX_WAVELENGTHS: f64 = 0.5;
/// Largest element size at thin wires, in wavelengths.
const MAX_WIRE_WAVELENGTHS: f64 = 0.12;
/// Elements across a PML.
const ACROSS_PML: f64 = 3.0;
/// Thickness of a PML at least, in wavelengths of the lowest frequency.
const PML_WAVELENGTHS: f64 = 0.15;
/// Elements across a conductor at its edges, where fields are singular, and across a gap.
const ACROSS: [f64; 2] = [4.0, 2.0];
/// The same where an adaptation begins, which finds out where more are needed.
const ACROSS_AT_FIRST: [f64; 2] = [2.0, 1.0];
/// Width in wavelengths from which on a conductor is so wide that one edge does not feel the other.
const WIDE: f64 = 0.25;

/// Element sizes of a model.
///
/// ```
/// use phasefront_dgtd::{ElementSizes, Material};
///
/// let sizes = ElementSizes::new([0.5e9, 1e9], 2, false);
/// // Elements of order 2 are a fifth of a wavelength long, here 300 mm; in glass half as long.
/// assert!((sizes.in_vacuum() / 59.96e-3 - 1.0).abs() < 1e-3);
/// assert!((sizes.in_material(&Material::dielectric(4.0)) / 29.98e-3 - 1.0).abs() < 1e-3);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ElementSizes {
    /// Longest and shortest wavelength in vacuum, m.
    wavelengths: [f64; 2],
    order: f64,
    across: [f64; 2],
}

impl ElementSizes {
    /// For frequencies from the lowest to the highest, Hz; `is_first_pass` where an adaptation begins.
    pub fn new(frequencies: [f64; 2], order: usize, is_first_pass: bool) -> Self {
        Self {
            wavelengths: frequencies.map(|frequency| C0 / frequency),
            order: order as f64,
            across: if is_first_pass { ACROSS_AT_FIRST } else { ACROSS },
        }
    }

    fn at(&self, wavelength: f64) -> f64 {
        wavelength * (self.order / NODES_PER_WAVELENGTH).min(MAX_WAVELENGTHS)
    }

    /// In vacuum, m: the largest.
    pub fn in_vacuum(&self) -> f64 {
        self.at(self.wavelengths[1])
    }

    /// In a material, m.
    pub fn in_material(&self, material: &Material) -> f64 {
        self.at(self.wavelengths[1] / material.largest_index().max(1.0))
    }

    /// At the edges of a conductor of this width, m.
    pub fn at_edges(&self, width: f64) -> f64 {
        width.min(WIDE * self.wavelengths[1]) / self.across[0]
    }

    /// At thin wires, m: their clouds follow this size, and must be small in wavelengths.
    pub fn at_thin_wires(&self) -> f64 {
        self.in_vacuum().min(MAX_WIRE_WAVELENGTHS * self.wavelengths[1])
    }

    /// Elements across a gap between conductors.
    pub fn across_gaps(&self) -> f64 {
        self.across[1]
    }

    /// Thickness of a PML, m.
    pub fn pml_thickness(&self) -> f64 {
        (ACROSS_PML * self.in_vacuum()).max(PML_WAVELENGTHS * self.wavelengths[0])
    }
}
