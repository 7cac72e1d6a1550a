"""Converts a case of Python to the input of the Rust side."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union

from . import _native
from ._table import Table, plain

CaseLike = Union[str, "os.PathLike[str]", Mapping[str, Any], Table]
"""A path, a dict with the keys of a case file, or one of the dataclasses of
:mod:`phasefront.cases`."""


def source(case: CaseLike, base: str | os.PathLike[str] | None) -> _native.Source:
    """The path of a case file; or JSON, and the folder that its relative paths refer to."""
    if isinstance(case, (str, os.PathLike)):
        if base is not None:
            raise TypeError("base= goes with a dict or a dataclass: paths in a case file refer to the file's own folder")
        return os.fspath(case)
    if not isinstance(case, (Mapping, Table)):
        raise TypeError(f"a case is a path, a dict or one of phasefront.cases, not {type(case).__name__}")
    return json.dumps(plain(case)), str(Path(base or ".").resolve())
