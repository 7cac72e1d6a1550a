// Holograms of a stream of samples, with pooled linear prediction or zero padding; src/gpu/hologram.rs has the order of the kernels.
//
//   X_k = (4/N) sum_n w_n (x_n - mean) e^{-j 2 pi k n / N}    phasors: sliding DFT over blocks, Hann window from three bins
//   P = E_y p E_x^T                                           extrapolation by linear prediction (LPBP), Tukey window
//   field = IDFT(G DFT(P)),  G = F e^{j k_z z}                propagation in k-space (Williams, Fourier Acoustics, 1999)
//
// A hologram is one window and one bin. DFTs of A B points are computed as two sums, of A and of B terms (Cooley and Tukey, 1965), with w = e^{-j 2 pi / (A B)}:
// X[k] = sum_b w^(b k) sum_a x[a B + b] w^(a B k), where the inner sum depends on k modulo A only.
//
// Macros: REAL, PAIR (two of them, a complex number); COLUMNS, ROWS of the array; PREDICTED, or else zero padding; ORDER_X, ORDER_Y of the
// predictions and ORDER, the larger; BINS; FIELDS of each hologram; SAMPLES of a window, N; HOP of a block; SLOTS, blocks whose sums are stored; FRAMES of the
// ring of samples; BATCH of windows for each launch, and RUN of them that share partial sums; LANES microphones and PARTS of each sum of a group
// that sums blocks; ITEMS of a group that predicts, SEGMENTS of each row; PROPAGATE_ITEMS and ROW_ITEMS of groups that transform, KXS and LINES: how many
// k_x or rows they take; PADDED_COLUMNS_B and PADDED_ROWS_B: B along x and y.

#define MICS (COLUMNS * ROWS)
#define PADDED_COLUMNS (3 * COLUMNS)
#define PADDED_ROWS (3 * ROWS)
#define BLOCKS (SAMPLES / HOP)
#define LONGER (COLUMNS > ROWS ? COLUMNS : ROWS)
#define PADDED_COLUMNS_A (PADDED_COLUMNS / PADDED_COLUMNS_B)
#define PADDED_ROWS_A (PADDED_ROWS / PADDED_ROWS_B)

// sum += a b and sum += a b*, complex.
#define ADD_PRODUCT(sum, a, b)                                                                               \
    {                                                                                                        \
        (sum).x = fma((a).x, (b).x, fma(-(a).y, (b).y, (sum).x));                                            \
        (sum).y = fma((a).x, (b).y, fma((a).y, (b).x, (sum).y));                                             \
    }
#define ADD_CONJUGATE(sum, a, b)                                                                             \
    {                                                                                                        \
        (sum).x = fma((a).x, (b).x, fma((a).y, (b).y, (sum).x));                                             \
        (sum).y = fma((a).y, (b).x, fma(-(a).x, (b).y, (sum).y));                                            \
    }
#define CLEAR(z) (z).x = (z).y = R(0.0)
// Unrolled, so that the loads of several terms are in flight at once.
#ifdef __OPENCL_VERSION__
#define UNROLL_LOADS
#else
#define UNROLL_LOADS _Pragma("unroll 8")
#endif

// The microphone, bin and part of a sum of this work item.
// Lanes are consecutive microphones: their loads coalesce, and the exponentials of a sample are the
// same for all of them.
#define SUM_INDICES                                                                                          \
    i32 lane = LOCAL_ID(0) % LANES, part = LOCAL_ID(0) / LANES, bin = GROUP_ID(1), mic = GROUP_ID(0) * LANES + lane

// Adds x_n e^{-jwn} over the samples of a block, at a bin and its neighbors. `exponentials` is e^{-jwn} over a window, [sample][bin][3]; n is counted
// modulo N, so that the sums stay valid while the window moves.
#define ADD_SAMPLES(sums, block)                                                                             \
    {                                                                                                        \
        i32 first = (i32)((block) % BLOCKS) * HOP;                                                           \
        GLOBAL const f32 *own = samples + ((block) % (FRAMES / HOP)) * HOP * MICS;                           \
        if (mic < MICS)                                                                                      \
            UNROLL_LOADS for (i32 n = part; n < HOP; n += PARTS) {                                           \
                REAL x = (REAL)own[n * MICS + mic];                                                          \
                GLOBAL const PAIR *w = exponentials + ((first + n) * BINS + bin) * 3;                        \
                UNROLL for (i32 i = 0; i < 3; ++i) {                                                         \
                    sums[i].x = fma(x, w[i].x, sums[i].x);                                                   \
                    sums[i].y = fma(x, w[i].y, sums[i].y);                                                   \
                }                                                                                            \
            }                                                                                                \
    }

