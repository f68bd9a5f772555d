"""ZODB: persistent objects in a B-tree, in a FileStorage, which flushes at the end of a transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import transaction
from BTrees.OOBTree import OOBTree
from persistent import Persistent
from protocol import Peer
from workload import Item
from ZODB import DB
from ZODB.FileStorage import FileStorage


class StoredItem(Persistent):
    def __init__(self, item: Item) -> None:
        self.name = item.name
        self.city = item.city
        self.note = item.note
        self.count = item.count
        self.price = item.price


class ZodbPeer(Peer):
    title = "ZODB"
    durability = "loss of power (fsync a commit)"

    def open(self) -> None:
        self._database = DB(FileStorage(str(self.folder / "Data.fs")))
        self._past = None
        self._connection = self._database.open()
        root = self._connection.root()
        if "items" not in root:
            root["items"] = OOBTree()
            transaction.commit()
        self._items = root["items"]

    def close(self) -> None:
        if self._past is not None:
            self._past.close()
        self._connection.close()
        self._database.close()

    def add(self, items: Iterable[Item]) -> None:
        for item in items:
            self._items[item.id] = StoredItem(item)
        transaction.commit()

    def set_counts(self, changes: Iterable[tuple[str, int]]) -> None:
        for identifier, count in changes:
            self._items[identifier].count = count
        transaction.commit()

    def count(self, identifier: str) -> int:
        return self._items[identifier].count

    def mark(self) -> bytes:
        return self._database.lastTransaction()

    def past(self, mark: bytes) -> Callable[[str], int]:
        self._past = self._database.open(at=mark)
        items = self._past.root()["items"]
        return lambda identifier: items[identifier].count
