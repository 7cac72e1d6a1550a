"""The mesh of this case: `python mesh.py`, or `python mesh.py --help`."""
import pathlib
import sys

sys.dont_write_bytecode = True  # folders here are cases
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from dgtd_sphere import sphere

sphere(
    pathlib.Path(__file__).resolve(), conductor=False,
    radius=0.3, box=0.7, gap=0.1, layer=0.4, size_body=0.06, size_air=0.11, size_layer=0.1,
)
