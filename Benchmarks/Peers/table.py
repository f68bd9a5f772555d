"""The figures as a table in Markdown, which is read on a terminal as well."""

from __future__ import annotations

from collections.abc import Callable

HEAD = [
    "contestant",
    "add",
    "change",
    "a change",
    "merge",
    "on disk (compacted)",
    "memory, peak (at start)",
    "open (compacted)",
    "old value, first (next)",
    "load",
]


def seconds(value: float) -> str:
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 1 or unit == "µs":
            return f"{three_digits(value * factor)} {unit}"
    raise AssertionError


def three_digits(value: float) -> str:
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f}"


def mebibytes(count: int) -> str:
    return f"{three_digits(count / 2**20)} MiB"


def both(text: Callable[[float], str], value: float, other: float | None) -> str:
    return text(value) + (f" ({text(other)})" if other is not None else "")


def row(peer: dict, change_count: int) -> list[str]:
    written, reopened, merged = peer["write"], peer["reopen"], peer["merge"]
    change = written["change"]
    compact = reopened.get("compact")
    mark = "~" if change["isExtrapolated"] else ""
    return [
        peer["title"],
        seconds(written["add"]["seconds"]),
        mark + seconds(change["seconds"]),
        mark + seconds(change["seconds"] / change_count),
        seconds(merged["seconds"]) if merged else "cannot",
        ("≥ " if mark else "") + both(mebibytes, written["bytes"], compact and compact["bytes"]),
        f"{mebibytes(written['peakMemoryBytes'])} ({mebibytes(written['startMemoryBytes'])})",
        both(seconds, reopened["openSeconds"], compact and compact["openSeconds"]),
        f"{seconds(reopened['firstOldSeconds'])} ({seconds(reopened['nextOldSeconds'])})",
        str(peer["load"]),
    ]


def markdown(results: dict) -> str:
    workload = results["workload"]
    rows = [row(peer, workload["changes"]) for peer in results["peers"]]
    lines = [HEAD, ["---"] * len(HEAD), *rows]
    text = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    notes = [f"- {peer['title']}: a commit survives {peer['durability']}" for peer in results["peers"]]
    return "\n".join(
        [
            f"{workload['entities']} entities in commits of 100; then {workload['changes']} changes, "
            f"a commit each; then two copies with {workload['copyChanges']} changes each.",
            "~ is extrapolated from the commits done before time was up.",
            "",
            text,
            "",
            *notes,
        ]
    )
