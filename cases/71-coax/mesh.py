"""The mesh of this case: `python mesh.py`, or `python mesh.py --help`. Lengths in millimeters."""
import math
import pathlib
import sys

sys.dont_write_bytecode = True  # folders here are cases
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from dgtd_meshes import OCC, arguments, gmsh, groups, growing, mesh, skin, write

options = arguments(pathlib.Path(__file__).resolve().with_name("coax.msh"), inner=1.0, outer=2.3, length=12.0, sides=16)
solids = [OCC.addCylinder(0, 0, 0, 0, 0, options.length, r) for r in (options.outer, options.inner)]
[(_, line)], _ = OCC.cut([(3, solids[0])], [(3, solids[1])])
OCC.synchronize()
named = {"feed": set(), "end": set(), "inner": set(), "outer": set()}
for surface in skin({line}):
    x, _, low, X, _, high = gmsh.model.getBoundingBox(2, surface)
    wide = X - x > options.inner + options.outer
    flat = high - low < options.length / 2
    name = ("feed" if low < options.length / 2 else "end") if flat else ("outer" if wide else "inner")
    named[name].add(surface)
groups(3, air={line})
groups(2, **named)
# At first order both circles become polygons. With as many sides they shrink alike, and b/a stays.
for _, curve in gmsh.model.getEntities(1):
    if gmsh.model.getType(1, curve) == "Circle":
        gmsh.model.mesh.setTransfiniteCurve(curve, options.sides + 1)
inner, outer = (2 * math.pi * radius / options.sides for radius in (options.inner, options.outer))
mesh([growing(inner, named["inner"], outer, (outer - inner) / (options.outer - options.inner))])
write(options, loss=0.03)
