// Facets in the frame of a beam, and polygon clipping: crates/sbr/src/cpu/frame.rs, polygon.rs and subdivision.rs.
//
// The frame of a beam is the image of the incident aperture under all reflections so far. In it the unfolded rays are straight and
// parallel: two coordinates identify the ray, the third is the path length, which is affine over the plane of a facet.

// Corners of a polygon while it is clipped by three sides and two conditions, and one to close it.
#define CLIP_CORNERS (MAX_CORNERS + 6)

typedef struct { f64 x, y; } v2;

// An affine function over the aperture plane. Its zero line bounds a half-plane, within a tolerance.
typedef struct { f64 x, y, offset, tolerance; } affine;

typedef struct {
    i32 count;
    v2 corners[MAX_CORNERS];
} polygon;

// A polygon with room for clipping.
typedef struct {
    i32 count;
    v2 corners[CLIP_CORNERS];
} clip_polygon;

// Origin and axes of the image of the aperture.
typedef struct {
    v3 origin, u, v, k;
    // Distance within which two points coincide.
    f64 tolerance;
} beam_frame;

typedef struct {
    v2 corners[3];
    affine sides[3];
    affine depth;
} projected_facet;

typedef struct {
    i32 count, is_full;
    polygon list[MAX_POLYGONS];
} subdivision;

DEVICE v2 v2_new(f64 x, f64 y) { v2 a; a.x = x; a.y = y; return a; }
DEVICE f64 affine_at(affine l, v2 p) { return l.x * p.x + l.y * p.y + l.offset; }

DEVICE affine affine_minus(affine a, affine b) {
    affine d;
    d.x = a.x - b.x;
    d.y = a.y - b.y;
    d.offset = a.offset - b.offset;
    d.tolerance = a.tolerance;
    // Depths carry the same tolerance, that of a distance, on both sides.
    return d;
}

// Signed distance to the left of the line from a to b, times |b - a|, which saves a square root.
DEVICE affine left_of(v2 a, v2 b, f64 tolerance) {
    affine l;
    l.x = a.y - b.y;
    l.y = b.x - a.x;
    l.offset = -(l.x * a.x + l.y * a.y);
    // The value is a distance times |b - a|, and so is its tolerance; |x| + |y| bounds the length
    // from above within a factor sqrt(2), without a square root.
    l.tolerance = tolerance * (fabs(l.x) + fabs(l.y));
    return l;
}

// v - 2 (n.v) n: reflection in a plane with the unit normal n.
DEVICE v3 mirrored(v3 v, v3 n) { return v3_add_scaled(v, -2.0 * v3_dot(n, v), n); }

// Mirrors origin and axes of a frame in the plane of a facet.
DEVICE void frame_reflect(const scene *sc, beam_frame *s, i32 facet) {
    v3 n = facet_normal(sc, facet), point = facet_corner(sc, facet, 0);
    s->origin = v3_add(point, mirrored(v3_sub(s->origin, point), n));
    s->u = mirrored(s->u, n);
    s->v = mirrored(s->v, n);
    s->k = mirrored(s->k, n);
}

// The frame after the reflections of a path.
DEVICE beam_frame frame_of(const scene *sc, const wave *w, const i32 *path, i32 bounces, f64 tolerance) {
    beam_frame s;
    s.tolerance = tolerance;
    s.origin = v3_new(0.0, 0.0, 0.0);
    s.u = w->u;
    s.v = w->v;
    s.k = w->k;
    // Rebuilt from the path instead of stored with each beam: a few products per bounce against 12
    // doubles of memory traffic.
    for (i32 m = 0; m < bounces; m++) frame_reflect(sc, &s, path[m]);
    return s;
}

// Path length on the plane of a facet, from n.(o + x u + y v + depth k - corner) = 0.
DEVICE affine depth_of(const scene *sc, const beam_frame *s, i32 facet) {
    v3 n = facet_normal(sc, facet);
    f64 part = 1.0 / v3_dot(n, s->k);
    affine depth;
    depth.x = -part * v3_dot(n, s->u);
    depth.y = -part * v3_dot(n, s->v);
    depth.offset = part * v3_dot(n, v3_sub(facet_corner(sc, facet, 0), s->origin));
    depth.tolerance = s->tolerance;
    return depth;
}

