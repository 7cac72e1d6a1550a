// Rays and the wave front close to them: crates/sbr/src/trail.rs and cpu/block.rs. BOUNCES is the most that a ray may have.

typedef struct {
    v3 point, direction;
    // Length of the path from the wave front through the origin; the field of the vertical wave.
    f64 length;
    v3 v;
    // Change of point and length per metre along u and v of the aperture.
    v3 across[2];
    f64 longer[2];
} trail;

// An incident wave: its direction and two across it, the fields along theta and phi, and where the first ray passes.
typedef struct {
    v3 k, u, v, theta, phi;
    f64 corner[2];
} wave;

typedef struct {
    // Its place in the aperture, counted in tubes.
    f64 at[2];
    // What it met, hashed; zero for nothing.
    u32 patches, facets;
    i32 hits;
    i32 way[BOUNCES];
} ray;

#define WAVE_NUMBERS 17

DEVICE wave wave_at(GLOBAL const f64 *waves, i32 look) {
    GLOBAL const f64 *p = waves + WAVE_NUMBERS * (i64)look;
    wave w;
    w.k = v3_at(p);
    w.u = v3_at(p + 3);
    w.v = v3_at(p + 6);
    w.theta = v3_at(p + 9);
    w.phi = v3_at(p + 12);
    w.corner[0] = p[15];
    w.corner[1] = p[16];
    return w;
}

DEVICE trail trail_new(const wave *w, f64 width, const f64 *at) {
    trail t;
    f64 x = w->corner[0] + width * at[0], y = w->corner[1] + width * at[1];
    t.point = v3_along(v3_scale(x, w->u), y, w->v);
    t.direction = w->k;
    t.length = 0.0;
    t.v = w->theta;
    t.across[0] = w->u;
    t.across[1] = w->v;
    t.longer[0] = 0.0;
    t.longer[1] = 0.0;
    return t;
}

DEVICE void trail_bounce(const scene *sc, trail *t, i32 facet) {
    v3 n = facet_normal(sc, facet);
    f64 cosine = v3_dot(t->direction, n), along = 1.0 / cosine;
    f64 far = v3_dot(v3_sub(facet_corner(sc, facet, 0), t->point), n) * along;
    t->point = v3_along(t->point, far, t->direction);
    t->length += far;
    UNROLL
    for (i32 axis = 0; axis < 2; axis++) {
        f64 shift = -v3_dot(t->across[axis], n) * along;
        t->across[axis] = v3_along(t->across[axis], shift, t->direction);
        t->longer[axis] += shift;
    }
    t->v = v3_sub(v3_scale(2.0 * v3_dot(n, t->v), n), t->v);
    t->direction = v3_unit(v3_along(t->direction, -2.0 * cosine, n));
}

LONG_DEVICE trail trail_of(const scene *sc, const wave *w, f64 width, const f64 *at, const i32 *way, i32 hits) {
    trail t = trail_new(w, width, at);
    for (i32 m = 0; m < hits; m++) trail_bounce(sc, &t, way[m]);
    return t;
}

DEVICE u32 extended(u32 class_, u32 surface) {
    u32 x = (((class_ << 9) | (class_ >> 23)) ^ (surface + 1u)) * 0x9e3779b9u;
    x = (x ^ (x >> 16)) * 0x21f0aaadu;
    x = (x ^ (x >> 15)) * 0x735a2d97u;
    return (x ^ (x >> 15)) | 1u;
}

LONG_DEVICE void shoot(const scene *sc, const wave *w, f64 width, f64 x, f64 y, ray *r) {
    r->at[0] = x;
    r->at[1] = y;
    r->patches = 0u;
    r->facets = 0u;
    r->hits = 0;
    trail t = trail_new(w, width, r->at);
    v3 start = v3_along(t.point, -sc->back, w->k);
    i32 leaf = -1, facet = closest(sc, start, w->k, NO_FACET, &leaf);
    while (facet >= 0) {
        u32 side = 2u * (u32)sc->marks[MARKS * (i64)facet] + (v3_dot(t.direction, facet_normal(sc, facet)) < 0.0 ? 1u : 0u);
        r->patches = extended(r->patches, side);
        r->facets = extended(r->facets, (u32)facet);
        trail_bounce(sc, &t, facet);
        r->way[r->hits++] = facet;
        if (r->hits == BOUNCES) break;
        facet = closest(sc, t.point, t.direction, facet, &leaf);
    }
}
