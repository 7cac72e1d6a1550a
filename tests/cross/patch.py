"""A patch antenna as two slots on an infinite ground: a reference of case 74.

Balanis, Antenna Theory, section 14.2: the directivity of two slots of width W, a length L + 2 dL apart, each with the pattern
(sin(kW/2 cos t)/cos t)^2 sin^2 t, and Hammerstad's extension dL of the open ends.
"""
import numpy as np
from reference.figures import agree, require

C0 = 299792458.0


def extension(width, height, eps_r):
    """Length that the fringing field adds at each end (Balanis, eq. 14-1 and 14-2)."""
    effective = (eps_r + 1) / 2 + (eps_r - 1) / 2 / np.sqrt(1 + 12 * height / width)
    ratio = width / height
    return 0.412 * height * (effective + 0.3) * (ratio + 0.264) / ((effective - 0.258) * (ratio + 0.8))


def directivity(frequency, width, apart):
    """Along the normal, in dBi: (kW)^2 pi over the integral of the pattern over the half-space."""
    k = 2 * np.pi * frequency / C0
    theta, phi = ((np.arange(count) + 0.5) * np.pi / count for count in (1000, 500))
    slot = (np.sin(k * width / 2 * np.cos(theta)) / np.cos(theta)) ** 2 * np.sin(theta) ** 3
    pair = np.cos(k * apart / 2 * np.sin(theta) * np.sin(phi[:, None])) ** 2
    return 10 * np.log10((k * width) ** 2 * np.pi / (np.mean(slot * pair) * np.pi**2))


if __name__ == "__main__":
    small = directivity(1e6, 0.057, 0.038)
    require("two short slots side by side, against 3 (4.77 dBi)", abs(small - 10 * np.log10(3)), 1e-3)
    apart = 0.038 + 2 * extension(0.057, 0.003175, 2.33)
    agree("74-patch", {"directivity along z at 2.33 GHz": directivity(2.33e9, 0.057, apart)})
