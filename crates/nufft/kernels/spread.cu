// Spreading: b_i = sum_j c_j phi(i0 - x0) phi(i1 - x1) phi(i2 - x2) over the points j, x in grid points, by several methods. The names of the
// methods follow cuFINUFFT (Y.-h. Shih, G. Wright, J. Anden, J. Blaschke and A. H. Barnett, IPDPSW 2021): output-driven, subproblem (SM)
// and point-driven (GM).
//
// Points are given by their first taps and z, axis by axis, in sorted order; `order` has their indices in the arrays of the caller.
// GROUP_ID(1) is the vector of the batch. Beside those of taps.h the host defines BIN, LANES_GROUP, TILE_X, TILE_Y, TILE_Z, SUBPROBLEM_CHUNK
// and, if subproblems fit into local memory, SIDE.

// ---- Output-driven: a group per tile of the grid gathers the points that contribute to it; no atomics, bitwise reproducible ----

// A tile has TILE_X x TILE_Y x TILE_Z cells, in registers: the LANES_X x LANES_Y items of a slice accumulate NX x NY cells each, so that a
// tap read from local memory is used several times. Each of the SLICES processes every SLICES-th point, or in three dimensions one plane:
// there TILE_Z is SLICES.
#define SLICES (LANES_GROUP / LANES)
#define LANES_X (DIM == 1 ? 16 : 4)
#define LANES_Y (16 / LANES_X)
#define LANES (LANES_X * LANES_Y)
#define NX (TILE_X / LANES_X)
#define NY (DIM > 1 ? TILE_Y / LANES_Y : 1)
// Points whose taps are computed at a time. Lines are padded by one entry against bank conflicts.
#define CHUNK 64
#define LINE (CHUNK + 1)
// Runs of sorted points that contribute to a tile: two per row of bins, since the grid is periodic.
#define MAX_BINS(size) (((size) + WIDTH - 1) / BIN + 3)
#define MAX_RUNS (2 * (DIM > 1 ? MAX_BINS(TILE_Y) : 1) * (DIM > 2 ? MAX_BINS(TILE_Z) : 1))

// A periodic range of bins of an axis: from .. from + count - 1 and 0 .. wrapped - 1.
typedef struct { i32 from, count, wrapped; } span;

// The bins of points with taps in the cells corner .. corner + size - 1 of a periodic axis of n.
DEVICE span contributing_bins(i32 corner, i32 size, i32 n) {
    // Tiles and kernels wider than the grid: every bin contributes, once.
    i32 length = size + WIDTH - 1 < n ? size + WIDTH - 1 : n;
    i32 start = corner < WIDTH - 1 ? corner - (WIDTH - 1) + n : corner - (WIDTH - 1);
    i32 end = start + length;
    span s;
    s.from = start / BIN;
    s.count = ((end < n ? end : n) - 1) / BIN - s.from + 1;
    s.wrapped = end > n ? (end - n - 1) / BIN + 1 : 0;
    // The wrapped part must not repeat bins of the first part.
    if (s.wrapped > s.from) s.wrapped = s.from;
    return s;
}

// Bin number i of the range.
DEVICE i32 bin_in(span s, i32 i) { return i < s.count ? s.from + i : i - s.count; }

// An unused axis has the single bin 0.
DEVICE span single_bin(void) {
    span s;
    s.from = 0;
    s.count = 1;
    s.wrapped = 0;
    return s;
}

// The tap of a point on cell s of the tile; none if it is not below WIDTH. The offset is first tap - corner of the tile.
DEVICE i32 tap_at(i32 s, i32 offset, i32 n) {
    i32 j = s - offset;
    return j < 0 ? j + n : j;
}

