#!/usr/bin/env python3
"""Writes the results of `make growth` as Markdown, so that no figure is copied by hand.

    Scripts/growth-table.py A.json                        prints the tables
    Scripts/growth-table.py A.json B.json                 with how far a second run is from the first
    Scripts/growth-table.py A.json [B.json] --into FILE   puts each where FILE has its markers
"""

import argparse
import json
import sys
from pathlib import Path

from bench_results import cost

AXES = ["entities", "versions a property", "concurrent readers"]
END = "<!-- to here -->"
TOLERANCE = 0.1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("results", nargs="+", help="the JSON file of a run, and of a second one")
    parser.add_argument("--into", help="the Markdown file with the markers")
    options = parser.parse_args()
    if len(options.results) > 2:
        sys.exit("one run, or two")
    runs = [read(path) for path in options.results]
    parts = {"setting": [setting(*runs)]} | {axis: grid(runs[0]["curves"], axis) for axis in AXES}
    if options.into:
        put(parts, Path(options.into))
    else:
        print("\n\n".join("\n".join(lines) for lines in parts.values()))


def read(path):
    try:
        results = json.loads(Path(path).read_text())
    except (OSError, json.JSONDecodeError) as error:
        sys.exit(f"{path}: {error}")
    if "curves" not in results:
        sys.exit(f"{path} is not what make growth writes")
    return results


def put(parts, file):
    text = file.read_text()
    for name, lines in parts.items():
        begin = f"<!-- Growth, {name}: written by make growth-table, from here -->"
        before, found, rest = text.partition(begin)
        _, end, after = rest.partition(END)
        if not found or not end:
            sys.exit(f"{file} lacks the markers {begin!r} and {END!r}")
        body = "\n".join(lines)
        text = f"{before}{begin}\n\n{body}\n\n{END}{after}"
    file.write_text(text)
    print(f"wrote {file}")


def setting(results, second=None):
    """How the figures were taken, and how far a second run is from them."""
    loads = " and ".join(f"{load:.1f}" for load in results["loads"])
    text = f"{results['repetitions']} repetitions, at a load of {loads} before and after."
    if second:
        text += " " + difference(points(results), points(second))
    return text


def difference(first, second):
    shared = first.keys() & second.keys()
    changes = {name: second[name] / first[name] - 1 for name in shared}
    far = [name for name in shared if abs(changes[name]) > TOLERANCE]
    if not far:
        return f"In a second run all {len(shared)} figures were within {TOLERANCE:.0%}."
    worst = max(far, key=lambda name: abs(changes[name]))
    return (
        f"In a second run {len(shared) - len(far)} of {len(shared)} figures were within {TOLERANCE:.0%}; "
        f"the farthest was {changes[worst]:+.0%} ({worst[0]}, {worst[1]}, at {worst[2]:,})."
    )


def points(results):
    """The median of each point, by curve, contestant and place."""
    return {
        (curve["name"], series["contestant"], point["x"]): point["median"]
        for curve in results["curves"]
        for series in curve["series"]
        for point in series["points"]
    }


def grid(curves, axis):
    """The table of one axis: a line for each contestant of each curve."""
    curves = [curve for curve in curves if curve["axis"] == axis]
    places = sorted({point["x"] for curve in curves for each in curve["series"] for point in each["points"]})
    lines = [
        f"| {axis} | | {' | '.join(f'{place:,}' for place in places)} |",
        "|---" * (len(places) + 2) + "|",
    ]
    for curve in curves:
        name = curve["name"] + (", a second" if curve["unit"] == "perSecond" else "")
        for series in curve["series"]:
            medians = {point["x"]: point["median"] for point in series["points"]}
            cells = [shown(medians.get(place), curve["unit"]) for place in places]
            lines.append(f"| {name} | {series['contestant']} | {' | '.join(cells)} |")
            name = ""
    return lines


def shown(value, unit):
    if value is None:
        return ""
    return f"{value:,.0f}" if unit == "perSecond" else cost(value, unit)


if __name__ == "__main__":
    main()
