// Method of moments with pulses and point matching. Geometry and Hankel functions are double; the matrix and
// the currents are REAL. Matrices are column-major. The same formulas stand in src/cpu/pulse.rs.

#define TWO_OVER_PI 0.63661977236758134308

// Z_mn = (k eta w_n/4) H0(2)(k R_mn); on the diagonal (k eta w/4) {1 - j(2/pi)[ln(gamma k w/4) - 1]}.
KERNEL fill(GLOBAL cplx* RESTRICT z, GLOBAL const f64* RESTRICT x, GLOBAL const f64* RESTRICT y,
            GLOBAL const f64* RESTRICT w, i64 n, f64 k, f64 eta)
{
    const f64 gamma = 1.781072417990198;
    i64 row = GLOBAL_ID(0);
    i64 col = GLOBAL_ID(1);
    if (row >= n || col >= n)
        return;
    c64 h;
    if (row == col) {
        h = c64_new(1.0, -TWO_OVER_PI * (log(0.25 * gamma * k * w[col]) - 1.0));
    } else {
        f64 dx = x[row] - x[col];
        f64 dy = y[row] - y[col];
        h = hankel2_0(k * sqrt(dx * dx + dy * dy));
    }
    f64 scale = 0.25 * k * eta * w[col];
    z[col * n + row] = cplx_new((REAL)(scale * h.re), (REAL)(scale * h.im));
}

// Right-hand sides exp(-jk(x cos a + y sin a)) at the mid points, one column per direction a.
KERNEL plane_waves(GLOBAL cplx* RESTRICT e, GLOBAL const f64* RESTRICT x, GLOBAL const f64* RESTRICT y,
                   GLOBAL const f64* RESTRICT direction, i64 n, i64 columns, f64 k)
{
    i64 row = GLOBAL_ID(0) % n;
    i64 col = GLOBAL_ID(0) / n;
    if (col >= columns)
        return;
    c64 a = c64_expj(direction[col]);
    c64 wave = c64_expj(-k * (x[row] * a.re + y[row] * a.im));
    e[col * n + row] = cplx_new((REAL)wave.re, (REAL)wave.im);
}

// Far sums: sum_n J_n w_n exp(jk(x cos phi + y sin phi)), one work item per (observation phi, column).
KERNEL far_sums(GLOBAL c64* RESTRICT sums, GLOBAL const cplx* RESTRICT current, GLOBAL const f64* RESTRICT x,
                GLOBAL const f64* RESTRICT y, GLOBAL const f64* RESTRICT w, GLOBAL const f64* RESTRICT observation,
                i64 n, i64 observations, i64 columns, f64 k)
{
    i64 o = GLOBAL_ID(0) % observations;
    i64 col = GLOBAL_ID(0) / observations;
    if (col >= columns)
        return;
    c64 phi = c64_expj(observation[o]);
    c64 sum = c64_new(0.0, 0.0);
    for (i64 i = 0; i < n; ++i) {
        cplx j = current[col * n + i];
        sum = c64_fma(c64_new(w[i] * j.re, w[i] * j.im), c64_expj(k * (x[i] * phi.re + y[i] * phi.im)), sum);
    }
    sums[col * observations + o] = sum;
}

// Antiderivative of ln sqrt(u^2 + d^2) in u.
DEVICE f64 log_integral(f64 u, f64 d)
{
    f64 r2 = u * u + d * d;
    return r2 > 0.0 ? 0.5 * u * log(r2) - u + d * atan2(u, d) : 0.0;
}

// Integral of H0(2)(kR) over a straight cell of length w, seen from a point t along it from its middle and
// d >= 0 beside it. Far away by the mid point. Near, the logarithm is integrated in closed form and the smooth
// rest H0(2) + j(2/pi) ln R by four Gauss points.
DEVICE c64 cell_integral(f64 k, f64 w, f64 t, f64 d)
{
    const f64 nodes[4] = {-0.86113631159405257522, -0.33998104358485626480, 0.33998104358485626480, 0.86113631159405257522};
    const f64 weights[4] = {0.34785484513745385737, 0.65214515486254614263, 0.65214515486254614263, 0.34785484513745385737};
    f64 r = sqrt(t * t + d * d);
    if (r > NEAR_CELLS * w)
        return c64_scale(w, hankel2_0(k * r));
    f64 half_w = 0.5 * w;
    c64 sum = c64_new(0.0, -TWO_OVER_PI * (log_integral(half_w - t, d) + log_integral(half_w + t, d)));
    for (i32 i = 0; i < 4; ++i) {
        f64 u = half_w * nodes[i] - t;
        f64 rho = fmax(sqrt(u * u + d * d), 1e-9 * w);
        c64 h = hankel2_0(k * rho);
        sum = c64_add(sum, c64_scale(half_w * weights[i], c64_new(h.re, h.im + TWO_OVER_PI * log(rho))));
    }
    return sum;
}

// Scattered field -(k eta/4) sum_n J_n (integral of H0(2) over cell n) on a grid, rows along y.
KERNEL near_field(GLOBAL c64* RESTRICT field, GLOBAL const cplx* RESTRICT current, GLOBAL const f64* RESTRICT x,
                  GLOBAL const f64* RESTRICT y, GLOBAL const f64* RESTRICT tx, GLOBAL const f64* RESTRICT ty,
                  GLOBAL const f64* RESTRICT w, GLOBAL const f64* RESTRICT grid_x, GLOBAL const f64* RESTRICT grid_y,
                  i64 n, i64 cols, i64 rows, f64 k, f64 eta)
{
    i64 col = GLOBAL_ID(0) % cols;
    i64 row = GLOBAL_ID(0) / cols;
    if (row >= rows)
        return;
    c64 sum = c64_new(0.0, 0.0);
    for (i64 i = 0; i < n; ++i) {
        f64 dx = grid_x[col] - x[i];
        f64 dy = grid_y[row] - y[i];
        c64 h = cell_integral(k, w[i], dx * tx[i] + dy * ty[i], fabs(dx * ty[i] - dy * tx[i]));
        sum = c64_fma(c64_new(current[i].re, current[i].im), h, sum);
    }
    field[row * cols + col] = c64_scale(-0.25 * k * eta, sum);
}
