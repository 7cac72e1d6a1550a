"""From what Python calls a case to what the Rust side takes."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union

import numpy as np

from . import _native

CaseLike = Union[str, "os.PathLike[str]", Mapping[str, Any], Any]
"""A path, a dict with the keys of a case file, or one of the dataclasses of :mod:`phasefront.cases`."""


def source(case: CaseLike, base: str | os.PathLike[str] | None) -> _native.Source:
    """The path of a case file; or JSON, and the folder that its relative paths refer to."""
    if isinstance(case, (str, os.PathLike)):
        if base is not None:
            raise TypeError("base= goes with a dict or a dataclass: paths in a case file refer to the file's own folder")
        return os.fspath(case)
    plain = _plain(case)
    if not isinstance(plain, dict):
        raise TypeError(f"a case is a path, a dict or one of phasefront.cases, not {type(case).__name__}")
    return json.dumps(plain), str(Path(base or ".").resolve())


def _plain(value: Any) -> Any:
    """The same of dicts, lists, text and numbers; None is left out, as TOML has no such thing."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain(value.to_dict() if hasattr(value, "to_dict") else dataclasses.asdict(value))
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value
