// Where the ways of rays part: crates/sbr/src/cpu/cut.rs.

#define FACETS_CROSSED 16
#define FLAT 1e-9
#define SMOOTH_SINE 0.5
#define STRAIGHT 1e-3
#define SAME_EDGE 1e-7
#define BY_PATCHES 0
#define BY_FACETS 1

// What all that follow need.
typedef struct {
    scene sc;
    wave w;
    f64 width;
} shot;

// A corner of a polygon: its place, and which ray of the pool goes its way.
typedef struct {
    f64 at[2];
    i32 of;
} corner;

typedef struct {
    i32 count;
    corner corners[MOST_CORNERS];
} piece;

DEVICE u32 way_of(const ray *r, i32 by) { return by == BY_PATCHES ? r->patches : r->facets; }

DEVICE void ray_copy(ray *to, const ray *from) {
    to->at[0] = from->at[0];
    to->at[1] = from->at[1];
    to->patches = from->patches;
    to->facets = from->facets;
    to->hits = from->hits;
    for (i32 m = 0; m < from->hits; m++) to->way[m] = from->way[m];
}

// Where a ray that is moved leaves its facet: as a part of the way to the other ray, the normal of the edge in the aperture, the
// length of the path and its change over the whole way, the facet, what is beyond, and whether that is more of the same patch.
typedef struct {
    f64 at, normal[2], depth[2];
    i32 facet, beyond, goes_on;
} facet_end;

// The first bounce that tells two rays apart.
DEVICE i32 first_difference(const shot *s, const ray *a, const ray *b, i32 by) {
    i32 bounce = 0;
    for (; bounce < a->hits && bounce < b->hits; bounce++) {
        i32 f = a->way[bounce], g = b->way[bounce];
        if (by == BY_FACETS ? f != g : s->sc.marks[MARKS * (i64)f] != s->sc.marks[MARKS * (i64)g]) break;
    }
    return bounce;
}

// Where a ray, moved by so much in the aperture, leaves the triangle of a facet.
LONG_DEVICE i32 end_of_facet(const scene *sc, trail tr, i32 facet, f64 x, f64 y, facet_end *end) {
    v3 k = tr.direction, n = facet_normal(sc, facet);
    i32 found = 0;
    trail_bounce(sc, &tr, facet);
    v3 motion = v3_along(v3_scale(x, tr.across[0]), y, tr.across[1]);
    for (i32 i = 0; i < 3; i++) {
        v3 a = facet_corner(sc, facet, i), b = facet_corner(sc, facet, (i + 1) % 3);
        v3 inwards = v3_cross(n, v3_sub(b, a));
        f64 approach = -v3_dot(motion, inwards);
        f64 nx = v3_dot(tr.across[0], inwards), ny = v3_dot(tr.across[1], inwards), size = sqrt(nx * nx + ny * ny);
        if (!(approach > 0.0) || !(size > 0.0)) continue;
        f64 at = v3_dot(v3_sub(tr.point, a), inwards) / approach;
        if (found && at >= end->at) continue;
        found = 1;
        end->at = at;
        end->normal[0] = nx / size;
        end->normal[1] = ny / size;
        end->beyond = sc->marks[MARKS * (i64)facet + 2 + i];
    }
    if (!found) return 0;
    end->facet = facet;
    end->goes_on = 0;
    if (end->beyond >= 0 && sc->marks[MARKS * (i64)end->beyond] == sc->marks[MARKS * (i64)facet])
        end->goes_on = (v3_dot(k, n) < 0.0) == (v3_dot(k, facet_normal(sc, end->beyond)) < 0.0);
    end->depth[0] = tr.length;
    end->depth[1] = x * tr.longer[0] + y * tr.longer[1];
    return 1;
}

