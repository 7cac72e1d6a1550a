// Beams on a GPU: the plan of crates/sbr/src/cpu/beams.rs, with queues in place of its recursion.
//
// A beam is a record: 16 numbers for its corners; its look, the facet that it is on the way to or -1, bounces and corners; and the facets
// that it met. Beams are taken from one queue and put into another, until none are left; those that are too narrow to be cut, and those
// that leave the target, wait in queues of their own for the end.

// The dialect's own switches: BOUNCES, WAVES (frequencies), RECEIVERS (per look), WEIGHT_E, WEIGHT_H; SHADOW, LOSSY and HOT_SPOTS where
// they apply.

#define TAGS (4 + BOUNCES)
// Facets in the way of a beam, and facets that are looked at: one with more of them is halved.
#define MOST_MET 24
#define MOST_SEEN 64
// Facets that are found before they are looked at.
#define FOUND 16
#define NEXT 0
#define NARROW 1
#define EXITS 2

typedef struct {
    GLOBAL f64 *corners;
    GLOBAL i32 *tags;
    GLOBAL i32 *count;
    i64 capacity;
} queue;

typedef struct {
    i32 look, target, hits;
    i32 way[BOUNCES];
    polygon shape;
} beam;

DEVICE beam beam_at(GLOBAL const f64 *corners, GLOBAL const i32 *tags, i64 n) {
    beam b;
    tags += TAGS * n;
    corners += 2 * MOST_CORNERS * n;
    b.look = tags[0];
    b.target = tags[1];
    b.hits = tags[2];
    b.shape.count = tags[3];
    for (i32 m = 0; m < b.hits; m++) b.way[m] = tags[4 + m];
    for (i32 i = 0; i < b.shape.count; i++) b.shape.corners[i] = v2_new(corners[2 * i], corners[2 * i + 1]);
    return b;
}

// Adds a polygon of a beam that met one facet more, or none (-1). What does not fit is counted all the same.
DEVICE void put_beam(queue q, const beam *b, i32 met, i32 target, const v2 *corners, i32 count) {
    i64 place = ATOMIC_ADD_I32(q.count, 1);
    if (place >= q.capacity) return;
    GLOBAL i32 *tags = q.tags + TAGS * place;
    GLOBAL f64 *numbers = q.corners + 2 * MOST_CORNERS * place;
    tags[0] = b->look;
    tags[1] = target;
    tags[2] = b->hits + (met >= 0 ? 1 : 0);
    tags[3] = count;
    for (i32 m = 0; m < b->hits; m++) tags[4 + m] = b->way[m];
    if (met >= 0) tags[4 + b->hits] = met;
    for (i32 i = 0; i < count; i++) {
        numbers[2 * i] = corners[i].x;
        numbers[2 * i + 1] = corners[i].y;
    }
}

#define QUEUE(q, name, place)                                                                                \
    queue q; q.corners = name##_corners; q.tags = name##_tags; q.count = counts + place; q.capacity = name##_capacity

// The facets that the wave falls on, from item `first` of all looks' facets on.
KERNEL begin(
    GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *marks,
    GLOBAL const i32 *kd_tags, GLOBAL const f32 *kd_numbers, f64 nearest, f64 back, GLOBAL const f64 *waves, i32 facet_count,
    i64 first, i64 items, f64 narrow_area, GLOBAL f64 *next_corners, GLOBAL i32 *next_tags, i64 next_capacity,
    GLOBAL f64 *narrow_corners, GLOBAL i32 *narrow_tags, i64 narrow_capacity, GLOBAL i32 *counts) {
    i64 item = first + GLOBAL_ID(0);
    if (GLOBAL_ID(0) >= items) return;
    scene sc;
    SCENE(sc);
    QUEUE(next, next, NEXT);
    QUEUE(narrow, narrow, NARROW);
    beam b;
    b.look = (i32)(item / facet_count);
    b.hits = 0;
    i32 facet = (i32)(item % facet_count);
    wave w = wave_at(waves, b.look);
    view s = view_of(&sc, &w, b.way, 0, 0.0);
    if (!faces(&sc, &s, facet)) return;
    v2 corners[3];
    flat_corners(&sc, &s, facet, corners);
    put_beam(area_of(corners, 3) <= narrow_area ? narrow : next, &b, -1, facet, corners, 3);
}

