"""PostgreSQL servers of trials: in temporary folders, as a user that is not root, ended by the script."""
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from endings import end_all_in


def binaries() -> Path:
    """Returns the folder of PostgreSQL's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: -int(path.parent.name))
    if not found:
        raise SystemExit("PostgreSQL is not installed: make setup-tests does it")
    return found[0]


def server_user():
    """Returns the user of servers, because PostgreSQL refuses to run as root; None for this one."""
    return "postgres" if os.getuid() == 0 else None


def scratch_folder() -> Path:
    """Returns a new folder that servers can use. The path of a socket has at most about 100 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="varve-hosts-", dir="/tmp"))
    if server_user():
        entry = pwd.getpwnam(server_user())
        os.chown(folder, entry.pw_uid, entry.pw_gid)
    return folder


def run(folder: Path, program, *words, check: bool = True) -> subprocess.CompletedProcess:
    """Runs a program in a folder of servers, as their user."""
    command = [str(program), *map(str, words)]
    return subprocess.run(
        command, check=check, capture_output=True, text=True, cwd=folder, user=server_user()
    )


def query(address: str, text: str) -> list:
    """Returns the rows of a statement, as lists of texts."""
    command = [binaries() / "psql", "-X", "-v", "ON_ERROR_STOP=1", "-At", "-c", text, address]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [line.split("|") for line in done.stdout.splitlines()]


def signal_server(postmaster: int, kind: signal.Signals) -> None:
    """Sends a signal to all processes of a server, as the failure of its machine hits them all."""
    numbers = [postmaster]
    for process in Path("/proc").glob("[0-9]*"):
        try:
            # The name stands in parentheses, and may have spaces.
            parent = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if parent == postmaster:
            numbers.append(int(process.name))
    for number in numbers:
        try:
            os.kill(number, kind)
        except ProcessLookupError:
            pass


class Cluster:
    """A PostgreSQL server in a temporary folder, reached by a Unix socket."""

    def __init__(self, settings=(), source=None):
        """Starts a server: a new one, or a standby of another."""
        self.folder = scratch_folder()
        self.data = self.folder / "data"
        self.options = ["max_connections=300", "listen_addresses=", *settings]
        self.log = open(self.folder / "log", "ab")
        self.process = None
        try:
            if source is not None:
                return self.follow(source)
            self.run("initdb", "-D", self.data, "-U", "varve", "-A", "trust", "-E", "UTF8", "-N")
            self.start()
            self.run("createdb", "-h", self.folder, "-U", "varve", "varve")
        except BaseException:
            self.end()
            raise

    def follow(self, source) -> None:
        """Starts as a standby of another server, with a copy of its data in place of what was here."""
        shutil.rmtree(self.data, ignore_errors=True)
        words = ["-h", source.folder, "-U", "varve", "-D", self.data]
        self.run("pg_basebackup", *words, "-R", "-N", "-c", "fast", "-X", "stream")
        self.start()

    def start(self) -> None:
        command = [binaries() / "postgres", "-D", self.data, "-k", self.folder]
        for option in self.options:
            command += ["-c", option]
        self.process = subprocess.Popen(
            command, cwd=self.folder, stdout=self.log, stderr=self.log, user=server_user()
        )
        ready = [binaries() / "pg_isready", "-q", "-h", self.folder, "-U", "varve", "-d", "postgres"]
        while subprocess.run(ready).returncode != 0:
            if self.process.poll() is not None:
                raise SystemExit(f"PostgreSQL does not start: {(self.folder / 'log').read_text()}")
            time.sleep(0.05)

    @property
    def url(self) -> str:
        return self.url_with()

    def url_with(self, *others, **options) -> str:
        """Returns the URL of this server, or of others beside it."""
        folders = ",".join(str(cluster.folder) for cluster in (self, *others))
        words = [f"host={folders.replace('/', '%2F')}"]
        words += [f"{name}={value}" for name, value in options.items()]
        return f"postgres://varve@/varve?{'&'.join(words)}"

    def run(self, program: str, *words) -> None:
        run(self.folder, binaries() / program, *words)

    def sql(self, text: str) -> list:
        return query(self.url, text)

    def kill(self) -> None:
        signal_server(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
        end_all_in(self.folder)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
