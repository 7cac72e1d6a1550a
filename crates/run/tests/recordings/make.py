"""Writes the HDF5 files of this folder by h5py: compressed by zlib, in hexadecimal digits, since files of the repository are text.

Sample m of moment t is t - m/16 Pa, of 16 microphones and 20 moments, at 51.2 kHz. Run it in this folder.
"""

import tempfile
import zlib
from pathlib import Path

import h5py
import numpy as np

RATE = 51_200
VALUES = np.arange(20)[:, None] - np.arange(16)[None, :] / 16


def acoular(name: Path) -> None:
    with h5py.File(name, "w") as file:
        data = file.create_dataset("time_data", data=VALUES.astype("f4"))
        data.attrs["sample_freq"] = float(RATE)


def compressed(name: Path) -> None:
    with h5py.File(name, "w") as file:
        options = {"compression": "gzip", "shuffle": True, "fletcher32": True}
        data = file.create_dataset("time_data", data=VALUES.astype("f4"), chunks=(12, 16), **options)
        data.attrs["sample_freq"] = RATE
        file["other"] = np.zeros((3, 16))


def groups(name: Path) -> None:
    """The latest format, numbers of the other order of bytes, links in circles and to nowhere."""
    with h5py.File(name, "w", libver="latest") as file:
        group = file.create_group("measurement")
        group.attrs["sample_rate"] = np.array([RATE])
        group.create_dataset("pressure", data=VALUES.astype(">f8"), chunks=(8, 16), maxshape=(None, 16))
        group["time"] = np.arange(20.0) / RATE
        group["nowhere"] = h5py.SoftLink("/nothing")
        group["elsewhere"] = h5py.ExternalLink("other.h5", "/data")


def matlab(name: Path) -> None:
    """As MATLAB's `save -v7.3`: behind 512 bytes, the sides of matrices reversed, their classes in attributes."""
    with h5py.File(name, "w", userblock_size=512) as file:
        variables = {
            "p": ("double", VALUES.T, {"chunks": (16, 20), "compression": "gzip"}),
            "Fs": ("double", np.array([[float(RATE)]]), {}),
            "note": ("char", np.array([[72, 105], [104, 111]], dtype="u2"), {}),
        }
        for key, (kind, values, options) in variables.items():
            file.create_dataset(key, data=values, **options).attrs["MATLAB_class"] = np.bytes_(kind)
        file.create_group("#refs#")["a"] = np.ones((5, 5))
    text = b"MATLAB 7.3 MAT-file, Platform: GLNXA64 HDF5 schema 1.00 ."
    header = text.ljust(116) + bytes(8) + b"\x00\x02IM"
    name.write_bytes(header + name.read_bytes()[len(header) :])


with tempfile.TemporaryDirectory() as folder:
    for make in [acoular, compressed, groups, matlab]:
        name = Path(folder) / make.__name__
        make(name)
        digits = zlib.compress(name.read_bytes(), 9).hex()
        lines = [digits[i : i + 100] for i in range(0, len(digits), 100)]
        Path(f"{make.__name__}.hex").write_text("\n".join(lines) + "\n")
