"""Reflection of the bend, for expected.json: the T circuit of the literature, two inductances and a capacitance between them.

M. Kirschning, R. H. Jansen, N. H. L. Koster, IEEE MTT-S Digest, 1983, p. 495: fits to measurements, eps_r from 2.36 to 10.4.
K. C. Gupta, R. Garg, I. J. Bahl, Microstrip Lines and Slotlines, 1979, section 3.4: fits to quasi-static computations.

    python cases/97-microstrip-bend/reference.py             # needs `pip install numpy`
"""

from math import exp, log10, pi, sqrt

import numpy as np

WIDTH, HEIGHT, EPS_R = 2.426e-3, 0.787e-3, 2.2
IMPEDANCE = 48.88  # of the line in its box, ohm: modes.csv


def kirschning_jansen_koster():
    u = WIDTH / HEIGHT
    capacitance = WIDTH * ((10.35 * EPS_R + 2.5) * u + 2.6 * EPS_R + 5.64) * 1e-12
    return capacitance, HEIGHT * 220e-9 * (1 - 1.35 * exp(-0.18 * u**1.39))


def gupta_garg_bahl():
    u = WIDTH / HEIGHT
    capacitance = WIDTH * ((9.5 * EPS_R + 1.25) * u + 5.2 * EPS_R + 7.0) * 1e-12
    return capacitance, 0.5 * HEIGHT * 100e-9 * (4 * sqrt(u) - 4.21)


def reflection_db(frequency, capacitance, inductance):
    omega = 2 * pi * frequency
    arm = np.array([[1, 1j * omega * inductance], [0, 1]])
    a, b, c, d = (arm @ np.array([[1, 0], [1j * omega * capacitance, 1]]) @ arm).ravel()
    b, c = b / IMPEDANCE, c * IMPEDANCE
    return 20 * log10(abs((a + b - c - d) / (a + b + c + d)))


if __name__ == "__main__":
    for frequency in (2e9, 5e9, 8e9):
        values = [reflection_db(frequency, *circuit()) for circuit in (kirschning_jansen_koster, gupta_garg_bahl)]
        print(f"{frequency / 1e9:g} GHz: Kirschning {values[0]:.2f} dB, Gupta {values[1]:.2f} dB")
