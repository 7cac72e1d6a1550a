// Array factor, pattern, distance from the mask and gradients of a reflectarray at one frequency. The launch order is in
// src/gpu/pattern.rs and src/gpu/gradient.rs.
//
//   a_n         = p_n exp(-j beta r_n)/r_n exp(j psi_n)                            excitation: feed illumination and phase shift
//   p_n         = cos^m(theta_n), or from samples                                  pattern of the feed toward the element
//   F(u_h, v_k) = sum_n a_n ex_hn ey_kn,   ex_hn = exp(j beta u_h x_n),  ey_kn = exp(j beta v_k y_n)      array factor
//   E           = g F                                                              field: element pattern times array factor
//   Phi         = sum_hk (|E|^2 - P|E|^2)^2                                        P: projection onto the mask
//   S[W]_n      = sum_hk W_hk ex_hn ey_kn                                          adjoint sum
//
// after A. Capozzoli, C. Curcio, A. Liseno and G. Toso, "Fast, phase-only synthesis of aperiodic reflectarrays using NUFFTs and
// CUDA" (2016), and
// C. A. Balanis, "Antenna Theory", ch. 6 (array factor).
//
// Matrices are column-major, samples have u fastest. A cell is an entry of the matrix of elements: columns x rows of a grid, where
// cells may be empty, or one cell per element if the elements form no grid.
//
// Defined by the host (src/gpu/kernels.rs): SIDE, GROUP = SIDE^2, BLOCK_SAMPLES, BLOCK_ELEMENTS; the sections of the design buffer
// DESIGN_PHASE, DESIGN_X, DESIGN_Y in units of the number of elements, and FACTOR_VALUE, FACTOR_DX, FACTOR_DY of the factors of a sampled
// feed; the order SUM_W, SUM_UW, SUM_VW of the adjoint sums and of
// the gradients in psi, x and y; ALL_SUMS.

// Terms of a sum that a group loads into local memory at a time.
#define DEPTH 16
// Samples and elements that each item accumulates along an axis: register blocking, so that a value loaded from local memory is
// used TILE_SAMPLES or TILE_ELEMENTS times.
#define TILE_SAMPLES (BLOCK_SAMPLES / SIDE)
#define TILE_ELEMENTS (BLOCK_ELEMENTS / SIDE)
// Row length of a local table that is written along one axis and read along the other: one extra entry avoids bank conflicts.
#define PADDED(n) ((n) + 1)

// Wavenumber and feed: offset and height of the array center, exponent m of the feed pattern. If `factors` is not negative, the
// pattern has samples: m is 0, and p and its logarithmic derivatives in x and y stand in the design buffer from `factors` on.
#define FEED_PARAMS f64 beta, f64 offset, f64 height, f64 exponent, i64 factors
// Weighted field, exponentials and directions; the partial sums; numbers of directions and elements.
#define ADJOINT_PARAMS                                                                                                   \
    GLOBAL const c64 *RESTRICT w, GLOBAL const c64 *RESTRICT ex, GLOBAL const c64 *RESTRICT ey, GLOBAL const f64 *RESTRICT u, \
        GLOBAL const f64 *RESTRICT v, GLOBAL c64 *RESTRICT result, i64 nu, i64 nv, i64 n

// The factor of a sampled feed at element e of n: FACTOR_VALUE, FACTOR_DX or FACTOR_DY, its real and imaginary parts in turn.
DEVICE c64 feed_factor(GLOBAL const f64 *RESTRICT design, i64 factors, i64 n, i32 which, i32 e) {
    return c64_new(design[factors + which * n + e], design[factors + (which + 1) * n + e]);
}

// table_hk = exp(j beta u_h x_k), for the coordinates x from `first` on.
KERNEL exponentials(GLOBAL const f64 *RESTRICT u, GLOBAL const f64 *RESTRICT x, i64 first, GLOBAL c64 *RESTRICT table, i64 nu,
                    i64 count, f64 beta) {
    i64 h = GLOBAL_ID(0), k = GLOBAL_ID(1);
    if (h >= nu || k >= count) return;
    table[h + nu * k] = c64_expj(beta * u[h] * x[first + k]);
}

