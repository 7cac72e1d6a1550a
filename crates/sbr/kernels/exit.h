// What leaves the target through a tube: crates/sbr/src/front.rs, footprint.rs and exit.rs.

// What leaves on a piece of surface, about the point that stands for the tube.
typedef struct {
    trail t;
    // Normal times area per area of the aperture, on the side where the wave leaves.
    v3 area;
    // A square with this side, or a polygon with so many corners.
    f64 side;
    i32 corners;
    f64 polygon[2 * MOST_CORNERS];
} front;

DEVICE void front_on(front *f, trail t) {
    f->t = t;
    f->area = v3_cross(t.across[0], t.across[1]);
    if (v3_dot(f->area, t.direction) < 0.0) f->area = v3_scale(-1.0, f->area);
}

// sin x/x, from the sine.
DEVICE f64 sinc_of(f64 x, f64 sine) { return fabs(x) < SHORT_EDGE ? 1.0 - x * x / 6.0 : sine / x; }

// The integral over the aperture towards a receiver, at one wavenumber after the other: phases per wavenumber, and their turns now. At
// even steps every phase turns by the same angle from each wavenumber to the next, and no more sines are taken.
typedef struct {
    i32 count;
    f64 phases[MOST_CORNERS];
    c64 turns[MOST_CORNERS], steps[MOST_CORNERS];
    // Of a square or a flat polygon its area; of others zero, and what their sides weigh.
    f64 area;
    f64 weights[MOST_CORNERS];
} spectrum;

DEVICE void spectrum_of(spectrum *a, const front *f, v3 s, f64 highest) {
    const trail *t = &f->t;
    f64 middle = v3_dot(s, t->point) - t->length;
    f64 gu = v3_dot(s, t->across[0]) - t->longer[0], gv = v3_dot(s, t->across[1]) - t->longer[1];
    i32 n = f->corners;
    a->phases[0] = middle;
    if (n == 0) {
        a->count = 3;
        a->phases[1] = 0.5 * f->side * gu;
        a->phases[2] = 0.5 * f->side * gv;
        a->area = f->side * f->side;
        return;
    }
    // The centroid, from the triangles between the first corner and each side.
    const f64 *p = f->polygon;
    f64 area = 0.0, cx = 0.0, cy = 0.0;
    for (i32 m = 1; m + 1 < n; m++) {
        f64 ax = p[2 * m] - p[0], ay = p[2 * m + 1] - p[1], bx = p[2 * m + 2] - p[0], by = p[2 * m + 3] - p[1];
        f64 part = 0.5 * (ax * by - ay * bx);
        area += part;
        cx += part * (ax + bx) / 3.0;
        cy += part * (ay + by) / 3.0;
    }
    f64 steepness = gu * gu + gv * gv;
    if (steepness * highest * highest * fabs(area) < FLAT_PHASE) {
        a->count = 1;
        a->area = fabs(area);
        a->phases[0] += gu * (p[0] + (area == 0.0 ? 0.0 : cx / area)) + gv * (p[1] + (area == 0.0 ? 0.0 : cy / area));
        return;
    }
    a->count = n;
    a->area = 0.0;
    f64 sign = area < 0.0 ? -1.0 : 1.0;
    for (i32 m = 0; m < n; m++) {
        i32 next = m + 1 == n ? 0 : m + 1;
        a->phases[m] = middle + gu * p[2 * m] + gv * p[2 * m + 1];
        a->weights[m] = sign * (gu * (p[2 * next + 1] - p[2 * m + 1]) - gv * (p[2 * next] - p[2 * m])) / steepness;
    }
}

// Goes to a wavenumber: the first, or one that is `step` after the last, if that is always the same.
DEVICE void spectrum_go(spectrum *a, i32 number, f64 k, f64 step) {
    for (i32 m = 0; m < a->count; m++) {
        if (number == 0 && step != 0.0) a->steps[m] = c64_expj(step * a->phases[m]);
        a->turns[m] = number > 0 && step != 0.0 ? c64_mul(a->turns[m], a->steps[m]) : c64_expj(k * a->phases[m]);
    }
}

