// The walk through a kd-tree with ropes, as crates/mesh/src/kdtree/walk.rs has it and says why. The arrays are those of
// FlatKdTree. A kernel that tests triangles in its own way goes over the leaves by itself: kd_start, then kd_next until it is
// false or a hit is no farther than `exit`.

typedef struct {
    GLOBAL const i32 *tags;
    GLOBAL const f32 *splits;
    GLOBAL const f32 *boxes;
    GLOBAL const i32 *ropes;
    GLOBAL const i32 *spans;
    GLOBAL const i32 *ids;
} kd_tree;

typedef struct {
    f32 x, y, z;
} kd_vec;

typedef struct {
    kd_vec origin, direction;
    // 1/direction, zero where that is.
    kd_vec inverse;
    // A point of the ray in the leaf.
    kd_vec at;
    i32 leaf;
    // Where the ray leaves the leaf: distance, and 2 axis + side of the face; -1 if it never does.
    f32 exit;
    i32 face;
} kd_walk;

#define KD_LEAF 3
#define KD_FAR 3.4028235e38f
// The smallest normal number: components of a direction up to it count as zero.
#define KD_LEAST 1.17549435e-38f

DEVICE kd_vec kd_new(f32 x, f32 y, f32 z) {
    kd_vec v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

DEVICE f32 kd_part(kd_vec v, i32 axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

DEVICE f32 kd_inverse(f32 d) { return fabs(d) > KD_LEAST ? 1.0f / d : 0.0f; }

DEVICE f32 kd_between(f32 x, f32 low, f32 high) { return fmin(fmax(x, low), high); }

DEVICE kd_walk kd_ray(kd_vec origin, kd_vec direction) {
    kd_walk walk;
    walk.origin = origin;
    walk.direction = direction;
    walk.inverse = kd_new(kd_inverse(direction.x), kd_inverse(direction.y), kd_inverse(direction.z));
    walk.at = origin;
    walk.leaf = -1;
    walk.exit = KD_FAR;
    walk.face = -1;
    return walk;
}

// Narrows the interval in which a ray is in a slab; zero if it is beside it.
DEVICE i32 kd_slab(f32 from, f32 inverse, f32 low, f32 high, f32 *enter, f32 *leave) {
    if (inverse == 0.0f) return from >= low && from <= high;
    f32 a = (low - from) * inverse, b = (high - from) * inverse;
    *enter = fmax(*enter, fmin(a, b));
    *leave = fmin(*leave, fmax(a, b));
    return 1;
}

// The leaf below a node that holds the point of a ray.
DEVICE void kd_descend(const kd_tree *tree, kd_walk *walk, i32 node) {
    i32 tag = tree->tags[node];
    while ((tag & 3) != KD_LEAF) {
        f32 x = kd_part(walk->at, tag & 3), split = tree->splits[node];
        i32 left = x < split || (x == split && kd_part(walk->inverse, tag & 3) < 0.0f);
        node = (tag >> 2) + (left ? 0 : 1);
        tag = tree->tags[node];
    }
    walk->leaf = tag >> 2;
}

// Whether the ray leaves a box across one axis before what is known.
DEVICE void kd_exit_across(kd_walk *walk, i32 axis, f32 from, f32 inverse, f32 low, f32 high) {
    if (inverse == 0.0f) return;
    f32 t = ((inverse > 0.0f ? high : low) - from) * inverse;
    if (t < walk->exit) {
        walk->exit = t;
        walk->face = 2 * axis + (inverse > 0.0f ? 1 : 0);
    }
}

// Where the ray leaves its leaf.
DEVICE void kd_find_exit(const kd_tree *tree, kd_walk *walk) {
    GLOBAL const f32 *cell = tree->boxes + 6 * (i64)walk->leaf;
    walk->exit = KD_FAR;
    walk->face = -1;
    kd_exit_across(walk, 0, walk->origin.x, walk->inverse.x, cell[0], cell[3]);
    kd_exit_across(walk, 1, walk->origin.y, walk->inverse.y, cell[1], cell[4]);
    kd_exit_across(walk, 2, walk->origin.z, walk->inverse.z, cell[2], cell[5]);
}

// Puts a ray into its first leaf: the given one, or with -1 the one where it enters the tree's bounds. False if it misses.
DEVICE i32 kd_start(const kd_tree *tree, kd_walk *walk, kd_vec low, kd_vec high, i32 leaf) {
    kd_vec o = walk->origin, d = walk->direction, inverse = walk->inverse;
    f32 enter = 0.0f, leave = KD_FAR;
    if (leaf >= 0) {
        GLOBAL const f32 *cell = tree->boxes + 6 * (i64)leaf;
        low = kd_new(cell[0], cell[1], cell[2]);
        high = kd_new(cell[3], cell[4], cell[5]);
    } else if (!kd_slab(o.x, inverse.x, low.x, high.x, &enter, &leave) ||
               !kd_slab(o.y, inverse.y, low.y, high.y, &enter, &leave) ||
               !kd_slab(o.z, inverse.z, low.z, high.z, &enter, &leave) || !(enter <= leave)) {
        return 0;
    }
    walk->at.x = kd_between(o.x + enter * d.x, low.x, high.x);
    walk->at.y = kd_between(o.y + enter * d.y, low.y, high.y);
    walk->at.z = kd_between(o.z + enter * d.z, low.z, high.z);
    if (leaf >= 0) walk->leaf = leaf;
    else kd_descend(tree, walk, 0);
    kd_find_exit(tree, walk);
    return 1;
}

// A coordinate at distance t, in the leaf and not behind what it was.
DEVICE f32 kd_advanced(f32 before, f32 from, f32 t, f32 d, f32 inverse, f32 low, f32 high) {
    f32 at = from + t * d;
    if (inverse > 0.0f) return fmax(fmin(at, high), before);
    if (inverse < 0.0f) return fmin(fmax(at, low), before);
    return before;
}

// Takes a ray through the face by which it leaves its leaf into the next one. False where there is none.
DEVICE i32 kd_next(const kd_tree *tree, kd_walk *walk) {
    i32 face = walk->face;
    i32 rope = face < 0 ? -1 : tree->ropes[6 * (i64)walk->leaf + face];
    if (rope < 0) return 0;
    GLOBAL const f32 *cell = tree->boxes + 6 * (i64)walk->leaf;
    f32 plane = cell[(face >> 1) + 3 * (face & 1)];
    kd_vec o = walk->origin, d = walk->direction, inverse = walk->inverse;
    walk->at.x = kd_advanced(walk->at.x, o.x, walk->exit, d.x, inverse.x, cell[0], cell[3]);
    walk->at.y = kd_advanced(walk->at.y, o.y, walk->exit, d.y, inverse.y, cell[1], cell[4]);
    walk->at.z = kd_advanced(walk->at.z, o.z, walk->exit, d.z, inverse.z, cell[2], cell[5]);
    if (face < 2) walk->at.x = plane;
    else if (face < 4) walk->at.y = plane;
    else walk->at.z = plane;
    kd_descend(tree, walk, rope);
    kd_find_exit(tree, walk);
    return 1;
}

// A corner seen along the ray: its place across the ray, sheared so that the largest component of the direction is alone.
DEVICE kd_vec kd_sheared(GLOBAL const f32 *corner, kd_vec origin, kd_vec direction, i32 along) {
    kd_vec p = kd_new(corner[0] - origin.x, corner[1] - origin.y, corner[2] - origin.z);
    i32 first = along == 2 ? 0 : along + 1, second = along == 0 ? 2 : along - 1;
    f32 t = kd_part(p, along) / kd_part(direction, along);
    return kd_new(kd_part(p, first) - kd_part(direction, first) * t,
                  kd_part(p, second) - kd_part(direction, second) * t, t);
}

// On which side of an edge the ray passes; the products are exact, so that the two triangles at an edge agree.
DEVICE f64 kd_side(kd_vec a, kd_vec b) { return (f64)a.x * (f64)b.y - (f64)a.y * (f64)b.x; }

// Distance to a triangle, or KD_FAR (Woop, Benthin and Wald, "Watertight ray/triangle intersection", J. Comput. Graph. Tech. 2
// (2013)): no ray slips between two triangles.
DEVICE f32 kd_distance(GLOBAL const f32 *corners, kd_vec origin, kd_vec direction) {
    f32 x = fabs(direction.x), y = fabs(direction.y), z = fabs(direction.z);
    i32 along = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    kd_vec a = kd_sheared(corners, origin, direction, along);
    kd_vec b = kd_sheared(corners + 3, origin, direction, along);
    kd_vec c = kd_sheared(corners + 6, origin, direction, along);
    f64 u = kd_side(b, c), v = kd_side(c, a), w = kd_side(a, b);
    i32 inside = (u >= 0.0 && v >= 0.0 && w >= 0.0) || (u <= 0.0 && v <= 0.0 && w <= 0.0);
    f64 area = u + v + w;
    if (!inside || area == 0.0) return KD_FAR;
    return (f32)((u * a.z + v * b.z + w * c.z) / area);
}

// The triangle that a ray meets first no nearer than `nearest`, but for the one that it has just left; -1 for none. `corners` has
// nine numbers per triangle. `leaf` is where the ray starts, or -1, and becomes that of the hit; `hit` becomes its distance.
DEVICE i32 kd_closest(const kd_tree *tree, kd_vec low, kd_vec high, GLOBAL const f32 *corners, kd_vec origin,
                      kd_vec direction, i32 left, f32 nearest, i32 *leaf, f32 *hit) {
    kd_walk walk = kd_ray(origin, direction);
    i32 best = -1;
    f32 best_t = KD_FAR;
    i32 going = kd_start(tree, &walk, low, high, *leaf);
    while (going) {
        i32 end = tree->spans[walk.leaf + 1];
        for (i32 i = tree->spans[walk.leaf]; i < end; i++) {
            i32 id = tree->ids[i];
            f32 t = id == left ? KD_FAR : kd_distance(corners + 9 * (i64)id, origin, direction);
            if (t >= nearest && t < best_t) {
                best = id;
                best_t = t;
            }
        }
        // A hit beyond the leaf may have others before it: it waits until its leaf is reached, or the end.
        going = (best < 0 || best_t > walk.exit) && kd_next(tree, &walk);
    }
    *leaf = best < 0 ? -1 : walk.leaf;
    *hit = best_t;
    return best;
}
