// Beams on a GPU: the plan of crates/sbr/src/cpu/beams.rs, with queues in place of its recursion.
//
// A beam is a record: 16 numbers for its corners; its look, the facet that it is on the way to or -1, bounces and corners; and the facets
// that it met. Round by round, `search` lists what is in the way of each beam of a queue; of those that have something in their way, `free`
// cuts off all of it, and `pass` finds what reaches each facet. What is mirrored goes to the next queue; beams that are too narrow to be
// cut, and those that leave the target, wait in queues of their own for the end.

// The dialect's own switches: BOUNCES, WAVES (frequencies), RECEIVERS (per look), WEIGHT_E, WEIGHT_H, GROUP, MOST_MET; SHADOW, LOSSY and
// HOT_SPOTS where they apply.

// Four groups at a time on a multiprocessor: with fewer registers more items wait for memory side by side, which was 7 % faster.
#ifdef __CUDA_ARCH__
#undef KERNEL
#define KERNEL extern "C" __global__ void __launch_bounds__(GROUP, 4)
#endif

#define TAGS (4 + BOUNCES)
// A list of facets in the way: their number first. A beam with more than MOST_MET of them is halved.
#define LIST (MOST_MET + 1)
// Counters.
#define NEXT 0
#define FREE 1
#define PASS 2
#define NARROW 3
#define EXITS 4

// Work items that search for one beam, side by side: one for each box of a node.
#ifdef __CUDA_ARCH__
#define LANES 8
#define LANE_MASK (0xffu << (LOCAL_ID(0) & 24))
// Whether it is so for each item, a bit for each.
#define LANE_BITS(yes) ((__ballot_sync(LANE_MASK, (yes)) >> (LOCAL_ID(0) & 24)) & 0xffu)
// The number that an item has.
#define LANE_NUMBER(x, lane) __shfl_sync(LANE_MASK, (x), (lane), 8)
#else
#define LANES 1
#define LANE_BITS(yes) ((yes) ? 1u : 0u)
#define LANE_NUMBER(x, lane) (x)
#endif
// What an item does of eight.
#define SHARE (8 / LANES)

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

// Whether a box of a node is between the bounds, and where it begins along the rays.
DEVICE i32 box_between(GLOBAL const u32 *node, const slabs *b, i32 child, f32 *begin) {
    GLOBAL const f32 *numbers = (GLOBAL const f32 *)node;
    f32 low[3], high[3];
    UNROLL
    for (i32 x = 0; x < 3; x++) {
        low[x] = numbers[x] + numbers[3 + x] * plane_of(node, x, child);
        high[x] = numbers[x] + numbers[3 + x] * plane_of(node, x + 3, child);
    }
    i32 between = child < (i32)node[26];
    UNROLL
    for (i32 a = 0; a < 3; a++) {
        f32 from = 0.0f, to = 0.0f;
        UNROLL
        for (i32 x = 0; x < 3; x++) {
            f32 axis = b->axes[a][x];
            from += axis * (axis < 0.0f ? high[x] : low[x]);
            to += axis * (axis < 0.0f ? low[x] : high[x]);
        }
        between &= from <= b->high[a] && to >= b->low[a];
        *begin = from;
    }
    return between;
}

// A beam, and what it looks for.
typedef struct {
    const scene *sc;
    const view *s;
    const beam *b;
    // The box around it, and depths between which facets are in its way.
    v2 low, high;
    f64 from, to;
    // Paths on the facet that it left, and on the one that it is on its way to.
    linear left, goal;
} passage;

DEVICE passage passage_of(const scene *sc, const view *s, const beam *b, i32 target) {
    passage p;
    p.sc = sc;
    p.s = s;
    p.b = b;
    box_of(&b->shape, &p.low, &p.high);
    p.from = -FAR;
    p.to = FAR;
    if (b->hits > 0) {
        p.left = depth_of(sc, s, b->way[b->hits - 1]);
        p.from = lowest(b->shape.corners, b->shape.count, p.left);
    }
    if (target >= 0) {
        p.goal = depth_of(sc, s, target);
        p.to = highest(b->shape.corners, b->shape.count, p.goal);
    }
    return p;
}

