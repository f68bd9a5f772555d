#!/usr/bin/env python3
"""Lists the functions in which the operations of a row spend their instructions, as Markdown.

    Scripts/bench-profile.py varve-bench insert                  Varve's
    Scripts/bench-profile.py varve-bench insert raw              another's: raw SQLite
    Scripts/bench-profile.py varve-bench all --to DIR            the three slowest rows, a file for each

Counted by callgrind as make bench-check does; what the system does within its calls is not counted.
"""

import argparse
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

from callgrind import Counter

# The slowest rows by their ratio to raw SQLite, and the part of the full size that is counted.
ROWS = {
    "insert": ("insert, 100 bytes an entity", 0.05),
    "transactions": ("transactions of one entity", 1),
    "updates": ("single-property updates", 0.05),
}
CONTESTANTS = {"varve": "Varve", "raw": "raw SQLite"}
COUNT = 25
WIDTH = 96


def main():
    arguments = parse()
    contestant = CONTESTANTS.get(arguments.contestant, arguments.contestant)
    counter = Counter(arguments.program)
    for name in ROWS if arguments.row == "all" else [arguments.row]:
        row, scale = ROWS.get(name, (name, arguments.scale))
        text = document(row, contestant, scale, counter.functions(row, contestant, scale))
        if not arguments.to:
            print(text, end="")
            continue
        folder = Path(arguments.to)
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{slug(name)}.md"
        file.write_text(text)
        print(f"wrote {file}")


def slug(name):
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def document(row, contestant, scale, functions):
    total = sum(functions.values())
    names = demangled(symbol for symbol, _ in functions)
    lines = [
        f"# {row} · {contestant}",
        "",
        f"{total:,.0f} instructions an operation, at {scale:g} of the full size; {revision()},"
        f" {date.today()}. By `make profile`.",
        "",
        "| instructions | share | in |",
        "|---:|---:|---|",
    ]
    libraries = {}
    for (_, library), cost in functions.items():
        libraries[library] = libraries.get(library, 0) + cost
    for library, cost in sorted(libraries.items(), key=lambda item: -item[1]):
        if cost / total >= 0.002:
            lines.append(f"| {cost:,.0f} | {cost / total:.1%} | {library} |")
    lines += ["", "| instructions | share | function itself | in |", "|---:|---:|---|---|"]
    merged = {}
    for (symbol, library), cost in functions.items():
        name = names[symbol], library
        merged[name] = merged.get(name, 0) + cost
    for (name, library), cost in sorted(merged.items(), key=lambda item: -item[1])[:COUNT]:
        lines.append(f"| {cost:,.0f} | {cost / total:.1%} | `{name}` | {library} |")
    return "\n".join(lines) + "\n"


def revision():
    """The measured commit, and whether there are uncommitted changes."""
    measured = ["--", "Sources", "Benchmarks/Sources"]
    commit = subprocess.run(["git", "log", "-1", "--format=%h", *measured], capture_output=True, text=True)
    changed = subprocess.run(["git", "status", "--porcelain", *measured], capture_output=True, text=True)
    return f"sources of commit {commit.stdout.strip()}{', changed' if changed.stdout else ''}"


def demangled(symbols):
    """Readable names by the linker's names; long ones are cut."""
    symbols = list(symbols)
    text = subprocess.run(
        ["swift", "demangle", "--simplified"], input="\n".join(symbols), capture_output=True, text=True, check=True
    ).stdout
    return {symbol: short(name) for symbol, name in zip(symbols, text.splitlines(), strict=True)}


def short(name):
    name = re.sub(r"^(?:(?:generic|function signature|merged|partial|closure|captured|value|prespecialized) ?(?:specialization|specialized|apply|generic)?(?: <[^>]*>)? ?(?:of|for) )+", "", name)
    name = re.sub(r" \[(?:inlined|with)[^\]]*\]", "", name)
    name = re.sub(r" in _[0-9A-F]{32}", "", name)
    name = re.sub(r"\((\w+) in \w+\)", r"\1", name)
    name = name.replace("`", "").replace("|", "¦")
    return name if len(name) <= WIDTH else name[: WIDTH - 1] + "…"


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="varve-bench, built in release")
    parser.add_argument("row", nargs="?", default="all", help=f"{', '.join(ROWS)}, all, or part of another's name")
    parser.add_argument("contestant", nargs="?", default="varve", help="varve, raw, or another's name")
    parser.add_argument("--scale", type=float, default=0.1, help="the part of the full size, for other rows")
    parser.add_argument("--to", metavar="DIR", help="where files go, one for each row")
    return parser.parse_args()


if __name__ == "__main__":
    main()
