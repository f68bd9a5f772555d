"""How plots look: no background, and colours that can be read on white and on black."""

from __future__ import annotations

from pathlib import Path

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

GREY = "#848d97"
BLUE = "#2f81f7"
ORANGE = "#d9730d"
GREEN = "#2da44e"
RED = "#e5534b"
VIOLET = "#a371f7"
COLOURS = [BLUE, ORANGE, GREEN, RED]

pyplot.rcParams.update(
    {
        "backend": "svg",
        "svg.fonttype": "none",  # text stays text: small, and can be searched
        "svg.hashsalt": "varve",  # the same figures give the same file
        # Measured with the first; shown with it, or what the reader's system has.
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans", "Verdana"],
        "font.size": 9,
        "axes.titlesize": 9,
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.prop_cycle": pyplot.cycler(color=COLOURS),
        "axes.grid": True,
        "grid.alpha": 0.25,
        "legend.frameon": False,
        "legend.fontsize": 8,
    }
    | {
        name: GREY
        for name in (
            "text.color",
            "axes.edgecolor",
            "axes.labelcolor",
            "axes.titlecolor",
            "xtick.color",
            "ytick.color",
            "grid.color",
            "legend.labelcolor",
        )
    }
)


def panels(count: int, columns: int, height: float = 2.2) -> tuple[Figure, list[Axes]]:
    """So many axes in rows of some; places left over stay empty."""
    rows = -(-count // columns)
    figure, axes = pyplot.subplots(
        rows, columns, figsize=(8.4, height * rows), squeeze=False, layout="constrained"
    )
    flat = list(axes.flat)
    for spare in flat[count:]:
        spare.set_visible(False)
    return figure, flat[:count]


def seconds(value: float, _position: object = None) -> str:
    """A time in the unit that suits it, for an axis or a bar."""
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 1:
            return f"{value * factor:.3g} {unit}" if value * factor < 1_000 else f"{value:.0f} s"
    return f"{value * 1e9:.3g} ns"


def count(value: float, _position: object = None) -> str:
    for unit, factor in (("M", 1e6), ("k", 1e3)):
        if value >= factor:
            return f"{value / factor:.3g}{unit}"
    return f"{value:.3g}"


def save(figure: Figure, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, transparent=True, metadata={"Date": None, "Creator": None})
    # matplotlib ends some lines with a blank.
    lines = path.read_text().splitlines()
    path.write_text("\n".join(line.rstrip() for line in lines) + "\n")
    pyplot.close(figure)
    print(path)
