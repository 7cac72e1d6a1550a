// A stage of all elements of one kind in one kernel, with its products on the matrix units of an NVIDIA GPU, in single precision.
//
// The operators are the same for all elements, so that derivatives and lifts are matrix products. The units multiply numbers of 11 bits
// and add in single precision. A number is cut into the nearest of 11 bits and the rest: x y = x1 y1 + x1 y2 + x2 y1 up to 2^-22, about
// what single precision rounds to (Ootomo and Yokota, Int. J. High Perform. Comput. Appl. 36, 475, 2022).
//
// A group has 8 elements, and TILES warps with 16 nodes of each. Operators are cut into pieces of 16 rows and 8 columns, [piece][lane][4],
// in the order in which mma.m16n8k8 holds them: lane 4 g + t has (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4); of a piece of 8 rows
// and 8 columns of the fields (t, g), (t + 4, g); of the product (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1).

#define TILES ((NP + 15) / 16)
#define ITEMS (32 * TILES)
// Elsewhere work item (lane, part) has the nodes part, part + PARTS, ... of element `lane`, and nodes of one of its faces.
#define PARTS (4 * TILES)
#define ROWS ((NP + PARTS - 1) / PARTS)
#define FOR_NODES UNROLL for (i32 r = 0, node = part; r < ROWS; ++r, node += PARTS) if (node < NP)
#define CHUNK ((NF + TILES - 1) / TILES)
// Pieces along the columns: of the derivatives, and of the lift of one face.
#define STEPS ((NP + 7) / 8)
#define FACE_STEPS ((NF + 7) / 8)

typedef struct { u32 near, rest; } parts;

DEVICE parts cut(f32 x) {
    u32 near = (__float_as_uint(x) + 0x1000u) & 0xffffe000u;
    parts p = {near, __float_as_uint(x - __uint_as_float(near)) + 0x1000u};
    return p;
}

typedef struct { u32 near[4], rest[4]; } piece;

DEVICE piece read_piece(const float4 *RESTRICT operators) {
    float4 v = *operators;
    parts a = cut(v.x), b = cut(v.y), c = cut(v.z), d = cut(v.w);
    piece p = {{a.near, b.near, c.near, d.near}, {a.rest, b.rest, c.rest, d.rest}};
    return p;
}

