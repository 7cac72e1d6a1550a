// A uniform grid of rays: crates/sbr/src/cpu/ray_grid.rs, with a work item per ray and per tube (H. Ling, R.-C. Chou, S.-W. Lee, IEEE
// Trans. Antennas Propag. 37, 194, 1989).
//
// Compile-time configuration (gpu/kernels.rs): BOUNCES, FREQUENCIES, RECEIVERS, WEIGHT_E, WEIGHT_H, STACK; SHADOW, NON_PEC, BY_FACET and
// KD_TREE where they apply; strides and offsets of layout.rs.

// Position of a work item in its block. The lanes of a warp share a patch of 8 by 4 rays, which traverse the BVH together.
DEVICE void ray_in_block(i64 item, i32 *x, i32 *y) {
    // Each group of 32 consecutive items is one warp; 32 of them, 4 across and 8 down, make a block
    // of 32 by 32 rays.
    i32 lane = (i32)(item % (RAYS * RAYS)), part = lane / 32, inner = lane % 32;
    *x = (part % 4) * 8 + inner % 8;
    *y = (part / 4) * 4 + inner / 8;
}

// All 32 lanes take part in every shuffle and ballot below: the launch covers whole blocks, and no
// lane returns early. Stack, node and bounds are equal in all lanes: branches on them are uniform.
#if defined(__CUDA_ARCH__) && !defined(KD_TREE)

#define ALL_LANES 0xffffffffu

// The first facet that each ray of a warp hits: parallel rays on a patch of 8 by 4, `width` apart. They test the child boxes of a node
// together, one lane per box, and then each ray tests the facets of a leaf. Traversal is not shared with the search of the beams, which
// would cost 8 % of the rays per second on an H200 (4.8e9 against 5.2e9).
DEVICE i32 first_hit(const scene *sc, const wave *w, f64 width, f64 x, f64 y) {
    i32 lane = LOCAL_ID(0) & 31, count = 1, best = NO_FACET;
    v3 start = v3_add_scaled(v3_add_scaled(v3_scale(x, w->u), y, w->v), -sc->start_distance, w->k);
    f64 exact = FAR;
    // Center of the patch and half its size, with a margin for rounding.
    f64 mx = __shfl_sync(ALL_LANES, x, 0) + 3.5 * width, my = __shfl_sync(ALL_LANES, y, 0) + 1.5 * width;
    f32 axes[3][3], low[2], high[2], farthest = FAR, slack = 4e-6f * (f32)sc->start_distance;
    // u, v and k of the wave: depths along k are relative to the center of the scene.
    axes[0][0] = (f32)w->u.x; axes[0][1] = (f32)w->u.y; axes[0][2] = (f32)w->u.z;
    axes[1][0] = (f32)w->v.x; axes[1][1] = (f32)w->v.y; axes[1][2] = (f32)w->v.z;
    axes[2][0] = (f32)w->k.x; axes[2][1] = (f32)w->k.y; axes[2][2] = (f32)w->k.z;
    low[0] = (f32)(mx - 3.5 * width) - slack;
    high[0] = (f32)(mx + 3.5 * width) + slack;
    low[1] = (f32)(my - 1.5 * width) - slack;
    high[1] = (f32)(my + 1.5 * width) + slack;
    u32 stack[STACK];
    f32 enters[STACK];
    stack[0] = 0u;
    // Nothing has been hit: every box is in range.
    enters[0] = -FAR;
    while (count > 0) {
        count--;
        u32 child = stack[count];
        if (enters[count] > farthest) continue;
        if (child & LEAF_BIT) {
            GLOBAL const i32 *leaf = sc->leaves + LEAF_FACETS * (i64)(child & ~LEAF_BIT);
            // All rays test the same facets: the loads are broadcasts.
            for (i32 i = 0; i < LEAF_FACETS && leaf[i] >= 0; i++) {
                f64 t = facet_distance(sc, leaf[i], start, w->k);
                if (t >= 0.0 && t < exact) {
                    exact = t;
                    best = leaf[i];
                }
            }
            // The farthest hit of all lanes bounds the traversal of the warp.
            f32 far = best < 0 ? FAR : (f32)(exact - sc->start_distance) + slack;
            for (i32 gap = 16; gap > 0; gap >>= 1) far = fmax(far, __shfl_xor_sync(ALL_LANES, far, gap));
            farthest = far;
            continue;
        }
        GLOBAL const u32 *node = sc->nodes + NODE_WORDS * (i64)child;
        GLOBAL const f32 *numbers = (GLOBAL const f32 *)node;
        // Lanes 8 to 31 repeat the work of lanes 0 to 7; their ballots are masked out.
        i32 own = lane & 7, between = own < (i32)node[NODE_COUNT];
        f32 begin = 0.0f;
        UNROLL
        for (i32 a = 0; a < 3; a++) {
            f32 from = 0.0f, to = 0.0f;
            UNROLL
            // Extent of the box along the axis: for each coordinate, the smaller and the larger
            // product with its two planes.
            for (i32 i = 0; i < 3; i++) {
                f32 near = axes[a][i] * (numbers[NODE_ORIGIN + i] + numbers[NODE_STEP + i] * plane_of(node, i, own));
                f32 far = axes[a][i] * (numbers[NODE_ORIGIN + i] + numbers[NODE_STEP + i] * plane_of(node, i + 3, own));
                from += fmin(near, far);
                to += fmax(near, far);
            }
            // Across the patch the box must overlap it; along
            // the rays it must begin before the farthest hit.
            between &= a == 2 ? from - slack <= farthest : from <= high[a] && to >= low[a];
            begin = from - slack;
        }
        u32 boxes = __ballot_sync(ALL_LANES, between) & 0xffu;
        // The nearest child goes on top of the stack, to shorten the rays early; the others follow in any order.
        f32 nearest = FAR;
        u32 top = 0u;
        while (boxes) {
            i32 i = __ffs(boxes) - 1;
            boxes &= boxes - 1u;
            f32 enter = __shfl_sync(ALL_LANES, begin, i);
            u32 put = node[NODE_CHILDREN + i];
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
                stack[count++] = put;
            }
        }
        if (nearest < FAR) {
            enters[count] = nearest;
            stack[count++] = top;
        }
    }
    return best;
}

