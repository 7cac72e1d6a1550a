"""The mesh of this case: `python mesh.py`, or `python mesh.py --help`. Lengths in millimeters."""
import pathlib
import sys

import numpy as np

sys.dont_write_bytecode = True  # folders here are cases
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from dgtd_meshes import OCC, arguments, around, groups, growing, mesh, skin, uniform, write

options = arguments(
    pathlib.Path(__file__).resolve().with_name("helix.msh"),
    plate=10.0, radius=4.8, pitch=7.0, turns=4.0, wire=1.0, feed=1.0, far=32.0, outside=50.0,
    size_wire=1.0, size_near=3.2, size_far=6.0,
)
SECTIONS = 16  # of each turn
ELBOW = 4  # sections of the bend from the port into the helix


def way():
    """Points on the middle of the bar, as angle around z and height, with their direction: upward from the port, around a
    bend of one and a half widths, and along the helix."""
    bend, slope = 1.5 * options.wire, np.arctan2(options.pitch, 2 * np.pi * options.radius)
    turned = np.linspace(0, np.pi / 2 - slope, ELBOW + 1)
    angles, heights = bend * (1 - np.cos(turned)) / options.radius, options.feed + bend * np.sin(turned)
    more = np.linspace(0, 2 * np.pi * options.turns, round(SECTIONS * options.turns) + 1)[1:]
    angles = np.append(angles, angles[-1] + more)
    heights = np.append(heights, heights[-1] + options.pitch * more / (2 * np.pi))
    steepness = np.append(np.pi / 2 - turned, np.full(len(more), slope))
    return zip(angles, heights, steepness)


def helix():
    """A bar of square section along its way."""
    wires = []
    for angle, height, steepness in way():
        out, on = np.array([np.cos(angle), np.sin(angle), 0]), np.array([-np.sin(angle), np.cos(angle), 0])
        up = np.cos(steepness) * np.array([0, 0, 1]) - np.sin(steepness) * on
        center = options.radius * out + [0, 0, height]
        corners = [center + options.wire / 2 * (a * out + b * up) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        points = [OCC.addPoint(*corner) for corner in corners]
        wires.append(OCC.addWire([OCC.addLine(points[i - 1], points[i]) for i in range(4)]))
    return [tag for dim, tag in OCC.addThruSections(wires, makeRuled=False) if dim == 3][0]


def port():
    """An upright rectangle between the plate and the middle of the bar's end."""
    x, half = options.radius, options.wire / 2
    corners = ((x - half, 0), (x + half, 0), (x + half, options.feed), (x - half, options.feed))
    points = [OCC.addPoint(x, 0, z) for x, z in corners]
    return OCC.addPlaneSurface([OCC.addCurveLoop([OCC.addLine(points[i - 1], points[i]) for i in range(4)])])


middle = (options.feed + options.pitch * options.turns) / 2
shells = [OCC.addSphere(0, 0, middle, radius) for radius in (options.far, options.outside)]
sheets = [(2, OCC.addDisk(0, 0, 0, options.plate, options.plate)), (2, port())]
(body, within, beyond), (plate, gap) = around(helix(), shells, sheets)
surface, outside, sphere = skin(body), skin(body | within | beyond), skin(body | within)
fields = [
    growing(options.size_wire, surface | gap, options.size_near, 0.4),
    growing(options.size_near / 2, plate, options.size_near, 0.4),
    uniform(options.size_near, within),
    uniform(options.size_far, beyond),
]
OCC.remove([(3, tag) for tag in body])
OCC.synchronize()
groups(3, air=within | beyond)
groups(2, helix=surface, plate=plate, port=gap, far=sphere, outside=outside)
mesh(fields)
write(options)
