// A stage of all straight elements in one kernel, with its matrix products on the tensor cores of an NVIDIA GPU, in single precision.
//
// The operators are the same for all elements, so that derivatives and lifts are matrix products. Tensor cores multiply TF32 numbers
// (11 significant bits) and accumulate in single precision. Each operand is split into its TF32 rounding and the remainder:
// x y = x1 y1 + x1 y2 + x2 y1 up to 2^-21, about single-precision rounding (Ootomo and Yokota, Int. J. High Perform. Comput. Appl. 36,
// 475, 2022).
//
// A warp advances 8 elements from start to end and waits for no other. In mma.m16n8k8, which adds a 16 x 8 by an 8 x 8 matrix product,
// rows of the left matrix are E and H of the 8 elements (or both scalars of a jump), columns of the right matrix are output nodes of the
// operator, and the sum is over its input nodes. Work item 4 g + t holds (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4) of the left
// matrix; (t, g), (t + 4, g) of the right; (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1) of the sum. Columns 2 t and 2 t + 1 are
// assigned to nodes t and t + 4: then a work item has the same nodes of the same element in the left matrix and in the sum, and goes
// from fields to rates in its own registers. Operators are stored in tiles of 8 x 8 nodes, [tile][item][2].

// Tiles along the nodes of an element, and of a face.
#define TILES ((NP + 7) / 8)
#define FACE_TILES ((NF + 7) / 8)
// Tiles whose earlier rates are loaded while one is advanced: with only one, order 4 is 6 % slower on an H200.
#define AHEAD 3

// Whether work item t has node `of` + t; a compile-time constant except for the last nodes.
#define HAS(of, count) ((of) + 3 < (count) || ((of) < (count) && (of) + t < (count)))
// The face nodes of a work item: k is its j-th.
#define FOR_FACE_NODES UNROLL for (i32 j = 0, k = t; j < 2 * FACE_TILES; ++j, k += 4) if (HAS(4 * j, NF))

typedef struct { u32 high, low; } split_number;
typedef struct { u32 high[4], low[4]; } left_tile;
typedef struct { u32 high[2], low[2]; } right_tile;

// Nearest TF32 number, and the remainder. Tensor cores ignore the bits of the remainder beyond TF32.
DEVICE split_number split(f32 x) {
    u32 high = (__float_as_uint(x) + 0x1000u) & 0xffffe000u;
    split_number p = {high, __float_as_uint(x - __uint_as_float(high))};
    return p;
}

DEVICE void put(left_tile &tile_of, i32 at, f32 x) {
    split_number p = split(x);
    tile_of.high[at] = p.high;
    tile_of.low[at] = p.low;
}

DEVICE left_tile negative(left_tile a) {
    UNROLL for (i32 i = 0; i < 4; ++i) {
        a.high[i] ^= 0x80000000u;
        a.low[i] ^= 0x80000000u;
    }
    return a;
}

DEVICE right_tile load_tile(const float2 *RESTRICT operators) {
    float2 v = *operators;
    split_number a = split(v.x), b = split(v.y);
    right_tile p = {{a.high, b.high}, {a.low, b.low}};
    return p;
}

