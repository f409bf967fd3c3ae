"""Writes manual pages, and completion for bash and zsh, from the option tables of the programs.

    manual.py DIRECTORY VERSION PROGRAM...

They replace the folders man, bash and zsh in DIRECTORY.

A program answers `PROGRAM --describe` with its commands, `PROGRAM COMMAND --describe` with the
command's options, as JSON: the tables that also parse the command line (sim/app/command_line.cpp).
"""
import gzip
import json
import pathlib
import re
import shutil
import subprocess
import sys

FILES = {"FILE", "PLATFORM", "SCHEDULE", "SPECIFICATION", "RESULTS"}
STATUS = [("0", "Complete and valid results."), ("1", "A simulation failed; the others are reported."),
          ("2", "Bad input, reported in one line on standard error.")]


def asked(program, *words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def is_built(program, command):
    """Whether the libraries of a command were there when the program was built."""
    return subprocess.run([program, command, "--describe"], capture_output=True).returncode == 0


class Option:
    def __init__(self, table):
        self.name, self.short, self.help = table["name"], table["short"], table["help"]
        self.value, _, default = table["value"].partition(" (=")
        self.default = default.removesuffix(")")

    names = property(lambda self: [name for name in (self.short, self.name) if name])
    choices = property(lambda self: self.value.split("|") if "|" in self.value else [])
    brief = property(lambda self: re.split(r"; | \(|: ", self.help)[0][:70])


class Command:
    def __init__(self, program, name, summary):
        table = json.loads(asked(program, name, "--describe"))
        self.name, self.summary = name, summary
        self.purpose, self.arguments, self.example = (
            table[key] for key in ("purpose", "arguments", "example"))
        self.options = [Option(option) for option in table["options"]]


class Program:
    def __init__(self, path):
        table = json.loads(asked(path, "--describe"))
        self.name = pathlib.Path(path).name
        self.purpose, self.example = table["purpose"], table["example"]
        self.commands = [Command(path, **command) for command in table["commands"]
                         if is_built(path, command["name"])]
        knows = any(command.name == "list" for command in self.commands)
        # The first line of the table is its heading.
        self.heuristics = re.findall(r"^  (\w[\w-]*)", asked(path, "list"), re.M)[1:] if knows else []


# Manual pages

def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return re.sub(r"^\.", "\\\\&.", text, flags=re.M)


def paragraphs(text):
    """Formats text as filled paragraphs; indented lines stay as they are."""
    lines, as_is = [], False
    for line in text.split("\n"):
        if line.startswith(" ") != as_is:
            as_is = not as_is
            lines.append(".nf" if as_is else ".fi")
        lines.append(roff(line) if line else ".PP")
    return lines + [".fi"] * as_is


def page(title, version, summary, synopsis, body, example, see_also):
    lines = [f'.TH "{title.upper()}" 1 "" "Starport {version}" "Starport"', ".SH NAME",
             f"{roff(title)} \\- {roff(summary)}", ".SH SYNOPSIS", *synopsis, ".SH DESCRIPTION", *body,
             ".SH EXAMPLE", ".nf"]
    lines += [roff("  " + line.strip()) for line in example.split("\n")]
    lines += [".fi", ".SH EXIT STATUS"]
    for status, meaning in STATUS:
        lines += [".TP", f".B {status}", roff(meaning)]
    lines += [".SH SEE ALSO", ",\n".join(f".BR {roff(other)} (1)" for other in see_also)]
    return "\n".join(lines) + "\n"


def command_page(program, command, version):
    synopsis = [f".B {roff(program.name)} {command.name}"]
    synopsis += [roff(re.sub(r"(.*)\.\.\.", r"\1 ...", argument)) for argument in command.arguments]
    body = paragraphs(command.purpose) + [".SH OPTIONS"]
    for option in command.options:
        value = f" \\fI{roff(option.value)}\\fR" if option.value else ""
        default = f" Default: {option.default}." if option.default else ""
        body += [".TP", ", ".join(f"\\fB{roff(name)}\\fR" for name in option.names) + value,
                 roff(option.help.rstrip(".") + "." + default)]
    return page(f"{program.name}-{command.name}", version, command.summary,
                [*synopsis, "[options]"], body, command.example, [program.name])


def program_page(program, version):
    body = paragraphs(program.purpose) + [".SH COMMANDS"]
    for command in program.commands:
        body += [".TP", f".BR {roff(program.name)}\\-{command.name} (1)", roff(command.summary)]
    synopsis = [f".B {roff(program.name)}", ".I COMMAND", "[arguments]"]
    return page(program.name, version, program.purpose.split(": ")[-1].rstrip("."), synopsis, body,
                program.example,
                [f"{program.name}-{command.name}" for command in program.commands])


# Completion

def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def completes(value, option=None):
    """How a value is completed: by files, directories, names of heuristics, or a list of words."""
    return ("files" if value.strip("[]").removesuffix("...") in FILES else
            "directories" if value.strip("[]").removesuffix("...") == "DIR" else
            "heuristics" if option == "--heuristics" or value == "[NAME...]" else "words")


BASH = {"files": 'compopt -o filenames; COMPREPLY=($(compgen -f -- "$current"))',
        "directories": 'compopt -o filenames; COMPREPLY=($(compgen -d -- "$current"))',
        "heuristics": 'COMPREPLY=($(compgen -P "${{current%"${{current##*,}}"}}" -W {} -- '
                      '"${{current##*,}}"))',
        "words": 'COMPREPLY=($(compgen -W {} -- "$current"))'}


def bash(program):
    def action(kind, words):
        return BASH[kind].format(quoted(" ".join(words))) if "{}" in BASH[kind] else BASH[kind]

    lines = [f"# Completion of {program.name} for bash.", f"_{program.name.replace('-', '_')}() {{",
             "  local IFS=$' \\n' current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}",
             "  COMPREPLY=()", '  if [ "$COMP_CWORD" = 1 ]; then',
             "    " + action("words", [command.name for command in program.commands] + ["--help", "--version"]),
             "    return", "  fi", '  case "${COMP_WORDS[1]} $previous" in']
    unknown = []  # options whose values cannot be completed
    for command in program.commands:
        for option in command.options:
            names = [quoted(f"{command.name} {name}") for name in option.names]
            kind = completes(option.value, option.name)
            words = program.heuristics + ["all", "all+"] if kind == "heuristics" else option.choices
            if option.value and kind == "words" and not words:
                unknown += names
            elif option.value:
                lines.append(f"    {'|'.join(names)}) {action(kind, words)}; return ;;")
    lines.append(f"    {'|'.join(unknown)}) return ;;")
    lines += ["  esac", '  case "${COMP_WORDS[1]} $current" in']
    for command in program.commands:
        names = [name for option in command.options for name in option.names]
        lines.append(f"    {quoted(command.name + ' -')}*) {action('words', names)} ;;")
        if command.arguments:
            kind = completes(command.arguments[-1])
            lines.append(f"    {quoted(command.name + ' ')}*) {action(kind, program.heuristics)} ;;")
    return "\n".join(lines + ["  esac", "}", f"complete -F _{program.name.replace('-', '_')} {program.name}\n"])


ZSH = {"files": "_files", "directories": "_files -/", "heuristics": "_sequence compadd - {}",
       "words": "({})"}


def zsh(program):
    def escaped(text):
        return re.sub(r"([\[\]:\\])", r"\\\1", text)

    def action(kind, words):
        return ZSH[kind].format(" ".join(words)) if kind != "words" or words else " "

    def specifications(command):
        for option in command.options:
            kind = completes(option.value, option.name)
            words = program.heuristics + ["all", "all+"] if kind == "heuristics" else option.choices
            value = f":{escaped(option.value)}:{action(kind, words)}" if option.value else ""
            others = " ".join(option.names)
            for name in option.names:
                yield f"({others}){name}[{escaped(option.brief)}]{value}"
        for argument in command.arguments:
            several = "*" if "..." in argument else ""
            name = argument.strip("[]").removesuffix("...")
            yield f"{several}:{name}:{action(completes(argument), program.heuristics)}"

    lines = [f"#compdef {program.name}", "local curcontext=$curcontext state line",
             "_arguments -C '1:command:->command' '*::argument:->argument'", "case $state in",
             "  command)", "    local -a commands=("]
    lines += [f"      {quoted(command.name + ':' + escaped(command.summary))}"
              for command in program.commands]
    lines += ["    )", "    _describe command commands ;;", "  argument)", "    case $line[1] in"]
    for command in program.commands:
        lines += [f"      {command.name})",
                  "        _arguments " + " \\\n          ".join(map(quoted, specifications(command))) + " ;;"]
    return "\n".join(lines + ["    esac ;;", "esac\n"])


def main(directory, version, *paths):
    directory = pathlib.Path(directory)
    for folder in ("man", "bash", "zsh"):
        shutil.rmtree(directory / folder, ignore_errors=True)
        (directory / folder).mkdir(parents=True)

    def write_page(name, text):
        # No date in the archive, so that builds are reproducible.
        (directory / "man" / f"{name}.1.gz").write_bytes(gzip.compress(text.encode(), mtime=0))

    for program in map(Program, paths):
        write_page(program.name, program_page(program, version))
        for command in program.commands:
            write_page(f"{program.name}-{command.name}", command_page(program, command, version))
        (directory / "bash" / program.name).write_text(bash(program))
        (directory / "zsh" / f"_{program.name}").write_text(zsh(program))


if __name__ == "__main__":
    main(*sys.argv[1:])