// Where a facet hides the one that a beam is on its way to, if to any: how far before it, and how far beyond the one that was left. Of
// two in one place the first is seen.
DEVICE i32 conditions_of(const passage *p, const flat *f, i32 facet, i32 target, linear *values) {
    i32 count = 0;
    if (target >= 0) {
        values[count] = linear_minus(p->goal, f->depth);
        if (facet < target) values[count].offset += 2.0 * p->s->touching;
        count++;
    }
    if (p->b->hits > 0) values[count++] = linear_minus(f->depth, p->left);
    return count;
}

#define ASIDE 0
#define IN_THE_WAY 1
#define COVERS 2

// Whether a facet is in the way of a beam, or of all of it; and how deep it is then.
DEVICE i32 verdict_on(const passage *p, i32 facet, f64 *deepest) {
    const beam *b = p->b;
    const v2 *corners = b->shape.corners;
    i32 left = b->hits > 0 ? b->way[b->hits - 1] : NO_FACET, n = b->shape.count;
    if (facet < 0 || facet == left || facet == b->target || !faces(p->sc, p->s, facet)) return ASIDE;
    flat f;
    flat_corners(p->sc, p->s, facet, f.corners);
    v2 *c = f.corners;
    if (fmin(c[0].x, fmin(c[1].x, c[2].x)) >= p->high.x || fmax(c[0].x, fmax(c[1].x, c[2].x)) <= p->low.x) return ASIDE;
    if (fmin(c[0].y, fmin(c[1].y, c[2].y)) >= p->high.y || fmax(c[0].y, fmax(c[1].y, c[2].y)) <= p->low.y) return ASIDE;
    flat_rest(p->sc, p->s, facet, &f);
    if (lowest(c, 3, f.depth) >= p->to) return ASIDE;
    linear values[2];
    i32 count = conditions_of(p, &f, facet, b->target, values), covers = 1;
    for (i32 i = 0; i < count; i++) {
        if (highest(corners, n, values[i]) <= values[i].tolerance) return ASIDE;
        covers &= lowest(corners, n, values[i]) >= -values[i].tolerance;
    }
    if (is_beside(&f, corners, n)) return ASIDE;
    for (i32 i = 0; i < 3 && covers; i++) covers &= lowest(corners, n, f.sides[i]) >= -f.sides[i].tolerance;
    *deepest = highest(corners, n, f.depth);
    return covers ? COVERS : IN_THE_WAY;
}

