// One element in a stage: what all kernels that advance the fields have in common.
//
// eps dE/dtau = curl H - sigma E + lift Y d,  mu dH/dtau = -curl E - lift n x d,  d = A w- + B w+ + s - E_t,
// with w- = E_t - Z n x H of the element itself and w+ that of the neighbor: src/cpu/rates.rs says the same in Rust.
//
// Elements lie in blocks of LG. Fields are [block][component][node][lane], so that loads are of neighboring numbers. Traces are
// [slot][face][node][NS]: what a neighbor reads lies together.
//
// Defines: NP, NF nodes of an element and of a face; NS scalars per node of a trace (2, or 4 with the central flux); LG; FACE_NODES the
// nodes of the four faces; KINDS the kinds of elements that there are, by bits; POLES the number of poles.

#define FACE_ITEMS (4 * NF)
#define TRACE (4 * NF * NS)
// Numbers of an element, and of each of its faces: src/gpu/tables.rs.
#define SHAPE 15
#define FACE 10

// Kinds of elements: src/gpu/further.rs. DRIVEN ones have sources, those of kind 0 nothing besides fields.
#define DRIVEN 1
#define SHIFTED_CORNER 2
#define UNIAXIAL_CORNER 3
#define WITH_POLES 4
#define FLAT_LAYER 5
#define EDGE_LAYER 6
// Whether an element is of a kind, which is known beforehand where there is one kind alone.
#define IS(k) (KINDS == 1 << (k) || ((KINDS >> (k) & 1) && kind == (k)))
#define HAS_SOURCES (IS(DRIVEN) || IS(WITH_POLES))
// Variables at a node besides E and H.
#define FURTHER                                                                                              \
    (IS(SHIFTED_CORNER) ? 18                                                                                 \
     : IS(EDGE_LAYER) ? 12                                                                                   \
     : IS(WITH_POLES) ? 6 * POLES                                                                            \
     : IS(FLAT_LAYER) || IS(UNIAXIAL_CORNER) ? 6 : 0)

// Layers take longest, and lie behind the elements without: the first groups take the last blocks.
#define LAST_GROUP_FIRST ((i64)NUM_GROUPS(0) - 1 - GROUP_ID(0))
// The kind of the elements of a block, its constants and its further variables. `further` has the kind, and where the others begin.
#define OF_BLOCK(block)                                                                                      \
    i32 kind = (i32)further[3 * (block)];                                                                    \
    GLOBAL const REAL *constants = all_constants + further[3 * (block) + 1];                                 \
    GLOBAL REAL *values = all_values + further[3 * (block) + 2];                                             \
    GLOBAL REAL *value_increments = all_value_increments + further[3 * (block) + 2]

// The scalars of a trace at a node, read and written at once.
#ifdef __OPENCL_VERSION__
typedef struct { REAL s[NS]; } trace;
#else
typedef struct __align__(NS * sizeof(REAL) < 16 ? NS * sizeof(REAL) : 16) { REAL s[NS]; } trace;
#endif

CONSTANT i32 face_nodes[FACE_ITEMS] = {FACE_NODES};

DEVICE REAL dot3(REAL ax, REAL ay, REAL az, REAL bx, REAL by, REAL bz) { return fma(az, bz, fma(ay, by, ax * bx)); }

// Where the scalar s of node `item` of the faces is in the tile of jumps.
#define JUMP(item, s, lane) (((s) * FACE_ITEMS + (item)) * LG + (lane))

// What follows are names for numbers, since PoCL loses structs that functions give back.

// The tangents of a face, and how it is scaled and weighs its two sides.
#define FRAME(f)                                                                                             \
    REAL x1 = (f)[0], y1 = (f)[LG], z1 = (f)[2 * LG], x2 = (f)[3 * LG], y2 = (f)[4 * LG], z2 = (f)[5 * LG]
#if NS == 2
#define WEIGHTS(f) REAL scale = (f)[6 * LG], own = (f)[7 * LG], other = (f)[8 * LG]
#else
#define WEIGHTS(f) REAL scale = (f)[6 * LG], own = (f)[7 * LG], other = (f)[8 * LG], other_h = (f)[9 * LG]
#endif

// E and H along the tangents at a node, from a tile [component][node][lane].
#define ALONG(node)                                                                                          \
    LOCAL_PTR const REAL *v = tile + (node) * LG + lane;                                                     \
    REAL e1 = dot3(v[0], v[NP * LG], v[2 * NP * LG], x1, y1, z1);                                            \
    REAL e2 = dot3(v[0], v[NP * LG], v[2 * NP * LG], x2, y2, z2);                                            \
    REAL h1 = dot3(v[3 * NP * LG], v[4 * NP * LG], v[5 * NP * LG], x1, y1, z1);                              \
    REAL h2 = dot3(v[3 * NP * LG], v[4 * NP * LG], v[5 * NP * LG], x2, y2, z2)

