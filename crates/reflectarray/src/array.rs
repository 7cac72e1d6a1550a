//! The elements: lattice positions, the phases that focus on one direction, and spacings.

use crate::illumination::Illumination;
use crate::problem::{Design, Lattice, Problem};
use phasefront_core::constants::wavenumber;
use std::f64::consts::TAU;

impl Lattice {
    /// The centered lattice with all phases zero; x runs fastest.
    pub fn design(&self) -> Design {
        let [nx, ny] = self.elements;
        let index: Vec<[usize; 2]> = (0..ny).flat_map(|iy| (0..nx).map(move |ix| [ix, iy])).collect();
        let coordinate = |axis: usize| {
            let center = 0.5 * (self.elements[axis] as f64 - 1.0);
            index.iter().map(|i| (i[axis] as f64 - center) * self.spacing[axis]).collect()
        };
        Design { x: coordinate(0), y: coordinate(1), phase: vec![0.0; nx * ny], index }
    }
}

impl Design {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Minimum and maximum distance between neighbors (ix, iy) and (ix + 1, iy) or (ix, iy + 1), m; zeros if there are none.
    pub fn spacing(&self) -> [f64; 2] {
        let [nx, ny] = self.shape();
        // Elements may be missing or in any order: neighbors
        // are found by their indices, not by their positions.
        let mut element = vec![None; nx * ny];
        for (n, [ix, iy]) in self.index.iter().enumerate() {
            element[ix + nx * iy] = Some(n);
        }
        let at = |ix: usize, iy: usize| if ix < nx && iy < ny { element[ix + nx * iy] } else { None };
        let distance = |m: usize, n: usize| (self.x[m] - self.x[n]).hypot(self.y[m] - self.y[n]);
        // Right and upper neighbor only: every pair once.
        let distances = self.index.iter().enumerate().flat_map(|(n, &[ix, iy])| {
            [at(ix + 1, iy), at(ix, iy + 1)].into_iter().flatten().map(move |m| distance(m, n))
        });
        let bounds = distances.fold([f64::INFINITY, 0.0], |[low, high], d| [d.min(low), d.max(high)]);
        if bounds[0].is_finite() { bounds } else { [0.0; 2] }
    }

    /// Rounds the phases to steps of 2π/2^bits.
    pub fn quantize(&mut self, bits: u32) {
        let step = TAU / f64::from(bits).exp2();
        for phase in &mut self.phase {
            // Phases are congruent modulo 2π, which is an
            // integer number of steps: no wrapping is needed.
            *phase = (*phase / step).round() * step;
        }
    }

    /// Columns and rows: one more than the largest indices.
    pub(crate) fn shape(&self) -> [usize; 2] {
        [0, 1].map(|axis| self.index.iter().map(|i| i[axis] + 1).max().unwrap_or(0))
    }

    /// Maximum |x_m − x_n| and |y_m − y_n|.
    pub(crate) fn extent(&self) -> [f64; 2] {
        let width = |c: &[f64]| {
            let low = c.iter().copied().fold(f64::INFINITY, f64::min);
            (c.iter().copied().fold(f64::NEG_INFINITY, f64::max) - low).max(0.0)
        };
        [width(&self.x), width(&self.y)]
    }
}

impl Problem {
    /// The design that an analysis evaluates: the given one, or the lattice with the phases of a focused beam.
    pub fn initial_design(&self) -> Design {
        if let Some(design) = &self.design {
            return design.clone();
        }
        let mut design = self.lattice.design();
        design.phase = self.focus_phases(&design, self.focus_direction());
        design
    }

    /// Direction of the focused beam: as given, else the center of the coverage, else that of the (u, v) grid.
    pub fn focus_direction(&self) -> [f64; 2] {
        // All regions together: the beam starts at the center of their common bounding box.
        let outlines =
            || self.coverage.iter().flat_map(|region| &region.polygons).flat_map(|p| &p.rings).flatten();
        let center = [0, 1].map(|axis| {
            let values = || outlines().map(|point| point[axis]);
            0.5 * (values().fold(f64::INFINITY, f64::min) + values().fold(f64::NEG_INFINITY, f64::max))
        });
        // Without outlines the folds give NaN, which is not used.
        let covered = outlines().next().map(|_| center);
        self.focus.or(covered).unwrap_or(self.uv_grid.center)
    }

    /// Phases that focus the beam on (u₀, v₀) at the first frequency, with all contributions in phase: ψ = βr − β(u₀x + v₀y).
    pub fn focus_phases(&self, design: &Design, [u0, v0]: [f64; 2]) -> Vec<f64> {
        let beta = wavenumber(self.frequencies[0]);
        let wave = Illumination::new(&self.feed, self.frequencies[0]);
        // The path from the feed is compensated, and a linear phase steers to (u₀, v₀).
        let phase = |(&x, &y): (&f64, &f64)| beta * (wave.path(x, y) - u0 * x - v0 * y);
        design.x.iter().zip(&design.y).map(phase).collect()
    }
}
