// A stage of curved elements in one kernel; src/cpu/curved.rs has the same in Rust.
//
// Quadratic isoparametric elements, with the weight-adjusted inverse of their mass matrix (Chan, Hewett and Warburton, SIAM J. Sci.
// Comput. 39, A2395, 2017). V interpolates from nodes to quadrature points, P = M^-1 V^T W projects back:
//
//   eps dE/dtau = P (1/J) V [P sum_j J grad xi_j x d_j H + sum_faces LIFT Y d |N|] - sigma eta_0 E,
//   mu dH/dtau = -P (1/J) V [P sum_j J grad xi_j x d_j E + sum_faces LIFT N x d].
//
// On curved faces the normal n = N/|N| varies, and d is evaluated at quadrature points in Cartesian components.
//
// A group has LG elements; work item (lane, part) has one node of element `lane`, and one of NP points at a time. Values at points are
// projected at once, so that local memory holds few of them.
//
// Defines, besides those of element.cu (all elements are KIND_DISPERSIVE, perhaps without poles): NQ, FQ points of an element and of a
// face; OPERATOR_* of src/offsets.rs, where operators begin in their common table. P and LIFT are stored by columns, so that neighboring
// work items load neighboring numbers.

#define ITEMS (NP * LG)
// Scalars of a trace at a point, along x, y and z: w, or with the central flux E along the face and n x H.
#define PS (3 * (NS / 2))

#define POINT_CAPACITY (NP > FQ ? NP : FQ)

// Edges a, b, c = dx/dxi_k at a point: the map is quadratic, dx/dxi_k = b_k + sum_j c_kj xi_j, with c_kj = c_jk at MAP_C* and b_k at
// MAP_B.
#define EDGE(k, axis, c0, c1, c2)                                                                            \
    fma(xi_z, map[(3 * (c2) + axis) * LG],                                                                   \
        fma(xi_y, map[(3 * (c1) + axis) * LG], fma(xi_x, map[(3 * (c0) + axis) * LG], map[(3 * (MAP_B + (k)) + axis) * LG])))
#define EDGES_AT(p)                                                                                             \
    REAL xi_x = (p)[0], xi_y = (p)[1], xi_z = (p)[2];                                                        \
    REAL ax = EDGE(0, 0, MAP_C00, MAP_C01, MAP_C02), ay = EDGE(0, 1, MAP_C00, MAP_C01, MAP_C02),             \
         az = EDGE(0, 2, MAP_C00, MAP_C01, MAP_C02);                                                         \
    REAL bx = EDGE(1, 0, MAP_C01, MAP_C11, MAP_C12), by = EDGE(1, 1, MAP_C01, MAP_C11, MAP_C12),             \
         bz = EDGE(1, 2, MAP_C01, MAP_C11, MAP_C12);                                                         \
    REAL cx = EDGE(2, 0, MAP_C02, MAP_C12, MAP_C22), cy = EDGE(2, 1, MAP_C02, MAP_C12, MAP_C22),             \
         cz = EDGE(2, 2, MAP_C02, MAP_C12, MAP_C22)
// J grad xi_j: b x c, c x a, a x b.
#define GRADIENTS                                                                                            \
    REAL g[3][3];                                                                                            \
    g[0][0] = by * cz - bz * cy, g[0][1] = bz * cx - bx * cz, g[0][2] = bx * cy - by * cx;                   \
    g[1][0] = cy * az - cz * ay, g[1][1] = cz * ax - cx * az, g[1][2] = cx * ay - cy * ax;                   \
    g[2][0] = ay * bz - az * by, g[2][1] = az * bx - ax * bz, g[2][2] = ax * by - ay * bx
#define JACOBIAN dot3(ax, ay, az, g[0][0], g[0][1], g[0][2])

// The six components at point p: row p of an operator with `count` columns; `of` is the node of column k.
#define AT_POINT(v, operator, p, count, of)                                                                  \
    REAL v[6];                                                                                               \
    UNROLL for (i32 c = 0; c < 6; ++c) v[c] = R(0.0);                                                        \
    for (i32 k = 0; k < count; ++k) {                                                                        \
        REAL weight = operators[(operator) + (p) * (count) + k];                                             \
        UNROLL for (i32 c = 0; c < 6; ++c) v[c] = fma(weight, tile[(c * NP + (of)) * LG + lane], v[c]);      \
    }