// d at node k of a face; `far` is the neighbor's trace.
#if NS == 2
// The neighbor's second tangent points the other way.
#define CENTRAL_PART(far)
#define JUMP_1(far) fma(other, far.s[0], own * fma(z, h2, e1)) - e1
#define JUMP_2(far) fma(-other, far.s[1], own * fma(-z, h1, e2)) - e2
#else
// Means: walls fix the one field and leave the other free. The neighbor gives its own n x H, with the other normal.
#define CENTRAL_PART(far)                                                                                    \
    d[2] = fma(-other_h, far.s[2], -(R(1.0) - own) * h2) + h2;                                               \
    d[3] = fma(other_h, far.s[3], (R(1.0) - own) * h1) - h1;
#define JUMP_1(far) fma(other, far.s[0], own * e1) - e1
#define JUMP_2(far) fma(-other, far.s[1], own * e2) - e2
#endif
#define DRIVEN_PART(face, k)                                                                                 \
    if (HAS_SOURCES) {                                                                                       \
        i32 source = driven[(slot + lane) * 4 + (face)];                                                     \
        if (source >= 0)                                                                                     \
            for (i32 s = 0; s < NS; ++s) d[s] += drive[((i64)source * NF + (k)) * NS + s];                   \
    }
#define JUMPS(face, k, far)                                                                                  \
    ALONG(face_nodes[(face) * NF + (k)]);                                                                    \
    REAL d[NS];                                                                                              \
    d[0] = JUMP_1(far);                                                                                      \
    d[1] = JUMP_2(far);                                                                                      \
    CENTRAL_PART(far)                                                                                        \
    DRIVEN_PART(face, k)
// The same times the scale of the face, into the tile of jumps.
#define TAKE_JUMP(face, k, far)                                                                              \
    {                                                                                                        \
        JUMPS(face, k, far)                                                                                  \
        UNROLL for (i32 s = 0; s < NS; ++s) jumps[JUMP((face) * NF + (k), s, lane)] = scale * d[s];          \
    }

// The trace of the fields in the tile at node k of a face.
#if NS == 2
#define FILL_TRACE(w) w.s[0] = fma(z, h2, e1), w.s[1] = fma(-z, h1, e2)
#else
#define FILL_TRACE(w) w.s[0] = e1, w.s[1] = e2, w.s[2] = -h2, w.s[3] = h1
#endif
#define GIVE_TRACE(face, k)                                                                                  \
    {                                                                                                        \
        ALONG(face_nodes[(face) * NF + (k)]);                                                                \
        trace w;                                                                                             \
        FILL_TRACE(w);                                                                                       \
        ((GLOBAL trace *)new_traces)[(slot + lane) * FACE_ITEMS + (face) * NF + (k)] = w;                    \
    }

// What a face adds to the rates of a node: its jumps lifted, along its tangents.
#if NS == 2
#define LIFTED_E(lifted) REAL e1 = y * lifted[0], e2 = y * lifted[1]
#else
#define LIFTED_E(lifted) REAL e1 = inverse_eps * lifted[2], e2 = inverse_eps * lifted[3]
#endif
#define ADD_LIFTED(rates, lifted, f)                                                                         \
    {                                                                                                        \
        LIFTED_E(lifted);                                                                                    \
        REAL h1 = inverse_mu * lifted[1], h2 = -inverse_mu * lifted[0];                                      \
        UNROLL for (i32 axis = 0; axis < 3; ++axis) {                                                        \
            REAL t1 = (f)[axis * LG], t2 = (f)[(3 + axis) * LG];                                             \
            rates[axis] = fma(e2, t2, fma(e1, t1, rates[axis]));                                             \
            rates[3 + axis] = fma(h2, t2, fma(h1, t1, rates[3 + axis]));                                     \
        }                                                                                                    \
    }

// Moves a further variable on.
#define MOVE(at, value, slope)                                                                               \
    {                                                                                                        \
        REAL increment = fma(a, value_increments[at], dt * (slope));                                         \
        value_increments[at] = increment;                                                                    \
        values[at] = fma(b, increment, value);                                                               \
    }

