"""The command ``phasefront``, the same as the Rust program."""

from __future__ import annotations

import signal
import sys

from . import _native


def main() -> None:
    """Runs the command with the arguments of this process, and exits."""
    # The command handles Ctrl-C itself; a closed pipe (``| head``) must not cause a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    name = sys.argv[0]
    if name.endswith("__main__.py"):
        name = "python -m phasefront"
    sys.exit(_native.main([name, *sys.argv[1:]]))


if __name__ == "__main__":
    main()
