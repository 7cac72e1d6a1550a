"""HDF5 files as h5py and xarray read them, against the NPZ and CSV files of the same case."""

import csv
import os
import subprocess
import tempfile
from pathlib import Path

import h5py
import numpy as np
import xarray

PROGRAM = os.environ["PHASEFRONT"]
CASES = Path(__file__).resolve().parents[2] / "cases"


def run(case: str, out: Path, form: str) -> Path:
    command = [PROGRAM, "run", str(CASES / case), "--out", str(out), "--format", form, "--device", "cpu", "-q"]
    subprocess.run(command, check=True)
    return out


def check(case: str) -> int:
    """Compares everything; how many complex arrays there were."""
    with tempfile.TemporaryDirectory() as folder:
        npz = run(case, Path(folder) / "npz", "npz")
        h5 = run(case, Path(folder) / "h5", "h5") / "data.h5"
        arrays = 0
        with h5py.File(h5) as file:
            assert file.attrs["software"].startswith("phasefront ")
            for path in sorted(npz.glob("*.npz")):
                with np.load(path) as expected:
                    group = file[path.stem]
                    assert group.attrs["what"], path
                    assert set(group) == set(expected.files), (path, set(group))
                    for name in expected.files:
                        found = group[name][()]
                        assert found.dtype == expected[name].dtype, (path, name, found.dtype)
                        np.testing.assert_array_equal(found, expected[name], err_msg=f"{path} {name}")
                        arrays += 1
            tables = 0
            for path in sorted(npz.glob("*.csv")):
                with open(path, newline="") as text:
                    rows = list(csv.DictReader(text))
                group = file["tables"][path.stem]
                assert list(rows[0].keys()) and set(group) == set(rows[0]), path
                for name in rows[0]:
                    values = [row[name] for row in rows]
                    found = group[name]
                    if h5py.check_string_dtype(found.dtype):
                        assert [value.decode() for value in found[()]] == values, (path, name)
                    else:
                        numbers = np.array([float(value) if value else np.nan for value in values])
                        np.testing.assert_allclose(found[()], numbers, rtol=1e-12, err_msg=f"{path} {name}")
                    tables += 1
            datasets = [d for group in file.values() for d in group.values() if isinstance(d, h5py.Dataset)]
            complex_arrays = sum(d.dtype.kind == "c" for d in datasets)
            groups = [name for name in file if name != "tables"]
        for group in groups:
            with xarray.open_dataset(h5, group=group, engine="h5netcdf", phony_dims="access") as data:
                assert len(data.variables) > 0, group
        print(f"{case}: {arrays} arrays and {tables} columns alike; xarray reads {groups}")
        return complex_arrays


counts = [check(case) for case in ["07-dielectric", "20-pencil-beam", "80-two-monopoles"]]
assert counts[0] > 0 and counts[2] > 0, f"complex arrays that were compared: {counts}"
