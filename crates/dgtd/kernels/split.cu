// A stage in three kernels, one after the other: curl, surface and update, after Zhao, Chen and Yu (2016). One work item per node,
// ELEMENTS (their M_k) in a group. It is the baseline that the fused kernels are measured against.
//
// Blocks have one element (LG = 1): fields are [slot][component][node]. Rates have the layout of the fields and pass from kernel to kernel
// in global memory, times eps and mu until the update.
//
// Defines, besides those of element.cu: ELEMENTS.

#define ITEMS (ELEMENTS * NP)
// Element and node of this work item. Work items beyond the last element repeat it and store nothing, so that all reach the barriers.
#define ELEMENT_AND_NODE                                                                                                \
    i32 lane = 0, element = LOCAL_ID(0) / NP, node = LOCAL_ID(0) % NP;                                       \
    i32 at = first_group + GROUP_ID(0) * ELEMENTS + element;                                                 \
    i32 used = at < end;                                                                                     \
    i64 slot = used ? at : end - 1;                                                                          \
    GLOBAL const REAL *shape = shapes + slot * SHAPE

// Volume term: curls from covariant components, as in stage.cu; rates without fluxes and losses.
KERNEL curl(GLOBAL const REAL *RESTRICT fields, GLOBAL const REAL *RESTRICT shapes, GLOBAL const REAL *RESTRICT derivative,
            GLOBAL REAL *RESTRICT rates, i32 first_group, i32 end) {
    LOCAL REAL tiles[ELEMENTS * 6 * NP];
    ELEMENT_AND_NODE;
    LOCAL_PTR REAL *tile = tiles + element * 6 * NP;
    GLOBAL const REAL *f = fields + slot * 6 * NP + node;
    // Covariant components.
    UNROLL for (i32 c = 0; c < 6; c += 3)
        UNROLL for (i32 k = 0; k < 3; ++k)
            tile[(c + k) * NP + node] =
                dot3(f[c * NP], f[(c + 1) * NP], f[(c + 2) * NP], shape[EDGES + 3 * k], shape[EDGES + 3 * k + 1], shape[EDGES + 3 * k + 2]);
    BARRIER();
    REAL sum[6];
    UNROLL for (i32 c = 0; c < 6; ++c) sum[c] = R(0.0);
    // The derivatives are [column][axis][row]: work items of neighboring rows load neighboring
    // numbers. All work items of an element read the same entry of the tile, a broadcast.
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
    // Back to Cartesian components: E gets curl H, H gets -curl E.
    REAL for_e = shape[INVERSE_J], for_h = -for_e;
    GLOBAL REAL *out = rates + slot * 6 * NP + node;
    if (used)
        UNROLL for (i32 axis = 0; axis < 3; ++axis) {
            out[axis * NP] = for_e * dot3(sum[3], sum[4], sum[5], shape[EDGES + axis], shape[EDGES + 3 + axis], shape[EDGES + 6 + axis]);
            out[(3 + axis) * NP] = for_h * dot3(sum[0], sum[1], sum[2], shape[EDGES + axis], shape[EDGES + 3 + axis], shape[EDGES + 6 + axis]);
        }
}

// Surface term: adds the lifted jumps to the rates.
KERNEL surface(GLOBAL const REAL *RESTRICT fields, GLOBAL const REAL *RESTRICT traces, GEOMETRY_PARAMS,
               GLOBAL const REAL *RESTRICT lift, GLOBAL const i32 *RESTRICT source_of, GLOBAL const REAL *RESTRICT sources,
               GLOBAL const i64 *RESTRICT ade_blocks, GLOBAL REAL *RESTRICT all_rates, i32 first_group,
               i32 end) {
    LOCAL REAL tiles[ELEMENTS * 6 * NP];
    LOCAL REAL all_jumps[ELEMENTS * TRACE];
    ELEMENT_AND_NODE;
    LOCAL_PTR REAL *tile = tiles + element * 6 * NP;
    LOCAL_PTR REAL *jumps = all_jumps + element * TRACE;
    GLOBAL const REAL *faces = all_faces + slot * 4 * FACE;
    REAL y = shape[ADMITTANCE], z = shape[IMPEDANCE];
    i32 kind = (i32)ade_blocks[BLOCK_ENTRIES * slot + BLOCK_KIND];
    UNROLL for (i32 c = 0; c < 6; ++c) tile[c * NP + node] = fields[(slot * 6 + c) * NP + node];
    BARRIER();
    // The four faces together may have more nodes than the element: a work item takes several.
    for (i32 item = node; item < FACE_ITEMS; item += NP) {
        i32 face = item / NF, k = item % NF;
        GLOBAL const REAL *f = faces + face * FACE;
        i32 code = neighbors[slot * 4 + face];
        trace outer = ((GLOBAL const trace *)traces)[TRACE_OF(code) + permutations[PERMUTATION_OF(code) + k]];
        FRAME(f);
        WEIGHTS(f);
        STORE_JUMP(face, k, outer)
    }
    BARRIER();
    // LIFT d, face by face, on top of the volume term that the kernel curl has stored.
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

// Runge-Kutta update, and the traces of the new fields.
KERNEL update(GLOBAL REAL *RESTRICT fields, GLOBAL REAL *RESTRICT increments, GLOBAL const REAL *RESTRICT all_rates,
              GLOBAL REAL *RESTRICT new_traces, GLOBAL const REAL *RESTRICT shapes, GLOBAL const REAL *RESTRICT all_faces,
              CURRENT_PARAMS, ADE_PARAMS, STEP_PARAMS, i32 end) {
    LOCAL REAL tiles[ELEMENTS * 6 * NP];
    ELEMENT_AND_NODE;
    LOCAL_PTR REAL *tile = tiles + element * 6 * NP;
    REAL z = shape[IMPEDANCE], q[6], history[6], rates[6];
    OF_BLOCK(slot);
    UNROLL for (i32 c = 0; c < 6; ++c) {
        i64 i = (slot * 6 + c) * NP + node;
        q[c] = fields[i];
        history[c] = increments[i];
        rates[c] = all_rates[i];
    }
    // `advance` stores fields and auxiliary unknowns: repeated elements must not be advanced twice.
    if (used)
        advance(q, history, rates, fields, increments, current_of, currents, coefficients, ade, ade_increments, (REAL)pulse, shape,
                SCALARS_OF_STEP, slot, kind, node, lane);
    UNROLL for (i32 c = 0; c < 6; ++c) tile[c * NP + node] = q[c];
    BARRIER();
    if (used)
        for (i32 item = node; item < FACE_ITEMS; item += NP) {
            i32 face = item / NF, k = item % NF;
            FRAME(all_faces + (slot * 4 + face) * FACE);
            STORE_TRACE(new_traces, face, k)
        }
}
