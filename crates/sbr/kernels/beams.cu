// Adaptive beams: crates/sbr/src/cpu/beams.rs, breadth first with queues in place of recursion (beam tracing: P. S. Heckbert,
// P. Hanrahan, Computer Graphics 18, 119, 1984).
//
// A beam is a polygon in the incident aperture, its incident wave, its target facet or -1, and the facets that it was reflected by.
// In every round, find_occluders lists the candidates of each beam of a queue: facets that it may hit or that may occlude its target,
// and clip_hits finds what hits each of them. Reflected beams go to the next queue, and to that of hits, which radiate at the end. Beams
// too narrow to be clipped wait in a queue of their own.
//
// Compile-time configuration (gpu/kernels.rs): BOUNCES, FREQUENCIES, RECEIVERS, WEIGHT_E, WEIGHT_H, GROUP, STACK; SHADOW, NON_PEC and
// BY_FACET where they apply; strides and offsets of layout.rs.

// Four resident groups per multiprocessor: fewer registers per item hide more memory latency, which is 7 % faster.
#ifdef __CUDA_ARCH__
#undef KERNEL
#define KERNEL extern "C" __global__ void __launch_bounds__(GROUP, 4)
#endif

// Lanes that search for one beam together, one for each child box of a node.
#ifdef __CUDA_ARCH__
#define LANES 8
// Warps hold four groups of 8 lanes, which follow different beams: masks cover only the own group.
#define LANE_MASK (0xffu << (LOCAL_ID(0) & 24))
// A bit for each lane: whether the condition holds there.
#define LANE_BITS(yes) ((__ballot_sync(LANE_MASK, (yes)) >> (LOCAL_ID(0) & 24)) & 0xffu)
// The value of a variable in another lane.
#define LANE_VALUE(x, lane) __shfl_sync(LANE_MASK, (x), (lane), 8)
#else
#define LANES 1
#define LANE_BITS(yes) ((yes) ? 1u : 0u)
#define LANE_VALUE(x, lane) (x)
#endif
// Child boxes per lane.
#define SHARE (8 / LANES)

typedef struct {
    GLOBAL f64 *corners;
    GLOBAL i32 *tags;
    GLOBAL i32 *count;
    i64 capacity;
} queue;

typedef struct {
    i32 wave, target, bounces;
    i32 path[BOUNCES];
    polygon shape;
} beam;

DEVICE beam beam_at(GLOBAL const f64 *corners, GLOBAL const i32 *tags, i64 n) {
    beam b;
    // tags[beam][TAG_STRIDE] and corners[beam][corner][x, y].
    tags += TAG_STRIDE * n;
    corners += 2 * MAX_CORNERS * n;
    b.wave = tags[TAG_WAVE];
    b.target = tags[TAG_TARGET];
    b.bounces = tags[TAG_BOUNCES];
    b.shape.count = tags[TAG_CORNERS];
    for (i32 m = 0; m < b.bounces; m++) b.path[m] = tags[TAG_PATH + m];
    for (i32 i = 0; i < b.shape.count; i++) b.shape.corners[i] = v2_new(corners[2 * i], corners[2 * i + 1]);
    return b;
}

// Appends a polygon of a beam that has hit one more facet, or none (-1). Beams beyond the capacity are counted but not stored: the
// host sees the overflow and repeats with fewer facets.
DEVICE void push_beam(queue q, const beam *b, i32 met, i32 target, const v2 *corners, i32 count) {
    // The order in a queue depends on scheduling; the sums do not, since they are fixed-point.
    i64 slot = ATOMIC_ADD_I32(q.count, 1);
    if (slot >= q.capacity) return;
    GLOBAL i32 *tags = q.tags + TAG_STRIDE * slot;
    GLOBAL f64 *numbers = q.corners + 2 * MAX_CORNERS * slot;
    tags[TAG_WAVE] = b->wave;
    // The target that remains to be reached, or -1 once the beam has been reflected.
    tags[TAG_TARGET] = target;
    tags[TAG_BOUNCES] = b->bounces + (met >= 0 ? 1 : 0);
    tags[TAG_CORNERS] = count;
    for (i32 m = 0; m < b->bounces; m++) tags[TAG_PATH + m] = b->path[m];
    if (met >= 0) tags[TAG_PATH + b->bounces] = met;
    for (i32 i = 0; i < count; i++) {
        numbers[2 * i] = corners[i].x;
        numbers[2 * i + 1] = corners[i].y;
    }
}

