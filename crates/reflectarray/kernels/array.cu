// Pattern, distance from the mask and gradients of an array at one frequency; src/gpu.rs has the order.
//
//   E(u_h, v_k) = g_hk sum_n a_n ex_hn ey_kn,   ex_hn = exp(j beta u_h x_n),  ey_kn = exp(j beta v_k y_n)
//   S[W]_n      = sum_hk W_hk ex_hn ey_kn
//
// Matrices are column-major, samples have u fastest. A cell is a place of the elements' matrix: all of a grid, some of them
// perhaps empty, or one per element if the elements form none.

// Groups are SIDE x SIDE. A product takes DEPTH terms of its sum into local memory at a time.
#define SIDE 16
#define ITEMS (SIDE * SIDE)
#define DEPTH 16
// Samples along u and v that a group sums up at once, and elements: each item has FOLD, or FEW, of them along an axis, so that
// what it loads from local memory is used as often.
#define FOLD 4
#define FEW 2
#define SAMPLES (SIDE * FOLD)
#define ELEMENTS (SIDE * FEW)

// table_hk = exp(j beta u_h x_k)
KERNEL exponentials(GLOBAL const f64 *RESTRICT u, GLOBAL const f64 *RESTRICT x, i64 first, GLOBAL c64 *RESTRICT table, i64 nu, i64 count, f64 beta) {
    i64 h = GLOBAL_ID(0), k = GLOBAL_ID(1);
    if (h >= nu || k >= count) return;
    table[h + nu * k] = c64_expj(beta * u[h] * x[first + k]);
}

// a = cos^m(theta) exp(j(psi - beta r))/r as in illumination.rs; nothing in empty cells.
KERNEL waves(GLOBAL const f64 *RESTRICT design, GLOBAL const i32 *RESTRICT element, GLOBAL c64 *RESTRICT a, i64 n, i64 cells, f64 beta, f64 offset, f64 height, f64 exponent) {
    i64 cell = GLOBAL_ID(0);
    if (cell >= cells) return;
    i32 e = element[cell];
    if (e < 0) {
        a[cell] = c64_new(0.0, 0.0);
        return;
    }
    f64 psi = design[e], x = design[n + e], y = design[2 * n + e] + offset;
    f64 r = sqrt(x * x + y * y + height * height), middle = sqrt(offset * offset + height * height);
    f64 cosine = fmin(fmax((y * offset + height * height) / (r * middle), 0.0), 1.0);
    a[cell] = c64_scale(pow(cosine, exponent) / r, c64_expj(psi - beta * r));
}

// c_ij = sum_k a(i, k) b(k, j), for each of the matrices along axis 2; places in a and b by strides.
KERNEL product(GLOBAL const c64 *RESTRICT a, i64 a_row, i64 a_inner, i64 a_next, GLOBAL const c64 *RESTRICT b, i64 b_column, i64 b_inner, i64 b_next, GLOBAL c64 *RESTRICT c, i64 rows, i64 columns, i64 inner) {
    LOCAL c64 left[SIDE * 2 * DEPTH];
    LOCAL c64 right[SIDE * 2 * DEPTH];
    i32 x = LOCAL_ID(0), y = LOCAL_ID(1), z = GROUP_ID(2), item = x + SIDE * y;
    i64 i0 = (i64)SIDE * GROUP_ID(0), j0 = (i64)SIDE * GROUP_ID(1);
    c64 sum = c64_new(0.0, 0.0);
    for (i64 k0 = 0; k0 < inner; k0 += 2 * DEPTH) {
        for (i32 t = item; t < SIDE * 2 * DEPTH; t += ITEMS) {
            i64 i = i0 + t % SIDE, j = j0 + t % SIDE, k = k0 + t / SIDE;
            left[t] = right[t] = c64_new(0.0, 0.0);
            if (k < inner && i < rows) left[t] = a[i * a_row + k * a_inner + z * a_next];
            if (k < inner && j < columns) right[t] = b[j * b_column + k * b_inner + z * b_next];
        }
        BARRIER();
        UNROLL
        for (i32 k = 0; k < 2 * DEPTH; k++) sum = c64_fma(left[x + SIDE * k], right[y + SIDE * k], sum);
        BARRIER();
    }
    i64 i = i0 + x, j = j0 + y;
    if (i < rows && j < columns) c[i + rows * (j + columns * z)] = sum;
}

