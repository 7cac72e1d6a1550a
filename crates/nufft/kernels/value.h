// A complex number that is loaded and stored as one word.
typedef struct __attribute__((aligned(2 * sizeof(REAL)))) { REAL re, im; } value;

DEVICE value value_new(REAL re, REAL im) {
    value v;
    v.re = re;
    v.im = im;
    return v;
}
