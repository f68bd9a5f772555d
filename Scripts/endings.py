"""How scripts end what they have started, in whatever way they end themselves."""
import os
import signal
import sys
import time
from pathlib import Path


def exit_on_signals() -> None:
    """Makes SIGTERM and SIGHUP leave the script as ^C does: by way of its `finally`."""
    for kind in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(kind, lambda *_: sys.exit("terminated"))


def ignore_signals() -> None:
    """Keeps further signals from cutting short what ends the processes."""
    for kind in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(kind, signal.SIG_IGN)


def end_all_in(folder: Path, patience: float = 10) -> None:
    """Kills the processes that work in a folder of this script, also those whose parents have ended.

    Servers start others: Patroni starts PostgreSQL, `pg_basebackup` and `pg_rewind`, which outlive it.
    """
    end = time.monotonic() + patience
    while (numbers := processes_in(folder)) and time.monotonic() < end:
        for number in numbers:
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.05)


def processes_in(folder: Path) -> list:
    """Returns the numbers of the processes whose working directory is in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            place = Path(os.readlink(process / "cwd").removesuffix(" (deleted)"))
            isEnded = (process / "stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
        except OSError:
            continue
        if not isEnded and (place == folder or folder in place.parents):
            found.append(int(process.name))
    return found
