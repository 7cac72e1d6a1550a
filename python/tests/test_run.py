"""Cases from paths, dicts and dataclasses, and what comes back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import C0, ROOT, circle_case, circle_series

import phasefront
from phasefront import cases


def test_a_dict_gives_the_series_of_a_circle(device: str) -> None:
    result = phasefront.run(circle_case(), device=device, progress=False)
    table = result["echo_width"]
    exact = circle_series(2 * np.pi, 2 * np.pi, table["observation_deg"])
    np.testing.assert_allclose(table["sigma_m"], exact, rtol=1e-9)
    assert result.solver == "mom" and result.name == "circle" and ("CPU" in result.device) == (device == "cpu")
    assert result.metrics["unknowns"] > 10 and result.metrics["residual"] < 1e-9
    assert "fill" in result.seconds and result.settings["solve.precision"] == '"double"'


def test_a_path_a_folder_and_its_references() -> None:
    folder = ROOT / "cases" / "01-circle"
    by_folder = phasefront.run(folder, device="cpu", progress=False)
    by_path = phasefront.run(str(folder / "case.toml"), device="cpu", progress=False)
    assert len(by_folder.checks) > 0 and by_folder.passed
    assert all(check.passed == (abs(check.value - check.reference) <= check.tolerance) for check in by_folder.checks)
    for name in by_folder["echo_width"]:
        np.testing.assert_array_equal(by_folder["echo_width"][name], by_path["echo_width"][name])


@pytest.mark.parametrize("case", ["01-circle", "20-pencil-beam", "40-plate", "62-slab", "80-two-monopoles"])
def test_every_solver_meets_its_references(case: str, device: str) -> None:
    result = phasefront.run(ROOT / "cases" / case, device=device, progress=False)
    assert len(result.checks) > 0 and [check.name for check in result.checks if not check.passed] == []


def test_a_dataclass_is_the_same_case() -> None:
    case = cases.Mom(
        name="circle",
        geometry=cases.MomGeometry(bodies=[cases.MomCircle(radius=1.0)]),
        source=cases.MomSource(frequency=C0, polarization="TM", propagation="0 deg"),
        output=cases.MomOutput(echo_width=cases.AngleRange(from_="0 deg", to="360 deg", points=37)),
    )
    assert case.to_dict() == circle_case()
    ours, theirs = (phasefront.run(it, device="cpu", progress=False) for it in (case, circle_case()))
    np.testing.assert_array_equal(ours["echo_width"]["sigma_m"], theirs["echo_width"]["sigma_m"])


def test_numpy_numbers_and_paths_may_stand_in_a_dict(tmp_path: Path) -> None:
    t = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    np.savetxt(tmp_path / "shape.csv", np.column_stack([np.cos(t), np.sin(t)]), delimiter=",", header="x,y", comments="")
    case = circle_case()
    case["geometry"] = {"bodies": [{"shape": "spline", "file": Path("shape.csv"), "units": "m"}]}
    case["source"]["frequency"] = np.array([C0])
    result = phasefront.run(case, base=tmp_path, device="cpu", progress=False)
    exact = circle_series(2 * np.pi, 2 * np.pi, result["echo_width"]["observation_deg"])
    np.testing.assert_allclose(result["echo_width"]["sigma_m"], exact, rtol=1e-3)


def test_without_out_the_folder_goes_with_the_result(tmp_path: Path) -> None:
    result = phasefront.run(circle_case(), device="cpu", progress=False)
    folder = result.folder
    assert (folder / "report.html").is_file() and set(result.files) <= {path.name for path in folder.iterdir()}
    del result
    assert not folder.exists()
    kept = phasefront.run(circle_case(), device="cpu", progress=False, out=tmp_path / "kept")
    assert kept.folder == tmp_path / "kept"
    again = phasefront.load(tmp_path / "kept")
    assert again.metrics == pytest.approx(kept.metrics, nan_ok=True) and list(again) == list(kept)
    with pytest.raises(phasefront.InputError, match="force"):
        phasefront.run(circle_case(), device="cpu", progress=False, out=tmp_path / "kept")
    phasefront.run(circle_case(), device="cpu", progress=False, out=tmp_path / "kept", force=True)


def test_the_case_that_is_left_runs_again(tmp_path: Path) -> None:
    first = phasefront.run(circle_case(), device="cpu", progress=False, out=tmp_path / "first")
    second = phasefront.run(tmp_path / "first" / "case.toml", device="cpu", progress=False)
    np.testing.assert_array_equal(first["echo_width"]["sigma_m"], second["echo_width"]["sigma_m"])


def test_datasets_have_their_grid() -> None:
    case = circle_case(
        echo_width={"from": "0 deg", "to": "180 deg", "points": 19},
        near_field={"x": {"from": -2.0, "to": 2.0, "points": 9}, "y": {"from": -3.0, "to": 3.0, "points": 7}},
        currents=True,
    )
    result = phasefront.run(case, device="cpu", progress=False)
    field = result.to_xarray("near_field")
    assert field["e_total"].dims == ("y", "x") and field["e_total"].shape == (7, 9)
    assert field["e_total"].sel(x=2.0, y=3.0).item() == result.arrays["near_field"]["e_total"][-1, -1]
    assert result.dataset("currents")["data_vars"]["re"]["dims"] == ("row",)

    case = circle_case()
    case["source"] |= {"frequency": [2e8, 1e8, 3e8], "propagation": ["0 deg", "90 deg"]}
    echo = phasefront.run(case, device="cpu", progress=False)
    grid = echo.to_xarray("echo_width")
    assert dict(grid.sizes) == {"incidence_deg": 2, "observation_deg": 37, "frequency_hz": 3}
    table = echo["echo_width"]
    for row in (0, 40, 100, 221):
        at = {name: table[name][row] for name in grid.dims}
        assert grid["sigma_m"].sel(at).item() == table["sigma_m"][row]


def test_a_result_shows_itself() -> None:
    result = phasefront.run(ROOT / "cases" / "01-circle", device="cpu", progress=False)
    page = result._repr_html_()
    assert "<svg" in page and result.checks[0].name in page and "pass" in page
    assert "echo_width" in repr(result)
    with pytest.raises(KeyError, match="echo_width"):
        result["nothing"]


def test_a_result_says_how_far_to_trust_it(tmp_path: Path) -> None:
    phasefront.run(circle_case(), device="cpu", progress=False, out=tmp_path / "out")
    path = tmp_path / "out" / "result.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    assert [check.name for check in phasefront.load(path.parent).trust] == [check["name"] for check in document["trust"]]
    entry = {"name": "points <b>", "value": 2.5, "limit": 5.0, "bound": "at_least", "unit": "", "sentence": "Refine the mesh."}
    lost = entry | {"name": "energy left", "value": None, "limit": 1e-4, "bound": "at_most", "unit": "J"}
    good = entry | {"name": "residual", "value": 1e-14, "limit": 1e-6, "bound": "at_most", "sentence": "The equations hold."}
    path.write_text(json.dumps(document | {"trust": [good, entry, lost]}), encoding="utf-8")
    result = phasefront.load(path.parent)
    assert [check.holds for check in result.trust] == [True, False, False]
    page = result._repr_html_()
    assert "How far to trust this" in page and "points &lt;b&gt;" in page and "Refine the mesh." in page
    assert page.index("energy left") < page.rindex("residual"), "what does not hold comes first"
    del document["trust"]
    path.write_text(json.dumps(document), encoding="utf-8")
    assert phasefront.load(path.parent).trust == [], "of an earlier version"


def test_warnings_of_a_run_without_progress_are_python_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    case = circle_case() | {"solve": {"cells": 20, "method": "pulse"}}
    with pytest.warns(UserWarning, match="nodes per wavelength") as told:
        result = phasefront.run(case, device="cpu", progress=False)
    assert [str(warning.message) for warning in told] == result.warnings
    assert told[0].filename == __file__
    phasefront.run(case, device="cpu")
    assert "warning: " in capsys.readouterr().err


def test_threads_do_not_change_the_answer() -> None:
    one, two = (phasefront.run(circle_case(), device="cpu", progress=False, threads=n) for n in (1, 2))
    assert "1 thread," in one.device and "2 threads," in two.device
    np.testing.assert_allclose(one["echo_width"]["sigma_m"], two["echo_width"]["sigma_m"], rtol=1e-12)


def test_check_template_and_schema() -> None:
    plan = phasefront.check(circle_case(), device="cpu")
    assert plan["solver"] == "mom" and plan["facts"]["unknowns"] > 10
    assert any(setting["path"] == "solve.method" and setting["is_default"] for setting in plan["settings"])
    assert 'solver = "sbr"' in phasefront.template("sbr")
    with pytest.raises(phasefront.InputError, match="unknown solver"):
        phasefront.template("mum")
    assert len(phasefront.schema()["oneOf"]) == len(phasefront.cases.Case.__args__)
