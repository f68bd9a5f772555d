"""The ratios of `make bench` beside the bars they are to reach."""

from __future__ import annotations

from pathlib import Path

import style
from matplotlib.ticker import FuncFormatter


def draw(results: dict, folder: Path) -> None:
    ratios = results["ratios"]
    figure, (axes,) = style.panels(1, columns=1, height=0.5 + 0.24 * len(ratios))
    for place, ratio in enumerate(ratios):
        axes.plot([ratio["low"], ratio["high"]], [place, place], color=style.BLUE, lw=3, alpha=0.35)
        axes.plot(ratio["ratio"], place, "o", ms=4, color=style.BLUE)
        if ratio.get("bar") is not None:
            axes.plot(ratio["bar"], place, "|", ms=11, mew=2, color=style.ORANGE)
    labels = [f"{ratio['name']}, to {ratio['anchor']}" for ratio in ratios]
    axes.set_yticks(range(len(ratios)), labels, fontsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} ×"))
    axes.axvline(1, color=style.GREY, lw=0.8)
    axes.set_title("ratio of medians, its quartiles, and the bar (orange)")
    style.save(figure, folder / "bars.svg")
