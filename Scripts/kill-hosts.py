#!/usr/bin/env python3
"""Kills hosts of one PostgreSQL at random, and checks the histories of the calls that they served.

Six processes of `varve serve --home` serve one space. Callers claim names and count (`home_trial`).
From time to time a host is killed by SIGKILL and started again, some with their indexes removed, or
stopped for a while. At the end:

- a claim that was done is there, under its owner, and no name has two owners;
- what the counter shows is what the calls that were done, and some of the unknown ones, make of it, and
  an order of all calls explains what each has read (linearizable, for the reads of the latest state);
- the positions of the log have no gaps, and `varve home check` finds nothing;
- the indexes of all hosts are equal.
"""
import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from clusters import Cluster
from endings import exit_on_signals, ignore_signals
from home_trial import Host, Trial, check_claims, check_counts, check_home, init_home

HOSTS = 6


class Killer:
    """Kills and stops hosts for a time."""

    def __init__(self, seconds: float):
        self.seconds = seconds
        self.kills = self.stops = 0

    def __call__(self, trial: Trial) -> None:
        end = time.monotonic() + self.seconds
        while True:
            pause = trial.random.uniform(0.1, 1.2)
            if time.monotonic() + pause > end:
                time.sleep(max(0, end - time.monotonic()))
                return
            time.sleep(pause)
            host = trial.random.choice(trial.hosts)
            if trial.random.random() < 0.2:
                # A host that stands still may hold the lock.
                self.stops += 1
                host.stop()
                time.sleep(trial.random.uniform(0.1, 2))
                host.go_on()
                continue
            self.kills += 1
            host.kill(trial.random.random() < 0.2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("varve", help="the program")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    exit_on_signals()
    hosts: list = []
    cluster = Cluster()
    try:
        with tempfile.TemporaryDirectory() as scratch:
            init_home(options.varve, cluster.url)
            for number in range(HOSTS):
                hosts.append(Host(options.varve, cluster.url, Path(scratch) / f"host{number}"))
            trial = Trial(hosts, options.seed)
            trial.prepare()
            killer = Killer(options.seconds)
            trial.run(killer)
            findings = check_claims(trial, hosts[0]) + check_counts(trial, hosts[1])
            findings += check_home(options.varve, cluster, hosts)
    finally:
        ignore_signals()
        for host in hosts:
            host.end()
        cluster.end()
    print(f"seed {options.seed}: {killer.kills} kills, {killer.stops} stops in {options.seconds:.0f} s")
    isComplete = trial.tell()
    for finding in findings[:20]:
        print(finding)
    sys.exit(0 if isComplete and not findings else 1)


if __name__ == "__main__":
    main()