// Adds the sums of blocks `first`, `first` + `step` and so on below `last`, counted backwards from `end`. Before the first sample the ring is zero; adding
// SLOTS keeps the dividend of the remainder positive.
#define ADD_BLOCKS(sums, end, first, step, last)                                                             \
    if (mic < MICS)                                                                                          \
        UNROLL_LOADS for (i32 b = first; b < (last); b += step) {                                            \
            GLOBAL const PAIR *own = ring + ((((end) - 1 - b + SLOTS) % SLOTS) * BINS + bin) * 3 * MICS + mic; \
            UNROLL for (i32 i = 0; i < 3; ++i) {                                                             \
                sums[i].x += own[i * MICS].x;                                                                \
                sums[i].y += own[i * MICS].y;                                                                \
            }                                                                                                \
        }

// The sum over all parts of their values at `i`, in a fixed order.
#define SUM_PARTS(sum, count, i)                                                                             \
    {                                                                                                        \
        CLEAR(sum);                                                                                          \
        for (i32 p = 0; p < PARTS; ++p) {                                                                    \
            (sum).x += all[(p * (count) + (i)) * LANES + lane].x;                                            \
            (sum).y += all[(p * (count) + (i)) * LANES + lane].y;                                            \
        }                                                                                                    \
    }

// The phasor of the window that ends before block `end`: rotated to its first sample by e^{jwn}, with the Hann window as a convolution of three bins,
// X_k/2 - (X_{k-1} + X_{k+1})/4. The parts' values at `offset` are summed, and `rest` is added.
#define STORE_PHASOR(end, count, offset, rest, window)                                                       \
    {                                                                                                        \
        GLOBAL const PAIR *rotation = exponentials + ((i32)((end) % BLOCKS) * HOP * BINS + bin) * 3;         \
        PAIR phasor;                                                                                         \
        CLEAR(phasor);                                                                                       \
        UNROLL for (i32 i = 0; i < 3; ++i) {                                                                 \
            PAIR sum, factor = rotation[i];                                                                  \
            SUM_PARTS(sum, count, (offset) + i)                                                              \
            sum.x += rest[i].x;                                                                              \
            sum.y += rest[i].y;                                                                              \
            factor.x *= weights[bin * 3 + i];                                                                \
            factor.y *= weights[bin * 3 + i];                                                                \
            ADD_CONJUGATE(phasor, sum, factor)                                                               \
        }                                                                                                    \
        phasors[((i64)(window) * BINS + bin) * MICS + mic] = phasor;                                         \
    }

// Sums of new blocks: [slot][bin][3][microphone]. `count` is the number of blocks before.
KERNEL blocks(GLOBAL const f32 *RESTRICT samples, GLOBAL const PAIR *RESTRICT exponentials, GLOBAL PAIR *RESTRICT ring,
              GLOBAL const i64 *RESTRICT count) {
    LOCAL PAIR all[PARTS * 3 * LANES];
    SUM_INDICES;
    i64 block = count[0] + GROUP_ID(2);
    PAIR sums[3];
    UNROLL for (i32 i = 0; i < 3; ++i) CLEAR(sums[i]);
    ADD_SAMPLES(sums, block)
    UNROLL for (i32 i = 0; i < 3; ++i) all[(part * 3 + i) * LANES + lane] = sums[i];
    BARRIER();
    // Three of the parts each add up one of the three bins.
    if (part < 3 && mic < MICS) {
        PAIR sum;
        SUM_PARTS(sum, 3, part)
        ring[(((block % SLOTS) * BINS + bin) * 3 + part) * MICS + mic] = sum;
    }
}