#define QUEUE(q, name, counter)                                                                                \
    queue q; q.corners = name##_corners; q.tags = name##_tags; q.count = counts + counter; q.capacity = name##_capacity

// The parameters of all kernels of a round.
#define ROUND_PARAMS                                                                                         \
    SCENE_PARAMS, GLOBAL const f64 *waves, f64 tolerance, f64 slack, f64 narrow_area,                        \
    GLOBAL const f64 *corners, GLOBAL const i32 *tags, i32 items, GLOBAL i32 *lists, GLOBAL i32 *tasks, i64 task_capacity, \
    GLOBAL f64 *next_corners, GLOBAL i32 *next_tags, i64 next_capacity,                                      \
    GLOBAL f64 *narrow_corners, GLOBAL i32 *narrow_tags, i64 narrow_capacity,                                \
    GLOBAL f64 *hits_corners, GLOBAL i32 *hits_tags, i64 hits_capacity, GLOBAL i32 *counts, GLOBAL i64 *rays

// Starts a beam on every illuminated facet, from item `first` of the facets of all incident waves.
KERNEL launch_beams(
    SCENE_PARAMS, GLOBAL const f64 *waves, i32 facet_count,
    i64 first, i64 items, f64 narrow_area, GLOBAL f64 *next_corners, GLOBAL i32 *next_tags, i64 next_capacity,
    GLOBAL f64 *narrow_corners, GLOBAL i32 *narrow_tags, i64 narrow_capacity, GLOBAL i32 *counts) {
    i64 item = first + GLOBAL_ID(0);
    if (GLOBAL_ID(0) >= items) return;
    scene sc;
    LOAD_SCENE(sc);
    QUEUE(next, next, COUNTER_NEXT);
    QUEUE(narrow, narrow, COUNTER_NARROW);
    beam b;
    b.wave = (i32)(item / facet_count);
    b.bounces = 0;
    i32 facet = (i32)(item % facet_count);
    wave w = wave_at(waves, b.wave);
    // Tolerance zero: nothing is clipped here.
    beam_frame s = frame_of(&sc, &w, b.path, 0, 0.0);
    if (!is_outer_side(&sc, &s, facet)) return;
    v2 corners[3];
    project_corners(&sc, &s, facet, corners);
    push_beam(is_narrow(corners, 3, 0, narrow_area) ? narrow : next, &b, -1, facet, corners, 3);
}

// Bounds of a beam along three axes in single precision, with a margin for rounding.
typedef struct {
    f32 axes[3][3];
    f32 low[3], high[3];
} bundle;

DEVICE bundle bundle_of(const beam_frame *s, v2 low, v2 high, f64 nearest, f64 farthest, f64 slack) {
    bundle b;
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
    // Coordinates of the bundle are absolute (along each axis, from the center of the scene), as
    // those of the boxes; beams are relative to the image of the aperture.
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

// Whether a child box overlaps a bundle, and its smallest depth along the rays. The extent of a box
// along an axis is the sum over x, y, z of the axis component times its lower or upper plane,
// depending on the sign. Only the axes of the bundle are tested, not those of the box: candidates
// may be too many, but never too few.
DEVICE i32 box_overlaps(GLOBAL const u32 *node, const bundle *b, i32 child, f32 *enter) {
    GLOBAL const f32 *numbers = (GLOBAL const f32 *)node;
    f32 low[3], high[3];
    UNROLL
    for (i32 x = 0; x < 3; x++) {
        low[x] = numbers[NODE_ORIGIN + x] + numbers[NODE_STEP + x] * plane_of(node, x, child);
        high[x] = numbers[NODE_ORIGIN + x] + numbers[NODE_STEP + x] * plane_of(node, x + 3, child);
    }
    i32 between = child < (i32)node[NODE_COUNT];
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
        // The last axis is k: what remains is the depth.
        *enter = from;
    }
    return between;
}

