// States of sheets and walls with an impedance that depends on frequency (src/sheet_model.rs), at the points of their faces, once per stage:
//
//   s = output . x,    dx/dtau = matrix x + minus w- + plus w+
//
// s is added to E* as a source; w- is the trace of the element, w+ that of its neighbor. A work item has one scalar of a trace.
//
// Defines: the offsets of src/offsets.rs, and REAL.

// `values` numbers of a trace, `scalars` of a point; `flip` if the second scalar has the opposite sign on the other side, along t2. The faces
// are those from `first_source` on among the sources.
KERNEL sheets(SHEET_PARAMS, GLOBAL const i64 *RESTRICT faces, GLOBAL const i32 *RESTRICT permutations,
              GLOBAL const REAL *RESTRICT equations, GLOBAL REAL *RESTRICT sources, i32 values, i32 scalars, i32 flip,
              i64 first_source, i64 count, STEP_PARAMS) {
    i64 i = GLOBAL_ID(0);
    if (i >= count) return;
    i64 face = i / values;
    i32 value = (i32)(i % values), point = value / scalars, s = value % scalars;
    GLOBAL const i64 *entries = faces + SHEET_ENTRIES * face;
    OF_SHEET;
    i64 behind = entries[SHEET_BEHIND];
    i32 n = (i32)entries[SHEET_STATES], theirs = permutations[(i32)(behind & 3) * (values / scalars) + point] * scalars + s;
    REAL minus = SHEET_TRACES((i32)entries[SHEET_LEVEL])[entries[SHEET_OWN] * values + value];
    REAL plus = SHEET_TRACES((i32)entries[SHEET_LEVEL_BEHIND])[(behind >> 2) * values + theirs];
    if (flip && s == 1) plus = -plus;
    GLOBAL const REAL *output = equations + entries[SHEET_EQUATIONS];
    i64 at = entries[SHEET_FIRST] + value;
    REAL x[MAX_SHEET_STATES], sum = R(0.0);
    for (i32 k = 0; k < n; ++k) {
        x[k] = ade[at + (i64)k * values];
        sum = fma(output[k], x[k], sum);
    }
    sources[first_source * values + i] = sum;
    for (i32 k = 0; k < n; ++k) {
        REAL rate = fma(output[n + k], minus, output[2 * n + k] * plus);
        for (i32 l = 0; l < n; ++l) rate = fma(output[(3 + k) * n + l], x[l], rate);
        ADVANCE_ADE(at + (i64)k * values, x[k], rate)
    }
}