// Phasors of the windows that end with new blocks: [window][bin][microphone]. `weights` of the neighboring bins are [bin][3]. RUN windows share the sum of
// the blocks that are in all of them, which all parts form together; part p then adds the other blocks of window p.
KERNEL windows(GLOBAL const PAIR *RESTRICT ring, GLOBAL const PAIR *RESTRICT exponentials, GLOBAL const REAL *RESTRICT weights,
               GLOBAL PAIR *RESTRICT phasors, GLOBAL const i64 *RESTRICT count) {
    LOCAL PAIR all[PARTS * 3 * LANES];
    TRIGGER_DEPENDENTS();
    SUM_INDICES;
    // Windows of a run end at consecutive blocks: window p misses the p oldest blocks of the first
    // one and has p newer ones.
    i32 window = GROUP_ID(2) * RUN + part;
    i64 end = count[0] + GROUP_ID(2) * RUN + 1;
    PAIR sums[3], rest[3];
    UNROLL for (i32 i = 0; i < 3; ++i) {
        CLEAR(sums[i]);
        CLEAR(rest[i]);
    }
    ADD_BLOCKS(sums, end, part, PARTS, BLOCKS - RUN + 1)
    UNROLL for (i32 i = 0; i < 3; ++i) all[(part * 3 + i) * LANES + lane] = sums[i];
    BARRIER();
    if (part < RUN && window < BATCH && mic < MICS) {
        ADD_BLOCKS(rest, end + part, 0, 1, part)
        ADD_BLOCKS(rest, end, BLOCKS - RUN + 1, 1, BLOCKS - part)
        STORE_PHASOR(end + part, 3, 0, rest, window)
    }
}

// Both in one launch, for a single new block: half of the parts sum its samples while the others sum the blocks before.
KERNEL block_and_window(GLOBAL const f32 *RESTRICT samples, GLOBAL const PAIR *RESTRICT exponentials, GLOBAL const REAL *RESTRICT weights,
                        GLOBAL PAIR *RESTRICT ring, GLOBAL PAIR *RESTRICT phasors, GLOBAL const i64 *RESTRICT count) {
    LOCAL PAIR all[2 * PARTS * 3 * LANES];
    // The next kernel may begin: it waits for this one only before it reads the phasors.
    TRIGGER_DEPENDENTS();
    SUM_INDICES;
    i32 earlier = part >= PARTS;
    i64 end = count[0] + 1;
    PAIR sums[3], rest[3];
    UNROLL for (i32 i = 0; i < 3; ++i) CLEAR(sums[i]);
    part -= earlier * PARTS;
    if (earlier) {
        ADD_BLOCKS(sums, end, 1 + part, PARTS, BLOCKS)
    } else ADD_SAMPLES(sums, end - 1)
    // Sums of samples at 0 to 2, of earlier blocks at 3 to 5.
    UNROLL for (i32 i = 0; i < 3; ++i) all[(part * 6 + earlier * 3 + i) * LANES + lane] = sums[i];
    BARRIER();
    // The second half of the work items stores the
    // phasor, the first half the sums of the new block.
    if (part == 0 && earlier && mic < MICS) {
        UNROLL for (i32 i = 0; i < 3; ++i) SUM_PARTS(rest[i], 6, i)
        STORE_PHASOR(end, 6, 3, rest, 0)
    }
    if (part < 3 && !earlier && mic < MICS) {
        PAIR sum;
        SUM_PARTS(sum, 6, part)
        ring[((((end - 1) % SLOTS) * BINS + bin) * 3 + part) * MICS + mic] = sum;
    }
}

// The sum of v over a group of ITEMS, and the value of the previous work item. On CUDA by warp shuffles, on OpenCL through local memory. `part_sums` holds
// two sums alternately, so that one barrier suffices: a sum is not overwritten while it is read.
#ifdef __OPENCL_VERSION__
#define PART_SUMS ITEMS
#define GROUP_SUMS(v, count, index)                                                                          \
    for (i32 i = 0; i < (count); ++i) part_sums[(index) * (count) + i][item] = v[i];                         \
    BARRIER();                                                                                               \
    for (i32 i = 0; i < (count); ++i) {                                                                      \
        v[i] = R(0.0);                                                                                       \
        for (i32 o = 0; o < ITEMS; ++o) v[i] += part_sums[(index) * (count) + i][o];                         \
    }
#define FROM_PREVIOUS_ITEM(z)                                                                                \
    edges[item] = z;                                                                                         \
    BARRIER();                                                                                               \
    z = edges[item > 0 ? item - 1 : 0];                                                                      \
    BARRIER();
