"""Series for circular cylinders, e^{+jωt}, unit plane wave traveling toward +x.

Harrington, Time-Harmonic Electromagnetic Fields, section 5-9; for two cylinders with Graf's addition theorem
(Abramowitz and Stegun 9.1.79), as in Twersky, J. Acoust. Soc. Am. 24 (1952) 42. A cylinder answers the wave
Σ b_n J_n(kr) e^{jnφ} with -Σ a_n b_n H_n⁽²⁾(kr) e^{jnφ}; the plane wave has b_n = j^{-n}.
"""
import numpy as np
from scipy.special import h2vp, hankel2, jv, jvp


def orders(x):
    """Orders -n..n beyond which the terms are below rounding."""
    last = int(abs(x) + 10 * abs(x) ** (1 / 3) + 10)
    return np.arange(-last, last + 1)


def conductor(n, ka, polarization):
    """a_n of a perfect conductor."""
    return jv(n, ka) / hankel2(n, ka) if polarization == "TM" else jvp(n, ka) / h2vp(n, ka)


def dielectric(n, ka, eps, polarization):
    """a_n of a cylinder with permittivity eps, complex with a negative imaginary part if lossy, and mu = 1.

    The field along z and its normal derivative, divided by mu (TM) or eps (TE), are continuous at r = a.
    """
    m = np.sqrt(complex(eps))
    inside, slope = jv(n, m * ka), m * jvp(n, m * ka) / (1 if polarization == "TM" else eps)
    top = inside * jvp(n, ka) - slope * jv(n, ka)
    return top / (inside * h2vp(n, ka) - slope * hankel2(n, ka))


def echo_width(a, n, phi):
    """σ/λ = (2/π) |Σ a_n e^{jnφ}|²; the j^{-n} of the plane wave and the j^n of H_n far away cancel."""
    return 2 / np.pi * abs(np.sum(a * np.exp(1j * n * phi))) ** 2


def extinction(a):
    """Total width over the wavelength, from the optical theorem: (2/π) Re Σ a_n."""
    return 2 / np.pi * np.sum(a).real


def current(ka, phi):
    """η J_z of a conducting cylinder, TM: (2/(π ka)) Σ j^{-n} e^{jnφ} / H_n⁽²⁾(ka)."""
    n = orders(ka)
    return 2 / (np.pi * ka) * np.sum((-1j) ** n * np.exp(1j * n * phi) / hankel2(n, ka))


def several_conductors(k, radius, centers, phi):
    """σ/λ of equal conducting cylinders, TM: c_i + a Σ_j T_ij c_j = -a b_i, solved for all orders at once."""
    n = orders(k * radius)
    a, size = conductor(n, k * radius, "TM"), len(n)
    matrix = np.eye(size * len(centers), dtype=complex)
    right = np.empty(size * len(centers), dtype=complex)
    for i, (xi, yi) in enumerate(centers):
        rows = slice(i * size, (i + 1) * size)
        right[rows] = -a * (-1j) ** n * np.exp(-1j * k * xi)
        for j, (xj, yj) in enumerate(centers):
            if i != j:
                d, angle = np.hypot(xi - xj, yi - yj), np.arctan2(yi - yj, xi - xj)
                # H_m at j = Σ_n H_{m-n}(kd) e^{j(m-n)angle} J_n at i.
                m = n[None, :] - n[:, None]
                matrix[rows, j * size:(j + 1) * size] = a[:, None] * hankel2(m, k * d) * np.exp(1j * m * angle)
    c = np.linalg.solve(matrix, right).reshape(len(centers), size)
    far = sum(np.exp(1j * k * (x * np.cos(phi) + y * np.sin(phi))) * np.sum(ci * 1j**n * np.exp(1j * n * phi))
              for (x, y), ci in zip(centers, c))
    return 2 / np.pi * abs(far) ** 2
