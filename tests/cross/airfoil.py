"""The gallery's airfoil by another method: references of cases/06-airfoil.

NACA 0012, chord six wavelengths, TE, monostatic: a trigonometric Nyström solution of the magnetic-field equation on a
parameter graded toward the trailing edge (reference/closed.py). phasefront solves the combined-field equation on local
cells. Verified here against the series of the circle, by energy (extinction equals scattering) and by refinement.
"""
import numpy as np
from numpy.polynomial import Polynomial
from reference import series
from reference.closed import Contour, Solution
from reference.figures import agree, require

K, CHORD, THICKNESS = 2 * np.pi, 6.0, 0.12
ANGLES = {"nose": 0, "30 deg from the nose": 30, "60 deg from the nose": 60, "side": 90, "tail": 180}


def circle_piece(turn):
    """Part of a unit circle through the origin: from there by `turn` if that is positive, else that much up to there."""

    def curve(s, rest):
        z = np.expm1(1j * turn * (s if turn > 0 else rest))
        return z, 1j * abs(turn) * (z + 1), -turn**2 * (z + 1)

    return curve


def side(sign):
    """One side of the airfoil, in q = √(x/chord) = 1 - v: a polynomial in v with the trailing edge, v = 0, at the origin."""
    q = Polynomial([0.0, 1.0])
    y = 5 * THICKNESS * (0.2969 * q - 0.1260 * q**2 - 0.3516 * q**4 + 0.2843 * q**6 - 0.1036 * q**8)
    z = CHORD * (q**2 + 1j * sign * y)(Polynomial([1.0, -1.0]))
    z.coef[0] = 0.0
    first, second = z.deriv(), z.deriv(2)
    # Counterclockwise: trailing edge to nose above, back below.
    return lambda s, rest: (z(s), first(s), second(s)) if sign > 0 else (z(rest), -first(rest), second(rest))


def airfoil(n, arrival):
    contour = Contour([(side(+1), 10, 3), (side(-1), 3, 10)], n)
    return Solution(contour, K, np.radians(arrival) + np.pi)


def physical_optics(arrival, n=4000):
    """σ/λ from the current 2 n × H on the lit side alone, (k²/8π) |∫ 2 (n.φ) e^{2jk r.φ} ds|²."""
    contour = Contour([(side(+1), 3, 3), (side(-1), 3, 3)], n)
    turn = np.exp(-1j * np.radians(arrival))
    facing = np.real(-1j * contour.dz * contour.weight * turn)
    total = np.sum(2 * facing * (facing > 0) * np.exp(2j * K * np.real(contour.z * turn)))
    return K**2 / (8 * np.pi) * np.abs(total) ** 2


orders = series.orders(K)
a = series.conductor(orders, K, "TE")
circle = Contour([(circle_piece(2.0), 10, 3), (circle_piece(2.0 - 2 * np.pi), 3, 10)], 200)
circle = Solution(circle, K, 0.0)
for phi in (0.0, np.pi / 2, np.pi):
    exact = series.echo_width(a, orders, phi)
    require(f"circle at {np.degrees(phi):.0f} deg, against its series", abs(circle.echo_width(phi)[0] / exact - 1), 1e-8)

# 0 deg is the nose: the waves arrive from -x turned clockwise, which the symmetry of the section makes the upper side.
arrival = [180.0 - angle for angle in ANGLES.values()]
fine, coarse = airfoil(400, arrival), airfoil(300, arrival)
require("refinement", np.max(np.abs(fine.monostatic() / coarse.monostatic() - 1)), 1e-6)
for wave in range(len(arrival)):
    require(f"energy, {arrival[wave]:.0f} deg", abs(fine.extinction(wave) / fine.scattering(wave) - 1), 1e-9)
for name, angle, value in zip(ANGLES, arrival, fine.monostatic()):
    rough = physical_optics(angle)
    print(f"  {name}: {10 * np.log10(value):.2f} dB over a wavelength, physical optics {10 * np.log10(rough):.2f} dB")
agree("06-airfoil", dict(zip(ANGLES, fine.monostatic())))
