// Points sorted by bins of their first taps. The order is stable: points of a bin stay in the order they were given in, so
// that sums over them come out the same every time.
//
// Defined by the host: REAL, WIDTH, DIM, TILE (work items per group, and points that one group sorts).

// Digits of the radix sort.
#define DIGITS 256

// x in radians to the first tap i0 = ceil(x n / 2 pi - w / 2), wrapped, and z = 2 (i0 - x n / 2 pi) + w - 1. The key of the
// point's bin gathers one axis per launch. What is not finite is counted, and stays on the grid.
KERNEL locate(GLOBAL const REAL *RESTRICT x, GLOBAL i32 *RESTRICT first, GLOBAL REAL *RESTRICT z,
              GLOBAL i32 *RESTRICT key, GLOBAL i32 *RESTRICT strange, i64 m, i32 axis, i32 n, i32 bin, i32 stride) {
    i64 i = GLOBAL_ID(0);
    if (i >= m) return;
    f64 turns = (f64)x[i] * 0.15915494309189533577;
    if (turns - turns != 0.0) ATOMIC_ADD_I32(strange, 1);
    f64 place = (turns - floor(turns)) * n;
    f64 start = ceil(place - 0.5 * WIDTH);
    i32 tap = (i32)start;
    if (tap < 0) tap += n;
    if (tap < 0 || tap >= n) tap = 0;
    first[axis * m + i] = tap;
    z[axis * m + i] = (REAL)(2.0 * (start - place) + (WIDTH - 1));
    key[i] = (axis == 0 ? 0 : key[i]) + tap / bin * stride;
}

// 0, 1, 2, ...
KERNEL number(GLOBAL i32 *RESTRICT order, i64 m) {
    i64 i = GLOBAL_ID(0);
    if (i < m) order[i] = (i32)i;
}

// How often each digit occurs in each tile of keys: counts[digit][tile].
KERNEL count_digits(GLOBAL const i32 *RESTRICT key, GLOBAL i32 *RESTRICT counts, i64 m, i32 shift) {
    LOCAL i32 digits[TILE];
    i32 t = LOCAL_ID(0);
    i64 i = GLOBAL_ID(0);
    digits[t] = i < m ? (key[i] >> shift) & (DIGITS - 1) : -1;
    BARRIER();
    for (i32 digit = t; digit < DIGITS; digit += TILE) {
        i32 count = 0;
        for (i32 j = 0; j < TILE; j++) count += digits[j] == digit;
        counts[(i64)digit * NUM_GROUPS(0) + GROUP_ID(0)] = count;
    }
}

// Puts keys and their points where the sums of the counts say; equal digits keep their order.
KERNEL place_by_digit(GLOBAL const i32 *RESTRICT key, GLOBAL const i32 *RESTRICT order,
                      GLOBAL const i32 *RESTRICT starts, GLOBAL i32 *RESTRICT new_key, GLOBAL i32 *RESTRICT new_order,
                      i64 m, i32 shift) {
    LOCAL i32 digits[TILE];
    i32 t = LOCAL_ID(0);
    i64 i = GLOBAL_ID(0);
    i32 digit = i < m ? (key[i] >> shift) & (DIGITS - 1) : -1;
    digits[t] = digit;
    BARRIER();
    if (i < m) {
        i32 rank = 0;
        for (i32 j = 0; j < t; j++) rank += digits[j] == digit;
        i32 target = starts[(i64)digit * NUM_GROUPS(0) + GROUP_ID(0)] + rank;
        new_key[target] = key[i];
        new_order[target] = order[i];
    }
}

// Each tile becomes the sums of what stands before each value in it; totals[tile] is the sum of the whole tile.
KERNEL sum_tiles(GLOBAL i32 *RESTRICT values, GLOBAL i32 *RESTRICT totals, i64 n) {
    LOCAL i32 sums[2 * TILE];
    i32 t = LOCAL_ID(0), from = 0;
    i64 i = GLOBAL_ID(0);
    i32 own = i < n ? values[i] : 0;
    sums[t] = own;
    BARRIER();
    for (i32 reach = 1; reach < TILE; reach *= 2) {
        i32 sum = sums[from + t] + (t >= reach ? sums[from + t - reach] : 0);
        from = TILE - from;
        sums[from + t] = sum;
        BARRIER();
    }
    if (i < n) values[i] = sums[from + t] - own;
    if (t == TILE - 1) totals[GROUP_ID(0)] = sums[from + t];
}

KERNEL add_totals(GLOBAL i32 *RESTRICT values, GLOBAL const i32 *RESTRICT totals, i64 n) {
    i64 i = GLOBAL_ID(0);
    if (i < n) values[i] += totals[GROUP_ID(0)];
}

// starts[b]: how many points lie in bins before b, by bisection in the sorted keys.
KERNEL find_starts(GLOBAL const i32 *RESTRICT key, GLOBAL i32 *RESTRICT starts, i64 m, i64 bins) {
    i64 bin = GLOBAL_ID(0);
    if (bin > bins) return;
    i64 low = 0, high = m;
    while (low < high) {
        i64 middle = (low + high) / 2;
        if (key[middle] < bin) low = middle + 1;
        else high = middle;
    }
    starts[bin] = (i32)low;
}

// First taps and z in sorted order.
KERNEL reorder(GLOBAL const i32 *RESTRICT order, GLOBAL const i32 *RESTRICT first, GLOBAL const REAL *RESTRICT z,
               GLOBAL i32 *RESTRICT new_first, GLOBAL REAL *RESTRICT new_z, i64 m) {
    i64 i = GLOBAL_ID(0);
    if (i >= m) return;
    i64 from = order[i];
    for (i32 axis = 0; axis < DIM; axis++) {
        new_first[axis * m + i] = first[axis * m + from];
        new_z[axis * m + i] = z[axis * m + from];
    }
}
