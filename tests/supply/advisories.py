#!/usr/bin/env python3
"""Compares the locked packages with what is known to be vulnerable or withdrawn.

- Rust crates: the RustSec advisory database, from $ADVISORY_DB, from ~/.cargo/advisory-db*, or downloaded to a cache;
- versions that were withdrawn ("yanked") from crates.io;
- npm packages of the page: npm's advisories.

A source that cannot be reached is named in a line that begins with SKIPPED, and does not fail: the gate must work without a
network. With --self-test the comparison itself is tested, on made-up advisories. Advisories that are known and do not concern
us stand in `ignored` below, each with its reason.
"""
import hashlib
import http.client
import io
import json
import os
import re
import sys
import tarfile
import time
import tomllib
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from packages import ROOT, scripts

DATABASE = "https://github.com/rustsec/advisory-db/archive/refs/heads/main.tar.gz"
INDEX = "index.crates.io"
CONNECTIONS = 4
NPM = "https://registry.npmjs.org/-/npm/v1/security/advisories/bulk"
SECONDS_OF_A_DAY = 86400
TIMEOUT_S = 20
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
# Identifier: reason.
IGNORED = {}


def fetch(url, data=None):
    """The bytes at an address; none if it cannot be reached."""
    headers = {"User-Agent": "phasefront-tests", "Content-Type": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=TIMEOUT_S) as answer:
            return answer.read()
    except (urllib.error.URLError, TimeoutError, OSError):
        return None


def version(text):
    """A version that compares as Semantic Versioning orders them; builds are ignored."""
    core, _, pre = text.strip().split("+")[0].partition("-")
    numbers = tuple(int(number) for number in (core.split(".") + ["0", "0"])[:3])
    parts = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in pre.split(".")] if pre else []
    # A pre-release comes before its release.
    return (numbers, 0 if pre else 1, parts)


def bound(text):
    """One comparison of a requirement, as a function of a version."""
    operator, number = re.fullmatch(r"\s*(>=|<=|>|<|=|\^|~)?\s*([\w.+-]+)\s*", text).groups()
    at = version(number)
    if operator in (">=", "<=", ">", "<", "="):
        compare = {">=": lambda v: v >= at, "<=": lambda v: v <= at, ">": lambda v: v > at, "<": lambda v: v < at, "=": lambda v: v == at}
        return compare[operator]
    major, minor, patch = at[0]
    given = number.count(".")
    if operator == "~":
        upper = (major, minor + 1, 0) if given else (major + 1, 0, 0)
    elif major or not given:
        upper = (major + 1, 0, 0)
    elif minor or given == 1:
        upper = (0, minor + 1, 0)
    else:
        upper = (0, 0, patch + 1)
    return lambda v: at <= v and v[0] < upper


def meets(text, requirements):
    """Whether a version meets one of these requirements, each of comparisons between commas."""
    return any(all(bound(part)(version(text)) for part in requirement.split(",")) for requirement in requirements)


def advisory(text):
    """The TOML at the head of an advisory."""
    return tomllib.loads(re.search(r"```toml\n(.*?)```", text, re.S).group(1))


def concerned(known, locked):
    """Locked versions that an advisory concerns."""
    entry, versions = known["advisory"], known.get("versions", {})
    if entry.get("withdrawn") or entry.get("informational") in ("notice",) or entry["id"] in IGNORED:
        return []
    fine = versions.get("patched", []) + versions.get("unaffected", [])
    return [number for number in locked.get(entry["package"], []) if not meets(number, fine)]


def database():
    """The texts of all advisories on crates; none without a database."""
    folders = [Path(os.environ["ADVISORY_DB"])] if "ADVISORY_DB" in os.environ else []
    folders += sorted(Path.home().glob(".cargo/advisory-db*/**/crates"))
    for folder in folders:
        texts = [path.read_text() for path in sorted(folder.rglob("RUSTSEC-*.md"))]
        if texts:
            return texts
    cache = TARGET / "advisory-db.tar.gz"
    if not cache.is_file() or time.time() - cache.stat().st_mtime > SECONDS_OF_A_DAY:
        data = fetch(DATABASE)
        if data:
            cache.parent.mkdir(parents=True, exist_ok=True)
            cache.write_bytes(data)
    if not cache.is_file():
        return None
    with tarfile.open(fileobj=io.BytesIO(cache.read_bytes())) as archive:
        names = [name for name in archive.getnames() if re.search(r"/crates/.*/RUSTSEC-[\d-]+\.md$", name)]
        return [archive.extractfile(name).read().decode() for name in names]


def locked_crates():
    """Versions of all crates from crates.io, by name: tools of the build too."""
    found = {}
    for package in tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]:
        if "checksum" in package:
            found.setdefault(package["name"], []).append(package["version"])
    return found