#elif defined(KD_TREE)

// A kd-tree traces a ray over all of its bounces in one pass: first hits are not needed.
DEVICE i32 first_hit(const scene *sc, const wave *w, f64 width, f64 x, f64 y) { return 0; }

#else

DEVICE i32 first_hit(const scene *sc, const wave *w, f64 width, f64 x, f64 y) {
    i32 leaf = -1;
    return closest(sc, primary_origin(sc, v3_add_scaled(v3_scale(x, w->u), y, w->v), w->k), w->k, NO_FACET, &leaf);
}

#endif

// Traces a ray from its first facet over all reflections and returns their number.
DEVICE i32 trace_path(const scene *sc, const wave *w, f64 x, f64 y, i32 facet, i32 *path) {
    ray_differential t = ray_new(w, x, y);
    i32 bounces = 0, leaf = -1;
#ifdef KD_TREE
    facet = closest(sc, primary_origin(sc, t.point, w->k), w->k, NO_FACET, &leaf);
#endif
    while (facet >= 0) {
        ray_reflect(sc, &t, facet);
        path[bounces++] = facet;
        // The last bounce needs no further search: what it would hit is beyond the maximum.
        if (bounces == BOUNCES) break;
        facet = closest(sc, t.point, t.direction, facet, &leaf);
    }
    return bounces;
}

// First facets of the rays of all blocks, offset from the grid by a fraction of a tube.
KERNEL primary_hits(
    SCENE_PARAMS, GLOBAL const f64 *waves,
    GLOBAL const i32 *blocks, f64 width, f64 offset, GLOBAL i32 *first) {
    // The grid covers whole blocks exactly: no bounds check, which would split warps.
    i64 item = GLOBAL_ID(0), slot = item / (RAYS * RAYS);
    scene sc;
    LOAD_SCENE(sc);
    i32 x, y;
    ray_in_block(item, &x, &y);
    wave w = wave_at(waves, blocks[BLOCK_STRIDE * slot + BLOCK_WAVE]);
    first[item] = first_hit(&sc, &w, width, w.corner[0] + width * (blocks[BLOCK_STRIDE * slot + BLOCK_X] + x + offset), w.corner[1] + width * (blocks[BLOCK_STRIDE * slot + BLOCK_Y] + y + offset));
}

