"""The page of commands: the help text of the program, and of each command that it lists."""

import os
import subprocess

HEAD = """# The command line

<!-- Written by docs/reference/generate.py from the help texts of the program; edit those. -->

`--help` prints these texts; `-h` prints a shorter form.

| exit code | when |
|---|---|
| 0 | success; `check`: the case is valid; a case with `expected.json`: every check passes |
| 1 | a check or a point of a sweep fails, or an internal error |
| 2 | invalid input: an unknown option, an invalid case file, a missing file |
| 3 | not converged: the solution does not satisfy its equations, or the fields diverge |
| 4 | device failure, or not enough device memory |
| 130 | interrupted by Ctrl-C, SIGTERM or a file `stop` |
"""


def page(program):
    return HEAD + "".join(sections(program, []))


def sections(program, command):
    """The section of `command`, a list of words, and those of the commands below it."""
    text = help_text(program, command)
    title = " ".join(["phasefront", *command])
    yield f"\n## `{title}`\n\n```text\n{text}\n```\n"
    for name in listed_commands(text):
        yield from sections(program, [*command, name])


def help_text(program, command):
    # A fixed width: without it the text would follow the terminal that the page is made in.
    environment = {**os.environ, "COLUMNS": "100"}
    done = subprocess.run([program, *command, "--help"], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"error: {' '.join([program, *command])} --help ended with {done.returncode}: {done.stderr}")
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def listed_commands(text):
    """First words of the lines below `Commands:`; lines that go on are indented further."""
    lines = iter(text.splitlines())
    for line in lines:
        if line == "Commands:":
            break
    names = []
    for line in lines:
        if not line:
            break
        if line[:2] == "  " and line[2:3] != " ":
            names.append(line.split()[0])
    return [name for name in names if name != "help"]
