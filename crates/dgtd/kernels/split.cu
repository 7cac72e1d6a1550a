// A stage in three kernels, one after the other: curl, surface and update, as Zhao, Chen and Yu (2016) have them. One work item per node,
// ELEMENTS (their M_k) in a group. It is the baseline that the kernel of one piece is measured against.
//
// Blocks have one element (LG 1): fields are [slot][component][node]. Rates lie as the fields do, between the kernels.
//
// Defines, beside those of element.cu: ELEMENTS.

#define ITEMS (ELEMENTS * NP)
// Which element and node this work item has; groups beyond the last element do its work again, and write nothing.
#define PLACE                                                                                                \
    i32 lane = 0, element = LOCAL_ID(0) / NP, node = LOCAL_ID(0) % NP;                                       \
    i32 at = GROUP_ID(0) * ELEMENTS + element;                                                               \
    i32 used = at < count;                                                                                   \
    i64 slot = used ? at : count - 1;                                                                        \
    GLOBAL const REAL *shape = shapes + slot * SHAPE

// The curls of an element at a node: rates without jumps and losses.
KERNEL curl(GLOBAL const REAL *RESTRICT fields, GLOBAL const REAL *RESTRICT shapes, GLOBAL const REAL *RESTRICT derivative,
            GLOBAL REAL *RESTRICT rates, i32 count) {
    LOCAL REAL tiles[ELEMENTS * 6 * NP];
    PLACE;
    LOCAL_PTR REAL *tile = tiles + element * 6 * NP;
    GLOBAL const REAL *f = fields + slot * 6 * NP + node;
    // Covariant components.
    UNROLL for (i32 c = 0; c < 6; c += 3)
        UNROLL for (i32 k = 0; k < 3; ++k)
            tile[(c + k) * NP + node] =
                dot3(f[c * NP], f[(c + 1) * NP], f[(c + 2) * NP], shape[3 * k], shape[3 * k + 1], shape[3 * k + 2]);
    BARRIER();
    REAL sum[6];
    UNROLL for (i32 c = 0; c < 6; ++c) sum[c] = R(0.0);
    for (i32 j = 0; j < NP; ++j) {
        GLOBAL const REAL *d = derivative + j * 3 * NP + node;
        REAL x = d[0], y = d[NP], w = d[2 * NP];
        UNROLL for (i32 i = 0; i < 6; i += 3) {
            REAL f0 = tile[i * NP + j], f1 = tile[(i + 1) * NP + j], f2 = tile[(i + 2) * NP + j];
            sum[i] = fma(-w, f1, fma(y, f2, sum[i]));
            sum[i + 1] = fma(-x, f2, fma(w, f0, sum[i + 1]));
            sum[i + 2] = fma(-y, f0, fma(x, f1, sum[i + 2]));
        }
    }
    REAL for_e = shape[9] * shape[10], for_h = -shape[9] * shape[11];
    GLOBAL REAL *out = rates + slot * 6 * NP + node;
    if (used)
        UNROLL for (i32 axis = 0; axis < 3; ++axis) {
            out[axis * NP] = for_e * dot3(sum[3], sum[4], sum[5], shape[axis], shape[3 + axis], shape[6 + axis]);
            out[(3 + axis) * NP] = for_h * dot3(sum[0], sum[1], sum[2], shape[axis], shape[3 + axis], shape[6 + axis]);
        }
}

