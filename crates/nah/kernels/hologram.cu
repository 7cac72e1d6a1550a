// Holograms of a stream of samples, with one prediction for all rows and one for all columns: src/gpu.rs has the order of the kernels.
//
// A hologram is a window of samples and a bin; windows come hop by hop. Transforms of A B points are two sums, of A and of B terms:
// X[k] = sum_b w^(b k) sum_a x[a B + b] w^(a B k), and the inner one needs k only up to a multiple of A.
//
// Defines: REAL, PAIR (two of them: a complex number); COLUMNS, ROWS of the array; PREDICTED, or else silence beyond the rim; ORDER_X,
// ORDER_Y of the predictions and ORDER, the larger; BINS; FIELDS of each hologram; SAMPLES of a window, HOP of a block; SLOTS for blocks;
// MOMENTS that there are samples of; BATCH of windows at once, and RUN of them that share sums; LANES and PARTS of a group that sums blocks;
// ITEMS of a group that predicts, SEGMENTS that it cuts a row into; WAVE_ITEMS and ROW_ITEMS of groups that transform, KXS and LINES: how many k_x
// or rows they take; WIDE_B and TALL_B: B for x and y.

#define MICS (COLUMNS * ROWS)
#define WIDE (3 * COLUMNS)
#define TALL (3 * ROWS)
#define BLOCKS (SAMPLES / HOP)
#define LONGER (COLUMNS > ROWS ? COLUMNS : ROWS)
#define WIDE_A (WIDE / WIDE_B)
#define TALL_A (TALL / TALL_B)

// sum += a b, and sum += a b* for complex numbers.
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
// Terms of a sum whose loads wait together.
#ifdef __OPENCL_VERSION__
#define MANY_AT_ONCE
#else
#define MANY_AT_ONCE _Pragma("unroll 8")
#endif

// Which microphone, bin and part of a sum this work item has.
#define SUMMED                                                                                               \
    i32 lane = LOCAL_ID(0) % LANES, part = LOCAL_ID(0) / LANES, bin = GROUP_ID(1), mic = GROUP_ID(0) * LANES + lane

// Adds x_n e^{-jwn} of the samples of a block, at a bin and its neighbors. `waves` is e^{-jwn} over a window, [sample][bin][3].
#define ADD_SAMPLES(sums, block)                                                                             \
    {                                                                                                        \
        i32 first = (i32)((block) % BLOCKS) * HOP;                                                           \
        GLOBAL const f32 *own = samples + ((block) % (MOMENTS / HOP)) * HOP * MICS;                          \
        if (mic < MICS)                                                                                      \
            MANY_AT_ONCE for (i32 n = part; n < HOP; n += PARTS) {                                           \
                REAL x = (REAL)own[n * MICS + mic];                                                          \
                GLOBAL const PAIR *wave = waves + ((first + n) * BINS + bin) * 3;                            \
                UNROLL for (i32 i = 0; i < 3; ++i) {                                                         \
                    sums[i].x = fma(x, wave[i].x, sums[i].x);                                                \
                    sums[i].y = fma(x, wave[i].y, sums[i].y);                                                \
                }                                                                                            \
            }                                                                                                \
    }

// Adds blocks `first`, `first` + `step` and so on, as long as they are before `last`, counted backwards from `end`. Before the first sample
// there is silence, and SLOTS keeps what is taken the remainder of above zero.
#define ADD_BLOCKS(sums, end, first, step, last)                                                             \
    if (mic < MICS)                                                                                          \
        MANY_AT_ONCE for (i32 b = first; b < (last); b += step) {                                            \
            GLOBAL const PAIR *own = ring + ((((end) - 1 - b + SLOTS) % SLOTS) * BINS + bin) * 3 * MICS + mic; \
            UNROLL for (i32 i = 0; i < 3; ++i) {                                                             \
                sums[i].x += own[i * MICS].x;                                                                \
                sums[i].y += own[i * MICS].y;                                                                \
            }                                                                                                \
        }

