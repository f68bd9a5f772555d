#!/usr/bin/env python3
"""Kills the primary of a replicated PostgreSQL again and again, under the load of its hosts.

Three servers replicate synchronously; Patroni and etcd choose the primary. Hosts (`varve serve --home`)
reach it by a URL that names all three. Callers claim names and count (`home_trial`). When all servers
are well, the primary is killed by SIGKILL: every second time with its Patroni, as if its machine had
failed, else alone. It is started again as a standby when another has taken over. Some times more it is
stopped with its Patroni, as if its machine hung, and goes on when another has taken over. At the end:

- what was acknowledged is there once, and an order of all calls explains what each has read;
- the positions of the log have no gaps, and `varve home check` finds nothing;
- the indexes of all hosts are equal.

The time writes stood still is the longest one between two writes around a kill.
"""
import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from clusters import binaries, query, scratch_folder, server_user, signal_server
from endings import end_all_in, exit_on_signals, ignore_signals
from home_trial import Host, Trial, check_claims, check_counts, check_home, init_home
from ports import free_port

SERVERS = 3
HOSTS = 3
PATIENCE = 180
"""The seconds within which another server must have taken over, and all be well again."""
SETTINGS = {
    # A primary whose machine fails is replaced when its lease has ended.
    "ttl": 20,
    "loop_wait": 2,
    "retry_timeout": 5,
    "primary_start_timeout": 0,
    "synchronous_mode": True,
    "synchronous_mode_strict": True,
}