// sums_hk = sum_n a_n ex_hn ey_kn over the share of the elements that belongs to the group's place along axis 2.
KERNEL field_sums(GLOBAL const c64 *RESTRICT ex, GLOBAL const c64 *RESTRICT ey, GLOBAL const c64 *RESTRICT a, GLOBAL c64 *RESTRICT sums, i64 nu, i64 nv, i64 n, i64 share) {
    LOCAL c64 left[SAMPLES * DEPTH];
    LOCAL c64 right[SAMPLES * DEPTH];
    i32 x = LOCAL_ID(0), y = LOCAL_ID(1), item = x + SIDE * y;
    i64 h0 = (i64)SAMPLES * GROUP_ID(0), k0 = (i64)SAMPLES * GROUP_ID(1);
    i64 from = share * GROUP_ID(2), to = from + share < n ? from + share : n;
    c64 sum[FOLD][FOLD];
    UNROLL
    for (i32 p = 0; p < FOLD; p++) {
        UNROLL
        for (i32 q = 0; q < FOLD; q++) sum[p][q] = c64_new(0.0, 0.0);
    }
    for (i64 first = from; first < to; first += DEPTH) {
        for (i32 t = item; t < SAMPLES * DEPTH; t += ITEMS) {
            i64 h = h0 + t % SAMPLES, k = k0 + t % SAMPLES, e = first + t / SAMPLES;
            left[t] = right[t] = c64_new(0.0, 0.0);
            if (e < to && h < nu) left[t] = ex[h + nu * e];
            if (e < to && k < nv) right[t] = c64_mul(a[e], ey[k + nv * e]);
        }
        BARRIER();
        for (i32 d = 0; d < DEPTH; d++) {
            c64 across[FOLD];
            UNROLL
            for (i32 q = 0; q < FOLD; q++) across[q] = right[y + SIDE * q + SAMPLES * d];
            UNROLL
            for (i32 p = 0; p < FOLD; p++) {
                c64 along = left[x + SIDE * p + SAMPLES * d];
                UNROLL
                for (i32 q = 0; q < FOLD; q++) sum[p][q] = c64_fma(along, across[q], sum[p][q]);
            }
        }
        BARRIER();
    }
    UNROLL
    for (i32 p = 0; p < FOLD; p++) {
        UNROLL
        for (i32 q = 0; q < FOLD; q++) {
            i64 h = h0 + x + SIDE * p, k = k0 + y + SIDE * q;
            if (h < nu && k < nv) sums[h + nu * (k + nv * GROUP_ID(2))] = sum[p][q];
        }
    }
}

// W = g E* weight, uW and vW at sample i.
DEVICE void set_weighted(GLOBAL c64 *w, c64 g, c64 e, f64 weight, f64 u, f64 v, i64 i, i64 samples) {
    c64 value = c64_scale(weight, c64_mul(g, c64_conj(e)));
    w[i] = value;
    w[samples + i] = c64_scale(u, value);
    w[2 * samples + i] = c64_scale(v, value);
}

// E and |E|^2 out of sums over shares of the elements; the distance from the bounds, group by group, and the weights of its
// gradient, d(Phi)/d|E|^2 = 2 (|E|^2 - P|E|^2). `cost` begins with the distances.
KERNEL pattern(GLOBAL const c64 *RESTRICT sums, GLOBAL const c64 *RESTRICT g, GLOBAL const f64 *RESTRICT bounds, GLOBAL const f64 *RESTRICT u, GLOBAL const f64 *RESTRICT v, GLOBAL c64 *RESTRICT field, GLOBAL c64 *RESTRICT w, GLOBAL f64 *RESTRICT intensity, GLOBAL f64 *RESTRICT cost, i64 nu, i64 nv, i64 shares) {
    LOCAL f64 distance_of[ITEMS];
    i64 i = GLOBAL_ID(0), samples = nu * nv;
    i32 item = LOCAL_ID(0);
    f64 miss = 0.0;
    if (i < samples) {
        c64 e = c64_new(0.0, 0.0);
        for (i64 s = 0; s < shares; s++) e = c64_add(e, sums[i + samples * s]);
        e = c64_mul(e, g[i]);
        f64 power = c64_abs2(e);
        miss = power - fmin(fmax(power, bounds[i]), bounds[samples + i]);
        field[i] = e;
        intensity[i] = power;
        set_weighted(w, g[i], e, 2.0 * miss, u[i % nu], v[i / nu], i, samples);
    }
    distance_of[item] = miss * miss;
    for (i32 reach = ITEMS / 2; reach > 0; reach /= 2) {
        BARRIER();
        if (item < reach) distance_of[item] += distance_of[item + reach];
    }
    if (item == 0) cost[GROUP_ID(0)] = distance_of[0];
}