// The sum over all parts of what they put at `i`.
#define SUM_PARTS(sum, count, i)                                                                             \
    {                                                                                                        \
        CLEAR(sum);                                                                                          \
        for (i32 p = 0; p < PARTS; ++p) {                                                                    \
            (sum).x += all[(p * (count) + (i)) * LANES + lane].x;                                            \
            (sum).y += all[(p * (count) + (i)) * LANES + lane].y;                                            \
        }                                                                                                    \
    }

// The phasor of the window that ends before block `end`: turned back to its first sample, and Hann's window from the neighbors. What the
// parts put at `offset` is summed, and `rest` is added.
#define GIVE_PHASOR(end, count, offset, rest, window)                                                        \
    {                                                                                                        \
        GLOBAL const PAIR *turn = waves + ((i32)((end) % BLOCKS) * HOP * BINS + bin) * 3;                    \
        PAIR phasor;                                                                                         \
        CLEAR(phasor);                                                                                       \
        UNROLL for (i32 i = 0; i < 3; ++i) {                                                                 \
            PAIR sum, factor = turn[i];                                                                      \
            SUM_PARTS(sum, count, (offset) + i)                                                              \
            sum.x += rest[i].x;                                                                              \
            sum.y += rest[i].y;                                                                              \
            factor.x *= weights[bin * 3 + i];                                                                \
            factor.y *= weights[bin * 3 + i];                                                                \
            ADD_CONJUGATE(phasor, sum, factor)                                                               \
        }                                                                                                    \
        phasors[((i64)(window) * BINS + bin) * MICS + mic] = phasor;                                         \
    }

// Sums of new blocks: [slot][bin][3][microphone]. `count` holds how many blocks there were before.
KERNEL blocks(GLOBAL const f32 *RESTRICT samples, GLOBAL const PAIR *RESTRICT waves, GLOBAL PAIR *RESTRICT ring,
              GLOBAL const i64 *RESTRICT count) {
    LOCAL PAIR all[PARTS * 3 * LANES];
    SUMMED;
    i64 block = count[0] + GROUP_ID(2);
    PAIR sums[3];
    UNROLL for (i32 i = 0; i < 3; ++i) CLEAR(sums[i]);
    ADD_SAMPLES(sums, block)
    UNROLL for (i32 i = 0; i < 3; ++i) all[(part * 3 + i) * LANES + lane] = sums[i];
    BARRIER();
    if (part < 3 && mic < MICS) {
        PAIR sum;
        SUM_PARTS(sum, 3, part)
        ring[(((block % SLOTS) * BINS + bin) * 3 + part) * MICS + mic] = sum;
    }
}

// Phasors of windows that end with new blocks: [window][bin][microphone]. `weights` of the neighbors are [bin][3]. Every RUN windows share
// what is in all of them, which all parts sum; part p adds what is in window p besides.
KERNEL windows(GLOBAL const PAIR *RESTRICT ring, GLOBAL const PAIR *RESTRICT waves, GLOBAL const REAL *RESTRICT weights,
               GLOBAL PAIR *RESTRICT phasors, GLOBAL const i64 *RESTRICT count) {
    LOCAL PAIR all[PARTS * 3 * LANES];
    NEXT_MAY_BEGIN();
    SUMMED;
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
        GIVE_PHASOR(end + part, 3, 0, rest, window)
    }
}

