"""Measures a step of the time bar on a store of many commits: from the key to the painted rows.

    /usr/bin/python3 Tests/Browser/measure_steps.py [COMMITS] [STEPS]

The store is made of random writes to 20,000 entities. VARVE names the program; figures of a release build
are those that count.
"""
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from inspector import VARVE, Browser, Inspector, varve

ENTITIES = 20_000
AUTHORS = ("ana", "ben", "cleo", "dan", "eve", "finn", "gus")

# Notes the time of each key, and of the frame after the rows became those of another moment. Rows that
# are the same at both are not drawn anew.
WATCH = """
    window.steps = [];
    let begin = null;
    addEventListener('keydown', () => { begin = performance.now(); }, true);
    new MutationObserver(() => {
      if (begin === null) return;
      const from = begin;
      begin = null;
      requestAnimationFrame(() => setTimeout(() => window.steps.push(performance.now() - from)));
    }).observe(document.querySelector('.grid'), { attributeFilter: ['data-at'] });
"""


def make(store: str, commits: int) -> None:
    source = random.Random(7)
    varve("init", store)
    process = subprocess.Popen([VARVE, "batch", store], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    write = lambda operation: process.stdin.write(json.dumps(operation) + "\n")
    creations = [
        {"op": "create", "type": "Item", "id": f"item-{i}", "set": {"name": f"Item {i}", "count": i % 97}}
        for i in range(ENTITIES)
    ]
    write({"op": "transaction", "operations": creations, "author": "ana"})
    for number in range(commits):
        item = int(abs(source.gauss(0, 1)) * 3_000) % ENTITIES
        write({"op": "set", "id": f"item-{item}", "set": {"count": number}, "author": source.choice(AUTHORS)})
    process.stdin.close()
    process.wait()


def measure(store: str, scale: str, count: int) -> list[float]:
    inspector = Inspector(store)
    page = Browser()
    try:
        page.open(inspector)
        page.go(f"#/{Path(store).stem}/table?type=Item&scale={scale}")
        page.wait(lambda: page.all(".grid-body .row"))
        page.driver.execute_script(WATCH)
        page.driver.execute_script("document.querySelector('[role=slider]').focus()")
        for number in range(count):
            page.keys(Keys.ARROW_LEFT if number % 10 else Keys.PAGE_DOWN)
            page.wait(lambda: page.driver.execute_script("return window.steps.length") > number)
        return page.driver.execute_script("return window.steps")
    finally:
        page.stop()
        inspector.stop()


def main() -> None:
    commits = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "large.varve")
        make(store, commits)
        for scale in ("dates", "commits"):
            steps = sorted(measure(store, scale, count))
            at = lambda part: steps[min(len(steps) - 1, int(len(steps) * part))]
            print(f"{scale}: {count} steps over {commits:,} commits: p50 {at(0.5):.0f} ms, p95 {at(0.95):.0f} ms, most {steps[-1]:.0f} ms")


if __name__ == "__main__":
    main()