#else
#define PART_SUMS (ITEMS / 32)
#define GROUP_SUMS(v, count, index)                                                                          \
    UNROLL for (i32 i = 0; i < (count); ++i) {                                                               \
        UNROLL for (i32 o = 16; o > 0; o /= 2) v[i] += __shfl_xor_sync(0xffffffffu, v[i], o);                \
        if (item % 32 == 0) part_sums[(index) * (count) + i][item / 32] = v[i];                              \
    }                                                                                                        \
    BARRIER();                                                                                               \
    UNROLL for (i32 i = 0; i < (count); ++i) {                                                               \
        v[i] = R(0.0);                                                                                       \
        UNROLL for (i32 o = 0; o < PART_SUMS; ++o) v[i] += part_sums[(index) * (count) + i][o];              \
    }
#define FROM_PREVIOUS_ITEM(z)                                                                                \
    z.x = __shfl_up_sync(0xffffffffu, z.x, 1);                                                               \
    z.y = __shfl_up_sync(0xffffffffu, z.y, 1);
#endif
// Steps of a segment of a row.
#define SPAN ((LONGER + SEGMENTS - 1) / SEGMENTS)

// Burg's method (Marple, Digital Spectral Analysis, 1987, section 8.5), pooled over all rows (or columns) of a hologram. With the forward and backward
// prediction errors f and b, at order m:
//
//   k = -2 sum f[n] b*[n-1] / sum(|f[n]|^2 + |b[n-1]|^2)      reflection coefficient
//   a_i += k a*_{m-1-i},  a_m = k                             Levinson's recursion
//   f[n] += k b[n-1],  b[n-1] += k* f[n]
//
// Along x the rows are then extrapolated and tapered, [x][row]. Along y the response of the prediction to each of the outermost values is
// tabulated, [side][distance][value], tapered as well: it is applied in k-space along x by the next kernel, E_y (P E_x^T F_x).
//
// A work item holds the errors at SPAN steps of a row: f[n], and its partner b[n - 1]. Errors without a partner are zero.
KERNEL predict(GLOBAL const PAIR *phasors, GLOBAL const REAL *RESTRICT window_x, GLOBAL const REAL *RESTRICT window_y,
               GLOBAL PAIR *RESTRICT all_padded, GLOBAL PAIR *RESTRICT responses) {
    LOCAL REAL window[3 * LONGER];
    LOCAL REAL part_sums[6][PART_SUMS];
#ifdef __OPENCL_VERSION__
    LOCAL PAIR edges[ITEMS];
#endif
    i32 item = LOCAL_ID(0), along_y = GROUP_ID(1), order = PREDICTED ? (along_y ? ORDER_Y : ORDER_X) : 0;
    i32 steps = along_y ? ROWS : COLUMNS, rows = along_y ? COLUMNS : ROWS;
    i32 step_size = along_y ? COLUMNS : 1, row_size = along_y ? 1 : COLUMNS;
    GLOBAL const PAIR *field = phasors + (i64)GROUP_ID(0) * MICS;
    // Errors stay in registers for all orders: only three sums and one value of the neighbor are
    // exchanged at each order.
    i32 row = item / SEGMENTS, first = item % SEGMENTS * SPAN;
    PAIR forward[SPAN], backward[SPAN], a[ORDER];
    // Windows do not depend on earlier kernels: loaded while the one before still runs.
    for (i32 i = item; i < 3 * steps; i += ITEMS) window[i] = along_y ? window_y[i] : window_x[i];
    // From here on the phasors of the previous kernel are visible.
    GRID_DEPENDENCY_SYNC();
    TRIGGER_DEPENDENTS();
    // The first step of a row has no partner.
    UNROLL for (i32 j = 0; j < SPAN; ++j) {
        i32 n = first + j;
        CLEAR(forward[j]);
        CLEAR(backward[j]);
        if (row < rows && n > 0 && n < steps) {
            forward[j] = field[row * row_size + n * step_size];
            backward[j] = field[row * row_size + (n - 1) * step_size];
        }
    }
    UNROLL for (i32 i = 0; i < ORDER; ++i) CLEAR(a[i]);
    // Unrolled up to the larger order, so that a[i] are
    // registers; the break is uniform over the group.
    UNROLL for (i32 m = 0; m < ORDER; ++m) {
        if (m >= order) break;
        REAL sums[3], power = R(0.0);
        UNROLL for (i32 i = 0; i < 3; ++i) sums[i] = R(0.0);
        UNROLL for (i32 j = 0; j < SPAN; ++j) {
            PAIR f = forward[j], b = backward[j];
            sums[0] = fma(f.x, b.x, fma(f.y, b.y, sums[0]));
            sums[1] = fma(f.y, b.x, fma(-f.x, b.y, sums[1]));
            sums[2] = fma(f.x, f.x, fma(f.y, f.y, sums[2]));
            power = fma(b.x, b.x, fma(b.y, b.y, power));
        }
        sums[2] += power;
        // Alternating halves of the buffer: see GROUP_SUMS.
        GROUP_SUMS(sums, 3, m % 2)
        // Without any error left, the prediction is exact and k is zero.
        REAL scale = sums[2] > R(0.0) ? R(-2.0) / sums[2] : R(0.0);
        PAIR k, edge;
        k.x = scale * sums[0];
        k.y = scale * sums[1];
        UNROLL for (i32 i = 0; i < (m + 1) / 2; ++i) {
            PAIR low = a[i], high = a[m - 1 - i];
            ADD_CONJUGATE(a[i], k, high)
            if (i < m - 1 - i) ADD_CONJUGATE(a[m - 1 - i], k, low)
        }
        a[m] = k;
        UNROLL for (i32 j = 0; j < SPAN; ++j) {
            PAIR f = forward[j];
            ADD_PRODUCT(forward[j], k, backward[j])
            ADD_CONJUGATE(backward[j], f, k)
            // The forward error at step m + 1 has no partner at the next order.
            if (first + j == m + 1) CLEAR(forward[j]);
        }
        // b moves one step along the row: its partner at the next order is one step farther.
        // Segments pass their last value on.
        edge = backward[SPAN - 1];
        FROM_PREVIOUS_ITEM(edge)
        UNROLL for (i32 j = SPAN - 1; j > 0; --j) backward[j] = backward[j - 1];
        backward[0] = edge;
        UNROLL for (i32 j = 0; j < SPAN; ++j)
            if (first + j == 0 || first + j >= steps) CLEAR(backward[j]);
    }
    // `window` is complete for all work items, also where nothing was predicted.
    BARRIER();
    // The values that the next one is predicted from, the nearest first: along y unit vectors, along x those of a row.
    PAIR previous[ORDER];
    i32 side = along_y ? item / ORDER_Y : item / ROWS, own = along_y ? item % ORDER_Y : item % ROWS;
    if (along_y) {
        UNROLL for (i32 i = 0; i < ORDER; ++i) {
            CLEAR(previous[i]);
            if (i == own) previous[i].x = R(1.0);
        }
    } else {
        UNROLL for (i32 i = 0; i < ORDER; ++i)
            // ORDER, the larger of both orders, may exceed COLUMNS: those coefficients are zero.
            previous[i] = field[own * COLUMNS + (i < COLUMNS ? (side ? i : COLUMNS - 1 - i) : 0)];
    }
    if (side < 2) {
        PAIR c[ORDER];
        UNROLL for (i32 i = 0; i < ORDER; ++i) {
            // The backward prediction has conjugate coefficients.
            c[i].x = (REAL)-a[i].x;
            c[i].y = (REAL)(side ? a[i].y : -a[i].y);
        }
        // Sequential by nature: one work item per row and side, or per response.
        for (i32 n = 0; n < steps; ++n) {
            PAIR next;
            CLEAR(next);
            UNROLL for (i32 i = ORDER - 1; i >= 0; --i) ADD_PRODUCT(next, c[i], previous[i])
            UNROLL for (i32 i = ORDER - 1; i > 0; --i) previous[i] = previous[i - 1];
            previous[0] = next;
            i32 at = side ? steps - 1 - n : 2 * steps + n;
            next.x *= window[at];
            next.y *= window[at];
            if (along_y) responses[(((i64)GROUP_ID(0) * 2 + side) * ROWS + n) * ORDER_Y + own] = next;
            else all_padded[((i64)GROUP_ID(0) * PADDED_COLUMNS + at) * ROWS + own] = next;
        }
    }
    // The array itself is copied unchanged: the Tukey window is one there.
    if (!along_y)
        for (i32 i = item; i < MICS; i += ITEMS)
            all_padded[((i64)GROUP_ID(0) * PADDED_COLUMNS + COLUMNS + i / ROWS) * ROWS + i % ROWS] = field[i % ROWS * COLUMNS + i / ROWS];
}

