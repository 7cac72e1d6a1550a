"""The far field of a pyramidal horn for the feed of this case, and the figures of expected.json by direct sums.

The field over the aperture of a pyramidal horn is cos(pi x/A) exp(-j beta (x^2/R + y^2/R)/2), polarized along y, and radiates as
E_theta = sin(phi) F, E_phi = cos(phi) F with F ~ (1 + cos(theta)) I(x) I(y) (C. A. Balanis, "Antenna Theory", section 13.4).

    python cases/29-horn-feed/horn.py                        # writes horn.ffe; needs `pip install numpy scipy`
"""

from pathlib import Path

import numpy as np
from scipy.special import j1

C0, ETA0 = 299792458.0, 376.730313412
FREQUENCY = 14.25e9
BETA = 2 * np.pi * FREQUENCY / C0
A, B, R = 50e-3, 38e-3, 80e-3  # aperture along x and y; distance of the apex
OFFSET, HEIGHT, ELEMENTS, CENTER = 0.22, 0.30, 31, -20e-3
U, V = 0.0, 0.1

NODES, WEIGHTS = np.polynomial.legendre.leggauss(60)


def line(width, taper, k):
    """The integral of the aperture field along one axis."""
    x, w = 0.5 * width * NODES, 0.5 * width * WEIGHTS
    field = w * taper(x) * np.exp(-0.5j * BETA * x * x / R)
    return np.exp(1j * np.multiply.outer(k, x)) @ field


def pattern(theta, phi):
    """F, relative to the axis."""
    def along(u, v):
        return line(A, lambda x: np.cos(np.pi * x / A), BETA * u) * line(B, np.ones_like, BETA * v)

    sin = np.sin(theta)
    return 0.5 * (1 + np.cos(theta)) * along(sin * np.cos(phi), sin * np.sin(phi)) / along(0.0, 0.0)


def total():
    """Radiated power of |F|^2."""
    x, w = np.polynomial.legendre.leggauss(120)
    phi = np.arange(240) * 2 * np.pi / 240
    theta, phi = np.meshgrid(np.arccos(x), phi, indexing="ij")
    return 2 * np.pi / 240 * np.sum(w[:, None] * np.abs(pattern(theta, phi)) ** 2)


def write(path):
    """A file of FEKO: peak values in volts, so that the directivity follows from one watt radiated."""
    theta, phi = np.arange(0, 181, 4), np.arange(0, 361, 15)
    volts = np.sqrt(2 * ETA0 / total())
    rows = []
    for p in phi:
        for t in theta:
            f = volts * pattern(*np.radians([t, p]))
            e = [f * np.sin(np.radians(p)), f * np.cos(np.radians(p))]
            gain = 10 * np.log10(max(4 * np.pi * np.abs(f) ** 2 / (2 * ETA0), 1e-100))
            rows.append(f"{t} {p} " + " ".join(f"{x:.6e}" for c in e for x in (c.real, c.imag)) + f" {gain:.5f}")
    path.write_text(
        "##File Type: Far Field\n##File Format: 8\n** A pyramidal horn in closed form, written by horn.py\n\n#Request Name: Horn\n"
        f"#Frequency: {FREQUENCY:.8e}\n#Coordinate System: Spherical\n#No. of Theta Samples: {len(theta)}\n"
        f"#No. of Phi Samples: {len(phi)}\n#Result Type: Directivity\n#No. of Header Lines: 1\n"
        '# "Theta" "Phi" "Re(Etheta)" "Im(Etheta)" "Re(Ephi)" "Im(Ephi)" "Directivity(Total)"\n' + "\n".join(rows) + "\n"
    )


def illumination(x, y):
    """F and its phase about the phase center, and the distance, at points of the array."""
    distance = np.hypot(OFFSET, HEIGHT)
    sin, cos = OFFSET / distance, HEIGHT / distance
    y = y + OFFSET
    across, along = cos * y - sin * HEIGHT, sin * y + cos * HEIGHT
    theta, phi = np.arctan2(np.hypot(x, across), along), np.arctan2(across, x)
    return pattern(theta, phi) * np.exp(-1j * BETA * CENTER * np.cos(theta)), np.sqrt(x**2 + y**2 + HEIGHT**2)


def figures():
    spacing = 0.5 * C0 / FREQUENCY
    axis = spacing * (np.arange(ELEMENTS) - 0.5 * (ELEMENTS - 1))
    x, y = (c.ravel() for c in np.meshgrid(axis, axis))
    f, r = illumination(x, y)
    amplitude = np.abs(f) / r
    phase = np.degrees(BETA * (r - U * x - V * y) - np.angle(f)) % 360
    excitation = amplitude * np.exp(-1j * BETA * (U * x + V * y))
    t = BETA * np.hypot(x[:, None] - x, y[:, None] - y)
    kernel = 2 * np.pi * np.where(t > 0, j1(t) / np.where(t > 0, t, 1), 0.5)
    power = np.real(excitation @ kernel @ excitation.conj())
    peak = np.sqrt(1 - U * U - V * V) * np.sum(amplitude) ** 2
    side = 0.5 * ELEMENTS * spacing
    px, py = np.meshgrid(side * NODES, side * NODES)
    g, d = illumination(px, py)
    caught = side * side * np.sum(np.outer(WEIGHTS, WEIGHTS) * np.abs(g) ** 2 * HEIGHT / d**3)
    print("directivity of the horn, dBi   ", 10 * np.log10(4 * np.pi / total()))
    print("directivity of the array, dBi  ", 10 * np.log10(4 * np.pi * peak / power))
    print("spillover                      ", 1 - caught / total())
    print("taper efficiency               ", np.sum(amplitude) ** 2 / (amplitude.size * np.sum(amplitude**2)))
    print("phases: corner, middle of a side", phase[0], phase[15])
    print("edge taper, dB                 ", 20 * np.log10(amplitude[[0, 15, 465]] / amplitude.max()))


if __name__ == "__main__":
    write(Path(__file__).with_name("horn.ffe"))
    figures()
