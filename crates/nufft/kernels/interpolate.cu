// Interpolation: out = sum over taps of phi phi phi grid, at every point; and its gradient, from the taps' derivatives.
//
// Points as in spread.cu. GROUP_ID(1) is the member of the batch.

// An item per point.
KERNEL interpolate_points(GLOBAL const i32 *RESTRICT first, GLOBAL const REAL *RESTRICT z,
                          GLOBAL const i32 *RESTRICT order, GLOBAL const value *RESTRICT grid,
                          GLOBAL value *RESTRICT out, i64 m, i32 n0, i32 n1, i32 n2) {
    i64 i = GLOBAL_ID(0);
    if (i >= m) return;
    REAL along_x[WIDTH], along_y[WIDTH], along_z[WIDTH];
    i32 x0 = taps_along(0, first, z, i, m, along_x);
    i32 y0 = taps_along(1, first, z, i, m, along_y);
    i32 z0 = taps_along(2, first, z, i, m, along_z);
    value sum = value_new(R(0), R(0));
    for (i32 jz = 0; jz < WIDTH_Z; jz++) {
        i64 plane = (i64)GROUP_ID(1) * n2 + wrapped(z0 + jz, n2);
        UNROLL
        for (i32 jy = 0; jy < WIDTH_Y; jy++) {
            GLOBAL const value *line = grid + (plane * n1 + wrapped(y0 + jy, n1)) * n0;
            value part = value_new(R(0), R(0));
            UNROLL
            for (i32 jx = 0; jx < WIDTH; jx++) {
                value cell = line[wrapped(x0 + jx, n0)];
                part.re = fma(along_x[jx], cell.re, part.re);
                part.im = fma(along_x[jx], cell.im, part.im);
            }
            REAL a = along_z[jz] * along_y[jy];
            sum.re = fma(a, part.re, sum.re);
            sum.im = fma(a, part.im, sum.im);
        }
    }
    out[GROUP_ID(1) * m + order[i]] = sum;
}

// LANES items per point, each with one tap along x: they read a line of the grid side by side, and few points still
// make many items. A group takes one set of points after another.
#define LANES (WIDTH <= 8 ? 8 : WIDTH <= 16 ? 16 : 32)
#define GROUP 128
#define POINTS (GROUP / LANES)

#ifdef __CUDA_ARCH__
// Constant memory serves one address at a time, and lanes want as many as there are taps: a copy in ordinary memory.
static __device__ const REAL lane_coefficients[(DEGREE + 1) * WIDTH] = {COEFFICIENTS};
// The lanes of a point lie in one warp.
#define LANES_MEET() __syncwarp()
#define SUM_OF_LANES(v, sums)                                          \
    for (i32 reach = LANES / 2; reach > 0; reach /= 2) {               \
        (v).re += __shfl_down_sync(0xffffffffu, (v).re, reach, LANES); \
        (v).im += __shfl_down_sync(0xffffffffu, (v).im, reach, LANES); \
    }
#else
#define lane_coefficients coefficients
#define LANES_MEET() BARRIER()
// The sum of v over the lanes of a point, at its first lane.
#define SUM_OF_LANES(v, sums)                            \
    for (i32 reach = LANES / 2; reach > 0; reach /= 2) { \
        sums[LOCAL_ID(0)] = (v);                         \
        BARRIER();                                       \
        if (LOCAL_ID(0) % LANES < reach) {               \
            (v).re += sums[LOCAL_ID(0) + reach].re;      \
            (v).im += sums[LOCAL_ID(0) + reach].im;      \
        }                                                \
        BARRIER();                                       \
    }
#endif

// The value of a polynomial and its derivative along x in grid points, dz/dx = -2.
DEVICE void tap_and_slope(const REAL *polynomial, REAL z, REAL *tap, REAL *slope) {
    REAL a = polynomial[DEGREE], b = R(0);
    UNROLL
    for (i32 d = DEGREE - 1; d >= 0; d--) {
        b = fma(b, z, a);
        a = fma(a, z, polynomial[d]);
    }
    *tap = a;
    *slope = R(-2) * b;
}

