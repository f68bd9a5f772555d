#!/usr/bin/env python3
"""Measures a home in PostgreSQL beside pgbench and COPY on the same server, and prints a row for each.

The server runs in a temporary folder with its usual durability, reached by a Unix socket; everything
shares the processors of this computer. Build varve and varve-home-load in release.
"""
import argparse
import json
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

from clusters import Cluster, binaries
from home_trial import init_home

ENTITIES = 200_000
BYTES = 180
"""The size of a commit of one entity in the home, without indexes."""

PLAIN = "INSERT INTO plain (payload) VALUES (decode(repeat('ab', {bytes}), 'hex'));\n"
LOCKED = """\\set space :client_id
BEGIN;
SELECT position FROM lock_spaces WHERE space = :space FOR UPDATE \\gset
INSERT INTO lock_rows VALUES (:space, :position + 1, decode(repeat('ab', {bytes}), 'hex'));
UPDATE lock_spaces SET position = :position + 1 WHERE space = :space;
COMMIT;
"""
SELECT = "\\set id random(1, {count})\nSELECT * FROM found WHERE id = 'hat-' || :id;\n"


class Bench:
    """Programs that work on one server of PostgreSQL."""

    def __init__(self, cluster: Cluster, loader: str, scratch: Path, seconds: int):
        self.cluster, self.loader, self.scratch, self.seconds = cluster, loader, scratch, seconds

    def pgbench(self, script: str, clients: int) -> float:
        """Returns the transactions a second."""
        file = self.scratch / "script.sql"
        file.write_text(script)
        command = [binaries() / "pgbench", "-h", self.cluster.folder, "-U", "varve", "-n"]
        command += ["-M", "prepared", "-c", clients, "-j", 2, "-T", self.seconds, "-f", file, "varve"]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
        return float(re.search(r"tps = ([0-9.]+)", done.stdout)[1])

    def load(self, work: str, *numbers: int) -> dict:
        command = [self.loader, work, self.cluster.url, str(self.scratch), *map(str, numbers)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{work}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout)


def row(work: str, figure: str, anchor: str, ratio: str, bar: str) -> None:
    print(f"| {work} | {figure} | {anchor} | {ratio} | {bar} |", flush=True)


def rates(work: str, rate: float, anchor: float, what: str, bar: str) -> None:
    row(work, f"{rate:,.0f} a second", f"{anchor:,.0f}: {what}", f"{rate / anchor:.2f} ×", bar)


def measure_commits(bench: Bench) -> None:
    bench.cluster.sql("CREATE TABLE plain (number bigserial PRIMARY KEY, payload bytea)")
    plain = bench.pgbench(PLAIN.format(bytes=BYTES), 64)
    rate = bench.load("commits", 64, 1, bench.seconds)["rate"]
    rates("commits of one entity, 64 writers, one space", rate, plain, "pgbench, plain table", "0.5 ×")
    bench.cluster.sql("CREATE TABLE lock_spaces (space int PRIMARY KEY, position bigint)")
    bench.cluster.sql("INSERT INTO lock_spaces SELECT n, 0 FROM generate_series(0, 63) n")
    bench.cluster.sql(
        "CREATE TABLE lock_rows (space int, position bigint, payload bytea, PRIMARY KEY (space, position))"
    )
    locked = bench.pgbench(LOCKED.format(bytes=BYTES), 64)
    rate = bench.load("commits", 64, 64, bench.seconds)["rate"]
    rates("the same, on 64 spaces", rate, locked, "pgbench, the same locked commit", "0.5 ×")


def measure_bulk(bench: Bench) -> None:
    columns = ", ".join(f"p{n} bigint" for n in range(8))
    bench.cluster.sql(f"CREATE TABLE found (id text PRIMARY KEY, name text, {columns})")
    lines = [
        "\t".join([f"hat-{n}", f"hat {n}", *(str(n + k) for k in range(8))]) for n in range(ENTITIES)
    ]
    file = bench.scratch / "rows.tsv"
    file.write_text("\n".join(lines) + "\n")
    command = [binaries() / "psql", "-q", "-X", "-c", f"\\copy found FROM '{file}'", bench.cluster.url]
    begin = time.monotonic()
    subprocess.run(list(map(str, command)), check=True)
    copied = ENTITIES / (time.monotonic() - begin)
    rate = bench.load("bulk", ENTITIES)["rate"]
    rates(f"{ENTITIES:,} entities in one commit", rate, copied, "COPY, plain table with its key", "0.7 ×")


def measure_finds(bench: Bench) -> None:
    selected = bench.pgbench(SELECT.format(count=ENTITIES - 1), 1)
    rate = bench.load("find", ENTITIES, bench.seconds)["rate"]
    rates("find by id", rate, selected, "pgbench, prepared SELECT", "8 ×")


def measure_hosts(bench: Bench) -> None:
    result = bench.load("index", ENTITIES)
    row(
        f"a new host's first index, {ENTITIES:,} entities",
        f"{result['seconds']:.1f} s",
        f"{result['merge']:.1f} s: merge of two files",
        f"{result['merge'] / result['seconds']:.2f} ×",
        "0.5 ×",
    )
    delays = bench.load("follow", 50, 20)
    row(
        "a write until another host of 50 spaces has it",
        f"median {delays['median']:.0f} ms",
        "",
        f"99 % {delays['late']:.0f} ms",
        "100 ms",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("varve", help="the program, built in release")
    parser.add_argument("loader", help="varve-home-load, built in release")
    parser.add_argument("--seconds", type=int, default=10, help="the length of a run")
    options = parser.parse_args()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the beginning\n")
    print("| work | Varve | beside | ratio | bar |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster()
        try:
            init_home(options.varve, cluster.url)
            bench = Bench(cluster, options.loader, Path(folder), options.seconds)
            for measure in (measure_commits, measure_bulk, measure_finds, measure_hosts):
                measure(bench)
        finally:
            cluster.end()


if __name__ == "__main__":
    main()
