// Where the ways of rays part: crates/sbr/src/cpu/cut.rs.

#define ASIDE 1e-3
#define ROUNDINGS 4.0
#define FACETS_CROSSED 4
#define HALVINGS 8
#define STRAIGHT 1e-3
#define SAME_EDGE 1e-7
#define BY_PATCHES 0
#define BY_FACETS 1
#define NOTHING_FOUND 0
#define PARTING_FOUND 1
#define THIRD_FOUND 2

// What all that follow need.
typedef struct {
    scene sc;
    wave w;
    f64 width;
    // Rays shot, and whether more may be.
    i32 rays, may_shoot;
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

DEVICE void shoot_between(shot *s, const ray *a, const ray *b, f64 t, ray *r) {
    s->rays++;
    shoot(&s->sc, &s->w, s->width, a->at[0] + t * (b->at[0] - a->at[0]), a->at[1] + t * (b->at[1] - a->at[1]), r);
}

// Where a ray that is moved leaves its facet: as a part of the way to the other ray, the normal of the edge in the aperture, the
// length of the path and its change over the whole way, and whether more of the same patch lies beyond.
typedef struct {
    f64 at, normal[2], depth[2];
    i32 goes_on;
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

// Where `inside`, on its way towards `outside`, leaves the facet that it met at this bounce; zero if it met none.
LONG_DEVICE i32 end_of_facet(const shot *s, const ray *inside, const ray *outside, i32 bounce, facet_end *end) {
    if (bounce >= inside->hits) return 0;
    trail tr = trail_of(&s->sc, &s->w, s->width, inside->at, inside->way, bounce);
    v3 k = tr.direction;
    i32 facet = inside->way[bounce], found = 0;
    trail_bounce(&s->sc, &tr, facet);
    v3 n = facet_normal(&s->sc, facet);
    f64 x = s->width * (outside->at[0] - inside->at[0]), y = s->width * (outside->at[1] - inside->at[1]);
    v3 motion = v3_along(v3_scale(x, tr.across[0]), y, tr.across[1]);
    for (i32 i = 0; i < 3; i++) {
        v3 a = facet_corner(&s->sc, facet, i), b = facet_corner(&s->sc, facet, (i + 1) % 3);
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
        GLOBAL const i32 *marks = s->sc.marks + MARKS * (i64)facet;
        i32 beyond = marks[2 + i];
        end->goes_on = 0;
        if (beyond >= 0 && s->sc.marks[MARKS * (i64)beyond] == marks[0])
            end->goes_on = (v3_dot(k, n) < 0.0) == (v3_dot(k, facet_normal(&s->sc, beyond)) < 0.0);
    }
    end->depth[0] = tr.length;
    end->depth[1] = x * tr.longer[0] + y * tr.longer[1];
    return found;
}

// The parting, where edges alone tell it: `end` and `start` are the two rays, moved there.
LONG_DEVICE i32 known_parting(const shot *s, const ray *a, const ray *b, i32 by, ray *end, ray *start, f64 *normal) {
    i32 bounce = first_difference(s, a, b, by);
    // Later bounces may part the ways elsewhere.
    if (a->hits > bounce + 1 || b->hits > bounce + 1) return 0;
    facet_end own, other;
    i32 has_own = end_of_facet(s, a, b, bounce, &own), has_other = end_of_facet(s, b, a, bounce, &other);
    if (!has_own && !has_other) return 0;
    if (has_other) other.at = 1.0 - other.at;
    i32 takes_own = has_own, is_last = 0;
    if (has_own && has_other) {
        if (fabs(own.at - other.at) < SAME_EDGE) {
            is_last = 1;
        } else if (own.at > other.at) {
            // One is before the other where both are.
            f64 middle = 0.5 * (own.at + other.at);
            takes_own = own.depth[0] + middle * own.depth[1] < other.depth[0] + (1.0 - middle) * other.depth[1];
        } else {
            return 0;
        }
    }
    facet_end *last = takes_own ? &own : &other;
    if (!is_last && by == BY_PATCHES && last->goes_on) return 0;
    if (!(last->at > 0.0 && last->at < 1.0)) return 0;
    ray_copy(end, a);
    ray_copy(start, b);
    for (i32 axis = 0; axis < 2; axis++) {
        normal[axis] = last->normal[axis];
        end->at[axis] = start->at[axis] = a->at[axis] + last->at * (b->at[axis] - a->at[axis]);
    }
    return 1;
}

// From `inside` over the facets of its way to where the way of `outside` begins. `end` and `start` then go the two ways at that place.
LONG_DEVICE i32 walk(shot *s, ray *inside, ray *outside, i32 by, ray *end, ray *start, f64 *normal) {
    u32 own = way_of(inside, by), other = way_of(outside, by);
    for (i32 step_ = 0; step_ < FACETS_CROSSED; step_++) {
        f64 apart = hypot(inside->at[0] - outside->at[0], inside->at[1] - outside->at[1]);
        f64 aside = fmax(ASIDE, ROUNDINGS * s->sc.nearest / (s->width * apart));
        facet_end edge;
        if (!end_of_facet(s, inside, outside, first_difference(s, inside, outside, by), &edge)) return NOTHING_FOUND;
        f64 t = edge.at;
        normal[0] = edge.normal[0];
        normal[1] = edge.normal[1];
        if (!(t + aside < 1.0 && t - aside > 0.0)) return NOTHING_FOUND;
        shoot_between(s, inside, outside, t + aside, start);
        if (way_of(start, by) == own) {
            ray_copy(inside, start);
            continue;
        }
        if (way_of(start, by) != other) return THIRD_FOUND;
        shoot_between(s, inside, outside, t - aside, end);
        if (way_of(end, by) == own) {
            for (i32 axis = 0; axis < 2; axis++)
                end->at[axis] = start->at[axis] = inside->at[axis] + t * (outside->at[axis] - inside->at[axis]);
            return PARTING_FOUND;
        }
        if (way_of(end, by) != other) return THIRD_FOUND;
        ray_copy(outside, end);
        return NOTHING_FOUND;
    }
    return NOTHING_FOUND;
}

// The place between two rays where their ways part; zero if there is a third way between them. `known` tells whether the edge is.
LONG_DEVICE i32 parting(shot *s, const ray *a, const ray *b, i32 by, ray *end, ray *start, f64 *normal, i32 *known) {
    *known = 1;
    if (known_parting(s, a, b, by, end, start, normal)) return 1;
    if (!s->may_shoot) return 0;
    ray inside, outside;
    ray_copy(&inside, a);
    ray_copy(&outside, b);
    i32 found = walk(s, &inside, &outside, by, end, start, normal);
    if (found == NOTHING_FOUND) found = walk(s, &outside, &inside, by, start, end, normal);
    if (found != NOTHING_FOUND) return found == PARTING_FOUND;
    *known = 0;
    for (i32 i = 0; i < HALVINGS; i++) {
        shoot_between(s, &inside, &outside, 0.5, end);
        if (way_of(end, by) == way_of(a, by)) ray_copy(&inside, end);
        else if (way_of(end, by) == way_of(b, by)) ray_copy(&outside, end);
        else return 0;
    }
    ray_copy(end, &inside);
    ray_copy(start, &outside);
    return 1;
}

DEVICE void piece_push(piece *p, const f64 *at, i32 of) {
    if (p->count >= MOST_CORNERS) return;
    p->corners[p->count].at[0] = at[0];
    p->corners[p->count].at[1] = at[1];
    p->corners[p->count].of = of;
    p->count++;
}

// Cuts a tube whose corners, the first four of the pool, go two ways. Zero if there is a third way.
LONG_DEVICE i32 cut(shot *s, ray *pool, i32 by, piece *pieces) {
    u32 first = way_of(pool, by);
    pieces[0].count = pieces[1].count = 0;
    f64 normals[4], places[4];
    i32 known[2], seen = 0;
    for (i32 i = 0; i < 4; i++) {
        const ray *a = pool + i, *b = pool + (i + 1) % 4;
        i32 own = way_of(a, by) != first;
        piece_push(pieces + own, a->at, i);
        if (way_of(a, by) == way_of(b, by)) continue;
        if (seen == 2) return 0;
        ray *end = pool + 4 + 2 * seen, *start = pool + 5 + 2 * seen;
        if (!parting(s, a, b, by, end, start, normals + 2 * seen, known + seen)) return 0;
        places[2 * seen] = end->at[0];
        places[2 * seen + 1] = end->at[1];
        piece_push(pieces + own, end->at, 4 + 2 * seen);
        if (seen == 1 && known[0] && known[1]) {
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
