// Ray tubes on a GPU: the plan of crates/sbr/src/cpu, with a work item per ray and per tube in place of the loops.
//
// Sums are kept as whole numbers of a smallest amount. Their order then does not matter, and a run gives the same bits every time.

// The dialect's own switches: BOUNCES, WAVES (frequencies), RECEIVERS (per look), WEIGHT_E, WEIGHT_H, GROUP; SHADOW, LOSSY, PAPER,
// HOT_SPOTS and KD_TREE (with KD_NODES and KD_LEAVES) where they apply.

#define RAYS 32
#define FINEST 32
#define SPLITS_OF_RIMS 5
#define SPLITS 2
#define CHANNELS (WAVES * RECEIVERS)
// Sums of a look: 8 per channel, then rays, area and discarded area.
#define SUMS (8 * CHANNELS + 8)
// Areas are counted in this part of a tube.
#define AREA_UNIT (1.0 / 1048576.0)

#ifdef KD_TREE
// Of the arrays of a kd-tree one after the other: nodes, leaves, and where they begin.
#define KD_SCENE(s)                                                                                          \
    s.kd.tags = kd_tags; s.kd.ropes = kd_tags + KD_NODES; s.kd.spans = s.kd.ropes + 6 * KD_LEAVES;           \
    s.kd.ids = s.kd.spans + KD_LEAVES + 1; s.kd.splits = kd_numbers + 6; s.kd.boxes = kd_numbers + 6 + KD_NODES; \
    s.low = kd_new(kd_numbers[0], kd_numbers[1], kd_numbers[2]);                                             \
    s.high = kd_new(kd_numbers[3], kd_numbers[4], kd_numbers[5])
#else
#define KD_SCENE(s)
#endif
#define SCENE(s)                                                                                             \
    s.nodes = nodes; s.leaves = leaves; s.facets = facets; s.marks = marks; s.nearest = nearest; s.back = back; \
    KD_SCENE(s)

// Adds eight numbers of each item of the group to a place in memory.
DEVICE void group_add(LOCAL_PTR i64 *scratch, const i64 *values, GLOBAL i64 *target) {
    i32 item = LOCAL_ID(0);
#ifdef __CUDA_ARCH__
    for (i32 i = 0; i < 8; i++) {
        i64 sum = values[i];
        for (i32 gap = 16; gap > 0; gap >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, gap);
        if ((item & 31) == 0) scratch[(item >> 5) * 8 + i] = sum;
    }
    const i32 parts = GROUP / 32;
#else
    for (i32 i = 0; i < 8; i++) scratch[item * 8 + i] = values[i];
    const i32 parts = GROUP;
#endif
    BARRIER();
    if (item < 8) {
        i64 sum = 0;
        for (i32 p = 0; p < parts; p++) sum += scratch[p * 8 + item];
        if (sum != 0) ATOMIC_ADD_I64(target + item, sum);
    }
    BARRIER();
}

// Adds what up to two fronts of each item send.
DEVICE void emit(LOCAL_PTR i64 *scratch, const shot *s, const front *fronts, const front *shadows, i32 count, i32 look, f64 scale,
                 GLOBAL const f64 *receivers, GLOBAL const f64 *ks, GLOBAL const f64 *materials, i32 facet_count,
                 GLOBAL i64 *sums) {
#ifdef HOT_SPOTS
    for (i32 i = 0; i < count; i++) {
        f64 parts[8] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        radiate(&s->sc, &s->w, fronts + i, 0, receivers, ks, materials, 0, parts);
#ifdef SHADOW
        radiate(&s->sc, &s->w, shadows + i, 1, receivers, ks, materials, 0, parts);
#endif
        for (i32 ray_ = 0; ray_ < fronts[i].rays; ray_++) {
            i64 place = (i64)(fronts[i].hits - 1) * facet_count + fronts[i].last[ray_];
            for (i32 p = 0; p < 8; p++)
                ATOMIC_ADD_I64(sums + SUMS + 8 * place + p, (i64)(parts[p] * scale / fronts[i].rays));
        }
    }
#else
    for (i32 channel = 0; channel < CHANNELS; channel++) {
        GLOBAL const f64 *receiver = receivers + RECEIVER_NUMBERS * ((i64)look * RECEIVERS + channel / WAVES);
        f64 parts[8] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        for (i32 i = 0; i < count; i++) {
            radiate(&s->sc, &s->w, fronts + i, 0, receiver, ks, materials, channel % WAVES, parts);
#ifdef SHADOW
            if (receiver[9] != 0.0) radiate(&s->sc, &s->w, shadows + i, 1, receiver, ks, materials, channel % WAVES, parts);
#endif
        }
        i64 whole[8];
        for (i32 p = 0; p < 8; p++) whole[p] = (i64)(parts[p] * scale);
        group_add(scratch, whole, sums + (i64)look * SUMS + 8 * channel);
    }
#endif
}

