// The discrete system of src/system.rs and its fields. Geometry and Hankel functions are double; the matrix and the
// solutions are REAL. Matrices are column-major. ORDER is the number of nodes per cell.
//
// Layer operators (Colton and Kress, Inverse Acoustic and Electromagnetic Scattering Theory, section 3.1, for exp(+jwt)), with
// Green's function G = -(j/4) H0(2)(kr), R = target - source, normals n at the target and n' at the source:
//   S  = jk G                  = (k/4) H0                             single layer
//   D  = dG/dn'                = -(jk/4) H1 (n'.R)/r                  double layer
//   D' = dG/dn                 = +(jk/4) H1 (n.R)/r                   adjoint double layer
//   T  = (1/jk) d2G/dn dn'     = -(1/4) { n.n' H1/r + (n.R)(n'.R)/r^2 (k H0 - 2 H1/r) }   hypersingular

// Nodes: position, unit normal, quadrature weight in arc length.
#define NODE_PARAMS                                                                                                    \
    GLOBAL const f64* RESTRICT x, GLOBAL const f64* RESTRICT y, GLOBAL const f64* RESTRICT nx,                         \
        GLOBAL const f64* RESTRICT ny, GLOBAL const f64* RESTRICT w

// Rows: collocation node, and weights of the Dirichlet trace u and the Neumann trace (1/jk) du/dn there.
#define ROW_PARAMS                                                                                                     \
    GLOBAL const i32* RESTRICT row_node, GLOBAL const f64* RESTRICT dirichlet, GLOBAL const f64* RESTRICT neumann

// Columns: source node, and 1 for a double layer, 0 for a single layer.
#define COLUMN_PARAMS GLOBAL const i32* RESTRICT column_node, GLOBAL const i32* RESTRICT is_double

// A medium: its wavenumber and, if lossy, the table of its Hankel functions (ray_hankel.h).
#define MEDIUM_PARAMS GLOBAL const f64* RESTRICT table, i32 is_lossy, f64 k_re, f64 k_im

// Weights of the four layer operators.
typedef struct { c64 s, d, dp, t; } layers;

// c.s S + c.d D + c.dp D' + c.t T between two separate points at distance r; cos_target = (n.R)/r, cos_source = (n'.R)/r,
// parallel = n.n'.
DEVICE c64 combine(layers c, c64 k, c64 h0, c64 h1, f64 r, f64 cos_target, f64 cos_source, f64 parallel)
{
    c64 quarter_k = c64_scale(0.25, k);
    c64 s = c64_mul(c.s, c64_mul(quarter_k, h0));
    // D and D' differ in sign and cosine only.
    c64 dipole = c64_mulj(c64_mul(quarter_k, h1));
    c64 d = c64_mul(c64_sub(c64_scale(cos_target, c.dp), c64_scale(cos_source, c.d)), dipole);
    c64 h1_r = c64_scale(1.0 / r, h1);
    c64 second = c64_sub(c64_mul(k, h0), c64_scale(2.0, h1_r));
    c64 t = c64_add(c64_scale(parallel, h1_r), c64_scale(cos_target * cos_source, second));
    return c64_sub(c64_add(s, d), c64_scale(0.25, c64_mul(c.t, t)));
}

// Regular entries of the exterior operators by Gauss quadrature; the exterior wavenumber is real:
//   dirichlet S + neumann D'   for single layers,
//   -dirichlet D - neumann T   for double layers, times the quadrature weight of the source.
// `both_orders` is 0 where no entry needs H1. Near interactions are overwritten by set_near.
KERNEL fill(GLOBAL cplx* RESTRICT z, NODE_PARAMS, ROW_PARAMS, COLUMN_PARAMS, i64 n, f64 k, i32 both_orders)
{
    i64 row = GLOBAL_ID(0);
    i64 col = GLOBAL_ID(1);
    if (row >= n || col >= n)
        return;
    i32 i = row_node[row];
    i32 j = column_node[col];
    f64 rx = x[i] - x[j];
    f64 ry = y[i] - y[j];
    // Any finite distance will do on the diagonal: its entry is overwritten.
    f64 r = i == j ? 1.0 / k : sqrt(rx * rx + ry * ry);
    // The branches on both_orders and is_double do not diverge: 32 neighboring work items are rows
    // of one column.
    f64 u = dirichlet[row];
    c64 entry;
    if (!both_orders) {
        entry = c64_scale(0.25 * k * u, hankel2_0(k * r));
    } else {
        c64 h0, h1;
        hankel2_01(k * r, &h0, &h1);
        f64 du = neumann[row];
        f64 cos_target = (nx[i] * rx + ny[i] * ry) / r;
        if (is_double[col]) {
            f64 cos_source = (nx[j] * rx + ny[j] * ry) / r;
            f64 parallel = (nx[i] * nx[j] + ny[i] * ny[j]) / r;
            f64 product = cos_target * cos_source;
            // -u D - du T. `parallel` includes 1/r.
            c64 second = c64_sub(c64_scale(k, h0), c64_scale(2.0 / r, h1));
            entry = c64_add(c64_mulj(c64_scale(0.25 * k * u * cos_source, h1)),
                            c64_scale(0.25 * du, c64_add(c64_scale(parallel, h1), c64_scale(product, second))));
        } else {
            entry = c64_scale(0.25 * k, c64_add(c64_scale(u, h0), c64_mulj(c64_scale(du * cos_target, h1))));
        }
    }
    z[col * n + row] = cplx_new((REAL)(w[j] * entry.re), (REAL)(w[j] * entry.im));
}