// At point p of a face: N (not normalized) and |N|, tangential E = e, and n x H = h.
#define TANGENTIAL(face, p)                                                                                  \
    AT_POINT(v, OPERATOR_FACE_VALUES, p, NF, face_nodes[(face) * NF + k])                                             \
    REAL normal[3], e[3], h[3], length;                                                                      \
    {                                                                                                        \
        EDGES_AT(operators + OPERATOR_FACE_POINTS + 3 * ((face) * FQ + (p)));                                            \
        GRADIENTS;                                                                                           \
        UNROLL for (i32 i = 0; i < 3; ++i)                                                                   \
            normal[i] = (face) == 0 ? g[0][i] + g[1][i] + g[2][i] : (face) == 1 ? -g[0][i] : (face) == 2 ? -g[1][i] : -g[2][i]; \
        length = sqrt(dot3(normal[0], normal[1], normal[2], normal[0], normal[1], normal[2]));               \
        REAL nx = normal[0] / length, ny = normal[1] / length, nz = normal[2] / length;                      \
        REAL out = dot3(nx, ny, nz, v[0], v[1], v[2]);                                                       \
        e[0] = v[0] - out * nx, e[1] = v[1] - out * ny, e[2] = v[2] - out * nz;                              \
        h[0] = ny * v[5] - nz * v[4], h[1] = nz * v[3] - nx * v[5], h[2] = nx * v[4] - ny * v[3];            \
    }

// Flux at a point of a curved face, from the neighbor's trace w+: d, and with the central flux also n x (H* - H).
#if NS == 2
#define POINT_JUMP(outer)                                                                                    \
    UNROLL for (i32 i = 0; i < 3; ++i) d[i] = fma(plus, (outer)[i], minus * fma(-z, h[i], e[i])) - e[i];
#define POINT_FLUX(i) (d[i] / z)
#define POINT_TRACE(to) UNROLL for (i32 i = 0; i < 3; ++i) (to)[i] = fma(-z, h[i], e[i]);
#else
// The neighbor stores its own n x H, with the opposite normal.
#define POINT_JUMP(outer)                                                                                    \
    UNROLL for (i32 i = 0; i < 3; ++i) {                                                                     \
        d[i] = fma(plus, (outer)[i], minus * e[i]) - e[i];                                                      \
        d[3 + i] = fma(-plus_h, (outer)[3 + i], (R(1.0) - minus) * h[i]) - h[i];                                \
    }
#define POINT_FLUX(i) d[3 + i]
#define POINT_TRACE(to) UNROLL for (i32 i = 0; i < 3; ++i) (to)[i] = e[i], (to)[3 + i] = h[i];
#endif

// Surface term of a straight face at a node, before the lift: Y d for E, along its tangents, and -n x d = d2 t1 - d1 t2 for H.
#if NS == 2
#define FLUX_1 (scale * d[0] / z)
#define FLUX_2 (scale * d[1] / z)
#else
#define FLUX_1 (scale * d[2])
#define FLUX_2 (scale * d[3])
#endif
#define NODE_FLUX(axis, t1, t2)                                                                              \
    on_face[(k * 6 + axis) * LG + lane] = fma(FLUX_2, t2, FLUX_1 * t1);                                    \
    on_face[(k * 6 + 3 + axis) * LG + lane] = scale * (d[1] * t1 - d[0] * t2);

// Adds `count` columns of an operator times the values at their points to the sums of this work item's node.
#define ADD_COLUMNS(sums, operator, count, values)                                                           \
    for (i32 k = 0; k < (count); ++k) {                                                                      \
        REAL weight = operators[(operator) + k * NP + part];                                                 \
        UNROLL for (i32 c = 0; c < 6; ++c) sums[c] = fma(weight, (values)[(k * 6 + c) * LG + lane], sums[c]); \
    }

