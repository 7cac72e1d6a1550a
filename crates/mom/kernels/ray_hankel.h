// Hankel functions H0(2)(kr) and H1(2)(kr) for a complex wavenumber k, Im k <= 0, and r > 0, with a relative error below 1e-14: the
// same as RayHankel::eval in phasefront-core (special/ray_hankel.rs), which makes the table. With rho = |k| r / 2:
//   rho < 1 (Abramowitz and Stegun 9.1.10 to 9.1.13):  H0 = A0(rho^2) + B0(rho^2) ln rho,
//                                                      H1 = c/rho + rho [A1(rho^2) + B1(rho^2) ln rho];
//   rho >= 1 (DLMF 10.32.8):                           Hn = rho^(-1/2) exp(-jkr) Fn(2/rho - 1).
// Table: |k|/2, c, then from RAY_NEAR on RAY_NEAR_TERMS coefficients of A0 B0 A1 B1, and from RAY_FAR on RAY_FAR_TERMS of F0 F1;
// lowest power first, complex numbers as pairs. The four constants are macros made from those of the host.

// Horner for complex coefficients and a real variable; consecutive coefficients are `stride` numbers apart, because those of
// several polynomials are interleaved.
DEVICE c64 ray_polynomial(GLOBAL const f64* c, i32 terms, i32 stride, f64 t)
{
    c64 sum = c64_new(c[(terms - 1) * stride], c[(terms - 1) * stride + 1]);
    for (i32 n = terms - 2; n >= 0; --n) sum = c64_new(fma(sum.re, t, c[n * stride]), fma(sum.im, t, c[n * stride + 1]));
    return sum;
}

// exp(-jkr). For large kr the rounding error delta of the product matters: it is recovered by fma and applied as the factor
// 1 - j delta.
DEVICE c64 ray_plane_wave(f64 k_re, f64 k_im, f64 r)
{
    f64 z_re = k_re * r, z_im = k_im * r;
    f64 delta_re = fma(k_re, r, -z_re), delta_im = fma(k_im, r, -z_im);
    return c64_mul(c64_exp(c64_new(z_im, -z_re)), c64_new(1.0 + delta_im, -delta_re));
}

DEVICE void ray_hankel2_01(GLOBAL const f64* table, f64 k_re, f64 k_im, f64 r, c64* h0, c64* h1)
{
    f64 rho = table[0] * r;
    if (rho < 1.0) {
        GLOBAL const f64* c = table + RAY_NEAR;
        f64 t = rho * rho, log_rho = log(rho);
        c64 a0 = ray_polynomial(c, RAY_NEAR_TERMS, 8, t), b0 = ray_polynomial(c + 2, RAY_NEAR_TERMS, 8, t);
        c64 a1 = ray_polynomial(c + 4, RAY_NEAR_TERMS, 8, t), b1 = ray_polynomial(c + 6, RAY_NEAR_TERMS, 8, t);
        c64 pole = c64_scale(1.0 / rho, c64_new(table[1], table[2]));
        *h0 = c64_add(a0, c64_scale(log_rho, b0));
        *h1 = c64_add(pole, c64_scale(rho, c64_add(a1, c64_scale(log_rho, b1))));
    } else {
        GLOBAL const f64* c = table + RAY_FAR;
        f64 t = 2.0 / rho - 1.0;
        c64 wave = c64_scale(1.0 / sqrt(rho), ray_plane_wave(k_re, k_im, r));
        *h0 = c64_mul(ray_polynomial(c, RAY_FAR_TERMS, 4, t), wave);
        *h1 = c64_mul(ray_polynomial(c + 2, RAY_FAR_TERMS, 4, t), wave);
    }
}
