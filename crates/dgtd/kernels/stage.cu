// One stage of all elements of one kind: curls, fluxes, lift, step and new traces, in one kernel.
//
// eps dE/dtau = curl H - sigma E + lift Y d,  mu dH/dtau = -curl E - lift n x d,  d = A w- + B w+ + s - E_t,
// with w- = E_t - Z n x H of the element itself and w+ that of the neighbour: src/cpu/rates.rs says the same in Rust.
//
// A group has LG elements; work item (lane, part) has ROWS nodes of element `lane`. Fields are [block][component][node][lane],
// so that all loads are of neighbouring numbers. Traces are [slot][face][node][NS]: what a neighbour reads lies together.
//
// Defines: NP, NF nodes of an element and of a face; NS scalars per node of a trace (2, or 4 with the central flux); LG; ROWS, a power of
// two; STEP columns that are worked on at once; FACE_NODES the nodes of the four faces; KIND 0 plain, 1 driven, 2 layer with a frequency shift, 3 uniaxial layer, 4 poles; POLES their number.

#define PARTS ((NP + ROWS - 1) / ROWS)
#define ITEMS (PARTS * LG)
#define FACE_ITEMS (4 * NF)
// Nodes of faces for a work item, one after the other, so that most are on one face.
#define CHUNK ((FACE_ITEMS + PARTS - 1) / PARTS)
#define TRACE (4 * NF * NS)

#define SHAPE 15
#define FACE 10

// The scalars of a trace at a node, read and written at once.
#ifdef __OPENCL_VERSION__
typedef struct { REAL s[NS]; } trace;
#else
typedef struct __align__(NS * sizeof(REAL) < 16 ? NS * sizeof(REAL) : 16) { REAL s[NS]; } trace;
#endif

// Entries of an operator for the rows of a work item, read at once; those of rows that there are not are zero.
#ifdef __OPENCL_VERSION__
typedef struct { REAL v[ROWS]; } column;
#else
typedef struct __align__(ROWS * sizeof(REAL) < 16 ? ROWS * sizeof(REAL) : 16) { REAL v[ROWS]; } column;
#endif
// The last work item of an element may have fewer rows.
#define HAS_ROW(r) (NP % ROWS == 0 || part * ROWS + (r) < NP)

CONSTANT i32 face_nodes[FACE_ITEMS] = {FACE_NODES};

DEVICE REAL dot3(REAL ax, REAL ay, REAL az, REAL bx, REAL by, REAL bz) { return fma(az, bz, fma(ay, by, ax * bx)); }

// Where the scalar s of node `item` of the faces is in the tile of jumps.
#define JUMP(item, s, lane) (((item) * NS + (s)) * LG + (lane))

// The tangents of a face, and E and H along them at a node: names for numbers, since PoCL loses structs that functions give back.
#define FRAME(f)                                                                                             \
    REAL x1 = (f)[0], y1 = (f)[LG], z1 = (f)[2 * LG], x2 = (f)[3 * LG], y2 = (f)[4 * LG], z2 = (f)[5 * LG]
#define ALONG(node)                                                                                          \
    LOCAL_PTR const REAL *v = tile + (node) * LG + lane;                                                     \
    REAL e1 = dot3(v[0], v[NP * LG], v[2 * NP * LG], x1, y1, z1);                                            \
    REAL e2 = dot3(v[0], v[NP * LG], v[2 * NP * LG], x2, y2, z2);                                            \
    REAL h1 = dot3(v[3 * NP * LG], v[4 * NP * LG], v[5 * NP * LG], x1, y1, z1);                              \
    REAL h2 = dot3(v[3 * NP * LG], v[4 * NP * LG], v[5 * NP * LG], x2, y2, z2)