// Adds the regular entries of the interior operators of a dielectric to its diagonal block, in Mueller's equations
//   Dirichlet row:  +D1 u - p (k0/k1) S1 sigma,   Neumann row:  +(k1/k0) T1 u - p D1' sigma.
// The block has `count` nodes from `node` on and 2 count unknowns from `first` on: first u, then sigma. k = k1.
KERNEL add_interior(GLOBAL cplx* RESTRICT z, NODE_PARAMS, MEDIUM_PARAMS, i64 n, i64 node, i64 first, i64 count, f64 k0,
                    f64 p_re, f64 p_im)
{
    // r = 0 on the diagonal of the four blocks, whose entries come from set_near.
    i64 i = GLOBAL_ID(0);
    i64 j = GLOBAL_ID(1);
    if (i >= count || j >= count || i == j)
        return;
    f64 rx = x[node + i] - x[node + j];
    f64 ry = y[node + i] - y[node + j];
    f64 r = sqrt(rx * rx + ry * ry);
    c64 k = c64_new(k_re, k_im);
    c64 h0, h1;
    // The same for all work items: no divergence.
    if (is_lossy)
        ray_hankel2_01(table, k_re, k_im, r, &h0, &h1);
    else
        hankel2_01(k_re * r, &h0, &h1);
    f64 cos_target = (nx[node + i] * rx + ny[node + i] * ry) / r;
    f64 cos_source = (nx[node + j] * rx + ny[node + j] * ry) / r;
    f64 parallel = nx[node + i] * nx[node + j] + ny[node + i] * ny[node + j];
    c64 p = c64_new(p_re, p_im);
    c64 index = c64_scale(1.0 / k0, k);
    c64 zero = c64_new(0.0, 0.0);
    // One evaluation of the Hankel functions serves all four entries of the pair of nodes.
    for (i32 is_neumann = 0; is_neumann < 2; ++is_neumann)
        for (i32 is_single = 0; is_single < 2; ++is_single) {
            layers c;
            c.s = !is_neumann && is_single ? c64_neg(c64_div(p, index)) : zero;
            c.d = !is_neumann && !is_single ? c64_new(1.0, 0.0) : zero;
            c.dp = is_neumann && is_single ? c64_neg(p) : zero;
            c.t = is_neumann && !is_single ? index : zero;
            c64 entry = combine(c, k, h0, h1, r, cos_target, cos_source, parallel);
            i64 at = (first + is_single * count + j) * n + first + is_neumann * count + i;
            z[at] = cplx_new((REAL)(z[at].re + w[node + j] * entry.re), (REAL)(z[at].im + w[node + j] * entry.im));
        }
}

// Overwrites near interactions with the locally corrected entries of the host: for each i < count, ORDER entries of row
// `row[i]` from column `column[i]` on.
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

// Right-hand sides, one column per direction a, of the incident wave u = exp(-jk(x cos a + y sin a)):
//   dirichlet u + neumann (1/jk) du/dn = [dirichlet - neumann (nx cos a + ny sin a)] u.
KERNEL incident(GLOBAL cplx* RESTRICT rhs, NODE_PARAMS, ROW_PARAMS, GLOBAL const f64* RESTRICT direction, i64 n,
                i64 columns, f64 k)
{
    i64 row = GLOBAL_ID(0) % n;
    i64 col = GLOBAL_ID(0) / n;
    if (col >= columns)
        return;
    i32 i = row_node[row];
    c64 a = c64_expj(direction[col]);
    // (1/jk) du/dn = -(n.a) u for a plane wave along a, so that both traces share one exponential.
    f64 trace = dirichlet[row] - neumann[row] * (nx[i] * a.re + ny[i] * a.im);
    c64 wave = c64_scale(trace, c64_expj(-k * (x[i] * a.re + y[i] * a.im)));
    rhs[col * n + row] = cplx_new((REAL)wave.re, (REAL)wave.im);
}

