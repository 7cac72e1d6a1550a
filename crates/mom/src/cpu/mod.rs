//! The stages on the CPU, by rayon and faer.

mod far;

use crate::engine::Operator;
use crate::error::MomError;
use crate::field::Place;
use crate::system::System;
use num_complex::{Complex, Complex64};
use phasefront_core::simd::Arch;
use phasefront_core::{Progress, Real};
use phasefront_device::cpu::{self, HostComplex, Lu};
use phasefront_device::{Op, inverse_norm_1};
use rayon::prelude::*;

/// The CPU's state: the matrix or its factors, and the solutions.
pub(crate) struct CpuOperator<T> {
    /// The instruction set of the fill.
    arch: Arch,
    matrix: Vec<Complex<T>>,
    n: usize,
    lu: Option<Lu>,
    /// One column per direction.
    solutions: Vec<Complex64>,
}

impl<T> CpuOperator<T> {
    /// On the best instruction set of this machine.
    pub(crate) fn new() -> Self {
        Self::on(Arch::new())
    }

    pub(crate) fn on(arch: Arch) -> Self {
        Self { arch, matrix: Vec::new(), n: 0, lu: None, solutions: Vec::new() }
    }

    fn factors(&self) -> &Lu {
        self.lu.as_ref().expect("factor comes before what needs it")
    }
}

impl<T: Real> Operator for CpuOperator<T>
where
    Complex<T>: HostComplex,
{
    fn fill(&mut self, system: &System<'_>, progress: &Progress) -> Result<(), MomError> {
        let (n, order) = (system.len(), system.mesh.rules.order());
        let stage = progress.stage("fill", Some(n as u64), "columns");
        (self.lu, self.n) = (None, n);
        if self.matrix.len() != n * n {
            // Zeros from the system, so that the threads that fill the pages are the first to touch them.
            self.matrix = bytemuck::zeroed_vec(n * n);
        }
        let (media, stretches) = (far::Media::new(system), far::stretches(system));
        let groups = self.matrix.par_chunks_mut(n * order).zip(&system.near);
        groups.try_for_each_init(
            || far::Scratch::new(self.arch),
            |scratch, (columns, group)| {
                progress.check()?;
                for (i, column) in columns.chunks_mut(n).enumerate() {
                    far::fill_column(system, (&media, &stretches), group.column + i, column, scratch);
                    for (row, values) in group.rows.iter().zip(group.values.chunks(order)) {
                        column[*row] = T::complex_from_f64(values[i]);
                    }
                }
                stage.advance(order as u64);
                Ok(())
            },
        )
    }

    fn norm(&self) -> Result<f64, MomError> {
        Ok(cpu::norm_1(self.n, &self.matrix))
    }

    fn factor(&mut self) -> Result<(), MomError> {
        self.lu = Some(cpu::lu_factor(self.n, &mut self.matrix)?);
        Ok(())
    }

    fn inverse_norm(&self) -> Result<f64, MomError> {
        inverse_norm_1(self.n, |op: Op, x: &mut [Complex64]| {
            let mut rhs: Vec<Complex<T>> = x.iter().map(|&z| T::complex_from_f64(z)).collect();
            cpu::lu_solve(self.factors(), op, &self.matrix, &mut rhs);
            x.iter_mut().zip(rhs).for_each(|(x, z)| *x = T::complex_to_f64(z));
            Ok(())
        })
    }

    fn solve(&mut self, system: &System<'_>, directions: &[f64]) -> Result<(), MomError> {
        let column = |&a: &f64| {
            system
                .rows
                .iter()
                .map(move |&row| T::complex_from_f64(system.incident(row, a)))
                .collect::<Vec<_>>()
        };
        let mut rhs: Vec<Complex<T>> = directions.par_iter().flat_map_iter(column).collect();
        cpu::lu_solve(self.factors(), Op::None, &self.matrix, &mut rhs);
        self.solutions = rhs.into_iter().map(T::complex_to_f64).collect();
        Ok(())
    }

    fn solutions(&self, which: &[usize]) -> Result<Vec<Vec<Complex64>>, MomError> {
        Ok(which.iter().map(|&d| self.solutions[d * self.n..(d + 1) * self.n].to_vec()).collect())
    }

    fn far_sums(&self, system: &System<'_>, observation: &[f64]) -> Result<Vec<Vec<Complex64>>, MomError> {
        let towards = |&phi: &f64| far::sums(system, phi, &self.solutions);
        let per_angle: Vec<Vec<Complex64>> = observation.par_iter().map(towards).collect();
        let directions = self.solutions.len() / self.n;
        Ok((0..directions).map(|d| per_angle.iter().map(|sums| sums[d]).collect()).collect())
    }

    fn far_sums_of_each(&self, system: &System<'_>, observation: &[f64]) -> Result<Vec<Complex64>, MomError> {
        let of_each = |(&phi, solution): (&f64, &[Complex64])| far::sums(system, phi, solution)[0];
        Ok(observation.par_iter().zip(self.solutions.par_chunks(self.n)).map(of_each).collect())
    }

    fn near_field(
        &self,
        system: &System<'_>,
        points: &[Complex64],
        places: &[Place],
        progress: &Progress,
    ) -> Result<Vec<Complex64>, MomError> {
        let stage = progress.stage("near", Some(points.len() as u64), "points");
        let (solution, media) = (&self.solutions[..self.n], far::Media::new(system));
        let field = |scratch: &mut far::Scratch, (point, place): (&Complex64, &Place)| {
            progress.check()?;
            stage.advance(1);
            let medium = media.at(system, place);
            if medium.k.im != 0.0 {
                let weights = system.field_weights(*point, place);
                return Ok(weights.iter().zip(solution).map(|(w, x)| w * x).sum());
            }
            let close = system.close_field(solution, *point, place, medium);
            Ok(close + far::distant_field(system, solution, *point, place, scratch))
        };
        points.par_iter().zip(places).map_init(|| far::Scratch::new(self.arch), field).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Body, Polarization, Problem, prepare};
    use crate::shape::Shape;
    use phasefront_core::simd::instruction_sets;

    #[test]
    fn every_instruction_set_fills_the_same_matrix() {
        for polarization in [Polarization::Tm, Polarization::Te] {
            let study = prepare(Problem {
                bodies: vec![Body::conductor(Shape::Circle { center: [0.3, 0.0], radius: 1.0 })],
                frequencies: vec![3e8],
                propagation: vec![0.0],
                polarization,
                ..Problem::default()
            })
            .unwrap();
            let system = System::new(&study, 3e8);
            let filled = |arch| {
                let mut operator = CpuOperator::<f64>::on(arch);
                operator.fill(&system, &Progress::silent()).unwrap();
                operator
            };
            let scalar = filled(Arch::Scalar);
            let largest = scalar.norm().unwrap();
            for (name, arch) in instruction_sets() {
                let pairs = filled(arch).matrix.into_iter().zip(&scalar.matrix);
                let off = pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
                assert!(off < 1e-14 * largest, "{name}: {off:e} of {largest:e}");
            }
        }
    }
}
