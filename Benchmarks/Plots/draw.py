"""Draws what was measured: `make plots`. What was not measured is left as it was."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import bars
import growth
import peers

KINDS = {"bench.json": bars.draw, "growth.json": growth.draw, "peers.json": peers.draw}


def main() -> None:
    figures, plots = (Path(argument) for argument in sys.argv[1:])
    found = [name for name in KINDS if (figures / name).exists()]
    if not found:
        raise SystemExit(f"no figures in {figures}: run make bench, make growth or make peers first")
    for name in KINDS:
        if name in found:
            KINDS[name](json.loads((figures / name).read_text()), plots)
        else:
            print(f"{figures / name} is missing; its plots stay", file=sys.stderr)


if __name__ == "__main__":
    main()