// `count` sums of `terms` terms, distributed over the `items` of a group. `begin` declares what sum `o` needs, and `step`: term i has the root of unity
// step i modulo `roots`. `term` adds term i with the root at `index`, and `out` stores the sum. Where there are fewer long sums than work items, each is
// split into parts, which are collected in `partial`.
#define GROUP_SUM(items, count, terms, roots, begin, term, out)                                              \
    {                                                                                                        \
        const i32 parts = (terms) >= 32 && (count) < (items) ? (items) / (count) : 1;                        \
        for (i32 at = LOCAL_ID(0); at < (count) * parts; at += (items)) {                                    \
            i32 o = at % (count), part = at / (count);                                                       \
            begin;                                                                                           \
            i32 index = part * step % (roots), stride = parts * step % (roots);                              \
            PAIR sum;                                                                                        \
            CLEAR(sum);                                                                                      \
            UNROLL_LOADS for (i32 i = part; i < (terms); i += parts) {                                       \
                term;                                                                                        \
                index += stride;                                                                             \
                index -= index < (roots) ? 0 : (roots);                                                      \
            }                                                                                                \
            if (parts == 1) {                                                                                \
                out;                                                                                         \
            } else partial[at] = sum;                                                                        \
        }                                                                                                    \
        BARRIER();                                                                                           \
        if (parts > 1) {                                                                                     \
            for (i32 o = LOCAL_ID(0); o < (count); o += (items)) {                                           \
                begin;                                                                                       \
                PAIR sum;                                                                                    \
                CLEAR(sum);                                                                                  \
                for (i32 part = 0; part < parts; ++part) {                                                   \
                    sum.x += partial[part * (count) + o].x;                                                  \
                    sum.y += partial[part * (count) + o].y;                                                  \
                }                                                                                            \
                out;                                                                                         \
            }                                                                                                \
            BARRIER();                                                                                       \
        }                                                                                                    \
    }

