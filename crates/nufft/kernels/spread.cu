// Spreading: grid[i] = sum over points of c phi(i0 - x0) phi(i1 - x1) phi(i2 - x2), in several ways.
//
// Points are given by their first taps and z, an axis after the other, in the order of the list; `order` has their places
// in the caller's arrays. GROUP_ID(1) is the member of the batch. Beside those of taps.h the host defines BIN.

// ---- A group per tile of the grid, which gathers the points that touch it: no atomics, the same bits every time ----

// A tile is TILE_X x TILE_Y x TILE_Z cells, in registers: the LANES_X x LANES_Y items of a slice keep NX x NY cells each, so
// that a tap read from local memory serves several of them. Each of the SLICES takes every SLICES-th point, or in three
// dimensions one plane.
#define SLICES 8
#define TILE_X (DIM == 1 ? 64 : 16)
#define TILE_Y (DIM == 1 ? 1 : DIM == 2 ? 16 : 8)
#define TILE_Z (DIM > 2 ? SLICES : 1)
#define LANES_X (DIM == 1 ? 16 : 4)
#define LANES_Y (16 / LANES_X)
#define LANES (LANES_X * LANES_Y)
#define NX (TILE_X / LANES_X)
#define NY (DIM > 1 ? TILE_Y / LANES_Y : 1)
#define GATHERERS (LANES * SLICES)
// Points whose taps are computed at a time. A line of them is one longer, so that items side by side use different banks.
#define CHUNK 64
#define LINE (CHUNK + 1)
// Runs of points in the sorted list that touch a tile: two per row of bins, since the grid is periodic.
#define MAX_BINS(size) (((size) + WIDTH - 1) / BIN + 3)
#define MAX_RUNS (2 * (DIM > 1 ? MAX_BINS(TILE_Y) : 1) * (DIM > 2 ? MAX_BINS(TILE_Z) : 1))

// Bins from .. from + count - 1 and 0 .. around - 1 of an axis.
typedef struct { i32 from, count, around; } span;

// The bins of points whose taps touch the cells corner .. corner + size - 1 of a periodic axis of n.
DEVICE span touching(i32 corner, i32 size, i32 n) {
    i32 length = size + WIDTH - 1 < n ? size + WIDTH - 1 : n;
    i32 start = corner < WIDTH - 1 ? corner - (WIDTH - 1) + n : corner - (WIDTH - 1);
    i32 end = start + length;
    span s;
    s.from = start / BIN;
    s.count = ((end < n ? end : n) - 1) / BIN - s.from + 1;
    s.around = end > n ? (end - n - 1) / BIN + 1 : 0;
    if (s.around > s.from) s.around = s.from;
    return s;
}

DEVICE i32 bin_in(span s, i32 i) { return i < s.count ? s.from + i : i - s.count; }

// An axis that is not there has the one bin 0.
DEVICE span whole(void) {
    span s;
    s.from = 0;
    s.count = 1;
    s.around = 0;
    return s;
}

// Which tap of a point falls on cell s of the tile, if it is below WIDTH. The offset is first tap - corner of the tile.
DEVICE i32 tap_at(i32 s, i32 offset, i32 n) {
    i32 j = s - offset;
    return j < 0 ? j + n : j;
}

