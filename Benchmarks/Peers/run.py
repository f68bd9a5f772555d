"""Varve and its peers on the same work: `make peers`.

Every phase of every contestant runs in a process of its own, one after another. Figures are written
as they come: with --only, those of the others stay.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import machine
import table
from phases import PEERS, peer_class
from workload import Workload

#: The modes of `varve-bench --peers`, by name: title, durability, arguments.
VARVE = {
    "varve": ("Varve", "end of the process (WAL, synchronous=NORMAL)", []),
    "varve-synchronized": (
        "Varve, synchronized",
        "loss of power (WAL, flush() a commit)",
        ["--synchronized"],
    ),
}
NAMES = [*VARVE, *PEERS]


def facts(name: str) -> dict:
    if name in VARVE:
        title, durability, _ = VARVE[name]
        return {"title": title, "durability": durability, "canMerge": True, "version": None}
    peer = peer_class(name)
    return {
        "title": peer.title,
        "durability": peer.durability,
        "canMerge": peer.can_merge,
        "version": machine.version_of(name),
    }


def run_phase(name: str, phase: str, folder: Path, options: argparse.Namespace) -> dict:
    sizes = ["--limit", str(options.limit), *(["--quick"] if options.quick else [])]
    if name in VARVE:
        command = [options.varve_bench, "--peers", phase, str(folder), *VARVE[name][2], *sizes]
    else:
        script = Path(__file__).with_name("phases.py")
        command = [sys.executable, str(script), name, phase, str(folder), *sizes]
    print(f"{name}: {phase}", file=sys.stderr, flush=True)
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def measure(name: str, options: argparse.Namespace) -> dict:
    result = {"name": name, **facts(name), "load": machine.load()}
    with tempfile.TemporaryDirectory(prefix="varve-peers-") as folder:
        for phase in ("write", "reopen", "merge"):
            can = phase != "merge" or result["canMerge"]
            result[phase] = run_phase(name, phase, Path(folder), options) if can else None
    if result["write"]["checksum"] != result["reopen"]["checksum"]:
        raise SystemExit(f"{name}: what was opened again is not what was written")
    return result


def demand_same_work(peers: list[dict]) -> None:
    """All who did all of it must have come to the same values."""
    whole = [peer for peer in peers if not peer["write"]["change"]["isExtrapolated"]]
    if len({peer["write"]["checksum"] for peer in whole}) > 1:
        sums = {peer["name"]: peer["write"]["checksum"] for peer in whole}
        raise SystemExit(f"the contestants did not do the same: {sums}")


def earlier(options: argparse.Namespace) -> dict[str, dict]:
    """The figures of a run of the same size that only some are to be measured again of."""
    if not options.only or not options.json.exists():
        return {}
    results = json.loads(options.json.read_text())
    if results["isQuick"] != options.quick:
        return {}
    return {peer["name"]: peer for peer in results["peers"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--varve-bench", required=True, help="the program, as built")
    parser.add_argument("--json", type=Path, required=True, help="where the figures go")
    parser.add_argument("--quick", action="store_true", help="a tenth of the size")
    parser.add_argument("--limit", type=float, default=600, help="seconds a step may take")
    parser.add_argument("--only", nargs="+", choices=NAMES, help="measure only these again")
    options = parser.parse_args()
    workload = Workload.of(options.quick)
    measured = earlier(options)
    for name in options.only or NAMES:
        measured[name] = measure(name, options)
        results = {
            "machine": machine.description(),
            "isQuick": options.quick,
            "limitSeconds": options.limit,
            "workload": {
                "entities": workload.item_count,
                "changes": workload.change_count,
                "copyChanges": workload.copy_change_count,
            },
            "peers": [measured[name] for name in NAMES if name in measured],
        }
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(results, indent=2) + "\n")
    print(table.markdown(results))
    demand_same_work(results["peers"])


if __name__ == "__main__":
    main()
