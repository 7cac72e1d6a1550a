"""Words of the project: prose of bounded width, and keys of case files that exist wherever they are named."""
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_WIDTH = 100
SOLVERS = ("mom", "reflectarray", "sbr", "dgtd", "nah")
# Pages that a script writes, and the one that names old keys.
SKIPPED = ("docs/reference", "docs/gallery.md", "docs/performance.md", "CHANGELOG.md")


def pages():
    """Pages that people write."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("cases/*/README.md")]
    return sorted(page for page in found if not str(page.relative_to(ROOT)).startswith(SKIPPED))


def text_lines(page):
    """Numbered lines of a page without code."""
    fence = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if re.match(r"\s*(```|~~~)", line):
            fence = not fence
        elif not fence and not line.startswith("    "):
            yield number, line


def long_lines():
    """Lines of prose that are too wide. Tables, headings and HTML may be, and so may a single link or code span."""
    for page in pages():
        for number, line in text_lines(page):
            is_prose = not re.match(r"\s*[|<#!]", line)
            if is_prose and len(line) > MAX_WIDTH and " " in re.sub(r"`[^`]*`", "", line.strip()).strip("-*:() ."):
                yield f"{page.relative_to(ROOT)}:{number}: {len(line)} characters, at most {MAX_WIDTH}"


def keys_of(schema, node, path, found, depth=0):
    """Adds the paths of all keys below a node of the schema, without brackets and group names."""
    if depth > 14:
        return
    if "$ref" in node:
        keys_of(schema, schema["$defs"][node["$ref"].split("/")[-1]], path, found, depth + 1)
    for alternative in (part for key in ("anyOf", "oneOf") for part in node.get(key, [])):
        keys_of(schema, alternative, path, found, depth + 1)
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict):
            keys_of(schema, node[key], path, found, depth + 1)
    for key, below in node.get("properties", {}).items():
        found.add(f"{path}{key}")
        keys_of(schema, below, f"{path}{key}.", found, depth + 1)


def known_keys():
    """The keys of every solver's cases."""
    schema = json.loads((ROOT / "schema/case-1.schema.json").read_text())
    keys = {}
    for case in schema["oneOf"]:
        case = schema["$defs"][case["$ref"].split("/")[-1]] if "$ref" in case else case
        found = set()
        keys_of(schema, case, "", found)
        keys[case["properties"]["solver"]["const"]] = found
    return keys


def unknown_keys():
    """Keys that pages or messages name and no case has."""
    keys = known_keys()
    every = set().union(*keys.values())
    pattern = re.compile(r"\b(?:source|output|solve|geometry)(?:\.[a-z_]+|\[[^\]]*\])+")
    ends = (".rs", ".toml", ".csv", ".md", ".png", ".json", ".npz", ".py")
    texts = [(page, number, line, every) for page in pages() for number, line in text_lines(page)]
    for solver in SOLVERS:
        adapter = ROOT / "crates/run/src" / solver
        files = [*(ROOT / "crates" / solver / "src").rglob("*.rs"), *adapter.rglob("*.rs"), adapter.with_suffix(".rs")]
        for file in files:
            lines = enumerate(file.read_text().splitlines(), 1)
            code = ((number, line) for number, line in lines if not line.lstrip().startswith("//"))
            texts += [(file, number, text, keys[solver]) for number, line in code for text in re.findall(r'"(?:[^"\\]|\\.)*"', line)]
    for file, number, text, known in texts:
        for match in pattern.finditer(text):
            # Messages put names of groups and surfaces into the path.
            plain = re.sub(r"\[[^\]]*\]", "", match[0])
            if plain not in known and not plain.endswith(ends) and "{" not in text[match.end() : match.end() + 2]:
                yield f"{file.relative_to(ROOT)}:{number}: no case has the key {plain}"