// The runs of points that touch the tile: run r ends before the ends[r]-th of all, and its k-th of all is shifts[r] + k.
DEVICE i32 find_runs(GLOBAL const i32 *starts, LOCAL_PTR i32 *ends, LOCAL_PTR i32 *shifts, i32 t, i32 x0, i32 y0, i32 z0,
                     i32 n0, i32 n1, i32 n2) {
    span sx = touching(x0, TILE_X, n0);
    span sy = DIM > 1 ? touching(y0, TILE_Y, n1) : whole();
    span sz = DIM > 2 ? touching(z0, TILE_Z, n2) : whole();
    i32 bins0 = (n0 + BIN - 1) / BIN, bins1 = (n1 + BIN - 1) / BIN;
    i32 rows = sy.count + sy.around, runs = 2 * rows * (sz.count + sz.around);
    for (i32 r = t; r < runs; r += GATHERERS) {
        i64 row = (i64)bin_in(sz, r / 2 / rows) * bins1 + bin_in(sy, r / 2 % rows);
        i64 from = row * bins0 + (r % 2 ? 0 : sx.from);
        shifts[r] = starts[from];
        ends[r] = starts[from + (r % 2 ? sx.around : sx.count)] - starts[from];
    }
    BARRIER();
    // Every item sums what lies before its runs, and waits with writing until all have read.
    i32 before[(MAX_RUNS + GATHERERS - 1) / GATHERERS], total = 0;
    for (i32 r = t, own = 0; r < runs; r += GATHERERS, own++) {
        before[own] = 0;
        for (i32 q = 0; q < r; q++) before[own] += ends[q];
    }
    for (i32 r = 0; r < runs; r++) total += ends[r];
    BARRIER();
    for (i32 r = t, own = 0; r < runs; r += GATHERERS, own++) {
        shifts[r] -= before[own];
        ends[r] += before[own];
    }
    BARRIER();
    return total;
}

// The taps of a chunk and the sums of the slices share their place. In REAL; y first, whose values must be aligned.
#define TAPS_Y (2 * LINE * WIDTH_Y)
#define TAPS_X (LINE * WIDTH)
#define TAPS_Z (DIM > 2 ? LINE * WIDTH : 0)
#define SUMS (2 * SLICES * TILE_X * TILE_Y)
#define POOL ((TAPS_Y + TAPS_X + TAPS_Z > SUMS ? TAPS_Y + TAPS_X + TAPS_Z : SUMS) / 2 + 1)

// First cell of tile `tile` along each axis.
#define TILES(n, size) (((n) + (size) - 1) / (size))
#define CORNER_X(tile) ((tile) % TILES(n0, TILE_X) * TILE_X)
#define CORNER_Y(tile) ((tile) / TILES(n0, TILE_X) % TILES(n1, TILE_Y) * TILE_Y)
#define CORNER_Z(tile) ((tile) / TILES(n0, TILE_X) / TILES(n1, TILE_Y) * TILE_Z)

