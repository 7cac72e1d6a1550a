"""A closed conductor with corners in a TE wave, by a trigonometric Nyström rule on a graded parameter.

Green's formula for the total H on the contour, with ∂H/∂n = 0 and Φ = -(j/4) H₀⁽²⁾(kR):

    H(x) - ∫ [H(y) ∂Φ/∂n(y) - H(x) ∂Φ₀/∂n(y)] ds(y) = H_inc(x),

where Φ₀ = -ln(R)/2π, whose own integral is -1/2, is subtracted to keep the integrand small where x is near a corner
(Kress, Numer. Math. 58 (1990) 145). At the joints of the contour the parameter is graded, as there. The
logarithm in the kernel is integrated by the weights of Kussmaul and Martensen. Plain magnetic-field equation: not for
frequencies at which the interior resonates.
"""
import numpy as np
from scipy.special import hankel2, j1


def graded(n, p, q):
    """n nodes s of [0, 1] at equal steps of t, s = t^p/(t^p + (1-t)^q): s, 1 - s and ds/dt."""
    t = (np.arange(n) + 0.5) / n
    low, high = t**p, (1 - t) ** q
    slope = (p * t ** (p - 1) * high + q * low * (1 - t) ** (q - 1)) / (low + high) ** 2
    return low / (low + high), high / (low + high), slope


class Contour:
    """Pieces joined counterclockwise: (curve, p, q), with p and q the grading at its ends.

    curve(s, 1 - s) is x + jy, its derivative and its second derivative by s. Both s and 1 - s have full relative accuracy:
    nodes crowd so much at a sharp edge that it must be the origin, and be computed as such.
    """

    def __init__(self, pieces, n):
        z, dz, bend = [], [], []
        for curve, p, q in pieces:
            s, rest, slope = graded(n, p, q)
            here, first, second = curve(s, rest)
            z.append(here)
            dz.append(first * slope)
            bend.append(np.imag(np.conj(first) * second) / np.abs(first) ** 3)
        self.z, self.dz, self.bend = map(np.concatenate, (z, dz, bend))
        self.weight, self.step = 1 / n, 2 * np.pi / (n * len(pieces))


class Solution:
    """H on the contour for waves traveling at the angles `incidence`."""

    def __init__(self, contour, k, incidence):
        self.contour, self.k, self.incidence = contour, k, np.atleast_1d(incidence)
        z, n = contour.z, len(contour.z)
        normal = -1j * contour.dz * contour.weight  # outward, times the arc length of the node
        difference = z[:, None] - z
        r = np.abs(difference)
        np.fill_diagonal(r, 1.0)
        across = np.real(np.conj(difference) * normal) / r
        static = across / (2 * np.pi * r)
        # (n.R)/R² → minus half the curvature as R → 0, whatever the parameter.
        curvature = -contour.bend * np.abs(normal) / (4 * np.pi)
        np.fill_diagonal(static, curvature)
        # ∂Φ/∂n = -(jk/4) H₁⁽²⁾(kR) (n.R)/R, and H₁⁽²⁾ = -(j/π) J₁ ln(4 sin²) + the rest.
        i = np.arange(n)
        half = np.sin((i[:, None] - i) * contour.step / 2)
        np.fill_diagonal(half, 1.0)
        bessel = j1(k * r)
        rest = -0.25j * k * across * (hankel2(1, k * r) + 1j / np.pi * bessel * np.log(4 * half**2))
        np.fill_diagonal(rest, curvature)
        logarithm = -k / (4 * np.pi) * across * bessel
        np.fill_diagonal(logarithm, 0.0)
        double_layer = rest + logarithm * log_weights(n)[np.abs(i[:, None] - i)] * n / (2 * np.pi)
        matrix = np.diag(1 + static.sum(axis=1)) - double_layer
        right = np.exp(-1j * k * np.real(z[:, None] * np.exp(-1j * self.incidence)))
        self.normal, self.h = normal, np.linalg.solve(matrix, right)

    def far(self, phi, wave=0):
        """∫ H (n.φ) e^{jk(x cos φ + y sin φ)} ds."""
        phi = np.atleast_1d(phi)[:, None]
        turn = np.exp(-1j * phi)
        return np.real(self.normal * turn) * np.exp(1j * self.k * np.real(self.contour.z * turn)) @ self.h[:, wave]

    def echo_width(self, phi, wave=0):
        """σ/λ = (k²/8π) |far|²."""
        return self.k**2 / (8 * np.pi) * np.abs(self.far(phi, wave)) ** 2

    def monostatic(self):
        """σ/λ back toward each wave."""
        return np.array([self.echo_width(a + np.pi, i)[0] for i, a in enumerate(self.incidence)])

    def extinction(self, wave=0):
        """Total width over the wavelength by the optical theorem; the sign is that of the shadow."""
        return -self.k / (2 * np.pi) * self.far(self.incidence[wave], wave)[0].real

    def scattering(self, wave=0, points=1440):
        """The same by integrating σ: (1/2π) ∫ σ dφ."""
        return np.mean(self.echo_width(2 * np.pi * np.arange(points) / points, wave))


def log_weights(n):
    """Weights of ∫ ln(4 sin²((t-τ)/2)) g(τ) dτ over the period on n nodes, by the distance of node and target."""
    m, orders = np.arange(n), np.arange(1, n // 2)[:, None]
    return -4 * np.pi / n * np.sum(np.cos(2 * np.pi * orders * m / n) / orders, axis=0) - 4 * np.pi / n**2 * (-1.0) ** m
