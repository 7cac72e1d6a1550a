// A complex number, aligned so that it is loaded and stored by one instruction.
typedef struct __attribute__((aligned(2 * sizeof(REAL)))) { REAL re, im; } value;

DEVICE value value_new(REAL re, REAL im) {
    value v;
    v.re = re;
    v.im = im;
    return v;
}
