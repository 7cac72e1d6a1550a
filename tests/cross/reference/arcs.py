"""Thin conducting arcs in a TM wave, by one global trigonometric Nyström rule per arc.

Each arc is x(u), -1 <= u <= 1, with u = cos w(t): the cosine takes the current's inverse square root at the ends away
(Yan and Sloan, J. Integral Equations Appl. 1 (1988) 549; Kress, Math. Methods Appl. Sci. 18 (1995) 267), and f(t) = J |dx/dt| is
even, periodic and smooth. The logarithm of the kernel is integrated by the weights of Kussmaul and Martensen (Kress,
Linear Integral Equations, section 12.3), everything else by the trapezoidal rule. For an arc with a corner at u = 0,
w has a zero of order `grading` there (Kress, Numer. Math. 58 (1990) 145); otherwise w(t) = t.

e^{+jωt}, unit wavenumbers given; E_inc = (kη/4) ∫ J H₀⁽²⁾(kR) ds, with η J in place of J throughout.
"""
import numpy as np
from scipy.special import hankel2, j0


def kress(s, p):
    """Kress' substitution w of [0, 1], flat of order p at both ends: w, 1 - w, both to full accuracy, and dw/ds."""
    c = 2 * s - 1
    v = (0.5 - 1 / p) * c**3 + c / p + 0.5
    dv = 2 * (3 * (0.5 - 1 / p) * c**2 + 1 / p)
    low, high = v**p, (1 - v) ** p
    slope = p * dv * (v * (1 - v)) ** (p - 1) / (low + high) ** 2
    return low / (low + high), high / (low + high), slope


class Arc:
    """Nodes of an arc; `point(u)` and `slope(u)` are its x + jy and the derivative of that."""

    def __init__(self, point, slope, n, grading=None):
        assert n % 2 == 0, "an odd number would put a node on the corner"
        self.n = n
        self.t = (np.arange(n) + 0.5) * np.pi / n
        w, dw = self.t, np.ones(n)
        if grading:
            # w(t) on [-π/2, π/2] is odd and flat at both ends; w(t + π) = w(t) + π.
            turn = np.where(self.t > np.pi / 2, np.pi, 0.0)
            w, _, dw = kress((self.t - turn) / np.pi + 0.5, grading)
            w = (w - 0.5) * np.pi + turn
        self.z = point(np.cos(w))
        self.speed = np.abs(slope(np.cos(w)) * np.sin(w) * dw)


def self_block(arc, k):
    """∫ H₀⁽²⁾(kR) f dt over the arc itself: H₀ = -(j/π) J₀ ln(4 sin²((t-τ)/2) 4 sin²((t+τ)/2)) + the rest."""
    n, t = arc.n, arc.t
    m = np.arange(2 * n)
    orders = np.arange(1, n)[:, None]
    weights = -2 * np.pi / n * np.sum(np.cos(orders * m * np.pi / n) / orders, axis=0) - np.pi / n**2 * (-1.0) ** m
    i = np.arange(n)
    log_weights = 0.5 * (weights[np.abs(i[:, None] - i)] + weights[(i[:, None] + i + 1) % (2 * n)])
    r = np.abs(arc.z[:, None] - arc.z)
    np.fill_diagonal(r, 1.0)
    minus, plus = np.sin((t[:, None] - t) / 2), np.sin((t[:, None] + t) / 2)
    np.fill_diagonal(minus, 1.0)
    bessel = j0(k * r)
    rest = hankel2(0, k * r) + 1j / np.pi * bessel * np.log((4 * minus * plus) ** 2)
    np.fill_diagonal(bessel, 1.0)
    # R → |dx/dt| |t-τ| and the sines → |t-τ| 2 sin t.
    diagonal = 1 - 2j / np.pi * (np.euler_gamma + np.log(k * arc.speed / (4 * np.sin(t))))
    np.fill_diagonal(rest, diagonal)
    return -2j / np.pi * bessel * log_weights + rest * np.pi / n


class Solution:
    """Arcs, k, and f of all of them for waves traveling at the angles `incidence`."""

    def __init__(self, arcs, k, incidence):
        self.k, self.incidence = k, np.atleast_1d(incidence)
        self.z = np.concatenate([arc.z for arc in arcs])
        self.weight = np.concatenate([np.full(arc.n, np.pi / arc.n) for arc in arcs])
        starts = np.cumsum([0] + [arc.n for arc in arcs])
        r = np.abs(self.z[:, None] - self.z)
        np.fill_diagonal(r, 1.0)
        matrix = hankel2(0, k * r) * self.weight
        for arc, start in zip(arcs, starts):
            own = slice(start, start + arc.n)
            matrix[own, own] = self_block(arc, k)
        # E_inc for a direction a is exp(-jk Re(z e^{-ja})).
        right = np.exp(-1j * k * np.real(self.z[:, None] * np.exp(-1j * self.incidence)))
        self.f = np.linalg.solve(k / 4 * matrix, right)

    def far(self, phi, wave=0):
        """∫ ηJ e^{jk(x cos φ + y sin φ)} ds."""
        phi = np.atleast_1d(phi)
        return np.exp(1j * self.k * np.real(self.z * np.exp(-1j * phi[:, None]))) @ (self.weight * self.f[:, wave])

    def echo_width(self, phi, wave=0):
        """σ/λ = (k²/8π) |far|²."""
        return self.k**2 / (8 * np.pi) * np.abs(self.far(phi, wave)) ** 2

    def monostatic(self):
        """σ/λ back toward each wave."""
        return np.array([self.echo_width(a + np.pi, i)[0] for i, a in enumerate(self.incidence)])

    def extinction(self, wave=0):
        """Total width over the wavelength by the optical theorem: (k/2π) Re far(a)."""
        return self.k / (2 * np.pi) * self.far(self.incidence[wave], wave)[0].real

    def total_field(self, point, wave=0):
        """E at points away from the arcs."""
        point = np.atleast_1d(point)
        incident = np.exp(-1j * self.k * np.real(point * np.exp(-1j * self.incidence[wave])))
        return incident - self.k / 4 * hankel2(0, self.k * np.abs(point[:, None] - self.z)) @ (
            self.weight * self.f[:, wave]
        )


def strip(start, end, n, grading=None):
    """A straight strip between two points x + jy."""
    middle, half = (start + end) / 2, (end - start) / 2
    return Arc(lambda u: middle + half * u, lambda u: half * np.ones_like(u), n, grading)
