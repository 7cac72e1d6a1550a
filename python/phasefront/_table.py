"""The base class of the dataclasses of case files, and conversion to plain values."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any

import numpy as np


class Table:
    """A table of a case file."""

    def to_dict(self) -> dict[str, Any]:
        """A dict with the keys of the case file, without entries that are None."""
        names = [field.name for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        # `from` is a keyword of Python: its field is `from_`.
        table: dict[str, Any] = plain({name.removesuffix("_"): getattr(self, name) for name in names})
        return table


def plain(value: Any) -> Any:
    """Converts to dicts, lists, text and numbers; None is left out, as TOML has no null."""
    if isinstance(value, Table):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value
