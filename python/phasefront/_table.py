"""What the dataclasses of case files have in common."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any


class Table:
    """A table of a case file."""

    def to_dict(self) -> dict[str, Any]:
        """The same as a dict with the keys of the case file, without what is None."""
        items = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))  # type: ignore[arg-type]
        # `from` is a word of Python's own: its field is `from_`.
        return {name.removesuffix("_"): _plain(value) for name, value in items if value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, Table):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