// A beam and its search range.
typedef struct {
    const scene *sc;
    const beam_frame *s;
    const beam *b;
    // Bounding box of the beam, and the range of depths in which facets are candidates.
    v2 low, high;
    f64 from, to;
    // Path lengths on the last facet and on the target.
    affine left, goal;
} query;

DEVICE query query_of(const scene *sc, const beam_frame *s, const beam *b, i32 target) {
    query p;
    p.sc = sc;
    p.s = s;
    p.b = b;
    box_of(&b->shape, &p.low, &p.high);
    p.from = -FAR;
    p.to = FAR;
    // A reflected beam starts on its last facet; facets behind it cannot be hit.
    if (b->bounces > 0) {
        p.left = depth_of(sc, s, b->path[b->bounces - 1]);
        p.from = lowest(b->shape.corners, b->shape.count, p.left);
    }
    // With a target, facets beyond its deepest point cannot occlude it.
    if (target >= 0) {
        p.goal = depth_of(sc, s, target);
        p.to = highest(b->shape.corners, b->shape.count, p.goal);
    }
    return p;
}

// Where a facet occludes the target of a beam, if it has one: distance in front of the target, and distance beyond the last facet; both
// must be positive. Of two coincident facets, the one with the lower index is hit.
DEVICE i32 conditions_of(const query *p, const projected_facet *f, i32 facet, i32 target, affine *values) {
    i32 count = 0;
    if (target >= 0) {
        values[count] = affine_minus(p->goal, f->depth);
        // The lower index wins a tie by twice the tolerance, from either side: the part is neither
        // lost nor radiated twice.
        if (facet < target) values[count].offset += 2.0 * p->s->tolerance;
        count++;
    }
    if (p->b->bounces > 0) values[count++] = affine_minus(f->depth, p->left);
    return count;
}

#define DISJOINT 0
#define OVERLAPS 1
#define COVERS 2

// Whether a facet overlaps a beam within its search range or covers all of it, and its greatest depth. Cheap tests come first: most
// facets fail them.
DEVICE i32 classify(const query *p, i32 facet, f64 *deepest) {
    const beam *b = p->b;
    const v2 *corners = b->shape.corners;
    i32 left = b->bounces > 0 ? b->path[b->bounces - 1] : NO_FACET, n = b->shape.count;
    if (facet < 0 || facet == left || facet == b->target || !is_outer_side(p->sc, p->s, facet)) return DISJOINT;
    projected_facet f;
    project_corners(p->sc, p->s, facet, f.corners);
    v2 *c = f.corners;
    // Bounding boxes first: two comparisons per axis, without sides and depth.
    if (fmin(c[0].x, fmin(c[1].x, c[2].x)) >= p->high.x || fmax(c[0].x, fmax(c[1].x, c[2].x)) <= p->low.x) return DISJOINT;
    if (fmin(c[0].y, fmin(c[1].y, c[2].y)) >= p->high.y || fmax(c[0].y, fmax(c[1].y, c[2].y)) <= p->low.y) return DISJOINT;
    project_rest(p->sc, p->s, facet, &f);
    if (lowest(c, 3, f.depth) >= p->to) return DISJOINT;
    affine values[2];
    i32 count = conditions_of(p, &f, facet, b->target, values), covers = 1;
    for (i32 i = 0; i < count; i++) {
        if (highest(corners, n, values[i]) <= values[i].tolerance) return DISJOINT;
        covers &= lowest(corners, n, values[i]) >= -values[i].tolerance;
    }
    if (is_disjoint(&f, corners, n)) return DISJOINT;
    for (i32 i = 0; i < 3 && covers; i++) covers &= lowest(corners, n, f.sides[i]) >= -f.sides[i].tolerance;
    *deepest = highest(corners, n, f.depth);
    return covers ? COVERS : OVERLAPS;
}

