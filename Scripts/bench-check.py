#!/usr/bin/env python3
"""Counts the instructions that operations take, and compares them with those committed.

Instructions, unlike times, do not depend on what else the machine does. Each row of the benchmarks runs
under valgrind's callgrind twice, once with one repetition and once with more: the difference is those,
whatever it took to prepare them.

    Scripts/bench-check.py varve-bench                  compare; exits with 1 where a row rose by more than 5 %
    Scripts/bench-check.py varve-bench --update         write what was counted as what is expected
    Scripts/bench-check.py varve-bench --only updates   rows whose name contains this
"""

import argparse
import json
import sys
from pathlib import Path

from callgrind import Counter

EXPECTED = Path(__file__).resolve().parent.parent / "Benchmarks" / "instructions.json"
TOLERANCE = 0.05
# The counted rows: the row, the contestants, and the part of the full size, because counting takes fifty
# times as long as running. If a repetition is short compared to its preparation, also how many more to run.
ROWS = [
    ("insert, 100 bytes an entity", ["Varve", "raw SQLite"], 0.05),
    ("insert of structs", ["Varve"], 0.05),
    ("insert, 650 bytes an entity", ["Varve", "raw SQLite"], 0.1),
    ("transactions of one entity", ["Varve", "raw SQLite"], 1),
    ("single-property updates", ["Varve", "raw SQLite"], 0.05),
    ("update of a query", ["Varve", "raw SQLite"], 0.05),
    ("erasure of a query", ["Varve", "raw SQLite"], 0.05),
    ("upserts, half of them new", ["Varve", "raw SQLite"], 0.02),
    ("find by id", ["Varve", "Varve, dynamic", "raw SQLite"], 0.1, 5),
    ("fetch all", ["Varve", "raw SQLite"], 0.1),
    ("indexed filter", ["Varve", "raw SQLite"], 0.1, 20),
    ("join", ["Varve", "raw SQLite"], 0.1, 20),
    ("merge of foreign cells", ["Varve"], 0.05),
    ("JSON import", ["Varve", "imported again"], 0.03),
]


def main():
    arguments = parse()
    expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    counter = Counter(arguments.program)
    counted, risen = {}, []
    for row, contestants, scale, *more in ROWS:
        if arguments.only not in row:
            continue
        for contestant in contestants:
            name = f"{row} · {contestant}"
            counted[name] = counter.instructions(row, contestant, scale, *more)
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


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="varve-bench, built in release")
    parser.add_argument("--update", action="store_true", help="accept what is counted")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    return parser.parse_args()


def judge(name, count, expected):
    """A line about a count, and whether it is too high."""
    if expected is None:
        return f"{count:>12,}  {name}  (nothing expected)", False
    change = count / expected - 1
    verdict = "ROSE" if change > TOLERANCE else "fell: --update keeps it" if change < -TOLERANCE else "ok"
    return f"{count:>12,}  {change:+7.1%}  {name}  {verdict}", change > TOLERANCE


if __name__ == "__main__":
    main()
