// One stage of all elements of one kind: curls, fluxes, lift, step and new traces, in one kernel.
//
// eps dE/dtau = curl H - sigma E + lift Y d,  mu dH/dtau = -curl E - lift n x d,  d = A w- + B w+ + s - E_t,
// with w- = E_t - Z n x H of the element itself and w+ that of the neighbour: src/cpu/rates.rs says the same in Rust.
//
// A group has LG elements; work item (lane, part) has ROWS nodes of element `lane`. Fields are [block][component][node][lane],
// so that all loads are of neighbouring numbers. Traces are [slot][face][node][NS]: a neighbour reads its piece in one go.
//
// Defines: NP, NF nodes of an element and of a face; NS scalars per node of a trace (2, or 4 with the central flux); LG; ROWS, a
// divisor of NP; KIND 0 plain, 1 driven, 2 layer with a frequency shift, 3 uniaxial layer, 4 poles; POLES their number.

#define PARTS (NP / ROWS)
#define ITEMS (PARTS * LG)
#define FACE_ITEMS (4 * NF)
#define TRACE (4 * NF * NS)
// One more than the lanes: columns of the tile lie in different banks.
#define PAD (LG + 1)

#define SHAPE 15
#define FACE 10

// Three derivatives, read at once.
#ifdef __OPENCL_VERSION__
typedef struct { REAL x, y, z, w; } quad;
#else
typedef struct __align__(16) { REAL x, y, z, w; } quad;
#endif

DEVICE REAL dot3(REAL ax, REAL ay, REAL az, REAL bx, REAL by, REAL bz) { return fma(az, bz, fma(ay, by, ax * bx)); }

// Where the scalar s of node k of a face is in the tile of jumps.
#define JUMP(face, k, s, lane) ((((face) * NF + (k)) * NS + (s)) * PAD + (lane))

// The traces of the neighbours, into the tile: consecutive items read consecutive numbers.
DEVICE void gather(GLOBAL const REAL *RESTRICT traces, GLOBAL const i32 *RESTRICT neighbours, GLOBAL const i32 *RESTRICT across,
                   i64 slot, LOCAL_PTR REAL *jumps) {
    for (i32 i = LOCAL_ID(0); i < LG * TRACE; i += ITEMS) {
        i32 lane = i / TRACE, word = i % TRACE;
        i32 face = word / (NF * NS), k = word / NS % NF, s = word % NS;
        i32 code = neighbours[(slot + lane) * 4 + face];
        i32 theirs = across[(code & 3) * NF + k];
        jumps[JUMP(face, k, s, lane)] = traces[(i64)(code >> 2) * (NF * NS) + theirs * NS + s];
    }
}

// d times the scale of the face, at the nodes of all faces, in place of the neighbours' traces.
DEVICE void take_jumps(LOCAL_PTR const REAL *tile, LOCAL_PTR REAL *jumps, GLOBAL const REAL *RESTRICT faces,
                       GLOBAL const i32 *RESTRICT face_nodes, REAL z, i32 lane, i32 part
#if KIND == 1 || KIND == 4
                       , GLOBAL const i32 *RESTRICT driven, GLOBAL const REAL *RESTRICT drive, i64 slot
#endif
) {
    for (i32 item = part; item < FACE_ITEMS; item += PARTS) {
        i32 face = item / NF, k = item % NF;
        GLOBAL const REAL *f = faces + face * FACE * LG + lane;
        i32 node = face_nodes[item];
        REAL e[3], h[3];
        for (i32 c = 0; c < 3; ++c) {
            e[c] = tile[(c * NP + node) * LG + lane];
            h[c] = tile[((3 + c) * NP + node) * LG + lane];
        }
        REAL e1 = dot3(e[0], e[1], e[2], f[0], f[LG], f[2 * LG]);
        REAL e2 = dot3(e[0], e[1], e[2], f[3 * LG], f[4 * LG], f[5 * LG]);
        REAL h1 = dot3(h[0], h[1], h[2], f[0], f[LG], f[2 * LG]);
        REAL h2 = dot3(h[0], h[1], h[2], f[3 * LG], f[4 * LG], f[5 * LG]);
        REAL scale = f[6 * LG], own = f[7 * LG], other = f[8 * LG];
        i32 at = JUMP(face, k, 0, lane);
#if NS == 2
        // The neighbour's second tangent points the other way.
        REAL d1 = fma(other, jumps[at], own * fma(z, h2, e1)) - e1;
        REAL d2 = fma(-other, jumps[at + PAD], own * fma(-z, h1, e2)) - e2;
        REAL d[2] = {d1, d2};
#else
        // Means: walls fix the one field and leave the other free. The neighbour gives its own n x H, with the other normal.
        REAL own_h = R(1.0) - own, other_h = f[9 * LG];
        REAL d[4] = {fma(other, jumps[at], own * e1) - e1, fma(-other, jumps[at + PAD], own * e2) - e2,
                     fma(-other_h, jumps[at + 2 * PAD], -own_h * h2) + h2, fma(other_h, jumps[at + 3 * PAD], own_h * h1) - h1};
#endif
#if KIND == 1 || KIND == 4
        i32 source = driven[(slot + lane) * 4 + face];
        if (source >= 0)
            for (i32 s = 0; s < NS; ++s) d[s] += drive[((i64)source * NF + k) * NS + s];
#endif
        for (i32 s = 0; s < NS; ++s) jumps[at + s * PAD] = scale * d[s];
    }
}