// Both in one, for a single block: half of the parts sum its samples while the others sum the blocks before.
KERNEL block_and_window(GLOBAL const f32 *RESTRICT samples, GLOBAL const PAIR *RESTRICT waves, GLOBAL const REAL *RESTRICT weights,
                        GLOBAL PAIR *RESTRICT ring, GLOBAL PAIR *RESTRICT phasors, GLOBAL const i64 *RESTRICT count) {
    LOCAL PAIR all[2 * PARTS * 3 * LANES];
    NEXT_MAY_BEGIN();
    SUMMED;
    i32 before = part >= PARTS;
    i64 end = count[0] + 1;
    PAIR sums[3], rest[3];
    UNROLL for (i32 i = 0; i < 3; ++i) CLEAR(sums[i]);
    part -= before * PARTS;
    if (before) {
        ADD_BLOCKS(sums, end, 1 + part, PARTS, BLOCKS)
    } else ADD_SAMPLES(sums, end - 1)
    UNROLL for (i32 i = 0; i < 3; ++i) all[(part * 6 + before * 3 + i) * LANES + lane] = sums[i];
    BARRIER();
    if (part == 0 && before && mic < MICS) {
        UNROLL for (i32 i = 0; i < 3; ++i) SUM_PARTS(rest[i], 6, i)
        GIVE_PHASOR(end, 6, 3, rest, 0)
    }
    if (part < 3 && !before && mic < MICS) {
        PAIR sum;
        SUM_PARTS(sum, 6, part)
        ring[((((end - 1) % SLOTS) * BINS + bin) * 3 + part) * MICS + mic] = sum;
    }
}

// The sum of v over a group of ITEMS, and what the item before has of a value. Work items wait for each other; `part_sums` has room for
// two sums by turns, so that none is overwritten that is still read.
#ifdef __OPENCL_VERSION__
#define SUM_ROOM ITEMS
#define GROUP_SUMS(v, count, turn)                                                                           \
    for (i32 i = 0; i < (count); ++i) part_sums[(turn) * (count) + i][item] = v[i];                          \
    BARRIER();                                                                                               \
    for (i32 i = 0; i < (count); ++i) {                                                                      \
        v[i] = R(0.0);                                                                                       \
        for (i32 o = 0; o < ITEMS; ++o) v[i] += part_sums[(turn) * (count) + i][o];                          \
    }
#define FROM_ITEM_BEFORE(z)                                                                                  \
    edges[item] = z;                                                                                         \
    BARRIER();                                                                                               \
    z = edges[item > 0 ? item - 1 : 0];                                                                      \
    BARRIER();
#else
#define SUM_ROOM (ITEMS / 32)
#define GROUP_SUMS(v, count, turn)                                                                           \
    UNROLL for (i32 i = 0; i < (count); ++i) {                                                               \
        UNROLL for (i32 o = 16; o > 0; o /= 2) v[i] += __shfl_xor_sync(0xffffffffu, v[i], o);                \
        if (item % 32 == 0) part_sums[(turn) * (count) + i][item / 32] = v[i];                               \
    }                                                                                                        \
    BARRIER();                                                                                               \
    UNROLL for (i32 i = 0; i < (count); ++i) {                                                               \
        v[i] = R(0.0);                                                                                       \
        UNROLL for (i32 o = 0; o < SUM_ROOM; ++o) v[i] += part_sums[(turn) * (count) + i][o];                \
    }
#define FROM_ITEM_BEFORE(z)                                                                                  \
    z.x = __shfl_up_sync(0xffffffffu, z.x, 1);                                                               \
    z.y = __shfl_up_sync(0xffffffffu, z.y, 1);
#endif
// Steps of a segment.
#define SPAN ((LONGER + SEGMENTS - 1) / SEGMENTS)

