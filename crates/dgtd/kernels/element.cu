// One element in a Runge-Kutta stage, or in a local step: what all kernels that advance the fields have in common.
//
// Nodal discontinuous Galerkin scheme with upwind flux (Hesthaven and Warburton, Nodal Discontinuous Galerkin Methods, 2008,
// section 10.5), tau = ct, H times eta_0, constants relative to vacuum:
//
//   eps dE/dtau = curl H - sigma eta_0 E + sum_faces LIFT Y d,    mu dH/dtau = -curl E - sum_faces LIFT n x d,
//   eps and mu diagonal,
//   d = E* - E_t,  E* = A w- + B w+ + s,  w = E_t - Z n x H (outgoing characteristic; w- of the element, w+ of its neighbor).
//
// A and B express the boundary condition or interface, s a source: src/plan.rs. src/cpu/straight.rs has the same in Rust.
//
// Elements are stored in blocks of LG. Fields are [block][component][node][lane], so that neighboring work items load neighboring numbers.
// Traces w are [slot][face][node][NS], slot = block * LG + lane: what a neighbor reads is contiguous.
//
// Defines: the offsets of src/offsets.rs; NP, NF nodes of an element and of a face; NS scalars per node of a trace (2, or 4 with the
// central flux); LG elements of a block; FACE_NODES the nodes of the four faces; KINDS the kinds of elements present, one bit each;
// POLES the number of poles.

#define FACE_ITEMS (4 * NF)
#define TRACE (4 * NF * NS)

// Whether the block is of a kind; a compile-time constant where there is only one kind, so that the other branches vanish.
#define IS(k) (KINDS == 1 << (k) || ((KINDS >> (k) & 1) && kind == (k)))
#define HAS_SOURCES (IS(KIND_SOURCES) || IS(KIND_DISPERSIVE))
// Auxiliary unknowns at a node besides E and H.
#define ADE_UNKNOWNS                                                                                         \
    (IS(KIND_CFS_CORNER) ? PML_CORNER_UNKNOWNS                                                               \
     : IS(KIND_PML_EDGE) ? PML_EDGE_UNKNOWNS                                                                 \
     : IS(KIND_DISPERSIVE) ? POLE_UNKNOWNS * POLES                                                           \
     : IS(KIND_PML_FACE) || IS(KIND_UNIAXIAL_CORNER) ? PML_FACE_UNKNOWNS : 0)

// Parameters that the stages of straight and of curved elements share, besides those of the time integration
// (runge_kutta.cu, local_steps.cu); src/gpu/engine.rs passes them.
#define GEOMETRY_PARAMS                                                                                      \
    GLOBAL const REAL *RESTRICT shapes, GLOBAL const REAL *RESTRICT all_faces,                               \
        GLOBAL const i32 *RESTRICT neighbors, GLOBAL const i32 *RESTRICT permutations
#define CURRENT_PARAMS GLOBAL const i32 *RESTRICT current_of, GLOBAL const REAL *RESTRICT currents
#define SOURCE_PARAMS                                                                                        \
    GLOBAL const i32 *RESTRICT source_of, GLOBAL const REAL *RESTRICT sources, CURRENT_PARAMS

// PML blocks take longest and are stored behind the others: the first groups take the last blocks, so that no long one starts last.
#define LAST_GROUP_FIRST ((i64)first_group + NUM_GROUPS(0) - 1 - GROUP_ID(0))
// Kind, coefficients and auxiliary unknowns of a block.
#define OF_BLOCK(block)                                                                                      \
    GLOBAL const i64 *entries = ade_blocks + BLOCK_ENTRIES * (block);                                        \
    i32 kind = (i32)entries[BLOCK_KIND];                                                                     \
    GLOBAL const REAL *coefficients = all_coefficients + entries[BLOCK_COEFFICIENTS];                        \
    GLOBAL REAL *ade = all_ade + entries[BLOCK_UNKNOWNS];                                                    \
    GLOBAL REAL *ade_increments = all_ade_increments + entries[BLOCK_UNKNOWNS];                              \
    MORE_OF_BLOCK

