// Rays and the wave front close to them: crates/sbr/src/trail.rs and cpu/grid.rs. BOUNCES is the most that a ray may have.

typedef struct {
    v3 point, direction;
    // Length of the path from the wave front through the origin; the field of the vertical wave.
    f64 length;
    v3 v;
    // Change of point and length per meter along u and v of the aperture.
    v3 across[2];
    f64 longer[2];
} trail;

// An incident wave: its direction and two across it, the fields along theta and phi, and where the first ray passes.
typedef struct {
    v3 k, u, v, theta, phi;
    f64 corner[2];
} wave;

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

// Of a ray that passes a place of the aperture.
DEVICE trail trail_new(const wave *w, f64 x, f64 y) {
    trail t;
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

DEVICE trail trail_of(const scene *sc, const wave *w, f64 x, f64 y, const i32 *way, i32 hits) {
    trail t = trail_new(w, x, y);
    for (i32 m = 0; m < hits; m++) trail_bounce(sc, &t, way[m]);
    return t;
}

// Where a ray starts, behind everything.
DEVICE v3 before_everything(const scene *sc, v3 point, v3 direction) {
    return v3_along(point, -(v3_dot(direction, point) + sc->back), direction);
}
