// Time integration with local steps: an Adams-Bashforth scheme of third order, in which clusters of elements have steps of dt 2^k
// (src/scheme.rs has the weights and their source):
//
//   q = q + sum_j w_j rate_j,  of the rates at this step and at the three before.
//
// Neighbors with half the step need the traces halfway, from q + sum_j half_j rate_j.

#define LOCAL_STEPS 1

// `increments` are the oldest rates, which those of this step replace; `rates_1` and `rates_2` are those one and two steps before.
// src/gpu/engine.rs passes these in this order.
#define FIELD_PARAMS                                                                                         \
    GLOBAL REAL *RESTRICT fields, GLOBAL REAL *RESTRICT increments, GLOBAL const REAL *RESTRICT rates_1,     \
        GLOBAL const REAL *RESTRICT rates_2, GLOBAL const REAL *RESTRICT traces,                             \
        GLOBAL REAL *RESTRICT new_traces, GLOBAL REAL *RESTRICT halfway_traces
#define POINT_TRACE_PARAMS                                                                                   \
    GLOBAL const REAL *RESTRICT point_traces, GLOBAL REAL *RESTRICT new_point_traces,                        \
        GLOBAL REAL *RESTRICT halfway_point_traces
#define ADE_PARAMS                                                                                           \
    GLOBAL const i64 *RESTRICT ade_blocks, GLOBAL const REAL *RESTRICT all_coefficients,                     \
        GLOBAL REAL *RESTRICT all_ade, GLOBAL REAL *RESTRICT all_ade_increments,                             \
        GLOBAL const REAL *RESTRICT all_ade_rates_1, GLOBAL const REAL *RESTRICT all_ade_rates_2
// The weights times c dt. `first_group` is the first of the groups of elements that this launch advances.
#define STEP_PARAMS                                                                                          \
    f64 pulse, f64 w0_64, f64 w1_64, f64 w2_64, f64 w3_64, f64 half0_64, f64 half1_64, f64 half2_64, i32 first_group
// What `advance` takes of them.
#define SCALARS                                                                                              \
    REAL w0, REAL w1, REAL w2, REAL w3, REAL half0, REAL half1, REAL half2, i32 halfway,                     \
        GLOBAL const REAL *RESTRICT rates_1, GLOBAL const REAL *RESTRICT rates_2,                            \
        GLOBAL const REAL *RESTRICT ade_rates_1, GLOBAL const REAL *RESTRICT ade_rates_2
#define SCALARS_OF_STEP                                                                                      \
    (REAL)w0_64, (REAL)w1_64, (REAL)w2_64, (REAL)w3_64, (REAL)half0_64, (REAL)half1_64, (REAL)half2_64,      \
        halfway, rates_1, rates_2, ade_rates_1, ade_rates_2
// The older rates of the unknowns of a block, and whether neighbors need its traces halfway.
#define MORE_OF_BLOCK                                                                                        \
    GLOBAL const REAL *ade_rates_1 = all_ade_rates_1 + entries[BLOCK_UNKNOWNS],                              \
                      *ade_rates_2 = all_ade_rates_2 + entries[BLOCK_UNKNOWNS];                              \
    i32 halfway = (i32)entries[BLOCK_HALFWAY]

// Update of an auxiliary unknown with value `value` and time derivative `rate`.
#define ADVANCE_ADE(at, value, rate)                                                                         \
    {                                                                                                        \
        REAL now = (rate), oldest = ade_increments[at];                                                      \
        ade_increments[at] = now;                                                                            \
        ade[at] = fma(w3, oldest, fma(w2, ade_rates_2[at], fma(w1, ade_rates_1[at], fma(w0, now, value))));  \
    }
// Update of field c; `moved` has its oldest rate. The fields at the end are stored; q becomes those halfway if neighbors need them.
#define ADVANCE_FIELD(c, at)                                                                                 \
    REAL before = rates_1[at], second = rates_2[at];                                                         \
    REAL end = fma(w3, moved[c], fma(w2, second, fma(w1, before, fma(w0, rates[c], q[c]))));                 \
    increments[at] = rates[c];                                                                               \
    fields[at] = end;                                                                                        \
    q[c] = halfway ? fma(half2, second, fma(half1, before, fma(half0, rates[c], q[c]))) : end;
