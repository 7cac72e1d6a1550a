#!/usr/bin/env python3
"""Writes dipole.npz: E and H of a Hertzian dipole along z on a cube around it, in closed form (Balanis, Antenna Theory, 4-8 and 4-10).

The arrays are those of the near_field.npz of a run with `near_field` in [output]. Needs NumPy.
"""
from pathlib import Path

import numpy as np

SPEED_OF_LIGHT = 299792458.0
ETA = 376.730313668
MOMENT = 1e-3  # A m
FREQUENCIES = np.array([250e6, 350e6])
HALF, COUNT = 0.08, 8  # half a side of the cube, m, and points along it


def cube():
    """Positions, normals and areas: the middles of equal squares on the sides."""
    step = 2 * HALF / COUNT
    along = step * (np.arange(COUNT) + 0.5) - HALF
    u, v = (grid.ravel() for grid in np.meshgrid(along, along))
    positions, normals = [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            side = np.zeros((u.size, 3))
            side[:, axis] = sign * HALF
            side[:, (axis + 1) % 3], side[:, (axis + 2) % 3] = u, v
            normal = np.zeros_like(side)
            normal[:, axis] = sign
            positions.append(side)
            normals.append(normal)
    return np.concatenate(positions), np.concatenate(normals), np.full(6 * u.size, step**2)


def fields(positions, frequency):
    """E and H, peak values for e^{+jwt}."""
    r = np.linalg.norm(positions, axis=1)
    n = positions / r[:, None]
    jkr = 2j * np.pi * frequency / SPEED_OF_LIGHT * r
    wave = MOMENT * jkr * np.exp(-jkr) / (4 * np.pi * r**2)
    near = 1 / jkr + 1 / jkr**2
    dipole = np.array([0.0, 0.0, 1.0])
    radial = n * n[:, 2:]
    e = ETA * wave[:, None] * (2 * near[:, None] * radial - (1 + near)[:, None] * (dipole - radial))
    h = (wave * (1 + 1 / jkr))[:, None] * np.cross(dipole, n)
    return e, h


def main():
    positions, normals, areas = cube()
    e, h = (np.array(part) for part in zip(*(fields(positions, f) for f in FREQUENCIES)))
    arrays = {"frequency_hz": FREQUENCIES, "eps_r": np.ones(1), "mu_r": np.ones(1), "area_m2": areas}
    for axis, name in enumerate("xyz"):
        arrays |= {f"{name}_m": positions[:, axis], f"normal_{name}": normals[:, axis]}
        arrays |= {f"e_{name}": e[:, :, axis], f"h_{name}": h[:, :, axis]}
    np.savez_compressed(Path(__file__).parent / "dipole.npz", **arrays)


if __name__ == "__main__":
    main()
