// A stage of all straight elements in one kernel, with its products on the matrix units of an NVIDIA GPU, in single precision.
//
// The operators are the same for all elements, so that derivatives and lifts are matrix products. The units multiply numbers of 11 bits
// and add in single precision. A number is cut into the nearest of 11 bits and the rest: x y = x1 y1 + x1 y2 + x2 y1 up to 2^-21, about
// what single precision rounds to (Ootomo and Yokota, Int. J. High Perform. Comput. Appl. 36, 475, 2022).
//
// A warp has 8 elements from the beginning to the end, and waits for no other. In mma.m16n8k8, which adds the product of 16 rows and 8
// columns by 8 rows and 8 columns, rows of the left are E and H of the 8 elements (or both scalars of a jump), columns of the right are
// nodes that the operator leads to, and what is summed over are nodes that it comes from. Work item 4 g + t holds (g, t), (g + 8, t),
// (g, t + 4), (g + 8, t + 4) of the left; (t, g), (t + 4, g) of the right; (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1) of
// the sum. Columns 2 t and 2 t + 1 are put to nodes t and t + 4: then a work item has the same nodes of the same element on the left
// and in the sum, and goes from fields to rates in its own registers. Operators lie in pieces of 8 nodes and 8 nodes, [piece][item][2].

// Pieces along the nodes of an element, and of a face.
#define STEPS ((NP + 7) / 8)
#define FACE_STEPS ((NF + 7) / 8)
// Steps whose increments are on their way while one is advanced: with one alone order 4 is 6 % slower on an H200.
#define AHEAD 3

// Of work item t: whether node `of` + t is there, which is known beforehand but for the last nodes.
#define HAS(of, count) ((of) + 3 < (count) || ((of) < (count) && (of) + t < (count)))
// Its nodes of a face: k is the j-th.
#define FOR_FACE_NODES UNROLL for (i32 j = 0, k = t; j < 2 * FACE_STEPS; ++j, k += 4) if (HAS(4 * j, NF))

typedef struct { u32 near, rest; } parts;
typedef struct { u32 near[4], rest[4]; } left_piece;
typedef struct { u32 near[2], rest[2]; } right_piece;

// The units leave out what of the rest is beyond 11 bits.
DEVICE parts cut(f32 x) {
    u32 near = (__float_as_uint(x) + 0x1000u) & 0xffffe000u;
    parts p = {near, __float_as_uint(x - __uint_as_float(near))};
    return p;
}

DEVICE void put(left_piece &piece, i32 at, f32 x) {
    parts p = cut(x);
    piece.near[at] = p.near;
    piece.rest[at] = p.rest;
}

DEVICE left_piece negative(left_piece a) {
    UNROLL for (i32 i = 0; i < 4; ++i) {
        a.near[i] ^= 0x80000000u;
        a.rest[i] ^= 0x80000000u;
    }
    return a;
}

DEVICE right_piece read_piece(const float2 *RESTRICT operators) {
    float2 v = *operators;
    parts a = cut(v.x), b = cut(v.y);
    right_piece p = {{a.near, b.near}, {a.rest, b.rest}};
    return p;
}

