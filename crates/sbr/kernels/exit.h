// What leaves the target through a tube: crates/sbr/src/front.rs, footprint.rs and exit.rs.

#define MOST_CORNERS 8
#define FLAT_PHASE 1e-4
#define SHORT_EDGE 1e-3

// What leaves on a piece of surface, about the middle of a tube. Of the rays that stand for it, one if they met the same facets, each
// has its area (normal times area per area of the aperture), direction and field: what they send is added up.
typedef struct {
    v3 point;
    f64 length;
    v3 across[2];
    f64 longer[2];
    v3 area[MOST_CORNERS], direction[MOST_CORNERS], v[MOST_CORNERS];
    // What is left of the field as the tube widens.
    f64 spreading;
    // A square with this side, or a polygon with so many corners.
    f64 side;
    i32 corners;
    f64 polygon[2 * MOST_CORNERS];
    // Bounces, how many rays there are, their last facets and, where that matters, all of them.
    i32 hits, rays;
    i32 last[MOST_CORNERS];
#ifdef LOSSY
    i32 way[MOST_CORNERS][BOUNCES];
#endif
} front;

#define FOCUS 0.25

DEVICE void front_clear(front *f) {
    v3 zero = v3_new(0.0, 0.0, 0.0);
    f->point = f->across[0] = f->across[1] = zero;
    f->spreading = 1.0;
    f->length = f->longer[0] = f->longer[1] = 0.0;
    f->side = 0.0;
    f->corners = 0;
    f->hits = 0;
    f->rays = 0;
}

// On the side where the wave leaves.
DEVICE v3 facing(const v3 *across, v3 direction) {
    v3 area = v3_cross(across[0], across[1]);
    return v3_dot(area, direction) < 0.0 ? v3_scale(-1.0, area) : area;
}

// Adds a part of a trail to the mean of places.
DEVICE void front_add(front *f, const trail *t, f64 part) {
    f->point = v3_along(f->point, part, t->point);
    f->length += part * t->length;
    UNROLL
    for (i32 axis = 0; axis < 2; axis++) {
        f->across[axis] = v3_along(f->across[axis], part, t->across[axis]);
        f->longer[axis] += part * t->longer[axis];
    }
}

// Notes a ray that stands for it.
DEVICE void front_way(front *f, const trail *t, const i32 *way, i32 hits) {
    f->area[f->rays] = facing(t->across, t->direction);
    f->direction[f->rays] = t->direction;
    f->v[f->rays] = t->v;
    f->hits = hits;
    f->last[f->rays] = way[hits - 1];
#ifdef LOSSY
    for (i32 m = 0; m < hits; m++) f->way[f->rays][m] = way[m];
#endif
    f->rays++;
}

// Of the corners of a square, along the two axes.
#define SIDE_FROM(axis, i) ((axis) == 0 ? ((i) == 0 ? 0 : 3) : ((i) == 0 ? 0 : 1))
#define SIDE_TO(axis, i) ((axis) == 0 ? ((i) == 0 ? 1 : 2) : ((i) == 0 ? 3 : 2))

DEVICE f64 slope_change(const trail *a, const trail *b, i32 axis) {
    v3 d = v3_sub(a->across[axis], b->across[axis]);
    return sqrt(v3_dot(d, d)) + fabs(a->longer[axis] - b->longer[axis]);
}

DEVICE f64 bend_of(const trail *corners, f64 side) {
    f64 most = 0.0;
    for (i32 axis = 0; axis < 2; axis++)
        for (i32 i = 0; i < 2; i++)
            most = fmax(most, slope_change(corners + SIDE_FROM(axis, i), corners + SIDE_TO(axis, i), axis));
    return side * most;
}

DEVICE void front_between(front *f, const trail *corners, f64 side) {
    front_clear(f);
    for (i32 i = 0; i < 4; i++) front_add(f, corners + i, 0.25);
    f->side = side;
    for (i32 axis = 0; axis < 2; axis++) {
        v3 run = v3_new(0.0, 0.0, 0.0), turn = run;
        f64 run_length = 0.0, turn_length = 0.0;
        for (i32 i = 0; i < 2; i++) {
            const trail *a = corners + SIDE_FROM(axis, i), *b = corners + SIDE_TO(axis, i);
            run = v3_add(run, v3_sub(b->point, a->point));
            run_length += b->length - a->length;
            turn = v3_add(turn, v3_sub(b->across[axis], a->across[axis]));
            turn_length += b->longer[axis] - a->longer[axis];
        }
        f->across[axis] = v3_scale(0.5 / side, run);
        f->longer[axis] = run_length * (0.5 / side);
        f->point = v3_along(f->point, -0.5 * side / 12.0, turn);
        f->length -= 0.5 * side / 12.0 * turn_length;
    }
    v3 direction = v3_new(0.0, 0.0, 0.0);
    for (i32 i = 0; i < 4; i++) direction = v3_along(direction, 0.25, corners[i].direction);
    f->spreading = 1.0 / sqrt(fmax(fabs(v3_dot(v3_cross(f->across[0], f->across[1]), direction)), FOCUS));
}

