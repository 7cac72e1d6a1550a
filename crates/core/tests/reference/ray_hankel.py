"""Hankel functions on rays of the complex plane, 40 digits rounded to 30. Run: python ray_hankel.py > ray_hankel.csv  (needs mpmath)

k and r are exact in the table, and the functions are those of their exact product. Hn(2)(z) = (2j/pi) j^n K_n(jz), DLMF 10.27.8,
since J - jY cancels.
"""
import cmath
import math
import random

from mpmath import mp, mpc, mpf, besselk, nstr, pi

mp.dps = 40
random.seed(1)
print("# H0(2)(kr) and H1(2)(kr), made by ray_hankel.py with mpmath")
print("k_re,k_im,r,h0_re,h0_im,h1_re,h1_im")
for loss in (0.0, 1e-3, 0.1, 0.5, math.pi / 4, 1.2, math.pi / 2):
    size = 10 ** random.uniform(-2, 3)
    k = cmath.rect(size, -loss) if loss < math.pi / 2 else complex(0.0, -size)
    sizes = [1e-8, 1e-3, 0.5, 1.0, 1.999999, 2.000001, 2.5, 4.0, 9.0, 60.0]
    sizes += [random.uniform(0, 4) for _ in range(8)] + [10 ** random.uniform(-8, 4) for _ in range(16)] + [9.9e3]
    for r in sorted(s / size for s in sizes):
        if -k.imag * r < 660:  # beyond, no normal numbers
            h = [2j / pi * mpc(1j) ** n * besselk(n, 1j * mpc(k) * mpf(r)) for n in (0, 1)]
            parts = [x for v in h for x in (v.real, v.imag)]
            print(",".join([repr(k.real), repr(k.imag), repr(r)] + [nstr(x, 30) for x in parts]))