// Excitations a = cos^m(theta) exp(j (psi - beta r))/r, with r the distance from the feed at the origin to the element at
// (x, y + offset, height) and theta the angle from the feed's boresight, which points at the array center (0, offset, height):
// cos(theta) = (r . r_0)/(|r| |r_0|). Empty cells have a = 0.
KERNEL excitations(GLOBAL const f64 *RESTRICT design, GLOBAL const i32 *RESTRICT element, GLOBAL c64 *RESTRICT a, i64 n,
                   i64 cells, FEED_PARAMS) {
    i64 cell = GLOBAL_ID(0);
    if (cell >= cells) return;
    i32 e = element[cell];
    if (e < 0) {
        a[cell] = c64_new(0.0, 0.0);
        return;
    }
    f64 psi = design[DESIGN_PHASE * n + e], x = design[DESIGN_X * n + e], y = design[DESIGN_Y * n + e] + offset;
    f64 r = sqrt(x * x + y * y + height * height), r0 = sqrt(offset * offset + height * height);
    // The clamp removes rounding beyond 1 and the back half space of the feed.
    f64 cosine = fmin(fmax((y * offset + height * height) / (r * r0), 0.0), 1.0);
    c64 wave = c64_scale(pow(cosine, exponent) / r, c64_expj(psi - beta * r));
    a[cell] = factors < 0 ? wave : c64_mul(feed_factor(design, factors, n, FACTOR_VALUE, e), wave);
}

// Matrix product c_ij = sum_k a_ik b_kj for each pair of matrices along axis 2, entries of a and b addressed by strides. Tiled: a
// group computes SIDE x SIDE entries of c and loads 2 DEPTH terms of the inner sum at a time.
KERNEL product(GLOBAL const c64 *RESTRICT a, i64 a_row, i64 a_inner, i64 a_next, GLOBAL const c64 *RESTRICT b, i64 b_column,
               i64 b_inner, i64 b_next, GLOBAL c64 *RESTRICT c, i64 rows, i64 columns, i64 inner) {
    LOCAL c64 left[SIDE * 2 * DEPTH];
    LOCAL c64 right[SIDE * 2 * DEPTH];
    i32 x = LOCAL_ID(0), y = LOCAL_ID(1), z = GROUP_ID(2), item = x + SIDE * y;
    i64 i0 = (i64)SIDE * GROUP_ID(0), j0 = (i64)SIDE * GROUP_ID(1);
    c64 sum = c64_new(0.0, 0.0);
    for (i64 k0 = 0; k0 < inner; k0 += 2 * DEPTH) {
        for (i32 t = item; t < SIDE * 2 * DEPTH; t += GROUP) {
            i64 i = i0 + t % SIDE, j = j0 + t % SIDE, k = k0 + t / SIDE;
            left[t] = right[t] = c64_new(0.0, 0.0);
            if (k < inner && i < rows) left[t] = a[i * a_row + k * a_inner + z * a_next];
            if (k < inner && j < columns) right[t] = b[j * b_column + k * b_inner + z * b_next];
        }
        // All entries of both tiles are loaded before any is
        // used, and used before the next ones overwrite them.
        BARRIER();
        UNROLL
        for (i32 k = 0; k < 2 * DEPTH; k++) sum = c64_fma(left[x + SIDE * k], right[y + SIDE * k], sum);
        BARRIER();
    }
    i64 i = i0 + x, j = j0 + y;
    if (i < rows && j < columns) c[i + rows * (j + columns * z)] = sum;
}

