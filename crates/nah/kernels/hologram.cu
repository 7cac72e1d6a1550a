// Holograms of a stream of samples, with one prediction for all rows and one for all columns: src/gpu.rs has the order of the kernels.
//
// A hologram is a window of samples and a bin; windows come hop by hop. Sums are plain ones, term by term: many groups share them, and there
// is no fast transform whose steps would have to wait for each other.
//
// Defines: REAL, PAIR (two of them: a complex number); COLUMNS, ROWS of the array; PREDICTED, or else silence beyond the rim; ORDER_X,
// ORDER_Y of the predictions and ORDER, the larger;
// BINS; FIELDS of each hologram; SAMPLES of a window, HOP of a block; SLOTS for blocks; MOMENTS that there are samples of;
// ITEMS of a group that predicts, WAVE_ITEMS of one that transforms, LANES and PARTS of one that sums blocks.

#define MICS (COLUMNS * ROWS)
#define WIDE (3 * COLUMNS)
#define TALL (3 * ROWS)
#define BLOCKS (SAMPLES / HOP)
#define LONGER (COLUMNS > ROWS ? COLUMNS : ROWS)

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

// Adds x_n e^{-jwn} of the samples of a block, at a bin and its neighbours. `waves` is e^{-jwn} over a window, [sample][bin][3].
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

// Adds the blocks of the window that ends before block `end`, but for the newest `without`. Before the first sample there is silence, and
// SLOTS keeps what is taken the remainder of above zero.
#define ADD_BLOCKS(sums, end, without)                                                                       \
    if (mic < MICS)                                                                                          \
        MANY_AT_ONCE for (i32 b = (without) + part; b < BLOCKS; b += PARTS) {                                \
            GLOBAL const PAIR *own = ring + ((((end) - 1 - b + SLOTS) % SLOTS) * BINS + bin) * 3 * MICS + mic; \
            UNROLL for (i32 i = 0; i < 3; ++i) {                                                             \
                sums[i].x += own[i * MICS].x;                                                                \
                sums[i].y += own[i * MICS].y;                                                                \
            }                                                                                                \
        }

// The sum over all parts of what they put at `i`.
#define SUM_PARTS(sum, count, i)                                                                             \
    CLEAR(sum);                                                                                              \
    for (i32 p = 0; p < PARTS; ++p) {                                                                        \
        sum.x += all[(p * (count) + (i)) * LANES + lane].x;                                                  \
        sum.y += all[(p * (count) + (i)) * LANES + lane].y;                                                  \
    }