KERNEL spread_tiles(GLOBAL const i32 *RESTRICT first, GLOBAL const REAL *RESTRICT z, GLOBAL const i32 *RESTRICT order,
                    GLOBAL const i32 *RESTRICT starts, GLOBAL const value *RESTRICT strengths,
                    GLOBAL value *RESTRICT grid, i64 m, i32 n0, i32 n1, i32 n2) {
    LOCAL value pool[POOL];
    LOCAL i32 ends[MAX_RUNS], shifts[MAX_RUNS], offset_x[CHUNK], offset_y[CHUNK], offset_z[CHUNK];
    LOCAL_PTR value *along_y = pool;
    LOCAL_PTR REAL *along_x = (LOCAL_PTR REAL *)pool + TAPS_Y, *along_z = along_x + TAPS_X;
    i32 t = LOCAL_ID(0), lane = t % LANES, slice = t / LANES, lane_x = lane % LANES_X, lane_y = lane / LANES_X;
    i32 x0 = CORNER_X(GROUP_ID(0)), y0 = CORNER_Y(GROUP_ID(0)), z0 = CORNER_Z(GROUP_ID(0));
    i32 total = find_runs(starts, ends, shifts, t, x0, y0, z0, n0, n1, n2);
    value sums[NY * NX];
    UNROLL
    for (i32 q = 0; q < NY * NX; q++) sums[q] = value_new(R(0), R(0));
    for (i32 base = 0; base < total; base += CHUNK) {
        i32 count = total - base < CHUNK ? total - base : CHUNK;
        // Every item computes the taps of one point along one axis; those along y carry the strength.
        for (i32 task = t; task < CHUNK * (DIM > 2 ? 3 : 2); task += GATHERERS) {
            i32 p = task % CHUNK, axis = task / CHUNK, run = 0;
            if (p >= count) continue;
            while (ends[run] <= base + p) run++;
            i64 i = shifts[run] + base + p;
            REAL taps[WIDTH];
            if (axis < DIM) all_taps(z[axis * m + i], taps);
            if (axis == 0) {
                offset_x[p] = first[i] - x0;
                UNROLL
                for (i32 j = 0; j < WIDTH; j++) along_x[j * LINE + p] = taps[j];
            }
            if (axis == 1) {
                value c = strengths[GROUP_ID(1) * m + order[i]];
                if (DIM == 1) {
                    along_y[p] = c;
                    continue;
                }
                offset_y[p] = first[m + i] - y0;
                UNROLL
                for (i32 j = 0; j < WIDTH; j++) along_y[j * LINE + p] = value_new(taps[j] * c.re, taps[j] * c.im);
            }
            if (axis == 2) {
                offset_z[p] = first[2 * m + i] - z0;
                UNROLL
                for (i32 j = 0; j < WIDTH; j++) along_z[j * LINE + p] = taps[j];
            }
        }
        BARRIER();
        for (i32 p = DIM > 2 ? 0 : slice; p < count; p += DIM > 2 ? 1 : SLICES) {
            REAL plane = R(1), a[NX];
            value b[NY];
            if (DIM > 2) {
                i32 j = tap_at(slice, offset_z[p], n2);
                if (j >= WIDTH) continue;
                plane = along_z[j * LINE + p];
            }
            UNROLL
            for (i32 q = 0; q < NX; q++) {
                i32 j = tap_at(lane_x + q * LANES_X, offset_x[p], n0);
                a[q] = j < WIDTH ? plane * along_x[j * LINE + p] : R(0);
            }
            UNROLL
            for (i32 r = 0; r < NY; r++) {
                i32 j = DIM > 1 ? tap_at(lane_y + r * LANES_Y, offset_y[p], n1) : 0;
                b[r] = value_new(R(0), R(0));
                if (j < WIDTH_Y) b[r] = along_y[j * LINE + p];
            }
            UNROLL
            for (i32 q = 0; q < NY * NX; q++) {
                sums[q].re = fma(a[q % NX], b[q / NX].re, sums[q].re);
                sums[q].im = fma(a[q % NX], b[q / NX].im, sums[q].im);
            }
        }
        BARRIER();
    }
    // Slices that took different points of the same cells are added up, always in the same order.
    UNROLL
    for (i32 q = 0; q < NY * NX; q++) {
        i32 row = slice * TILE_Y + lane_y + q / NX * LANES_Y;
        pool[row * TILE_X + lane_x + q % NX * LANES_X] = sums[q];
    }
    BARRIER();
    for (i32 cell = t; cell < TILE_X * TILE_Y * TILE_Z; cell += GATHERERS) {
        value sum = pool[cell];
        if (DIM < 3) {
            for (i32 s = 1; s < SLICES; s++) {
                value part = pool[s * TILE_X * TILE_Y + cell];
                sum.re += part.re;
                sum.im += part.im;
            }
        }
        i32 x = x0 + cell % TILE_X, y = y0 + cell / TILE_X % TILE_Y, w = z0 + cell / TILE_X / TILE_Y;
        if (x < n0 && y < n1 && w < n2) grid[(((i64)GROUP_ID(1) * n2 + w) * n1 + y) * n0 + x] = sum;
    }
}

// How many points each tile gathers.
KERNEL tile_loads(GLOBAL const i32 *RESTRICT starts, GLOBAL i32 *RESTRICT loads, i32 n0, i32 n1, i32 n2) {
    LOCAL i32 ends[MAX_RUNS], shifts[MAX_RUNS];
    i32 t = LOCAL_ID(0);
    i32 x0 = CORNER_X(GROUP_ID(0)), y0 = CORNER_Y(GROUP_ID(0)), z0 = CORNER_Z(GROUP_ID(0));
    i32 total = find_runs(starts, ends, shifts, t, x0, y0, z0, n0, n1, n2);
    if (t == 0) loads[GROUP_ID(0)] = total;
}

// ---- A group per list of points of one bin, which adds to a window in local memory first ----

