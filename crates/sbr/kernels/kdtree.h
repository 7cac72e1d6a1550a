// Stackless traversal of a kd-tree with ropes (S. Popov, J. Guenther, H.-P. Seidel, P. Slusallek, Comput. Graph. Forum 26, 415,
// 2007): a rope links each face of a leaf to the neighboring node. crates/mesh/src/kdtree/traverse.rs is the same on the host; the arrays
// are those of FlatKdTree. A kernel calls kd_start, intersects the triangles of the leaf, and calls kd_next until it is false or a hit
// is no farther than `exit`.

// tags[node]: in the two lower bits the split axis, or KD_LEAF; above them the first of two
// adjacent children, or the index of the leaf. boxes[leaf][bound] and ropes[leaf][face] are row by
// row; the triangles of a leaf are ids[spans[leaf]] to ids[spans[leaf + 1]].
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
    // 1/direction, zero where a component is zero.
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
// The smallest normal number: smaller components of a direction count as zero.
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

// Clips the interval of a ray to a slab; false if a parallel ray is outside.
DEVICE i32 kd_slab(f32 from, f32 inverse, f32 low, f32 high, f32 *enter, f32 *leave) {
    // A ray parallel to the slab never crosses its planes: it only has to be between them.
    if (inverse == 0.0f) return from >= low && from <= high;
    f32 a = (low - from) * inverse, b = (high - from) * inverse;
    *enter = fmax(*enter, fmin(a, b));
    *leave = fmin(*leave, fmax(a, b));
    return 1;
}

// Descends from a node to the leaf that contains the current point. On a splitting plane the direction decides.
DEVICE void kd_descend(const kd_tree *tree, kd_walk *walk, i32 node) {
    i32 tag = tree->tags[node];
    while ((tag & 3) != KD_LEAF) {
        f32 x = kd_part(walk->at, tag & 3), split = tree->splits[node];
        // Ties go the way the ray travels, so that a step over a splitting plane cannot return to
        // the cell it left.
        i32 left = x < split || (x == split && kd_part(walk->inverse, tag & 3) < 0.0f);
        node = (tag >> 2) + (left ? 0 : 1);
        tag = tree->tags[node];
    }
    walk->leaf = tag >> 2;
}

// Exit through the face of a leaf across one axis, if it is closer than those found so far.
DEVICE void kd_exit_across(kd_walk *walk, i32 axis, f32 from, f32 inverse, f32 low, f32 high) {
    if (inverse == 0.0f) return;
    // Only the face ahead along this axis can be the exit: the upper one for a positive component.
    f32 t = ((inverse > 0.0f ? high : low) - from) * inverse;
    if (t < walk->exit) {
        walk->exit = t;
        walk->face = 2 * axis + (inverse > 0.0f ? 1 : 0);
    }
}

// Where the ray leaves its leaf.
DEVICE void kd_find_exit(const kd_tree *tree, kd_walk *walk) {
    // From the origin of the ray, not from the current
    // point: rounding does not accumulate over leaves.
    GLOBAL const f32 *cell = tree->boxes + KD_BOUNDS * (i64)walk->leaf;
    walk->exit = KD_FAR;
    walk->face = -1;
    kd_exit_across(walk, 0, walk->origin.x, walk->inverse.x, cell[0], cell[3]);
    kd_exit_across(walk, 1, walk->origin.y, walk->inverse.y, cell[1], cell[4]);
    kd_exit_across(walk, 2, walk->origin.z, walk->inverse.z, cell[2], cell[5]);
}

// Sets the first leaf of a ray: the given one, or with -1 the one where it enters the bounds of the tree. False if it misses.
DEVICE i32 kd_start(const kd_tree *tree, kd_walk *walk, kd_vec low, kd_vec high, i32 leaf) {
    kd_vec o = walk->origin, d = walk->direction, inverse = walk->inverse;
    f32 enter = 0.0f, leave = KD_FAR;
    // A reflected ray resumes in the leaf of its last hit: its origin is there within rounding.
    if (leaf >= 0) {
        GLOBAL const f32 *cell = tree->boxes + KD_BOUNDS * (i64)leaf;
        low = kd_new(cell[0], cell[1], cell[2]);
        high = kd_new(cell[3], cell[4], cell[5]);
    } else if (!kd_slab(o.x, inverse.x, low.x, high.x, &enter, &leave) ||
               !kd_slab(o.y, inverse.y, low.y, high.y, &enter, &leave) ||
               !kd_slab(o.z, inverse.z, low.z, high.z, &enter, &leave) || !(enter <= leave)) {
        return 0;
    }
    // Clamped to the box: the rounded entry point may be
    // outside, where descent would find another leaf.
    walk->at.x = kd_between(o.x + enter * d.x, low.x, high.x);
    walk->at.y = kd_between(o.y + enter * d.y, low.y, high.y);
    walk->at.z = kd_between(o.z + enter * d.z, low.z, high.z);
    if (leaf >= 0) walk->leaf = leaf;
    else kd_descend(tree, walk, 0);
    kd_find_exit(tree, walk);
    return 1;
}

// A coordinate at distance t, clamped to the leaf and to forward motion: rounding must not move a ray backward, or it could loop.
DEVICE f32 kd_advanced(f32 before, f32 from, f32 t, f32 d, f32 inverse, f32 low, f32 high) {
    f32 at = from + t * d;
    // Monotonic along the ray: between the last point and the far face.
    if (inverse > 0.0f) return fmax(fmin(at, high), before);
    if (inverse < 0.0f) return fmin(fmax(at, low), before);
    return before;
}

// Follows the rope of the exit face into the next leaf. False at the boundary of the tree.
DEVICE i32 kd_next(const kd_tree *tree, kd_walk *walk) {
    i32 face = walk->face;
    i32 rope = face < 0 ? -1 : tree->ropes[KD_FACES * (i64)walk->leaf + face];
    if (rope < 0) return 0;
    GLOBAL const f32 *cell = tree->boxes + KD_BOUNDS * (i64)walk->leaf;
    // The exit face is 2 axis + side, and the box holds three lower, then three upper bounds.
    f32 plane = cell[(face >> 1) + 3 * (face & 1)];
    kd_vec o = walk->origin, d = walk->direction, inverse = walk->inverse;
    walk->at.x = kd_advanced(walk->at.x, o.x, walk->exit, d.x, inverse.x, cell[0], cell[3]);
    walk->at.y = kd_advanced(walk->at.y, o.y, walk->exit, d.y, inverse.y, cell[1], cell[4]);
    walk->at.z = kd_advanced(walk->at.z, o.z, walk->exit, d.z, inverse.z, cell[2], cell[5]);
    // Exactly on the exit plane, whatever the rounding: the neighbor shares this number bit by bit.
    if (face < 2) walk->at.x = plane;
    else if (face < 4) walk->at.y = plane;
    else walk->at.z = plane;
    // A rope may point to an inner node, if the neighbor is subdivided: descend to its leaf.
    kd_descend(tree, walk, rope);
    kd_find_exit(tree, walk);
    return 1;
}
