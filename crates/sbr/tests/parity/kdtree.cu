// A corner relative to the ray, sheared so that the ray runs along the axis of its largest component.
DEVICE kd_vec kd_sheared(GLOBAL const f32 *corner, kd_vec origin, kd_vec direction, i32 along) {
    kd_vec p = kd_new(corner[0] - origin.x, corner[1] - origin.y, corner[2] - origin.z);
    i32 first = along == 2 ? 0 : along + 1, second = along == 0 ? 2 : along - 1;
    f32 t = kd_part(p, along) / kd_part(direction, along);
    return kd_new(kd_part(p, first) - kd_part(direction, first) * t,
                  kd_part(p, second) - kd_part(direction, second) * t, t);
}

// The side of an edge on which the ray passes; the products are exact, so that both triangles at an edge agree.
DEVICE f64 kd_side(kd_vec a, kd_vec b) { return (f64)a.x * (f64)b.y - (f64)a.y * (f64)b.x; }

// Distance to a triangle, or KD_FAR (Woop, Benthin and Wald, "Watertight ray/triangle intersection", J. Comput. Graph. Tech. 2
// (2013)): watertight.
DEVICE f32 kd_distance(GLOBAL const f32 *corners, kd_vec origin, kd_vec direction) {
    f32 x = fabs(direction.x), y = fabs(direction.y), z = fabs(direction.z);
    i32 along = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    kd_vec a = kd_sheared(corners, origin, direction, along);
    kd_vec b = kd_sheared(corners + 3, origin, direction, along);
    kd_vec c = kd_sheared(corners + 6, origin, direction, along);
    f64 u = kd_side(b, c), v = kd_side(c, a), w = kd_side(a, b);
    i32 inside = (u >= 0.0 && v >= 0.0 && w >= 0.0) || (u <= 0.0 && v <= 0.0 && w <= 0.0);
    f64 area = u + v + w;
    if (!inside || area == 0.0) return KD_FAR;
    return (f32)((u * a.z + v * b.z + w * c.z) / area);
}

// The first triangle that a ray hits at least `nearest` away, other than the one it was reflected by; -1 for none. `corners` has
// nine numbers per triangle. `leaf` is where the ray starts, or -1, and becomes that of the hit; `hit` becomes its distance.
DEVICE i32 kd_closest(const kd_tree *tree, kd_vec low, kd_vec high, GLOBAL const f32 *corners, kd_vec origin,
                      kd_vec direction, i32 left, f32 nearest, i32 *leaf, f32 *hit) {
    kd_walk walk = kd_ray(origin, direction);
    i32 best = -1;
    f32 best_t = KD_FAR;
    i32 going = kd_start(tree, &walk, low, high, *leaf);
    while (going) {
        i32 end = tree->spans[walk.leaf + 1];
        for (i32 i = tree->spans[walk.leaf]; i < end; i++) {
            i32 id = tree->ids[i];
            f32 t = id == left ? KD_FAR : kd_distance(corners + 9 * (i64)id, origin, direction);
            if (t >= nearest && t < best_t) {
                best = id;
                best_t = t;
            }
        }
        // A triangle may extend beyond its leaf: a hit outside is kept until traversal reaches it.
        going = (best < 0 || best_t > walk.exit) && kd_next(tree, &walk);
    }
    *leaf = best < 0 ? -1 : walk.leaf;
    *hit = best_t;
    return best;
}

// Traces one ray per item over its bounces, passing the leaf from one to the next; hits and distances by ray, then by bounce.
KERNEL kd_bounces(GLOBAL const i32 *tags, GLOBAL const f32 *splits, GLOBAL const f32 *boxes, GLOBAL const i32 *ropes, GLOBAL const i32 *spans, GLOBAL const i32 *ids, GLOBAL const f32 *bounds, GLOBAL const f32 *corners, GLOBAL const f32 *rays, GLOBAL i32 *hits, GLOBAL f32 *distances, i32 bounces, f32 nearest, i64 count) {
    i64 n = GLOBAL_ID(0);
    if (n >= count) return;
    kd_tree tree = {tags, splits, boxes, ropes, spans, ids};
    kd_vec low = kd_new(bounds[0], bounds[1], bounds[2]), high = kd_new(bounds[3], bounds[4], bounds[5]);
    kd_vec o = kd_new(rays[6 * n], rays[6 * n + 1], rays[6 * n + 2]);
    kd_vec d = kd_new(rays[6 * n + 3], rays[6 * n + 4], rays[6 * n + 5]);
    i32 leaf = -1, left = -1;
    for (i32 bounce = 0; bounce < bounces; bounce++) {
        f32 t;
        i32 id = kd_closest(&tree, low, high, corners, o, d, left, bounce == 0 ? 0.0f : nearest, &leaf, &t);
        hits[bounces * n + bounce] = id;
        distances[bounces * n + bounce] = t;
        if (id < 0) return;
        GLOBAL const f32 *p = corners + 9 * (i64)id;
        kd_vec u = kd_new(p[3] - p[0], p[4] - p[1], p[5] - p[2]), v = kd_new(p[6] - p[0], p[7] - p[1], p[8] - p[2]);
        kd_vec m = kd_new(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x);
        f32 turn = 2.0f * (d.x * m.x + d.y * m.y + d.z * m.z) / (m.x * m.x + m.y * m.y + m.z * m.z);
        o = kd_new(o.x + t * d.x, o.y + t * d.y, o.z + t * d.z);
        d = kd_new(d.x - turn * m.x, d.y - turn * m.y, d.z - turn * m.z);
        left = id;
    }
}