// Lists the candidates of a beam and returns their number, or MAX_CANDIDATES + 1 if there are more. `covered` tells whether one of them
// covers the whole beam. Traversal alternates between nodes and batches of eight pending facets, so that all lanes have work.
DEVICE i32 find_candidates(query *p, bundle *b, f64 slack, i32 *list, i32 *covered) {
    // Stack, pending facets and counts are equal in all lanes of a group, as all decisions below
    // come from ballots: branches are uniform. Only `begins`, `classes` and `depths` differ.
    const scene *sc = p->sc;
    u32 stack[STACK];
    f32 enters[STACK];
    i32 pending[8 + LEAF_FACETS];
    i32 count = 1, ahead = 0, found = 0, lane = LOCAL_ID(0) % LANES;
    f64 origin = v3_dot(p->s->k, p->s->origin);
    *covered = 0;
    stack[0] = 0u;
    enters[0] = -FAR;
    while (count > 0 || ahead > 0) {
        // Nodes are opened until eight facets wait, so that a batch of the expensive exact test
        // fills the lanes.
        if (count > 0 && ahead < 8) {
            count--;
            u32 child = stack[count];
            if (enters[count] > b->high[2]) continue;
            if (child & LEAF_BIT) {
                GLOBAL const i32 *leaf = sc->leaves + LEAF_FACETS * (i64)(child & ~LEAF_BIT);
                for (i32 i = 0; i < LEAF_FACETS && leaf[i] >= 0; i++) pending[ahead++] = leaf[i];
                continue;
            }
            GLOBAL const u32 *node = sc->nodes + NODE_WORDS * (i64)child;
            f32 begins[SHARE];
            u32 boxes = 0u;
            // One box per lane: the ballot gathers the eight results in one word.
            for (i32 i = 0; i < SHARE; i++) boxes |= LANE_BITS(box_overlaps(node, b, i * LANES + lane, begins + i)) << (i * LANES);
            // The nearest child goes on top of the stack, to shorten the search early; the others follow in any order.
            f32 nearest = FAR;
            u32 top = 0u;
            for (i32 i = 0; i < 8; i++) {
                if (!((boxes >> i) & 1u) || count >= STACK - 1) continue;
                f32 enter = LANE_VALUE(begins[i / LANES], i % LANES);
                u32 put = node[NODE_CHILDREN + i];
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
                    stack[count++] = put;
                }
            }
            if (nearest < FAR) {
                enters[count] = nearest;
                stack[count++] = top;
            }
            continue;
        }
        i32 classes[SHARE];
        f64 depths[SHARE];
        u32 in_way = 0u, cover = 0u;
        // One facet per lane, in double precision.
        for (i32 i = 0; i < SHARE; i++) {
            i32 slot = i * LANES + lane;
            depths[i] = FAR;
            classes[i] = classify(p, slot < ahead ? pending[slot] : -1, depths + i);
            in_way |= LANE_BITS(classes[i] != DISJOINT) << (i * LANES);
            cover |= LANE_BITS(classes[i] == COVERS) << (i * LANES);
        }
        // In the order of the list, which is the same in every lane.
        for (i32 i = 0; i < 8; i++) {
            if (!((in_way >> i) & 1u)) continue;
            if (found == MAX_CANDIDATES) return MAX_CANDIDATES + 1;
            list[found++] = pending[i];
            f64 depth = LANE_VALUE(depths[i / LANES], i % LANES);
            if ((cover >> i) & 1u) {
                // A covering facet occludes everything behind it.
                *covered = 1;
                // The target of the beam is occluded entirely: the beam ends here.
                if (p->b->target >= 0) return 0;
                // What is deeper than the covering facet is occluded: the search range shrinks.
                p->to = fmin(p->to, depth);
                b->high[2] = (f32)(p->to + origin + slack);
            }
        }
        for (i32 i = 8; i < ahead; i++) pending[i - 8] = pending[i];
        ahead = ahead > 8 ? ahead - 8 : 0;
    }
    return found;
}

