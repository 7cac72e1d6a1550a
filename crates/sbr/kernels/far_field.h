// Exit apertures, radiation integrals and far fields: crates/sbr/src/exit_aperture.rs, radiation_integral.rs and far_field.rs.
//
// A tube is a plane wave on a planar piece of surface with the normal n, and radiates
//   S_theta = (jk/4 pi) I [(-phi x E) + Z0 (theta x H)].n,   S_phi = (jk/4 pi) I [(theta x E) + Z0 (phi x H)].n,   Z0 H = k x E
// (H. Ling, R.-C. Chou, S.-W. Lee, IEEE Trans. Antennas Propag. 37, 194, 1989), with I the radiation integral of the phase.

// An aperture of a tube, expanded about its reference ray.
typedef struct {
    ray_differential t;
    // Normal on the side of the outgoing wave, times surface area per area of the incident aperture.
    v3 area;
    // Cross section in the incident aperture: a square with this side, or a polygon if `corners` is not zero.
    f64 side;
    i32 corners;
    f64 polygon[2 * MAX_CORNERS];
} exit_aperture;

DEVICE void aperture_set(exit_aperture *f, ray_differential t) {
    f->t = t;
    // n dS = (dp/du x dp/dv) du dv, on the side into which the wave leaves.
    f->area = v3_cross(t.dpoint[0], t.dpoint[1]);
    if (v3_dot(f->area, t.direction) < 0.0) f->area = v3_scale(-1.0, f->area);
}

// sin x/x from the sine, or from its series where x is small.
// The same threshold as on the host (layout.rs): the
// first omitted term is x^4/120, below 1e-14 there.
DEVICE f64 sinc_of(f64 x, f64 sine) { return fabs(x) < SHORT_EDGE ? 1.0 - x * x / 6.0 : sine / x; }

// The radiation integral over a cross section toward a receiver, wavenumber by wavenumber: phases over k, and their phasors at the
// current k. At uniform steps phasors advance by constant factors, which saves all but the first sines and cosines.
//   square:   I = a^2 e^{jk psi} sinc(k g_u a/2) sinc(k g_v a/2)
//   polygon:  I = (1/(jk |g|^2)) sum_m (g.n_m) l_m <e^{jk psi}>_m,   <e^{jk psi}> = (e^{jk psi_b} - e^{jk psi_a})/(jk (psi_b - psi_a))
// (W. B. Gordon, IEEE Trans. Antennas Propag. 23, 590, 1975), with g the gradient of psi and n_m l_m the normal of edge m.
typedef struct {
    i32 count;
    f64 phases[MAX_CORNERS];
    c64 phasors[MAX_CORNERS], steps[MAX_CORNERS];
    // Area of a square or of a polygon with nearly constant phase; zero for others, which have weights (g.n_m) l_m/|g|^2.
    f64 area;
    f64 weights[MAX_CORNERS];
} radiation_integral;

