"""SQLAlchemy-Continuum: a mapped class on SQLite in WAL mode, each version of a row in a table beside."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import ClassVar

import sqlalchemy as sa
from protocol import Peer
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, configure_mappers, mapped_column
from sqlalchemy_continuum import make_versioned, transaction_class, version_class
from workload import Item

make_versioned(user_cls=None)


class Base(DeclarativeBase):
    pass


class StoredItem(Base):
    __versioned__: ClassVar[dict] = {}
    __tablename__ = "item"

    id: Mapped[str] = mapped_column(sa.String(36), primary_key=True)
    name: Mapped[str]
    city: Mapped[str]
    note: Mapped[str]
    count: Mapped[int]
    price: Mapped[float]


configure_mappers()


class ContinuumPeer(Peer):
    title = "Continuum, NORMAL"
    durability = "end of the process (WAL, synchronous=NORMAL)"
    synchronous: ClassVar[str] = "NORMAL"

    def open(self) -> None:
        self._engine = sa.create_engine(f"sqlite:///{self.folder / 'items.db'}")
        sa.event.listen(self._engine, "connect", self._configure)
        Base.metadata.create_all(self._engine)
        self._session = Session(self._engine)
        self._session.execute(sa.select(StoredItem.id).limit(1)).first()
        self._session.rollback()

    def _configure(self, connection, _record) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {self.synchronous}")
        connection.execute("PRAGMA cache_size = -65536")

    def close(self) -> None:
        self._session.close()
        self._engine.dispose()

    def add(self, items: Iterable[Item]) -> None:
        self._session.add_all(StoredItem(**asdict(item)) for item in items)
        self._session.commit()

    def set_counts(self, changes: Iterable[tuple[str, int]]) -> None:
        for identifier, count in changes:
            self._session.get_one(StoredItem, identifier).count = count
        self._session.commit()

    def count(self, identifier: str) -> int:
        return self._session.get_one(StoredItem, identifier).count

    def mark(self) -> bytes:
        newest = self._session.scalar(sa.select(sa.func.max(transaction_class(StoredItem).id)))
        return str(newest).encode()

    def past(self, mark: bytes) -> Callable[[str], int]:
        version = version_class(StoredItem)
        newest = int(mark)

        def count(identifier: str) -> int:
            return self._session.scalars(
                sa.select(version)
                .where(version.id == identifier, version.transaction_id <= newest)
                .order_by(version.transaction_id.desc())
                .limit(1)
            ).one().count

        return count


class FullContinuumPeer(ContinuumPeer):
    title = "Continuum, FULL"
    durability = "loss of power (WAL, synchronous=FULL)"
    synchronous = "FULL"