// Lists the facets in the way of a beam; how many there are, or more than a list has room for. `covered` tells whether one covers all of
// the beam.
DEVICE i32 search_for(passage *p, slabs *b, f64 slack, i32 *list, i32 *covered) {
    const scene *sc = p->sc;
    u32 waiting[STACK];
    f32 enters[STACK];
    i32 pending[8 + LEAF_FACETS];
    i32 count = 1, ahead = 0, found = 0, lane = LOCAL_ID(0) % LANES;
    f64 origin = v3_dot(p->s->k, p->s->origin);
    *covered = 0;
    waiting[0] = 0u;
    enters[0] = -FAR;
    while (count > 0 || ahead > 0) {
        if (count > 0 && ahead < 8) {
            count--;
            u32 child = waiting[count];
            if (enters[count] > b->high[2]) continue;
            if (child & LEAF_BIT) {
                GLOBAL const i32 *leaf = sc->leaves + LEAF_FACETS * (i64)(child & ~LEAF_BIT);
                for (i32 i = 0; i < LEAF_FACETS && leaf[i] >= 0; i++) pending[ahead++] = leaf[i];
                continue;
            }
            GLOBAL const u32 *node = sc->nodes + NODE_WORDS * (i64)child;
            f32 begins[SHARE];
            u32 boxes = 0u;
            for (i32 i = 0; i < SHARE; i++) boxes |= LANE_BITS(box_between(node, b, i * LANES + lane, begins + i)) << (i * LANES);
            // The nearest goes on top, the others below it as they come.
            f32 nearest = FAR;
            u32 top = 0u;
            for (i32 i = 0; i < 8; i++) {
                if (!((boxes >> i) & 1u) || count >= STACK - 1) continue;
                f32 enter = LANE_NUMBER(begins[i / LANES], i % LANES);
                u32 put = node[18 + i];
                if (enter < nearest) {
                    f32 other_enter = nearest;
                    u32 other = top;
                    nearest = enter;
                    top = put;
                    enter = other_enter;
                    put = other;
                }
                if (enter < FAR) {
                    enters[count] = enter;
                    waiting[count++] = put;
                }
            }
            if (nearest < FAR) {
                enters[count] = nearest;
                waiting[count++] = top;
            }
            continue;
        }
        i32 verdicts[SHARE];
        f64 depths[SHARE];
        u32 in_way = 0u, cover = 0u;
        for (i32 i = 0; i < SHARE; i++) {
            i32 place = i * LANES + lane;
            depths[i] = FAR;
            verdicts[i] = verdict_on(p, place < ahead ? pending[place] : -1, depths + i);
            in_way |= LANE_BITS(verdicts[i] != ASIDE) << (i * LANES);
            cover |= LANE_BITS(verdicts[i] == COVERS) << (i * LANES);
        }
        for (i32 i = 0; i < 8; i++) {
            if (!((in_way >> i) & 1u)) continue;
            if (found == MOST_MET) return MOST_MET + 1;
            list[found++] = pending[i];
            f64 depth = LANE_NUMBER(depths[i / LANES], i % LANES);
            if ((cover >> i) & 1u) {
                // What is behind it is not in the way.
                *covered = 1;
                if (p->b->target >= 0) return 0;
                p->to = fmin(p->to, depth);
                b->high[2] = (f32)(p->to + origin + slack);
            }
        }
        for (i32 i = 8; i < ahead; i++) pending[i - 8] = pending[i];
        ahead = ahead > 8 ? ahead - 8 : 0;
    }
    return found;
}

// Cuts a polygon in two, across the longer side of the box around it.
DEVICE void halve_wide(wide_polygon *one, pieces *all) {
    v2 low = one->corners[0], high = one->corners[0];
    for (i32 i = 1; i < one->count; i++) widen(&low, &high, one->corners[i]);
    i32 wide = high.x - low.x > high.y - low.y;
    linear middle;
    middle.x = wide ? 1.0 : 0.0;
    middle.y = wide ? 0.0 : 1.0;
    middle.offset = -0.5 * (wide ? low.x + high.x : low.y + high.y);
    middle.tolerance = 0.0;
    wide_polygon other;
    cut(one, middle, &other);
    all->count = all->too_many = 0;
    if (one->count > 2) put_pieces(all, one);
    if (other.count > 2) put_pieces(all, &other);
}

DEVICE void halve(const polygon *p, pieces *all) {
    wide_polygon one;
    one.count = p->count;
    for (i32 i = 0; i < p->count; i++) one.corners[i] = p->corners[i];
    halve_wide(&one, all);
}

// Puts a beam that met a facet, or is on its way to one, where it belongs.
DEVICE void put_on(queue next, queue narrow, queue exits, f64 narrow_area, const beam *b, i32 met, i32 target, const v2 *corners, i32 count) {
    i32 is_narrow = area_of(corners, count) <= narrow_area;
    i32 ends = target < 0 && b->hits + (met >= 0 ? 1 : 0) == BOUNCES;
    put_beam(ends ? exits : is_narrow ? narrow : next, b, met, target, corners, count);
}

