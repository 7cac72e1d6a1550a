// Interpolation: c_j = sum_i b_i phi(i0 - x0) phi(i1 - x1) phi(i2 - x2) over the taps of point j, the transpose of spreading; and its gradient,
// with phi' in place of phi along one axis at a time.
//
// Points as in spread.cu. GROUP_ID(1) is the vector of the batch. Beside those of taps.h the host defines LANES_GROUP.

// One work item per point: fastest for many points, which fill the GPU.
KERNEL interpolate_points(POINT_PARAMS, GLOBAL const value *RESTRICT grid, GLOBAL value *RESTRICT out, SIZE_PARAMS) {
    i64 i = GLOBAL_ID(0);
    if (i >= m) return;
    REAL along_x[WIDTH], along_y[WIDTH], along_z[WIDTH];
    i32 x0 = taps_along(0, first, z, i, m, along_x);
    i32 y0 = taps_along(1, first, z, i, m, along_y);
    i32 z0 = taps_along(2, first, z, i, m, along_z);
    value sum = value_new(R(0), R(0));
    // Not unrolled along z: WIDTH^3 copies of the body would be too much code.
    for (i32 jz = 0; jz < WIDTH_Z; jz++) {
        i64 plane = (i64)GROUP_ID(1) * n2 + wrap(z0 + jz, n2);
        UNROLL
        for (i32 jy = 0; jy < WIDTH_Y; jy++) {
            GLOBAL const value *line = grid + (plane * n1 + wrap(y0 + jy, n1)) * n0;
            // Sum along x first: one multiplication by the taps along y and z per line.
            value part = value_new(R(0), R(0));
            UNROLL
            for (i32 jx = 0; jx < WIDTH; jx++) {
                value cell = line[wrap(x0 + jx, n0)];
                part.re = fma(along_x[jx], cell.re, part.re);
                part.im = fma(along_x[jx], cell.im, part.im);
            }
            REAL a = along_z[jz] * along_y[jy];
            sum.re = fma(a, part.re, sum.re);
            sum.im = fma(a, part.im, sum.im);
        }
    }
    // Scattered stores, one per point: results are in the order of the caller.
    out[GROUP_ID(1) * m + order[i]] = sum;
}

// LANES work items per point, one for each tap along x: they read a line of the grid with coalesced loads, and few points still occupy
// the GPU. A group processes several sets of points.
#define LANES (WIDTH <= 8 ? 8 : WIDTH <= 16 ? 16 : 32)
#define POINTS (LANES_GROUP / LANES)

#ifdef __CUDA_ARCH__
// Constant memory serves one address at a time, and the lanes read different taps: a copy in global memory.
static __device__ const REAL lane_coefficients[(DEGREE + 1) * WIDTH] = {COEFFICIENTS};
// The lanes of a point are in one warp.
#define LANES_BARRIER() __syncwarp()
#define SUM_OF_LANES(v, sums)                                          \
    for (i32 stride = LANES / 2; stride > 0; stride /= 2) {               \
        (v).re += __shfl_down_sync(0xffffffffu, (v).re, stride, LANES); \
        (v).im += __shfl_down_sync(0xffffffffu, (v).im, stride, LANES); \
    }
#else
#define lane_coefficients coefficients
#define LANES_BARRIER() BARRIER()
// The sum of v over the lanes of a point, at its first lane.
#define SUM_OF_LANES(v, sums)                            \
    for (i32 stride = LANES / 2; stride > 0; stride /= 2) { \
        sums[LOCAL_ID(0)] = (v);                         \
        BARRIER();                                       \
        if (LOCAL_ID(0) % LANES < stride) {               \
            (v).re += sums[LOCAL_ID(0) + stride].re;      \
            (v).im += sums[LOCAL_ID(0) + stride].im;      \
        }                                                \
        BARRIER();                                       \
    }
#endif

// A polynomial and its derivative by Horner's scheme; the derivative along x in grid points, dz/dx = -2.
DEVICE void tap_and_derivative(const REAL *polynomial, REAL z, REAL *tap, REAL *derivative) {
    REAL a = polynomial[DEGREE], b = R(0);
    UNROLL
    for (i32 d = DEGREE - 1; d >= 0; d--) {
        // Derivative first: it uses the value of the previous step.
        b = fma(b, z, a);
        a = fma(a, z, polynomial[d]);
    }
    *tap = a;
    *derivative = R(-2) * b;
}