// The ray of a frame at a position of the aperture, on a plane where the path length is `depth`. Each of `bounces` reflections at
// conductors makes the field its mirror image with the opposite sign.
DEVICE ray_differential ray_on(const wave *w, const beam_frame *s, v2 at, affine depth, i32 bounces) {
    ray_differential t;
    t.length = affine_at(depth, at);
    t.direction = s->k;
    t.point = v3_add_scaled(v3_add_scaled(v3_add_scaled(s->origin, at.x, s->u), at.y, s->v), t.length, s->k);
    t.v = v3_add(v3_scale(v3_dot(w->theta, w->u), s->u), v3_scale(v3_dot(w->theta, w->v), s->v));
    if (bounces & 1) t.v = v3_scale(-1.0, t.v);
    t.dpoint[0] = v3_add_scaled(s->u, depth.x, s->k);
    t.dpoint[1] = v3_add_scaled(s->v, depth.y, s->k);
    t.dlength[0] = depth.x;
    t.dlength[1] = depth.y;
    return t;
}

// Whether rays can hit a facet: not edge-on, and not from inside a closed body.
DEVICE i32 is_outer_side(const scene *sc, const beam_frame *s, i32 facet) {
    f64 cosine = v3_dot(facet_normal(sc, facet), s->k);
    return fabs(cosine) >= EDGE_ON && sc->attributes[FACET_ATTRIBUTES * (i64)facet + ATTRIBUTE_OUTSIDE] * cosine <= 0.0;
}

// Corners of a facet in the aperture plane, counterclockwise.
DEVICE void project_corners(const scene *sc, const beam_frame *s, i32 facet, v2 *corners) {
    for (i32 i = 0; i < 3; i++) {
        v3 p = v3_sub(facet_corner(sc, facet, i), s->origin);
        corners[i] = v2_new(v3_dot(s->u, p), v3_dot(s->v, p));
    }
    // Mirror images reverse the orientation: the sign of twice the area decides.
    v2 a = corners[0], b = corners[1], c = corners[2];
    if ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) < 0.0) {
        corners[1] = c;
        corners[2] = b;
    }
}

// Sides and depth of a projected facet; only facets whose corners overlap a beam need them.
DEVICE void project_rest(const scene *sc, const beam_frame *s, i32 facet, projected_facet *f) {
    for (i32 i = 0; i < 3; i++) f->sides[i] = left_of(f->corners[i], f->corners[i == 2 ? 0 : i + 1], s->tolerance);
    f->depth = depth_of(sc, s, facet);
}

// Largest and smallest value over a polygon: affine functions have them at corners.
DEVICE f64 highest(const v2 *corners, i32 count, affine l) {
    f64 most = affine_at(l, corners[0]);
    for (i32 i = 1; i < count; i++) most = fmax(most, affine_at(l, corners[i]));
    return most;
}

DEVICE f64 lowest(const v2 *corners, i32 count, affine l) {
    f64 least = affine_at(l, corners[0]);
    for (i32 i = 1; i < count; i++) least = fmin(least, affine_at(l, corners[i]));
    return least;
}

DEVICE void widen(v2 *low, v2 *high, v2 point) {
    *low = v2_new(fmin(low->x, point.x), fmin(low->y, point.y));
    *high = v2_new(fmax(high->x, point.x), fmax(high->y, point.y));
}

DEVICE void box_of(const polygon *p, v2 *low, v2 *high) {
    *low = *high = p->corners[0];
    for (i32 i = 1; i < p->count; i++) widen(low, high, p->corners[i]);
}

DEVICE f64 area_of(const v2 *corners, i32 count) {
    f64 area = 0.0;
    // Corners relative to the first one: the products cancel less than with absolute coordinates.
    for (i32 i = 1; i + 1 < count; i++)
        // Twice the area of a triangle of the fan.
        area += (corners[i].x - corners[0].x) * (corners[i + 1].y - corners[0].y)
              - (corners[i].y - corners[0].y) * (corners[i + 1].x - corners[0].x);
    return 0.5 * area;
}