DEVICE void multiply_once(f32 sum[4], const u32 a[4], const u32 b[2]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// sum += a b; the smallest first.
DEVICE void multiply(f32 sum[4], const left_piece &a, const right_piece &b) {
    multiply_once(sum, a.rest, b.near);
    multiply_once(sum, a.near, b.rest);
    multiply_once(sum, a.near, b.near);
}

// Curls of E and H: [step][component]. Covariant components of the curl follow from those of the fields by the derivatives alone.
// `own` is the first node of the work item in the tile, `edges` are those of its element.
DEVICE void take_curls(f32 curl[STEPS][3][4], const f32 *own, const f32 edges[9], const float2 *RESTRICT derivative) {
    for (i32 k = 0; k < STEPS; ++k) {
        left_piece plus[3], minus[3];
        UNROLL for (i32 i = 0; i < 4; ++i) {
            const f32 *v = own + (i % 2 * 3 * NP + 8 * k + i / 2 * 4) * LG;
            f32 x = v[0], y = v[NP * LG], z = v[2 * NP * LG];
            UNROLL for (i32 c = 0; c < 3; ++c) put(plus[c], i, dot3(x, y, z, edges[3 * c], edges[3 * c + 1], edges[3 * c + 2]));
        }
        UNROLL for (i32 c = 0; c < 3; ++c) minus[c] = negative(plus[c]);
        UNROLL for (i32 n = 0; n < STEPS; ++n)
            UNROLL for (i32 x = 0; x < 3; ++x) {
                i32 y = (x + 1) % 3, z = (x + 2) % 3;
                right_piece d = read_piece(derivative + ((k * STEPS + n) * 3 + x) * 32);
                multiply(curl[n][z], plus[y], d);
                multiply(curl[n][y], minus[z], d);
            }
    }
}

// The rates that curls give, of E in units of Y / eps and of H in units of 1 / mu: in these jumps need no factor. Z Y = 1.
DEVICE void begin_rates(f32 rates[STEPS][2][6], const f32 *own, const f32 *shape, const float2 *RESTRICT derivative) {
    f32 m[9], curl[STEPS][3][4] = {};
    UNROLL for (i32 i = 0; i < 9; ++i) m[i] = shape[i * LG];
    take_curls(curl, own, m, derivative);
    f32 inverse_j = shape[9 * LG], z = shape[13 * LG];
    UNROLL for (i32 n = 0; n < STEPS; ++n)
        UNROLL for (i32 i = 0; i < 2; ++i)
            UNROLL for (i32 axis = 0; axis < 3; ++axis) {
                const f32 *u = curl[n][0], *v = curl[n][1], *w = curl[n][2];
                rates[n][i][axis] = z * inverse_j * dot3(u[2 + i], v[2 + i], w[2 + i], m[axis], m[3 + axis], m[6 + axis]);
                rates[n][i][3 + axis] = -inverse_j * dot3(u[i], v[i], w[i], m[axis], m[3 + axis], m[6 + axis]);
            }
}

// What the jumps of a face add to the rates, in the same units.
DEVICE void lift_face(f32 rates[STEPS][2][6], const left_piece jumps[FACE_STEPS], const f32 *face, const float2 *RESTRICT lift) {
    f32 y = 1.0f, inverse_mu = 1.0f;
    UNROLL for (i32 n = 0; n < STEPS; ++n) {
        f32 sum[4] = {};
        UNROLL for (i32 k = 0; k < FACE_STEPS; ++k) multiply(sum, jumps[k], read_piece(lift + (n * FACE_STEPS + k) * 32));
        UNROLL for (i32 i = 0; i < 2; ++i) {
            f32 lifted[NS] = {sum[i], sum[2 + i]};
            ADD_LIFTED(rates[n][i], lifted, face)
        }
    }
}

DEVICE void read_increments(f32 moved[2][6], const f32 *own, i32 n, i32 t) {
    UNROLL for (i32 i = 0; i < 2; ++i)
        if (HAS(8 * n + 4 * i, NP)) UNROLL for (i32 c = 0; c < 6; ++c) moved[i][c] = own[(c * NP + 8 * n + 4 * i) * LG];
}

// Into shared memory, without registers between.
DEVICE void copy_later(f32 *to, const f32 *from, const i32 count, i32 item) {
    UNROLL for (i32 i = 0; i < count; i += 128)
        if (i + 128 <= count || i + 4 * item < count)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"((u32)__cvta_generic_to_shared(to + 4 * item + i)),
                         "l"(from + 4 * item + i));
}

// What neighbors left on the four faces, each work item's for itself.
DEVICE void copy_traces_later(trace far[4][2 * FACE_STEPS][32], const trace *traces, const i32 *RESTRICT across_table, int4 codes,
                              i32 item, i32 t) {
    i32 code_of[4] = {codes.x, codes.y, codes.z, codes.w};
    UNROLL for (i32 face = 0; face < 4; ++face) {
        const trace *there = traces + (i64)(code_of[face] >> 2) * NF;
        const i32 *across = across_table + (code_of[face] & 3) * NF;
        FOR_FACE_NODES
            asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"((u32)__cvta_generic_to_shared(&far[face][j][item])),
                         "l"(there + across[k]));
    }
}

// All copies since the last end of copies are one; waits until so many of these are still under way.
#define END_COPIES() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT_FOR_COPIES(still) asm volatile("cp.async.wait_group %0;" ::"n"(still) : "memory")

// Memory that is needed later, into the cache: lines of 32 numbers.
DEVICE void ask_for(const f32 *from, i32 count, i32 item) {
    UNROLL for (i32 i = 0; i < count; i += 1024)
        if (i + 32 * item < count) asm volatile("prefetch.global.L2 [%0];" ::"l"(from + i + 32 * item));
}