// Values of the response table that each work item loads.
#define RESPONSES ((2 * ROWS * ORDER_Y + PROPAGATE_ITEMS - 1) / PROPAGATE_ITEMS)

// Loads the propagators of the k_x of a group.
#define LOAD_PROPAGATORS                                                                                     \
    for (i32 i = item; i < KXS * PADDED_ROWS; i += PROPAGATE_ITEMS)                                          \
        propagator[i] = propagators_of_field[(first + i / PADDED_ROWS * spacing) * PADDED_ROWS + i % PADDED_ROWS];

// All points of k-space with KXS values of k_x, `first` and every (PADDED_COLUMNS/KXS)-th after it: the spectrum along x of every row, its extrapolation along
// y, the spectrum along y, times the propagator of each field, and back along y to the rows of the array: [field][first][row][k_x]. `roots_x` and `roots_y`
// are e^{-j 2 pi n / PADDED_COLUMNS} and e^{-j 2 pi n / PADDED_ROWS}; propagators are [bin][field][k_x][k_y].
KERNEL propagate(GLOBAL const PAIR *all_padded, GLOBAL const PAIR *responses, GLOBAL const PAIR *RESTRICT roots_x,
             GLOBAL const PAIR *RESTRICT roots_y, GLOBAL const PAIR *RESTRICT propagators, GLOBAL PAIR *RESTRICT lines) {
    LOCAL PAIR root_x[PADDED_COLUMNS];
    LOCAL PAIR root_y[PADDED_ROWS];
    LOCAL PAIR response[2 * ROWS * ORDER_Y];
    LOCAL PAIR columns[KXS * PADDED_ROWS];
    LOCAL PAIR inner[KXS * PADDED_ROWS];
    LOCAL PAIR spectra[KXS * PADDED_ROWS];
    LOCAL PAIR propagator[KXS * PADDED_ROWS];
    LOCAL PAIR partial[PROPAGATE_ITEMS];
    // The k_x of a group differ by multiples of this: they share the inner sum, which depends on
    // k_x modulo `spacing` only.
    const i32 spacing = PADDED_COLUMNS / KXS;
    i32 first = GROUP_ID(0), item = LOCAL_ID(0);
    i64 hologram = GROUP_ID(1);
    i32 bin = (i32)(hologram % BINS);
    for (i32 i = item; i < PADDED_COLUMNS; i += PROPAGATE_ITEMS) root_x[i] = roots_x[i];
    for (i32 i = item; i < PADDED_ROWS; i += PROPAGATE_ITEMS) root_y[i] = roots_y[i];
    GLOBAL const PAIR *propagators_of_field = propagators + (i64)bin * FIELDS * PADDED_COLUMNS * PADDED_ROWS;
    // Tables do not depend on earlier kernels: loaded before the wait.
    LOAD_PROPAGATORS
    BARRIER();
    GRID_DEPENDENCY_SYNC();
    TRIGGER_DEPENDENTS();
    // Loaded while the first sum is computed.
    PAIR loaded[RESPONSES];
    UNROLL for (i32 i = 0; i < RESPONSES; ++i) {
        i32 at = i * PROPAGATE_ITEMS + item;
        if (at < 2 * ROWS * ORDER_Y) loaded[i] = responses[hologram * 2 * ROWS * ORDER_Y + at];
    }
    GLOBAL const PAIR *padded = all_padded + hologram * PADDED_COLUMNS * ROWS;
    // Along x, the inner sum: over every KXS-th column.
    GROUP_SUM(PROPAGATE_ITEMS, KXS * ROWS, spacing, PADDED_COLUMNS,
              const i32 step = KXS * first % PADDED_COLUMNS, PAIR p = padded[i * KXS * ROWS + o];
              ADD_PRODUCT(sum, p, root_x[index]), if (KXS > 1) inner[o] = sum; else columns[ROWS + o] = sum)
    UNROLL for (i32 i = 0; i < RESPONSES; ++i) {
        i32 at = i * PROPAGATE_ITEMS + item;
        if (at < 2 * ROWS * ORDER_Y) response[at] = loaded[i];
    }
    // The outer sum, for each of the k_x.
    if (KXS == 1) BARRIER();
    else
        GROUP_SUM(PROPAGATE_ITEMS, KXS * ROWS, KXS, PADDED_COLUMNS,
                  i32 row = o % ROWS; i32 step = first + o / ROWS * spacing,
              ADD_PRODUCT(sum, inner[i * ROWS + row], root_x[index]), columns[o / ROWS * PADDED_ROWS + ROWS + row] = sum)
    // Extrapolation along y by the tabulated response.
    // E_y after the transform along x: predictions along y have the same coefficients for all k_x.
    for (i32 o = item; o < KXS * 2 * ROWS; o += PROPAGATE_ITEMS) {
        i32 outside = o % (2 * ROWS), side = outside / ROWS, n = outside % ROWS;
        LOCAL_PTR PAIR *column = columns + o / (2 * ROWS) * PADDED_ROWS;
        PAIR sum;
        CLEAR(sum);
        UNROLL for (i32 i = 0; i < ORDER_Y; ++i)
            ADD_PRODUCT(sum, response[outside * ORDER_Y + i], column[side ? ROWS + i : 2 * ROWS - 1 - i])
        column[side ? ROWS - 1 - n : 2 * ROWS + n] = sum;
    }
    BARRIER();
    // Along y, inner and outer sum: the point of k-space.
    GROUP_SUM(PROPAGATE_ITEMS, KXS * PADDED_ROWS, PADDED_ROWS_A, PADDED_ROWS,
              i32 own = o / PADDED_ROWS * PADDED_ROWS + o % PADDED_ROWS_B;
              i32 step = o % PADDED_ROWS / PADDED_ROWS_B * PADDED_ROWS_B,
              ADD_PRODUCT(sum, columns[own + i * PADDED_ROWS_B], root_y[index]), inner[o] = sum)
    GROUP_SUM(PROPAGATE_ITEMS, KXS * PADDED_ROWS, PADDED_ROWS_B, PADDED_ROWS,
              i32 step = o % PADDED_ROWS; i32 own = o - step + step % PADDED_ROWS_A * PADDED_ROWS_B,
              ADD_PRODUCT(sum, inner[own + i], root_y[index]), spectra[o] = sum)
    // The spectrum is computed once for all fields.
    for (i32 f = 0; f < FIELDS; ++f) {
        for (i32 o = item; o < KXS * PADDED_ROWS; o += PROPAGATE_ITEMS) {
            PAIR sum;
            CLEAR(sum);
            ADD_PRODUCT(sum, propagator[o], spectra[o])
            columns[o] = sum;
        }
        propagators_of_field += PADDED_COLUMNS * PADDED_ROWS;
        // Those of the next field are loaded while this one is transformed; each work item overwrites only those that it alone has used.
        if (f + 1 < FIELDS) LOAD_PROPAGATORS
        BARRIER();
        // Conjugate roots: the inverse DFT.
        GROUP_SUM(PROPAGATE_ITEMS, KXS * PADDED_ROWS, PADDED_ROWS_A, PADDED_ROWS,
                  i32 own = o / PADDED_ROWS * PADDED_ROWS + o % PADDED_ROWS_B;
                  i32 step = o % PADDED_ROWS / PADDED_ROWS_B * PADDED_ROWS_B,
                  ADD_CONJUGATE(sum, columns[own + i * PADDED_ROWS_B], root_y[index]), inner[o] = sum)
        // Only the rows of the array, the middle third.
        GLOBAL PAIR *line = lines + ((hologram * FIELDS + f) * spacing + first) * ROWS * KXS;
        GROUP_SUM(PROPAGATE_ITEMS, ROWS * KXS, PADDED_ROWS_B, PADDED_ROWS,
                  i32 step = ROWS + o / KXS; i32 own = o % KXS * PADDED_ROWS + step % PADDED_ROWS_A * PADDED_ROWS_B,
                  ADD_CONJUGATE(sum, inner[own + i], root_y[index]), line[o] = sum)
    }
}