// Projection from the points of an element, NP at a time: first their values, then their columns of P.
#define PROJECT_POINTS(sums, VALUE_AT)                                                                       \
    for (i32 first = 0; first < NQ; first += NP) {                                                        \
        if (first + part < NQ) VALUE_AT(first + part)                                                        \
        BARRIER();                                                                                           \
        i32 count = NQ - first < NP ? NQ - first : NP;                                                       \
        ADD_COLUMNS(sums, OPERATOR_PROJECT + first * NP, count, at_points)                                            \
        BARRIER();                                                                                           \
    }

// J curl H and -J curl E at a point, J curl F = sum_j J grad xi_j x d_j F.
#define CURLS_AT(p)                                                                                          \
    {                                                                                                        \
        REAL gradient[3][6];                                                                                    \
        UNROLL for (i32 c = 0; c < 6; ++c) gradient[0][c] = gradient[1][c] = gradient[2][c] = R(0.0);                 \
        for (i32 j = 0; j < NP; ++j)                                                                         \
            UNROLL for (i32 c = 0; c < 6; ++c) {                                                             \
                REAL f = tile[(c * NP + j) * LG + lane];                                                     \
                UNROLL for (i32 i = 0; i < 3; ++i)                                                           \
                    gradient[i][c] = fma(operators[OPERATOR_GRADIENTS + ((p) * NP + j) * 3 + i], f, gradient[i][c]);           \
            }                                                                                                \
        EDGES_AT(operators + OPERATOR_POINTS + 3 * (p));                                                                 \
        GRADIENTS;                                                                                           \
        UNROLL for (i32 c = 0; c < 3; ++c) {                                                                 \
            i32 y = (c + 1) % 3, w = (c + 2) % 3;                                                            \
            REAL of_e = R(0.0), of_h = R(0.0);                                                               \
            UNROLL for (i32 i = 0; i < 3; ++i) {                                                             \
                of_e += g[i][y] * gradient[i][w] - g[i][w] * gradient[i][y];                                       \
                of_h += g[i][y] * gradient[i][3 + w] - g[i][w] * gradient[i][3 + y];                               \
            }                                                                                                \
            at_points[(part * 6 + c) * LG + lane] = of_h;                                                    \
            at_points[(part * 6 + 3 + c) * LG + lane] = -of_e;                                               \
        }                                                                                                    \
    }

// The sums at the nodes, interpolated to a point and divided by J.
#define OVER_JACOBIAN_AT(p)                                                                                  \
    {                                                                                                        \
        AT_POINT(v, OPERATOR_VALUES, p, NP, k)                                                                        \
        EDGES_AT(operators + OPERATOR_POINTS + 3 * (p));                                                                 \
        GRADIENTS;                                                                                           \
        REAL inverse = R(1.0) / JACOBIAN;                                                                    \
        UNROLL for (i32 c = 0; c < 6; ++c) at_points[(part * 6 + c) * LG + lane] = inverse * v[c];           \
    }

// Traces of the fields in the tile: at the points of curved faces, at the nodes of the others.
#define STORE_TRACES(at_nodes, at_face_points)                                                               \
    for (i32 face = 0; face < 4; ++face) {                                                                   \
        if (map[(CURVED_FACE + face) * LG] != R(0.0)) {                                                      \
            for (i32 p = part; p < FQ; p += NP) {                                                            \
                TANGENTIAL(face, p)                                                                          \
                POINT_TRACE(at_face_points + (((own_block * LG + lane) * 4 + face) * FQ + p) * PS)           \
            }                                                                                                \
        } else {                                                                                             \
            FRAME(faces + face * FACE * LG);                                                                 \
            for (i32 k = part; k < NF; k += NP) STORE_TRACE(at_nodes, face, k)                               \
        }                                                                                                    \
    }

