"""The page of case files: every key of every solver, as tables, from the JSON schema."""

import json
import re

HEAD = """# Case files

<!-- Written by docs/reference/generate.py from schema/case-1.schema.json, which comes from the code; edit the comments there. -->

A case file is TOML. Unknown keys are errors; the message suggests the nearest known key. `phasefront new SOLVER` writes a template
with all keys, and `phasefront check` prints every key with its value, defaults included. Keys marked **required** have no default; where
the column is empty, the description says what applies.

For completion in an editor (Taplo, Even Better TOML), run `phasefront schema > case-1.schema.json` beside the case and make
`#:schema ./case-1.schema.json` its first line.
"""

QUANTITIES_HEAD = """
## Quantities

A quantity is a string with its unit, such as `"10 GHz"`. A bare number, where allowed, is in the first unit of the row. A *sweep* of a
quantity is a single value, a list, or `{ from = …, to = …, points = … }`: equally spaced, both ends included.

| quantity | units | example | bare number |
|---|---|---|---|
"""


def page(schema):
    definitions = schema["$defs"]
    text = HEAD + quantities(definitions)
    for case in schema["oneOf"]:
        text += Solver(definitions, case).text
    return text


def quantities(definitions):
    rows = []
    for name, definition in definitions.items():
        if not is_quantity(definition):
            continue
        written = definition if "pattern" in definition else definition["anyOf"][0]
        units = unit_names(written["pattern"])
        bare = "allowed" if "anyOf" in definition else "refused"
        rows.append(f"| {name} | {units} | `\"{written['examples'][0]}\"` | {bare} |\n")
    return QUANTITIES_HEAD + "".join(sorted(rows))


def is_quantity(definition):
    """A text of a number with a unit, and perhaps a bare number."""
    options = definition.get("anyOf", [definition])
    return "pattern" in options[0] and options[1:] in ([], [{"type": "number"}])


def unit_names(pattern):
    """`... \\s*(m|km|cm)?\\s*$` lists the units in its last group."""
    group = pattern.rsplit("(", 1)[1].split(")")[0]
    group = re.sub(r"\[(.)[^]]*\]", r"\1", group)  # of signs that look alike, [uµμ], the first
    return ", ".join(f"`{unit}`" for unit in group.split("|"))


class Solver:
    """The section of one solver: a table of its tables, and one of each table below."""

    def __init__(self, definitions, case):
        self.definitions = definitions
        self.name = case["properties"]["solver"]["const"]
        self.places = {}  # name of a definition -> path under which it is described
        self.queue = []  # (path, schema) of the tables still to be described
        self.text = f"\n## {self.name}\n\n{cell(case['description'])}\n"
        self.text += self.table("", case)
        while self.queue:
            (path, schema), *later = self.queue
            self.queue = []
            self.describe(path, schema)
            self.queue += later  # the tables inside of a table follow it at once

    def describe(self, path, schema):
        self.text += f"\n### {self.name}: {path}\n\n"
        if "description" in schema:
            self.text += cell(schema["description"]) + "\n"
        if "properties" in schema:
            self.text += self.table(path, schema)
            return
        for variant in schema["oneOf"]:  # tables that one of their keys tells apart, such as `shape`
            key, value = next((k, v["const"]) for k, v in variant["properties"].items() if "const" in v)
            self.text += f"\n**`{key} = {json.dumps(value)}`**: {cell(variant.get('description', ''))}\n"
            self.text += self.table(path, {**variant, "properties": {k: v for k, v in variant["properties"].items() if k != key}})

    def table(self, path, schema):
        if not schema["properties"]:
            return "\nNo further keys.\n"
        text = "\n| key | type | default | meaning |\n|---|---|---|---|\n"
        for key, value in schema["properties"].items():
            where = f"{path}.{key}" if path else key
            kind = self.kind(value, where)
            default = "**required**" if key in schema.get("required", []) else ""
            # The defaults of whole tables are those of their keys, which stand in their own rows.
            if "default" in value and not isinstance(value["default"], dict):
                default = f"`{json.dumps(value['default'], ensure_ascii=False)}`"
            text += f"| `{key}` | {kind} | {default} | {self.meaning(value)} |\n"
        return text

    def resolve(self, value):
        """The name of a definition and the definition; other schemas as they are."""
        if "$ref" in value:
            name = value["$ref"].rsplit("/", 1)[1]
            return name, self.definitions[name]
        return None, value

    def kind(self, value, path):
        name, schema = self.resolve(value)
        if name and is_quantity(schema):
            return name
        if name and name.endswith("_sweep"):
            return f"sweep of {name.removesuffix('_sweep')}"
        if "const" in schema:
            return f"`{json.dumps(schema['const'])}`"
        if is_table(schema):
            return self.link(name, path, schema)
        options = schema.get("oneOf") or schema.get("anyOf")
        if options:
            return " or ".join(dict.fromkeys(self.kind(option, path) for option in options))
        return self.plain_kind(schema, path)

    def plain_kind(self, schema, path):
        match schema.get("type"):
            case "array":
                items = self.kind(schema["items"], path)
                if schema.get("minItems") == schema.get("maxItems") and "minItems" in schema:
                    return f"{schema['minItems']} of: {items}"
                return f"list of {items}"
            case "object":
                return f"by name: {self.kind(schema['additionalProperties'], path + '.NAME')}"
            case "string":
                return f"string, such as `\"{schema['examples'][0]}\"`" if "examples" in schema else "string"
            case "boolean":
                return "true or false"
            case "integer":
                return "integer" + limits(schema)
            case "number":
                return "number" + limits(schema)
        raise SystemExit(f"error: {self.name}, {path}: no words for {json.dumps(schema)[:200]}")

    def link(self, name, path, schema):
        """A table is described once in each solver; other places lead there."""
        key = name or path
        if key not in self.places:
            self.places[key] = path
            self.queue.append((path, schema))
        return f"[table](#{anchor(self.name, self.places[key])})"

    def meaning(self, value):
        _, schema = self.resolve(value)
        text = cell(value.get("description", ""))
        for option in schema.get("oneOf") or schema.get("anyOf") or []:
            if "const" in option and "description" in option:
                text += f"<br>`{json.dumps(option['const'])}`: {cell(option['description'])}"
        return text


def is_table(schema):
    """An object with keys of its own, or several that a key tells apart."""
    variants = schema.get("oneOf", [])
    return "properties" in schema or (bool(variants) and all("properties" in variant for variant in variants))


def limits(schema):
    low = schema.get("minimum")
    high = schema.get("maximum")
    if high is not None and high >= 2**32 - 1:  # no limit but that of the number's size
        high = None
    if low is not None and high is not None:
        return f", {low:g} to {high:g}"
    if "exclusiveMinimum" in schema and "exclusiveMaximum" in schema:
        return f" between {schema['exclusiveMinimum']:g} and {schema['exclusiveMaximum']:g}"
    if "exclusiveMinimum" in schema:
        return f" above {schema['exclusiveMinimum']:g}" + (f", up to {high:g}" if high is not None else "")
    if low is not None:
        return f", {low:g} or more"
    return ""


def anchor(solver, path):
    """As the headings' own: lower case, no punctuation, dashes for blanks."""
    return f"{solver}-{path}".lower().replace(".", "")


def cell(text):
    return " ".join(text.split()).replace("|", "\\|")
