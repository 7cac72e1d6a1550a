//! [`Problem`]: the input of the solver, in SI units.

use crate::material::Material;
use crate::shape::Shape;
use phasefront_core::Precision;
use phasefront_core::constants::C0;

/// A body that scatters.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Its contour.
    pub shape: Shape,
    /// Its material.
    pub material: Material,
    /// Its number of cells; its share of [`Problem::cells`] if left out.
    pub cells: Option<usize>,
}

impl Body {
    /// A perfect electric conductor with its share of the cells.
    pub fn conductor(shape: Shape) -> Self {
        Self { shape, material: Material::Conductor, cells: None }
    }
}

/// Polarization of the incident wave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Polarization {
    /// Electric field along z (E-polarization).
    Tm,
    /// Magnetic field along z (H-polarization).
    Te,
}

/// Integral equation on conductors; dielectrics use Müller's equations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Equation {
    /// CFIE on closed bodies, EFIE on open ones.
    Auto,
    /// Electric field integral equation (EFIE); fails at interior resonances of closed bodies.
    Efie,
    /// Magnetic field integral equation (MFIE), closed bodies only; fails at interior resonances too.
    Mfie,
    /// Combined field integral equation (CFIE), closed bodies only; free of interior resonances.
    Cfie,
}

/// Discretization of the current.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// Pulse basis and point matching: the method of moments in its simplest form.
    Pulse,
    /// Locally corrected Nyström.
    Lcn(Lcn),
}

/// Settings of the locally corrected Nyström method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lcn {
    /// Nodes per cell, 1 to 16.
    pub order: usize,
    /// Quadrature of near interactions.
    pub near_quadrature: NearQuadrature,
    /// Distance of near interactions, in lengths of the source cell; depends on the order if left out.
    pub near_distance: Option<f64>,
    /// Flat cells instead of curved ones.
    pub flat: bool,
    /// Levels of dyadic corner refinement, toward corners and open ends; 16 if left out.
    pub corner_levels: Option<usize>,
}

impl Default for Lcn {
    /// Order 10, which gives TM echo widths of circles to 1e-11; TE needs order 14 for that.
    fn default() -> Self {
        Self {
            order: 10,
            near_quadrature: NearQuadrature::Product,
            near_distance: None,
            flat: false,
            corner_levels: None,
        }
    }
}

/// Quadrature of the kernel moments over a near cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NearQuadrature {
    /// Product quadrature: the singular part in closed form, the smooth remainder by Gauss quadrature.
    Product,
    /// Adaptive quadrature.
    Adaptive,
    /// Adaptive quadrature, and the corrected weights from a small linear system per target and cell (Canino et al. 1998).
    LocalCorrection,
}

/// Default levels of corner refinement: the last cell is a hundred thousandth of the first,
/// and echo widths are accurate to 1e-7 on strips and 1e-9 on squares. With many more levels, the hypersingular TE-EFIE of open
/// bodies amplifies rounding errors.
const CORNER_LEVELS: usize = 16;

/// Default distance of near interactions: beyond it, Gauss quadrature alone has the accuracy of the order.
fn default_near_distance(order: usize) -> f64 {
    match order {
        1 => 3.0,
        2..=7 => 2.0,
        _ => 1.0,
    }
}

/// Density of the discretization, before refinement by curvature and at corners.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CellCount {
    /// Number of cells, apportioned among the bodies by length.
    Total(usize),
    /// Cells per wavelength at the highest frequency, in the medium of the body where it is denser.
    PerWavelength(f64),
}

/// Grid of the near field.
#[derive(Debug, Clone, PartialEq)]
pub struct NearGrid {
    /// Coordinates of the columns, m.
    pub x: Vec<f64>,
    /// Coordinates of the rows, m.
    pub y: Vec<f64>,
}

/// A scattering problem. Bodies, frequencies and directions have no default.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The scatterers.
    pub bodies: Vec<Body>,
    /// Frequencies, Hz.
    pub frequencies: Vec<f64>,
    /// Polarization of the incident waves.
    pub polarization: Polarization,
    /// Directions of propagation of the incident waves, radians from +x.
    pub propagation: Vec<f64>,
    /// Discretization of the current.
    pub method: Method,
    /// Integral equation on conductors.
    pub equation: Equation,
    /// Weight α of the EFIE in the CFIE.
    pub cfie_weight: f64,
    /// Discretization of the contours.
    pub cells: CellCount,
    /// Precision of matrix and factorization; geometry and Hankel functions are always double.
    pub precision: Precision,
    /// Observation angles of the bistatic echo width, radians from +x.
    pub observation: Vec<f64>,
    /// Whether the monostatic echo width is computed.
    pub monostatic: bool,
    /// Whether the solution holds the surface currents.
    pub currents: bool,
    /// Grid of the near field; requires a single frequency and a single incidence.
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

    /// Levels of corner refinement.
    pub fn corner_levels(&self) -> usize {
        match self.method {
            Method::Pulse => 0,
            Method::Lcn(lcn) => lcn.corner_levels.unwrap_or(CORNER_LEVELS),
        }
    }

    /// Distance of near interactions, in lengths of the source cell.
    pub fn near_distance(&self) -> f64 {
        match self.method {
            Method::Pulse => 0.0,
            Method::Lcn(lcn) => lcn.near_distance.unwrap_or(default_near_distance(lcn.order)),
        }
    }

    /// Whether `body` is a closed conductor.
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
            // |n| also shortens the scale in lossy media, where the field decays within a skin
            // depth.
            Material::Dielectric(medium) => medium.index(frequency).norm().max(1.0),
        };
        C0 / (frequency * index)
    }
}
