#!/usr/bin/env python3
"""Guards refactoring: every gallery case must give the numbers that it gave before.

    guard.py check PROGRAM [--base main] [--solver NAME] [--devices cpu,opencl] [--jobs N] [--rtol 0]
        builds the program of the base commit in target/guard, runs every case of the tiers quick and ci (OpenCL: quick) with
        both programs, each with the cases of its own commit, and compares every number; by default any difference fails
    guard.py run PROGRAM OUT [--solver NAME] [--devices cpu,opencl] [--jobs N]
        runs the cases of this tree, deterministic and with two threads, into OUT/<device>/<case>
    guard.py compare BEFORE AFTER [--rtol 1e-13]
        compares two folders number by number, relative to the largest magnitude of each array or column

Nothing is stored between commits: numbers depend on the instruction set of the machine, and stored ones become stale. The program
and the results of a base commit are kept in target/guard/<commit>, so that a second check runs the new program only.
What a change renames (cases, files, arrays, columns, metrics) is in renames.json, new name to old name: {"cases": {}, "files": {},
"names": {}}; empty it with the next change. Needs NumPy.
"""
import argparse
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RENAMES = HERE / "renames.json"
# What no two runs have in common.
TIMES = re.compile(r"latency|seconds|_per_s$|dropped|stalls|late$|rate_hz")
NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
# Pictures and pages say the same as the numbers beside them, and times.
SKIPPED = {".svg", ".png", ".html", ".toml", ".log"}


def cases(root, solver, device):
    """Folders of the cases to run, of one tree."""
    for folder in sorted((root / "cases").iterdir()):
        if not (folder / "expected.json").is_file():
            continue
        tier = json.loads((folder / "expected.json").read_text())["tier"]
        text = (folder / "case.toml").read_text()
        if tier == "big" or (tier == "ci" and device == "opencl"):
            continue
        if solver is None or f'solver = "{solver}"' in text:
            yield folder


def run_cases(program, root, out, args):
    """Runs the cases of a tree; the exit code is that of the worst."""

    def one(job):
        device, folder = job
        folder_out = Path(out) / device / folder.name
        started = time.monotonic()
        command = [str(program), "run", str(folder / "case.toml"), "--device", device, "--threads", "2",
                   "--deterministic", "--force", "--quiet", "--out", str(folder_out)]
        done = subprocess.run(command, capture_output=True, text=True)
        print(f"{device:7} {folder.name:28} exit {done.returncode}  {time.monotonic() - started:6.1f} s", flush=True)
        if done.returncode:
            print(done.stdout + done.stderr, flush=True)
        return done.returncode

    jobs = [(device, folder) for device in args.devices.split(",") for folder in cases(root, args.solver, device)]
    with ThreadPoolExecutor(args.jobs) as pool:
        return max(pool.map(one, jobs), default=0)


def run(args):
    """Runs the cases of this tree."""
    return run_cases(args.program, ROOT, args.out, args)


def base_program(commit, folder):
    """The tree of a commit, and its program, which is built once."""
    tree, program = folder / "tree", folder / "phasefront"
    if not tree.is_dir():
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(tree, filter="data")
    if not program.is_file():
        print(f"building {commit[:12]}, for minutes", flush=True)
        built = folder / "build"
        subprocess.run(["cargo", "build", "--release", "--locked"], cwd=tree, env={**os.environ, "CARGO_TARGET_DIR": str(built)}, check=True)
        (built / "release/phasefront").rename(program)
    return tree, program


def check(args):
    """Compares the program with that of the base commit."""
    commit = subprocess.run(["git", "rev-parse", "--verify", f"{args.base}^{{commit}}"], cwd=ROOT, capture_output=True, text=True, check=True)
    folder = ROOT / "target/guard" / commit.stdout.strip()[:12]
    tree, program = base_program(commit.stdout.strip(), folder)
    # A file that says which runs are there: a check that was interrupted repeats them.
    finished = folder / f"finished {args.solver} {args.devices}"
    args.before, args.after = folder / "results", ROOT / "target/guard/after"
    if not finished.is_file():
        if run_cases(program, tree, args.before, args):
            sys.exit("the base commit fails")
        finished.touch()
    if args.after.exists():
        shutil.rmtree(args.after)
    failed = run_cases(args.program, ROOT, args.after, args)
    return compare(args) or failed