// Finds the runs of points that contribute to the tile and returns the number of points. In the concatenation of all runs, run r ends
// before ends[r], and entry k of it is point shifts[r] + k.
DEVICE i32 find_runs(GLOBAL const i32 *starts, LOCAL_PTR i32 *ends, LOCAL_PTR i32 *shifts, i32 t, i32 x0, i32 y0, i32 z0,
                     i32 n0, i32 n1, i32 n2) {
    span sx = contributing_bins(x0, TILE_X, n0);
    span sy = DIM > 1 ? contributing_bins(y0, TILE_Y, n1) : single_bin();
    span sz = DIM > 2 ? contributing_bins(z0, TILE_Z, n2) : single_bin();
    i32 bins0 = (n0 + BIN - 1) / BIN, bins1 = (n1 + BIN - 1) / BIN;
    i32 rows = sy.count + sy.wrapped, runs = 2 * rows * (sz.count + sz.wrapped);
    // One run per row of bins and half: bins of a row are contiguous in the sorted points.
    for (i32 r = t; r < runs; r += LANES_GROUP) {
        // Even runs are the bins up to the end of the row, odd runs those wrapped to its beginning; the latter may be empty.
        i64 row = (i64)bin_in(sz, r / 2 / rows) * bins1 + bin_in(sy, r / 2 % rows);
        i64 from = row * bins0 + (r % 2 ? 0 : sx.from);
        shifts[r] = starts[from];
        ends[r] = starts[from + (r % 2 ? sx.wrapped : sx.count)] - starts[from];
    }
    BARRIER();
    // Prefix sum of the lengths, in place: every item sums the runs before its own; the barrier separates reads and writes.
    i32 before[(MAX_RUNS + LANES_GROUP - 1) / LANES_GROUP], total = 0;
    for (i32 r = t, own = 0; r < runs; r += LANES_GROUP, own++) {
        before[own] = 0;
        for (i32 q = 0; q < r; q++) before[own] += ends[q];
    }
    // Every item sums all runs itself: no broadcast and no further barrier.
    for (i32 r = 0; r < runs; r++) total += ends[r];
    BARRIER();
    for (i32 r = t, own = 0; r < runs; r += LANES_GROUP, own++) {
        shifts[r] -= before[own];
        ends[r] += before[own];
    }
    BARRIER();
    return total;
}

// The taps of a chunk and the sums of the slices share local memory. Sizes in REAL; y first, whose values must be aligned.
#define TAPS_Y (2 * LINE * WIDTH_Y)
#define TAPS_X (LINE * WIDTH)
#define TAPS_Z (DIM > 2 ? LINE * WIDTH : 0)
#define SUMS (2 * SLICES * TILE_X * TILE_Y)
#define POOL ((TAPS_Y + TAPS_X + TAPS_Z > SUMS ? TAPS_Y + TAPS_X + TAPS_Z : SUMS) / 2 + 1)

// Number of tiles along an axis, and first cell of tile `tile` along each axis.
#define TILES(n, size) (((n) + (size) - 1) / (size))
#define CORNER_X(tile) ((tile) % TILES(n0, TILE_X) * TILE_X)
#define CORNER_Y(tile) ((tile) / TILES(n0, TILE_X) % TILES(n1, TILE_Y) * TILE_Y)
#define CORNER_Z(tile) ((tile) / TILES(n0, TILE_X) / TILES(n1, TILE_Y) * TILE_Z)

