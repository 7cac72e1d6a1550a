// Pointwise factors of type 3, one for each point or frequency, the same for all vectors of a batch: the prephase e^{i D.x_j} and the
// deconvolution e^{i (s_k - D).C}/Phi(s'_k) (src/type3.rs).
//
// Defined by the host: REAL.

// values[b][i] *= factors[i], or its conjugate for the adjoint.
KERNEL multiply(GLOBAL value *RESTRICT values, GLOBAL const value *RESTRICT factors, i64 count, i64 all, i32 conjugate) {
    i64 i = GLOBAL_ID(0);
    if (i >= all) return;
    value v = values[i], f = factors[i % count];
    if (conjugate) f.im = -f.im;
    values[i] = value_new(v.re * f.re - v.im * f.im, v.re * f.im + v.im * f.re);
}
