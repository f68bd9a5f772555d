"""The work every contestant does, from a seed: `PeerWorkload.swift` makes the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_MASK = (1 << 64) - 1

ITEMS_PER_COMMIT = 100
#: Where the changes of the two copies that are merged come from.
COPY_SEEDS = (11, 12)
OLD_VALUE_COUNT = 100

_WORDS = ["amber", "birch", "cobalt", "dune", "elm", "fern", "garnet", "heron", "iris", "jade"]


class SplitMix64:
    """Small, fast and the same in Swift."""

    def __init__(self, state: int) -> None:
        self._state = state

    def next(self) -> int:
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & _MASK
        return mixed ^ mixed >> 31


@dataclass(frozen=True)
class Item:
    """An entity of five properties, about 70 bytes of them, under a UUID of version 7."""

    id: str
    name: str
    city: str
    note: str
    count: int
    price: float


@dataclass(frozen=True)
class Workload:
    """How much there is to do."""

    item_count: int
    change_count: int
    copy_change_count: int

    @staticmethod
    def of(is_quick: bool) -> Workload:
        scale = 10 if is_quick else 1
        return Workload(10_000 // scale, 50_000 // scale, 10_000 // scale)

    def items(self) -> Iterator[Item]:
        random = SplitMix64(1)
        for number in range(self.item_count):
            bits = random.next()
            milliseconds = 1_760_000_000_000 + number
            text = f"{milliseconds:012x}7{bits >> 52:03x}8{bits & ((1 << 60) - 1):015x}"
            yield Item(
                id=f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}",
                name=f"item-{number}-{random.next() % 1_000}",
                city=f"city-{1_000 + random.next() % 100}",
                note=" ".join(_WORDS[random.next() % len(_WORDS)] for _ in range(5)),
                count=random.next() % 100_000,
                price=(random.next() % 1_000_000) / 100,
            )

    def commits_of_items(self) -> Iterator[list[Item]]:
        """Step one: every entity, so many a commit."""
        batch: list[Item] = []
        for item in self.items():
            batch.append(item)
            if len(batch) == ITEMS_PER_COMMIT:
                yield batch
                batch = []
        if batch:
            yield batch

    def changes(self) -> Iterator[tuple[int, int]]:
        """Step two: which entity's `count` becomes what, a commit each."""
        return self._changes(2, self.change_count)

    def commits_of_copy(self, seed: int) -> Iterator[list[tuple[int, int]]]:
        """Before step three: what one copy changes, so many a commit."""
        changes = list(self._changes(seed, self.copy_change_count))
        for start in range(0, len(changes), ITEMS_PER_COMMIT):
            yield changes[start : start + ITEMS_PER_COMMIT]

    def _changes(self, seed: int, count: int) -> Iterator[tuple[int, int]]:
        random = SplitMix64(seed)
        for _ in range(count):
            index = random.next() % self.item_count
            yield index, random.next() % 100_000