// A beam as the boxes see it: three axes, and bounds along each, with room for rounding.
typedef struct {
    f32 axes[3][3];
    f32 low[3], high[3];
} slabs;

DEVICE slabs slabs_of(const view *s, v2 low, v2 high, f64 nearest, f64 farthest, f64 slack) {
    slabs b;
    v3 axes[3];
    axes[0] = s->u;
    axes[1] = s->v;
    axes[2] = s->k;
    f64 from[3], to[3];
    from[0] = low.x;
    from[1] = low.y;
    from[2] = nearest;
    to[0] = high.x;
    to[1] = high.y;
    to[2] = farthest;
    for (i32 a = 0; a < 3; a++) {
        f64 origin = v3_dot(axes[a], s->origin);
        b.axes[a][0] = (f32)axes[a].x;
        b.axes[a][1] = (f32)axes[a].y;
        b.axes[a][2] = (f32)axes[a].z;
        b.low[a] = (f32)(from[a] + origin - slack);
        b.high[a] = (f32)(to[a] + origin + slack);
    }
    return b;
}

// Which children of a node are between the bounds, a bit for each, and where they begin along the rays.
DEVICE u32 boxes_between(GLOBAL const u32 *node, const slabs *b, f32 *begins) {
    GLOBAL const f32 *numbers = (GLOBAL const f32 *)node;
    i32 children = (i32)node[26];
    u32 found = 0u;
    f32 base[3], steps[3][3];
    UNROLL
    for (i32 a = 0; a < 3; a++) {
        base[a] = 0.0f;
        UNROLL
        for (i32 x = 0; x < 3; x++) {
            base[a] += b->axes[a][x] * numbers[x];
            steps[a][x] = b->axes[a][x] * numbers[3 + x];
        }
    }
    for (i32 i = 0; i < children; i++) {
        f32 low[3], high[3];
        UNROLL
        for (i32 x = 0; x < 3; x++) {
            low[x] = plane_of(node, x, i);
            high[x] = plane_of(node, x + 3, i);
        }
        i32 between = 1;
        f32 begin = 0.0f;
        UNROLL
        for (i32 a = 0; a < 3; a++) {
            f32 end = base[a];
            begin = base[a];
            UNROLL
            for (i32 x = 0; x < 3; x++) {
                begin += steps[a][x] * (steps[a][x] < 0.0f ? high[x] : low[x]);
                end += steps[a][x] * (steps[a][x] < 0.0f ? low[x] : high[x]);
            }
            between &= begin <= b->high[a] && end >= b->low[a];
        }
        begins[i] = begin;
        if (between) found |= 1u << i;
    }
    return found;
}

// What is left of a beam, and what is in its way.
typedef struct {
    const scene *sc;
    const view *s;
    const beam *b;
    // The box around it, and depths between which facets are in its way.
    v2 low, high;
    f64 from, to;
    // Paths on the facet that it left, and on the one that it is on its way to.
    linear left, goal;
    pieces all;
    i32 met_count;
    i32 met[MOST_MET];
} passage;

// Whether a facet may be in the way: by its box.
DEVICE i32 may_pass(const passage *p, i32 facet) {
    if (facet == p->b->target || !faces(p->sc, p->s, facet)) return 0;
    f64 low[3], high[3];
    for (i32 i = 0; i < 3; i++) {
        v3 corner = v3_sub(facet_corner(p->sc, facet, i), p->s->origin);
        f64 x = v3_dot(p->s->u, corner), y = v3_dot(p->s->v, corner), z = v3_dot(p->s->k, corner);
        low[0] = i == 0 ? x : fmin(low[0], x);
        low[1] = i == 0 ? y : fmin(low[1], y);
        low[2] = i == 0 ? z : fmin(low[2], z);
        high[0] = i == 0 ? x : fmax(high[0], x);
        high[1] = i == 0 ? y : fmax(high[1], y);
        high[2] = i == 0 ? z : fmax(high[2], z);
    }
    return low[0] < p->high.x && high[0] > p->low.x && low[1] < p->high.y && high[1] > p->low.y && low[2] < p->to && high[2] > p->from;
}

