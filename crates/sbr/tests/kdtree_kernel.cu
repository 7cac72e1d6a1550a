// Follows one ray per item over its bounces, with the leaf carried from one to the next; hits and distances by ray, then by bounce.
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