DEVICE void count_up(LOCAL_PTR i64 *scratch, i32 look, i64 rays, f64 area, f64 discarded, GLOBAL i64 *sums) {
    i64 counts[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    counts[0] = rays;
    counts[1] = (i64)(area / AREA_UNIT);
    counts[2] = (i64)(discarded / AREA_UNIT);
    group_add(scratch, counts, sums + (i64)look * SUMS + 8 * CHANNELS);
}

// One ray that stands for a tube.
DEVICE void front_around(const shot *s, front *f, front *shadow, const ray *r, f64 side) {
    trail t = trail_of(&s->sc, &s->w, s->width, r->at, r->way, r->hits);
    front_clear(f);
    front_add(f, &t, 1.0);
    f->side = side;
    front_way(f, &t, r->way, r->hits);
#ifdef SHADOW
    t = trail_of(&s->sc, &s->w, s->width, r->at, r->way, 1);
    front_clear(shadow);
    front_add(shadow, &t, 1.0);
    shadow->side = side;
    front_way(shadow, &t, r->way, 1);
#endif
}

// All rays of a batch of blocks; `blocks` has a look and the first ray of each.
KERNEL trace(GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *marks, GLOBAL const i32 *kd_tags, GLOBAL const f32 *kd_numbers, f64 nearest, f64 back, GLOBAL const f64 *waves, GLOBAL const i32 *blocks, GLOBAL u32 *classes, GLOBAL i32 *ways, f64 width,
             i64 rays) {
    i64 item = GLOBAL_ID(0);
    if (item >= rays) return;
    scene sc;
    SCENE(sc);
    i64 slot = item / (RAYS * RAYS);
    // Items of a warp look at a patch of 8 by 4.
    i32 lane = (i32)(item % (RAYS * RAYS)), part = lane / 32, inner = lane % 32;
    i32 x = (part % 4) * 8 + inner % 8, y = (part / 4) * 4 + inner / 8;
    wave w = wave_at(waves, blocks[3 * slot]);
    ray r;
    shoot(&sc, &w, width, blocks[3 * slot + 1] + x, blocks[3 * slot + 2] + y, &r);
    i64 place = slot * (RAYS * RAYS) + y * RAYS + x;
    classes[2 * place] = r.patches;
    classes[2 * place + 1] = r.facets;
    ways[place] = r.hits;
    for (i32 m = 0; m < r.hits; m++) ways[(m + 1) * rays + place] = r.way[m];
}

DEVICE void load_ray(ray *r, GLOBAL const i32 *ways, i64 rays, i64 place) {
    r->hits = ways[place];
    for (i32 m = 0; m < r->hits; m++) r->way[m] = ways[(m + 1) * rays + place];
}

// The tubes between them: those that hold together are added, the others wait in a queue.
KERNEL tubes(GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *marks, GLOBAL const i32 *kd_tags, GLOBAL const f32 *kd_numbers, f64 nearest, f64 back, GLOBAL const f64 *waves, GLOBAL const i32 *blocks, GLOBAL const u32 *classes, GLOBAL const i32 *ways,
             f64 width, i64 rays, GLOBAL const f64 *receivers, GLOBAL const f64 *ks, GLOBAL const f64 *materials, f64 scale,
             f64 limit, i32 facet_count, GLOBAL i64 *sums, GLOBAL i32 *seen, GLOBAL i32 *queue, GLOBAL i32 *counts,
             GLOBAL const i64 *starts) {
    LOCAL i64 scratch[8 * GROUP];
    shot s;
    SCENE(s.sc);
    i64 item = GLOBAL_ID(0), slot = item / (RAYS * RAYS);
    i32 lane = (i32)(item % (RAYS * RAYS)), x = lane % RAYS, y = lane / RAYS;
    i32 look = blocks[3 * slot], first_x = blocks[3 * slot + 1] + x, first_y = blocks[3 * slot + 2] + y;
    s.w = wave_at(waves, look);
    s.width = width;
    front f, shadow;
    i32 count = 0, centres = 0;
    f64 area = 0.0, discarded = 0.0;
    if (x < RAYS - 1 && y < RAYS - 1) {
        i64 places[4];
        places[0] = slot * (RAYS * RAYS) + y * RAYS + x;
        places[1] = places[0] + 1;
        places[2] = places[0] + RAYS + 1;
        places[3] = places[0] + RAYS;
        i32 patches_alike = 1, facets_alike = 1, hits = 0;
        u32 patches = classes[2 * places[0]], facets = classes[2 * places[0] + 1];
        for (i32 i = 0; i < 4; i++) {
            u32 class_ = classes[2 * places[i]];
            patches_alike &= class_ == patches;
            facets_alike &= classes[2 * places[i] + 1] == facets;
            hits += class_ != 0u;
        }
        ray r;
        r.at[0] = first_x + 0.5;
        r.at[1] = first_y + 0.5;
#ifdef PAPER
        i32 last = -1, alike = hits == 4;
        for (i32 i = 0; i < 4 && alike; i++) {
            i32 own = ways[ways[places[i]] * rays + places[i]];
            alike &= i == 0 || own == last;
            last = own;
        }
        if (alike) {
            shoot(&s.sc, &s.w, width, r.at[0], r.at[1], &r);
            centres = 1;
            if (r.hits > 0) {
                front_around(&s, &f, &shadow, &r, width);
                count = 1;
                area = 1.0;
            }
        } else {
            area = discarded = 0.25 * hits;
        }
#else
        if (facets_alike && patches != 0u) {
            load_ray(&r, ways, rays, places[0]);
            front_around(&s, &f, &shadow, &r, width);
            count = 1;
            area = 1.0;
        } else if (hits > 0) {
            i32 waits = 1;
            if (patches_alike) {
                trail corners[4];
                ray own[4];
                for (i32 i = 0; i < 4; i++) {
                    own[i].at[0] = first_x + (i == 1 || i == 2 ? 1.0 : 0.0);
                    own[i].at[1] = first_y + (i >= 2 ? 1.0 : 0.0);
                    load_ray(own + i, ways, rays, places[i]);
                    corners[i] = trail_of(&s.sc, &s.w, width, own[i].at, own[i].way, own[i].hits);
                }
                if (bend_of(corners, width) <= limit) {
                    waits = 0;
                    front_between(&f, corners, width);
                    for (i32 i = 0; i < 4; i++) front_way(&f, corners + i, own[i].way, own[i].hits);
#ifdef SHADOW
                    for (i32 i = 0; i < 4; i++) corners[i] = trail_of(&s.sc, &s.w, width, own[i].at, own[i].way, 1);
                    front_between(&shadow, corners, width);
                    for (i32 i = 0; i < 4; i++) front_way(&shadow, corners + i, own[i].way, 1);
#endif
                    count = 1;
                    area = 1.0;
                }
            }
            if (waits) {
                i64 place = starts[look] + ATOMIC_ADD_I32(counts + look, 1);
                queue[2 * place] = (i32)places[0];
            }
        }
#endif
        if (count) seen[f.hits] = 1;
    }
    emit(scratch, &s, &f, &shadow, count, look, scale, receivers, ks, materials, facet_count, sums);
    count_up(scratch, look, 1 + centres, area, discarded, sums);
}

// A polygon of the aperture whose rays go one way.
DEVICE f64 front_of_piece(const shot *s, const piece *p, const ray *pool, front *f, front *shadow) {
    f64 part = 1.0 / p->count, mx = 0.0, my = 0.0, area = 0.0;
    i32 alike = 1;
    front_clear(f);
#ifdef SHADOW
    front_clear(shadow);
    shadow->corners = p->count;
#endif
    f->corners = p->count;
    for (i32 i = 0; i < p->count; i++) {
        mx += part * p->corners[i].at[0];
        my += part * p->corners[i].at[1];
        alike &= pool[p->corners[i].of].facets == pool[p->corners[0].of].facets;
    }
    for (i32 i = 0; i < p->count; i++) {
        const ray *r = pool + p->corners[i].of;
        trail t = trail_of(&s->sc, &s->w, s->width, p->corners[i].at, r->way, r->hits);
        front_add(f, &t, part);
        if (i == 0 || !alike) front_way(f, &t, r->way, r->hits);
        f->polygon[2 * i] = s->width * (p->corners[i].at[0] - mx);
        f->polygon[2 * i + 1] = s->width * (p->corners[i].at[1] - my);
#ifdef SHADOW
        t = trail_of(&s->sc, &s->w, s->width, p->corners[i].at, r->way, 1);
        front_add(shadow, &t, part);
        if (i == 0 || !alike) front_way(shadow, &t, r->way, 1);
        shadow->polygon[2 * i] = f->polygon[2 * i];
        shadow->polygon[2 * i + 1] = f->polygon[2 * i + 1];
#endif
    }
    for (i32 i = 0; i < p->count; i++) {
        i32 next = (i + 1) % p->count;
        area += p->corners[i].at[0] * p->corners[next].at[1] - p->corners[i].at[1] * p->corners[next].at[0];
    }
    return 0.5 * fabs(area);
}

// How far the paths over a piece of a tube are from linear.
DEVICE f64 bend_of_piece(const shot *s, const piece *p, const ray *pool, f64 side) {
    const corner *c = p->corners;
    trail first = trail_of(&s->sc, &s->w, s->width, c[0].at, pool[c[0].of].way, pool[c[0].of].hits);
    f64 most = 0.0;
    for (i32 i = 1; i < p->count; i++) {
        const ray *r = pool + c[i].of;
        if (r->facets == pool[c[0].of].facets) continue;
        trail t = trail_of(&s->sc, &s->w, s->width, c[i].at, r->way, r->hits);
        most = fmax(most, slope_change(&first, &t, 0) + slope_change(&first, &t, 1));
    }
    return side * most;
}

// Cuts a tube by patches or facets; the number of pieces, or -1 if it cannot be cut so.
DEVICE i32 fronts_of_pieces(const shot *s, ray *pool, i32 by, f64 side, f64 limit, front *fronts, front *shadows, f64 *area) {
    piece pieces[2];
    if (!cut(s, pool, by, pieces)) return -1;
    for (i32 i = 0; i < 2; i++)
        if (bend_of_piece(s, pieces + i, pool, side) > limit) return -1;
    i32 count = 0;
    for (i32 i = 0; i < 2; i++) {
        if (pool[pieces[i].corners[0].of].patches == 0u) continue;
        *area += front_of_piece(s, pieces + i, pool, fronts + count, shadows + count);
        count++;
    }
    return count;
}

DEVICE i32 ways_among(const ray *pool, i32 by) {
    i32 count = 0;
    for (i32 i = 0; i < 4; i++) {
        i32 is_new = 1;
        for (i32 j = 0; j < i; j++) is_new &= way_of(pool + i, by) != way_of(pool + j, by);
        count += is_new;
    }
    return count;
}

// Adds a tube whole or cut, if it can be; -1 if not. Its corners are the first four of the pool.
LONG_DEVICE i32 settled(const shot *s, ray *pool, f64 side, f64 limit, i32 last, front *fronts, front *shadows, f64 *area) {
    i32 patches = ways_among(pool, BY_PATCHES);
    if (patches == 2) return fronts_of_pieces(s, pool, BY_PATCHES, side, limit, fronts, shadows, area);
    if (patches != 1) return -1;
    i32 facets = ways_among(pool, BY_FACETS);
    trail corners[4];
    for (i32 i = 0; i < 4; i++) corners[i] = trail_of(&s->sc, &s->w, s->width, pool[i].at, pool[i].way, pool[i].hits);
    if (facets == 1 || last || bend_of(corners, side) <= limit) {
        front_between(fronts, corners, side);
        for (i32 i = 0; i < (facets == 1 ? 1 : 4); i++) front_way(fronts, corners + i, pool[i].way, pool[i].hits);
#ifdef SHADOW
        for (i32 i = 0; i < 4; i++) corners[i] = trail_of(&s->sc, &s->w, s->width, pool[i].at, pool[i].way, 1);
        front_between(shadows, corners, side);
        for (i32 i = 0; i < (facets == 1 ? 1 : 4); i++) front_way(shadows, corners + i, pool[i].way, 1);
#endif
        *area += side * side / (s->width * s->width);
        return 1;
    }
    return facets == 2 ? fronts_of_pieces(s, pool, BY_FACETS, side, limit, fronts, shadows, area) : -1;
}

// Puts the four parts of a tube into a queue; zero if that is full.
DEVICE i32 split(i32 x, i32 y, i32 size, GLOBAL i32 *next, GLOBAL i32 *next_count, i64 capacity) {
    i32 place = ATOMIC_ADD_I32(next_count, 4);
    if (place + 4 > capacity) return 0;
    for (i32 i = 0; i < 4; i++) {
        next[2 * (place + i)] = x + (i == 1 || i == 2 ? size / 2 : 0);
        next[2 * (place + i) + 1] = y + (i >= 2 ? size / 2 : 0);
    }
    return 1;
}

// Tubes of the grid that wait: cut, or split.
KERNEL settle_grid(GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *marks, GLOBAL const i32 *kd_tags, GLOBAL const f32 *kd_numbers, f64 nearest, f64 back, GLOBAL const f64 *waves, GLOBAL const i32 *blocks, GLOBAL const u32 *classes, GLOBAL const i32 *ways,
                   f64 width, i64 rays, GLOBAL const f64 *receivers, GLOBAL const f64 *ks, GLOBAL const f64 *materials, f64 scale,
                   f64 limit, i32 facet_count, GLOBAL i64 *sums, GLOBAL i32 *seen, GLOBAL const i32 *queue, GLOBAL const i32 *counts,
                   GLOBAL i32 *next, GLOBAL i32 *next_counts, GLOBAL const i64 *starts, i32 groups_per_look) {
    LOCAL i64 scratch[8 * GROUP];
    i32 look = GROUP_ID(0) / groups_per_look;
    i64 waiting = counts[look], start = starts[look], capacity = starts[look + 1] - start;
    shot s;
    SCENE(s.sc);
    s.w = wave_at(waves, look);
    s.width = width;
    for (i64 base = (i64)(GROUP_ID(0) % groups_per_look) * GROUP; base < waiting; base += (i64)groups_per_look * GROUP) {
        front fronts[2], shadows[2];
        i32 count = 0;
        f64 area = 0.0;
        i64 mine = base + LOCAL_ID(0);
        if (mine < waiting) {
            ray pool[8];
            i64 place = queue[2 * (start + mine)], slot = place / (RAYS * RAYS);
            i32 lane = (i32)(place % (RAYS * RAYS));
            i32 x = blocks[3 * slot + 1] + lane % RAYS, y = blocks[3 * slot + 2] + lane / RAYS;
            for (i32 i = 0; i < 4; i++) {
                i32 right = i == 1 || i == 2, up = i >= 2;
                i64 corner_ = place + right + up * RAYS;
                pool[i].at[0] = x + right;
                pool[i].at[1] = y + up;
                pool[i].patches = classes[2 * corner_];
                pool[i].facets = classes[2 * corner_ + 1];
                load_ray(pool + i, ways, rays, corner_);
            }
            count = settled(&s, pool, width, limit, 0, fronts, shadows, &area);
            if (count < 0) {
                count = 0;
                area = 0.0;
                split(x * FINEST, y * FINEST, FINEST, next + 2 * start, next_counts + look, capacity);
            }
            for (i32 i = 0; i < count; i++) seen[fronts[i].hits] = 1;
        }
        emit(scratch, &s, fronts, shadows, count, look, scale, receivers, ks, materials, facet_count, sums);
        count_up(scratch, look, 0, area, 0.0, sums);
    }
}

// Five rays for each tube that waits: its corners, and the one in its middle.
KERNEL trace_parts(GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *marks, GLOBAL const i32 *kd_tags, GLOBAL const f32 *kd_numbers, f64 nearest, f64 back, GLOBAL const f64 *waves, f64 width, GLOBAL u32 *classes, GLOBAL i32 *ways, i64 rays,
                   GLOBAL const i32 *queue, GLOBAL const i32 *counts, GLOBAL const i64 *starts, i32 depth, i32 groups_per_look) {
    i32 look = GROUP_ID(0) / groups_per_look;
    i64 start = starts[look], capacity = starts[look + 1] - start;
    i64 waiting = 5 * (counts[look] < capacity ? counts[look] : capacity);
    scene sc;
    SCENE(sc);
    wave w = wave_at(waves, look);
    f64 size = (f64)(FINEST >> depth);
    i64 first = (i64)(GROUP_ID(0) % groups_per_look) * GROUP + LOCAL_ID(0);
    for (i64 mine = first; mine < waiting; mine += (i64)groups_per_look * GROUP) {
        i64 tube = start + mine / 5;
        i32 i = (i32)(mine % 5);
        f64 right = i == 4 ? 0.5 : i == 1 || i == 2 ? 1.0 : 0.0, up = i == 4 ? 0.5 : i >= 2 ? 1.0 : 0.0;
        ray r;
        shoot(&sc, &w, width, (queue[2 * tube] + right * size) / FINEST, (queue[2 * tube + 1] + up * size) / FINEST, &r);
        i64 place = 5 * start + mine;
        classes[2 * place] = r.patches;
        classes[2 * place + 1] = r.facets;
        ways[place] = r.hits;
        for (i32 m = 0; m < r.hits; m++) ways[(m + 1) * rays + place] = r.way[m];
    }
}

// Parts of tubes that wait: added whole, cut, split again, or given to the ray in their middle.
KERNEL settle_parts(GLOBAL const u32 *nodes, GLOBAL const i32 *leaves, GLOBAL const f64 *facets, GLOBAL const i32 *marks, GLOBAL const i32 *kd_tags, GLOBAL const f32 *kd_numbers, f64 nearest, f64 back, GLOBAL const f64 *waves, f64 width, GLOBAL const u32 *classes, GLOBAL const i32 *ways, i64 rays,
                    GLOBAL const f64 *receivers, GLOBAL const f64 *ks, GLOBAL const f64 *materials, f64 scale, f64 limit,
                    i32 facet_count, GLOBAL i64 *sums, GLOBAL i32 *seen, GLOBAL const i32 *queue, GLOBAL const i32 *counts,
                    GLOBAL i32 *next, GLOBAL i32 *next_counts, GLOBAL const i64 *starts, i32 depth, i32 groups_per_look) {
    LOCAL i64 scratch[8 * GROUP];
    i32 look = GROUP_ID(0) / groups_per_look;
    i64 start = starts[look], capacity = starts[look + 1] - start;
    i64 waiting = counts[look] < capacity ? counts[look] : capacity;
    shot s;
    SCENE(s.sc);
    s.w = wave_at(waves, look);
    s.width = width;
    i32 size = FINEST >> depth;
    f64 side = width * size / FINEST, part = (f64)size / FINEST;
    for (i64 base = (i64)(GROUP_ID(0) % groups_per_look) * GROUP; base < waiting; base += (i64)groups_per_look * GROUP) {
        front fronts[2], shadows[2];
        i32 count = 0, shots = 0;
        f64 area = 0.0;
        i64 mine = base + LOCAL_ID(0);
        if (mine < waiting) {
            ray pool[8];
            i64 place = 5 * (start + mine);
            i32 x = queue[2 * (start + mine)], y = queue[2 * (start + mine) + 1], most_hits = 0;
            shots = 5;
            for (i32 i = 0; i < 4; i++) {
                pool[i].at[0] = (f64)x / FINEST + (i == 1 || i == 2 ? part : 0.0);
                pool[i].at[1] = (f64)y / FINEST + (i >= 2 ? part : 0.0);
                pool[i].patches = classes[2 * (place + i)];
                pool[i].facets = classes[2 * (place + i) + 1];
                load_ray(pool + i, ways, rays, place + i);
                most_hits = pool[i].hits > most_hits ? pool[i].hits : most_hits;
            }
            i32 last = depth >= (most_hits > 1 ? SPLITS : SPLITS_OF_RIMS);
            if (most_hits > 0) count = settled(&s, pool, side, limit, last, fronts, shadows, &area);
            if (count < 0) {
                count = 0;
                area = 0.0;
                if (last || !split(x, y, size, next + 2 * start, next_counts + look, capacity)) {
                    pool[0].at[0] = (f64)x / FINEST + 0.5 * part;
                    pool[0].at[1] = (f64)y / FINEST + 0.5 * part;
                    load_ray(pool, ways, rays, place + 4);
                    if (pool[0].hits > 0) {
                        front_around(&s, fronts, shadows, pool, side);
                        count = 1;
                        area = part * part;
                    }
                }
            }
            for (i32 i = 0; i < count; i++) seen[fronts[i].hits] = 1;
        }
        emit(scratch, &s, fronts, shadows, count, look, scale, receivers, ks, materials, facet_count, sums);
        count_up(scratch, look, shots, area, 0.0, sums);
    }
}

KERNEL clear_counts(GLOBAL i32 *counts, i64 n) {
    i64 i = GLOBAL_ID(0);
    if (i < n) counts[i] = 0;
}

KERNEL clear_sums(GLOBAL i64 *sums, i64 n) {
    i64 i = GLOBAL_ID(0);
    if (i < n) sums[i] = 0;
}