// A facet in the way; `deepest` is for those that have covered some of the beam.
DEVICE void pass(passage *p, i32 facet, f64 *deepest) {
    flat f;
    flat_corners(p->sc, p->s, facet, f.corners);
    flat_rest(p->sc, p->s, facet, &f);
    linear values[2];
    i32 conditions = 1;
    if (p->b->target >= 0) {
        values[0] = linear_minus(p->goal, f.depth);
        // Of two in one place the first is seen.
        if (facet < p->b->target) values[0].offset += 2.0 * p->s->touching;
        values[1] = linear_minus(f.depth, p->left);
        if (p->b->hits > 0) conditions = 2;
    } else {
        const polygon *own = &p->b->shape;
        values[0] = linear_minus(f.depth, p->left);
        if (highest(own->corners, own->count, values[0]) <= values[0].tolerance || is_beside(&f, own->corners, own->count)) return;
        if (p->met_count == MOST_MET) {
            p->all.too_many = 1;
            return;
        }
        p->met[p->met_count++] = facet;
        if (p->all.count > 0) *deepest = fmax(*deepest, highest(f.corners, 3, f.depth));
    }
    subtract(&p->all, &f, values, conditions);
}

// All facets in the way of a beam. Some are found before they are looked at one by one, so that the items of a warp do the same.
DEVICE void search(passage *p, slabs *b, f64 slack) {
    const scene *sc = p->sc;
    u32 waiting[STACK];
    f32 enters[STACK], begins[8];
    i32 found[FOUND];
    i32 count = 1, pending = 0, left = p->b->hits > 0 ? p->b->way[p->b->hits - 1] : NO_FACET;
    f64 origin = v3_dot(p->s->k, p->s->origin), deepest = -FAR;
    waiting[0] = 0u;
    enters[0] = -FAR;
    for (i32 seen = 0; count > 0; seen += pending, pending = 0) {
        while (count > 0 && pending <= FOUND - LEAF_FACETS) {
            count--;
            u32 child = waiting[count];
            if (enters[count] > b->high[2]) continue;
            if (child & LEAF_BIT) {
                GLOBAL const i32 *leaf = sc->leaves + LEAF_FACETS * (i64)(child & ~LEAF_BIT);
                for (i32 i = 0; i < LEAF_FACETS; i++) {
                    i32 facet = leaf[i];
                    if (facet < 0) break;
                    if (facet != left && may_pass(p, facet)) found[pending++] = facet;
                }
                continue;
            }
            GLOBAL const u32 *node = sc->nodes + NODE_WORDS * (i64)child;
            u32 boxes = boxes_between(node, b, begins);
            // The nearest goes on top, the others below it as they come.
            i32 best = -1;
            for (i32 i = 0; i < 8; i++)
                if ((boxes >> i) & 1u && (best < 0 || begins[i] < begins[best])) best = i;
            for (i32 i = 0; i < 8; i++)
                if ((boxes >> i) & 1u && i != best && count < STACK - 1) {
                    enters[count] = begins[i];
                    waiting[count++] = node[18 + i];
                }
            if (best >= 0) {
                enters[count] = begins[best];
                waiting[count++] = node[18 + best];
            }
        }
        for (i32 i = 0; i < pending && !p->all.too_many && (p->all.count > 0 || p->b->target < 0); i++) pass(p, found[i], &deepest);
        if (seen > MOST_SEEN) p->all.too_many = 1;
        if (p->all.too_many || (p->all.count == 0 && p->b->target >= 0)) return;
        if (p->all.count == 0) {
            // What is behind all that cover the beam is not in its way.
            p->to = deepest;
            b->high[2] = (f32)(deepest + origin + slack);
        }
    }
}