DEVICE void integral_setup(radiation_integral *a, const exit_aperture *f, v3 s, f64 highest) {
    const ray_differential *t = &f->t;
    // psi = s.p - L and its gradient g over the aperture, from the ray differential.
    f64 middle = v3_dot(s, t->point) - t->length;
    f64 gu = v3_dot(s, t->dpoint[0]) - t->dlength[0], gv = v3_dot(s, t->dpoint[1]) - t->dlength[1];
    i32 n = f->corners;
    a->phases[0] = middle;
    if (n == 0) {
        a->count = 3;
        a->phases[1] = 0.5 * f->side * gu;
        a->phases[2] = 0.5 * f->side * gv;
        a->area = f->side * f->side;
        return;
    }
    // Area and centroid, from the fan of triangles about the first corner.
    const f64 *p = f->polygon;
    f64 area = 0.0, cx = 0.0, cy = 0.0;
    for (i32 m = 1; m + 1 < n; m++) {
        f64 ax = p[2 * m] - p[0], ay = p[2 * m + 1] - p[1], bx = p[2 * m + 2] - p[0], by = p[2 * m + 3] - p[1];
        f64 part = 0.5 * (ax * by - ay * bx);
        area += part;
        cx += part * (ax + bx) / 3.0;
        cy += part * (ay + by) / 3.0;
    }
    // With a nearly constant phase the sum over edges cancels: area times the phasor of the centroid instead.
    f64 steepness = gu * gu + gv * gv;
    // Scaled by the highest wavenumber of the sweep: one
    // branch, and one set of phases, for all of them.
    if (steepness * highest * highest * fabs(area) < FLAT_PHASE) {
        a->count = 1;
        a->area = fabs(area);
        a->phases[0] += gu * (p[0] + (area == 0.0 ? 0.0 : cx / area)) + gv * (p[1] + (area == 0.0 ? 0.0 : cy / area));
        return;
    }
    a->count = n;
    a->area = 0.0;
    // Mirror images are clockwise: the sign makes the edge normals outward.
    f64 sign = area < 0.0 ? -1.0 : 1.0;
    for (i32 m = 0; m < n; m++) {
        i32 next = m + 1 == n ? 0 : m + 1;
        a->phases[m] = middle + gu * p[2 * m] + gv * p[2 * m + 1];
        // n_m l_m = (e_y, -e_x) of a counterclockwise edge e.
        a->weights[m] = sign * (gu * (p[2 * next + 1] - p[2 * m + 1]) - gv * (p[2 * next] - p[2 * m])) / steepness;
    }
}

// Sets the phasors for the next wavenumber. `step` is zero unless wavenumbers are uniformly spaced.
// The recurrence multiplies by e^{j step psi}; its relative error grows by one rounding per step,
// 1e-13 after a thousand frequencies.
DEVICE void integral_advance(radiation_integral *a, i32 number, f64 k, f64 step) {
    for (i32 m = 0; m < a->count; m++) {
        if (number == 0 && step != 0.0) a->steps[m] = c64_expj(step * a->phases[m]);
        a->phasors[m] = number > 0 && step != 0.0 ? c64_mul(a->phasors[m], a->steps[m]) : c64_expj(k * a->phases[m]);
    }
}

// The integral at the current wavenumber.
DEVICE c64 integral_value(const radiation_integral *a, f64 k) {
    // Uniform over the frequencies of a tube: `count` and `area` tell the three cases apart.
    if (a->count == 1) return c64_scale(a->area, a->phasors[0]);
    if (a->area > 0.0)
        return c64_scale(a->area * sinc_of(k * a->phases[1], a->phasors[1].im) * sinc_of(k * a->phases[2], a->phasors[2].im), a->phasors[0]);
    c64 sum = c64_new(0.0, 0.0);
    for (i32 m = 0; m < a->count; m++) {
        i32 next = m + 1 == a->count ? 0 : m + 1;
        f64 half_phase = 0.5 * k * (a->phases[next] - a->phases[m]);
        c64 mean;
        // Short edge: (a + b)/2 = e^{jk psi} cos x at the midpoint, and sinc x = cos x (1 + x^2/3 +
        // ...). The quotient below would cancel.
        if (fabs(half_phase) < SHORT_EDGE)
            mean = c64_scale(0.5 + half_phase * half_phase / 6.0, c64_add(a->phasors[m], a->phasors[next]));
        else
            mean = c64_mul(c64_sub(a->phasors[next], a->phasors[m]), c64_new(0.0, -0.5 / half_phase));
        sum = c64_add(sum, c64_scale(a->weights[m], mean));
    }
    return c64_mul(sum, c64_new(0.0, -1.0 / k));
}

typedef struct { v3 re, im; } field;

#ifdef NON_PEC
// Table of each material at each frequency, MATERIAL_STRIDE numbers: kind, number of layers, and layers (permittivity, permeability,
// thickness).
// Cancels in all reflection coefficients: only ratios of impedances enter.
#define ETA0 376.730313412