// Partial array factor sums_hk = sum_n a_n ex_hn ey_kn over `partial` elements, chosen by the group's index along axis 2. A group
// computes a block of BLOCK_SAMPLES x BLOCK_SAMPLES samples.
KERNEL array_factor(GLOBAL const c64 *RESTRICT ex, GLOBAL const c64 *RESTRICT ey, GLOBAL const c64 *RESTRICT a,
                    GLOBAL c64 *RESTRICT sums, i64 nu, i64 nv, i64 n, i64 partial) {
    LOCAL c64 left[BLOCK_SAMPLES * DEPTH];
    LOCAL c64 right[BLOCK_SAMPLES * DEPTH];
    i32 x = LOCAL_ID(0), y = LOCAL_ID(1), item = x + SIDE * y;
    i64 h0 = (i64)BLOCK_SAMPLES * GROUP_ID(0), k0 = (i64)BLOCK_SAMPLES * GROUP_ID(1);
    // Elements are divided among groups where there are too few blocks of samples to fill the GPU.
    i64 from = partial * GROUP_ID(2), to = from + partial < n ? from + partial : n;
    c64 sum[TILE_SAMPLES][TILE_SAMPLES];
    UNROLL
    for (i32 p = 0; p < TILE_SAMPLES; p++) {
        UNROLL
        for (i32 q = 0; q < TILE_SAMPLES; q++) sum[p][q] = c64_new(0.0, 0.0);
    }
    for (i64 first = from; first < to; first += DEPTH) {
        for (i32 t = item; t < BLOCK_SAMPLES * DEPTH; t += GROUP) {
            i64 h = h0 + t % BLOCK_SAMPLES, k = k0 + t % BLOCK_SAMPLES, e = first + t / BLOCK_SAMPLES;
            left[t] = right[t] = c64_new(0.0, 0.0);
            if (e < to && h < nu) left[t] = ex[h + nu * e];
            // The excitation is applied here, once per element and v, not in the inner loop.
            if (e < to && k < nv) right[t] = c64_mul(a[e], ey[k + nv * e]);
        }
        BARRIER();
        for (i32 d = 0; d < DEPTH; d++) {
            c64 across[TILE_SAMPLES];
            UNROLL
            for (i32 q = 0; q < TILE_SAMPLES; q++) across[q] = right[y + SIDE * q + BLOCK_SAMPLES * d];
            UNROLL
            for (i32 p = 0; p < TILE_SAMPLES; p++) {
                c64 along = left[x + SIDE * p + BLOCK_SAMPLES * d];
                UNROLL
                for (i32 q = 0; q < TILE_SAMPLES; q++) sum[p][q] = c64_fma(along, across[q], sum[p][q]);
            }
        }
        BARRIER();
    }
    UNROLL
    for (i32 p = 0; p < TILE_SAMPLES; p++) {
        UNROLL
        for (i32 q = 0; q < TILE_SAMPLES; q++) {
            i64 h = h0 + x + SIDE * p, k = k0 + y + SIDE * q;
            if (h < nu && k < nv) sums[h + nu * (k + nv * GROUP_ID(2))] = sum[p][q];
        }
    }
}

// W = g E* weight, uW and vW at sample i: the inputs of the adjoint sums.
DEVICE void set_weighted(GLOBAL c64 *w, c64 g, c64 e, f64 weight, f64 u, f64 v, i64 i, i64 samples) {
    c64 value = c64_scale(weight, c64_mul(g, c64_conj(e)));
    w[SUM_W * samples + i] = value;
    w[SUM_UW * samples + i] = c64_scale(u, value);
    w[SUM_VW * samples + i] = c64_scale(v, value);
}

// Field E = g F from the partial array factors, intensity |E|^2, and the distance from the mask with the weights of its gradient:
//
//   miss = |E|^2 - P|E|^2,   P|E|^2 = min(max(|E|^2, lower), upper),   Phi = sum miss^2,   d(Phi)/d|E|^2 = 2 miss
//
// `bounds` holds all lower bounds, then all upper ones. `cost` begins with Phi group by group; the host adds up the groups.
KERNEL pattern(GLOBAL const c64 *RESTRICT sums, GLOBAL const c64 *RESTRICT g, GLOBAL const f64 *RESTRICT bounds,
               GLOBAL const f64 *RESTRICT u, GLOBAL const f64 *RESTRICT v, GLOBAL c64 *RESTRICT field, GLOBAL c64 *RESTRICT w,
               GLOBAL f64 *RESTRICT intensity, GLOBAL f64 *RESTRICT cost, i64 nu, i64 nv, i64 partial_sums) {
    LOCAL f64 squares[GROUP];
    i64 i = GLOBAL_ID(0), samples = nu * nv;
    i32 item = LOCAL_ID(0);
    f64 miss = 0.0;
    if (i < samples) {
        c64 e = c64_new(0.0, 0.0);
        for (i64 s = 0; s < partial_sums; s++) e = c64_add(e, sums[i + samples * s]);
        e = c64_mul(e, g[i]);
        f64 power = c64_abs2(e);
        miss = power - fmin(fmax(power, bounds[i]), bounds[samples + i]);
        field[i] = e;
        intensity[i] = power;
        set_weighted(w, g[i], e, 2.0 * miss, u[i % nu], v[i / nu], i, samples);
    }
    squares[item] = miss * miss;
    // Tree reduction in a fixed order: the sum is the same in every run.
    // The barrier is at the start of each step: it also
    // separates the stores above from the first reads.
    for (i32 stride = GROUP / 2; stride > 0; stride /= 2) {
        BARRIER();
        if (item < stride) squares[item] += squares[item + stride];
    }
    if (item == 0) cost[GROUP_ID(0)] = squares[0];
}