DEVICE f64 sinc_of(f64 x) { return fabs(x) < SHORT_EDGE ? 1.0 - x * x / 6.0 : sin(x) / x; }

// The integral over the aperture at one wavenumber, towards s.
DEVICE c64 front_integral(const front *f, v3 s, f64 k, f64 highest) {
    f64 middle = v3_dot(s, f->point) - f->length;
    f64 gu = v3_dot(s, f->across[0]) - f->longer[0], gv = v3_dot(s, f->across[1]) - f->longer[1];
    if (f->corners == 0) {
        f64 size = f->side * f->side * sinc_of(0.5 * k * f->side * gu) * sinc_of(0.5 * k * f->side * gv);
        return c64_scale(size, c64_expj(k * middle));
    }
    i32 n = f->corners;
    f64 area = 0.0, cx = 0.0, cy = 0.0;
    for (i32 m = 0; m < n; m++) {
        i32 next = m + 1 == n ? 0 : m + 1;
        area += 0.5 * (f->polygon[2 * m] * f->polygon[2 * next + 1] - f->polygon[2 * m + 1] * f->polygon[2 * next]);
        cx += f->polygon[2 * m] / n;
        cy += f->polygon[2 * m + 1] / n;
    }
    f64 steepness = gu * gu + gv * gv;
    if (steepness * highest * highest * fabs(area) < FLAT_PHASE)
        return c64_scale(fabs(area), c64_expj(k * (middle + gu * cx + gv * cy)));
    c64 sum = c64_new(0.0, 0.0);
    f64 sign = area < 0.0 ? -1.0 : 1.0;
    for (i32 m = 0; m < n; m++) {
        i32 next = m + 1 == n ? 0 : m + 1;
        f64 ax = f->polygon[2 * m], ay = f->polygon[2 * m + 1];
        f64 bx = f->polygon[2 * next], by = f->polygon[2 * next + 1];
        f64 weight = sign * (gu * (by - ay) - gv * (bx - ax)) / steepness;
        f64 low = middle + gu * ax + gv * ay, high = middle + gu * bx + gv * by;
        f64 mean = sinc_of(0.5 * k * (high - low));
        sum = c64_add(sum, c64_scale(weight * mean, c64_expj(0.5 * k * (low + high))));
    }
    return c64_mul(sum, c64_new(0.0, -1.0 / k));
}

typedef struct { v3 re, im; } field;

#ifdef LOSSY
// Layers of each material at each frequency, LAYERS of 5 numbers (permittivity, permeability, thickness; 0 ends them), after two:
// 0 conductor, 1 half space, 2 coated; and the number of layers.
#define MATERIAL_NUMBERS (2 + 5 * LAYERS)
#define ETA0 376.730313412

DEVICE c64 times(c64 a, c64 b) { return c64_mul(a, b); }

// kz over k0, and impedances for both polarisations.
DEVICE c64 impedances(GLOBAL const f64 *m, f64 cosine, c64 *te, c64 *tm) {
    c64 eps = c64_new(m[0], m[1]), mu = c64_new(m[2], m[3]);
    c64 root = c64_sqrt(c64_sub(times(eps, mu), c64_new(1.0 - cosine * cosine, 0.0)));
    if (root.im > 0.0) root = c64_neg(root);
    *te = c64_scale(ETA0, c64_div(mu, root));
    *tm = c64_scale(ETA0, c64_div(root, eps));
    return root;
}

DEVICE c64 over_layer(c64 below, c64 own, c64 up, c64 down) {
    c64 above = c64_add(times(below, down), times(own, up));
    return c64_div(times(own, above), c64_add(times(own, down), times(below, up)));
}

DEVICE void reflection_of(GLOBAL const f64 *material, f64 k, f64 cosine, c64 *across, c64 *along) {
    c64 te = c64_new(0.0, 0.0), tm = te, own_te, own_tm;
    if (material[0] == 1.0) {
        impedances(material + 2, cosine, &te, &tm);
    } else {
        for (i32 i = 0; i < (i32)material[1]; i++) {
            GLOBAL const f64 *layer = material + 2 + 5 * i;
            c64 root = impedances(layer, cosine, &own_te, &own_tm);
            f64 path = 2.0 * k * layer[4];
            c64 trip = c64_exp(c64_new(path * root.im, -path * root.re));
            c64 up = c64_new(1.0 - trip.re, -trip.im), down = c64_new(1.0 + trip.re, trip.im);
            te = over_layer(te, own_te, up, down);
            tm = over_layer(tm, own_tm, up, down);
        }
    }
    c64 zc = c64_scale(cosine, te), eta = c64_new(ETA0, 0.0), slant = c64_new(ETA0 * cosine, 0.0);
    *across = c64_div(c64_sub(zc, eta), c64_add(zc, eta));
    *along = c64_neg(c64_div(c64_sub(tm, slant), c64_add(tm, slant)));
}

