"""Makes every file operation of a run fail, one at a time, and looks at what is left.

    sweep.py PROGRAM            a sample that takes about a minute and a half
    sweep.py PROGRAM --whole    every operation, every fault (an hour)
    sweep.py PROGRAM sbr        one solver

For a small case of each solver three commands are swept: `run` in a new folder, `resume` of an
interrupted run, and `run --force` over an older result. Operation N (an open, write, rename, fsync,
unlink, ...) fails as on a full or broken disk, or the process is killed there. After each:

- the program ended with an error that names the file, or with the result: never with a panic;
- a folder with a `result.json` has all of its files, whole, of one run;
- an older result is complete until the new one is;
- resuming, or running again, gives the same bits as an undisturbed run.
"""

import concurrent.futures
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
SOLVERS = ["mom", "reflectarray", "sbr", "dgtd", "nah"]
FAULTS = ["kill", "enospc", "eio", "short"]
# Operations of one command and fault in the sample.
SAMPLE = 4
# Times and speeds differ from run to run, and so do the pages that show them.
UNSTABLE = {"result.json", "report.html"}
FLAGS = ["--device", "cpu", "--threads", "1", "--deterministic", "--quiet"]


def compile_preload(folder):
    library = folder / "preload.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", library, HERE / "preload.c", "-ldl"], check=True
    )
    return library


class Sweep:
    def __init__(self, program, library):
        self.program, self.library = Path(program).resolve(), library

    def call(self, root, arguments, at=None, fault=None, count=None):
        """Runs the program in `root`; with `at`, operation number `at` fails."""
        environment = dict(os.environ)
        if at is not None:
            environment |= {
                "LD_PRELOAD": str(self.library),
                "FAULT_ROOT": str(root),
                "FAULT_AT": str(at),
                "FAULT_MODE": fault or "",
                "FAULT_COUNT": str(count or ""),
            }
        command = [str(self.program), *arguments, *FLAGS]
        return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=120)

    def operations(self, root, arguments):
        """Number of file operations of an undisturbed call."""
        count = root.parent / f"{root.name}.count"
        done = self.call(root, arguments, at=0, count=count)
        assert done.returncode == 0, done.stderr
        return int(count.read_text())


def digests(run):
    """Hash of each file of a complete run; none if it is not one."""
    result = run / "result.json"
    if not result.exists():
        return None
    listed = json.loads(result.read_text())["files"]
    for entry in listed:
        size = (run / entry["name"]).stat().st_size
        assert size == entry["bytes"], f"{entry['name']} has {size} bytes, listed are {entry['bytes']}"
    names = {entry["name"] for entry in listed} - UNSTABLE
    return {name: hashlib.sha256((run / name).read_bytes()).hexdigest() for name in sorted(names)}


