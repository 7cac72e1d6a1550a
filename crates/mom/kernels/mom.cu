// The equation system of src/system.rs and its fields. Geometry and Hankel functions are double; the matrix and the
// solutions are REAL. Matrices are column-major. Nodes carry x, y, the normal nx, ny and the weight w; a column is a node and a
// kind of density (0 single layer, 1 double layer); a row is a node and what it asks of the field there, value and slope.
// The layer operators stand in src/layers.rs.

// Weights of the four layer operators.
typedef struct { c64 s, d, dp, t; } layers;

// S, D, D', T between two points apart, times their weights, for a wavenumber k; (rx, ry) = target - source at distance r.
DEVICE c64 combine(layers c, c64 k, c64 h0, c64 h1, f64 r, f64 at_target, f64 at_source, f64 parallel)
{
    c64 quarter_k = c64_scale(0.25, k);
    c64 s = c64_mul(c.s, c64_mul(quarter_k, h0));
    c64 dipole = c64_mulj(c64_mul(quarter_k, h1));
    c64 d = c64_mul(c64_sub(c64_scale(at_target, c.dp), c64_scale(at_source, c.d)), dipole);
    c64 h1_r = c64_scale(1.0 / r, h1);
    c64 bend = c64_sub(c64_mul(k, h0), c64_scale(2.0, h1_r));
    c64 t = c64_add(c64_scale(parallel, h1_r), c64_scale(at_target * at_source, bend));
    return c64_sub(c64_add(s, d), c64_scale(0.25, c64_mul(c.t, t)));
}

// Far entries of the outer medium, whose wavenumber is real: value S + slope D' for single layers, -value D - slope T
// for double ones. `both_orders` is 0 where no entry needs H1. Entries near the diagonal are replaced later.
KERNEL fill(GLOBAL cplx* RESTRICT z, GLOBAL const f64* RESTRICT x, GLOBAL const f64* RESTRICT y,
            GLOBAL const f64* RESTRICT nx, GLOBAL const f64* RESTRICT ny, GLOBAL const f64* RESTRICT w,
            GLOBAL const i32* RESTRICT row_node, GLOBAL const f64* RESTRICT value, GLOBAL const f64* RESTRICT slope,
            GLOBAL const i32* RESTRICT column_node, GLOBAL const i32* RESTRICT is_double, i64 n, f64 k, i32 both_orders)
{
    i64 row = GLOBAL_ID(0);
    i64 col = GLOBAL_ID(1);
    if (row >= n || col >= n)
        return;
    i32 i = row_node[row];
    i32 j = column_node[col];
    f64 rx = x[i] - x[j];
    f64 ry = y[i] - y[j];
    f64 r = i == j ? 1.0 / k : sqrt(rx * rx + ry * ry);
    f64 v = value[row];
    c64 entry;
    if (!both_orders) {
        entry = c64_scale(0.25 * k * v, hankel2_0(k * r));
    } else {
        c64 h0, h1;
        hankel2_01(k * r, &h0, &h1);
        f64 s = slope[row];
        f64 at_target = (nx[i] * rx + ny[i] * ry) / r;
        if (is_double[col]) {
            f64 at_source = (nx[j] * rx + ny[j] * ry) / r;
            f64 parallel = (nx[i] * nx[j] + ny[i] * ny[j]) / r;
            f64 product = at_target * at_source;
            c64 bend = c64_sub(c64_scale(k, h0), c64_scale(2.0 / r, h1));
            entry = c64_add(c64_mulj(c64_scale(0.25 * k * v * at_source, h1)),
                            c64_scale(0.25 * s, c64_add(c64_scale(parallel, h1), c64_scale(product, bend))));
        } else {
            entry = c64_scale(0.25 * k, c64_add(c64_scale(v, h0), c64_mulj(c64_scale(s * at_target, h1))));
        }
    }
    z[col * n + row] = cplx_new((REAL)(w[j] * entry.re), (REAL)(w[j] * entry.im));
}

