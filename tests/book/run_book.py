#!/usr/bin/env python3
"""Runs what the book shows: PHASEFRONT=target/release/phasefront python tests/book/run_book.py [PAGE...]

Every page under docs/ with fenced blocks like these is followed from top to bottom in a folder of its own:

    ```toml file=strip.toml     is written to that file; so is ```python file=compare.py
    ```console                  lines that begin with `$ ` are run, the lines below each are what it must print
    ```console exit=2           the same, for a command that fails with that code; what it prints is compared with stderr
    ```console interrupt=start: the same, stopped by Ctrl-C as soon as stderr has a line with that word
    ```console norun            shown only, and counted

A line `...` stands for any number of lines. Numbers are compared to one part in a thousand (`rtol=0.01` says otherwise; what is below
1e-9 is rounding), words literally, blanks and durations not at all. A command without lines below it may print anything.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\w+)([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = r"[-+]?\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?"
DURATION = re.compile(rf"{NUMBER} ?(?:s|ms|us|µs|min)\b")
TOKEN = re.compile(rf"{NUMBER}|[^\s\d]+?(?=[-+]?\d)|[^\s\d]+")
ROUNDING = 1e-9
DEFAULT_TOLERANCE = 1e-3
MAY_RUN = {"phasefront", "python"}


class Mismatch(Exception):
    pass


class Block:
    def __init__(self, match, text):
        self.language, self.body = match[1], match[3]
        self.options = dict(word.partition("=")[::2] for word in match[2].split())
        self.line = text.count("\n", 0, match.start()) + 1

    def commands(self):
        """(command, expected lines) in order."""
        found = []
        for line in self.body.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif found:
                found[-1][1].append(line)
            else:
                raise Mismatch(f"line {self.line}: a console block begins with a command, `$ phasefront ...`")
        return found


def tokens(line):
    return TOKEN.findall(DURATION.sub("DURATION", line))


def same_line(expected, found, tolerance):
    left, right = tokens(expected), tokens(found)
    return len(left) == len(right) and all(same_token(a, b, tolerance) for a, b in zip(left, right))


def same_token(expected, found, tolerance):
    if expected == found:
        return True
    try:
        a, b = float(expected.replace(",", "")), float(found.replace(",", ""))
    except ValueError:
        return False
    return abs(a - b) <= tolerance * abs(a) or max(abs(a), abs(b)) < ROUNDING


def same_output(expected, found, tolerance):
    """Whether the lines match, `...` being any number of them."""
    if not expected:
        return not found
    if expected[0].strip() == "...":
        return any(same_output(expected[1:], found[skip:], tolerance) for skip in range(len(found) + 1))
    return bool(found) and same_line(expected[0], found[0], tolerance) and same_output(expected[1:], found[1:], tolerance)


def run(command, block, folder, environment):
    """Runs one command and returns the lines that are compared."""
    words = shlex.split(command)
    if words[0] not in MAY_RUN:
        raise Mismatch(f"`{command}`: only {' and '.join(sorted(MAY_RUN))} are run; mark the block `norun`, or make it `sh`")
    process = subprocess.Popen(
        ["bash", "-c", f"exec {command}"], cwd=folder, env=environment, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    wanted, head = int(block.options.get("exit", 0)), ""
    if "interrupt" in block.options:
        # By what the run says, not after some seconds: a fast machine would have ended by then.
        wanted = 130
        for line in process.stderr:
            head += line
            if block.options["interrupt"] in line:
                process.send_signal(signal.SIGINT)
                break
    out, rest = process.communicate(timeout=300)
    err = head + rest
    if process.returncode != wanted:
        raise Mismatch(f"`{command}` ended with {process.returncode}, not {wanted}\n{out}{err}")
    text = err if "exit" in block.options else out
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def follow(page, environment):
    """Runs all blocks of a page; returns how many commands ran and how many were only shown."""
    text = page.read_text()
    ran = shown = 0
    with tempfile.TemporaryDirectory() as folder:
        for match in FENCE.finditer(text):
            block = Block(match, text)
            if "file" in block.options:
                file = Path(folder, block.options["file"])
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(block.body)
            if block.language != "console":
                continue
            if "norun" in block.options:
                shown += len(block.commands())
                continue
            tolerance = float(block.options.get("rtol", DEFAULT_TOLERANCE))
            for command, expected in block.commands():
                found = run(command, block, folder, environment)
                expected = [line.rstrip() for line in expected if line.strip()]
                if expected and not same_output(expected, found, tolerance):
                    shown_lines, found_lines = "\n".join(expected), "\n".join(found)
                    raise Mismatch(f"line {block.line}: `{command}`\n-- the page shows\n{shown_lines}\n-- it prints\n{found_lines}")
                ran += 1
    return ran, shown


def path_with_programs(folder, program):
    """A PATH on which `phasefront` and `python` are the ones to test with."""
    Path(folder, "phasefront").symlink_to(program)
    # Not a link: a linked interpreter would not find its packages.
    python = Path(folder, "python")
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def main():
    program = os.environ.get("PHASEFRONT")
    if not program:
        sys.exit("usage: PHASEFRONT=target/release/phasefront python tests/book/run_book.py [PAGE...]")
    pages = [Path(page) for page in sys.argv[1:]] or sorted((ROOT / "docs").rglob("*.md"))
    failed = total = 0
    with tempfile.TemporaryDirectory() as programs:
        environment = {**os.environ, "PATH": path_with_programs(programs, os.path.abspath(program)), "COLUMNS": "100"}
        for page in pages:
            started = time.monotonic()
            try:
                ran, shown = follow(page, environment)
            except Mismatch as mismatch:
                print(f"{page}: {mismatch}\n")
                failed += 1
                continue
            total += ran
            if ran or shown:
                print(f"{time.monotonic() - started:6.1f} s  {ran:2} commands, {shown} only shown  {os.path.relpath(page, ROOT)}")
    if failed:
        sys.exit(f"FAILED: {failed} pages")
    if not total:
        sys.exit("error: no page shows a command; are the blocks marked ```console?")
    print(f"{total} commands do what the book shows")


if __name__ == "__main__":
    main()
