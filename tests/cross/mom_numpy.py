"""Solves a case again with NumPy and SciPy and compares every number that phasefront wrote.

Run by ./test with $PHASEFRONT naming the binary. Only the cells (position and length) are taken from the result:
matrix, right-hand side, solution, echo width and near field are recomputed with SciPy's Hankel functions and
LAPACK's LU. It also shows that CSV and NPZ open in NumPy as they should.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy.special import hankel2

CASE = """
version = 1
solver = "mom"
name = "cross"

[geometry]
bodies = [
    { shape = "ellipse", semi_axes = ["60 cm", "25 cm"], center = ["-50 cm", "10 cm"], rotation = "25 deg", cells = 120 },
    { shape = "polygon", points = [["50 cm", "-30 cm"], ["90 cm", "-30 cm"], ["70 cm", "40 cm"]], cells = 90 },
]

[source]
frequency = "450 MHz"
polarization = "TM"
arrival = "200 deg"

[solve]
method = "pulse"

[output]
echo_width = { from = "0 deg", to = "350 deg", points = 36 }
near_field = { x = { from = "-2 m", to = "2 m", points = 9 }, y = { from = "-2 m", to = "-1 m", points = 5 } }
"""
C0, ETA = 299792458.0, 1.25663706212e-6 * 299792458.0
GAMMA = 1.781072417990198


def columns(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def close(name, got, expected, tolerance):
    error = np.max(np.abs(got - expected)) / np.max(np.abs(expected))
    print(f"  {name}: largest difference {error:.1e} of the largest value")
    if not error < tolerance:
        sys.exit(f"{name} differs by {error:.1e}, more than {tolerance:.0e}")


with tempfile.TemporaryDirectory() as folder:
    case, out = os.path.join(folder, "case.toml"), os.path.join(folder, "out")
    with open(case, "w") as file:
        file.write(CASE)
    device = os.environ.get("PHASEFRONT_DEVICE", "cpu")
    subprocess.run([os.environ["PHASEFRONT"], "run", case, "--out", out, "--device", device, "--quiet"], check=True)
    with open(os.path.join(out, "result.json")) as file:
        result = json.load(file)
    current = columns(os.path.join(out, "currents.csv"))
    echo = columns(os.path.join(out, "echo_width.csv"))
    field = dict(np.load(os.path.join(out, "near_field.npz")))

k, n = 2 * np.pi * 450e6 / C0, len(current["s_m"])
assert n == result["metrics"]["unknowns"] == 210, n
direction = np.radians(200 - 180)
x, y, body, s = current["x_m"], current["y_m"], current["body"], current["s_m"]
# Arc lengths of the cells from the positions along the bodies: s is at the middle of each.
w = np.empty(n)
for b in (0, 1):
    start = 0.0
    for i in np.flatnonzero(body == b):
        w[i] = 2 * (s[i] - start)
        start += w[i]

distance = np.hypot(x[:, None] - x, y[:, None] - y)
np.fill_diagonal(distance, 1.0)
z = k * ETA / 4 * w * hankel2(0, k * distance)
np.fill_diagonal(z, k * ETA / 4 * w * (1 - 2j / np.pi * (np.log(GAMMA * k * w / 4) - 1)))
j = np.linalg.solve(z, np.exp(-1j * k * (x * np.cos(direction) + y * np.sin(direction))))
close("current", current["re"] + 1j * current["im"], j, 1e-10)

phi = np.radians(echo["observation_deg"])[:, None]
sums = np.exp(1j * k * (x * np.cos(phi) + y * np.sin(phi))) @ (j * w)
close("echo width", echo["sigma_m"], k * ETA**2 / 4 * np.abs(sums) ** 2, 1e-10)
close("echo width in dB", 10 ** (echo["sigma_db_m"] / 10), echo["sigma_m"], 1e-12)
close("echo width in wavelengths", echo["sigma_over_lambda"] * C0 / 450e6, echo["sigma_m"], 1e-12)

assert field["e_total"].dtype == np.complex128 and field["e_total"].shape == (5, 9)
gx, gy = np.meshgrid(field["x"], field["y"])
reach = k * np.hypot(gx[..., None] - x, gy[..., None] - y)
close("scattered field", field["e_scattered"], -k * ETA / 4 * hankel2(0, reach) @ (j * w), 1e-10)
incident = np.exp(-1j * k * (gx * np.cos(direction) + gy * np.sin(direction)))
close("total field", field["e_total"], incident + field["e_scattered"], 1e-12)
print("NumPy and SciPy agree with phasefront.")
