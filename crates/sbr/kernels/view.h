// Facets as parallel rays see them, and beams that are cut by their sides: crates/sbr/src/cpu/view.rs, polygon.rs and pieces.rs.

// Pieces that a beam may fall into; one that falls into more is halved first.
#define MOST_PIECES 16
// Corners of a polygon while it is cut by a facet's sides and two conditions, and one to close it.
#define CUT_CORNERS (MOST_CORNERS + 6)

typedef struct { f64 x, y; } v2;

// A value that changes evenly over the aperture, and the line where it is zero, within a tolerance.
typedef struct { f64 x, y, offset, tolerance; } linear;

typedef struct {
    i32 count;
    v2 corners[MOST_CORNERS];
} polygon;

// The same with room for cuts.
typedef struct {
    i32 count;
    v2 corners[CUT_CORNERS];
} wide_polygon;

// Parallel rays, unfolded: the aperture's origin and axes, mirrored as often as the rays were.
typedef struct {
    v3 origin, u, v, k;
    // Distance within which two places are one.
    f64 touching;
} view;

typedef struct {
    v2 corners[3];
    linear sides[3];
    linear depth;
} flat;

typedef struct {
    i32 count, too_many;
    polygon list[MOST_PIECES];
} pieces;

DEVICE v2 v2_new(f64 x, f64 y) { v2 a; a.x = x; a.y = y; return a; }
DEVICE f64 linear_at(linear l, v2 p) { return l.x * p.x + l.y * p.y + l.offset; }

DEVICE linear linear_minus(linear a, linear b) {
    linear d;
    d.x = a.x - b.x;
    d.y = a.y - b.y;
    d.offset = a.offset - b.offset;
    d.tolerance = a.tolerance;
    return d;
}

// How far places are to the left of the way from a to b, times its length.
DEVICE linear left_of(v2 a, v2 b, f64 touching) {
    linear l;
    l.x = a.y - b.y;
    l.y = b.x - a.x;
    l.offset = -(l.x * a.x + l.y * a.y);
    l.tolerance = touching * (fabs(l.x) + fabs(l.y));
    return l;
}

DEVICE v3 mirrored(v3 v, v3 n) { return v3_along(v, -2.0 * v3_dot(n, v), n); }

DEVICE view view_of(const scene *sc, const wave *w, const i32 *way, i32 hits, f64 touching) {
    view s;
    s.touching = touching;
    s.origin = v3_new(0.0, 0.0, 0.0);
    s.u = w->u;
    s.v = w->v;
    s.k = w->k;
    for (i32 m = 0; m < hits; m++) {
        v3 n = facet_normal(sc, way[m]), point = facet_corner(sc, way[m], 0);
        s.origin = v3_add(point, mirrored(v3_sub(s.origin, point), n));
        s.u = mirrored(s.u, n);
        s.v = mirrored(s.v, n);
        s.k = mirrored(s.k, n);
    }
    return s;
}

// How long paths are on the plane of a facet.
DEVICE linear depth_of(const scene *sc, const view *s, i32 facet) {
    v3 n = facet_normal(sc, facet);
    f64 part = 1.0 / v3_dot(n, s->k);
    linear depth;
    depth.x = -part * v3_dot(n, s->u);
    depth.y = -part * v3_dot(n, s->v);
    depth.offset = part * v3_dot(n, v3_sub(facet_corner(sc, facet, 0), s->origin));
    depth.tolerance = s->touching;
    return depth;
}

// Whether rays may meet it: not edge on, nor from inside a closed body.
DEVICE i32 faces(const scene *sc, const view *s, i32 facet) {
    f64 across = v3_dot(facet_normal(sc, facet), s->k);
    return fabs(across) >= EDGE_ON && sc->marks[MARKS * (i64)facet + 1] * across <= 0.0;
}

DEVICE void flat_corners(const scene *sc, const view *s, i32 facet, v2 *corners) {
    for (i32 i = 0; i < 3; i++) {
        v3 p = v3_sub(facet_corner(sc, facet, i), s->origin);
        corners[i] = v2_new(v3_dot(s->u, p), v3_dot(s->v, p));
    }
    v2 a = corners[0], b = corners[1], c = corners[2];
    if ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) < 0.0) {
        corners[1] = c;
        corners[2] = b;
    }
}

DEVICE void flat_rest(const scene *sc, const view *s, i32 facet, flat *f) {
    for (i32 i = 0; i < 3; i++) f->sides[i] = left_of(f->corners[i], f->corners[i == 2 ? 0 : i + 1], s->touching);
    f->depth = depth_of(sc, s, facet);
}

DEVICE f64 highest(const v2 *corners, i32 count, linear l) {
    f64 most = linear_at(l, corners[0]);
    for (i32 i = 1; i < count; i++) most = fmax(most, linear_at(l, corners[i]));
    return most;
}

DEVICE f64 lowest(const v2 *corners, i32 count, linear l) {
    f64 least = linear_at(l, corners[0]);
    for (i32 i = 1; i < count; i++) least = fmin(least, linear_at(l, corners[i]));
    return least;
}

DEVICE void widen(v2 *low, v2 *high, v2 place) {
    *low = v2_new(fmin(low->x, place.x), fmin(low->y, place.y));
    *high = v2_new(fmax(high->x, place.x), fmax(high->y, place.y));
}

