//! The field of a solution at arbitrary points, accurate up to the contours: the representation formula
//! u_s = −𝒮σ + 𝒟μ outside, u = p (k₀/k₁) 𝒮₁σ − 𝒟₁μ inside a dielectric, with near-singular quadrature for near cells.

use crate::cell::{Cell, evaluate};
use crate::green::Medium;
use crate::layer_potentials::{self, CellEntries, OperatorSet};
use crate::layout::Density;
use crate::singular_quadrature::{SingularQuadrature, preimage};
use crate::system::{Interior, System};
use num_complex::Complex64;

/// Distance from a cell, in its lengths, within which its field needs near-singular quadrature.
pub(crate) const NEAR_CELL_DISTANCE: f64 = 1.5;

/// Distance from a cell, in half lengths, below which a point is on it. At that distance, the angle under which a cell that ends
/// at the point is seen is accurate to seven digits in spite of rounding.
const ON_CELL: f64 = 5e-9;

/// How far past the end of a cell, in half lengths, the cell still decides on which side a point lies: a point at
/// the joint of two cells is past the end of both by rounding.
const JOINT: f64 = 1e-3;

/// The region in which a point lies, and the cells near it.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    /// The dielectric that contains the point, by block; `None` outside of all bodies and in conductors.
    pub inside: Option<usize>,
    /// Near cells in ascending order; of that block only, if inside.
    pub near_cells: Vec<usize>,
}