// The traces of the new fields, in the order of global memory: [lane][TRACE], one number of room after each lane.
DEVICE void give_traces(LOCAL_PTR const REAL *tile, LOCAL_PTR REAL *out, GLOBAL const REAL *RESTRICT faces,
                        GLOBAL const i32 *RESTRICT face_nodes, REAL z, i32 lane, i32 part) {
    for (i32 item = part; item < FACE_ITEMS; item += PARTS) {
        i32 face = item / NF;
        GLOBAL const REAL *f = faces + face * FACE * LG + lane;
        i32 node = face_nodes[item];
        REAL e[3], h[3];
        for (i32 c = 0; c < 3; ++c) {
            e[c] = tile[(c * NP + node) * LG + lane];
            h[c] = tile[((3 + c) * NP + node) * LG + lane];
        }
        REAL e1 = dot3(e[0], e[1], e[2], f[0], f[LG], f[2 * LG]);
        REAL e2 = dot3(e[0], e[1], e[2], f[3 * LG], f[4 * LG], f[5 * LG]);
        REAL h1 = dot3(h[0], h[1], h[2], f[0], f[LG], f[2 * LG]);
        REAL h2 = dot3(h[0], h[1], h[2], f[3 * LG], f[4 * LG], f[5 * LG]);
        LOCAL_PTR REAL *w = out + lane * (TRACE + 1) + item * NS;
#if NS == 2
        w[0] = fma(z, h2, e1);
        w[1] = fma(-z, h1, e2);
#else
        w[0] = e1;
        w[1] = e2;
        w[2] = -h2;
        w[3] = h1;
#endif
    }
}