// With derivatives != 0 the gradient is written too: gradient[axis][batch][point], per radian. A lane sums its column of the grid over y and
// z, weighted with phi, or phi' along one axis; the lanes of a point are then added up.
KERNEL interpolate_lanes(POINT_PARAMS, GLOBAL const value *RESTRICT grid, GLOBAL value *RESTRICT out,
                         GLOBAL value *RESTRICT gradient, SIZE_PARAMS, i32 derivatives) {
    LOCAL REAL taps[DIM * LANES_GROUP], dtaps[DIM * LANES_GROUP];
#ifndef __CUDA_ARCH__
    LOCAL value sums[LANES_GROUP];
#endif
    i32 t = LOCAL_ID(0), lane = t % LANES, point = t / LANES, j = lane < WIDTH ? lane : 0;
    REAL polynomial[DEGREE + 1];
    UNROLL
    // The polynomial of the lane's tap stays in registers for all points; lanes beyond WIDTH have the tap 0.
    for (i32 d = 0; d <= DEGREE; d++) polynomial[d] = lane < WIDTH ? lane_coefficients[d * WIDTH + j] : R(0);
    // All lanes pass every barrier, also those beyond the last point.
    for (i64 base = (i64)GROUP_ID(0) * POINTS; base < m; base += (i64)NUM_GROUPS(0) * POINTS) {
        i32 valid = base + point < m;
        i64 i = valid ? base + point : base;
        REAL phi_x, dphi_x;
        tap_and_derivative(polynomial, z[i], &phi_x, &dphi_x);
        for (i32 axis = 1; axis < DIM; axis++) {
            REAL tap, derivative;
            tap_and_derivative(polynomial, z[axis * m + i], &tap, &derivative);
            // Taps along y and z are needed by all lanes of the point: through local memory.
            taps[axis * LANES_GROUP + t] = tap;
            if (derivatives) dtaps[axis * LANES_GROUP + t] = derivative;
        }
        LANES_BARRIER();
        LOCAL_PTR const REAL *tap = taps + point * LANES, *dtap = dtaps + point * LANES;
        i32 x = wrap(first[i] + j, n0), y0 = DIM > 1 ? first[m + i] : 0, z0 = DIM > 2 ? first[2 * m + i] : 0;
        value plain = value_new(R(0), R(0)), d_y = plain, d_z = plain;
        for (i32 jz = 0; jz < WIDTH_Z; jz++) {
            i64 plane = (i64)GROUP_ID(1) * n2 + wrap(z0 + jz, n2);
            value line = value_new(R(0), R(0)), d_line = line;
            UNROLL
            for (i32 jy = 0; jy < WIDTH_Y; jy++) {
                // Lanes of a point read consecutive cells.
                value cell = grid[(plane * n1 + wrap(y0 + jy, n1)) * n0 + x];
                REAL a = DIM > 1 ? tap[LANES_GROUP + jy] : R(1);
                line.re = fma(a, cell.re, line.re);
                line.im = fma(a, cell.im, line.im);
                if (derivatives && DIM > 1) {
                    REAL b = dtap[LANES_GROUP + jy];
                    d_line.re = fma(b, cell.re, d_line.re);
                    d_line.im = fma(b, cell.im, d_line.im);
                }
            }
            REAL a = DIM > 2 ? tap[2 * LANES_GROUP + jz] : R(1), b = DIM > 2 && derivatives ? dtap[2 * LANES_GROUP + jz] : R(0);
            plain = value_new(fma(a, line.re, plain.re), fma(a, line.im, plain.im));
            // b is zero without derivatives, and d_z stays zero: no branch.
            d_y = value_new(fma(a, d_line.re, d_y.re), fma(a, d_line.im, d_y.im));
            d_z = value_new(fma(b, line.re, d_z.re), fma(b, line.im, d_z.im));
        }
        i64 target = GROUP_ID(1) * m + order[i], all = NUM_GROUPS(1) * m;
        value sum = value_new(phi_x * plain.re, phi_x * plain.im);
        SUM_OF_LANES(sum, sums);
        if (valid && lane == 0) out[target] = sum;
        if (derivatives) {
            for (i32 axis = 0; axis < DIM; axis++) {
                // Per grid point to per radian: n/2 pi.
                REAL per_radian = (axis == 0 ? n0 : axis == 1 ? n1 : n2) / (R(2) * PI);
                REAL a = per_radian * (axis == 0 ? dphi_x : phi_x);
                value part = axis == 0 ? plain : axis == 1 ? d_y : d_z;
                sum = value_new(a * part.re, a * part.im);
                SUM_OF_LANES(sum, sums);
                if (valid && lane == 0) gradient[axis * all + target] = sum;
            }
        }
        // Taps in local memory are overwritten by the next set of points.
        LANES_BARRIER();
    }
}