// The scalars of a trace at a node, aligned so that they are one load or store.
#ifdef __OPENCL_VERSION__
typedef struct { REAL s[NS]; } trace;
#else
typedef struct __align__(NS * sizeof(REAL) < 16 ? NS * sizeof(REAL) : 16) { REAL s[NS]; } trace;
#endif

CONSTANT i32 face_nodes[FACE_ITEMS] = {FACE_NODES};

DEVICE REAL dot3(REAL ax, REAL ay, REAL az, REAL bx, REAL by, REAL bz) { return fma(az, bz, fma(ay, by, ax * bx)); }

// A neighbor code is 4 * (4 slot + face) + orientation of the neighbor's face.
#define TRACE_OF(code) ((i64)((code) >> 2) * NF)
#define PERMUTATION_OF(code) (((code) & 3) * NF)
// Position of scalar s of face node `item` in the tile of jumps.
#define JUMP(item, s, lane) (((s) * FACE_ITEMS + (item)) * LG + (lane))

// Macros and not functions from here on, since PoCL loses structs that functions return.

// Tangents t1 = (x1, y1, z1) and t2 = n x t1 of a face.
#define FRAME(f)                                                                                             \
    REAL x1 = (f)[TANGENT_1 * LG], y1 = (f)[(TANGENT_1 + 1) * LG], z1 = (f)[(TANGENT_1 + 2) * LG];           \
    REAL x2 = (f)[TANGENT_2 * LG], y2 = (f)[(TANGENT_2 + 1) * LG], z2 = (f)[(TANGENT_2 + 2) * LG]
// Scale of its lift, and the weights A (minus) and B (plus) of its two sides.
#if NS == 2
#define WEIGHTS(f) REAL scale = (f)[FACE_SCALE * LG], minus = (f)[WEIGHT_MINUS * LG], plus = (f)[WEIGHT_PLUS * LG]
#else
#define WEIGHTS(f)                                                                                           \
    REAL scale = (f)[FACE_SCALE * LG], minus = (f)[WEIGHT_MINUS * LG], plus = (f)[WEIGHT_PLUS * LG],         \
         plus_h = (f)[WEIGHT_PLUS_H * LG]
#endif

// E and H along the tangents at a node, from a tile [component][node][lane].
#define TANGENTIAL_FIELDS(node)                                                                              \
    LOCAL_PTR const REAL *v = tile + (node) * LG + lane;                                                     \
    REAL e1 = dot3(v[0], v[NP * LG], v[2 * NP * LG], x1, y1, z1);                                            \
    REAL e2 = dot3(v[0], v[NP * LG], v[2 * NP * LG], x2, y2, z2);                                            \
    REAL h1 = dot3(v[3 * NP * LG], v[4 * NP * LG], v[5 * NP * LG], x1, y1, z1);                              \
    REAL h2 = dot3(v[3 * NP * LG], v[4 * NP * LG], v[5 * NP * LG], x2, y2, z2)

// Flux: d at node k of a face; `outer` is the neighbor's trace w+.
#if NS == 2
// Upwind: d = A w- + B w+ - E_t. n x H = -h2 t1 + h1 t2, so w- = (e1 + Z h2, e2 - Z h1). The neighbor's n and t2 point the other way.
#define CENTRAL_PART(outer)
#define JUMP_1(outer) fma(plus, outer.s[0], minus * fma(z, h2, e1)) - e1
#define JUMP_2(outer) fma(-plus, outer.s[1], minus * fma(-z, h1, e2)) - e2
#else
// Central: E* and n x H* are weighted means; a wall fixes one of them and leaves the other free. The neighbor stores its own n x H, with
// the opposite normal.
#define CENTRAL_PART(outer)                                                                                  \
    d[2] = fma(-plus_h, outer.s[2], -(R(1.0) - minus) * h2) + h2;                                            \
    d[3] = fma(plus_h, outer.s[3], (R(1.0) - minus) * h1) - h1;
