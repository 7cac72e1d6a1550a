// Deconvolution, between the fine grid and the modes: f_k = b_k / (Phi_k0 Phi_k1 Phi_k2) with Phi_k = Phi(2 pi k/n), the Fourier transform
// of the spreading kernel. Along each axis, `grid_index` has the grid index k mod n of every mode, `factors` its 1/Phi_k; an unused axis
// has one mode, at index 0 with the factor 1. The tables of the axes are contiguous.
//
// Defined by the host: REAL.

// Type 1: modes[k] = grid[k mod n]/Phi_k. A group processes rows of modes with a stride of the number of groups, since CUDA limits that
// number along axis 1.
KERNEL deconvolve(GLOBAL const value *RESTRICT grid, GLOBAL value *RESTRICT modes, GLOBAL const i32 *RESTRICT grid_index,
                  GLOBAL const REAL *RESTRICT factors, i32 k0, i32 k1, i32 k2, i32 n0, i32 n1, i32 n2, i32 batch) {
    i32 x = (i32)GLOBAL_ID(0);
    if (x >= k0) return;
    u32 rows = (u32)k1 * (u32)k2 * (u32)batch;
    for (u32 row = GROUP_ID(1); row < rows; row += NUM_GROUPS(1)) {
        u32 y = row % k1, z = row / k1 % k2, b = row / k1 / k2;
        // Factors of y and z are uniform over the row.
        REAL factor = factors[x] * (factors[k0 + y] * factors[k0 + k1 + z]);
        i64 line = ((i64)b * n2 + grid_index[k0 + k1 + z]) * n1 + grid_index[k0 + y];
        value v = grid[line * n0 + grid_index[x]];
        v.re *= factor;
        v.im *= factor;
        modes[(i64)row * k0 + x] = v;
    }
}

// Type 2: grid[k mod n] = modes[k]/Phi_k, zero elsewhere (zero-padding of the spectrum). `mode_at` has the mode of each grid index, or -1:
// writing every grid point once saves clearing the grid.
KERNEL fill_grid(GLOBAL const value *RESTRICT modes, GLOBAL value *RESTRICT grid, GLOBAL const i32 *RESTRICT mode_at,
                 GLOBAL const REAL *RESTRICT factors, i32 k0, i32 k1, i32 k2, i32 n0, i32 n1, i32 n2, i32 batch) {
    i32 x = (i32)GLOBAL_ID(0);
    if (x >= n0) return;
    u32 rows = (u32)n1 * (u32)n2 * (u32)batch;
    for (u32 row = GROUP_ID(1); row < rows; row += NUM_GROUPS(1)) {
        u32 y = row % n1, z = row / n1 % n2, b = row / n1 / n2;
        i32 mx = mode_at[x], my = mode_at[n0 + y], mz = mode_at[n0 + n1 + z];
        value v = value_new(R(0), R(0));
        // Grid points without a mode along any axis are zero.
        if (mx >= 0 && my >= 0 && mz >= 0) {
            REAL factor = factors[mx] * (factors[k0 + my] * factors[k0 + k1 + mz]);
            v = modes[(((i64)b * k2 + mz) * k1 + my) * k0 + mx];
            v.re *= factor;
            v.im *= factor;
        }
        grid[(i64)row * n0 + x] = v;
    }
}