// kz/k0 = sqrt(eps mu - sin^2), Im kz <= 0 for a wave that decays away from the surface, and the impedances of a plane wave in the
// medium, Z_TE = omega mu/kz and Z_TM = kz/(omega eps).
DEVICE c64 impedances(GLOBAL const f64 *m, f64 cosine, c64 *te, c64 *tm) {
    c64 eps = c64_new(m[LAYER_EPS], m[LAYER_EPS + 1]), mu = c64_new(m[LAYER_MU], m[LAYER_MU + 1]);
    c64 root = c64_sqrt(c64_sub(c64_mul(eps, mu), c64_new(1.0 - cosine * cosine, 0.0)));
    // With e^{+j omega t} a decaying wave has Im kz < 0.
    if (root.im > 0.0) root = c64_neg(root);
    *te = c64_scale(ETA0, c64_div(mu, root));
    *tm = c64_scale(ETA0, c64_div(root, eps));
    return root;
}

// Impedance at the top of a layer, Z = Zm (Z + j Zm tan x)/(Zm + j Z tan x) with j tan x = up/down.
DEVICE c64 impedance_over_layer(c64 below, c64 own, c64 up, c64 down) {
    c64 above = c64_add(c64_mul(below, down), c64_mul(own, up));
    return c64_div(c64_mul(own, above), c64_add(c64_mul(own, down), c64_mul(below, up)));
}

// Fresnel reflection coefficients of a half-space or a multilayer coating:
//   perpendicular (Z cos - Z0)/(Z cos + Z0) with Z_TE,   parallel -(Z - Z0 cos)/(Z + Z0 cos) with Z_TM.
DEVICE void reflection_coefficients(GLOBAL const f64 *material, f64 k, f64 cosine, c64 *perpendicular, c64 *parallel) {
    c64 te = c64_new(0.0, 0.0), tm = te, own_te, own_tm;
    if (material[MATERIAL_KIND] == KIND_HALF_SPACE) {
        // The field behind a half-space is not traced: its wave impedance is the load.
        impedances(material + MATERIAL_LAYERS, cosine, &te, &tm);
    } else {
        // From the conductor (Z = 0) outward: each layer transforms the impedance below it.
        for (i32 i = 0; i < (i32)material[MATERIAL_COUNT]; i++) {
            GLOBAL const f64 *layer = material + MATERIAL_LAYERS + LAYER_STRIDE * i;
            c64 root = impedances(layer, cosine, &own_te, &own_tm);
            // e^{-2jx} of the round trip through the layer, which does not overflow in thick, lossy layers.
            f64 path = 2.0 * k * layer[LAYER_THICKNESS];
            c64 trip = c64_exp(c64_new(path * root.im, -path * root.re));
            c64 up = c64_new(1.0 - trip.re, -trip.im), down = c64_new(1.0 + trip.re, trip.im);
            te = impedance_over_layer(te, own_te, up, down);
            tm = impedance_over_layer(tm, own_tm, up, down);
        }
    }
    c64 zc = c64_scale(cosine, te), eta = c64_new(ETA0, 0.0), slant = c64_new(ETA0 * cosine, 0.0);
    *perpendicular = c64_div(c64_sub(zc, eta), c64_add(zc, eta));
    *parallel = c64_neg(c64_div(c64_sub(tm, slant), c64_add(tm, slant)));
}

DEVICE c64 field_along(field f, v3 a) { return c64_new(v3_dot(f.re, a), v3_dot(f.im, a)); }

// E_r = G_perp (E.e) e + G_par (E.(k_in x e)) (k_out x e), with e = k_in x n/|k_in x n|.
DEVICE field field_reflected(field f, v3 k_in, v3 k_out, v3 n, c64 perpendicular, c64 parallel) {
    v3 e = v3_cross(k_in, n);
    f64 size = sqrt(v3_dot(e, e));
    if (size > 0.0) {
        e = v3_scale(1.0 / size, e);
    } else {
        // At normal incidence any transverse direction is perpendicular to a plane of incidence.
        v3 other = fabs(n.x) < 0.5 ? v3_new(1.0, 0.0, 0.0) : v3_new(0.0, 1.0, 0.0);
        e = v3_unit(v3_cross(n, other));
    }
    c64 a = c64_mul(perpendicular, field_along(f, e)), b = c64_mul(parallel, field_along(f, v3_cross(k_in, e)));
    v3 out = v3_cross(k_out, e);
    field r;
    r.re = v3_add_scaled(v3_scale(a.re, e), b.re, out);
    r.im = v3_add_scaled(v3_scale(a.im, e), b.im, out);
    return r;
}

