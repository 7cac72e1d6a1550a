"""Tables and arrays on their grids, as the dict that ``xarray.Dataset.from_dict`` takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Rows and columns of matrices, by the names of the vectors beside them.
_MATRICES = (("y", "x"), ("y_measured", "x_measured"), ("v", "u"), ("down_range_m", "cross_range_m"))


def _variable(dims: tuple[str, ...], values: NDArray[Any]) -> dict[str, Any]:
    return {"dims": dims, "data": values}


def _is_axis(name: str, values: NDArray[Any]) -> bool:
    """Whether a column is what others depend on: an angle that is no phase, a frequency or a time."""
    named = name in ("frequency_hz", "time_s") or (name.endswith("_deg") and "phase" not in name)
    return named and values.dtype.kind == "f" and bool(np.isfinite(values).all())


def _places(columns: list[NDArray[Any]]) -> int:
    """How many different rows the columns have."""
    return len(np.unique(np.column_stack(columns), axis=0))


def dataset_of_table(table: Mapping[str, NDArray[Any]], attrs: dict[str, Any]) -> dict[str, Any]:
    """A table: its angles, frequencies and times are the dimensions if they span a grid, else there is one, ``row``."""
    axes: list[str] = []
    given = [name for name, values in table.items() if values.size and _is_axis(name, values)]
    for name in given:
        before = _places([table[axis] for axis in axes]) if axes else 1
        # A column that follows from the others, such as a receiver that stands with the transmitter, is no axis.
        if _places([table[axis] for axis in (*axes, name)]) > before:
            axes.append(name)
    rows = len(next(iter(table.values()), ()))
    values = [np.unique(table[axis]) for axis in axes]
    shape = tuple(len(value) for value in values)
    if not axes or rows != int(np.prod(shape)) or rows != _places([table[axis] for axis in axes]):
        return {"coords": {}, "data_vars": {name: _variable(("row",), data) for name, data in table.items()}, "attrs": attrs}
    order = np.lexsort([table[axis] for axis in reversed(axes)])
    coords = {axis: _variable((axis,), value) for axis, value in zip(axes, values)}
    data: dict[str, Any] = {}
    for name in table:
        if name not in axes:
            gridded = _variable(tuple(axes), table[name][order].reshape(shape))
            (coords if name in given else data)[name] = gridded
    return {"coords": coords, "data_vars": data, "attrs": attrs}


def dataset_of_arrays(arrays: Mapping[str, NDArray[Any]], attrs: dict[str, Any]) -> dict[str, Any]:
    """Arrays of a file: matrices on the vectors beside them; what has a row for each frequency has its points behind each other."""
    coords: dict[str, Any] = {}
    data: dict[str, Any] = {}
    for name, values in arrays.items():
        dims = _dims(name, values, arrays)
        axis = values.ndim == 1 and (dims == (name,) or name in ("theta_deg", "phi_deg"))
        (coords if axis else data)[name] = _variable(dims, values)
    return {"coords": coords, "data_vars": data, "attrs": attrs}


def _dims(name: str, values: NDArray[Any], arrays: Mapping[str, NDArray[Any]]) -> tuple[str, ...]:
    frequencies = arrays.get("frequency_hz")
    if values.ndim == 1:
        is_axis = name == "frequency_hz" or any(name in pair for pair in _MATRICES)
        return (name,) if is_axis else ("point",)
    # The measured one first: fine and coarse grids may be equally large.
    for pair in sorted(_MATRICES, key=lambda pair: not (name.endswith("_measured") and pair[0].endswith("_measured"))):
        if all(axis in arrays for axis in pair) and values.shape == tuple(len(arrays[axis]) for axis in pair):
            return pair
    if frequencies is not None and values.ndim == 2 and len(values) == len(frequencies):
        return ("frequency_hz", "point")
    return tuple(f"{name}_{i}" for i in range(values.ndim))
