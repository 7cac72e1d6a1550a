// Exercises every macro and function of the prelude; tests/parity.rs compares with Rust.

CONSTANT f64 WEIGHTS[4] = {0.5, -1.25, 2.0, 3.75};

DEVICE f64 dot_weights(CONSTANT_PTR f64 *weights, f64 x) {
    f64 sum = 0.0;
    UNROLL
    for (i32 i = 0; i < 4; i++) sum = fma(sum, x, weights[i]);
    return sum;
}

// out[i] = polynomial of WEIGHTS at x[i], scaled; all scalar argument types.
KERNEL scalars(GLOBAL const f64 *RESTRICT x, GLOBAL f64 *RESTRICT out, i64 n, i32 shift, f32 gain, f64 offset) {
    i64 i = GLOBAL_ID(0);
    if (i >= n) return;
    out[i] = (f64)gain * dot_weights(WEIGHTS, x[i]) + offset + (f64)shift;
}

// Indices of each work item: one row of eight numbers per item of a 3-D launch.
KERNEL indices(GLOBAL i32 *out) {
    // Rows follow the global indices, the first axis fastest, so that the host finds each work
    // item.
    i64 nx = (i64)NUM_GROUPS(0) * GROUP_SIZE(0);
    i64 ny = (i64)NUM_GROUPS(1) * GROUP_SIZE(1);
    i64 row = (GLOBAL_ID(2) * ny + GLOBAL_ID(1)) * nx + GLOBAL_ID(0);
    GLOBAL i32 *o = out + 8 * row;
    o[0] = (i32)GLOBAL_ID(0);
    o[1] = (i32)GLOBAL_ID(1);
    o[2] = (i32)GLOBAL_ID(2);
    // Three indices in one number: the launch has fewer than ten of each.
    o[3] = LOCAL_ID(0) + 10 * LOCAL_ID(1) + 100 * LOCAL_ID(2);
    o[4] = GROUP_ID(0) + 10 * GROUP_ID(1) + 100 * GROUP_ID(2);
    o[5] = GROUP_SIZE(0) + 10 * GROUP_SIZE(1) + 100 * GROUP_SIZE(2);
    o[6] = NUM_GROUPS(0) + 10 * NUM_GROUPS(1) + 100 * NUM_GROUPS(2);
    o[7] = (i32)row;
}

DEVICE f64 tree_sum(LOCAL_PTR f64 *tile, i32 t) {
    // The barrier is outside of the branch: all work items of a group must reach it.
    for (i32 width = 32; width > 0; width >>= 1) {
        if (t < width) tile[t] += tile[t + width];
        BARRIER();
    }
    return tile[0];
}

// Sum of x over groups of 64 by a tree in local memory; then all groups into total by atomics.
KERNEL reduce(GLOBAL const f64 *x, i64 n, GLOBAL f64 *groups, GLOBAL f64 *total, GLOBAL f32 *total_f32,
              GLOBAL i32 *count) {
    LOCAL f64 tile[64];
    i32 t = LOCAL_ID(0);
    i64 i = GLOBAL_ID(0);
    // Work items beyond n contribute zero and stay, since they must reach the barriers.
    tile[t] = i < n ? x[i] : 0.0;
    BARRIER();
    f64 sum = tree_sum(tile, t);
    if (t == 0) groups[GROUP_ID(0)] = sum;
    if (i < n) {
        // The order of atomic additions is not fixed: the test sums small integers, which are exact.
        ATOMIC_ADD_F64(&total[0], x[i]);
        ATOMIC_ADD_F32(&total_f32[0], (f32)x[i]);
        // The previous value is never negative; using it checks that the atomic returns it.
        i32 seen = ATOMIC_ADD_I32(&count[0], 1);
        if (seen < 0) groups[0] = -1.0;
    }
}

// Every complex function, in working precision: sixteen results per pair.
KERNEL complex_functions(GLOBAL const cplx *a, GLOBAL const cplx *b, GLOBAL cplx *out, i32 n) {
    i32 i = (i32)GLOBAL_ID(0);
    if (i >= n) return;
    GLOBAL cplx *o = out + 16 * i;
    cplx x = a[i], y = b[i];
    o[0] = cplx_add(x, y);
    o[1] = cplx_sub(x, y);
    o[2] = cplx_neg(x);
    o[3] = cplx_conj(x);
    o[4] = cplx_scale(y.re, x);
    o[5] = cplx_mulj(x);
    o[6] = cplx_mul(x, y);
    o[7] = cplx_fma(x, y, x);
    o[8] = cplx_new(cplx_abs2(x), cplx_abs(x));
    o[9] = cplx_new(cplx_arg(x), PI);
    o[10] = cplx_div(x, y);
    o[11] = cplx_expj(x.re);
    o[12] = cplx_exp(x);
    o[13] = cplx_sqrt(x);
    REAL s, c;
    SINCOS(x.im, &s, &c);
    o[14] = cplx_new(s, c);
    o[15] = cplx_new(log(R(2.5)), floor(x.re * R(3.0)));
}

// Sizes the host relies on, and unsigned arithmetic.
KERNEL sizes(GLOBAL i64 *out) {
    out[0] = sizeof(i32) + 10 * sizeof(u32) + 100 * sizeof(i64) + 1000 * sizeof(u64);
    out[1] = sizeof(f32) + 10 * sizeof(f64);
    out[2] = sizeof(c32) + 100 * sizeof(c64);
    // Unsigned subtraction wraps: 2^32 - 1, and 2^63 - 1 below, which an i64 still holds.
    out[3] = (i64)((u32)0 - (u32)1);
    out[4] = (i64)(((u64)0 - (u64)1) >> 1);
}

// Each launch adds one to the sum of both neighbors, as the previous launch wrote them: for repeated dependent launches.
KERNEL grow(GLOBAL const i32 *from, GLOBAL i32 *to, i32 count) {
    i32 i = (i32)GLOBAL_ID(0);
    // Nothing may be read before the preceding launch has finished; the next one may start at once,
    // since it waits here too.
    GRID_DEPENDENCY_SYNC();
    TRIGGER_DEPENDENTS();
    if (i < count) to[i] = (from[(i + 1) % count] + from[(i + count - 1) % count]) % 1000 + 1;
}
