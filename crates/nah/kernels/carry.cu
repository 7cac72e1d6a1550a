// From phasors at the microphones to fields: with a prediction for each row and for each column, or by one matrix.
//
// COLUMNS and ROWS are those of the array, ORDER_X and ORDER_Y the coefficients along them, LONGER the larger of both sides, ORDER the larger of
// both orders, FIELDS those of a hologram, ITEMS a power of two. Predictions are made in double precision, as on a CPU: a column is predicted from what
// was predicted, and errors add up.

#define WIDE (3 * COLUMNS)
#define TALL (3 * ROWS)

// What is added up over a group: into sums[0..3], for all work items.
DEVICE void add_up(LOCAL_PTR f64 *sums, LOCAL_PTR f64 *room, f64 re, f64 im, f64 power, i32 item) {
    room[item] = re;
    room[ITEMS + item] = im;
    room[2 * ITEMS + item] = power;
    BARRIER();
    for (i32 step = ITEMS / 2; step > 0; step /= 2) {
        if (item < step)
            for (i32 i = 0; i < 3; ++i) room[i * ITEMS + item] += room[i * ITEMS + step + item];
        BARRIER();
    }
    if (item < 3) sums[item] = room[item * ITEMS];
    BARRIER();
}

// Burg's method for the `points` values in `line` from `points` on, and those values carried on to both sides of it.
DEVICE void carry_on(LOCAL_PTR c64 *line, LOCAL_PTR c64 *ahead, LOCAL_PTR c64 *behind, LOCAL_PTR c64 *a, LOCAL_PTR f64 *sums,
                     LOCAL_PTR f64 *room, i32 points, i32 order, i32 item) {
    for (i32 i = item; i < points; i += ITEMS) ahead[i] = behind[i] = line[points + i];
    BARRIER();
    for (i32 m = 0; m < order; ++m) {
        f64 re = 0.0, im = 0.0, power = 0.0;
        for (i32 i = item; i + m + 1 < points; i += ITEMS) {
            c64 f = ahead[i + m + 1], b = behind[i], product = c64_mul(f, c64_conj(b));
            re += product.re;
            im += product.im;
            power += c64_abs2(f) + c64_abs2(b);
        }
        add_up(sums, room, re, im, power, item);
        // Where nothing is left the prediction is exact.
        f64 over = sums[2] > 0.0 ? -2.0 / sums[2] : 0.0;
        c64 k = c64_new(over * sums[0], over * sums[1]), mine = k;
        if (item < m) mine = c64_fma(k, c64_conj(a[m - 1 - item]), a[item]);
        for (i32 i = item; i + m + 1 < points; i += ITEMS) {
            c64 f = ahead[i + m + 1], b = behind[i];
            ahead[i + m + 1] = c64_fma(k, b, f);
            behind[i] = c64_fma(c64_conj(k), f, b);
        }
        BARRIER();
        if (item <= m) a[item] = mine;
        BARRIER();
    }
    // One work item goes on ahead, and one back with the conjugates.
    if (item < 2)
        for (i32 n = 0; n < points; ++n) {
            i32 place = item ? points - 1 - n : 2 * points + n;
            c64 next = c64_new(0.0, 0.0);
            for (i32 i = 0; i < order; ++i) {
                c64 before = line[item ? place + 1 + i : place - 1 - i];
                next = c64_fma(item ? c64_conj(a[i]) : a[i], before, next);
            }
            line[place] = c64_neg(next);
        }
    BARRIER();
}

#define LINE_ROOM                                                                                            \
    LOCAL c64 line[3 * LONGER];                                                                              \
    LOCAL c64 ahead[LONGER];                                                                                 \
    LOCAL c64 behind[LONGER];                                                                                \
    LOCAL c64 a[ORDER];                                                                                      \
    LOCAL f64 sums[3];                                                                                       \
    LOCAL f64 room[3 * ITEMS];                                                                               \
    i32 item = LOCAL_ID(0);                                                                                  \
    i64 hologram = GROUP_ID(1)

// Each row of the array carried on: [hologram][row][x].
KERNEL rows_on(GLOBAL const cplx *RESTRICT phasors, GLOBAL c64 *RESTRICT rows) {
    LINE_ROOM;
    i64 row = hologram * ROWS + GROUP_ID(0);
    for (i32 x = item; x < COLUMNS; x += ITEMS) {
        cplx p = phasors[row * COLUMNS + x];
        line[COLUMNS + x] = c64_new(p.re, p.im);
    }
    BARRIER();
    carry_on(line, ahead, behind, a, sums, room, COLUMNS, ORDER_X, item);
    for (i32 x = item; x < WIDE; x += ITEMS) rows[row * WIDE + x] = line[x];
}

// Each column of that carried on, and faded out beyond the rim: [hologram][y][x].
KERNEL columns_on(GLOBAL const c64 *RESTRICT rows, GLOBAL const f64 *RESTRICT window_x, GLOBAL const f64 *RESTRICT window_y,
                  GLOBAL cplx *RESTRICT wide) {
    LINE_ROOM;
    i32 x = GROUP_ID(0);
    for (i32 y = item; y < ROWS; y += ITEMS) line[ROWS + y] = rows[(hologram * ROWS + y) * WIDE + x];
    BARRIER();
    carry_on(line, ahead, behind, a, sums, room, ROWS, ORDER_Y, item);
    for (i32 y = item; y < TALL; y += ITEMS) {
        f64 weight = window_x[x] * window_y[y];
        wide[(hologram * TALL + y) * WIDE + x] = cplx_new((REAL)(weight * line[y].re), (REAL)(weight * line[y].im));
    }
}

// Waves times the gains of each field: [hologram][field][k_y][k_x].
KERNEL multiply(GLOBAL const cplx *RESTRICT waves, GLOBAL const cplx *RESTRICT gains, GLOBAL cplx *RESTRICT gained, i64 count) {
    i64 i = GLOBAL_ID(0);
    if (i >= count) return;
    i64 wave = i % (WIDE * TALL), hologram = i / (WIDE * TALL) / FIELDS;
    gained[i] = cplx_mul(waves[hologram * WIDE * TALL + wave], gains[i]);
}

// What of a field is on the array: [hologram][field][row][column].
KERNEL crop(GLOBAL const cplx *RESTRICT wide, GLOBAL cplx *RESTRICT fields, i64 count) {
    i64 i = GLOBAL_ID(0);
    if (i >= count) return;
    i64 field = i / (ROWS * COLUMNS), place = i % (ROWS * COLUMNS);
    fields[i] = wide[(field * TALL + ROWS + place / COLUMNS) * WIDE + COLUMNS + place % COLUMNS];
}
