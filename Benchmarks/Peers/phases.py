"""One phase of one contestant, in a process of its own, so that memory and caches are its own.

Called by `run.py`; prints its figures as a JSON object.
"""

from __future__ import annotations

import argparse
import importlib
import json
import resource
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from protocol import Peer
from workload import COPY_SEEDS, OLD_VALUE_COUNT, Item, Workload

#: Imported one at a time: what another contestant loads must not count as this one's memory.
PEERS = {
    "loro": ("peer_loro", "LoroPeer"),
    "pycrdt": ("peer_pycrdt", "PycrdtPeer"),
    "zodb": ("peer_zodb", "ZodbPeer"),
    "continuum": ("peer_continuum", "ContinuumPeer"),
    "continuum-full": ("peer_continuum", "FullContinuumPeer"),
}


def peer_class(name: str) -> type[Peer]:
    module, title = PEERS[name]
    return getattr(importlib.import_module(module), title)


def memory_bytes(field: str) -> int:
    """Of this process: `VmHWM` is the most it ever had, `VmRSS` what it has."""
    try:
        status = Path("/proc/self/status").read_text()
    except FileNotFoundError:  # macOS has only the peak
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    line = next(line for line in status.splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


class Stopwatch:
    """What has passed since it was made: on the clock, and of the processor's time, which tells more
    where the machine is shared."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self._start_cpu = time.process_time()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start

    def cost(self, factor: float = 1) -> dict:
        cpu = time.process_time() - self._start_cpu
        return {"seconds": self.seconds * factor, "cpuSeconds": cpu * factor}


def timed_step(commits: Iterable, apply: Callable, limit_seconds: float, total: int) -> dict:
    """Applies commits until all are done or time is up; what is then missing is extrapolated."""
    watch = Stopwatch()
    done = 0
    for commit in commits:
        apply(commit)
        done += 1
        if watch.seconds > limit_seconds:
            break
    return watch.cost(total / done) | {"commits": done, "isExtrapolated": done < total}


def byte_count(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def write(make: type[Peer], folder: Path, workload: Workload, limit_seconds: float) -> dict:
    """Steps one and two."""
    peer = make(folder / "store")
    peer.folder.mkdir(parents=True)
    peer.open()
    start_bytes = memory_bytes("VmRSS")
    commits = list(workload.commits_of_items())
    add = timed_step(commits, peer.add, limit_seconds, len(commits))
    if add["isExtrapolated"]:
        raise SystemExit(f"{make.title} did not add the entities within {limit_seconds} seconds")
    (folder / "mark").write_bytes(peer.mark())
    ids = [item.id for commit in commits for item in commit]
    change = timed_step(
        workload.changes(),
        lambda change: peer.set_counts([(ids[change[0]], change[1])]),
        limit_seconds,
        workload.change_count,
    )
    checksum = sum(peer.count(identifier) for identifier in ids)
    peer.close()
    return {
        "add": add,
        "change": change,
        "bytes": byte_count(peer.folder),
        "peakMemoryBytes": memory_bytes("VmHWM"),
        "startMemoryBytes": start_bytes,
        "checksum": checksum,
    }


def compacted(make: type[Peer], peer: Peer, folder: Path, item: Item) -> dict | None:
    """What the densest form takes, and how long it takes to open; nothing where there is none."""
    if not make.can_compact:
        return None
    folder.mkdir()
    peer.compact(folder)
    dense = make(folder)
    watch = Stopwatch()
    dense.open()
    dense.count(item.id)
    opened = watch.cost()
    dense.close()
    return {"bytes": byte_count(folder), "open": opened}


def reopen(make: type[Peer], folder: Path, workload: Workload, _limit: float) -> dict:
    """Opens the store again, and reads values as they were after step one."""
    items = list(workload.items())
    peer = make(folder / "store")
    watch = Stopwatch()
    peer.open()
    peer.count(items[0].id)
    opened = watch.cost()
    checksum = sum(peer.count(item.id) for item in items)
    compact = compacted(make, peer, folder / "compact", items[0])
    chosen = items[:: max(1, len(items) // OLD_VALUE_COUNT)]
    watch = Stopwatch()
    read = peer.past((folder / "mark").read_bytes())
    values = [read(chosen[0].id)]
    first = watch.cost()
    times = []
    for item in chosen[1:]:
        began = time.perf_counter()
        values.append(read(item.id))
        times.append(time.perf_counter() - began)
    if values != [item.count for item in chosen]:
        raise SystemExit(f"{make.title} answered other old values than were written")
    return {
        "open": opened,
        "checksum": checksum,
        "compact": compact,
        "firstOld": first,
        "nextOldSeconds": statistics.median(times),
        "peakMemoryBytes": memory_bytes("VmHWM"),
    }


def merge(make: type[Peer], folder: Path, workload: Workload, _limit: float) -> dict:
    """Step three: two copies that both changed take from one another what they have not."""
    ids = [item.id for item in workload.items()]
    copies = []
    for number, seed in enumerate(COPY_SEEDS):
        place = folder / f"copy-{number}"
        shutil.copytree(folder / "store", place)
        copy = make(place)
        copy.open()
        for commit in workload.commits_of_copy(seed):
            copy.set_counts([(ids[index], count) for index, count in commit])
        copies.append(copy)
    one, other = copies
    watch = Stopwatch()
    one.take_from(other)
    other.take_from(one)
    merged = watch.cost()
    if any(one.count(identifier) != other.count(identifier) for identifier in ids):
        raise SystemExit(f"{make.title} did not make the copies equal")
    for copy in copies:
        copy.close()
    return merged | {"peakMemoryBytes": memory_bytes("VmHWM")}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("peer", choices=sorted(PEERS))
    parser.add_argument("phase", choices=["write", "reopen", "merge"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--limit", type=float, default=600)
    options = parser.parse_args()
    phase = {"write": write, "reopen": reopen, "merge": merge}[options.phase]
    workload = Workload.of(options.quick)
    json.dump(phase(peer_class(options.peer), options.folder, workload, options.limit), sys.stdout)


if __name__ == "__main__":
    main()
