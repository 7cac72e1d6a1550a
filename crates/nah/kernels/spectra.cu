// From samples, or words of sigma-delta bitstreams, to phasors in double precision.
//
//   X_k = (4/N) sum_n w_n (x_n - mean) e^{-j 2 pi k n / N}      w: Hann window, whose mean is 1/2 (src/spectral.rs)
//
// Macros: MICS microphones; SAMPLES of a window, N; HOP frames of a block; BINS; FRONT_END, what a frame of a block is: 0 samples, 1 words that are
// averaged, 2 words for the CIC decimation filter; TAPS of the FIR filter that compensates its droop, 1 for none; TERMS, the largest number of Walsh
// functions of a bin; CIC_DC_GAIN, the output of the CIC filter for a stream of ones, 32^3; LANES microphones and PARTS of each sum make a group. Frames are
// stored in rings: frame n is at n % length.

#ifdef __OPENCL_VERSION__
#define POPCOUNT(x) ((i32)popcount(x))
#else
#define POPCOUNT(x) __popc(x)
#endif

// Frames of decimated samples that are stored for the compensation filter.
#define RAW (HOP + TAPS - 1)

#if FRONT_END == 0
#define FRAME_VALUE f32
#else
#define FRAME_VALUE u32
#endif

// The word of frame n of the block; the two frames before it are in `previous`.
#define WORD_AT(n) ((n) < 0 ? previous[((n) + 2) * MICS + mic] : block[(n) * MICS + mic])

// Appends the samples of a block to a ring of `length` frames, from frame `at` on: the window's, or that of the compensation filter.
KERNEL append_samples(GLOBAL const FRAME_VALUE *RESTRICT block, GLOBAL const u32 *RESTRICT previous, GLOBAL f32 *RESTRICT ring, i32 at, i32 length,
                      i32 count) {
    i32 i = (i32)GLOBAL_ID(0), n = i / MICS, mic = i % MICS;
    if (n >= count) return;
#if FRONT_END == 0
    f32 sample = block[i];
#elif FRONT_END == 1
    f32 sample = ((f32)POPCOUNT(block[i]) - 16.0f) / 16.0f;
#else
    // The CIC decimation filter (Hogenauer, IEEE Trans. Acoust. Speech Signal Process. 29 (1981) 155) by its impulse response, the threefold
    // convolution of a boxcar of 32 bits: a parabola in each of three words. Bit 0 is the oldest. Integers, so that the sum is exact.
    i32 ones = 0;
    u32 newest = WORD_AT(n), middle = WORD_AT(n - 1), oldest = WORD_AT(n - 2);
    for (i32 b = 0; b < 32; ++b) {
        ones += (528 + (b * b - 65 * b) / 2) * (i32)(newest >> b & 1u);
        ones += (496 + 33 * b - b * b) * (i32)(middle >> b & 1u);
        ones += (b * b - b) / 2 * (i32)(oldest >> b & 1u);
    }
    // Ones are +1 and zeros -1; the weights sum to the DC gain.
    f32 sample = (f32)(2 * ones - CIC_DC_GAIN) / (f32)CIC_DC_GAIN;
#endif
    ring[(i64)((at + n) % length) * MICS + mic] = sample;
}

// Saves the last two words of every microphone for the CIC filter of the next block.
KERNEL save_words(GLOBAL const u32 *RESTRICT block, GLOBAL u32 *RESTRICT previous, i32 count) {
    i32 mic = (i32)GLOBAL_ID(0);
    if (mic >= MICS) return;
    u32 older = WORD_AT(count - 2), newer = WORD_AT(count - 1);
    previous[mic] = older;
    previous[MICS + mic] = newer;
}

// The FIR filter that compensates the droop of the CIC filter, y_n = sum_i h_i x_{n-i}, from its ring (frame `raw_at`) to the window's (frame `at`).
KERNEL compensate(GLOBAL const f32 *RESTRICT raw, GLOBAL const f32 *RESTRICT taps, GLOBAL f32 *RESTRICT ring, i32 raw_at, i32 at, i32 count) {
    i32 i = (i32)GLOBAL_ID(0), n = i / MICS, mic = i % MICS;
    if (n >= count) return;
    f32 sum = 0.0f;
    // RAW frames: a block and the taps before it, so that a block does not overwrite what it needs.
    for (i32 age = 0; age < TAPS; ++age) sum += taps[age] * raw[(i64)((raw_at + n + RAW - age) % RAW) * MICS + mic];
    ring[(i64)((at + n) % SAMPLES) * MICS + mic] = sum;
}

// Appends the words of a block to the ring of words, for Walsh functions.
KERNEL append_words(GLOBAL const u32 *RESTRICT block, GLOBAL u32 *RESTRICT ring, i32 at, i32 count) {
    i32 i = (i32)GLOBAL_ID(0);
    if (i >= count * MICS) return;
    ring[(i64)((at + i / MICS) % SAMPLES) * MICS + i % MICS] = block[i];
}

// Dot products with v_n = w_n e^{-j w n}, [bin][n]. The mean is removed afterwards by the sum of each vector: sum v_n (x_n - mean) =
// sum v_n x_n - mean sum v_n, so that the samples are read once. `next` is the oldest frame of the ring.
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

