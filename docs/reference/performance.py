"""The page of performance: the sections of the manuals that tell how fast something is, word for word, with the commands that measure it."""

import re

HEAD = """# Performance

<!-- Written by docs/reference/generate.py from sections of the manuals; edit those. -->

The performance figures of all manuals on one page, with the commands that reproduce them. `phasefront bench NAME` times fixed workloads and prints
their rates, also as fractions of the peak rates of the machine: memory copy for memory-bound work, matrix products for compute-bound work. `--json`
prints the same rows as data; `--device` and `--threads` select the device and the number of threads.

```sh
phasefront doctor                # rates of memory and arithmetic of this machine
phasefront bench device mom      # some benchmarks; without names all of them, which takes long
phasefront bench sbr --compare   # also Embree; SciPy (mom), FINUFFT (nufft), if python3 has them
```

**The machines.** "Two cores" are two cores of an x86-64 server, an Intel Xeon with AVX-512. The GPU is an NVIDIA H200 (driver 580, CUDA 13.0). Times
are wall-clock, without the first compilation of the kernels, which takes seconds, once. Other machines' figures are those that the publications give:
[the papers, and ours](papers.md).
"""

# Page, heading of its section, and what regenerates its figures.
SECTIONS = [
    ("device", "docs/concepts/devices.md", "How fast a device is", "phasefront bench device"),
    ("mom", "docs/mom.md", "Speed", "phasefront bench mom"),
    ("mom", "docs/paper-baseline.md", "Figures", "phasefront bench mom"),
    ("nufft", "crates/nufft/README.md", "Speed", "phasefront bench nufft"),
    ("reflectarray", "docs/reflectarray.md", "Speed", "phasefront bench reflectarray"),
    ("reflectarray", "docs/reflectarray-paper.md", "Table by table", "phasefront run cases/21-europe-71"),
    ("sbr", "docs/sbr-paper.md", "Table III: seconds for 361 directions", "phasefront bench sbr"),
    ("sbr", "docs/sbr-paper.md", "Rays per second, and Embree", "phasefront bench sbr --compare"),
    ("sbr", "docs/sbr-paper.md", "How the time grows", "phasefront bench sbr --scaling"),
    ("dgtd", "docs/dgtd-paper.md", "Ours", "phasefront bench dgtd"),
    ("dgtd", "docs/dgtd-paper.md", "Figure 6 and 7: three kernels", "phasefront bench dgtd --device cuda"),
    ("dgtd", "docs/dgtd-paper.md", "Table 1: the dielectric sphere", "phasefront run cases/63-dielectric-sphere"),
    ("dgtd", "docs/dgtd-paper.md", "The other two", "phasefront run cases/66-almond"),
    ("nah", "docs/nah.md", "How fast it is", "phasefront bench nah"),
]


def page(root):
    text, solver_before = HEAD, None
    for solver, file, heading, command in SECTIONS:
        if solver != solver_before:
            text += f"\n## `{solver}`\n"
        solver_before = solver
        link = file.removeprefix("docs/") if file.startswith("docs/") else f"../{file}"
        text += f"\n### {solver}: {heading}\n\n`{command}` · from [{file}]({link})\n\n{section(root / file, heading)}\n"
    return text


def section(path, heading):
    """The text below a heading of second rank, up to the next one."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", path.read_text(), re.MULTILINE | re.DOTALL)
    if not found:
        raise SystemExit(f"error: {path} has no section \"{heading}\"; name the new one in docs/reference/performance.py")
    return found[1].strip()
