"""The mesh of this case: `python mesh.py`, or `python mesh.py --help`. Lengths in meters."""
import pathlib
import sys

import numpy as np

sys.dont_write_bytecode = True  # folders here are cases
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from dgtd_meshes import OCC, arguments, around, boxes, gmsh, groups, growing, mesh, skin, uniform, write

# The NASA almond (Woo, Wang, Schuh, Sanders, IEEE Antennas Propag. Mag. 35 (1993) 84) in parts of its length d, with the
# blunt end at -x. Its sections are ellipses of one shape, so it is a body of revolution made flatter.
BLUNT, WIDTH, POINTED, FLATNESS = 0.416667, 0.193333, 0.583333, 1 / 3
# y = R (sqrt(1 - (x/L)^2) - 0.96) for the pointed part: an arc of an ellipse around (0, -0.96 R), that meets the blunt part.
R, L = WIDTH / 0.04, 2.08335
LEAST_JACOBIAN = 0.5


def almond(d):
    """Half an ellipsoid, and the arc of an ellipse turned around x up to the tip, in two halves, so that the sharp rim is an
    edge that elements keep to; then flattened."""
    tail, top, tip = (OCC.addPoint(x * d, y * d, 0) for x, y in ((-BLUNT, 0), (0, WIDTH), (POINTED, 0)))
    center, below = OCC.addPoint(0, 0, 0), OCC.addPoint(0, -0.96 * R * d, 0)
    side = OCC.addPoint(0, (R - 0.96 * R) * d, 0)
    arcs = [OCC.addEllipseArc(tail, center, tail, top), OCC.addEllipseArc(top, below, side, tip)]
    half = OCC.addPlaneSurface([OCC.addCurveLoop([*arcs, OCC.addLine(tip, tail)])])
    upper, lower = ([e for e in OCC.revolve([(2, half)], 0, 0, 0, 1, 0, 0, turn) if e[0] == 3] for turn in (np.pi, -np.pi))
    body, _ = OCC.fuse(upper, lower)
    OCC.dilate(body, 0, 0, 0, 1, 1, FLATNESS)
    OCC.remove([(2, half)], recursive=True)
    return body[0][1]


def at_tip(d):
    """A size that grows from the tip, where the rim is sharpest."""
    field = gmsh.model.mesh.field.add("Ball")
    values = {"XCenter": POINTED * d, "VIn": options.size_tip, "VOut": options.size_air, "Thickness": 0.2 * d}
    for name, value in values.items():
        gmsh.model.mesh.field.setNumber(field, name, value)
    return field


def onto_almond(place, d):
    """The point of the almond next to one that is near it: on the line from its middle, or, of the pointed part, from its axis."""
    x, y, z = place / d
    if x < 0:
        return place / np.sqrt((x / BLUNT) ** 2 + (y / WIDTH) ** 2 + (z / WIDTH / FLATNESS) ** 2)
    radius = R * (np.sqrt(1 - (x / L) ** 2) - 0.96)
    return place * [1, *[radius / np.hypot(y, z / FLATNESS)] * 2]


def bent_too_far():
    """The nodes of the tetrahedra whose Jacobian at its least is less than LEAST_JACOBIAN times that at its largest."""
    tags, nodes = gmsh.model.mesh.getElementsByType(11)
    least, largest = (np.array(gmsh.model.mesh.getElementQualities(tags, f"{m}DetJac")) for m in ("min", "max"))
    return set(nodes.reshape(-1, 10)[least < LEAST_JACOBIAN * largest].ravel())


def curve(surface, d):
    """Makes the mesh one of second order, with nodes on the almond. Gmsh would find them by the parameters of the surface,
    which are singular at the ends. Where that would bend elements too far, near the tip, they go only part of the way."""
    gmsh.option.setNumber("Mesh.SecondOrderLinear", 1)
    gmsh.model.mesh.setOrder(2)
    triangles = [gmsh.model.mesh.getElements(2, tag)[2][0].reshape(-1, 6) for tag in surface]
    middles = np.unique(np.concatenate(triangles)[:, 3:])
    straight = {node: gmsh.model.mesh.getNode(node)[0] for node in middles}
    way = {node: onto_almond(place, d) - place for node, place in straight.items()}
    moved = set(middles)
    while moved:
        for node in moved:
            gmsh.model.mesh.setNode(node, straight[node] + way[node], [])
        moved = bent_too_far() & set(middles)
        way |= {node: way[node] / 2 for node in moved}


options = arguments(
    pathlib.Path(__file__).resolve().with_name("almond.msh"),
    length=2.499, margin=0.2, gap=0.1, layer=0.4, size_tip=0.04, size_skin=0.05, size_air=0.1, size_layer=0.1,
)
d = options.length
sizes = [(-BLUNT * d, POINTED * d), (-WIDTH * d, WIDTH * d), (-WIDTH * d * FLATNESS, WIDTH * d * FLATNESS)]
low, high = ([sign * options.margin + s[i] for s in sizes] for i, sign in ((0, -1), (1, 1)))
(body, within, beyond, layer), _ = around(almond(d), boxes(low, high, options.gap, options.layer))
surface, huygens = skin(body), skin(body | within)
fields = [
    at_tip(d),
    growing(options.size_skin, surface, options.size_air, 0.3),
    uniform(options.size_air, within | beyond),
    uniform(options.size_layer, layer),
]
OCC.remove([(3, tag) for tag in body])
OCC.synchronize()
groups(3, air=within | beyond, pml=layer)
groups(2, skin=surface, huygens=huygens)
gmsh.option.setNumber("Mesh.Algorithm", 5)  # Delaunay: of all, the one that never fails at the tip
mesh(fields)
curve(surface, d)
write(options)
