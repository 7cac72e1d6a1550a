// Vectors, facets, and ray-triangle intersection with a BVH or a kd-tree: crates/sbr/src/scene.rs and crates/mesh/src/bvh.
// Strides and offsets of all tables are defined by crates/sbr/src/layout.rs.

// Long functions: inlining every call would multiply the code and the registers of a kernel.
#ifdef __OPENCL_VERSION__
#define NOINLINE_DEVICE static
#else
#define NOINLINE_DEVICE static __device__ __noinline__
#endif

typedef struct { f64 x, y, z; } v3;

DEVICE v3 v3_new(f64 x, f64 y, f64 z) { v3 a; a.x = x; a.y = y; a.z = z; return a; }
DEVICE v3 v3_at(GLOBAL const f64 *p) { return v3_new(p[0], p[1], p[2]); }
DEVICE v3 v3_add(v3 a, v3 b) { return v3_new(a.x + b.x, a.y + b.y, a.z + b.z); }
DEVICE v3 v3_sub(v3 a, v3 b) { return v3_new(a.x - b.x, a.y - b.y, a.z - b.z); }
DEVICE v3 v3_scale(f64 s, v3 a) { return v3_new(s * a.x, s * a.y, s * a.z); }
// a + s b
DEVICE v3 v3_add_scaled(v3 a, f64 s, v3 b) { return v3_new(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
DEVICE f64 v3_dot(v3 a, v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
DEVICE v3 v3_unit(v3 a) { return v3_scale(1.0 / sqrt(v3_dot(a, a)), a); }

// p q - r s with both products rounded, so that exchanging the products changes the sign exactly. A fused multiply-add would not,
// and the intersection test below would no longer be watertight.
#ifdef __OPENCL_VERSION__
#pragma OPENCL FP_CONTRACT OFF
DEVICE f64 cross_component(f64 p, f64 q, f64 r, f64 s) { return p * q - r * s; }
#else
DEVICE f64 cross_component(f64 p, f64 q, f64 r, f64 s) { return __dmul_rn(p, q) - __dmul_rn(r, s); }
#endif

DEVICE v3 v3_cross(v3 a, v3 b) {
    return v3_new(cross_component(a.y, b.z, a.z, b.y), cross_component(a.z, b.x, a.x, b.z), cross_component(a.x, b.y, a.y, b.x));
}

typedef struct {
    // BVH nodes of NODE_WORDS words: origin and quantization step of the child boxes (3 + 3 floats), lower and upper planes as bytes
    // (6 by 8), child indices (8), and the number of children.
    GLOBAL const u32 *nodes;
    // LEAF_FACETS facet indices per leaf, -1 for none.
    GLOBAL const i32 *leaves;
    // Corners and normal of each facet.
    GLOBAL const f64 *facets;
    // Material of each facet, and the side of its normal that is outside a closed body: 1, -1, or 0 for both.
    GLOBAL const i32 *attributes;
#ifdef KD_TREE
    // The kd-tree and its bounding box.
    kd_tree kd;
    kd_vec low, high;
#endif
    // Minimum distance of a hit after a reflection, and distance of primary origins from the plane through the center.
    f64 min_distance, start_distance;
} scene;

// Direction components are bounded away from zero, so that slab tests have no 0 * infinity.
#define MIN_COMPONENT 1e-18f
#define NO_FACET (-1)
#define FAR 3.0e38f

#ifdef KD_TREE
// The arrays of a kd-tree lie one after the other in two tables, of integers and of floats.
#define LOAD_KD_TREE(s)                                                                                      \
    s.kd.tags = kd_ints + KD_TAGS; s.kd.ropes = kd_ints + KD_ROPES; s.kd.spans = kd_ints + KD_SPANS;         \
    s.kd.ids = kd_ints + KD_IDS; s.kd.splits = kd_floats + KD_SPLITS; s.kd.boxes = kd_floats + KD_BOXES;     \
    s.low = kd_new(kd_floats[KD_LOW], kd_floats[KD_LOW + 1], kd_floats[KD_LOW + 2]);                         \
    s.high = kd_new(kd_floats[KD_HIGH], kd_floats[KD_HIGH + 1], kd_floats[KD_HIGH + 2])
#else
#define LOAD_KD_TREE(s)
#endif
// The parameters of every kernel that traces rays, which LOAD_SCENE reads.
#define SCENE_PARAMS                                                                                         \
    GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *attributes, \
    GLOBAL const i32 *kd_ints, GLOBAL const f32 *kd_floats, f64 min_distance, f64 start_distance
#define LOAD_SCENE(s)                                                                                             \
    s.nodes = nodes; s.leaves = leaves; s.facets = facets; s.attributes = attributes; s.min_distance = min_distance; s.start_distance = start_distance; \
    LOAD_KD_TREE(s)

DEVICE v3 facet_corner(const scene *sc, i32 facet, i32 corner) { return v3_at(sc->facets + FACET_STRIDE * (i64)facet + FACET_CORNERS + 3 * corner); }
DEVICE v3 facet_normal(const scene *sc, i32 facet) { return v3_at(sc->facets + FACET_STRIDE * (i64)facet + FACET_NORMAL); }

// Distance along a ray to a facet, or a negative number: t = n.(a - o)/(n.d), if the ray passes all three sides d.(b x a) in the same
// sense. Both triangles at an edge evaluate the same products, so that no ray slips between them.
DEVICE f64 facet_distance(const scene *sc, i32 facet, v3 start, v3 direction) {
    // Corners relative to the origin of the ray: the test is then on signs of triple products
    // alone, and a common edge has the same two operands in both of its facets.
    v3 a = v3_sub(facet_corner(sc, facet, 0), start);
    v3 b = v3_sub(facet_corner(sc, facet, 1), start);
    v3 c = v3_sub(facet_corner(sc, facet, 2), start);
    f64 ab = v3_dot(direction, v3_cross(b, a));
    f64 bc = v3_dot(direction, v3_cross(c, b));
    f64 ca = v3_dot(direction, v3_cross(a, c));
    // Either orientation: rays hit facets from both sides. Zero belongs to the inside, so that a
    // ray exactly on an edge hits at least one of its facets.
    i32 inside = (ab >= 0.0 && bc >= 0.0 && ca >= 0.0) || (ab <= 0.0 && bc <= 0.0 && ca <= 0.0);
    if (!inside) return -1.0;
    // The plane distance is needed only inside, which most candidates are not.
    v3 n = facet_normal(sc, facet);
    f64 t = v3_dot(n, a) / v3_dot(n, direction);
    // A ray in the plane of the facet gives NaN, and no hit.
    return t == t ? t : -1.0;
}

// copysign preserves the direction of travel, so that
// the order of entry and exit planes stays right.
DEVICE f32 inverse_of(f32 d) { return 1.0f / (fabs(d) < MIN_COMPONENT ? copysign(MIN_COMPONENT, d) : d); }

// Quantized plane of a child box: planes 0 to 2 are the lower, 3 to 5 the upper bounds along x, y, z.
DEVICE f32 plane_of(GLOBAL const u32 *node, i32 plane, i32 child) {
    // Four bytes per word: the planes of eight children take two words.
    u32 word = node[NODE_PLANES + 2 * plane + (child >> 2)];
    return (f32)((word >> (8 * (child & 3))) & 255u);
}

#ifdef KD_TREE

// The first facet that a ray hits, other than `left`, the one it was reflected by. `leaf` is passed from one bounce to the next, -1 at
// first: traversal resumes at the leaf of the last hit instead of the root.
NOINLINE_DEVICE i32 closest(const scene *sc, v3 start, v3 direction, i32 left, i32 *leaf) {
    // Single precision suffices for traversal: facets are tested in double precision.
    kd_walk walk = kd_ray(kd_new((f32)start.x, (f32)start.y, (f32)start.z),
                          kd_new((f32)direction.x, (f32)direction.y, (f32)direction.z));
    i32 best = NO_FACET, going = kd_start(&sc->kd, &walk, sc->low, sc->high, *leaf);
    f64 exact = FAR;
    while (going) {
        i32 end = sc->kd.spans[walk.leaf + 1];
        for (i32 i = sc->kd.spans[walk.leaf]; i < end; i++) {
            i32 facet = sc->kd.ids[i];
            // Excluded by index, not by distance: a hit on the facet itself is at zero distance
            // within rounding of either sign.
            if (facet == left) continue;
            f64 t = facet_distance(sc, facet, start, direction);
            // Reflected rays ignore hits within the rounding of their origin, such as the neighbors
            // at an edge; primary rays start outside the bounding sphere and have none.
            if (t >= (left >= 0 ? sc->min_distance : 0.0) && t < exact) {
                exact = t;
                best = facet;
            }
        }
        // A triangle may extend beyond its leaf: a hit outside is retained until traversal reaches it, since another may be closer.
        going = (best < 0 || exact > walk.exit) && kd_next(&sc->kd, &walk);
    }
    *leaf = best < 0 ? -1 : walk.leaf;
    return best;
}

#else

// The same with the BVH, from its root.
NOINLINE_DEVICE i32 closest(const scene *sc, v3 start, v3 direction, i32 left, i32 *leaf) {
    f32 inverse[3], from[3];
    inverse[0] = inverse_of((f32)direction.x);
    inverse[1] = inverse_of((f32)direction.y);
    inverse[2] = inverse_of((f32)direction.z);
    from[0] = (f32)start.x;
    from[1] = (f32)start.y;
    from[2] = (f32)start.z;
    *leaf = -1;
    // Private to the work item, with the entry distance of each box: a box that a closer hit has
    // made irrelevant is skipped when it is popped, without a second slab test.
    u32 stack[STACK];
    f32 enters[STACK];
    i32 count = 1, best = NO_FACET;
    f32 farthest = FAR;
    f64 exact = FAR;
    stack[0] = 0u;
    enters[0] = 0.0f;
    while (count > 0) {
        count--;
        u32 child = stack[count];
        if (enters[count] > farthest) continue;
        if (child & LEAF_BIT) {
            GLOBAL const i32 *leaf = sc->leaves + LEAF_FACETS * (i64)(child & ~LEAF_BIT);
            // Facets of a leaf are contiguous and -1 ends the
            // list: the loop stops at the first empty slot.
            for (i32 i = 0; i < LEAF_FACETS; i++) {
                i32 facet = leaf[i];
                if (facet < 0) break;
                if (facet == left) continue;
                f64 t = facet_distance(sc, facet, start, direction);
                if (t >= (left >= 0 ? sc->min_distance : 0.0) && t < exact) {
                    exact = t;
                    best = facet;
                    // Rounded up, so that single precision never culls a box at the same distance.
                    farthest = (f32)t * 1.000001f;
                }
            }
            continue;
        }
        GLOBAL const u32 *node = sc->nodes + NODE_WORDS * (i64)child;
        GLOBAL const f32 *numbers = (GLOBAL const f32 *)node;
        // Slab test in quantized coordinates, t = plane * slope + shift: one multiply-add per plane
        // instead of dequantization, subtraction and product.
        f32 slope[3], shift[3];
        UNROLL
        for (i32 x = 0; x < 3; x++) {
            slope[x] = numbers[NODE_STEP + x] * inverse[x];
            shift[x] = (numbers[NODE_ORIGIN + x] - from[x]) * inverse[x];
        }
        i32 children = (i32)node[NODE_COUNT];
        // The nearest child goes on top of the stack, to shorten the ray early; the others follow in any order.
        f32 nearest_enter = FAR;
        u32 nearest_child = 0u;
        for (i32 i = 0; i < children; i++) {
            // The interval starts at the origin and ends at the closest hit so far.
            f32 enter = 0.0f, leave = farthest;
            UNROLL
            for (i32 x = 0; x < 3; x++) {
                f32 low = plane_of(node, x, i) * slope[x] + shift[x];
                f32 high = plane_of(node, x + 3, i) * slope[x] + shift[x];
                enter = fmax(enter, fmin(low, high));
                leave = fmin(leave, fmax(low, high));
            }
            // A full stack drops the child. The host sizes STACK by the depth of the tree, so that
            // it never fills.
            if (enter > leave || count >= STACK - 1) continue;
            u32 found = node[NODE_CHILDREN + i];
            if (enter < nearest_enter) {
                u32 other = nearest_child;
                f32 other_enter = nearest_enter;
                nearest_child = found;
                nearest_enter = enter;
                found = other;
                enter = other_enter;
            }
            if (enter < FAR) {
                enters[count] = enter;
                stack[count++] = found;
            }
        }
        if (nearest_enter < FAR) {
            enters[count] = nearest_enter;
            stack[count++] = nearest_child;
        }
    }
    return best;
}

#endif
