//! LU factorization of a matrix that the GPUs of several processes share.

use crate::Result;
use phasefront_core::Precision;

/// A square matrix in square blocks, which are dealt out in turn to the rows and columns of a grid of GPUs, one for each rank.
///
/// Ranks are numbered row by row of their grid. Each has its entries column by column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedMatrix {
    /// Order of the matrix.
    pub n: usize,
    /// Rows and columns of a block.
    pub block: usize,
    /// Rows and columns of the grid.
    pub grid: [usize; 2],
    /// The rank of this process.
    pub rank: usize,
    /// Precision of the entries.
    pub precision: Precision,
}

impl SharedMatrix {
    /// How many of `len` rows (axis 0) or columns (axis 1) this rank has.
    pub fn own_len(&self, axis: usize, len: usize) -> usize {
        let parts = self.grid[axis];
        let part = [self.rank / self.grid[1], self.rank % self.grid[1]][axis];
        let round = parts * self.block;
        // Full rounds give every part a block; of the last round this part gets what is left after those before it.
        len / round * self.block + (len % round).saturating_sub(part * self.block).min(self.block)
    }

    /// Bytes of this rank's entries of `columns` columns of length n, distributed as those of the matrix.
    pub fn own_bytes(&self, columns: usize) -> usize {
        self.own_len(0, self.n) * self.own_len(1, columns) * 2 * self.precision.bytes()
    }
}

/// A factorization with partial pivoting by all ranks. Those of one that is not [joined](SharedLu::join) do nothing useful yet; the
/// library was found, and that is all.
pub trait SharedLu: Send {
    /// A name for a new group of GPUs: one rank asks for it, and gives it to all.
    fn new_group(&self) -> Result<Vec<u8>>;

    /// Makes a group with the GPUs of the other ranks. Collective.
    fn join(&mut self, matrix: SharedMatrix, group: &[u8]) -> Result<()>;

    /// Uploads this rank's entries of the matrix and factors it; the column of a pivot that is zero, if this rank has seen one.
    /// Collective.
    fn factor_bytes(&mut self, entries: &[u8]) -> Result<Option<usize>>;

    /// Solves for `columns` right-hand sides, of which every rank has its own entries, in place. Collective.
    fn solve_bytes(&self, entries: &mut [u8], columns: usize) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_one_owner() {
        for (n, block, grid) in [(1, 4, [1, 3]), (10, 2, [2, 2]), (37, 5, [3, 4]), (130, 64, [1, 2])] {
            let ranks = 0..grid[0] * grid[1];
            let matrix = |rank| SharedMatrix { n, block, grid, rank, precision: Precision::Double };
            let bytes: usize = ranks.map(|rank| matrix(rank).own_bytes(n)).sum();
            assert_eq!(bytes, 16 * n * n, "order {n}, blocks of {block}, {grid:?}");
        }
        // Ten columns in blocks of two on three ranks: the second has 2, 3, 8 and 9.
        let second = SharedMatrix { n: 10, block: 2, grid: [1, 3], rank: 1, precision: Precision::Single };
        assert_eq!((second.own_len(0, 10), second.own_len(1, 10)), (10, 4));
    }
}
