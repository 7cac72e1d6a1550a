//! The field of a solution at points of the plane, right up to the bodies.

use crate::cell::{Cell, evaluate};
use crate::close::{self, Close};
use crate::layers::{self, CloseLayers, Wanted};
use crate::layout::Density;
use crate::system::{Interior, System};
use crate::wave::Medium;
use num_complex::Complex64;

/// Distance from a cell, in its lengths, within which its field is integrated closely.
pub(crate) const CLOSE_CELLS: f64 = 1.5;

/// Distance from a cell, in half lengths, below which a point is on it. Seen from there, the angle of a cell that ends at the
/// point is good to seven digits, in spite of rounding.
const ON_CELL: f64 = 5e-9;

/// How far past the end of a cell, in half lengths, the side on which a point lies is still told by that cell: a point at
/// the joint of two cells is past the end of both by rounding.
const JOINT: f64 = 1e-3;

/// Where a point lies, and the cells that are close to it.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The dielectric it is in, by block; outside of all, or in a conductor, if none.
    pub inside: Option<usize>,
    /// Close cells, in order; of that block only, if inside.
    pub close: Vec<usize>,
}

impl System<'_> {
    /// Where `point` lies.
    pub(crate) fn place(&self, point: Complex64) -> Place {
        let near = |cell: &Cell| {
            let reach = (0.5 + CLOSE_CELLS) * cell.length;
            (point - cell.middle).norm() < reach && cell.distance(point) < CLOSE_CELLS * cell.length
        };
        let mut close: Vec<usize> =
            (0..self.mesh.cells.len()).filter(|&c| near(&self.mesh.cells[c])).collect();
        let inside = self.interiors.iter().map(|i| i.block).find(|&b| self.contains(b, point, &close));
        if let Some(block) = inside {
            let own = self.layout.blocks[block].cells.clone();
            close.retain(|c| own.contains(c));
        }
        Place { inside, close }
    }

    /// Whether a closed block contains `point`: by the sign of the root of r(u) = point on the nearest cell if the
    /// point is close to one, else by the winding of the polygon through all fine points.
    fn contains(&self, block: usize, point: Complex64, close: &[usize]) -> bool {
        let cells = self.layout.blocks[block].cells.clone();
        let mine = close.iter().filter(|c| cells.contains(c)).map(|&c| &self.mesh.cells[c]);
        let nearest = mine.min_by(|a, b| a.distance(point).total_cmp(&b.distance(point)));
        if let Some(cell) = nearest
            && let Some(u) = close::root_of(&self.mesh.rules, cell, point - cell.middle)
            && u.re.abs() <= 1.0 + JOINT
        {
            // Outlines run counter-clockwise: their inside is on the left.
            return u.im > 0.0;
        }
        let points = cells.flat_map(|c| {
            let cell = &self.mesh.cells[c];
            [cell.first()].into_iter().chain(cell.fine.iter().copied()).map(move |r| cell.middle + r - point)
        });
        let points: Vec<Complex64> = points.collect();
        let turn = |i: usize| (points[(i + 1) % points.len()] / points[i]).arg();
        (0..points.len()).map(turn).sum::<f64>().abs() > 1.0
    }

    /// Weights of single and double layers in the field at a place, and the wavenumber there:
    /// −𝒮σ + 𝒟μ outside, p (k₀/k₁) 𝒮₁σ − 𝒟₁μ inside a dielectric.
    pub(crate) fn representation(&self, inside: Option<usize>) -> (Complex64, Complex64, Complex64) {
        match inside.and_then(|block| self.interior_of(block)) {
            None => (Complex64::from(self.k), -Complex64::ONE, Complex64::ONE),
            Some(Interior { k, ratio, .. }) => (k, ratio * self.k / k, -Complex64::ONE),
        }
    }

    /// Weights of all unknowns in the field at a point: the scattered field outside, the total field in a dielectric.
    pub(crate) fn field_weights(&self, point: Complex64, place: &Place) -> Vec<Complex64> {
        let (k, single, double) = self.representation(place.inside);
        let (medium, order) = (Medium::new(k), self.mesh.rules.order());
        let mut weights = vec![Complex64::ZERO; self.len()];
        for (b, block) in self.layout.blocks.iter().enumerate() {
            if place.inside.is_some_and(|inside| inside != b) {
                continue;
            }
            for node in block.nodes.clone().filter(|n| place.close.binary_search(&(n / order)).is_err()) {
                let kernels =
                    layers::far(&medium, self.point(node) - point, Complex64::ZERO, self.normal(node));
                for (run, density) in block.runs.iter().enumerate() {
                    weights[block.unknown(run, node)] = self.mesh.w[node]
                        * match density {
                            Density::Single => single * kernels.s,
                            Density::Double => double * kernels.d,
                        };
                }
            }
        }
        for (first, close) in self.close_weights(point, place, &medium) {
            weights[first..first + order].copy_from_slice(&close);
        }
        weights
    }

    /// The part of the close cells in that field; `medium` is that at the point.
    pub(crate) fn close_field(
        &self,
        solution: &[Complex64],
        point: Complex64,
        place: &Place,
        medium: &Medium,
    ) -> Complex64 {
        let part = |(first, weights): (usize, Vec<Complex64>)| {
            weights.iter().zip(&solution[first..]).map(|(w, x)| w * x).sum::<Complex64>()
        };
        self.close_weights(point, place, medium).into_iter().map(part).sum()
    }

    /// The point itself, or one next to it if it lies on an outline: inside or outside, as its place says. All cells must see
    /// it on the same side.
    fn off_surface(&self, point: Complex64, place: &Place) -> Complex64 {
        let side = if place.inside.is_some() { ON_CELL } else { -ON_CELL };
        let beside = |&c: &usize| {
            let cell = &self.mesh.cells[c];
            let u = close::root_of(&self.mesh.rules, cell, point - cell.middle)?;
            let is_on = u.im.abs() < ON_CELL && u.re.abs() <= 1.0 + JOINT;
            is_on.then(|| cell.middle + evaluate(&cell.series, Complex64::new(u.re, side)).0)
        };
        place.close.iter().find_map(beside).unwrap_or(point)
    }

    /// For each close cell and density on it, its first unknown and the weights of its unknowns.
    fn close_weights(
        &self,
        point: Complex64,
        place: &Place,
        medium: &Medium,
    ) -> Vec<(usize, Vec<Complex64>)> {
        let (_, single, double) = self.representation(place.inside);
        let (rules, order) = (&self.mesh.rules, self.mesh.rules.order());
        let point = self.off_surface(point, place);
        let mut all = Vec::new();
        for &c in &place.close {
            let cell = &self.mesh.cells[c];
            let block = &self.layout.blocks[cell.body];
            let has = |density| block.run_of(density).is_some();
            let wanted = Wanted { s: has(Density::Single), d: has(Density::Double), dp: false, t: false };
            let close = Close::new(rules, cell, point - cell.middle, None);
            let kernels = CloseLayers::new(rules, cell, &close, medium, Complex64::ZERO, wanted);
            for (run, density) in block.runs.iter().enumerate() {
                let (fine, scale) = match density {
                    Density::Single => (&kernels.s, single),
                    Density::Double => (&kernels.d, double),
                };
                let weights = rules.to_coarse(fine).iter().map(|w| scale * w).collect();
                all.push((block.unknown(run, c * order), weights));
            }
        }
        all
    }
}
