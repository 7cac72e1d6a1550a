"""Times SciPy on the work of `phasefront bench mom`: python3 peer.py N WAVELENGTHS

A circle of N cells, WAVELENGTHS around, at a wavelength of one: the matrix of pulses and point matching by
scipy.special.hankel2, and its LU by scipy.linalg.lu_factor, both in double precision. Prints one JSON object.
"""

import json
import statistics
import sys
import time

import numpy
import scipy
import scipy.linalg
import scipy.special

REPEATS = 3
ROWS_AT_ONCE = 200  # keeps the temporary arrays small beside the matrix
ETA = 376.730313668
GAMMA = 1.781072417990198


def fill(n, around):
    k, radius = 2 * numpy.pi, around / (2 * numpy.pi)
    angle = 2 * numpy.pi * (numpy.arange(n) + 0.5) / n
    point = radius * numpy.exp(1j * angle)
    w = around / n
    scale = k * ETA * w / 4
    z = numpy.empty((n, n), complex, order="F")
    for first in range(0, n, ROWS_AT_ONCE):
        rows = slice(first, min(n, first + ROWS_AT_ONCE))
        distance = numpy.abs(point[rows, None] - point[None, :])
        distance[numpy.arange(rows.stop - first), numpy.arange(first, rows.stop)] = 1  # the diagonal comes below
        z[rows] = scale * scipy.special.hankel2(0, k * distance)
    diagonal = scale * (1 - 2j / numpy.pi * (numpy.log(GAMMA * k * w / 4) - 1))
    z[numpy.arange(n), numpy.arange(n)] = diagonal
    return z


def seconds(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main():
    n, around = int(sys.argv[1]), float(sys.argv[2])
    fill_seconds, z = seconds(lambda: fill(n, around))
    lu_seconds = []
    for _ in range(REPEATS + 1):  # the first warms up
        work = z.copy(order="F")
        lu_seconds.append(seconds(lambda: scipy.linalg.lu_factor(work, overwrite_a=True, check_finite=False))[0])
    print(
        json.dumps(
            {
                "version": f"SciPy {scipy.__version__}, NumPy {numpy.__version__}",
                "fill_s": fill_seconds,
                "lu_s": statistics.median(lu_seconds[1:]),
            }
        )
    )


main()
