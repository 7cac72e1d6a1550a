// The paper's tubes on a GPU: the plan of crates/sbr/src/cpu/grid.rs, with a work item per ray and per tube in place of the loops.

// The dialect's own switches: BOUNCES, WAVES (frequencies), RECEIVERS (per look), WEIGHT_E, WEIGHT_H; SHADOW, LOSSY, HOT_SPOTS and
// KD_TREE (with KD_NODES and KD_LEAVES) where they apply.

#define RAYS 32

// Where items of a group are in a block: those of a warp look at a patch of 8 by 4.
DEVICE void place_of(i64 item, i32 *x, i32 *y) {
    i32 lane = (i32)(item % (RAYS * RAYS)), part = lane / 32, inner = lane % 32;
    *x = (part % 4) * 8 + inner % 8;
    *y = (part / 4) * 4 + inner / 8;
}

#if defined(__CUDA_ARCH__) && !defined(KD_TREE)

#define ALL_LANES 0xffffffffu

// The facet that each ray of a warp meets first: parallel rays on a patch of 8 by 4, `width` apart, which look at the boxes of a node
// together, a lane for each, and then each for itself at the facets in them. Boxes and stack stand here once more: shared with those of
// the beams' search they took 8 % of the rays per second on an H200 (4.8 thousand million of them against 5.2).
DEVICE i32 first_met(const scene *sc, const wave *w, f64 width, f64 x, f64 y) {
    i32 lane = LOCAL_ID(0) & 31, count = 1, best = NO_FACET;
    v3 start = v3_along(v3_along(v3_scale(x, w->u), y, w->v), -sc->back, w->k);
    f64 exact = FAR;
    // The middle of the patch, and half of it with room for rounding.
    f64 mx = __shfl_sync(ALL_LANES, x, 0) + 3.5 * width, my = __shfl_sync(ALL_LANES, y, 0) + 1.5 * width;
    f32 axes[3][3], low[2], high[2], reach = FAR, slack = 4e-6f * (f32)sc->back;
    axes[0][0] = (f32)w->u.x; axes[0][1] = (f32)w->u.y; axes[0][2] = (f32)w->u.z;
    axes[1][0] = (f32)w->v.x; axes[1][1] = (f32)w->v.y; axes[1][2] = (f32)w->v.z;
    axes[2][0] = (f32)w->k.x; axes[2][1] = (f32)w->k.y; axes[2][2] = (f32)w->k.z;
    low[0] = (f32)(mx - 3.5 * width) - slack;
    high[0] = (f32)(mx + 3.5 * width) + slack;
    low[1] = (f32)(my - 1.5 * width) - slack;
    high[1] = (f32)(my + 1.5 * width) + slack;
    u32 waiting[STACK];
    f32 enters[STACK];
    waiting[0] = 0u;
    enters[0] = -FAR;
    while (count > 0) {
        count--;
        u32 child = waiting[count];
        if (enters[count] > reach) continue;
        if (child & LEAF_BIT) {
            GLOBAL const i32 *leaf = sc->leaves + LEAF_FACETS * (i64)(child & ~LEAF_BIT);
            for (i32 i = 0; i < LEAF_FACETS && leaf[i] >= 0; i++) {
                f64 t = facet_distance(sc, leaf[i], start, w->k);
                if (t >= 0.0 && t < exact) {
                    exact = t;
                    best = leaf[i];
                }
            }
            // As far as the ray that sees farthest.
            f32 far = best < 0 ? FAR : (f32)(exact - sc->back) + slack;
            for (i32 gap = 16; gap > 0; gap >>= 1) far = fmax(far, __shfl_xor_sync(ALL_LANES, far, gap));
            reach = far;
            continue;
        }
        GLOBAL const u32 *node = sc->nodes + NODE_WORDS * (i64)child;
        GLOBAL const f32 *numbers = (GLOBAL const f32 *)node;
        i32 own = lane & 7, between = own < (i32)node[26];
        f32 begin = 0.0f;
        UNROLL
        for (i32 a = 0; a < 3; a++) {
            f32 from = 0.0f, to = 0.0f;
            UNROLL
            for (i32 i = 0; i < 3; i++) {
                f32 near = axes[a][i] * (numbers[i] + numbers[3 + i] * plane_of(node, i, own));
                f32 far = axes[a][i] * (numbers[i] + numbers[3 + i] * plane_of(node, i + 3, own));
                from += fmin(near, far);
                to += fmax(near, far);
            }
            between &= a == 2 ? from - slack <= reach : from <= high[a] && to >= low[a];
            begin = from - slack;
        }
        u32 boxes = __ballot_sync(ALL_LANES, between) & 0xffu;
        // The nearest goes on top, the others below it as they come.
        f32 nearest = FAR;
        u32 top = 0u;
        while (boxes) {
            i32 i = __ffs(boxes) - 1;
            boxes &= boxes - 1u;
            f32 enter = __shfl_sync(ALL_LANES, begin, i);
            u32 put = node[18 + i];
            if (enter < nearest) {
                f32 other_enter = nearest;
                u32 other = top;
                nearest = enter;
                top = put;
                enter = other_enter;
                put = other;
            }
            if (enter < FAR && count < STACK - 1) {
                enters[count] = enter;
                waiting[count++] = put;
            }
        }
        if (nearest < FAR) {
            enters[count] = nearest;
            waiting[count++] = top;
        }
    }
    return best;
}

