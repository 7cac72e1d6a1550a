// Fields of equivalent sources: one matrix for each hologram, [hologram][value][microphone], times the phasors at MICS microphones.
// VALUES are those of a hologram; ITEMS work items, a power of two, share one of them.

KERNEL apply(GLOBAL const cplx *RESTRICT matrices, GLOBAL const cplx *RESTRICT phasors, GLOBAL cplx *RESTRICT fields) {
    LOCAL cplx room[ITEMS];
    i32 item = LOCAL_ID(0);
    i64 value = (i64)GROUP_ID(1) * VALUES + GROUP_ID(0);
    cplx sum = cplx_new(R(0.0), R(0.0));
    for (i32 m = item; m < MICS; m += ITEMS) sum = cplx_fma(matrices[value * MICS + m], phasors[(i64)GROUP_ID(1) * MICS + m], sum);
    room[item] = sum;
    BARRIER();
    for (i32 step = ITEMS / 2; step > 0; step /= 2) {
        if (item < step) room[item] = cplx_add(room[item], room[step + item]);
        BARRIER();
    }
    if (item == 0) fields[value] = room[0];
}
