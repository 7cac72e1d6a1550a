// A stage of all straight elements in one kernel: volume term (curls), fluxes, lift, Runge-Kutta update and new traces.
//
// A group has LG elements; work item (lane, part) has ROWS nodes of element `lane`, and multiplies its rows of the operators. Fields and
// jumps are shared through local memory.
//
// Defines, besides those of element.cu: ROWS nodes of a work item, a power of two; STEP columns of the operators that are unrolled, so
// that their loads overlap.

#define PARTS ((NP + ROWS - 1) / ROWS)
#define ITEMS (PARTS * LG)
// Face nodes of a work item. They are consecutive, so that most are on one face and its frame is loaded once.
#define CHUNK ((FACE_ITEMS + PARTS - 1) / PARTS)
// The last work item of an element may have fewer rows; a compile-time constant where NP is a multiple of ROWS.
#define HAS_ROW(r) (NP % ROWS == 0 || part * ROWS + (r) < NP)

// Entries of an operator for the rows of a work item, aligned so that they are one load; zero in rows beyond NP.
#ifdef __OPENCL_VERSION__
typedef struct { REAL v[ROWS]; } column;
#else
typedef struct __align__(ROWS * sizeof(REAL) < 16 ? ROWS * sizeof(REAL) : 16) { REAL v[ROWS]; } column;
#endif

// For every face: the range [first, end) of its nodes that this work item has.
#define FOR_FACES                                                                                            \
    for (i32 face = 0, first, end; face < 4; ++face)                                                         \
        if ((first = part * CHUNK > face * NF ? part * CHUNK - face * NF : 0) <                              \
            (end = (part + 1) * CHUNK < (face + 1) * NF ? (part + 1) * CHUNK - face * NF : NF))

// Rates of ROWS nodes without losses, times eps and mu: [row][component].
//
// Curls of covariant components F_k = a_k.F need two derivatives of each instead of three: curl F = (1/J) sum_i a_i eps_ijk d_j F_k. The
// tile holds these components.
DEVICE void take_rates(REAL rates[ROWS][6], LOCAL_PTR const REAL *tile, LOCAL_PTR const REAL *jumps,
                       GLOBAL const column *RESTRICT derivative, GLOBAL const column *RESTRICT lift,
                       GLOBAL const REAL *RESTRICT shape, GLOBAL const REAL *RESTRICT faces, i32 lane, i32 part) {
    REAL curl[ROWS][6];
    UNROLL for (i32 r = 0; r < ROWS; ++r)
        UNROLL for (i32 c = 0; c < 6; ++c) curl[r][c] = R(0.0);
    GLOBAL const column *d = derivative + part * NP * 3;
    // Columns of the operator are outermost: the six components of a node are loaded from local
    // memory once and serve all ROWS rows.
#ifndef __OPENCL_VERSION__
#pragma unroll STEP
#endif
    for (i32 j = 0; j < NP; ++j) {
        REAL f[6];
        UNROLL for (i32 c = 0; c < 6; ++c) f[c] = tile[(c * NP + j) * LG + lane];
        column dx = d[3 * j], dy = d[3 * j + 1], dz = d[3 * j + 2];
        UNROLL for (i32 r = 0; r < ROWS; ++r) {
            REAL x = dx.v[r], y = dy.v[r], w = dz.v[r];
            UNROLL for (i32 i = 0; i < 6; i += 3) {
                curl[r][i] = fma(-w, f[i + 1], fma(y, f[i + 2], curl[r][i]));
                curl[r][i + 1] = fma(-x, f[i + 2], fma(w, f[i], curl[r][i + 1]));
                curl[r][i + 2] = fma(-y, f[i], fma(x, f[i + 1], curl[r][i + 2]));
            }
        }
    }
    // Back to Cartesian components: E gets curl H, H gets -curl E.
    REAL for_e = shape[INVERSE_J * LG], for_h = -for_e;
    UNROLL for (i32 axis = 0; axis < 3; ++axis) {
        REAL a = shape[(EDGES + axis) * LG], b = shape[(EDGES + 3 + axis) * LG], c = shape[(EDGES + 6 + axis) * LG];
        UNROLL for (i32 r = 0; r < ROWS; ++r) {
            rates[r][axis] = for_e * dot3(curl[r][3], curl[r][4], curl[r][5], a, b, c);
            rates[r][3 + axis] = for_h * dot3(curl[r][0], curl[r][1], curl[r][2], a, b, c);
        }
    }
    // Surface term: jumps at the nodes of each face, lifted.
    REAL y = shape[ADMITTANCE * LG];
    for (i32 face = 0; face < 4; ++face) {
        REAL lifted[ROWS][NS];
        UNROLL for (i32 r = 0; r < ROWS; ++r)
            UNROLL for (i32 s = 0; s < NS; ++s) lifted[r][s] = R(0.0);
        // Faces are lifted one by one, since the tangents that map d to Cartesian components
        // differ.
        GLOBAL const column *all = lift + part * FACE_ITEMS + face * NF;
#ifndef __OPENCL_VERSION__
#pragma unroll STEP
#endif
        for (i32 k = 0; k < NF; ++k) {
            REAL g[NS];
            UNROLL for (i32 s = 0; s < NS; ++s) g[s] = jumps[JUMP(face * NF + k, s, lane)];
            column l = all[k];
            UNROLL for (i32 r = 0; r < ROWS; ++r)
                UNROLL for (i32 s = 0; s < NS; ++s) lifted[r][s] = fma(l.v[r], g[s], lifted[r][s]);
        }
        GLOBAL const REAL *f = faces + face * FACE * LG + lane;
        UNROLL for (i32 r = 0; r < ROWS; ++r) ADD_LIFTED(rates[r], lifted[r], f)
    }
}

