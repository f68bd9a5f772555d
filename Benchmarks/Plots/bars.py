"""The ratios of `make bench` beside the bars they are to reach."""

from __future__ import annotations

from pathlib import Path

import style
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator

#: Whom people would use instead: a colour and a shape each.
ANCHORS = {
    "raw SQLite": (style.BLUE, "o"),
    "GRDB statements": (style.GREEN, "s"),
    "GRDB hand-written": (style.ORANGE, "D"),
    "GRDB Codable": (style.RED, "^"),
    "row per value": (style.VIOLET, "v"),
}


def draw(results: dict, folder: Path) -> None:
    ratios = results["ratios"]
    beside = [ratio for ratio in ratios if ratio["kind"] == "rate" and ratio["anchor"] in ANCHORS]
    further = [ratio for ratio in ratios if ratio not in beside and ratio.get("bar") is not None]
    further += [ratio for ratio in ratios if ratio not in beside and ratio.get("bar") is None]
    if beside:
        contestants(beside, folder / "bars.svg")
    if further:
        others(further, folder / "bars-others.svg")


def contestants(ratios: list[dict], path: Path) -> None:
    """A line for each row, on it Varve's rate in multiples of each contestant's."""
    rows = list(dict.fromkeys(ratio["name"] for ratio in ratios))
    figure, (axes,) = style.panels(1, columns=1, height=1.5 + 0.34 * len(rows))
    for place, row in enumerate(rows):
        axes.axhline(place, color=style.GREY, lw=0.5, alpha=0.3, zorder=0)
        of_row = [ratio for ratio in ratios if ratio["name"] == row]
        for ratio in of_row:
            colour, shape = ANCHORS[ratio["anchor"]]
            point(axes, ratio, place, colour, shape)
    finish(axes, rows)
    axes.set_title("Varve's rate in multiples of each contestant's: right of 1 it is the faster one")
    handles = [
        Line2D([], [], color=colour, marker=shape, ls="", ms=5, label=anchor)
        for anchor, (colour, shape) in ANCHORS.items()
        if any(ratio["anchor"] == anchor for ratio in ratios)
    ]
    handles.append(Line2D([], [], color=style.GREY, marker="|", ls="", ms=11, mew=2, label="bar to reach"))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), columnspacing=1.2)
    style.save(figure, path)


def others(ratios: list[dict], path: Path) -> None:
    """Ratios to something else: those with bars first."""
    figure, (axes,) = style.panels(1, columns=1, height=0.9 + 0.24 * len(ratios))
    for place, ratio in enumerate(ratios):
        axes.axhline(place, color=style.GREY, lw=0.5, alpha=0.3, zorder=0)
        point(axes, ratio, place, style.BLUE if ratio["kind"] == "rate" else style.ORANGE, "o")
    finish(axes, [f"{ratio['name']}: {ratio['kind']} to {ratio['anchor']}" for ratio in ratios])
    axes.set_title("rates (blue) are to be right of their bar, costs (orange) left of it")
    style.save(figure, path)


def point(axes: Axes, ratio: dict, place: int, colour: str, shape: str) -> None:
    """A ratio with its quartiles, and its bar in the same colour."""
    axes.plot([ratio["low"], ratio["high"]], [place, place], color=colour, lw=3, alpha=0.35)
    axes.plot(ratio["ratio"], place, shape, ms=5, color=colour)
    if ratio.get("bar") is not None:
        axes.plot(ratio.get("bar"), place, "|", ms=13, mew=2, color=colour)


def finish(axes: Axes, labels: list[str]) -> None:
    axes.set_yticks(range(len(labels)), labels, fontsize=8)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} ×"))
    axes.minorticks_off()
    axes.grid(visible=False, axis="y")
    axes.axvline(1, color=style.GREY, lw=1.2)
