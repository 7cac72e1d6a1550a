"""The page of the gallery: a row for each case of the repository, from its README, its case file and its references."""

import json
import re
import tomllib

HEAD = """# The gallery

<!-- Written by docs/reference/generate.py from the folders under cases/; edit the README of a case. -->

Every case is an example and a test: a folder under `cases/` with a `case.toml`, a `README.md` that explains the results, the reference and
variations to try, and an `expected.json` with the reference values and tolerances, with which each run is compared:

```sh
phasefront run cases/62-slab
```

`quick` and `ci` cases run in the tests. `big` cases are run manually: they take minutes, or require a GPU or a mesh from Gmsh, as their README explains.
"""

TITLES = {
    "mom": "scattering in two dimensions",
    "reflectarray": "shaped beams",
    "sbr": "radar cross sections by rays",
    "dgtd": "Maxwell's equations in time",
    "nah": "near-field acoustic holography",
}


def page(cases):
    rows = {solver: "" for solver in TITLES}
    for folder in sorted(path.parent for path in cases.glob("*/case.toml")):
        solver = tomllib.loads((folder / "case.toml").read_text())["solver"]
        tier = json.loads((folder / "expected.json").read_text())["tier"]
        title, text = (folder / "README.md").read_text().split("\n", 1)
        paragraph = " ".join(text.strip().split("\n\n")[0].split())
        first_sentence = re.split(r"(?<=\.)\s(?=[A-Z`])", paragraph)[0]
        rows[solver] += f"| [{folder.name}](../cases/{folder.name}/README.md) | {title.lstrip('# ')} | {first_sentence} | {tier} |\n"
    text = HEAD
    for solver, title in TITLES.items():
        text += f"\n## `{solver}`: {title}\n\n| case | title | what | tier |\n|---|---|---|---|\n{rows[solver]}"
    return text
