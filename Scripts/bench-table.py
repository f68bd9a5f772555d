#!/usr/bin/env python3
"""Writes the results of `make bench` as Markdown, so that no figure is copied by hand.

    Scripts/bench-table.py A.json                        prints it
    Scripts/bench-table.py A.json B.json                 with how far a second run is from the first
    Scripts/bench-table.py A.json [B.json] --into FILE   puts it where FILE has the markers
"""

import argparse
import json
import sys
from pathlib import Path

from bench_results import compare, cost, key, load, shown

BEGIN = "<!-- Figures: written by make bench-table, from here -->"
END = "<!-- to here -->"
# The alternatives that people would use: a column each.
CONTESTANTS = ["Varve", "raw SQLite", "GRDB Codable", "GRDB hand-written", "GRDB statements", "row per value"]
TOLERANCE = 0.1
# The benchmarks alone keep at most two threads busy.
BUSY = 3
INSTRUCTIONS = Path(__file__).resolve().parent.parent / "Benchmarks" / "instructions.json"


def main():
    arguments = parse()
    results = [load(path) for path in arguments.results]
    if len(results) > 2:
        sys.exit("one run, or two")
    text = "\n".join(document(*results)) + "\n"
    if not arguments.into:
        print(text, end="")
        return
    file = Path(arguments.into)
    before, begin, rest = file.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{file} lacks the markers {BEGIN!r} and {END!r}")
    file.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}")
    print(f"wrote {file}")


def document(results, second=None):
    return [
        *setting(results, second),
        "",
        "Ratios that have a bar:",
        "",
        *ratios([ratio for ratio in results["ratios"] if ratio.get("bar") is not None], with_bars=True),
        "",
        "The cost of one item for each contestant and, in brackets, Varve's rate as a multiple of that contestant's:",
        "",
        *grid(results),
        "",
        "Further ratios, for information:",
        "",
        *ratios([ratio for ratio in results["ratios"] if is_further(ratio)], with_bars=False),
        "",
        "Instructions per item, as committed in `Benchmarks/instructions.json`:",
        "",
        *instructions(json.loads(INSTRUCTIONS.read_text())),
    ]


def setting(results, second):
    of = results["setting"]
    loads = " and ".join(shown(load) for load in of["loads"])
    minutes = sum(row["seconds"] for row in results["durations"]) / 60
    lines = [
        f"- **Machine**: {of['machine']}; {of['system']}; Swift {of['swift']}; SQLite {of['sqlite']}.",
        f"- **Pragmas**, the same for all: {of['pragmas']}.",
        f"- **Taken** on {of['time'][:10]} in {minutes:.0f} minutes: {of['repetitions']} repetitions, at a load of"
        f" {loads} before and after.",
    ]
    if max(of["loads"]) > BUSY:
        lines.append("- **Busy**: other processes used the machine too, which changes ratios; measure again.")
    if of["scale"] != 1:
        lines.append(f"- **Reduced sizes**: {of['scale']:g} of the full ones.")
    return lines + ([verdict(results, second)] if second else [])


def verdict(results, second):
    """The differences of a second run from the first."""
    changes, _ = compare(results, second)
    apart = {name: change for name, change in changes.items() if abs(change) > TOLERANCE}
    text = (
        f"- **A second run**, on {second['setting']['time'][:10]}: {len(changes) - len(apart)} of"
        f" {len(changes)} ratios are within {TOLERANCE:.0%} of these"
    )
    others = [f"{name}, to {anchor}, by {change:+.0%}" for (name, _, anchor), change in apart.items()]
    return text + (f"; these differ by more: {'; '.join(others)}." if others else ".")


def ratios(lines, with_bars):
    yield "| row | | ratio | quartiles |" + (" bar | |" if with_bars else "")
    yield "|---|---|---|---|" + ("---|---|" if with_bars else "")
    for line in lines:
        bar = ""
        if with_bars:
            # Some costs have a lower limit, such as a share.
            sign = "≥" if (line["ratio"] >= line["bar"]) == line["isMet"] else "≤"
            bar = f" {sign} {line['bar']:g} | {'met' if line['isMet'] else '**missed**'} |"
        subject = "" if line["subject"] == "Varve" else f"{line['subject']}: "
        yield (
            f"| {line['name']} | {subject}{line['kind']} to {line['anchor']} | {shown(line['ratio'])} × |"
            f" {shown(line['low'])} – {shown(line['high'])} |{bar}"
        )


def is_further(ratio):
    return ratio.get("bar") is None and not (ratio["subject"] == "Varve" and ratio["anchor"] in CONTESTANTS)


def grid(results):
    """A row for each benchmark with several contestants."""
    yield "| row | " + " | ".join(CONTESTANTS) + " |"
    yield "|---|" + "---|" * len(CONTESTANTS)
    names = list(dict.fromkeys(cost["benchmark"] for cost in results["costs"]))
    for name in names:
        costs = {line["contestant"]: line for line in results["costs"] if line["benchmark"] == name}
        if not {"Varve", "raw SQLite"} <= costs.keys():
            continue
        rates = {
            line["anchor"]: line
            for line in results["ratios"]
            if line["benchmark"] == name and line["subject"] == "Varve"
        }
        cells = [cell(costs.get(contestant), rates.get(contestant)) for contestant in CONTESTANTS]
        yield f"| {name} | " + " | ".join(cells) + " |"


def instructions(counted):
    yield "| row | Varve | raw SQLite | Varve / raw | others |"
    yield "|---|---|---|---|---|"
    rows = {}
    for name, count in counted.items():
        row, contestant = name.split(" · ")
        rows.setdefault(row, {})[contestant] = count
    for row, counts in rows.items():
        varve, raw = counts.pop("Varve", None), counts.pop("raw SQLite", None)
        cost = f"{shown(varve / raw)} ×" if varve and raw else ""
        others = "; ".join(f"{contestant}: {count:,}" for contestant, count in counts.items())
        cells = [f"{count:,}" if count else "" for count in (varve, raw)]
        yield f"| {row} | {' | '.join(cells)} | {cost} | {others} |"


def cell(needed, rate):
    if needed is None:
        return ""
    text = cost(needed["median"], needed["unit"])
    kind = "cost " if rate and rate["kind"] == "cost" else ""
    return text + (f" ({kind}{shown(rate['ratio'])} ×)" if rate else "")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", help="what runs wrote by --json")
    parser.add_argument("--into", metavar="FILE", help="the document that has the markers")
    return parser.parse_args()


if __name__ == "__main__":
    main()