// The rates of ROWS nodes: [row][component].
DEVICE void take_rates(REAL rates[ROWS][6], REAL q[ROWS][6], LOCAL_PTR const REAL *tile, LOCAL_PTR const REAL *jumps,
                       GLOBAL const quad *RESTRICT derivative, GLOBAL const REAL *RESTRICT lift, GLOBAL const REAL *RESTRICT shape,
                       GLOBAL const REAL *RESTRICT faces, i32 lane, i32 part) {
    REAL curl[ROWS][6];
    UNROLL for (i32 r = 0; r < ROWS; ++r)
        UNROLL for (i32 c = 0; c < 6; ++c) curl[r][c] = R(0.0);
    for (i32 j = 0; j < NP; ++j) {
        REAL f[6];
        UNROLL for (i32 c = 0; c < 6; ++c) f[c] = tile[(c * NP + j) * LG + lane];
        UNROLL for (i32 r = 0; r < ROWS; ++r) {
            quad d = derivative[(part * NP + j) * ROWS + r];
            UNROLL for (i32 x = 0; x < 6; x += 3) {
                curl[r][x] = fma(-d.z, f[x + 1], fma(d.y, f[x + 2], curl[r][x]));
                curl[r][x + 1] = fma(-d.x, f[x + 2], fma(d.z, f[x], curl[r][x + 1]));
                curl[r][x + 2] = fma(-d.y, f[x], fma(d.x, f[x + 1], curl[r][x + 2]));
            }
        }
    }
    REAL inverse_j = shape[9 * LG], inverse_eps = shape[10 * LG], inverse_mu = shape[11 * LG], loss = shape[12 * LG];
    REAL for_e = inverse_j * inverse_eps, for_h = -inverse_j * inverse_mu;
    UNROLL for (i32 axis = 0; axis < 3; ++axis) {
        REAL a = shape[axis * LG], b = shape[(3 + axis) * LG], c = shape[(6 + axis) * LG];
        UNROLL for (i32 r = 0; r < ROWS; ++r) {
            rates[r][axis] = fma(for_e, dot3(curl[r][3], curl[r][4], curl[r][5], a, b, c), -loss * q[r][axis]);
            rates[r][3 + axis] = for_h * dot3(curl[r][0], curl[r][1], curl[r][2], a, b, c);
        }
    }
    REAL y = shape[14 * LG];
    for (i32 face = 0; face < 4; ++face) {
        REAL lifted[ROWS][NS];
        UNROLL for (i32 r = 0; r < ROWS; ++r)
            UNROLL for (i32 s = 0; s < NS; ++s) lifted[r][s] = R(0.0);
        for (i32 k = 0; k < NF; ++k) {
            REAL g[NS];
            UNROLL for (i32 s = 0; s < NS; ++s) g[s] = jumps[JUMP(face, k, s, lane)];
            UNROLL for (i32 r = 0; r < ROWS; ++r) {
                REAL l = lift[(part * FACE_ITEMS + face * NF + k) * ROWS + r];
                UNROLL for (i32 s = 0; s < NS; ++s) lifted[r][s] = fma(l, g[s], lifted[r][s]);
            }
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
             GLOBAL const i32 *RESTRICT neighbours, GLOBAL const i32 *RESTRICT across, GLOBAL const i32 *RESTRICT face_nodes,
             GLOBAL const REAL *RESTRICT derivative_values, GLOBAL const REAL *RESTRICT lift, GLOBAL const i32 *RESTRICT driven,
             GLOBAL const REAL *RESTRICT drive, GLOBAL const i32 *RESTRICT current_of, GLOBAL const REAL *RESTRICT currents,
             GLOBAL const REAL *RESTRICT constants, GLOBAL REAL *RESTRICT values, GLOBAL REAL *RESTRICT value_increments, f64 pulse,
             f64 a_64, f64 b_64, f64 dt_64, i32 first_block) {
    LOCAL REAL tile[6 * NP * LG];
    LOCAL REAL jumps[TRACE * PAD + LG];
    REAL a = (REAL)a_64, b = (REAL)b_64, dt = (REAL)dt_64;
    i32 lane = LOCAL_ID(0) % LG, part = LOCAL_ID(0) / LG;
    i64 block = (i64)first_block + GROUP_ID(0), slot = block * LG;
    GLOBAL const REAL *shape = shapes + block * SHAPE * LG + lane;
    GLOBAL const REAL *faces = all_faces + block * 4 * FACE * LG;
    GLOBAL const quad *derivative = (GLOBAL const quad *)derivative_values;
    i64 base = block * (6 * NP * LG) + lane;

    REAL q[ROWS][6];
    UNROLL for (i32 r = 0; r < ROWS; ++r)
        UNROLL for (i32 c = 0; c < 6; ++c) {
            i32 at = (c * NP + part * ROWS + r) * LG;
            q[r][c] = fields[base + at];
            tile[at + lane] = q[r][c];
        }
    gather(traces, neighbours, across, slot, jumps);
    BARRIER();
    REAL z = shape[13 * LG];
    take_jumps(tile, jumps, faces, face_nodes, z, lane, part
#if KIND == 1 || KIND == 4
               , driven, drive, slot
#endif
    );
    BARRIER();
    // Covariant components in place of the fields.
    UNROLL for (i32 k = 0; k < 3; ++k) {
        REAL x = shape[(3 * k) * LG], y = shape[(3 * k + 1) * LG], w = shape[(3 * k + 2) * LG];
        UNROLL for (i32 r = 0; r < ROWS; ++r) {
            i32 node = part * ROWS + r;
            tile[(k * NP + node) * LG + lane] = dot3(q[r][0], q[r][1], q[r][2], x, y, w);
            tile[((3 + k) * NP + node) * LG + lane] = dot3(q[r][3], q[r][4], q[r][5], x, y, w);
        }
    }
    BARRIER();
    REAL rates[ROWS][6];
    take_rates(rates, q, tile, jumps, derivative, lift, shape, faces, lane, part);
#if KIND == 1 || KIND == 4
    i32 current = current_of[slot + lane];
    if (current >= 0)
        UNROLL for (i32 r = 0; r < ROWS; ++r)
            UNROLL for (i32 c = 0; c < 3; ++c) rates[r][c] += (REAL)pulse * currents[(current * 3 + c) * NP + part * ROWS + r];
#endif
    UNROLL for (i32 r = 0; r < ROWS; ++r) {
        i32 node = part * ROWS + r;
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
        UNROLL for (i32 c = 0; c < 6; ++c) tile[(c * NP + part * ROWS + r) * LG + lane] = q[r][c];
    BARRIER();
    give_traces(tile, jumps, faces, face_nodes, z, lane, part);
    BARRIER();
    for (i32 i = LOCAL_ID(0); i < LG * TRACE; i += ITEMS) new_traces[slot * TRACE + i] = jumps[i + i / TRACE];
}
