"""Strip dipoles drawn at random: how far best matches are off, and how far `accuracy` says they are.

`python study.py PROGRAM`, or `python study.py --help`. Needs numpy, and the program needs Gmsh.

The reference is the method of moments for a wire, `tests/cross/reference/wire.py`: a strip of width w acts as a wire of radius w/4
(Balanis, Antenna Theory, section 9.5). It is 0.1 % below that of triangles for the strip of `cases/75-strip-dipole`.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests" / "cross"))
from reference.wire import C0, moments  # noqa: E402

SEGMENTS = 200
CASE = """version = 1
solver = "dgtd"
name = "random-dipole"

[geometry]
sheets = [
    {{ name = "arms", shape = "rectangle", from = [0, {y0}, {gap}], to = [0, {y1}, {end}] }},
    {{ name = "arms", shape = "rectangle", from = [0, {y0}, -{end}], to = [0, {y1}, -{gap}] }},
    {{ name = "port", shape = "rectangle", from = [0, {y0}, -{gap}], to = [0, {y1}, {gap}] }},
]
boundaries = {{ arms = "pec" }}

[source]
frequency = {{ from = {low}, to = {high}, points = 41 }}
ports = [{{ surface = "port", resistance = "{ohm} ohm", direction = [0.0, 0.0, 1.0] }}]

[solve]
order = {order}
accuracy = "{accuracy} %"
max_passes = {passes}
precision = "single"
"""


def best_match(length, width, gap, ohm):
    """The frequency where least comes back, and where the reactance is zero, Hz."""
    middle = 0.462 * C0 / length
    # Impedances are smooth: a polynomial through nine of them.
    x = np.cos((np.arange(9) + 0.5) * np.pi / 9)
    values = np.array([moments(middle * (1 + 0.1 * at), length, width / 4, gap, SEGMENTS) for at in x])
    dense = np.linspace(-1, 1, 20001)
    z = np.polynomial.chebyshev.chebval(dense, np.polynomial.chebyshev.chebfit(x, values, 8))
    at = [np.argmin(abs((z - ohm) / (z + ohm))), np.argmin(abs(z.imag))]
    return [middle * (1 + 0.1 * dense[i]) for i in at]


def solve(program, folder, dipole, options):
    """The metrics of a run of the program, and its passes."""
    length, width, gap, ohm = dipole
    middle = 0.455 * C0 / length
    folder.mkdir(parents=True, exist_ok=True)
    case = CASE.format(
        y0=-width / 2, y1=width / 2, gap=gap / 2, end=length / 2, ohm=ohm,
        low=0.85 * middle, high=1.15 * middle,
        order=options.order, accuracy=options.accuracy, passes=options.passes,
    )
    (folder / "case.toml").write_text(case)
    command = [program, "run", str(folder / "case.toml"), "--out", str(folder / "out"), "--force", "--quiet"]
    subprocess.run(command + options.arguments.split(), check=True, stdout=subprocess.DEVNULL)
    metrics = json.loads((folder / "out" / "result.json").read_text())["metrics"]
    head, *rows = (folder / "out" / "passes.csv").read_text().split()
    return metrics, [dict(zip(head.split(","), row.split(","))) for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", nargs="?", default="phasefront")
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--order", type=int, default=2)
    parser.add_argument("--accuracy", type=float, default=1.0, help="percent")
    parser.add_argument("--passes", type=int, default=3, help="at most")
    parser.add_argument("--arguments", default="", help="more arguments of `phasefront run`")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("results/random-dipoles"))
    options = parser.parse_args()
    # RWG functions on graded triangles: 0.9276 GHz (cases/75-strip-dipole).
    _, known = best_match(0.15, 0.006, 0.003, 72.0)
    print(f"the strip of 75-strip-dipole resonates at {1e-9 * known:.4f} GHz, by triangles at 0.9276 GHz")
    random = np.random.default_rng(options.seed)
    print("length width  gap   port |  reference   elements   off by  estimated  corrected")
    print("    mm    mm   mm    ohm |        GHz                   %          %          %")
    for number in range(options.count):
        length, slenderness, gap, ohm = random.uniform([100, 20, 2, 50], [200, 60, 4, 100])
        dipole = [round(x, 1) for x in (length, length / slenderness, gap, ohm)]
        meters = [1e-3 * x for x in dipole[:3]] + dipole[3:]
        reference, _ = best_match(*meters)
        metrics, passes = solve(options.program, options.folder / f"dipole{number + 1}", meters, options)
        for last in passes:
            off = 100 * (float(last["best_match1_hz"]) / reference - 1)
            estimated = 100 * float(last["estimated_error"] or "nan")
            is_last = last is passes[-1] and "resonance1_hz" in metrics
            corrected = 100 * (metrics["resonance1_hz"] / reference - 1) if is_last else np.nan
            print(
                "{:6.1f} {:5.1f} {:4.1f} {:6.1f} |".format(*dipole)
                + f" {1e-9 * reference:10.5f} {float(last['elements']):10.0f} {off:+8.2f} {estimated:10.2f} {corrected:+10.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