// What is in the way of each beam.
KERNEL search(
    GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *marks,
    GLOBAL const i32 *kd_tags, GLOBAL const f32 *kd_numbers, f64 nearest, f64 back, GLOBAL const f64 *waves, f64 touching,
    f64 slack, f64 narrow_area, GLOBAL const f64 *corners, GLOBAL const i32 *tags, i32 items, GLOBAL i32 *lists,
    GLOBAL i32 *tasks, i64 task_capacity, GLOBAL f64 *next_corners, GLOBAL i32 *next_tags, i64 next_capacity,
    GLOBAL f64 *narrow_corners, GLOBAL i32 *narrow_tags, i64 narrow_capacity, GLOBAL f64 *exits_corners, GLOBAL i32 *exits_tags,
    i64 exits_capacity, GLOBAL i32 *counts, GLOBAL i64 *sums) {
    i64 item = GLOBAL_ID(0) / LANES;
    if (item >= items) return;
    scene sc;
    SCENE(sc);
    QUEUE(next, next, NEXT);
    QUEUE(narrow, narrow, NARROW);
    QUEUE(exits, exits, EXITS);
    beam b = beam_at(corners, tags, item);
    wave w = wave_at(waves, b.look);
    view s = view_of(&sc, &w, b.way, b.hits, touching);
    passage p = passage_of(&sc, &s, &b, b.target);
    slabs bounds = slabs_of(&s, p.low, p.high, p.from, p.to, slack);
    i32 list[MOST_MET], covered;
    i32 found = search_for(&p, &bounds, slack, list, &covered);
    if (LOCAL_ID(0) % LANES != 0) return;
    count_up(b.look, 1, 0.0, 0.0, sums);
    if (found > MOST_MET) {
        pieces all;
        halve(&b.shape, &all);
        for (i32 i = 0; i < all.count; i++)
            put_on(next, narrow, exits, narrow_area, &b, -1, b.target, all.list[i].corners, all.list[i].count);
        return;
    }
    if (b.target >= 0 && covered) return;
    if (found == 0 && b.target < 0) {
        put_beam(exits, &b, -1, -1, b.shape.corners, b.shape.count);
        return;
    }
    if (found == 0 || (found == 1 && covered)) {
        put_on(next, narrow, exits, narrow_area, &b, b.target >= 0 ? b.target : list[0], -1, b.shape.corners, b.shape.count);
        return;
    }
    GLOBAL i32 *own = lists + LIST * item;
    own[0] = found;
    for (i32 i = 0; i < found; i++) own[i + 1] = list[i];
    i64 place = ATOMIC_ADD_I32(counts + (b.target >= 0 ? PASS : FREE), 1);
    if (b.target >= 0) {
        if (place < task_capacity) {
            tasks[2 * place] = (i32)item;
            tasks[2 * place + 1] = b.target;
        }
    } else {
        // There are as many places as beams.
        tasks[2 * task_capacity + place] = (i32)item;
    }
}

// Cuts a list of facets off a polygon on its way to one of them, or to none (-1).
DEVICE void cut_off(const passage *p, GLOBAL const i32 *list, i32 target, pieces *all) {
    for (i32 i = 0; i < list[0] && !all->too_many && all->count > 0; i++) {
        i32 facet = list[i + 1];
        if (facet == target) continue;
        flat f;
        linear values[2];
        flat_corners(p->sc, p->s, facet, f.corners);
        flat_rest(p->sc, p->s, facet, &f);
        subtract(all, &f, values, conditions_of(p, &f, facet, target, values));
    }
}