// Where `inside`, on its way towards `outside`, leaves the surface that it met at this bounce; zero if it met none.
DEVICE i32 end_of_surface(const shot *s, const ray *inside, const ray *outside, i32 bounce, i32 by, facet_end *end) {
    if (bounce >= inside->hits) return 0;
    trail before = trail_of(&s->sc, &s->w, s->width, inside->at, inside->way, bounce);
    f64 x = s->width * (outside->at[0] - inside->at[0]), y = s->width * (outside->at[1] - inside->at[1]);
    if (!end_of_facet(&s->sc, before, inside->way[bounce], x, y, end)) return 0;
    for (i32 i = 1; i < FACETS_CROSSED; i++) {
        if (!end->goes_on || by == BY_FACETS) break;
        // Off a plane rays go on as before; off a curved surface later bounces are another matter.
        v3 turn = v3_cross(facet_normal(&s->sc, end->facet), facet_normal(&s->sc, end->beyond));
        f64 may_turn = inside->hits > bounce + 1 ? FLAT : SMOOTH_SINE;
        if (!(v3_dot(turn, turn) <= may_turn * may_turn)) break;
        if (!end_of_facet(&s->sc, before, end->beyond, x, y, end)) return 0;
    }
    if (by == BY_FACETS) end->goes_on = 0;
    return 1;
}

// A ray that met another facet of the same surface at its last bounce; at an earlier one it stays as it is, in the same plane.
DEVICE void put_on_facet(ray *r, i32 bounce, i32 facet) {
    if (r->way[bounce] == facet || r->hits > bounce + 1) return;
    r->way[bounce] = facet;
    r->facets = 0u;
    for (i32 m = 0; m <= bounce; m++) r->facets = extended(r->facets, (u32)r->way[m]);
}

// Whether the way between two points on the plane of a facet, the first within it, stays on facets in that plane.
LONG_DEVICE i32 stays_in_plane(const scene *sc, i32 facet, v3 from, v3 to) {
    v3 normal = facet_normal(sc, facet);
    for (i32 step_ = 0; step_ < FACETS_CROSSED; step_++) {
        f64 at = 2.0;
        i32 next = NO_FACET;
        v3 n = facet_normal(sc, facet);
        for (i32 i = 0; i < 3; i++) {
            v3 a = facet_corner(sc, facet, i), b = facet_corner(sc, facet, (i + 1) % 3);
            v3 inwards = v3_cross(n, v3_sub(b, a));
            f64 approach = v3_dot(v3_sub(from, to), inwards);
            if (!(approach > 0.0)) continue;
            f64 t = v3_dot(v3_sub(from, a), inwards) / approach;
            if (t < at) {
                at = t;
                next = sc->marks[MARKS * (i64)facet + 2 + i];
            }
        }
        if (at >= 1.0 - SAME_EDGE) return 1;
        if (next < 0) return 0;
        v3 turn = v3_cross(facet_normal(sc, next), normal);
        if (!(v3_dot(turn, turn) < FLAT * FLAT)) return 0;
        facet = next;
    }
    return 0;
}

// Whether a ray, moved elsewhere, still meets the planes that it met after a bounce within their facets.
DEVICE i32 holds(const shot *s, const ray *r, const f64 *place, i32 bounce) {
    trail here = trail_new(&s->w, s->width, r->at), there = trail_new(&s->w, s->width, place);
    for (i32 m = 0; m < r->hits; m++) {
        trail_bounce(&s->sc, &here, r->way[m]);
        trail_bounce(&s->sc, &there, r->way[m]);
        if (m > bounce && !stays_in_plane(&s->sc, r->way[m], here.point, there.point)) return 0;
    }
    return 1;
}

