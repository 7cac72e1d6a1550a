// Time integration with local steps: an Adams-Bashforth scheme of third order, in which clusters of elements have steps of dt 2^k
// (src/scheme.rs has the weights and their source):
//
//   q = q + sum_j w_j rate_j,  of the rates at this step and at the three before.
//
// Neighbors with half the step need the traces halfway, from q + sum_j half_j rate_j.

#define LOCAL_STEPS 1

// Rates of the last three steps are in a ring of three buffers, traces at the ends of steps in two buffers alternately (levels.cu). `neighbor_levels` has four bits for each
// face of a slot: the level of the element behind it. src/gpu/engine.rs passes these in this order.
#define FIELD_PARAMS                                                                                         \
    GLOBAL REAL *RESTRICT fields, GLOBAL REAL *RESTRICT rates_ring_0,                                     \
        GLOBAL REAL *RESTRICT rates_ring_1, GLOBAL REAL *RESTRICT rates_ring_2,                        \
        GLOBAL REAL *RESTRICT traces_0, GLOBAL REAL *RESTRICT traces_1, GLOBAL REAL *RESTRICT halfway_traces, \
        GLOBAL const i32 *RESTRICT neighbor_levels
#define POINT_TRACE_PARAMS                                                                                   \
    GLOBAL REAL *RESTRICT point_traces_0, GLOBAL REAL *RESTRICT point_traces_1,                              \
        GLOBAL REAL *RESTRICT halfway_point_traces
#define ADE_PARAMS                                                                                           \
    GLOBAL const i64 *RESTRICT ade_blocks, GLOBAL const REAL *RESTRICT all_coefficients,                     \
        GLOBAL REAL *RESTRICT all_ade, GLOBAL REAL *RESTRICT ade_rates_ring_0,                            \
        GLOBAL REAL *RESTRICT ade_rates_ring_1, GLOBAL REAL *RESTRICT ade_rates_ring_2
// The weights times c dt of level 0. `due` and `newest` as in levels.cu; `ring_starts` has two bits for each level: the buffer of the ring with its oldest rates.
// `first_group` is the first of the groups of elements that this launch advances, those of all levels that are due.
#define STEP_PARAMS                                                                                          \
    f64 pulse, f64 w0_64, f64 w1_64, f64 w2_64, f64 w3_64, f64 half0_64, f64 half1_64, f64 half2_64, i32 due, \
        i32 ring_starts, i32 newest, i32 first_group
// What `advance` takes of them.
#define SCALARS                                                                                              \
    REAL w0, REAL w1, REAL w2, REAL w3, REAL half0, REAL half1, REAL half2, i32 halfway,                     \
        GLOBAL const REAL *RESTRICT rates_1, GLOBAL const REAL *RESTRICT rates_2,                            \
        GLOBAL const REAL *RESTRICT ade_rates_1, GLOBAL const REAL *RESTRICT ade_rates_2
#define SCALARS_OF_STEP                                                                                      \
    of_level * (REAL)w0_64, of_level * (REAL)w1_64, of_level * (REAL)w2_64, of_level * (REAL)w3_64,          \
        of_level * (REAL)half0_64, of_level * (REAL)half1_64, of_level * (REAL)half2_64, halfway, rates_1,   \
        rates_2, ade_rates_1, ade_rates_2

#define OF_RING(first, second, third) (ring_start == 0 ? (first) : ring_start == 1 ? (second) : (third))
// The step of a block, in those of level 0, and its buffers: `increments` are the oldest rates, which those of this step replace, `rates_1`
// and `rates_2` those one and two steps before.
#define OF_LEVEL(block)                                                                                      \
    i32 level = (i32)ade_blocks[BLOCK_ENTRIES * (block) + BLOCK_LEVEL], ring_start = ring_starts >> 2 * level & 3;       \
    i32 levels_behind = neighbor_levels[slot + lane];                                                        \
    REAL of_level = (REAL)(1 << level);                                                                      \
    GLOBAL REAL *increments = OF_RING(rates_ring_0, rates_ring_1, rates_ring_2);                    \
    GLOBAL const REAL *rates_1 = OF_RING(rates_ring_2, rates_ring_0, rates_ring_1);                 \
    GLOBAL const REAL *rates_2 = OF_RING(rates_ring_1, rates_ring_2, rates_ring_0);                 \
    GLOBAL REAL *all_ade_increments = OF_RING(ade_rates_ring_0, ade_rates_ring_1, ade_rates_ring_2)
