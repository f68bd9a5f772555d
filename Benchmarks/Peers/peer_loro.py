"""Loro: a document of a map of maps; the update of every commit goes to a file, which is flushed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

from loro import ExportMode, Frontiers, LoroDoc, LoroMap
from protocol import Peer
from update_log import UpdateLog
from workload import Item


class LoroPeer(Peer):
    title = "Loro"
    durability = "loss of power (fsync a commit)"
    can_merge = True
    can_compact = True

    def open(self) -> None:
        self._log = UpdateLog(self.folder / "updates")
        self._doc = LoroDoc()
        updates = list(self._log.updates())
        if updates:
            self._doc.import_batch(updates)
        self._items = self._doc.get_map("items")
        self._subscription = self._doc.subscribe_local_update(self._keep)

    def _keep(self, update: bytes) -> bool:
        self._log.append(update)
        return True  # stay subscribed

    def close(self) -> None:
        self._subscription.unsubscribe()
        self._log.close()

    def add(self, items: Iterable[Item]) -> None:
        for item in items:
            values = asdict(item)
            entity = self._items.insert_container(values.pop("id"), LoroMap())
            for key, value in values.items():
                entity.insert(key, value)
        self._doc.commit()

    def set_counts(self, changes: Iterable[tuple[str, int]]) -> None:
        for identifier, count in changes:
            self._entity(identifier).insert("count", count)
        self._doc.commit()

    def _entity(self, identifier: str) -> LoroMap:
        return self._items.get(identifier).container

    def count(self, identifier: str) -> int:
        return self._entity(identifier).get("count").value

    def mark(self) -> bytes:
        return self._doc.state_frontiers.encode()

    def past(self, mark: bytes) -> Callable[[str], int]:
        self._doc.checkout(Frontiers.decode(mark))
        return self.count

    def compact(self, folder: Path) -> None:
        log = UpdateLog(folder / "updates")
        log.append(self._doc.export(ExportMode.Snapshot()))
        log.close()

    def take_from(self, other: Peer) -> None:
        assert isinstance(other, LoroPeer)
        update = other._doc.export(ExportMode.Updates(self._doc.oplog_vv))
        self._doc.import_(update)
        self._log.append(update)
