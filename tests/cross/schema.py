"""The JSON schema of case files, by an independent validator: it is valid itself, takes every good case and refuses the wrong ones.

crates/case/tests/beyond_schema.txt lists wrong cases that a schema cannot see: to JSON 1.0 is an integer, the magnitude of a quantity is
inside a string, and what one key means for another is left to the program.
"""
import json
import tomllib
from pathlib import Path

import jsonschema_rs

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "crates/case/tests"
# As many wrong cases there were when this was written; fewer mean that they were not found.
FEWEST_WRONG = 120


def document(path):
    """The case as JSON, or nothing if it is not TOML."""
    try:
        return json.loads(json.dumps(tomllib.loads(path.read_bytes().decode()), default=str))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return None


def main():
    schema = json.loads((ROOT / "schema/case-1.schema.json").read_text())
    jsonschema_rs.meta.validate(schema)
    validator = jsonschema_rs.validator_for(schema)
    good = sorted(CASES.glob("good/*.toml")) + sorted(ROOT.glob("cases/*/case.toml")) + sorted(ROOT.glob("crates/run/templates/*.toml"))
    for path in good:
        errors = [f"{error.instance_path}: {error.message}" for error in validator.iter_errors(document(path))]
        assert not errors, f"{path}: {errors}"
    beyond = set((CASES / "beyond_schema.txt").read_text().split())
    wrong = {path.stem: document(path) for path in CASES.glob("wrong/*.toml")}
    wrong = {name: value for name, value in wrong.items() if value is not None}
    assert len(wrong) >= FEWEST_WRONG, f"only {len(wrong)} wrong cases are TOML"
    assert beyond <= wrong.keys(), f"no such cases: {sorted(beyond - wrong.keys())}"
    for name, value in wrong.items():
        taken = validator.is_valid(value)
        assert taken == (name in beyond), f"{name}: the schema {'takes' if taken else 'refuses'} it"
    print(f"schema: {len(good)} good cases taken, {len(wrong) - len(beyond)} of {len(wrong)} wrong ones refused")


if __name__ == "__main__":
    main()