// d times the scale of the face, at the nodes of all faces.
DEVICE void take_jumps(LOCAL_PTR const REAL *tile, LOCAL_PTR REAL *jumps, LOCAL_PTR const i32 *across,
                       GLOBAL const trace *RESTRICT traces, GLOBAL const i32 *RESTRICT neighbours, GLOBAL const REAL *RESTRICT faces,
                       GLOBAL const i32 *RESTRICT driven, GLOBAL const REAL *RESTRICT drive, REAL z, i64 slot, i32 lane, i32 part) {
    for (i32 face = 0; face < 4; ++face) {
        i32 first = part * CHUNK > face * NF ? part * CHUNK : face * NF;
        i32 end = (part + 1) * CHUNK < (face + 1) * NF ? (part + 1) * CHUNK : (face + 1) * NF;
        if (first >= end) continue;
        GLOBAL const REAL *f = faces + face * FACE * LG + lane;
        i32 code = neighbours[(slot + lane) * 4 + face];
        FRAME(f);
        REAL scale = f[6 * LG], own = f[7 * LG], other = f[8 * LG];
#if NS == 4
        REAL own_h = R(1.0) - own, other_h = f[9 * LG];
#endif
        for (i32 item = first; item < end; ++item) {
            i32 k = item - face * NF;
            trace far = traces[(i64)(code >> 2) * NF + across[(code & 3) * NF + k]];
            ALONG(face_nodes[item]);
            REAL d[NS];
#if NS == 2
            // The neighbour's second tangent points the other way.
            d[0] = fma(other, far.s[0], own * fma(z, h2, e1)) - e1;
            d[1] = fma(-other, far.s[1], own * fma(-z, h1, e2)) - e2;
#else
            // Means: walls fix the one field and leave the other free. The neighbour gives its own n x H, with the other normal.
            d[0] = fma(other, far.s[0], own * e1) - e1;
            d[1] = fma(-other, far.s[1], own * e2) - e2;
            d[2] = fma(-other_h, far.s[2], -own_h * h2) + h2;
            d[3] = fma(other_h, far.s[3], own_h * h1) - h1;
#endif
#if KIND == 1 || KIND == 4
            i32 source = driven[(slot + lane) * 4 + face];
            if (source >= 0)
                for (i32 s = 0; s < NS; ++s) d[s] += drive[((i64)source * NF + k) * NS + s];
#endif
            UNROLL for (i32 s = 0; s < NS; ++s) jumps[JUMP(item, s, lane)] = scale * d[s];
        }
    }
}

// The traces of the new fields.
DEVICE void give_traces(LOCAL_PTR const REAL *tile, GLOBAL trace *RESTRICT traces, GLOBAL const REAL *RESTRICT faces, REAL z, i64 slot,
                        i32 lane, i32 part) {
    for (i32 face = 0; face < 4; ++face) {
        i32 first = part * CHUNK > face * NF ? part * CHUNK : face * NF;
        i32 end = (part + 1) * CHUNK < (face + 1) * NF ? (part + 1) * CHUNK : (face + 1) * NF;
        if (first >= end) continue;
        GLOBAL const REAL *f = faces + face * FACE * LG + lane;
        FRAME(f);
        for (i32 item = first; item < end; ++item) {
            ALONG(face_nodes[item]);
            trace w;
#if NS == 2
            w.s[0] = fma(z, h2, e1);
            w.s[1] = fma(-z, h1, e2);
#else
            w.s[0] = e1;
            w.s[1] = e2;
            w.s[2] = -h2;
            w.s[3] = h1;
#endif
            traces[(slot + lane) * FACE_ITEMS + item] = w;
        }
    }
}

// The rates of ROWS nodes without losses: [row][component].
DEVICE void take_rates(REAL rates[ROWS][6], LOCAL_PTR const REAL *tile, LOCAL_PTR const REAL *jumps,
                       GLOBAL const column *RESTRICT derivative, GLOBAL const column *RESTRICT lift,
                       GLOBAL const REAL *RESTRICT shape, GLOBAL const REAL *RESTRICT faces, i32 lane, i32 part) {
    REAL curl[ROWS][6];
    UNROLL for (i32 r = 0; r < ROWS; ++r)
        UNROLL for (i32 c = 0; c < 6; ++c) curl[r][c] = R(0.0);
    GLOBAL const column *d = derivative + part * NP * 3;
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
    REAL inverse_j = shape[9 * LG], inverse_eps = shape[10 * LG], inverse_mu = shape[11 * LG];
    REAL for_e = inverse_j * inverse_eps, for_h = -inverse_j * inverse_mu;
    UNROLL for (i32 axis = 0; axis < 3; ++axis) {
        REAL a = shape[axis * LG], b = shape[(3 + axis) * LG], c = shape[(6 + axis) * LG];
        UNROLL for (i32 r = 0; r < ROWS; ++r) {
            rates[r][axis] = for_e * dot3(curl[r][3], curl[r][4], curl[r][5], a, b, c);
            rates[r][3 + axis] = for_h * dot3(curl[r][0], curl[r][1], curl[r][2], a, b, c);
        }
    }
    REAL y = shape[14 * LG];
    for (i32 face = 0; face < 4; ++face) {
        REAL lifted[ROWS][NS];
        UNROLL for (i32 r = 0; r < ROWS; ++r)
            UNROLL for (i32 s = 0; s < NS; ++s) lifted[r][s] = R(0.0);
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
        UNROLL for (i32 r = 0; r < ROWS; ++r) {
#if NS == 2
            REAL e1 = y * lifted[r][0], e2 = y * lifted[r][1];
#else
            REAL e1 = inverse_eps * lifted[r][2], e2 = inverse_eps * lifted[r][3];
#endif
            REAL h1 = inverse_mu * lifted[r][1], h2 = -inverse_mu * lifted[r][0];
            UNROLL for (i32 axis = 0; axis < 3; ++axis) {
                REAL t1 = f[axis * LG], t2 = f[(3 + axis) * LG];
                rates[r][axis] = fma(e2, t2, fma(e1, t1, rates[r][axis]));
                rates[r][3 + axis] = fma(h2, t2, fma(h1, t1, rates[r][3 + axis]));
            }
        }
    }
}

