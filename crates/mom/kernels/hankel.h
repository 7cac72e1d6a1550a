// H0(2)(x) = J0(x) - j Y0(x) for x > 0 in the kernel dialect, to 1e-14 |H| for 1e-8 < x < 1e6.
// The vendors' j0 and y0 promise 5e-12 above x = 8, and OpenCL has none.

// sum c[n] T_n(t) by Clenshaw's recurrence.
DEVICE f64 chebyshev(CONSTANT_PTR f64* c, i32 terms, f64 t)
{
    f64 b1 = 0.0, b2 = 0.0;
    for (i32 n = terms - 1; n > 0; --n) {
        f64 b0 = fma(2.0 * t, b1, c[n] - b2);
        b2 = b1;
        b1 = b0;
    }
    return fma(t, b1, c[0] - b2);
}

DEVICE c64 hankel2_0(f64 x)
{
    const f64 two_over_pi = 0.63661977236758134308;
    const f64 one_over_pi = 0.31830988618379067154;
    c64 h;
    if (x < 8.0) {
        f64 t = fma(x * 0.03125, x, -1.0); // 2 (x/8)^2 - 1
        f64 j0 = chebyshev(J0_BELOW, J0_BELOW_TERMS, t);
        h.re = j0;
        h.im = -fma(two_over_pi * log(0.5 * x), j0, chebyshev(Y0_BELOW, Y0_BELOW_TERMS, t));
    } else {
        f64 z = 8.0 / x;
        f64 t = fma(2.0 * z, z, -1.0);
        f64 p = chebyshev(P0_ABOVE, P0_ABOVE_TERMS, t);
        f64 q = z * chebyshev(Q0_ABOVE, Q0_ABOVE_TERMS, t);
        // exp(-j(x - pi/4)) = ((c + s) + j (c - s)) / sqrt(2): no rounding of x - pi/4.
        f64 s, c;
        SINCOS(x, &s, &c);
        f64 amplitude = sqrt(one_over_pi / x);
        h.re = amplitude * (p * (c + s) + q * (c - s));
        h.im = amplitude * (p * (c - s) - q * (c + s));
    }
    return h;
}
