"""S-parameters of the filter by mode matching with the TE_m0 modes of guide and irises, for expected.json.

At each step the tangential fields are expanded in the modes of both sides (T. Itoh, ed., Numerical Techniques for Microwave
and Millimeter-Wave Passive Structures, 1989, chapter 9); steps, irises and guides are joined by their generalized S-matrices.

    python cases/92-iris-filter/reference.py                 # needs `pip install numpy`
"""

import numpy as np

C0 = 299792458.0
WIDTH = 22.86e-3
THICKNESS = 2e-3
APERTURES = 1e-3 * np.array([12.05, 8.34, 7.61, 7.61, 8.34, 12.05])
CAVITIES = 1e-3 * np.array([15.67, 17.66, 17.91, 17.66, 15.67])


def propagation(frequency, width, modes):
    """beta of TE_m0, with decaying evanescent modes for the time dependence e^{+j omega t}."""
    k, transverse = 2 * np.pi * frequency / C0, np.arange(1, modes + 1) * np.pi / width
    return np.conj(np.sqrt((k * k - transverse**2).astype(complex)))


def step(frequency, aperture, modes, inner):
    """S-matrix of a symmetric step from the guide to an aperture."""
    offset = (WIDTH - aperture) / 2
    wide = np.arange(1, modes + 1)[:, None] * np.pi / WIDTH
    narrow = np.arange(1, inner + 1)[None, :] * np.pi / aperture

    def integral(k):  # of cos(k u + wide offset) over the aperture
        return aperture * np.sinc(k * aperture / (2 * np.pi)) * np.cos(k * aperture / 2 + wide * offset)

    coupling = (integral(wide - narrow) - integral(wide + narrow)) / np.sqrt(WIDTH * aperture)
    outside = np.diag(propagation(frequency, WIDTH, modes))
    inside = np.diag(propagation(frequency, aperture, inner))
    loaded = coupling.T @ outside @ coupling
    inverse = np.linalg.inv(loaded + inside)
    s21, s22 = inverse @ (2 * coupling.T @ outside), inverse @ (inside - loaded)
    return coupling @ s21 - np.eye(modes), coupling @ (s22 + np.eye(inner)), s21, s22


def line(frequency, width, length, modes):
    delay = np.diag(np.exp(-1j * propagation(frequency, width, modes) * length))
    return np.zeros_like(delay), delay, delay, np.zeros_like(delay)


def joined(first, second):
    (a11, a12, a21, a22), (b11, b12, b21, b22) = first, second
    one = np.eye(len(a22))
    forward, back = np.linalg.inv(one - a22 @ b11), np.linalg.inv(one - b11 @ a22)
    return a11 + a12 @ b11 @ forward @ a21, a12 @ back @ b12, b21 @ forward @ a21, b22 + b21 @ a22 @ back @ b12


def iris(frequency, aperture, modes):
    inner = max(2, round(modes * aperture / WIDTH))
    edge = step(frequency, aperture, modes, inner)
    return joined(joined(edge, line(frequency, aperture, THICKNESS, inner)), edge[::-1])


def filter_s(frequency, modes):
    """S11 and S21 of TE10 between the outer faces of the first and the last iris."""
    whole = iris(frequency, APERTURES[0], modes)
    for aperture, length in zip(APERTURES[1:], CAVITIES):
        whole = joined(joined(whole, line(frequency, WIDTH, length, modes)), iris(frequency, aperture, modes))
    return whole[0][0, 0], whole[2][0, 0]


if __name__ == "__main__":
    for gigahertz in (9.65, 9.9, 10.0, 10.2, 10.35):
        for modes in (60, 120, 240):
            s11, s21 = filter_s(gigahertz * 1e9, modes)
            levels = 20 * np.log10(np.abs([s11, s21]))
            print(f"{gigahertz} GHz, {modes} modes: S11 {levels[0]:.3f} dB, S21 {levels[1]:.3f} dB")
