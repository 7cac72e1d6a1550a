// Sources at the points of faces, evaluated once per stage, and monitors: time series, spectra, energy.

// Sources on faces: the sum over copies of the pulse of amplitude exp(-((t - delay)/width)^2) cos(omega (t - delay) - phase), a Gaussian pulse
// with carrier omega; t is relative to its peak. Delays are [copy][point], amplitudes [copy][point][scalar], of at most 6 scalars.
KERNEL source_faces(GLOBAL const f64 *RESTRICT delays, GLOBAL const f64 *RESTRICT amplitudes, GLOBAL REAL *RESTRICT sources, f64 time,
                    f64 width, f64 omega, f64 phase, i32 scalars, i32 copies, i64 points) {
    i64 i = GLOBAL_ID(0);
    if (i >= points) return;
    f64 sums[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (i32 copy = 0; copy < copies; ++copy) {
        i64 at = copy * points + i;
        // In double precision also for REAL = float: omega s may be many periods, and its rounding
        // error is an error of the phase.
        f64 s = time - delays[at];
        f64 value = exp(-(s / width) * (s / width)) * cos(omega * s - phase);
        for (i32 k = 0; k < scalars; ++k) sums[k] += value * amplitudes[at * scalars + k];
    }
    for (i32 k = 0; k < scalars; ++k) sources[i * scalars + k] = (REAL)sums[k];
}

// The same for samples of a waveform, with its cubic spline sum c[k] B(s - k), s = (t - delay)/step, where t is relative to the first sample
// and B the cubic B-spline: as in waveform.rs.
KERNEL source_faces_by_table(GLOBAL const f64 *RESTRICT delays, GLOBAL const f64 *RESTRICT amplitudes, GLOBAL REAL *RESTRICT sources,
                             GLOBAL const f64 *RESTRICT coefficients, f64 time, f64 step, i32 count, i32 scalars, i32 copies, i64 points) {
    i64 i = GLOBAL_ID(0);
    if (i >= points) return;
    f64 sums[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (i32 copy = 0; copy < copies; ++copy) {
        i64 at = copy * points + i;
        f64 s = (time - delays[at]) / step;
        // Zero two steps beyond the first and the last sample.
        if (s <= -2.0 || s >= count + 1.0) continue;
        f64 value = 0.0;
        i32 k = (i32)floor(s);
        f64 u = s - k, v = 1.0 - u;
        f64 weights[4];
        weights[0] = v * v * v;
        weights[1] = 3.0 * u * u * u - 6.0 * u * u + 4.0;
        weights[2] = -3.0 * u * u * u + 3.0 * u * u + 3.0 * u + 1.0;
        weights[3] = u * u * u;
        for (i32 j = 0; j < 4; ++j) {
            i32 sample = k + j - 1;
            if (sample >= 0 && sample < count) value += weights[j] * coefficients[sample] / 6.0;
        }
        for (i32 j = 0; j < scalars; ++j) sums[j] += value * amplitudes[at * scalars + j];
    }
    for (i32 j = 0; j < scalars; ++j) sources[i * scalars + j] = (REAL)sums[j];
}

// One term of the time series: sum of weight times field over an element. A group has one term; its tree sum has a fixed order, so
// that results repeat bit for bit.
KERNEL sample_terms(GLOBAL const REAL *RESTRICT fields, GLOBAL const i32 *RESTRICT starts, GLOBAL const i64 *RESTRICT indices,
                    GLOBAL const f64 *RESTRICT weights, GLOBAL f64 *RESTRICT samples, i64 first) {
    LOCAL f64 sums[GROUP];
    i32 term = GROUP_ID(0), item = LOCAL_ID(0);
    f64 sum = 0.0;
    // Terms are stored one after the other (CSR): starts[term] is the first of its weights.
    for (i32 i = starts[term] + item; i < starts[term + 1]; i += GROUP) sum += weights[i] * (f64)fields[indices[i]];
    sums[item] = sum;
    BARRIER();
    for (i32 width = GROUP / 2; width > 0; width /= 2) {
        if (item < width) sums[item] += sums[item + width];
        BARRIER();
    }
    if (item == 0) samples[first + term] = sums[0];
}

// Running Fourier transform: adds fields times exp(-j omega t) dt to the spectra, [frequency][node][component].
KERNEL accumulate(GLOBAL const REAL *RESTRICT fields, GLOBAL const i64 *RESTRICT indices, GLOBAL const c64 *RESTRICT factors,
                  GLOBAL c64 *RESTRICT spectra, i64 nodes, i64 stride, i32 frequencies) {
    i64 i = GLOBAL_ID(0);
    if (i >= 6 * nodes) return;
    // Frequencies are innermost: the scattered load of the field serves all of them. Sums are in
    // double precision, since a run adds thousands of small terms.
    f64 value = (f64)fields[indices[i / 6] + (i % 6) * stride];
    for (i32 f = 0; f < frequencies; ++f) {
        i64 at = f * 6 * nodes + i;
        spectra[at] = c64_add(spectra[at], c64_scale(value, factors[f]));
    }
}

// Twice the energy of straight elements, J sum_c (eps_c E_c^T M E_c + mu_c H_c^T M H_c) with the mass matrix M, one sum per group. A work item has one
// component of one element.
KERNEL energies(GLOBAL const REAL *RESTRICT fields, GLOBAL const REAL *RESTRICT mass, GLOBAL const f64 *RESTRICT weights,
                GLOBAL f64 *RESTRICT out, i64 slots) {
    LOCAL f64 sums[GROUP];
    i32 item = LOCAL_ID(0);
    i64 i = GLOBAL_ID(0), block = i / (6 * LG), slot = block * LG + i % LG;
    i32 c = (i32)(i / LG % 6);
    f64 sum = 0.0;
    if (i < 6 * slots) {
        // Rows of M f in working precision; the sum f^T M f over nodes and elements in double.
        GLOBAL const REAL *f = fields + (block * 6 + c) * NP * LG + i % LG;
        for (i32 j = 0; j < NP; ++j) {
            REAL row = R(0.0);
            for (i32 k = 0; k < NP; ++k) row = fma(mass[j * NP + k], f[k * LG], row);
            sum += (f64)row * (f64)f[j * LG];
        }
        sum *= weights[6 * slot + c];
    }
    sums[item] = sum;
    BARRIER();
    for (i32 width = GROUP / 2; width > 0; width /= 2) {
        if (item < width) sums[item] += sums[item + width];
        BARRIER();
    }
    if (item == 0) out[GROUP_ID(0)] = sums[0];
}