def index_path(name):
    """Where the index of crates.io has a crate."""
    if len(name) < 4:
        return "/".join([str(len(name))] + ([name[0]] if len(name) == 3 else []) + [name])
    return f"{name[:2]}/{name[2:4]}/{name}"


def index_lines(names):
    """The entries of crates in the index, by name, over one connection; names without an answer are omitted."""
    found = {}
    connection = http.client.HTTPSConnection(INDEX, timeout=TIMEOUT_S)
    try:
        for name in names:
            connection.request("GET", f"/{index_path(name)}", headers={"User-Agent": "phasefront-tests"})
            answer = connection.getresponse()
            text = answer.read().decode()
            if answer.status == 200:
                found[name] = [json.loads(line) for line in text.splitlines()]
    except (OSError, http.client.HTTPException):
        pass
    return found


def yanked(locked):
    """Locked versions that were withdrawn, and the number of crates that were found in the index. Asked once a day."""
    digest = hashlib.sha256(json.dumps(locked, sort_keys=True).encode()).hexdigest()
    cache = TARGET / "yanked.json"
    if cache.is_file() and time.time() - cache.stat().st_mtime < SECONDS_OF_A_DAY:
        known = json.loads(cache.read_text())
        if known["lock"] == digest:
            return known["yanked"], known["seen"]
    names = sorted(locked)
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        parts = pool.map(index_lines, [names[i::CONNECTIONS] for i in range(CONNECTIONS)])
        entries = {name: lines for part in parts for name, lines in part.items()}
    found = [[name, line["vers"]] for name in names for line in entries.get(name, []) if line["yanked"] and line["vers"] in locked[name]]
    if len(entries) == len(names):
        TARGET.mkdir(parents=True, exist_ok=True)
        cache.write_text(json.dumps({"lock": digest, "yanked": found, "seen": len(entries)}))
    return found, len(entries)


def self_test():
    """Planted advisories are found, and others are not."""
    text = '```toml\n[advisory]\nid = "RUSTSEC-2000-0001"\npackage = "wire"\n[versions]\npatched = [">= 1.2.3, < 2.0.0", "^2.1.4"]\nunaffected = ["< 0.3"]\n```\n# Wire breaks'
    locked = {"wire": ["0.2.9", "0.3.0", "1.2.2", "1.2.3", "1.3.0-rc.1", "2.0.0", "2.1.4", "2.9.0", "3.0.0"], "other": ["0.1.0"]}
    found = concerned(advisory(text), locked)
    assert found == ["0.3.0", "1.2.2", "2.0.0", "3.0.0"], found
    assert concerned(advisory(text.replace("[versions]", 'withdrawn = "2001-01-01"\n[versions]')), locked) == []
    order = ["1.0.0-alpha.2", "1.0.0-alpha.10", "1.0.0-beta", "1.0.0", "1.0.1", "1.10.0"]
    assert sorted(order, key=version) == order
    assert meets("0.4.7", ["^0.4.2"]) and not meets("0.5.0", ["^0.4.2"]) and meets("1.4.9", ["~1.4.2"]) and not meets("1.5.0", ["~1.4"])
    assert [index_path(name) for name in ("a", "ab", "abc", "serde")] == ["1/a", "2/ab", "3/a/abc", "se/rd/serde"]
    print("advisories are compared as they should be")


def main():
    """Prints what was found; 1 if anything was."""
    locked, bad = locked_crates(), []
    texts = database()
    if texts is None:
        print(f"SKIPPED: advisories on crates: {DATABASE} cannot be reached, and there is no copy in $ADVISORY_DB")
    else:
        for known in map(advisory, texts):
            bad += [f"{known['advisory']['id']}: {known['advisory']['package']} {number}" for number in concerned(known, locked)]
        print(f"{len(texts)} advisories compared with {len(locked)} crates")
    withdrawn, seen = yanked(locked)
    bad += [f"withdrawn from crates.io: {name} {number}" for name, number in withdrawn]
    print(f"{seen} crates compared with the index of crates.io")
    if seen < len(locked):
        print(f"SKIPPED: withdrawn versions of {len(locked) - seen} crates: {INDEX} cannot be reached")
    page = {name: [number] for name, number, *_ in scripts()}
    answer = fetch(NPM, json.dumps(page).encode())
    if answer is None:
        print(f"SKIPPED: advisories on npm packages: {NPM} cannot be reached")
    else:
        for name, entries in json.loads(answer).items():
            bad += [f"{entry['url']}: {name} {entry['vulnerable_versions']}" for entry in entries]
        print(f"{len(page)} npm packages compared with npm's advisories")
    for line in bad:
        print(line)
    return 1 if bad else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        sys.exit(main())