// W for any weights.
KERNEL weigh(GLOBAL const f64 *RESTRICT weights, GLOBAL const c64 *RESTRICT g, GLOBAL const c64 *RESTRICT field, GLOBAL const f64 *RESTRICT u, GLOBAL const f64 *RESTRICT v, GLOBAL c64 *RESTRICT w, i64 nu, i64 nv) {
    i64 i = GLOBAL_ID(0);
    if (i >= nu * nv) return;
    set_weighted(w, g[i], field[i], weights[i], u[i % nu], v[i / nu], i, nu * nv);
}

// S[W], and S[uW] and S[vW] if `kinds` is 3, over the share of u that belongs to the group's place along axis 0. `kinds` is a
// literal where this is called, so that each kernel has the loops it needs.
DEVICE void sum_at_elements(LOCAL_PTR c64 *left, LOCAL_PTR c64 *right, GLOBAL const c64 *RESTRICT w, GLOBAL const c64 *RESTRICT ex, GLOBAL const c64 *RESTRICT ey, GLOBAL const f64 *RESTRICT u, GLOBAL const f64 *RESTRICT v, GLOBAL c64 *RESTRICT sums, i64 nu, i64 nv, i64 n, i32 kinds) {
    i32 x = LOCAL_ID(0), y = LOCAL_ID(1), item = x + SIDE * y;
    i64 h0 = (i64)SAMPLES * GROUP_ID(0), e0 = (i64)ELEMENTS * GROUP_ID(1);
    c64 we[FOLD][FEW], vwe[FOLD][FEW];
    UNROLL
    for (i32 p = 0; p < FOLD; p++) {
        UNROLL
        for (i32 q = 0; q < FEW; q++) we[p][q] = vwe[p][q] = c64_new(0.0, 0.0);
    }
    for (i64 k0 = 0; k0 < nv; k0 += DEPTH) {
        for (i32 t = item; t < SAMPLES * DEPTH; t += ITEMS) {
            i64 h = h0 + t % SAMPLES, k = k0 + t / SAMPLES;
            left[t] = c64_new(0.0, 0.0);
            if (h < nu && k < nv) left[t] = w[h + nu * k];
        }
        // Neighbors in the table are neighbors in k.
        for (i32 t = item; t < ELEMENTS * DEPTH; t += ITEMS) {
            i32 d = t % DEPTH, j = t / DEPTH;
            c64 value = c64_new(0.0, 0.0);
            if (e0 + j < n && k0 + d < nv) value = ey[k0 + d + nv * (e0 + j)];
            right[j + (ELEMENTS + 1) * d] = value;
        }
        BARRIER();
        for (i32 d = 0; d < DEPTH; d++) {
            c64 across[FEW], slope[FEW];
            f64 v_here = kinds == 3 && k0 + d < nv ? v[k0 + d] : 0.0;
            UNROLL
            for (i32 q = 0; q < FEW; q++) {
                across[q] = right[y + SIDE * q + (ELEMENTS + 1) * d];
                slope[q] = c64_scale(v_here, across[q]);
            }
            UNROLL
            for (i32 p = 0; p < FOLD; p++) {
                c64 along = left[x + SIDE * p + SAMPLES * d];
                UNROLL
                for (i32 q = 0; q < FEW; q++) {
                    we[p][q] = c64_fma(along, across[q], we[p][q]);
                    if (kinds == 3) vwe[p][q] = c64_fma(along, slope[q], vwe[p][q]);
                }
            }
        }
        BARRIER();
    }
    for (i32 kind = 0; kind < kinds; kind++) {
        // The sum over u of the item's own, then of the SIDE items of an element.
        UNROLL
        for (i32 q = 0; q < FEW; q++) {
            i64 e = e0 + y + SIDE * q;
            c64 sum = c64_new(0.0, 0.0);
            UNROLL
            for (i32 p = 0; p < FOLD; p++) {
                i64 h = h0 + x + SIDE * p;
                if (h >= nu || e >= n) continue;
                c64 term = c64_mul(ex[h + nu * e], kind == 2 ? vwe[p][q] : we[p][q]);
                sum = c64_add(sum, kind == 1 ? c64_scale(u[h], term) : term);
            }
            left[x + (SIDE + 1) * (y + SIDE * q)] = sum;
        }
        BARRIER();
        if (item < ELEMENTS && e0 + item < n) {
            c64 sum = c64_new(0.0, 0.0);
            for (i32 t = 0; t < SIDE; t++) sum = c64_add(sum, left[t + (SIDE + 1) * item]);
            sums[e0 + item + n * (kind + (i64)kinds * GROUP_ID(0))] = sum;
        }
        BARRIER();
    }
}

