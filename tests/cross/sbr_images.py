"""A range profile, an ISAR image and hot spots of a sphere, computed again with NumPy from the amplitudes in rcs.csv.

Run by ./test with $PHASEFRONT naming the binary. Profile and image are evaluated by their sums, with the Taylor window of SciPy;
phasefront takes an FFT and a nonuniform FFT. The surface is read by meshio, as ParaView would.
"""
import os
import pathlib
import subprocess
import tempfile

import meshio
import numpy as np
from reference.figures import require
from scipy.signal.windows import taylor

C0, RADIUS = 299792458.0, 0.3
CASE = """
version = 1
solver = "sbr"
name = "sphere-images"
[geometry]
target = { shape = "sphere", radius = "0.3 m", cells = 12 }
[source]
frequency = { from = "8 GHz", to = "12 GHz", points = 24 }
theta = "90 deg"
phi = { from = "16 deg", to = "24 deg", points = 17 }
[solve]
bounces = 1
[output]
range_profile = { window = "taylor", oversampling = 4 }
isar = { window = "taylor", oversampling = 3 }
hotspots = { theta = "90 deg", phi = "20 deg", frequency = "8 GHz" }
"""


def columns(path):
    with open(path, encoding="utf-8") as file:
        return np.genfromtxt(file, delimiter=",", names=True)


def window(count):
    return taylor(count, nbar=4, sll=35, norm=False)


with tempfile.TemporaryDirectory() as folder:
    case, out = pathlib.Path(folder) / "case.toml", pathlib.Path(folder) / "out"
    case.write_text(CASE, encoding="utf-8")
    device = os.environ.get("PHASEFRONT_DEVICE", "cpu")
    subprocess.run([os.environ["PHASEFRONT"], "run", case, "--out", out, "--device", device, "--quiet"], check=True)
    rcs, profile, image = columns(out / "rcs.csv"), columns(out / "range_profile.csv"), np.load(out / "isar.npz")
    surface = meshio.read(out / "hotspots.vtu")

k = 2 * np.pi * np.unique(rcs["frequency_hz"]) / C0
phi = np.radians(np.unique(rcs["phi_in_deg"]))
# Frequencies are the outer order of the table, directions the inner one.
vv = (rcs["vv_re_m"] + 1j * rcs["vv_im_m"]).reshape(len(k), len(phi))

# a(R) = Σ w S e^{+j2kR} / Σ w at the first direction.
here = profile["phi_deg"] == profile["phi_deg"][0]
ranges, levels, weights = profile["range_m"][here], profile["vv_dbsm"][here], window(len(k))
echo = np.exp(2j * np.outer(ranges, k)) @ (weights * vv[:, 0]) / weights.sum()
again = np.sqrt(4 * np.pi) * np.abs(echo)
require("range profile, against its sum", np.max(np.abs(again - 10 ** (levels / 20))) / again.max(), 1e-9)
cell = C0 / 2 / 4e9
require("the sphere's nearest point, in cells", abs(ranges[np.argmax(levels)] + RADIUS) / cell, 0.3)

# a(x) = Σ W S e^{−j2k(x_u cos φ + x_v sin φ)} / Σ W with W = k w(k) w(φ), φ from the middle; down range is −x_u.
turn = phi - phi.mean()
weights = np.outer(k * window(len(k)), window(len(phi)))
ku, kv = 2 * np.outer(k, np.cos(turn)), 2 * np.outer(k, np.sin(turn))
down, cross = image["down_range_m"], image["cross_range_m"]
values = (weights * vv / weights.sum()).ravel()
along, across = np.exp(1j * np.outer(down, ku.ravel())), np.exp(-1j * np.outer(cross, kv.ravel()))
again = (along * values) @ across.T
require("image, against its sum", np.max(np.abs(again - image["vv_m"])) / np.abs(again).max(), 1e-6)

# What a convex body sends back leaves the side that is lit.
corners = surface.points[surface.cells_dict["triangle"]]
normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
area = 0.5 * np.linalg.norm(normals, axis=1).sum()
require("area of the surface, against the sphere's", abs(area / (4 * np.pi * RADIUS**2) - 1), 1e-2)
middle = np.radians(20)
facing = normals @ [np.cos(middle), np.sin(middle), 0] / np.linalg.norm(normals, axis=1)
hot = surface.cell_data["vv_dbsm"][0]
require("triangles that are lit and cold", np.sum(~np.isfinite(hot[facing > 0.02])), 0)
require("triangles that are dark and hot", np.sum(np.isfinite(hot[facing < -0.02])), 0)
