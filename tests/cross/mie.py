"""Spheres in a plane wave by the Mie series: references of cases 63, 64, 65 and 77.

Bohren and Huffman, Absorption and Scattering of Light by Small Particles, 1983: the coefficients (4.53) and, for a
conductor, their limit of an infinite index; the amplitudes S1 and S2 by (4.74) and (4.47). The cross section is
4 pi |S|^2/k^2, with S2 in the plane of the electric field and S1 across it; 0 deg is forward. Verified here by energy
(what is taken from the wave is scattered, (4.61) and (4.62)) and by Rayleigh's limit of small spheres (5.7).
"""
import numpy as np
from reference.figures import agree, require
from scipy.special import spherical_jn, spherical_yn

C0 = 299792458.0
ANGLES = range(0, 181, 30)


def riccati(n, z, outgoing=False):
    """z j_n(z), or z h_n^(1)(z), and its derivative."""
    f, slope = spherical_jn(n, z), spherical_jn(n, z, True)
    if outgoing:
        f, slope = f + 1j * spherical_yn(n, z), slope + 1j * spherical_yn(n, z, True)
    return z * f, f + z * slope


def coefficients(x, index=None):
    """a_n and b_n for n = 1, 2, ... of a sphere of size x = ka, of a conductor if there is no index."""
    n = np.arange(1, int(x + 4 * x ** (1 / 3) + 12))
    psi, slope = riccati(n, x)
    xi, out = riccati(n, x, outgoing=True)
    if index is None:
        return slope / out, psi / xi
    inner, rise = riccati(n, index * x)
    a = (index * inner * slope - psi * rise) / (index * inner * out - xi * rise)
    b = (inner * slope - index * psi * rise) / (inner * out - index * xi * rise)
    return a, b


def amplitudes(a, b, degrees):
    """S1 and S2 at an angle from forward."""
    cosine, before, pi = np.cos(np.radians(degrees)), 0.0, 1.0
    s1 = s2 = 0.0
    for n, (a_n, b_n) in enumerate(zip(a, b), start=1):
        tau = n * cosine * pi - (n + 1) * before
        weight = (2 * n + 1) / (n * (n + 1))
        s1 += weight * (a_n * pi + b_n * tau)
        s2 += weight * (a_n * tau + b_n * pi)
        before, pi = pi, ((2 * n + 1) * cosine * pi - (n + 1) * before) / n
    return s1, s2


def cross_sections(radius, frequency, index=None):
    """By the names of checks: all that is taken from the wave, m2, and dBsm at the angles."""
    k = 2 * np.pi * frequency / C0
    a, b = coefficients(k * radius, index)
    n = np.arange(1, len(a) + 1)
    taken, scattered = np.sum((2 * n + 1) * (a + b).real), np.sum((2 * n + 1) * (abs(a) ** 2 + abs(b) ** 2))
    require(f"energy at ka = {k * radius:.3f}", abs(scattered / taken - 1), 1e-12)
    found = {"extinction": 2 * np.pi / k**2 * taken}
    for degrees in ANGLES:
        for plane, s in zip("HE", amplitudes(a, b, degrees)):
            found[f"{plane}-plane, {degrees} deg"] = 10 * np.log10(4 * np.pi * abs(s) ** 2 / k**2)
    return found


def rayleigh():
    """Q = 8/3 x^4 ((m^2 - 1)/(m^2 + 2))^2 and, of a conductor, 10/3 x^4, as x goes to zero."""
    x = 0.01
    n = np.arange(1, len(coefficients(x)[0]) + 1)
    for name, index, expected in (("dielectric", 2.0, 8 / 3 * 0.25), ("conductor", None, 10 / 3)):
        a, b = coefficients(x, index)
        q = 2 / x**2 * np.sum((2 * n + 1) * (abs(a) ** 2 + abs(b) ** 2))
        require(f"a small {name}, against Rayleigh", abs(q / (expected * x**4) - 1), 1e-3)


def case(name, frequency, index=None):
    """Forward and back the planes are the same, so the case has one of each."""
    twice = ("H-plane, 0 deg", "H-plane, 180 deg")
    found = cross_sections(0.3, frequency, index)
    agree(name, {check: value for check, value in found.items() if check not in twice})


def resonator():
    """The ball of case 77 around its first resonance."""
    figures = {}
    for gigahertz, directions in ((3.4, ("forward",)), (3.7, ("forward", "backward")), (4.0, ("backward",))):
        found = cross_sections(0.0125, gigahertz * 1e9, 9.5**0.5)
        figures[f"extinction at {gigahertz} GHz"] = found["extinction"]
        for direction in directions:
            degrees = 0 if direction == "forward" else 180
            figures[f"{direction} at {gigahertz} GHz"] = found[f"E-plane, {degrees} deg"]
    agree("77-dielectric-resonator", figures)


if __name__ == "__main__":
    rayleigh()
    case("63-dielectric-sphere", 900e6, 2.0)
    case("64-small-sphere", 250e6, 2.0)
    case("65-pec-sphere", 250e6)
    resonator()