KERNEL element_sums(GLOBAL const c64 *RESTRICT w, GLOBAL const c64 *RESTRICT ex, GLOBAL const c64 *RESTRICT ey, GLOBAL const f64 *RESTRICT u, GLOBAL const f64 *RESTRICT v, GLOBAL c64 *RESTRICT sums, i64 nu, i64 nv, i64 n) {
    LOCAL c64 left[SAMPLES * DEPTH];
    LOCAL c64 right[(ELEMENTS + 1) * DEPTH];
    sum_at_elements(left, right, w, ex, ey, u, v, sums, nu, nv, n, 1);
}

KERNEL element_sums_and_slopes(GLOBAL const c64 *RESTRICT w, GLOBAL const c64 *RESTRICT ex, GLOBAL const c64 *RESTRICT ey, GLOBAL const f64 *RESTRICT u, GLOBAL const f64 *RESTRICT v, GLOBAL c64 *RESTRICT sums, i64 nu, i64 nv, i64 n) {
    LOCAL c64 left[SAMPLES * DEPTH];
    LOCAL c64 right[(ELEMENTS + 1) * DEPTH];
    sum_at_elements(left, right, w, ex, ey, u, v, sums, nu, nv, n, 3);
}

DEVICE c64 sum_of_shares(GLOBAL const c64 *sums, i64 cell, i64 cells, i32 kind, i32 kinds, i64 shares) {
    c64 sum = c64_new(0.0, 0.0);
    for (i64 s = 0; s < shares; s++) sum = c64_add(sum, sums[cell + cells * (kind + kinds * s)]);
    return sum;
}

// back = a S[W], the gradient in the phase -2 Im back, and if `kinds` is 3 those in x and y,
// 2 Re{a (d ln f/dx S[W] + j beta S[uW])}, as in objective.rs; `cost` has phases, x and y from `first` on.
KERNEL gradient(GLOBAL const f64 *RESTRICT design, GLOBAL const i32 *RESTRICT element, GLOBAL const c64 *RESTRICT a, GLOBAL const c64 *RESTRICT sums, GLOBAL c64 *RESTRICT back, GLOBAL f64 *RESTRICT cost, i64 first, i64 n, i64 cells, i64 shares, i32 kinds, f64 beta, f64 offset, f64 height, f64 exponent) {
    i64 cell = GLOBAL_ID(0);
    if (cell >= cells) return;
    i32 e = element[cell];
    if (e < 0) return;
    c64 s = sum_of_shares(sums, cell, cells, 0, kinds, shares);
    back[e] = c64_mul(a[cell], s);
    cost[first + e] = -2.0 * back[e].im;
    if (kinds < 3) return;
    c64 su = c64_mulj(sum_of_shares(sums, cell, cells, 1, kinds, shares));
    c64 sv = c64_mulj(sum_of_shares(sums, cell, cells, 2, kinds, shares));
    f64 x = design[n + e], y = design[2 * n + e] + offset;
    f64 r = sqrt(x * x + y * y + height * height);
    c64 common = c64_new(-(exponent + 1.0) / (r * r), -beta / r);
    c64 dx = c64_scale(x, common), dy = c64_scale(y, common);
    dy.re += exponent * offset / (y * offset + height * height);
    cost[first + n + e] = 2.0 * c64_mul(a[cell], c64_fma(dx, s, c64_scale(beta, su))).re;
    cost[first + 2 * n + e] = 2.0 * c64_mul(a[cell], c64_fma(dy, s, c64_scale(beta, sv))).re;
}
