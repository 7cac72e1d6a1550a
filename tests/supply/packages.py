"""The packages that go into the program, from Cargo's and npm's lock files. Needs Python's own library and cargo."""
import base64
import json
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What is listed must not depend on the machine that lists it.
PLATFORM = "x86_64-unknown-linux-gnu"
# The command and the Python package.
PROGRAMS = ("phasefront-cli", "phasefront-python")


def metadata():
    """What cargo knows of the workspace and its dependencies; sources that are not here yet are downloaded."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", PLATFORM]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def checksums():
    """SHA-256 of every crate, by name and version."""
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    return {(package["name"], package["version"]): package.get("checksum") for package in lock["package"]}


def crates():
    """The crates inside the programs, sorted: those that normal dependencies reach. Build tools and tests are left out."""
    known = metadata()
    packages = {package["id"]: package for package in known["packages"]}
    nodes = {node["id"]: node for node in known["resolve"]["nodes"]}
    waiting = [key for key, package in packages.items() if package["name"] in PROGRAMS]
    reached = set()
    while waiting:
        key = waiting.pop()
        if key in reached:
            continue
        reached.add(key)
        for dependency in nodes[key]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    found = [packages[key] for key in reached if packages[key]["source"]]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def scripts():
    """The npm packages inside the page, sorted: (name, version, license, SHA-512 or None)."""
    lock = json.loads((ROOT / "web/package-lock.json").read_text())
    found = []
    for path, package in lock["packages"].items():
        if path and not package.get("dev") and not package.get("optional"):
            integrity = package.get("integrity", "")
            digest = base64.b64decode(integrity[7:]).hex() if integrity.startswith("sha512-") else None
            found.append((path.removeprefix("node_modules/"), package["version"], package.get("license", ""), digest))
    return sorted(found)