// The phasor of the window that ends before block `end`: turned back to its first sample, and Hann's window from the neighbours.
#define GIVE_PHASOR(end, count, offset, window)                                                              \
    {                                                                                                        \
        GLOBAL const PAIR *turn = waves + ((i32)((end) % BLOCKS) * HOP * BINS + bin) * 3;                    \
        PAIR phasor;                                                                                         \
        CLEAR(phasor);                                                                                       \
        UNROLL for (i32 i = 0; i < 3; ++i) {                                                                 \
            PAIR sum, factor = turn[i];                                                                      \
            SUM_PARTS(sum, count, (offset) + i)                                                              \
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

// Phasors of windows that end with new blocks: [window][bin][microphone]. `weights` of the neighbours are [bin][3].
KERNEL windows(GLOBAL const PAIR *RESTRICT ring, GLOBAL const PAIR *RESTRICT waves, GLOBAL const REAL *RESTRICT weights,
               GLOBAL PAIR *RESTRICT phasors, GLOBAL const i64 *RESTRICT count) {
    LOCAL PAIR all[PARTS * 3 * LANES];
    SUMMED;
    i64 end = count[0] + GROUP_ID(2) + 1;
    PAIR sums[3];
    UNROLL for (i32 i = 0; i < 3; ++i) CLEAR(sums[i]);
    ADD_BLOCKS(sums, end, 0)
    UNROLL for (i32 i = 0; i < 3; ++i) all[(part * 3 + i) * LANES + lane] = sums[i];
    BARRIER();
    if (part == 0 && mic < MICS) GIVE_PHASOR(end, 3, 0, GROUP_ID(2))
}

// Both in one, for a single block.
KERNEL block_and_window(GLOBAL const f32 *RESTRICT samples, GLOBAL const PAIR *RESTRICT waves, GLOBAL const REAL *RESTRICT weights,
                        GLOBAL PAIR *RESTRICT ring, GLOBAL PAIR *RESTRICT phasors, GLOBAL const i64 *RESTRICT count) {
    LOCAL PAIR all[PARTS * 6 * LANES];
    SUMMED;
    i64 end = count[0] + 1;
    PAIR sums[3];
    UNROLL for (i32 i = 0; i < 3; ++i) CLEAR(sums[i]);
    ADD_SAMPLES(sums, end - 1)
    UNROLL for (i32 i = 0; i < 3; ++i) all[(part * 6 + i) * LANES + lane] = sums[i];
    ADD_BLOCKS(sums, end, 1)
    UNROLL for (i32 i = 0; i < 3; ++i) all[(part * 6 + 3 + i) * LANES + lane] = sums[i];
    BARRIER();
    if (part == 0 && mic < MICS) GIVE_PHASOR(end, 6, 3, 0)
    if (part > 0 && part < 4 && mic < MICS) {
        PAIR sum;
        SUM_PARTS(sum, 6, part - 1)
        ring[((((end - 1) % SLOTS) * BINS + bin) * 3 + part - 1) * MICS + mic] = sum;
    }
}

// The sum of v over a group of ITEMS, into `total`; `part_sums` has room for it. Work items wait for each other.
#ifdef __OPENCL_VERSION__
#define SUM_ROOM ITEMS
#define GROUP_SUMS(v, count)                                                                                 \
    for (i32 i = 0; i < (count); ++i) part_sums[i * SUM_ROOM + item] = v[i];                                 \
    BARRIER();                                                                                               \
    if (item < (count)) {                                                                                    \
        REAL sum = R(0.0);                                                                                   \
        for (i32 i = 0; i < ITEMS; ++i) sum += part_sums[item * SUM_ROOM + i];                               \
        total[item] = sum;                                                                                   \
    }                                                                                                        \
    BARRIER();
#else
#define SUM_ROOM (ITEMS / 32)
#define GROUP_SUMS(v, count)                                                                                 \
    UNROLL for (i32 i = 0; i < (count); ++i) {                                                               \
        UNROLL for (i32 o = 16; o > 0; o /= 2) v[i] += __shfl_xor_sync(0xffffffffu, v[i], o);                \
        if (item % 32 == 0) part_sums[i * SUM_ROOM + item / 32] = v[i];                                      \
    }                                                                                                        \
    BARRIER();                                                                                               \
    if (item < (count)) {                                                                                    \
        REAL sum = R(0.0);                                                                                   \
        UNROLL for (i32 i = 0; i < SUM_ROOM; ++i) sum += part_sums[item * SUM_ROOM + i];                     \
        total[item] = sum;                                                                                   \
    }                                                                                                        \
    BARRIER();
#endif

// Burg's method along one axis of a hologram, and what follows from it: along x the rows carried on and faded out, [x][row]; along y how
// far each of the outermost values reaches into what is beyond the rim, [side][distance][value], faded out as well.
KERNEL predict(GLOBAL const PAIR *RESTRICT phasors, GLOBAL const REAL *RESTRICT window_x, GLOBAL const REAL *RESTRICT window_y,
               GLOBAL PAIR *RESTRICT all_wide, GLOBAL PAIR *RESTRICT tables) {
    LOCAL PAIR ahead[MICS];
    LOCAL PAIR behind[MICS];
    LOCAL PAIR a[ORDER + 1];
    LOCAL REAL window[3 * LONGER];
    LOCAL REAL part_sums[3 * SUM_ROOM];
    LOCAL REAL total[3];
    i32 item = LOCAL_ID(0), along_y = GROUP_ID(1), order = PREDICTED ? (along_y ? ORDER_Y : ORDER_X) : 0;
    i32 steps = along_y ? ROWS : COLUMNS, lanes = along_y ? COLUMNS : ROWS;
    GLOBAL const PAIR *field = phasors + (i64)GROUP_ID(0) * MICS;
    for (i32 i = item; i < MICS; i += ITEMS) {
        // [step][lane].
        PAIR p = field[along_y ? i : i % ROWS * COLUMNS + i / ROWS];
        ahead[i] = p;
        behind[i] = p;
    }
    for (i32 i = item; i < 3 * steps; i += ITEMS) window[i] = along_y ? window_y[i] : window_x[i];
    if (item <= ORDER) CLEAR(a[item]);
    BARRIER();
    for (i32 m = 0; m < order; ++m) {
        i32 first = (m + 1) * lanes, pairs = steps * lanes - first;
        REAL sums[3];
        UNROLL for (i32 i = 0; i < 3; ++i) sums[i] = R(0.0);
        for (i32 i = item; i < pairs; i += ITEMS) {
            PAIR f = ahead[first + i], b = behind[i];
            sums[0] = fma(f.x, b.x, fma(f.y, b.y, sums[0]));
            sums[1] = fma(f.y, b.x, fma(-f.x, b.y, sums[1]));
            sums[2] = fma(f.x, f.x, fma(f.y, f.y, fma(b.x, b.x, fma(b.y, b.y, sums[2]))));
        }
        GROUP_SUMS(sums, 3)
        PAIR k, mine;
        // Where nothing is left the prediction is exact.
        REAL over = total[2] > R(0.0) ? R(-2.0) / total[2] : R(0.0);
        k.x = over * total[0];
        k.y = over * total[1];
        CLEAR(mine);
        if (item < m) {
            mine = a[item];
            ADD_CONJUGATE(mine, k, a[m - 1 - item])
        }
        for (i32 i = item; i < pairs; i += ITEMS) {
            PAIR f = ahead[first + i], b = behind[i], g = f;
            ADD_PRODUCT(f, k, b)
            ADD_CONJUGATE(b, g, k)
            ahead[first + i] = f;
            behind[i] = b;
        }
        BARRIER();
        if (item < m) a[item] = mine;
        if (item == m) a[m] = k;
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
        // Backwards with the conjugates.
        PAIR c[ORDER];
        UNROLL for (i32 i = 0; i < ORDER; ++i) {
            c[i].x = -a[i].x;
            c[i].y = side ? a[i].y : -a[i].y;
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

// A transform with results from `first` on, `count` of them, of `terms` terms each, over all work items of a group: `term` adds term i,
// whose root is that at `turn` = (first + o) i, to `sum`, and the sum goes to `out`. `room` has count + WAVE_ITEMS places.
#define GROUP_TRANSFORM(first, count, terms, term, out)                                                      \
    {                                                                                                        \
        const i32 parts = ((count) + WAVE_ITEMS - 1) / (count);                                              \
        for (i32 at = LOCAL_ID(0); at < (count) * parts; at += WAVE_ITEMS) {                                 \
            i32 o = at % (count), part = at / (count);                                                       \
            i32 turn = ((first) + o) * part % (terms), further = ((first) + o) * parts % (terms);            \
            PAIR sum;                                                                                        \
            CLEAR(sum);                                                                                      \
            MANY_AT_ONCE                                                                                     \
            for (i32 i = part; i < (terms); i += parts) {                                                    \
                term;                                                                                        \
                turn += further;                                                                             \
                turn -= turn < (terms) ? 0 : (terms);                                                        \
            }                                                                                                \
            room[at] = sum;                                                                                  \
        }                                                                                                    \
        BARRIER();                                                                                           \
        for (i32 o = LOCAL_ID(0); o < (count); o += WAVE_ITEMS) {                                            \
            PAIR sum;                                                                                        \
            CLEAR(sum);                                                                                      \
            for (i32 part = 0; part < parts; ++part) {                                                       \
                sum.x += room[part * (count) + o].x;                                                         \
                sum.y += room[part * (count) + o].y;                                                         \
            }                                                                                                \
            out                                                                                              \
        }                                                                                                    \
        BARRIER();                                                                                           \
    }

// All waves with one k_x: the spectrum along x of every row, carried on along y, its spectrum, times each gain, and back along y to the
// rows of the array: [field][k_x][row]. `roots_x` and `roots_y` are e^{-j2pi n/WIDE} and e^{-j2pi n/TALL}; gains [bin][field][k_x][k_y].
KERNEL waves(GLOBAL const PAIR *RESTRICT all_wide, GLOBAL const PAIR *RESTRICT tables, GLOBAL const PAIR *RESTRICT roots_x,
             GLOBAL const PAIR *RESTRICT roots_y, GLOBAL const PAIR *RESTRICT gains, GLOBAL PAIR *RESTRICT lines) {
    LOCAL PAIR root_x[WIDE];
    LOCAL PAIR root_y[TALL];
    LOCAL PAIR column[TALL];
    LOCAL PAIR spectrum[TALL];
    LOCAL PAIR gained[TALL];
    LOCAL PAIR room[TALL + WAVE_ITEMS];
    i32 kx = GROUP_ID(0), item = LOCAL_ID(0);
    i64 hologram = GROUP_ID(1);
    i32 bin = (i32)(hologram % BINS);
    for (i32 i = item; i < WIDE; i += WAVE_ITEMS) root_x[i] = roots_x[kx * i % WIDE];
    for (i32 i = item; i < TALL; i += WAVE_ITEMS) root_y[i] = roots_y[i];
    BARRIER();
    GLOBAL const PAIR *wide = all_wide + hologram * WIDE * ROWS;
    GROUP_TRANSFORM(0, ROWS, WIDE, PAIR p = wide[i * ROWS + o]; ADD_PRODUCT(sum, p, root_x[i]), column[ROWS + o] = sum;)
    GLOBAL const PAIR *table = tables + hologram * 2 * ROWS * ORDER_Y;
    for (i32 o = item; o < 2 * ROWS; o += WAVE_ITEMS) {
        i32 side = o / ROWS, n = o % ROWS;
        PAIR sum;
        CLEAR(sum);
        UNROLL for (i32 i = 0; i < ORDER_Y; ++i) {
            PAIR reach = table[(side * ROWS + n) * ORDER_Y + i];
            ADD_PRODUCT(sum, reach, column[side ? ROWS + i : 2 * ROWS - 1 - i])
        }
        column[side ? ROWS - 1 - n : 2 * ROWS + n] = sum;
    }
    BARRIER();
    GROUP_TRANSFORM(0, TALL, TALL, ADD_PRODUCT(sum, column[i], root_y[turn]), spectrum[o] = sum;)
    for (i32 f = 0; f < FIELDS; ++f) {
        GLOBAL const PAIR *gain = gains + ((i64)(bin * FIELDS + f) * WIDE + kx) * TALL;
        for (i32 i = item; i < TALL; i += WAVE_ITEMS) {
            PAIR g = gain[i], sum;
            CLEAR(sum);
            ADD_PRODUCT(sum, g, spectrum[i])
            gained[i] = sum;
        }
        BARRIER();
        GROUP_TRANSFORM(ROWS, ROWS, TALL, ADD_CONJUGATE(sum, gained[i], root_y[turn]),
                        lines[((hologram * FIELDS + f) * WIDE + kx) * ROWS + o] = sum;)
    }
}

// A row of a field, back along x: [hologram][field][row][column]. Counts what is done.
KERNEL rows_back(GLOBAL const PAIR *RESTRICT lines, GLOBAL const PAIR *RESTRICT roots_x, GLOBAL PAIR *RESTRICT fields,
                 GLOBAL i64 *RESTRICT count, i32 done) {
    LOCAL PAIR root_x[WIDE];
    LOCAL PAIR line[WIDE];
    LOCAL PAIR room[WIDE + WAVE_ITEMS];
    i32 row = GROUP_ID(0), item = LOCAL_ID(0);
    i64 field = GROUP_ID(1);
    for (i32 i = item; i < WIDE; i += WAVE_ITEMS) {
        root_x[i] = roots_x[i];
        line[i] = lines[(field * WIDE + i) * ROWS + row];
    }
    BARRIER();
    GROUP_TRANSFORM(COLUMNS, COLUMNS, WIDE, ADD_CONJUGATE(sum, line[i], root_x[turn]),
                    fields[(field * ROWS + row) * COLUMNS + o] = sum;)
    if (row == 0 && field == 0 && item == 0) count[0] += done;
}
