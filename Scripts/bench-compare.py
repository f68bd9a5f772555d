#!/usr/bin/env python3
"""Compares two runs of `make bench`, ratio by ratio.

    Scripts/bench-compare.py A.json B.json                  says which are over 10 % apart; exits with 1 then
    Scripts/bench-compare.py A.json B.json --tolerance 5    over 5 %
"""

import argparse
import sys

from bench_results import compare, key, load, shown

# The settings that must be equal for two runs to be comparable.
SETTINGS = ["machine", "system", "swift", "sqlite", "pragmas", "repetitions", "scale"]


def main():
    arguments = parse()
    one, other = load(arguments.one), load(arguments.other)
    for name in SETTINGS:
        if one["setting"][name] != other["setting"][name]:
            print(f"not the same {name}: {one['setting'][name]}; {other['setting'][name]}")
    changes, missing = compare(one, other)
    second = {key(ratio): ratio for ratio in other["ratios"]}
    apart = 0
    for ratio in one["ratios"]:
        change = changes.get(key(ratio))
        if change is None:
            continue
        is_apart = abs(change) > arguments.tolerance / 100
        apart += is_apart
        print(
            f"{shown(ratio['ratio']):>8}{shown(second[key(ratio)]['ratio']):>8}{change:+8.1%}"
            f"  {'APART' if is_apart else '     '}  {ratio['name']}, {ratio['subject']} to {ratio['anchor']}"
        )
    for name in missing:
        print(f"in one of the runs only: {', '.join(name)}")
    within = len(changes) - apart
    print(f"{within} of {len(changes)} ratios are within {arguments.tolerance:g} % of each other")
    if not changes or apart or missing:
        sys.exit(1)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("one", help="what a run wrote by --json")
    parser.add_argument("other", help="what another wrote")
    parser.add_argument("--tolerance", type=float, default=10, help="in percent; 10 by default")
    return parser.parse_args()


if __name__ == "__main__":
    main()
