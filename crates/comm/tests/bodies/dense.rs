//! Dense systems with known solutions, factored and solved by all ranks, in both precisions.

use num_complex::{Complex, Complex32, Complex64};
use phasefront_comm::{BlockCyclic, Comm, CommError, DenseNumber, DenseOp};

/// More than two blocks, of which the last is not full.
const ORDER: usize = 150;
/// More than one block of right-hand sides.
const COLUMNS: usize = 70;

/// Skipped with a message where MPI has no ScaLAPACK; threads have none at all.
pub fn solve_together(comm: &dyn Comm) -> Result<(), CommError> {
    match comm.dense_lu(ORDER, 1) {
        Ok(lu) => {
            if comm.rank() == 0 {
                println!("{}", lu.describe());
            }
        }
        Err(CommError::NoDenseLu { .. }) if !comm.describe().contains("MPI") => return Ok(()),
        Err(error @ CommError::ScalapackMissing { .. }) => {
            if comm.rank() == 0 {
                println!("SKIPPED: dense systems: {error}");
            }
            return Ok(());
        }
        Err(error) => return Err(error),
    }
    systems::<Complex64>(comm, 1e-11)?;
    systems::<Complex32>(comm, 1e-3)?;
    singular(comm)
}

/// A number of either precision.
trait Number: DenseNumber + Copy {
    fn from(value: Complex64) -> Self;
    fn wide(self) -> Complex64;
}

impl Number for Complex64 {
    fn from(value: Complex64) -> Self {
        value
    }
    fn wide(self) -> Complex64 {
        self
    }
}

impl Number for Complex32 {
    fn from(value: Complex64) -> Self {
        Complex::new(value.re as f32, value.im as f32)
    }
    fn wide(self) -> Complex64 {
        Complex::new(self.re.into(), self.im.into())
    }
}

/// Numbers without a pattern, in the unit square around zero.
fn noise(row: usize, column: usize, key: usize) -> Complex64 {
    let hash = |seed: usize| {
        let mixed = ((row * 7919 + column * 104_729 + key * 1_299_709 + seed) as u64)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11) as f64 / (1_u64 << 53) as f64
            - 0.5
    };
    Complex::new(hash(1), hash(2))
}

/// Entries of a rank, column by column.
fn own<C: Number>(layout: &BlockCyclic, entry: impl Fn(usize, usize) -> Complex64) -> Vec<C> {
    let rows: Vec<usize> = layout.rows.own().flatten().collect();
    layout
        .columns
        .own()
        .flatten()
        .flat_map(|c| rows.iter().map(|&r| C::from(entry(r, c))).collect::<Vec<_>>())
        .collect()
}

/// op(A) X = B for the matrix, its transpose and its conjugate transpose.
fn systems<C: Number>(comm: &dyn Comm, tolerance: f64) -> Result<(), CommError> {
    let mut lu = comm.dense_lu(ORDER, 1)?;
    let layout = *lu.layout();
    let matrix = |row, column| noise(row, column, 3);
    let mut factors: Vec<C> = own(&layout, matrix);
    assert_eq!(lu.factor(C::entries_mut(&mut factors))?, None);
    let solution = |row, column| noise(row, column, 5);
    for op in [DenseOp::None, DenseOp::Transpose, DenseOp::ConjTranspose] {
        let entry = |row, column| match op {
            DenseOp::None => matrix(row, column),
            DenseOp::Transpose => matrix(column, row),
            DenseOp::ConjTranspose => matrix(column, row).conj(),
        };
        let sides = layout.right_hand_sides(COLUMNS);
        let product = |row, column| (0..ORDER).map(|k| entry(row, k) * solution(k, column)).sum();
        let mut found: Vec<C> = own(&sides, product);
        lu.solve(op, C::entries(&factors), C::entries_mut(&mut found), COLUMNS)?;
        let expected: Vec<Complex64> = own(&sides, solution);
        let error = found.iter().zip(&expected).map(|(a, b)| (a.wide() - b).norm()).fold(0.0, f64::max);
        assert!(error < tolerance, "{op:?} on rank {}: {error:e}", comm.rank());
    }
    Ok(())
}

/// All ranks are told of a pivot that is zero.
fn singular(comm: &dyn Comm) -> Result<(), CommError> {
    let mut lu = comm.dense_lu(ORDER, 1)?;
    let layout = *lu.layout();
    let mut matrix: Vec<Complex64> =
        own(&layout, |row, column| if row == column && row != 70 { Complex::ONE } else { Complex::ZERO });
    assert_eq!(lu.factor(Complex64::entries_mut(&mut matrix))?, Some(70));
    Ok(())
}
