//! [`RanksEngine`]: the stages in terms of the files beside this one, and of those of `cpu/` for what one rank does alone.

use super::agreement::go_on;
use super::factor::{Factors, Lu};
use super::gpus::GpuLu;
use super::solve;
use crate::cpu::{far_field, fill, near_field};
use crate::engine::Engine;
use crate::error::MomError;
use crate::near_field::Region;
use crate::system::System;
use num_complex::{Complex, Complex64};
use phasefront_comm::{Comm, DenseNumber};
use phasefront_core::simd::Arch;
use phasefront_core::{Progress, Real};
use phasefront_device::cpu::HostComplex;
use phasefront_device::{Backend, zeros};

/// State of the engine on one rank: its entries of the matrix or of the factors; on rank 0 the solutions.
pub(crate) struct RanksEngine<'a, T> {
    comm: &'a dyn Comm,
    arch: Arch,
    n: usize,
    matrix: Vec<Complex<T>>,
    factors: Factors,
    /// One column per direction, on rank 0.
    solutions: Vec<Complex64>,
}

impl<'a, T: Real> RanksEngine<'a, T>
where
    Complex<T>: HostComplex + DenseNumber,
{
    /// For systems of `n` unknowns. An error if the ranks have no library that factors a matrix together. Not collective.
    pub(crate) fn new(comm: &'a dyn Comm, backend: &Backend, n: usize) -> Result<Self, MomError> {
        let lu = match backend {
            Backend::Cpu => Lu::Cpus(comm.dense_lu(n, rayon::current_num_threads())?),
            Backend::Gpu(gpu) => Lu::Gpus(GpuLu::new(comm, &**gpu, n, T::PRECISION)?),
        };
        let factors = Factors::new(lu);
        Ok(Self { comm, arch: Arch::new(), n, matrix: Vec::new(), factors, solutions: Vec::new() })
    }

    /// Whether GPUs factor the matrix.
    pub(crate) fn is_on_gpus(&self) -> bool {
        self.factors.is_on_gpus()
    }

    /// The library that factors, for messages.
    pub(crate) fn describe(&self) -> String {
        self.factors.describe()
    }

    /// What ranks other than 0 do with a system.
    pub(crate) fn assist(
        &mut self,
        system: &System<'_>,
        directions: &[f64],
        progress: &Progress,
    ) -> Result<(), MomError> {
        self.prepare(system, progress)?;
        self.solve(system, directions)?;
        self.condition()?;
        Ok(())
    }
}

impl<T: Real> Engine for RanksEngine<'_, T>
where
    Complex<T>: HostComplex + DenseNumber,
{
    fn prepare(&mut self, system: &System<'_>, progress: &Progress) -> Result<(), MomError> {
        let layout = *self.factors.layout();
        if self.matrix.len() != layout.own_len() {
            // Zero pages from the operating system, so that the threads that fill them are the first to touch them.
            self.matrix = zeros(layout.own_len())?;
        }
        fill::fill(system, self.arch, &layout, &mut self.matrix, progress)?;
        progress.check()?;
        go_on(self.comm)?;
        self.factors.factor(self.comm, &mut self.matrix, progress)
    }

    fn solve(&mut self, system: &System<'_>, directions: &[f64]) -> Result<(), MomError> {
        go_on(self.comm)?;
        self.solutions = solve::plane_waves(system, self.comm, &self.factors, &self.matrix, directions)?;
        Ok(())
    }

    fn solutions(&self, which: &[usize]) -> Result<Vec<Vec<Complex64>>, MomError> {
        Ok(which.iter().map(|&d| self.solutions[d * self.n..(d + 1) * self.n].to_vec()).collect())
    }

    fn condition(&self) -> Result<Option<f64>, MomError> {
        go_on(self.comm)?;
        self.factors.condition(self.comm, &self.matrix).map(Some)
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
