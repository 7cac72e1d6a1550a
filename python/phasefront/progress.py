"""A progress bar on standard error, as plain text for terminals, notebooks and logs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Union

Event = dict[str, Any]
"""A progress event: ``event`` is its kind, with these entries.

==========  =========================================================
stage       ``id``, ``name``, ``total`` (or None), ``unit``: a stage began
advance     ``id``, ``done``: number of finished items
total       ``id``, ``total``: number of items now expected
end         ``id``: the stage ended
scalar      ``series``, ``x_label``, ``x``, ``value``: a point of a named series
frame       ``name``, ``values``: a snapshot of the state, float32
note        ``text``
warning     ``text``
==========  =========================================================
"""

Listener = Callable[[Event], object]
ProgressLike = Union[bool, Listener]
"""True draws a bar, False nothing; a function is called with every :data:`Event`."""

_WIDTH = 24
_SECONDS_BETWEEN = 0.1


def listener(progress: ProgressLike) -> Listener | None:
    """The callback for events, or None."""
    if callable(progress):
        return progress
    return Bar() if progress else None


class Bar:
    """Draws the progress of stages, and prints warnings above the bar."""

    def __init__(self) -> None:
        self._stages: dict[int, tuple[Event, float]] = {}
        self._drawn = 0
        self._when = 0.0

    def __call__(self, event: Event) -> None:
        kind = event["event"]
        if kind == "stage":
            self._stages[event["id"]] = (event, time.monotonic())
        elif kind == "advance" and event["id"] in self._stages:
            self._draw(*self._stages[event["id"]], event["done"])
        elif kind == "total" and event["id"] in self._stages:
            self._stages[event["id"]][0]["total"] = event["total"]
        elif kind == "end":
            self._stages.pop(event["id"], None)
            if not self._stages:
                self._write("")
        elif kind == "warning":
            self._write("")
            print(f"warning: {_visible(event['text'])}", file=sys.stderr)

    def _draw(self, stage: Event, started: float, done: int) -> None:
        now = time.monotonic()
        if now - self._when < _SECONDS_BETWEEN:
            return
        self._when = now
        total, rate = stage["total"], done / max(now - started, 1e-9)
        text = f"{done} {stage['unit']} [{rate:.3g}/s]"
        if total:
            full = _WIDTH * done // total
            left = (total - done) / max(rate, 1e-9)
            text = f"|{'#' * full:<{_WIDTH}}| {100 * done // total:3d} % {done}/{total} {stage['unit']} [{rate:.3g}/s, {left:.0f} s left]"
        self._write(f"{_visible(stage['name'])} {text}")

    def _write(self, text: str) -> None:
        """Overwrites the last line."""
        if text or self._drawn:
            sys.stderr.write("\r" + text.ljust(self._drawn) + ("" if text else "\r"))
            sys.stderr.flush()
        self._drawn = len(text)


def _visible(text: str) -> str:
    """Text from a file, in which control characters cannot command the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)
