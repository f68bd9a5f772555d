#!/usr/bin/env python3
"""Kills a server and its clients at random, and checks that nothing acknowledged is lost.

A server serves one space. Clients write to stores of their own and synchronise them with the space,
and programs run operations on the space itself. From time to time one of them, or the server, is
killed by SIGKILL. A write counts as acknowledged once its result was printed, or its reply arrived.

At the end everything runs undisturbed until no client has anything to send or to receive. Then every
store and the space must have every acknowledged entity, the same frontier, and a clean check.
"""
import argparse
import http.client
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from ports import free_port

CLIENTS = 3


class Server:
    """`varve serve`, which is killed and started again."""

    def __init__(self, varve: str, folder: Path):
        self.varve, self.folder = varve, folder
        self.lock = threading.Lock()
        self.port = free_port()
        self.process = None
        self.start()

    def start(self) -> None:
        command = [self.varve, "serve", str(self.folder), "--open", "--port", str(self.port)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        line = self.process.stdout.readline()
        if "listening on" not in line:
            raise SystemExit(f"the server did not start: {line}")
        self.port = int(line.strip().rsplit(":", 1)[1])

    def kill(self) -> None:
        with self.lock:
            self.process.kill()
            self.process.wait()
            self.start()

    @property
    def space(self) -> str:
        return f"http://127.0.0.1:{self.port}/hats"

    def operation(self, operation: dict) -> dict:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/v1/spaces/hats/operations",
            data=json.dumps(operation).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.load(reply)


class Writers:
    """Clients that write and synchronise, and programs that run operations on the space."""

    def __init__(self, varve: str, server: Server, stores: list, seed: int):
        self.varve, self.server, self.stores = varve, server, stores
        self.acknowledged: set = set()
        self.random = random.Random(seed)
        self.lock = threading.Lock()
        self.running: dict = {}
        self.isOver = threading.Event()
        self.kills = 0

    def run(self, number: int, *words: str, text: str = "") -> subprocess.CompletedProcess:
        """Runs a command that may be killed meanwhile."""
        process = subprocess.Popen(
            [self.varve, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        with self.lock:
            self.running[number] = process
        output, _ = process.communicate(text)
        return subprocess.CompletedProcess(words, process.returncode, output)

    def client(self, number: int) -> None:
        """Writes and synchronises until the end."""
        count = 0
        while not self.isOver.is_set():
            ids = [f"c{number}-{count}-{part}" for part in range(4)]
            count += 1
            lines = [json.dumps({"op": "create", "type": "Hat", "id": id}) for id in ids]
            store = str(self.stores[number])
            done = self.run(number, "batch", store, text="\n".join(lines) + "\n")
            for id, line in zip(ids, done.stdout.split("\n")):
                # A line that was cut is none.
                if line.startswith('{"ok":true') and line.endswith("}"):
                    self.acknowledged.add(id)
            self.run(number, "sync", store, self.server.space)

    def program(self) -> None:
        """Runs operations on the space itself until the end."""
        count = 0
        while not self.isOver.is_set():
            id = f"p-{count}"
            count += 1
            try:
                if self.server.operation({"op": "create", "type": "Hat", "id": id})["ok"]:
                    self.acknowledged.add(id)
            except (OSError, ValueError, http.client.HTTPException):
                time.sleep(0.05)

    def killing(self) -> None:
        """Kills at random until the end."""
        while not self.isOver.wait(self.random.uniform(0.05, 0.8)):
            self.kills += 1
            if self.random.random() < 0.4:
                self.server.kill()
                continue
            with self.lock:
                victims = [process for process in self.running.values() if process.poll() is None]
            if victims:
                self.random.choice(victims).kill()


def settle(varve: str, server: Server, stores: list) -> None:
    """Synchronises until nothing moves."""
    for _ in range(10):
        moved = 0
        for store in stores:
            command = [varve, "sync", str(store), server.space, "--json"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(f"a store does not synchronise: {done.stdout}{done.stderr}")
            report = json.loads(done.stdout)
            report = report.get("result", report)
            moved += report["received"] + report["sent"]
        if moved == 0:
            return
    raise SystemExit("the stores never become equal")


def ask(varve: str, store: Path, operation: dict):
    done = subprocess.run(
        [varve, "batch", str(store)], input=json.dumps(operation), capture_output=True, text=True
    )
    return json.loads(done.stdout)["result"]


def verify(varve: str, server: Server, stores: list, acknowledged: set) -> list:
    findings = []
    frontier = json.dumps(server.operation({"op": "frontier"})["result"], sort_keys=True)
    for store in stores:
        lost = acknowledged - set(ask(varve, store, {"op": "query", "type": "Hat", "run": "ids"}))
        if lost:
            findings.append(f"{store.name} lost {len(lost)} acknowledged: {sorted(lost)[:5]}")
        if json.dumps(ask(varve, store, {"op": "frontier"}), sort_keys=True) != frontier:
            findings.append(f"{store.name} has another frontier than the space")
    for store in [*stores, server.folder / "hats.varve"]:
        done = subprocess.run([varve, "check", str(store)], capture_output=True, text=True)
        if done.returncode != 0:
            findings.append(f"{store.name} is not clean: {done.stdout}")
    return findings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("varve", help="the program")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "stores"
        folder.mkdir()
        stores = [Path(scratch) / f"client{number}.varve" for number in range(CLIENTS)]
        for store in [*stores, folder / "hats.varve"]:
            subprocess.run([options.varve, "init", str(store)], check=True, capture_output=True)
        server = Server(options.varve, folder)
        writers = Writers(options.varve, server, stores, options.seed)
        threads = [threading.Thread(target=writers.client, args=(n,)) for n in range(CLIENTS)]
        threads += [threading.Thread(target=target) for target in (writers.program, writers.killing)]
        for thread in threads:
            thread.start()
        time.sleep(options.seconds)
        writers.isOver.set()
        for thread in threads:
            thread.join()
        try:
            settle(options.varve, server, stores)
            findings = verify(options.varve, server, stores, writers.acknowledged)
        finally:
            server.process.kill()
            server.process.wait()
    print(f"seed {options.seed}: {writers.kills} kills, {len(writers.acknowledged)} acknowledged")
    for finding in findings:
        print(finding)
    sys.exit(1 if findings or not writers.acknowledged else 0)


if __name__ == "__main__":
    main()
