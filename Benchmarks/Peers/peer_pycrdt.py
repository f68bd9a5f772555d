"""pycrdt (Yrs): a document of a map of maps; the update of every transaction goes to a file, which is
flushed. Nothing is collected (`skip_gc`): without that, old values are gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

from protocol import Peer
from pycrdt import Doc, Map, Snapshot, TransactionEvent
from update_log import UpdateLog
from workload import Item


class PycrdtPeer(Peer):
    title = "pycrdt"
    durability = "loss of power (fsync a commit)"
    can_merge = True
    can_compact = True

    def open(self) -> None:
        self._log = UpdateLog(self.folder / "updates")
        self._doc = Doc(skip_gc=True)
        self._items = self._doc.get("items", type=Map)
        with self._doc.transaction():
            for update in self._log.updates():
                self._doc.apply_update(update)
        self._subscription = self._doc.observe(self._keep)

    def _keep(self, event: TransactionEvent) -> None:
        self._log.append(event.update)

    def close(self) -> None:
        self._doc.unobserve(self._subscription)
        self._log.close()

    def add(self, items: Iterable[Item]) -> None:
        with self._doc.transaction():
            for item in items:
                values = asdict(item)
                self._items[values.pop("id")] = Map(values)

    def set_counts(self, changes: Iterable[tuple[str, int]]) -> None:
        with self._doc.transaction():
            for identifier, count in changes:
                self._items[identifier]["count"] = count

    def count(self, identifier: str) -> int:
        return int(self._items[identifier]["count"])

    def mark(self) -> bytes:
        return Snapshot.from_doc(self._doc).encode()

    def past(self, mark: bytes) -> Callable[[str], int]:
        then = Doc.from_snapshot(Snapshot.decode(mark), self._doc)
        items = then.get("items", type=Map)
        return lambda identifier: int(items[identifier]["count"])

    def compact(self, folder: Path) -> None:
        log = UpdateLog(folder / "updates")
        log.append(self._doc.get_update())
        log.close()

    def take_from(self, other: Peer) -> None:
        assert isinstance(other, PycrdtPeer)
        # What is applied is observed, and so kept, like a change of one's own.
        self._doc.apply_update(other._doc.get_update(self._doc.get_state()))
