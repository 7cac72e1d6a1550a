// Linear predictive border padding (LPBP) with coefficients for each row and each column, and propagation in k-space.
//
// Scholte, Lopez Arteaga, Roozen and Nijmeijer, J. Acoust. Soc. Am. 125 (2009) 3844; the FFTs between the kernels are those of the device.
//
// Macros: REAL; COLUMNS and ROWS of the array; ORDER_X and ORDER_Y, the prediction orders along them, and ORDER, the larger; LONGER, the larger of
// COLUMNS and ROWS; FIELDS of a hologram; ITEMS of a group that extrapolates a line, a power of two. Predictions are computed in double
// precision, as on the CPU: columns are predicted from predicted rows, and errors accumulate.

#define PADDED_COLUMNS (3 * COLUMNS)
#define PADDED_ROWS (3 * ROWS)

// The sums of three values over a group, in sums[0..3] for all work items.
DEVICE void group_sums(LOCAL_PTR f64 *sums, LOCAL_PTR f64 *partial, f64 re, f64 im, f64 power, i32 item) {
    partial[item] = re;
    partial[ITEMS + item] = im;
    partial[2 * ITEMS + item] = power;
    BARRIER();
    for (i32 step = ITEMS / 2; step > 0; step /= 2) {
        // Three sums in one pass: the barriers are shared.
        if (item < step)
            for (i32 i = 0; i < 3; ++i) partial[i * ITEMS + item] += partial[i * ITEMS + step + item];
        BARRIER();
    }
    if (item < 3) sums[item] = partial[item * ITEMS];
    BARRIER();
}

// Burg's method (Marple, Digital Spectral Analysis, 1987, section 8.5) for the `points` values in the middle third of `line`, then
// extrapolation to both sides. With the forward and backward prediction errors f and b, at order m:
//
//   k = -2 sum f[n] b*[n-1] / sum(|f[n]|^2 + |b[n-1]|^2)      reflection coefficient
//   a_i += k a*_{m-1-i},  a_m = k                             Levinson's recursion
//   f[n] += k b[n-1],  b[n-1] += k* f[n]
//   x[n] = -sum_i a_i x[n-1-i]                                prediction; backwards with the conjugates
DEVICE void extrapolate(LOCAL_PTR c64 *line, LOCAL_PTR c64 *forward, LOCAL_PTR c64 *backward, LOCAL_PTR c64 *a, LOCAL_PTR f64 *sums,
                        LOCAL_PTR f64 *partial, i32 points, i32 order, i32 item) {
    // Order 0: both errors are the signal itself.
    for (i32 i = item; i < points; i += ITEMS) forward[i] = backward[i] = line[points + i];
    BARRIER();
    for (i32 m = 0; m < order; ++m) {
        f64 re = 0.0, im = 0.0, power = 0.0;
        // Strided over work items; the number of pairs falls by one with each order.
        for (i32 i = item; i + m + 1 < points; i += ITEMS) {
            c64 f = forward[i + m + 1], b = backward[i], product = c64_mul(f, c64_conj(b));
            re += product.re;
            im += product.im;
            power += c64_abs2(f) + c64_abs2(b);
        }
        group_sums(sums, partial, re, im, power, item);
        // Without any error left, the prediction is exact and k is zero.
        f64 scale = sums[2] > 0.0 ? -2.0 / sums[2] : 0.0;
        c64 k = c64_new(scale * sums[0], scale * sums[1]), updated = k;
        if (item < m) updated = c64_fma(k, c64_conj(a[m - 1 - item]), a[item]);
        for (i32 i = item; i + m + 1 < points; i += ITEMS) {
            c64 f = forward[i + m + 1], b = backward[i];
            forward[i + m + 1] = c64_fma(k, b, f);
            backward[i] = c64_fma(c64_conj(k), f, b);
        }
        // All work items have read a before any of them overwrites it.
        BARRIER();
        if (item <= m) a[item] = updated;
        BARRIER();
    }
    // The recursion is sequential: one work item extrapolates forwards, another backwards.
    if (item < 2)
        for (i32 n = 0; n < points; ++n) {
            i32 at = item ? points - 1 - n : 2 * points + n;
            c64 next = c64_new(0.0, 0.0);
            for (i32 i = 0; i < order; ++i) {
                c64 previous = line[item ? at + 1 + i : at - 1 - i];
                next = c64_fma(item ? c64_conj(a[i]) : a[i], previous, next);
            }
            line[at] = c64_neg(next);
        }
    BARRIER();
}