// W = g E* w for weights w = dC/d|E|^2 of any cost C, computed on the host.
KERNEL weighted_field(GLOBAL const f64 *RESTRICT weights, GLOBAL const c64 *RESTRICT g, GLOBAL const c64 *RESTRICT field,
                      GLOBAL const f64 *RESTRICT u, GLOBAL const f64 *RESTRICT v, GLOBAL c64 *RESTRICT w, i64 nu, i64 nv) {
    i64 i = GLOBAL_ID(0);
    if (i >= nu * nv) return;
    set_weighted(w, g[i], field[i], weights[i], u[i % nu], v[i / nu], i, nu * nv);
}

// Partial adjoint sums S[W], and S[uW] and S[vW] if `sums` is ALL_SUMS, over the BLOCK_SAMPLES values of u chosen by the group's
// index along axis 0, for BLOCK_ELEMENTS elements. First the sum over v for each u and element, (W Ey)_hn and (vW Ey)_hn, in registers;
// then the sum over u with ex_hn, where u multiplies for S[uW]. `sums` is a literal in each caller, so that the compiler drops the
// unused accumulators.
DEVICE void adjoint_sums(LOCAL_PTR c64 *left, LOCAL_PTR c64 *right, ADJOINT_PARAMS, i32 sums) {
    i32 x = LOCAL_ID(0), y = LOCAL_ID(1), item = x + SIDE * y;
    i64 h0 = (i64)BLOCK_SAMPLES * GROUP_ID(0), e0 = (i64)BLOCK_ELEMENTS * GROUP_ID(1);
    c64 we[TILE_SAMPLES][TILE_ELEMENTS], vwe[TILE_SAMPLES][TILE_ELEMENTS];
    UNROLL
    for (i32 p = 0; p < TILE_SAMPLES; p++) {
        UNROLL
        for (i32 q = 0; q < TILE_ELEMENTS; q++) we[p][q] = vwe[p][q] = c64_new(0.0, 0.0);
    }
    for (i64 k0 = 0; k0 < nv; k0 += DEPTH) {
        for (i32 t = item; t < BLOCK_SAMPLES * DEPTH; t += GROUP) {
            i64 h = h0 + t % BLOCK_SAMPLES, k = k0 + t / BLOCK_SAMPLES;
            left[t] = c64_new(0.0, 0.0);
            if (h < nu && k < nv) left[t] = w[h + nu * k];
        }
        // k runs fastest in ey, so the loads of neighboring items coalesce; the transposed store is padded.
        for (i32 t = item; t < BLOCK_ELEMENTS * DEPTH; t += GROUP) {
            i32 d = t % DEPTH, j = t / DEPTH;
            c64 value = c64_new(0.0, 0.0);
            if (e0 + j < n && k0 + d < nv) value = ey[k0 + d + nv * (e0 + j)];
            right[j + PADDED(BLOCK_ELEMENTS) * d] = value;
        }
        BARRIER();
        for (i32 d = 0; d < DEPTH; d++) {
            c64 across[TILE_ELEMENTS], v_across[TILE_ELEMENTS];
            f64 v_here = sums == ALL_SUMS && k0 + d < nv ? v[k0 + d] : 0.0;
            UNROLL
            for (i32 q = 0; q < TILE_ELEMENTS; q++) {
                across[q] = right[y + SIDE * q + PADDED(BLOCK_ELEMENTS) * d];
                v_across[q] = c64_scale(v_here, across[q]);
            }
            UNROLL
            for (i32 p = 0; p < TILE_SAMPLES; p++) {
                c64 along = left[x + SIDE * p + BLOCK_SAMPLES * d];
                UNROLL
                for (i32 q = 0; q < TILE_ELEMENTS; q++) {
                    we[p][q] = c64_fma(along, across[q], we[p][q]);
                    if (sums == ALL_SUMS) vwe[p][q] = c64_fma(along, v_across[q], vwe[p][q]);
                }
            }
        }
        BARRIER();
    }
    for (i32 which = 0; which < sums; which++) {
        // The item's own values of u first, then a reduction over the SIDE items that share an element.
        UNROLL
        for (i32 q = 0; q < TILE_ELEMENTS; q++) {
            i64 e = e0 + y + SIDE * q;
            c64 sum = c64_new(0.0, 0.0);
            UNROLL
            for (i32 p = 0; p < TILE_SAMPLES; p++) {
                i64 h = h0 + x + SIDE * p;
                if (h >= nu || e >= n) continue;
                c64 term = c64_mul(ex[h + nu * e], which == SUM_VW ? vwe[p][q] : we[p][q]);
                sum = c64_add(sum, which == SUM_UW ? c64_scale(u[h], term) : term);
            }
            left[x + PADDED(SIDE) * (y + SIDE * q)] = sum;
        }
        BARRIER();
        if (item < BLOCK_ELEMENTS && e0 + item < n) {
            c64 sum = c64_new(0.0, 0.0);
            for (i32 t = 0; t < SIDE; t++) sum = c64_add(sum, left[t + PADDED(SIDE) * item]);
            result[e0 + item + n * (which + (i64)sums * GROUP_ID(0))] = sum;
        }
        BARRIER();
    }
}