#define JUMP_1(outer) fma(plus, outer.s[0], minus * e1) - e1
#define JUMP_2(outer) fma(-plus, outer.s[1], minus * e2) - e2
#endif
// s: the incident field of a TF/SF surface, conductor or port.
#define SOURCE_PART(face, k)                                                                                 \
    if (HAS_SOURCES) {                                                                                       \
        i32 source = source_of[(slot + lane) * 4 + (face)];                                                  \
        if (source >= 0)                                                                                     \
            for (i32 s = 0; s < NS; ++s) d[s] += sources[((i64)source * NF + (k)) * NS + s];                 \
    }
#define JUMPS(face, k, outer)                                                                                \
    TANGENTIAL_FIELDS(face_nodes[(face) * NF + (k)]);                                                        \
    REAL d[NS];                                                                                              \
    d[0] = JUMP_1(outer);                                                                                    \
    d[1] = JUMP_2(outer);                                                                                    \
    CENTRAL_PART(outer)                                                                                      \
    SOURCE_PART(face, k)
// The same times the scale of the face, into the tile of jumps.
#define STORE_JUMP(face, k, outer)                                                                           \
    {                                                                                                        \
        JUMPS(face, k, outer)                                                                                \
        UNROLL for (i32 s = 0; s < NS; ++s) jumps[JUMP((face) * NF + (k), s, lane)] = scale * d[s];          \
    }

// The trace at node k of a face: w = E_t - Z n x H, or with the central flux E and n x H, along t1 and t2.
#if NS == 2
#define FILL_TRACE(w) w.s[0] = fma(z, h2, e1), w.s[1] = fma(-z, h1, e2)
#else
#define FILL_TRACE(w) w.s[0] = e1, w.s[1] = e2, w.s[2] = -h2, w.s[3] = h1
#endif
#define STORE_TRACE(to, face, k)                                                                             \
    {                                                                                                        \
        TANGENTIAL_FIELDS(face_nodes[(face) * NF + (k)]);                                                    \
        trace w;                                                                                             \
        FILL_TRACE(w);                                                                                       \
        ((GLOBAL trace *)to)[(slot + lane) * FACE_ITEMS + (face) * NF + (k)] = w;                    \
    }

// Surface term of a face at a node, before the division by eps and mu: E gets Y LIFT d (central: LIFT n x (H* - H)), H gets
// -n x LIFT d = d2 t1 - d1 t2.
#if NS == 2
#define LIFTED_E(lifted) REAL e1 = y * lifted[0], e2 = y * lifted[1]
#else
#define LIFTED_E(lifted) REAL e1 = lifted[2], e2 = lifted[3]
#endif
#define ADD_LIFTED(rates, lifted, f)                                                                         \
    {                                                                                                        \
        LIFTED_E(lifted);                                                                                    \
        REAL h1 = lifted[1], h2 = -lifted[0];                                                                \
        UNROLL for (i32 axis = 0; axis < 3; ++axis) {                                                        \
            REAL t1 = (f)[(TANGENT_1 + axis) * LG], t2 = (f)[(TANGENT_2 + axis) * LG];                       \
            rates[axis] = fma(e2, t2, fma(e1, t1, rates[axis]));                                             \
            rates[3 + axis] = fma(h2, t2, fma(h1, t1, rates[3 + axis]));                                     \
        }                                                                                                    \
    }