DEVICE c64 spectrum_at(const spectrum *a, f64 k) {
    if (a->count == 1) return c64_scale(a->area, a->turns[0]);
    if (a->area > 0.0)
        return c64_scale(a->area * sinc_of(k * a->phases[1], a->turns[1].im) * sinc_of(k * a->phases[2], a->turns[2].im), a->turns[0]);
    c64 sum = c64_new(0.0, 0.0);
    for (i32 m = 0; m < a->count; m++) {
        i32 next = m + 1 == a->count ? 0 : m + 1;
        f64 half_turn = 0.5 * k * (a->phases[next] - a->phases[m]);
        c64 mean;
        if (fabs(half_turn) < SHORT_EDGE)
            mean = c64_scale(0.5 + half_turn * half_turn / 6.0, c64_add(a->turns[m], a->turns[next]));
        else
            mean = c64_mul(c64_sub(a->turns[next], a->turns[m]), c64_new(0.0, -0.5 / half_turn));
        sum = c64_add(sum, c64_scale(a->weights[m], mean));
    }
    return c64_mul(sum, c64_new(0.0, -1.0 / k));
}

typedef struct { v3 re, im; } field;

#ifdef LOSSY
// Layers of each material at each frequency, LAYERS of 5 numbers (permittivity, permeability, thickness; 0 ends them), after two:
// 0 conductor, 1 half space, 2 coated; and the number of layers.
#define MATERIAL_NUMBERS (2 + 5 * LAYERS)
#define ETA0 376.730313412

// kz over k0, and impedances for both polarizations.
DEVICE c64 impedances(GLOBAL const f64 *m, f64 cosine, c64 *te, c64 *tm) {
    c64 eps = c64_new(m[0], m[1]), mu = c64_new(m[2], m[3]);
    c64 root = c64_sqrt(c64_sub(c64_mul(eps, mu), c64_new(1.0 - cosine * cosine, 0.0)));
    if (root.im > 0.0) root = c64_neg(root);
    *te = c64_scale(ETA0, c64_div(mu, root));
    *tm = c64_scale(ETA0, c64_div(root, eps));
    return root;
}

