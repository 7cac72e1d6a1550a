"""Links from the book to Markdown files of the repository that are no pages of it, such as ../cases/62-slab/README.md.

The parser takes every .md for a page and finds none outside of docs/; here the link leads to a copy of the file instead, as links to
all other files do. A file that is not there stays a broken link, which stops the build.
"""

import os
from pathlib import Path

from sphinx import addnodes
from sphinx.transforms import SphinxTransform


class RepositoryFiles(SphinxTransform):
    default_priority = 500

    def apply(self, **_):
        for link in list(self.document.findall(addnodes.pending_xref)):
            # Outside of docs/ the name of a "page" is the whole path of the file without its ending.
            file = Path(link["reftarget"] + ".md")
            if link.get("refdomain") != "doc" or not file.is_absolute():
                continue
            folder = Path(self.env.doc2path(self.env.docname)).parent
            copy = addnodes.download_reference(reftarget=os.path.relpath(file, folder), refdoc=self.env.docname)
            copy.source, copy.line = link.source, link.line
            copy.extend(link.children)
            link.replace_self(copy)


def setup(app):
    app.add_transform(RepositoryFiles)
    return {"parallel_read_safe": True}
