"""The mesh of this case: `python mesh.py`, or `python mesh.py --help`. Lengths in millimeters."""
import pathlib
import sys

sys.dont_write_bytecode = True  # folders here are cases
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from dgtd_meshes import OCC, arguments, around, boxes, groups, growing, mesh, skin, uniform, write

options = arguments(
    pathlib.Path(__file__).resolve().with_name("dipole.msh"), length=140.0, width=10.0, feed=10.0,
    margin=40.0, gap=40.0, layer=120.0, size_strip=10.0, size_air=50.0, size_layer=60.0,
)
# A flat strip in the plane x = 0, along z, of three rectangles: two arms and the port between them.
half, side, feed = options.length / 2, options.width / 2, options.feed / 2


def rectangle(low, high):
    points = [OCC.addPoint(0, y, z) for y, z in ((-side, low), (side, low), (side, high), (-side, high))]
    return OCC.addPlaneSurface([OCC.addCurveLoop([OCC.addLine(points[i - 1], points[i]) for i in range(4)])])


sheets = [rectangle(-half, -feed), rectangle(-feed, feed), rectangle(feed, half)]
margin = options.margin
low, high = [-margin, -side - margin, -half - margin], [margin, side + margin, half + margin]
shells = boxes(low, high, options.gap, options.layer)
(_, within, beyond, layer), (lower, port, upper) = around(None, shells, [(2, sheet) for sheet in sheets])
fields = [
    growing(options.size_strip, lower | port | upper, options.size_air, 0.5),
    uniform(options.size_air, within | beyond),
    uniform(options.size_layer, layer),
]
groups(3, air=within | beyond, pml=layer)
groups(2, arms=lower | upper, port=port, huygens=skin(within))
mesh(fields)
write(options)