// The older rates of the unknowns of a block, and whether neighbors need its traces halfway.
#define MORE_OF_BLOCK                                                                                        \
    GLOBAL const REAL *ade_rates_1 = entries[BLOCK_UNKNOWNS] +                                               \
                                     OF_RING(ade_rates_ring_2, ade_rates_ring_0, ade_rates_ring_1); \
    GLOBAL const REAL *ade_rates_2 = entries[BLOCK_UNKNOWNS] +                                               \
                                     OF_RING(ade_rates_ring_1, ade_rates_ring_2, ade_rates_ring_0); \
    i32 halfway = (i32)entries[BLOCK_HALFWAY]

// The traces of the element behind a face, and where those of this block go.
#define LEVEL_BEHIND(face) (levels_behind >> 4 * (face) & 15)
#define TRACES_BEHIND(face) NEWEST_TRACES(LEVEL_BEHIND(face), traces_0, traces_1, halfway_traces)
#define POINT_TRACES_BEHIND(face)                                                                            \
    NEWEST_TRACES(LEVEL_BEHIND(face), point_traces_0, point_traces_1, halfway_point_traces)
#define NEW_TRACES (newest >> level & 1 ? traces_0 : traces_1)
#define NEW_POINT_TRACES (newest >> level & 1 ? point_traces_0 : point_traces_1)

// Update of an auxiliary unknown with value `value` and time derivative `rate`.
#define ADVANCE_ADE(at, value, rate)                                                                         \
    {                                                                                                        \
        REAL now = (rate), oldest = ade_increments[at];                                                      \
        ade_increments[at] = now;                                                                            \
        ade[at] = fma(w3, oldest, fma(w2, ade_rates_2[at], fma(w1, ade_rates_1[at], fma(w0, now, value))));  \
    }
// What earlier rates add to a field in this step. Kernels load it before they need it: on an H200, a stage of all elements takes 14 % less
// time than with these loads in the update.
#define EARLIER_RATES(at)                                                                                    \
    (of_level * fma((REAL)w3_64, increments[at], fma((REAL)w2_64, rates_2[at], (REAL)w1_64 * rates_1[at])))
// Update of field c; `history` has what earlier rates add. The fields at the end are stored; q becomes those halfway if neighbors need them.
#define ADVANCE_FIELD(c, at)                                                                                 \
    REAL end = q[c] + fma(w0, rates[c], history[c]);                                                           \
    increments[at] = rates[c];                                                                               \
    fields[at] = end;                                                                                        \
    q[c] = halfway ? q[c] + fma(half2, rates_2[at], fma(half1, rates_1[at], half0 * rates[c])) : end;

// States of sheets (sheets.cu): the same update of their own arrays, with the level of their element.
#define SHEET_PARAMS                                                                                         \
    GLOBAL REAL *RESTRICT ade, GLOBAL REAL *RESTRICT ring_0, GLOBAL REAL *RESTRICT ring_1,                   \
        GLOBAL REAL *RESTRICT ring_2, GLOBAL const REAL *RESTRICT traces_0,                                  \
        GLOBAL const REAL *RESTRICT traces_1, GLOBAL const REAL *RESTRICT halfway_traces
#define OF_SHEET                                                                                             \
    i32 level = (i32)entries[SHEET_LEVEL], ring_start = ring_starts >> 2 * level & 3;                        \
    if (level > due) return;                                                                                 \
    REAL of_level = (REAL)(1 << level), w0 = of_level * (REAL)w0_64, w1 = of_level * (REAL)w1_64,            \
         w2 = of_level * (REAL)w2_64, w3 = of_level * (REAL)w3_64;                                           \
    GLOBAL REAL *ade_increments = OF_RING(ring_0, ring_1, ring_2);                                           \
    GLOBAL const REAL *ade_rates_1 = OF_RING(ring_2, ring_0, ring_1);                                        \
    GLOBAL const REAL *ade_rates_2 = OF_RING(ring_1, ring_2, ring_0)
#define SHEET_TRACES(level) NEWEST_TRACES(level, traces_0, traces_1, halfway_traces)