DEVICE void box_of(const polygon *p, v2 *low, v2 *high) {
    *low = *high = p->corners[0];
    for (i32 i = 1; i < p->count; i++) widen(low, high, p->corners[i]);
}

DEVICE f64 area_of(const v2 *corners, i32 count) {
    f64 area = 0.0;
    for (i32 i = 1; i + 1 < count; i++)
        area += (corners[i].x - corners[0].x) * (corners[i + 1].y - corners[0].y)
              - (corners[i].y - corners[0].y) * (corners[i + 1].x - corners[0].x);
    return 0.5 * area;
}

DEVICE v2 middle_of(const v2 *corners, i32 count) {
    v2 sum = v2_new(0.0, 0.0);
    for (i32 i = 0; i < count; i++) sum = v2_new(sum.x + corners[i].x, sum.y + corners[i].y);
    return v2_new(sum.x / count, sum.y / count);
}

// Whether a polygon is nowhere on a facet.
DEVICE i32 is_beside(const flat *f, const v2 *corners, i32 count) {
    for (i32 i = 0; i < 3; i++)
        if (highest(corners, count, f->sides[i]) <= f->sides[i].tolerance) return 1;
    for (i32 i = 0; i < count; i++) {
        linear side = left_of(corners[i], corners[i + 1 == count ? 0 : i + 1], f->depth.tolerance);
        // A side that is a point has no direction, and one that is almost a point a wrong one.
        if ((side.x != 0.0 || side.y != 0.0) && highest(f->corners, 3, side) <= side.tolerance
            && lowest(corners, count, side) >= -side.tolerance)
            return 1;
    }
    return 0;
}

// Keeps the part where a value is above zero; the other goes to `outside`. Corners where it is zero within its tolerance belong to both.
DEVICE void cut(wide_polygon *p, linear value, wide_polygon *outside) {
    f64 tolerance = value.tolerance;
    i32 count = p->count, inside = 0, other = 0;
    v2 from = p->corners[count - 1], waiting = p->corners[0];
    f64 before = linear_at(value, from);
    // The part that is kept takes the place of the whole: what is read next is read before it is written over. A polygon that rounding
    // has bent might have more corners, by less than the tolerance.
    for (i32 i = 0; i < count; i++) {
        v2 to = waiting;
        if (i + 1 < count) waiting = p->corners[i + 1];
        f64 after = linear_at(value, to);
        if (fmin(before, after) < -tolerance && fmax(before, after) > tolerance) {
            f64 part = before / (before - after);
            v2 crossing = v2_new(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part);
            if (inside <= i + 1 && inside < CUT_CORNERS) p->corners[inside++] = crossing;
            if (other < CUT_CORNERS) outside->corners[other++] = crossing;
        }
        if (after >= -tolerance && inside <= i + 1 && inside < CUT_CORNERS) p->corners[inside++] = to;
        if (after <= tolerance && other < CUT_CORNERS) outside->corners[other++] = to;
        from = to;
        before = after;
    }
    p->count = inside;
    outside->count = other;
}

DEVICE void put_piece(pieces *all, const v2 *corners, i32 count) {
    if (all->count == MOST_PIECES) {
        all->too_many = 1;
        return;
    }
    polygon *p = all->list + all->count++;
    p->count = count;
    for (i32 i = 0; i < count; i++) p->corners[i] = corners[i];
}

// Adds a polygon; one with too many corners in two.
DEVICE void put_pieces(pieces *all, wide_polygon *p) {
    if (p->count <= MOST_CORNERS) {
        put_piece(all, p->corners, p->count);
        return;
    }
    i32 middle = p->count / 2;
    put_piece(all, p->corners, middle + 1);
    p->corners[p->count] = p->corners[0];
    put_piece(all, p->corners + middle, p->count - middle + 1);
}

// Keeps what of a polygon is on a facet where values are above zero, and puts the rest with the pieces, if there are such.
DEVICE void divide(wide_polygon *p, const flat *f, const linear *values, i32 count, pieces *rest) {
    wide_polygon outside;
    for (i32 i = 0; i < count + 3 && p->count > 0; i++) {
        linear value = i < count ? values[i] : f->sides[i - count];
        if (lowest(p->corners, p->count, value) >= -value.tolerance) continue;
        if (highest(p->corners, p->count, value) <= value.tolerance) {
            if (rest) put_pieces(rest, p);
            p->count = 0;
            return;
        }
        cut(p, value, &outside);
        if (rest && outside.count > 2) put_pieces(rest, &outside);
        if (p->count < 3) p->count = 0;
    }
}

// Keeps what is not on a facet where values are above zero.
LONG_DEVICE void subtract(pieces *all, const flat *f, const linear *values, i32 count) {
    i32 before = all->count, kept = 0;
    for (i32 n = 0; n < before; n++) {
        polygon *own = all->list + n;
        i32 is_free = 0;
        for (i32 i = 0; i < count; i++) is_free |= highest(own->corners, own->count, values[i]) <= values[i].tolerance;
        if (is_free || is_beside(f, own->corners, own->count)) continue;
        wide_polygon p;
        p.count = own->count;
        for (i32 i = 0; i < own->count; i++) p.corners[i] = own->corners[i];
        own->count = 0;
        divide(&p, f, values, count, all);
    }
    for (i32 n = 0; n < all->count; n++) {
        if (all->list[n].count == 0) continue;
        if (kept != n) all->list[kept] = all->list[n];
        kept++;
    }
    all->count = kept;
}
