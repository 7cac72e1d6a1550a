"""Kills one rank of an MPI job at a random moment, and looks at what is left.

    kill_ranks.py PROGRAM --launcher "mpirun --oversubscribe" [--kills 200] [--jobs 2] [--seed 1]

A small dgtd case (PML, dispersive slab, two ports) runs on three ranks. `kill -9` ends one of them. After each kill:

- the whole job is gone within ten seconds;
- the folder has no `result.json`, unless the run had finished before;
- resumed on 1, 2, 3 or 7 ranks (or run again, where nothing was saved yet), it has the bits of an undisturbed run.
"""

import argparse
import collections
import concurrent.futures
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "crates" / "cli" / "tests" / "line.toml"
CASE = "line.toml"
FLAGS = ["--device", "cpu", "--threads", "1", "--quiet"]
RANKS = 3
RESUMED_RANKS = [1, 2, 3, 7]
# After the kill, in which all other processes must have ended.
GONE_SECONDS = 10.0


def write_case(root):
    """The case of the tests, a quarter as long."""
    (Path(root) / CASE).write_text(SOURCE.read_text().replace('"20 ns"', '"5 ns"'))


def command(options, ranks, arguments):
    launcher = [*shlex.split(options.launcher), "-n", str(ranks)] if ranks > 1 else []
    return [*launcher, options.program, *arguments, *FLAGS]


def results(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.suffix in {".csv", ".s2p"}}


def ranks_of(folder):
    """Processes whose working folder this is and that are the program itself, not its launcher."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and os.readlink(process / "cwd") == str(folder):
                name = (process / "cmdline").read_bytes().split(b"\0")[0]
                if name.endswith(b"phasefront") and b"Z" not in (process / "stat").read_bytes().split(b")")[-1][:3]:
                    found.append(int(process.name))
        except OSError:
            pass
    return found


def fail(number, text):
    raise SystemExit(f"kill {number}: {text}")


def wait_until_gone(number, folder, job):
    killed = time.monotonic()
    while ranks_of(folder) or job.poll() is None:
        if time.monotonic() - killed > GONE_SECONDS:
            fail(number, f"the job is still there after {GONE_SECONDS:.0f} s")
        time.sleep(0.02)
    return time.monotonic() - killed


def kill_once(options, number, expected, whole_seconds):
    """One kill; tells when it struck, how long the job outlived it, and how the result was completed."""
    rng = random.Random(options.seed * 1_000_003 + number)
    with tempfile.TemporaryDirectory() as root:
        root = Path(root).resolve()
        write_case(root)
        job = subprocess.Popen(
            command(options, RANKS, ["run", CASE]), cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(rng.uniform(0.0, 1.1 * whole_seconds))
        ranks = ranks_of(root)
        victim = rng.choice(ranks) if ranks else None
        if victim:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                victim = None
        gone = wait_until_gone(number, root, job)
        folder = root / "results" / "line"
        if (folder / "result.json").exists():
            if results(folder) != expected:
                fail(number, "a finished result differs from an undisturbed one")
            return "finished before", gone
        saved = folder.exists() and any(folder.rglob("*checkpoint*"))
        again = ["resume", str(folder)] if saved else ["run", CASE, "--force"]
        count = rng.choice(RESUMED_RANKS)
        ended = subprocess.run(command(options, count, again), cwd=root, capture_output=True, text=True)
        if ended.returncode:
            fail(number, f"{' '.join(again)} on {count} ranks ended with {ended.returncode}: {ended.stderr[-2000:]}")
        if results(folder) != expected:
            fail(number, f"{again[0]} on {count} ranks gave other bits than an undisturbed run")
        when = "between runs" if victim is None else again[0]
        return f"{when} on {count}", gone


def undisturbed(options):
    """The files of a run that nobody kills, and its seconds on three ranks."""
    with tempfile.TemporaryDirectory() as root:
        write_case(root)
        started = time.monotonic()
        subprocess.run(command(options, RANKS, ["run", CASE]), cwd=root, check=True)
        return results(Path(root) / "results" / "line"), time.monotonic() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--launcher", default="mpirun")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.program = str(Path(options.program).resolve())
    expected, seconds = undisturbed(options)
    print(f"undisturbed: {seconds:.2f} s", flush=True)
    if not expected:
        sys.exit("an undisturbed run wrote no tables")
    outcomes, slowest = collections.Counter(), 0.0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        kills = [pool.submit(kill_once, options, i, expected, seconds) for i in range(options.kills)]
        for kill in concurrent.futures.as_completed(kills):
            try:
                outcome, gone = kill.result()
            except SystemExit:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
            outcomes[outcome] += 1
            slowest = max(slowest, gone)
            if sum(outcomes.values()) % 20 == 0:
                print(f"{sum(outcomes.values())} kills", flush=True)
    print(f"{options.kills} kills, the slowest job was gone after {slowest:.2f} s")
    for outcome, count in sorted(outcomes.items()):
        print(f"  {count:4d}  {outcome}")


if __name__ == "__main__":
    main()
