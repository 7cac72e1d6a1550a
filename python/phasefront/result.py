"""The result of a run: numbers, tables and arrays of its folder."""

from __future__ import annotations

import csv
import html
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._axes import dataset_of_arrays, dataset_of_table

if TYPE_CHECKING:
    import xarray

__all__ = ["Check", "Result", "SelfCheck", "load"]

Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Check:
    """A value compared with its reference."""

    name: str
    value: float
    reference: float
    tolerance: float
    passed: bool
    source: str
    unit: str | None = None


@dataclass(frozen=True)
class SelfCheck:
    """A figure by which a run judges its own result."""

    name: str
    value: float
    limit: float
    bound: str
    """``"at_most"`` or ``"at_least"``: on which side of the limit a value is good."""
    unit: str
    sentence: str
    """What the value means for the result."""

    @property
    def holds(self) -> bool:
        """Whether the value is on the good side of its limit; NaN never is."""
        return self.value <= self.limit if self.bound == "at_most" else self.value >= self.limit


class Result(Mapping[str, Columns]):
    """A finished run. It is a mapping of its tables and arrays:
    ``result["echo_width"]["sigma_m"]``."""

    def __init__(self, folder: Path, text: str, picture: str | None) -> None:
        self._json = json.loads(text)
        self._picture = picture
        self.folder = folder
        """The folder of its files; without ``out`` a temporary one, removed with this object."""
        self.metrics: dict[str, float] = _numbers(self._json["metrics"])
        """Numbers that describe the run."""
        self.seconds: dict[str, float] = _numbers(self._json["seconds"])
        """Time of each stage."""
        self.checks = [_check(check) for check in self._json["checks"]]
        """Values compared with the ``expected.json`` beside the case."""
        self.trust = [_self_check(entry) for entry in self._json.get("trust", [])]
        """How far to trust the result: its self-checks, each with its limit; runs of earlier versions have none."""
        self.warnings: list[str] = self._json["warnings"]
        """Warnings about the validity of the results."""
        self.settings: dict[str, str] = self._json["settings"]
        """Every setting by its path, defaults included."""
        self.inputs: dict[str, str] = self._json.get("inputs", {})
        """SHA-256 of each file that the case names; runs of earlier versions have none."""
        self.files: dict[str, str] = {file["name"]: file["what"] for file in self._json["files"]}
        """Files of the folder, and their contents."""
        self.tables: Mapping[str, Columns] = _Lazy(self._stems(".csv"), lambda stem: _table(folder / f"{stem}.csv"))
        """CSV files by name: columns as arrays of float64, or of text; empty cells are NaN."""
        self.arrays: Mapping[str, Columns] = _Lazy(self._stems(".npz"), lambda stem: _arrays(folder / f"{stem}.npz"))
        """NPZ files by name."""

    @property
    def name(self) -> str:
        """Name of the case."""
        return str(self._json["case"])

    @property
    def solver(self) -> str:
        """Name of the solver."""
        return str(self._json["solver"])

    @property
    def device(self) -> str:
        """The device."""
        return str(self._json["device"])

    @property
    def passed(self) -> bool:
        """Whether every check passes; true without any."""
        return all(check.passed for check in self.checks)

    def __getitem__(self, name: str) -> Columns:
        for found in (self.tables, self.arrays):
            if name in found:
                return found[name]
        raise KeyError(f"{name}: there are {', '.join(self)}")

    def __iter__(self) -> Iterator[str]:
        yield from self.tables
        yield from (name for name in self.arrays if name not in self.tables)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def dataset(self, name: str) -> dict[str, Any]:
        """A table or an array file as the dict for ``xarray.Dataset.from_dict``.

        Columns of angles, frequencies and times that span a grid become its dimensions; a table
        without a grid has the one dimension ``row``.
        """
        attrs = {"case": self.name, "solver": self.solver, "device": self.device}
        if name in self.tables:
            return dataset_of_table(self.tables[name], attrs)
        return dataset_of_arrays(self[name], attrs)

    def to_xarray(self, name: str) -> xarray.Dataset:
        """The same as an ``xarray.Dataset``."""
        try:
            import xarray
        except ImportError as error:
            raise ImportError("to_xarray needs xarray: pip install xarray; dataset() gives the same as a dict") from error
        return xarray.Dataset.from_dict(self.dataset(name))

    def _stems(self, ending: str) -> list[str]:
        return [name.removesuffix(ending) for name in self.files if name.endswith(ending)]

    def __repr__(self) -> str:
        checks = f", {sum(check.passed for check in self.checks)} of {len(self.checks)} checks pass" if self.checks else ""
        return f"<phasefront.Result of {self.name} ({self.solver}): {', '.join(self)}{checks}>"

    def _repr_html_(self) -> str:
        rows = [(name, f"{value:.6g}", "", "") for name, value in self.metrics.items()]
        rows += [
            (check.name, f"{check.value:.6g}", f"{check.reference:.6g} ± {check.tolerance:.2g}", "pass" if check.passed else "FAIL")
            for check in self.checks
        ]
        cells = _rows(rows)
        trust = ""
        if self.trust:
            head = "<tr><th>self-check</th><th></th><th>value</th><th>limit</th><th>what it means</th></tr>"
            trust = f"<p><b>How far to trust this</b></p><table>{head}{_rows(_trust_cells(self.trust))}</table>"
        notes = "".join(f"<p>warning: {html.escape(text)}</p>" for text in self.warnings)
        title = f"<b>{html.escape(self.name)}</b> ({self.solver}, {html.escape(self.device)})"
        picture = f'<div style="max-width:40em">{self._picture}</div>' if self._picture else ""
        return f"<div>{title}{picture}<table>{cells}</table>{trust}{notes}</div>"