impl System<'_> {
    /// The region of `point`.
    pub(crate) fn region(&self, point: Complex64) -> Region {
        let is_near = |cell: &Cell| {
            // A cheap bound on the distance first.
            let bound = (0.5 + NEAR_CELL_DISTANCE) * cell.length;
            (point - cell.midpoint).norm() < bound && cell.distance(point) < NEAR_CELL_DISTANCE * cell.length
        };
        let mut near_cells: Vec<usize> =
            (0..self.mesh.cells.len()).filter(|&c| is_near(&self.mesh.cells[c])).collect();
        // Dielectrics only: in a conductor the exterior formula yields the total field of zero.
        let inside = self.interiors.iter().map(|i| i.block).find(|&b| self.contains(b, point, &near_cells));
        // Inside a dielectric only its own layers radiate.
        if let Some(block) = inside {
            let own = self.layout.blocks[block].cells.clone();
            near_cells.retain(|c| own.contains(c));
        }
        Region { inside, near_cells }
    }

    /// Whether a closed block contains `point`: by the sign of the preimage of the point on the nearest cell if it
    /// is near one, else by the winding number of the polygon through all fine points.
    fn contains(&self, block: usize, point: Complex64, near_cells: &[usize]) -> bool {
        let cells = self.layout.blocks[block].cells.clone();
        let own = near_cells.iter().filter(|c| cells.contains(c)).map(|&c| &self.mesh.cells[c]);
        let nearest = own.min_by(|a, b| a.distance(point).total_cmp(&b.distance(point)));
        if let Some(cell) = nearest
            && let Some(u) = preimage(&self.mesh.rules, cell, point - cell.midpoint)
            && u.re.abs() <= 1.0 + JOINT
        {
            // Contours run counterclockwise: the interior is on the left.
            return u.im > 0.0;
        }
        let points = cells.flat_map(|c| {
            let cell = &self.mesh.cells[c];
            let along = [cell.start_point()].into_iter().chain(cell.fine.iter().copied());
            along.map(move |r| cell.midpoint + r - point)
        });
        let points: Vec<Complex64> = points.collect();
        // The winding number times 2π: 0 outside, 2π inside.
        let angle = |i: usize| (points[(i + 1) % points.len()] / points[i]).arg();
        (0..points.len()).map(angle).sum::<f64>().abs() > 1.0
    }

    /// Wavenumber in a region and weights of single and double layers in the field there:
    /// −𝒮σ + 𝒟μ outside, p (k₀/k₁) 𝒮₁σ − 𝒟₁μ inside a dielectric.
    pub(crate) fn representation(&self, inside: Option<usize>) -> (Complex64, Complex64, Complex64) {
        match inside.and_then(|block| self.interior_of(block)) {
            None => (Complex64::from(self.k), -Complex64::ONE, Complex64::ONE),
            Some(Interior { k, ratio, .. }) => (k, ratio * self.k / k, -Complex64::ONE),
        }
    }

    /// Weights of all unknowns in the field at a point: the scattered field outside, the total field in a dielectric.
    /// `medium` is that at the point.
    pub(crate) fn field_weights(&self, point: Complex64, region: &Region, medium: &Medium) -> Vec<Complex64> {
        let (_, single, double) = self.representation(region.inside);
        let order = self.mesh.rules.order();
        let mut weights = vec![Complex64::ZERO; self.len()];
        for (b, block) in self.layout.blocks.iter().enumerate() {
            if region.inside.is_some_and(|inside| inside != b) {
                continue;
            }
            // `near_cells` is ascending.
            let is_far = |node: &usize| region.near_cells.binary_search(&(node / order)).is_err();
            for node in block.nodes.clone().filter(is_far) {
                let separation = self.point(node) - point;
                let kernels =
                    // The normal at the target enters 𝒟' and 𝒯 only.
                    layer_potentials::kernels(medium, separation, Complex64::ZERO, self.normal(node));
                for (d, density) in block.densities.iter().enumerate() {
                    weights[block.unknown(d, node)] = self.mesh.w[node]
                        * match density {
                            Density::Single => single * kernels.s,
                            Density::Double => double * kernels.d,
                        };
                }
            }
        }
        for (first, near) in self.near_cell_weights(point, region, medium) {
            weights[first..first + order].copy_from_slice(&near);
        }
        weights
    }

    /// The contribution of the near cells to that field; `medium` is that at the point.
    pub(crate) fn near_cell_field(
        &self,
        solution: &[Complex64],
        point: Complex64,
        region: &Region,
        medium: &Medium,
    ) -> Complex64 {
        let of_cell = |(first, weights): (usize, Vec<Complex64>)| {
            weights.iter().zip(&solution[first..]).map(|(w, x)| w * x).sum::<Complex64>()
        };
        self.near_cell_weights(point, region, medium).into_iter().map(of_cell).sum()
    }

    /// The point itself, or one next to it if it lies on a contour: inside or outside, as its region says. All cells must see
    /// it on the same side, because the double layer jumps there.
    fn off_surface(&self, point: Complex64, region: &Region) -> Complex64 {
        let side = if region.inside.is_some() { ON_CELL } else { -ON_CELL };
        let beside = |&c: &usize| {
            let cell = &self.mesh.cells[c];
            let u = preimage(&self.mesh.rules, cell, point - cell.midpoint)?;
            let is_on = u.im.abs() < ON_CELL && u.re.abs() <= 1.0 + JOINT;
            // Displaced along Im u, normal to the cell.
            is_on.then(|| cell.midpoint + evaluate(&cell.series, Complex64::new(u.re, side)).0)
        };
        region.near_cells.iter().find_map(beside).unwrap_or(point)
    }

    /// For each near cell and density on it, its first unknown and the weights of its unknowns.
    fn near_cell_weights(
        &self,
        point: Complex64,
        region: &Region,
        medium: &Medium,
    ) -> Vec<(usize, Vec<Complex64>)> {
        let (_, single, double) = self.representation(region.inside);
        let (rules, order) = (&self.mesh.rules, self.mesh.rules.order());
        let point = self.off_surface(point, region);
        let mut all = Vec::new();
        for &c in &region.near_cells {
            let cell = &self.mesh.cells[c];
            let block = &self.layout.blocks[cell.body];
            let has = |density| block.index_of(density).is_some();
            let needed =
                OperatorSet { s: has(Density::Single), d: has(Density::Double), dp: false, t: false };
            // `off_surface` has moved the point beside the cell: it is never on it.
            let quadrature = SingularQuadrature::new(rules, cell, point - cell.midpoint, None);
            let kernels =
                CellEntries::at_fine_points(rules, cell, &quadrature, medium, Complex64::ZERO, needed);
            for (d, density) in block.densities.iter().enumerate() {
                let (fine, scale) = match density {
                    Density::Single => (&kernels.s, single),
                    Density::Double => (&kernels.d, double),
                };
                let weights = rules.interpolation_transpose(fine).iter().map(|w| scale * w).collect();
                all.push((block.unknown(d, c * order), weights));
            }
        }
        all
    }
}