// Appends a beam to its queue: narrow if its area is small, else next; a beam that has been reflected to that of hits too, and after
// the last bounce to this one only. In the queue of hits, the target is the number of facets that have radiated the beam before.
DEVICE void route_beam(queue next, queue narrow, queue hits, f64 narrow_area, const beam *b, i32 met, i32 target, const v2 *corners, i32 count) {
    i32 bounces = b->bounces + (met >= 0 ? 1 : 0);
    if (met >= 0) push_beam(hits, b, met, bounces - 1, corners, count);
    if (target < 0 && bounces == BOUNCES) return;
    push_beam(is_narrow(corners, count, bounces, narrow_area) ? narrow : next, b, met, target, corners, count);
}

// Finds the candidates of each beam. Beams without candidates are reflected or leave at once; of the others every pair with a facet
// that may be hit is a task for clip_hits.
KERNEL find_occluders(ROUND_PARAMS) {
    i64 item = GLOBAL_ID(0) / LANES;
    if (item >= items) return;
    scene sc;
    LOAD_SCENE(sc);
    QUEUE(next, next, COUNTER_NEXT);
    QUEUE(narrow, narrow, COUNTER_NARROW);
    QUEUE(hits, hits, COUNTER_HITS);
    beam b = beam_at(corners, tags, item);
    wave w = wave_at(waves, b.wave);
    beam_frame s = frame_of(&sc, &w, b.path, b.bounces, tolerance);
    query p = query_of(&sc, &s, &b, b.target);
    bundle bounds = bundle_of(&s, p.low, p.high, p.from, p.to, slack);
    i32 list[MAX_CANDIDATES], covered;
    i32 found = find_candidates(&p, &bounds, slack, list, &covered);
    // The first lane writes for its group; all lanes have the same list.
    if (LOCAL_ID(0) % LANES != 0) return;
    add_fixed(rays + b.wave, 1);
    // Too many candidates for the list: bisect and search again in the next round.
    if (found > MAX_CANDIDATES) {
        subdivision all;
        bisect(&b.shape, &all);
        for (i32 i = 0; i < all.count; i++)
            route_beam(next, narrow, hits, narrow_area, &b, -1, b.target, all.list[i].corners, all.list[i].count);
        return;
    }
    // Entirely occluded: the occluding facets have beams of their own.
    if (b.target >= 0 && covered) return;
    // A reflected beam without candidates leaves the target.
    if (found == 0 && b.target < 0) return;
    // The whole beam hits one facet: no clipping.
    if (found == 0 || (found == 1 && covered)) {
        route_beam(next, narrow, hits, narrow_area, &b, b.target >= 0 ? b.target : list[0], -1, b.shape.corners, b.shape.count);
        return;
    }
    GLOBAL i32 *own = lists + CANDIDATES_STRIDE * item;
    own[0] = found;
    for (i32 i = 0; i < found; i++) own[i + 1] = list[i];
    i32 pairs = b.target >= 0 ? 1 : found;
    i64 slot = ATOMIC_ADD_I32(counts + COUNTER_PAIRS, pairs);
    for (i32 i = 0; i < pairs; i++) {
        // Overflow has been counted and the host repeats
        // the launch: the remaining tasks are irrelevant.
        if (slot + i >= task_capacity) return;
        tasks[2 * (slot + i)] = (i32)item;
        tasks[2 * (slot + i) + 1] = b.target >= 0 ? b.target : list[i];
    }
}

// Subtracts all candidates that occlude `target`, or all of them if that is -1.
DEVICE void subtract_candidates(const query *p, GLOBAL const i32 *list, i32 target, subdivision *all) {
    // Stops when nothing is left or when the caller has to bisect.
    for (i32 i = 0; i < list[0] && !all->is_full && all->count > 0; i++) {
        i32 facet = list[i + 1];
        if (facet == target) continue;
        projected_facet f;
        affine values[2];
        project_corners(p->sc, p->s, facet, f.corners);
        project_rest(p->sc, p->s, facet, &f);
        subtract(all, &f, values, conditions_of(p, &f, facet, target, values));
    }
}

