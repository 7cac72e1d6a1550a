"""Dipoles of round wire: references of cases 68, 75 and 76.

The method of moments for thin wires with currents constant on N segments around the nodes and charges on those between them
(Harrington, Field Computation by Moment Methods, 1968, section 4.2), with the exact kernel, and a field that is constant in
the gap. The induced EMF method (Balanis, Antenna Theory, section 8.5) has a sinusoidal current and no gap. A strip of width w
acts as a wire of radius w/4 (the same book, section 9.5).
"""
import numpy as np
from reference.figures import agree, require
from scipy.optimize import brentq
from scipy.special import sici

C0 = 299792458.0
ETA = 376.730313668


def kernel(k, size, radius, count):
    """Mean of e^{-jkR}/(4 pi R) over a segment, at 0, 1, 2, ... segments from its center, on the surface of the wire."""
    node, weight = np.polynomial.legendre.leggauss(8)
    angle = (np.arange(64) + 0.5) * np.pi / 64
    means = []
    for distance in size * np.arange(count):
        edges = np.linspace(distance - size / 2, distance + size / 2, 61 if distance < 3 * size else 4)
        half = (edges[1] - edges[0]) / 2
        z = (edges[:-1, None] + edges[1:, None]) / 2 + half * node
        r = np.sqrt(z[:, :, None] ** 2 + (2 * radius * np.sin(angle / 2)) ** 2)
        means.append(half * np.sum(weight * np.mean(np.exp(-1j * k * r) / (4 * np.pi * r), axis=2)) / size)
    return np.array(means)


def moments(frequency, length, radius, gap, segments):
    """Impedance by the method of moments."""
    k, size = 2 * np.pi * frequency / C0, length / segments
    g = kernel(k, size, radius, segments + 1)
    node = np.arange(1, segments)
    apart = abs(node[:, None] - node)
    vector = 1j * k * ETA * size**2 * g[apart]
    scalar = ETA / (1j * k) * (2 * g[apart] - g[apart + 1] - g[abs(apart - 1)])
    z = node * size - length / 2
    share = np.clip(np.minimum(z + size / 2, gap / 2) - np.maximum(z - size / 2, -gap / 2), 0, None) / gap
    return 1 / (share @ np.linalg.solve(vector + scalar, share.astype(complex)))


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