// Mean of the corners, which is inside a convex polygon.
DEVICE v2 center_of(const v2 *corners, i32 count) {
    v2 sum = v2_new(0.0, 0.0);
    for (i32 i = 0; i < count; i++) sum = v2_new(sum.x + corners[i].x, sum.y + corners[i].y);
    return v2_new(sum.x / count, sum.y / count);
}

// Whether a polygon does not overlap a facet: a side of one of them separates both (separating axis theorem).
DEVICE i32 is_disjoint(const projected_facet *f, const v2 *corners, i32 count) {
    for (i32 i = 0; i < 3; i++)
        if (highest(corners, count, f->sides[i]) <= f->sides[i].tolerance) return 1;
    for (i32 i = 0; i < count; i++) {
        affine side = left_of(corners[i], corners[i + 1 == count ? 0 : i + 1], f->depth.tolerance);
        // A side of length zero has no direction, and rounding decides that of a very short one: the polygon itself must be on the
        // positive side.
        if ((side.x != 0.0 || side.y != 0.0) && highest(f->corners, 3, side) <= side.tolerance
            && lowest(corners, count, side) >= -side.tolerance)
            return 1;
    }
    return 0;
}

// Splits a polygon by the zero line of a value (I. E. Sutherland, G. W. Hodgman, Comm. ACM 17, 32, 1974): keeps the positive part, the
// other goes to `outside`. Corners where the value is zero within its tolerance belong to both.
DEVICE void split(clip_polygon *p, affine value, clip_polygon *outside) {
    f64 tolerance = value.tolerance;
    i32 count = p->count, inside = 0, other = 0;
    v2 from = p->corners[count - 1], next = p->corners[0];
    f64 before = affine_at(value, from);
    // In place: the next corner is read before it can be overwritten. Rounding can make a polygon slightly concave, with more
    // crossings; they are within the tolerance and dropped.
    for (i32 i = 0; i < count; i++) {
        v2 to = next;
        if (i + 1 < count) next = p->corners[i + 1];
        f64 after = affine_at(value, to);
        // A side crosses the line only if its ends are on opposite sides by more than the
        // tolerance: slivers thinner than rounding are not made.
        if (fmin(before, after) < -tolerance && fmax(before, after) > tolerance) {
            f64 part = before / (before - after);
            v2 crossing = v2_new(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part);
            if (inside <= i + 1 && inside < CLIP_CORNERS) p->corners[inside++] = crossing;
            if (other < CLIP_CORNERS) outside->corners[other++] = crossing;
        }
        if (after >= -tolerance && inside <= i + 1 && inside < CLIP_CORNERS) p->corners[inside++] = to;
        if (after <= tolerance && other < CLIP_CORNERS) outside->corners[other++] = to;
        from = to;
        before = after;
    }
    p->count = inside;
    outside->count = other;
}

DEVICE void add_polygon(subdivision *all, const v2 *corners, i32 count) {
    // A full list is reported, not truncated: the caller then bisects the beam and starts over.
    if (all->count == MAX_POLYGONS) {
        all->is_full = 1;
        return;
    }
    polygon *p = all->list + all->count++;
    p->count = count;
    for (i32 i = 0; i < count; i++) p->corners[i] = corners[i];
}

// Adds a polygon; splits it along a diagonal if it has too many corners.
DEVICE void add_split(subdivision *all, clip_polygon *p) {
    if (p->count <= MAX_CORNERS) {
        add_polygon(all, p->corners, p->count);
        return;
    }
    // Both halves share the diagonal from corner 0 to the
    // middle one, and have fewer corners than the whole.
    i32 middle = p->count / 2;
    add_polygon(all, p->corners, middle + 1);
    p->corners[p->count] = p->corners[0];
    add_polygon(all, p->corners + middle, p->count - middle + 1);
}

// Keeps the part of a polygon on a facet where all values are positive; the rest is added to the subdivision, if there is one.
DEVICE void clip(clip_polygon *p, const projected_facet *f, const affine *values, i32 count, subdivision *rest) {
    clip_polygon outside;
    // One half-plane at a time: the values, then the sides of the facet.
    for (i32 i = 0; i < count + 3 && p->count > 0; i++) {
        affine value = i < count ? values[i] : f->sides[i - count];
        // The whole polygon on one side is the common case, and needs no split.
        if (lowest(p->corners, p->count, value) >= -value.tolerance) continue;
        if (highest(p->corners, p->count, value) <= value.tolerance) {
            if (rest) add_split(rest, p);
            p->count = 0;
            return;
        }
        split(p, value, &outside);
        if (rest && outside.count > 2) add_split(rest, &outside);
        if (p->count < 3) p->count = 0;
    }
}

