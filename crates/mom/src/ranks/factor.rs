//! LU factorization by all ranks, and the condition number that follows from it.

use super::gpus::GpuLu;
use crate::error::MomError;
use num_complex::{Complex, Complex64};
use phasefront_comm::{BlockCyclic, Comm, CommError, DenseLu, DenseNumber, DenseOp};
use phasefront_core::{Progress, Real};
use phasefront_device::cpu::HostComplex;
use phasefront_device::{DeviceError, Op, inverse_norm_1, inverse_norm_1_forward};

/// What factors the matrix.
pub(super) enum Lu {
    /// The CPUs of the ranks; the factors overwrite the entries.
    Cpus(Box<dyn DenseLu>),
    /// Their GPUs, which have the factors.
    Gpus(GpuLu),
}

/// The factorization of a matrix.
pub(super) struct Factors {
    lu: Lu,
    /// 1-norm of the matrix before it was factored, on rank 0.
    norm: f64,
}

impl Factors {
    pub(super) fn new(lu: Lu) -> Self {
        Self { lu, norm: 0.0 }
    }

    pub(super) fn describe(&self) -> String {
        match &self.lu {
            Lu::Cpus(lu) => lu.describe(),
            Lu::Gpus(lu) => lu.describe(),
        }
    }

    /// Which entries this rank has.
    pub(super) fn layout(&self) -> &BlockCyclic {
        match &self.lu {
            Lu::Cpus(lu) => lu.layout(),
            Lu::Gpus(lu) => lu.layout(),
        }
    }

    /// Whether GPUs factor the matrix.
    pub(super) fn is_on_gpus(&self) -> bool {
        matches!(self.lu, Lu::Gpus(_))
    }

    /// Factors the matrix, on CPUs in place. Collective.
    pub(super) fn factor<T: Real>(
        &mut self,
        comm: &dyn Comm,
        matrix: &mut [Complex<T>],
        progress: &Progress,
    ) -> Result<(), MomError>
    where
        Complex<T>: HostComplex + DenseNumber,
    {
        // Before the factors overwrite the entries.
        self.norm = norm_1(comm, self.layout(), matrix)?;
        let _stage = progress.stage("factor", None, "matrices");
        let singular = match &mut self.lu {
            Lu::Cpus(lu) => lu.factor(DenseNumber::entries_mut(matrix))?,
            Lu::Gpus(lu) => lu.factor(comm, matrix)?,
        };
        match singular {
            Some(column) => Err(DeviceError::Singular { column }.into()),
            None => Ok(()),
        }
    }

    /// Solves for right-hand sides of which every rank has its own entries; all entries are returned on rank 0. Collective.
    pub(super) fn solve<T: Real>(
        &self,
        comm: &dyn Comm,
        op: Op,
        matrix: &[Complex<T>],
        rhs: &mut [Complex<T>],
        columns: usize,
    ) -> Result<Option<Vec<Complex64>>, MomError>
    where
        Complex<T>: HostComplex + DenseNumber,
    {
        match &self.lu {
            Lu::Cpus(lu) => {
                let op = match op {
                    Op::None => DenseOp::None,
                    Op::Transpose => DenseOp::Transpose,
                    Op::ConjTranspose => DenseOp::ConjTranspose,
                };
                lu.solve(op, DenseNumber::entries(matrix), DenseNumber::entries_mut(rhs), columns)?;
            }
            Lu::Gpus(lu) => lu.solve(rhs, columns)?,
        }
        collect(comm, &self.layout().right_hand_sides(columns), rhs)
    }

    /// Estimate of the condition number ‖A‖₁ ‖A⁻¹‖₁, on rank 0; a lower bound on GPUs. Collective.
    pub(super) fn condition<T: Real>(&self, comm: &dyn Comm, matrix: &[Complex<T>]) -> Result<f64, MomError>
    where
        Complex<T>: HostComplex + DenseNumber,
    {
        let layout = self.layout().right_hand_sides(1);
        let n = layout.rows.len;
        // All ranks have the same vectors, and take the same steps.
        let solve = |op: Op, x: &mut [Complex64]| {
            let own = layout.columns.own().flatten().flat_map(|_| layout.rows.own().flatten());
            let mut rhs: Vec<Complex<T>> = own.map(|row| T::complex_from_f64(x[row])).collect();
            let solved = self.solve(comm, op, matrix, &mut rhs, 1)?.unwrap_or_default();
            // Rank 0 has the solution; the next step of the estimate needs it everywhere.
            let mut bytes = bytemuck::cast_slice(&solved).to_vec();
            comm.broadcast(&mut bytes)?;
            let solved: Vec<Complex64> = bytemuck::pod_collect_to_vec(&bytes);
            x.copy_from_slice(&solved);
            Ok::<(), MomError>(())
        };
        // The library of the GPUs solves no transposed systems.
        let inverse_norm = if self.is_on_gpus() {
            inverse_norm_1_forward(n, |x: &mut [Complex64]| solve(Op::None, x))?
        } else {
            inverse_norm_1(n, solve)?
        };
        Ok(self.norm * inverse_norm)
    }
}

/// ‖A‖₁ = max_j Σ_i |a_ij|, on rank 0. Collective.
fn norm_1<T: Real>(comm: &dyn Comm, layout: &BlockCyclic, matrix: &[Complex<T>]) -> Result<f64, MomError> {
    // Without rows, a rank has nothing to add.
    let own = matrix.chunks(layout.rows.own_len().max(1));
    let sums: Vec<f64> =
        own.map(|column| column.iter().map(|&entry| T::complex_to_f64(entry).norm()).sum()).collect();
    let parts = comm.gather(bytemuck::cast_slice(&sums))?.unwrap_or_default();
    let mut columns = vec![0.0; layout.columns.len];
    for (rank, bytes) in parts.iter().enumerate() {
        let sums: Vec<f64> = bytemuck::pod_collect_to_vec(bytes);
        // In the order of the ranks: sums repeat bit for bit.
        for (column, sum) in layout.of_rank(rank).columns.own().flatten().zip(sums) {
            columns[column] += sum;
        }
    }
    // `f64::max` would hide a NaN, and with it a matrix that overflowed.
    Ok(columns.into_iter().fold(0.0, |a: f64, b| if b.is_nan() || b > a { b } else { a }))
}

/// All entries of a distributed matrix, column by column, on rank 0. Collective.
fn collect<T: Real>(
    comm: &dyn Comm,
    layout: &BlockCyclic,
    own: &[Complex<T>],
) -> Result<Option<Vec<Complex64>>, MomError>
where
    Complex<T>: HostComplex,
{
    let Some(parts) = comm.gather(bytemuck::cast_slice(own))? else { return Ok(None) };
    let n = layout.rows.len;
    let mut all = vec![Complex64::ZERO; n * layout.columns.len];
    for (rank, bytes) in parts.iter().enumerate() {
        let (part, values) = (layout.of_rank(rank), bytemuck::pod_collect_to_vec::<u8, Complex<T>>(bytes));
        if values.len() != part.own_len() {
            return Err(CommError::Malformed { rank, bytes: bytes.len() }.into());
        }
        let mut values = values.into_iter();
        // Global column and row of each local entry, which are stored column by column.
        for column in part.columns.own().flatten() {
            for (row, value) in part.rows.own().flatten().zip(&mut values) {
                all[column * n + row] = T::complex_to_f64(value);
            }
        }
    }
    Ok(Some(all))
}
