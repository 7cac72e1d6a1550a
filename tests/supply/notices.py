#!/usr/bin/env python3
"""Writes third-party/NOTICES.txt, the licenses of everything inside the program, and third-party/sbom.cdx.json, the bill of
materials (CycloneDX 1.5). `phasefront licenses` prints them, the Python package has the notices, and the page those of its
own packages, web/public/licenses.txt.

Run it when Cargo.lock or web/package-lock.json changes; with --check it writes nothing and fails if a file is out of date.
The same input gives the same bytes: there are no times and no paths of this machine in them.
"""
import json
import re
import sys
import uuid
from pathlib import Path

from packages import ROOT, checksums, crates, scripts

FOLDER = ROOT / "third-party"
MIT = """Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE."""
HEAD = """Phasefront contains the following software of others, each under the license named with it. The texts follow, each
once, with the packages that it covers. `phasefront licenses --sbom` lists the same packages for programs.
"""


def license_files(folder):
    """Files of a package that look like licenses and notices, with their texts."""
    pattern = re.compile(r"^(licen[cs]e|copying|notice|unlicense|copyright)", re.I)
    files = [path for path in sorted(folder.iterdir() if folder.is_dir() else []) if path.is_file() and pattern.match(path.name)]
    folders = [path for path in (folder / "LICENSES", folder / "license", folder / "licenses") if path.is_dir()]
    files += [path for inner in folders for path in sorted(inner.iterdir()) if path.is_file()]
    return [(path.name, path.read_text(errors="replace")) for path in files]


def chosen(expression, files):
    """The texts that must be passed on: where there is a choice, MIT's alone, and notices in any case."""
    choices = [choice.strip("() ") for choice in re.split(r"\bOR\b|/", expression)]
    mit = [file for file in files if "MIT" in file[0].upper()]
    if "MIT" in choices and mit and "AND" not in expression:
        return mit + [file for file in files if file[0].lower().startswith("notice")]
    return files


def normal(text):
    """A text without what editors change."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\f", "").split("\n")]
    return "\n".join(lines).strip("\n") + "\n"


def texts_of(package):
    """The license texts of a crate; of one that has none, what its manifest says."""
    files = chosen(package["license"] or "", license_files(Path(package["manifest_path"]).parent))
    if files:
        return [normal(text) for _, text in files]
    authors = ", ".join(package["authors"]) or f"the authors of {package['name']}"
    # Addresses of persons are not passed on.
    authors = re.sub(r"\s*<[^>]*>", "", authors)
    if "MIT" in (package["license"] or ""):
        return [normal(f"The MIT License\n\nCopyright (c) {authors}\n\n{MIT}")]
    return [normal(f"Copyright (c) {authors}\nLicensed under {package['license']}; the package has no text of it.")]


def notices(packages, page):
    """All notices: the packages, then each text once."""
    names, covered = [], {}
    for package in packages:
        name = f"{package['name']} {package['version']}"
        names.append(f"{name}: {package['license']}")
        for text in texts_of(package):
            covered.setdefault(text, []).append(name)
    for name, version, expression, _ in page:
        names.append(f"{name} {version} (npm, in the page): {expression}")
        for _, text in license_files(ROOT / "third-party/npm" / name):
            covered.setdefault(normal(text), []).append(f"{name} {version} (npm)")
    parts = [HEAD, "\n".join(names) + "\n"]
    for text, users in sorted(covered.items(), key=lambda item: (item[1][0], item[0])):
        parts.append("-" * 100 + "\n" + wrapped(users) + "\n\n" + text)
    return "\n".join(parts)


def page_notices(page):
    """The notices of the page, which is also served without the program's other parts."""
    parts = ["This page contains the following software of others."]
    for name, version, expression, _ in page:
        texts = [normal(text) for _, text in license_files(ROOT / "third-party/npm" / name)]
        parts.append("\n".join([f"{name} {version}: {expression}\n", *texts]))
    return "\n\n".join(parts)


def wrapped(users):
    """A list of names in lines of at most 100 characters."""
    lines = [""]
    for user in users:
        if lines[-1] and len(lines[-1]) + len(user) > 97:
            lines.append("")
        lines[-1] += f"{user}, "
    return "\n".join(line.rstrip() for line in lines).rstrip(",")


def component(name, version, expression, purl, algorithm, digest):
    """A component of the bill of materials."""
    entry = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
    if digest:
        entry["hashes"] = [{"alg": algorithm, "content": digest}]
    if expression:
        entry["licenses"] = [{"expression": expression.replace("/", " OR ")}]
    return entry


def bill(packages, page):
    """The bill of materials, CycloneDX 1.5 in JSON."""
    sums = checksums()
    components = []
    for package in packages:
        name, version = package["name"], package["version"]
        purl = f"pkg:cargo/{name}@{version}"
        components.append(component(name, version, package["license"], purl, "SHA-256", sums.get((name, version))))
    for name, version, expression, digest in page:
        components.append(component(name, version, expression, f"pkg:npm/{name}@{version}", "SHA-512", digest))
    listed = json.dumps(components, sort_keys=True)
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        # Follows from the contents, so that it changes with them and with nothing else.
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, listed)}",
        "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": "phasefront", "name": "phasefront"}},
        "components": components,
    }
    return json.dumps(document, indent=1) + "\n"


def main(arguments):
    """Writes the files, or compares them."""
    packages, page = crates(), scripts()
    made = {
        FOLDER / "NOTICES.txt": notices(packages, page),
        FOLDER / "sbom.cdx.json": bill(packages, page),
        ROOT / "web/public/licenses.txt": page_notices(page),
    }
    missing = [name for name, *_ in page if not license_files(ROOT / "third-party/npm" / name)]
    if missing:
        print(f"third-party/npm has no license of {', '.join(missing)}: copy it from web/node_modules")
        return 1
    stale = [path for path, text in made.items() if not path.is_file() or path.read_text() != text]
    if arguments == ["--check"]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date: run python3 tests/supply/notices.py")
        if not stale:
            print(f"notices and bill of materials are those of {len(packages)} crates and {len(page)} npm packages")
        return 1 if stale else 0
    FOLDER.mkdir(exist_ok=True)
    for path in stale:
        path.write_text(made[path])
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
