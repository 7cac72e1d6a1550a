"""The gallery's slotted shell by another method: references of cases/10-cavity.

A thin circular shell with a slot of 40 degrees toward the wave, TM, at its first resonance: one global trigonometric rule
with the edges substituted away (reference/arcs.py). Verified here by refinement, by a shell that is all but closed, against
the series of the cylinder, and by the zero of J_0 to which the resonance goes as the slot closes.
"""
import numpy as np
from reference import series
from reference.arcs import Arc, Solution
from reference.figures import agree, require

RADIUS, FREQUENCY = 0.05, 2.252e9
K = 2 * np.pi * FREQUENCY / 299792458.0
CLOSED = 2.404825557695773  # the first zero of J_0: Abramowitz and Stegun, table 9.5


def shell(slot, ka, n):
    """Radius one, slot of `slot` degrees around -x."""
    half = np.pi - np.radians(slot) / 2
    arc = Arc(lambda u: np.exp(1j * half * u), lambda u: 1j * half * np.exp(1j * half * u), n)
    return Solution([arc], ka, 0.0)


def resonance(slot, n=40):
    """ka with the largest field in the middle, and that field."""
    low, high = 2.0, 2.5
    for _ in range(6):
        ka = np.linspace(low, high, 21)
        field = [abs(shell(slot, x, n).total_field(0.0)[0]) for x in ka]
        best = np.argmax(field)
        low, high = ka[max(best - 1, 0)], ka[min(best + 1, 20)]
    return ka[best], field[best]


orders = series.orders(2.0)
closed = series.conductor(orders, 2.0, "TM")
for phi in (0.0, 1.0, 3.0):
    # A slot of half a degree lets (k slot)² through.
    error = abs(shell(0.5, 2.0, 100).echo_width(phi)[0] / series.echo_width(closed, orders, phi) - 1)
    require(f"slot of half a degree at {phi:.0f} rad, against the closed cylinder", error, 1e-4)
for slot in (80, 60, 40, 20, 10):
    ka, field = resonance(slot)
    print(f"  slot of {slot} deg: resonance at ka = {ka:.4f}, field in the middle {field:.1f}")
require("closing slot, against the zero of J_0", abs(ka / CLOSED - 1), 2e-3)
solution, coarse = shell(40, K * RADIUS, 60), shell(40, K * RADIUS, 40)
angles = np.radians([0.0, 90.0, 180.0])
values = solution.echo_width(angles)
require("refinement", np.max(np.abs(values / coarse.echo_width(angles) - 1)), 1e-8)
print(f"  at {FREQUENCY / 1e9} GHz, ka = {K * RADIUS:.4f}: field in the middle {abs(solution.total_field(0.0)[0]):.6f}")
agree("10-cavity", {
    "echo width forward": values[0],
    "echo width sideways": values[1],
    "echo width back": values[2],
    "total width": solution.extinction() * 2 * np.pi / K,
})