DEVICE c64 field_along(field f, v3 a) { return c64_new(v3_dot(f.re, a), v3_dot(f.im, a)); }

DEVICE field field_reflected(field f, v3 k_in, v3 k_out, v3 n, c64 across, c64 along) {
    v3 e = v3_cross(k_in, n);
    f64 size = sqrt(v3_dot(e, e));
    if (size > 0.0) {
        e = v3_scale(1.0 / size, e);
    } else {
        // At normal incidence every direction across will do.
        v3 other = fabs(n.x) < 0.5 ? v3_new(1.0, 0.0, 0.0) : v3_new(0.0, 1.0, 0.0);
        e = v3_unit(v3_cross(n, other));
    }
    c64 a = times(across, field_along(f, e)), b = times(along, field_along(f, v3_cross(k_in, e)));
    v3 out = v3_cross(k_out, e);
    field r;
    r.re = v3_along(v3_scale(a.re, e), b.re, out);
    r.im = v3_along(v3_scale(a.im, e), b.im, out);
    return r;
}

// What is left of an incident field at the end of a way.
DEVICE field reflected(const scene *sc, GLOBAL const f64 *materials, i32 w, f64 k, v3 k_in, v3 e, const i32 *way, i32 hits) {
    field f;
    f.re = e;
    f.im = v3_new(0.0, 0.0, 0.0);
    for (i32 m = 0; m < hits; m++) {
        v3 n = facet_normal(sc, way[m]);
        if (v3_dot(k_in, n) > 0.0) n = v3_scale(-1.0, n);
        f64 cosine = -v3_dot(k_in, n);
        v3 k_out = v3_along(k_in, 2.0 * cosine, n);
        GLOBAL const f64 *material =
            materials + MATERIAL_NUMBERS * ((i64)sc->marks[MARKS * (i64)way[m] + 1] * WAVES + w);
        c64 across = c64_new(-1.0, 0.0), along = c64_new(1.0, 0.0);
        if (material[0] != 0.0) reflection_of(material, k, cosine, &across, &along);
        f = field_reflected(f, k_in, k_out, n, across, along);
        k_in = k_out;
    }
    return f;
}
#endif

// Of a receiver: s, theta, phi, and whether it sees the shadow.
#define RECEIVER_NUMBERS 10

// Adds what a front sends to a receiver, as vv, vh, hv, hh, each with its real and imaginary part. `direct` marks the incident wave
// on the first facet.
LONG_DEVICE void radiate(const scene *sc, const wave *w, const front *f, i32 direct, GLOBAL const f64 *receiver, GLOBAL const f64 *ks,
                    GLOBAL const f64 *materials, i32 number, f64 *sums) {
    f64 we = direct ? 1.0 : WEIGHT_E * f->spreading, wh = direct ? 1.0 : WEIGHT_H * f->spreading;
    v3 s = v3_at(receiver), theta = v3_at(receiver + 3), phi = v3_at(receiver + 6);
    f64 k = ks[number], part = 1.0 / f->rays;
    c64 amount = c64_mul(c64_new(0.0, k / (4.0 * PI)), front_integral(f, s, k, ks[WAVES]));
    c64 seen[4];
    for (i32 i = 0; i < 4; i++) seen[i] = c64_new(0.0, 0.0);
    for (i32 r = 0; r < f->rays; r++) {
        v3 direction = direct ? w->k : f->direction[r], area = f->area[r];
        // Rays along a facet have no footprint.
        if (!(v3_dot(area, area) < 1e300)) return;
        field fields[2];
        fields[0].im = fields[1].im = v3_new(0.0, 0.0, 0.0);
        if (direct) {
            fields[0].re = w->theta;
            fields[1].re = w->phi;
        } else {
#ifdef LOSSY
            fields[0] = reflected(sc, materials, number, k, w->k, w->theta, f->way[r], f->hits);
            fields[1] = reflected(sc, materials, number, k, w->k, w->phi, f->way[r], f->hits);
#else
            fields[0].re = f->v[r];
            fields[1].re = v3_scale((f->hits & 1) ? 1.0 : -1.0, v3_cross(direction, f->v[r]));
#endif
        }
        v3 n_theta = v3_cross(area, theta), n_phi = v3_cross(area, phi);
        v3 to[2];
        to[0] = v3_along(v3_scale(-we, n_phi), wh, v3_cross(n_theta, direction));
        to[1] = v3_along(v3_scale(we, n_theta), wh, v3_cross(n_phi, direction));
        for (i32 i = 0; i < 4; i++) {
            field e = fields[i & 1];
            seen[i] = c64_add(seen[i], c64_new(part * v3_dot(to[i >> 1], e.re), part * v3_dot(to[i >> 1], e.im)));
        }
    }
    for (i32 i = 0; i < 4; i++) {
        c64 sent = c64_mul(amount, seen[i]);
        sums[2 * i] += sent.re;
        sums[2 * i + 1] += sent.im;
    }
}
