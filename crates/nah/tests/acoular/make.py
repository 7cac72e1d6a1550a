"""Beamforming maps of Acoular (https://acoular.org) for cross-spectra in closed form, which tests/physics/acoular.rs
makes again: `pip install acoular==26.8 && python make.py > acoular-26.8.csv`.

20 microphones on a spiral, at 4 kHz; three monopoles, one of them off the focus points and one behind their plane, and
noise of each microphone. Steering vectors are Acoular's "true level", normalized to a distance of 1 m as here.
"""

import numpy as np
from acoular import (
    BeamformerBase, BeamformerCleansc, BeamformerFunctional, Environment, MicGeom, PowerSpectraImport, RectGrid, SteeringVector,
)

COUNT, FREQUENCY, SPEED, DISTANCE = 20, 4000.0, 343.2, 0.4
SOURCES = [((-0.10, 0.05, 0.0), 1.0), ((0.117, -0.033, 0.0), 0.5), ((0.0, 0.12, -0.05), 0.25)]
NOISE = 0.8


def microphone(m):
    radius = 0.25 * np.sqrt((m + 0.5) / COUNT)
    angle = 2.4 * m
    return np.array([radius * np.cos(angle), radius * np.sin(angle), DISTANCE])


microphones = np.array([microphone(m) for m in range(COUNT)])
k = 2 * np.pi * FREQUENCY / SPEED


def pressure(source):
    r = np.linalg.norm(microphones - np.array(source), axis=1)
    return np.exp(-1j * k * r) / r


csm = NOISE * np.diag(1 + np.arange(COUNT) / COUNT).astype(complex)
for source, power in SOURCES:
    p = pressure(source)
    csm += power * np.outer(p, p.conj())

mics = MicGeom(pos_total=microphones.T)
grid = RectGrid(x_min=-0.2, x_max=0.2, y_min=-0.2, y_max=0.2, z=0.0, increment=0.04)
steer = SteeringVector(grid=grid, mics=mics, env=Environment(c=SPEED), steer_type="true level", ref=1.0)
spectra = PowerSpectraImport(csm=csm[None], frequencies=np.array([FREQUENCY]))

maps = {
    "delay-and-sum": BeamformerBase(freq_data=spectra, steer=steer, r_diag=False, cached=False),
    "delay-and-sum-removed": BeamformerBase(freq_data=spectra, steer=steer, r_diag=True, cached=False),
    "functional": BeamformerFunctional(freq_data=spectra, steer=steer, gamma=8, r_diag=False, cached=False),
    # Its source components leave the diagonal out, whatever `r_diag` says.
    "clean-sc-removed": BeamformerCleansc(freq_data=spectra, steer=steer, r_diag=True, damp=0.6, cached=False),
}
print("x_m,y_m," + ",".join(maps))
columns = [beamformer.synthetic(FREQUENCY, 0).reshape(-1) for beamformer in maps.values()]
for i, (x, y, _) in enumerate(grid.pos.T):
    print(f"{x:.2f},{y:.2f}," + ",".join(f"{column[i]:.9e}" for column in columns))