// One stage at a node: sources and auxiliary differential equations (ADE) complete the rates, then fields and auxiliary unknowns are
// advanced by ADVANCE_FIELD and ADVANCE_ADE of the time integration.
//
// q are the six fields, `history` their increments of the stage before or what the rates of earlier steps add, `rates` eps and mu times
// their time derivatives from curls and fluxes.
// Coefficients and auxiliary unknowns are those of the block, rows of one value per node and lane.
//
// PML: uniaxial tensor, eps and mu times diag(s_y s_z/s_x, s_z s_x/s_y, s_x s_y/s_z) (Gedney, IEEE Trans. Antennas Propag. 44, 1630,
// 1996), with complex-frequency-shifted (CFS) stretching s_k = 1 + sigma_k/(alpha_k + j omega) (Roden and Gedney, Microw. Opt.
// Technol. Lett. 27, 334, 2000). E_x stands for each component of E and of H, x for its own axis, y and z for the next two.
DEVICE void advance(REAL q[6], REAL history[6], REAL rates[6], GLOBAL REAL *RESTRICT fields, GLOBAL REAL *RESTRICT increments,
                    GLOBAL const i32 *RESTRICT current_of, GLOBAL const REAL *RESTRICT currents,
                    GLOBAL const REAL *RESTRICT coefficients, GLOBAL REAL *RESTRICT ade, GLOBAL REAL *RESTRICT ade_increments, REAL pulse,
                    GLOBAL const REAL *RESTRICT shape, SCALARS, i64 block, i32 kind, i32 node, i32 lane) {
    // Ohmic loss: -sigma eta_0 E. Then the division by eps and mu, which have a value along each axis.
    REAL loss = shape[LOSS * LG];
    UNROLL for (i32 c = 0; c < 3; ++c) {
        rates[c] = shape[(INVERSE_EPS + c) * LG] * fma(-loss, q[c], rates[c]);
        rates[3 + c] *= shape[(INVERSE_MU + c) * LG];
    }
    i32 node_index = node * LG + lane;
    // Dipoles: -J/eps, projected on the nodes.
    if (HAS_SOURCES) {
        i32 current = current_of[block * LG + lane];
        if (current >= 0)
            UNROLL for (i32 c = 0; c < 3; ++c) rates[c] += pulse * currents[(current * 3 + c) * NP + node];
    }
    // CFS-PML along three axes. With g = E_x/s_x = E_x - u:  u' = sigma_x g - alpha_x u,  v' = sigma_y g - alpha_y v,
    // w' = sigma_z (g + v) - alpha_z w, since s_y s_z g = g + v + w; so dE_x/dtau gains u' - v' - w'.
    if (IS(KIND_CFS_CORNER))
        UNROLL for (i32 c = 0; c < 6; ++c) {
            GLOBAL const REAL *x = coefficients + c % 3 * NP * LG + node_index, *y = coefficients + (c + 1) % 3 * NP * LG + node_index,
                              *z = coefficients + (c + 2) % 3 * NP * LG + node_index;
            i32 at = 3 * c * NP * LG + node_index, next = at + NP * LG, last = next + NP * LG;
            REAL u = ade[at], v = ade[next], w = ade[last], g = q[c] - u;
            REAL rate_u = x[0] * g - x[CORNER_ALPHA * NP * LG] * u, rate_v = y[0] * g - y[CORNER_ALPHA * NP * LG] * v,
                 rate_w = z[0] * (g + v) - z[CORNER_ALPHA * NP * LG] * w;
            rates[c] += rate_u - rate_v - rate_w;
            ADVANCE_ADE(at, u, rate_u)
            ADVANCE_ADE(next, v, rate_v)
            ADVANCE_ADE(last, w, rate_w)
        }
    // Uniaxial PML (alpha = 0) along several axes: j omega s_y s_z/s_x = j omega + (sigma_y + sigma_z - sigma_x)
    // + (sigma_y - sigma_x)(sigma_z - sigma_x)/(j omega + sigma_x); the last term is p:
    // p' = (sigma_y - sigma_x)(sigma_z - sigma_x) E_x - sigma_x p,  dE_x/dtau loses (sigma_y + sigma_z - sigma_x) E_x + p.
    if (IS(KIND_UNIAXIAL_CORNER))
        UNROLL for (i32 c = 0; c < 6; ++c) {
            REAL sx = coefficients[c % 3 * NP * LG + node_index], sy = coefficients[(c + 1) % 3 * NP * LG + node_index],
                 sz = coefficients[(c + 2) % 3 * NP * LG + node_index];
            i32 at = c * NP * LG + node_index;
            REAL p = ade[at];
            rates[c] -= (sy + sz - sx) * q[c] + p;
            ADVANCE_ADE(at, p, (sy - sx) * (sz - sx) * q[c] - sx * p)
        }
    // PML along one axis. The component along it has 1/s: v' = sigma E - (sigma + alpha) v, and dE/dtau gains v'. The others have s:
    // v' = sigma E - alpha v, and dE/dtau loses v'. `along` is 1 or 0.
    if (IS(KIND_PML_FACE)) {
        REAL sigma = coefficients[node_index], alpha = coefficients[AXIS_ALPHA * NP * LG + node_index];
        UNROLL for (i32 c = 0; c < 6; ++c) {
            i32 at = c * NP * LG + node_index;
            REAL along = coefficients[(AXIS_ROWS * NP + c % 3) * LG + lane], v = ade[at], rate = sigma * q[c] - (along * sigma + alpha) * v;
            rates[c] += (R(2.0) * along - R(1.0)) * rate;
            ADVANCE_ADE(at, v, rate)
        }
    }
    // CFS-PML along two axes: the equations of three, less those of the axis that does not absorb. `f` and `s` are 1 where the
    // component is along the first or the second of them, else 0; g is E less the unknown along its own axis.
    if (IS(KIND_PML_EDGE)) {
        REAL sigma = coefficients[node_index], alpha = coefficients[AXIS_ALPHA * NP * LG + node_index];
        REAL sigma2 = coefficients[AXIS_ROWS * NP * LG + node_index], alpha2 = coefficients[(AXIS_ROWS + AXIS_ALPHA) * NP * LG + node_index];
        UNROLL for (i32 c = 0; c < 6; ++c) {
            i32 at = 2 * c * NP * LG + node_index, next = at + NP * LG;
            REAL f = coefficients[(2 * AXIS_ROWS * NP + c % 3) * LG + lane], s = coefficients[(2 * AXIS_ROWS * NP + 3 + c % 3) * LG + lane];
            REAL u = ade[at], v = ade[next], g = q[c] - f * u - s * v;
            REAL rate_u = sigma * g - alpha * u, rate_v = sigma2 * (g + (R(1.0) - f - s) * u) - alpha2 * v;
            rates[c] += (R(2.0) * f - R(1.0)) * rate_u + (R(2.0) * s - R(1.0)) * rate_v;
            ADVANCE_ADE(at, u, rate_u)
            ADVANCE_ADE(next, v, rate_v)
        }
    }
    // Debye, Drude and Lorentz poles by ADE (Taflove and Hagness, Computational Electrodynamics, 3rd ed., 2005, chapter 9). u is the
    // polarization, v its current; src/ade.rs has the coefficients of each.
    if (IS(KIND_DISPERSIVE))
        for (i32 pole = 0; pole < POLES; ++pole) {
            GLOBAL const REAL *k = coefficients + pole * POLE * LG + lane;
            UNROLL for (i32 c = 0; c < 3; ++c) {
                i32 at = (pole * POLE_UNKNOWNS + c) * NP * LG + node_index, next = at + 3 * NP * LG;
                REAL e = q[c], u = ade[at], v = ade[next];
                rates[c] -= k[POLE_EE * LG] * e + k[POLE_EU * LG] * u + k[POLE_EV * LG] * v;
                ADVANCE_ADE(at, u, k[POLE_UE * LG] * e + k[POLE_UU * LG] * u + k[POLE_UV * LG] * v)
                ADVANCE_ADE(next, v, k[POLE_VE * LG] * e + k[POLE_VU * LG] * u + k[POLE_VV * LG] * v)
            }
        }
    UNROLL for (i32 c = 0; c < 6; ++c) {
        i64 at = (block * 6 + c) * NP * LG + node_index;
        ADVANCE_FIELD(c, at)
    }
}