// An incident field after all reflections of a path.
DEVICE field reflected(const scene *sc, GLOBAL const f64 *materials, i32 w, f64 k, v3 k_in, v3 e, const i32 *path, i32 bounces) {
    field f;
    f.re = e;
    f.im = v3_new(0.0, 0.0, 0.0);
    for (i32 m = 0; m < bounces; m++) {
        // The normal against the incident wave, so that the
        // cosine is positive on either side of a sheet.
        v3 n = facet_normal(sc, path[m]);
        if (v3_dot(k_in, n) > 0.0) n = v3_scale(-1.0, n);
        f64 cosine = -v3_dot(k_in, n);
        v3 k_out = v3_add_scaled(k_in, 2.0 * cosine, n);
        GLOBAL const f64 *material =
            materials + MATERIAL_STRIDE * ((i64)sc->attributes[FACET_ATTRIBUTES * (i64)path[m] + ATTRIBUTE_MATERIAL] * FREQUENCIES + w);
        // Conductor: Gamma_perp = -1 and Gamma_par = +1 along k x e of the respective wave.
        c64 perpendicular = c64_new(-1.0, 0.0), parallel = c64_new(1.0, 0.0);
        if (material[MATERIAL_KIND] != KIND_CONDUCTOR) reflection_coefficients(material, k, cosine, &perpendicular, &parallel);
        f = field_reflected(f, k_in, k_out, n, perpendicular, parallel);
        k_in = k_out;
    }
    return f;
}
#endif

// A piece of surface that radiates: `bounces` facets of the path have reflected its wave, which has this weight; with `shadow` the wave
// before the last of these reflections radiates too, the shadow of that facet.
typedef struct {
    exit_aperture aperture;
    i32 bounces, shadow;
    f64 weight;
} radiator;

// Adds the far field of a wave on an aperture at a receiver, as vv, vh, hv, hh, each with real and imaginary part; `we` and `wh` are the
// weights of the electric and the magnetic field.
//   (a x E).n = E.(n x a),   (a x (k x E)).n = E.((n x a) x k)
NOINLINE_DEVICE void radiate(const scene *sc, const wave *w, v3 area, v3 direction, v3 v, f64 we, f64 wh, c64 integral, const i32 *path, i32 bounces,
                         GLOBAL const f64 *receiver, f64 k, GLOBAL const f64 *materials, i32 number, f64 *sums) {
    v3 theta = v3_at(receiver + RECEIVER_THETA), phi = v3_at(receiver + RECEIVER_PHI);
    c64 amplitude = c64_mul(c64_new(0.0, k / (4.0 * PI)), integral);
    field fields[2];
#ifdef NON_PEC
    fields[0] = reflected(sc, materials, number, k, w->k, w->theta, path, bounces);
    fields[1] = reflected(sc, materials, number, k, w->k, w->phi, path, bounces);
#else
    fields[0].im = fields[1].im = v3_new(0.0, 0.0, 0.0);
    // At conductors h = -+ k x v: each reflection changes the handedness of (v, h, k).
    fields[0].re = v;
    fields[1].re = v3_scale((bounces & 1) ? 1.0 : -1.0, v3_cross(direction, v));
#endif
    // Dot products with these two vectors give both receive polarizations; they do not depend on
    // the transmit polarization.
    v3 n_theta = v3_cross(area, theta), n_phi = v3_cross(area, phi);
    v3 to[2];
    to[0] = v3_add_scaled(v3_scale(-we, n_phi), wh, v3_cross(n_theta, direction));
    to[1] = v3_add_scaled(v3_scale(we, n_theta), wh, v3_cross(n_phi, direction));
    // i = 2 receive + transmit: vv, vh, hv, hh.
    for (i32 i = 0; i < 4; i++) {
        field e = fields[i & 1];
        c64 s = c64_mul(amplitude, c64_new(v3_dot(to[i >> 1], e.re), v3_dot(to[i >> 1], e.im)));
        sums[2 * i] += s.re;
        sums[2 * i + 1] += s.im;
    }
}