// The Hann-windowed samples of all microphones without their mean, for the FFT: [microphone][n].
KERNEL apply_window(GLOBAL const f32 *RESTRICT ring, GLOBAL const f64 *RESTRICT hann, GLOBAL c64 *RESTRICT channels, i32 next) {
    i32 mic = (i32)GLOBAL_ID(0);
    if (mic >= MICS) return;
    f64 mean = 0.0;
    // The mean does not depend on the order of frames: read without the ring offset.
    for (i32 n = 0; n < SAMPLES; ++n) mean += ring[(i64)n * MICS + mic];
    mean /= SAMPLES;
    for (i32 n = 0; n < SAMPLES; ++n)
        channels[(i64)mic * SAMPLES + n] = c64_new(hann[n] * (ring[(i64)((next + n) % SAMPLES) * MICS + mic] - mean), 0.0);
}

// The bins of those FFTs.
KERNEL select_bins(GLOBAL const c64 *RESTRICT channels, GLOBAL const i32 *RESTRICT bins, GLOBAL c64 *RESTRICT phasors) {
    i32 i = (i32)GLOBAL_ID(0), bin = i / MICS, mic = i % MICS;
    if (bin < BINS) phasors[i] = c64_scale(4.0 / SAMPLES, channels[(i64)mic * SAMPLES + bins[bin]]);
}

// Sliding DFT: the sums x_n e^{-j 2 pi k n / N} of the block from frame `at` of the ring on, at a bin and its neighbors. With n counted modulo N the
// sums stay valid while the window moves. sums: [block][bin][3][microphone].
KERNEL block_sums(GLOBAL const f32 *RESTRICT ring, GLOBAL const c64 *RESTRICT roots, GLOBAL const i32 *RESTRICT bins, GLOBAL c64 *RESTRICT sums,
                  i32 at) {
    i32 i = (i32)GLOBAL_ID(0), neighbor = i / MICS, mic = i % MICS;
    if (neighbor >= 3 * BINS) return;
    // Neighbors below, at and above the bin.
    i64 k = bins[neighbor / 3] + neighbor % 3 - 1;
    c64 sum = c64_new(0.0, 0.0);
    for (i32 n = at; n < at + HOP; ++n) {
        f64 x = ring[(i64)n * MICS + mic];
        c64 w = roots[(i32)(k * n % SAMPLES)];
        sum = c64_new(fma(x, w.re, sum.re), fma(x, w.im, sum.im));
    }
    sums[(i64)(at / HOP) * 3 * BINS * MICS + i] = sum;
}

// Phasors of the window whose oldest frame is `next`: the sums of all blocks, rotated by e^{j 2 pi k next / N} to its first sample, with the Hann
// window as a convolution of three bins, X_k/2 - (X_{k-1} + X_{k+1})/4. Removing the mean sets X_0 = 0.
KERNEL sliding_phasors(GLOBAL const c64 *RESTRICT sums, GLOBAL const c64 *RESTRICT roots, GLOBAL const i32 *RESTRICT bins, GLOBAL c64 *RESTRICT phasors,
                       i32 next) {
    i32 i = (i32)GLOBAL_ID(0), bin = i / MICS, mic = i % MICS;
    if (bin >= BINS) return;
    c64 phasor = c64_new(0.0, 0.0);
    for (i32 j = 0; j < 3; ++j) {
        i64 k = bins[bin] + j - 1;
        if (k % SAMPLES == 0) continue;
        c64 sum = c64_new(0.0, 0.0);
        for (i32 block = 0; block < SAMPLES / HOP; ++block) sum = c64_add(sum, sums[((i64)block * 3 * BINS + 3 * bin + j) * MICS + mic]);
        f64 weight = (j == 1 ? 0.5 : -0.25) * 4.0 / SAMPLES;
        phasor = c64_fma(c64_scale(weight, c64_conj(roots[(i32)(k * next % SAMPLES)])), sum, phasor);
    }
    phasors[i] = phasor;
}

// Walsh functions on the words, the oldest of which is `next`: X_k = sum_h weight_h sum_n W_h(n) x_n, W_h(n) = (-1)^{popcount(h & n)} (src/walsh.rs).
// Functions and weights are [bin][TERMS]. `low` has the first word of functions 0 to 31: every other word is that one or its complement,
// depending on the parity of the upper bits of h and n.
KERNEL walsh(GLOBAL const u32 *RESTRICT ring, GLOBAL const i32 *RESTRICT functions, GLOBAL const c64 *RESTRICT weights, GLOBAL const i32 *RESTRICT counts,
             GLOBAL const u32 *RESTRICT low, GLOBAL c64 *RESTRICT phasors, i32 next) {
    LOCAL c64 partial[PARTS * LANES];
    i32 item = LOCAL_ID(0), lane = item % LANES, part = item / LANES, bin = GROUP_ID(1);
    i32 mic = GROUP_ID(0) * LANES + lane;
    c64 sum = c64_new(0.0, 0.0);
    if (mic < MICS)
        for (i32 t = part; t < counts[bin]; t += PARTS) {
            i32 h = functions[bin * TERMS + t], differing = 0;
            u32 first = low[h & 31];
            for (i32 n = 0; n < SAMPLES; ++n) {
                u32 flip = 0u - (u32)(POPCOUNT((u32)(h >> 5 & n)) & 1);
                differing += POPCOUNT(ring[(i64)((next + n) % SAMPLES) * MICS + mic] ^ first ^ flip);
            }
            // Bits that differ from the function's sign pattern count +1, the others -1.
            sum = c64_add(sum, c64_scale((f64)(2 * differing - 32 * SAMPLES), weights[bin * TERMS + t]));
        }
    partial[item] = sum;
    BARRIER();
    // In a fixed order: results are reproducible.
    if (part == 0 && mic < MICS) {
        for (i32 p = 1; p < PARTS; ++p) sum = c64_add(sum, partial[p * LANES + lane]);
        phasors[bin * MICS + mic] = sum;
    }
}
