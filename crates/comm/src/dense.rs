//! Dense matrices that ranks share in blocks, and their LU factorization.

use crate::error::Result;
use num_complex::{Complex32, Complex64};
use std::ops::Range;

/// Rows and columns of a block of a distributed matrix, as the ScaLAPACK Users' Guide advises.
pub const DENSE_BLOCK: usize = 64;

/// The same on GPUs: more, so that each step of the factorization has work for a whole GPU.
pub const DENSE_BLOCK_GPU: usize = 256;

/// LU factorization with partial pivoting of a square matrix that is distributed over a grid of ranks.
///
/// All calls are collective. A rank passes its own entries, column by column, as [`BlockCyclic`] assigns them.
pub trait DenseLu {
    /// Which entries of the matrix this rank has.
    fn layout(&self) -> &BlockCyclic;

    /// The library behind it and the grid of ranks, for messages.
    fn describe(&self) -> String;

    /// Factors the matrix in place; the column of a pivot that is zero, if there is one: the matrix is singular then.
    fn factor(&mut self, matrix: EntriesMut<'_>) -> Result<Option<usize>>;

    /// Solves for `columns` right-hand sides in place, with the factors that [`factor`](DenseLu::factor) left. Their rows are
    /// distributed as those of the matrix, their columns as [`BlockCyclic::right_hand_sides`] says.
    fn solve(
        &self,
        op: DenseOp,
        factors: Entries<'_>,
        right_hand_sides: EntriesMut<'_>,
        columns: usize,
    ) -> Result<()>;
}

/// The matrix to solve with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DenseOp {
    /// The matrix itself.
    None,
    /// Its transpose.
    Transpose,
    /// Its conjugate transpose.
    ConjTranspose,
}

/// The entries of one rank in either precision, to be read.
#[derive(Debug, Clone, Copy)]
pub enum Entries<'a> {
    /// Single precision.
    Single(&'a [Complex32]),
    /// Double precision.
    Double(&'a [Complex64]),
}

/// The entries of one rank in either precision, to be changed.
#[derive(Debug)]
pub enum EntriesMut<'a> {
    /// Single precision.
    Single(&'a mut [Complex32]),
    /// Double precision.
    Double(&'a mut [Complex64]),
}

/// A complex number of either precision.
pub trait DenseNumber: Sized {
    /// Its entries to be read.
    fn entries(values: &[Self]) -> Entries<'_>;
    /// Its entries to be changed.
    fn entries_mut(values: &mut [Self]) -> EntriesMut<'_>;
}

impl DenseNumber for Complex32 {
    fn entries(values: &[Self]) -> Entries<'_> {
        Entries::Single(values)
    }
    fn entries_mut(values: &mut [Self]) -> EntriesMut<'_> {
        EntriesMut::Single(values)
    }
}

impl DenseNumber for Complex64 {
    fn entries(values: &[Self]) -> Entries<'_> {
        Entries::Double(values)
    }
    fn entries_mut(values: &mut [Self]) -> EntriesMut<'_> {
        EntriesMut::Double(values)
    }
}

/// Rows or columns that are dealt out in blocks: the first block to the first part, the next one to the next part, and round again.
///
/// ```
/// use phasefront_comm::Cyclic;
/// // Ten rows in blocks of two, of which this is the second of three parts: rows 2, 3, 8 and 9.
/// let rows = Cyclic { len: 10, block: 2, parts: 3, part: 1 };
/// assert_eq!(rows.own().collect::<Vec<_>>(), [2..4, 8..10]);
/// assert_eq!((rows.own_len(), rows.position(8), rows.position(4)), (4, Some(2), None));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cyclic {
    /// How many there are in all.
    pub len: usize,
    /// How many are in a block; the last one may have fewer.
    pub block: usize,
    /// Number of parts.
    pub parts: usize,
    /// The part of this rank, from 0.
    pub part: usize,
}

impl Cyclic {
    /// One part with everything.
    pub fn whole(len: usize) -> Self {
        Self { len, block: len.max(1), parts: 1, part: 0 }
    }

    /// The same rows or columns, as another part sees them.
    #[must_use]
    pub fn of_part(self, part: usize) -> Self {
        Self { part, ..self }
    }

    /// Blocks of this part, in order: it stores them one after another.
    pub fn own(self) -> impl Iterator<Item = Range<usize>> {
        // Block b belongs to part b mod parts.
        (self.part * self.block..self.len)
            .step_by(self.parts * self.block)
            .map(move |start| start..self.len.min(start + self.block))
    }

