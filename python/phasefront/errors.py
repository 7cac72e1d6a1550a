"""What can go wrong: exceptions with the words of the command line."""

from __future__ import annotations

import json

__all__ = ["DeviceError", "Error", "InputError", "NotConverged"]


class Error(Exception):
    """Phasefront could not do what was asked.

    Its text is what the command line says; the attributes have its parts.
    """

    help: str | None = None
    """What to do about it."""
    file: str | None = None
    """The file that is wrong, ``"case"`` for a case that was given as a dict."""
    line: int | None = None
    """The line of the case, from 1."""
    column: int | None = None
    """The column, from 1."""


class InputError(Error, ValueError):
    """The case or an argument is wrong (exit code 2 of the command)."""


class NotConverged(Error):
    """The solver did not reach a solution (exit code 3)."""


class DeviceError(Error):
    """The device failed, or cannot be had (exit code 4)."""


def wrong(message: str, help: str) -> InputError:
    """What is wrong with an argument, and what to do."""
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
    # A traceback has the name of the class where the command says "error:".
    text = text.removeprefix("error: ").rstrip("\n")
    if parts["kind"] == "interrupted":
        return KeyboardInterrupt(text)
    error = _CLASSES.get(parts["kind"], Error)(text)
    error.help, error.file = parts["help"], parts["file"]
    error.line, error.column = parts["line"], parts["column"]
    return error
