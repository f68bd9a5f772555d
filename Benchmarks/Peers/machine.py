"""What figures were taken on."""

from __future__ import annotations

import os
import platform
import sqlite3
from datetime import datetime, timezone
from importlib.metadata import version

#: The distribution that names a contestant's version.
DISTRIBUTIONS = {
    "loro": "loro",
    "pycrdt": "pycrdt",
    "zodb": "ZODB",
    "continuum": "SQLAlchemy-Continuum",
    "continuum-full": "SQLAlchemy-Continuum",
}


def description() -> dict:
    return {
        "cores": os.cpu_count(),
        "memoryBytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": platform.platform(),
        "python": platform.python_version(),
        "sqliteOfPython": sqlite3.sqlite_version,
        "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    }


def load() -> float:
    """How many processes wanted a core in the last minute: above the cores there are, figures are
    those of a busy machine."""
    return round(os.getloadavg()[0], 2)


def version_of(name: str) -> str | None:
    return version(DISTRIBUTIONS[name]) if name in DISTRIBUTIONS else None