// S[W]: the gradient in the phases.
KERNEL adjoint_phase(ADJOINT_PARAMS) {
    LOCAL c64 left[BLOCK_SAMPLES * DEPTH];
    LOCAL c64 right[PADDED(BLOCK_ELEMENTS) * DEPTH];
    adjoint_sums(left, right, w, ex, ey, u, v, result, nu, nv, n, 1);
}

// S[W], S[uW] and S[vW]: the gradients in phases and positions.
KERNEL adjoint_phase_and_position(ADJOINT_PARAMS) {
    LOCAL c64 left[BLOCK_SAMPLES * DEPTH];
    LOCAL c64 right[PADDED(BLOCK_ELEMENTS) * DEPTH];
    adjoint_sums(left, right, w, ex, ey, u, v, result, nu, nv, n, ALL_SUMS);
}

// Adjoint sum `which` of a cell: the total of its partial sums.
DEVICE c64 total(GLOBAL const c64 *partial, i64 cell, i64 cells, i32 which, i32 sums, i64 partial_sums) {
    c64 sum = c64_new(0.0, 0.0);
    for (i64 s = 0; s < partial_sums; s++) sum = c64_add(sum, partial[cell + cells * (which + sums * s)]);
    return sum;
}

// Gradients of a cost C with W = g E* dC/d|E|^2, by the chain rule:
//
//   dC/dpsi_n = -2 Im{a_n S[W]_n}
//   dC/dx_n   =  2 Re{a_n (d ln f/dx S[W]_n + j beta S[uW]_n)},   y likewise with v
//   d ln f/dx = -(m + 1) x/r^2 - j beta x/r
//   d ln f/dy = -(m + 1) y'/r^2 - j beta y'/r + m offset/(y' offset + height^2),   y' = y + offset
//
// with the feed's wave f = p exp(-j beta r)/r, p = cos^m(theta). For samples m = 0, and d ln p/dx and d ln p/dy add. `back_projection` receives a S[W]. `cost` holds the gradients in psi, x and y
// from `first` on; those in x and y only if `sums` is ALL_SUMS.
KERNEL gradient(GLOBAL const f64 *RESTRICT design, GLOBAL const i32 *RESTRICT element, GLOBAL const c64 *RESTRICT a,
                GLOBAL const c64 *RESTRICT partial, GLOBAL c64 *RESTRICT back_projection, GLOBAL f64 *RESTRICT cost, i64 first,
                i64 n, i64 cells, i64 partial_sums, i32 sums, FEED_PARAMS) {
    i64 cell = GLOBAL_ID(0);
    if (cell >= cells) return;
    i32 e = element[cell];
    if (e < 0) return;
    c64 s = total(partial, cell, cells, SUM_W, sums, partial_sums);
    back_projection[e] = c64_mul(a[cell], s);
    cost[first + SUM_W * n + e] = -2.0 * back_projection[e].im;
    if (sums < ALL_SUMS) return;
    // j S[uW] and j S[vW]
    c64 su = c64_mulj(total(partial, cell, cells, SUM_UW, sums, partial_sums));
    c64 sv = c64_mulj(total(partial, cell, cells, SUM_VW, sums, partial_sums));
    f64 x = design[DESIGN_X * n + e], y = design[DESIGN_Y * n + e] + offset;
    f64 r = sqrt(x * x + y * y + height * height);
    c64 common = c64_new(-(exponent + 1.0) / (r * r), -beta / r);
    c64 dx = c64_scale(x, common), dy = c64_scale(y, common);
    if (factors < 0) {
        dy.re += exponent * offset / (y * offset + height * height);
    } else {
        dx = c64_add(dx, feed_factor(design, factors, n, FACTOR_DX, e));
        dy = c64_add(dy, feed_factor(design, factors, n, FACTOR_DY, e));
    }
    cost[first + SUM_UW * n + e] = 2.0 * c64_mul(a[cell], c64_fma(dx, s, c64_scale(beta, su))).re;
    cost[first + SUM_VW * n + e] = 2.0 * c64_mul(a[cell], c64_fma(dy, s, c64_scale(beta, sv))).re;
}
