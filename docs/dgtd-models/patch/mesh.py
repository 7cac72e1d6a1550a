"""The mesh of this model: `python mesh.py`, or `python mesh.py --help`. Lengths in millimeters."""
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "cases"))
from dgtd_meshes import OCC, around, arguments, box, boxes, groups, growing, mesh, skin, uniform, write

options = arguments(
    pathlib.Path(__file__).resolve().with_name("patch.msh"), length=40.0, width=50.0, height=3.175, feed=12.0, strip=3.0,
    board=80.0, margin=20.0, gap=15.0, layer=40.0, size_patch=4.0, size_board=9.0, size_air=16.0, size_layer=20.0,
)
# A board from z = 0, where the ground is, to the patch; the patch resonates along x and is fed at `feed` from its edge.
half, side, top = options.board / 2, options.width / 2, options.height
board = box([-half, -half, 0], [half, half, top])
ground = OCC.addRectangle(-half, -half, 0, options.board, options.board)
patch = OCC.addRectangle(-options.length / 2, -side, top, options.length, options.width)
x, strip = options.feed - options.length / 2, options.strip / 2
points = [OCC.addPoint(x, y, z) for y, z in ((-strip, 0), (strip, 0), (strip, top), (-strip, top))]
port = OCC.addPlaneSurface([OCC.addCurveLoop([OCC.addLine(points[i - 1], points[i]) for i in range(4)])])
low, high = [-half - options.margin] * 2 + [-options.margin], [half + options.margin] * 2 + [top + options.margin]
shells = boxes(low, high, options.gap, options.layer)
inside = [(3, board), (2, ground), (2, patch), (2, port)]
(_, within, beyond, layer), (board, ground, patch, port) = around(None, shells, inside)
fields = [
    growing(options.size_patch, patch | port, options.size_air, 0.4),
    uniform(options.size_board, board, ground),
    uniform(options.size_air, within | beyond),
    uniform(options.size_layer, layer),
]
groups(3, board=board, air=(within | beyond) - board, pml=layer)
groups(2, ground=ground, patch=patch, port=port, huygens=skin(within))
mesh(fields)
write(options)
