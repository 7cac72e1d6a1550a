// Vectors, the triangles, and the ray that looks for the closest of them: crates/sbr/src/scene.rs and crates/mesh/src/bvh.

// Functions that are too long to be written into each place where they are called.
#ifdef __OPENCL_VERSION__
#define LONG_DEVICE static
#else
#define LONG_DEVICE static __device__ __noinline__
#endif

typedef struct { f64 x, y, z; } v3;

DEVICE v3 v3_new(f64 x, f64 y, f64 z) { v3 a; a.x = x; a.y = y; a.z = z; return a; }
DEVICE v3 v3_at(GLOBAL const f64 *p) { return v3_new(p[0], p[1], p[2]); }
DEVICE v3 v3_add(v3 a, v3 b) { return v3_new(a.x + b.x, a.y + b.y, a.z + b.z); }
DEVICE v3 v3_sub(v3 a, v3 b) { return v3_new(a.x - b.x, a.y - b.y, a.z - b.z); }
DEVICE v3 v3_scale(f64 s, v3 a) { return v3_new(s * a.x, s * a.y, s * a.z); }
// a + s b
DEVICE v3 v3_along(v3 a, f64 s, v3 b) { return v3_new(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
DEVICE f64 v3_dot(v3 a, v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
DEVICE v3 v3_unit(v3 a) { return v3_scale(1.0 / sqrt(v3_dot(a, a)), a); }

// p q - r s with both products rounded: it changes its sign when they change places. A fused product would not.
#ifdef __OPENCL_VERSION__
#pragma OPENCL FP_CONTRACT OFF
DEVICE f64 minor_of(f64 p, f64 q, f64 r, f64 s) { return p * q - r * s; }
#else
DEVICE f64 minor_of(f64 p, f64 q, f64 r, f64 s) { return __dmul_rn(p, q) - __dmul_rn(r, s); }
#endif

DEVICE v3 v3_cross(v3 a, v3 b) {
    return v3_new(minor_of(a.y, b.z, a.z, b.y), minor_of(a.z, b.x, a.x, b.z), minor_of(a.x, b.y, a.y, b.x));
}

typedef struct {
    // Of each node, 28 words: origin and unit of its boxes (3 + 3 floats), their lower and upper planes as bytes (6 by 8), what is in
    // them (8), and how many they are.
    GLOBAL const u32 *nodes;
    // Four facets to a leaf; -1 for none.
    GLOBAL const i32 *leaves;
    // Corners and normal of each facet, 12 numbers.
    GLOBAL const f64 *facets;
    // Material of each facet, and which side of its normal is outside a closed body: 1, -1, or 0 for both.
    GLOBAL const i32 *marks;
#ifdef KD_TREE
    // The paper's tree, and the box of it all.
    kd_tree kd;
    kd_vec low, high;
#endif
    // How near a ray may not hit after a bounce, and how far back rays start.
    f64 nearest, back;
} scene;

#define NODE_WORDS 28
#define MARKS 2
#define LEAF_FACETS 4
#define LEAF_BIT 0x80000000u
#define FLATTEST 1e-18f
#define NO_FACET (-1)
#define FAR 3.0e38f

#ifdef KD_TREE
// Of the arrays of a kd-tree one after the other: nodes, leaves, and where they begin.
#define KD_SCENE(s)                                                                                          \
    s.kd.tags = kd_tags; s.kd.ropes = kd_tags + KD_NODES; s.kd.spans = s.kd.ropes + 6 * KD_LEAVES;           \
    s.kd.ids = s.kd.spans + KD_LEAVES + 1; s.kd.splits = kd_numbers + 6; s.kd.boxes = kd_numbers + 6 + KD_NODES; \
    s.low = kd_new(kd_numbers[0], kd_numbers[1], kd_numbers[2]);                                             \
    s.high = kd_new(kd_numbers[3], kd_numbers[4], kd_numbers[5])
#else
#define KD_SCENE(s)
#endif
#define SCENE(s)                                                                                             \
    s.nodes = nodes; s.leaves = leaves; s.facets = facets; s.marks = marks; s.nearest = nearest; s.back = back; \
    KD_SCENE(s)

DEVICE v3 facet_corner(const scene *sc, i32 facet, i32 corner) { return v3_at(sc->facets + 12 * (i64)facet + 3 * corner); }
DEVICE v3 facet_normal(const scene *sc, i32 facet) { return v3_at(sc->facets + 12 * (i64)facet + 9); }

// Along a ray to a facet, or a negative number. Both triangles at an edge agree to the last bit on the side where the ray passes it.
DEVICE f64 facet_distance(const scene *sc, i32 facet, v3 start, v3 direction) {
    v3 a = v3_sub(facet_corner(sc, facet, 0), start);
    v3 b = v3_sub(facet_corner(sc, facet, 1), start);
    v3 c = v3_sub(facet_corner(sc, facet, 2), start);
    f64 ab = v3_dot(direction, v3_cross(b, a));
    f64 bc = v3_dot(direction, v3_cross(c, b));
    f64 ca = v3_dot(direction, v3_cross(a, c));
    i32 inside = (ab >= 0.0 && bc >= 0.0 && ca >= 0.0) || (ab <= 0.0 && bc <= 0.0 && ca <= 0.0);
    if (!inside) return -1.0;
    v3 n = facet_normal(sc, facet);
    f64 t = v3_dot(n, a) / v3_dot(n, direction);
    // A ray in the plane gives no number, and no hit.
    return t == t ? t : -1.0;
}

DEVICE f32 inverse_of(f32 d) { return 1.0f / (fabs(d) < FLATTEST ? copysign(FLATTEST, d) : d); }

// The byte of a plane of a box.
DEVICE f32 plane_of(GLOBAL const u32 *node, i32 plane, i32 child) {
    u32 word = node[6 + 2 * plane + (child >> 2)];
    return (f32)((word >> (8 * (child & 3))) & 255u);
}

#ifdef KD_TREE

// The facet that a ray meets first, but for the one that it has just left. `leaf` goes from one bounce to the next, -1 at first: to
// follow a ray so is the paper's single pass (Algorithm I).
LONG_DEVICE i32 closest(const scene *sc, v3 start, v3 direction, i32 left, i32 *leaf) {
    kd_walk walk = kd_ray(kd_new((f32)start.x, (f32)start.y, (f32)start.z),
                          kd_new((f32)direction.x, (f32)direction.y, (f32)direction.z));
    i32 best = NO_FACET, going = kd_start(&sc->kd, &walk, sc->low, sc->high, *leaf);
    f64 exact = FAR;
    while (going) {
        i32 end = sc->kd.spans[walk.leaf + 1];
        for (i32 i = sc->kd.spans[walk.leaf]; i < end; i++) {
            i32 facet = sc->kd.ids[i];
            if (facet == left) continue;
            f64 t = facet_distance(sc, facet, start, direction);
            if (t >= (left >= 0 ? sc->nearest : 0.0) && t < exact) {
                exact = t;
                best = facet;
            }
        }
        // A hit beyond the leaf may have others before it: it waits until its leaf is reached, or the end.
        going = (best < 0 || exact > walk.exit) && kd_next(&sc->kd, &walk);
    }
    *leaf = best < 0 ? -1 : walk.leaf;
    return best;
}

#else

// The same by the tree of boxes, which begins at its root every time.
LONG_DEVICE i32 closest(const scene *sc, v3 start, v3 direction, i32 left, i32 *leaf) {
    f32 inverse[3], from[3];
    inverse[0] = inverse_of((f32)direction.x);
    inverse[1] = inverse_of((f32)direction.y);
    inverse[2] = inverse_of((f32)direction.z);
    from[0] = (f32)start.x;
    from[1] = (f32)start.y;
    from[2] = (f32)start.z;
    *leaf = -1;
    u32 waiting[STACK];
    f32 enters[STACK];
    i32 count = 1, best = NO_FACET;
    f32 reach = FAR;
    f64 exact = FAR;
    waiting[0] = 0u;
    enters[0] = 0.0f;
    while (count > 0) {
        count--;
        u32 child = waiting[count];
        if (enters[count] > reach) continue;
        if (child & LEAF_BIT) {
            GLOBAL const i32 *leaf = sc->leaves + LEAF_FACETS * (i64)(child & ~LEAF_BIT);
            for (i32 i = 0; i < LEAF_FACETS; i++) {
                i32 facet = leaf[i];
                if (facet < 0) break;
                if (facet == left) continue;
                f64 t = facet_distance(sc, facet, start, direction);
                if (t >= (left >= 0 ? sc->nearest : 0.0) && t < exact) {
                    exact = t;
                    best = facet;
                    // Never short of it, for all that single precision rounds.
                    reach = (f32)t * 1.000001f;
                }
            }
            continue;
        }
        GLOBAL const u32 *node = sc->nodes + NODE_WORDS * (i64)child;
        GLOBAL const f32 *numbers = (GLOBAL const f32 *)node;
        f32 slope[3], shift[3];
        UNROLL
        for (i32 x = 0; x < 3; x++) {
            slope[x] = numbers[3 + x] * inverse[x];
            shift[x] = (numbers[x] - from[x]) * inverse[x];
        }
        i32 children = (i32)node[26];
        // The nearest goes on top, the others below it as they come.
        f32 nearest_enter = FAR;
        u32 nearest_child = 0u;
        for (i32 i = 0; i < children; i++) {
            f32 enter = 0.0f, leave = reach;
            UNROLL
            for (i32 x = 0; x < 3; x++) {
                f32 low = plane_of(node, x, i) * slope[x] + shift[x];
                f32 high = plane_of(node, x + 3, i) * slope[x] + shift[x];
                enter = fmax(enter, fmin(low, high));
                leave = fmin(leave, fmax(low, high));
            }
            if (enter > leave || count >= STACK - 1) continue;
            u32 found = node[18 + i];
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
                waiting[count++] = found;
            }
        }
        if (nearest_enter < FAR) {
            enters[count] = nearest_enter;
            waiting[count++] = nearest_child;
        }
    }
    return best;
}

#endif