// Cells that the points of a bin of SIDE^DIM first taps touch.
#define WINDOW_X (SIDE + WIDTH - 1)
#define WINDOW_Y (DIM > 1 ? SIDE + WIDTH - 1 : 1)
#define WINDOW_Z (DIM > 2 ? SIDE + WIDTH - 1 : 1)
#define WINDOW (WINDOW_X * WINDOW_Y * WINDOW_Z)
#define TAPS (WIDTH * WIDTH_Y * WIDTH_Z)
#define LISTED 32

#ifdef SIDE
KERNEL spread_subproblems(GLOBAL const i32 *RESTRICT first, GLOBAL const REAL *RESTRICT z,
                          GLOBAL const i32 *RESTRICT order, GLOBAL const i32 *RESTRICT subproblems,
                          GLOBAL const value *RESTRICT strengths, GLOBAL value *RESTRICT grid, i64 m, i32 n0, i32 n1,
                          i32 n2) {
    LOCAL value window[WINDOW];
    LOCAL value c[LISTED];
    LOCAL REAL taps[LISTED * DIM * WIDTH];
    LOCAL i32 corner[LISTED];
    i32 t = LOCAL_ID(0), group = GROUP_SIZE(0);
    i32 bin = subproblems[3 * GROUP_ID(0)], from = subproblems[3 * GROUP_ID(0) + 1];
    i32 end = subproblems[3 * GROUP_ID(0) + 2];
    i32 bins0 = (n0 + SIDE - 1) / SIDE, bins1 = (n1 + SIDE - 1) / SIDE;
    i32 x0 = bin % bins0 * SIDE, y0 = bin / bins0 % bins1 * SIDE, z0 = bin / bins0 / bins1 * SIDE;
    for (i32 cell = t; cell < WINDOW; cell += group) window[cell] = value_new(R(0), R(0));
    for (i32 base = from; base < end; base += LISTED) {
        i32 count = end - base < LISTED ? end - base : LISTED;
        for (i32 task = t; task < LISTED * DIM; task += group) {
            i32 p = task % LISTED, axis = task / LISTED;
            i64 i = base + p;
            if (p >= count) continue;
            REAL own[WIDTH];
            all_taps(z[axis * m + i], own);
            UNROLL
            for (i32 j = 0; j < WIDTH; j++) taps[(p * DIM + axis) * WIDTH + j] = own[j];
            if (axis == 0) {
                i32 y = DIM > 1 ? first[m + i] - y0 : 0, w = DIM > 2 ? first[2 * m + i] - z0 : 0;
                corner[p] = (w * WINDOW_Y + y) * WINDOW_X + first[i] - x0;
                c[p] = strengths[GROUP_ID(1) * m + order[i]];
            }
        }
        BARRIER();
        // Each tap of a point is another cell: the items do not meet, and the next point waits.
        for (i32 p = 0; p < count; p++) {
            LOCAL_PTR const REAL *own = taps + p * DIM * WIDTH;
            for (i32 tap = t; tap < TAPS; tap += group) {
                i32 jx = tap % WIDTH, jy = tap / WIDTH % WIDTH_Y, jz = tap / WIDTH / WIDTH_Y;
                REAL a = own[jx];
                if (DIM > 1) a *= own[WIDTH + jy];
                if (DIM > 2) a *= own[2 * WIDTH + jz];
                i32 cell = corner[p] + (jz * WINDOW_Y + jy) * WINDOW_X + jx;
                window[cell].re = fma(a, c[p].re, window[cell].re);
                window[cell].im = fma(a, c[p].im, window[cell].im);
            }
            BARRIER();
        }
    }
    GLOBAL value *target = grid + (i64)GROUP_ID(1) * n2 * n1 * n0;
    for (i32 cell = t; cell < WINDOW; cell += group) {
        value v = window[cell];
        if (v.re == R(0) && v.im == R(0)) continue;
        i32 x = wrapped(x0 + cell % WINDOW_X, n0), y = wrapped(y0 + cell / WINDOW_X % WINDOW_Y, n1);
        i32 w = wrapped(z0 + cell / WINDOW_X / WINDOW_Y, n2);
        i64 at = ((i64)w * n1 + y) * n0 + x;
        ATOMIC_ADD_REAL(&target[at].re, v.re);
        ATOMIC_ADD_REAL(&target[at].im, v.im);
    }
}
#endif