// Burg's method along one axis of a hologram, and what follows from it: along x the rows carried on and faded out, [x][row]; along y how
// far each of the outermost values reaches into what is beyond the rim, [side][distance][value], faded out as well.
//
// A work item has the prediction errors at SPAN steps of a row (or column): ahead f[n], and behind b[n - 1], its partner. What has no
// partner is zero.
KERNEL predict(GLOBAL const PAIR *phasors, GLOBAL const REAL *RESTRICT window_x, GLOBAL const REAL *RESTRICT window_y,
               GLOBAL PAIR *RESTRICT all_wide, GLOBAL PAIR *RESTRICT tables) {
    LOCAL REAL window[3 * LONGER];
    LOCAL REAL part_sums[6][SUM_ROOM];
#ifdef __OPENCL_VERSION__
    LOCAL PAIR edges[ITEMS];
#endif
    i32 item = LOCAL_ID(0), along_y = GROUP_ID(1), order = PREDICTED ? (along_y ? ORDER_Y : ORDER_X) : 0;
    i32 steps = along_y ? ROWS : COLUMNS, rows = along_y ? COLUMNS : ROWS;
    i32 step_size = along_y ? COLUMNS : 1, row_size = along_y ? 1 : COLUMNS;
    GLOBAL const PAIR *field = phasors + (i64)GROUP_ID(0) * MICS;
    i32 row = item / SEGMENTS, first = item % SEGMENTS * SPAN;
    PAIR ahead[SPAN], behind[SPAN], a[ORDER];
    for (i32 i = item; i < 3 * steps; i += ITEMS) window[i] = along_y ? window_y[i] : window_x[i];
    AFTER_LAST_LAUNCH();
    NEXT_MAY_BEGIN();
    UNROLL for (i32 j = 0; j < SPAN; ++j) {
        i32 n = first + j;
        CLEAR(ahead[j]);
        CLEAR(behind[j]);
        if (row < rows && n > 0 && n < steps) {
            ahead[j] = field[row * row_size + n * step_size];
            behind[j] = field[row * row_size + (n - 1) * step_size];
        }
    }
    UNROLL for (i32 i = 0; i < ORDER; ++i) CLEAR(a[i]);
    UNROLL for (i32 m = 0; m < ORDER; ++m) {
        if (m >= order) break;
        REAL sums[3], power = R(0.0);
        UNROLL for (i32 i = 0; i < 3; ++i) sums[i] = R(0.0);
        UNROLL for (i32 j = 0; j < SPAN; ++j) {
            PAIR f = ahead[j], b = behind[j];
            sums[0] = fma(f.x, b.x, fma(f.y, b.y, sums[0]));
            sums[1] = fma(f.y, b.x, fma(-f.x, b.y, sums[1]));
            sums[2] = fma(f.x, f.x, fma(f.y, f.y, sums[2]));
            power = fma(b.x, b.x, fma(b.y, b.y, power));
        }
        sums[2] += power;
        GROUP_SUMS(sums, 3, m % 2)
        // Where nothing is left the prediction is exact.
        REAL over = sums[2] > R(0.0) ? R(-2.0) / sums[2] : R(0.0);
        PAIR k, edge;
        k.x = over * sums[0];
        k.y = over * sums[1];
        UNROLL for (i32 i = 0; i < (m + 1) / 2; ++i) {
            PAIR low = a[i], high = a[m - 1 - i];
            ADD_CONJUGATE(a[i], k, high)
            if (i < m - 1 - i) ADD_CONJUGATE(a[m - 1 - i], k, low)
        }
        a[m] = k;
        UNROLL for (i32 j = 0; j < SPAN; ++j) {
            PAIR f = ahead[j];
            ADD_PRODUCT(ahead[j], k, behind[j])
            ADD_CONJUGATE(behind[j], f, k)
            if (first + j == m + 1) CLEAR(ahead[j]);
        }
        edge = behind[SPAN - 1];
        FROM_ITEM_BEFORE(edge)
        UNROLL for (i32 j = SPAN - 1; j > 0; --j) behind[j] = behind[j - 1];
        behind[0] = edge;
        UNROLL for (i32 j = 0; j < SPAN; ++j)
            if (first + j == 0 || first + j >= steps) CLEAR(behind[j]);
    }
    BARRIER();
    // What was: as long as the prediction, the newest first.
    PAIR before[ORDER];
    i32 side = along_y ? item / ORDER_Y : item / ROWS, own = along_y ? item % ORDER_Y : item % ROWS;
    if (along_y) {
        UNROLL for (i32 i = 0; i < ORDER; ++i) {
            CLEAR(before[i]);
            if (i == own) before[i].x = R(1.0);
        }
    } else {
        UNROLL for (i32 i = 0; i < ORDER; ++i)
            before[i] = field[own * COLUMNS + (i < COLUMNS ? (side ? i : COLUMNS - 1 - i) : 0)];
    }
    if (side < 2) {
        PAIR c[ORDER];
        UNROLL for (i32 i = 0; i < ORDER; ++i) {
            // Backwards with the conjugates.
            c[i].x = (REAL)-a[i].x;
            c[i].y = (REAL)(side ? a[i].y : -a[i].y);
        }
        for (i32 n = 0; n < steps; ++n) {
            PAIR next;
            CLEAR(next);
            UNROLL for (i32 i = ORDER - 1; i >= 0; --i) ADD_PRODUCT(next, c[i], before[i])
            UNROLL for (i32 i = ORDER - 1; i > 0; --i) before[i] = before[i - 1];
            before[0] = next;
            i32 place = side ? steps - 1 - n : 2 * steps + n;
            next.x *= window[place];
            next.y *= window[place];
            if (along_y) tables[(((i64)GROUP_ID(0) * 2 + side) * ROWS + n) * ORDER_Y + own] = next;
            else all_wide[((i64)GROUP_ID(0) * WIDE + place) * ROWS + own] = next;
        }
    }
    if (!along_y)
        for (i32 i = item; i < MICS; i += ITEMS)
            all_wide[((i64)GROUP_ID(0) * WIDE + COLUMNS + i / ROWS) * ROWS + i % ROWS] = field[i % ROWS * COLUMNS + i / ROWS];
}

