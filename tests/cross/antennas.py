"""A pyramidal horn and a helix: references of cases 79 and 69.

The directivity of a horn's aperture, a cosine along a with a quadratic phase along both sides (Balanis, Antenna Theory,
section 13.4), by Fresnel integrals and once more by quadrature; and the empirical gain of helices (King and Wong, IEEE Trans.
Antennas Propag. 28 (1980) 291).
"""
import numpy as np
from reference.figures import agree, require
from scipy.special import fresnel

C0 = 299792458.0


def horn(frequency, a, b, length, guide_a, guide_b):
    """Directivity of an aperture a x b that a guide opens to over `length`."""
    wavelength = C0 / frequency
    slant_e, slant_h = length * b / (b - guide_b), length * a / (a - guide_a)
    root = np.sqrt(wavelength * slant_h)
    su, cu = fresnel((root / a + a / root) / np.sqrt(2))
    sv, cv = fresnel((root / a - a / root) / np.sqrt(2))
    s, c = fresnel(b / np.sqrt(2 * wavelength * slant_e))
    return 8 * np.pi * slant_e * slant_h / (a * b) * ((cu - cv) ** 2 + (su - sv) ** 2) * (c**2 + s**2)


def aperture(frequency, a, b, length, guide_a, guide_b):
    """The same, 4 pi/lambda^2 |int E|^2/int |E|^2, by quadrature."""
    k = 2 * np.pi * frequency / C0
    node, weight = np.polynomial.legendre.leggauss(60)
    along_a = np.cos(np.pi * node / 2) * np.exp(-0.5j * k * (a / 2 * node) ** 2 * (a - guide_a) / (length * a))
    along_b = np.exp(-0.5j * k * (b / 2 * node) ** 2 * (b - guide_b) / (length * b))
    used = [abs(weight @ e) ** 2 / (2 * weight @ abs(e) ** 2) for e in (along_a, along_b)]
    return k**2 / np.pi * a * b * used[0] * used[1]


def helix(frequency, turn, pitch, turns):
    """Peak gain, from the length of a turn's projection."""
    wavelength = C0 / frequency
    slope = np.tan(np.radians(12.5)) * turn / pitch
    around, high = turn / wavelength, turns * pitch / wavelength
    return 8.3 * around ** (np.sqrt(turns + 2) - 1) * high**0.8 * slope ** (np.sqrt(turns) / 2)


if __name__ == "__main__":
    sizes = (0.050, 0.036, 0.036, 0.02286, 0.01016)
    figures = {}
    for gigahertz in (9.6, 10.0, 10.4):
        closed, integral = (f(gigahertz * 1e9, *sizes) for f in (horn, aperture))
        require(f"horn at {gigahertz} GHz, against quadrature", abs(closed / integral - 1), 1e-9)
        figures[f"directivity of the aperture at {gigahertz} GHz"] = 10 * np.log10(closed)
    agree("79-horn", figures)
    agree("69-ribbon-helix", {"gain of measured helices at 10 GHz": 10 * np.log10(helix(10e9, 0.03016, 0.007, 4))})