// Cuts a polygon in two, across the longer side of the box around it.
DEVICE void halve(const polygon *p, pieces *all) {
    v2 low, high;
    wide_polygon one, other;
    box_of(p, &low, &high);
    one.count = p->count;
    for (i32 i = 0; i < p->count; i++) one.corners[i] = p->corners[i];
    i32 wide = high.x - low.x > high.y - low.y;
    linear middle;
    middle.x = wide ? 1.0 : 0.0;
    middle.y = wide ? 0.0 : 1.0;
    middle.tolerance = 0.0;
    middle.offset = -0.5 * (wide ? low.x + high.x : low.y + high.y);
    cut(&one, middle, &other);
    all->count = all->too_many = 0;
    if (one.count > 2) put_pieces(all, &one);
    if (other.count > 2) put_pieces(all, &other);
}

// One beam after another: on a facet what others before it let through is mirrored; off one, what meets no other leaves the target.
KERNEL advance(
    GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *marks,
    GLOBAL const i32 *kd_tags, GLOBAL const f32 *kd_numbers, f64 nearest, f64 back, GLOBAL const f64 *waves, f64 touching,
    f64 slack, f64 narrow_area, GLOBAL const f64 *corners, GLOBAL const i32 *tags, i32 items, GLOBAL f64 *next_corners,
    GLOBAL i32 *next_tags, i64 next_capacity, GLOBAL f64 *narrow_corners, GLOBAL i32 *narrow_tags, i64 narrow_capacity,
    GLOBAL f64 *exits_corners, GLOBAL i32 *exits_tags, i64 exits_capacity, GLOBAL i32 *counts, GLOBAL i64 *sums) {
    i64 item = GLOBAL_ID(0);
    if (item >= items) return;
    scene sc;
    SCENE(sc);
    QUEUE(next, next, NEXT);
    QUEUE(narrow, narrow, NARROW);
    QUEUE(exits, exits, EXITS);
    beam b = beam_at(corners, tags, item);
    count_up(b.look, 1, 0.0, 0.0, sums);
    wave w = wave_at(waves, b.look);
    view s = view_of(&sc, &w, b.way, b.hits, touching);
    passage p;
    p.sc = &sc;
    p.s = &s;
    p.b = &b;
    p.all.count = p.all.too_many = p.met_count = 0;
    box_of(&b.shape, &p.low, &p.high);
    p.from = -FAR;
    p.to = FAR;
    if (b.hits > 0) {
        p.left = depth_of(&sc, &s, b.way[b.hits - 1]);
        p.from = lowest(b.shape.corners, b.shape.count, p.left);
    }
    if (b.target >= 0) {
        p.goal = depth_of(&sc, &s, b.target);
        p.to = highest(b.shape.corners, b.shape.count, p.goal);
    }
    put_piece(&p.all, b.shape.corners, b.shape.count);
    slabs bounds = slabs_of(&s, p.low, p.high, p.from, p.to, slack);
    search(&p, &bounds, slack);
    if (p.all.too_many) {
        halve(&b.shape, &p.all);
        for (i32 i = 0; i < p.all.count; i++) {
            const polygon *part = p.all.list + i;
            put_beam(area_of(part->corners, part->count) <= narrow_area ? narrow : next, &b, -1, b.target, part->corners, part->count);
        }
        return;
    }
    for (i32 i = 0; i < p.all.count; i++) {
        const polygon *piece = p.all.list + i;
        queue q = next;
        if (b.target < 0 || b.hits + 1 == BOUNCES)
            q = exits;
        else if (area_of(piece->corners, piece->count) <= narrow_area)
            q = narrow;
        put_beam(q, &b, b.target, -1, piece->corners, piece->count);
    }
    for (i32 i = 0; i < p.met_count; i++) {
        flat f;
        flat_corners(&sc, &s, p.met[i], f.corners);
        flat_rest(&sc, &s, p.met[i], &f);
        linear beyond = linear_minus(f.depth, p.left);
        wide_polygon on;
        on.count = b.shape.count;
        for (i32 c = 0; c < on.count; c++) on.corners[c] = b.shape.corners[c];
        divide(&on, &f, &beyond, 1, 0);
        p.all.count = 0;
        if (on.count > 0) put_pieces(&p.all, &on);
        for (i32 c = 0; c < p.all.count; c++) {
            const polygon *piece = p.all.list + c;
            put_beam(area_of(piece->corners, piece->count) <= narrow_area ? narrow : next, &b, -1, p.met[i], piece->corners, piece->count);
        }
    }
}