// One step of Runge and Kutta at a node: its fields q, how far they went in the step before, and their rates without losses.
// Constants and further variables are those of its block.
DEVICE void advance(REAL q[6], REAL moved[6], REAL rates[6], GLOBAL REAL *RESTRICT fields, GLOBAL REAL *RESTRICT increments,
                    GLOBAL const i32 *RESTRICT current_of, GLOBAL const REAL *RESTRICT currents, GLOBAL const REAL *RESTRICT constants,
                    GLOBAL REAL *RESTRICT values, GLOBAL REAL *RESTRICT value_increments, REAL pulse, REAL loss, REAL a, REAL b, REAL dt,
                    i64 block, i32 kind, i32 node, i32 lane) {
    UNROLL for (i32 c = 0; c < 3; ++c) rates[c] = fma(-loss, q[c], rates[c]);
    i32 own = node * LG + lane;
    if (HAS_SOURCES) {
        i32 current = current_of[block * LG + lane];
        if (current >= 0)
            UNROLL for (i32 c = 0; c < 3; ++c) rates[c] += pulse * currents[(current * 3 + c) * NP + node];
    }
    if (IS(SHIFTED_CORNER))
        UNROLL for (i32 c = 0; c < 6; ++c) {
            GLOBAL const REAL *x = constants + c % 3 * NP * LG + own, *y = constants + (c + 1) % 3 * NP * LG + own,
                              *z = constants + (c + 2) % 3 * NP * LG + own;
            i32 at = 3 * c * NP * LG + own, next = at + NP * LG, last = next + NP * LG;
            REAL u = values[at], v = values[next], w = values[last], g = q[c] - u;
            REAL slope_u = x[0] * g - x[3 * NP * LG] * u, slope_v = y[0] * g - y[3 * NP * LG] * v,
                 slope_w = z[0] * (g + v) - z[3 * NP * LG] * w;
            rates[c] += slope_u - slope_v - slope_w;
            MOVE(at, u, slope_u)
            MOVE(next, v, slope_v)
            MOVE(last, w, slope_w)
        }
    if (IS(UNIAXIAL_CORNER))
        UNROLL for (i32 c = 0; c < 6; ++c) {
            REAL sx = constants[c % 3 * NP * LG + own], sy = constants[(c + 1) % 3 * NP * LG + own],
                 sz = constants[(c + 2) % 3 * NP * LG + own];
            i32 at = c * NP * LG + own;
            REAL p = values[at];
            rates[c] -= (sy + sz - sx) * q[c] + p;
            MOVE(at, p, (sy - sx) * (sz - sx) * q[c] - sx * p)
        }
    if (IS(FLAT_LAYER)) {
        REAL s = constants[own], shift = constants[NP * LG + own];
        UNROLL for (i32 c = 0; c < 6; ++c) {
            i32 at = c * NP * LG + own;
            REAL along = constants[(2 * NP + c % 3) * LG + lane], v = values[at], slope = s * q[c] - (along * s + shift) * v;
            rates[c] += (R(2.0) * along - R(1.0)) * slope;
            MOVE(at, v, slope)
        }
    }
    if (IS(EDGE_LAYER)) {
        REAL s = constants[own], shift = constants[NP * LG + own];
        REAL s2 = constants[2 * NP * LG + own], shift2 = constants[3 * NP * LG + own];
        UNROLL for (i32 c = 0; c < 6; ++c) {
            i32 at = 2 * c * NP * LG + own, next = at + NP * LG;
            REAL f = constants[(4 * NP + c % 3) * LG + lane], g = constants[(4 * NP + 3 + c % 3) * LG + lane];
            REAL u = values[at], v = values[next], rest = q[c] - f * u - g * v;
            REAL slope = s * rest - shift * u, slope2 = s2 * (rest + (R(1.0) - f - g) * u) - shift2 * v;
            rates[c] += (R(2.0) * f - R(1.0)) * slope + (R(2.0) * g - R(1.0)) * slope2;
            MOVE(at, u, slope)
            MOVE(next, v, slope2)
        }
    }
    if (IS(WITH_POLES))
        for (i32 pole = 0; pole < POLES; ++pole) {
            GLOBAL const REAL *k = constants + pole * 9 * LG + lane;
            UNROLL for (i32 c = 0; c < 3; ++c) {
                i32 at = (pole * 6 + c) * NP * LG + own, next = at + 3 * NP * LG;
                REAL e = q[c], u = values[at], v = values[next];
                rates[c] -= k[6 * LG] * e + k[7 * LG] * u + k[8 * LG] * v;
                MOVE(at, u, k[0] * e + k[LG] * u + k[2 * LG] * v)
                MOVE(next, v, k[3 * LG] * e + k[4 * LG] * u + k[5 * LG] * v)
            }
        }
    UNROLL for (i32 c = 0; c < 6; ++c) {
        i64 at = (block * 6 + c) * NP * LG + own;
        moved[c] = fma(a, moved[c], dt * rates[c]);
        increments[at] = moved[c];
        q[c] = fma(b, moved[c], q[c]);
        fields[at] = q[c];
    }
}