def renames():
    """New names to old ones, by kind."""
    return json.loads(RENAMES.read_text()) if RENAMES.is_file() else {}


def numbers_of_json(value, found):
    """All numbers of a JSON document, in order."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return found
    if isinstance(value, (int, float)):
        found.append(float(value))
    else:
        for item in value.values() if isinstance(value, dict) else value:
            numbers_of_json(item, found)
    return found


def series_of_file(path):
    """Every array of numbers in a file, by name."""
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            yield from ((name, arrays[name]) for name in arrays.files)
    elif path.suffix == ".csv":
        with path.open(newline="") as text:
            head, *rows = [row for row in csv.reader(text) if row and not row[0].startswith("#")]
        for index, name in enumerate(head):
            try:
                yield name, np.array([float(row[index] or "nan") for row in rows])
            except ValueError:
                continue
    elif path.name == "result.json":
        result = json.loads(path.read_text())
        for name, value in result["metrics"].items():
            if not TIMES.search(name):
                yield name, np.array([np.nan if value is None else value])
        # Names of checks are prose.
        yield "checks", np.array([np.nan if c["value"] is None else c["value"] for c in result["checks"] if not TIMES.search(c["name"])])
    elif path.suffix == ".json":
        yield "numbers", np.array(numbers_of_json(json.loads(path.read_text()), []))
    else:
        yield "numbers", np.array([float(n) for n in NUMBER.findall(path.read_bytes())])


def series(out):
    """Every array of numbers below a folder, as (device/case, file, name) under the old names."""
    old = renames()
    for path in sorted(Path(out).rglob("*")):
        if not path.is_file() or path.suffix in SKIPPED:
            continue
        device, case, *file = path.relative_to(out).parts
        file = "/".join(file)
        file = old.get("files", {}).get(file, file)
        case = old.get("cases", {}).get(case, case)
        for name, values in series_of_file(path):
            name = old.get("names", {}).get(f"{file}:{name}") or old.get("names", {}).get(name, name)
            yield f"{device}/{case}/{file}:{name}", values


def report(differences, count, shown=40):
    """Says what differs; the exit code."""
    for line in differences[:shown]:
        print(line)
    if len(differences) > shown:
        print(f"and {len(differences) - shown} more")
    print(f"{count} compared, {len(differences)} differ")
    return 1 if differences or not count else 0


def compare(args):
    """Compares two folders number by number: the cases that the second one has."""
    after = dict(series(args.after))
    ran = {key.split(":")[0].rsplit("/", 1)[0] for key in after}
    before = {key: values for key, values in series(args.before) if key.split(":")[0].rsplit("/", 1)[0] in ran}
    differences, worst = [f"lost: {key}" for key in before.keys() - after.keys()], 0.0
    differences += [f"new: {key}" for key in after.keys() - before.keys()]
    for key in sorted(before.keys() & after.keys()):
        a, b = before[key], after[key]
        if a.shape != b.shape or a.dtype != b.dtype:
            differences.append(f"shape: {key} {a.dtype}{a.shape} {b.dtype}{b.shape}")
        elif a.dtype.kind not in "fc" or not a.size:
            if not np.array_equal(a, b):
                differences.append(f"changed: {key}")
        else:
            scale = np.nanmax(np.abs(a), initial=0.0) or 1.0
            error = np.nanmax(np.abs(a - b), initial=0.0) / scale
            worst = max(worst, error)
            if not error <= args.rtol or not np.array_equal(np.isnan(a), np.isnan(b)):
                differences.append(f"changed: {key} by {error:.1e}")
    print(f"largest relative difference {worst:.2e}")
    return report(differences, len(after))


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, work in (("check", check), ("run", run)):
        command = commands.add_parser(name)
        command.add_argument("program")
        if name == "run":
            command.add_argument("out")
        else:
            command.add_argument("--base", default="main")
            command.add_argument("--rtol", type=float, default=0.0)
        command.add_argument("--solver")
        command.add_argument("--devices", default="cpu,opencl")
        command.add_argument("--jobs", type=int, default=1)
        command.set_defaults(work=work)
    command = commands.add_parser("compare")
    command.add_argument("before")
    command.add_argument("after")
    command.add_argument("--rtol", type=float, default=1e-13)
    command.set_defaults(work=compare)
    args = parser.parse_args()
    sys.exit(args.work(args))


if __name__ == "__main__":
    main()