DEVICE c64 over_layer(c64 below, c64 own, c64 up, c64 down) {
    c64 above = c64_add(c64_mul(below, down), c64_mul(own, up));
    return c64_div(c64_mul(own, above), c64_add(c64_mul(own, down), c64_mul(below, up)));
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
    c64 a = c64_mul(across, field_along(f, e)), b = c64_mul(along, field_along(f, v3_cross(k_in, e)));
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
            materials + MATERIAL_NUMBERS * ((i64)sc->marks[MARKS * (i64)way[m]] * WAVES + w);
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

// Adds what a front after some bounces sends to a receiver, as vv, vh, hv, hh, each with its real and imaginary part. `direct` marks
// the incident wave on the first facet.
LONG_DEVICE void radiate(const scene *sc, const wave *w, const front *f, c64 integral, const i32 *way, i32 hits, i32 direct,
                         GLOBAL const f64 *receiver, f64 k, GLOBAL const f64 *materials, i32 number, f64 *sums) {
    // Rays along a facet have no footprint.
    if (!(v3_dot(f->area, f->area) < 1e300)) return;
    f64 we = direct ? 1.0 : WEIGHT_E, wh = direct ? 1.0 : WEIGHT_H;
    v3 theta = v3_at(receiver + 3), phi = v3_at(receiver + 6);
    c64 amount = c64_mul(c64_new(0.0, k / (4.0 * PI)), integral);
    v3 direction = direct ? w->k : f->t.direction;
    field fields[2];
    fields[0].im = fields[1].im = v3_new(0.0, 0.0, 0.0);
    if (direct) {
        fields[0].re = w->theta;
        fields[1].re = w->phi;
    } else {
#ifdef LOSSY
        fields[0] = reflected(sc, materials, number, k, w->k, w->theta, way, hits);
        fields[1] = reflected(sc, materials, number, k, w->k, w->phi, way, hits);
#else
        fields[0].re = f->t.v;
        fields[1].re = v3_scale((hits & 1) ? 1.0 : -1.0, v3_cross(direction, f->t.v));
#endif
    }
    v3 n_theta = v3_cross(f->area, theta), n_phi = v3_cross(f->area, phi);
    v3 to[2];
    to[0] = v3_along(v3_scale(-we, n_phi), wh, v3_cross(n_theta, direction));
    to[1] = v3_along(v3_scale(we, n_theta), wh, v3_cross(n_phi, direction));
    for (i32 i = 0; i < 4; i++) {
        field e = fields[i & 1];
        c64 sent = c64_mul(amount, c64_new(v3_dot(to[i >> 1], e.re), v3_dot(to[i >> 1], e.im)));
        sums[2 * i] += sent.re;
        sums[2 * i + 1] += sent.im;
    }
}

// Sums are kept as whole numbers of a smallest amount. Their order then does not matter, and a run gives the same bits every time.
#define CHANNELS (WAVES * RECEIVERS)
// Sums of a look: 8 per channel, then rays, area and discarded area.
#define SUMS (8 * CHANNELS + 8)
// Areas are counted in this part of a tube.
#define AREA_UNIT (1.0 / 1048576.0)
// What tubes are added to.
#define SUM_ARGS                                                                                             \
    GLOBAL const f64 *receivers, GLOBAL const f64 *ks, GLOBAL const f64 *materials, f64 scale, i32 facet_count, GLOBAL i64 *sums, GLOBAL i32 *seen
#define SUM_VALUES receivers, ks, materials, scale, facet_count, sums, seen

// Adds a number to a place in memory; the items of a warp together if they all have the same place.
DEVICE void add_whole(GLOBAL i64 *target, i64 value) {
#ifdef __CUDA_ARCH__
    u32 active = __activemask();
    i32 alike = 0;
    __match_all_sync(active, (u64)target, &alike);
    if (alike && active == 0xffffffffu) {
        for (i32 gap = 16; gap > 0; gap >>= 1) value += __shfl_xor_sync(0xffffffffu, value, gap);
        if ((LOCAL_ID(0) & 31) != 0) return;
    }
#endif
    if (value != 0) ATOMIC_ADD_I64(target, value);
}

// Adds a tube to the sums of a look, or to the facet that it left; one without bounces sends nothing.
DEVICE void emit(const scene *sc, const wave *w, const front *f, const front *shadow, const i32 *way, i32 hits, i32 look, SUM_ARGS) {
    if (hits > 0) seen[hits] = 1;
#ifdef HOT_SPOTS
    GLOBAL i64 *target = sums + SUMS + (hits > 0 ? 8 * ((i64)(hits - 1) * facet_count + way[hits - 1]) : 0);
#else
    GLOBAL i64 *target = sums + (i64)look * SUMS;
#endif
    f64 highest_k = ks[WAVES], step_k = ks[WAVES + 1];
    spectrum own, direct;
    for (i32 r = 0; r < RECEIVERS; r++) {
        GLOBAL const f64 *receiver = receivers + RECEIVER_NUMBERS * ((i64)look * RECEIVERS + r);
        if (hits > 0) spectrum_of(&own, f, v3_at(receiver), highest_k);
#ifdef SHADOW
        i32 has_shadow = hits > 0 && receiver[9] != 0.0;
        if (has_shadow) spectrum_of(&direct, shadow, v3_at(receiver), highest_k);
#endif
        for (i32 number = 0; number < WAVES; number++) {
            f64 k = ks[number], parts[8] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
            if (hits > 0) {
                spectrum_go(&own, number, k, step_k);
                radiate(sc, w, f, spectrum_at(&own, k), way, hits, 0, receiver, k, materials, number, parts);
            }
#ifdef SHADOW
            if (has_shadow) {
                spectrum_go(&direct, number, k, step_k);
                radiate(sc, w, shadow, spectrum_at(&direct, k), way, 1, 1, receiver, k, materials, number, parts);
            }
#endif
            for (i32 p = 0; p < 8; p++) add_whole(target + 8 * (r * WAVES + number) + p, (i64)(parts[p] * scale));
        }
    }
}

// Counts rays, and areas in tubes.
DEVICE void count_up(i32 look, i64 rays, f64 area, f64 discarded, GLOBAL i64 *sums) {
    GLOBAL i64 *target = sums + (i64)look * SUMS + 8 * CHANNELS;
    add_whole(target, rays);
    add_whole(target + 1, (i64)(area / AREA_UNIT));
    add_whole(target + 2, (i64)(discarded / AREA_UNIT));
}

KERNEL clear_counts(GLOBAL i32 *counts, i64 n) {
    i64 i = GLOBAL_ID(0);
    if (i < n) counts[i] = 0;
}

KERNEL clear_sums(GLOBAL i64 *sums, i64 n) {
    i64 i = GLOBAL_ID(0);
    if (i < n) sums[i] = 0;
}
