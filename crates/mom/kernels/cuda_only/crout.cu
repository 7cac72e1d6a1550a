// LU without pivoting in one launch, whose groups synchronize at a grid-wide barrier between iterations: all of them must be
// resident at once (a cooperative launch). A single group runs anywhere, so OpenCL can test it.
//
// The matrix is row-major. The diagonal belongs to U; that of L is 1 and not stored.
// SHARED_VALUES: number of finished values that a group caches in local memory; 0 for none.

#ifdef __OPENCL_VERSION__
#define FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#else
#define FENCE() __threadfence()
#endif

// The lock-free barrier of Xiao and Feng (Inter-block GPU communication via fast barrier synchronization, IPDPS 2010) as in the
// thesis: a group that arrives writes `goal` to its element of `arrived`; group 0 polls that list and, once it is complete, writes
// `goal` to all of `released`, which the groups poll. Added here: the fences (no group may continue before it sees what the
// others wrote), and the stride (the thesis requires as many work items in a group as there are groups).
DEVICE void grid_barrier(GLOBAL volatile i32* arrived, GLOBAL volatile i32* released, i32 goal)
{
    i32 t = LOCAL_ID(0);
    FENCE();
    BARRIER();
    if (t == 0)
        arrived[GROUP_ID(0)] = goal;
    if (GROUP_ID(0) == 0) {
        for (i32 g = t; g < NUM_GROUPS(0); g += GROUP_SIZE(0))
            while (arrived[g] != goal)
                ;
        FENCE();
    }
    BARRIER();
    if (GROUP_ID(0) == 0) {
        for (i32 g = t; g < NUM_GROUPS(0); g += GROUP_SIZE(0))
            released[g] = goal;
    }
    if (t == 0) {
        while (released[GROUP_ID(0)] != goal)
            ;
    }
    FENCE();
    BARRIER();
}

// Iteration k: A_ij -= L_ik U_kj for all i, j > k, with L_ik = A_ik / A_kk. Every group owns one chunk of the matrix;
// chunks form a grid of `chunk_columns` columns. No group writes row k or column k in iteration k, so one barrier per iteration
// is enough: column k is divided by the pivot in iteration k + 1, when no group reads it any more.
KERNEL crout(GLOBAL cplx* lu, GLOBAL volatile i32* arrived, GLOBAL volatile i32* released, i64 n, i32 chunk_columns)
{
#if SHARED_VALUES > 0
    LOCAL cplx finished[SHARED_VALUES];
#endif
    i32 t = LOCAL_ID(0);
    i32 size = GROUP_SIZE(0);
    i32 chunk_rows = NUM_GROUPS(0) / chunk_columns;
    i64 chunk_row = GROUP_ID(0) / chunk_columns;
    i64 chunk_column = GROUP_ID(0) % chunk_columns;
    i64 r0 = n * chunk_row / chunk_rows;
    i64 r1 = n * (chunk_row + 1) / chunk_rows;
    i64 c0 = n * chunk_column / chunk_columns;
    i64 c1 = n * (chunk_column + 1) / chunk_columns;
    // Up to 32 work items along a row, whose values are contiguous: coalesced access.
    i32 across = size < 32 ? size : 32;
    i32 down = size / across;
    i32 tx = t % across;
    i32 ty = t / across;

    for (i64 k = 0; k < n; ++k) {
        // The chunks that own column k - 1 finish it: L_ik = A_ik / A_kk of the previous iteration.
        if (c0 < k && k <= c1) {
            cplx inverse = cplx_div(cplx_new(R(1), R(0)), lu[(k - 1) * n + k - 1]);
            for (i64 i = (r0 < k ? k : r0) + t; i < r1; i += size)
                lu[i * n + k - 1] = cplx_mul(lu[i * n + k - 1], inverse);
        }
        // One division per work item and iteration; rows multiply by the reciprocal of the pivot.
        cplx inverse = cplx_div(cplx_new(R(1), R(0)), lu[k * n + k]);
        // Only the trailing part of a chunk, rows and columns beyond k, still changes.
        i64 i0 = r0 < k + 1 ? k + 1 : r0;
        i64 j0 = c0 < k + 1 ? k + 1 : c0;
#if SHARED_VALUES > 0
        // Values finished in the previous iteration, read once from global memory: L_ik of the rows of this chunk and, in the space
        // left, U_kj of its columns. The rest is read from global memory.
        i64 cached_rows = i0 < r1 && j0 < c1 ? r1 - i0 : 0;
        cached_rows = cached_rows < SHARED_VALUES ? cached_rows : SHARED_VALUES;
        i64 cached_columns = i0 < r1 && j0 < c1 ? c1 - j0 : 0;
        cached_columns = cached_columns < SHARED_VALUES - cached_rows ? cached_columns : SHARED_VALUES - cached_rows;
        for (i64 r = t; r < cached_rows; r += size)
            finished[r] = cplx_mul(lu[(i0 + r) * n + k], inverse);
        for (i64 c = t; c < cached_columns; c += size)
            finished[cached_rows + c] = lu[k * n + j0 + c];
        BARRIER();
#endif
        for (i64 i = i0 + ty; i < r1 && ty < down; i += down) {
#if SHARED_VALUES > 0
            cplx l = i - i0 < cached_rows ? finished[i - i0] : cplx_mul(lu[i * n + k], inverse);
#else
            cplx l = cplx_mul(lu[i * n + k], inverse);
#endif
            for (i64 j = j0 + tx; j < c1; j += across) {
#if SHARED_VALUES > 0
                cplx u = j - j0 < cached_columns ? finished[cached_rows + j - j0] : lu[k * n + j];
#else
                cplx u = lu[k * n + j];
#endif
                lu[i * n + j] = cplx_fma(cplx_neg(l), u, lu[i * n + j]);
            }
        }
        // The goal differs in every iteration, so that the flags need no reset.
        grid_barrier(arrived, released, (i32)k + 1);
    }
}