// Adds both waves of a radiator.
DEVICE void radiate_waves(const scene *sc, const wave *w, const radiator *r, c64 integral, const i32 *path, GLOBAL const f64 *receiver, f64 k,
                          GLOBAL const f64 *materials, i32 number, f64 *sums) {
    v3 area = r->aperture.area, d = r->aperture.t.direction, v = r->aperture.t.v;
    // At grazing incidence the footprint degenerates and is dropped.
    if (!(v3_dot(area, area) < 1e300)) return;
    if (r->weight != 0.0)
        radiate(sc, w, area, d, v, r->weight * WEIGHT_E, r->weight * WEIGHT_H, integral, path, r->bounces, receiver, k, materials, number, sums);
    // Toward the transmitter the incident wave radiates nothing: k + s = 0. The wave that is blocked radiates with both currents,
    // whatever the formulation.
    if (r->shadow && (r->bounces > 1 || receiver[RECEIVER_SHADOW] != 0.0)) {
        v3 n = v3_unit(area);
        v3 d_in = v3_add_scaled(d, -2.0 * v3_dot(d, n), n), v_in = v3_sub(v3_scale(2.0 * v3_dot(n, v), n), v);
        radiate(sc, w, area, d_in, v_in, 1.0, 1.0, integral, path, r->bounces - 1, receiver, k, materials, number, sums);
    }
}

// Sums are fixed-point integers: integer addition is associative, so that atomics in any order give the same bits in every run.
// Of an incident wave there are WAVE_SUMS: real and imaginary part of four amplitudes per channel, then from WAVE_COUNTS on the counts.
// The parameters of every kernel that radiates tubes, and the same as arguments.
#define SUM_PARAMS                                                                                             \
    GLOBAL const f64 *receivers, GLOBAL const f64 *wavenumbers, GLOBAL const f64 *materials, f64 scale, i32 facet_count, GLOBAL i64 *sums, GLOBAL i32 *bounced
#define SUM_VALUES receivers, wavenumbers, materials, scale, facet_count, sums, bounced

