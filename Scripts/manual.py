#!/usr/bin/env python3
"""Writes the manual page of `varve` (mdoc, section 1) from the help of a program that was built.

    manual.py PROGRAM > varve.1
"""
import datetime
import json
import re
import subprocess
import sys

# The options that every command has. They are described once.
COMMON = {"json", "csv", "no-pager", "version", "help"}
# The exit codes, as Documentation/Commands.md describes them.
EXITS = [
    ("0", "Done."), ("1", "Failed: one error on standard error, or with \\-\\-json on standard output."),
    ("64", "The command line was not understood."), ("130", "Ended by ^C."),
]
VARIABLES = [
    ("VARVE_AUTHOR", "The author of what is written, if no option names one."),
    ("VARVE_TOKEN", "The token for a server, if no file of a token is named."),
    ("VARVE_PAGER, PAGER", "The program that shows long tables on a terminal; less by default, none if empty."),
    ("NO_COLOR", "If set and not empty, nothing is coloured."),
]


def escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def paragraphs(text: str) -> list[str]:
    """The lines of a discussion; examples, which are indented, keep theirs."""
    lines, isExample = [], False
    for line in text.strip().splitlines():
        if line.startswith("  ") and not isExample:
            lines.append(".Bd -literal -offset indent -compact")
            isExample = True
        elif not line.startswith("  ") and isExample and line.strip():
            lines.append(".Ed")
            isExample = False
        if not line.strip():
            lines.append(".Pp" if not isExample else "")
        else:
            lines.append(escaped(line.strip() if isExample else line))
    return lines + ([".Ed"] if isExample else [])


def spelled(argument: dict) -> str:
    """How an argument is written, in mdoc."""
    value = argument.get("valueName", "value")
    if argument["kind"] == "positional":
        return f".Ar {escaped(value)}"
    names = [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument["names"]]
    shown = " , ".join(f"Fl {escaped(name.removeprefix('-'))}" for name in names)
    return f".{shown}" + (f" Ar {escaped(value)}" if argument["kind"] == "option" else "")


def arguments(command: dict) -> list[str]:
    shown = [
        argument for argument in command.get("arguments", [])
        if argument.get("shouldDisplay", True) and argument.get("abstract")
        and COMMON.isdisjoint(name["name"] for name in argument.get("names", []))
    ]
    return described(shown)


def described(shown: list[dict]) -> list[str]:
    if not shown:
        return []
    lines = [".Bl -tag -width indent"]
    for argument in shown:
        lines += [".It " + spelled(argument).removeprefix("."), escaped(argument["abstract"])]
        if argument.get("defaultValue"):
            lines.append(f"The default is {escaped(argument['defaultValue'])}.")
        if argument.get("discussion"):
            lines += paragraphs(argument["discussion"])
    return lines + [".El"]


def common(command: dict) -> list[str]:
    """The options of every command, as one of them has them."""
    found = {}
    for child in command.get("subcommands", []):
        for argument in child.get("arguments", []):
            for name in argument.get("names", []):
                if name["name"] in COMMON:
                    found.setdefault(name["name"], argument)
    return described([found[name] for name in sorted(found)])


def section(command: dict, path: list[str]) -> list[str]:
    """A command with its subcommands, each under its whole name."""
    if not command.get("shouldDisplay", True):
        return []
    name = [*path, command["commandName"]]
    lines = []
    if path:
        lines += [f".Ss {escaped(' '.join(name))}", escaped(command.get("abstract", ""))]
        if command.get("discussion"):
            lines += [".Pp", *paragraphs(command["discussion"])]
        lines += arguments(command)
    for child in command.get("subcommands", []):
        if child["commandName"] != "help":
            lines += section(child, name)
    return lines


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    run = subprocess.run([sys.argv[1], "--experimental-dump-help"], capture_output=True, text=True, check=True)
    top = json.loads(run.stdout)["command"]
    version = subprocess.run([sys.argv[1], "--version"], capture_output=True, text=True, check=True).stdout.strip()
    page = [
        f".\\\" Made from the help of varve {version} by Scripts/manual.py.",
        f".Dd {datetime.date.today():%B %-d, %Y}", ".Dt VARVE 1", ".Os",
        ".Sh NAME", ".Nm varve", f".Nd {escaped(top['abstract'].rstrip('.'))}",
        ".Sh SYNOPSIS", ".Nm", ".Ar command", ".Op Ar argument ...",
        ".Sh DESCRIPTION", *paragraphs(top.get("discussion", "")),
        ".Pp", "Every command also has these options:", *common(top),
        ".Sh COMMANDS", *section(top, []),
        ".Sh ENVIRONMENT", ".Bl -tag -width indent",
    ]
    for names, meaning in VARIABLES:
        page += [f".It Ev {names.replace(', ', ' , ')}", meaning]
    page += [".El", ".Sh EXIT STATUS", ".Bl -tag -width 130"]
    for code, meaning in EXITS:
        page += [f".It {code}", meaning]
    print("\n".join([*page, ".El"]))


if __name__ == "__main__":
    main()
