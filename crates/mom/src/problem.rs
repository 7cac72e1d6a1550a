//! What the solver takes.

use crate::material::Material;
use crate::shape::Shape;
use phasefront_core::Precision;
use phasefront_core::constants::C0;

/// A body that scatters.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Its outline.
    pub shape: Shape,
    /// What it is made of.
    pub material: Material,
    /// Its number of cells, if it is to differ from the share it would get.
    pub cells: Option<usize>,
}

impl Body {
    /// A perfect conductor with its share of the cells.
    pub fn conductor(shape: Shape) -> Self {
        Self { shape, material: Material::Conductor, cells: None }
    }
}

/// Polarization of the incident wave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Polarization {
    /// Electric field along z.
    Tm,
    /// Magnetic field along z.
    Te,
}

/// Integral equation on conductors; dielectrics have Müller's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Equation {
    /// Combined field on closed bodies, electric field on open ones.
    Auto,
    /// Electric field.
    Efie,
    /// Magnetic field.
    Mfie,
    /// Combined field.
    Cfie,
}

/// How the current is discretized.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// Constant on each cell, matched at its middle: the method of moments in its simplest form.
    Pulse,
    /// Locally corrected Nyström.
    Lcn(Lcn),
}

/// Settings of the locally corrected Nyström method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lcn {
    /// Nodes per cell, 1 to 16.
    pub order: usize,
    /// How near interactions are integrated.
    pub moments: Moments,
    /// Distance within which they are, in lengths of the source cell; by the order if left out.
    pub near_distance: Option<f64>,
    /// Straight cells in place of curved ones.
    pub flat: bool,
    /// Halvings of the cells towards corners and open ends; 16 if left out.
    pub corner_levels: Option<usize>,
}

impl Default for Lcn {
    /// Order 10, which gives TM echo widths of circles to 1e-11; TE wants 14 for it.
    fn default() -> Self {
        Self { order: 10, moments: Moments::Split, near_distance: None, flat: false, corner_levels: None }
    }
}

/// How the moments of the kernel over a near cell are integrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moments {
    /// The singular part in closed form, the smooth rest by Gauss points.
    Split,
    /// By adaptive quadrature.
    Reference,
    /// By adaptive quadrature, and the corrected weights from a small linear system per target and cell.
    Paper,
}

/// Halvings towards corners and open ends unless the problem says otherwise: the last cell is a hundred thousandth of the first,
/// and echo widths are good to 1e-7 on strips and 1e-9 on squares. Many more and, in TE, the strong singularity of the equation
/// of open bodies brings rounding in.
const CORNER_LEVELS: usize = 16;

/// Distance of near interactions unless the problem says otherwise: where Gauss points alone give the order's own accuracy.
fn default_near_distance(order: usize) -> f64 {
    match order {
        1 => 3.0,
        2..=7 => 2.0,
        _ => 1.0,
    }
}

/// How finely to cut the contours, before refinement where they bend and at corners.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CellCount {
    /// So many cells in all, shared among the bodies by length.
    Total(usize),
    /// So many per wavelength at the highest frequency, in the body's own medium where it is denser.
    PerWavelength(f64),
}

/// Where to compute the near field.
#[derive(Debug, Clone, PartialEq)]
pub struct NearGrid {
    /// Columns.
    pub x: Vec<f64>,
    /// Rows.
    pub y: Vec<f64>,
}

/// A scattering problem. Bodies, frequencies and directions have no default: fill them in.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// What scatters.
    pub bodies: Vec<Body>,
    /// Frequencies, Hz.
    pub frequencies: Vec<f64>,
    /// Polarization of the incident waves.
    pub polarization: Polarization,
    /// Directions the incident waves travel in, radians from +x.
    pub propagation: Vec<f64>,
    /// Discretization of the current.
    pub method: Method,
    /// Integral equation on conductors.
    pub equation: Equation,
    /// Share α of the electric field equation in the combined one.
    pub cfie_weight: f64,
    /// Discretization of the contours.
    pub cells: CellCount,
    /// Of matrix and factorization; geometry and Hankel functions are always double.
    pub precision: Precision,
    /// Directions for the echo width, radians from +x.
    pub observation: Vec<f64>,
    /// Whether the echo width back towards each incident wave is wanted.
    pub monostatic: bool,
    /// Whether the solution holds the surface currents.
    pub currents: bool,
    /// Where to compute the near field; needs a single frequency and a single incidence.
    pub near_field: Option<NearGrid>,
}

impl Default for Problem {
    fn default() -> Self {
        Self {
            bodies: Vec::new(),
            frequencies: Vec::new(),
            polarization: Polarization::Tm,
            propagation: Vec::new(),
            method: Method::Lcn(Lcn::default()),
            equation: Equation::Auto,
            cfie_weight: 0.5,
            cells: CellCount::PerWavelength(2.5),
            precision: Precision::Double,
            observation: Vec::new(),
            monostatic: false,
            currents: false,
            near_field: None,
        }
    }
}

impl Problem {
    /// Nodes per cell.
    pub(crate) fn order(&self) -> usize {
        match self.method {
            Method::Pulse => 1,
            Method::Lcn(lcn) => lcn.order,
        }
    }

    /// Halvings of the cells towards corners and open ends.
    pub fn corner_levels(&self) -> usize {
        match self.method {
            Method::Pulse => 0,
            Method::Lcn(lcn) => lcn.corner_levels.unwrap_or(CORNER_LEVELS),
        }
    }

    /// Distance within which interactions are integrated, in lengths of the source cell.
    pub fn near_distance(&self) -> f64 {
        match self.method {
            Method::Pulse => 0.0,
            Method::Lcn(lcn) => lcn.near_distance.unwrap_or(default_near_distance(lcn.order)),
        }
    }

    /// Whether `body` closes on itself and conducts.
    pub(crate) fn is_closed_conductor(&self, body: usize) -> bool {
        let body = &self.bodies[body];
        body.shape.is_closed() && body.material == Material::Conductor
    }

    pub(crate) fn highest_frequency(&self) -> f64 {
        self.frequencies.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Wavelength at the highest frequency on `body`: in its medium where that is denser than vacuum.
    pub(crate) fn wavelength_on(&self, body: usize) -> f64 {
        let frequency = self.highest_frequency();
        let index = match self.bodies[body].material {
            Material::Conductor => 1.0,
            Material::Dielectric(medium) => medium.index(frequency).norm().max(1.0),
        };
        C0 / (frequency * index)
    }
}