KERNEL stage(FIELD_PARAMS, GEOMETRY_PARAMS, SOURCE_PARAMS, ADE_PARAMS, STEP_PARAMS, GLOBAL const REAL *RESTRICT derivative,
             GLOBAL const REAL *RESTRICT lift) {
    LOCAL REAL tile[6 * NP * LG];
    LOCAL REAL jumps[TRACE * LG];
    LOCAL i32 permutation[3 * NF];
    i32 lane = LOCAL_ID(0) % LG, part = LOCAL_ID(0) / LG;
    i64 block = LAST_GROUP_FIRST, slot = block * LG;
    OF_LEVEL(block);
    OF_BLOCK(block);
    GLOBAL const REAL *shape = shapes + block * SHAPE * LG + lane;
    GLOBAL const REAL *faces = all_faces + block * 4 * FACE * LG;
    i64 base = block * (6 * NP * LG) + lane;

    // Face permutations are gathered with data-dependent indices: local memory serves these faster than global memory.
    for (i32 i = LOCAL_ID(0); i < 3 * NF; i += ITEMS) permutation[i] = permutations[i];
    REAL q[ROWS][6];
    UNROLL for (i32 r = 0; r < ROWS; ++r)
        UNROLL for (i32 c = 0; c < 6; ++c) {
            i32 at = (c * NP + part * ROWS + r) * LG;
            if (HAS_ROW(r)) {
                q[r][c] = fields[base + at];
                tile[at + lane] = q[r][c];
            }
        }
    // Fluxes read face nodes that other work items have loaded.
    BARRIER();
    REAL z = shape[IMPEDANCE * LG];
    // Fluxes: d at the face nodes of this work item, from its own trace and the neighbor's.
    FOR_FACES {
        GLOBAL const REAL *f = faces + face * FACE * LG + lane;
        i32 code = neighbors[(slot + lane) * 4 + face];
        GLOBAL const trace *outer_traces = (GLOBAL const trace *)TRACES_BEHIND(face) + TRACE_OF(code);
        FRAME(f);
        WEIGHTS(f);
        for (i32 k = first; k < end; ++k) {
            trace outer = outer_traces[permutation[PERMUTATION_OF(code) + k]];
            STORE_JUMP(face, k, outer)
        }
    }
    // All fluxes have read the Cartesian components before these are overwritten.
    BARRIER();
    // Covariant components replace the fields in the tile: every work item has its own fields in registers.
    UNROLL for (i32 k = 0; k < 3; ++k) {
        REAL x = shape[(EDGES + 3 * k) * LG], y = shape[(EDGES + 3 * k + 1) * LG], w = shape[(EDGES + 3 * k + 2) * LG];
        UNROLL for (i32 r = 0; r < ROWS; ++r) {
            i32 node = part * ROWS + r;
            if (HAS_ROW(r)) {
                tile[(k * NP + node) * LG + lane] = dot3(q[r][0], q[r][1], q[r][2], x, y, w);
                tile[((3 + k) * NP + node) * LG + lane] = dot3(q[r][3], q[r][4], q[r][5], x, y, w);
            }
        }
    }
    // Covariant components and jumps of all work items of the element are complete.
    BARRIER();
    REAL rates[ROWS][6];
    take_rates(rates, tile, jumps, (GLOBAL const column *)derivative, (GLOBAL const column *)lift, shape, faces, lane, part);
    // Fields are loaded again: held in registers across take_rates they would lower the occupancy, and they are in the cache.
    UNROLL for (i32 r = 0; r < ROWS; ++r) {
        i32 node = part * ROWS + r;
        if (!HAS_ROW(r)) continue;
        REAL history[6];
        UNROLL for (i32 c = 0; c < 6; ++c) {
            q[r][c] = fields[base + (c * NP + node) * LG];
            history[c] = EARLIER_RATES(base + (c * NP + node) * LG);
        }
        advance(q[r], history, rates[r], fields, increments, current_of, currents, coefficients, ade, ade_increments, (REAL)pulse,
                shape, SCALARS_OF_STEP, block, kind, node, lane);
    }
    // New fields into the tile, for the traces that neighbors read in the next stage.
    BARRIER();
    UNROLL for (i32 r = 0; r < ROWS; ++r)
        UNROLL for (i32 c = 0; c < 6; ++c)
            if (HAS_ROW(r)) tile[(c * NP + part * ROWS + r) * LG + lane] = q[r][c];
    BARRIER();
#if LOCAL_STEPS
    // The fields halfway are in the tile: their traces, then those at the end of the step take their place.
    if (halfway) {
        FOR_FACES {
            FRAME(faces + face * FACE * LG + lane);
            for (i32 k = first; k < end; ++k) STORE_TRACE(halfway_traces, face, k)
        }
        BARRIER();
        UNROLL for (i32 r = 0; r < ROWS; ++r)
            UNROLL for (i32 c = 0; c < 6; ++c) {
                i32 at = (c * NP + part * ROWS + r) * LG;
                if (HAS_ROW(r)) tile[at + lane] = fields[base + at];
            }
        BARRIER();
    }
#endif
    // New traces go to a second buffer: neighbors in this launch may not have read the old ones
    // yet.
    FOR_FACES {
        FRAME(faces + face * FACE * LG + lane);
        for (i32 k = first; k < end; ++k) STORE_TRACE(NEW_TRACES, face, k)
    }
}
