"""Dipoles of round wire: references of cases 68, 75 and 76.

The method of moments is in `reference/wire.py`. The induced EMF method (Balanis, Antenna Theory, section 8.5) has a sinusoidal
current and no gap. A strip of width w acts as a wire of radius w/4 (the same book, section 9.5).
"""
import numpy as np
from reference.figures import agree, require
from reference.wire import C0, ETA, moments
from scipy.optimize import brentq
from scipy.special import sici


def induced_emf(frequency, length, radius):
    """Impedance by the induced EMF method."""
    k = 2 * np.pi * frequency / C0
    x = k * length
    (s1, c1), (s2, c2), (_, c3) = sici(x), sici(2 * x), sici(2 * k * radius**2 / length)
    euler = np.euler_gamma + np.log(x)
    re = 2 * (euler - c1) + np.sin(x) * (s2 - 2 * s1) + np.cos(x) * (euler - np.log(2) + c2 - 2 * c1)
    im = 2 * s1 + np.cos(x) * (2 * s1 - s2) - np.sin(x) * (2 * c1 - c2 - c3)
    return ETA / (4 * np.pi) * (re + 1j * im) / np.sin(x / 2) ** 2


def resonance(impedance, length, *rest):
    """First zero of the reactance, and the resistance there."""
    wavelengths = brentq(lambda w: impedance(w * C0 / length, length, *rest).imag, 0.42, 0.5, xtol=1e-5)
    frequency = wavelengths * C0 / length
    return frequency, impedance(frequency, length, *rest).real


def directivity(frequency, length):
    """Of a thin dipole with a sinusoidal current, across its axis, in dBi (Balanis, section 4.5)."""
    half = np.pi * frequency * length / C0
    theta = (np.arange(2000) + 0.5) * np.pi / 2000
    intensity = ((np.cos(half * np.cos(theta)) - np.cos(half)) / np.sin(theta)) ** 2
    return 10 * np.log10(2 * (1 - np.cos(half)) ** 2 / (np.mean(intensity * np.sin(theta)) * np.pi))


if __name__ == "__main__":
    thin = induced_emf(C0, 0.5, 1e-6) * 120 * np.pi / ETA  # as textbooks round the impedance of space
    require("a thin half-wave dipole, against 73.13 + 42.54j ohm", abs(thin - (73.13 + 42.54j)), 0.01)
    wide, _ = resonance(moments, 0.14, 0.0025, 0.01, 140)
    require("case 68, against 0.976 GHz", abs(wide / 0.976e9 - 1), 5e-3)
    narrow, resistance = resonance(moments, 0.15, 0.0015, 0.003, 200)
    require("case 75, against 0.9265 GHz", abs(narrow / 0.9265e9 - 1), 1e-3)
    closed, _ = resonance(induced_emf, 0.15, 0.0015)
    require("cases 75 and 76 by the induced EMF method, against 0.934 GHz", abs(closed / 0.934e9 - 1), 1e-3)
    agree("68-dipole", {"directivity at 0.9 GHz": directivity(0.9e9, 0.14)})
    agree("75-strip-dipole", {"resistance at resonance": resistance, "directivity at 0.93 GHz": directivity(0.93e9, 0.15)})
