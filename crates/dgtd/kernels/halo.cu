// Traces that ranks exchange: those of border faces into one array for all neighbors, and what neighbors sent behind the own traces;
// and traces of local steps, from where they were written to where neighbors read them.
//
// A trace has `values` numbers, contiguous in both places; `faces` are the numbers of the faces, `starts` where their traces begin in
// the array that travels. Defines: REAL.

KERNEL pack(GLOBAL const REAL *RESTRICT traces, GLOBAL const i32 *RESTRICT faces, GLOBAL const i64 *RESTRICT starts,
            GLOBAL REAL *RESTRICT outgoing, i32 values, i64 count) {
    i64 i = GLOBAL_ID(0), face = i / values;
    if (i < count) outgoing[starts[face] + i % values] = traces[(i64)faces[face] * values + i % values];
}

KERNEL unpack(GLOBAL REAL *RESTRICT traces, GLOBAL const i32 *RESTRICT faces, GLOBAL const i64 *RESTRICT starts,
              GLOBAL const REAL *RESTRICT incoming, i32 values, i64 count) {
    i64 i = GLOBAL_ID(0), face = i / values;
    if (i < count) traces[(i64)faces[face] * values + i % values] = incoming[starts[face] + i % values];
}

KERNEL publish(GLOBAL const REAL *RESTRICT from, GLOBAL REAL *RESTRICT to, i64 first, i64 count) {
    i64 i = GLOBAL_ID(0);
    if (i < count) to[first + i] = from[first + i];
}
