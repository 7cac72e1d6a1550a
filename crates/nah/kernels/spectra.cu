// From samples or words of bits to phasors, in double precision.
//
// MICS microphones, SAMPLES moments of a window, HOP moments of a block, BINS frequencies. FRONT says what a moment of a block is: 0 a sample, 1 a word whose
// mean is one, 2 a word that a filter of three integrators and three combs takes with the two before it. TAPS is the length of a filter of
// samples behind that, 1 for none. TERMS is the largest number of Walsh functions of a bin. LANES microphones and PARTS parts make a group.

#ifdef __OPENCL_VERSION__
#define POPCOUNT(x) ((i32)popcount(x))
#else
#define POPCOUNT(x) __popc(x)
#endif

// Moments of samples that are kept for the filter of samples.
#define RAW (HOP + TAPS - 1)

#if FRONT == 0
#define MOMENT f32
#else
#define MOMENT u32
#endif

// The word of a moment of the block, or of those before it.
#define WORD_AT(n) ((n) < 0 ? before[((n) + 2) * MICS + mic] : block[(n) * MICS + mic])

// Samples of a block: to the ring of a window from moment `at` on, or where a filter follows to its own ring.
KERNEL take(GLOBAL const MOMENT *RESTRICT block, GLOBAL const u32 *RESTRICT before, GLOBAL f32 *RESTRICT ring, i32 at, i32 length, i32 count) {
    i32 i = (i32)GLOBAL_ID(0), n = i / MICS, mic = i % MICS;
    if (n >= count) return;
#if FRONT == 0
    f32 sample = block[i];
#elif FRONT == 1
    f32 sample = ((f32)POPCOUNT(block[i]) - 16.0f) / 16.0f;
#else
    // Weights of bit b, 0 the oldest: a parabola over three words, which sum up to 32^3.
    i32 ones = 0;
    u32 newest = WORD_AT(n), middle = WORD_AT(n - 1), oldest = WORD_AT(n - 2);
    for (i32 b = 0; b < 32; ++b) {
        ones += (528 + (b * b - 65 * b) / 2) * (i32)(newest >> b & 1u);
        ones += (496 + 33 * b - b * b) * (i32)(middle >> b & 1u);
        ones += (b * b - b) / 2 * (i32)(oldest >> b & 1u);
    }
    f32 sample = (f32)(2 * ones - 32768) / 32768.0f;
#endif
    ring[(i64)((at + n) % length) * MICS + mic] = sample;
}

// The last two words of what was heard.
KERNEL remember(GLOBAL const u32 *RESTRICT block, GLOBAL u32 *RESTRICT before, i32 count) {
    i32 mic = (i32)GLOBAL_ID(0);
    if (mic >= MICS) return;
    u32 older = WORD_AT(count - 2), newer = WORD_AT(count - 1);
    before[mic] = older;
    before[MICS + mic] = newer;
}

// The filter of samples: from its ring to that of a window. Moment `raw_at` of the one is moment `at` of the other.
KERNEL straighten(GLOBAL const f32 *RESTRICT raw, GLOBAL const f32 *RESTRICT taps, GLOBAL f32 *RESTRICT ring, i32 raw_at, i32 at, i32 count) {
    i32 i = (i32)GLOBAL_ID(0), n = i / MICS, mic = i % MICS;
    if (n >= count) return;
    f32 sum = 0.0f;
    for (i32 age = 0; age < TAPS; ++age) sum += taps[age] * raw[(i64)((raw_at + n + RAW - age) % RAW) * MICS + mic];
    ring[(i64)((at + n) % SAMPLES) * MICS + mic] = sum;
}

// Words of a block to the ring of words.
KERNEL take_words(GLOBAL const u32 *RESTRICT block, GLOBAL u32 *RESTRICT ring, i32 at, i32 count) {
    i32 i = (i32)GLOBAL_ID(0);
    if (i >= count * MICS) return;
    ring[(i64)((at + i / MICS) % SAMPLES) * MICS + i % MICS] = block[i];
}

// Dot products with w_n e^{-jwn}, [bin][n], the mean left out: `sums` are those of the vectors. The oldest moment is `next`.
KERNEL dots(GLOBAL const f32 *RESTRICT ring, GLOBAL const c64 *RESTRICT vectors, GLOBAL const c64 *RESTRICT sums, GLOBAL c64 *RESTRICT phasors,
            i32 next) {
    i32 i = (i32)GLOBAL_ID(0), bin = i / MICS, mic = i % MICS;
    if (bin >= BINS) return;
    f64 total = 0.0;
    c64 dot = c64_new(0.0, 0.0);
    for (i32 n = 0; n < SAMPLES; ++n) {
        f64 x = ring[(i64)((next + n) % SAMPLES) * MICS + mic];
        c64 v = vectors[bin * SAMPLES + n];
        total += x;
        dot = c64_new(fma(x, v.re, dot.re), fma(x, v.im, dot.im));
    }
    phasors[i] = c64_scale(4.0 / SAMPLES, c64_sub(dot, c64_scale(total / SAMPLES, sums[bin])));
}

