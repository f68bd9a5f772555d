"""The figures as a table in Markdown, which is read on a terminal as well."""

from __future__ import annotations

HEAD = [
    "contestant",
    "add",
    "change",
    "merge",
    "open; compacted",
    "old value",
    "another",
    "on disk; compacted",
    "memory, peak − at start",
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


def cost(figures: dict) -> str:
    """On the clock, and of the processor's time."""
    return f"{seconds(figures['seconds'])} ({seconds(figures['cpuSeconds'])})"


def row(peer: dict) -> list[str]:
    written, reopened, merged = peer["write"], peer["reopen"], peer["merge"]
    change = written["change"]
    compact = reopened.get("compact")
    mark = "~" if change["isExtrapolated"] else ""
    return [
        peer["title"],
        cost(written["add"]),
        mark + cost(change),
        cost(merged) if merged else "cannot",
        cost(reopened["open"]) + (f"; {cost(compact['open'])}" if compact else ""),
        cost(reopened["firstOld"]),
        seconds(reopened["nextOldSeconds"]),
        ("≥ " if mark else "")
        + mebibytes(written["bytes"])
        + (f"; {mebibytes(compact['bytes'])}" if compact else ""),
        f"{mebibytes(written['peakMemoryBytes'])} − {mebibytes(written['startMemoryBytes'])}",
        str(peer["load"]),
    ]


def markdown(results: dict) -> str:
    workload = results["workload"]
    rows = [row(peer) for peer in results["peers"]]
    lines = [HEAD, ["---"] * len(HEAD), *rows]
    text = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    notes = [f"- {peer['title']}: a commit survives {peer['durability']}" for peer in results["peers"]]
    return "\n".join(
        [
            f"{workload['entities']} entities in commits of 100; then {workload['changes']} changes, "
            f"a commit each; then two copies with {workload['copyChanges']} changes each.",
            "Times are on the clock, and the processor's in brackets; ~ is extrapolated from the commits "
            "done before time was up.",
            "",
            text,
            "",
            *notes,
        ]
    )