// Last facets of the rays, row by row.
KERNEL reflections(
    SCENE_PARAMS, GLOBAL const f64 *waves,
    GLOBAL const i32 *blocks, f64 width, GLOBAL const i32 *first, GLOBAL i32 *last) {
    i64 item = GLOBAL_ID(0), slot = item / (RAYS * RAYS);
    scene sc;
    LOAD_SCENE(sc);
    i32 x, y, path[BOUNCES];
    ray_in_block(item, &x, &y);
    wave w = wave_at(waves, blocks[BLOCK_STRIDE * slot + BLOCK_WAVE]);
    i32 bounces = trace_path(&sc, &w, w.corner[0] + width * (blocks[BLOCK_STRIDE * slot + BLOCK_X] + x), w.corner[1] + width * (blocks[BLOCK_STRIDE * slot + BLOCK_Y] + y), first[item], path);
    // Row by row, in contrast to the order of work items:
    // tubes read the rays of their corners by row.
    last[slot * (RAYS * RAYS) + y * RAYS + x] = bounces > 0 ? path[bounces - 1] : NO_FACET;
}

// Radiates the tubes between the rays. A tube whose corner rays leave from one triangle radiates along its central ray; divergent
// tubes are discarded.
KERNEL radiate_tubes(
    SCENE_PARAMS, GLOBAL const f64 *waves,
    GLOBAL const i32 *blocks, f64 width, GLOBAL const i32 *first, GLOBAL const i32 *last, f64 sample_area, SUM_PARAMS) {
    i64 item = GLOBAL_ID(0), slot = item / (RAYS * RAYS);
    scene sc;
    LOAD_SCENE(sc);
    i32 x, y, wave_index = blocks[BLOCK_STRIDE * slot + BLOCK_WAVE], hits = 0, alike = 1;
    ray_in_block(item, &x, &y);
    wave w = wave_at(waves, wave_index);
    f64 at_x = w.corner[0] + width * (blocks[BLOCK_STRIDE * slot + BLOCK_X] + x + 0.5), at_y = w.corner[1] + width * (blocks[BLOCK_STRIDE * slot + BLOCK_Y] + y + 0.5);
    // The last row and column of rays have no tubes: they
    // belong to the next blocks, which trace them again.
    if (x < RAYS - 1 && y < RAYS - 1) {
        i64 corner_ray = slot * (RAYS * RAYS) + y * RAYS + x;
        for (i32 i = 0; i < 4; i++) {
            i32 corner = last[corner_ray + (i & 1) + (i >> 1) * RAYS];
            hits += corner >= 0;
            alike &= corner == last[corner_ray];
        }
    }
    i32 retained = alike && hits == 4, path[BOUNCES];
    // The hit area of a tube is estimated by the fraction of its corner rays that hit.
    f64 area = 0.25 * hits;
    i32 bounces = retained ? trace_path(&sc, &w, at_x, at_y, first[item], path) : 0;
    // Discarded tubes continue with zero bounces, so that the lanes of a warp add to the sums together.
    add_counts(wave_index, 1 + retained, retained && bounces == 0 ? 0.0 : area, retained ? 0.0 : area, sums);
    // As in the paper: the last facet radiates, and of all shadows that of the first.
    radiator own, shadow;
    own.aperture.corners = shadow.aperture.corners = 0;
    own.aperture.side = shadow.aperture.side = width;
    own.bounces = bounces;
    own.weight = 1.0;
    own.shadow = bounces == 1;
    shadow.bounces = 0;
    aperture_set(&own.aperture, ray_along(&sc, &w, at_x, at_y, path, bounces));
    if (bounces == BOUNCES) {
        i32 at[2];
        at[0] = blocks[BLOCK_STRIDE * slot + BLOCK_X] + x;
        at[1] = blocks[BLOCK_STRIDE * slot + BLOCK_Y] + y;
        f64 each;
        i32 count = sample_count(at, 2, width * width, sample_area, &each);
        // A tube leaves from one triangle: its central ray stands for all of it.
        if (count > 0) add_remaining(&sc, &w, &own.aperture.t, path, wave_index, count * each / (width * width), SUM_VALUES);
    }
#ifdef SHADOW
    shadow.bounces = bounces > 1;
    shadow.weight = 0.0;
    shadow.shadow = 1;
    aperture_set(&shadow.aperture, ray_along(&sc, &w, at_x, at_y, path, bounces > 0));
#endif
    add_far_field(&sc, &w, &own, &shadow, path, wave_index, SUM_VALUES);
}
