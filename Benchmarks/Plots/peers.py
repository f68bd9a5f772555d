"""The figures of `make peers`, a panel for each question, on logarithmic scales: less is better."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import style
from matplotlib.axes import Axes


def mebibytes(value: float) -> str:
    return f"{value / 2**20:.3g} MiB"


#: A title, where the figure stands, and how it is written.
PANELS: list[tuple[str, Callable[[dict], float | None], Callable[[float], str]]] = [
    ("add 10,000 entities", lambda peer: peer["write"]["add"]["seconds"], style.seconds),
    ("50,000 commits of one change", lambda peer: peer["write"]["change"]["seconds"], style.seconds),
    (
        "merge of 10,000 changes each",
        lambda peer: peer["merge"] and peer["merge"]["seconds"],
        style.seconds,
    ),
    ("on disk", lambda peer: peer["write"]["bytes"], mebibytes),
    ("peak memory", lambda peer: peer["write"]["peakMemoryBytes"], mebibytes),
    ("open again", lambda peer: peer["reopen"]["open"]["cpuSeconds"], style.seconds),
    ("first old value", lambda peer: peer["reopen"]["firstOld"]["cpuSeconds"], style.seconds),
    ("a further old value", lambda peer: peer["reopen"]["nextOldSeconds"], style.seconds),
]

#: How a figure is marked where time was up before all changes were made.
MARKS_OF_CUT = {PANELS[1][0]: "~", PANELS[3][0]: "≥ "}


def draw(results: dict, folder: Path) -> None:
    peers = results["peers"]
    figure, axes = style.panels(len(PANELS), columns=2, height=0.42 + 0.2 * len(peers))
    for (title, figure_of, text), place in zip(PANELS, axes, strict=True):
        panel(title, [(peer, figure_of(peer)) for peer in peers], text, place)
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
            label, length = f"{MARKS_OF_CUT.get(title, '') if is_cut else ''}{text(value)}", value
        colour = style.BLUE if peer["name"].startswith("varve") else style.GREY
        axes.hlines(place, start, length, color=colour, lw=1, alpha=0 if value is None else 0.5)
        axes.plot(length, place, "o", ms=5, color=colour, alpha=0 if value is None else 1)
        axes.annotate(
            label, (length, place), (6, 0), textcoords="offset points", va="center", fontsize=8
        )
    axes.set_xscale("log")
    axes.set_xlim(start, max(known) * (max(known) / start) ** 0.35)
    axes.set_yticks(range(len(figures)), [peer["title"] for peer, _ in figures])
    axes.invert_yaxis()
    axes.grid(visible=False)
    axes.xaxis.set_visible(False)
    axes.spines["bottom"].set_visible(False)
    axes.set_title(title)
