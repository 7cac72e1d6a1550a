//! The fine grid in memory, padded at the end of each axis so that no tap wraps around.

use super::scalar::Scalar;
use super::taps::MAX_TAPS;
use crate::error::Result;
use crate::grid::GridShape;
use num_complex::Complex;
use phasefront_device::zeros;

/// Complex values, first axis fastest; rows and planes are longer than the grid by the margins.
#[derive(Debug, Clone, Default)]
pub struct FineGrid<T> {
    pub values: Vec<Complex<T>>,
    /// Stride along each axis.
    pub strides: [usize; 3],
    /// Size along each axis without margins.
    pub fine: [usize; 3],
    /// Margin along each axis.
    pub margins: [usize; 3],
}

impl<T: Scalar> FineGrid<T> {
    pub fn new(shape: &GridShape) -> Result<Self> {
        // Along rows whole vectors are read and written, hence the wider margin; an odd number of cache lines keeps rows from
        // falling on the same cache sets.
        let row = (shape.fine[0] + MAX_TAPS).next_multiple_of(8) | 4;
        let margins = [row - shape.fine[0], shape.taps[1] - 1, shape.taps[2] - 1];
        let plane = row * (shape.fine[1] + margins[1]);
        let values = zeros(plane * (shape.fine[2] + margins[2]))?;
        Ok(Self { values, strides: [1, row, plane], fine: shape.fine, margins })
    }

    /// Where the lines along the first axis begin, in order.
    pub fn line_starts(&self) -> impl Iterator<Item = usize> + use<T> {
        let ([_, ny, nz], [_, row, plane]) = (self.fine, self.strides);
        (0..nz).flat_map(move |k| (0..ny).map(move |j| k * plane + j * row))
    }

    /// Adds the margins to the grid points of which they are periodic images.
    pub fn fold_margins(&mut self) {
        let [_, row, plane] = self.strides;
        let [nx, ny, nz] = self.fine;
        // Last axis first: the margins of planes contain
        // margins of rows, which the next steps fold.
        for k in nz..nz + self.margins[2] {
            let (low, high) = self.values.split_at_mut(k * plane);
            add(&mut low[(k - nz) * plane..][..plane], &high[..plane]);
        }
        for k in 0..nz {
            let slab = &mut self.values[k * plane..(k + 1) * plane];
            for j in ny..ny + self.margins[1] {
                let (low, high) = slab.split_at_mut(j * row);
                add(&mut low[(j - ny) * row..][..row], &high[..row]);
            }
            for line in slab.chunks_exact_mut(row).take(ny) {
                let (low, high) = line.split_at_mut(nx);
                add(low, high);
            }
        }
    }

    /// Fills the margins with the periodic images of the grid.
    pub fn fill_margins(&mut self) {
        let [_, row, plane] = self.strides;
        let [nx, ny, nz] = self.fine;
        // First axis first, in reverse of `fold_margins`:
        // copied rows and planes already have their margins.
        for k in 0..nz {
            let slab = &mut self.values[k * plane..(k + 1) * plane];
            for line in slab.chunks_exact_mut(row).take(ny) {
                let (low, high) = line.split_at_mut(nx);
                // Rows shorter than their margin repeat periodically.
                for (to, from) in high.iter_mut().zip(low.iter().cycle()) {
                    *to = *from;
                }
            }
            for j in ny..ny + self.margins[1] {
                slab.copy_within((j - ny) * row..(j - ny + 1) * row, j * row);
            }
        }
        for k in nz..nz + self.margins[2] {
            self.values.copy_within((k - nz) * plane..(k - nz + 1) * plane, k * plane);
        }
    }
}

/// to += from, over their common length. (Margins are at most one grid wide.)
fn add<T: Scalar>(to: &mut [Complex<T>], from: &[Complex<T>]) {
    to.iter_mut().zip(from).for_each(|(t, f)| *t = *t + *f);
}