DEVICE void multiply_once(f32 sum[4], const u32 a[4], const u32 b[2]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// sum += a b; the small products first, so that they are not lost to rounding.
DEVICE void multiply(f32 sum[4], const left_tile &a, const right_tile &b) {
    multiply_once(sum, a.low, b.high);
    multiply_once(sum, a.high, b.low);
    multiply_once(sum, a.high, b.high);
}

// Contravariant components of J curl E and J curl H, [tile][component], from the covariant components a_k.F of the fields: they need the
// derivatives only. `first_node` is the first node of the work item in the field tile, `edges` are the a_k of its element.
DEVICE void compute_curls(f32 curl[TILES][3][4], const f32 *first_node, const f32 edges[9], const float2 *RESTRICT derivative) {
    // Input tiles are outermost: covariant components are computed and split once for all output
    // tiles. (curl F)_z gains d_x F_y, (curl F)_y loses d_x F_z, and cyclically: one tile of an
    // operator serves two products.
    for (i32 k = 0; k < TILES; ++k) {
        left_tile plus[3], minus[3];
        UNROLL for (i32 i = 0; i < 4; ++i) {
            const f32 *v = first_node + (i % 2 * 3 * NP + 8 * k + i / 2 * 4) * LG;
            f32 x = v[0], y = v[NP * LG], z = v[2 * NP * LG];
            UNROLL for (i32 c = 0; c < 3; ++c) put(plus[c], i, dot3(x, y, z, edges[3 * c], edges[3 * c + 1], edges[3 * c + 2]));
        }
        UNROLL for (i32 c = 0; c < 3; ++c) minus[c] = negative(plus[c]);
        UNROLL for (i32 n = 0; n < TILES; ++n)
            UNROLL for (i32 x = 0; x < 3; ++x) {
                i32 y = (x + 1) % 3, z = (x + 2) % 3;
                right_tile d = load_tile(derivative + ((k * TILES + n) * 3 + x) * 32);
                multiply(curl[n][z], plus[y], d);
                multiply(curl[n][y], minus[z], d);
            }
    }
}

// Volume term of the rates times eps and mu, those of E in units of Y: in these units the surface term needs no factor (Z Y = 1).
DEVICE void volume_rates(f32 rates[TILES][2][6], const f32 *first_node, const f32 *shape, const float2 *RESTRICT derivative) {
    f32 m[9], curl[TILES][3][4] = {};
    UNROLL for (i32 i = 0; i < 9; ++i) m[i] = shape[(EDGES + i) * LG];
    compute_curls(curl, first_node, m, derivative);
    f32 inverse_j = shape[INVERSE_J * LG], z = shape[IMPEDANCE * LG];
    UNROLL for (i32 n = 0; n < TILES; ++n)
        UNROLL for (i32 i = 0; i < 2; ++i)
            UNROLL for (i32 axis = 0; axis < 3; ++axis) {
                const f32 *u = curl[n][0], *v = curl[n][1], *w = curl[n][2];
                rates[n][i][axis] = z * inverse_j * dot3(u[2 + i], v[2 + i], w[2 + i], m[axis], m[3 + axis], m[6 + axis]);
                rates[n][i][3 + axis] = -inverse_j * dot3(u[i], v[i], w[i], m[axis], m[3 + axis], m[6 + axis]);
            }
}

// Surface term of a face, in the same units.
DEVICE void lift_face(f32 rates[TILES][2][6], const left_tile jumps[FACE_TILES], const f32 *face, const float2 *RESTRICT lift) {
    // The factor of ADD_LIFTED; the update multiplies by Y.
    f32 y = 1.0f;
    UNROLL for (i32 n = 0; n < TILES; ++n) {
        f32 sum[4] = {};
        UNROLL for (i32 k = 0; k < FACE_TILES; ++k) multiply(sum, jumps[k], load_tile(lift + (n * FACE_TILES + k) * 32));
        UNROLL for (i32 i = 0; i < 2; ++i) {
            f32 lifted[NS] = {sum[i], sum[2 + i]};
            ADD_LIFTED(rates[n][i], lifted, face)
        }
    }
}

// What earlier rates add to the fields of tile n: a macro, since the time integrations have their own names for them.
#define LOAD_EARLIER_RATES(n)                                                                                \
    UNROLL for (i32 i = 0; i < 2; ++i)                                                                       \
        if (HAS(8 * (n) + 4 * i, NP))                                                                        \
            UNROLL for (i32 c = 0; c < 6; ++c) history[n][i][c] = EARLIER_RATES(first_node + (c * NP + 8 * (n) + 4 * i) * LG);

// Asynchronous copy into shared memory, which takes no registers.
DEVICE void copy_async(f32 *to, const f32 *from, const i32 count, i32 item) {
    UNROLL for (i32 i = 0; i < count; i += 128)
        if (i + 128 <= count || i + 4 * item < count)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"((u32)__cvta_generic_to_shared(to + 4 * item + i)),
                         "l"(from + 4 * item + i));
}

// Asynchronous copy of the neighbors' traces on the four faces; each work item copies what it will read itself.
DEVICE void copy_traces_async(trace outer[4][2 * FACE_TILES][32], const REAL *const behind[4], const i32 *RESTRICT permutations,
                              int4 codes, i32 item, i32 t) {
    i32 code_of[4] = {codes.x, codes.y, codes.z, codes.w};
    UNROLL for (i32 face = 0; face < 4; ++face) {
        const trace *neighbor = (const trace *)behind[face] + TRACE_OF(code_of[face]);
        const i32 *permutation = permutations + PERMUTATION_OF(code_of[face]);
        FOR_FACE_NODES
            asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"((u32)__cvta_generic_to_shared(&outer[face][j][item])),
                         "l"(neighbor + permutation[k]));
    }
}

// Copies since the last END_COPIES form a group; WAIT_FOR_COPIES waits until at most `still` groups are pending.
#define END_COPIES() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT_FOR_COPIES(still) asm volatile("cp.async.wait_group %0;" ::"n"(still) : "memory")

// Prefetch into the L2 cache, in lines of 32 numbers.
DEVICE void prefetch(const f32 *from, i32 count, i32 item) {
    UNROLL for (i32 i = 0; i < count; i += 1024)
        if (i + 32 * item < count) asm volatile("prefetch.global.L2 [%0];" ::"l"(from + i + 32 * item));
}

