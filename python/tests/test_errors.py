"""Errors are exceptions with the words of the command."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import circle_case

import phasefront

SLIP = 'version = 1\nsolver = "mom"\nname = "slip"\n[geometry]\nbodies = [{ shape = "circle", radus = "1 m" }]\n'


def test_an_exception_says_what_the_command_says(command: Path, tmp_path: Path) -> None:
    (tmp_path / "slip.toml").write_text(SLIP)
    for name in ("slip.toml", "missing.toml"):
        told = subprocess.run([command, "run", tmp_path / name], capture_output=True, text=True, check=False)
        assert told.returncode == 2
        with pytest.raises(phasefront.InputError) as caught:
            phasefront.run(tmp_path / name)
        assert f"error: {caught.value}\n" == told.stderr


def test_a_slip_has_its_place_and_its_help(tmp_path: Path) -> None:
    (tmp_path / "slip.toml").write_text(SLIP)
    with pytest.raises(ValueError, match="unknown key `radus`") as caught:
        phasefront.check(tmp_path / "slip.toml")
    error = caught.value
    assert isinstance(error, phasefront.InputError)
    assert (error.line, error.column) == (5, 31) and error.file == str(tmp_path / "slip.toml")
    assert error.help is not None and "did you mean `radius`?" in error.help


def test_a_slip_in_a_dict_shows_its_line() -> None:
    case = circle_case()
    case["geometry"]["bodies"][0]["radus"] = case["geometry"]["bodies"][0].pop("radius")
    with pytest.raises(phasefront.InputError, match=r"radus = 1\.0") as caught:
        phasefront.run(case)
    assert caught.value.file == "case" and caught.value.line is not None


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        ({"device": "tpu"}, phasefront.DeviceError, "tpu"),
        ({"case": []}, TypeError, "a path, a dict"),
        ({"case": {"version": 1, "odd": object()}}, TypeError, "not JSON serializable"),
        ({"case": {"version": float("nan")}}, phasefront.InputError, "this is no case"),
        ({"case": {}}, phasefront.InputError, "this is not a Phasefront case file"),
        ({"case": "x.toml", "base": "."}, TypeError, "base= goes with"),
    ],
)
def test_wrong_arguments(change: dict[str, Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        phasefront.run(**({"case": circle_case(), "progress": False} | change))


def test_every_kind_has_its_class() -> None:
    from phasefront.errors import made

    parts = '{"kind": "%s", "help": "do", "file": null, "line": null, "column": null}'
    kinds = {
        "bad_input": phasefront.InputError,
        "not_converged": phasefront.NotConverged,
        "device": phasefront.DeviceError,
        "interrupted": KeyboardInterrupt,
        "other": phasefront.Error,
    }
    for kind, kind_of_error in kinds.items():
        error = made("error: words\n", parts % kind)
        assert type(error) is kind_of_error and str(error) == "words"
