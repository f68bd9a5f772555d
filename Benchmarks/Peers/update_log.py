"""A file of updates one after another, flushed to the disk with each: what people keep CRDTs in."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path

_LENGTH = struct.Struct("<I")


class UpdateLog:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("ab", buffering=0)

    def append(self, update: bytes) -> None:
        self._file.write(_LENGTH.pack(len(update)) + update)
        os.fsync(self._file.fileno())

    def updates(self) -> Iterator[bytes]:
        data = self._path.read_bytes()
        place = 0
        while place < len(data):
            (length,) = _LENGTH.unpack_from(data, place)
            place += _LENGTH.size
            yield data[place : place + length]
            place += length

    def close(self) -> None:
        self._file.close()