KERNEL stage(FIELD_PARAMS, GEOMETRY_PARAMS, SOURCE_PARAMS, ADE_PARAMS, STEP_PARAMS, POINT_TRACE_PARAMS, GLOBAL const REAL *RESTRICT maps, GLOBAL const i32 *RESTRICT point_neighbors,
             GLOBAL const i32 *RESTRICT point_permutations, GLOBAL const REAL *RESTRICT operators,
             GLOBAL const i32 *RESTRICT point_source_of, GLOBAL const REAL *RESTRICT point_sources, i32 first_block) {
    LOCAL REAL tile[6 * NP * LG];
    LOCAL REAL at_points[POINT_CAPACITY * 6 * LG];
    LOCAL REAL on_face[NF * 6 * LG];
    i32 lane = LOCAL_ID(0) % LG, part = LOCAL_ID(0) / LG;
    i64 own_block = (i64)first_group + GROUP_ID(0), block = (i64)first_block + own_block, slot = block * LG, base = block * (6 * NP * LG) + lane;
    GLOBAL const REAL *shape = shapes + block * SHAPE * LG + lane;
    GLOBAL const REAL *faces = all_faces + block * 4 * FACE * LG + lane;
    GLOBAL const REAL *map = maps + own_block * CURVED * LG + lane;
    REAL z = shape[IMPEDANCE * LG];
    OF_LEVEL(own_block);
    OF_BLOCK(own_block);

    UNROLL for (i32 c = 0; c < 6; ++c) tile[(c * NP + part) * LG + lane] = fields[base + (c * NP + part) * LG];
    REAL sums[6];
    UNROLL for (i32 c = 0; c < 6; ++c) sums[c] = R(0.0);
    BARRIER();
    // Surface term, face by face: d at the quadrature points of curved faces, projected on the face
    // nodes; d at the nodes of straight faces. Then LIFT.
    for (i32 face = 0; face < 4; ++face) {
        GLOBAL const REAL *f = faces + face * FACE * LG;
        i32 curved = map[(CURVED_FACE + face) * LG] != R(0.0);
        FRAME(f);
        WEIGHTS(f);
        // Lanes differ in which faces are curved: barriers stand outside of the branches.
        if (curved) {
            i32 code = point_neighbors[(own_block * LG + lane) * 4 + face], source = point_source_of[(slot + lane) * 4 + face];
            for (i32 p = part; p < FQ; p += NP) {
                TANGENTIAL(face, p)
                REAL d[PS];
                POINT_JUMP(POINT_TRACES_BEHIND(face) + ((i64)(code >> 2) * FQ + point_permutations[(code & 3) * FQ + p]) * PS)
                if (source >= 0)
                    for (i32 s = 0; s < PS; ++s) d[s] += point_sources[((i64)source * FQ + p) * PS + s];
                UNROLL for (i32 i = 0; i < 3; ++i) {
                    i32 y = (i + 1) % 3, w = (i + 2) % 3;
                    at_points[(p * 6 + i) * LG + lane] = length * POINT_FLUX(i);
                    at_points[(p * 6 + 3 + i) * LG + lane] = d[y] * normal[w] - d[w] * normal[y];
                }
            }
        }
        BARRIER();
        for (i32 k = part; k < NF; k += NP)
            if (curved) {
                REAL v[6];
                UNROLL for (i32 c = 0; c < 6; ++c) v[c] = R(0.0);
                for (i32 p = 0; p < FQ; ++p) {
                    REAL weight = operators[OPERATOR_FACE_PROJECT + k * FQ + p];
                    UNROLL for (i32 c = 0; c < 6; ++c) v[c] = fma(weight, at_points[(p * 6 + c) * LG + lane], v[c]);
                }
                UNROLL for (i32 c = 0; c < 6; ++c) on_face[(k * 6 + c) * LG + lane] = v[c];
            } else {
                i32 code = neighbors[(slot + lane) * 4 + face];
                trace outer = ((GLOBAL const trace *)TRACES_BEHIND(face))[TRACE_OF(code) + permutations[PERMUTATION_OF(code) + k]];
                JUMPS(face, k, outer)
                NODE_FLUX(0, x1, x2)
                NODE_FLUX(1, y1, y2)
                NODE_FLUX(2, z1, z2)
            }
        BARRIER();
        ADD_COLUMNS(sums, OPERATOR_LIFT + face * NF * NP, NF, on_face)
    }
    BARRIER();
    // Volume term: P J curl, added to the lifted fluxes.
    PROJECT_POINTS(sums, CURLS_AT)
    // The sums replace the fields in the tile; the fields are loaded again below.
    UNROLL for (i32 c = 0; c < 6; ++c) {
        tile[(c * NP + part) * LG + lane] = sums[c];
        sums[c] = R(0.0);
    }
    BARRIER();
    // Weight-adjusted inverse of the mass matrix: P (1/J) V applied to the sums.
    PROJECT_POINTS(sums, OVER_JACOBIAN_AT)
    // Fields are loaded again instead of held in registers across the projections.
    REAL q[6], history[6], rates[6];
    UNROLL for (i32 c = 0; c < 6; ++c) {
        q[c] = fields[base + (c * NP + part) * LG];
        history[c] = EARLIER_RATES(base + (c * NP + part) * LG);
        rates[c] = sums[c];
    }
    advance(q, history, rates, fields, increments, current_of, currents, coefficients, ade, ade_increments, (REAL)pulse,
            shape, SCALARS_OF_STEP, block, kind, part, lane);
    UNROLL for (i32 c = 0; c < 6; ++c) tile[(c * NP + part) * LG + lane] = q[c];
    BARRIER();
#if LOCAL_STEPS
    // The fields halfway are in the tile: their traces, then those at the end of the step take their place.
    if (halfway) {
        STORE_TRACES(halfway_traces, halfway_point_traces)
        BARRIER();
        UNROLL for (i32 c = 0; c < 6; ++c) tile[(c * NP + part) * LG + lane] = fields[base + (c * NP + part) * LG];
        BARRIER();
    }
#endif
    // New traces, into a second buffer: neighbors in this launch may not have read the old ones
    // yet.
    STORE_TRACES(NEW_TRACES, NEW_POINT_TRACES)
}

