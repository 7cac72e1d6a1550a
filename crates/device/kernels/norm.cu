// sums[j] = sum over i of |a_ij|, in double precision: one work group of GROUP items per column of an n x n matrix. The
// order of the additions is fixed, so that the result is repeatable.
KERNEL column_sums(GLOBAL const cplx *RESTRICT a, GLOBAL f64 *RESTRICT sums, i64 n) {
    LOCAL f64 parts[GROUP];
    i32 t = LOCAL_ID(0);
    GLOBAL const cplx *column = a + (i64)GROUP_ID(0) * n;
    // Work items stride through the column, so that their loads are contiguous at each step.
    f64 sum = 0.0;
    for (i64 i = t; i < n; i += GROUP) sum += (f64)cplx_abs(column[i]);
    parts[t] = sum;
    BARRIER();
    // Tree sum; GROUP is a power of two.
    for (i32 width = GROUP / 2; width > 0; width >>= 1) {
        if (t < width) parts[t] += parts[t + width];
        BARRIER();
    }
    if (t == 0) sums[GROUP_ID(0)] = parts[0];
}
