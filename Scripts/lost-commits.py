#!/usr/bin/env python3
"""Promotes a standby that lacks the last commits, under hosts and clients.

Two servers replicate asynchronously. Hosts (`varve serve --home`) reach the one that takes writes by a
URL that names both. Programs write at the hosts; clients write to stores of their own, and synchronise
them. In each round the standby stops to receive what is committed, the primary is killed, and the
standby is promoted. So commits are lost that were acknowledged, and others take their positions:

- In even rounds hosts have them. One host was stopped meanwhile, and writes first.
- In odd rounds all hosts are killed and their indexes removed. Only clients have the lost commits.

In the end every host and every client has everything that was acknowledged, by a host that was not
killed or by a client's own store; the hosts name the same position; and every check finds nothing.
"""
import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from clusters import Cluster
from endings import exit_on_signals, ignore_signals
from home_trial import FAILURES, PAUSE, SPACE, Host, init_home

HOSTS = 3
CLIENTS = 2
LOG_WAIT = 120
"""The seconds for which a write is repeated while another host holds the log."""


class Program(threading.Thread):
    """Writes at the hosts until it is ended."""

    def __init__(self, hosts: list, name: str, seed: int):
        super().__init__()
        self.hosts, self.name_ = hosts, name
        self.random = random.Random(seed)
        self.isOver = threading.Event()
        self.acknowledged: set = set()

    def run(self) -> None:
        count = 0
        while not self.isOver.is_set():
            id = f"{self.name_}-{count}"
            count += 1
            host = self.random.choice([host for host in self.hosts if not host.isStopped])
            try:
                status, _, _ = host.operation({"op": "create", "type": "Hat", "id": id})
            except FAILURES:
                status = 0
            if status == 200:
                self.acknowledged.add(id)
            else:
                time.sleep(PAUSE)

    def end(self) -> set:
        """Ends it, and returns what was acknowledged."""
        self.isOver.set()
        self.join()
        return self.acknowledged


class Client:
    """A store that synchronises with the space by one host or another."""

    def __init__(self, varve: str, file: Path):
        self.varve, self.file = varve, file
        self.count = 0
        self.acknowledged: set = set()
        subprocess.run([varve, "init", str(file)], check=True, capture_output=True)

    def write(self) -> None:
        id = f"{self.file.stem}-{self.count}"
        self.count += 1
        self.ask({"op": "create", "type": "Hat", "id": id})
        self.acknowledged.add(id)

    def ask(self, operation: dict):
        done = subprocess.run(
            [self.varve, "batch", str(self.file)],
            input=json.dumps(operation), capture_output=True, text=True, check=True,
        )
        return json.loads(done.stdout)["result"]

    def sync(self, host: Host) -> int:
        """Returns how many commits moved."""
        url = f"http://127.0.0.1:{host.port}/trial"
        words = [self.varve, "sync", str(self.file), url, "--json"]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"a client does not synchronise: {done.stdout}{done.stderr}")
        report = json.loads(done.stdout)
        report = report.get("result", report)
        return report["received"] + report["sent"]

    def hats(self) -> set:
        return set(self.ask({"op": "query", "type": "Hat", "run": "ids"}))


