"""Chebyshev coefficients of H0(2) for the kernel dialect. Run: python hankel_tables.py > hankel_tables.h  (needs mpmath)

Below x = 8, with t = 2 (x/8)^2 - 1:
    J0(x) = sum J[n] T_n(t),   Y0(x) - (2/pi) ln(x/2) J0(x) = sum Y[n] T_n(t).
Above, with t = 2 (8/x)^2 - 1, the amplitudes of Hankel's expansion (Abramowitz and Stegun 9.2.5-6):
    H0(2)(x) = sqrt(2/(pi x)) (P - jQ) exp(-j(x - pi/4)),   P = sum P[n] T_n(t),   Q = (8/x) sum Q[n] T_n(t).
Coefficients below 1e-18 of the largest are dropped.
"""
from mpmath import mp, mpf, besselj, bessely, hankel1, cos, pi, log, sqrt, exp, inf

mp.dps = 40
SPLIT = mpf(8)
POINTS = 48


def chebyshev(f):
    """Coefficients of the polynomial through f at the Chebyshev points; the first is halved already."""
    nodes = [cos(pi * (k + mpf(1) / 2) / POINTS) for k in range(POINTS)]
    values = [f(t) for t in nodes]
    c = [2 * sum(v * cos(n * pi * (k + mpf(1) / 2) / POINTS) for k, v in enumerate(values)) / POINTS for n in range(POINTS)]
    c[0] /= 2
    top = max(abs(x) for x in c)
    last = max(n for n, x in enumerate(c) if abs(x) > top * mpf("1e-18"))
    assert last < POINTS - 4, "not converged: raise POINTS"
    return c[: last + 1]


def below(f):
    return lambda t: f(SPLIT * sqrt((t + 1) / 2))


def amplitude(x):
    return hankel1(0, x) * sqrt(pi * x / 2) * exp(-1j * (x - pi / 4))


def above(f):
    return lambda t: f(SPLIT / sqrt((t + 1) / 2))


TABLES = {
    "J0_BELOW": below(lambda x: besselj(0, x)),
    "Y0_BELOW": below(lambda x: bessely(0, x) - 2 / pi * log(x / 2) * besselj(0, x)),
    "P0_ABOVE": above(lambda x: amplitude(x).real),
    "Q0_ABOVE": above(lambda x: amplitude(x).imag * x / SPLIT),
}

print("// Made by hankel_tables.py, which says what the numbers are. Do not edit.")
for name, f in TABLES.items():
    c = chebyshev(f)
    print(f"#define {name}_TERMS {len(c)}")
    print(f"CONSTANT f64 {name}[{name}_TERMS] = {{")
    for x in c:
        print(f"    {mp.nstr(x, 20, min_fixed=0, max_fixed=0)},")
    print("};")