// Some columns of the solutions, widened to double.
KERNEL select_columns(GLOBAL c64* RESTRICT selected, GLOBAL const cplx* RESTRICT solution,
                      GLOBAL const i32* RESTRICT which, i64 n, i64 count)
{
    i64 i = GLOBAL_ID(0);
    if (i >= count)
        return;
    // Only what the host needs is downloaded: sampled directions, or the currents.
    cplx v = solution[(i64)which[i / n] * n + i % n];
    selected[i] = c64_new(v.re, v.im);
}

// Far-field integrals, the integral of [sigma - (n.s) mu] exp(jk r.s) ds with s = (cos phi, sin phi); the echo width is k/4 times
// their square. One work item per integral: all observation angles of all columns (bistatic) or, with `is_paired`, one angle per
// column (monostatic, forward). No reduction between work items, so that a run is repeatable bit for bit.
KERNEL far_field(GLOBAL c64* RESTRICT integrals, GLOBAL const cplx* RESTRICT solution, NODE_PARAMS, COLUMN_PARAMS,
                 GLOBAL const f64* RESTRICT observation, i64 n, i64 observations, i64 columns, i32 is_paired, f64 k)
{
    i64 o = is_paired ? GLOBAL_ID(0) : GLOBAL_ID(0) % observations;
    i64 col = is_paired ? GLOBAL_ID(0) : GLOBAL_ID(0) / observations;
    if (col >= columns)
        return;
    c64 phi = c64_expj(observation[o]);
    c64 sum = c64_new(0.0, 0.0);
    // The phase k r.s is in double precision also for REAL = float: kr is large on bodies of many
    // wavelengths.
    for (i64 c = 0; c < n; ++c) {
        i32 i = column_node[c];
        f64 weight = is_double[c] ? -w[i] * (nx[i] * phi.re + ny[i] * phi.im) : w[i];
        cplx v = solution[col * n + c];
        c64 wave = c64_expj(k * (x[i] * phi.re + y[i] * phi.im));
        sum = c64_fma(c64_new(weight * v.re, weight * v.im), wave, sum);
    }
    integrals[GLOBAL_ID(0)] = sum;
}

// Near field: the representation formula single S sigma + double D mu at points in one medium, over the unknowns `first` to
// `last` of the first solution. Near cells, whose kernel is nearly singular, are left to the host: those of point i are
// near_cell[start[i]] to near_cell[start[i+1]], ascending.
KERNEL far_cell_field(GLOBAL c64* RESTRICT field, GLOBAL const cplx* RESTRICT solution, NODE_PARAMS, COLUMN_PARAMS,
                      MEDIUM_PARAMS, GLOBAL const f64* RESTRICT points, GLOBAL const i32* RESTRICT start,
                      GLOBAL const i32* RESTRICT near_cell, i64 count, i64 first, i64 last, f64 single_re,
                      f64 single_im, f64 double_re, f64 double_im)
{
    i64 p = GLOBAL_ID(0);
    if (p >= count)
        return;
    c64 k = c64_new(k_re, k_im);
    c64 zero = c64_new(0.0, 0.0);
    c64 sum = zero;
    i64 c = first;
    while (c < last) {
        // The ORDER columns of a cell are consecutive, and near or far together.
        i32 cell = column_node[c] / ORDER;
        i32 is_near = 0;
        // A linear search: a point has few near cells, most points none.
        for (i32 s = start[p]; s < start[p + 1]; ++s)
            is_near |= near_cell[s] == cell;
        for (i64 e = c + ORDER; c < e; ++c) {
            if (is_near)
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
            f64 cos_source = (nx[j] * rx + ny[j] * ry) / r;
            cplx v = solution[c];
            c64 kernel_value = combine(weights, k, h0, h1, r, 0.0, cos_source, 0.0);
            sum = c64_fma(c64_new(w[j] * v.re, w[j] * v.im), kernel_value, sum);
        }
    }
    field[p] = sum;
}
