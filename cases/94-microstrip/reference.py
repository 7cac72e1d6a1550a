"""Impedance and effective permittivity of the line in its box, for expected.json.

Static line in a metal box: the charge on the strip is expanded in Chebyshev polynomials with the weight of its edges, the potential
in the harmonics of the box, and Galerkin's method gives the capacitance (T. Itoh, ed., Numerical Techniques for Microwave and
Millimeter-Wave Passive Structures, 1989, chapter 5). Without the box: E. Hammerstad and O. Jensen, IEEE MTT-S Digest, 1980, p. 407.
Dispersion: M. Kirschning and R. H. Jansen, Electronics Letters 18, 272, 1982.

    python cases/94-microstrip/reference.py                  # needs `pip install scipy`
"""

from math import exp, log, pi, sqrt

import numpy as np
from scipy.special import jv

C0, ETA0 = 299792458.0, 376.730313668
WIDTH, HEIGHT, EPS_R = 2.426e-3, 0.787e-3, 2.2
HALF_BOX, BOX_HEIGHT, LENGTH = 10e-3, 9e-3, 8e-3


def capacitance(eps_r, terms, harmonics):
    """C / eps_0 of the strip in its box."""
    k = (2 * np.arange(harmonics) + 1) * pi / (2 * HALF_BOX)
    green = 1 / (k * (eps_r / np.tanh(k * HEIGHT) + 1 / np.tanh(k * (BOX_HEIGHT - HEIGHT))))
    order = np.arange(terms)
    basis = (WIDTH / 2) * pi * (-1.0) ** order[:, None] * jv(2 * order[:, None], k * WIDTH / 2)
    matrix = basis * (green / HALF_BOX) @ basis.T
    total = np.zeros(terms)
    total[0] = pi * WIDTH / 2
    return total @ np.linalg.solve(matrix, total)


def in_box(terms=8, harmonics=40000):
    filled, empty = (capacitance(eps, terms, harmonics) for eps in (EPS_R, 1.0))
    return ETA0 / sqrt(filled * empty), filled / empty


def hammerstad_jensen():
    u = WIDTH / HEIGHT
    f = 6 + (2 * pi - 6) * exp(-((30.666 / u) ** 0.7528))
    empty = ETA0 / (2 * pi) * log(f / u + sqrt(1 + 4 / u**2))
    a = 1 + log((u**4 + (u / 52) ** 2) / (u**4 + 0.432)) / 49 + log(1 + (u / 18.1) ** 3) / 18.7
    b = 0.564 * ((EPS_R - 0.9) / (EPS_R + 3)) ** 0.053
    eps = (EPS_R + 1) / 2 + (EPS_R - 1) / 2 * (1 + 10 / u) ** (-a * b)
    return empty / sqrt(eps), eps


def dispersive(frequency, eps):
    """eps_eff at a frequency, from its static value."""
    u, fh = WIDTH / HEIGHT, frequency * 1e-9 * HEIGHT * 1e2  # GHz cm
    p1 = 0.27488 + (0.6315 + 0.525 / (1 + 0.157 * fh) ** 20) * u - 0.065683 * exp(-8.7513 * u)
    p2 = 0.33622 * (1 - exp(-0.03442 * EPS_R))
    p3 = 0.0363 * exp(-4.6 * u) * (1 - exp(-((fh / 3.87) ** 4.97)))
    p4 = 1 + 2.751 * (1 - exp(-((EPS_R / 15.916) ** 8)))
    p = p1 * p2 * ((0.1844 + p3 * p4) * 10 * fh) ** 1.5763
    return EPS_R - (EPS_R - eps) / (1 + p)


if __name__ == "__main__":
    for terms, harmonics in ((4, 10000), (8, 40000)):
        impedance, eps = in_box(terms, harmonics)
        print(f"in the box, {terms} terms, {harmonics} harmonics: {impedance:.4f} ohm, eps_eff {eps:.5f}")
    print("without the box: {:.4f} ohm, eps_eff {:.5f}".format(*hammerstad_jensen()))
    for gigahertz in (1.0, 2.5, 4.0):
        eps = dispersive(gigahertz * 1e9, hammerstad_jensen()[1])
        phase = 360 * gigahertz * 1e9 * sqrt(eps) / C0 * LENGTH
        print(f"{gigahertz} GHz: eps_eff {eps:.5f}, phase {-phase:.2f} degrees")
