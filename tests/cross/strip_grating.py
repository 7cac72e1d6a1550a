"""The gallery's grating by another method: references of cases/05-grating.

Six thin strips, TM, by one global trigonometric rule per strip with the edges substituted away (reference/arcs.py);
phasefront uses local cells, halved toward the edges. Verified here against the Mathieu series of a single strip and by
refinement.
"""
import numpy as np
from reference.arcs import Solution, strip
from reference.figures import agree, require
from scipy.special import mathieu_cem, mathieu_modcem1, mathieu_modcem2

K, COUNT, WIDTH, PERIOD, INCIDENCE = 2 * np.pi, 6, 0.5, 1.5, 30.0


def grating(n):
    centers = (np.arange(COUNT) - (COUNT - 1) / 2) * PERIOD
    strips = [strip(1j * (y - WIDTH / 2), 1j * (y + WIDTH / 2), n) for y in centers]
    return Solution(strips, K, np.radians(INCIDENCE))


def single(width, observation):
    """σ/λ of a strip along x at broadside: (2/π) |2 Σ Mc⁽¹⁾(0)/Mc⁽⁴⁾(0) ce(90°) ce(φ)|² with q = (k width/4)².

    Bowman, Senior and Uslenghi, Electromagnetic and Acoustic Scattering by Simple Shapes, chapter 4; only the even
    functions do not vanish on the strip.
    """
    q, total = (K * width / 4) ** 2, 0.0
    for n in range(40):
        first, second = mathieu_modcem1(n, q, 0.0)[0], mathieu_modcem2(n, q, 0.0)[0]
        total += first / (first - 1j * second) * mathieu_cem(n, q, 90.0)[0] * mathieu_cem(n, q, observation)[0]
    return 2 / np.pi * abs(2 * total) ** 2


for width in (0.5, 1.0, 2.0, 4.0):
    one = Solution([strip(-width / 2, width / 2, 60)], K, np.pi / 2)
    for observation in (270.0, 50.0):
        error = abs(one.echo_width(np.radians(observation))[0] / single(width, observation) - 1)
        require(f"strip of {width} wavelengths at {observation:.0f} deg, against its Mathieu series", error, 1e-9)
solution = grating(30)
angles = np.radians(np.arange(360.0))
change = np.max(np.abs(solution.echo_width(angles) - grating(20).echo_width(angles)))
require("refinement", change / np.max(solution.echo_width(angles)), 1e-10)

# Lobes of order m leave where sin(out) = sin(in) + m λ/d, on both sides.
fine = np.arange(0, 360, 0.01)
widths = solution.echo_width(np.radians(fine))
for order in (0, -1, -2):
    lobe = np.degrees(np.arcsin(np.sin(np.radians(INCIDENCE)) + order / PERIOD))
    for side, direction in (("through", lobe % 360), ("back", 180 - lobe)):
        near = np.abs(fine - direction) < 5
        peak = fine[near][np.argmax(widths[near])]
        print(f"  order {order} {side}: {direction:.2f} deg by the grating equation, peak at {peak:.2f} deg, "
              f"{10 * np.log10(widths[near].max()):.2f} dB over a wavelength")
named = {"through, order 0": 30, "through, order -1": 350, "through, order -2": 304, "mirrored, order 0": 150,
         "back, order -1": 190, "back, order -2": 236, "between lobes": 90}
agree("05-grating", {name: solution.echo_width(np.radians(angle))[0] for name, angle in named.items()})