class Scenario:
    """One command of one solver: how its folder looks before, and what must come out."""

    def __init__(self, sweep, solver, command, base):
        self.sweep, self.solver, self.command = sweep, solver, command
        self.template = base / f"{solver}-{command}"
        self.template.mkdir()
        shutil.copy(HERE / "cases" / f"{solver}.toml", self.template / "case.toml")
        self.old = None
        whole = base / f"{solver}-{command}-whole"
        shutil.copytree(self.template, whole)
        done = sweep.call(whole, ["run", "case.toml", "--out", "out"])
        assert done.returncode == 0, done.stderr
        self.reference = digests(whole / "out")
        if command == "force":
            self.make_old_result()
        elif command == "resume":
            self.make_interrupted_run()
        trial = self.fresh(base, "count")
        self.count = sweep.operations(trial, self.arguments())

    def arguments(self):
        flags = ["--out", "out"] + (["--force"] if self.command == "force" else [])
        return ["resume", "out"] if self.command == "resume" else ["run", "case.toml", *flags]

    def make_old_result(self):
        """A finished run of another case, and a file of the user's."""
        other = (self.template / "case.toml").read_text().replace(f'name = "{self.solver}"', 'name = "old"')
        (self.template / "old.toml").write_text(other)
        done = self.sweep.call(self.template, ["run", "old.toml", "--out", "out"])
        assert done.returncode == 0, done.stderr
        (self.template / "out" / "notes.txt").write_text("mine")
        self.old = digests(self.template / "out")

    def make_interrupted_run(self):
        """A run that was stopped as by Ctrl-C, with saved work in its checkpoint where the solver saves any so early."""
        start = ["run", "case.toml", "--out", "out"]
        stopped = None
        for at in range(1, 40):
            folder = self.fresh(self.template.parent, f"interrupt-{at}")
            done = self.sweep.call(folder, start, at=at, fault="interrupt")
            records = folder / "out" / "checkpoint.bin"
            if done.returncode == 130 and (folder / "out" / "checkpoint.json").exists():
                stopped = folder
                if records.exists() and records.stat().st_size > 0:
                    break
        assert stopped, "no run could be interrupted"
        shutil.rmtree(self.template)
        stopped.rename(self.template)

    def fresh(self, base, name):
        folder = base / f"{self.solver}-{self.command}-{name}"
        shutil.copytree(self.template, folder)
        return folder

    def attempt(self, base, at, fault):
        """One fault; the complaint about what is left, or none."""
        folder = self.fresh(base, f"{fault}-{at}")
        try:
            done = self.sweep.call(folder, self.arguments(), at=at, fault=fault)
            self.judge_end(done, fault)
            self.judge_folder(folder / "out", done)
            self.judge_recovery(folder)
            shutil.rmtree(folder)
            return None
        except AssertionError as error:
            place = f"{self.solver} {self.command}, {fault} at operation {at} of {self.count}"
            return f"{place}: {error}\n{done.stderr.strip()}"

    @staticmethod
    def judge_end(done, fault):
        assert "panicked" not in done.stderr, "it panicked"
        if fault == "kill":
            assert done.returncode in (-9, 0), f"exit code {done.returncode}"
        elif done.returncode != 0:
            assert done.returncode in (1, 2), f"exit code {done.returncode}"
            assert "error: cannot" in done.stderr, "no message that says what failed"

    def judge_folder(self, out, done):
        found = digests(out) if out.exists() else None
        if done.returncode == 0:
            assert found == self.reference, "it reported success, and the result differs"
        elif self.old is not None:
            assert found in (self.old, self.reference), "neither the old nor the new result is there"
            assert (out / "notes.txt").exists() or found == self.reference, "a file of the user's is gone"
        elif found is not None:
            assert found == self.reference, "the result differs"

    def judge_recovery(self, folder):
        """What a user does next: resume if there is something to resume, else run."""
        out = folder / "out"
        beside = folder / ".out.unfinished"
        place = beside if beside.exists() else out
        if digests(out) == self.reference and not beside.exists():
            return
        if (place / "checkpoint.json").exists() or (place / "result.json").exists() and place == beside:
            done = self.sweep.call(folder, ["resume", "out"])
        else:
            force = ["--force"] if self.command == "force" else []
            done = self.sweep.call(folder, ["run", "case.toml", "--out", "out", *force])
        if done.returncode == 2 and "it is finished" in done.stderr:
            pass
        else:
            assert done.returncode == 0, f"it cannot be repeated: {done.stderr.strip()}"
        assert digests(out) == self.reference, "the repeated run differs"
        left = [entry.name for entry in out.iterdir() if entry.name.startswith(".")]
        left += [entry.name for entry in folder.iterdir() if entry.name.startswith(".")]
        assert not left, f"left behind: {left}"
        if self.old is not None:
            assert (out / "notes.txt").exists(), "a file of the user's is gone"


def main():
    program, whole = sys.argv[1], "--whole" in sys.argv[2:]
    choose = random.Random(os.environ.get("FAULT_SEED", "phasefront"))
    with tempfile.TemporaryDirectory() as name:
        base = Path(name).resolve()
        sweep = Sweep(program, compile_preload(base))
        complaints, attempts = [], 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            solvers = [name for name in SOLVERS if name in sys.argv[2:]] or SOLVERS
            commands = [(solver, command) for solver in solvers for command in ["run", "resume", "force"]]
            scenarios = list(pool.map(lambda pair: Scenario(sweep, *pair, base), commands))
            tasks = []
            for scenario in scenarios:
                for fault in FAULTS:
                    every = range(1, scenario.count + 1)
                    places = every if whole else sorted(choose.sample(every, min(SAMPLE, len(every))))
                    tasks += [pool.submit(scenario.attempt, base, at, fault) for at in places]
                print(f"{scenario.solver} {scenario.command}: {scenario.count} file operations")
            for task in tasks:
                attempts += 1
                if complaint := task.result():
                    complaints.append(complaint)
                    print(complaint, flush=True)
    print(f"{attempts} faults, {len(complaints)} complaints")
    sys.exit(1 if complaints else 0)


main()
