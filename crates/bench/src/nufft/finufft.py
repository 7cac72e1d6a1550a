"""Times FINUFFT on the work of `phasefront bench nufft`: python3 nufft_peer.py POINTS SIDE TOLERANCE THREADS SAMPLES

Standard input has x and y, the strengths at the points and the SIDE x SIDE modes, x fastest, as native doubles. Plans are made
and points are set before the clock starts; the figure is the median of five calls after one that warms up. Prints one JSON object,
with SAMPLES evenly chosen outputs of either type to check them by.
"""

import json
import statistics
import sys
import time

import finufft
import numpy

REPEATS = 5


def measure(kind, modes, tolerance, threads, points, data, out):
    plan = finufft.Plan(kind, modes, eps=tolerance, isign=1, dtype="complex128", nthreads=threads)
    # The last axis of a NumPy array runs fastest: y first.
    plan.setpts(points[1], points[0])
    seconds = []
    for _ in range(REPEATS + 1):
        start = time.perf_counter()
        plan.execute(data, out=out)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds[1:])


def sample(values, count):
    flat = values.ravel()[numpy.arange(min(count, values.size)) * 104729 % values.size]
    return [[z.real, z.imag] for z in flat]


def main():
    count, side, threads, samples = (int(sys.argv[i]) for i in (1, 2, 4, 5))
    tolerance = float(sys.argv[3])
    data = numpy.frombuffer(sys.stdin.buffer.read())
    x, y, strengths, modes = numpy.split(data, [count, 2 * count, 4 * count])
    points = [x.copy(), y.copy()]
    strengths = strengths.copy().view(complex)
    modes = modes.copy().view(complex).reshape(side, side)
    to_modes, to_points = numpy.empty_like(modes), numpy.empty_like(strengths)
    seconds = [
        measure(1, (side, side), tolerance, threads, points, strengths, to_modes),
        measure(2, (side, side), tolerance, threads, points, modes, to_points),
    ]
    print(
        json.dumps(
            {
                "version": f"FINUFFT {finufft.__version__}",
                "seconds": seconds,
                "outputs": [sample(to_modes, samples), sample(to_points, samples)],
            }
        )
    )


main()
