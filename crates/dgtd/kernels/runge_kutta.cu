// Time integration by the low-storage Runge-Kutta scheme, for all elements at once (Carpenter and Kennedy, NASA TM 109112, 1994):
//
//   increment = a increment + dt rate,  q = q + b increment.

#define LOCAL_STEPS 0

// Traces are read from one buffer and written to another; src/gpu/engine.rs passes these in this order.
#define FIELD_PARAMS                                                                                         \
    GLOBAL REAL *RESTRICT fields, GLOBAL REAL *RESTRICT increments, GLOBAL const REAL *RESTRICT traces,      \
        GLOBAL REAL *RESTRICT new_traces
#define POINT_TRACE_PARAMS GLOBAL const REAL *RESTRICT point_traces, GLOBAL REAL *RESTRICT new_point_traces
#define ADE_PARAMS                                                                                           \
    GLOBAL const i64 *RESTRICT ade_blocks, GLOBAL const REAL *RESTRICT all_coefficients,                     \
        GLOBAL REAL *RESTRICT all_ade, GLOBAL REAL *RESTRICT all_ade_increments
// `first_group` is the first of the groups of elements that this launch advances: those at the border between ranks, or the others.
#define STEP_PARAMS f64 pulse, f64 a_64, f64 b_64, f64 dt_64, i32 first_group
// What `advance` takes of them. One parameter list serves both precisions: scalars are passed in double and rounded here.
#define SCALARS REAL a, REAL b, REAL dt
#define SCALARS_OF_STEP (REAL)a_64, (REAL)b_64, (REAL)dt_64
// Nothing: all elements take the same step. local_steps.cu has levels.
#define OF_LEVEL(block)
#define MORE_OF_BLOCK
#define EARLIER_RATES(at) increments[at]
#define TRACES_BEHIND(face) traces
#define POINT_TRACES_BEHIND(face) point_traces
#define NEW_TRACES new_traces
#define NEW_POINT_TRACES new_point_traces

// Update of an auxiliary unknown with value `value` and time derivative `rate`.
#define ADVANCE_ADE(at, value, rate)                                                                         \
    {                                                                                                        \
        REAL increment = fma(a, ade_increments[at], dt * (rate));                                            \
        ade_increments[at] = increment;                                                                      \
        ade[at] = fma(b, increment, value);                                                                  \
    }
// Update of field c; `history` has its increment of the stage before.
#define ADVANCE_FIELD(c, at)                                                                                 \
    history[c] = fma(a, history[c], dt * rates[c]);                                                              \
    increments[at] = history[c];                                                                               \
    q[c] = fma(b, history[c], q[c]);                                                                           \
    fields[at] = q[c];

// States of sheets (sheets.cu): the same update of their own arrays. The stage writes `new_traces`.
#define SHEET_PARAMS                                                                                         \
    GLOBAL REAL *RESTRICT ade, GLOBAL REAL *RESTRICT ade_increments, GLOBAL const REAL *RESTRICT traces,     \
        GLOBAL const REAL *RESTRICT new_traces
#define OF_SHEET REAL a = (REAL)a_64, b = (REAL)b_64, dt = (REAL)dt_64
#define SHEET_TRACES(level) traces
