#!/usr/bin/env python3
"""Measures a server and its clients on this computer, and prints a row for each kind of work.

The server runs in a temporary folder on loopback; its clients share the processors with it. Requests
of many writers are sent by wrk. Rates of synchronisation stand beside those of the same work
without a server. Build the program in release.
"""
import argparse
import json
import os
import resource
import selectors
import shutil
import socket
import statistics
import struct
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from ports import free_port

WRITERS = 64
SUBSCRIBERS = 1_000
TOKENS = 50
SCRIPT = """
wrk.method = "POST"
wrk.body = '%s'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer %s"
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("%%f %%d %%f %%f\\n", summary.requests / summary.duration * 1e6,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
"""


class Server:
    """`varve serve` in a folder of its own, with a token that may do everything."""

    def __init__(self, varve: str, folder: Path, *options: str):
        self.varve, self.folder = varve, folder
        folder.mkdir(exist_ok=True)
        self.token = self.create_token("all", "admin", "--operator")
        self.port = free_port()
        command = [varve, "serve", *options, "--port", str(self.port), "--log-level", "error"]
        self.process = subprocess.Popen(
            [*command, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        if "listening on" not in (line := self.process.stdout.readline()):
            raise SystemExit(f"the server did not start: {line}")
        self.address = f"http://127.0.0.1:{self.port}"

    def create_token(self, name: str, role: str, *options: str) -> str:
        command = [self.varve, "token", "create", name, "--in", str(self.folder)]
        command += ["--grant", f"*={role}", *options]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def call(self, method: str, path: str, body: object = None) -> dict:
        request = urllib.request.Request(
            f"{self.address}/v1/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"},
        )
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()

    @property
    def megabytes(self) -> float:
        """The memory that the server holds, in megabytes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            line = next(line for line in status if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1_024


class Streams:
    """Open streams of announcements, which one thread reads.

    The system notes when each announcement arrived at its socket, whenever it is read.
    """

    # Linux: the time of arrival comes with what is received. Python has no name for it.
    ARRIVAL_TIME = 35

    def __init__(self, server: Server, tokens: list):
        self.server, self.tokens = server, tokens
        self.selector = selectors.DefaultSelector()
        self.count = 0

    def open(self, space: str) -> None:
        """Opens a stream, and reads the position with which it begins."""
        stream = socket.create_connection(("127.0.0.1", self.server.port))
        stream.setsockopt(socket.SOL_SOCKET, self.ARRIVAL_TIME, 1)
        token = self.tokens[self.count % len(self.tokens)]
        stream.sendall(
            f"GET /v1/spaces/{space}/live HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n"
            f"Authorization: Bearer {token}\r\n\r\n".encode()
        )
        text = b""
        while b"event: head" not in text:
            part = stream.recv(65_536)
            if not part or b" 200 " not in (text := text + part).split(b"\r\n")[0]:
                raise SystemExit(f"a stream was refused: {text.decode(errors='replace')}")
        stream.setblocking(False)
        self.selector.register(stream, selectors.EVENT_READ)
        self.count += 1

    def delays(self, begin: float) -> list:
        """Returns the seconds after which an announcement was at each socket, and was read."""
        heard = {}
        while len(heard) < self.count and time.time() < begin + 10:
            for key, _ in self.selector.select(timeout=1):
                text, [(_, _, arrival)], _, _ = key.fileobj.recvmsg(65_536, socket.CMSG_SPACE(16))
                if b"event: head" in text:
                    seconds, nanoseconds = struct.unpack("qq", arrival)
                    arrived = seconds + nanoseconds / 1e9 - begin
                    heard.setdefault(key.fd, (arrived, time.time() - begin))
        if len(heard) < self.count:
            raise SystemExit(f"{self.count - len(heard)} streams had no announcement")
        return list(heard.values())

    def close(self) -> None:
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()


def row(work: str, figure: str, remark: str = "") -> None:
    print(f"| {work} | {figure} | {remark} |", flush=True)


def run(*command: str, text: str = None) -> float:
    """Runs a command to its end, and returns the seconds."""
    begin = time.monotonic()
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return time.monotonic() - begin


def measure_operations(server: Server, scratch: Path, seconds: int) -> None:
    """Creations, one a request, each acknowledged once it is on the disk."""
    if shutil.which("wrk") is None:
        row("creations, one a request", "not measured", "wrk is not installed")
        return
    server.call("PUT", "spaces/operations")
    script = scratch / "create.lua"
    body = json.dumps({"op": "create", "type": "Hat", "set": {"size": 57}})
    script.write_text(SCRIPT % (body, server.token))
    for writers in (1, WRITERS):
        command = ["wrk", "--threads", "1", "--connections", str(writers)]
        command += ["--duration", str(seconds), "--latency", "--script", str(script)]
        command.append(f"{server.address}/v1/spaces/operations/operations")
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        rate, errors, median, late = output.strip().split("\n")[-1].split()
        row(
            f"creations, one a request, {writers} writers",
            f"{float(rate):,.0f} a second",
            f"median {float(median):.1f} ms, 99 % {float(late):.1f} ms, {errors} failed",
        )


def measure_push(server: Server, scratch: Path, count: int) -> None:
    """Commits of one cell, which a store sends in parts."""
    store = scratch / "cells.varve"
    run(server.varve, "init", str(store))
    lines = [json.dumps({"op": "create", "type": "Hat", "id": "hat"})]
    lines += [json.dumps({"op": "set", "id": "hat", "set": {"size": n}}) for n in range(count)]
    run(server.varve, "batch", "--strict", str(store), text="\n".join(lines) + "\n")
    alone = run(server.varve, "merge", str(store), str(copy_of(server, scratch, "pushed")))
    server.call("PUT", "spaces/pushed")
    pushed = sync(server, store, "pushed")
    row(
        f"{count:,} commits of one cell, uploaded",
        f"{count / pushed:,.0f} a second",
        f"{alone / pushed:.2f} × merge of two files",
    )


def measure_first_sync(server: Server, scratch: Path, entities: int) -> None:
    """The first synchronisation of a store, of ten cells an entity."""
    store = scratch / "million.varve"
    run(server.varve, "init", str(store))
    lines = []
    for first in range(0, entities, 1_000):
        creations = [
            {"op": "create", "type": "Hat", "id": f"hat-{n}", "set": {f"p{k}": n + k for k in range(10)}}
            for n in range(first, first + 1_000)
        ]
        lines.append(json.dumps({"op": "transaction", "operations": creations}))
    run(server.varve, "batch", "--strict", str(store), text="\n".join(lines) + "\n")
    cells = entities * 10
    merged = run(server.varve, "merge", str(store), str(copy_of(server, scratch, "merged")))
    server.call("PUT", "spaces/million")
    uploaded = sync(server, store, "million")
    fetched = sync(server, copy_of(server, scratch, "fetched"), "million")
    for name, seconds in (("uploaded", uploaded), ("fetched", fetched)):
        row(
            f"first synchronisation, {cells:,} cells, {name}",
            f"{cells / seconds:,.0f} cells a second",
            f"{merged / seconds:.2f} × merge of two files",
        )


def copy_of(server: Server, scratch: Path, name: str) -> Path:
    store = scratch / f"{name}.varve"
    run(server.varve, "init", str(store))
    return store


def sync(server: Server, store: Path, space: str) -> float:
    token = server.folder.parent / "token.txt"
    token.write_text(server.token)
    command = [server.varve, "sync", str(store), f"{server.address}/{space}"]
    return run(*command, "--token-file", str(token), "--create")


def measure_announcements(server: Server, tokens: list, rounds: int) -> None:
    """From the request of a write until each of many streams has the new position.

    One client reads all streams and takes a processor for it, so there are two rows: until the
    announcement is at its socket, and until it has read it.
    """
    server.call("PUT", "spaces/announced")
    streams = Streams(server, tokens)
    for _ in range(SUBSCRIBERS):
        streams.open("announced")
    delays = []
    for number in range(rounds):
        time.sleep(0.3)
        begin = time.time()
        body = {"op": "create", "type": "Hat", "set": {"n": number}}
        server.call("POST", "spaces/announced/operations", body)
        delays += streams.delays(begin)
    streams.close()
    for end, times in zip(("it has arrived", "the client has read it"), zip(*delays)):
        row(
            f"announcement to {SUBSCRIBERS:,} streams, from the request of the write until {end}",
            f"median {statistics.median(times) * 1e3:.1f} ms",
            f"99 % {statistics.quantiles(times, n=100)[98] * 1e3:.1f} ms",
        )


def measure_idle(server: Server, tokens: list, spaces: int, streams: int) -> None:
    """Memory with many spaces and idle streams."""
    before = server.megabytes
    for number in range(spaces):
        server.call("PUT", f"spaces/idle-{number}")
    created = server.megabytes
    opened = Streams(server, tokens)
    for number in range(streams):
        opened.open(f"idle-{number % 200}")
    row(
        f"{spaces:,} spaces, {streams:,} idle streams of 200 of them",
        f"{server.megabytes:,.0f} MB",
        f"{before:,.0f} MB at first, {created:,.0f} MB without the streams",
    )
    opened.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("varve", help="the program, built in release")
    parser.add_argument("--seconds", type=int, default=10, help="the length of a run of writers")
    parser.add_argument("--commits", type=int, default=100_000, help="commits of one cell")
    parser.add_argument("--entities", type=int, default=100_000, help="entities of ten cells")
    parser.add_argument("--spaces", type=int, default=10_000)
    parser.add_argument("--streams", type=int, default=5_000)
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the beginning\n")
    print("| work | figure | |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        server = Server(options.varve, scratch / "stores")
        try:
            measure_operations(server, scratch, options.seconds)
            measure_push(server, scratch, options.commits)
            measure_first_sync(server, scratch, options.entities)
            tokens = [server.create_token(f"reader-{n}", "reader") for n in range(TOKENS)]
            measure_announcements(server, tokens, rounds=20)
            measure_idle(server, tokens, options.spaces, options.streams)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