// `count` sums of `terms` terms over the `items` of a group. `begin` finds what sum `o` needs, with `step`: term i is turned by root
// step i of `roots` roots, and `term` adds it, with the root at `turn`. `out` takes the sum. Few long sums are cut into parts, and `room` has
// that many places for them.
#define GROUP_SUM(items, count, terms, roots, begin, term, out)                                              \
    {                                                                                                        \
        const i32 parts = (terms) >= 32 && (count) < (items) ? (items) / (count) : 1;                        \
        for (i32 at = LOCAL_ID(0); at < (count) * parts; at += (items)) {                                    \
            i32 o = at % (count), part = at / (count);                                                       \
            begin;                                                                                           \
            i32 turn = part * step % (roots), further = parts * step % (roots);                              \
            PAIR sum;                                                                                        \
            CLEAR(sum);                                                                                      \
            MANY_AT_ONCE for (i32 i = part; i < (terms); i += parts) {                                       \
                term;                                                                                        \
                turn += further;                                                                             \
                turn -= turn < (roots) ? 0 : (roots);                                                        \
            }                                                                                                \
            if (parts == 1) {                                                                                \
                out;                                                                                         \
            } else room[at] = sum;                                                                           \
        }                                                                                                    \
        BARRIER();                                                                                           \
        if (parts > 1) {                                                                                     \
            for (i32 o = LOCAL_ID(0); o < (count); o += (items)) {                                           \
                begin;                                                                                       \
                PAIR sum;                                                                                    \
                CLEAR(sum);                                                                                  \
                for (i32 part = 0; part < parts; ++part) {                                                   \
                    sum.x += room[part * (count) + o].x;                                                     \
                    sum.y += room[part * (count) + o].y;                                                     \
                }                                                                                            \
                out;                                                                                         \
            }                                                                                                \
            BARRIER();                                                                                       \
        }                                                                                                    \
    }

// What of the table a work item brings.
#define REACHES ((2 * ROWS * ORDER_Y + WAVE_ITEMS - 1) / WAVE_ITEMS)

// Gains of the waves of a group.
#define LOAD_GAINS                                                                                           \
    for (i32 i = item; i < KXS * TALL; i += WAVE_ITEMS)                                                      \
        gain[i] = gains_of_field[(first + i / TALL * apart) * TALL + i % TALL];

