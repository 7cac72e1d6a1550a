// The taps of a point: the spreading kernel phi at the WIDTH grid points around it along an axis, one polynomial per tap.
//
//   x0 = ceil(x - WIDTH/2)                     first tap, x in grid points
//   z  = 2 (x0 - x) + WIDTH - 1                local coordinate in [-1, 1)
//   phi(x0 + j - x) = sum_d c_dj z^d           piecewise polynomial (Chebyshev fit on the host, src/table.rs)
//
// as FINUFFT evaluates its kernel (A. H. Barnett, J. Magland and L. af Klinteberg, SIAM J. Sci. Comput. 41 (2019), C479-C504).
//
// Defined by the host: REAL, DIM, WIDTH, DEGREE, COEFFICIENTS (from the constant term up, WIDTH values each).

CONSTANT REAL coefficients[(DEGREE + 1) * WIDTH] = {COEFFICIENTS};

// Parameters that the kernels of spread.cu and interpolate.cu share: the located points (first taps, z, and indices in the arrays of the caller),
// and the number of points with the sizes of the grid.
#define POINT_PARAMS GLOBAL const i32 *RESTRICT first, GLOBAL const REAL *RESTRICT z, GLOBAL const i32 *RESTRICT order
#define SIZE_PARAMS i64 m, i32 n0, i32 n1, i32 n2

// Taps along each axis; unused axes have one.
#define WIDTH_Y (DIM > 1 ? WIDTH : 1)
#define WIDTH_Z (DIM > 2 ? WIDTH : 1)

#define ATOMIC_ADD_float(p, v) ATOMIC_ADD_F32(p, v)
#define ATOMIC_ADD_double(p, v) ATOMIC_ADD_F64(p, v)
#define ATOMIC_ADD_REAL PASTE(ATOMIC_ADD_, REAL)

// All taps at z by Horner's scheme. Unrolled, so that the indices are compile-time constants and the coefficients become immediate
// operands.
DEVICE void all_taps(REAL z, REAL *taps) {
    UNROLL
    for (i32 j = 0; j < WIDTH; j++) taps[j] = coefficients[DEGREE * WIDTH + j];
    UNROLL
    for (i32 d = DEGREE - 1; d >= 0; d--) {
        UNROLL
        for (i32 j = 0; j < WIDTH; j++) taps[j] = fma(taps[j], z, coefficients[d * WIDTH + j]);
    }
}

// The taps of point i of m along an axis, and the grid index of the first; for an unused axis one tap of 1 at index 0.
DEVICE i32 taps_along(i32 axis, GLOBAL const i32 *first, GLOBAL const REAL *z, i64 i, i64 m, REAL *taps) {
    if (axis >= DIM) {
        taps[0] = R(1);
        return 0;
    }
    all_taps(z[axis * m + i], taps);
    return first[axis * m + i];
}

// Index i of a periodic axis of n; 0 <= i < 2 n.
DEVICE i32 wrap(i32 i, i32 n) { return i < n ? i : i - n; }