DEVICE void multiply_once(f32 sum[4], const u32 a[4], u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// sum += a b; the smallest first.
DEVICE void multiply(f32 sum[4], const piece &a, parts b0, parts b1) {
    multiply_once(sum, a.rest, b0.near, b1.near);
    multiply_once(sum, a.near, b0.rest, b1.rest);
    multiply_once(sum, a.near, b0.near, b1.near);
}

DEVICE piece negative(piece a) {
    UNROLL for (i32 i = 0; i < 4; ++i) {
        a.near[i] ^= 0x80000000u;
        a.rest[i] ^= 0x80000000u;
    }
    return a;
}

// The product of a warp into [node][lane].
DEVICE void store_product(f32 *rows, const f32 sum[4], i32 node, i32 column) {
    if (node < NP) *(float2 *)(rows + node * LG + column) = make_float2(sum[0], sum[1]);
    if (node + 8 < NP) *(float2 *)(rows + (node + 8) * LG + column) = make_float2(sum[2], sum[3]);
}

// Curls of the covariant components in `tile`, in their place; and the jumps of each face lifted: [face][scalar][node][lane].
DEVICE void take_products(f32 *tile, const f32 *jumps, f32 *lifted, const float4 *RESTRICT derivative, const float4 *RESTRICT lift) {
    i32 warp = LOCAL_ID(0) / 32, lane = LOCAL_ID(0) % 32, g = lane / 4, t = lane % 4;
    i32 node = 16 * warp + g;
    lift += warp * 4 * FACE_STEPS * 32 + lane;
    derivative += warp * 3 * STEPS * 32 + lane;
    for (i32 face = 0; face < 4; ++face) {
        f32 sum[NS][4] = {};
        UNROLL for (i32 k = 0; k < FACE_STEPS; ++k) {
            piece a = read_piece(lift + (face * FACE_STEPS + k) * 32);
            UNROLL for (i32 s = 0; s < NS; ++s) {
                const f32 *b = jumps + JUMP(face * NF + 8 * k + t, s, g);
                multiply(sum[s], a, cut(b[0]), cut(b[4 * LG]));
            }
        }
        UNROLL for (i32 s = 0; s < NS; ++s) store_product(lifted + (face * NS + s) * NP * LG, sum[s], node, 2 * t);
    }
    f32 curl[6][4] = {};
    for (i32 k = 0; k < STEPS; ++k) {
        parts b[6][2];
        UNROLL for (i32 c = 0; c < 6; ++c) {
            const f32 *f = tile + (c * NP + 8 * k + t) * LG + g;
            b[c][0] = cut(f[0]);
            b[c][1] = cut(f[4 * LG]);
        }
        UNROLL for (i32 x = 0; x < 3; ++x) {
            i32 y = (x + 1) % 3, z = (x + 2) % 3;
            piece d = read_piece(derivative + (3 * k + x) * 32);
            multiply(curl[z], d, b[y][0], b[y][1]);
            multiply(curl[3 + z], d, b[3 + y][0], b[3 + y][1]);
            d = negative(d);
            multiply(curl[y], d, b[z][0], b[z][1]);
            multiply(curl[3 + y], d, b[3 + z][0], b[3 + z][1]);
        }
    }
    BARRIER();
    UNROLL for (i32 c = 0; c < 6; ++c) store_product(tile + c * NP * LG, curl[c], node, 2 * t);
}

// Covariant components in place of the fields: those of the curl follow from them by the derivatives alone.
DEVICE void make_covariant(f32 *tile, const f32 *RESTRICT shape, i32 lane, i32 part) {
    f32 m[9];
    UNROLL for (i32 i = 0; i < 9; ++i) m[i] = shape[i * LG];
    FOR_NODES
        UNROLL for (i32 c = 0; c < 6; c += 3) {
            f32 *v = tile + (c * NP + node) * LG + lane;
            f32 x = v[0], y = v[NP * LG], w = v[2 * NP * LG];
            UNROLL for (i32 k = 0; k < 3; ++k) v[k * NP * LG] = dot3(x, y, w, m[3 * k], m[3 * k + 1], m[3 * k + 2]);
        }
}

// The rates of a node without losses, from the products.
DEVICE void take_rates(f32 rates[6], const f32 *curls, const f32 *all_lifted, const f32 *RESTRICT shape, const f32 *RESTRICT faces,
                       i32 node, i32 lane) {
    f32 curl[6];
    UNROLL for (i32 c = 0; c < 6; ++c) curl[c] = curls[(c * NP + node) * LG + lane];
    f32 inverse_j = shape[9 * LG], inverse_eps = shape[10 * LG], inverse_mu = shape[11 * LG], y = shape[14 * LG];
    UNROLL for (i32 axis = 0; axis < 3; ++axis) {
        f32 u = shape[axis * LG], v = shape[(3 + axis) * LG], w = shape[(6 + axis) * LG];
        rates[axis] = inverse_j * inverse_eps * dot3(curl[3], curl[4], curl[5], u, v, w);
        rates[3 + axis] = -inverse_j * inverse_mu * dot3(curl[0], curl[1], curl[2], u, v, w);
    }
    UNROLL for (i32 face = 0; face < 4; ++face) {
        f32 lifted[NS];
        UNROLL for (i32 s = 0; s < NS; ++s) lifted[s] = all_lifted[((face * NS + s) * NP + node) * LG + lane];
        ADD_LIFTED(rates, lifted, faces + face * FACE * LG)
    }
}

// Sixteen bytes into shared memory, without registers between.
DEVICE void copy_later(f32 *to, const f32 *from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"((u32)__cvta_generic_to_shared(to)), "l"(from));
}

DEVICE void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// Memory that is needed later, into the cache.
DEVICE void ask_for(const f32 *from) { asm volatile("prefetch.global.L2 [%0];" ::"l"(from)); }

KERNEL stage(GLOBAL REAL *RESTRICT fields, GLOBAL REAL *RESTRICT increments, GLOBAL const REAL *RESTRICT traces,
             GLOBAL REAL *RESTRICT new_traces, GLOBAL const REAL *RESTRICT shapes, GLOBAL const REAL *RESTRICT all_faces,
             GLOBAL const i32 *RESTRICT neighbours, GLOBAL const i32 *RESTRICT across_table,
             GLOBAL const REAL *RESTRICT derivative, GLOBAL const REAL *RESTRICT lift, GLOBAL const i32 *RESTRICT driven,
             GLOBAL const REAL *RESTRICT drive, GLOBAL const i32 *RESTRICT current_of, GLOBAL const REAL *RESTRICT currents,
             GLOBAL const REAL *RESTRICT constants, GLOBAL REAL *RESTRICT values, GLOBAL REAL *RESTRICT value_increments, f64 pulse,
             f64 a_64, f64 b_64, f64 dt_64, i32 first_block) {
    // Eight rows more than there are: the last pieces of the operators are zero there, and zero times what was left there may be none.
    LOCAL __align__(16) f32 tile[(6 * NP + 8) * LG];
    LOCAL __align__(16) f32 jumps[(TRACE + 8) * LG];
    LOCAL __align__(16) f32 lifted[4 * NS * NP * LG];
    f32 a = (f32)a_64, b = (f32)b_64, dt = (f32)dt_64;
    i32 lane = LOCAL_ID(0) % LG, part = LOCAL_ID(0) / LG;
    i64 block = (i64)first_block + GROUP_ID(0), slot = block * LG, base = block * (6 * NP * LG);
    const f32 *shape = shapes + block * SHAPE * LG + lane;
    const f32 *faces = all_faces + block * 4 * FACE * LG + lane;

    // All that comes from afar is asked for at once.
    for (i32 i = LOCAL_ID(0) * 4; i < 6 * NP * LG; i += ITEMS * 4) copy_later(tile + i, fields + base + i);
    for (i32 i = LOCAL_ID(0) * 32; i < 6 * NP * LG; i += ITEMS * 32) ask_for(increments + base + i);
    for (i32 i = LOCAL_ID(0); i < 8 * LG; i += ITEMS) tile[6 * NP * LG + i] = jumps[TRACE * LG + i] = 0.0f;
    i32 face = part / TILES, first = part % TILES * CHUNK;
    const f32 *own_face = faces + face * FACE * LG;
    f32 z = shape[13 * LG];
    i32 code = neighbours[(slot + lane) * 4 + face];
    trace far[CHUNK];
    UNROLL for (i32 i = 0; i < CHUNK; ++i)
        if (first + i < NF) far[i] = ((const trace *)traces)[(i64)(code >> 2) * NF + across_table[(code & 3) * NF + first + i]];
    {
        FRAME(own_face);
        WEIGHTS(own_face);
        wait_for_copies();
        BARRIER();
        UNROLL for (i32 i = 0; i < CHUNK; ++i)
            if (first + i < NF) TAKE_JUMP(face, first + i, far[i])
    }
    BARRIER();
    make_covariant(tile, shape, lane, part);
    BARRIER();
    take_products(tile, jumps, lifted, (const float4 *)derivative, (const float4 *)lift);
    BARRIER();
    FOR_NODES {
        f32 q[6], moved[6], rates[6];
        UNROLL for (i32 c = 0; c < 6; ++c) {
            q[c] = fields[base + (c * NP + node) * LG + lane];
            moved[c] = increments[base + (c * NP + node) * LG + lane];
        }
        take_rates(rates, tile, lifted, shape, faces, node, lane);
        advance(q, moved, rates, fields, increments, current_of, currents, constants, values, value_increments, (f32)pulse,
                shape[12 * LG], a, b, dt, block, GROUP_ID(0), node, lane);
        UNROLL for (i32 c = 0; c < 6; ++c) tile[(c * NP + node) * LG + lane] = q[c];
    }
    BARRIER();
    FRAME(own_face);
    UNROLL for (i32 i = 0; i < CHUNK; ++i)
        if (first + i < NF) GIVE_TRACE(face, first + i)
}