    /// How many this part has.
    pub fn own_len(self) -> usize {
        let round = self.parts * self.block;
        // Full rounds give every part a block; of the last round this part gets what is left after those before it.
        let rest = (self.len % round).saturating_sub(self.part * self.block);
        self.len / round * self.block + rest.min(self.block)
    }

    /// Where this part stores number `index`; none if it belongs to another part.
    pub fn position(self, index: usize) -> Option<usize> {
        let block = index / self.block;
        (block % self.parts == self.part).then(|| block / self.parts * self.block + index % self.block)
    }
}

/// A matrix whose rows and columns are dealt out to the rows and columns of a grid of ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockCyclic {
    /// Its rows.
    pub rows: Cyclic,
    /// Its columns.
    pub columns: Cyclic,
}

impl BlockCyclic {
    /// A square matrix that one rank has alone.
    pub fn whole(n: usize) -> Self {
        Self { rows: Cyclic::whole(n), columns: Cyclic::whole(n) }
    }

    /// A square matrix in square blocks on `ranks` ranks, as `rank` sees it. Ranks are numbered row by row of their grid.
    pub fn on_ranks(n: usize, block: usize, ranks: usize, rank: usize) -> Self {
        let [rows, columns] = grid(ranks);
        Self {
            rows: Cyclic { len: n, block, parts: rows, part: rank / columns },
            columns: Cyclic { len: n, block, parts: columns, part: rank % columns },
        }
    }

    /// Right-hand sides of the matrix.
    #[must_use]
    pub fn right_hand_sides(self, count: usize) -> Self {
        Self { columns: Cyclic { len: count, ..self.columns }, ..self }
    }

    /// The same matrix as another rank sees it.
    #[must_use]
    pub fn of_rank(self, rank: usize) -> Self {
        let columns = self.columns.parts;
        Self { rows: self.rows.of_part(rank / columns), columns: self.columns.of_part(rank % columns) }
    }

    /// How many entries this rank has.
    pub fn own_len(self) -> usize {
        self.rows.own_len() * self.columns.own_len()
    }
}

/// Below this number of ranks a single row of them is best: the search for pivots then sends no messages.
const MIN_RANKS_OF_2D_GRID: usize = 9;

/// Rows and columns of a grid of ranks. From nine ranks on they are as near to each other as possible, and not more rows than columns: a
/// step of the factorization sends blocks along both (Choi et al., Sci. Program. 5 (1996) 173, and the ScaLAPACK Users' Guide).
fn grid(ranks: usize) -> [usize; 2] {
    if ranks < MIN_RANKS_OF_2D_GRID {
        return [1, ranks];
    }
    let rows = (1..).take_while(|rows| rows * rows <= ranks).filter(|rows| ranks.is_multiple_of(*rows));
    let rows = rows.last().unwrap_or(1);
    [rows, ranks / rows]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_ranks_are_near_a_square() {
        assert_eq!([1, 2, 7, 8].map(grid), [[1, 1], [1, 2], [1, 7], [1, 8]]);
        assert_eq!([9, 10, 11, 12, 16].map(grid), [[3, 3], [2, 5], [1, 11], [3, 4], [4, 4]]);
        assert_eq!([36, 48, 128].map(grid), [[6, 6], [6, 8], [8, 16]]);
    }

    /// Every entry has one owner, and each owner stores its entries without gaps.
    #[test]
    fn blocks_cover_the_matrix_once() {
        for (n, block, ranks) in [(1, 4, 3), (10, 2, 4), (37, 5, 12), (64, 64, 2), (130, 64, 9), (7, 64, 16)]
        {
            let mut owners = vec![0; n * n];
            for rank in 0..ranks {
                let own = BlockCyclic::on_ranks(n, block, ranks, rank);
                assert_eq!(own, BlockCyclic::on_ranks(n, block, ranks, 0).of_rank(rank));
                let rows: Vec<usize> = own.rows.own().flatten().collect();
                let columns: Vec<usize> = own.columns.own().flatten().collect();
                assert_eq!((rows.len(), columns.len()), (own.rows.own_len(), own.columns.own_len()));
                assert_eq!(own.own_len(), rows.len() * columns.len());
                let found: Vec<_> = (0..n).filter_map(|row| own.rows.position(row)).collect();
                assert_eq!(found, (0..rows.len()).collect::<Vec<_>>());
                for (row, column) in rows.iter().flat_map(|row| columns.iter().map(move |c| (row, c))) {
                    owners[column * n + row] += 1;
                }
            }
            assert!(owners.iter().all(|count| *count == 1), "order {n}, blocks of {block}, {ranks} ranks");
        }
    }
}
