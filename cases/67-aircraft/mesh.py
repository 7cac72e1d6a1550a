"""The mesh of this case: `python mesh.py`, or `python mesh.py --help`. Lengths in meters."""
import math
import pathlib
import sys

sys.dont_write_bytecode = True  # folders here are cases
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from dgtd_meshes import OCC, arguments, around, boxes, groups, growing, mesh, skin, uniform, write

# A jet with a delta wing and canards, 13.1 m long, 7.05 m wide and 3.2 m high. The nose is at x = 0, the tail at +x, up is +z.
LENGTH, SPAN, TOP, BOTTOM = 13.1, 7.05, 2.35, -0.85
# The fuselage, blunt at both ends: where it is how thick, x and radius: control points of a B-spline.
FUSELAGE = [(0.0, 0.12), (1.0, 0.4), (3.0, 0.85), (6.0, 0.85), (8.0, 0.85), (10.0, 0.85), (LENGTH, 0.45)]
# Each fin from its root to its tip: leading edge (x, y, z), chord, and thickness.
WING = [((5.6, 0.3, -0.15), 5.9, 0.36), ((9.9, SPAN / 2, -0.15), 1.3, 0.16)]
CANARD = [((3.6, 0.3, 0.3), 1.9, 0.22), ((4.9, 1.75, 0.45), 0.7, 0.12)]
FIN = [((9.0, 0.0, 0.4), 3.4, 0.34), ((11.6, 0.0, TOP), 1.0, 0.14)]


def fuselage():
    """A curve turned around x."""
    points = [OCC.addPoint(x, 0, -r) for x, r in FUSELAGE]
    back, front = OCC.addPoint(LENGTH, 0, 0), OCC.addPoint(0, 0, 0)
    ends = [OCC.addLine(points[-1], back), OCC.addLine(back, front), OCC.addLine(front, points[0])]
    half = OCC.addPlaneSurface([OCC.addCurveLoop([OCC.addBSpline(points), *ends])])
    body = [e for e in OCC.revolve([(2, half)], 0, 0, 0, 1, 0, 0, 2 * math.pi) if e[0] == 3]
    OCC.remove([(2, half)], recursive=True)
    return body[0]


def fin(ends, upright=False, side=1):
    """A body with a section of four sides, sharp before and behind, from root to tip."""
    wires = []
    for (x, y, z), chord, thickness in ends:
        across = (0, thickness / 2, 0) if upright else (0, 0, thickness / 2)
        corners = [(0, 0), (0.45, 1), (1, 0), (0.45, -1)]
        points = [OCC.addPoint(x + chord * u, side * y + v * across[1], z + v * across[2]) for u, v in corners]
        wires.append(OCC.addWire([OCC.addLine(points[i - 1], points[i]) for i in range(4)]))
    return [e for e in OCC.addThruSections(wires, makeRuled=True) if e[0] == 3][0]


options = arguments(
    pathlib.Path(__file__).resolve().with_name("aircraft.msh"),
    gap=0.5, layer=1.0, size_skin=0.14, size_air=0.21, size_layer=0.21,
)
fins = [fin(ends, side=side) for ends in (WING, CANARD) for side in (1, -1)] + [fin(FIN, upright=True)]
(body,), _ = OCC.fuse([fuselage()], fins)
# The air is 17.5 x 10.8 x 5.75 m, with the aircraft in its middle; the Huygens box ends `gap` before it.
middle = (LENGTH / 2, 0, (TOP + BOTTOM) / 2)
half = [side / 2 - options.gap for side in (17.5, 10.8, 5.75)]
low, high = ([m + sign * h for m, h in zip(middle, half)] for sign in (-1, 1))
(body, within, beyond, layer), _ = around(body[1], boxes(low, high, options.gap, options.layer))
surface, huygens = skin(body), skin(body | within)
fields = [
    growing(options.size_skin, surface, options.size_air, 0.3),
    uniform(options.size_air, within | beyond),
    uniform(options.size_layer, layer),
]
OCC.remove([(3, tag) for tag in body])
OCC.synchronize()
groups(3, air=within | beyond, pml=layer)
groups(2, skin=surface, huygens=huygens)
mesh(fields)
write(options)
