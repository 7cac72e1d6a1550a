"""Writes phasefront/cases.py, the dataclasses of case files, from the JSON schema.

    python python/generate_cases.py            writes it
    python python/generate_cases.py --check    fails if it is not what the schema says
"""

from __future__ import annotations

import json
import keyword
import sys
import textwrap
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SCHEMA = HERE.parent / "schema" / "case-1.schema.json"
OUTPUT = HERE / "phasefront" / "cases.py"
WIDTH = 120

HEAD = '''"""Case files as dataclasses, one for each table of each solver; :class:`Mom`, :class:`Reflectarray`, :class:`Sbr`, :class:`Dgtd` and
:class:`Nah` are whole cases.

Made by generate_cases.py from schema/case-1.schema.json: do not edit. What is None is left out, and has its default. Quantities are
text with a unit ("10 GHz"), or numbers in SI units where the type says so; angles always have a unit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Union

from ._table import Table

Quantity = Union[str, float]
"""A number with its unit, as text, or in SI units."""
'''


def class_name(name: str) -> str:
    """`sbr_hotspot_aspect` is `SbrHotspotAspect`."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


class Generator:
    """Goes through the schema once and collects classes and unions in the order they are met."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.definitions: dict[str, Any] = schema["$defs"]
        self.blocks: list[str] = []
        self.names: list[str] = []

    def type_of(self, node: dict[str, Any]) -> str:
        if "$ref" in node:
            return self.type_of_definition(node["$ref"].rsplit("/", 1)[1])
        if "const" in node:
            return f"Literal[{node['const']!r}]"
        choices = node.get("oneOf") or node.get("anyOf")
        if choices:
            return self.type_of_choices(choices)
        if node.get("type") == "array":
            return f"Sequence[{self.type_of(node['items'])}]"
        if node.get("type") == "object":
            return f"Mapping[str, {self.type_of(node['additionalProperties'])}]"
        return {"string": "str", "number": "float", "integer": "int", "boolean": "bool"}[node["type"]]

    def type_of_choices(self, choices: list[dict[str, Any]]) -> str:
        if [choice.get("type") for choice in choices] == ["string", "number"]:
            return "Quantity"
        if all("const" in choice for choice in choices):
            return f"Literal[{', '.join(repr(choice['const']) for choice in choices)}]"
        return " | ".join(dict.fromkeys(self.type_of(choice) for choice in choices))

    def type_of_definition(self, key: str) -> str:
        node, name = self.definitions[key], class_name(key)
        if "properties" in node:
            self.add_class(name, node)
            return name
        variants = node.get("oneOf", [])
        if variants and all("properties" in variant for variant in variants):
            self.add_union(name, key.split("_")[0], variants)
            return name
        return self.type_of(node)

    def add_union(self, name: str, solver: str, variants: list[dict[str, Any]]) -> None:
        """One class for each variant, named after the solver and the one property that is fixed."""
        if name in self.names:
            return
        self.names.append(name)
        members = []
        for variant in variants:
            fixed = [prop["const"] for prop in variant["properties"].values() if "const" in prop]
            word = "_".join(fixed).replace("-", "_")
            member = class_name(f"{solver}_{word}") if fixed else f"{name}{len(members) + 1}"
            if member in self.names:
                # Another class has this name: a box that is a solid is no box that is a mesh.
                member = f"{name}{class_name(word)}"
            self.add_class(member, variant)
            members.append(member)
        self.blocks.append(f"{name} = Union[{', '.join(members)}]\n")

    def add_class(self, name: str, node: dict[str, Any]) -> None:
        if name in self.names:
            return
        self.names.append(name)
        lines = ["@dataclass(kw_only=True)", f"class {name}(Table):", *documented(node.get("description", name)), ""]
        for key, prop in node["properties"].items():
            attribute = f"{key}_" if keyword.iskeyword(key) else key
            annotation = self.type_of(prop)
            if "const" in prop:
                lines.append(f"    {attribute}: {annotation} = field(default={prop['const']!r}, init=False)")
            elif key in node.get("required", []):
                lines.append(f"    {attribute}: {annotation}")
            else:
                lines.append(f"    {attribute}: {annotation} | None = None")
            if "description" in prop and "const" not in prop:
                lines += documented(prop["description"] + default_of(prop))
        self.blocks.append("\n".join(lines) + "\n")


def default_of(prop: dict[str, Any]) -> str:
    """The sentence with the default, if it is a fixed value; other defaults are in the description."""
    default = prop.get("default")
    if default in (None, []) or isinstance(default, dict):
        return ""
    return f" Default: {json.dumps(default)}."


def documented(text: str) -> list[str]:
    """A docstring, indented."""
    escaped = text.replace("\\", "\\\\").replace('"""', "'''")
    wrapped = textwrap.wrap(escaped, WIDTH - 8) or [""]
    # A quotation mark at the end would run into those of the docstring.
    end = ' """' if wrapped[-1].endswith('"') else '"""'
    wrapped[0] = f'"""{wrapped[0]}'
    wrapped[-1] += end
    return [f"    {line}" for line in wrapped]


def generate() -> str:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    generator = Generator(schema)
    cases = []
    for case in schema["oneOf"]:
        name = class_name(case["properties"]["solver"]["const"])
        generator.add_class(name, case)
        cases.append(name)
    generator.blocks.append(f"Case = Union[{', '.join(cases)}]\n")
    exported = "\n".join(f'    "{name}",' for name in sorted({*generator.names, "Case", "Quantity"}))
    return "\n\n".join([HEAD, *generator.blocks, f"__all__ = [\n{exported}\n]\n"])


def main() -> int:
    text = generate()
    if "--check" in sys.argv[1:]:
        if OUTPUT.read_text(encoding="utf-8") == text:
            return 0
        print(f"{OUTPUT.name} is not what the schema says: run python python/generate_cases.py", file=sys.stderr)
        return 1
    OUTPUT.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