#elif defined(KD_TREE)

// The paper's tree follows a ray from its start to its end in one pass: what it meets first is not asked for.
DEVICE i32 first_met(const scene *sc, const wave *w, f64 width, f64 x, f64 y) { return 0; }

#else

DEVICE i32 first_met(const scene *sc, const wave *w, f64 width, f64 x, f64 y) {
    i32 leaf = -1;
    return closest(sc, before_everything(sc, v3_along(v3_scale(x, w->u), y, w->v), w->k), w->k, NO_FACET, &leaf);
}

#endif

// Follows a ray to its end, from the facet that it meets first if that is known; how often it bounced.
DEVICE i32 way_from(const scene *sc, const wave *w, f64 x, f64 y, i32 facet, i32 *way) {
    trail t = trail_new(w, x, y);
    i32 hits = 0, leaf = -1;
#ifdef KD_TREE
    facet = closest(sc, before_everything(sc, t.point, w->k), w->k, NO_FACET, &leaf);
#endif
    while (facet >= 0) {
        trail_bounce(sc, &t, facet);
        way[hits++] = facet;
        if (hits == BOUNCES) break;
        facet = closest(sc, t.point, t.direction, facet, &leaf);
    }
    return hits;
}

// What the rays of a batch of blocks meet first; `blocks` has a look and the first ray of each, from which they are `off` tubes.
KERNEL trace(
    GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *marks,
    GLOBAL const i32 *kd_tags, GLOBAL const f32 *kd_numbers, f64 nearest, f64 back, GLOBAL const f64 *waves,
    GLOBAL const i32 *blocks, f64 width, f64 off, GLOBAL i32 *first) {
    i64 item = GLOBAL_ID(0), slot = item / (RAYS * RAYS);
    scene sc;
    SCENE(sc);
    i32 x, y;
    place_of(item, &x, &y);
    wave w = wave_at(waves, blocks[3 * slot]);
    first[item] = first_met(&sc, &w, width, w.corner[0] + width * (blocks[3 * slot + 1] + x + off), w.corner[1] + width * (blocks[3 * slot + 2] + y + off));
}

// Where they leave the target, in rows.
KERNEL bounce(
    GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *marks,
    GLOBAL const i32 *kd_tags, GLOBAL const f32 *kd_numbers, f64 nearest, f64 back, GLOBAL const f64 *waves,
    GLOBAL const i32 *blocks, f64 width, GLOBAL const i32 *first, GLOBAL i32 *last) {
    i64 item = GLOBAL_ID(0), slot = item / (RAYS * RAYS);
    scene sc;
    SCENE(sc);
    i32 x, y, way[BOUNCES];
    place_of(item, &x, &y);
    wave w = wave_at(waves, blocks[3 * slot]);
    i32 hits = way_from(&sc, &w, w.corner[0] + width * (blocks[3 * slot + 1] + x), w.corner[1] + width * (blocks[3 * slot + 2] + y), first[item], way);
    last[slot * (RAYS * RAYS) + y * RAYS + x] = hits > 0 ? way[hits - 1] : NO_FACET;
}

// The tubes between them: one whose corners leave the same triangle goes to the ray in its middle, others are dropped.
KERNEL tubes(
    GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *marks,
    GLOBAL const i32 *kd_tags, GLOBAL const f32 *kd_numbers, f64 nearest, f64 back, GLOBAL const f64 *waves,
    GLOBAL const i32 *blocks, f64 width, GLOBAL const i32 *first, GLOBAL const i32 *last, GLOBAL const f64 *receivers,
    GLOBAL const f64 *ks, GLOBAL const f64 *materials, f64 scale, i32 facet_count, GLOBAL i64 *sums, GLOBAL i32 *seen) {
    i64 item = GLOBAL_ID(0), slot = item / (RAYS * RAYS);
    scene sc;
    SCENE(sc);
    i32 x, y, look = blocks[3 * slot], hits = 0, alike = 1;
    place_of(item, &x, &y);
    wave w = wave_at(waves, look);
    f64 at_x = w.corner[0] + width * (blocks[3 * slot + 1] + x + 0.5), at_y = w.corner[1] + width * (blocks[3 * slot + 2] + y + 0.5);
    if (x < RAYS - 1 && y < RAYS - 1) {
        i64 place = slot * (RAYS * RAYS) + y * RAYS + x;
        for (i32 i = 0; i < 4; i++) {
            i32 corner = last[place + (i & 1) + (i >> 1) * RAYS];
            hits += corner >= 0;
            alike &= corner == last[place];
        }
    }
    i32 kept = alike && hits == 4, way[BOUNCES];
    f64 area = 0.25 * hits;
    i32 bounces = kept ? way_from(&sc, &w, at_x, at_y, first[item], way) : 0;
    // All items of a warp go on to the sums together.
    count_up(look, 1 + kept, kept && bounces == 0 ? 0.0 : area, kept ? 0.0 : area, sums);
    front f, shadow;
    f.corners = shadow.corners = 0;
    f.side = shadow.side = width;
    front_on(&f, trail_of(&sc, &w, at_x, at_y, way, bounces));
#ifdef SHADOW
    front_on(&shadow, trail_of(&sc, &w, at_x, at_y, way, bounces > 0));
#endif
    emit(&sc, &w, &f, &shadow, way, bounces, look, SUM_VALUES);
}