// Narrow beams, one ray each to the end.
KERNEL follow(
    GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *marks,
    GLOBAL const i32 *kd_tags, GLOBAL const f32 *kd_numbers, f64 nearest, f64 back, GLOBAL const f64 *waves,
    GLOBAL const f64 *corners, GLOBAL const i32 *tags, i32 items, GLOBAL f64 *exits_corners, GLOBAL i32 *exits_tags,
    i64 exits_capacity, GLOBAL i32 *counts, GLOBAL i64 *sums) {
    i64 item = GLOBAL_ID(0);
    if (item >= items) return;
    scene sc;
    SCENE(sc);
    QUEUE(exits, exits, EXITS);
    beam b = beam_at(corners, tags, item);
    wave w = wave_at(waves, b.look);
    v2 at = middle_of(b.shape.corners, b.shape.count);
    view s = view_of(&sc, &w, b.way, b.hits, 0.0);
    i64 rays = 0;
    i32 target = b.target;
    while (b.hits < BOUNCES) {
        v3 point = v3_along(v3_along(s.origin, at.x, s.u), at.y, s.v);
        i32 left = b.hits > 0 ? b.way[b.hits - 1] : NO_FACET, leaf = -1;
        if (left >= 0)
            point = v3_along(point, linear_at(depth_of(&sc, &s, left), at), s.k);
        else
            point = before_everything(&sc, point, s.k);
        i32 facet = closest(&sc, point, s.k, left, &leaf);
        rays++;
        i32 is_lost = (target >= 0 && facet != target) || (facet >= 0 && !faces(&sc, &s, facet));
        if (is_lost) b.hits = 0;
        if (is_lost || facet < 0) break;
        b.way[b.hits++] = facet;
        s = view_of(&sc, &w, b.way, b.hits, 0.0);
        target = -1;
    }
    count_up(b.look, rays, 0.0, 0.0, sums);
    if (b.hits > 0) put_beam(exits, &b, -1, -1, b.shape.corners, b.shape.count);
}

// What left the target.
KERNEL send(
    GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *marks,
    GLOBAL const i32 *kd_tags, GLOBAL const f32 *kd_numbers, f64 nearest, f64 back, GLOBAL const f64 *waves,
    GLOBAL const f64 *corners, GLOBAL const i32 *tags, i32 items, f64 width, GLOBAL const f64 *receivers, GLOBAL const f64 *ks,
    GLOBAL const f64 *materials, f64 scale, i32 facet_count, GLOBAL i64 *sums, GLOBAL i32 *seen) {
    i64 item = GLOBAL_ID(0);
    if (item >= items) return;
    scene sc;
    SCENE(sc);
    beam b = beam_at(corners, tags, item);
    wave w = wave_at(waves, b.look);
    v2 at = middle_of(b.shape.corners, b.shape.count);
    front f, shadow;
    f.corners = shadow.corners = b.shape.count;
    for (i32 i = 0; i < b.shape.count; i++) {
        f.polygon[2 * i] = shadow.polygon[2 * i] = b.shape.corners[i].x - at.x;
        f.polygon[2 * i + 1] = shadow.polygon[2 * i + 1] = b.shape.corners[i].y - at.y;
    }
    front_on(&f, trail_of(&sc, &w, at.x, at.y, b.way, b.hits));
#ifdef SHADOW
    front_on(&shadow, trail_of(&sc, &w, at.x, at.y, b.way, 1));
#endif
    count_up(b.look, 0, area_of(b.shape.corners, b.shape.count) / (width * width), 0.0, sums);
    emit(&sc, &w, &f, &shadow, b.way, b.hits, b.look, SUM_VALUES);
}
