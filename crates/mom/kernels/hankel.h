// Hankel functions Hn(2)(x) = Jn(x) - j Yn(x) of orders 0 and 1 for x > 0, with a relative error below 1e-14 for 1e-8 < x < 1e6.
// The j0 and y0 of CUDA guarantee 5e-12 only above x = 8, and OpenCL has none.
//   x < HANKEL_SPLIT (Abramowitz and Stegun 9.1.10 to 9.1.13), t = 2 (x/split)^2 - 1:
//     J0 = J0_BELOW(t),    Y0 = (2/pi) ln(x/2) J0 + Y0_BELOW(t),
//     J1 = x J1_BELOW(t),  Y1 = (2/pi) ln(x/2) J1 + x Y1_BELOW(t) - 2/(pi x);
//   x >= HANKEL_SPLIT (Abramowitz and Stegun 9.2.5 to 9.2.10), z = split/x, t = 2 z^2 - 1:
//     Hn = sqrt(2/(pi x)) exp(-j(x - n pi/2 - pi/4)) [Pn_ABOVE(t) - j z Qn_ABOVE(t)].
// hankel_tables.py of phasefront-core makes the polynomials.

// Horner: sum of c[n] t^n.
DEVICE f64 polynomial(CONSTANT_PTR f64* c, i32 terms, f64 t)
{
    f64 sum = c[terms - 1];
    for (i32 n = terms - 2; n >= 0; --n) sum = fma(sum, t, c[n]);
    return sum;
}

// The variable t of the polynomials in [-1, 1]: below the split, and above it from z = split / x.
DEVICE f64 hankel_near(f64 x) { return fma(x * (2.0 / (HANKEL_SPLIT * HANKEL_SPLIT)), x, -1.0); }
DEVICE f64 hankel_far(f64 z) { return fma(2.0 * z, z, -1.0); }

// (2/pi) ln(x/2)
DEVICE f64 hankel_log(f64 x) { return 0.63661977236758134308 * log(0.5 * x); }

// sqrt(2/(pi x)) exp(-j(x - pi/4)), with exp(-j(x - pi/4)) = ((c + s) + j (c - s)) / sqrt(2): avoids the rounding of x - pi/4.
DEVICE c64 hankel_wave(f64 x)
{
    f64 s, c;
    SINCOS(x, &s, &c);
    return c64_scale(sqrt(0.31830988618379067154 / x), c64_new(c + s, c - s));
}

DEVICE c64 hankel_near_0(f64 t, f64 log_x)
{
    f64 j = polynomial(J0_BELOW, J0_BELOW_TERMS, t);
    return c64_new(j, -fma(log_x, j, polynomial(Y0_BELOW, Y0_BELOW_TERMS, t)));
}

DEVICE c64 hankel_near_1(f64 x, f64 t, f64 log_x)
{
    f64 j = x * polynomial(J1_BELOW, J1_BELOW_TERMS, t);
    f64 y = fma(x, polynomial(Y1_BELOW, Y1_BELOW_TERMS, t), -0.63661977236758134308 / x);
    return c64_new(j, -fma(log_x, j, y));
}

// P - j z Q
DEVICE c64 hankel_far_0(f64 z, f64 t)
{
    return c64_new(polynomial(P0_ABOVE, P0_ABOVE_TERMS, t), -z * polynomial(Q0_ABOVE, Q0_ABOVE_TERMS, t));
}

DEVICE c64 hankel_far_1(f64 z, f64 t)
{
    return c64_new(polynomial(P1_ABOVE, P1_ABOVE_TERMS, t), -z * polynomial(Q1_ABOVE, Q1_ABOVE_TERMS, t));
}

DEVICE c64 hankel2_0(f64 x)
{
    if (x < HANKEL_SPLIT) return hankel_near_0(hankel_near(x), hankel_log(x));
    f64 z = HANKEL_SPLIT / x;
    return c64_mul(hankel_far_0(z, hankel_far(z)), hankel_wave(x));
}

// Both orders for little more than the cost of one: logarithm or sine and cosine are shared.
DEVICE void hankel2_01(f64 x, c64* h0, c64* h1)
{
    if (x < HANKEL_SPLIT) {
        f64 t = hankel_near(x), log_x = hankel_log(x);
        *h0 = hankel_near_0(t, log_x);
        *h1 = hankel_near_1(x, t, log_x);
    } else {
        f64 z = HANKEL_SPLIT / x, t = hankel_far(z);
        c64 wave = hankel_wave(x);
        *h0 = c64_mul(hankel_far_0(z, t), wave);
        // exp(+j pi/2) = j of order 1.
        *h1 = c64_mul(hankel_far_1(z, t), c64_mulj(wave));
    }
}
