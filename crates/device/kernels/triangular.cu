// Solution with LU factors for many right-hand sides: the parts that are no matrix products. Matrices are column-major.
// TILE: rows of the smallest triangles that are inverted; the size of a work group of invert_tiles.

// target = P source: row i of column j is row permutation[i] of source's column first + j.
KERNEL permute_rows(GLOBAL const cplx *RESTRICT source, GLOBAL cplx *RESTRICT target,
                    GLOBAL const i64 *RESTRICT permutation, i64 n, i64 columns, i64 first) {
    i64 i = GLOBAL_ID(0), j = GLOBAL_ID(1);
    if (i >= n || j >= columns) return;
    target[i + j * n] = source[permutation[i] + (first + j) * n];
}

// Puts the n x columns matrix source into target's columns from first on.
KERNEL put_columns(GLOBAL const cplx *RESTRICT source, GLOBAL cplx *RESTRICT target, i64 n, i64 columns, i64 first) {
    i64 e = GLOBAL_ID(0);
    if (e < n * columns) target[e + first * n] = source[e];
}

// Copies the diagonal blocks of L (lower = 1, its diagonal of ones not stored) or U (lower = 0) out of the factors. Blocks
// have size^2 values and begin size (size + 1) apart; beyond order n they are the identity.
KERNEL copy_blocks(GLOBAL const cplx *RESTRICT factors, GLOBAL cplx *RESTRICT blocks, i64 n, i64 size, i64 count, i32 lower) {
    i64 e = GLOBAL_ID(0);
    i64 row = e % size, col = e / size % size, block = e / (size * size);
    if (block >= count) return;
    i64 i = block * size + row, j = block * size + col;
    cplx value = cplx_new(row == col ? R(1.0) : R(0.0), R(0.0));
    if (i < n && j < n && (lower ? row > col : row <= col)) value = factors[i + j * n];
    blocks[block * size * (size + 1) + row + col * size] = value;
}

// 1 / a, without the square of |a|.
DEVICE cplx reciprocal(cplx a) {
    REAL r = cplx_abs(a);
    return cplx_new(a.re / r / r, -a.im / r / r);
}

// Inverts the TILE x TILE triangles on the diagonals of the blocks in place, one work group each. Column j of the inverse
// by substitution away from the diagonal: x_i = (delta_ij - sum_k t_ik x_k) / t_ii, k from j to the one before i.
KERNEL invert_tiles(GLOBAL cplx *blocks, i64 size, i32 lower) {
    // A work item computes one column of the inverse: columns are independent of each other.
    LOCAL cplx t[TILE * TILE];
    LOCAL cplx x[TILE * TILE];
    i32 j = LOCAL_ID(0), away = lower ? 1 : -1;
    GLOBAL cplx *tile = blocks + (i64)GROUP_ID(0) * TILE * (size + 1);
    for (i32 k = 0; k < TILE; k++) t[j + k * TILE] = tile[j + k * size];
    BARRIER();
    LOCAL_PTR cplx *column = x + j * TILE;
    for (i32 i = 0; i < TILE; i++) column[i] = cplx_new(R(0.0), R(0.0));
    for (i32 i = j; i >= 0 && i < TILE; i += away) {
        cplx rest = cplx_new(i == j ? R(1.0) : R(0.0), R(0.0));
        for (i32 k = j; k != i; k += away) rest = cplx_fma(cplx_neg(t[i + k * TILE]), column[k], rest);
        column[i] = cplx_mul(rest, reciprocal(t[i + i * TILE]));
    }
    BARRIER();
    for (i32 k = 0; k < TILE; k++) tile[j + k * size] = x[j + k * TILE];
}