// All waves with a few k_x, `first` and every (WIDE/KXS)-th after it: the spectrum along x of every row, carried on along y, its
// spectrum, times each gain, and back along y to the rows of the array: [field][first][row][k_x]. `roots_x` and `roots_y` are e^{-j2pi n/WIDE} and
// e^{-j2pi n/TALL}; gains [bin][field][k_x][k_y].
KERNEL waves(GLOBAL const PAIR *all_wide, GLOBAL const PAIR *tables, GLOBAL const PAIR *RESTRICT roots_x,
             GLOBAL const PAIR *RESTRICT roots_y, GLOBAL const PAIR *RESTRICT gains, GLOBAL PAIR *RESTRICT lines) {
    LOCAL PAIR root_x[WIDE];
    LOCAL PAIR root_y[TALL];
    LOCAL PAIR reach[2 * ROWS * ORDER_Y];
    LOCAL PAIR columns[KXS * TALL];
    LOCAL PAIR inner[KXS * TALL];
    LOCAL PAIR spectra[KXS * TALL];
    LOCAL PAIR gain[KXS * TALL];
    LOCAL PAIR room[WAVE_ITEMS];
    const i32 apart = WIDE / KXS;
    i32 first = GROUP_ID(0), item = LOCAL_ID(0);
    i64 hologram = GROUP_ID(1);
    i32 bin = (i32)(hologram % BINS);
    for (i32 i = item; i < WIDE; i += WAVE_ITEMS) root_x[i] = roots_x[i];
    for (i32 i = item; i < TALL; i += WAVE_ITEMS) root_y[i] = roots_y[i];
    GLOBAL const PAIR *gains_of_field = gains + (i64)bin * FIELDS * WIDE * TALL;
    LOAD_GAINS
    BARRIER();
    AFTER_LAST_LAUNCH();
    NEXT_MAY_BEGIN();
    // On its way while the first sum is.
    PAIR arriving[REACHES];
    UNROLL for (i32 i = 0; i < REACHES; ++i) {
        i32 at = i * WAVE_ITEMS + item;
        if (at < 2 * ROWS * ORDER_Y) arriving[i] = tables[hologram * 2 * ROWS * ORDER_Y + at];
    }
    GLOBAL const PAIR *wide = all_wide + hologram * WIDE * ROWS;
    GROUP_SUM(WAVE_ITEMS, KXS * ROWS, apart, WIDE, const i32 step = KXS * first % WIDE, PAIR p = wide[i * KXS * ROWS + o];
              ADD_PRODUCT(sum, p, root_x[turn]), if (KXS > 1) inner[o] = sum; else columns[ROWS + o] = sum)
    UNROLL for (i32 i = 0; i < REACHES; ++i) {
        i32 at = i * WAVE_ITEMS + item;
        if (at < 2 * ROWS * ORDER_Y) reach[at] = arriving[i];
    }
    if (KXS == 1) BARRIER();
    else
        GROUP_SUM(WAVE_ITEMS, KXS * ROWS, KXS, WIDE, i32 row = o % ROWS; i32 step = first + o / ROWS * apart,
              ADD_PRODUCT(sum, inner[i * ROWS + row], root_x[turn]), columns[o / ROWS * TALL + ROWS + row] = sum)
    for (i32 o = item; o < KXS * 2 * ROWS; o += WAVE_ITEMS) {
        i32 beyond = o % (2 * ROWS), side = beyond / ROWS, n = beyond % ROWS;
        LOCAL_PTR PAIR *column = columns + o / (2 * ROWS) * TALL;
        PAIR sum;
        CLEAR(sum);
        UNROLL for (i32 i = 0; i < ORDER_Y; ++i)
            ADD_PRODUCT(sum, reach[beyond * ORDER_Y + i], column[side ? ROWS + i : 2 * ROWS - 1 - i])
        column[side ? ROWS - 1 - n : 2 * ROWS + n] = sum;
    }
    BARRIER();
    GROUP_SUM(WAVE_ITEMS, KXS * TALL, TALL_A, TALL, i32 own = o / TALL * TALL + o % TALL_B; i32 step = o % TALL / TALL_B * TALL_B,
              ADD_PRODUCT(sum, columns[own + i * TALL_B], root_y[turn]), inner[o] = sum)
    GROUP_SUM(WAVE_ITEMS, KXS * TALL, TALL_B, TALL, i32 step = o % TALL; i32 own = o - step + step % TALL_A * TALL_B,
              ADD_PRODUCT(sum, inner[own + i], root_y[turn]), spectra[o] = sum)
    for (i32 f = 0; f < FIELDS; ++f) {
        for (i32 o = item; o < KXS * TALL; o += WAVE_ITEMS) {
            PAIR sum;
            CLEAR(sum);
            ADD_PRODUCT(sum, gain[o], spectra[o])
            columns[o] = sum;
        }
        gains_of_field += WIDE * TALL;
        // Those of the next arrive while this one is transformed; each item takes those that it alone has used.
        if (f + 1 < FIELDS) LOAD_GAINS
        BARRIER();
        GROUP_SUM(WAVE_ITEMS, KXS * TALL, TALL_A, TALL, i32 own = o / TALL * TALL + o % TALL_B; i32 step = o % TALL / TALL_B * TALL_B,
                  ADD_CONJUGATE(sum, columns[own + i * TALL_B], root_y[turn]), inner[o] = sum)
        GLOBAL PAIR *line = lines + ((hologram * FIELDS + f) * apart + first) * ROWS * KXS;
        GROUP_SUM(WAVE_ITEMS, ROWS * KXS, TALL_B, TALL, i32 step = ROWS + o / KXS; i32 own = o % KXS * TALL + step % TALL_A * TALL_B,
                  ADD_CONJUGATE(sum, inner[own + i], root_y[turn]), line[o] = sum)
    }
}

