// Traces that ranks exchange: those of border faces into one array for all neighbors, and what neighbors sent behind the own traces.
//
// A trace has `values` numbers, contiguous in both arrays; `faces` are the numbers of the faces, `levels` those of the elements that wrote
// their traces (levels.cu), `starts` where the traces begin in the packed array. Defines: REAL.

#define TRACE_PARAMS                                                                                         \
    GLOBAL REAL *RESTRICT traces_0, GLOBAL REAL *RESTRICT traces_1, GLOBAL REAL *RESTRICT halfway_traces,    \
        GLOBAL const i32 *RESTRICT faces, GLOBAL const i32 *RESTRICT levels, GLOBAL const i64 *RESTRICT starts
#define COUNT_PARAMS i32 values, i64 count, i32 due, i32 newest
// Number i of the traces of a launch.
#define TRACE_VALUE (NEWEST_TRACES(levels[face], traces_0, traces_1, halfway_traces)[(i64)faces[face] * values + i % values])

KERNEL pack(TRACE_PARAMS, GLOBAL REAL *RESTRICT outgoing, COUNT_PARAMS) {
    i64 i = GLOBAL_ID(0), face = i / values;
    if (i < count) outgoing[starts[face] + i % values] = TRACE_VALUE;
}

KERNEL unpack(TRACE_PARAMS, GLOBAL const REAL *RESTRICT incoming, COUNT_PARAMS) {
    i64 i = GLOBAL_ID(0), face = i / values;
    if (i < count) TRACE_VALUE = incoming[starts[face] + i % values];
}
