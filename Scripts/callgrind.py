"""Runs one contestant of one row of the benchmarks under valgrind's callgrind.

What repetitions take is the difference of two runs, of one repetition and of some more, whatever it
took to prepare them and to prove what was done. Preparations differ by a thousandth from run to run, so
short repetitions need several more.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Counter:
    """Counts the instructions of a program, in a temporary folder."""

    def __init__(self, program):
        for tool, package in (("valgrind", "valgrind"), ("strip", "binutils"), ("swift", None)):
            if not shutil.which(tool):
                sys.exit(f"{tool} was not found; install it" + (f", on Debian: apt-get install {package}" if package else ""))
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        # Valgrind cannot read all debug information.
        self.program = self.folder / "varve-bench"
        subprocess.run(["strip", "--strip-debug", "-o", self.program, program], check=True)
        self.preloaded = self.folder / "preloaded.so"
        clang = Path(shutil.which("swift")).resolve().parent / "clang"
        source = HERE / "valgrind-preloaded.c"
        subprocess.run([clang, "-shared", "-fPIC", "-O1", source, "-o", self.preloaded], check=True)

    def run(self, row, contestant, scale, repetitions):
        """The instructions of a process, the number of operations per repetition, and the file with each
        function's count."""
        report = self.folder / "report.json"
        out = self.folder / f"callgrind.{repetitions}.out"
        process = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", self.program]
            + ["--only", row, "--contestant", contestant, "--scale", str(scale)]
            + ["--repetitions", str(repetitions), "--json", report],
            env=os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1", "LD_PRELOAD": str(self.preloaded)},
            capture_output=True,
            text=True,
        )
        if process.returncode != 0:
            sys.exit(f"{row} · {contestant}: {process.stderr[-2000:]}")
        total = re.search(r"Collected : (\d+)", process.stderr)
        costs = json.loads(report.read_text())["costs"]
        costs = [cost for cost in costs if cost["contestant"] == contestant]
        if not total or len(costs) != 1:
            names = ", ".join(sorted({cost["benchmark"] for cost in costs})) or "none"
            sys.exit(f"{row!r} names not one row with a contestant {contestant!r}, but: {names}")
        return int(total[1]), costs[0]["count"], out

    def instructions(self, row, contestant, scale, more=1):
        """The instructions per operation of a row, from the difference that further repetitions make."""
        once, count, _ = self.run(row, contestant, scale, 1)
        all_of_them, _, _ = self.run(row, contestant, scale, 1 + more)
        return round((all_of_them - once) / count / more)

    def functions(self, row, contestant, scale):
        """The instructions that one operation spends in each function itself, by the function and
        the library it is in."""
        _, count, out = self.run(row, contestant, scale, 1)
        before = exclusive(out)
        _, _, out = self.run(row, contestant, scale, 2)
        after = exclusive(out)
        spent = {key: (cost - before.get(key, 0)) / count for key, cost in after.items()}
        return {key: cost for key, cost in spent.items() if abs(cost) >= 0.05}


LINE = re.compile(r"\s*([\d,]+)\s+(?:\([\d. ]+%\)\s+)?(?:[^:]*):(.+?)(?: \[([^\]]+)\])?$")


def exclusive(out):
    """Each function's own instructions in a profile."""
    text = subprocess.run(
        ["callgrind_annotate", "--threshold=100", "--auto=no", "--show-percs=no", out],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    functions = {}
    for line in text.split("file:function", 1)[-1].splitlines():
        found = LINE.match(line)
        if found:
            cost, symbol, library = found.groups()
            key = (re.sub(r"'\d+$", "", symbol), Path(library or "?").name)
            functions[key] = functions.get(key, 0) + int(cost.replace(",", ""))
    return functions
