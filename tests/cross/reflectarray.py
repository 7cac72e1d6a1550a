"""A finished reflectarray design evaluated again: the sums of elements.csv, term by term, against directivity.npz and coverage.csv.

Run by ./test with $PHASEFRONT naming the binary. A small synthesis moves and phases 24 x 24 elements, enough for sums by nonuniform FFT;
from the positions and phases that it leaves, the wave of the feed, the pattern, the radiated power (in closed form, and by quadrature over
the half space to check that), D, D_mean and D_min are recomputed with the formulas of docs/reflectarray.md.
"""
import csv
import os
import subprocess
import tempfile

import numpy as np
from reference.figures import require
from scipy.special import j1

FREQUENCY, OFFSET, HEIGHT, EXPONENT = 14.25e9, 0.12, 0.36, 6.0
CENTER, SEMI_AXES = (0.05, 0.12), (0.14, 0.09)
CASE = f"""
version = 1
solver = "reflectarray"
name = "cross"

[geometry]
elements = [24, 24]
spacing = "0.6 lambda"
placement = {{ min_spacing = "0.5 lambda", max_spacing = "0.7 lambda" }}
feed = {{ offset = "{OFFSET} m", height = "{HEIGHT} m", power_exponent = {2 * EXPONENT} }}

[[geometry.coverage]]
ellipse = {{ center = [{CENTER[0]}, {CENTER[1]}], semi_axes = [{SEMI_AXES[0]}, {SEMI_AXES[1]}] }}

[source]
frequency = "{FREQUENCY} Hz"

[solve]
starts = 2
modal_iterations = 10
element_iterations = 30
polish_iterations = 20
"""
BETA = 2 * np.pi * FREQUENCY / 299792458.0


def columns(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


def excitations(x, y, phase):
    """cos^m(θ) e^{-jβr}/r e^{jψ}, θ from the line between the feed and the middle of the array."""
    r = np.sqrt(x**2 + (y + OFFSET) ** 2 + HEIGHT**2)
    cosine = ((y + OFFSET) * OFFSET + HEIGHT**2) / (r * np.hypot(OFFSET, HEIGHT))
    return cosine**EXPONENT / r * np.exp(1j * (phase - BETA * r))


def intensity(u, v, x, y, a):
    """|E|² with elements of the power pattern cos θ."""
    total = np.exp(1j * BETA * (np.multiply.outer(u, x) + np.multiply.outer(v, y))) @ a
    return np.sqrt(1 - u**2 - v**2) * np.abs(total) ** 2


def radiated(x, y, a):
    """Σ a_m a_n* κ(β d_mn), κ(t) = 2π J₁(t)/t."""
    t = BETA * np.hypot(np.subtract.outer(x, x), np.subtract.outer(y, y))
    kappa = np.full(t.shape, np.pi)
    np.divide(2 * np.pi * j1(t), t, out=kappa, where=t > 0)
    return np.real(a @ kappa @ a.conj())


def radiated_by_quadrature(x, y, a):
    """∫|E|² dΩ over the half space: Gauss-Legendre in θ, even steps in φ."""
    nodes, weights = np.polynomial.legendre.leggauss(160)
    theta = (nodes + 1) * np.pi / 4
    phi = np.arange(320) * 2 * np.pi / 320
    u, v = (np.multiply.outer(np.sin(theta), f(phi)) for f in (np.cos, np.sin))
    ring = intensity(u, v, x, y, a).sum(axis=1) * 2 * np.pi / len(phi)
    return np.sum(ring * np.sin(theta) * weights) * np.pi / 4


def run(folder):
    case, out = os.path.join(folder, "case.toml"), os.path.join(folder, "out")
    with open(case, "w") as file:
        file.write(CASE)
    device = os.environ.get("PHASEFRONT_DEVICE", "cpu")
    subprocess.run([os.environ["PHASEFRONT"], "run", case, "--out", out, "--device", device, "--quiet"], check=True)
    elements = {name: np.array(values, float) for name, values in columns(os.path.join(out, "elements.csv")).items()}
    return elements, columns(os.path.join(out, "coverage.csv")), dict(np.load(os.path.join(out, "directivity.npz")))


with tempfile.TemporaryDirectory() as temporary:
    elements, coverage, pattern = run(temporary)
x, y, phase = elements["x_m"], elements["y_m"], np.radians(elements["phase_deg"])
a = excitations(x, y, phase)
power = radiated(x, y, a)
require("P_rad, closed form against quadrature", abs(radiated_by_quadrature(x, y, a) / power - 1), 1e-9)
ratio = elements["amplitude"] / np.abs(a)
require("illumination, up to its scale", np.ptp(ratio) / ratio[0], 1e-9)
lattice = np.round(x / (0.6 * 2 * np.pi / BETA), 6)
if len(np.unique(lattice)) <= 24:
    raise SystemExit("the elements have not left the lattice: this should test them scattered")

u, v = np.meshgrid(pattern["u"], pattern["v"])
d = 10 * np.log10(4 * np.pi * intensity(u, v, x, y, a) / power)
bright = d > d.max() - 30
require("D on the window, dB", np.max(np.abs(d - pattern["d_dbi"])[bright]), 1e-5)

# A polygon of many corners stands for the ellipse, and samples outside of it by up to half a diagonal of their cells count too. Distances
# from an ellipse lie between (reach - 1) times its shorter and its longer semi-axis.
rim = (u[0, 1] - u[0, 0]) / np.sqrt(2)
reach = np.hypot((u - CENTER[0]) / SEMI_AXES[0], (v - CENTER[1]) / SEMI_AXES[1])
covered = pattern["mask"] > 0
beyond = reach - 1
if not (covered[beyond * max(SEMI_AXES) < 0.9 * rim].all() and not covered[beyond * min(SEMI_AXES) > rim].any()):
    raise SystemExit("the mask of directivity.npz is not the ellipse of the case")
figures = {name: coverage[name][coverage["region"].index("all")] for name in coverage}
if int(figures["samples"]) != covered.sum():
    raise SystemExit(f"coverage.csv has {figures['samples']} samples, the mask {covered.sum()}")
require(f"D_mean, {figures['d_mean_dbi']} dBi, dB", abs(d[covered].mean() - float(figures["d_mean_dbi"])), 1e-6)
require(f"D_min, {figures['d_min_dbi']} dBi, dB", abs(d[covered].min() - float(figures["d_min_dbi"])), 1e-6)