// Windows of all microphones for a transform, [microphone][n], the mean left out; `hann` is the window.
KERNEL windowed(GLOBAL const f32 *RESTRICT ring, GLOBAL const f64 *RESTRICT hann, GLOBAL c64 *RESTRICT lines, i32 next) {
    i32 mic = (i32)GLOBAL_ID(0);
    if (mic >= MICS) return;
    f64 mean = 0.0;
    for (i32 n = 0; n < SAMPLES; ++n) mean += ring[(i64)n * MICS + mic];
    mean /= SAMPLES;
    for (i32 n = 0; n < SAMPLES; ++n)
        lines[(i64)mic * SAMPLES + n] = c64_new(hann[n] * (ring[(i64)((next + n) % SAMPLES) * MICS + mic] - mean), 0.0);
}

// The bins of those transforms.
KERNEL pick(GLOBAL const c64 *RESTRICT lines, GLOBAL const i32 *RESTRICT bins, GLOBAL c64 *RESTRICT phasors) {
    i32 i = (i32)GLOBAL_ID(0), bin = i / MICS, mic = i % MICS;
    if (bin < BINS) phasors[i] = c64_scale(4.0 / SAMPLES, lines[(i64)mic * SAMPLES + bins[bin]]);
}

// Sums of a block from moment `at` of the ring on with e^{-j2pi kn/SAMPLES}, of a bin and its neighbors: [slot][bin][3][microphone].
KERNEL block_sums(GLOBAL const f32 *RESTRICT ring, GLOBAL const c64 *RESTRICT roots, GLOBAL const i32 *RESTRICT bins, GLOBAL c64 *RESTRICT sums,
                  i32 at) {
    i32 i = (i32)GLOBAL_ID(0), line = i / MICS, mic = i % MICS;
    if (line >= 3 * BINS) return;
    i64 k = bins[line / 3] + line % 3 - 1;
    c64 sum = c64_new(0.0, 0.0);
    for (i32 n = at; n < at + HOP; ++n) {
        f64 x = ring[(i64)n * MICS + mic];
        c64 w = roots[(i32)(k * n % SAMPLES)];
        sum = c64_new(fma(x, w.re, sum.re), fma(x, w.im, sum.im));
    }
    sums[(i64)(at / HOP) * 3 * BINS * MICS + i] = sum;
}

// Phasors of the window whose oldest moment is `next`: sums of all blocks turned to there, and Hann's window from neighbors. A constant is left out.
KERNEL ring_phasors(GLOBAL const c64 *RESTRICT sums, GLOBAL const c64 *RESTRICT roots, GLOBAL const i32 *RESTRICT bins, GLOBAL c64 *RESTRICT phasors,
                    i32 next) {
    i32 i = (i32)GLOBAL_ID(0), bin = i / MICS, mic = i % MICS;
    if (bin >= BINS) return;
    c64 phasor = c64_new(0.0, 0.0);
    for (i32 j = 0; j < 3; ++j) {
        i64 k = bins[bin] + j - 1;
        if (k % SAMPLES == 0) continue;
        c64 sum = c64_new(0.0, 0.0);
        for (i32 slot = 0; slot < SAMPLES / HOP; ++slot) sum = c64_add(sum, sums[((i64)slot * 3 * BINS + 3 * bin + j) * MICS + mic]);
        f64 weight = (j == 1 ? 0.5 : -0.25) * 4.0 / SAMPLES;
        phasor = c64_fma(c64_scale(weight, c64_conj(roots[(i32)(k * next % SAMPLES)])), sum, phasor);
    }
    phasors[i] = phasor;
}

// Walsh functions, numbers and weights in [bin][TERMS], of words whose oldest is `next`. `low` has the first word of functions 0 to 31: the others are
// that one or its opposite.
KERNEL walsh(GLOBAL const u32 *RESTRICT ring, GLOBAL const i32 *RESTRICT functions, GLOBAL const c64 *RESTRICT weights, GLOBAL const i32 *RESTRICT counts,
             GLOBAL const u32 *RESTRICT low, GLOBAL c64 *RESTRICT phasors, i32 next) {
    LOCAL c64 all[PARTS * LANES];
    i32 item = LOCAL_ID(0), lane = item % LANES, part = item / LANES, bin = GROUP_ID(1);
    i32 mic = GROUP_ID(0) * LANES + lane;
    c64 sum = c64_new(0.0, 0.0);
    if (mic < MICS)
        for (i32 t = part; t < counts[bin]; t += PARTS) {
            i32 h = functions[bin * TERMS + t], differ = 0;
            u32 first = low[h & 31];
            for (i32 n = 0; n < SAMPLES; ++n) {
                u32 flip = 0u - (u32)(POPCOUNT((u32)(h >> 5 & n)) & 1);
                differ += POPCOUNT(ring[(i64)((next + n) % SAMPLES) * MICS + mic] ^ first ^ flip);
            }
            sum = c64_add(sum, c64_scale((f64)(2 * differ - 32 * SAMPLES), weights[bin * TERMS + t]));
        }
    all[item] = sum;
    BARRIER();
    if (part == 0 && mic < MICS) {
        for (i32 p = 1; p < PARTS; ++p) sum = c64_add(sum, all[p * LANES + lane]);
        phasors[bin * MICS + mic] = sum;
    }
}