// A few rows of a field, back along x: [hologram][field][row][column]. Counts what is done.
KERNEL rows_back(GLOBAL const PAIR *lines, GLOBAL const PAIR *RESTRICT roots_x, GLOBAL PAIR *RESTRICT fields,
                 GLOBAL i64 *RESTRICT count, i32 done) {
    LOCAL PAIR root_x[WIDE];
    LOCAL PAIR line[LINES * WIDE];
    LOCAL PAIR inner[LINES * WIDE];
    LOCAL PAIR room[ROW_ITEMS];
    const i32 apart = WIDE / KXS;
    i32 row = GROUP_ID(0) * LINES, item = LOCAL_ID(0);
    i64 field = GROUP_ID(1);
    for (i32 i = item; i < WIDE; i += ROW_ITEMS) root_x[i] = roots_x[i];
    AFTER_LAST_LAUNCH();
    for (i32 i = item; i < LINES * WIDE; i += ROW_ITEMS) {
        i32 kx = i % KXS, own = i / KXS % LINES, first = i / (KXS * LINES);
        line[own * WIDE + kx * apart + first] = lines[((field * apart + first) * ROWS + row + own) * KXS + kx];
    }
    BARRIER();
    GROUP_SUM(ROW_ITEMS, LINES * WIDE, WIDE_A, WIDE, i32 own = o / WIDE * WIDE + o % WIDE_B; i32 step = o % WIDE / WIDE_B * WIDE_B,
              ADD_CONJUGATE(sum, line[own + i * WIDE_B], root_x[turn]), inner[o] = sum)
    GROUP_SUM(ROW_ITEMS, LINES * COLUMNS, WIDE_B, WIDE, i32 step = COLUMNS + o % COLUMNS;
              i32 own = o / COLUMNS * WIDE + step % WIDE_A * WIDE_B, ADD_CONJUGATE(sum, inner[own + i], root_x[turn]),
              fields[(field * ROWS + row) * COLUMNS + o] = sum)
    if (row == 0 && field == 0 && item == 0) count[0] += done;
}