KERNEL stage(GLOBAL REAL *RESTRICT fields, GLOBAL REAL *RESTRICT increments, GLOBAL const REAL *RESTRICT traces,
             GLOBAL REAL *RESTRICT new_traces, GLOBAL const REAL *RESTRICT shapes, GLOBAL const REAL *RESTRICT all_faces,
             GLOBAL const i32 *RESTRICT neighbors, GLOBAL const i32 *RESTRICT across_table,
             GLOBAL const REAL *RESTRICT derivative, GLOBAL const REAL *RESTRICT lift, GLOBAL const i32 *RESTRICT driven,
             GLOBAL const REAL *RESTRICT drive, GLOBAL const i32 *RESTRICT current_of, GLOBAL const REAL *RESTRICT currents,
             GLOBAL const i64 *RESTRICT further, GLOBAL const REAL *RESTRICT all_constants, GLOBAL REAL *RESTRICT all_values,
             GLOBAL REAL *RESTRICT all_value_increments, f64 pulse, f64 a_64, f64 b_64, f64 dt_64) {
    // Eight rows more than there are: the last pieces of the operators are zero there, and zero times what was left there may be none.
    LOCAL __align__(16) f32 tile[(6 * NP + 8) * LG];
    LOCAL __align__(16) f32 shape_tile[SHAPE * LG];
    LOCAL __align__(16) f32 face_tile[4 * FACE * LG];
    LOCAL trace far[4][2 * FACE_STEPS][32];
    f32 a = (f32)a_64, b = (f32)b_64, dt = (f32)dt_64;
    // Masks tell the compiler that these are not negative, so that places are one pointer and constants.
    i32 item = LOCAL_ID(0) & 31, lane = item >> 2, t = item & 3;
    i64 block = LAST_GROUP_FIRST, slot = block * LG, base = block * (6 * NP * LG);
    const f32 *shape = shape_tile + lane, *faces = face_tile + lane, *own_increments = increments + base + t * LG + lane;

    // All that comes from afar is asked for at once; traces of neighbors come while curls are taken.
    int4 codes = ((const int4 *)neighbors)[slot + lane];
    copy_later(tile, fields + base, 6 * NP * LG, item);
    copy_later(shape_tile, shapes + block * SHAPE * LG, SHAPE * LG, item);
    copy_later(face_tile, all_faces + block * 4 * FACE * LG, 4 * FACE * LG, item);
    END_COPIES();
    tile[6 * NP * LG + item] = tile[6 * NP * LG + 32 + item] = 0.0f;
    ask_for(increments + base, 6 * NP * LG, item);
    copy_traces_later(far, (const trace *)traces, across_table, codes, item, t);
    END_COPIES();
    OF_BLOCK(block);
    for (i32 i = 0; i < FURTHER; i += 6) {
        ask_for(values + i * NP * LG, 6 * NP * LG, item);
        ask_for(value_increments + i * NP * LG, 6 * NP * LG, item);
    }
    WAIT_FOR_COPIES(1);
    BARRIER();

    f32 rates[STEPS][2][6], z = shape[13 * LG];
    begin_rates(rates, tile + t * LG + lane, shape, (const float2 *)derivative + item);
    WAIT_FOR_COPIES(0);
    for (i32 face = 0; face < 4; ++face) {
        const f32 *own_face = faces + face * FACE * LG;
        left_piece jumps[FACE_STEPS] = {};
        FRAME(own_face);
        WEIGHTS(own_face);
        FOR_FACE_NODES {
            JUMPS(face, k, far[face][j][item]);
            UNROLL for (i32 s = 0; s < NS; ++s) put(jumps[j / 2], j % 2 * 2 + s, scale * d[s]);
        }
        lift_face(rates, jumps, own_face, (const float2 *)lift + face * STEPS * FACE_STEPS * 32 + item);
    }

    f32 moved[STEPS][2][6], inverse_mu = shape[11 * LG], loss = shape[12 * LG], y = shape[14 * LG];
    UNROLL for (i32 n = 0; n < AHEAD && n < STEPS; ++n) read_increments(moved[n], own_increments, n, t);
    BARRIER();
    UNROLL for (i32 n = 0; n < STEPS; ++n) {
        if (n + AHEAD < STEPS) read_increments(moved[n + AHEAD], own_increments, n + AHEAD, t);
        UNROLL for (i32 i = 0; i < 2; ++i)
            if (HAS(8 * n + 4 * i, NP)) {
                f32 q[6], *own = tile + (8 * n + 4 * i + t) * LG + lane;
                UNROLL for (i32 c = 0; c < 6; ++c) {
                    q[c] = own[c * NP * LG];
                    rates[n][i][c] *= c < 3 ? y : inverse_mu;
                }
                advance(q, moved[n][i], rates[n][i], fields, increments, current_of, currents, constants, values, value_increments,
                        (f32)pulse, loss, a, b, dt, block, kind, 8 * n + 4 * i + t, lane);
                UNROLL for (i32 c = 0; c < 6; ++c) own[c * NP * LG] = q[c];
            }
    }
    BARRIER();
    for (i32 face = 0; face < 4; ++face) {
        FRAME(faces + face * FACE * LG);
        FOR_FACE_NODES GIVE_TRACE(face, k)
    }
}
