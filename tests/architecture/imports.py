"""Which file of a crate imports which other: read from `use` items and paths, without a compiler.

A file is a module; `mod.rs` stands for its folder. `lib.rs` and `main.rs` only declare and re-export, so they are left out, and a name that
they (or a `mod.rs`) re-export leads to the file that defines it. Code under `#[cfg(test)]` does not count.
"""
import re
from pathlib import Path

TEST_MODULE = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))? )?mod \w+ \{.*", re.S)
TEST_ITEM = re.compile(r"#\[cfg\(test\)\][^;{]*;")
# Visibility is no import.
VISIBILITY = re.compile(r"\(in [\w:]+\)")
COMMENT = re.compile(r"//[^\n]*")
USE = re.compile(r"\buse ([^;]+);")
REEXPORT = re.compile(r"\bpub(?:\([^)]*\))? use ([^;]+);")
PATH = re.compile(r"(?<![\w:])((?:crate|super|self)(?:::\w+)+)")
CHILD = re.compile(r"(?<![\w:])(?!crate::|super::|self::)(\w+)::\w+")


def plain(text):
    """The text without tests and comments."""
    return VISIBILITY.sub("", COMMENT.sub("", TEST_ITEM.sub("", TEST_MODULE.sub("", text))))


def split_items(text):
    """The items of a braced list, which may have braces of their own."""
    items, depth, current = [], 0, ""
    for letter in text:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            items.append(current)
            current = ""
        else:
            current += letter
    return [item for item in [*items, current] if item.strip()]


def paths_of(tree, prefix=()):
    """All paths of a use tree: `a::{b, c::D}` is (a, b) and (a, c, D)."""
    tree = tree.strip()
    braced = re.match(r"^((?:\w+::)*)\{(.*)\}$", tree, re.S)
    if not braced:
        return [prefix + tuple(part for part in re.sub(r"\s+as\s+\w+", "", tree).split("::") if part)]
    prefix += tuple(part for part in braced.group(1).split("::") if part)
    return [path for item in split_items(braced.group(2)) for path in paths_of(item, prefix)]


class Crate:
    """The files of a crate and their imports: `imports[module]` is a set of modules, each a tuple of names."""

    def __init__(self, folder):
        source = Path(folder) / "src"
        self.files = {self.module(file.relative_to(source)): file for file in sorted(source.rglob("*.rs"))}
        self.texts = {module: plain(file.read_text()) for module, file in self.files.items()}
        self.reexports = dict(self.find_reexports())
        self.imports = {module: self.imports_of(module) for module in self.files if module}

    @staticmethod
    def module(path):
        parts = path.with_suffix("").parts
        if parts in (("lib",), ("main",)):
            return ()
        return parts[:-1] if parts[-1] == "mod" else parts

    def absolute(self, module, path):
        """A path from the root of the crate, or none if it leads out of it."""
        if path[0] == "crate":
            return path[1:]
        if path[0] == "self":
            return module + path[1:]
        if path[0] == "super":
            while path and path[0] == "super":
                module, path = module[:-1], path[1:]
            return module + path
        return module + path if module + path[:1] in self.files else None

    def longest(self, path):
        """The module that a path begins with, and what is left of the path."""
        length = next(n for n in range(len(path), -1, -1) if path[:n] in self.files or n == 0)
        return path[:length], path[length:]

    def find_reexports(self):
        for module, text in self.texts.items():
            for tree in REEXPORT.findall(text):
                for path in paths_of(tree):
                    whole = self.absolute(module, path)
                    if whole is not None:
                        yield (module, path[-1]), self.longest(whole)[0]

    def target(self, path):
        """The file that defines what a path names."""
        module, rest = self.longest(path)
        return self.reexports.get((module, rest[0]), module) if rest else module

    def imports_of(self, module):
        text = self.texts[module]
        body = USE.sub("", text)
        paths = [path for tree in USE.findall(text) for path in paths_of(tree)]
        paths += [tuple(path.split("::")) for path in PATH.findall(body)]
        paths += [(name,) for name in CHILD.findall(body)]
        whole = (self.absolute(module, path) for path in paths)
        return {self.target(path) for path in whole if path is not None} - {(), module}

    def circles(self):
        """Groups of files that import each other in a circle."""
        return [group for group in strong_components(self.imports) if len(group) > 1]


def strong_components(graph):
    """Tarjan's strongly connected components."""
    index, low, stack, groups = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = stack[stack.index(node):]
            del stack[stack.index(node):]
            groups.append(sorted(group))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return groups
