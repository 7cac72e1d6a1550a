"""Reference values of Bessel functions, 40 digits rounded to 20. Run: python hankel.py > hankel.csv  (needs mpmath)"""
import math
import random

from mpmath import mp, mpf, besselj, besseljzero, bessely, besselyzero, nstr

mp.dps = 40
random.seed(1)
points = [10 ** random.uniform(-8, 6) for _ in range(120)]
points += [random.uniform(0, 40) for _ in range(60)]
# Zeros, where a relative error in J or Y alone would be meaningless, and the joints of common splits.
points += [2.404825557695773, 5.520078110286311, 0.8935769662791675, 3.957678419314858, 2.0, 8.0, 7.999999999999999, 30.0]
points += [float(zero(n, m)) for zero in (besseljzero, besselyzero) for n in (0, 1) for m in (1, 2, 3, 4, 12, 123, 12345, 234567)]
points += [4.999999999999999, 5.0, 5.000000000000001, 1.0000000000000001e-8, 999999.9999999999]
# Quarters of pi, where the reduction of the argument changes quadrant, and the powers of 2 and of sqrt 2 of the logarithm.
points += [math.nextafter(n * math.pi / 4, side) for n in (1, 3, 5, 7, 8, 9, 4321, 765432, 1234567) for side in (0, 1e9)]
points += [math.nextafter(2 ** (n / 2), side) for n in (-50, -7, -1, 1, 2, 3, 4) for side in (0, 1e9)]
# Densely where the two sides of the split at 5 are worst, and the last decade.
points += [random.uniform(1, 9) for _ in range(120)] + [random.uniform(1e5, 1e6) for _ in range(40)]
print("x,j0,y0,j1,y1,j7,y7")
for x in sorted(set(points)):
    row = [f(n, mpf(x)) for n in (0, 1, 7) for f in (besselj, bessely)]
    print(repr(x) + "," + ",".join(nstr(v, 20) for v in row))
