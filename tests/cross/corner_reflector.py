"""The gallery's corner reflector by another method: references of cases/09-corner-reflector.

Two thin plates of three wavelengths at a right angle, TM, monostatic: one global trigonometric rule over both plates, with
the edges substituted away and the parameter graded toward the corner (reference/arcs.py). Verified here with the same
rule on a flat strip, whose middle is then graded for nothing, by refinement and with another grading; strip_grating.py
verifies the rule itself.
"""
import numpy as np
from reference.arcs import Arc, Solution, strip
from reference.figures import agree, require

K, ARM = 2 * np.pi, 3.0
ARRIVAL = {"on the axis": 90, "15 deg off": 75, "30 deg off": 60, "square to a plate": 45,
           "square to a plate's back": 315, "from behind": 270}
RIGHT, LEFT = np.exp(0.25j * np.pi), np.exp(0.75j * np.pi)


def corner(n, grading):
    """The corner at the origin, opening toward +y."""
    point = lambda u: ARM * np.where(u > 0, u * RIGHT, -u * LEFT)
    slope = lambda u: ARM * np.where(u > 0, RIGHT, -LEFT)
    return Solution([Arc(point, slope, n, grading)], K, np.radians(list(ARRIVAL.values())) + np.pi)


plain = Solution([strip(-2j, 2j, 80)], K, 0.3)
graded = Solution([strip(-2j, 2j, 160, grading=5)], K, 0.3)
require("a strip with a graded middle, against one without", abs(graded.echo_width(1.0) / plain.echo_width(1.0) - 1)[0], 1e-9)
fine = corner(240, 5)
for what, other in (("refinement", corner(160, 5)), ("another grading", corner(240, 4))):
    require(what, np.max(np.abs(other.monostatic() / fine.monostatic() - 1)), 1e-8)
for name, value in zip(ARRIVAL, fine.monostatic()):
    print(f"  {name}: {10 * np.log10(value):.2f} dB over a wavelength")
agree("09-corner-reflector", dict(zip(ARRIVAL, fine.monostatic())))
