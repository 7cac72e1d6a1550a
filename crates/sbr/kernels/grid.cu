// The paper's tubes on a GPU: the plan of crates/sbr/src/cpu/grid.rs, with a work item per ray and per tube in place of the loops.

// The dialect's own switches: BOUNCES, WAVES (frequencies), RECEIVERS (per look), WEIGHT_E, WEIGHT_H; SHADOW, LOSSY, HOT_SPOTS and
// KD_TREE (with KD_NODES and KD_LEAVES) where they apply.

#define RAYS 32

// All rays of a batch of blocks, and where they leave the target; `blocks` has a look and the first ray of each.
KERNEL trace(
    GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *marks,
    GLOBAL const i32 *kd_tags, GLOBAL const f32 *kd_numbers, f64 nearest, f64 back, GLOBAL const f64 *waves,
    GLOBAL const i32 *blocks, GLOBAL i32 *last, f64 width, i64 rays) {
    i64 item = GLOBAL_ID(0);
    if (item >= rays) return;
    scene sc;
    SCENE(sc);
    i64 slot = item / (RAYS * RAYS);
    // Items of a warp look at a patch of 8 by 4.
    i32 lane = (i32)(item % (RAYS * RAYS)), part = lane / 32, inner = lane % 32;
    i32 x = (part % 4) * 8 + inner % 8, y = (part / 4) * 4 + inner / 8;
    wave w = wave_at(waves, blocks[3 * slot]);
    i32 way[BOUNCES];
    i32 hits = shoot(&sc, &w, w.corner[0] + width * (blocks[3 * slot + 1] + x), w.corner[1] + width * (blocks[3 * slot + 2] + y), way);
    last[slot * (RAYS * RAYS) + y * RAYS + x] = hits > 0 ? way[hits - 1] : NO_FACET;
}

// The tubes between them: one whose corners leave the same triangle goes to the ray in its middle, others are dropped.
KERNEL tubes(
    GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *marks,
    GLOBAL const i32 *kd_tags, GLOBAL const f32 *kd_numbers, f64 nearest, f64 back, GLOBAL const f64 *waves,
    GLOBAL const i32 *blocks, GLOBAL const i32 *last, f64 width, i64 rays, GLOBAL const f64 *receivers, GLOBAL const f64 *ks,
    GLOBAL const f64 *materials, f64 scale, i32 facet_count, GLOBAL i64 *sums, GLOBAL i32 *seen) {
    i64 item = GLOBAL_ID(0), slot = item / (RAYS * RAYS);
    scene sc;
    SCENE(sc);
    i32 lane = (i32)(item % (RAYS * RAYS)), x = lane % RAYS, y = lane / RAYS, look = blocks[3 * slot], hits = 0, alike = 1;
    wave w = wave_at(waves, look);
    f64 at_x = w.corner[0] + width * (blocks[3 * slot + 1] + x + 0.5), at_y = w.corner[1] + width * (blocks[3 * slot + 2] + y + 0.5);
    if (x < RAYS - 1 && y < RAYS - 1) {
        for (i32 i = 0; i < 4; i++) {
            i32 corner = last[item + (i & 1) + (i >> 1) * RAYS];
            hits += corner >= 0;
            alike &= corner == last[item];
        }
    }
    i32 kept = alike && hits == 4, way[BOUNCES];
    f64 area = 0.25 * hits;
    i32 bounces = kept ? shoot(&sc, &w, at_x, at_y, way) : 0;
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
