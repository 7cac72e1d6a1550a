"""Resonators in closed form: references of cases 61 and 78.

A round cavity with a dielectric rod along its axis, TM010 (Harrington, Time-Harmonic Electromagnetic Fields, 1961, chapter 5),
and a dielectric ball in free space, TE111 (Stratton, Electromagnetic Theory, 1941, chapter 9), half of which on a conductor
resonates alike.
"""
import numpy as np
from reference.figures import agree, require
from scipy.optimize import brentq
from scipy.special import j0, j1, y0, y1

C0 = 299792458.0


def rod_in_cavity(radius, rod, eps_r):
    """Lowest k with E and its slope continuous at the rod and E zero at the wall."""

    def mismatch(k):
        inside, wall, surface = np.sqrt(eps_r) * k, k * radius, k * rod
        field = j0(surface) * y0(wall) - j0(wall) * y0(surface)
        slope = -k * (j1(surface) * y0(wall) - j0(wall) * y1(surface))
        return -inside * j1(inside * rod) * field - j0(inside * rod) * slope

    empty = 2.404825557695773 / radius
    return brentq(mismatch, 0.8 * empty / np.sqrt(eps_r), 1.01 * empty)


def ball(eps_r):
    """ka of TE111, complex: sqrt(eps_r) psi'(sqrt(eps_r) x)/psi = xi'(x)/xi, by Newton's method."""
    n = np.sqrt(eps_r)

    def psi(z):
        return np.sin(z) / z - np.cos(z), np.cos(z) / z - np.sin(z) / z**2 + np.sin(z)

    def mismatch(x):
        (p, dp), outgoing = psi(n * x), np.exp(-1j * x)
        xi, dxi = outgoing * (1j / x - 1), outgoing * (1 / x - 1j / x**2 + 1j)
        return n * dp * xi - p * dxi

    x, step = np.pi / n * (1 + 0.02j), 1e-6 / n
    for _ in range(30):
        x -= mismatch(x) * 2 * step / (mismatch(x + step) - mismatch(x - step))
    return x


if __name__ == "__main__":
    require("a rod of vacuum, against the zero of J_0", abs(rod_in_cavity(1, 0.3, 1) / 2.404825557695773 - 1), 1e-12)
    require("a rod that fills the cavity", abs(rod_in_cavity(1, 1 - 1e-9, 4) / 1.2024127788478865 - 1), 1e-6)
    require("a ball of large eps_r, whose k sqrt(eps_r) a is pi", abs(ball(1e6) * 1e3 / np.pi - 1), 1e-3)
    root = ball(9.5)
    print(f"  TE111: ka = {root:.5f}, Q = {root.real / 2 / root.imag:.2f}")
    agree("61-cad-cavity", {"TM010 resonance": rod_in_cavity(0.02, 0.006, 4) * C0 / 2 / np.pi})
    agree("78-fed-resonator", {"TE111 resonance": root.real * C0 / 2 / np.pi / 0.0125})
