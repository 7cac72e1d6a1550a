"""S-parameters of the coupler, for expected.json.

Even and odd impedance of two thin strips between two grounds: S. B. Cohn, "Shielded coupled-strip transmission line", IRE Trans. MTT-3,
29-38, 1955, equations 1 to 4, exact. Each mode is a line of its own between its loads (D. M. Pozar, Microwave Engineering, 4th ed.,
sections 4.3 and 7.6).

    python cases/96-coupled-lines/reference.py               # needs `pip install scipy`
"""

from math import pi, sqrt, tanh

import numpy as np
from scipy.special import ellipk

C0, ETA0 = 299792458.0, 376.730313668
WIDTH, GAP, HEIGHT, EPS_R, LENGTH, OHM = 2.4e-3, 0.4e-3, 3.2e-3, 2.2, 5e-3, 50.0


def impedances():
    """Of the even and of the odd mode, ohm."""
    strip, pair = tanh(pi * WIDTH / (2 * HEIGHT)), tanh(pi * (WIDTH + GAP) / (2 * HEIGHT))
    return [ETA0 / (4 * sqrt(EPS_R)) * ellipk(1 - k * k) / ellipk(k * k) for k in (strip * pair, strip / pair)]


def column(frequency):
    """S11, S21, S31, S41: the left strip at the front is excited; then the right one there, and both at the end."""
    angle = 2 * pi * frequency * sqrt(EPS_R) * LENGTH / C0
    waves = []
    for impedance in impedances():
        z = impedance / OHM
        below = 2 * np.cos(angle) + 1j * (z + 1 / z) * np.sin(angle)
        waves.append((1j * (z - 1 / z) * np.sin(angle) / below, 2 / below))
    (even, through), (odd, across) = waves
    return [(even + odd) / 2, (even - odd) / 2, (through + across) / 2, (through - across) / 2]


if __name__ == "__main__":
    even, odd = impedances()
    print(f"even {even:.3f}, odd {odd:.3f}, together {sqrt(even * odd):.3f} ohm; coupling {(even - odd) / (even + odd):.4f}")
    for frequency in (2e9, 5e9, 10e9, 12e9):
        values = column(frequency)
        print(f"{frequency / 1e9:4.0f} GHz " + "  ".join(f"{s.real:+.4f} {s.imag:+.4f}j" for s in values))
    # Per length of the half that is computed: twice the impedance.
    speed = C0 / sqrt(EPS_R)
    print(f"c11 {(1 / even + 1 / odd) / (4 * speed):.4e} F/m, c12 {(1 / even - 1 / odd) / (4 * speed):.4e} F/m")