// LINES rows of a field, back along x: [hologram][field][row][column]. Only the middle third, over the aperture, is computed. Adds `done` to the count.
KERNEL inverse_rows(GLOBAL const PAIR *lines, GLOBAL const PAIR *RESTRICT roots_x, GLOBAL PAIR *RESTRICT fields,
                 GLOBAL i64 *RESTRICT count, i32 done) {
    LOCAL PAIR root_x[PADDED_COLUMNS];
    LOCAL PAIR line[LINES * PADDED_COLUMNS];
    LOCAL PAIR inner[LINES * PADDED_COLUMNS];
    LOCAL PAIR partial[ROW_ITEMS];
    const i32 spacing = PADDED_COLUMNS / KXS;
    i32 row = GROUP_ID(0) * LINES, item = LOCAL_ID(0);
    i64 field = GROUP_ID(1);
    for (i32 i = item; i < PADDED_COLUMNS; i += ROW_ITEMS) root_x[i] = roots_x[i];
    GRID_DEPENDENCY_SYNC();
    // Reordered to consecutive k_x in local memory: groups of `propagate` wrote every `spacing`-th.
    for (i32 i = item; i < LINES * PADDED_COLUMNS; i += ROW_ITEMS) {
        i32 kx = i % KXS, own = i / KXS % LINES, first = i / (KXS * LINES);
        line[own * PADDED_COLUMNS + kx * spacing + first] = lines[((field * spacing + first) * ROWS + row + own) * KXS + kx];
    }
    BARRIER();
    GROUP_SUM(ROW_ITEMS, LINES * PADDED_COLUMNS, PADDED_COLUMNS_A, PADDED_COLUMNS,
              i32 own = o / PADDED_COLUMNS * PADDED_COLUMNS + o % PADDED_COLUMNS_B;
              i32 step = o % PADDED_COLUMNS / PADDED_COLUMNS_B * PADDED_COLUMNS_B,
              ADD_CONJUGATE(sum, line[own + i * PADDED_COLUMNS_B], root_x[index]), inner[o] = sum)
    GROUP_SUM(ROW_ITEMS, LINES * COLUMNS, PADDED_COLUMNS_B, PADDED_COLUMNS, i32 step = COLUMNS + o % COLUMNS;
              i32 own = o / COLUMNS * PADDED_COLUMNS + step % PADDED_COLUMNS_A * PADDED_COLUMNS_B, ADD_CONJUGATE(sum, inner[own + i], root_x[index]),
              fields[(field * ROWS + row) * COLUMNS + o] = sum)
    // One work item of the launch; no other reads the count meanwhile.
    if (row == 0 && field == 0 && item == 0) count[0] += done;
}
