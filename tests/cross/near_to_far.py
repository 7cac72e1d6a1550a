"""The far field of a dgtd run from the near field that it wrote, by the radiation integrals in NumPy.

With n the normal out of the surface, J = n x H and M = -n x E radiate (Balanis, Antenna Theory, 12-12 to 12-14)

    r E_theta = -j k/4 pi (L_phi + eta N_theta),   r E_phi = j k/4 pi (L_theta - eta N_phi)

with N and L the sums of J and M times e^{jk r'.r} and the areas. The run has a dipole off the origin, whose far field is known:
r E_theta = j k eta p sin(theta) e^{jk p.r}/4 pi along z (the same book, 4-26). The near field that the run wrote must have the far field that it
found by its own route, and both that of the dipole, up to the error of the mesh.
"""
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from reference.figures import require

C0, ETA = 299792458.0, 376.730313668
MOMENT, POSITION = 2e-3, np.array([0.02, -0.03, 0.04])  # A m along z, m
CASE = """version = 1
solver = "dgtd"
name = "dipole"

[geometry.box]
from = ["-0.525 m", "-0.525 m", "-0.525 m"]
to = ["0.525 m", "0.525 m", "0.525 m"]
cell_size = "0.15 m"
name = "pml"
regions = [
    { name = "air", from = ["-0.375 m", "-0.375 m", "-0.375 m"], to = ["0.375 m", "0.375 m", "0.375 m"] },
    { name = "vacuum", from = ["-0.225 m", "-0.225 m", "-0.225 m"], to = ["0.225 m", "0.225 m", "0.225 m"] },
]

[source]
frequency = ["250 MHz", "350 MHz"]
dipoles = [{ position = ["0.02 m", "-0.03 m", "0.04 m"], moment = [0, 0, 0.002] }]

[solve]
order = 2
precision = "single"

[output]
directivity = { theta = { from = "0 deg", to = "180 deg", points = 13 }, phi = { from = "0 deg", to = "330 deg", points = 12 } }
far_field_surface = "vacuum"
near_field = { surface = "vacuum" }
"""


def run(folder):
    """The arrays of its near field and of its directivity."""
    case = folder / "case.toml"
    case.write_text(CASE)
    command = [os.environ["PHASEFRONT"], "run", str(case), "--out", str(folder / "out"), "--device", "cpu", "-q"]
    subprocess.run(command, check=True)
    return tuple(np.load(folder / "out" / f"{name}.npz") for name in ("near_field", "directivity"))


def directions(theta, phi):
    """Unit vectors r, theta and phi, by angle."""
    st, ct, sp, cp = np.sin(theta), np.cos(theta), np.sin(phi), np.cos(phi)
    radial = np.stack([st * cp, st * sp, ct], -1)
    return radial, np.stack([ct * cp, ct * sp, -st], -1), np.stack([-sp, cp, 0 * sp], -1)


def far_field(near, frequency, axes):
    """r E_theta and r E_phi of the near field."""
    radial, along_theta, along_phi = axes
    column = int(np.flatnonzero(near["frequency_hz"] == frequency)[0])
    vector = lambda name, unit="": np.stack([near[f"{name}{x}{unit}"] for x in "xyz"], -1)
    position, normal, area = vector("", "_m"), vector("normal_"), near["area_m2"]
    e, h = (np.stack([near[f"{name}_{x}"][column] for x in "xyz"], -1) for name in "eh")
    k = 2 * np.pi * frequency / C0
    phase = area * np.exp(1j * k * radial @ position.T)
    n, l = phase @ np.cross(normal, h), phase @ -np.cross(normal, e)
    part = lambda vectors, axis: np.sum(vectors * axis, -1)
    factor = 1j * k / (4 * np.pi)
    e_theta = -factor * (part(l, along_phi) + ETA * part(n, along_theta))
    return e_theta, factor * (part(l, along_theta) - ETA * part(n, along_phi))


def dipole(frequency, axes):
    """The same of the dipole."""
    k = 2 * np.pi * frequency / C0
    amplitude = 1j * k * ETA * MOMENT / (4 * np.pi) * np.exp(1j * k * axes[0] @ POSITION)
    return -amplitude * axes[1][..., 2], 0 * amplitude


def apart(found, expected):
    """Largest difference of two far fields, relative to the largest field."""
    difference = np.hypot(*(abs(a - b) for a, b in zip(found, expected)))
    return difference.max() / np.hypot(*(abs(part) for part in expected)).max()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        near, far = run(Path(temporary))
        for i, frequency in enumerate(near["frequency_hz"]):
            axes = directions(np.radians(far["theta_deg"]), np.radians(far["phi_deg"]))
            own = far["e_theta"][i], far["e_phi"][i]
            found = far_field(near, frequency, axes)
            exact = dipole(frequency, axes)
            require(f"far field by NumPy and that of the run, {frequency:.2e} Hz", apart(found, own), 1e-6)
            require("the same and that of the dipole", apart(found, exact), 0.03)
