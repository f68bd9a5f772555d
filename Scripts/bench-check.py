#!/usr/bin/env python3
"""Counts the instructions that operations take, and compares them with those committed.

Instructions, unlike times, do not depend on what else the machine does. Each row of the benchmarks runs
under valgrind's callgrind twice, once with one repetition and once with two: the difference is one
repetition, whatever it took to prepare it.

    Scripts/bench-check.py varve-bench                  compare; exits with 1 where a row rose by more than 5 %
    Scripts/bench-check.py varve-bench --update         write what was counted as what is expected
    Scripts/bench-check.py varve-bench --only updates   rows whose name contains this
    Scripts/bench-check.py varve-bench --profile DIR    also write what each row spends its instructions on
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

EXPECTED = Path(__file__).resolve().parent.parent / "Benchmarks" / "instructions.json"
TOLERANCE = 0.05
# What is counted: the row, the contestants, and the part of the full size, as counting takes fifty times
# as long as running. The import is not: valgrind 3.19 ends where it meets simdjson.
ROWS = [
    ("insert, 100 bytes an entity", ["Varve", "raw SQLite"], 0.05),
    ("insert of structs", ["Varve"], 0.05),
    ("insert, 650 bytes an entity", ["Varve", "raw SQLite"], 0.1),
    ("transactions of one entity", ["Varve", "raw SQLite"], 0.1),
    ("single-property updates", ["Varve", "raw SQLite"], 0.05),
    ("find by id", ["Varve", "Varve, dynamic", "raw SQLite"], 0.1),
    ("fetch all", ["Varve", "raw SQLite"], 0.1),
    ("indexed filter", ["Varve", "raw SQLite"], 0.1),
    ("join", ["Varve", "raw SQLite"], 0.1),
    ("merge of foreign cells", ["Varve"], 0.05),
]


def main():
    arguments = parse()
    for tool in ("valgrind", "strip"):
        if not shutil.which(tool):
            sys.exit(f"bench-check: {tool} was not found; install it, on Debian: apt-get install {tool_package(tool)}")
    expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    counted, risen = {}, []
    with tempfile.TemporaryDirectory() as folder:
        program = stripped(arguments.program, folder)
        for row, contestants, scale in ROWS:
            if arguments.only not in row:
                continue
            for contestant in contestants:
                name = f"{row} · {contestant}"
                counted[name] = instructions(program, row, contestant, scale, folder, arguments.profile)
                line, has_risen = judge(name, counted[name], expected.get(name))
                print(line, flush=True)
                if has_risen:
                    risen.append(name)
    if not counted:
        sys.exit(f"bench-check: no row's name contains {arguments.only!r}")
    if arguments.update:
        EXPECTED.write_text(json.dumps(expected | counted, indent=2, ensure_ascii=False) + "\n")
        print(f"wrote {EXPECTED}")
    elif risen:
        sys.exit(f"bench-check: {len(risen)} of {len(counted)} rows take over {TOLERANCE:.0%} more instructions")


def tool_package(tool):
    return "binutils" if tool == "strip" else tool


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="varve-bench, built in release")
    parser.add_argument("--update", action="store_true", help="accept what is counted")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--profile", metavar="DIR", help="where profiles go")
    return parser.parse_args()


def stripped(program, folder):
    """A copy without what debuggers read: valgrind does not understand all of it."""
    copy = os.path.join(folder, "varve-bench")
    subprocess.run(["strip", "--strip-debug", "-o", copy, program], check=True)
    return copy


def instructions(program, row, contestant, scale, folder, profile):
    """How many instructions one operation of a row takes."""
    once, count = run(program, row, contestant, scale, folder, 1, None)
    twice, _ = run(program, row, contestant, scale, folder, 2, profile)
    return round((twice - once) / count)


def run(program, row, contestant, scale, folder, repetitions, profile):
    """All instructions of a process, and how many operations a repetition has."""
    report, out = os.path.join(folder, "report.json"), os.path.join(folder, "callgrind.out")
    process = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program]
        + ["--only", row, "--contestant", contestant, "--scale", str(scale)]
        + ["--repetitions", str(repetitions), "--json", report],
        env=os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1"},
        capture_output=True,
        text=True,
    )
    if process.returncode != 0:
        sys.exit(f"bench-check: {row}: {process.stderr[-2000:]}")
    total = re.search(r"Collected : (\d+)", process.stderr)
    costs = [cost for cost in json.loads(Path(report).read_text())["costs"] if cost["contestant"] == contestant]
    if not total or len(costs) != 1:
        sys.exit(f"bench-check: {row} has not one contestant {contestant!r}")
    if profile:
        save_profile(out, profile, f"{row} {contestant}")
    return int(total[1]), costs[0]["count"]


def save_profile(out, folder, name):
    os.makedirs(folder, exist_ok=True)
    text = subprocess.run(["callgrind_annotate", out], capture_output=True, text=True).stdout
    text = subprocess.run(["swift", "demangle", "--compact"], input=text, capture_output=True, text=True).stdout
    file = re.sub(r"[^a-z0-9]+", "-", name.lower()) + ".txt"
    Path(folder, file).write_text("\n".join(text.splitlines()[:80]) + "\n")


def judge(name, count, expected):
    """A line about a count, and whether it is too high."""
    if expected is None:
        return f"{count:>12,}  {name}  (nothing expected)", False
    change = count / expected - 1
    verdict = "ROSE" if change > TOLERANCE else "fell: --update keeps it" if change < -TOLERANCE else "ok"
    return f"{count:>12,}  {change:+7.1%}  {name}  {verdict}", change > TOLERANCE


if __name__ == "__main__":
    main()
