// Bin sort of the points by their first taps: a radix sort of the bin numbers, DIGIT_BITS bits per pass. Per pass, count the digits of each
// tile of GROUP keys, take the exclusive prefix sum of the counts, and scatter (N. Satish, M. Harris and M. Garland, IPDPS 2009). The
// sort is stable: points of a bin keep their order, so that sums over them are bitwise reproducible.
//
// Defined by the host: REAL, WIDTH, DIM, GROUP (work items per group, and keys that one group sorts), DIGIT_BITS.

// Values of a digit.
#define DIGITS (1 << DIGIT_BITS)

// Locates points x, in radians, along one axis: first tap i0 = ceil(x n/2 pi - w/2), wrapped, and z = 2 (i0 - x n/2 pi) + w - 1. Adds the
// axis to the key of the bin. Coordinates that are not finite are counted, and get a valid tap so that nothing is read out of bounds.
KERNEL locate(GLOBAL const REAL *RESTRICT x, GLOBAL i32 *RESTRICT first, GLOBAL REAL *RESTRICT z,
              GLOBAL i32 *RESTRICT key, GLOBAL i32 *RESTRICT non_finite, i64 m, i32 axis, i32 n, i32 bin, i32 stride) {
    i64 i = GLOBAL_ID(0);
    if (i >= m) return;
    // x/2 pi in double precision, whatever REAL is, as the sum of two doubles: rounded to one, the phase of mode k would turn by k eps.
    f64 turns = (f64)x[i] * 0.15915494309189535;
    f64 rest = fma((f64)x[i], 0.15915494309189535, -turns) + (f64)x[i] * -9.839338337591243e-18;
    // NaN and infinity only
    if (turns - turns != 0.0) ATOMIC_ADD_I32(non_finite, 1);
    f64 part = turns - rint(turns);
    f64 cell = part * n;
    rest = fma(part, (f64)n, -cell) + rest * n;
    f64 start = ceil(cell - 0.5 * WIDTH);
    i32 tap = (i32)start;
    // The second half of the period is negative.
    if (tap < 0) tap += n;
    if (tap < 0 || tap >= n) tap = 0;
    first[axis * m + i] = tap;
    z[axis * m + i] = (REAL)(2.0 * (start - cell) + (WIDTH - 1) - 2.0 * rest);
    key[i] = (axis == 0 ? 0 : key[i]) + tap / bin * stride;
}

// order = 0, 1, 2, ...: the identity permutation.
KERNEL number(GLOBAL i32 *RESTRICT order, i64 m) {
    i64 i = GLOBAL_ID(0);
    if (i < m) order[i] = (i32)i;
}

// Histogram of the digits of each tile of keys: counts[digit][tile], so that its prefix sum orders by digit first. Every item counts one
// digit over the whole tile, without atomics, so that the result is deterministic.
KERNEL count_digits(GLOBAL const i32 *RESTRICT key, GLOBAL i32 *RESTRICT counts, i64 m, i32 shift) {
    LOCAL i32 digits[GROUP];
    i32 t = LOCAL_ID(0);
    i64 i = GLOBAL_ID(0);
    digits[t] = i < m ? (key[i] >> shift) & (DIGITS - 1) : -1;
    BARRIER();
    for (i32 digit = t; digit < DIGITS; digit += GROUP) {
        i32 count = 0;
        for (i32 j = 0; j < GROUP; j++) count += digits[j] == digit;
        counts[(i64)digit * NUM_GROUPS(0) + GROUP_ID(0)] = count;
    }
}

// Scatters keys and point numbers to starts[digit][tile] + rank, the rank among equal digits of the tile: stable.
KERNEL scatter_by_digit(GLOBAL const i32 *RESTRICT key, GLOBAL const i32 *RESTRICT order,
                      GLOBAL const i32 *RESTRICT starts, GLOBAL i32 *RESTRICT new_key, GLOBAL i32 *RESTRICT new_order,
                      i64 m, i32 shift) {
    LOCAL i32 digits[GROUP];
    i32 t = LOCAL_ID(0);
    i64 i = GLOBAL_ID(0);
    i32 digit = i < m ? (key[i] >> shift) & (DIGITS - 1) : -1;
    digits[t] = digit;
    BARRIER();
    if (i < m) {
        i32 rank = 0;
        // Quadratic in the tile of GROUP keys, but from local memory and without atomics.
        for (i32 j = 0; j < t; j++) rank += digits[j] == digit;
        i32 target = starts[(i64)digit * NUM_GROUPS(0) + GROUP_ID(0)] + rank;
        new_key[target] = key[i];
        new_order[target] = order[i];
    }
}

// Exclusive prefix sum of each tile (W. D. Hillis and G. L. Steele, Commun. ACM 29 (1986), 1170-1183), double-buffered in local memory;
// totals[tile] is the sum of the whole tile.
KERNEL sum_tiles(GLOBAL i32 *RESTRICT values, GLOBAL i32 *RESTRICT totals, i64 n) {
    LOCAL i32 sums[2 * GROUP];
    i32 t = LOCAL_ID(0), from = 0;
    i64 i = GLOBAL_ID(0);
    i32 own = i < n ? values[i] : 0;
    sums[t] = own;
    BARRIER();
    for (i32 distance = 1; distance < GROUP; distance *= 2) {
        i32 sum = sums[from + t] + (t >= distance ? sums[from + t - distance] : 0);
        from = GROUP - from;
        // The two halves of the buffer alternate: one
        // barrier per step separates its reads and writes.
        sums[from + t] = sum;
        BARRIER();
    }
    if (i < n) values[i] = sums[from + t] - own;
    if (t == GROUP - 1) totals[GROUP_ID(0)] = sums[from + t];
}

// Adds the prefix sums of the totals to the tiles.
KERNEL add_totals(GLOBAL i32 *RESTRICT values, GLOBAL const i32 *RESTRICT totals, i64 n) {
    i64 i = GLOBAL_ID(0);
    if (i < n) values[i] += totals[GROUP_ID(0)];
}

// starts[b]: number of points in bins before b, by binary search in the sorted keys.
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
