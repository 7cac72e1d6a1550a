// The stages of the baseline except its LU: fill, triangular inverses, product. Matrices are row-major; distances and Hankel
// functions are double, the matrix REAL. Every kernel is correct for any number of groups and work items, including one of each:
// loops stride over the whole launch.

// Most work items of a group.
#define MAX_ITEMS 1024

// Pulse basis and point matching (Harrington, Field Computation by Moment Methods, section 3-2):
// Z_mn = (k eta w/4) H0(2)(k R_mn); on the diagonal (k eta w/4) {1 - j(2/pi)[ln(gamma k w/4) - 1]}.
KERNEL fill(GLOBAL cplx* RESTRICT z, GLOBAL const f64* RESTRICT x, GLOBAL const f64* RESTRICT y, i64 n, f64 w, f64 k,
            f64 eta)
{
    const f64 gamma = 1.781072417990198; // exp of Euler's constant
    const f64 two_over_pi = 0.63661977236758134308;
    f64 scale = 0.25 * k * eta * w;
    for (i64 e = GLOBAL_ID(0); e < n * n; e += (i64)NUM_GROUPS(0) * GROUP_SIZE(0)) {
        i64 row = e / n;
        i64 col = e % n;
        c64 h;
        if (row == col) {
            h = c64_new(1.0, -two_over_pi * (log(0.25 * gamma * k * w) - 1.0));
        } else {
            f64 dx = x[row] - x[col];
            f64 dy = y[row] - y[col];
            h = hankel2_0(k * sqrt(dx * dx + dy * dy));
        }
        // Rounded only here: differences of coordinates would lose digits in single precision.
        z[e] = cplx_new((REAL)(scale * h.re), (REAL)(scale * h.im));
    }
}

// Right-hand side E = exp(-jkx): a plane wave along +x.
KERNEL plane_wave(GLOBAL cplx* RESTRICT e, GLOBAL const f64* RESTRICT x, i64 n, f64 k)
{
    for (i64 i = GLOBAL_ID(0); i < n; i += (i64)NUM_GROUPS(0) * GROUP_SIZE(0)) {
        c64 wave = c64_expj(-k * x[i]);
        e[i] = cplx_new((REAL)wave.re, (REAL)wave.im);
    }
}

// Column p of X = L^-1 by forward substitution with partial updates: X_ip -= L_im X_mp for all i > m, as soon as X_mp is final.
// X_pp = 1 is not stored: the diagonal belongs to U^-1.
DEVICE void lower_column(GLOBAL const cplx* RESTRICT lu, GLOBAL cplx* inverse, i64 n, i64 p)
{
    i64 size = GROUP_SIZE(0);
    i64 first = p + 1 + LOCAL_ID(0);
    for (i64 i = first; i < n; i += size)
        inverse[i * n + p] = cplx_neg(lu[i * n + p]);
    BARRIER();
    for (i64 m = p + 1; m < n - 1; ++m) {
        cplx x = cplx_neg(inverse[m * n + p]);
        // The rows below m of this work item. The barrier makes X_mp of the next step visible to all.
        if (first == m)
            first += size;
        for (i64 i = first; i < n; i += size)
            inverse[i * n + p] = cplx_fma(lu[i * n + m], x, inverse[i * n + p]);
        BARRIER();
    }
}

// Row r of X = U^-1 likewise: X_rj -= X_rm U_mj for all j > m. X_rm is divided by U_mm when it is used,
// and in memory only at the end, so that no work item changes what others read.
DEVICE void upper_row(GLOBAL const cplx* RESTRICT lu, GLOBAL cplx* inverse, i64 n, i64 r)
{
    i64 size = GROUP_SIZE(0);
    i64 first = r + LOCAL_ID(0);
    for (i64 j = first; j < n; j += size)
        inverse[r * n + j] = cplx_new(j == r ? R(1) : R(0), R(0));
    BARRIER();
    for (i64 m = r; m < n - 1; ++m) {
        cplx x = cplx_neg(cplx_div(inverse[r * n + m], lu[m * n + m]));
        if (first == m)
            first += size;
        for (i64 j = first; j < n; j += size)
            inverse[r * n + j] = cplx_fma(x, lu[m * n + j], inverse[r * n + j]);
        BARRIER();
    }
    for (i64 j = r + LOCAL_ID(0); j < n; j += size)
        inverse[r * n + j] = cplx_div(inverse[r * n + j], lu[j * n + j]);
}

// A group computes column p of L^-1 and row n - 1 - p of U^-1: a short one with a long one, so that
// all pairs have n + 1 values and the load is balanced (figure 11 of the thesis).
KERNEL triangular_inverses(GLOBAL const cplx* RESTRICT lu, GLOBAL cplx* inverse, i64 n)
{
    for (i64 p = GROUP_ID(0); p < n; p += NUM_GROUPS(0)) {
        // Both loops have barriers: p is the same for all work items of a group.
        lower_column(lu, inverse, n, p);
        upper_row(lu, inverse, n, n - 1 - p);
    }
}

// Sum of row[i] x[i] for from <= i < to: strided partial sums, then a tree reduction in local memory (figure 12 of the thesis).
// Every work item returns the sum.
DEVICE cplx tree_sum(LOCAL_PTR cplx* sums, GLOBAL const cplx* RESTRICT row, GLOBAL const cplx* RESTRICT x, i64 from, i64 to)
{
    i32 t = LOCAL_ID(0);
    cplx sum = cplx_new(R(0), R(0));
    for (i64 i = from + t; i < to; i += GROUP_SIZE(0))
        sum = cplx_fma(row[i], x[i], sum);
    sums[t] = sum;
    BARRIER();
    // Halves rounded up: any group size works.
    for (i32 active = GROUP_SIZE(0); active > 1; active = (active + 1) / 2) {
        if (t < active / 2)
            sums[t] = cplx_add(sums[t], sums[t + (active + 1) / 2]);
        BARRIER();
    }
    sum = sums[0];
    // The caller may overwrite `sums` only after all have read it.
    BARRIER();
    return sum;
}

// y = L^-1 e; the unit diagonal of L^-1 adds e[row].
KERNEL multiply_lower(GLOBAL const cplx* RESTRICT inverse, GLOBAL const cplx* RESTRICT e, GLOBAL cplx* RESTRICT y, i64 n)
{
    LOCAL cplx sums[MAX_ITEMS];
    for (i64 row = GROUP_ID(0); row < n; row += NUM_GROUPS(0)) {
        cplx sum = tree_sum(sums, inverse + row * n, e, 0, row);
        if (LOCAL_ID(0) == 0)
            y[row] = cplx_add(e[row], sum);
    }
}

// current = U^-1 y.
KERNEL multiply_upper(GLOBAL const cplx* RESTRICT inverse, GLOBAL const cplx* RESTRICT y, GLOBAL cplx* RESTRICT current,
                      i64 n)
{
    LOCAL cplx sums[MAX_ITEMS];
    for (i64 row = GROUP_ID(0); row < n; row += NUM_GROUPS(0)) {
        cplx sum = tree_sum(sums, inverse + row * n, y, row, n);
        if (LOCAL_ID(0) == 0)
            current[row] = sum;
    }
}
