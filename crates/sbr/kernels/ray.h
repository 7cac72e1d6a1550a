// Ray differentials: crates/sbr/src/ray_differential.rs. BOUNCES is the maximum number of reflections.
//
// A ray and its derivatives with respect to its position in the incident aperture (H. Igehy, SIGGRAPH 1999). Parallel rays reflected
// by a plane stay parallel, so the derivatives hold for all rays of a tube.

typedef struct {
    v3 point, direction;
    // Path length from the wavefront through the origin.
    f64 length;
    // E of the theta-polarized incident wave after reflections at conductors. The phi-polarized one
    // follows from it (far_field.h), so that one vector is carried instead of two.
    v3 v;
    // Derivatives of point and length with respect to u and v of the aperture.
    v3 dpoint[2];
    f64 dlength[2];
} ray_differential;

// An incident wave: its direction, the axes u and v of the aperture, both polarizations, and the position of the first ray.
typedef struct {
    v3 k, u, v, theta, phi;
    f64 corner[2];
} wave;

DEVICE wave wave_at(GLOBAL const f64 *waves, i32 index) {
    GLOBAL const f64 *p = waves + WAVE_STRIDE * (i64)index;
    wave w;
    w.k = v3_at(p + WAVE_K);
    w.u = v3_at(p + WAVE_U);
    w.v = v3_at(p + WAVE_V);
    w.theta = v3_at(p + WAVE_THETA);
    w.phi = v3_at(p + WAVE_PHI);
    w.corner[0] = p[WAVE_CORNER];
    w.corner[1] = p[WAVE_CORNER + 1];
    return w;
}

// The ray through a position of the aperture, on the wavefront through the origin.
DEVICE ray_differential ray_new(const wave *w, f64 x, f64 y) {
    ray_differential t;
    t.point = v3_add_scaled(v3_scale(x, w->u), y, w->v);
    t.direction = w->k;
    t.length = 0.0;
    t.v = w->theta;
    t.dpoint[0] = w->u;
    t.dpoint[1] = w->v;
    t.dlength[0] = 0.0;
    t.dlength[1] = 0.0;
    return t;
}

// Propagates to the plane of a facet and reflects there. With t = n.(c - p)/(n.d): p += t d, L += t, d -= 2 (n.d) n, E = 2 (n.E) n - E,
// and dt = -(n.dp)/(n.d) for the derivatives.
DEVICE void ray_reflect(const scene *sc, ray_differential *t, i32 facet) {
    v3 n = facet_normal(sc, facet);
    // One division per reflection: 1/(n.d) serves the path length and both derivatives.
    f64 cosine = v3_dot(t->direction, n), along = 1.0 / cosine;
    f64 far = v3_dot(v3_sub(facet_corner(sc, facet, 0), t->point), n) * along;
    t->point = v3_add_scaled(t->point, far, t->direction);
    t->length += far;
    UNROLL
    for (i32 axis = 0; axis < 2; axis++) {
        f64 shift = -v3_dot(t->dpoint[axis], n) * along;
        t->dpoint[axis] = v3_add_scaled(t->dpoint[axis], shift, t->direction);
        t->dlength[axis] += shift;
    }
    // A conductor reverses the tangential part of E and preserves the normal part.
    t->v = v3_sub(v3_scale(2.0 * v3_dot(n, t->v), n), t->v);
    // Normalized: |d| would otherwise drift by one rounding
    // error per bounce, and with it the path length.
    t->direction = v3_unit(v3_add_scaled(t->direction, -2.0 * cosine, n));
}

// The ray after the reflections of a path.
DEVICE ray_differential ray_along(const scene *sc, const wave *w, f64 x, f64 y, const i32 *path, i32 bounces) {
    ray_differential t = ray_new(w, x, y);
    // Facets are known already: no search, and the same arithmetic as the trace that found them.
    for (i32 m = 0; m < bounces; m++) ray_reflect(sc, &t, path[m]);
    return t;
}

// Origin of a primary ray, outside the bounding sphere.
DEVICE v3 primary_origin(const scene *sc, v3 point, v3 direction) {
    return v3_add_scaled(point, -(v3_dot(direction, point) + sc->start_distance), direction);
}
