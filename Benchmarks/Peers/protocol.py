"""What a contestant must be able to do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import ClassVar

from workload import Item


class Peer(ABC):
    """A store in a folder of its own. Every `add` and every `set_counts` is one commit, which is as
    durable as `durability` says when the call returns."""

    title: ClassVar[str]
    #: What a commit survives when the call returns.
    durability: ClassVar[str]
    can_merge: ClassVar[bool] = False
    #: Whether its log of updates can be made one, with all history in it.
    can_compact: ClassVar[bool] = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    def open(self) -> None:
        """Opens what is in the folder, or begins anew, until values can be read."""

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def add(self, items: Iterable[Item]) -> None: ...

    @abstractmethod
    def set_counts(self, changes: Iterable[tuple[str, int]]) -> None: ...

    @abstractmethod
    def count(self, identifier: str) -> int: ...

    @abstractmethod
    def mark(self) -> bytes:
        """What is needed to come back to the present state later."""

    @abstractmethod
    def past(self, mark: bytes) -> Callable[[str], int]:
        """A way to read `count` as it was at a mark. The contestant is not written to afterwards."""

    def compact(self, folder: Path) -> None:
        """Writes what is there, history included, to an empty folder, in its densest form."""
        raise NotImplementedError(f"{self.title} has no denser form")

    def take_from(self, other: Peer) -> None:
        """Takes what another copy has and this one has not, as durable as a commit."""
        raise NotImplementedError(f"{self.title} cannot merge")
