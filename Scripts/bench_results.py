"""Reads the results of `make bench`, for scripts that compare or print them."""

import json
import sys
from pathlib import Path


def load(path):
    """A run's results."""
    try:
        results = json.loads(Path(path).read_text())
    except (OSError, json.JSONDecodeError) as error:
        sys.exit(f"{path}: {error}")
    if "ratios" not in results or "setting" not in results:
        sys.exit(f"{path} is not what make bench writes")
    return results


def key(ratio):
    """The key that identifies a ratio in every run."""
    return ratio["name"], ratio["subject"], ratio["anchor"]


def compare(one, other):
    """The relative change of each ratio from the first run to the second, and the keys that only one of
    them has."""
    left, right = ({key(ratio): ratio for ratio in results["ratios"]} for results in (one, other))
    changes = {name: right[name]["ratio"] / left[name]["ratio"] - 1 for name in left if name in right}
    return changes, sorted(left.keys() ^ right.keys())


def shown(number):
    """The number with about three significant digits."""
    return f"{number:.{0 if number >= 100 else 1 if number >= 10 else 2}f}"


def cost(value, unit):
    """A cost in a readable unit."""
    if unit == "bytes":
        return f"{value:.0f} bytes"
    for name, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 1:
            return f"{shown(value * factor)} {name}"
    return f"{shown(value * 1e9)} ns"