// ---- An item per point, or per point and tap, adding to the grid at once ----

KERNEL clear(GLOBAL value *RESTRICT grid, i64 n) {
    i64 i = GLOBAL_ID(0);
    if (i < n) grid[i] = value_new(R(0), R(0));
}

// In sorted order neighbors in the list add to neighboring cells; in the caller's order this is the paper's first scheme.
KERNEL spread_points(GLOBAL const i32 *RESTRICT first, GLOBAL const REAL *RESTRICT z, GLOBAL const i32 *RESTRICT order,
                     GLOBAL const value *RESTRICT strengths, GLOBAL value *RESTRICT grid, i64 m, i32 n0, i32 n1,
                     i32 n2) {
    i64 i = GLOBAL_ID(0);
    if (i >= m) return;
    value c = strengths[GROUP_ID(1) * m + order[i]];
    REAL along_x[WIDTH], along_y[WIDTH], along_z[WIDTH];
    i32 x0 = taps_along(0, first, z, i, m, along_x);
    i32 y0 = taps_along(1, first, z, i, m, along_y);
    i32 z0 = taps_along(2, first, z, i, m, along_z);
    for (i32 jz = 0; jz < WIDTH_Z; jz++) {
        i64 plane = (i64)GROUP_ID(1) * n2 + wrapped(z0 + jz, n2);
        UNROLL
        for (i32 jy = 0; jy < WIDTH_Y; jy++) {
            GLOBAL value *line = grid + (plane * n1 + wrapped(y0 + jy, n1)) * n0;
            REAL a = along_z[jz] * along_y[jy];
            value b = value_new(a * c.re, a * c.im);
            UNROLL
            for (i32 jx = 0; jx < WIDTH; jx++) {
                GLOBAL value *cell = line + wrapped(x0 + jx, n0);
                ATOMIC_ADD_REAL(&cell->re, along_x[jx] * b.re);
                ATOMIC_ADD_REAL(&cell->im, along_x[jx] * b.im);
            }
        }
    }
}

// One tap at z, its number known at run time only.
DEVICE REAL one_tap(i32 j, REAL z) {
    REAL tap = coefficients[DEGREE * WIDTH + j];
    for (i32 d = DEGREE - 1; d >= 0; d--) tap = fma(tap, z, coefficients[d * WIDTH + j]);
    return tap;
}

// The paper's second scheme: every point's item launches one item per tap there; here all of them are launched at once.
KERNEL spread_taps(GLOBAL const i32 *RESTRICT first, GLOBAL const REAL *RESTRICT z, GLOBAL const i32 *RESTRICT order,
                   GLOBAL const value *RESTRICT strengths, GLOBAL value *RESTRICT grid, i64 m, i32 n0, i32 n1, i32 n2) {
    i64 i = GLOBAL_ID(0) / TAPS;
    i32 tap = (i32)(GLOBAL_ID(0) % TAPS);
    if (i >= m) return;
    i32 jx = tap % WIDTH, jy = tap / WIDTH % WIDTH_Y, jz = tap / WIDTH / WIDTH_Y;
    value c = strengths[GROUP_ID(1) * m + order[i]];
    REAL a = one_tap(jx, z[i]);
    i32 x = wrapped(first[i] + jx, n0), y = 0, w = 0;
    if (DIM > 1) {
        a *= one_tap(jy, z[m + i]);
        y = wrapped(first[m + i] + jy, n1);
    }
    if (DIM > 2) {
        a *= one_tap(jz, z[2 * m + i]);
        w = wrapped(first[2 * m + i] + jz, n2);
    }
    GLOBAL value *cell = grid + (((i64)GROUP_ID(1) * n2 + w) * n1 + y) * n0 + x;
    ATOMIC_ADD_REAL(&cell->re, a * c.re);
    ATOMIC_ADD_REAL(&cell->im, a * c.im);
}
