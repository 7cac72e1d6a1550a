#!/usr/bin/env python3
"""Writes the pages of the book that follow from what is elsewhere: PHASEFRONT=target/release/phasefront docs/reference/generate.py

    case-files.md     from schema/case-1.schema.json
    command-line.md   from the help texts of the program and of all of its commands
    ../gallery.md     from the folders under cases/
    ../performance.md from sections of the manuals

With --check nothing is written, and a page that has drifted is an error.
"""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import case_files
import command_line
import gallery
import performance


def main():
    program = os.environ.get("PHASEFRONT")
    if sys.argv[1:] not in ([], ["--check"]) or not program:
        sys.exit("usage: PHASEFRONT=target/release/phasefront docs/reference/generate.py [--check]")
    here = Path(__file__).resolve().parent
    root = here.parents[1]
    # The committed schema: a test of the program's own fails where it differs from what `phasefront schema` prints.
    schema = json.loads((root / "schema/case-1.schema.json").read_text())
    pages = {
        here / "case-files.md": case_files.page(schema),
        here / "command-line.md": command_line.page(os.path.abspath(program)),
        here.parent / "gallery.md": gallery.page(root / "cases"),
        here.parent / "performance.md": performance.page(root),
    }
    drifted = [page for page, text in pages.items() if not page.exists() or page.read_text() != text]
    if sys.argv[1:] == ["--check"]:
        if drifted:
            names = " and ".join(page.name for page in drifted)
            sys.exit(f"error: {names} drifted from the program; run docs/reference/generate.py and commit what it writes")
        print("the reference is what the program says")
        return
    for page in drifted:
        page.write_text(pages[page])
        print(f"wrote {page.name}")


main()