KERNEL stage(GLOBAL REAL *RESTRICT fields, GLOBAL REAL *RESTRICT increments, GLOBAL const REAL *RESTRICT traces,
             GLOBAL REAL *RESTRICT new_traces, GLOBAL const REAL *RESTRICT shapes, GLOBAL const REAL *RESTRICT all_faces,
             GLOBAL const i32 *RESTRICT neighbours, GLOBAL const i32 *RESTRICT across_table,
             GLOBAL const REAL *RESTRICT derivative, GLOBAL const REAL *RESTRICT lift, GLOBAL const i32 *RESTRICT driven,
             GLOBAL const REAL *RESTRICT drive, GLOBAL const i32 *RESTRICT current_of, GLOBAL const REAL *RESTRICT currents,
             GLOBAL const REAL *RESTRICT constants, GLOBAL REAL *RESTRICT values, GLOBAL REAL *RESTRICT value_increments, f64 pulse,
             f64 a_64, f64 b_64, f64 dt_64, i32 first_block) {
    LOCAL REAL tile[6 * NP * LG];
    LOCAL REAL jumps[TRACE * LG];
    LOCAL i32 across[3 * NF];
    REAL a = (REAL)a_64, b = (REAL)b_64, dt = (REAL)dt_64;
    i32 lane = LOCAL_ID(0) % LG, part = LOCAL_ID(0) / LG;
    i64 block = (i64)first_block + GROUP_ID(0), slot = block * LG;
    GLOBAL const REAL *shape = shapes + block * SHAPE * LG + lane;
    GLOBAL const REAL *faces = all_faces + block * 4 * FACE * LG;
    i64 base = block * (6 * NP * LG) + lane;

    for (i32 i = LOCAL_ID(0); i < 3 * NF; i += ITEMS) across[i] = across_table[i];
    REAL q[ROWS][6];
    UNROLL for (i32 r = 0; r < ROWS; ++r)
        UNROLL for (i32 c = 0; c < 6; ++c) {
            i32 at = (c * NP + part * ROWS + r) * LG;
            if (HAS_ROW(r)) {
                q[r][c] = fields[base + at];
                tile[at + lane] = q[r][c];
            }
        }
    BARRIER();
    REAL z = shape[13 * LG], loss = shape[12 * LG];
    take_jumps(tile, jumps, across, (GLOBAL const trace *)traces, neighbours, faces, driven, drive, z, slot, lane, part);
    BARRIER();
    // Covariant components in place of the fields.
    UNROLL for (i32 k = 0; k < 3; ++k) {
        REAL x = shape[(3 * k) * LG], y = shape[(3 * k + 1) * LG], w = shape[(3 * k + 2) * LG];
        UNROLL for (i32 r = 0; r < ROWS; ++r) {
            i32 node = part * ROWS + r;
            if (HAS_ROW(r)) {
                tile[(k * NP + node) * LG + lane] = dot3(q[r][0], q[r][1], q[r][2], x, y, w);
                tile[((3 + k) * NP + node) * LG + lane] = dot3(q[r][3], q[r][4], q[r][5], x, y, w);
            }
        }
    }
    BARRIER();
    REAL rates[ROWS][6];
    take_rates(rates, tile, jumps, (GLOBAL const column *)derivative, (GLOBAL const column *)lift, shape, faces, lane, part);
    // The fields again: they need not wait in registers meanwhile.
    UNROLL for (i32 r = 0; r < ROWS; ++r)
        UNROLL for (i32 c = 0; c < 6; ++c) {
            if (HAS_ROW(r)) q[r][c] = fields[base + (c * NP + part * ROWS + r) * LG];
            if (c < 3) rates[r][c] = fma(-loss, q[r][c], rates[r][c]);
        }
#if KIND == 1 || KIND == 4
    i32 current = current_of[slot + lane];
    if (current >= 0)
        UNROLL for (i32 r = 0; r < ROWS; ++r)
            UNROLL for (i32 c = 0; c < 3; ++c)
                if (HAS_ROW(r)) rates[r][c] += (REAL)pulse * currents[(current * 3 + c) * NP + part * ROWS + r];
#endif
    UNROLL for (i32 r = 0; r < ROWS; ++r) {
        i32 node = part * ROWS + r;
        if (!HAS_ROW(r)) continue;
        // Constants and further variables of this kind, which are counted from its first block.
        i64 own = (i64)GROUP_ID(0);
#if KIND == 2 || KIND == 3
        GLOBAL const REAL *profile = constants + (own * 6 * NP + node) * LG + lane;
        UNROLL for (i32 c = 0; c < 6; ++c) {
            i32 ax = c % 3, ay = (c + 1) % 3, az = (c + 2) % 3;
            REAL sx = profile[ax * NP * LG], sy = profile[ay * NP * LG], sz = profile[az * NP * LG];
#if KIND == 2
            REAL shift_x = profile[(3 + ax) * NP * LG], shift_y = profile[(3 + ay) * NP * LG], shift_z = profile[(3 + az) * NP * LG];
            i64 at = ((own * 24 + 4 * c) * NP + node) * LG + lane;
            REAL v[4], slope[4];
            UNROLL for (i32 i = 0; i < 4; ++i) v[i] = values[at + i * NP * LG];
            REAL k = v[0] - v[1], g = k - v[2];
            slope[0] = rates[r][c];
            slope[1] = sz * v[0] - (shift_z + sz) * v[1];
            slope[2] = sy * k - (shift_y + sy) * v[2];
            slope[3] = sx * g - shift_x * v[3];
            UNROLL for (i32 i = 0; i < 4; ++i) {
                REAL increment = fma(a, value_increments[at + i * NP * LG], dt * slope[i]);
                value_increments[at + i * NP * LG] = increment;
                v[i] = fma(b, increment, v[i]);
                values[at + i * NP * LG] = v[i];
            }
            q[r][c] = v[0] - v[1] - v[2] + v[3];
#else
            i64 at = ((own * 6 + c) * NP + node) * LG + lane;
            REAL p = values[at];
            rates[r][c] -= (sy + sz - sx) * q[r][c] + p;
            REAL increment = fma(a, value_increments[at], dt * ((sy - sx) * (sz - sx) * q[r][c] - sx * p));
            value_increments[at] = increment;
            values[at] = fma(b, increment, p);
#endif
        }
#endif
#if KIND == 4
        for (i32 pole = 0; pole < POLES; ++pole) {
            GLOBAL const REAL *k = constants + (own * POLES + pole) * 9 * LG + lane;
            UNROLL for (i32 c = 0; c < 3; ++c) {
                i64 at = (((own * POLES + pole) * 6 + c) * NP + node) * LG + lane, next = at + 3 * NP * LG;
                REAL e = q[r][c], u = values[at], v = values[next];
                rates[r][c] -= k[6 * LG] * e + k[7 * LG] * u + k[8 * LG] * v;
                REAL du = fma(a, value_increments[at], dt * (k[0] * e + k[LG] * u + k[2 * LG] * v));
                REAL dv = fma(a, value_increments[next], dt * (k[3 * LG] * e + k[4 * LG] * u + k[5 * LG] * v));
                value_increments[at] = du;
                value_increments[next] = dv;
                values[at] = fma(b, du, u);
                values[next] = fma(b, dv, v);
            }
        }
#endif
        UNROLL for (i32 c = 0; c < 6; ++c) {
            i64 at = base + (c * NP + node) * LG;
#if KIND != 2
            REAL increment = fma(a, increments[at], dt * rates[r][c]);
            increments[at] = increment;
            q[r][c] = fma(b, increment, q[r][c]);
#endif
            fields[at] = q[r][c];
        }
    }
    BARRIER();
    UNROLL for (i32 r = 0; r < ROWS; ++r)
        UNROLL for (i32 c = 0; c < 6; ++c)
            if (HAS_ROW(r)) tile[(c * NP + part * ROWS + r) * LG + lane] = q[r][c];
    BARRIER();
    give_traces(tile, (GLOBAL trace *)new_traces, faces, z, slot, lane, part);
}
