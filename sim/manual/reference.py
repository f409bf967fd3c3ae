"""Writes the reference pages from what the programs and the JSON Schemas say of themselves.

    reference.py DIRECTORY PROGRAM...

DIRECTORY/README.md, commands.md, columns.md, heuristics.md and formats.md. A test compares them with the pages in
sim/manual/reference, so that these cannot be wrong: tests/manual/reference.sh.
"""
import json
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
SCHEMAS = ["platforms/platform.schema.json", "experiments/sweep.schema.json", "experiments/claims.schema.json",
           "sim/star/schedule.schema.json", "sim/report/trace.schema.json", "heuristics/protocol.schema.json"]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=TOP).stdout


def cell(text):
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def table(heading, rows):
    return "\n".join(["| " + " | ".join(row) + " |" for row in [heading, ["---"] * len(heading), *rows]]) + "\n"


def commands(programs):
    text = "# Reference: commands and options\n\nEvery command with its options, from the tables that read the command line.\n"
    for program in programs:
        name = pathlib.Path(program).name
        about = json.loads(output(program, "--describe"))
        text += f"\n## {name}\n\n{about['purpose']}\n\n"
        text += table(["command", "what it does"],
                      [[f"[`{name} {command['name']}`](#{name}-{command['name']})", cell(command["summary"])]
                       for command in about["commands"]])
        for command in about["commands"]:
            described = json.loads(output(program, command["name"], "--describe"))
            arguments = " ".join([name, command["name"], *described["arguments"], "[options]"])
            text += f"\n### {name} {command['name']}\n\n    {arguments}\n\n"
            rows = []
            for option in described["options"]:
                names = ", ".join(f"`{n}`" for n in (option["short"], option["name"]) if n)
                value, _, default = option["value"].partition(" (=")
                help_text = cell(option["help"]) + (f" (default: {default.rstrip(')')})" if default else "")
                rows.append([names + (f" {cell(value)}" if value else ""), help_text])
            text += table(["option", "meaning"], rows)
            if described["example"]:
                text += "\nExample:\n\n" + "".join(f"    {line.strip()}\n" for line in described["example"].split("\n"))
    return text


def columns(program):
    lines = output(program, "explain").rstrip("\n").split("\n")
    starts = [lines[0].index(word) for word in re.findall(r"\S+(?: \S+)*", lines[0])]
    rows = []
    for line in lines[1:]:
        if not line.strip():
            break
        row = [line[start:end].strip() for start, end in zip(starts, starts[1:] + [None])]
        rows.append([f"`{row[0]}`", *(cell(text) for text in row[1:])])
    heading = [lines[0][start:end].strip() for start, end in zip(starts, starts[1:] + [None])]
    return ("# Reference: columns of results\n\nEvery key of `--json` and column of CSV and SQL, with its heading in tables.\n"
            "`starport explain KEY` shows the formula, the source and the models that report it.\n\n" + table(heading, rows))


def heuristics(program):
    text = ("# Reference: heuristics\n\nWhat `starport list` and `starport list NAME...` print: every heuristic with its source, its\n"
            "groups and its parameters. `--heuristics` takes names and groups, separated by commas.\n\n")
    overview = output(program, "list")
    names = re.findall(r"^  (\w[\w-]*)", overview, re.M)[1:]  # after the heading of the table
    printed = overview + "\n" + output(program, "list", *names)
    return text + "".join(f"    {line}".rstrip() + "\n" for line in printed.rstrip("\n").split("\n"))


def types(schema):
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return ", ".join(json.dumps(value) for value in schema["enum"])
    if "type" in schema:
        kind = schema["type"] if isinstance(schema["type"], str) else " or ".join(schema["type"])
        return kind + (f" of {types(schema['items'])}" if isinstance(schema.get("items"), dict) else "")
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(types(choice) for choice in schema[key]))
    return "any"


def keys_of(schema, rows, path=""):
    for key, value in schema.get("properties", {}).items():
        if key == "$schema":
            continue
        required = " (required)" if key in schema.get("required", []) else ""
        rows.append([f"`{path}{key}`{required}", cell(types(value)), cell(value.get("description", ""))])
        keys_of(value, rows, f"{path}{key}.")
        if isinstance(value.get("items"), dict):
            keys_of(value["items"], rows, f"{path}{key}[].")


def formats():
    text = ("# Reference: file formats\n\nThe keys of every JSON file that Starport reads or writes, from their JSON Schemas. "
            "`starport validate FILE` checks\na file of any of these kinds.\n")
    for name in SCHEMAS:
        schema = json.loads((TOP / name).read_text())
        text += f"\n## {schema['title']}\n\n{schema['description']}\n\nSchema: [{name}](../../../{name})\n"
        parts = {"": schema, **schema.get("definitions", {})}
        for part, definition in parts.items():
            rows = []
            keys_of(definition, rows)
            if rows:
                text += (f"\n### {part}\n\n" if part else "\n")
                text += (cell(definition["description"]) + "\n\n" if part and "description" in definition else "")
                text += table(["key", "type", "meaning"], rows)
    return text


INDEX = """# Reference

Facts to look up, generated from the programs and the JSON Schemas:

- [Commands and options](commands.md)
- [Columns of results](columns.md)
- [Heuristics and their parameters](heuristics.md)
- [File formats](formats.md)

Written by hand:

- [Platform files](../../../platforms/README.md), [ports](../../star/ports.md), [schedule files](../../star/schedules.md)
- [Campaigns](../../../experiments/README.md), [results and traces](../../report/README.md), [figures](../../../plots/README.md)
- [Bounds, with proofs](../../star/bounds/makespan_bounds.md)
- [What is promised, and against whom](../../trust.md)
"""


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    directory, programs = pathlib.Path(sys.argv[1]), sys.argv[2:]
    pages = {"README": INDEX, "commands": commands(programs), "columns": columns(programs[0]),
             "heuristics": heuristics(programs[0]), "formats": formats()}
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (directory / f"{name}.md").write_text(text)


main()
