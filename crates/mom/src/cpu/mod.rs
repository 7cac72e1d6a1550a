//! The stages on the CPU, by rayon and faer.

mod pulse;

pub(crate) use pulse::{matrix_entry, scattered_field};

use crate::engine::Engine;
use crate::error::MomError;
use crate::mesh::Mesh;
use crate::problem::NearGrid;
use num_complex::{Complex, Complex64};
use phasefront_core::{Progress, Real};
use phasefront_device::Op;
use phasefront_device::cpu::{self, HostComplex, Lu};
use rayon::prelude::*;

/// The CPU's state: the mesh, the matrix or its factors, and the currents last solved for.
pub(crate) struct CpuEngine<'a, T> {
    mesh: &'a Mesh,
    matrix: Vec<Complex<T>>,
    lu: Option<Lu>,
    /// One column per direction.
    currents: Vec<Complex64>,
}

impl<'a, T> CpuEngine<'a, T> {
    pub(crate) fn new(mesh: &'a Mesh) -> Self {
        Self { mesh, matrix: Vec::new(), lu: None, currents: Vec::new() }
    }
}

impl<T: Real> Engine for CpuEngine<'_, T>
where
    Complex<T>: HostComplex,
{
    fn fill(&mut self, k: f64, progress: &Progress) -> Result<(), MomError> {
        let n = self.mesh.len();
        let stage = progress.stage("fill", Some(n as u64), "columns");
        self.lu = None;
        self.matrix.resize(n * n, T::complex_from_f64(Complex64::ZERO));
        self.matrix.par_chunks_mut(n).enumerate().try_for_each(|(col, column)| {
            progress.check()?;
            for (row, entry) in column.iter_mut().enumerate() {
                *entry = T::complex_from_f64(matrix_entry(self.mesh, k, row, col));
            }
            stage.advance(1);
            Ok(())
        })
    }

    fn factor(&mut self) -> Result<(), MomError> {
        self.lu = Some(cpu::lu_factor(self.mesh.len(), &mut self.matrix)?);
        Ok(())
    }

    fn solve(&mut self, k: f64, directions: &[f64]) -> Result<(), MomError> {
        let mut rhs: Vec<Complex<T>> = directions
            .iter()
            .flat_map(|&a| pulse::plane_wave(self.mesh, k, a))
            .map(T::complex_from_f64)
            .collect();
        let lu = self.lu.as_ref().expect("factor comes before solve");
        cpu::lu_solve(lu, Op::None, &self.matrix, &mut rhs);
        self.currents = rhs.into_iter().map(T::complex_to_f64).collect();
        Ok(())
    }

    fn currents(&self) -> Result<Vec<Vec<Complex64>>, MomError> {
        Ok(self.currents.chunks(self.mesh.len()).map(<[_]>::to_vec).collect())
    }

    fn far_sums(&self, k: f64, observation: &[f64]) -> Result<Vec<Vec<Complex64>>, MomError> {
        let per_angle: Vec<Vec<Complex64>> =
            observation.par_iter().map(|&phi| pulse::far_sums(self.mesh, k, phi, &self.currents)).collect();
        let directions = self.currents.len() / self.mesh.len();
        Ok((0..directions).map(|d| per_angle.iter().map(|sums| sums[d]).collect()).collect())
    }

    fn near_field(&self, k: f64, grid: &NearGrid, progress: &Progress) -> Result<Vec<Complex64>, MomError> {
        let stage = progress.stage("near", Some(grid.y.len() as u64), "rows");
        let current = &self.currents[..self.mesh.len()];
        let rows: Result<Vec<Vec<Complex64>>, MomError> = grid
            .y
            .par_iter()
            .map(|&y| {
                progress.check()?;
                let row = grid.x.iter().map(|&x| scattered_field(self.mesh, k, current, [x, y])).collect();
                stage.advance(1);
                Ok(row)
            })
            .collect();
        Ok(rows?.concat())
    }
}
