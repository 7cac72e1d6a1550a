"""Compares computed figures with the references in a gallery case's expected.json."""
import json
import pathlib
import sys

CASES = pathlib.Path(__file__).resolve().parents[3] / "cases"


def require(what, error, limit):
    """Says how large an error is, and stops if it is larger than it may be."""
    print(f"  {what}: {error:.1e}, at most {limit:.0e}")
    if not error <= limit:
        sys.exit(f"{what}: {error:.3e} is more than {limit:.0e}")


def agree(case, figures):
    """Every figure is a check of the case, and its reference there is this number to a tenth of the tolerance."""
    checks = {c["name"]: c for c in json.loads((CASES / case / "expected.json").read_text())["checks"]}
    for name, value in figures.items():
        if name not in checks:
            sys.exit(f"{case}/expected.json has no check {name!r}; it should say {value:.12g}")
        check = checks[name]
        print(f"  {case}, {name}: {value:.12g}")
        if not abs(value - check["reference"]) <= 0.1 * check["tolerance"]:
            sys.exit(f"{case}/expected.json says {check['reference']!r} for {name}, recomputed it is {value:.12g}")
