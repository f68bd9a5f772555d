"""The figures of `make peers`, a panel for each question, on logarithmic scales: less is better."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import style
from matplotlib.axes import Axes


def mebibytes(value: float) -> str:
    return f"{value / 2**20:.3g} MiB"


def cost(phase: str, step: str, kind: str) -> Callable[[dict], float | None]:
    return lambda peer: peer[phase][step][kind]


CHANGES = "50,000 commits"
DISK = "on disk"

#: A title, where the figure stands, and how it is written. On a shared machine the processor's time
#: says more than the clock.
PANELS: list[tuple[str, Callable[[dict], float | None], Callable[[float], str]]] = [
    ("add 10,000 entities, processor", cost("write", "add", "cpuSeconds"), style.seconds),
    (f"{CHANGES}, clock", cost("write", "change", "seconds"), style.seconds),
    (f"{CHANGES}, processor", cost("write", "change", "cpuSeconds"), style.seconds),
    (
        "merge, processor",
        lambda peer: peer["merge"] and peer["merge"]["cpuSeconds"],
        style.seconds,
    ),
    ("open again, processor", cost("reopen", "open", "cpuSeconds"), style.seconds),
    ("first old value, processor", cost("reopen", "firstOld", "cpuSeconds"), style.seconds),
    ("another old value, clock", lambda peer: peer["reopen"]["nextOldSeconds"], style.seconds),
    (DISK, lambda peer: peer["write"]["bytes"], mebibytes),
    ("peak memory", lambda peer: peer["write"]["peakMemoryBytes"], mebibytes),
]

COLUMNS = 3

#: How a figure is marked, by how its title begins, where time was up before all changes were made.
MARKS_OF_CUT = {CHANGES: "~", DISK: "≥ "}


def draw(results: dict, folder: Path) -> None:
    peers = results["peers"]
    figure, axes = style.panels(len(PANELS), columns=COLUMNS, height=0.42 + 0.2 * len(peers))
    for number, ((title, figure_of, text), place) in enumerate(zip(PANELS, axes, strict=True)):
        panel(title, [(peer, figure_of(peer)) for peer in peers], text, place)
        if number % COLUMNS:
            place.set_yticklabels([])
    style.save(figure, folder / "peers.svg")


def panel(
    title: str,
    figures: list[tuple[dict, float | None]],
    text: Callable[[float], str],
    axes: Axes,
) -> None:
    known = [value for _, value in figures if value is not None]
    start = min(known) / 2
    for place, (peer, value) in enumerate(figures):
        if value is None:
            label, length = "cannot", start
        else:
            is_cut = peer["write"]["change"]["isExtrapolated"]
            marks = [mark for start, mark in MARKS_OF_CUT.items() if is_cut and title.startswith(start)]
            label, length = "".join([*marks, text(value)]), value
        colour = style.BLUE if peer["name"].startswith("varve") else style.GREY
        axes.hlines(place, start, length, color=colour, lw=1, alpha=0 if value is None else 0.5)
        axes.plot(length, place, "o", ms=5, color=colour, alpha=0 if value is None else 1)
        axes.annotate(
            label, (length, place), (6, 0), textcoords="offset points", va="center", fontsize=8
        )
    axes.set_xscale("log")
    axes.set_xlim(start, max(known) * (max(known) / start) ** 0.45)
    axes.set_yticks(range(len(figures)), [peer["title"] for peer, _ in figures])
    axes.invert_yaxis()
    axes.grid(visible=False)
    axes.xaxis.set_visible(False)
    axes.spines["bottom"].set_visible(False)
    axes.set_title(title)