def _rows(rows: Iterable[tuple[str, ...]]) -> str:
    """Rows of an HTML table."""
    return "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)


def _trust_cells(trust: list[SelfCheck]) -> Iterator[tuple[str, ...]]:
    for check in sorted(trust, key=lambda check: check.holds):
        sign = "≤" if check.bound == "at_most" else "≥"
        verdict = "holds" if check.holds else "WARNING"
        yield check.name, verdict, f"{check.value:.4g} {check.unit}", f"{sign} {check.limit:.4g} {check.unit}", check.sentence


def load(folder: str | Path) -> Result:
    """The result in the folder of a finished run, from Python or the command line."""
    folder = Path(folder)
    return Result(folder, (folder / "result.json").read_text(encoding="utf-8"), None)


class _Lazy(Mapping[str, Columns]):
    """Files that are read on first access."""

    def __init__(self, names: list[str], read: Any) -> None:
        self._names, self._read = names, read
        self._found: dict[str, Columns] = {}

    def __getitem__(self, name: str) -> Columns:
        if name not in self._names:
            raise KeyError(f"{name}: there are {', '.join(self._names) or 'none'}")
        if name not in self._found:
            self._found[name] = self._read(name)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _table(path: Path) -> dict[str, NDArray[Any]]:
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    columns = list(zip(*rows)) or [()] * len(header)
    return {name: _column(cells) for name, cells in zip(header, columns)}


def _column(cells: tuple[str, ...]) -> NDArray[Any]:
    try:
        return np.array([cell or "nan" for cell in cells], dtype=np.float64)
    except ValueError:
        return np.array(cells, dtype=np.str_)


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    with np.load(path) as file:
        return dict(file)


def _number(value: float | None) -> float:
    """JSON has only finite numbers: others are written as null."""
    return math.nan if value is None else float(value)


def _numbers(values: Mapping[str, float | None]) -> dict[str, float]:
    return {name: _number(value) for name, value in values.items()}


def _check(entry: Mapping[str, Any]) -> Check:
    value, reference, tolerance = (_number(entry[key]) for key in ("value", "reference", "tolerance"))
    return Check(entry["name"], value, reference, tolerance, entry["pass"], entry["source"], entry.get("unit"))


def _self_check(entry: Mapping[str, Any]) -> SelfCheck:
    value, limit = (_number(entry[key]) for key in ("value", "limit"))
    return SelfCheck(entry["name"], value, limit, entry["bound"], entry.get("unit", ""), entry["sentence"])
