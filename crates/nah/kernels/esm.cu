// Equivalent source method: the reconstruction matrices of all holograms times the phasors at the microphones.
//
//   field[value] = sum_m A[value][m] p[m],   A = F G^H (G G^H + lambda)^-1   (src/esm.rs)
//
// Macros: REAL; MICS microphones; VALUES of each hologram; ITEMS work items, a power of two, for each value.

// matrices: [hologram][value][microphone]; phasors: [hologram][microphone]; fields: [hologram][value].
KERNEL apply(GLOBAL const cplx *RESTRICT matrices, GLOBAL const cplx *RESTRICT phasors, GLOBAL cplx *RESTRICT fields) {
    LOCAL cplx partial[ITEMS];
    i32 item = LOCAL_ID(0);
    i64 value = (i64)GROUP_ID(1) * VALUES + GROUP_ID(0);
    cplx sum = cplx_new(R(0.0), R(0.0));
    // Strided, so that neighboring work items read neighboring values.
    for (i32 m = item; m < MICS; m += ITEMS) sum = cplx_fma(matrices[value * MICS + m], phasors[(i64)GROUP_ID(1) * MICS + m], sum);
    partial[item] = sum;
    BARRIER();
    // Tree reduction in a fixed order: results are reproducible.
    for (i32 step = ITEMS / 2; step > 0; step /= 2) {
        if (item < step) partial[item] = cplx_add(partial[item], partial[step + item]);
        BARRIER();
    }
    if (item == 0) fields[value] = partial[0];
}