// Local memory of a group that extrapolates a line.
#define LINE_BUFFERS                                                                                         \
    LOCAL c64 line[3 * LONGER];                                                                              \
    LOCAL c64 forward[LONGER];                                                                               \
    LOCAL c64 backward[LONGER];                                                                              \
    LOCAL c64 a[ORDER];                                                                                      \
    LOCAL f64 sums[3];                                                                                       \
    LOCAL f64 partial[3 * ITEMS];                                                                            \
    i32 item = LOCAL_ID(0);                                                                                  \
    i64 hologram = GROUP_ID(1)

// Extrapolates each row of the array along x. phasors: [hologram][row][column]; rows: [hologram][row][x].
KERNEL extrapolate_rows(GLOBAL const cplx *RESTRICT phasors, GLOBAL c64 *RESTRICT rows) {
    LINE_BUFFERS;
    i64 row = hologram * ROWS + GROUP_ID(0);
    for (i32 x = item; x < COLUMNS; x += ITEMS) {
        cplx p = phasors[row * COLUMNS + x];
        line[COLUMNS + x] = c64_new(p.re, p.im);
    }
    BARRIER();
    extrapolate(line, forward, backward, a, sums, partial, COLUMNS, ORDER_X, item);
    for (i32 x = item; x < PADDED_COLUMNS; x += ITEMS) rows[row * PADDED_COLUMNS + x] = line[x];
}

// Extrapolates each column of that along y, and applies the Tukey windows of both axes. padded: [hologram][y][x].
KERNEL extrapolate_columns(GLOBAL const c64 *RESTRICT rows, GLOBAL const f64 *RESTRICT window_x, GLOBAL const f64 *RESTRICT window_y,
                           GLOBAL cplx *RESTRICT padded) {
    LINE_BUFFERS;
    i32 x = GROUP_ID(0);
    for (i32 y = item; y < ROWS; y += ITEMS) line[ROWS + y] = rows[(hologram * ROWS + y) * PADDED_COLUMNS + x];
    BARRIER();
    extrapolate(line, forward, backward, a, sums, partial, ROWS, ORDER_Y, item);
    for (i32 y = item; y < PADDED_ROWS; y += ITEMS) {
        f64 weight = window_x[x] * window_y[y];
        padded[(hologram * PADDED_ROWS + y) * PADDED_COLUMNS + x] =
            cplx_new((REAL)(weight * line[y].re), (REAL)(weight * line[y].im));
    }
}

// Multiplies the k-space spectrum by the propagator of each field, G = F e^{j k_z z}: [hologram][field][k_y][k_x].
KERNEL propagate(GLOBAL const cplx *RESTRICT spectrum, GLOBAL const cplx *RESTRICT propagators, GLOBAL cplx *RESTRICT propagated, i64 count) {
    i64 i = GLOBAL_ID(0);
    if (i >= count) return;
    i64 wave = i % (PADDED_COLUMNS * PADDED_ROWS), hologram = i / (PADDED_COLUMNS * PADDED_ROWS) / FIELDS;
    propagated[i] = cplx_mul(spectrum[hologram * PADDED_COLUMNS * PADDED_ROWS + wave], propagators[i]);
}

// The part of each field over the aperture, the middle third along both axes: [hologram][field][row][column].
KERNEL crop(GLOBAL const cplx *RESTRICT padded, GLOBAL cplx *RESTRICT fields, i64 count) {
    i64 i = GLOBAL_ID(0);
    if (i >= count) return;
    i64 field = i / (ROWS * COLUMNS), point = i % (ROWS * COLUMNS);
    fields[i] = padded[(field * PADDED_ROWS + ROWS + point / COLUMNS) * PADDED_COLUMNS + COLUMNS + point % COLUMNS];
}