// With slopes != 0 the gradient is written too: gradient[axis][batch][point], per radian.
KERNEL interpolate_lanes(GLOBAL const i32 *RESTRICT first, GLOBAL const REAL *RESTRICT z,
                         GLOBAL const i32 *RESTRICT order, GLOBAL const value *RESTRICT grid,
                         GLOBAL value *RESTRICT out, GLOBAL value *RESTRICT gradient, i64 m, i32 n0, i32 n1, i32 n2,
                         i32 slopes) {
    LOCAL REAL taps[DIM * GROUP], tilts[DIM * GROUP];
#ifndef __CUDA_ARCH__
    LOCAL value sums[GROUP];
#endif
    i32 t = LOCAL_ID(0), lane = t % LANES, point = t / LANES, j = lane < WIDTH ? lane : 0;
    REAL polynomial[DEGREE + 1];
    UNROLL
    for (i32 d = 0; d <= DEGREE; d++) polynomial[d] = lane < WIDTH ? lane_coefficients[d * WIDTH + j] : R(0);
    for (i64 base = (i64)GROUP_ID(0) * POINTS; base < m; base += (i64)NUM_GROUPS(0) * POINTS) {
        i32 there = base + point < m;
        i64 i = there ? base + point : base;
        REAL across, across_tilt;
        tap_and_slope(polynomial, z[i], &across, &across_tilt);
        for (i32 axis = 1; axis < DIM; axis++) {
            REAL tap, slope;
            tap_and_slope(polynomial, z[axis * m + i], &tap, &slope);
            taps[axis * GROUP + t] = tap;
            if (slopes) tilts[axis * GROUP + t] = slope;
        }
        LANES_MEET();
        LOCAL_PTR const REAL *tap = taps + point * LANES, *tilt = tilts + point * LANES;
        i32 x = wrapped(first[i] + j, n0), y0 = DIM > 1 ? first[m + i] : 0, z0 = DIM > 2 ? first[2 * m + i] : 0;
        value plain = value_new(R(0), R(0)), tilted_y = plain, tilted_z = plain;
        for (i32 jz = 0; jz < WIDTH_Z; jz++) {
            i64 plane = (i64)GROUP_ID(1) * n2 + wrapped(z0 + jz, n2);
            value line = value_new(R(0), R(0)), tilted = line;
            UNROLL
            for (i32 jy = 0; jy < WIDTH_Y; jy++) {
                value cell = grid[(plane * n1 + wrapped(y0 + jy, n1)) * n0 + x];
                REAL a = DIM > 1 ? tap[GROUP + jy] : R(1);
                line.re = fma(a, cell.re, line.re);
                line.im = fma(a, cell.im, line.im);
                if (slopes && DIM > 1) {
                    REAL b = tilt[GROUP + jy];
                    tilted.re = fma(b, cell.re, tilted.re);
                    tilted.im = fma(b, cell.im, tilted.im);
                }
            }
            REAL a = DIM > 2 ? tap[2 * GROUP + jz] : R(1), b = DIM > 2 && slopes ? tilt[2 * GROUP + jz] : R(0);
            plain = value_new(fma(a, line.re, plain.re), fma(a, line.im, plain.im));
            tilted_y = value_new(fma(a, tilted.re, tilted_y.re), fma(a, tilted.im, tilted_y.im));
            tilted_z = value_new(fma(b, line.re, tilted_z.re), fma(b, line.im, tilted_z.im));
        }
        i64 target = GROUP_ID(1) * m + order[i], all = NUM_GROUPS(1) * m;
        value sum = value_new(across * plain.re, across * plain.im);
        SUM_OF_LANES(sum, sums);
        if (there && lane == 0) out[target] = sum;
        if (slopes) {
            for (i32 axis = 0; axis < DIM; axis++) {
                REAL per_radian = (axis == 0 ? n0 : axis == 1 ? n1 : n2) / (R(2) * PI);
                REAL a = per_radian * (axis == 0 ? across_tilt : across);
                value part = axis == 0 ? plain : axis == 1 ? tilted_y : tilted_z;
                sum = value_new(a * part.re, a * part.im);
                SUM_OF_LANES(sum, sums);
                if (there && lane == 0) gradient[axis * all + target] = sum;
            }
        }
        LANES_MEET();
    }
}