KERNEL stage(FIELD_PARAMS, GEOMETRY_PARAMS, SOURCE_PARAMS, ADE_PARAMS, STEP_PARAMS, GLOBAL const REAL *RESTRICT derivative,
             GLOBAL const REAL *RESTRICT lift) {
    // Eight rows beyond NP: operators are zero there, but zero times an uninitialized NaN would not be.
    LOCAL __align__(16) f32 tile[(6 * NP + 8) * LG];
    LOCAL __align__(16) f32 shape_tile[SHAPE * LG];
    LOCAL __align__(16) f32 face_tile[4 * FACE * LG];
    LOCAL trace outer[4][2 * FACE_TILES][32];
    // The masks tell the compiler that these are not negative, so that addresses are one pointer plus constants.
    i32 item = LOCAL_ID(0) & 31, lane = item >> 2, t = item & 3;
    i64 block = LAST_GROUP_FIRST, slot = block * LG, base = block * (6 * NP * LG);
    OF_LEVEL(block);
    const f32 *shape = shape_tile + lane, *faces = face_tile + lane;
    i64 first_node = base + t * LG + lane;

    // All loads from global memory are issued at once; the neighbors' traces arrive while the curls are computed.
    int4 codes = ((const int4 *)neighbors)[slot + lane];
    copy_async(tile, fields + base, 6 * NP * LG, item);
    copy_async(shape_tile, shapes + block * SHAPE * LG, SHAPE * LG, item);
    copy_async(face_tile, all_faces + block * 4 * FACE * LG, 4 * FACE * LG, item);
    END_COPIES();
    tile[6 * NP * LG + item] = tile[6 * NP * LG + 32 + item] = 0.0f;
    prefetch(increments + base, 6 * NP * LG, item);
#if LOCAL_STEPS
    prefetch(rates_1 + base, 6 * NP * LG, item);
    prefetch(rates_2 + base, 6 * NP * LG, item);
#endif
    const f32 *behind[4] = {TRACES_BEHIND(0), TRACES_BEHIND(1), TRACES_BEHIND(2), TRACES_BEHIND(3)};
    copy_traces_async(outer, behind, permutations, codes, item, t);
    END_COPIES();
    OF_BLOCK(block);
    for (i32 i = 0; i < ADE_UNKNOWNS; i += 6) {
        prefetch(ade + i * NP * LG, 6 * NP * LG, item);
        prefetch(ade_increments + i * NP * LG, 6 * NP * LG, item);
    }
    // Fields and geometry have arrived; traces may still be on their way. The barrier makes the
    // copies of all work items of the warp visible.
    WAIT_FOR_COPIES(1);
    BARRIER();

    f32 rates[TILES][2][6], z = shape[IMPEDANCE * LG];
    volume_rates(rates, tile + t * LG + lane, shape, (const float2 *)derivative + item);
    WAIT_FOR_COPIES(0);
    for (i32 face = 0; face < 4; ++face) {
        const f32 *own_face = faces + face * FACE * LG;
        left_tile jumps[FACE_TILES] = {};
        FRAME(own_face);
        WEIGHTS(own_face);
        FOR_FACE_NODES {
            JUMPS(face, k, outer[face][j][item]);
            UNROLL for (i32 s = 0; s < NS; ++s) put(jumps[j / 2], j % 2 * 2 + s, scale * d[s]);
        }
        lift_face(rates, jumps, own_face, (const float2 *)lift + face * TILES * FACE_TILES * 32 + item);
    }

    // Update, tile by tile, with the earlier rates of later tiles being loaded meanwhile.
    f32 history[TILES][2][6], y = shape[ADMITTANCE * LG];
    UNROLL for (i32 n = 0; n < AHEAD && n < TILES; ++n) { LOAD_EARLIER_RATES(n) }
    BARRIER();
    UNROLL for (i32 n = 0; n < TILES; ++n) {
        if (n + AHEAD < TILES) { LOAD_EARLIER_RATES(n + AHEAD) }
        UNROLL for (i32 i = 0; i < 2; ++i)
            if (HAS(8 * n + 4 * i, NP)) {
                f32 q[6], *own_fields = tile + (8 * n + 4 * i + t) * LG + lane;
                UNROLL for (i32 c = 0; c < 6; ++c) {
                    q[c] = own_fields[c * NP * LG];
                    if (c < 3) rates[n][i][c] *= y;
                }
                advance(q, history[n][i], rates[n][i], fields, increments, current_of, currents, coefficients, ade, ade_increments,
                        (f32)pulse, shape, SCALARS_OF_STEP, block, kind, 8 * n + 4 * i + t, lane);
                UNROLL for (i32 c = 0; c < 6; ++c) own_fields[c * NP * LG] = q[c];
            }
    }
    // Traces need the new fields of all nodes of a face.
    BARRIER();
#if LOCAL_STEPS
    // The fields halfway are in the tile: their traces, then those at the end of the step take their place.
    if (halfway) {
        for (i32 face = 0; face < 4; ++face) {
            FRAME(faces + face * FACE * LG);
            FOR_FACE_NODES STORE_TRACE(halfway_traces, face, k)
        }
        BARRIER();
        for (i32 node = t; node < NP; node += 4)
            UNROLL for (i32 c = 0; c < 6; ++c)
                tile[(c * NP + node) * LG + lane] = fields[base + (c * NP + node) * LG + lane];
        BARRIER();
    }
#endif
    for (i32 face = 0; face < 4; ++face) {
        FRAME(faces + face * FACE * LG);
        FOR_FACE_NODES STORE_TRACE(NEW_TRACES, face, k)
    }
}