KERNEL spread_tiles(POINT_PARAMS, GLOBAL const i32 *RESTRICT starts, GLOBAL const value *RESTRICT strengths,
                    GLOBAL value *RESTRICT grid, SIZE_PARAMS) {
    LOCAL value pool[POOL];
    LOCAL i32 ends[MAX_RUNS], shifts[MAX_RUNS], offset_x[CHUNK], offset_y[CHUNK], offset_z[CHUNK];
    LOCAL_PTR value *along_y = pool;
    LOCAL_PTR REAL *along_x = (LOCAL_PTR REAL *)pool + TAPS_Y, *along_z = along_x + TAPS_X;
    i32 t = LOCAL_ID(0), lane = t % LANES, slice = t / LANES, lane_x = lane % LANES_X, lane_y = lane / LANES_X;
    i32 x0 = CORNER_X(GROUP_ID(0)), y0 = CORNER_Y(GROUP_ID(0)), z0 = CORNER_Z(GROUP_ID(0));
    i32 total = find_runs(starts, ends, shifts, t, x0, y0, z0, n0, n1, n2);
    // Registers: the loops over q unroll, and all indices are compile-time constants.
    value sums[NY * NX];
    UNROLL
    for (i32 q = 0; q < NY * NX; q++) sums[q] = value_new(R(0), R(0));
    for (i32 base = 0; base < total; base += CHUNK) {
        i32 count = total - base < CHUNK ? total - base : CHUNK;
        // Every item computes the taps of one point along one axis; those along y are multiplied by the strength.
        // Tasks of consecutive items are consecutive points of one axis: coalesced loads, no
        // divergence within a warp of one axis.
        for (i32 task = t; task < CHUNK * (DIM > 2 ? 3 : 2); task += LANES_GROUP) {
            i32 p = task % CHUNK, axis = task / CHUNK, run = 0;
            if (p >= count) continue;
            // Linear search: a tile has few runs.
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
        // All taps of the chunk are written before any is read.
        BARRIER();
        for (i32 p = DIM > 2 ? 0 : slice; p < count; p += DIM > 2 ? 1 : SLICES) {
            REAL plane = R(1), a[NX];
            value b[NY];
            if (DIM > 2) {
                // In three dimensions a slice is one plane of the tile, and skips points without a tap there.
                i32 j = tap_at(slice, offset_z[p], n2);
                if (j >= WIDTH) continue;
                plane = along_z[j * LINE + p];
            }
            UNROLL
            for (i32 q = 0; q < NX; q++) {
                i32 j = tap_at(lane_x + q * LANES_X, offset_x[p], n0);
                // Cells outside of the taps get the weight 0 instead of a branch, so that the lanes do not diverge.
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
                // Outer product of the taps along x and y, in registers.
                sums[q].re = fma(a[q % NX], b[q / NX].re, sums[q].re);
                sums[q].im = fma(a[q % NX], b[q / NX].im, sums[q].im);
            }
        }
        // All taps are read before the next chunk overwrites them, or the sums of the slices do.
        BARRIER();
    }
    // In one and two dimensions the slices hold partial sums of the same cells: added up in a fixed order.
    UNROLL
    for (i32 q = 0; q < NY * NX; q++) {
        i32 row = slice * TILE_Y + lane_y + q / NX * LANES_Y;
        pool[row * TILE_X + lane_x + q % NX * LANES_X] = sums[q];
    }
    BARRIER();
    for (i32 cell = t; cell < TILE_X * TILE_Y * TILE_Z; cell += LANES_GROUP) {
        value sum = pool[cell];
        if (DIM < 3) {
            for (i32 s = 1; s < SLICES; s++) {
                value part = pool[s * TILE_X * TILE_Y + cell];
                sum.re += part.re;
                sum.im += part.im;
            }
        }
        // Tiles at the end of an axis may extend beyond the grid.
        i32 x = x0 + cell % TILE_X, y = y0 + cell / TILE_X % TILE_Y, w = z0 + cell / TILE_X / TILE_Y;
        if (x < n0 && y < n1 && w < n2) grid[(((i64)GROUP_ID(1) * n2 + w) * n1 + y) * n0 + x] = sum;
    }
}

// Number of points that contribute to each tile, for the load balance.
KERNEL tile_loads(GLOBAL const i32 *RESTRICT starts, GLOBAL i32 *RESTRICT loads, i32 n0, i32 n1, i32 n2) {
    LOCAL i32 ends[MAX_RUNS], shifts[MAX_RUNS];
    i32 t = LOCAL_ID(0);
    i32 x0 = CORNER_X(GROUP_ID(0)), y0 = CORNER_Y(GROUP_ID(0)), z0 = CORNER_Z(GROUP_ID(0));
    i32 total = find_runs(starts, ends, shifts, t, x0, y0, z0, n0, n1, n2);
    if (t == 0) loads[GROUP_ID(0)] = total;
}

// ---- Subproblems: a group per list of points of one bin accumulates in a subgrid in local memory, then adds it to the grid ----

// Cells of the subgrid: those with contributions from a bin of SIDE^DIM first taps.
#define SUBGRID_X (SIDE + WIDTH - 1)
#define SUBGRID_Y (DIM > 1 ? SIDE + WIDTH - 1 : 1)
#define SUBGRID_Z (DIM > 2 ? SIDE + WIDTH - 1 : 1)
#define SUBGRID (SUBGRID_X * SUBGRID_Y * SUBGRID_Z)
#define TAPS (WIDTH * WIDTH_Y * WIDTH_Z)

#ifdef SIDE
KERNEL spread_subproblems(POINT_PARAMS, GLOBAL const i32 *RESTRICT subproblems, GLOBAL const value *RESTRICT strengths,
                          GLOBAL value *RESTRICT grid, SIZE_PARAMS) {
    LOCAL value subgrid[SUBGRID];
    LOCAL value c[SUBPROBLEM_CHUNK];
    LOCAL REAL taps[SUBPROBLEM_CHUNK * DIM * WIDTH];
    LOCAL i32 corner[SUBPROBLEM_CHUNK];
    i32 t = LOCAL_ID(0), group = GROUP_SIZE(0);
    i32 bin = subproblems[3 * GROUP_ID(0)], from = subproblems[3 * GROUP_ID(0) + 1];
    i32 end = subproblems[3 * GROUP_ID(0) + 2];
    i32 bins0 = (n0 + SIDE - 1) / SIDE, bins1 = (n1 + SIDE - 1) / SIDE;
    i32 x0 = bin % bins0 * SIDE, y0 = bin / bins0 % bins1 * SIDE, z0 = bin / bins0 / bins1 * SIDE;
    // The barrier after the taps also separates this from the first addition.
    for (i32 cell = t; cell < SUBGRID; cell += group) subgrid[cell] = value_new(R(0), R(0));
    for (i32 base = from; base < end; base += SUBPROBLEM_CHUNK) {
        i32 count = end - base < SUBPROBLEM_CHUNK ? end - base : SUBPROBLEM_CHUNK;
        // The same points are loaded along each axis: strengths and corners only with the first.
        for (i32 task = t; task < SUBPROBLEM_CHUNK * DIM; task += group) {
            i32 p = task % SUBPROBLEM_CHUNK, axis = task / SUBPROBLEM_CHUNK;
            i64 i = base + p;
            if (p >= count) continue;
            REAL own[WIDTH];
            all_taps(z[axis * m + i], own);
            UNROLL
            for (i32 j = 0; j < WIDTH; j++) taps[(p * DIM + axis) * WIDTH + j] = own[j];
            if (axis == 0) {
                i32 y = DIM > 1 ? first[m + i] - y0 : 0, w = DIM > 2 ? first[2 * m + i] - z0 : 0;
                corner[p] = (w * SUBGRID_Y + y) * SUBGRID_X + first[i] - x0;
                c[p] = strengths[GROUP_ID(1) * m + order[i]];
            }
        }
        BARRIER();
        // The taps of one point are distinct cells, so the items need no atomics; a barrier
        // separates the points, whose cells overlap.
        for (i32 p = 0; p < count; p++) {
            LOCAL_PTR const REAL *own = taps + p * DIM * WIDTH;
            for (i32 tap = t; tap < TAPS; tap += group) {
                i32 jx = tap % WIDTH, jy = tap / WIDTH % WIDTH_Y, jz = tap / WIDTH / WIDTH_Y;
                REAL a = own[jx];
                if (DIM > 1) a *= own[WIDTH + jy];
                if (DIM > 2) a *= own[2 * WIDTH + jz];
                i32 cell = corner[p] + (jz * SUBGRID_Y + jy) * SUBGRID_X + jx;
                subgrid[cell].re = fma(a, c[p].re, subgrid[cell].re);
                subgrid[cell].im = fma(a, c[p].im, subgrid[cell].im);
            }
            BARRIER();
        }
    }
    // One atomic per cell of the subgrid instead of one per point and tap.
    GLOBAL value *target = grid + (i64)GROUP_ID(1) * n2 * n1 * n0;
    for (i32 cell = t; cell < SUBGRID; cell += group) {
        value v = subgrid[cell];
        // Cells without contributions need no atomic.
        if (v.re == R(0) && v.im == R(0)) continue;
        i32 x = wrap(x0 + cell % SUBGRID_X, n0), y = wrap(y0 + cell / SUBGRID_X % SUBGRID_Y, n1);
        i32 w = wrap(z0 + cell / SUBGRID_X / SUBGRID_Y, n2);
        i64 at = ((i64)w * n1 + y) * n0 + x;
        ATOMIC_ADD_REAL(&target[at].re, v.re);
        ATOMIC_ADD_REAL(&target[at].im, v.im);
    }
}
#endif

// ---- Point-driven: a work item per point, or per point and tap, adds to the grid by atomics ----

// grid = 0
KERNEL clear(GLOBAL value *RESTRICT grid, i64 n) {
    i64 i = GLOBAL_ID(0);
    if (i < n) grid[i] = value_new(R(0), R(0));
}

// In sorted order, neighboring items add to neighboring cells, which the cache exploits (GM-sort); in the order of the caller this is the
// first scheme of Capozzoli, Curcio, Liseno and Toso (2016).
KERNEL spread_points(POINT_PARAMS, GLOBAL const value *RESTRICT strengths, GLOBAL value *RESTRICT grid, SIZE_PARAMS) {
    i64 i = GLOBAL_ID(0);
    if (i >= m) return;
    value c = strengths[GROUP_ID(1) * m + order[i]];
    REAL along_x[WIDTH], along_y[WIDTH], along_z[WIDTH];
    i32 x0 = taps_along(0, first, z, i, m, along_x);
    i32 y0 = taps_along(1, first, z, i, m, along_y);
    i32 z0 = taps_along(2, first, z, i, m, along_z);
    for (i32 jz = 0; jz < WIDTH_Z; jz++) {
        i64 plane = (i64)GROUP_ID(1) * n2 + wrap(z0 + jz, n2);
        UNROLL
        for (i32 jy = 0; jy < WIDTH_Y; jy++) {
            GLOBAL value *line = grid + (plane * n1 + wrap(y0 + jy, n1)) * n0;
            // The strength is multiplied once per line, not once per tap.
            REAL a = along_z[jz] * along_y[jy];
            value b = value_new(a * c.re, a * c.im);
            UNROLL
            for (i32 jx = 0; jx < WIDTH; jx++) {
                GLOBAL value *cell = line + wrap(x0 + jx, n0);
                ATOMIC_ADD_REAL(&cell->re, along_x[jx] * b.re);
                ATOMIC_ADD_REAL(&cell->im, along_x[jx] * b.im);
            }
        }
    }
}

// One tap at z, its number a run-time value.
DEVICE REAL one_tap(i32 j, REAL z) {
    REAL tap = coefficients[DEGREE * WIDTH + j];
    for (i32 d = DEGREE - 1; d >= 0; d--) tap = fma(tap, z, coefficients[d * WIDTH + j]);
    return tap;
}

// Their second scheme: there, the item of a point launches one item per tap (dynamic parallelism); here, all of them are launched at once.
KERNEL spread_taps(POINT_PARAMS, GLOBAL const value *RESTRICT strengths, GLOBAL value *RESTRICT grid, SIZE_PARAMS) {
    i64 i = GLOBAL_ID(0) / TAPS;
    i32 tap = (i32)(GLOBAL_ID(0) % TAPS);
    if (i >= m) return;
    i32 jx = tap % WIDTH, jy = tap / WIDTH % WIDTH_Y, jz = tap / WIDTH / WIDTH_Y;
    value c = strengths[GROUP_ID(1) * m + order[i]];
    REAL a = one_tap(jx, z[i]);
    i32 x = wrap(first[i] + jx, n0), y = 0, w = 0;
    if (DIM > 1) {
        a *= one_tap(jy, z[m + i]);
        y = wrap(first[m + i] + jy, n1);
    }
    if (DIM > 2) {
        a *= one_tap(jz, z[2 * m + i]);
        w = wrap(first[2 * m + i] + jz, n2);
    }
    GLOBAL value *cell = grid + (((i64)GROUP_ID(1) * n2 + w) * n1 + y) * n0 + x;
    ATOMIC_ADD_REAL(&cell->re, a * c.re);
    ATOMIC_ADD_REAL(&cell->im, a * c.im);
}
