#!/usr/bin/env python3
"""Reads the output of `swift test`.

    test-log.py summary < OUTPUT     prints findings, the result, and a line for every 250 tests
    test-log.py unfinished FILE      prints the tests that started and did not end
    test-log.py findings FILE        prints the findings of a failed run
"""
import re
import sys
from collections import Counter

EVENT = re.compile(r'[◇✔✘] Test (".*"|\S+\(.*?\)|`.*`) (?:with \d+ test cases? )?(started|passed|failed)')
FINDING = re.compile(r"[✘↳]|.*(?:error: |Fatal error|signal code)")
RESULT = re.compile(r". Test run with|Test Suite .*(?:passed|failed)|\t Executed")
# Servers that tests start log in this form: no finding.
LOGGED = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+")
STEP = 250
MAXIMUM_COUNT = 100


def summary() -> None:
    passed = 0
    for line in sys.stdin:
        event = EVENT.search(line)
        if event and event[2] == "passed":
            passed += 1
            if passed % STEP == 0:
                print(f"{passed:,} tests passed", flush=True)
        elif RESULT.match(line) or (FINDING.match(line) and not LOGGED.match(line)):
            print(line, end="", flush=True)


def unfinished(lines: list[str]) -> list[str]:
    running: Counter[str] = Counter()
    for line in lines:
        if event := EVENT.search(line):
            running[event[1]] += 1 if event[2] == "started" else -1
    return [name for name, count in running.items() if count > 0]


def main() -> int:
    match sys.argv[1:]:
        case ["summary"]:
            sys.stdin.reconfigure(errors="replace")
            summary()
        case [("unfinished" | "findings") as wanted, path]:
            with open(path, encoding="utf-8", errors="replace") as file:
                lines = file.read().splitlines()
            if wanted == "unfinished":
                found = [f"  {name}" for name in unfinished(lines)]
            else:
                found = [line for line in lines if FINDING.match(line) and not LOGGED.match(line)]
            print("\n".join(found[-MAXIMUM_COUNT:]))
        case _:
            print(__doc__, file=sys.stderr)
            return 64
    return 0


if __name__ == "__main__":
    sys.exit(main())
