#!/usr/bin/env python3
"""Guards refactoring: every gallery case must give the numbers that it gave before.

    guard.py run PROGRAM OUT [--solver NAME] [--devices cpu,opencl] [--jobs N]
        runs every case of the tiers quick and ci (OpenCL: quick), deterministic and with two threads, into OUT/<device>/<case>
    guard.py digest OUT
        writes digests.json beside this file: a hash of every array, numeric column, metric and number of the files in OUT
    guard.py check OUT
        compares OUT with digests.json; any difference fails
    guard.py compare BEFORE AFTER [--rtol 1e-13]
        compares two folders number by number, relative to the largest magnitude of each array or column

Digests depend on the instruction set of the machine: make them with the program before the change, on the machine that checks it.
What a change renames (cases, files, arrays, columns, metrics) stands in renames.json, new name to old name.
Needs NumPy.
"""
import argparse
import csv
import hashlib
import json
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
CASES = HERE.parents[1] / "cases"
DIGESTS = HERE / "digests.json"
RENAMES = HERE / "renames.json"
# What no two runs have in common.
TIMES = re.compile(r"latency|seconds|_per_s$|dropped|stalls|late$|rate_hz")
NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
# Pictures and pages say the same as the numbers beside them, and times.
SKIPPED = {".svg", ".png", ".html", ".toml", ".log"}


def cases(solver, device):
    """Folders of the cases to run."""
    for folder in sorted(CASES.iterdir()):
        if not (folder / "expected.json").is_file():
            continue
        tier = json.loads((folder / "expected.json").read_text())["tier"]
        text = (folder / "case.toml").read_text()
        if tier == "big" or (tier == "ci" and device == "opencl"):
            continue
        if solver is None or f'solver = "{solver}"' in text:
            yield folder


def run(args):
    """Runs the cases; the exit code is that of the worst."""

    def one(job):
        device, folder = job
        out = Path(args.out) / device / folder.name
        started = time.monotonic()
        command = [args.program, "run", str(folder / "case.toml"), "--device", device, "--threads", "2",
                   "--deterministic", "--force", "--quiet", "--out", str(out)]
        done = subprocess.run(command, capture_output=True, text=True)
        print(f"{device:7} {folder.name:28} exit {done.returncode}  {time.monotonic() - started:6.1f} s", flush=True)
        if done.returncode:
            print(done.stdout + done.stderr, flush=True)
        return done.returncode

    jobs = [(device, folder) for device in args.devices.split(",") for folder in cases(args.solver, device)]
    with ThreadPoolExecutor(args.jobs) as pool:
        return max(pool.map(one, jobs), default=0)


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


def digest_of(values):
    """A hash of type, shape and bits."""
    values = np.ascontiguousarray(values)
    return hashlib.sha256(f"{values.dtype.str}{values.shape}".encode() + values.tobytes()).hexdigest()[:16]


def digest(args):
    """Writes the digests of a folder."""
    found = {key: digest_of(values) for key, values in series(args.out)}
    DIGESTS.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")
    print(f"{len(found)} digests")
    return 0


def report(differences, count, shown=40):
    """Says what differs; the exit code."""
    for line in differences[:shown]:
        print(line)
    if len(differences) > shown:
        print(f"and {len(differences) - shown} more")
    print(f"{count} compared, {len(differences)} differ")
    return 1 if differences or not count else 0


def check(args):
    """Compares a folder with the digests of the cases that it has."""
    before = json.loads(DIGESTS.read_text())
    after = {key: digest_of(values) for key, values in series(args.out)}
    ran = {key.split(":")[0].rsplit("/", 1)[0] for key in after}
    before = {key: value for key, value in before.items() if key.split(":")[0].rsplit("/", 1)[0] in ran}
    differences = [f"lost: {key}" for key in before.keys() - after.keys()]
    differences += [f"new: {key}" for key in after.keys() - before.keys()]
    differences += [f"changed: {key}" for key in before.keys() & after.keys() if before[key] != after[key]]
    return report(sorted(differences), len(after))


def compare(args):
    """Compares two folders number by number."""
    before, after = dict(series(args.before)), dict(series(args.after))
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
    command = commands.add_parser("run")
    command.add_argument("program")
    command.add_argument("out")
    command.add_argument("--solver")
    command.add_argument("--devices", default="cpu,opencl")
    command.add_argument("--jobs", type=int, default=1)
    command.set_defaults(work=run)
    for name, work in (("digest", digest), ("check", check)):
        command = commands.add_parser(name)
        command.add_argument("out")
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