// Adds the far entries of the inside of a dielectric to its diagonal block, `count` nodes from `node` on and twice as many
// unknowns from `first` on: value and slope rows, double and single columns. index = k1/k0, (p_re, p_im) = p.
KERNEL fill_inside(GLOBAL cplx* RESTRICT z, GLOBAL const f64* RESTRICT x, GLOBAL const f64* RESTRICT y,
                   GLOBAL const f64* RESTRICT nx, GLOBAL const f64* RESTRICT ny, GLOBAL const f64* RESTRICT w,
                   GLOBAL const f64* RESTRICT table, i32 is_lossy, i64 n, i64 node, i64 first, i64 count, f64 k_re,
                   f64 k_im, f64 k_outer, f64 p_re, f64 p_im)
{
    i64 i = GLOBAL_ID(0);
    i64 j = GLOBAL_ID(1);
    if (i >= count || j >= count || i == j)
        return;
    f64 rx = x[node + i] - x[node + j];
    f64 ry = y[node + i] - y[node + j];
    f64 r = sqrt(rx * rx + ry * ry);
    c64 k = c64_new(k_re, k_im);
    c64 h0, h1;
    if (is_lossy)
        ray_hankel2_01(table, k_re, k_im, r, &h0, &h1);
    else
        hankel2_01(k_re * r, &h0, &h1);
    f64 at_target = (nx[node + i] * rx + ny[node + i] * ry) / r;
    f64 at_source = (nx[node + j] * rx + ny[node + j] * ry) / r;
    f64 parallel = nx[node + i] * nx[node + j] + ny[node + i] * ny[node + j];
    c64 p = c64_new(p_re, p_im);
    c64 index = c64_scale(1.0 / k_outer, k);
    c64 zero = c64_new(0.0, 0.0);
    for (i32 slope = 0; slope < 2; ++slope)
        for (i32 single = 0; single < 2; ++single) {
            layers c;
            c.s = !slope && single ? c64_neg(c64_div(p, index)) : zero;
            c.d = !slope && !single ? c64_new(1.0, 0.0) : zero;
            c.dp = slope && single ? c64_neg(p) : zero;
            c.t = slope && !single ? index : zero;
            c64 entry = combine(c, k, h0, h1, r, at_target, at_source, parallel);
            i64 at = (first + single * count + j) * n + first + slope * count + i;
            z[at] = cplx_new((REAL)(z[at].re + w[node + j] * entry.re), (REAL)(z[at].im + w[node + j] * entry.im));
        }
}

// Replaces the entries that were found on the host: for each i < count, ORDER entries of row `row[i]` from column
// `column[i]` on.
KERNEL set_near(GLOBAL cplx* RESTRICT z, GLOBAL const i32* RESTRICT row, GLOBAL const i32* RESTRICT column,
                GLOBAL const c64* RESTRICT entry, i64 n, i64 count)
{
    i64 i = GLOBAL_ID(0) / ORDER;
    i64 j = GLOBAL_ID(0) % ORDER;
    if (i >= count)
        return;
    c64 e = entry[i * ORDER + j];
    z[((i64)column[i] + j) * n + row[i]] = cplx_new((REAL)e.re, (REAL)e.im);
}

// Right-hand sides for waves exp(-jk(x cos a + y sin a)), one column per direction a: value + slope (1/jk) d/dn of them.
KERNEL incident(GLOBAL cplx* RESTRICT rhs, GLOBAL const f64* RESTRICT x, GLOBAL const f64* RESTRICT y,
                GLOBAL const f64* RESTRICT nx, GLOBAL const f64* RESTRICT ny, GLOBAL const i32* RESTRICT row_node,
                GLOBAL const f64* RESTRICT value, GLOBAL const f64* RESTRICT slope,
                GLOBAL const f64* RESTRICT direction, i64 n, i64 columns, f64 k)
{
    i64 row = GLOBAL_ID(0) % n;
    i64 col = GLOBAL_ID(0) / n;
    if (col >= columns)
        return;
    i32 i = row_node[row];
    c64 a = c64_expj(direction[col]);
    f64 share = value[row] - slope[row] * (nx[i] * a.re + ny[i] * a.im);
    c64 wave = c64_scale(share, c64_expj(-k * (x[i] * a.re + y[i] * a.im)));
    rhs[col * n + row] = cplx_new((REAL)wave.re, (REAL)wave.im);
}

// Some columns of the solutions, widened to double.
KERNEL pick_columns(GLOBAL c64* RESTRICT picked, GLOBAL const cplx* RESTRICT solution, GLOBAL const i32* RESTRICT which,
                    i64 n, i64 count)
{
    i64 i = GLOBAL_ID(0);
    if (i >= count)
        return;
    cplx v = solution[(i64)which[i / n] * n + i % n];
    picked[i] = c64_new(v.re, v.im);
}

