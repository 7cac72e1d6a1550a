// Where the newest traces of elements are. With local steps each level writes the traces at the ends of its steps to two buffers alternately:
// one is read while the other is written. Runge-Kutta stages are one level that is always due.
//
// `due` is the highest level that begins a step in the stage that reads, bit k of `newest` the buffer with the newest traces of level k. Levels
// above `due` are halfway in a step.
#define NEWEST_TRACES(level, traces_0, traces_1, halfway)                                                    \
    ((level) > due ? (halfway) : newest >> (level) & 1 ? (traces_1) : (traces_0))
