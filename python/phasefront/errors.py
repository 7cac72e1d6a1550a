"""Exceptions with the messages of the command line."""

from __future__ import annotations

import json

__all__ = ["DeviceError", "Error", "InputError", "NotConverged"]


class Error(Exception):
    """Base class of all errors of Phasefront.

    Its text is the message of the command line; the attributes hold its parts.
    """

    help: str | None = None
    """What to do about it."""
    file: str | None = None
    """The file with the error; ``"case"`` for a case given as a dict."""
    line: int | None = None
    """The line of the case, from 1."""
    column: int | None = None
    """The column, from 1."""


class InputError(Error, ValueError):
    """The case or an argument is wrong (exit code 2 of the command)."""


class NotConverged(Error):
    """The solver did not reach a solution (exit code 3)."""


class DeviceError(Error):
    """The device failed or is not available (exit code 4)."""


def wrong(message: str, help: str) -> InputError:
    """An error about an argument: the problem, and what to do."""
    error = InputError(f"{message}\nhelp: {help}")
    error.help = help
    return error


_CLASSES: dict[str, type[Error]] = {
    "bad_input": InputError,
    "not_converged": NotConverged,
    "device": DeviceError,
}


def made(text: str, details: str) -> BaseException:
    """The exception for a failure of the Rust side: its text, and its parts as JSON."""
    parts = json.loads(details)
    # A traceback shows the class name in place of the command's "error:".
    text = text.removeprefix("error: ").rstrip("\n")
    if parts["kind"] == "interrupted":
        return KeyboardInterrupt(text)
    error = _CLASSES.get(parts["kind"], Error)(text)
    error.help, error.file = parts["help"], parts["file"]
    error.line, error.column = parts["line"], parts["column"]
    return error
