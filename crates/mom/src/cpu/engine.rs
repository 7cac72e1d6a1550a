//! [`CpuEngine`]: the stages in terms of the files beside this one.

use super::factor::Factors;
use super::{far_field, fill, near_field, solve};
use crate::engine::Engine;
use crate::error::MomError;
use crate::near_field::Region;
use crate::system::System;
use num_complex::{Complex, Complex64};
use phasefront_comm::BlockCyclic;
use phasefront_core::simd::Arch;
use phasefront_core::{Progress, Real};
use phasefront_device::cpu::HostComplex;
use phasefront_device::zeros;

/// State of the CPU engine: the matrix or its factors, and the solutions.
pub(crate) struct CpuEngine<T> {
    /// Instruction set of the SIMD loops.
    arch: Arch,
    /// Order of the matrix.
    n: usize,
    matrix: Vec<Complex<T>>,
    factors: Option<Factors>,
    /// One column per direction.
    solutions: Vec<Complex64>,
}

impl<T: Real> CpuEngine<T>
where
    Complex<T>: HostComplex,
{
    /// With the best instruction set of this machine.
    pub(crate) fn new() -> Self {
        Self::with_arch(Arch::new())
    }

    pub(crate) fn with_arch(arch: Arch) -> Self {
        Self { arch, n: 0, matrix: Vec::new(), factors: None, solutions: Vec::new() }
    }

    /// Fills the matrix.
    pub(crate) fn fill(&mut self, system: &System<'_>, progress: &Progress) -> Result<(), MomError> {
        // The matrix holds factors after a frequency; its memory is reused for the next one.
        (self.factors, self.n) = (None, system.len());
        if self.matrix.len() != self.n * self.n {
            // Zero pages from the operating system, so that the threads that fill them are the first to touch them.
            self.matrix = zeros(self.n * self.n)?;
        }
        fill::fill(system, self.arch, &BlockCyclic::whole(self.n), &mut self.matrix, progress)
    }

    fn factors(&self) -> &Factors {
        self.factors.as_ref().expect("prepare comes first")
    }
}

impl<T: Real> Engine for CpuEngine<T>
where
    Complex<T>: HostComplex,
{
    fn prepare(&mut self, system: &System<'_>, progress: &Progress) -> Result<(), MomError> {
        self.fill(system, progress)?;
        progress.check()?;
        // In place: nothing needs the matrix itself after its factorization.
        self.factors = Some(Factors::new(self.n, &mut self.matrix, progress)?);
        Ok(())
    }

    fn solve(&mut self, system: &System<'_>, directions: &[f64]) -> Result<(), MomError> {
        self.solutions = solve::plane_waves(system, self.factors(), &self.matrix, directions);
        Ok(())
    }

    fn solutions(&self, which: &[usize]) -> Result<Vec<Vec<Complex64>>, MomError> {
        Ok(which.iter().map(|&d| self.solutions[d * self.n..(d + 1) * self.n].to_vec()).collect())
    }

    fn condition(&self) -> Result<Option<f64>, MomError> {
        self.factors().condition(self.n, &self.matrix).map(Some)
    }

    fn far_field(&self, system: &System<'_>, observation: &[f64]) -> Result<Vec<Vec<Complex64>>, MomError> {
        Ok(far_field::bistatic(system, observation, &self.solutions))
    }

    fn far_field_paired(&self, system: &System<'_>, angles: &[f64]) -> Result<Vec<Complex64>, MomError> {
        Ok(far_field::paired(system, angles, &self.solutions))
    }

    fn near_field(
        &self,
        system: &System<'_>,
        points: &[Complex64],
        regions: &[Region],
        progress: &Progress,
    ) -> Result<Vec<Complex64>, MomError> {
        let solution = &self.solutions[..self.n];
        near_field::field(system, self.arch, solution, (points, regions), progress)
    }
}