class Server:
    """A PostgreSQL server with its Patroni."""

    def __init__(self, folder: Path, name: str, etcd: int):
        self.folder, self.name = folder, name
        self.port, self.control = free_port(), free_port()
        self.patroni = None
        self.log = open(folder / f"{name}.log", "ab")
        address = f"127.0.0.1:{self.port}"
        control = f"127.0.0.1:{self.control}"
        access = ["local all all trust", "host all all 127.0.0.1/32 trust"]
        configuration = {
            "scope": "varve",
            "name": name,
            "log": {"level": "WARNING"},
            "restapi": {"listen": control, "connect_address": control},
            "etcd3": {"host": f"127.0.0.1:{etcd}"},
            "bootstrap": {"dcs": SETTINGS, "initdb": [{"auth": "trust"}, {"encoding": "UTF8"}]},
            "postgresql": {
                "listen": address,
                "connect_address": address,
                "data_dir": str(folder / name),
                "bin_dir": str(binaries()),
                "pgpass": str(folder / f"{name}.pgpass"),
                "authentication": {
                    user: {"username": "varve"} for user in ("superuser", "replication", "rewind")
                },
                "pg_hba": [*access, "host replication all 127.0.0.1/32 trust"],
                "parameters": {"max_connections": 200, "unix_socket_directories": str(folder)},
                "use_pg_rewind": True,
                "remove_data_directory_on_rewind_failure": True,
                "remove_data_directory_on_diverged_timelines": True,
            },
        }
        # What is JSON is YAML too.
        self.configuration = folder / f"{name}.yml"
        self.configuration.write_text(json.dumps(configuration))

    def start(self) -> None:
        self.patroni = subprocess.Popen(
            ["/usr/bin/patroni", self.configuration],
            cwd=self.folder,
            stdout=self.log,
            stderr=self.log,
            user=server_user(),
            env={**os.environ, "HOME": str(self.folder)},
        )

    def kill(self, withItsMachine: bool) -> None:
        if withItsMachine:
            self.patroni.kill()
            self.patroni.wait()
            self.patroni = None
        self.send(signal.SIGKILL)

    def stop(self) -> None:
        self.patroni.send_signal(signal.SIGSTOP)
        self.send(signal.SIGSTOP)

    def go_on(self) -> None:
        self.send(signal.SIGCONT)
        self.patroni.send_signal(signal.SIGCONT)

    def send(self, kind: signal.Signals) -> None:
        """Sends a signal to the processes of PostgreSQL, if it runs."""
        try:
            number = int((self.folder / self.name / "postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return
        signal_server(number, kind)

    @property
    def hasFailed(self) -> bool:
        """Whether its Patroni has ended by itself."""
        return self.patroni is not None and self.patroni.poll() is not None

    def status(self) -> dict:
        """Returns what its Patroni says of all servers; nothing if it does not reply."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.control}/cluster", timeout=5) as reply:
                return {member["name"]: member for member in json.load(reply)["members"]}
        except (OSError, ValueError, KeyError):
            return {}


class ReplicatedCluster:
    """Three servers, one of which takes writes, and the etcd in which they agree on it."""

    def __init__(self):
        for program in ("/usr/bin/patroni", "/usr/bin/etcd"):
            if not os.path.exists(program):
                raise SystemExit(f"{program} is not installed: Scripts/setup.sh --failover does it")
        self.folder = scratch_folder()
        self.servers: list = []
        port, peers = free_port(), f"http://127.0.0.1:{free_port()}"
        address = f"http://127.0.0.1:{port}"
        self.log = open(self.folder / "etcd.log", "wb")
        self.etcd = None
        try:
            self.start(port, peers, address)
        except BaseException:
            self.end(keepsLogs=True)
            raise

    def start(self, port: int, peers: str, address: str) -> None:
        self.etcd = subprocess.Popen(
            [
                "/usr/bin/etcd", "--data-dir", self.folder / "etcd", "--log-level", "error",
                "--listen-client-urls", address, "--advertise-client-urls", address,
                "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
                "--initial-cluster", f"default={peers}",
            ],
            cwd=self.folder,
            stdout=self.log,
            stderr=self.log,
            user=server_user(),
        )
        for number in range(1, SERVERS + 1):
            self.servers.append(Server(self.folder, f"server{number}", port))
        for server in self.servers:
            server.start()
        self.wait("all servers to be well", self.well)

    @property
    def url(self) -> str:
        places = ",".join(f"127.0.0.1:{server.port}" for server in self.servers)
        # A database of our own might not be at each standby yet, which would end the search of libpq.
        return f"postgres://varve@{places}/postgres?target_session_attrs=read-write"

    def sql(self, text: str) -> list:
        return query(self.url, text)

    def primary(self):
        """Returns the server that takes writes, if there is one."""
        for asked in self.servers:
            for server in self.servers:
                member = asked.status().get(server.name, {})
                if member.get("role") == "leader" and member.get("state") == "running":
                    return server
        return None

    def well(self):
        """Returns the primary if it and all standbys run, and one of them confirms its commits."""
        primary = self.primary()
        if primary is None:
            return None
        members = primary.status()
        roles = {member["role"] for member in members.values()}
        states = {member["state"] for member in members.values()}
        isWell = len(members) == SERVERS and "sync_standby" in roles
        return primary if isWell and states <= {"running", "streaming"} else None

    def wait(self, what: str, find):
        """Returns what a closure finds, once it does."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = find()
            if found:
                return found
            if any(server.hasFailed for server in self.servers):
                raise SystemExit(f"Patroni does not run; its log is in {self.folder}")
            time.sleep(0.2)
        raise SystemExit(f"it takes too long for {what}; the logs are in {self.folder}")

    def end(self, keepsLogs: bool = False) -> None:
        # Those that start others go first.
        for process in [server.patroni for server in self.servers] + [self.etcd]:
            if process is not None:
                process.kill()
                process.wait()
        end_all_in(self.folder)
        for server in self.servers:
            server.log.close()
        self.log.close()
        if not keepsLogs:
            shutil.rmtree(self.folder, ignore_errors=True)


class Killer:
    """Kills the primary a number of times, and stops it some times more."""

    def __init__(self, cluster: ReplicatedCluster, kills: int, stops: int):
        self.cluster = cluster
        kinds = ["killed machine" if number % 2 == 0 else "killed server" for number in range(kills)]
        self.kinds = kinds + ["stopped machine"] * stops
        self.times: list = []

    def __call__(self, trial: Trial) -> None:
        for kind in self.kinds:
            primary = self.cluster.wait("all servers to be well", self.cluster.well)
            # Between kills, every caller should have gone on.
            time.sleep(trial.random.uniform(2, 5))
            self.hit(primary, kind)
            self.times.append(time.monotonic())
            self.cluster.wait(
                "another server to take over",
                lambda: (self.cluster.primary() or primary) is not primary,
            )
            self.wait_for_write(trial)
            self.mend(primary, kind)
            seconds = self.still(trial)[-1][1]
            print(f"  {len(self.times)}, a {kind}: {seconds:.1f} s", file=sys.stderr, flush=True)
        self.cluster.wait("all servers to be well", self.cluster.well)

    @staticmethod
    def hit(server: Server, kind: str) -> None:
        if kind == "stopped machine":
            server.stop()
        else:
            server.kill(withItsMachine=kind == "killed machine")

    @staticmethod
    def mend(server: Server, kind: str) -> None:
        if kind == "stopped machine":
            server.go_on()
        elif kind == "killed machine":
            server.start()

    def wait_for_write(self, trial: Trial) -> None:
        self.cluster.wait(
            "a write to be acknowledged",
            lambda: any(
                call.begin > self.times[-1] and call.outcome == "done" and call.kind != "read"
                for call in trial.calls[-2_000:]
            ),
        )

    def still(self, trial: Trial) -> list:
        """Returns how the primary was hit each time, and for how many seconds writes stood still."""
        acknowledged = sorted(
            call.end for call in list(trial.calls) if call.outcome == "done" and call.kind != "read"
        )
        ends = self.times[1:] + [float("inf")]
        found = []
        for kind, kill, end in zip(self.kinds, self.times, ends):
            # What was on its way may still be acknowledged a moment later.
            moments = [max((moment for moment in acknowledged if moment <= kill), default=kill)]
            moments += [moment for moment in acknowledged if kill < moment <= end]
            gaps = [later - earlier for earlier, later in zip(moments, moments[1:])]
            found.append((kind, max(gaps, default=0)))
        return found


def tell_times(found: list) -> None:
    for kind in sorted({kind for kind, _ in found}):
        times = [seconds for other, seconds in found if other == kind]
        median = statistics.median(times)
        limits = f"{median:.1f} s (median), {max(times):.1f} s at most"
        print(f"  {kind} ({len(times)}): writes stood still for {limits}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("varve", help="the program")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--stops", type=int, default=2)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    exit_on_signals()
    cluster = None
    hosts: list = []
    isDone = False
    try:
        cluster = ReplicatedCluster()
        with tempfile.TemporaryDirectory() as scratch:
            init_home(options.varve, cluster.url)
            for number in range(HOSTS):
                hosts.append(Host(options.varve, cluster.url, Path(scratch) / f"host{number}"))
            trial = Trial(hosts, options.seed)
            trial.prepare()
            killer = Killer(cluster, options.kills, options.stops)
            trial.run(killer)
            findings = check_claims(trial, hosts[0]) + check_counts(trial, hosts[1])
            findings += check_home(options.varve, cluster, hosts)
        isDone = True
    finally:
        ignore_signals()
        for host in hosts:
            host.end()
        if cluster is not None:
            cluster.end(keepsLogs=not isDone)
        if cluster is not None and not isDone:
            print(f"the logs of the servers are in {cluster.folder}", file=sys.stderr)
    print(f"seed {options.seed}: {options.kills} kills of the primary, {options.stops} stops")
    tell_times(killer.still(trial))
    isComplete = trial.tell()
    for finding in findings[:20]:
        print(finding)
    sys.exit(0 if isComplete and not findings else 1)


if __name__ == "__main__":
    main()
