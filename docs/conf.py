"""How the book is built: sphinx-build -E -a -q -W --keep-going -b html docs target/book

The pages are plain Markdown and read as well in the repository; a link that leads nowhere stops the build.
"""

import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
_manifest = tomllib.loads((Path(__file__).parent.parent / "Cargo.toml").read_text())

project = "Phasefront"
author = "the Phasefront authors"
release = _manifest["workspace"]["package"]["version"]
language = "en_GB"

extensions = ["myst_parser", "repository_files"]
myst_heading_anchors = 4  # links such as mom.md#keys work as they do in the repository

html_theme = "furo"
html_title = f"Phasefront {release}"
html_static_path = ["_static"]
html_css_files = ["book.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
# Commands are marked `console`, where only lines with a prompt are commands; shell blocks stay as they are written.
highlight_language = "none"