// Removes the part covered by a facet where all values are positive.
NOINLINE_DEVICE void subtract(subdivision *all, const projected_facet *f, const affine *values, i32 count) {
    // Parts outside the facet are appended while the list is read; they are disjoint from this
    // facet, hence the loop ends at the original count.
    i32 before = all->count, retained = 0;
    for (i32 n = 0; n < before; n++) {
        polygon *own = all->list + n;
        i32 is_free = 0;
        for (i32 i = 0; i < count; i++) is_free |= highest(own->corners, own->count, values[i]) <= values[i].tolerance;
        if (is_free || is_disjoint(f, own->corners, own->count)) continue;
        clip_polygon p;
        p.count = own->count;
        for (i32 i = 0; i < own->count; i++) p.corners[i] = own->corners[i];
        // Marked as removed; what remains of it comes back through `clip`.
        own->count = 0;
        clip(&p, f, values, count, all);
    }
    // Compaction in place: entries move only to lower indices.
    for (i32 n = 0; n < all->count; n++) {
        if (all->list[n].count == 0) continue;
        if (retained != n) all->list[retained] = all->list[n];
        retained++;
    }
    all->count = retained;
}

// Bisects a polygon across the longer side of its bounding box.
DEVICE void bisect_wide(clip_polygon *one, subdivision *all) {
    v2 low = one->corners[0], high = one->corners[0];
    for (i32 i = 1; i < one->count; i++) widen(&low, &high, one->corners[i]);
    i32 wide = high.x - low.x > high.y - low.y;
    affine middle;
    middle.x = wide ? 1.0 : 0.0;
    middle.y = wide ? 0.0 : 1.0;
    middle.offset = -0.5 * (wide ? low.x + high.x : low.y + high.y);
    // Zero: both halves are cut exactly, and corners on the line belong to both.
    middle.tolerance = 0.0;
    clip_polygon other;
    split(one, middle, &other);
    all->count = all->is_full = 0;
    if (one->count > 2) add_split(all, one);
    if (other.count > 2) add_split(all, &other);
}

DEVICE void bisect(const polygon *p, subdivision *all) {
    clip_polygon one;
    one.count = p->count;
    for (i32 i = 0; i < p->count; i++) one.corners[i] = p->corners[i];
    bisect_wide(&one, all);
}

// Whether a beam is too narrow to be clipped: after many bounces, whether it is narrower than a tube.
DEVICE i32 is_narrow(const v2 *corners, i32 count, i32 bounces, f64 narrow_area) {
    return area_of(corners, count) <= (bounces >= DEEP_BOUNCES ? DEEP_AREA : 1.0) * narrow_area;
}

// Position of the i-th of `count` samples that fill a polygon evenly: `Polygon::sample` on the host.
DEVICE v2 sample_of(const polygon *p, i32 i, i32 count) {
    const v2 *c = p->corners;
    if (count == 1) return center_of(c, p->count);
    f64 u = SAMPLE_U * (i + 1), v = SAMPLE_V * (i + 1), left = (u - floor(u)) * area_of(c, p->count), own = 0.0;
    v -= floor(v);
    i32 m = 1;
    for (;; m++) {
        own = 0.5 * ((c[m].x - c[0].x) * (c[m + 1].y - c[0].y) - (c[m].y - c[0].y) * (c[m + 1].x - c[0].x));
        if (m + 2 >= p->count || fabs(left) <= fabs(own)) break;
        left -= own;
    }
    f64 part = sqrt(fmin(fmax(left / own, 0.0), 1.0));
    return v2_new(c[0].x + part * (c[m].x - c[0].x + v * (c[m + 1].x - c[m].x)), c[0].y + part * (c[m].y - c[0].y + v * (c[m + 1].y - c[m].y)));
}
