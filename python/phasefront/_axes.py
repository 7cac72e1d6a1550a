"""Tables and arrays on their grids, as the dict for ``xarray.Dataset.from_dict``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Rows and columns of matrices, by the names of their coordinate vectors.
_MATRICES = (("y", "x"), ("y_measured", "x_measured"), ("v", "u"), ("down_range_m", "cross_range_m"))


def _variable(dims: tuple[str, ...], values: NDArray[Any]) -> dict[str, Any]:
    return {"dims": dims, "data": values}


def _is_axis(name: str, values: NDArray[Any]) -> bool:
    """Whether a column is an independent variable: an angle other than a phase, a frequency or a
    time."""
    named = name in ("frequency_hz", "time_s") or (name.endswith("_deg") and "phase" not in name)
    return named and values.dtype.kind == "f" and bool(np.isfinite(values).all())


def _places(columns: list[NDArray[Any]]) -> int:
    """The number of distinct rows of the columns."""
    return len(np.unique(np.column_stack(columns), axis=0))


def dataset_of_table(table: Mapping[str, NDArray[Any]], attrs: dict[str, Any]) -> dict[str, Any]:
    """A table: angles, frequencies and times are the dimensions if they span a grid; otherwise the
    only dimension is ``row``."""
    axes: list[str] = []
    given = [name for name, values in table.items() if values.size and _is_axis(name, values)]
    for name in given:
        before = _places([table[axis] for axis in axes]) if axes else 1
        # A column that depends on the others, such as the direction of a monostatic receiver, is
        # not an axis.
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
    """Arrays of a file: matrices on their coordinate vectors; arrays with a row per frequency have
    the dimension ``point``."""
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
    # The measured grid first for measured arrays: both grids may have the same size.
    for pair in sorted(_MATRICES, key=lambda pair: not (name.endswith("_measured") and pair[0].endswith("_measured"))):
        if all(axis in arrays for axis in pair) and values.shape == tuple(len(arrays[axis]) for axis in pair):
            return pair
    if frequencies is not None and values.ndim == 2 and len(values) == len(frequencies):
        return ("frequency_hz", "point")
    return tuple(f"{name}_{i}" for i in range(values.ndim))