// Far sums: integral of [sigma - (n.s) mu] exp(jk r.s), s = (cos phi, sin phi), one work item per sum: for all observations
// of all columns, or with `each` one observation per column.
KERNEL far_sums(GLOBAL c64* RESTRICT sums, GLOBAL const cplx* RESTRICT solution, GLOBAL const f64* RESTRICT x,
                GLOBAL const f64* RESTRICT y, GLOBAL const f64* RESTRICT nx, GLOBAL const f64* RESTRICT ny,
                GLOBAL const f64* RESTRICT w, GLOBAL const i32* RESTRICT column_node,
                GLOBAL const i32* RESTRICT is_double, GLOBAL const f64* RESTRICT observation, i64 n, i64 observations,
                i64 columns, i32 each, f64 k)
{
    i64 o = each ? GLOBAL_ID(0) : GLOBAL_ID(0) % observations;
    i64 col = each ? GLOBAL_ID(0) : GLOBAL_ID(0) / observations;
    if (col >= columns)
        return;
    c64 phi = c64_expj(observation[o]);
    c64 sum = c64_new(0.0, 0.0);
    for (i64 c = 0; c < n; ++c) {
        i32 i = column_node[c];
        f64 weight = is_double[c] ? -w[i] * (nx[i] * phi.re + ny[i] * phi.im) : w[i];
        cplx v = solution[col * n + c];
        c64 wave = c64_expj(k * (x[i] * phi.re + y[i] * phi.im));
        sum = c64_fma(c64_new(weight * v.re, weight * v.im), wave, sum);
    }
    sums[GLOBAL_ID(0)] = sum;
}

// Field at points of all cells but the close ones, which the host adds: single S sigma + double D mu over the unknowns
// `first` to `last`. The close cells of point i are close[start[i]] to close[start[i+1]], ascending.
KERNEL distant_field(GLOBAL c64* RESTRICT field, GLOBAL const cplx* RESTRICT solution, GLOBAL const f64* RESTRICT x,
                     GLOBAL const f64* RESTRICT y, GLOBAL const f64* RESTRICT nx, GLOBAL const f64* RESTRICT ny,
                     GLOBAL const f64* RESTRICT w, GLOBAL const i32* RESTRICT column_node,
                     GLOBAL const i32* RESTRICT is_double, GLOBAL const f64* RESTRICT points,
                     GLOBAL const i32* RESTRICT start, GLOBAL const i32* RESTRICT close,
                     GLOBAL const f64* RESTRICT table, i32 is_lossy, i64 count, i64 first, i64 last, f64 k_re,
                     f64 k_im, f64 single_re, f64 single_im, f64 double_re, f64 double_im)
{
    i64 p = GLOBAL_ID(0);
    if (p >= count)
        return;
    c64 k = c64_new(k_re, k_im);
    c64 zero = c64_new(0.0, 0.0);
    c64 sum = zero;
    i64 c = first;
    while (c < last) {
        // A whole cell at a time: close or not.
        i32 cell = column_node[c] / ORDER;
        i32 is_close = 0;
        for (i32 s = start[p]; s < start[p + 1]; ++s)
            is_close |= close[s] == cell;
        for (i64 e = c + ORDER; c < e; ++c) {
            if (is_close)
                continue;
            i32 j = column_node[c];
            f64 rx = points[2 * p] - x[j];
            f64 ry = points[2 * p + 1] - y[j];
            f64 r = sqrt(rx * rx + ry * ry);
            c64 h0, h1;
            if (is_lossy)
                ray_hankel2_01(table, k_re, k_im, r, &h0, &h1);
            else
                hankel2_01(k_re * r, &h0, &h1);
            layers weights;
            weights.s = is_double[c] ? zero : c64_new(single_re, single_im);
            weights.d = is_double[c] ? c64_new(double_re, double_im) : zero;
            weights.dp = zero;
            weights.t = zero;
            f64 at_source = (nx[j] * rx + ny[j] * ry) / r;
            cplx v = solution[c];
            c64 kernel_value = combine(weights, k, h0, h1, r, 0.0, at_source, 0.0);
            sum = c64_fma(c64_new(w[j] * v.re, w[j] * v.im), kernel_value, sum);
        }
    }
    field[p] = sum;
}