// What of a beam that left a facet meets no other; and a task for each facet that it meets.
KERNEL free_parts(
    GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *marks,
    GLOBAL const i32 *kd_tags, GLOBAL const f32 *kd_numbers, f64 nearest, f64 back, GLOBAL const f64 *waves, f64 touching,
    f64 slack, f64 narrow_area, GLOBAL const f64 *corners, GLOBAL const i32 *tags, i32 items, GLOBAL i32 *lists,
    GLOBAL i32 *tasks, i64 task_capacity, GLOBAL f64 *next_corners, GLOBAL i32 *next_tags, i64 next_capacity,
    GLOBAL f64 *narrow_corners, GLOBAL i32 *narrow_tags, i64 narrow_capacity, GLOBAL f64 *exits_corners, GLOBAL i32 *exits_tags,
    i64 exits_capacity, GLOBAL i32 *counts, GLOBAL i64 *sums) {
    i64 task = GLOBAL_ID(0);
    if (task >= items) return;
    scene sc;
    SCENE(sc);
    QUEUE(next, next, NEXT);
    QUEUE(narrow, narrow, NARROW);
    QUEUE(exits, exits, EXITS);
    i32 item = tasks[2 * task_capacity + task];
    GLOBAL const i32 *list = lists + LIST * (i64)item;
    beam b = beam_at(corners, tags, item);
    wave w = wave_at(waves, b.look);
    view s = view_of(&sc, &w, b.way, b.hits, touching);
    passage p = passage_of(&sc, &s, &b, -1);
    pieces all;
    all.count = all.too_many = 0;
    put_piece(&all, b.shape.corners, b.shape.count);
    cut_off(&p, list, -1, &all);
    if (all.too_many) {
        halve(&b.shape, &all);
        for (i32 i = 0; i < all.count; i++)
            put_on(next, narrow, exits, narrow_area, &b, -1, -1, all.list[i].corners, all.list[i].count);
        return;
    }
    for (i32 i = 0; i < all.count; i++) put_beam(exits, &b, -1, -1, all.list[i].corners, all.list[i].count);
    for (i32 i = 0; i < list[0]; i++) {
        i64 place = ATOMIC_ADD_I32(counts + PASS, 1);
        if (place >= task_capacity) return;
        tasks[2 * place] = item;
        tasks[2 * place + 1] = list[i + 1];
    }
}

// What of a beam reaches a facet: it is mirrored and goes on.
KERNEL pass(
    GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *marks,
    GLOBAL const i32 *kd_tags, GLOBAL const f32 *kd_numbers, f64 nearest, f64 back, GLOBAL const f64 *waves, f64 touching,
    f64 slack, f64 narrow_area, GLOBAL const f64 *corners, GLOBAL const i32 *tags, i32 items, GLOBAL i32 *lists,
    GLOBAL i32 *tasks, i64 task_capacity, GLOBAL f64 *next_corners, GLOBAL i32 *next_tags, i64 next_capacity,
    GLOBAL f64 *narrow_corners, GLOBAL i32 *narrow_tags, i64 narrow_capacity, GLOBAL f64 *exits_corners, GLOBAL i32 *exits_tags,
    i64 exits_capacity, GLOBAL i32 *counts, GLOBAL i64 *sums) {
    i64 task = GLOBAL_ID(0);
    if (task >= items) return;
    scene sc;
    SCENE(sc);
    QUEUE(next, next, NEXT);
    QUEUE(narrow, narrow, NARROW);
    QUEUE(exits, exits, EXITS);
    i32 item = tasks[2 * task], target = tasks[2 * task + 1];
    beam b = beam_at(corners, tags, item);
    wave w = wave_at(waves, b.look);
    view s = view_of(&sc, &w, b.way, b.hits, touching);
    passage p = passage_of(&sc, &s, &b, target);
    wide_polygon own;
    own.count = b.shape.count;
    for (i32 i = 0; i < own.count; i++) own.corners[i] = b.shape.corners[i];
    if (b.target < 0) {
        flat f;
        linear beyond;
        flat_corners(&sc, &s, target, f.corners);
        flat_rest(&sc, &s, target, &f);
        beyond = linear_minus(f.depth, p.left);
        divide(&own, &f, &beyond, 1, 0);
    }
    if (own.count == 0) return;
    pieces all;
    all.count = all.too_many = 0;
    put_pieces(&all, &own);
    i32 is_narrow = area_of(own.corners, own.count) <= narrow_area;
    if (!is_narrow) cut_off(&p, lists + LIST * (i64)item, target, &all);
    // On their way still: those that are too narrow to be cut, and halves of those that fell into too many pieces.
    i32 on_way = is_narrow || all.too_many;
    if (all.too_many) halve_wide(&own, &all);
    for (i32 i = 0; i < all.count; i++)
        put_on(next, narrow, exits, narrow_area, &b, on_way ? -1 : target, on_way ? target : -1, all.list[i].corners, all.list[i].count);
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
