//! The sums between elements and directions that fields and gradients are made of.
//!
//! ```text
//! F(u_h, v_k) = Σ_n a_n e^{jβ(u_h x_n + v_k y_n)}          from elements to directions
//! S[W]_n      = Σ_hk W_hk e^{jβ(u_h x_n + v_k y_n)}        back, with S[uW] and S[vW] for derivatives along x and y
//! ```
//!
//! Exact by matrix products where elements form a grid or are few; else by non-uniform FFT, to its tolerance.

mod exact;
mod fast;

use crate::error::ReflectarrayError;
use crate::problem::Design;
use exact::Exact;
pub(crate) use exact::Grid;
use fast::Fast;
use num_complex::Complex64;
use phasefront_device::Backend;

/// Elements times directions up to which matrix products are faster than a transform's overhead.
const FEW_PRODUCTS: usize = 2_000_000;

/// The sums for one wavenumber, one grid of directions (u fastest) and one set of positions.
pub(crate) struct Transform {
    directions: Directions,
    tolerance: f64,
    backend: Backend,
    x: Vec<f64>,
    y: Vec<f64>,
    way: Way,
}

struct Directions {
    beta: f64,
    u: Vec<f64>,
    v: Vec<f64>,
}

enum Way {
    /// No elements yet.
    Nothing,
    Exact(Exact),
    Fast(Box<Fast>),
}

/// Sums at the elements; those with u and v are empty unless asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct ElementSums {
    pub s: Vec<Complex64>,
    pub su: Vec<Complex64>,
    pub sv: Vec<Complex64>,
}

impl Transform {
    /// u and v in even steps, ascending; the non-uniform FFT, if it is one, on `backend`.
    pub fn new(beta: f64, u: Vec<f64>, v: Vec<f64>, tolerance: f64, backend: &Backend) -> Self {
        let directions = Directions { beta, u, v };
        let backend = backend.clone();
        Self { directions, tolerance, backend, x: Vec::new(), y: Vec::new(), way: Way::Nothing }
    }

    /// Takes the positions of a design; costs nothing if they have not changed.
    pub fn set_positions(&mut self, design: &Design) -> Result<(), ReflectarrayError> {
        if self.x == design.x && self.y == design.y {
            return Ok(());
        }
        let directions = &self.directions;
        let products = design.len() * directions.u.len() * directions.v.len();
        let way = std::mem::replace(&mut self.way, Way::Nothing);
        self.way = if let Some(grid) = Exact::grid(directions, design) {
            Way::Exact(grid)
        } else if products <= FEW_PRODUCTS {
            Way::Exact(Exact::scattered(directions, design))
        } else {
            let mut fast = match way {
                Way::Fast(fast) => fast,
                _ => Box::new(Fast::new(directions, self.tolerance, &self.backend)?),
            };
            fast.set_positions(directions.beta, design)?;
            Way::Fast(fast)
        };
        (self.x, self.y) = (design.x.clone(), design.y.clone());
        Ok(())
    }

    /// F on the directions.
    pub fn field(&mut self, a: &[Complex64]) -> Result<Vec<Complex64>, ReflectarrayError> {
        match &mut self.way {
            Way::Nothing => Ok(vec![Complex64::ZERO; self.directions.u.len() * self.directions.v.len()]),
            Way::Exact(exact) => Ok(exact.field(&self.directions, a)),
            Way::Fast(fast) => fast.field(a),
        }
    }

    /// S[W], and S[uW] and S[vW] if `derivatives`.
    pub fn element_sums(
        &mut self,
        w: &[Complex64],
        derivatives: bool,
    ) -> Result<ElementSums, ReflectarrayError> {
        match &mut self.way {
            Way::Nothing => Ok(ElementSums::default()),
            Way::Exact(exact) => Ok(exact.element_sums(&self.directions, w, derivatives)),
            Way::Fast(fast) => fast.element_sums(w, derivatives),
        }
    }
}

/// A clone has no positions yet, since plans are not copied: every evaluation sets them first.
impl Clone for Transform {
    fn clone(&self) -> Self {
        let Directions { beta, u, v } = &self.directions;
        Self::new(*beta, u.clone(), v.clone(), self.tolerance, &self.backend)
    }
}

impl std::fmt::Debug for Transform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let way = match self.way {
            Way::Nothing => "no elements",
            Way::Exact(_) => "matrix products",
            Way::Fast(_) => "non-uniform FFT",
        };
        f.debug_struct("Transform")
            .field("elements", &self.x.len())
            .field("way", &way)
            .finish_non_exhaustive()
    }
}
