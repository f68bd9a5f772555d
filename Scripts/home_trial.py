"""Hosts of one home, the calls that they serve, and what must hold of their histories.

Callers claim names and count, each call at a random host: a name has one owner, and a count is read and
raised by a write that names the state it was decided on (`If-Match`). Every call is recorded with the
times at which it began and ended, and with what came of it: done, refused, or unknown.
"""
import http.client
import json
import random
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

from ports import free_port

SPACE = "/v1/spaces/trial"
FAILURES = (OSError, ValueError, http.client.HTTPException)
PAUSE = 0.02
"""The seconds that a caller waits after a call that was not done, or it would only repeat itself."""


def init_home(varve: str, url: str) -> None:
    done = subprocess.run([varve, "home", "init", url], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"the home cannot be made: {done.stderr}")


class Host:
    """`varve serve --home`, which is killed and started again."""

    def __init__(self, varve: str, url: str, cache: Path):
        self.varve, self.url, self.cache = varve, url, cache
        self.port = free_port()
        self.process = None
        self.isStopped = False
        self.start()

    def start(self) -> None:
        command = [
            self.varve, "serve", "--home", self.url, "--cache", str(self.cache),
            "--open", "--port", str(self.port), "--log-level", "critical",
        ]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        line = self.process.stdout.readline()
        if "listening on" not in line:
            self.end()
            raise SystemExit(f"a host did not start: {line}")
        self.port = int(line.strip().rsplit(":", 1)[1])

    def kill(self, losesIndexes: bool) -> None:
        self.end()
        self.restart(losesIndexes)

    def restart(self, losesIndexes: bool) -> None:
        """Starts it again after its end."""
        if losesIndexes:
            for file in self.cache.glob("*.varve*"):
                file.unlink()
        self.start()

    def stop(self) -> None:
        """Has it stand still."""
        self.isStopped = True
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)
        self.isStopped = False

    def end(self) -> None:
        self.process.kill()
        self.process.wait()

    def request(self, method: str, path: str, body=None, headers=None):
        """Returns the status, the headers and the document. Raises OSError if there is no reply."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", **(headers or {})},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return reply.status, reply.headers, json.load(reply)
        except urllib.error.HTTPError as error:
            return error.code, error.headers, json.load(error)

    def operation(self, operation: dict, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.request("POST", f"{SPACE}/operations", operation, named)


class Call:
    """A call with its times and its outcome: done, refused or unknown."""

    def __init__(self, kind: str, argument):
        self.kind, self.argument = kind, argument
        self.begin = time.monotonic()
        self.end = float("inf")
        self.outcome, self.result = "unknown", None

    def finish(self, outcome: str, result=None) -> None:
        self.end = time.monotonic()
        self.outcome, self.result = outcome, result


class Trial:
    """Callers, and a history of their calls."""

    def __init__(self, hosts: list, seed: int):
        self.hosts = hosts
        self.random = random.Random(seed)
        self.isOver = threading.Event()
        self.calls: list = []
        self.lock = threading.Lock()
        self.names = 0
        self.surprises: dict = {}

    def prepare(self) -> None:
        self.hosts[0].request("PUT", SPACE)
        self.hosts[0].operation({"op": "create", "type": "Count", "id": "count", "set": {"n": 0}})

    def record(self, kind: str, argument) -> Call:
        call = Call(kind, argument)
        with self.lock:
            self.calls.append(call)
        return call

    def conclude(self, call: Call, ask) -> None:
        """Runs a call. Without a reply, or with one that says so, its outcome is unknown."""
        try:
            status, headers, document = ask()
        except FAILURES:
            time.sleep(PAUSE)
            return
        if status == 200:
            call.finish("done", (headers.get("Varve-Position"), document))
        elif status in (409, 412, 503) and document.get("code") != "inputOutput":
            call.finish("refused", document.get("code"))
        else:
            code = f"{status} {document.get('code')}"
            with self.lock:
                self.surprises[code] = self.surprises.get(code, 0) + 1
            time.sleep(PAUSE)

    def claiming(self, number: int) -> None:
        """Claims names that others claim at the same time."""
        pick = random.Random(self.random.random())
        while not self.isOver.is_set():
            with self.lock:
                if pick.random() < 0.25:
                    self.names += 1
                name = f"name-{self.names}"
            claim = {"op": "create", "type": "Name", "id": name, "set": {"owner": number}}
            call = self.record("claim", (name, number))
            self.conclude(call, lambda: pick.choice(self.hosts).operation(claim))

    def counting(self, number: int) -> None:
        """Reads the count, and raises it if it is still what was read."""
        pick = random.Random(self.random.random())
        while not self.isOver.is_set():
            host = pick.choice(self.hosts)
            read = self.record("read", None)
            try:
                status, headers, document = host.request(
                    "GET", f"{SPACE}/entities/count", headers={"Varve-Position": "latest"}
                )
            except FAILURES:
                time.sleep(PAUSE)
                continue
            if status != 200:
                read.finish("refused")
                continue
            value = document["properties"]["n"]
            read.finish("done", value)
            if pick.random() < 0.3:
                continue
            write = self.record("raise", (value, value + 1))
            raised = {"op": "set", "id": "count", "set": {"n": value + 1}}
            # The state is named at another host than the one that was asked.
            self.conclude(
                write,
                lambda: pick.choice(self.hosts).operation(raised, If_Match=headers["ETag"]),
            )

    def run(self, disturb) -> None:
        """Calls until a closure that disturbs the calls has returned."""
        threads = [threading.Thread(target=self.claiming, args=(n,)) for n in range(6)]
        threads += [threading.Thread(target=self.counting, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        try:
            disturb(self)
        finally:
            self.isOver.set()
            for thread in threads:
                thread.join()

    def tell(self) -> bool:
        """Prints how the calls ended. Returns whether some of each kind were done."""
        outcomes: dict = {}
        for call in self.calls:
            name = f"{call.kind} {call.outcome}"
            outcomes[name] = outcomes.get(name, 0) + 1
        for name in sorted(outcomes):
            print(f"  {name}: {outcomes[name]}")
        for name, count in sorted(self.surprises.items()):
            print(f"  replied {name}: {count}")
        return bool(outcomes.get("claim done") and outcomes.get("raise done"))


def check_claims(trial: Trial, host: Host) -> list:
    findings = []
    _, _, document = host.operation({"op": "query", "type": "Name"}, Varve_Position="latest")
    owners = {entity["id"]: entity["properties"]["owner"] for entity in document["result"]}
    done: dict = {}
    tried: dict = {}
    for call in trial.calls:
        if call.kind != "claim":
            continue
        name, owner = call.argument
        tried.setdefault(name, set()).add(owner)
        if call.outcome == "done":
            if name in done:
                findings.append(f"{name} was given to {done[name]} and to {owner}")
            done[name] = owner
    for name, owner in done.items():
        if owners.get(name) != owner:
            findings.append(f"{name} was given to {owner}, and is {owners.get(name)}'s")
    for name, owner in owners.items():
        if owner not in tried.get(name, set()):
            findings.append(f"{name} is {owner}'s, who never claimed it")
    return findings


def check_counts(trial: Trial, host: Host) -> list:
    """The count only rises by one, so the value after a raise is its place in the order of raises.

    A history is linearizable if no call sees less than a call that had ended before it began, and no
    call sees what only began after it had ended.
    """
    findings = []
    _, _, document = host.request("GET", f"{SPACE}/entities/count", headers={"Varve-Position": "latest"})
    last = document["properties"]["n"]
    raises: dict = {}
    for call in trial.calls:
        if call.kind == "raise" and call.outcome != "refused":
            raises.setdefault(call.argument[1], []).append(call)
    for value in range(1, last + 1):
        calls = raises.get(value, [])
        done = [call for call in calls if call.outcome == "done"]
        if not calls:
            findings.append(f"no call raised the count to {value}")
        if len(done) > 1:
            findings.append(f"{len(done)} calls raised the count to {value}")
    for value, calls in raises.items():
        if value > last and any(call.outcome == "done" for call in calls):
            findings.append(f"the count was raised to {value}, and is {last}")
    seen = [
        (call.begin, call.end, call.result if call.kind == "read" else call.argument[1])
        for call in trial.calls
        if call.kind in ("read", "raise") and call.outcome == "done"
    ]
    ended = sorted((end, value) for _, end, value in seen)
    highest, place = 0, 0
    for begin, _, value in sorted(seen):
        while place < len(ended) and ended[place][0] < begin:
            highest = max(highest, ended[place][1])
            place += 1
        if value < highest:
            findings.append(f"a call saw {value} after another had seen {highest}")
    first = {value: min(call.begin for call in calls) for value, calls in raises.items()}
    for _, end, value in seen:
        if value > 0 and first.get(value, float("inf")) > end:
            findings.append(f"a call saw {value} before anyone had raised the count to it")
    return findings


def check_home(varve: str, cluster, hosts: list) -> list:
    """Ends the hosts. A cluster has a URL, and returns the rows of a statement."""
    findings = []
    for space, head, count, least, most in cluster.sql(
        """SELECT s.space, s.head, count(a.position), min(a.position), max(a.position)
           FROM varve.spaces s JOIN varve.arrivals a USING (space) GROUP BY s.space, s.head"""
    ):
        if not head == count == most or least != "1":
            findings.append(f"positions {least} to {most}, {count} of them, the head {head}")
    done = subprocess.run([varve, "home", "check", cluster.url], capture_output=True, text=True)
    if done.returncode != 0:
        findings.append(f"the home is not clean: {done.stdout}{done.stderr}")
    states = set()
    for host in hosts:
        _, headers, _ = host.request("GET", SPACE, headers={"Varve-Position": "latest"})
        _, _, log = host.operation({"op": "query", "type": "Name"})
        states.add((headers["ETag"], json.dumps(log["result"], sort_keys=True)))
        host.process.terminate()
        host.process.wait()
        for index in host.cache.glob("*.varve"):
            done = subprocess.run([varve, "check", str(index)], capture_output=True, text=True)
            if done.returncode != 0:
                findings.append(f"an index is not clean: {done.stdout}{done.stderr}")
    if len(states) != 1:
        findings.append(f"the indexes are {len(states)} different ones")
    return findings
