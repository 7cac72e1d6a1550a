"""Reference values of Bessel functions, 40 digits rounded to 20. Run: python hankel.py > hankel.csv  (needs mpmath)"""
import random

from mpmath import mp, mpf, besselj, bessely, nstr

mp.dps = 40
random.seed(1)
points = [10 ** random.uniform(-8, 6) for _ in range(120)]
points += [random.uniform(0, 40) for _ in range(60)]
# Zeros of J0 and Y0, where a relative error in J or Y alone would be meaningless, and the joints of common splits.
points += [2.404825557695773, 5.520078110286311, 0.8935769662791675, 3.957678419314858, 2.0, 8.0, 7.999999999999999, 30.0]
print("x,j0,y0,j1,y1,j7,y7")
for x in sorted(points):
    row = [f(n, mpf(x)) for n in (0, 1, 7) for f in (besselj, bessely)]
    print(repr(x) + "," + ",".join(nstr(v, 20) for v in row))
