"""Phasefront: radar cross sections, antennas, scattering and sound.

>>> import phasefront
>>> result = phasefront.run("case.toml")            # doctest: +SKIP
>>> result["echo_width"]["sigma_m"]                 # doctest: +SKIP

Cases are paths, dicts with the keys of a case file, or the dataclasses of :mod:`phasefront.cases`.
Without a case there are :func:`rcs`, :func:`echo_width` and :func:`holography` on arrays, and
:mod:`phasefront.nufft`. The manual is docs/python.md.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import warnings
import weakref
from typing import Any

from . import _native, cases, nufft, progress as progress  # The last by its own name, for its types.
from ._case import CaseLike, source
from .direct import Hologram, Rcs, echo_width, holography, rcs
from .errors import DeviceError, Error, InputError, NotConverged
from .progress import ProgressLike, listener
from .result import Check, Result, SelfCheck, load

__version__ = _native.__version__

__all__ = [
    "Check", "DeviceError", "Error", "Hologram", "InputError", "NotConverged", "Rcs", "Result", "SelfCheck",
    "cases", "check", "echo_width", "holography", "load", "nufft", "rcs", "resume", "run", "schema", "template",
]  # fmt: skip


def run(
    case: CaseLike,
    *,
    device: str = "auto",
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    deterministic: bool = False,
    threads: int | None = None,
    progress: ProgressLike = True,
    base: str | os.PathLike[str] | None = None,
) -> Result:
    """Runs a case and returns its result.

    ``case`` is the path of a case file, a dict with its keys, or one of :mod:`phasefront.cases`.
    Results are written to the folder ``out`` (``force`` overwrites an existing result), or to a
    temporary folder that is removed with the result object. ``device`` is ``"auto"``, ``"cpu"``,
    ``"cuda"``, ``"cuda:1"`` or ``"opencl"``; with ``deterministic`` repeated runs are
    bit-identical. Relative paths in a dict refer to ``base``, by default the current folder.
    ``progress`` draws a bar, or calls a function with each :data:`phasefront.progress.Event`;
    without either, warnings of the run are Python warnings.
    Ctrl-C stops the run; with ``out``, :func:`resume` continues it if the solver writes
    checkpoints.
    """
    given = source(case, base)
    if out is not None:
        result = Result(*_native.run(given, (device, os.fspath(out), force, deterministic), threads, listener(progress)))
        _warn(result, progress)
        return result
    temporary = tempfile.mkdtemp(prefix="phasefront-")
    try:
        result = Result(*_native.run(given, (device, temporary, False, deterministic), threads, listener(progress)))
    except BaseException as error:
        shutil.rmtree(temporary, ignore_errors=True)
        if isinstance(error, KeyboardInterrupt):
            raise KeyboardInterrupt("interrupted; with out= a run that was stopped can go on later") from None
        raise
    weakref.finalize(result, shutil.rmtree, temporary, ignore_errors=True)
    _warn(result, progress)
    return result


def resume(
    folder: str | os.PathLike[str],
    *,
    device: str = "auto",
    deterministic: bool = False,
    threads: int | None = None,
    progress: ProgressLike = True,
) -> Result:
    """Resumes an interrupted run in its own folder."""
    choices = (device, None, False, deterministic)
    result = Result(*_native.resume(os.fspath(folder), choices, threads, listener(progress)))
    _warn(result, progress)
    return result


def _warn(result: Result, progress: ProgressLike) -> None:
    """Passes on the warnings of a run of which nobody saw the progress."""
    if not progress:
        for text in result.warnings:
            # At the line that called run or resume.
            warnings.warn(text, stacklevel=3)


def check(
    case: CaseLike, *, device: str = "auto", base: str | os.PathLike[str] | None = None
) -> dict[str, Any]:
    """Validates a case and reports what a run needs: settings, derived quantities, device, memory,
    time. Writes nothing."""
    plan: dict[str, Any] = json.loads(_native.check(source(case, base), (device, None, False, False)))
    return plan


def template(solver: str) -> str:
    """A commented case file for ``solver`` that runs unchanged."""
    return _native.template(solver)


def schema() -> dict[str, Any]:
    """The JSON schema of case files."""
    document: dict[str, Any] = json.loads(_native.schema())
    return document