// The place between two rays where their ways part; zero if edges do not tell it. `end` and `start` become the two rays, moved there.
LONG_DEVICE i32 parting(const shot *s, const ray *a, const ray *b, i32 by, ray *end, ray *start, f64 *normal) {
    i32 bounce = first_difference(s, a, b, by);
    facet_end own, other;
    i32 has_own = end_of_surface(s, a, b, bounce, by, &own), has_other = end_of_surface(s, b, a, bounce, by, &other);
    if (!has_own && !has_other) return 0;
    if (has_other) other.at = 1.0 - other.at;
    i32 takes_own = has_own;
    if (has_own && has_other && !(fabs(own.at - other.at) < SAME_EDGE)) {
        // One is before the other where both are; between them where neither is there is something else.
        if (!(own.at > other.at)) return 0;
        f64 middle = 0.5 * (own.at + other.at);
        takes_own = own.depth[0] + middle * own.depth[1] < other.depth[0] + (1.0 - middle) * other.depth[1];
    }
    facet_end *last = takes_own ? &own : &other;
    if (last->goes_on || !(last->at > 0.0 && last->at < 1.0)) return 0;
    f64 place[2];
    for (i32 axis = 0; axis < 2; axis++) place[axis] = a->at[axis] + last->at * (b->at[axis] - a->at[axis]);
    if (!holds(s, a, place, bounce) || !holds(s, b, place, bounce)) return 0;
    ray_copy(end, a);
    ray_copy(start, b);
    if (has_own) put_on_facet(end, bounce, own.facet);
    if (has_other) put_on_facet(start, bounce, other.facet);
    for (i32 axis = 0; axis < 2; axis++) {
        normal[axis] = last->normal[axis];
        end->at[axis] = start->at[axis] = place[axis];
    }
    return 1;
}

DEVICE void piece_push(piece *p, const f64 *at, i32 of) {
    if (p->count >= MOST_CORNERS) return;
    p->corners[p->count].at[0] = at[0];
    p->corners[p->count].at[1] = at[1];
    p->corners[p->count].of = of;
    p->count++;
}

// Cuts a tube whose corners, the first four of the pool, go two ways. Zero if edges do not tell where.
LONG_DEVICE i32 cut(const shot *s, ray *pool, i32 by, piece *pieces) {
    u32 first = way_of(pool, by);
    pieces[0].count = pieces[1].count = 0;
    f64 normals[4], places[4];
    i32 seen = 0;
    for (i32 i = 0; i < 4; i++) {
        const ray *a = pool + i, *b = pool + (i + 1) % 4;
        i32 own = way_of(a, by) != first;
        piece_push(pieces + own, a->at, i);
        if (way_of(a, by) == way_of(b, by)) continue;
        // Ways that change four times are not cut in two.
        if (seen == 2) return 0;
        ray *end = pool + 4 + 2 * seen, *start = pool + 5 + 2 * seen;
        if (!parting(s, a, b, by, end, start, normals + 2 * seen)) return 0;
        places[2 * seen] = end->at[0];
        places[2 * seen + 1] = end->at[1];
        piece_push(pieces + own, end->at, 4 + 2 * seen);
        if (seen == 1) {
            f64 lx = places[2] - places[0], ly = places[3] - places[1], size = hypot(lx, ly);
            f64 n_line = normals[0] * lx + normals[1] * ly, m_line = normals[2] * lx + normals[3] * ly;
            if (!(fmax(fabs(n_line), fabs(m_line)) < STRAIGHT * size)) {
                // Along the first edge to where it meets the second.
                f64 ax = -normals[1], ay = normals[0];
                f64 t = m_line / (normals[2] * ax + normals[3] * ay), apex[2];
                apex[0] = places[0] + t * ax;
                apex[1] = places[1] + t * ay;
                i32 within = apex[0] >= pool[0].at[0] && apex[0] <= pool[2].at[0] && apex[1] >= pool[0].at[1] &&
                             apex[1] <= pool[2].at[1];
                if (!within) return 0;
                piece_push(pieces + own, apex, 4 + 2 * seen);
                piece_push(pieces + 1 - own, apex, 5 + 2 * seen);
            }
        }
        piece_push(pieces + 1 - own, start->at, 5 + 2 * seen);
        seen++;
    }
    return seen == 2;
}
