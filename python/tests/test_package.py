"""What is shipped: the command, the dataclasses, the types, the notebooks and the manual."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient

import phasefront

NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))


def run(*command: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload,no-any-return]


def test_the_command_comes_with_the_package(command: Path, tmp_path: Path) -> None:
    for start in ([command], [sys.executable, "-m", "phasefront"]):
        told = run(*start, "--version")
        assert (told.returncode, told.stdout) == (0, f"phasefront {phasefront.__version__}\n")
    told = run(command, "new", "mom", tmp_path / "mom.toml")
    assert told.returncode == 0 and f"{command} run" in told.stdout
    told = run(command, "check", tmp_path / "mom.toml", "--json", "--device", "cpu")
    assert json.loads(told.stdout)["solver"] == "mom"
    assert run(command, "run", tmp_path / "none.toml").returncode == 2


def test_the_dataclasses_are_those_of_the_schema() -> None:
    told = run(sys.executable, ROOT / "python" / "generate_cases.py", "--check")
    assert told.returncode == 0, told.stderr
    schema = json.loads((ROOT / "schema" / "case-1.schema.json").read_text())
    assert phasefront.schema() == schema


def test_types_are_strict(tmp_path: Path) -> None:
    good = (
        "import numpy as np\nimport phasefront\nfrom phasefront import cases\n"
        'case = cases.Mom(name="a", geometry=cases.MomGeometry(bodies=[cases.MomCircle(radius="1 m")]),\n'
        '    source=cases.MomSource(frequency=1e9, polarization="TM", propagation="0 deg"))\n'
        "result = phasefront.run(case, progress=lambda event: None)\n"
        'width: float = float(result["echo_width"]["sigma_m"][0]) + result.metrics["residual"]\n'
        "f = phasefront.nufft.nufft1d1([0.0], [1.0], 8)\n"
        "level = phasefront.rcs(np.zeros((3, 3)), [[0, 1, 2]], 1e9, 0.0, 0.0).dbsm()\n"
    )
    bad = 'import phasefront\nphasefront.run("a", progress=3)\nphasefront.cases.MomCircle()\n'
    (tmp_path / "good.py").write_text(good)
    (tmp_path / "bad.py").write_text(bad)
    mypy = (sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache")
    for what in ((tmp_path / "good.py",), ("-p", "phasefront")):
        told = run(*mypy, *what, cwd=tmp_path)
        assert told.returncode == 0, told.stdout
    told = run(*mypy, tmp_path / "bad.py", cwd=tmp_path)
    assert "[arg-type]" in told.stdout and "[call-arg]" in told.stdout, told.stdout


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "MPLBACKEND", "agg")
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "strip the outputs: they do not belong in git"
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}}).execute()


def test_there_are_three_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["01-first-run", "02-rcs-of-a-mesh", "03-holography"]


def test_the_manual_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) >= 8
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