// Twice the energy of curved elements by quadrature, int J sum_c (eps_c E_c^2 + mu_c H_c^2), one sum per group.
KERNEL energies(GLOBAL const REAL *RESTRICT fields, GLOBAL const REAL *RESTRICT shapes, GLOBAL const REAL *RESTRICT maps,
                GLOBAL const REAL *RESTRICT operators, GLOBAL f64 *RESTRICT out, i32 first_block, i32 first_sum) {
    LOCAL REAL tile[6 * NP * LG];
    LOCAL f64 all[ITEMS];
    i32 lane = LOCAL_ID(0) % LG, part = LOCAL_ID(0) / LG;
    i64 block = (i64)first_block + GROUP_ID(0);
    GLOBAL const REAL *shape = shapes + block * SHAPE * LG + lane;
    GLOBAL const REAL *map = maps + (i64)GROUP_ID(0) * CURVED * LG + lane;
    UNROLL for (i32 c = 0; c < 6; ++c) tile[(c * NP + part) * LG + lane] = fields[((block * 6 + c) * NP + part) * LG + lane];
    BARRIER();
    // Products in working precision, the sum in double.
    f64 sum = 0.0;
    for (i32 p = part; p < NQ; p += NP) {
        AT_POINT(v, OPERATOR_VALUES, p, NP, k)
        EDGES_AT(operators + OPERATOR_POINTS + 3 * p);
        GRADIENTS;
        REAL density = R(0.0);
        UNROLL for (i32 c = 0; c < 6; ++c)
            density += v[c] * v[c] / shape[(c < 3 ? INVERSE_EPS + c : INVERSE_MU + c - 3) * LG];
        sum += (f64)(operators[OPERATOR_WEIGHTS + p] * JACOBIAN * density);
    }
    all[LOCAL_ID(0)] = sum;
    BARRIER();
    // One work item adds the partial sums in a fixed order, so that results repeat bit for bit.
    if (LOCAL_ID(0) == 0) {
        for (i32 i = 1; i < ITEMS; ++i) sum += all[i];
        out[first_sum + GROUP_ID(0)] = sum;
    }
}