// Atomically adds a number. Lanes of a full warp with the same target reduce by shuffles first: one atomic in place of 32.
DEVICE void add_fixed(GLOBAL i64 *target, i64 value) {
#ifdef __CUDA_ARCH__
    // Divergent warps and mixed targets add one by one, which is correct but slower.
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

// Adds the far field of a tube to the sums of its incident wave, or of the facet that it hit last. A radiator without bounces adds zero
// but takes part, so that the lanes of a warp stay together for add_fixed.
DEVICE void add_far_field(const scene *sc, const wave *w, const radiator *one, const radiator *other, const i32 *path, i32 index, SUM_PARAMS) {
    i32 bounces = one->bounces;
    if (bounces > 0) bounced[bounces] = 1;
#ifdef BY_FACET
    // Hot spots are indexed [bounce - 1][last facet], after the sums of the wave.
    GLOBAL i64 *target = sums + WAVE_SUMS + (bounces > 0 ? CHANNEL_SUMS * ((i64)(bounces - 1) * facet_count + path[bounces - 1]) : 0);
#else
    GLOBAL i64 *target = sums + (i64)index * WAVE_SUMS;
#endif
    f64 highest_k = wavenumbers[FREQUENCIES], step_k = wavenumbers[FREQUENCIES + 1];
    // Phasors are in private memory and advance with the frequency: receivers are the outer loop,
    // so that each is set up once.
    radiation_integral a, b;
    for (i32 r = 0; r < RECEIVERS; r++) {
        GLOBAL const f64 *receiver = receivers + RECEIVER_STRIDE * ((i64)index * RECEIVERS + r);
        if (bounces > 0) integral_setup(&a, &one->aperture, v3_at(receiver + RECEIVER_S), highest_k);
        if (other->bounces > 0) integral_setup(&b, &other->aperture, v3_at(receiver + RECEIVER_S), highest_k);
        for (i32 number = 0; number < FREQUENCIES; number++) {
            f64 k = wavenumbers[number], parts[CHANNEL_SUMS] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
            if (bounces > 0) {
                integral_advance(&a, number, k, step_k);
                radiate_waves(sc, w, one, integral_value(&a, k), path, receiver, k, materials, number, parts);
            }
            if (other->bounces > 0) {
                integral_advance(&b, number, k, step_k);
                radiate_waves(sc, w, other, integral_value(&b, k), path, receiver, k, materials, number, parts);
            }
            // Truncation to an integer costs at most one unit, 2^-52 of the flash of a plate as
            // wide as the target (gpu/run.rs).
            for (i32 p = 0; p < CHANNEL_SUMS; p++) add_fixed(target + CHANNEL_SUMS * (r * FREQUENCIES + number) + p, (i64)(parts[p] * scale));
        }
    }
}

// Adds to the ray statistics of an incident wave; areas are in tubes.
DEVICE void add_counts(i32 index, i64 rays, f64 area, f64 discarded, GLOBAL i64 *sums) {
    GLOBAL i64 *target = sums + (i64)index * WAVE_SUMS + WAVE_COUNTS;
    add_fixed(target + COUNT_RAYS, rays);
    add_fixed(target + COUNT_AREA, (i64)(area / AREA_UNIT));
    add_fixed(target + COUNT_DISCARDED, (i64)(discarded / AREA_UNIT));
}

// Rays that measure the power left of a tube, and the area that each stands for: `Sampling` on the host.
DEVICE i32 sample_count(const i32 *numbers, i32 count, f64 area, f64 sample_area, f64 *each) {
    if (area >= sample_area) {
        i32 rays = (i32)fmin(ceil(area / sample_area), (f64)MAX_SAMPLES);
        *each = area / rays;
        return rays;
    }
    u32 hash = 0u;
    for (i32 i = 0; i < count; i++) hash = (hash + (u32)numbers[i]) * SAMPLE_STEP;
    *each = sample_area;
    return (f64)hash / 4294967295.0 * sample_area < area;
}

// Adds the power of a tube that would hit the target once more after all bounces; its area is in tubes.
DEVICE void add_remaining(const scene *sc, const wave *w, const ray_differential *t, const i32 *path, i32 index, f64 area, SUM_PARAMS) {
    i32 leaf = -1, facet = closest(sc, t->point, t->direction, path[BOUNCES - 1], &leaf);
    GLOBAL i64 *target = sums + (i64)index * WAVE_SUMS + WAVE_COUNTS;
    ATOMIC_ADD_I64(target + COUNT_RAYS, (i64)1);
    // Facets hit from inside a closed body do not reflect.
    i32 outside = facet < 0 ? 0 : sc->attributes[FACET_ATTRIBUTES * (i64)facet + ATTRIBUTE_OUTSIDE];
    if (facet < 0 || outside * v3_dot(facet_normal(sc, facet), t->direction) > 0.0) return;
    f64 power = 1.0;
#ifdef NON_PEC
    // Of unpolarized waves, at the frequency where it is largest.
    power = 0.0;
    for (i32 number = 0; number < FREQUENCIES; number++) {
        field v = reflected(sc, materials, number, wavenumbers[number], w->k, w->theta, path, BOUNCES);
        field h = reflected(sc, materials, number, wavenumbers[number], w->k, w->phi, path, BOUNCES);
        power = fmax(power, 0.5 * (v3_dot(v.re, v.re) + v3_dot(v.im, v.im) + v3_dot(h.re, h.re) + v3_dot(h.im, h.im)));
    }
#endif
    ATOMIC_ADD_I64(target + COUNT_REMAINING, (i64)(area * power / AREA_UNIT));
}

KERNEL clear_counts(GLOBAL i32 *counts, i64 n) {
    i64 i = GLOBAL_ID(0);
    if (i < n) counts[i] = 0;
}

KERNEL clear_sums(GLOBAL i64 *sums, i64 n) {
    i64 i = GLOBAL_ID(0);
    if (i < n) sums[i] = 0;
}
