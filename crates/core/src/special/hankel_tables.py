"""Polynomials of H0(2) and H1(2), for the vector code here and for the kernels of phasefront-mom. Needs mpmath. Run:

    python hankel_tables.py rust > hankel_tables.rs
    python hankel_tables.py c > ../../../mom/kernels/hankel_tables.h

Below x = SPLIT = 5, with t = 2 (x/5)^2 - 1 and entire functions J, Y of x^2 (Abramowitz and Stegun 9.1.10-13):
    J0(x) = J(t),     Y0(x) = (2/pi) ln(x/2) J0(x) + Y(t),
    J1(x) = x J(t),   Y1(x) = (2/pi) ln(x/2) J1(x) + x Y(t) - 2/(pi x).
Above, with t = 2 (5/x)^2 - 1, the amplitudes of Hankel's expansion (9.2.5-6):
    Hn(2)(x) = sqrt(2/(pi x)) (P(t) - j (5/x) Q(t)) exp(-j(x - pi/4 - n pi/2)).
At 5 both sides have as few terms as cancellation allows: J and Y are sums of terms that reach 1.8, against |H| = 0.35.

Each is the interpolant at Chebyshev points, cut where the sum of the dropped coefficients is below 2e-17, and written in powers of
t, lowest first: these functions are smooth enough on [-1, 1] for powers to lose nothing (the sum of |coefficients| stays below 2).

The vector code also needs, on |r| <= pi/4 and with w = r^2 or s^2:
    sin r = r + r w SIN(w),   cos r = 1 + w COS(w),   ln m = 2 s + s w LOG(w)  for s = (m - 1)/(m + 1), sqrt(1/2) <= m <= sqrt(2),
and pi/2 in three parts, the first two of 33 bits, so that their products with an integer below 2^20 are exact.
"""
import sys

from mpmath import mp, mpf, atanh, besselj, bessely, cos, exp, floor, hankel1, log, pi, sin, sqrt

mp.dps = 40
SPLIT = mpf(5)
POINTS = 64
DROP = mpf("2e-17")


def chebyshev(f):
    """Coefficients of the polynomial through f at the Chebyshev points of [-1, 1]; the first is halved already."""
    angles = [pi * (k + mpf(1) / 2) / POINTS for k in range(POINTS)]
    values = [f(cos(a)) for a in angles]
    c = [2 * sum(v * cos(n * a) for v, a in zip(values, angles)) / POINTS for n in range(POINTS)]
    c[0] /= 2
    dropped = mpf(0)
    while dropped + abs(c[-1]) < DROP:
        dropped += abs(c.pop())
    assert len(c) < POINTS - 20, "not converged: raise POINTS"
    return c


def powers(c):
    """sum c[n] T_n(t) in powers of t, by Clenshaw's recurrence on polynomials."""
    n = len(c)
    b1, b2 = [mpf(0)] * n, [mpf(0)] * n
    for a in reversed(c[1:]):
        b0 = [2 * v - w for v, w in zip([mpf(0)] + b1, b2)]
        b0[0] += a
        b1, b2 = b0, b1
    p = [v - w for v, w in zip([mpf(0)] + b1, b2)]
    p[0] += c[0]
    return p


def between(f, low, high):
    """The polynomial in w of f(w) on [low, high]."""
    middle, half = (high + low) / 2, (high - low) / 2
    p = powers(chebyshev(lambda t: f(middle + half * t)))
    shifted = [mpf(0)]
    for a in reversed(p):  # Horner's rule on polynomials, t = (w - middle) / half
        shifted = [(v - middle * w) / half for v, w in zip([mpf(0)] + shifted, shifted + [mpf(0)])]
        shifted[0] += a
    return shifted[: len(p)]


def below(f):
    return powers(chebyshev(lambda t: f(SPLIT * sqrt((t + 1) / 2))))


def above(f):
    return powers(chebyshev(lambda t: f(SPLIT / sqrt((t + 1) / 2))))


def y_rest(n, x):
    """Y(t) of order n."""
    rest = bessely(n, x) - 2 / pi * log(x / 2) * besselj(n, x)
    return rest if n == 0 else (rest + 2 / (pi * x)) / x


def amplitude(n, x):
    """P + j (5/x) Q."""
    return hankel1(n, x) * sqrt(pi * x / 2) * exp(-1j * (x - pi / 4 - n * pi / 2))


def hankel_tables():
    tables = {}
    for n in (0, 1):
        tables[f"J{n}_BELOW"] = below(lambda x: besselj(n, x) / x**n)
        tables[f"Y{n}_BELOW"] = below(lambda x: y_rest(n, x))
        tables[f"P{n}_ABOVE"] = above(lambda x: amplitude(n, x).real)
        tables[f"Q{n}_ABOVE"] = above(lambda x: amplitude(n, x).imag * x / SPLIT)
    return tables


def elementary_tables():
    tiny = mpf("1e-14")  # below it, the leading terms of the series
    square = (pi / 4) ** 2
    s = (sqrt(2) - 1) / (sqrt(2) + 1)
    first = floor(pi / 2 * 2**32) / 2**32
    second = floor((pi / 2 - first) * 2**66) / 2**66
    return {
        "SIN": between(lambda w: (sin(sqrt(w)) / sqrt(w) - 1) / w if w > tiny else -mpf(1) / 6, mpf(0), square),
        "COS": between(lambda w: (cos(sqrt(w)) - 1) / w if w > tiny else -mpf(1) / 2, mpf(0), square),
        "LOG": between(lambda w: 2 * (atanh(sqrt(w)) / sqrt(w) - 1) / w if w > tiny else mpf(2) / 3, mpf(0), s * s),
        "HALF_PI": [first, second, pi / 2 - first - second],
    }


def print_tables(tables, start, end):
    for name, c in tables.items():
        numbers = [repr(float(x)) for x in c]
        short = start.format(name=name, n=len(c)) + ", ".join(numbers) + end
        if len(short) <= 110:  # as rustfmt has it
            print(short)
        else:
            print(start.format(name=name, n=len(c)), *(f"    {x}," for x in numbers), end, sep="\n")


print("// Made by hankel_tables.py of phasefront-core, which says what the numbers are. Do not edit.")
if sys.argv[1] == "rust":
    print(f"pub(super) const SPLIT: f64 = {float(SPLIT)};")
    print_tables(hankel_tables() | elementary_tables(), "pub(super) const {name}: [f64; {n}] = [", "];")
else:
    print(f"#define HANKEL_SPLIT {float(SPLIT)}")
    print_tables(hankel_tables(), "#define {name}_TERMS {n}\nCONSTANT f64 {name}[{name}_TERMS] = {{", "};")
