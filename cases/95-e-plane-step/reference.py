"""S-parameters of the step by mode matching, for expected.json, beside the susceptance of the Waveguide Handbook.

With the TE10 mode incident all fields vary as sin(pi x/a), and Ey and Hx are those of a step between parallel plates with the wave
number beta of TE10 in place of k (N. Marcuvitz, Waveguide Handbook, 1951, section 5.26; R. E. Collin, Field Theory of Guided Waves,
section 8.1): modes cos(n pi y/b) with gamma_n^2 = (n pi/b)^2 - beta^2 and admittances in proportion to j beta/gamma_n.

    python cases/95-e-plane-step/reference.py                # needs `pip install numpy`
"""

import numpy as np

C0 = 299792458.0
A, HIGH, LOW = 22.86e-3, 10.16e-3, 5.08e-3


def wave_number(frequency):
    return np.sqrt((2 * np.pi * frequency / C0) ** 2 - (np.pi / A) ** 2)


def admittances(beta, height, modes):
    return 1j * beta / np.sqrt((np.arange(modes) * np.pi / height) ** 2 - beta**2 + 0j)


def coupling(modes, inner):
    """Integrals of the products of normalized modes of both guides over the aperture, 0 < y < LOW."""
    high, low = np.arange(modes)[:, None] * np.pi / HIGH, np.arange(inner)[None, :] * np.pi / LOW
    integral = LOW / 2 * (np.sinc((high - low) * LOW / np.pi) + np.sinc((high + low) * LOW / np.pi))
    norm = np.where(high > 0, 2.0, 1.0) * np.where(low > 0, 2.0, 1.0) / (HIGH * LOW)
    return integral * np.sqrt(norm)


def step(frequency, modes):
    """S11, S21 and S22 of TE10: E of the high guide is that of the aperture and zero on the step, H is continuous in the aperture."""
    beta, inner = wave_number(frequency), round(modes * LOW / HIGH)
    m = coupling(modes, inner)
    high, low = np.diag(admittances(beta, HIGH, modes)), np.diag(admittances(beta, LOW, inner))
    loaded = m.T @ high @ m
    inverse = np.linalg.inv(loaded + low)
    s21, s22 = inverse @ (2 * m.T @ high), inverse @ (low - loaded)
    return (m @ s21)[0, 0] - 1, s21[0, 0], s22[0, 0]


def handbook(frequency):
    """S11 by the shunt susceptance of section 5.26; a step on one side has half of the guide wavelength in it."""
    guide, alpha = np.pi / wave_number(frequency), LOW / HIGH
    ratio, c = (1 + alpha) / (1 - alpha), (4 * alpha / (1 - alpha**2)) ** 2

    def root(height):
        r = np.sqrt(1 - (height / guide) ** 2)
        return (1 + r) / (1 - r)

    a = ratio ** (2 * alpha) * root(HIGH) - (1 + 3 * alpha**2) / (1 - alpha**2)
    b = ratio ** (2 / alpha) * root(LOW) + (3 + alpha**2) / (1 - alpha**2)
    bracket = (
        np.log((1 - alpha**2) / (4 * alpha) * ratio ** (0.5 * (alpha + 1 / alpha)))
        + 2 * (a + b + 2 * c) / (a * b - c * c)
        + (HIGH / (4 * guide)) ** 2 / ratio ** (4 * alpha) * ((5 * alpha**2 - 1) / (1 - alpha**2) + 4 / 3 * alpha**2 * c / a) ** 2
    )
    admittance = 1 / alpha + 2j * HIGH / guide * bracket
    return (1 - admittance) / (1 + admittance)


def decibels(s):
    return 20 * np.log10(abs(s))


if __name__ == "__main__":
    for gigahertz in (9.0, 10.0, 12.0):
        for modes in (40, 160, 640):
            s11, s21, s22 = step(gigahertz * 1e9, modes)
            print(
                f"{gigahertz} GHz, {modes} modes: S11 {decibels(s11):.4f} dB, {np.angle(s11, deg=True):.3f} deg, "
                f"S21 {decibels(s21):.4f} dB, power {abs(s11) ** 2 + abs(s21) ** 2:.6f}"
            )
        s11 = handbook(gigahertz * 1e9)
        print(f"{gigahertz} GHz, handbook: S11 {decibels(s11):.4f} dB, {np.angle(s11, deg=True):.3f} deg")