// The jumps at the faces of an element, lifted, are added to the rates.
KERNEL surface(GLOBAL const REAL *RESTRICT fields, GLOBAL const REAL *RESTRICT traces, GLOBAL const REAL *RESTRICT shapes,
               GLOBAL const REAL *RESTRICT all_faces, GLOBAL const i32 *RESTRICT neighbors, GLOBAL const i32 *RESTRICT across,
               GLOBAL const REAL *RESTRICT lift, GLOBAL const i32 *RESTRICT driven, GLOBAL const REAL *RESTRICT drive,
               GLOBAL const i64 *RESTRICT further, GLOBAL REAL *RESTRICT all_rates, i32 count) {
    LOCAL REAL tiles[ELEMENTS * 6 * NP];
    LOCAL REAL all_jumps[ELEMENTS * TRACE];
    PLACE;
    LOCAL_PTR REAL *tile = tiles + element * 6 * NP;
    LOCAL_PTR REAL *jumps = all_jumps + element * TRACE;
    GLOBAL const REAL *faces = all_faces + slot * 4 * FACE;
    REAL inverse_eps = shape[10], inverse_mu = shape[11], y = shape[14], z = shape[13];
    i32 kind = (i32)further[3 * slot];
    UNROLL for (i32 c = 0; c < 6; ++c) tile[c * NP + node] = fields[(slot * 6 + c) * NP + node];
    BARRIER();
    for (i32 item = node; item < FACE_ITEMS; item += NP) {
        i32 face = item / NF, k = item % NF;
        GLOBAL const REAL *f = faces + face * FACE;
        i32 code = neighbors[slot * 4 + face];
        trace far = ((GLOBAL const trace *)traces)[(i64)(code >> 2) * NF + across[(code & 3) * NF + k]];
        FRAME(f);
        WEIGHTS(f);
        TAKE_JUMP(face, k, far)
    }
    BARRIER();
    REAL rates[6];
    UNROLL for (i32 c = 0; c < 6; ++c) rates[c] = all_rates[(slot * 6 + c) * NP + node];
    for (i32 face = 0; face < 4; ++face) {
        REAL lifted[NS];
        UNROLL for (i32 s = 0; s < NS; ++s) lifted[s] = R(0.0);
        for (i32 k = 0; k < NF; ++k)
            UNROLL for (i32 s = 0; s < NS; ++s)
                lifted[s] = fma(lift[(face * NF + k) * NP + node], jumps[JUMP(face * NF + k, s, lane)], lifted[s]);
        ADD_LIFTED(rates, lifted, faces + face * FACE)
    }
    if (used)
        UNROLL for (i32 c = 0; c < 6; ++c) all_rates[(slot * 6 + c) * NP + node] = rates[c];
}

// The step, and the traces of the new fields.
KERNEL update(GLOBAL REAL *RESTRICT fields, GLOBAL REAL *RESTRICT increments, GLOBAL const REAL *RESTRICT all_rates,
              GLOBAL REAL *RESTRICT new_traces, GLOBAL const REAL *RESTRICT shapes, GLOBAL const REAL *RESTRICT all_faces,
              GLOBAL const i32 *RESTRICT current_of, GLOBAL const REAL *RESTRICT currents, GLOBAL const i64 *RESTRICT further,
              GLOBAL const REAL *RESTRICT all_constants, GLOBAL REAL *RESTRICT all_values, GLOBAL REAL *RESTRICT all_value_increments,
              f64 pulse, f64 a, f64 b, f64 dt, i32 count) {
    LOCAL REAL tiles[ELEMENTS * 6 * NP];
    PLACE;
    LOCAL_PTR REAL *tile = tiles + element * 6 * NP;
    REAL z = shape[13], q[6], moved[6], rates[6];
    OF_BLOCK(slot);
    UNROLL for (i32 c = 0; c < 6; ++c) {
        i64 i = (slot * 6 + c) * NP + node;
        q[c] = fields[i];
        moved[c] = increments[i];
        rates[c] = all_rates[i];
    }
    if (used)
        advance(q, moved, rates, fields, increments, current_of, currents, constants, values, value_increments, (REAL)pulse, shape[12],
                (REAL)a, (REAL)b, (REAL)dt, slot, kind, node, lane);
    UNROLL for (i32 c = 0; c < 6; ++c) tile[c * NP + node] = q[c];
    BARRIER();
    if (used)
        for (i32 item = node; item < FACE_ITEMS; item += NP) {
            i32 face = item / NF, k = item % NF;
            FRAME(all_faces + (slot * 4 + face) * FACE);
            GIVE_TRACE(face, k)
        }
}
