"""Words of the project: prose of bounded width, keys of case files that exist wherever they are named, files of the glossary,
and no retired words."""
import functools
import json
import re
import subprocess
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


def glossary_files():
    """Files that the glossary names and that do not exist."""
    for name in re.findall(r"`(\w+/src/[\w/]+\.rs)`", (ROOT / "docs/glossary.md").read_text()):
        if not (ROOT / "crates" / name).is_file():
            yield f"docs/glossary.md: there is no crates/{name}"


# British spelling and retired words, each with what to write instead. Parts of words count where no border is given.
RETIRED = {
    "centre": "center", "colour": "color", "neighbour": "neighbor", "behaviour": "behavior", "favour": "favor", "honour": "honor",
    r"polaris(?!tic)": "polariz", r"(?:normal|discret|optim|organ|recogn|regular|general|initial|visual|minim|maxim|summar|linear|serial)"
    r"is(?:e|es|ed|er|ing|ation)\b": "-ize", r"analys(?:e|ed|er|ing)\b": "analyze", "licence": "license", r"\bmetres?\b": "meter",
    r"(?:kilo|centi|milli|micro)metre": "meter", r"\bgrey": "gray", "catalogue": "catalog", r"(?:label|model|cancel|signal)l(?:ed|ing)\b": "one l",
    "whilst": "while", r"(?:counter|anti)-clockwise": "counterclockwise", "non-uniform": "nonuniform", "aerofoil": "airfoil",
    r"\b(?:to|out|in|up|down)wards\b": "without s", "misspelt": "misspelled", r"\blearnt\b": "learned",
    r"\banew\b": "again", r"\baloud\b": "with a message", r"\blittle end\b": "little-endian", r"\bdies? out\b": "decays, evanescent",
    "filter of bits": "CIC decimation filter", r"\b(?:is|be) had\b": "is available", r"\bcomes? along\b(?! the)": "is included",
    "whole numbers?": "integers", "around the house": "", "iterated[-_ ]projections": "alternating projections",
    "at_home": "rephase", "far_sums": "far-field integrals", r"carry_on\b": "extrapolation", "in_vectors": "SIMD dispatch",
    "Tubes::Paper": "Tubes::RayGrid", "(?-i:DrivenFace)": "SourceFace", r"(?-i:(?:Flat|Edge|Corner)Layer\b)": "PmlFace, PmlEdge, PmlCorner",
    r"(?-i:\bSkin\b)": "BoundaryCondition", r"(?-i:\bTrail\b)": "ray differential", r"(?-i:\bCensus\b)": "channel statistics",
    r"(?-i:\bGROWN\b)": "divergence ratio", r"(?-i:\bRecipes\b)": "specification",
}
# Where a retired word is meant: wrong cases with British keys, the unit "metre" that a message corrects, STEP files, names of others.
ALLOWED = {
    "centre": ["crates/case/tests/wrong/dgtd-port-coaxial-centre"],
    "polaris": ["crates/case/tests/wrong/source-polarization-british"],
    "analyse": ["crates/case/tests/wrong/synthesis-method-misspelled"],
    "metre": ["crates/core/src/units/quantity.rs", "crates/run/tests/cad.rs"],
    "colour": ["crates/run/tests/cad.rs"],
    "Census": ["crates/reflectarray/tests/physics/coverage.rs"],
    "Recipes": ["crates/mesh/src/cubic.rs"],
    "iterated projections": ["docs/glossary.md"],
}
SCANNED = {".rs", ".cu", ".h", ".py", ".md", ".toml", ".txt", ".json", ".ts", ".mjs", ".css", ".html", ".ipynb", ".csv"}
# The page that names old keys, what others wrote, and this list.
UNSCANNED = ("CHANGELOG.md", "third-party/", "web/package-lock.json", "tests/architecture/words.py")


# The border of a word: of a name's part, too, which an underscore ends.
BORDER = r"(?:(?<![A-Za-z])(?=[A-Za-z])|(?<=[A-Za-z])(?![A-Za-z]))"
PATTERN = re.compile("|".join(f"(?P<w{index}>{word})" for index, word in enumerate(RETIRED)).replace(r"\b", BORDER), re.I)
# Those of several words or with other characters, which no single word shows.
PHRASES = re.compile("|".join(word for word in RETIRED if re.search(r"[ _]|::|\w-\w", word)).replace(r"\b", BORDER), re.I)


@functools.cache
def is_retired(word):
    """Whether a word alone is or has a retired one. A text has few different words, and many of each."""
    return PATTERN.search(word) is not None


def may_have_some(text):
    """Whether it is worth looking at each line."""
    return any(map(is_retired, set(re.findall("[A-Za-z]+", text)))) or PHRASES.search(text) is not None


def retired_in(line):
    """The retired words of a line, each with what to write instead."""
    instead = list(RETIRED.values())
    return [(match[0], instead[int(match.lastgroup[1:])] or "plain English") for match in PATTERN.finditer(line)]


def planted_words_are_found():
    """The list finds what was planted, and only that."""
    found = [word for word, _ in retired_in("The Colour of towards_peak, polarised anew: struct Skin; at_home; normalisation")]
    if found != ["Colour", "towards", "polaris", "anew", "Skin", "at_home", "normalisation"]:
        yield f"the planted words were not found: {found}"
    if other := retired_in("optimistic skins, an analysis of janewood, waves that come along the edge, carry_one, precise"):
        yield f"words were found that are allowed: {other}"


def retired_words():
    """Retired words in code, pages, cases and messages, and entries of the list of exceptions that nothing needs."""
    used = set()
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in files:
        path = ROOT / name
        if path.suffix not in SCANNED or name.startswith(UNSCANNED) or not path.is_file():
            continue
        text = path.read_text(errors="replace")
        if not may_have_some(f"{name}\n{text}"):
            continue
        for number, line in enumerate([name, *text.splitlines()]):
            for found, instead in retired_in(line):
                allowed = [(word, start) for word, starts in ALLOWED.items() for start in starts]
                allowed = [(word, start) for word, start in allowed if name.startswith(start) and found.lower() == word.lower()]
                used.update(allowed)
                if not allowed:
                    yield f'{name}:{number}: "{found}", write: {instead}'
    for word, starts in ALLOWED.items():
        yield from (f"words.py allows {word} in {start}, where it is not" for start in starts if (word, start) not in used)