// The part of a beam that hits a candidate is reflected.
KERNEL clip_hits(ROUND_PARAMS) {
    i64 task = GLOBAL_ID(0);
    if (task >= items) return;
    scene sc;
    LOAD_SCENE(sc);
    QUEUE(next, next, COUNTER_NEXT);
    QUEUE(narrow, narrow, COUNTER_NARROW);
    QUEUE(hits, hits, COUNTER_HITS);
    i32 item = tasks[2 * task], target = tasks[2 * task + 1];
    beam b = beam_at(corners, tags, item);
    wave w = wave_at(waves, b.wave);
    beam_frame s = frame_of(&sc, &w, b.path, b.bounces, tolerance);
    query p = query_of(&sc, &s, &b, target);
    clip_polygon own;
    own.count = b.shape.count;
    for (i32 i = 0; i < own.count; i++) own.corners[i] = b.shape.corners[i];
    // A reflected beam is first cut to the facet, in front of its start. Beams with a target are
    // inside its projection already.
    if (b.target < 0) {
        projected_facet f;
        affine beyond;
        project_corners(&sc, &s, target, f.corners);
        project_rest(&sc, &s, target, &f);
        beyond = affine_minus(f.depth, p.left);
        clip(&own, &f, &beyond, 1, 0);
    }
    if (own.count == 0) return;
    subdivision all;
    all.count = all.is_full = 0;
    add_split(&all, &own);
    i32 ends_clipping = is_narrow(own.corners, own.count, b.bounces, narrow_area);
    if (!ends_clipping) subtract_candidates(&p, lists + CANDIDATES_STRIDE * (i64)item, target, &all);
    // Not reflected yet: beams too narrow to be clipped, and halves of those with too many parts. They retain their target.
    i32 keeps_target = ends_clipping || all.is_full;
    if (all.is_full) bisect_wide(&own, &all);
    for (i32 i = 0; i < all.count; i++)
        route_beam(next, narrow, hits, narrow_area, &b, keeps_target ? -1 : target, keeps_target ? target : -1, all.list[i].corners, all.list[i].count);
}

// Traces narrow beams along their central rays over all bounces.
KERNEL trace_narrow(
    SCENE_PARAMS, GLOBAL const f64 *waves,
    GLOBAL const f64 *corners, GLOBAL const i32 *tags, i32 items, GLOBAL f64 *hits_corners, GLOBAL i32 *hits_tags,
    i64 hits_capacity, GLOBAL i32 *counts, GLOBAL i64 *rays) {
    i64 item = GLOBAL_ID(0);
    if (item >= items) return;
    scene sc;
    LOAD_SCENE(sc);
    QUEUE(hits, hits, COUNTER_HITS);
    beam b = beam_at(corners, tags, item);
    wave w = wave_at(waves, b.wave);
    v2 at = center_of(b.shape.corners, b.shape.count);
    beam_frame s = frame_of(&sc, &w, b.path, b.bounces, 0.0);
    i64 searches = 0;
    i32 target = b.target, radiated = b.bounces;
    while (b.bounces < BOUNCES) {
        v3 point = v3_add_scaled(v3_add_scaled(s.origin, at.x, s.u), at.y, s.v);
        i32 left = b.bounces > 0 ? b.path[b.bounces - 1] : NO_FACET, leaf = -1;
        // A reflected ray starts on its last facet; a primary ray outside the bounding sphere.
        if (left >= 0)
            point = v3_add_scaled(point, affine_at(depth_of(&sc, &s, left), at), s.k);
        else
            point = primary_origin(&sc, point, s.k);
        i32 facet = closest(&sc, point, s.k, left, &leaf);
        searches++;
        // Lost: the central ray misses the target of the beam, whose occluder has a beam of its
        // own; or it hits a facet from inside a closed body.
        i32 is_lost = (target >= 0 && facet != target) || (facet >= 0 && !is_outer_side(&sc, &s, facet));
        if (is_lost || facet < 0) break;
        b.path[b.bounces++] = facet;
        frame_reflect(&sc, &s, facet);
        target = -1;
    }
    add_fixed(rays + b.wave, searches);
    if (b.bounces > radiated) push_beam(hits, &b, -1, radiated, b.shape.corners, b.shape.count);
}

