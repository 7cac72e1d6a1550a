//! The array factor and its adjoint: the sums between elements and directions.
//!
//! ```text
//! F(u_h, v_k) = Σ_n a_n e^{jβ(u_h x_n + v_k y_n)}      array factor: from elements to directions (NUFFT of type 1)
//! S[W]_n      = Σ_hk W_hk e^{jβ(u_h x_n + v_k y_n)}    adjoint: back to the elements (NUFFT of type 2), with S[uW] and S[vW]
//!                                                      for derivatives along x and y
//! ```
//!
//! Exact, by matrix products, where the elements form a grid or are few; else by NUFFT, to its tolerance.

mod directions;
mod matrix_product;
mod nufft;

use crate::error::ReflectarrayError;
use crate::parallel::equal;
use crate::problem::Design;
pub(crate) use directions::AdjointSums;
use directions::DirectionGrid;
pub(crate) use matrix_product::ElementGrid;
use matrix_product::MatrixProduct;
use nufft::Nufft;
use num_complex::Complex64;
use phasefront_device::Backend;
use phasefront_nufft::NufftError;
use std::sync::Arc;

/// Elements times directions up to which matrix products beat the overhead of an NUFFT.
const MATRIX_PRODUCT_LIMIT: usize = 2_000_000;

/// Message for a transform that is used before its positions are set, or after that failed.
const UNSET: &str = "the positions of the array-factor transform have not been set";

/// The transform for one wavenumber, one grid of directions (u fastest) and one set of positions.
pub(crate) struct Transform {
    directions: DirectionGrid,
    tolerance: f64,
    backend: Backend,
    x: Vec<f64>,
    y: Vec<f64>,
    algorithm: Algorithm,
}

enum Algorithm {
    /// No positions have been set.
    Unset,
    /// Shared with clones.
    MatrixProduct(Arc<MatrixProduct>),
    Nufft(Box<Nufft>),
}

impl Transform {
    /// u and v equally spaced, ascending; an NUFFT, where one is used, runs on `backend`.
    pub fn new(beta: f64, u: Vec<f64>, v: Vec<f64>, tolerance: f64, backend: &Backend) -> Self {
        let directions = DirectionGrid { beta, u, v };
        let backend = backend.clone();
        Self { directions, tolerance, backend, x: Vec::new(), y: Vec::new(), algorithm: Algorithm::Unset }
    }

    /// Whether positions have been set.
    pub fn is_set(&self) -> bool {
        !matches!(self.algorithm, Algorithm::Unset)
    }

    /// Sets the positions of a design; costs nothing if they have not changed.
    pub fn set_positions(&mut self, design: &Design) -> Result<(), ReflectarrayError> {
        // Searches over phases alone keep their matrices or plan.
        if equal(&self.x, &design.x) && equal(&self.y, &design.y) {
            return Ok(());
        }
        let directions = &self.directions;
        let products = design.len() * directions.u.len() * directions.v.len();
        // Taken out, with the positions, so that a failure leaves nothing that the next call would take for set.
        let last = std::mem::replace(&mut self.algorithm, Algorithm::Unset);
        self.x.clear();
        self.y.clear();
        self.algorithm = if let Some(grid) = MatrixProduct::grid(directions, design) {
            Algorithm::MatrixProduct(Arc::new(grid))
        } else if products <= MATRIX_PRODUCT_LIMIT {
            Algorithm::MatrixProduct(Arc::new(MatrixProduct::scattered(directions, design)))
        } else {
            // The plan depends on the directions alone: only its points change.
            let mut nufft = match last {
                Algorithm::Nufft(nufft) => nufft,
                _ => Box::new(Nufft::new(directions, self.tolerance, &self.backend)?),
            };
            nufft.set_positions(directions.beta, design)?;
            Algorithm::Nufft(nufft)
        };
        (self.x, self.y) = (design.x.clone(), design.y.clone());
        Ok(())
    }

    /// F, the array factor of excitations a.
    pub fn field(&mut self, a: &[Complex64], field: &mut Vec<Complex64>) -> Result<(), ReflectarrayError> {
        field.resize(self.directions.u.len() * self.directions.v.len(), Complex64::ZERO);
        match &mut self.algorithm {
            Algorithm::Unset => return Err(NufftError::WrongType(UNSET).into()),
            Algorithm::MatrixProduct(product) => product.field(&self.directions, a, field),
            Algorithm::Nufft(nufft) => nufft.field(a, field)?,
        }
        Ok(())
    }

    /// S[W], and S[uW] and S[vW] if `derivatives`.
    pub fn adjoint(&mut self, w: &[Complex64], derivatives: bool) -> Result<AdjointSums, ReflectarrayError> {
        match &mut self.algorithm {
            Algorithm::Unset => Err(NufftError::WrongType(UNSET).into()),
            Algorithm::MatrixProduct(product) => Ok(product.adjoint(&self.directions, w, derivatives)),
            Algorithm::Nufft(nufft) => nufft.adjoint(w, derivatives),
        }
    }
}

/// A clone shares the matrices. Plans are not copied: without matrices it has no positions; every evaluation sets them first.
impl Clone for Transform {
    fn clone(&self) -> Self {
        let DirectionGrid { beta, u, v } = &self.directions;
        let unset = Self::new(*beta, u.clone(), v.clone(), self.tolerance, &self.backend);
        let Algorithm::MatrixProduct(product) = &self.algorithm else { return unset };
        let algorithm = Algorithm::MatrixProduct(Arc::clone(product));
        Self { algorithm, x: self.x.clone(), y: self.y.clone(), ..unset }
    }
}

impl std::fmt::Debug for Transform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let algorithm = match self.algorithm {
            Algorithm::Unset => "none",
            Algorithm::MatrixProduct(_) => "matrix products",
            Algorithm::Nufft(_) => "NUFFT",
        };
        f.debug_struct("Transform")
            .field("elements", &self.x.len())
            .field("algorithm", &algorithm)
            .finish_non_exhaustive()
    }
}
