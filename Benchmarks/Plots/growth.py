"""The curves of `make growth`, a file for each thing that grows."""

from __future__ import annotations

from pathlib import Path

import style
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

FILES = {
    "entities": "growth-entities.svg",
    "versions a property": "growth-versions.svg",
    "concurrent readers": "growth-readers.svg",
}


def draw(results: dict, folder: Path) -> None:
    for axis, name in FILES.items():
        curves = [curve for curve in results["curves"] if curve["axis"] == axis]
        if not curves:
            continue
        figure, axes = style.panels(len(curves), columns=min(3, len(curves)))
        for curve, place in zip(curves, axes, strict=True):
            panel(curve, place)
        style.save(figure, folder / name)


def panel(curve: dict, axes: Axes) -> None:
    is_rate = curve["unit"] == "perSecond"
    for series in curve["series"]:
        points = series["points"]
        x = [point["x"] for point in points]
        (line,) = axes.plot(
            x, [point["median"] for point in points], "o-", ms=3, lw=1.4, label=series["contestant"]
        )
        low = [point["low"] for point in points]
        high = [point["high"] for point in points]
        axes.fill_between(x, low, high, color=line.get_color(), alpha=0.2, lw=0)
    axes.set_title(curve["name"] + (", a second" if is_rate else ""))
    axes.set_xlabel(curve["axis"])
    values = [point["high"] for series in curve["series"] for point in series["points"]]
    if is_rate:
        axes.set_ylim(0, 1.15 * max(values))
    else:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(style.count))
        lows = [point["low"] for series in curve["series"] for point in series["points"]]
        # At least a factor of a hundred, so that noise does not look like growth.
        axes.set_ylim(min(min(lows) / 2, max(values) / 50), max(values) * 4)
    formatter = style.count if is_rate else style.seconds
    axes.yaxis.set_major_formatter(FuncFormatter(formatter))
    axes.minorticks_off()
    if len(curve["series"]) > 1:
        axes.legend(loc="upper left")