// Adds the rays of an attempt that did not overflow to the statistics.
KERNEL add_rays(GLOBAL const i64 *rays, i64 waves, GLOBAL i64 *sums) {
    i64 index = GLOBAL_ID(0);
    if (index < waves) add_counts((i32)index, rays[index], 0.0, 0.0, sums);
}

// Measures the power of the beams that would hit the target once more after their last bounce. Of narrow ones a sample is taken, as
// `Sampling` on the host does.
KERNEL measure_remaining(
    SCENE_PARAMS, GLOBAL const f64 *waves,
    GLOBAL const f64 *corners, GLOBAL const i32 *tags, i32 items, f64 width, f64 sample_area, SUM_PARAMS) {
    i64 item = GLOBAL_ID(0);
    if (item >= items || tags[TAG_STRIDE * item + TAG_BOUNCES] < BOUNCES) return;
    scene sc;
    LOAD_SCENE(sc);
    beam b = beam_at(corners, tags, item);
    f64 each;
    i32 count = sample_count(b.path, BOUNCES, area_of(b.shape.corners, b.shape.count), sample_area, &each);
    wave w = wave_at(waves, b.wave);
    for (i32 i = 0; i < count; i++) {
        v2 at = sample_of(&b.shape, i, count);
        ray_differential t = ray_along(&sc, &w, at.x, at.y, b.path, BOUNCES);
        add_remaining(&sc, &w, &t, b.path, b.wave, each / (width * width), SUM_VALUES);
    }
}

// Radiates beams from the facets that they have hit.
KERNEL radiate_beams(
    SCENE_PARAMS, GLOBAL const f64 *waves,
    GLOBAL const f64 *corners, GLOBAL const i32 *tags, i32 items, f64 width, SUM_PARAMS) {
    i64 item = GLOBAL_ID(0);
    if (item >= items) return;
    scene sc;
    LOAD_SCENE(sc);
    beam b = beam_at(corners, tags, item);
    wave w = wave_at(waves, b.wave);
    v2 at = center_of(b.shape.corners, b.shape.count);
    radiator last, first;
    last.aperture.corners = first.aperture.corners = b.shape.count;
    for (i32 i = 0; i < b.shape.count; i++) {
        // Relative to the central ray, about which the aperture is expanded.
        last.aperture.polygon[2 * i] = first.aperture.polygon[2 * i] = b.shape.corners[i].x - at.x;
        last.aperture.polygon[2 * i + 1] = first.aperture.polygon[2 * i + 1] = b.shape.corners[i].y - at.y;
    }
    last.shadow = 1;
    first.shadow = 0;
    // In units of the area of a tube, as for ray grids, for the fixed-point resolution of areas.
    i32 radiated = b.target;
    add_counts(b.wave, 0, radiated > 0 ? 0.0 : area_of(b.shape.corners, b.shape.count) / (width * width), 0.0, sums);
    beam_frame s = frame_of(&sc, &w, b.path, 0, 0.0);
    affine start = depth_of(&sc, &s, b.path[0]);
    for (i32 m = 0; m < b.bounces; m++) {
        affine depth = depth_of(&sc, &s, b.path[m]);
        frame_reflect(&sc, &s, b.path[m]);
        if (m < radiated) continue;
        // Both ends alike: the last facet, and the image of the first.
        last.bounces = m + 1;
        first.bounces = m > 0 ? m + 1 : 0;
        last.weight = m > 0 ? 0.5 : 1.0;
        first.weight = 0.5;
        aperture_set(&last.aperture, ray_on(&w, &s, at, depth, m + 1));
        aperture_set(&first.aperture, ray_on(&w, &s, at, start, m + 1));
        add_far_field(&sc, &w, &last, &first, b.path, b.wave, SUM_VALUES);
    }
}