class Trial:
    def __init__(self, varve: str, scratch: Path, seed: int):
        self.varve, self.random = varve, random.Random(seed)
        self.findings: list = []
        self.acknowledged: set = set()
        self.lost: list = []
        self.hosts: list = []
        self.watch = None
        self.clusters: list = []
        try:
            self.begin(scratch)
        except BaseException:
            self.end()
            raise

    def begin(self, scratch: Path) -> None:
        varve = self.varve
        self.primary = Cluster()
        self.clusters.append(self.primary)
        self.standby = Cluster(source=self.primary)
        self.clusters.append(self.standby)
        url = self.primary.url_with(self.standby, target_session_attrs="read-write")
        init_home(varve, url)
        for number in range(HOSTS):
            self.hosts.append(Host(varve, url, scratch / f"host{number}"))
        self.hosts[0].request("PUT", SPACE)
        self.clients = [Client(varve, scratch / f"client{number}.varve") for number in range(CLIENTS)]
        # It only receives, for as long as its host lives.
        self.watched = Client(varve, scratch / "watched.varve")

    def end(self) -> None:
        if self.watch:
            self.watch.kill()
            self.watch.wait()
        for host in self.hosts:
            host.end()
        for cluster in self.clusters:
            cluster.end()

    def follow(self) -> None:
        """Has a store follow the first host."""
        if self.watch:
            self.watch.kill()
            self.watch.wait()
        url = f"http://127.0.0.1:{self.hosts[0].port}/trial"
        self.watched.sync(self.hosts[0])
        self.watch = subprocess.Popen(
            [self.varve, "sync", str(self.watched.file), url, "--watch"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )

    def position(self, host: Host) -> str:
        """The position of a host once it has what all have."""
        status, headers, document = host.request("GET", SPACE, headers={"Varve-Position": "latest"})
        if status != 200:
            raise SystemExit(f"a host replies {status}: {document}")
        return headers["ETag"].strip('"')

    def programs(self, round: int, part: str) -> list:
        programs = [
            Program(self.hosts, f"{part}{number}-{round}", self.random.randrange(1 << 32))
            for number in range(2)
        ]
        for program in programs:
            program.start()
        return programs

    def play(self, round: int) -> None:
        hostsLive = round % 2 == 0
        if round > 0:
            self.standby.follow(self.primary)
        self.follow()
        for client in self.clients:
            client.write()
            client.sync(self.random.choice(self.hosts))
        programs = self.programs(round, "a")
        time.sleep(0.5)
        if not hostsLive:
            # What only hosts have that are killed would be lost for good.
            self.acknowledged |= set().union(*(program.end() for program in programs))
            self.wait_for_standby()
        self.detach()
        before = {self.position(host) for host in self.hosts}
        if hostsLive:
            self.hosts[-1].stop()
        time.sleep(self.random.uniform(0.3, 0.8))
        # Of these, one client has all, and the other only its own.
        self.create(self.hosts[0], f"fetched-{round}")
        for client in reversed(self.clients):
            client.write()
            client.sync(self.hosts[0])
        head = self.head(self.primary)
        if not hostsLive:
            for host in self.hosts:
                host.end()
        self.primary.kill()
        self.lost.append(head - self.head(self.standby))
        self.standby.sql("SELECT pg_promote()")
        (self.primary, self.standby) = (self.standby, self.primary)
        if hostsLive:
            for program in programs:
                program.isOver.set()
            self.hosts[-1].go_on()
        else:
            for host in self.hosts:
                host.restart(losesIndexes=True)
        # The host that lacks what was lost writes at its positions.
        self.create(self.hosts[-1], f"over-{round}")
        # One of them may have waited for the host that was stopped.
        self.acknowledged |= set().union(*(program.end() for program in programs))
        programs = self.programs(round, "b")
        for client in self.clients:
            client.write()
            client.sync(self.random.choice(self.hosts))
        time.sleep(0.5)
        self.acknowledged |= set().union(*(program.end() for program in programs))
        after = {self.position(host) for host in self.hosts}
        incarnations = [{text.split(".")[1] for text in texts} for texts in (before, after)]
        if hostsLive and incarnations[0] & incarnations[1]:
            self.findings.append("the home has the same incarnation as before it went back")
        self.settle()
        self.compare(round)

    def create(self, host: Host, id: str) -> None:
        """Creates an entity, and repeats that while the log is held.

        A host that is stopped during a commit holds the log until PostgreSQL ends its transaction.
        """
        deadline = time.monotonic() + LOG_WAIT
        while True:
            status, _, document = host.operation({"op": "create", "type": "Hat", "id": id})
            if document.get("code") != "busy" or time.monotonic() > deadline:
                break
            time.sleep(PAUSE)
        if status == 200:
            self.acknowledged.add(id)
        else:
            self.findings.append(f"the write of {id} ends with {status}: {document}")

    def wait_for_standby(self) -> None:
        while self.head(self.standby) != self.head(self.primary):
            time.sleep(0.05)

    def detach(self) -> None:
        """Has the standby receive nothing more."""
        self.standby.sql("ALTER SYSTEM SET primary_conninfo = ''")
        self.standby.sql("SELECT pg_reload_conf()")
        while self.standby.sql("SELECT count(*) FROM pg_stat_wal_receiver") != [["0"]]:
            time.sleep(0.05)

    @staticmethod
    def head(cluster: Cluster) -> int:
        return int(cluster.sql("SELECT head FROM varve.spaces")[0][0])

    def settle(self) -> None:
        """Synchronises until nothing moves."""
        for _ in range(10):
            hosts = self.random.sample(self.hosts, len(self.clients))
            if sum(client.sync(host) for client, host in zip(self.clients, hosts)) == 0:
                break
        else:
            self.findings.append("the clients and the hosts never become equal")
        self.watch.send_signal(signal.SIGTERM)
        self.watch.wait()
        self.watch = None
        self.watched.sync(self.hosts[-1])

    def compare(self, round: int) -> None:
        for client in self.clients:
            self.acknowledged |= client.acknowledged
        positions = {self.position(host) for host in self.hosts}
        if len(positions) != 1:
            self.findings.append(f"round {round}: the hosts name the positions {positions}")
        frontiers = set()
        for host in self.hosts:
            _, _, document = host.operation({"op": "query", "type": "Hat", "run": "ids"})
            self.require(set(document["result"]), f"round {round}: a host")
            frontiers.add(json.dumps(host.operation({"op": "frontier"})[2]["result"], sort_keys=True))
        for client in (*self.clients, self.watched):
            self.require(client.hats(), f"round {round}: {client.file.name}")
            frontiers.add(json.dumps(client.ask({"op": "frontier"}), sort_keys=True))
        if len(frontiers) != 1:
            self.findings.append(f"round {round}: there are {len(frontiers)} frontiers")

    def require(self, hats: set, who: str) -> None:
        lost = self.acknowledged - hats
        if lost:
            self.findings.append(f"{who} lacks {len(lost)} acknowledged: {sorted(lost)[:5]}")

    def check(self) -> None:
        """Ends the hosts, and checks everything that is stored."""
        done = subprocess.run([self.varve, "home", "check", self.primary.url], capture_output=True, text=True)
        if done.returncode != 0:
            self.findings.append(f"the home is not clean: {done.stdout}{done.stderr}")
        files = [client.file for client in (*self.clients, self.watched)]
        for host in self.hosts:
            host.process.terminate()
            host.process.wait()
            files += host.cache.glob("*.varve")
        for file in files:
            done = subprocess.run([self.varve, "check", str(file)], capture_output=True, text=True)
            if done.returncode != 0:
                self.findings.append(f"{file.name} is not clean: {done.stdout}{done.stderr}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("varve", help="the program")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    exit_on_signals()
    with tempfile.TemporaryDirectory() as scratch:
        trial = Trial(options.varve, Path(scratch), options.seed)
        try:
            for round in range(options.rounds):
                trial.play(round)
            trial.check()
        finally:
            ignore_signals()
            trial.end()
    print(f"seed {options.seed}: {options.rounds} promotions")
    print(f"  commits that each lacked, at least: {' '.join(map(str, trial.lost))}")
    print(f"  acknowledged: {len(trial.acknowledged)}")
    for finding in trial.findings[:20]:
        print(finding)
    isEmpty = min(trial.lost) <= 0
    if isEmpty:
        print("a promotion lost nothing")
    sys.exit(1 if trial.findings or isEmpty else 0)


if __name__ == "__main__":
    main()
