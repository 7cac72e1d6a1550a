#!/usr/bin/env python3
"""Checks the architecture: one shape for every solver, imports that point one way, an ARCHITECTURE.md that is true, keys of
case files that exist wherever they are named, and words.

Run it from anywhere; it prints what is wrong and exits with 1, or says what holds. Needs Python's own library only.
"""
import re
import sys
import tempfile
from pathlib import Path

from imports import Crate
from words import glossary_files, long_lines, planted_words_are_found, retired_words, unknown_keys

ROOT = Path(__file__).resolve().parents[2]
SOLVERS = ("mom", "reflectarray", "sbr", "dgtd", "nah")
# Lower layers know nothing of higher ones.
LAYERS = (
    {"core"}, {"device"}, {"mesh", "nufft", "comm", "pattern"}, set(SOLVERS), {"case", "report"}, {"run"}, {"bench", "viewer"}, {"cli", "fuzz"},
)
# What every solver has; a name stands for a file or a folder.
SHAPE = ("lib", "error", "problem", "check", "study", "engine", "cpu", "gpu", "solve", "post")
# Solvers whose runs are long enough to resume.
RESUMABLE = ("mom", "reflectarray", "sbr", "dgtd", "nah")
TARGETS = ("physics", "parity", "bad_input")
# Each may import those before it, and `cpu` and `gpu` stand side by side.
ORDER = (("error",), ("problem",), ("check",), ("study",), ("engine",), ("checkpoint",), ("cpu", "gpu"), ("solve",), ("post",))


def crates():
    """Names of the crates, by folder."""
    return sorted(folder.name for folder in (ROOT / "crates").iterdir() if (folder / "Cargo.toml").is_file())


def exists(folder, name):
    """Whether a module is there, as a file or as a folder."""
    return (folder / f"{name}.rs").is_file() or (folder / name).is_dir()


def shape_of_solvers():
    """Files that a solver lacks."""
    for solver in SOLVERS:
        folder = ROOT / "crates" / solver
        wanted = SHAPE + (("checkpoint",) if solver in RESUMABLE else ())
        yield from (f"crates/{solver}/src has no {name}" for name in wanted if not exists(folder / "src", name))
        yield from (f"crates/{solver}/tests has no {name}" for name in TARGETS if not exists(folder / "tests", name))
        if not any((folder / "kernels").glob("*.cu")):
            yield f"crates/{solver} has no kernels"
        if "//! ```" not in (folder / "src/lib.rs").read_text():
            yield f"crates/{solver}/src/lib.rs has no doc test"


def circles():
    """Files of a crate that import each other in a circle."""
    for name in crates():
        for group in Crate(ROOT / "crates" / name).circles():
            yield f"crates/{name}: import circle of {', '.join('::'.join(module) for module in group)}"


def order_of_files():
    """Imports of a solver's files that point the wrong way."""
    rank = {name: place for place, names in enumerate(ORDER) for name in names}
    for solver in SOLVERS:
        for module, imported in Crate(ROOT / "crates" / solver).imports.items():
            for other in sorted(imported):
                if rank.get(other[0], -1) > rank.get(module[0], len(ORDER)):
                    yield f"crates/{solver}: {'::'.join(module)} imports {'::'.join(other)}, which comes after it"


def order_of_crates():
    """Dependencies of a crate on one of a higher layer."""
    layer = {name: place for place, names in enumerate(LAYERS) for name in names}
    for name in crates():
        if name not in layer:
            yield f"crates/{name} stands in no layer of {Path(__file__).name}"
            continue
        for other in sorted(dependencies(ROOT / "crates" / name / "Cargo.toml")):
            if layer[other] >= layer[name]:
                yield f"crates/{name} depends on {other}, which is not below it"


def dependencies(manifest):
    """The crates of this repository that a manifest depends on, tests aside."""
    text = manifest.read_text().split("[dev-dependencies]")[0]
    return {name for name in re.findall(r"^phasefront-(\w+)", text, re.M)}


def dependencies_on_page():
    """The table of dependencies in ARCHITECTURE.md differs from the manifests, or has rows in the wrong order."""
    table = (ROOT / "ARCHITECTURE.md").read_text().split("| crate | depends on |")[1].split("\n\n")[0]
    rows = [[set(re.findall(r"`(\w+)`", cell)) for cell in row.strip("|").split("|")] for row in table.splitlines()[2:]]
    above = set()
    for names, others in rows:
        yield from (f"ARCHITECTURE.md: {name} stands above {', '.join(sorted(others - above))}" for name in names if others - above)
        above |= names
        for name in sorted(names):
            folder = ROOT / "crates" / name
            found = dependencies((folder if folder.is_dir() else ROOT / name) / "Cargo.toml")
            if found != others:
                yield f"ARCHITECTURE.md: {name} depends on {', '.join(sorted(found)) or 'nothing'}"
    yield from (f"ARCHITECTURE.md: the dependencies of {name} are missing" for name in crates() if name not in above)


def sections():
    """The sections "Inside `name`" of ARCHITECTURE.md."""
    parts = re.split(r"^## Inside `(\w+)`$", (ROOT / "ARCHITECTURE.md").read_text(), flags=re.M)
    return {name: body.split("\n## ")[0] for name, body in zip(parts[1::2], parts[2::2])}


def named_files(text):
    """Files and folders that a section names: `solve.rs`, `cpu/`, `kernels/stage.cu`."""
    return re.findall(r"`([\w./]+(?:\.rs|\.cu|\.h|\.css|\.html|/))`", text)


def page():
    """What ARCHITECTURE.md leaves out, and files that it names and that do not exist."""
    found = sections()
    for name in crates():
        if name not in found:
            yield f'ARCHITECTURE.md has no section "Inside `{name}`"'
            continue
        folder, named = ROOT / "crates" / name, set(named_files(found[name]))
        for file in sorted(named):
            if not list(folder.rglob(file.rstrip("/"))) and not (ROOT / file).exists():
                yield f"ARCHITECTURE.md, inside `{name}`: there is no {file}"
        mentioned = {part for file in named for part in file.split("/")}
        for file in sorted((folder / "src").iterdir()):
            if file.suffix in (".rs", "") and file.name not in ("lib.rs", "main.rs") and file.name not in mentioned:
                yield f"ARCHITECTURE.md, inside `{name}`: {file.name} is not named"


def planted_circle_is_found():
    """The reader of imports finds what was planted, through a re-export too."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        (source / "b").mkdir(parents=True)
        (source / "lib.rs").write_text("mod a;\nmod b;\npub use b::deep::Deep;\n")
        (source / "a.rs").write_text("use crate::{Deep, a as me};\npub struct A(Deep);\n")
        (source / "b/mod.rs").write_text("pub mod deep;\n")
        (source / "b/deep.rs").write_text("pub struct Deep;\nfn f() -> crate::a::A { todo!() }\n#[cfg(test)]\nmod tests { use crate::b; }\n")
        crate = Crate(folder)
        if crate.circles() != [[("a",), ("b", "deep")]]:
            yield f"the planted circle was not found: {crate.imports}"


def main():
    """Runs all checks."""
    checks = (planted_circle_is_found, shape_of_solvers, circles, order_of_files, order_of_crates, dependencies_on_page, page,
              long_lines, unknown_keys, glossary_files, planted_words_are_found, retired_words)
    wrong = [line for check in checks for line in check()]
    print("\n".join(wrong) if wrong else f"{len(crates())} crates: shape, imports, ARCHITECTURE.md and words hold")
    print(f"{len(checks)} checks, {len(wrong)} complaints")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
